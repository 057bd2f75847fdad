//! Independent tasks: a loop without dependencies, dealt to unequal workers by a [farm].

use schemars::JsonSchema;
use serde::Deserialize;

use super::demand::check_outages;
use super::farm::{self, Cost, FarmMetrics, TaskSource, Tasks};
use super::share;
use super::{Demand, Files, KeyError, Prepared, Run, RunFailure, Workload};
use hetsim_base::engine::Streams;
use hetsim_base::record::TableShape;
use hetsim_base::units::Time;
use hetsim_base::units::defaults::count;
use hetsim_cluster::{NodeId, Platform};

/// `kind = "independent"`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IndependentParameters {
    /// The number of tasks in a round.
    #[schemars(range(min = 1))]
    pub tasks: u32,
    /// The number of rounds, one after the other; between them all workers wait for the last result.
    #[serde(default = "count::<1>")]
    #[schemars(range(min = 1))]
    pub rounds: u32,
    /// The cost of a task.
    pub task: Cost,
    /// How the tasks are handed out.
    #[serde(default)]
    pub farm: farm::FarmParameters,
}

hetsim_base::metrics! {
    /// The metrics of a loop, besides those of its farm.
    pub struct IndependentMetrics {
        completion_s: f64 = "when the server had the last result, simulated" [less],
    }
}

/// A loop, ready to run any number of times.
#[derive(Debug)]
pub struct PreparedIndependent {
    parameters: IndependentParameters,
}

impl Workload for IndependentParameters {
    const NAME: &'static str = "independent";
    const ABOUT: &'static str = "Independent tasks, handed out to unequal workers.";
    const TABLES: &'static [TableShape] = &[share::NODES];
    type Prepared = PreparedIndependent;

    fn read_files(&mut self, files: &mut dyn Files) -> Result<(), KeyError> {
        self.task.read_file(files)
    }

    fn unused(&self) -> Vec<&'static str> {
        self.farm.unused()
    }

    fn server(&self) -> Option<NodeId> {
        Some(NodeId(self.farm.server))
    }

    fn prepare(&self, platform: &Platform) -> Result<Self::Prepared, KeyError> {
        KeyError::at_least_one(&[("tasks", self.tasks), ("rounds", self.rounds)])?;
        farm::check_tasks("tasks", self.tasks, self.rounds)?;
        self.task.check()?;
        self.farm.check(&self.task, platform)?;
        let tasks = f64::from(self.tasks) * f64::from(self.rounds);
        check_outages("tasks", platform, || self.farm.demand(tasks, &self.task, platform).ideal_s())?;
        Ok(PreparedIndependent { parameters: self.clone() })
    }
}

impl Prepared for PreparedIndependent {
    type Metrics = (IndependentMetrics, FarmMetrics);

    fn run(&self, run: &mut Run<'_>) -> Result<Self::Metrics, RunFailure> {
        let IndependentParameters { tasks, rounds, task, farm } = &self.parameters;
        let source = Loop { tasks: *tasks, rounds_left: *rounds, costs: Tasks::new(task, run.streams)? };
        let (outcome, _) = farm.run(source, task, run)?;
        let farm = outcome.metrics(run);
        Ok((IndependentMetrics { completion_s: run.seconds(outcome.completion) }, farm))
    }

    fn demand(&self, platform: &Platform, _: Streams) -> Result<Option<Demand>, RunFailure> {
        let IndependentParameters { tasks, rounds, task, farm } = &self.parameters;
        Ok(Some(farm.demand(f64::from(*tasks) * f64::from(*rounds), task, platform)))
    }

    fn warning(&self, platform: &Platform) -> Option<String> {
        let IndependentParameters { tasks, task, farm, .. } = &self.parameters;
        farm.warning(*tasks, task, platform)
    }

    fn task(&self) -> Option<(f64, f64)> {
        Some(self.parameters.task.moments())
    }

    fn expected_events(&self, platform: &Platform) -> Option<f64> {
        let IndependentParameters { tasks, rounds, task, farm } = &self.parameters;
        Some(farm.expected_events(*tasks, *rounds, task, platform))
    }
}

/// Rounds of tasks whose results are not looked at.
#[derive(Debug)]
struct Loop<'a> {
    tasks: u32,
    rounds_left: u32,
    costs: Tasks<'a>,
}

impl TaskSource for Loop<'_> {
    fn tasks(&self) -> u32 {
        self.tasks
    }

    #[inline]
    fn operations(&self, task: u32) -> f64 {
        self.costs.operations(task)
    }

    fn total(&self, tasks: u32) -> f64 {
        self.costs.total(tasks)
    }

    #[inline]
    fn result(&mut self, _: u32) {}

    fn end_round(&mut self, _: Time) -> bool {
        self.rounds_left -= 1;
        self.rounds_left > 0
    }

    fn between(&self) -> f64 {
        0.0
    }
}
