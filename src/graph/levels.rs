//! Levels of a graph: how deep a task lies, how far it is from the start and from the end, and the longest way through.

use std::ops::Add;

use super::{Edge, TaskGraph};

/// A length along a path: seconds (`f64`) or simulated time. The default is zero; values have to be comparable (no NaN).
pub trait Length: Copy + Default + PartialOrd + Add<Output = Self> {}

impl<T: Copy + Default + PartialOrd + Add<Output = T>> Length for T {}

/// A longest path through a graph.
#[derive(Debug, Clone, PartialEq)]
pub struct CriticalPath<T> {
    /// Its tasks, from an entry to an exit. Empty for a graph without tasks.
    pub tasks: Vec<u32>,
    /// Its length, tasks and edges together.
    pub length: T,
}

/// The greater of two lengths.
fn longest<T: Length>(a: T, b: T) -> T {
    if b > a { b } else { a }
}

impl TaskGraph {
    /// How many edges the longest way (by their number) from an entry to each task has: entries are at depth 0.
    #[must_use]
    pub fn depths(&self) -> Vec<u32> {
        let mut depths = vec![0; self.tasks()];
        for &task in self.order() {
            let depth = self.predecessors(task).map(|edge| depths[edge.from as usize] + 1).max();
            depths[task as usize] = depth.unwrap_or(0);
        }
        depths
    }

    /// How many tasks lie on the longest way by their number: 0 without tasks.
    #[must_use]
    pub fn height(&self) -> u32 {
        self.depths().into_iter().max().map_or(0, |depth| depth + 1)
    }

    /// The most tasks of one depth. They don't wait for each other, so it is a lower bound of the largest set of independent
    /// tasks, which would take a matching to find.
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

    /// The longest way from each task's start to the end of the graph, its own length included (b-level; with mean lengths
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

    /// The longest way from the start of the graph to each task's start, its own length left out (t-level; with mean lengths
    /// HEFT's downward rank).
    #[must_use]
    pub fn top_levels<T: Length>(&self, task: impl Fn(u32) -> T, edge: impl Fn(Edge) -> T) -> Vec<T> {
        let mut levels = vec![T::default(); self.tasks()];
        for &to in self.order() {
            let above = self.predecessors(to).map(|into| levels[into.from as usize] + task(into.from) + edge(into));
            levels[to as usize] = above.fold(T::default(), longest);
        }
        levels
    }

    /// The longest path, tasks and edges together; of several the one with the lowest numbers, task by task. Its length is
    /// the parallel time on unlimited processors, each task on its own (Aguilar, section 2.1), and with edges of length
    /// zero a lower bound of any schedule.
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
            // The same sums that made the levels, so the greatest is the one that was taken there.
            let below = self.successors(current).map(|out| (out.to, edge(out) + levels[out.to as usize]));
            let best = below.reduce(|best, next| if next.1 > best.1 { next } else { best });
            at = best.map(|(next, _)| next);
        }
        CriticalPath { tasks, length }
    }
}
