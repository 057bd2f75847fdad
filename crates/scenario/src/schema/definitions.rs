//! The text of the schema that is built in, and what was read of it.
//!
//! Each line has a name, a tab, and a schema. What is in a [`Schema`] is read when it is first asked for: a scenario
//! names few of the alternatives that there are.

use std::collections::HashMap;
use std::sync::OnceLock;

use serde_json::{Map, Value as Json};

use hetsim_base::registry::CHOICE;

use super::{alternatives, named_definition};

/// The keys of this crate.
pub(crate) const BUILT_IN: &str = include_str!("keys.tsv");

/// The line of a whole scenario.
pub(crate) const SCENARIO: &str = "scenario";

/// The line of a text with a table `platform`.
pub(crate) const PLATFORM: &str = "platform";

/// The line of the tables that a floor above adds to a scenario.
pub(super) const TABLES: &str = "tables";

/// The JSON schema of a kind of file. Each alternative of a choice is a definition, `kind=broadcast`, to which the
/// choice refers.
#[derive(Debug)]
pub struct Schema {
    root: Json,
    definitions: HashMap<String, Definition>,
}

/// A schema to which others refer.
#[derive(Debug)]
struct Definition {
    text: &'static str,
    read: OnceLock<Json>,
}

impl Schema {
    /// That of scenarios with the tables of a floor above, from their text (empty for none), and with workloads from
    /// outside of hetsim.
    pub(crate) fn of_scenarios(tables: &'static str, registered: impl Iterator<Item = (&'static str, Json)>) -> Self {
        let mut schema = Self::from_lines(SCENARIO, BUILT_IN.lines().chain(tables.lines()));
        let more = schema.definition(TABLES).and_then(|tables| tables["properties"].as_object().cloned());
        if let Some(properties) = schema.root["properties"].as_object_mut() {
            let output = properties.shift_remove("output");
            properties.extend(more.into_iter().flatten());
            properties.extend(output.map(|output| ("output".to_owned(), output)));
        }
        registered.for_each(|(name, keys)| schema.add_kind(name, keys));
        schema
    }

    /// That of texts with a table `platform`.
    pub(crate) fn of_platforms() -> Self {
        Self::from_lines(PLATFORM, BUILT_IN.lines())
    }

    fn from_lines(root: &str, lines: impl Iterator<Item = &'static str>) -> Self {
        let named = lines.filter_map(|line| line.split_once('\t'));
        let definition = |(name, text): (&str, _)| (name.to_owned(), Definition { text, read: OnceLock::new() });
        let mut schema = Self { root: Json::Null, definitions: named.map(definition).collect() };
        schema.root = schema.definition(root).cloned().unwrap_or_default();
        schema
    }

    /// Adds a workload from outside of hetsim. Its definitions get names that no other has.
    fn add_kind(&mut self, name: &str, keys: Json) {
        let mut keys = prefixed(keys, name);
        let definitions = keys.as_object_mut().and_then(|keys| keys.remove("$defs"));
        for (name, schema) in definitions.as_ref().and_then(Json::as_object).into_iter().flatten() {
            self.definitions.insert(name.clone(), Definition { text: "", read: OnceLock::from(schema.clone()) });
        }
        if let Some(workloads) = self.root["properties"]["workload"]["oneOf"].as_array_mut() {
            workloads.push(keys);
            workloads.sort_by(|a, b| a["title"].as_str().cmp(&b["title"].as_str()));
        }
    }

    /// What the whole file is.
    #[must_use]
    pub const fn root(&self) -> &Json {
        &self.root
    }

    /// A definition by its name.
    ///
    /// # Panics
    /// Where the text that is built in is no JSON, which a test rules out.
    pub(crate) fn definition(&self, name: &str) -> Option<&Json> {
        let definition = self.definitions.get(name)?;
        Some(definition.read.get_or_init(|| {
            let read = serde_json::from_str(definition.text);
            read.unwrap_or_else(|error| panic!("the schema of {name} is no JSON: {error}"))
        }))
    }

    /// One document, in which alternatives stand where they are chosen, and other definitions under `$defs`.
    #[must_use]
    pub fn whole(&self) -> Json {
        let mut whole = self.root.clone();
        self.put_in(&mut whole);
        let is_shared = |name: &&String| !name.contains('=') && ![SCENARIO, PLATFORM, TABLES].contains(&name.as_str());
        let mut names: Vec<&String> = self.definitions.keys().filter(is_shared).collect();
        names.sort();
        let shared: Map<String, Json> = names
            .into_iter()
            .map(|name| {
                let mut schema = self.definition(name).cloned().unwrap_or_default();
                self.put_in(&mut schema);
                (name.clone(), schema)
            })
            .collect();
        whole["$defs"] = Json::Object(shared);
        whole
    }

    /// Puts alternatives where they are chosen.
    fn put_in(&self, schema: &mut Json) {
        match schema {
            Json::Object(object) => {
                if object.contains_key(CHOICE)
                    && let Some(alternatives) = object.get_mut("oneOf").and_then(Json::as_array_mut)
                {
                    for alternative in alternatives {
                        if let Some(named) = named_definition(alternative).and_then(|name| self.definition(name)) {
                            *alternative = named.clone();
                        }
                    }
                }
                object.values_mut().for_each(|value| self.put_in(value));
            }
            Json::Array(items) => items.iter_mut().for_each(|item| self.put_in(item)),
            _ => {}
        }
    }

    /// The names of a choice's alternatives, each with its keys.
    pub(crate) fn chosen_tables<'s>(&'s self, choice: &'s Json) -> Vec<(&'s str, &'s Json)> {
        let named = |alternative: &'s Json| Some((alternative["title"].as_str()?, self.resolve(alternative)));
        alternatives(choice).filter_map(named).collect()
    }
}

/// Every reference within a schema, and every definition, with a prefix.
fn prefixed(schema: Json, prefix: &str) -> Json {
    match schema {
        Json::Object(object) => {
            let renamed = |(key, value): (String, Json)| match (key.as_str(), value) {
                ("$ref", Json::String(name)) => (key, name.replace("#/$defs/", &format!("#/$defs/{prefix}:")).into()),
                ("$defs", Json::Object(definitions)) => {
                    let named = |(name, value)| (format!("{prefix}:{name}"), prefixed(value, prefix));
                    (key, Json::Object(definitions.into_iter().map(named).collect()))
                }
                (_, value) => (key, prefixed(value, prefix)),
            };
            Json::Object(object.into_iter().map(renamed).collect())
        }
        Json::Array(items) => Json::Array(items.into_iter().map(|item| prefixed(item, prefix)).collect()),
        plain => plain,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Its definition has the name of one of ours.
    #[test]
    fn a_workload_from_outside_keeps_its_own_definitions() {
        let keys = json!({
            "title": "mine",
            "properties": { "kind": { "const": "mine" }, "level": { "$ref": "#/$defs/LevelSpec" } },
            "$defs": { "LevelSpec": { "type": "integer" } },
        });
        let schema = Schema::of_scenarios("", std::iter::once(("mine", keys)));
        let choice = &schema.root()["properties"]["workload"];
        let tables = schema.chosen_tables(choice);
        assert!(tables.is_sorted_by_key(|(name, _)| *name));
        let (_, mine) = tables.iter().find(|(name, _)| *name == "mine").unwrap();
        assert_eq!(schema.resolve(&mine["properties"]["level"])["type"], "integer");
        assert_eq!(schema.definition("LevelSpec").unwrap()["type"], "object");
    }
}
