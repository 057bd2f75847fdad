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
    firsts: Vec<Start>,
    arrivals: Vec<Time>,
}

impl<'a> Growing<'a> {
    /// Starts with the tasks without predecessors.
    fn new(graph: &'a TaskGraph, costs: &'a Costs) -> Self {
        let levels = rank::static_levels(graph, costs);
        let order = rank::falling(graph, &levels);
        let mut place = vec![0; graph.tasks()];
        for (at, &task) in (0u32..).zip(&order) {
            place[task as usize] = at;
        }
        let processors = costs.processors() as usize;
        let lanes = processors + usize::from(costs.uniform().is_some());
        let mut growing = Self {
            partial: Partial::new(graph, costs, false),
            waiting: graph.ids().map(|task| graph.in_degree(task)).collect(),
            order,
            place,
            lanes: vec![Lane::new(); lanes],
            firsts: vec![NOBODY; lanes],
            arrivals: vec![Time::ZERO; processors],
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
            if (data.home as usize) < self.arrivals.len() {
                self.add_to(data.home as usize, data.at_home, task);
            }
            // A start at home is never later than one elsewhere, so home need not be left out here.
            self.add_to(self.arrivals.len(), data.away, task);
            return;
        }
        let mut arrivals = std::mem::take(&mut self.arrivals);
        self.partial.arrivals_into(task, &mut arrivals);
        for (lane, &arrival) in arrivals.iter().enumerate() {
            self.add_to(lane, arrival, task);
        }
        self.arrivals = arrivals;
    }

    fn add_to(&mut self, lane: usize, arrival: Time, task: u32) {
        let place = self.place[task as usize];
        let start = (arrival.max(self.lanes[lane].idle), place);
        self.lanes[lane].add(arrival, place);
        self.firsts[lane] = self.firsts[lane].min(start);
    }

    /// The task with the earliest start, that start, and its processor.
    fn first(&mut self) -> Option<(u32, Time, u32)> {
        let (partial, order) = (&self.partial, &self.order);
        let is_placed = |place: u32| partial.is_placed(order[place as usize]);
        let (start, lane) = loop {
            let (start, lane) = self.firsts.iter().zip(0usize..).min()?;
            let (start, lane) = (*start, lane);
            if start == NOBODY {
                return None;
            }
            // It may have been placed elsewhere; what is first then is no earlier.
            if !is_placed(start.1) {
                break (start, lane);
            }
            self.firsts[lane] = self.lanes[lane].first(is_placed);
        };
        let (at, task) = (start.0, order[start.1 as usize]);
        let processor = match self.partial.costs.uniform() {
            None => lane as u32,
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
        self.set_idle(processor as usize, finish);
        if costs.uniform().is_some() {
            let earliest = self.lanes[..self.arrivals.len()].iter().map(|lane| lane.idle).min();
            self.set_idle(self.arrivals.len(), earliest.unwrap_or_default());
        }
        for edge in self.partial.graph.successors(task) {
            let left = &mut self.waiting[edge.to as usize];
            *left -= 1;
            if *left == 0 {
                self.add(edge.to);
            }
        }
    }

    fn set_idle(&mut self, lane: usize, idle: Time) {
        let (partial, order) = (&self.partial, &self.order);
        if self.lanes[lane].idle < idle {
            self.lanes[lane].idle = idle;
            self.firsts[lane] = self.lanes[lane].first(|place| partial.is_placed(order[place as usize]));
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
