//! The groups of ranks that a phase may be among, by their names.

use std::collections::BTreeMap;

use crate::KeyError;
use hetsim_text::suggest;

/// The lists of ranks that a name stands for: the rows or the columns of the grid, or those of `groups`.
///
/// # Errors
/// The key `among`, where the name stands for nothing.
pub(super) fn named_groups(
    name: &str,
    grid: &[u32],
    groups: &BTreeMap<String, Vec<Vec<u32>>>,
    ranks: u32,
) -> Result<Vec<Vec<u32>>, KeyError> {
    if let Some(lists) = groups.get(name) {
        return Ok(lists.clone());
    }
    match (name, grid) {
        ("rows" | "columns", &[rows, columns]) if u64::from(rows) * u64::from(columns) != u64::from(ranks) => {
            let message = format!("a `grid` of {rows} × {columns} is not one of {ranks} ranks");
            Err(KeyError::new("among", message))
        }
        ("rows", &[rows, columns]) => {
            Ok((0..rows).map(|row| (0..columns).map(|column| row * columns + column).collect()).collect())
        }
        ("columns", &[rows, columns]) => {
            Ok((0..columns).map(|column| (0..rows).map(|row| row * columns + column).collect()).collect())
        }
        ("rows" | "columns", _) => {
            Err(KeyError::new("among", format!("`{name}` are those of a `grid` of two dimensions, such as [4, 8]")))
        }
        _ => {
            let known: Vec<&str> = ["rows", "columns"].into_iter().chain(groups.keys().map(String::as_str)).collect();
            Err(KeyError::new("among", format!("there are no groups `{name}`: {}", suggest(name, &known))))
        }
    }
}
