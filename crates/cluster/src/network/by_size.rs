//! Tables over the message size.

use std::collections::BTreeMap;

use super::NetworkError;
use hetsim_base::units::Bytes;

/// The values of a table from sizes, by rising size.
///
/// # Errors
/// If a size is invalid, or is given twice.
pub(crate) fn ascending<T: Copy>(table: &BTreeMap<String, T>) -> Result<Vec<(u64, T)>, NetworkError> {
    let mut sorted = Vec::with_capacity(table.len());
    for (size, value) in table {
        sorted.push((size.parse::<Bytes>()?.count(), *value));
    }
    sorted.sort_unstable_by_key(|&(size, _)| size);
    match sorted.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        Some(twice) => Err(NetworkError::Twice { size: Bytes::new(twice[0].0) }),
        None => Ok(sorted),
    }
}
