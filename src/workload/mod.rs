//! Workloads: programs for the simulated machine, each with its parameters beside it.
//!
//! A workload's folder holds the serde types of its keys, what it makes of them on a platform, and the program itself.
//! It knows neither TOML nor files nor charts; one line in the registry of [`scenario`](crate::scenario) names it.

pub mod adaptive;
pub mod adversarial;
pub mod advise;
pub mod broadcast;
pub mod collective;
pub mod evolution;
pub mod farm;
pub mod fit;
pub mod fitted;
pub mod footprint;
pub mod genetic;
pub mod independent;
pub mod island;
pub mod measure;
pub mod partition;
pub mod phases;
pub mod schedules;
pub mod share;
pub mod taskgraph;
pub mod traffic;

use crate::units::memory;

/// What a workload finds wrong with one of its keys, once it sees the platform.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct KeyError {
    /// The key.
    pub key: String,
    /// What is wrong.
    pub message: String,
}

impl KeyError {
    /// Checks how much memory a run takes by a count.
    ///
    /// # Errors
    /// Where that is more than a run may take; `what` says what is so much, in the plural.
    pub fn bounded(key: &str, what: &str, bytes: u128) -> Result<(), Self> {
        memory::check(bytes).map_err(|much| Self { key: key.to_owned(), message: format!("{what} would take {much}") })
    }

    /// The same for a key within a table of the workload.
    #[must_use]
    pub fn under(mut self, table: &str) -> Self {
        self.key = format!("{table}.{}", self.key);
        self
    }
}
