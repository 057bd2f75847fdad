//! What is meant by a key that is wrong where it stands: a key of a table nearby, or one that the sweep varies.

use serde_json::Value as Json;

use super::schema::{Schema, join};
use super::sweep::{VARIED, is_under};
use hetsim_text::{Node, Source, Value};

/// A longer list, in bytes, is not repeated in advice.
const LONGEST_LIST: usize = 60;

/// Advice on a list where one value is expected, if a sweep can vary the key.
pub(super) fn sweep_help(sources: &[Source], node: &Node, path: &str) -> Option<String> {
    let Value::Array(items) = &node.value else { return None };
    let is_varied = VARIED.iter().any(|table| is_under(path, table).is_some()) && path != "platform.include";
    if items.is_empty() || !is_varied || is_in_list(path) {
        return None;
    }
    let written = sources.get(node.place.source).and_then(|source| source.text.get(node.place.span.clone()));
    let is_short = |list: &&str| list.starts_with('[') && list.len() <= LONGEST_LIST && !list.contains('\n');
    let list = written.filter(is_short).unwrap_or("[…]");
    Some(format!("for several values keep one here and add: [sweep] \"{path}\" = {list}"))
}

/// Whether a path leads into a list, which no heading and no key of a sweep does.
pub(super) fn is_in_list(path: &str) -> bool {
    path.split('.').any(|part| part.parse::<usize>().is_ok())
}

/// Advice on one value in place of a list, or the other way round, if another key of the table takes it: `speed` is that
/// of all nodes, and `speeds`, which may be left out, those of each.
pub(super) fn other_number(table: &Json, key: &str, value: &Node) -> Option<String> {
    let is_list = matches!(value.value, Value::Array(_));
    let one = if is_list { key } else { key.strip_suffix('s')? };
    let several = format!("{one}s");
    let (single, list) = (table.get("properties")?.get(one)?, table.get("properties")?.get(&several)?);
    let is_same = list["type"][0] == "array" && list["items"]["format"] == single["format"];
    let (what, other) = if is_list { ("each", several.as_str()) } else { ("all", one) };
    is_same.then(|| format!("one value for {what}: `{other}`"))
}

/// The most keys that are named as those meant by the end of their paths.
const MOST_KEYS: usize = 3;

/// Advice on a key of a sweep that is in none of the tables that it varies: the keys whose paths end in it.
pub(super) fn whole_path_help(schema: &Schema, tree: &Node, end: &str) -> String {
    let mut known = Vec::new();
    let tables = VARIED.iter().filter_map(|&table| Some((table.to_owned(), tree.get(table)?)));
    let mut tables: Vec<(String, &Node)> = tables.collect();
    while let Some((path, table)) = tables.pop() {
        let key = join(&path, end);
        if key.rsplit_once('.').is_some_and(|(above, last)| schema.keys_at(above, tree).contains(&last)) {
            known.push(format!("\"{key}\""));
        }
        let inner = table.entries().iter().filter(|entry| matches!(entry.value.value, Value::Table(_)));
        tables.extend(inner.map(|entry| (join(&path, &entry.key), &entry.value)));
    }
    known.sort_unstable();
    let varied = "a sweep varies keys of `platform`, `workload` and `study`";
    if known.is_empty() || known.len() > MOST_KEYS {
        return varied.to_owned();
    }
    format!("{varied}, each by its whole path: {}", known.join(" or "))
}
