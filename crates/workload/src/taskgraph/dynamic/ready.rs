//! The tasks that are ready, of one job or of several, and whose turn it is.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hetsim_base::registry::names;
use hetsim_graph::TaskGraph;

names! {
    /// Which job goes first where tasks of several are ready. Within a job the scheduler decides.
    "job order": JobOrder {
        #[default]
        Any "any" = "whatever job a task is of: the scheduler's own order of tasks",
        FirstCome "first_come" = "the job that arrived first",
        Shortest "shortest" = "the job of the least work in all",
        Fair "fair" = "the job with the fewest tasks under way, of several the one that got its turn the longest ago",
    }
}

/// The ready tasks, by the priorities of a scheduler within a job.
#[derive(Debug)]
pub(super) struct Ready<'a, P> {
    graph: &'a TaskGraph,
    order: JobOrder,
    /// By job; one for all where jobs don't count.
    tasks: Vec<BinaryHeap<(P, u32)>>,
    /// What says which job goes first, the least: its work, or how many of its tasks are under way and when it had its last
    /// turn. Empty where jobs don't count.
    keys: Vec<(u64, u32)>,
    /// Each job that has ready tasks, with its key; jobs that have none any more, or another key, may be there too.
    turns: BinaryHeap<Reverse<((u64, u32), u32)>>,
    /// How many tasks were taken.
    taken: u32,
}

impl<'a, P: Ord> Ready<'a, P> {
    /// No task is ready.
    pub(super) fn new(graph: &'a TaskGraph, order: JobOrder) -> Self {
        let jobs = graph.jobs();
        let work = |job| jobs.tasks(job).map(|task| graph.operations(task)).sum::<f64>();
        let keys: Vec<(u64, u32)> = match order {
            JobOrder::Any => Vec::new(),
            JobOrder::FirstCome | JobOrder::Fair => vec![(0, 0); jobs.count()],
            // The bits of numbers that are not negative are in the order of their values.
            JobOrder::Shortest => (0..jobs.count()).map(|job| (work(job).to_bits(), 0)).collect(),
        };
        let mut tasks = Vec::new();
        tasks.resize_with(keys.len().max(1), BinaryHeap::new);
        Self { graph, order, tasks, keys, turns: BinaryHeap::new(), taken: 0 }
    }

    /// Adds a task.
    pub(super) fn push(&mut self, task: u32, priority: P) {
        let job = self.job(task);
        self.tasks[job].push((priority, task));
        if self.tasks[job].len() == 1 {
            self.take_turn(job);
        }
    }

    /// The task that goes first.
    pub(super) fn first(&mut self) -> Option<u32> {
        if self.keys.is_empty() {
            return Some(self.tasks[0].peek()?.1);
        }
        loop {
            let &Reverse((key, job)) = self.turns.peek()?;
            let job = job as usize;
            if key == self.keys[job]
                && let Some((_, task)) = self.tasks[job].peek()
            {
                return Some(*task);
            }
            self.turns.pop();
        }
    }

    /// Takes the task that goes [first](Self::first).
    pub(super) fn take(&mut self, first: u32) {
        let job = self.job(first);
        self.tasks[job].pop();
        self.turns.pop();
        if self.order == JobOrder::Fair {
            self.taken += 1;
            self.keys[job] = (self.keys[job].0 + 1, self.taken);
        }
        self.take_turn(job);
    }

    /// A task that was taken has ended.
    pub(super) fn ended(&mut self, task: u32) {
        if self.order == JobOrder::Fair {
            let job = self.job(task);
            self.keys[job].0 -= 1;
            self.take_turn(job);
        }
    }

    /// Says that a job has ready tasks, with its present key.
    fn take_turn(&mut self, job: usize) {
        if let Some(&key) = self.keys.get(job)
            && !self.tasks[job].is_empty()
        {
            self.turns.push(Reverse((key, job as u32)));
        }
    }

    fn job(&self, task: u32) -> usize {
        if self.keys.is_empty() { 0 } else { self.graph.jobs().of(task) }
    }
}
