//! Workloads: programs for the simulated machine, each with its parameters beside it.
//!
//! A workload's folder holds the serde types of its keys, what it makes of them on a platform, and the program itself.
//! It knows neither TOML nor files nor charts; one line in the registry of `scenario` names it.

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

/// What a workload finds wrong with one of its keys, once it sees the platform.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct KeyError {
    /// The key.
    pub key: String,
    /// What is wrong.
    pub message: String,
}

/// The most that a count in a scenario may make a run hold. More is a slip of the hand: it would only end with the
/// machine's memory.
pub const MOST_BYTES: u128 = 4 << 30;

impl KeyError {
    /// Checks how much memory a run takes by a count.
    ///
    /// # Errors
    /// Where that is more than [`MOST_BYTES`]; `what` says what is so much, in the plural.
    pub fn bounded(key: &str, what: &str, bytes: u128) -> Result<(), Self> {
        if bytes <= MOST_BYTES {
            return Ok(());
        }
        let gibibytes = |bytes: u128| bytes as f64 / f64::from(1 << 30);
        let message = format!(
            "{what} would take about {:.3e} GiB of memory; a run takes at most {} GiB",
            gibibytes(bytes),
            gibibytes(MOST_BYTES)
        );
        Err(Self { key: key.to_owned(), message })
    }

    /// The same for a key within a table of the workload.
    #[must_use]
    pub fn under(mut self, table: &str) -> Self {
        self.key = format!("{table}.{}", self.key);
        self
    }
}
