//! The entries of a table of dotted keys: a sweep, or what is uncertain.

use hetsim_text::{Node, Place, Problem, Value, suggest};

/// The tables whose keys a sweep varies.
pub(crate) const VARIED: [&str; 3] = ["platform", "workload", "study"];

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

/// Leaves a swept key one value in each sweep of the scenario; of named alternatives, the one of that name. Returns the value
/// for the key itself, which counts where a sweep leaves it out; nothing where none does.
///
/// # Errors
/// No alternative has that name.
pub(crate) fn narrow(scenario: &mut Node, key: &str, value: Node) -> Result<Option<Node>, Problem> {
    let Some(sweep) = scenario.entry_mut("sweep") else { return Ok(Some(value)) };
    let sweeps: Vec<&mut Node> = match &mut sweep.value.value {
        Value::Array(sweeps) => sweeps.iter_mut().collect(),
        _ => vec![&mut sweep.value],
    };
    let (mut is_swept, mut is_left_out) = (false, false);
    let mut own = value.clone();
    for sweep in sweeps {
        if let Some(swept) = values_of(sweep, key) {
            (swept.value, own) = only(swept, &value)?;
            is_swept = true;
        } else {
            is_left_out = true;
        }
    }
    Ok((is_left_out || !is_swept).then_some(own))
}

/// The values of a key of such a table.
fn values_of<'t>(table: &'t mut Node, key: &str) -> Option<&'t mut Node> {
    let Value::Table(entries) = &mut table.value else { return None };
    entries.iter_mut().find_map(|entry| {
        let rest = is_under(key, &entry.key)?;
        let is_table = matches!(entry.value.value, Value::Table(_)) && !is_range(&entry.value);
        // A plain key holds further keys, a dotted one alternatives.
        match (rest, is_table && !entry.key.contains('.')) {
            ("", false) => Some(&mut entry.value),
            ("", true) | (_, false) => None,
            (rest, true) => values_of(&mut entry.value, rest),
        }
    })
}

/// The values of a key that are left, and the one among them: the given one.
fn only(swept: &Node, value: &Node) -> Result<(Value, Node), Problem> {
    let alternatives = match &swept.value {
        Value::Table(alternatives) if !is_range(swept) => alternatives,
        _ => return Ok((Value::Array(vec![value.clone()]), value.clone())),
    };
    let chosen = value.text().and_then(|name| swept.entry(name));
    let chosen = chosen.ok_or_else(|| {
        let names: Vec<&str> = alternatives.iter().map(|entry| entry.key.as_str()).collect();
        let help = suggest(value.text().unwrap_or_default(), &names);
        Problem::at(&value.place, "the sweep has no alternative of this name").with_help(help)
    })?;
    Ok((Value::Table(vec![chosen.clone()]), chosen.value.clone()))
}

/// Whether a table stands for numbers or choices, rather than for keys or alternatives.
fn is_range(table: &Node) -> bool {
    ["from", "among", "low"].iter().any(|key| table.get(key).is_some())
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
        if !matches!(entry.value.value, Value::Table(_)) || is_range(&entry.value) {
            leaves.push((path, entry.place.clone(), entry.value.clone()));
        } else {
            descend(&path, &entry.value, leaves);
        }
    }
}
