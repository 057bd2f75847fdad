//! Fast load balancing: at each step the ready task that can start first, found by comparing two candidates. A task whose
//! last message comes later than its enabling processor (the one that sends this message) is idle may profit from being
//! there: of such, the one that starts first there. All others start as early on any processor: of such, the one whose
//! last message comes first, on the processor that is idle first. Ties between the two go to the second, those between
//! tasks to the longer way to the end.
//!
//! Where all links are equal, no ready task could start earlier on any processor. Where they aren't, the enabling processor
//! is found by mean times of messages, and starts are those of the links.
//!
//! Radulescu, van Gemund: FLB: fast load balancing for distributed-memory machines. ICPP 1999,
//! doi:10.1109/ICPP.1999.797442.
//!
//! O(n·(log n + log P) + e).

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hash::BuildHasherDefault;

use priority_queue::PriorityQueue;
use rustc_hash::FxHasher;

use super::first_idle::FirstIdle;
use super::partial::Partial;
use super::{Rule, Schedule, Setup, rank};
use hetsim_base::units::Time;

#[derive(Debug)]
pub(super) struct Flb;

impl Rule for Flb {
    fn schedule(&self, setup: &Setup<'_>) -> Schedule {
        Balancing::new(setup).run()
    }
}

/// Tasks by a time, then by the place in the order in which ties are broken.
type ByTime = BinaryHeap<Reverse<(Time, u32, u32)>>;

/// A schedule to which the task that starts first is appended.
struct Balancing<'a> {
    partial: Partial<'a>,
    waiting: Vec<u32>,
    places: Vec<u32>,
    /// By processor, the tasks that it enables and that wait for its message: by the arrival of their data there, and by
    /// that of their last message elsewhere.
    enabled: Vec<ByTime>,
    last_message: Vec<ByTime>,
    /// Which tasks are no longer bound to the processor that enables them.
    is_loose: Vec<bool>,
    /// Tasks that start as early anywhere, by their last message.
    loose: ByTime,
    /// The earliest start of an enabled task, by processor.
    firsts: PriorityQueue<u32, Reverse<(Time, u32)>, BuildHasherDefault<FxHasher>>,
    idle: FirstIdle,
}

impl<'a> Balancing<'a> {
    fn new(setup: &Setup<'a>) -> Self {
        let Setup { graph, costs, .. } = *setup;
        let processors = costs.processors();
        let mut balancing = Self {
            partial: Partial::new(graph, costs, setup.insertion),
            waiting: graph.ids().map(|task| graph.in_degree(task)).collect(),
            places: rank::places(&rank::falling(graph, &rank::upward(graph, costs))),
            enabled: vec![ByTime::new(); processors as usize],
            last_message: vec![ByTime::new(); processors as usize],
            is_loose: vec![false; graph.tasks()],
            loose: ByTime::new(),
            firsts: PriorityQueue::default(),
            idle: FirstIdle::new(processors),
        };
        for task in graph.entries() {
            balancing.loosen(task, Time::ZERO);
        }
        balancing
    }

    fn loosen(&mut self, task: u32, last_message: Time) {
        self.is_loose[task as usize] = true;
        self.loose.push(Reverse((last_message, self.places[task as usize], task)));
    }

    /// Adds a ready task with predecessors.
    fn add(&mut self, task: u32) {
        let Some((processor, last_message)) = self.partial.enabling(task) else { return };
        if last_message < self.partial.end(processor) {
            return self.loosen(task, last_message);
        }
        let (place, at) = (self.places[task as usize], processor as usize);
        self.enabled[at].push(Reverse((self.partial.arrival(task, processor), place, task)));
        self.last_message[at].push(Reverse((last_message, place, task)));
        self.renew(processor);
    }

    /// Finds the earliest start of a task that a processor enables.
    fn renew(&mut self, processor: u32) {
        let enabled = &mut self.enabled[processor as usize];
        while let Some(&Reverse((_, _, task))) = enabled.peek()
            && (self.partial.is_placed(task) || self.is_loose[task as usize])
        {
            enabled.pop();
        }
        match enabled.peek() {
            Some(&Reverse((arrival, _, _))) => {
                let start = arrival.max(self.partial.end(processor));
                self.firsts.push(processor, Reverse((start, processor)));
            }
            None => {
                self.firsts.remove(&processor);
            }
        }
    }

    /// The next task and its processor.
    fn next(&mut self) -> Option<(u32, u32)> {
        let bound = self.firsts.peek().map(|(&processor, &Reverse((start, _)))| (start, processor));
        let free = self.loose.peek().map(|&Reverse((_, _, task))| task);
        let Some(task) = free else {
            let (_, processor) = bound?;
            let &Reverse((_, _, task)) = self.enabled[processor as usize].peek()?;
            return Some((task, processor));
        };
        let first = self.idle.get(&self.partial);
        let start = self.partial.arrival(task, first).max(self.partial.end(first));
        if let Some((_, processor)) = bound.filter(|bound| bound.0 < start)
            && let Some(&Reverse((_, _, task))) = self.enabled[processor as usize].peek()
        {
            return Some((task, processor));
        }
        self.loose.pop();
        Some((task, first))
    }

    fn run(mut self) -> Schedule {
        while let Some((task, processor)) = self.next() {
            let slot = self.partial.slot(task, processor);
            self.partial.place(task, slot);
            let end = self.partial.end(processor);
            while let Some(&Reverse((last_message, _, other))) = self.last_message[processor as usize].peek()
                && last_message < end
            {
                self.last_message[processor as usize].pop();
                if !self.partial.is_placed(other) {
                    self.loosen(other, last_message);
                }
            }
            self.renew(processor);
            for edge in self.partial.graph.successors(task) {
                let left = &mut self.waiting[edge.to as usize];
                *left -= 1;
                if *left == 0 {
                    self.add(edge.to);
                }
            }
        }
        self.partial.into_schedule()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::samples::{costs, graphs};
    use super::super::{Options, Scheduler};
    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        /// Theorem 3 of the paper: where all links are equal, each task starts when the first of all ready tasks can.
        #[test]
        fn each_task_starts_as_early_as_any_could(graph in graphs(), processors in 1u32..9, seed in any::<u64>()) {
            let costs = costs(&graph, processors, seed, false);
            let schedule = Scheduler::Flb.schedule(&graph, &costs, &Options::default()).unwrap();
            let mut partial = Partial::new(&graph, &costs, false);
            for &task in &schedule.sequence {
                let ready = |task: &u32| {
                    !partial.is_placed(*task) && graph.predecessors(*task).all(|edge| partial.is_placed(edge.from))
                };
                let starts = graph.ids().filter(ready).flat_map(|task| {
                    let partial = &partial;
                    (0..processors).map(move |processor| partial.slot(task, processor).start)
                });
                prop_assert_eq!(Some(schedule.start(task)), starts.min());
                let slot = partial.slot(task, schedule.processor(task));
                partial.place(task, slot);
            }
        }
    }
}
