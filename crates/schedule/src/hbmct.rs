//! Hybrid balanced minimum completion time: cuts HEFT's order into groups of independent tasks and balances each group
//! as a whole.
//!
//! A group is the longest run of tasks by falling upward rank in which no task waits for another. Each task of the
//! group first goes to the processor that runs it fastest. Then tasks move off the processor where the group ends last,
//! one at a time, as long as that end gets earlier; each step makes the move to another processor after which the later
//! of the two processors' ends is earliest. A processor runs its tasks of a group by the arrival of their data, ties by
//! rank. The paper leaves open the order on a processor and the choice among several moves.
//!
//! Sakellariou, Zhao: A hybrid heuristic for DAG scheduling on heterogeneous systems. IPDPS 2004,
//! doi:10.1109/IPDPS.2004.1303065.
//!
//! In a row of tasks an end is max(start + work, least) of its start, so an end without a task, or with one more, is that
//! of what comes before it and of what comes after it. A move takes O(g·P·log g) in a group of g tasks, O(g·log g) once
//! they are spread, and there are seldom more moves than tasks.

use super::partial::Partial;
use super::{Rule, Schedule, Setup, rank};
use hetsim_base::units::Time;

#[derive(Debug)]
pub(super) struct Hbmct;

impl Rule for Hbmct {
    fn schedule(&self, setup: &Setup<'_>) -> Schedule {
        let Setup { graph, costs, .. } = *setup;
        let order = rank::falling(graph, &rank::upward(graph, costs));
        let mut partial = Partial::new(graph, costs, setup.insertion);
        let mut group_of = vec![u32::MAX; graph.tasks()];
        let mut rest = &order[..];
        for number in 0.. {
            let waits = |task: u32, group_of: &[u32]| {
                graph.predecessors(task).any(|edge| group_of[edge.from as usize] == number)
            };
            let mut count = 0;
            while count < rest.len() && !waits(rest[count], &group_of) {
                group_of[rest[count] as usize] = number;
                count += 1;
            }
            if count == 0 {
                break;
            }
            let (group, further) = rest.split_at(count);
            let mut balanced = Group::new(&partial, group);
            balanced.balance();
            let mapping = balanced.into_mapping();
            for (task, processor) in mapping {
                let slot = partial.slot(task, processor);
                partial.place(task, slot);
            }
            rest = further;
        }
        partial.into_schedule()
    }
}

/// A group of independent tasks being balanced. A member is the number of a task within the group, in the order of
/// ranks.
struct Group<'a> {
    tasks: &'a [u32],
    processors: usize,
    /// The arrival of the data: a row per member, a column per processor.
    arrivals: Vec<Time>,
    durations: Vec<Time>,
    /// The end of the earlier groups on each processor.
    idle: Vec<Time>,
    /// The members on each processor, by arrival and then by rank.
    rows: Vec<MemberRow>,
}

/// The members on a processor.
#[derive(Debug, Default)]
struct MemberRow {
    members: Vec<u32>,
    /// The end of all that comes before each of them, and of all; empty until it is known.
    before: Vec<Time>,
    /// What each of them and all behind it make of a start; last what nothing makes of it.
    after: Vec<Tail>,
}

/// The end of a row of tasks by its start.
#[derive(Debug, Clone, Copy, Default)]
struct Tail {
    work: Time,
    least: Time,
}

impl Tail {
    fn end(self, start: Time) -> Time {
        (start + self.work).max(self.least)
    }

    /// The same behind one more task.
    fn behind(self, arrival: Time, duration: Time) -> Self {
        let work = duration + self.work;
        Self { work, least: (arrival + work).max(self.least) }
    }
}

impl MemberRow {
    /// The end of all members.
    fn end(&self) -> Time {
        self.before.last().copied().unwrap_or_default()
    }

    /// The end without one of them.
    fn end_without(&self, index: usize) -> Time {
        self.after[index + 1].end(self.before[index])
    }

    /// The end with one more before another.
    fn end_with(&self, index: usize, arrival: Time, duration: Time) -> Time {
        self.after[index].end(self.before[index].max(arrival) + duration)
    }
}

impl<'a> Group<'a> {
    /// Puts each task on the processor that runs it fastest; ties go to the lowest number.
    fn new(partial: &Partial<'_>, tasks: &'a [u32]) -> Self {
        let processors = partial.costs.processors() as usize;
        let mut arrivals = vec![Time::ZERO; tasks.len() * processors];
        let mut durations = Vec::with_capacity(arrivals.len());
        for (&task, row) in tasks.iter().zip(arrivals.chunks_exact_mut(processors)) {
            partial.arrivals_into(task, row);
            durations.extend((0..processors as u32).map(|processor| partial.costs.duration(task, processor)));
        }
        let idle: Vec<Time> = (0..processors as u32).map(|processor| partial.end(processor)).collect();
        let mut rows: Vec<MemberRow> = (0..processors).map(|_| MemberRow::default()).collect();
        for (member, row) in (0u32..).zip(durations.chunks_exact(processors)) {
            let fastest = (0..processors).min_by_key(|&processor| row[processor]).unwrap_or(0);
            rows[fastest].members.push(member);
        }
        let mut group = Self { tasks, processors, arrivals, durations, idle, rows };
        for processor in 0..processors {
            let mut list = std::mem::take(&mut group.rows[processor].members);
            list.sort_by_key(|&member| group.cost(member, processor).0);
            group.rows[processor].members = list;
            group.renew(processor);
        }
        group
    }

    /// The arrival of a member's data on a processor, and its duration there.
    fn cost(&self, member: u32, processor: usize) -> (Time, Time) {
        let cell = member as usize * self.processors + processor;
        (self.arrivals[cell], self.durations[cell])
    }

    /// Finds the ends on a processor again.
    fn renew(&mut self, processor: usize) {
        let MemberRow { members, mut before, mut after } = std::mem::take(&mut self.rows[processor]);
        before.clear();
        before.push(self.idle[processor]);
        after.clear();
        after.push(Tail::default());
        let (mut end, mut tail) = (self.idle[processor], Tail::default());
        for &member in &members {
            let (arrival, duration) = self.cost(member, processor);
            end = end.max(arrival) + duration;
            before.push(end);
        }
        for &member in members.iter().rev() {
            let (arrival, duration) = self.cost(member, processor);
            tail = tail.behind(arrival, duration);
            after.push(tail);
        }
        after.reverse();
        self.rows[processor] = MemberRow { members, before, after };
    }

    /// The position of a member among those of a processor.
    fn place(&self, member: u32, processor: usize) -> usize {
        let key = |member: u32| (self.cost(member, processor).0, member);
        self.rows[processor].members.partition_point(|&other| key(other) < key(member))
    }

    /// Moves tasks as long as the busiest processor's part ends earlier. Each move makes the list of ends, sorted from
    /// the latest, lexicographically smaller, so the loop terminates.
    fn balance(&mut self) {
        loop {
            // Ties go to the lowest number.
            let busiest = (0..self.processors).rev().max_by_key(|&processor| self.rows[processor].end()).unwrap_or(0);
            let mut best = (self.rows[busiest].end(), None);
            for (index, &member) in self.rows[busiest].members.iter().enumerate() {
                let left = self.rows[busiest].end_without(index);
                if left >= best.0 {
                    continue;
                }
                for to in (0..self.processors).filter(|&to| to != busiest) {
                    let (arrival, duration) = self.cost(member, to);
                    if arrival + duration >= best.0 {
                        continue;
                    }
                    let end = left.max(self.rows[to].end_with(self.place(member, to), arrival, duration));
                    if end < best.0 {
                        best = (end, Some((index, to)));
                    }
                }
            }
            let Some((index, to)) = best.1 else { return };
            let member = self.rows[busiest].members.remove(index);
            let place = self.place(member, to);
            self.rows[to].members.insert(place, member);
            self.renew(busiest);
            self.renew(to);
        }
    }

    /// Each task with its processor; the tasks of a processor are in execution order.
    fn into_mapping(self) -> Vec<(u32, u32)> {
        let lists = (0u32..).zip(self.rows.into_iter().map(|row| row.members));
        lists
            .flat_map(|(processor, list)| list.into_iter().map(move |member| (self.tasks[member as usize], processor)))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::samples::{costs, graphs};
    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]

        /// An end without a task, and with one more, is what it is task by task.
        #[test]
        fn ends_are_those_of_all_tasks_in_a_row(
            graph in graphs(), processors in 2u32..6, seed in any::<u64>(), sites in any::<bool>(),
        ) {
            let costs = costs(&graph, processors, seed, sites);
            let partial = Partial::new(&graph, &costs, false);
            let tasks: Vec<u32> = graph.ids().collect();
            let group = Group::new(&partial, &tasks);
            for processor in 0..processors as usize {
                let end = |members: &[u32]| {
                    members.iter().fold(group.idle[processor], |time, &member| {
                        let (arrival, duration) = group.cost(member, processor);
                        time.max(arrival) + duration
                    })
                };
                let row = &group.rows[processor];
                prop_assert_eq!(row.end(), end(&row.members));
                for index in 0..row.members.len() {
                    let mut without = row.members.clone();
                    without.remove(index);
                    prop_assert_eq!(row.end_without(index), end(&without));
                }
                for member in group.rows.iter().flat_map(|row| &row.members).copied() {
                    let (place, (arrival, duration)) = (group.place(member, processor), group.cost(member, processor));
                    let mut with = row.members.clone();
                    with.insert(place, member);
                    prop_assert_eq!(row.end_with(place, arrival, duration), end(&with));
                }
            }
        }
    }
}
