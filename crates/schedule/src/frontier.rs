//! The ready tasks of a growing schedule, with the earliest start of each on each processor.
//!
//! Placing a task changes only one timeline, so one column of starts is recomputed: O(ready tasks) per step. Picking a
//! task takes that times the number of processors. With n tasks, e edges, P processors and at most r tasks ready at
//! once, a schedule takes O(n·r·P + e), times O(log n) for each start if tasks go into gaps.

use super::partial::{Partial, TaskSlot};
use super::{Costs, Schedule};
use hetsim_base::units::Time;
use hetsim_graph::TaskGraph;

/// A schedule that grows by tasks whose predecessors are all placed.
pub(super) struct Frontier<'a> {
    partial: Partial<'a>,
    processors: usize,
    /// The number of unplaced predecessors of each task.
    waiting: Vec<u32>,
    /// The position of each task in the graph's order, which breaks ties.
    rank: Vec<u32>,
    ready: Vec<u32>,
    /// The arrival of the data and the earliest start: a row per ready task, a column per processor.
    arrivals: Vec<Time>,
    starts: Vec<Time>,
}

impl<'a> Frontier<'a> {
    /// Starts with the tasks without predecessors.
    pub(super) fn new(graph: &'a TaskGraph, costs: &'a Costs, insertion: bool) -> Self {
        let mut rank = vec![0; graph.tasks()];
        for (place, &task) in (0u32..).zip(graph.order()) {
            rank[task as usize] = place;
        }
        let mut frontier = Self {
            partial: Partial::new(graph, costs, insertion),
            processors: costs.processors() as usize,
            waiting: graph.ids().map(|task| graph.in_degree(task)).collect(),
            rank,
            ready: Vec::new(),
            arrivals: Vec::new(),
            starts: Vec::new(),
        };
        for task in graph.entries() {
            frontier.add(task);
        }
        frontier
    }

    fn add(&mut self, task: u32) {
        self.ready.push(task);
        let from = self.arrivals.len();
        self.arrivals.resize(from + self.processors, Time::ZERO);
        self.partial.arrivals_into(task, &mut self.arrivals[from..]);
        for (processor, &ready) in (0u32..).zip(&self.arrivals[from..]) {
            let duration = self.partial.costs.duration(task, processor);
            self.starts.push(self.partial.earliest(processor, ready, duration));
        }
    }

    /// The number of ready tasks.
    pub(super) fn len(&self) -> usize {
        self.ready.len()
    }

    /// The ready tasks by their index, each with its earliest start on each processor.
    pub(super) fn rows(&self) -> impl Iterator<Item = (u32, &[Time])> {
        self.ready.iter().copied().zip(self.starts.chunks_exact(self.processors))
    }

    /// The ready task with the least key, and the processor that `key` returns with it; ties go to the first task in
    /// the graph's order. `key` receives the task and its earliest start on each processor.
    pub(super) fn least<K: PartialOrd>(&self, mut key: impl FnMut(u32, &[Time]) -> (K, u32)) -> Option<(usize, u32)> {
        let mut best: Option<(K, u32, usize, u32)> = None;
        for (index, (task, starts)) in self.rows().enumerate() {
            let (value, processor) = key(task, starts);
            let rank = self.rank[task as usize];
            if best.as_ref().is_none_or(|best| value < best.0 || (value == best.0 && rank < best.1)) {
                best = Some((value, rank, index, processor));
            }
        }
        best.map(|(_, _, index, processor)| (index, processor))
    }

    /// Places the ready task at `index` on a processor at its earliest start.
    fn place(&mut self, index: usize, processor: u32) {
        let (graph, costs, width) = (self.partial.graph, self.partial.costs, self.processors);
        let task = self.ready.swap_remove(index);
        let start = self.starts[index * width + processor as usize];
        let last = self.ready.len() * width;
        for table in [&mut self.arrivals, &mut self.starts] {
            table.copy_within(last..last + width, index * width);
            table.truncate(last);
        }
        self.partial.place(task, TaskSlot { processor, start, finish: start + costs.duration(task, processor) });
        for (row, &other) in self.ready.iter().enumerate() {
            let cell = row * width + processor as usize;
            let duration = costs.duration(other, processor);
            self.starts[cell] = self.partial.earliest(processor, self.arrivals[cell], duration);
        }
        for edge in graph.successors(task) {
            let left = &mut self.waiting[edge.to as usize];
            *left -= 1;
            if *left == 0 {
                self.add(edge.to);
            }
        }
    }

    /// Places the picks of `pick` until no task is left.
    pub(super) fn run(mut self, mut pick: impl FnMut(&Self) -> Option<(usize, u32)>) -> Schedule {
        while let Some((index, processor)) = pick(&self) {
            self.place(index, processor);
        }
        self.partial.into_schedule()
    }
}

/// The ends of a task with these earliest starts, one per processor.
#[inline]
pub(super) fn finishes(costs: &Costs, task: u32, starts: &[Time]) -> impl Iterator<Item = (Time, u32)> {
    let row = costs.row(task);
    let kinds = (0u32..).zip(costs.kinds());
    kinds.zip(starts).map(|((processor, &kind), &start)| (start + row[kind as usize], processor))
}

/// The processor on which a task with these earliest starts ends first, and that end; ties go to the lowest number.
#[inline]
pub(super) fn first_finish(costs: &Costs, task: u32, starts: &[Time]) -> (Time, u32) {
    finishes(costs, task, starts).min_by_key(|end| end.0).unwrap_or_default()
}
