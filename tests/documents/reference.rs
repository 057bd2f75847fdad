//! `docs/reference.md`: every table of keys that a scenario may have, from the schema.
//!
//! Tables that look alike stand there once, and others refer to them. One key may hold different tables, as
//! `workload.search` does for each kind of workload: those have sections of their own, with the choices that lead there
//! in their headings.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use hetsim::report::spec::NOTATION;
use serde_json::Value as Json;

use super::document;

/// What the section of the whole file is called.
const WHOLE: &str = "The scenario";

/// A table of keys, or several among which one key chooses.
struct Section {
    /// The dotted key that holds it.
    path: String,
    /// The choices on the way there: `genetic`, or `fair` and `torus`.
    choices: Vec<String>,
    about: String,
    schema: Json,
}

impl Section {
    /// What tells a section from others: its keys, and not what is said of the whole.
    fn content(&self) -> String {
        let mut keys_alone = self.schema.clone();
        keys_alone.as_object_mut().and_then(|schema| schema.remove("description"));
        keys_alone.to_string()
    }

    /// The tables that one of several names chooses, each with that name; one table without.
    fn tables(&self) -> Vec<(Option<&str>, &Json)> {
        if self.schema.get("x-choice").is_none() {
            return vec![(None, &self.schema)];
        }
        let alternatives = self.schema["oneOf"].as_array().into_iter().flatten();
        alternatives.map(|alternative| (alternative["title"].as_str(), alternative)).collect()
    }

    /// The key by which a table is chosen, if one is.
    fn choice(&self) -> Option<&str> {
        self.schema["x-choice"].as_str()
    }

    /// The tables that the keys of this one hold.
    fn within(&self) -> Vec<Self> {
        let mut within = Vec::new();
        for (name, table) in self.tables() {
            let choices: Vec<String> = self.choices.iter().cloned().chain(name.map(str::to_owned)).collect();
            for (key, property) in keys_of(table, self.choice()) {
                let about = property["description"].as_str().unwrap_or_default();
                let path = if self.path == WHOLE { key.clone() } else { format!("{}.{key}", self.path) };
                for schema in describe(property).1 {
                    let about = schema["description"].as_str().unwrap_or(about).to_owned();
                    // A table within one of its own kind, as phases within phases, has the same keys.
                    if schema != *table {
                        within.push(Self { path: path.clone(), choices: choices.clone(), about, schema });
                    }
                }
            }
        }
        within
    }
}

fn whole() -> Section {
    Section { path: WHOLE.to_owned(), choices: Vec::new(), about: String::new(), schema: NOTATION.schema().clone() }
}

/// Every section in the order of the document; tables within one that is like an earlier one are left out.
fn sections() -> Vec<Section> {
    let mut waiting = vec![whole()];
    let mut seen: BTreeSet<(String, Vec<String>, String)> = BTreeSet::new();
    let mut described: BTreeSet<String> = BTreeSet::new();
    let mut sections = Vec::new();
    while !waiting.is_empty() {
        let section = waiting.remove(0);
        if !seen.insert((section.path.clone(), section.choices.clone(), section.content())) {
            continue;
        }
        if described.insert(section.content()) {
            waiting.splice(0..0, section.within());
        }
        sections.push(section);
    }
    sections
}

/// The heading of each table at each key: the key, and where it holds tables of several kinds, the choices that lead to
/// it.
fn headings(sections: &[Section]) -> BTreeMap<(String, String), String> {
    let mut kinds: BTreeMap<&str, Vec<(String, BTreeSet<String>)>> = BTreeMap::new();
    for section in sections {
        let at = kinds.entry(&section.path).or_default();
        let (content, by) = (section.content(), section.choices.join(" "));
        match at.iter_mut().find(|(other, _)| *other == content) {
            Some((_, choices)) => _ = choices.insert(by),
            None => at.push((content, BTreeSet::from([by]))),
        }
    }
    let mut headings = BTreeMap::new();
    for (path, kinds) in kinds {
        let several = kinds.len() > 1;
        for (content, choices) in kinds {
            let by = choices.into_iter().collect::<Vec<_>>().join(", ");
            let heading = if several { format!("{path} ({by})") } else { path.to_owned() };
            headings.insert((path.to_owned(), content), heading);
        }
    }
    headings
}

fn made() -> String {
    let mut text = "# Reference: the keys of a scenario\n\n\
        Made by `HETSIM_BLESS=1 cargo test --test documents` from the types that the keys become; `hetsim schema` prints the\n\
        same for editors. Quantities are strings with their unit (`\"48.39us\"`, `\"1Gbit/s\"`, `\"512KiB\"`). In results they\n\
        stand in their base unit: seconds, bytes, bytes a second, operations.\n"
        .to_owned();
    let sections = sections();
    let headings = headings(&sections);
    let mut written: BTreeSet<&str> = BTreeSet::new();
    // Where each kind of table has been described: networks, steps and others stand in many places, and once is enough.
    let mut described: BTreeMap<String, &str> = BTreeMap::new();
    for section in &sections {
        let content = section.content();
        let heading = headings[&(section.path.clone(), content.clone())].as_str();
        if !written.insert(heading) {
            continue;
        }
        let _ = write!(text, "\n## {heading}\n\n");
        if !section.about.is_empty() {
            let _ = write!(text, "{}\n\n", one_line(&section.about));
        }
        if let Some(heading) = described.get(&content) {
            let _ = write!(text, "The keys are those of [{heading}](#{}).\n\n", anchor(heading));
            continue;
        }
        described.insert(content, heading);
        for (name, table) in section.tables() {
            if let (Some(key), Some(name)) = (section.choice(), name) {
                let about = table["description"].as_str().unwrap_or_default();
                let _ = write!(text, "### `{key} = \"{name}\"`\n\n{}\n\n", one_line(about));
            }
            keys(&mut text, table, section.choice());
        }
    }
    text
}

#[test]
fn reference() {
    document("docs/reference.md", &made());
}

/// The name by which a heading is linked to.
fn anchor(heading: &str) -> String {
    let kept = heading.to_lowercase().chars().filter(|c| c.is_alphanumeric() || "-_ ".contains(*c)).collect::<String>();
    kept.replace(' ', "-")
}

/// The keys of a table but for the one by which it is chosen.
fn keys_of<'a>(table: &'a Json, choice: Option<&str>) -> impl Iterator<Item = (&'a String, &'a Json)> {
    table["properties"].as_object().into_iter().flatten().filter(move |(key, _)| Some(key.as_str()) != choice)
}

/// The table of an object's keys.
fn keys(text: &mut String, object: &Json, choice: Option<&str>) {
    let rows: Vec<_> = keys_of(object, choice).collect();
    if rows.is_empty() {
        text.push_str("No keys of its own.\n\n");
        return;
    }
    text.push_str("| key | value | meaning |\n|---|---|---|\n");
    for (key, property) in rows {
        let about = property["description"].as_str().unwrap_or_default();
        let needed = object["required"].as_array().is_some_and(|required| required.iter().any(|name| name == key));
        let default = match &property["default"] {
            _ if needed => "; required".to_owned(),
            Json::Null | Json::Object(_) => String::new(),
            Json::Array(items) if items.is_empty() => String::new(),
            default => format!("; default `{default}`"),
        };
        let kind = describe(property).0;
        let _ = writeln!(text, "| `{key}` | {kind}{default} | {} |", one_line(about).replace('|', "\\|"));
    }
    text.push('\n');
}

/// What kind of value a key takes, in words, and the tables that it holds, if it does.
fn describe(property: &Json) -> (String, Vec<Json>) {
    let mut schema = property.clone();
    while let Some(reference) = schema["$ref"].as_str() {
        schema = NOTATION.schema().pointer(reference.trim_start_matches('#')).unwrap().clone();
    }
    if schema.get("x-choice").is_some() {
        return ("table".to_owned(), vec![schema]);
    }
    if let Some(names) = schema["enum"].as_array() {
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        return (if names.len() > 20 { "name, see `hetsim list`".to_owned() } else { names.join(", ") }, Vec::new());
    }
    if let Some(names) = schema["oneOf"].as_array() {
        let names: Vec<String> = names.iter().map(|name| format!("`{}`", name["const"])).collect();
        return (names.join(", "), Vec::new());
    }
    if let Some(alternatives) = schema["anyOf"].as_array() {
        let described: Vec<_> = alternatives.iter().filter(|a| a["type"] != "null").map(describe).collect();
        let mut words: Vec<String> = described.iter().map(|(words, _)| words.clone()).collect();
        words.dedup();
        return (words.join(" or "), described.into_iter().flat_map(|(_, tables)| tables).collect());
    }
    let kind = match &schema["type"] {
        Json::Array(kinds) => kinds.iter().find(|kind| **kind != "null").cloned().unwrap_or_default(),
        kind => kind.clone(),
    };
    match kind.as_str().unwrap_or_default() {
        "string" => (schema["format"].as_str().unwrap_or("string").to_owned(), Vec::new()),
        "integer" => ("whole number".to_owned(), Vec::new()),
        "array" => {
            let (of, tables) = describe(&schema["items"]);
            let words = if tables.is_empty() { format!("list of {of}") } else { "tables".to_owned() };
            (words, tables)
        }
        "object" if schema["properties"].is_object() => ("table".to_owned(), vec![schema]),
        "object" => {
            let (of, mut tables) = describe(&schema["additionalProperties"]);
            for table in &mut tables {
                table["x-named"] = true.into();
            }
            let words = match (tables.is_empty(), of.as_str()) {
                (false, _) => "tables by name".to_owned(),
                (true, "") => "table".to_owned(),
                (true, of) => format!("table of {of}"),
            };
            (words, tables)
        }
        other => (other.to_owned(), Vec::new()),
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Every key that the schema has anywhere stands in the reference as it is made now, under the table that holds it.
#[test]
fn the_reference_has_every_key() {
    let text = made();
    let written: BTreeMap<&str, &str> =
        text.split("\n## ").skip(1).filter_map(|section| section.split_once('\n')).collect();
    let mut missing = Vec::new();
    let mut waiting = vec![(whole(), 0)];
    let (mut keys, mut most) = (0, 0);
    while let Some((section, depth)) = waiting.pop() {
        let by = section.choices.join(" ");
        // The section of its key alone, or the one that names its choices.
        let found = written.iter().find(|(heading, _)| {
            let choices = heading.strip_prefix(section.path.as_str()).and_then(|rest| rest.strip_prefix(" ("));
            **heading == section.path
                || choices.is_some_and(|choices| choices.trim_end_matches(')').split(", ").any(|one| one == by))
        });
        // Tables within others that look like an earlier one are found there.
        let mut body = found.map(|(_, body)| *body);
        while let Some(other) = body.and_then(|body| body.split_once("The keys are those of [")) {
            body = other.1.split_once(']').and_then(|(heading, _)| written.get(heading)).copied();
        }
        for (name, table) in section.tables() {
            let part = match (name, section.choice()) {
                (Some(name), Some(key)) => {
                    let heading = format!("### `{key} = \"{name}\"`\n");
                    body.and_then(|body| body.split_once(&heading))
                        .map(|(_, part)| part.split("\n### ").next().unwrap())
                }
                _ => body,
            };
            for (key, _) in keys_of(table, section.choice()) {
                keys += 1;
                if !part.is_some_and(|part| part.contains(&format!("\n| `{key}` | "))) {
                    missing.push(format!("{} ({by} {}): {key}", section.path, name.unwrap_or_default()));
                }
            }
        }
        most = most.max(depth);
        // A table that refers to another leaves what lies within to that one.
        let is_written_here = found.is_some_and(|(_, body)| !body.contains("The keys are those of ["));
        if is_written_here && depth < 12 {
            waiting.extend(section.within().into_iter().map(|inner| (inner, depth + 1)));
        }
    }
    assert!(most < 12, "tables within tables without an end");
    assert!(keys > 700, "only {keys} keys were looked at");
    // And wherever a key stands in the schema, by whatever way it is reached.
    let mut parts = vec![NOTATION.schema()];
    while let Some(part) = parts.pop() {
        match part {
            Json::Object(object) => {
                for (key, _) in object.get("properties").and_then(Json::as_object).into_iter().flatten() {
                    if !text.contains(&format!("\n| `{key}` | ")) && !text.contains(&format!("### `{key} = \"")) {
                        missing.push(format!("anywhere: {key}"));
                    }
                }
                parts.extend(object.values());
            }
            Json::Array(items) => parts.extend(items),
            _ => {}
        }
    }
    assert!(missing.is_empty(), "{} of {keys} keys are missing:\n{}", missing.len(), missing.join("\n"));
}
