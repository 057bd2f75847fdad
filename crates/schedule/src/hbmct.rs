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
//! A move takes O(g²) in a group of g tasks, O(g²/P) once they are spread, and there are seldom more moves than tasks.
//! The method is practically linear in n for small groups, and the slowest of all for wide ones.

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
    members: Vec<Vec<u32>>,
    /// The end of the members on each processor.
    ends: Vec<Time>,
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
        let mut members = vec![Vec::new(); processors];
        for (member, row) in (0u32..).zip(durations.chunks_exact(processors)) {
            let fastest = (0..processors).min_by_key(|&processor| row[processor]).unwrap_or(0);
            members[fastest].push(member);
        }
        let mut group = Self { tasks, processors, arrivals, durations, ends: idle.clone(), idle, members };
        for processor in 0..processors {
            let mut list = std::mem::take(&mut group.members[processor]);
            list.sort_by_key(|&member| group.arrival(member, processor));
            group.ends[processor] = group.end(processor, list.iter().copied());
            group.members[processor] = list;
        }
        group
    }

    fn arrival(&self, member: u32, processor: usize) -> Time {
        self.arrivals[member as usize * self.processors + processor]
    }

    /// The end of these members on a processor, in this order.
    fn end(&self, processor: usize, members: impl Iterator<Item = u32>) -> Time {
        members.fold(self.idle[processor], |time, member| {
            let cell = member as usize * self.processors + processor;
            time.max(self.arrivals[cell]) + self.durations[cell]
        })
    }

    /// The position of a member among those of a processor.
    fn place(&self, member: u32, processor: usize) -> usize {
        let key = |member: u32| (self.arrival(member, processor), member);
        self.members[processor].partition_point(|&other| key(other) < key(member))
    }

    /// Moves tasks as long as the busiest processor's part ends earlier. Each move makes the list of ends, sorted from
    /// the latest, lexicographically smaller, so the loop terminates.
    fn balance(&mut self) {
        loop {
            // Ties go to the lowest number.
            let busiest = (0..self.processors).rev().max_by_key(|&processor| self.ends[processor]).unwrap_or(0);
            let mut best = (self.ends[busiest], None);
            for (index, &member) in self.members[busiest].iter().enumerate() {
                let others = self.members[busiest].iter().enumerate();
                let left = others.filter(|(other, _)| *other != index).map(|(_, &member)| member);
                let left = self.end(busiest, left);
                for to in (0..self.processors).filter(|&to| to != busiest) {
                    let cell = member as usize * self.processors + to;
                    if left >= best.0 || self.arrivals[cell] + self.durations[cell] >= best.0 {
                        continue;
                    }
                    let (before, after) = self.members[to].split_at(self.place(member, to));
                    let joined = before.iter().chain([&member]).chain(after);
                    let end = left.max(self.end(to, joined.copied()));
                    if end < best.0 {
                        best = (end, Some((index, to)));
                    }
                }
            }
            let Some((index, to)) = best.1 else { return };
            let member = self.members[busiest].remove(index);
            let place = self.place(member, to);
            self.members[to].insert(place, member);
            for processor in [busiest, to] {
                self.ends[processor] = self.end(processor, self.members[processor].iter().copied());
            }
        }
    }

    /// Each task with its processor; the tasks of a processor are in execution order.
    fn into_mapping(self) -> Vec<(u32, u32)> {
        let lists = (0u32..).zip(self.members);
        lists
            .flat_map(|(processor, list)| list.into_iter().map(move |member| (self.tasks[member as usize], processor)))
            .collect()
    }
}
