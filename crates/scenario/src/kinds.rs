//! The one list of workloads and studies. The [`Kind`] of each has all that a scenario needs of it; a program
//! of one's own adds workloads by [`register`].

use std::any::Any;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{Deserialize, Deserializer, Error as _};
use serde_json::Value;

use super::platform::PlatformPlan;
use super::tolerance::table::{TOLERANCE, ToleranceMetrics};
use super::traced::Traced;
use hetsim_base::engine::Streams;
use hetsim_base::record::{Metric, Metrics, Record, TableShape};
use hetsim_base::registry::{Alternative, choice_schema};
use hetsim_cluster::{NodeId, Platform};
use hetsim_study::{Case, Study, adversarial, fit as file_fit, partition, schedules};
use hetsim_workload::footprint::{self, FootprintMetrics};
use hetsim_workload::metrics::Performance;
use hetsim_workload::taskgraph::Predicted;
use hetsim_workload::{
    Demand, Files, KeyError, Prepared, RunFailure, Watched, Workload, adaptive, broadcast, collective, evolution, fit,
    genetic, hpl, independent, island, measure, phases, replay, taskgraph, traffic,
};

/// Lists kinds, and what makes the schemas of their keys. Only the text that is built in is made by these, so a program
/// that does not make it is linked without.
macro_rules! kinds {
    ($(#[$doc:meta])* $KINDS:ident, $alternatives:ident of $kind:ident: $($Parameters:ty,)+) => {
        $(#[$doc])*
        const $KINDS: &[fn() -> Kind] = &[$(Kind::$kind::<$Parameters>),+];

        /// The keys of each as an alternative of a choice.
        fn $alternatives() -> Vec<Alternative<'static>> {
            vec![$((<$Parameters>::NAME, <$Parameters>::ABOUT, <$Parameters>::json_schema)),+]
        }
    };
}

kinds! {
    /// The workloads of hetsim, one line each.
    WORKLOADS, workload_alternatives of workload:
    adaptive::AdaptiveParameters,
    broadcast::BroadcastParameters,
    collective::CollectiveParameters,
    evolution::EvolutionParameters,
    fit::FitParameters,
    genetic::GeneticParameters,
    hpl::HplParameters,
    independent::IndependentParameters,
    island::IslandParameters,
    measure::MeasureParameters,
    phases::PhasesParameters,
    replay::ReplayParameters,
    taskgraph::TaskgraphParameters,
    traffic::TrafficParameters,
}

kinds! {
    /// The studies of hetsim, one line each.
    STUDIES, study_alternatives of study:
    adversarial::AdversarialParameters,
    file_fit::FileFitParameters,
    partition::PartitionParameters,
    schedules::SchedulesParameters,
}

/// Workloads from outside of hetsim.
static REGISTERED: Mutex<Vec<fn() -> Kind>> = Mutex::new(Vec::new());

/// All workloads, from the first look at them on.
static ALL: OnceLock<Vec<Kind>> = OnceLock::new();

/// Makes a workload from outside known by its `kind = "…"` to every scenario.
///
/// # Errors
/// Where there is a workload of that name, or the workloads have been looked at: register before the first scenario is
/// read.
pub fn register<W: Workload>() -> Result<(), RegisterError> {
    let mut registered = REGISTERED.lock().unwrap_or_else(PoisonError::into_inner);
    if ALL.get().is_some() {
        return Err(RegisterError::TooLate(W::NAME));
    }
    if WORKLOADS.iter().chain(registered.iter()).any(|kind| kind().name == W::NAME) {
        return Err(RegisterError::Known(W::NAME));
    }
    registered.push(Kind::registered::<W>);
    Ok(())
}

/// Why a workload could not be registered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RegisterError {
    /// Another one has its name.
    #[error("there is already a workload `{0}`")]
    Known(&'static str),
    /// The workloads have been looked at.
    #[error("the workload `{0}` must be registered before the first scenario is read")]
    TooLate(&'static str),
}

/// Every kind of workload, sorted by its name.
pub fn workloads() -> &'static [Kind] {
    ALL.get_or_init(|| {
        let registered = REGISTERED.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all: Vec<Kind> = WORKLOADS.iter().chain(registered.iter()).map(|kind| kind()).collect();
        all.sort_by_key(|kind| kind.name);
        all
    })
}

/// Every kind of study, sorted by its name.
pub fn studies() -> &'static [Kind] {
    static ALL: OnceLock<Vec<Kind>> = OnceLock::new();
    ALL.get_or_init(|| STUDIES.iter().map(|kind| kind()).collect())
}

/// A kind of workload or study: what a scenario, the schema and the lists need of it.
pub struct Kind {
    /// The value of `kind`.
    pub name: &'static str,
    /// What it is, in one sentence.
    pub about: &'static str,
    /// Whether a scenario of it describes a platform: of every workload, and of studies that examine one.
    pub has_platform: bool,
    /// Whether its runs can be shown as tasks of a graph.
    pub shows_tasks: bool,
    /// The metrics that only its runs give.
    pub own_metrics: Vec<&'static Metric>,
    /// The metrics of its runs: its own, and those that every workload has.
    pub metrics: Vec<&'static Metric>,
    /// The long tables that only its runs can keep.
    pub own_tables: &'static [TableShape],
    /// The long tables that its runs can keep besides.
    common_tables: &'static [&'static [TableShape]],
    /// What makes the schema of its keys, if it is from outside of hetsim.
    schema: Option<fn(&mut SchemaGenerator) -> Schema>,
    read: Read,
}

type Read = fn(Value, &mut dyn Files) -> Result<Box<dyn Keys>, Unready>;

impl fmt::Debug for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl Kind {
    fn workload<W: Workload>() -> Self {
        let own_metrics = <W::Prepared as Prepared>::Metrics::columns();
        Self {
            name: W::NAME,
            about: W::ABOUT,
            has_platform: true,
            shows_tasks: W::SHOWS_TASKS,
            metrics: [own_metrics.as_slice(), &common_metrics()].concat(),
            own_metrics,
            own_tables: W::TABLES,
            common_tables: &[footprint::TABLES, &[TOLERANCE]],
            schema: None,
            read: |keys, files| {
                let mut keys: W = serde_json::from_value(keys)?;
                keys.read_files(files)?;
                Ok(Box::new(WorkloadKeys(keys)))
            },
        }
    }

    fn registered<W: Workload>() -> Self {
        Self { schema: Some(W::json_schema), ..Self::workload::<W>() }
    }

    fn study<S: Study>() -> Self {
        Self {
            name: S::NAME,
            about: S::ABOUT,
            has_platform: S::EXAMINES_PLATFORM,
            shows_tasks: false,
            own_metrics: S::Metrics::columns(),
            metrics: S::Metrics::columns(),
            own_tables: S::TABLES,
            common_tables: &[],
            schema: None,
            read: |keys, files| {
                let mut keys: S = serde_json::from_value(keys)?;
                keys.read_files(files)?;
                Ok(Box::new(StudyKeys(Arc::new(keys))))
            },
        }
    }

    /// The long tables that its runs can keep.
    #[must_use]
    pub fn tables(&self) -> Vec<TableShape> {
        [&[self.own_tables], self.common_tables].concat().concat()
    }

    /// Reads its keys, which have passed the schema, with the files that they name.
    pub(super) fn read(&self, keys: Value, files: &mut dyn Files) -> Result<Box<dyn Keys>, Unready> {
        (self.read)(keys, files)
    }
}

/// The metrics that every workload has.
#[must_use]
pub fn common_metrics() -> Vec<&'static Metric> {
    <(Performance, (FootprintMetrics, Option<ToleranceMetrics>))>::columns()
}

/// A metric of any workload or study, by its name; names mean the same in all of them.
#[must_use]
pub fn metric(name: &str) -> Option<&'static Metric> {
    let all = workloads().iter().chain(studies()).flat_map(|kind| &kind.metrics);
    all.copied().find(|metric| metric.name == name)
}

/// The kind of workload that a scenario names.
pub(super) fn workload<'de, D: Deserializer<'de>>(table: D) -> Result<Option<&'static Kind>, D::Error> {
    named(workloads(), table)
}

/// The kind of study that a scenario names.
pub(super) fn study<'de, D: Deserializer<'de>>(table: D) -> Result<Option<&'static Kind>, D::Error> {
    named(studies(), table)
}

fn named<'de, D: Deserializer<'de>>(kinds: &'static [Kind], table: D) -> Result<Option<&'static Kind>, D::Error> {
    let table = serde_json::Map::deserialize(table)?;
    let name = table.get("kind").and_then(Value::as_str).ok_or_else(|| D::Error::missing_field("kind"))?;
    let kind = kinds.iter().find(|kind| kind.name == name);
    kind.map(Some).ok_or_else(|| D::Error::custom(format_args!("there is no kind `{name}`")))
}

/// The schema of `[workload]`, for the workloads of hetsim.
pub(super) fn workload_schema(generator: &mut SchemaGenerator) -> Schema {
    choice_schema(generator, KEY, None, &workload_alternatives())
}

/// The schema of `[study]`.
pub(super) fn study_schema(generator: &mut SchemaGenerator) -> Schema {
    choice_schema(generator, KEY, None, &study_alternatives())
}

/// The workloads from outside of hetsim: the name of each, and the schema of its keys with its definitions.
pub(super) fn registered_schemas() -> impl Iterator<Item = (&'static str, Value)> {
    let made = |kind: &'static Kind| {
        let mut generator = SchemaGenerator::default();
        let alternative: Alternative<'_> = (kind.name, kind.about, kind.schema?);
        let mut schema = choice_schema(&mut generator, KEY, None, &[alternative]).to_value()["oneOf"][0].take();
        schema["$defs"] = Value::Object(generator.take_definitions(true));
        Some((kind.name, schema))
    };
    workloads().iter().filter_map(made)
}

/// The key that names a kind.
const KEY: &str = "kind";

/// Why the keys of a workload or study cannot be used.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unready {
    /// They do not fit its type.
    #[error(transparent)]
    Unread(#[from] serde_json::Error),
    /// One of them is wrong.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The diversity of the speeds counts the node that only serves.
    #[error("the diversity counts node {0}, the server")]
    Server(NodeId),
}

/// The keys of a workload or study of any kind, with what is in the files that they name.
pub(super) trait Keys: fmt::Debug + Send + Sync {
    /// Checks them against each other and the platform, and decides all that does not depend on draws.
    fn prepare(&self, platform: Option<&PlatformPlan>) -> Result<Box<dyn Ready>, Unready>;

    /// The keys themselves.
    fn keys(&self) -> &dyn Any;

    /// Keys that play no part, whatever their values.
    fn unused(&self) -> Vec<&'static str>;
}

#[derive(Debug)]
struct WorkloadKeys<W>(W);

impl<W: Workload> Keys for WorkloadKeys<W> {
    fn prepare(&self, platform: Option<&PlatformPlan>) -> Result<Box<dyn Ready>, Unready> {
        let platform = platform.ok_or_else(no_platform)?;
        if let Some(server) = self.0.server().filter(|server| platform.diversity_concerns(*server)) {
            return Err(Unready::Server(server));
        }
        Ok(Box::new(self.0.prepare(platform.platform())?))
    }

    fn keys(&self) -> &dyn Any {
        &self.0
    }

    fn unused(&self) -> Vec<&'static str> {
        self.0.unused()
    }
}

/// Studies run as they are read, once they are checked.
#[derive(Debug)]
struct StudyKeys<S>(Arc<S>);

impl<S: Study> Keys for StudyKeys<S> {
    fn prepare(&self, platform: Option<&PlatformPlan>) -> Result<Box<dyn Ready>, Unready> {
        self.0.check(platform.map(PlatformPlan::platform))?;
        Ok(Box::new(OfStudy(Arc::clone(&self.0))))
    }

    fn keys(&self) -> &dyn Any {
        &*self.0
    }

    fn unused(&self) -> Vec<&'static str> {
        Vec::new()
    }
}

/// A workload or study of any kind, ready to run. Workloads have a platform.
pub(super) trait Ready: fmt::Debug + Send + Sync {
    fn record(&self, platform: Option<&Platform>, streams: Streams, tables: &[String]) -> Result<Record, RunFailure>;

    fn trace(&self, platform: Option<&Platform>, streams: Streams) -> Result<Traced, RunFailure>;

    /// The prediction of a task graph's schedule, which is checked; `None` for other kinds.
    fn predicted(&self, platform: Option<&Platform>, streams: Streams) -> Result<Option<Predicted>, RunFailure>;

    /// About how many events a run handles; `None` where nobody knows.
    fn expected_events(&self, platform: Option<&Platform>) -> Option<f64>;

    /// Mean and standard deviation of the operations of a task that a node computes by itself; `None` for other kinds.
    fn task(&self) -> Option<(f64, f64)>;

    /// About how often a run evaluates an objective besides its events, at most.
    fn expected_evaluations(&self) -> f64;

    /// How much work a run has, where that is known before it.
    fn demand(&self, platform: Option<&Platform>, streams: Streams) -> Result<Option<Demand>, RunFailure>;

    /// What is hardly meant, in a sentence.
    fn warning(&self, platform: Option<&Platform>) -> Option<String>;
}

fn no_platform() -> KeyError {
    KeyError { key: "kind".to_owned(), message: "a workload needs a platform".to_owned() }
}

impl<P: Prepared> Ready for P {
    fn record(&self, platform: Option<&Platform>, streams: Streams, tables: &[String]) -> Result<Record, RunFailure> {
        Prepared::record(self, platform.ok_or_else(no_platform)?, streams, tables)
    }

    fn trace(&self, platform: Option<&Platform>, streams: Streams) -> Result<Traced, RunFailure> {
        let platform = platform.ok_or_else(no_platform)?;
        let (timeline, shown) = self.timeline(platform, streams)?;
        Ok(Traced::new(platform, timeline, shown))
    }

    fn predicted(&self, platform: Option<&Platform>, streams: Streams) -> Result<Option<Predicted>, RunFailure> {
        Prepared::predicted(self, platform.ok_or_else(no_platform)?, streams)
    }

    fn expected_events(&self, platform: Option<&Platform>) -> Option<f64> {
        Prepared::expected_events(self, platform?)
    }

    fn task(&self) -> Option<(f64, f64)> {
        Prepared::task(self)
    }

    fn expected_evaluations(&self) -> f64 {
        Prepared::expected_evaluations(self)
    }

    fn demand(&self, platform: Option<&Platform>, streams: Streams) -> Result<Option<Demand>, RunFailure> {
        Prepared::demand(self, platform.ok_or_else(no_platform)?, streams)
    }

    fn warning(&self, platform: Option<&Platform>) -> Option<String> {
        Prepared::warning(self, platform?)
    }
}

/// A study that was checked.
#[derive(Debug)]
struct OfStudy<S>(Arc<S>);

impl<S: Study> Ready for OfStudy<S> {
    fn record(&self, platform: Option<&Platform>, streams: Streams, tables: &[String]) -> Result<Record, RunFailure> {
        self.0.record(Case { platform, ..Case::new(streams, tables) })
    }

    fn trace(&self, _: Option<&Platform>, streams: Streams) -> Result<Traced, RunFailure> {
        let (platform, timeline) = self.0.timeline(streams)?;
        Ok(Traced::new(&platform, timeline, Watched::default()))
    }

    fn predicted(&self, _: Option<&Platform>, _: Streams) -> Result<Option<Predicted>, RunFailure> {
        Ok(None)
    }

    fn expected_events(&self, _: Option<&Platform>) -> Option<f64> {
        None
    }

    fn task(&self) -> Option<(f64, f64)> {
        None
    }

    fn expected_evaluations(&self) -> f64 {
        0.0
    }

    fn demand(&self, _: Option<&Platform>, _: Streams) -> Result<Option<Demand>, RunFailure> {
        Ok(None)
    }

    fn warning(&self, _: Option<&Platform>) -> Option<String> {
        self.0.warning()
    }
}
