//! Workloads: programs for the simulated machine, each with its parameters beside it.
//!
//! A workload's folder holds the serde types of its keys, what it makes of them on a platform, and the program itself.
//! It knows neither TOML nor files nor charts; one line in the registry of `scenario` names it.

pub mod adaptive;
pub mod advise;
pub mod broadcast;
pub mod call;
pub mod collective;
pub mod communication;
pub mod critical;
pub mod demand;
pub mod evolution;
pub mod farm;
pub mod farm_advice;
pub mod fit;
pub mod fitted;
pub mod footprint;
pub mod genetic;
pub mod graph_advice;
pub mod hpl;
pub mod hpl_advice;
pub mod independent;
pub mod island;
pub mod machines;
pub mod measure;
pub mod metrics;
pub mod phases;
pub mod ranks;
pub mod replay;
mod rhythm;
pub mod run;
pub mod share;
pub mod task_setting;
pub mod taskgraph;
pub mod traffic;

use std::fmt;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;

pub use demand::Demand;
use hetsim_base::engine::Streams;
use hetsim_base::record::{Metrics, Record, TableShape};
use hetsim_base::units::memory;
use hetsim_cluster::{NodeId, Platform, RunError, Timeline};
use hetsim_fit::runtime::data::{Data, Reading};
use hetsim_formula::NamedFormula;
use hetsim_graph::TaskGraph;
use hetsim_search::SettingsError;
pub use run::{End, Run, TracedTasks, Watched};

/// A workload: the keys of a `[workload]` of its kind, and what they are made into.
///
/// A type with this trait and one line in the registry of `scenario` is all that a workload needs:
/// scenarios, sweeps, charts, traces and the reference follow from it.
pub trait Workload: DeserializeOwned + JsonSchema + fmt::Debug + Send + Sync + 'static {
    /// The value of `kind`.
    const NAME: &'static str;
    /// What the workload is, in one sentence.
    const ABOUT: &'static str;
    /// The long tables that its runs can keep, besides those of all workloads.
    const TABLES: &'static [TableShape] = &[];
    /// Whether its runs can be shown as the tasks of a graph.
    const SHOWS_TASKS: bool = false;
    /// What it makes of its keys on a platform.
    type Prepared: Prepared;

    /// Reads the files that the keys name.
    ///
    /// # Errors
    /// The key whose file cannot be read.
    fn read_files(&mut self, files: &mut dyn Files) -> Result<(), KeyError> {
        let _ = files;
        Ok(())
    }

    /// Checks the keys against each other and the platform, and decides all that does not depend on draws.
    ///
    /// # Errors
    /// The key that is wrong, and why.
    fn prepare(&self, platform: &Platform) -> Result<Self::Prepared, KeyError>;

    /// Keys that play no part, whatever their values, because of what others say: paths from the workload's table on.
    fn unused(&self) -> Vec<&'static str> {
        Vec::new()
    }

    /// The node that only serves: the diversity of the speeds leaves it out.
    fn server(&self) -> Option<NodeId> {
        None
    }
}

/// A workload on a platform, ready to run any number of times.
pub trait Prepared: fmt::Debug + Send + Sync {
    /// The metrics of its runs, besides those of all workloads.
    type Metrics: Metrics;

    /// Runs it once, and says what it measured.
    ///
    /// # Errors
    /// Why the run failed.
    fn run(&self, run: &mut Run<'_>) -> Result<Self::Metrics, RunFailure>;

    /// Runs what a trace shows: the same, unless a run simulates nothing or more than can be shown.
    ///
    /// # Errors
    /// Why the run failed, or why there is nothing to show.
    fn trace(&self, run: &mut Run<'_>) -> Result<(), RunFailure> {
        self.run(run).map(drop)
    }

    /// Runs it once, and gives its own metrics alone.
    ///
    /// # Errors
    /// Why the run failed.
    fn measure(&self, platform: &Platform, streams: Streams) -> Result<Self::Metrics, RunFailure> {
        self.run(&mut Run::new(platform, streams, &[]))
    }

    /// Runs it once, and writes what it measured, with the long tables that are wanted.
    ///
    /// # Errors
    /// Why the run failed.
    fn record(&self, platform: &Platform, streams: Streams, tables: &[String]) -> Result<Record, RunFailure> {
        let mut run = Run::new(platform, streams, tables);
        let metrics = self.run(&mut run)?;
        run.into_record(metrics)
    }

    /// Runs it once, and notes everything that happens, and what the workload shows besides.
    ///
    /// # Errors
    /// Why the run failed, or why there is nothing to show.
    fn timeline(&self, platform: &Platform, streams: Streams) -> Result<(Timeline, Watched), RunFailure> {
        let mut timeline = Timeline::default();
        let mut run = Run::traced(platform, streams, &mut timeline);
        self.trace(&mut run)?;
        let shown = run.into_shown();
        Ok((timeline, shown))
    }

    /// What the schedule of a run predicts, once it is checked; nothing where there is no schedule before the run.
    ///
    /// # Errors
    /// Why there can be no schedule, or what is wrong with it.
    fn predicted(&self, platform: &Platform, streams: Streams) -> Result<Option<taskgraph::Predicted>, RunFailure> {
        let _ = (platform, streams);
        Ok(None)
    }

    /// About how many events a run handles, as far as the keys tell it, faults left out; `None` if they do not tell.
    fn expected_events(&self, platform: &Platform) -> Option<f64> {
        let _ = platform;
        None
    }

    /// Mean and standard deviation of the operations of a task, which a node computes by itself; `None` if computations are
    /// not all of one kind.
    fn task(&self) -> Option<(f64, f64)> {
        None
    }

    /// About how often a run evaluates an objective besides its events, at most.
    fn expected_evaluations(&self) -> f64 {
        0.0
    }

    /// How much work a run has; `None` where that is known only after it, or the program is all messages.
    ///
    /// # Errors
    /// Why there can be no run.
    fn demand(&self, platform: &Platform, streams: Streams) -> Result<Option<Demand>, RunFailure> {
        let _ = (platform, streams);
        Ok(None)
    }

    /// A sentence on what is allowed but hardly meant, such as an input in the wrong unit; `None` if all looks right.
    fn warning(&self, platform: &Platform) -> Option<String> {
        let _ = platform;
        None
    }
}

/// The files that a workload's keys name, each read once however many points use it. A key is given as a path of keys
/// from the workload's table on, such as `phase.0.collective.fitted`.
pub trait Files {
    /// The task graph in the file that `key` names: of several the one whose name stands at `instance`. `factor` is the
    /// key that says how many operations a second is.
    ///
    /// # Errors
    /// Where the file is of no known format or holds no such graph, or gives work as a time with its unit while `factor`
    /// is not given.
    fn graph(&mut self, key: &str, instance: &str, factor: &str) -> Result<Arc<TaskGraph>, KeyError>;

    /// The formula in the file that `key` names.
    ///
    /// # Errors
    /// Where the file cannot be read or holds no formula.
    fn formula(&mut self, key: &str) -> Result<Arc<NamedFormula>, KeyError>;

    /// The points of the file of measured times that `key` names.
    ///
    /// # Errors
    /// Where the file cannot be read or holds no such columns.
    fn measured(&mut self, key: &str, reading: &Reading) -> Result<Arc<Data>, KeyError>;

    /// The trace of an MPI program in the file, or the files, that `key` names.
    ///
    /// # Errors
    /// Where a file cannot be read or holds no trace.
    fn trace(&mut self, key: &str) -> Result<Arc<replay::Trace>, KeyError>;

    /// The nodes of ranks in the file that `key` names, a line for each.
    ///
    /// # Errors
    /// Where the file cannot be read or holds anything else.
    fn hosts(&mut self, key: &str) -> Result<Vec<u32>, KeyError>;

    /// The column of numbers in the file that `key` names.
    ///
    /// # Errors
    /// Where the file cannot be read or holds anything else.
    fn numbers(&mut self, key: &str) -> Result<Vec<f64>, KeyError>;
}

/// Why a run failed, in a sentence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct RunFailure {
    why: String,
    is_late: bool,
}

impl RunFailure {
    /// The failure for which an error is the reason.
    pub fn of(error: impl fmt::Display) -> Self {
        error.to_string().into()
    }

    /// Whether the run was stopped at the instant [until](Run::until) which it was to be over.
    #[must_use]
    pub const fn is_late(&self) -> bool {
        self.is_late
    }
}

impl From<RunFailure> for String {
    fn from(failure: RunFailure) -> Self {
        failure.why
    }
}

impl From<String> for RunFailure {
    fn from(why: String) -> Self {
        Self { why, is_late: false }
    }
}

impl From<&str> for RunFailure {
    fn from(why: &str) -> Self {
        why.to_owned().into()
    }
}

impl From<RunError> for RunFailure {
    fn from(error: RunError) -> Self {
        Self { why: error.to_string(), is_late: matches!(error, RunError::Late { .. }) }
    }
}

impl From<KeyError> for RunFailure {
    fn from(error: KeyError) -> Self {
        error.message.into()
    }
}

/// What a workload finds wrong with one of its keys, once it sees the platform.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct KeyError {
    /// The key.
    pub key: String,
    /// What is wrong.
    pub message: String,
}

impl From<SettingsError> for KeyError {
    fn from(error: SettingsError) -> Self {
        Self::new(error.key, error.message)
    }
}

impl KeyError {
    /// What is wrong with a key.
    pub fn new(key: impl Into<String>, message: impl Into<String>) -> Self {
        Self { key: key.into(), message: message.into() }
    }

    /// Checks a condition of a key.
    ///
    /// # Errors
    /// The message, where the condition does not hold.
    pub fn unless<M: Into<String>>(holds: bool, key: &str, message: impl FnOnce() -> M) -> Result<(), Self> {
        if holds { Ok(()) } else { Err(Self::new(key, message())) }
    }

    /// Checks that each of these numbers is at least 1.
    ///
    /// # Errors
    /// The first key whose number is 0.
    pub fn at_least_one(numbers: &[(&str, u32)]) -> Result<(), Self> {
        match numbers.iter().find(|(_, number)| *number == 0) {
            Some((key, _)) => Err(Self::new(*key, format!("`{key}` must be at least 1"))),
            None => Ok(()),
        }
    }

    /// Checks that a key names one of the platform's nodes.
    ///
    /// # Errors
    /// Where there is no such node.
    pub fn unless_node(key: &str, node: u32, platform: &Platform) -> Result<(), Self> {
        let nodes = platform.nodes();
        Self::unless(node < nodes, key, || format!("there is no node {node}: the nodes are 0 to {}", nodes - 1))
    }

    /// Checks how much memory a run takes by a count.
    ///
    /// # Errors
    /// Where that is more than a run may take; `what` says what is so much, in the plural.
    pub fn bounded(key: &str, what: &str, bytes: u128) -> Result<(), Self> {
        memory::check(bytes).map_err(|much| Self::new(key, format!("{what} would take {much}")))
    }

    /// The same for a key within a table of the workload.
    #[must_use]
    pub fn under(mut self, table: &str) -> Self {
        self.key = format!("{table}.{}", self.key);
        self
    }
}
