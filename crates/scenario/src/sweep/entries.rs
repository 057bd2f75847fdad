//! The entries of a table of dotted keys: a sweep, or what is uncertain.

use hetsim_text::{Node, Place, Value};

/// The tables whose keys a sweep varies.
pub(super) const VARIED: [&str; 3] = ["platform", "workload", "study"];

/// The entries of such a table as dotted keys: `[sweep] "workload.size" = …` and `[sweep.workload] size = …` alike.
pub(crate) fn leaves_of_table(table: &Node) -> Vec<(String, Place, Node)> {
    let mut leaves = Vec::new();
    for entry in table.entries() {
        // A table is entered only from a plain `platform`, `workload` or `study`; under a dotted key it is the value.
        if VARIED.contains(&entry.key.as_str()) {
            descend(&entry.key, &entry.value, &mut leaves);
        } else {
            leaves.push((entry.key.clone(), entry.place.clone(), entry.value.clone()));
        }
    }
    leaves
}

/// The rest of a key below a table; empty for the table itself.
pub(crate) fn is_under<'k>(key: &'k str, table: &str) -> Option<&'k str> {
    let rest = key.strip_prefix(table)?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix('.') }
}

/// Collects the entries of a table at a dotted path.
fn descend(path: &str, node: &Node, leaves: &mut Vec<(String, Place, Node)>) {
    for entry in node.entries() {
        let path = format!("{path}.{}", entry.key);
        let is_value = !matches!(entry.value.value, Value::Table(_))
            || ["from", "among", "low"].iter().any(|key| entry.value.get(key).is_some());
        if is_value {
            leaves.push((path, entry.place.clone(), entry.value.clone()));
        } else {
            descend(&path, &entry.value, leaves);
        }
    }
}
