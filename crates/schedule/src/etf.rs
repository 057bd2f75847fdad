//! Earliest task first: picks the ready task and the processor with the earliest start. Ties go to the task with the
//! highest static level (mean durations, no communication), then to the processor with the lowest number.
//!
//! Hwang, Chow, Anger, Lee: Scheduling precedence graphs in systems with interprocessor communication times. SIAM
//! Journal on Computing 18(2), 1989, doi:10.1137/0218016.
//!
//! No task is looked at again until it is placed. Behind the last task of a processor, a start is the later one of the
//! arrival of the data and the end of that task, and ends only grow. So the tasks that may start on a processor are two
//! heaps: by arrival those whose data come later than it is idle, by level those that it could start at once. Where all
//! links are equal, a task's data arrive at the same instant on all processors but one, so it stands in the heaps of
//! that one and in those of the processor that is idle first. O(n log n + n·P + e) there, O(n·P·log n + e·P) where links
//! differ.
//!
//! If tasks go into gaps, O(n·r·P + e·P) times O(log n), with at most r tasks ready at once.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hash::BuildHasherDefault;

use priority_queue::PriorityQueue;
use rustc_hash::FxHasher;

use super::frontier::Frontier;
use super::partial::{Partial, TaskSlot};
use super::{Costs, Rule, Schedule, Setup, rank};
use hetsim_base::units::Time;
use hetsim_graph::TaskGraph;

#[derive(Debug)]
pub(super) struct Etf;

impl Rule for Etf {
    fn schedule(&self, setup: &Setup<'_>) -> Schedule {
        if setup.insertion { one_by_one(setup) } else { Growing::new(setup.graph, setup.costs).run() }
    }
}

/// Compares all ready tasks at each step.
fn one_by_one(setup: &Setup<'_>) -> Schedule {
    let Setup { graph, costs, .. } = *setup;
    let levels = rank::static_levels(graph, costs);
    Frontier::new(graph, costs, setup.insertion).run(|frontier| {
        frontier.least(|task, starts| {
            let (start, processor) = starts.iter().zip(0u32..).min_by_key(|pair| pair.0).unwrap_or((&Time::ZERO, 0));
            ((*start, Reverse(levels[task as usize])), processor)
        })
    })
}

/// A start, and the place of its task in the order in which ties are broken.
type Start = (Time, u32);

/// No task.
const NOBODY: Start = (Time::NEVER, u32::MAX);

/// What is least of numbered things, each of which may change.
type Least<T> = PriorityQueue<u32, Reverse<(T, u32)>, BuildHasherDefault<FxHasher>>;

/// The ready tasks that one processor may start, or any of several that are alike to them.
#[derive(Debug, Clone)]
struct Lane {
    /// When it is idle.
    idle: Time,
    /// Tasks whose data arrive later than that, by the arrival.
    later: BinaryHeap<Reverse<Start>>,
    /// Tasks that can start as soon as it is idle.
    at_once: BinaryHeap<Reverse<u32>>,
}

impl Lane {
    fn new() -> Self {
        Self { idle: Time::ZERO, later: BinaryHeap::new(), at_once: BinaryHeap::new() }
    }

    fn add(&mut self, arrival: Time, place: u32) {
        if arrival > self.idle {
            self.later.push(Reverse((arrival, place)));
        } else {
            self.at_once.push(Reverse(place));
        }
    }

    /// The earliest start, when tasks that are placed by now have been dropped.
    fn first(&mut self, is_placed: impl Fn(u32) -> bool) -> Start {
        while let Some(&Reverse((arrival, place))) = self.later.peek() {
            let is_gone = is_placed(place);
            if arrival > self.idle && !is_gone {
                break;
            }
            self.later.pop();
            if !is_gone {
                self.at_once.push(Reverse(place));
            }
        }
        while let Some(&Reverse(place)) = self.at_once.peek() {
            if !is_placed(place) {
                // What is yet to arrive starts later than this.
                return (self.idle, place);
            }
            self.at_once.pop();
        }
        self.later.peek().map_or(NOBODY, |&Reverse(start)| start)
    }
}

/// A schedule to which the task with the earliest start is appended.
struct Growing<'a> {
    partial: Partial<'a>,
    /// The number of unplaced predecessors of each task.
    waiting: Vec<u32>,
    /// The tasks in the order in which ties are broken, and the place of each in it.
    order: Vec<u32>,
    place: Vec<u32>,
    /// One a processor; behind them, where all links are equal, one for all processors that a task's last data come to
    /// from elsewhere.
    lanes: Vec<Lane>,
    /// The earliest start of each lane.
    firsts: Least<Start>,
    /// When each processor is idle.
    idle: Least<Time>,
    arrivals: Vec<Time>,
}

impl<'a> Growing<'a> {
    /// Starts with the tasks without predecessors.
    fn new(graph: &'a TaskGraph, costs: &'a Costs) -> Self {
        let levels = rank::static_levels(graph, costs);
        let order = rank::falling(graph, &levels);
        let place = rank::places(&order);
        let processors = costs.processors();
        let lanes = processors + u32::from(costs.uniform().is_some());
        let mut growing = Self {
            partial: Partial::new(graph, costs, false),
            waiting: graph.ids().map(|task| graph.in_degree(task)).collect(),
            order,
            place,
            lanes: vec![Lane::new(); lanes as usize],
            firsts: (0..lanes).map(|lane| (lane, Reverse((NOBODY, lane)))).collect(),
            idle: (0..processors).map(|processor| (processor, Reverse((Time::ZERO, processor)))).collect(),
            arrivals: vec![Time::ZERO; processors as usize],
        };
        for task in graph.entries() {
            growing.add(task);
        }
        growing
    }

    /// Adds a ready task.
    fn add(&mut self, task: u32) {
        if let Some(transfers) = self.partial.costs.uniform() {
            let data = self.partial.data(task, transfers);
            let processors = self.partial.costs.processors();
            if data.home < processors {
                self.add_to(data.home, data.at_home, task);
            }
            // A start at home is never later than one elsewhere, so home need not be left out here.
            self.add_to(processors, data.away, task);
            return;
        }
        let mut arrivals = std::mem::take(&mut self.arrivals);
        self.partial.arrivals_into(task, &mut arrivals);
        for (lane, &arrival) in (0..).zip(&arrivals) {
            self.add_to(lane, arrival, task);
        }
        self.arrivals = arrivals;
    }

    fn add_to(&mut self, lane: u32, arrival: Time, task: u32) {
        let (place, own) = (self.place[task as usize], &mut self.lanes[lane as usize]);
        own.add(arrival, place);
        self.firsts.push_increase(lane, Reverse(((arrival.max(own.idle), place), lane)));
    }

    /// Finds the earliest start of a lane again.
    fn renew(&mut self, lane: u32) {
        let (partial, order) = (&self.partial, &self.order);
        let first = self.lanes[lane as usize].first(|place| partial.is_placed(order[place as usize]));
        self.firsts.change_priority(&lane, Reverse((first, lane)));
    }

    /// The task with the earliest start, that start, and its processor.
    fn first(&mut self) -> Option<(u32, Time, u32)> {
        let (start, lane) = loop {
            let (_, &Reverse((start, lane))) = self.firsts.peek()?;
            if start == NOBODY {
                return None;
            }
            // It may have been placed elsewhere; what is first then is no earlier.
            if !self.partial.is_placed(self.order[start.1 as usize]) {
                break (start, lane);
            }
            self.renew(lane);
        };
        let (at, task) = (start.0, self.order[start.1 as usize]);
        let processor = match self.partial.costs.uniform() {
            None => lane,
            Some(transfers) => self.processor(task, at, transfers),
        };
        Some((task, at, processor))
    }

    /// The lowest processor on which a task has its earliest start, where all links are equal.
    fn processor(&self, task: u32, start: Time, transfers: &[Time]) -> u32 {
        let data = self.partial.data(task, transfers);
        if start < data.away {
            return data.home;
        }
        // Its data are everywhere by then, so any idle processor will do.
        let idle = (0..self.partial.costs.processors()).find(|&processor| self.partial.end(processor) <= start);
        idle.unwrap_or_default()
    }

    /// Appends a task to its processor.
    fn append(&mut self, task: u32, start: Time, processor: u32) {
        let costs = self.partial.costs;
        let finish = start + costs.duration(task, processor);
        self.partial.place(task, TaskSlot { processor, start, finish });
        self.set_idle(processor, finish);
        if costs.uniform().is_some() {
            self.idle.change_priority(&processor, Reverse((finish, processor)));
            let earliest = self.idle.peek().map(|(_, &Reverse((idle, _)))| idle);
            self.set_idle(costs.processors(), earliest.unwrap_or_default());
        }
        for edge in self.partial.graph.successors(task) {
            let left = &mut self.waiting[edge.to as usize];
            *left -= 1;
            if *left == 0 {
                self.add(edge.to);
            }
        }
    }

    fn set_idle(&mut self, lane: u32, idle: Time) {
        if self.lanes[lane as usize].idle < idle {
            self.lanes[lane as usize].idle = idle;
            self.renew(lane);
        }
    }

    fn run(mut self) -> Schedule {
        while let Some((task, start, processor)) = self.first() {
            self.append(task, start, processor);
        }
        self.partial.into_schedule()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::samples::{costs, graphs};
    use super::*;
    use crate::Layout;
    use hetsim_base::engine::Streams;

    /// The same schedule both ways, the order of placement included.
    fn agree(graph: &TaskGraph, costs: &Costs) -> Result<(), TestCaseError> {
        let setup = Setup { graph, costs, insertion: false, streams: Streams::new(0, 0) };
        prop_assert_eq!(Etf.schedule(&setup), one_by_one(&setup));
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]
        #[test]
        fn heaps_find_what_comparing_all_finds(
            graph in graphs(), processors in 1u32..9, seed in any::<u64>(), sites in any::<bool>(),
        ) {
            agree(&graph, &costs(&graph, processors, seed, sites))?;
        }

        /// Many starts and levels are equal here, and many tasks take no time.
        #[test]
        fn ties_are_broken_alike(
            graph in graphs(), processors in 1u32..9, longest in 1u64..4, bytes in 1u64..40, near in 0u32..3,
        ) {
            let duration = |task: u32, _| Time(u64::from(task) % longest);
            let transfer = |bytes_sent: u64| Time(bytes_sent / bytes);
            let layout = Layout::new(processors, |_| (), |from, to| near > 0 && from % near == to % near);
            let costs = Costs::new(&graph, layout, duration, |edge, from, to| {
                transfer(edge.bytes * if near > 0 && from % near == to % near { 1 } else { 2 })
            });
            agree(&graph, &costs.unwrap())?;
        }
    }
}
