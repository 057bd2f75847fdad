//! Makes the text of the schema from the types that the keys become. It is built in, so that no program makes it at its
//! start; tests compare it with what is made.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Value as Json, json};

use hetsim_base::registry::CHOICE;

use super::definitions::{Schema, TABLES};

/// The lines of some roots and of all that they refer to, which a generator has collected.
#[cfg(test)]
pub(crate) fn as_text(roots: Vec<(&str, Json)>, generator: SchemaGenerator) -> String {
    Making { known: None, made: BTreeMap::new() }.text(roots, generator)
}

/// The tables that a floor above adds to scenarios, the fields of `T`, as a text with which
/// [`Notation::with`](crate::Notation::with) is made.
#[must_use]
pub fn tables_as_text<T: JsonSchema>() -> String {
    let mut generator = SchemaGenerator::default();
    let tables = T::json_schema(&mut generator).to_value();
    let known = Schema::of_scenarios("", std::iter::empty());
    Making { known: Some(&known), made: BTreeMap::new() }.text(vec![(TABLES, tables)], generator)
}

/// Definitions, as they are collected.
struct Making<'a> {
    /// Those that are there already.
    known: Option<&'a Schema>,
    made: BTreeMap<String, Json>,
}

impl Making<'_> {
    /// The lines of some roots and of all that they refer to.
    fn text(mut self, roots: Vec<(&str, Json)>, mut generator: SchemaGenerator) -> String {
        for (name, mut schema) in generator.take_definitions(true) {
            self.split(&mut schema);
            let made = self.name(&name, schema);
            assert_eq!(made, name, "two types have the name {name} in the schema, but not the same keys");
        }
        let mut text = String::new();
        for (name, mut schema) in roots {
            self.split(&mut schema);
            let _ = writeln!(text, "{name}\t{schema}");
        }
        self.made.iter().for_each(|(name, schema)| _ = writeln!(text, "{name}\t{schema}"));
        text
    }

    /// Makes definitions of all alternatives.
    fn split(&mut self, schema: &mut Json) {
        match schema {
            Json::Object(object) => {
                object.values_mut().for_each(|value| self.split(value));
                let Some(key) = object.get(CHOICE).and_then(Json::as_str).map(str::to_owned) else { return };
                for alternative in object.get_mut("oneOf").and_then(Json::as_array_mut).into_iter().flatten() {
                    let title = alternative["title"].as_str().unwrap_or_default().to_owned();
                    let name = self.name(&format!("{key}={title}"), alternative.take());
                    *alternative = json!({ "title": title, "$ref": format!("#/$defs/{name}") });
                }
            }
            Json::Array(items) => items.iter_mut().for_each(|item| self.split(item)),
            _ => {}
        }
    }

    /// The name of a definition: this one, or with a number where another has it.
    fn name(&mut self, name: &str, schema: Json) -> String {
        let numbered = (2..).map(|number| format!("{name}{number}"));
        for name in std::iter::once(name.to_owned()).chain(numbered) {
            let known = self.known.and_then(|known| known.definition(&name));
            match known.or_else(|| self.made.get(&name)) {
                Some(other) if *other == schema => return name,
                Some(_) => {}
                None => {
                    self.made.insert(name.clone(), schema);
                    return name;
                }
            }
        }
        unreachable!("there are names enough")
    }
}
