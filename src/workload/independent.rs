//! Independent tasks: a loop without dependencies, dealt to unequal workers by a [farm].

use schemars::JsonSchema;
use serde::Deserialize;

use super::KeyError;
use super::farm::{self, Cost, Outcome, TaskSource, Tasks};
use crate::cluster::{Observer, Platform, Timeline};
use crate::engine::Streams;
use crate::record::{Metric, Record};
use crate::units::Time;

/// `kind = "independent"`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Parameters {
    /// How many tasks a round has.
    #[schemars(range(min = 1))]
    pub tasks: u32,
    /// How many rounds there are, one after the other; between them everyone waits for the last result.
    #[serde(default = "one")]
    #[schemars(range(min = 1))]
    pub rounds: u32,
    /// What a task costs.
    pub task: Cost,
    /// How the tasks are handed out.
    #[serde(default)]
    pub farm: farm::Parameters,
}

const fn one() -> u32 {
    1
}

pub use farm::TABLES;

/// The metrics of a run besides those that all workloads have.
pub const METRICS: &[&[Metric]] =
    &[&[Metric::number("completion_s", "when the server had the last result, simulated").less()], farm::METRICS];

/// A loop, ready to run any number of times.
#[derive(Debug)]
pub struct Prepared {
    parameters: Parameters,
}

impl Parameters {
    /// Checks the keys against each other and the platform.
    ///
    /// # Errors
    /// The key that is wrong, and why.
    pub fn prepare(&self, platform: &Platform) -> Result<Prepared, KeyError> {
        if self.tasks == 0 || self.rounds == 0 {
            let key = if self.tasks == 0 { "tasks" } else { "rounds" };
            return Err(KeyError { key: key.to_owned(), message: format!("`{key}` must be at least 1") });
        }
        farm::check_tasks("tasks", self.tasks, self.rounds)?;
        self.task.check()?;
        self.farm.check(platform)?;
        Ok(Prepared { parameters: self.clone() })
    }
}

impl Prepared {
    /// Runs the loop.
    ///
    /// # Errors
    /// A sentence that says why the run failed.
    pub fn run(&self, platform: &Platform, streams: Streams, tables: &[String]) -> Result<Record, String> {
        let outcome = self.execute(platform, streams, ())?;
        let mut record = Record::default();
        record.metric("completion_s", platform.tick().seconds(outcome.completion));
        outcome.write(&mut record);
        outcome.write_performance(platform, &mut record, tables);
        if tables.iter().any(|table| table == "nodes") {
            record.tables.push(farm::nodes_table(&outcome, platform));
        }
        Ok(record)
    }

    /// Runs the loop and notes everything that happens.
    ///
    /// # Errors
    /// A sentence that says why the run failed.
    pub fn trace(&self, platform: &Platform, streams: Streams) -> Result<Timeline, String> {
        self.execute(platform, streams, Timeline::default()).map(|outcome| outcome.observer)
    }

    fn execute<O: Observer>(&self, platform: &Platform, streams: Streams, observer: O) -> Result<Outcome<O>, String> {
        let Parameters { tasks, rounds, task, farm } = &self.parameters;
        let (mean, deviation) = task.moments();
        let bag = Loop { tasks: *tasks, rounds_left: *rounds, costs: Tasks::new(task, streams)? };
        farm.run(bag, deviation / mean, platform, streams, observer).map(|(outcome, _)| outcome)
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
