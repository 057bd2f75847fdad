//! Errors of topologies, and the checks that several topologies share.

use thiserror::Error;

/// Why a topology is invalid.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct TopologyError {
    /// The key at fault in the topology's table; `kind` if there are too many nodes for it.
    pub key: &'static str,
    /// What is wrong with it.
    pub message: String,
}

/// An error of one key.
pub(super) fn fault<T>(key: &'static str, message: impl Into<String>) -> Result<T, TopologyError> {
    Err(TopologyError { key, message: message.into() })
}

/// The number of channels, if they can be numbered.
pub(super) fn numbered(key: &'static str, channels: u64) -> Result<u32, TopologyError> {
    u32::try_from(channels).or_else(|_| {
        fault(key, format!("that would be {channels} channels or more; at most {} can be numbered", u32::MAX))
    })
}

/// Refuses a zero.
pub(super) fn positive(key: &'static str, values: &[u32]) -> Result<(), TopologyError> {
    if values.contains(&0) { fault(key, format!("`{key}` must be at least 1")) } else { Ok(()) }
}

/// Refuses factors whose product differs from the number of nodes; `words` names the product.
pub(super) fn product(key: &'static str, words: &str, factors: &[u32], nodes: u32) -> Result<(), TopologyError> {
    let product = factors.iter().try_fold(1u64, |product, &factor| product.checked_mul(u64::from(factor)));
    match product {
        Some(product) if product == u64::from(nodes) => Ok(()),
        Some(product) => fault(key, format!("{words} is {product}, and must be {nodes}")),
        None => fault(key, format!("{words} is above {}, and must be {nodes}", u64::MAX)),
    }
}

/// Refuses a list whose length differs from that of another one.
pub(super) fn as_long(key: &'static str, length: usize, other: &str, wanted: usize) -> Result<(), TopologyError> {
    if length == wanted {
        return Ok(());
    }
    fault(key, format!("`{key}` must have {wanted} values, one for each of `{other}`, but has {length}"))
}
