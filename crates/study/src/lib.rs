//! Studies: what a scenario computes without running a program on its platform, such as comparisons, searches and fits.
//!
//! A study is a pure function of its keys, the files that they name and a seed. Its file holds the keys, the metrics
//! and the computation. It knows neither TOML nor charts; one line in the list of `scenario` names it.

pub mod adversarial;
pub mod fit;
pub mod partition;
pub mod schedules;

use std::fmt;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use hetsim_base::engine::Streams;
use hetsim_base::record::{Metrics, Record, TableShape, WantedTables};
use hetsim_cluster::{Platform, Timeline};
use hetsim_workload::{Files, KeyError, RunFailure};

/// A study: the keys of a `[study]` of its kind, and what is computed from them.
///
/// A type with this trait and one line in the list of `scenario` is all that a study needs: scenarios, sweeps, charts
/// and the reference follow from it.
pub trait Study: DeserializeOwned + JsonSchema + fmt::Debug + Send + Sync + 'static {
    /// The value of `kind`.
    const NAME: &'static str;
    /// What the study is, in one sentence.
    const ABOUT: &'static str;
    /// The long tables that it can keep.
    const TABLES: &'static [TableShape] = &[];
    /// Whether it examines the platform of the scenario. A scenario with any other study has no platform.
    const EXAMINES_PLATFORM: bool = false;
    /// Its metrics.
    type Metrics: Metrics;

    /// Reads the files that the keys name.
    ///
    /// # Errors
    /// The key whose file cannot be read.
    fn read_files(&mut self, files: &mut dyn Files) -> Result<(), KeyError> {
        let _ = files;
        Ok(())
    }

    /// Checks the keys against each other, and against the platform that the study examines.
    ///
    /// # Errors
    /// The key that is wrong, and why.
    fn check(&self, platform: Option<&Platform>) -> Result<(), KeyError>;

    /// What is hardly meant, in a sentence.
    fn warning(&self) -> Option<String> {
        None
    }

    /// Computes it for one seed and replica.
    ///
    /// # Errors
    /// Why the study failed.
    fn measure(&self, case: &mut Case<'_>) -> Result<Self::Metrics, RunFailure>;

    /// Simulates what a trace shows, where the study makes a platform of its own and runs something on it.
    ///
    /// # Errors
    /// Why there is nothing to show.
    fn timeline(&self, streams: Streams) -> Result<(Platform, Timeline), RunFailure> {
        let _ = streams;
        Err("nothing happens in simulated time here, so there is nothing to show".into())
    }

    /// Computes it for one seed and replica, and writes the record.
    ///
    /// # Errors
    /// Why the study failed.
    fn record(&self, mut case: Case<'_>) -> Result<Record, RunFailure> {
        let mut record = Record::default();
        self.measure(&mut case)?.write(&mut record);
        record.tables = case.tables.into_tables();
        Ok(record)
    }
}

/// What a study is computed for: the random streams of a seed and a replica, and the long tables that are wanted.
#[derive(Debug)]
pub struct Case<'a> {
    /// The platform of the scenario, for a study that examines it.
    pub platform: Option<&'a Platform>,
    /// The random streams.
    pub streams: Streams,
    /// The long tables.
    pub tables: WantedTables<'a>,
}

impl<'a> Case<'a> {
    /// A case without a platform that keeps the long tables of these names.
    #[must_use]
    pub const fn new(streams: Streams, wanted: &'a [String]) -> Self {
        Self { platform: None, streams, tables: WantedTables::new(wanted) }
    }
}
