//! What is meant by a key that is wrong where it stands: a key of a table nearby, or one that the sweep varies.

use serde_json::Value as Json;

use super::calibrated::TABLE as CALIBRATION;
use super::schema::{Schema, alternatives, join};
use super::sweep::{VARIED, is_under};
use hetsim_text::{Node, Source, Value};

/// A longer list, in bytes, is not repeated in advice.
const LONGEST_LIST: usize = 60;

/// The most tables that are named as those of a key.
const MOST_TABLES: usize = 2;

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

/// The tables around a value: the path and the schema of each, the outermost first.
pub(super) type Above<'a> = [(String, &'a Json)];

/// Where a key belongs that the innermost of these tables, `node`, does not know: in tables within it, in those around
/// it, or in those beside it.
pub(super) fn whose(schema: &Schema, tables: &Above<'_>, node: &Node, key: &str) -> Option<String> {
    let ((path, table), above) = tables.split_last()?;
    let within = inside(schema, table, Some(node), path, key);
    let around = above.iter().rev().filter(|(_, table)| has_key(table, key)).map(|(path, _)| path.clone());
    let beside = above.last().into_iter().flat_map(|(path, table)| inside(schema, table, None, path, key));
    let beside = beside.filter(|beside| beside != path);
    let mut found: Vec<String> = Vec::new();
    for path in within.into_iter().chain(around).chain(beside) {
        if found.len() < MOST_TABLES && !found.contains(&path) {
            found.push(path);
        }
    }
    let named: Vec<String> = found.iter().map(|path| called(path)).collect();
    (!named.is_empty()).then(|| format!("`{key}` is a key of {}", named.join(" and of ")))
}

/// A table in words.
fn called(path: &str) -> String {
    let keys: Vec<&str> = path.split('.').filter(|part| part.parse::<usize>().is_err()).collect();
    if path.is_empty() {
        "the scenario itself, above its first table".to_owned()
    } else {
        format!("`{}`", keys.join("."))
    }
}

/// The paths of the tables right inside a table that know a key: of those that are given, or else of all.
fn inside(schema: &Schema, table: &Json, node: Option<&Node>, path: &str, key: &str) -> Vec<String> {
    let properties = table.get("properties").and_then(Json::as_object).into_iter().flatten();
    let knowing = properties.filter_map(|(name, property)| {
        let (path, given) = (join(path, name), node.and_then(|node| node.get(name)));
        if knows(schema, property, given, key) {
            return Some((given.is_some(), path));
        }
        // Tables with names of the user's choice.
        let named = schema.alternative(schema.resolve(property), None)?.get("additionalProperties")?;
        knows(schema, named, None, key).then(|| (given.is_some(), join(&path, "NAME")))
    });
    let knowing: Vec<(bool, String)> = knowing.filter(|(_, path)| path != CALIBRATION).collect();
    let are_given = knowing.iter().any(|(is_given, _)| *is_given);
    knowing.into_iter().filter(|(is_given, _)| *is_given == are_given).map(|(_, path)| path).collect()
}

/// Whether a table may have a key; of alternatives among which `node` does not choose, whether any may.
fn knows(schema: &Schema, property: &Json, node: Option<&Node>, key: &str) -> bool {
    let table = schema.resolve(property);
    let table = schema.form(table, node).unwrap_or(table);
    match schema.alternative(table, node) {
        Some(chosen) => has_key(chosen, key),
        None => alternatives(table).any(|alternative| has_key(schema.resolve(alternative), key)),
    }
}

fn has_key(table: &Json, key: &str) -> bool {
    table.get("properties").is_some_and(|properties| properties.get(key).is_some())
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
