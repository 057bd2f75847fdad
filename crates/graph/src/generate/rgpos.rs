//! Random graphs with a known optimum (RGPOS, after the scheduler benchmarks of Kwok and Ahmad).
//!
//! P timelines without idle time, each from 0 to T, are cut into tasks at whole instants. A task may then wait for any
//! task that has ended by its start, with a communication time of at most the gap between the two; so the cut timelines
//! are a valid schedule. All P processors are busy for all of T, so no schedule on P processors is shorter: the optimum
//! is T.
//!
//! Times are counted as operations and bytes: T is the optimum on P processors of one operation per second, joined by
//! links of one byte per second without latency or overhead. It scales with other units, as long as a byte takes no
//! longer than an operation.

use rand::RngExt;
use schemars::JsonSchema;
use serde::Deserialize;

use super::pick::distinct;
use super::sketch::Sketch;
use super::{GenerateError, Shape, at_least, fault};
use crate::TaskGraph;
use hetsim_base::engine::Stream;

/// `family = "rgpos"`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rgpos {
    /// The number of processors of the optimal schedule (P).
    #[schemars(range(min = 1))]
    pub processors: u32,
    /// The number of tasks, at least one per processor. The timelines are cut into equal numbers of tasks, give or take
    /// one.
    #[schemars(range(min = 1))]
    pub tasks: u32,
    /// The optimal makespan (T) in operations; at least the number of tasks on one timeline.
    #[schemars(range(min = 1))]
    pub makespan: u64,
    /// The most predecessors of a task. The number is uniform from 0 to this, limited by the tasks that have ended.
    pub predecessors: u32,
}

/// The position of a task in a schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placement {
    /// The processor's number.
    pub processor: u32,
    /// The start time in operations of one processor.
    pub start: u64,
    /// The end time in operations of one processor.
    pub finish: u64,
}

/// A graph with its optimal schedule.
#[derive(Debug, Clone, PartialEq)]
pub struct KnownOptimum {
    /// The graph.
    pub graph: TaskGraph,
    /// The optimal makespan, in operations of one processor.
    pub makespan: u64,
    /// An optimal schedule with one entry per task.
    pub schedule: Vec<Placement>,
}

impl Rgpos {
    /// A graph and its optimal schedule: the graph that [`Generator::generate`](super::Generator::generate) draws from
    /// the same stream.
    ///
    /// # Errors
    /// A parameter for which no graph exists, or a graph of more than 10⁸ tasks or edges.
    pub fn instance(&self, stream: &mut Stream) -> Result<KnownOptimum, GenerateError> {
        super::Generator::of(super::Family::Rgpos(self.clone())).check()?;
        let schedule = self.schedule(stream);
        let graph = self.edges(&schedule, stream).build()?;
        Ok(KnownOptimum { graph, makespan: self.makespan, schedule })
    }

    /// Cuts the timelines into tasks, numbered by start and then by processor.
    fn schedule(&self, stream: &mut Stream) -> Vec<Placement> {
        let (each, more) = (self.tasks / self.processors, self.tasks % self.processors);
        let mut schedule = Vec::with_capacity(self.tasks as usize);
        for processor in 0..self.processors {
            let cuts = u64::from(each) + u64::from(processor < more) - 1;
            let mut start = 0;
            for finish in distinct(1..self.makespan, cuts, stream).into_iter().chain([self.makespan]) {
                schedule.push(Placement { processor, start, finish });
                start = finish;
            }
        }
        schedule.sort_by_key(|placement| (placement.start, placement.processor));
        schedule
    }

    fn edges(&self, schedule: &[Placement], stream: &mut Stream) -> Sketch {
        let mut sketch = Sketch::default();
        for placement in schedule {
            sketch.task((placement.finish - placement.start) as f64);
        }
        let mut by_finish: Vec<u32> = (0..schedule.len() as u32).collect();
        by_finish.sort_by_key(|&task| (schedule[task as usize].finish, task));
        for (task, placement) in (0u32..).zip(schedule) {
            let ended = by_finish.partition_point(|&other| schedule[other as usize].finish <= placement.start);
            let count = stream.random_range(0..=u64::from(self.predecessors));
            for place in distinct(0..ended as u64, count, stream) {
                let from = by_finish[place as usize];
                let gap = placement.start - schedule[from as usize].finish;
                sketch.edge(from, task, stream.random_range(0..=gap) as f64);
            }
        }
        sketch
    }
}

impl Shape for Rgpos {
    fn check(&self) -> Result<(), GenerateError> {
        at_least("processors", self.processors, 1)?;
        if self.tasks < self.processors {
            return fault("tasks", "must be at least one per processor");
        }
        if self.makespan < u64::from(self.tasks.div_ceil(self.processors)) {
            return fault("makespan", "is too short: each task takes at least one operation");
        }
        // Work is a float, and floats are exact for integers up to here.
        if self.makespan > 1 << 53 {
            return fault("makespan", "must be at most 2^53");
        }
        Ok(())
    }

    fn size(&self) -> (f64, f64) {
        let tasks = f64::from(self.tasks);
        (tasks, tasks * f64::from(self.predecessors).min(tasks))
    }

    fn sketch(&self, stream: &mut Stream) -> Sketch {
        let schedule = self.schedule(stream);
        self.edges(&schedule, stream)
    }
}
