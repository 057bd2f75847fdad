//! The durations of tasks and messages on given processors and links, as tables of ticks.

use std::iter::Sum;
use std::ops::Mul;

use thiserror::Error;

use super::Layout;
use hetsim_base::units::{Tick, Time, round_up};
use hetsim_graph::{CostMatrix, Edge, Length, TaskGraph};

/// The most entries of a table. It turns a mistyped parameter into an error instead of a full memory.
const MOST: u128 = 1 << 32;

/// The reason why costs cannot be computed.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[non_exhaustive]
pub enum CostError {
    /// There is no processor.
    #[error("there must be at least one processor")]
    NoProcessors,
    /// The speed of a processor is invalid.
    #[error("processor {processor} has speed {value}; it must be above 0, and finite")]
    BadSpeed {
        /// The processor's number.
        processor: usize,
        /// The rejected speed.
        value: f64,
    },
    /// The costs belong to another graph.
    #[error("the costs are for {priced_tasks} tasks and {priced_edges} edges; the graph has {tasks} and {edges}")]
    OtherGraph {
        /// The number of tasks with costs.
        priced_tasks: usize,
        /// The number of edges with costs.
        priced_edges: usize,
        /// The number of tasks in the graph.
        tasks: usize,
        /// The number of edges in the graph.
        edges: usize,
    },
    /// The cost matrix and the graph have different numbers of tasks.
    #[error("the cost matrix has {rows} rows and the graph has {tasks} tasks")]
    MatrixRows {
        /// The number of matrix rows.
        rows: usize,
        /// The number of tasks in the graph.
        tasks: usize,
    },
    /// A table exceeds 2³² entries.
    #[error("{rows} {what} with {columns} different costs each are too many for a table")]
    TooLarge {
        /// The meaning of the rows.
        what: &'static str,
        /// The number of rows.
        rows: usize,
        /// The number of columns.
        columns: usize,
    },
    /// A schedule might last longer than a run can simulate.
    #[error("all tasks and messages in sequence take longer than a run can simulate; choose a coarser tick")]
    Outgrown,
}

/// The duration of each task on each processor and of each edge's message between each pair of processors, in ticks.
///
/// Durations come from the caller and are never computed a second way here, so that a prediction matches its
/// simulation. A table takes 8 bytes per task and kind of processor, and 8 per edge and kind of link. A message within
/// a processor takes no time.
#[derive(Debug, Clone, PartialEq)]
pub struct Costs {
    layout: Layout,
    /// The duration of each task on each kind of processor, row by row.
    durations: Vec<Time>,
    /// The duration of each edge's message on each kind of link, row by row.
    transfers: Vec<Time>,
    edges: usize,
    /// The longest durations of all tasks and messages in sequence.
    longest: Time,
}

impl Costs {
    /// The costs of a graph on the processors of a layout. `duration` is called for each task on the first processor of
    /// each kind, `transfer` for each edge on the first pair that each kind of link joins.
    ///
    /// # Errors
    /// [`CostError::NoProcessors`], [`CostError::TooLarge`], or [`CostError::Outgrown`] if the longest durations and
    /// messages add up to more than half of the range of [`Time`]. Below that, no sum in a schedule saturates.
    pub fn new(
        graph: &TaskGraph,
        layout: Layout,
        duration: impl Fn(u32, u32) -> Time,
        transfer: impl Fn(Edge, u32, u32) -> Time,
    ) -> Result<Self, CostError> {
        if layout.kinds.is_empty() {
            return Err(CostError::NoProcessors);
        }
        let table = |what, rows: usize, columns: usize| {
            let fits = rows as u128 * columns as u128 <= MOST;
            if fits { Ok(Vec::with_capacity(rows * columns)) } else { Err(CostError::TooLarge { what, rows, columns }) }
        };
        let mut longest = Time::ZERO;
        let mut durations = table("tasks", graph.tasks(), layout.examples.len())?;
        for task in graph.ids() {
            let mut most = Time::ZERO;
            for &processor in &layout.examples {
                let time = duration(task, processor);
                most = most.max(time);
                durations.push(time);
            }
            longest += most;
        }
        let mut transfers = table("edges", graph.edge_count(), layout.link_examples.len())?;
        for edge in graph.edges() {
            let mut most = Time::ZERO;
            for &(from, to) in &layout.link_examples {
                let time = transfer(edge, from, to);
                most = most.max(time);
                transfers.push(time);
            }
            longest += most;
        }
        if longest.0 > u64::MAX / 2 {
            return Err(CostError::Outgrown);
        }
        Ok(Self { layout, durations, transfers, edges: graph.edge_count(), longest })
    }

    /// Equal processors and equal links: `duration` takes a task, `transfer` a number of bytes.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn identical(
        graph: &TaskGraph,
        processors: u32,
        duration: impl Fn(u32) -> Time,
        transfer: impl Fn(u64) -> Time,
    ) -> Result<Self, CostError> {
        Self::new(graph, Layout::identical(processors), |task, _| duration(task), |edge, _, _| transfer(edge.bytes))
    }

    /// Processors of different speeds (operations per second) and equal links. A duration is rounded up to a tick once.
    ///
    /// # Errors
    /// As [`Self::new`]; also [`CostError::BadSpeed`].
    pub fn related(
        graph: &TaskGraph,
        speeds: &[f64],
        tick: Tick,
        transfer: impl Fn(u64) -> Time,
    ) -> Result<Self, CostError> {
        if let Some(processor) = speeds.iter().position(|&speed| !(speed.is_finite() && speed > 0.0)) {
            return Err(CostError::BadSpeed { processor, value: speeds[processor] });
        }
        // As in a simulation: operations divided by operations per tick.
        let per_tick = |processor: u32| speeds[processor as usize] / tick.per_second();
        let layout = Layout::by_kind(speeds.len() as u32, |processor| speeds[processor as usize].to_bits());
        let duration = |task, processor| round_up(graph.operations(task) / per_tick(processor));
        Self::new(graph, layout, duration, |edge, _, _| transfer(edge.bytes))
    }

    /// Unrelated processors, with a time for each task on each of them, and equal links.
    ///
    /// # Errors
    /// As [`Self::new`]; also [`CostError::MatrixRows`].
    pub fn unrelated(
        graph: &TaskGraph,
        seconds: &CostMatrix,
        tick: Tick,
        transfer: impl Fn(u64) -> Time,
    ) -> Result<Self, CostError> {
        let (rows, tasks) = (seconds.tasks(), graph.tasks());
        if rows != tasks {
            return Err(CostError::MatrixRows { rows, tasks });
        }
        let layout = Layout::by_kind(seconds.processors(), |processor| processor);
        let duration = |task, processor| tick.time(seconds.seconds(task, processor));
        Self::new(graph, layout, duration, |edge, _, _| transfer(edge.bytes))
    }

    /// The number of processors, at least 1.
    #[must_use]
    #[inline]
    pub fn processors(&self) -> u32 {
        self.layout.kinds.len() as u32
    }

    /// The number of tasks.
    #[must_use]
    pub fn tasks(&self) -> usize {
        self.durations.len() / self.layout.examples.len()
    }

    /// Checks that the costs fit a graph: the numbers of tasks and edges must be equal.
    ///
    /// # Errors
    /// [`CostError::OtherGraph`].
    pub fn fit(&self, graph: &TaskGraph) -> Result<(), CostError> {
        let (priced_tasks, priced_edges) = (self.tasks(), self.edges);
        let (tasks, edges) = (graph.tasks(), graph.edge_count());
        let fits = priced_tasks == tasks && priced_edges == edges;
        if fits { Ok(()) } else { Err(CostError::OtherGraph { priced_tasks, priced_edges, tasks, edges }) }
    }

    /// The duration of a task on a processor.
    #[must_use]
    #[inline]
    pub fn duration(&self, task: u32, processor: u32) -> Time {
        self.row(task)[self.layout.kinds[processor as usize] as usize]
    }

    /// The duration of an edge's message between any two processors. `None` if the links differ or there is only one
    /// processor.
    #[must_use]
    #[inline]
    pub fn uniform_transfer(&self, edge: u32) -> Option<Time> {
        if self.layout.links.is_empty() { self.transfers.get(edge as usize).copied() } else { None }
    }

    /// The duration of an edge's message from one processor to another; zero within one.
    #[must_use]
    #[inline]
    pub fn transfer(&self, edge: u32, from: u32, to: u32) -> Time {
        if from == to {
            return Time::ZERO;
        }
        if self.layout.links.is_empty() {
            return self.transfers[edge as usize];
        }
        let kind = self.layout.links[from as usize * self.layout.kinds.len() + to as usize];
        self.transfers[edge as usize * self.layout.link_examples.len() + kind as usize]
    }

    /// The duration of each edge's message between different processors, if all links are equal.
    #[inline]
    pub(super) fn uniform(&self) -> Option<&[Time]> {
        (self.layout.link_examples.len() == 1).then_some(&self.transfers)
    }

    /// A task's duration on each kind of processor.
    #[inline]
    pub(super) fn row(&self, task: u32) -> &[Time] {
        let columns = self.layout.examples.len();
        &self.durations[task as usize * columns..(task as usize + 1) * columns]
    }

    /// The kind of each processor, which is its column in [`Self::row`].
    #[inline]
    pub(super) fn kinds(&self) -> &[u32] {
        &self.layout.kinds
    }

    /// A task's mean duration over the processors, in ticks (w̄ of HEFT).
    #[must_use]
    pub fn mean_duration(&self, task: u32) -> f64 {
        let means = self.means();
        means.task::<u128>(task) as f64 / means.divisor
    }

    /// The mean duration of an edge's message over all ordered pairs of different processors, in ticks (c̄ of HEFT,
    /// with the mean of times instead of the mean latency and mean bandwidth). Zero for a single processor.
    #[must_use]
    pub fn mean_transfer(&self, edge: u32) -> f64 {
        let means = self.means();
        means.edge::<u128>(edge) as f64 / means.divisor
    }

    /// Mean costs as integers.
    #[inline]
    pub(super) fn means(&self) -> Means<'_> {
        let processors = u64::from(self.processors());
        let per_task = match &self.layout.link_counts[..] {
            [] | [_] => 1,
            counts => counts.iter().sum(),
        };
        let divisor = u128::from(processors) * u128::from(per_task);
        let most = u128::from(self.longest.0) * divisor;
        Means { costs: self, per_task, processors, divisor: divisor as f64, most }
    }

    /// A task's shortest duration on any processor.
    #[must_use]
    #[inline]
    pub fn shortest(&self, task: u32) -> Time {
        self.row(task).iter().copied().min().unwrap_or_default()
    }
}

/// Integers in which mean costs are summed.
pub(super) trait Integer: Length + From<u64> + Mul<Output = Self> + Sum {}

impl<T: Length + From<u64> + Mul<Output = T> + Sum> Integer for T {}

/// Mean costs of tasks and edges, all multiplied by the same divisor so that they are integers. They and the path
/// lengths made of them fit into 64 bits if `most` does.
#[derive(Debug, Clone, Copy)]
pub(super) struct Means<'a> {
    costs: &'a Costs,
    /// The multiplier of a sum over processors: the number of pairs in a sum over links.
    per_task: u64,
    processors: u64,
    /// The number of processors, times the number of pairs if links differ.
    pub(super) divisor: f64,
    /// An upper bound of the length of any path through the graph.
    pub(super) most: u128,
}

impl Means<'_> {
    /// A task's mean duration times the divisor.
    #[inline]
    pub(super) fn task<T: Integer>(&self, task: u32) -> T {
        let counts = self.costs.layout.counts.iter().map(|&count| u64::from(count));
        weighted::<T>(self.costs.row(task), counts) * T::from(self.per_task)
    }

    /// The mean duration of an edge's message times the divisor.
    #[inline]
    pub(super) fn edge<T: Integer>(&self, edge: u32) -> T {
        let (edge, counts) = (edge as usize, &self.costs.layout.link_counts);
        let sum = match counts.len() {
            0 => T::default(),
            1 => T::from(self.costs.transfers[edge].0),
            columns => weighted(&self.costs.transfers[edge * columns..(edge + 1) * columns], counts.iter().copied()),
        };
        sum * T::from(self.processors)
    }
}

/// The sum of times weighted by their counts.
#[inline]
fn weighted<T: Integer>(times: &[Time], counts: impl Iterator<Item = u64>) -> T {
    times.iter().zip(counts).map(|(time, count)| T::from(time.0) * T::from(count)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::graph;

    fn pair() -> TaskGraph {
        graph(&[6.0, 10.0], &[(0, 1, 5)])
    }

    fn seconds() -> Tick {
        Tick::new(1_000_000_000_000).unwrap()
    }

    #[test]
    fn related_speeds_divide_the_work_and_round_up() {
        let costs = Costs::related(&pair(), &[1.0, 4.0, 4.0], seconds(), Time).unwrap();
        assert_eq!([0, 1, 2].map(|processor| costs.duration(0, processor)), [Time(6), Time(2), Time(2)]);
        assert_eq!(costs.mean_duration(1), (10.0 + 3.0 + 3.0) / 3.0);
        assert_eq!(costs.shortest(1), Time(3));
        assert_eq!((costs.transfer(0, 0, 1), costs.transfer(0, 1, 1)), (Time(5), Time::ZERO));
        let error = Costs::related(&pair(), &[1.0, -4.0], seconds(), Time).unwrap_err();
        assert_eq!(error.to_string(), "processor 1 has speed -4; it must be above 0, and finite");
        assert_eq!(Costs::related(&pair(), &[], seconds(), Time), Err(CostError::NoProcessors));
    }

    #[test]
    fn links_of_sites_share_columns() {
        // Processors 0 and 1 form one site, 2 and 3 another; a message between the sites takes ten times as long.
        let site = |processor: u32| processor / 2;
        let layout = Layout::new(4, |_| (), |from, to| site(from) == site(to));
        let transfer = |edge: Edge, from, to| Time(edge.bytes * if site(from) == site(to) { 1 } else { 10 });
        let costs = Costs::new(&pair(), layout, |task, _| Time(u64::from(task) + 1), transfer).unwrap();
        assert_eq!(costs.transfers.len(), 2);
        assert_eq!([1, 2, 3].map(|to| costs.transfer(0, 0, to)), [Time(5), Time(50), Time(50)]);
        // Of 12 ordered pairs, 4 are near and 8 far.
        assert_eq!(costs.mean_transfer(0), (4.0 * 5.0 + 8.0 * 50.0) / 12.0);
        assert_eq!(costs.uniform(), None);
        let alone = Costs::identical(&pair(), 1, |_| Time(1), Time).unwrap();
        assert_eq!(alone.mean_transfer(0), 0.0);
    }

    #[test]
    fn what_may_outgrow_time_is_refused() {
        let error = Costs::identical(&pair(), 2, |_| Time(u64::MAX / 4), |_| Time(3)).unwrap_err();
        assert_eq!(error, CostError::Outgrown);
        let matrix = CostMatrix::new(2, vec![1.0; 6]).unwrap();
        let error = Costs::unrelated(&pair(), &matrix, seconds(), Time).unwrap_err();
        assert_eq!(error, CostError::MatrixRows { rows: 3, tasks: 2 });
    }
}
