//! The least makespan by constraints: each task is given a column first, and then those of a column are ordered.
//!
//! A branch decides one thing, and what follows from it narrows the windows of all tasks (`windows.rs`). Where messages take
//! long or tasks hardly depend on each other, that decides more than the order of starts does (`schedules.rs`).

use super::instance::Instance;
use super::windows::{Buffers, Windows};
use super::{Placed, bits};

/// The most columns: a set of them is one machine word.
const MOST_COLUMNS: usize = 64;
/// The maximum number of tasks: the time of a node grows faster than their square.
const MOST_TASKS: usize = 36;

/// The search for a schedule that is shorter than the best.
pub(super) struct AllocationSearch<'a, 'b> {
    instance: &'b Instance<'a>,
    buffers: Buffers,
    /// The end of the best schedule.
    pub(super) best: u64,
    /// The placements of the best schedule in the order of their starts; `None` if it is the start of the search.
    pub(super) found: Option<Vec<Placed>>,
    /// The improvements: the node and the end.
    pub(super) history: Vec<(u64, u64)>,
    /// The nodes that were explored.
    pub(super) nodes: u64,
    budget: u64,
}

impl<'a, 'b> AllocationSearch<'a, 'b> {
    /// A search for what is shorter than `best`, which is above 0, by at most `budget` nodes.
    pub(super) fn new(instance: &'b Instance<'a>, best: u64, budget: u64) -> Self {
        Self { instance, buffers: Buffers::default(), best, found: None, history: Vec::new(), nodes: 0, budget }
    }

    /// Whether this search is for such an instance.
    pub(super) fn takes(instance: &Instance<'_>) -> bool {
        instance.columns <= MOST_COLUMNS && instance.tasks <= MOST_TASKS
    }

    /// Searches. Returns whether the best is proved to be the optimum.
    pub(super) fn run(&mut self) -> bool {
        self.explore(Windows::new(self.instance))
    }

    /// Explores all schedules within these windows. Returns whether none of them is left.
    fn explore(&mut self, mut windows: Windows) -> bool {
        if self.nodes >= self.budget {
            return false;
        }
        self.nodes += 1;
        if !windows.narrow(self.instance, self.best - 1, &mut self.buffers) {
            return true;
        }
        if let Some(task) = self.choose(&windows) {
            return self.columns_of(&windows, task).into_iter().all(|column| {
                let mut next = windows.clone();
                next.columns[task] = 1 << column;
                self.explore(next)
            });
        }
        let Some((one, other)) = self.conflict(&windows) else {
            self.record(&windows);
            return true;
        };
        let end = |first, second| windows.end_of(self.instance, first, second);
        let pairs = if end(one, other) <= end(other, one) {
            [(one, other), (other, one)]
        } else {
            [(other, one), (one, other)]
        };
        pairs.into_iter().all(|(first, second)| {
            let mut next = windows.clone();
            !next.precede(first, second) || self.explore(next)
        })
    }

    /// The next task that gets a column: the one with the least room, then that whose neighbours send most.
    fn choose(&self, windows: &Windows) -> Option<usize> {
        let instance = self.instance;
        (0..instance.tasks).filter(|&task| !windows.is_placed(task)).max_by_key(|&task| {
            let ends = instance.into[task].iter().chain(&instance.out[task]);
            // Messages to and from those that have a column are decided by this task.
            let weight = |&(other, edge): &(usize, u32)| {
                instance.uniform(edge).unwrap_or(0).saturating_mul(if windows.is_placed(other) { 2 } else { 1 })
            };
            let near = ends.map(weight).fold(0, u64::saturating_add);
            let duration = windows.duration(instance, task);
            (windows.head[task] + duration + windows.tail[task], near, duration)
        })
    }

    /// The columns of a task, first that in which it delays least; of empty ones that are equal, one.
    fn columns_of(&self, windows: &Windows, task: usize) -> Vec<usize> {
        let instance = self.instance;
        let mut empty = Vec::new();
        let mut columns: Vec<(u64, u64, usize)> = Vec::new();
        for column in bits(windows.columns[task]) {
            let duration = |task: usize| instance.duration[task * instance.columns + column];
            let here = (0..instance.tasks).filter(|&own| windows.columns[own] == 1 << column);
            let (count, work) = here.fold((0, 0), |(count, work), own| (count + 1, work + duration(own)));
            let class = instance.class[column];
            if count == 0 && empty.contains(&class) {
                continue;
            }
            if count == 0 {
                empty.push(class);
            }
            let ends = windows.start_in(instance, task, column) + windows.rest_in(instance, task, column);
            columns.push((ends + duration(task), work, column));
        }
        columns.sort_unstable();
        columns.into_iter().map(|(_, _, column)| column).collect()
    }

    /// Two tasks that would overlap in their column if all started as early as they can: those with least room for an order.
    fn conflict(&self, windows: &Windows) -> Option<(usize, usize)> {
        let instance = self.instance;
        let pairs = (0..instance.tasks).flat_map(|one| (0..instance.tasks).map(move |other| (one, other)));
        let overlap = pairs.filter(|&(one, other)| {
            let end = windows.head[one] + windows.duration(instance, one);
            let overlaps = (windows.head[one]..end).contains(&windows.head[other]);
            one != other
                && overlaps
                && windows.columns[one] == windows.columns[other]
                && !windows.is_ordered(one, other)
        });
        overlap
            .max_by_key(|&(one, other)| windows.end_of(instance, one, other).min(windows.end_of(instance, other, one)))
    }

    /// Takes the schedule in which all tasks start as early as they can.
    fn record(&mut self, windows: &Windows) {
        let instance = self.instance;
        let place = |&task: &usize| {
            let column = windows.column(task);
            let finish = windows.head[task] + instance.duration[task * instance.columns + column];
            Placed { task, column, finish }
        };
        let mut placed: Vec<Placed> = instance.order.iter().map(place).collect();
        // Of those that start together, each comes after its predecessors.
        placed.sort_by_key(|own| (windows.head[own.task], own.finish));
        let end = placed.iter().map(|own| own.finish).max().unwrap_or(0);
        if end < self.best {
            self.best = end;
            self.found = Some(placed);
            self.history.push((self.nodes, end));
        }
    }
}
