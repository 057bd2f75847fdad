//! What is decided before a run: the processor of each task, and the order on each processor.

use super::instance::Instance;
use crate::RunFailure;
use hetsim_base::engine::Streams;
use hetsim_base::units::Time;
use hetsim_cluster::NodeId;
use hetsim_schedule::{Options, Order, Schedule, Scheduler, rank};

/// Where each task runs, after which others, and when all should be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    processor: Vec<u32>,
    order: Order,
    predicted: Time,
}

impl Plan {
    /// What a schedule says, without its times.
    #[must_use]
    pub fn of(schedule: &Schedule, instance: &Instance<'_>) -> Self {
        let order = schedule.order(instance.graph, instance.processors());
        Self { processor: schedule.mapping().to_vec(), order, predicted: schedule.makespan() }
    }

    /// The processor of a task.
    #[must_use]
    #[inline]
    pub fn processor(&self, task: u32) -> u32 {
        self.processor[task as usize]
    }

    /// The tasks of a processor, the first first.
    #[must_use]
    #[inline]
    pub fn tasks(&self, processor: u32) -> &[u32] {
        self.order.tasks(processor)
    }

    /// The makespan if nothing is in the way of anything.
    #[must_use]
    pub const fn predicted(&self) -> Time {
        self.predicted
    }
}

/// The schedule by a scheduler.
///
/// # Errors
/// A sentence, where there can be no tables of costs.
pub fn by_scheduler(
    instance: &Instance<'_>,
    scheduler: Scheduler,
    insertion: Option<bool>,
    streams: Streams,
) -> Result<Schedule, RunFailure> {
    let costs = instance.costs()?;
    scheduler.schedule(instance.graph, &costs, &Options { insertion, streams }).map_err(RunFailure::of)
}

/// The schedule of a given mapping. Each processor runs its tasks by falling bottom level (the longest path from the
/// start of a task to the end of the graph, with the times of this mapping), each as soon as it can. Every task comes
/// after all its predecessors, so no two processors wait for each other.
///
/// # Errors
/// A sentence, where the mapping is not of this graph and platform, or the schedule outlasts a run.
pub fn by_mapping(instance: &Instance<'_>, mapping: &[u32]) -> Result<Schedule, RunFailure> {
    let graph = instance.graph;
    check_mapping(mapping, graph.tasks(), instance.processors())?;
    let node = |task: u32| -> NodeId { instance.nodes()[mapping[task as usize] as usize] };
    let levels = graph.bottom_levels(
        |task| instance.duration(task, node(task)),
        |edge| instance.transfer(edge.bytes, node(edge.from), node(edge.to)),
    );
    let order = rank::falling_by(graph, &levels, Time::as_f64);
    let mut free = vec![Time::ZERO; instance.processors() as usize];
    let (mut start, mut finish) = (vec![Time::ZERO; graph.tasks()], vec![Time::ZERO; graph.tasks()]);
    for task in order {
        let free = &mut free[mapping[task as usize] as usize];
        let arrival = |edge: hetsim_graph::Edge| {
            finish[edge.from as usize] + instance.transfer(edge.bytes, node(edge.from), node(task))
        };
        let ready = graph.predecessors(task).map(arrival).max().unwrap_or_default();
        start[task as usize] = ready.max(*free);
        *free = start[task as usize] + instance.duration(task, node(task));
        finish[task as usize] = *free;
    }
    let schedule = Schedule::new(mapping.to_vec(), start, finish).ok_or("the mapping is not of this graph")?;
    if schedule.makespan() == Time::NEVER {
        return Err("the schedule outlasts what a run can simulate; take a coarser tick".into());
    }
    Ok(schedule)
}

/// Says what is wrong with a mapping.
///
/// # Errors
/// A sentence, where it is of other tasks, or names a processor that does not exist.
pub(super) fn check_mapping(mapping: &[u32], tasks: usize, processors: u32) -> Result<(), RunFailure> {
    if mapping.len() != tasks {
        return Err(
            format!("the mapping names the processors of {} tasks, and the graph has {tasks}", mapping.len()).into()
        );
    }
    match mapping.iter().position(|&processor| processor >= processors) {
        Some(task) => Err(format!(
            "the mapping puts task number {task} on processor {}; there are {processors}, numbered from 0",
            mapping[task]
        )
        .into()),
        None => Ok(()),
    }
}
