//! A graph that is carried out by a plan, or by what decides during the run.

use super::PreparedTaskgraph;
use super::arrivals::{JOBS, JobBook};
use super::book::{Booked, Computed};
use super::decide::Decider;
use super::dynamic::{Dynamic, FirstComeProgram, OnlineProgram, RecordedProgram, Setup, StealingProgram};
use super::instance::Instance;
use super::plan::Plan;
use super::replay::Replay;
use super::shared::SharedProgram;
use super::system::System;
use crate::share::Share;
use crate::{Run, RunFailure};
use hetsim_base::record::{Metric, TableShape, Value};
use hetsim_base::units::Time;
use hetsim_cluster::{NodeId, Platform, Program, Sharing};
use hetsim_graph::TaskGraph;

/// A row a task.
pub(super) const TASKS: TableShape = TableShape {
    name: "tasks",
    about: "where and when each task ran",
    columns: &[
        Metric::number("task", "the task's number"),
        Metric::name("name", "its name in the file; blank where it has none"),
        Metric::number("node", "the node that computed it"),
        Metric::number("start_s", "when it started"),
        Metric::number("finish_s", "when it ended"),
    ],
};

impl PreparedTaskgraph {
    /// The task system of a run, if the tasks pass one.
    fn system(&self, instance: &Instance<'_>) -> Option<System> {
        self.parameters.system.as_ref().map(|parameters| System::new(parameters, instance))
    }

    /// Simulates the graph by its plan, or by what decides during the run.
    pub(super) fn carry_out(
        &self,
        instance: &Instance<'_>,
        plan: Option<&Plan>,
        run: &mut Run<'_>,
    ) -> Result<Ended, RunFailure> {
        if let Some(plan) = plan {
            if instance.platform.sharing() == Sharing::Processor {
                return carry_out(SharedProgram::new(instance, plan), instance, run);
            }
            return carry_out(Replay::new(instance, plan).through(self.system(instance)), instance, run);
        }
        let setup = Setup {
            instance,
            streams: run.streams,
            job_order: self.parameters.job_order,
            signal_size: self.parameters.signal_size,
        };
        match &self.decider {
            Decider::Dynamic(Dynamic::WorkStealing) => carry_out(StealingProgram::new(&setup), instance, run),
            Decider::Dynamic(Dynamic::Online) => {
                carry_out(OnlineProgram::new(&setup)?.through(self.system(instance)), instance, run)
            }
            Decider::Dynamic(Dynamic::FirstCome) => {
                carry_out(FirstComeProgram::new(&setup).through(self.system(instance)), instance, run)
            }
            Decider::Dynamic(Dynamic::Recorded) => {
                carry_out(RecordedProgram::new(&setup)?.through(self.system(instance)), instance, run)
            }
            Decider::Mapping(_) | Decider::Scheduler(_) | Decider::Search(_) => Err("there is no plan".into()),
        }
    }
}

/// A graph that was carried out.
pub(super) struct Ended {
    pub(super) completion: Time,
    pub(super) moved: u128,
    /// The runs of tasks that failed, if any could.
    pub(super) failed: Option<u64>,
    /// When each job ended, where jobs arrive.
    pub(super) jobs: Option<JobBook>,
    /// Where each task ran, and from when to when; empty unless they are wanted.
    pub(super) times: Vec<(NodeId, Time, Time)>,
    pub(super) shares: Vec<Share>,
}

/// Simulates a program to its end.
fn carry_out<P: Program + Booked>(
    mut program: P,
    instance: &Instance<'_>,
    run: &mut Run<'_>,
) -> Result<Ended, RunFailure> {
    let platform = instance.platform;
    let spans = run.is_traced() || run.wants(&TASKS) || run.wants(&JOBS);
    let mut computed = Computed::default();
    let end = run.simulate_observed(&mut program, spans.then_some(&mut computed))?;
    let (book, tasks) = (program.book(), instance.graph.tasks());
    if book.ended() < tasks {
        let left = tasks - book.ended();
        return Err(format!("{left} of {tasks} tasks never ended: a node stays without any speed").into());
    }
    let completion = end.completion.ok_or("no node came to its end")?;
    // A task takes one core.
    let share = |node: u32| {
        let processors = platform.cores(NodeId(node));
        let share = Share::of(NodeId(node), &end.usage, platform);
        let busy_s = program.busy(NodeId(node)).map_or(share.busy_s, |busy| platform.tick().seconds(busy));
        Share { busy_s, processors, ..share }
    };
    let shares = (0..platform.nodes()).map(share).collect();
    let times = if spans { book.times(&computed.0, platform.nodes()) } else { Vec::new() };
    let (moved, failed, jobs) = (book.moved(), book.failed(), book.jobs().cloned());
    Ok(Ended { completion, moved, failed, jobs, times, shares })
}

/// The rows of `tasks`, in the order of their numbers.
pub(super) fn rows(graph: &TaskGraph, times: &[(NodeId, Time, Time)], platform: &Platform) -> Vec<Vec<Value>> {
    let row = |(task, &(node, start, finish)): (u32, &(NodeId, Time, Time))| {
        vec![
            u64::from(task).into(),
            graph.name(task).map_or(Value::Blank, Value::from),
            u64::from(node.0).into(),
            platform.tick().seconds(start).into(),
            platform.tick().seconds(finish).into(),
        ]
    };
    (0..).zip(times).map(row).collect()
}
