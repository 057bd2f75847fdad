//! Levels of a graph: depths, top and bottom levels, and the critical path.

use std::ops::Add;

use super::{Edge, TaskGraph};

/// A length along a path: seconds (`f64`) or simulated time. The default is zero; values must be comparable (no NaN).
pub trait Length: Copy + Default + PartialOrd + Add<Output = Self> {}

impl<T: Copy + Default + PartialOrd + Add<Output = T>> Length for T {}

/// A longest path through a graph.
#[derive(Debug, Clone, PartialEq)]
pub struct CriticalPath<T> {
    /// The tasks from an entry to an exit; empty for a graph without tasks.
    pub tasks: Vec<u32>,
    /// The total length of its tasks and edges.
    pub length: T,
}

/// The greater of two lengths.
fn longest<T: Length>(a: T, b: T) -> T {
    if b > a { b } else { a }
}

impl TaskGraph {
    /// The largest number of edges on any path from an entry to each task; an entry has depth 0.
    #[must_use]
    pub fn depths(&self) -> Vec<u32> {
        let mut depths = vec![0; self.tasks()];
        for &task in self.order() {
            let depth = self.predecessors(task).map(|edge| depths[edge.from as usize] + 1).max();
            depths[task as usize] = depth.unwrap_or(0);
        }
        depths
    }

    /// The number of tasks on the path with the most tasks; 0 for an empty graph.
    #[must_use]
    pub fn height(&self) -> u32 {
        self.depths().into_iter().max().map_or(0, |depth| depth + 1)
    }

    /// The largest number of tasks with the same depth. Such tasks are independent, so this is a lower bound of the
    /// largest set of independent tasks, which would take a matching to find.
    #[must_use]
    pub fn width(&self) -> u32 {
        let mut counts = Vec::new();
        for depth in self.depths() {
            let depth = depth as usize;
            if counts.len() <= depth {
                counts.resize(depth + 1, 0);
            }
            counts[depth] += 1;
        }
        counts.into_iter().max().unwrap_or(0)
    }

    /// The longest path from each task's start to the end of the graph, including the task (b-level; with mean lengths,
    /// HEFT's upward rank).
    #[must_use]
    pub fn bottom_levels<T: Length>(&self, task: impl Fn(u32) -> T, edge: impl Fn(Edge) -> T) -> Vec<T> {
        let mut levels = vec![T::default(); self.tasks()];
        for &from in self.order().iter().rev() {
            let below = self.successors(from).map(|out| edge(out) + levels[out.to as usize]);
            levels[from as usize] = task(from) + below.fold(T::default(), longest);
        }
        levels
    }

    /// The longest path from the start of the graph to each task's start, excluding the task (t-level; with mean
    /// lengths, HEFT's downward rank).
    #[must_use]
    pub fn top_levels<T: Length>(&self, task: impl Fn(u32) -> T, edge: impl Fn(Edge) -> T) -> Vec<T> {
        let mut levels = vec![T::default(); self.tasks()];
        for &to in self.order() {
            let above = self.predecessors(to).map(|into| levels[into.from as usize] + task(into.from) + edge(into));
            levels[to as usize] = above.fold(T::default(), longest);
        }
        levels
    }

    /// The longest path by the total length of tasks and edges; of equal paths, the one with the lowest task numbers in
    /// order. Its length is the parallel time on unlimited processors with each task on its own (Aguilar, section 2.1).
    /// With edges of length zero it is a lower bound of any schedule.
    #[must_use]
    pub fn critical_path<T: Length>(&self, task: impl Fn(u32) -> T, edge: impl Fn(Edge) -> T) -> CriticalPath<T> {
        let levels = self.bottom_levels(&task, &edge);
        let first = |best: Option<u32>, next: u32| match best {
            Some(best) if levels[best as usize] >= levels[next as usize] => Some(best),
            _ => Some(next),
        };
        let mut at = self.entries().fold(None, first);
        let length = at.map_or_else(T::default, |entry| levels[entry as usize]);
        let mut tasks = Vec::new();
        while let Some(current) = at {
            tasks.push(current);
            // These are the same sums as in the levels, so the maximum is exactly the one chosen there.
            let below = self.successors(current).map(|out| (out.to, edge(out) + levels[out.to as usize]));
            let best = below.reduce(|best, next| if next.1 > best.1 { next } else { best });
            at = best.map(|(next, _)| next);
        }
        CriticalPath { tasks, length }
    }
}
