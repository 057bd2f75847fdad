//! Schedules of task graphs on unequal processors: which task runs where and when, as plain data.
//!
//! [`Costs`] holds what each task takes on each processor and each message between each two, in the ticks of the machine
//! that will run them, so that a predicted makespan equals the simulated one. A [`Schedule`] is a processor, a start and an
//! end for each task; [`Schedule::check`] says whether it can be. [`Timeline`] is one processor's idle intervals, in which
//! a scheduler finds the earliest slot.
//!
//! All schedules here are semi-active: a task starts when its data have arrived or when the task before it on its processor
//! ends, whichever comes later. So a processor that runs its tasks in the order of [`Schedule::order`], each as soon as it can,
//! meets the predicted times exactly where nothing else is on the machine.

mod check;
mod costs;
pub mod mapping;
mod timeline;

pub use check::ScheduleError;
pub use costs::{CostError, Costs, Layout};
pub use timeline::Timeline;

use crate::graph::TaskGraph;
use crate::units::Time;

/// Where and when each task runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    processor: Vec<u32>,
    start: Vec<Time>,
    finish: Vec<Time>,
}

impl Schedule {
    /// A schedule from a processor, a start and an end for each task. None where the lists are of different lengths. Whether
    /// it can be is what [`Self::check`] says.
    #[must_use]
    pub fn new(processor: Vec<u32>, start: Vec<Time>, finish: Vec<Time>) -> Option<Self> {
        (processor.len() == start.len() && start.len() == finish.len()).then_some(Self { processor, start, finish })
    }

    /// How many tasks there are.
    #[must_use]
    pub fn tasks(&self) -> usize {
        self.processor.len()
    }

    /// The processor that a task runs on.
    #[must_use]
    #[inline]
    pub fn processor(&self, task: u32) -> u32 {
        self.processor[task as usize]
    }

    /// When a task starts.
    #[must_use]
    #[inline]
    pub fn start(&self, task: u32) -> Time {
        self.start[task as usize]
    }

    /// When a task ends.
    #[must_use]
    #[inline]
    pub fn finish(&self, task: u32) -> Time {
        self.finish[task as usize]
    }

    /// The processor of each task.
    #[must_use]
    pub fn mapping(&self) -> &[u32] {
        &self.processor
    }

    /// The end of the last task, or zero without tasks.
    #[must_use]
    pub fn makespan(&self) -> Time {
        self.finish.iter().copied().max().unwrap_or_default()
    }

    /// The tasks of each processor in the order in which they run. Of those that take no time at the same instant, the one that
    /// comes first in [`TaskGraph::order`] goes first; so the order never waits for itself. `processors` must be above
    /// every processor's number in the schedule; tasks beyond are left out.
    #[must_use]
    pub fn order(&self, graph: &TaskGraph, processors: u32) -> Order {
        let mut keys: Vec<(Time, Time, u32)> =
            (0u32..).zip(graph.order()).map(|(place, &task)| (self.start(task), self.finish(task), place)).collect();
        keys.sort_unstable();
        let sorted = || keys.iter().map(|&(_, _, place)| graph.order()[place as usize]);
        let mut starts = vec![0u32; processors as usize + 1];
        for task in sorted().filter(|&task| self.processor(task) < processors) {
            starts[self.processor(task) as usize + 1] += 1;
        }
        for index in 0..processors as usize {
            starts[index + 1] += starts[index];
        }
        let mut next = starts.clone();
        let mut tasks = vec![0; starts[processors as usize] as usize];
        for task in sorted().filter(|&task| self.processor(task) < processors) {
            let place = &mut next[self.processor(task) as usize];
            tasks[*place as usize] = task;
            *place += 1;
        }
        Order { starts, tasks }
    }
}

/// The tasks of each processor in the order in which they run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    starts: Vec<u32>,
    tasks: Vec<u32>,
}

impl Order {
    /// How many processors there are.
    #[must_use]
    pub fn processors(&self) -> u32 {
        (self.starts.len() - 1) as u32
    }

    /// The tasks of a processor, the first first.
    #[must_use]
    #[inline]
    pub fn tasks(&self, processor: u32) -> &[u32] {
        &self.tasks[self.starts[processor as usize] as usize..self.starts[processor as usize + 1] as usize]
    }
}

#[cfg(test)]
mod tests;
