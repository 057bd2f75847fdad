//! Evolutionary search as plain data: genetic algorithms, evolution strategies, and the functions they minimise.
//!
//! This crate knows nothing of nodes, messages or simulated time. A simulated program holds a
//! [`Population`](genetic::Population) or an [`Evolution`](strategy::Evolution) and asks for the next generation when
//! its simulated work is done, so a run determines both the result of a search and its time.
//!
//! Every algorithm draws only from the [`Stream`](hetsim_base::engine::Stream) passed to it. The same streams give the same
//! individuals, whatever the number of threads or the size of the evaluation batches.

pub mod genetic;
pub mod objective;
pub mod strategy;

pub use objective::Objective;

/// An invalid setting.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct SettingsError {
    /// The key with the invalid value.
    pub key: &'static str,
    /// What is wrong with it.
    pub message: String,
}
