//! The one place that names every workload. What a scenario needs of each is in its [`Kind`]; a program of one's own adds
//! kinds by [`register`].

use std::fmt;
use std::sync::{Mutex, OnceLock, PoisonError};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{Deserialize, Deserializer, Error as _};
use serde_json::Value;

use crate::cluster::{NodeId, Platform, Timeline};
use crate::engine::Streams;
use crate::metrics::Performance;
use crate::record::{Metric, Metrics, Record, TableShape};
use crate::registry::{Alternative, choice_schema};
use crate::workload::footprint::{self, FootprintMetrics};
use crate::workload::taskgraph::Predicted;
use crate::workload::{
    Files, KeyError, Prepared, RunFailure, TracedTasks, Workload, adaptive, adversarial, broadcast, collective,
    evolution, fit, genetic, independent, island, measure, partition, phases, schedules, taskgraph, traffic,
};

/// The workloads of hetsim, one line each.
const OWN: &[Kind] = &[
    Kind::of::<adaptive::AdaptiveParameters>(),
    Kind::of::<adversarial::AdversarialParameters>(),
    Kind::of::<broadcast::BroadcastParameters>(),
    Kind::of::<collective::CollectiveParameters>(),
    Kind::of::<evolution::EvolutionParameters>(),
    Kind::of::<fit::FitParameters>(),
    Kind::of::<genetic::GeneticParameters>(),
    Kind::of::<independent::IndependentParameters>(),
    Kind::of::<island::IslandParameters>(),
    Kind::of::<measure::MeasureParameters>(),
    Kind::of::<partition::PartitionParameters>(),
    Kind::of::<phases::PhasesParameters>(),
    Kind::of::<schedules::SchedulesParameters>(),
    Kind::of::<taskgraph::TaskgraphParameters>(),
    Kind::of::<traffic::TrafficParameters>(),
];

/// Workloads from outside of hetsim.
static REGISTERED: Mutex<Vec<Kind>> = Mutex::new(Vec::new());

/// All kinds, from the first look at them on.
static ALL: OnceLock<Vec<Kind>> = OnceLock::new();

/// Makes `kind = "…"` of a workload from outside known to every scenario, as one of hetsim's own.
///
/// # Errors
/// Where there is a workload of that name, or the kinds have been looked at: register before the first scenario is read.
pub fn register<W: Workload>() -> Result<(), RegisterError> {
    let mut registered = REGISTERED.lock().unwrap_or_else(PoisonError::into_inner);
    if ALL.get().is_some() {
        return Err(RegisterError::TooLate(W::NAME));
    }
    if OWN.iter().chain(registered.iter()).any(|kind| kind.name == W::NAME) {
        return Err(RegisterError::Known(W::NAME));
    }
    registered.push(Kind::of::<W>());
    Ok(())
}

/// Why a workload could not be registered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RegisterError {
    /// Another one has its name.
    #[error("there is already a workload `{0}`")]
    Known(&'static str),
    /// The kinds have been looked at.
    #[error("the workload `{0}` must be registered before the first scenario is read")]
    TooLate(&'static str),
}

/// Every kind of workload, sorted by its name.
pub fn kinds() -> &'static [Kind] {
    ALL.get_or_init(|| {
        let registered = REGISTERED.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all: Vec<Kind> = OWN.iter().chain(registered.iter()).copied().collect();
        all.sort_by_key(|kind| kind.name);
        all
    })
}

/// A kind of workload: what a scenario, the schema and the lists need of it.
#[derive(Clone, Copy)]
pub struct Kind {
    /// The value of `kind`.
    pub name: &'static str,
    /// What it is, in one sentence.
    pub about: &'static str,
    /// Whether its runs can be shown as tasks of a graph.
    pub shows_tasks: bool,
    own_tables: &'static [TableShape],
    own_metrics: fn() -> Vec<&'static Metric>,
    schema: fn(&mut SchemaGenerator) -> Schema,
    read: fn(Value) -> Result<Box<dyn Keys>, serde_json::Error>,
}

impl fmt::Debug for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl Kind {
    const fn of<W: Workload>() -> Self {
        Self {
            name: W::NAME,
            about: W::ABOUT,
            shows_tasks: W::SHOWS_TASKS,
            own_tables: W::TABLES,
            own_metrics: <<W::Prepared as Prepared>::Metrics as Metrics>::columns,
            schema: W::json_schema,
            read: |keys| Ok(Box::new(serde_json::from_value::<W>(keys)?)),
        }
    }

    /// The metrics that only its runs give.
    #[must_use]
    pub fn own_metrics(&self) -> Vec<&'static Metric> {
        (self.own_metrics)()
    }

    /// The metrics of its runs: its own, and those that every workload has.
    #[must_use]
    pub fn metrics(&self) -> Vec<&'static Metric> {
        [self.own_metrics(), common_metrics()].concat()
    }

    /// The long tables that only its runs can keep.
    #[must_use]
    pub const fn own_tables(&self) -> &'static [TableShape] {
        self.own_tables
    }

    /// The long tables that its runs can keep.
    #[must_use]
    pub fn tables(&self) -> Vec<TableShape> {
        self.own_tables.iter().chain(footprint::TABLES).copied().collect()
    }

    /// Reads its keys, which have passed the schema.
    pub(super) fn read(&self, keys: Value) -> Result<Box<dyn Keys>, serde_json::Error> {
        (self.read)(keys)
    }
}

/// The metrics that every workload has.
#[must_use]
pub fn common_metrics() -> Vec<&'static Metric> {
    <(Performance, FootprintMetrics)>::columns()
}

/// A metric of any workload, by its name; names mean the same in all of them.
#[must_use]
pub fn metric(name: &str) -> Option<&'static Metric> {
    let own = kinds().iter().flat_map(Kind::own_metrics);
    own.chain(common_metrics()).find(|metric| metric.name == name)
}

/// The kind of workload that a scenario names.
#[derive(Debug, Clone, Copy)]
pub struct WorkloadKind(&'static Kind);

impl std::ops::Deref for WorkloadKind {
    type Target = Kind;

    fn deref(&self) -> &Kind {
        self.0
    }
}

impl<'de> Deserialize<'de> for WorkloadKind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let table = serde_json::Map::deserialize(deserializer)?;
        let name = table.get("kind").and_then(Value::as_str).ok_or_else(|| D::Error::missing_field("kind"))?;
        let kind = kinds().iter().find(|kind| kind.name == name);
        kind.map(Self).ok_or_else(|| D::Error::custom(format_args!("there is no workload `{name}`")))
    }
}

impl JsonSchema for WorkloadKind {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Workload".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let alternatives: Vec<Alternative<'_>> =
            kinds().iter().map(|kind| (kind.name, kind.about, kind.schema)).collect();
        choice_schema(generator, "kind", &alternatives)
    }
}

/// The keys of some workload.
pub(super) trait Keys: fmt::Debug {
    fn read_files(&mut self, files: &mut dyn Files) -> Result<(), KeyError>;
    fn server(&self) -> Option<NodeId>;
    fn prepare(&self, platform: &Platform) -> Result<Box<dyn Ready>, KeyError>;
}

impl<W: Workload> Keys for W {
    fn read_files(&mut self, files: &mut dyn Files) -> Result<(), KeyError> {
        Workload::read_files(self, files)
    }

    fn server(&self) -> Option<NodeId> {
        Workload::server(self)
    }

    fn prepare(&self, platform: &Platform) -> Result<Box<dyn Ready>, KeyError> {
        Ok(Box::new(Workload::prepare(self, platform)?))
    }
}

/// Some workload, ready to run.
pub(super) trait Ready: fmt::Debug + Send + Sync {
    fn record(&self, platform: &Platform, streams: Streams, tables: &[String]) -> Result<Record, RunFailure>;
    fn timeline(&self, platform: &Platform, streams: Streams) -> Result<(Timeline, Option<TracedTasks>), RunFailure>;
    fn predicted(&self, platform: &Platform, streams: Streams) -> Result<Option<Predicted>, RunFailure>;
}

impl<P: Prepared + 'static> Ready for P {
    fn record(&self, platform: &Platform, streams: Streams, tables: &[String]) -> Result<Record, RunFailure> {
        Prepared::record(self, platform, streams, tables)
    }

    fn timeline(&self, platform: &Platform, streams: Streams) -> Result<(Timeline, Option<TracedTasks>), RunFailure> {
        Prepared::timeline(self, platform, streams)
    }

    fn predicted(&self, platform: &Platform, streams: Streams) -> Result<Option<Predicted>, RunFailure> {
        Prepared::predicted(self, platform, streams)
    }
}
