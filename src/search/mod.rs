//! Evolutionary search as plain data: genetic algorithms and evolution strategies, and the functions they minimise.
//!
//! Nothing here knows of nodes, messages or simulated time. A program on a simulated machine holds a
//! [`Population`](genetic::Population) or an [`Evolution`](strategy::Evolution), and asks it for its next generation when the simulated work of it is done; so
//! what the search finds, and when, comes out of the run.
//!
//! Every algorithm draws from the [`Stream`](crate::engine::Stream) that it is handed and from nothing else. The same
//! streams give the same individuals, whatever the number of threads or the size of the batches they are evaluated in.

pub mod genetic;
pub mod objective;
pub mod strategy;

pub use objective::Objective;

/// Why there is no such search.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct SettingsError {
    /// The key at fault.
    pub key: &'static str,
    /// What is wrong with it.
    pub message: String,
}
