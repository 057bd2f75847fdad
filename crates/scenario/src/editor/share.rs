//! Removes repetitions from a schema: repeated parts become definitions with references.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::{Map, Value as Json, json};

/// Annotations of a part, which may differ between equal parts.
const NOTES: [&str; 2] = ["description", "default"];

/// Returns a schema with `$defs` in which every repeated part above a minimum size occurs once.
pub(super) fn shared(mut schema: Json) -> Map<String, Json> {
    let own = schema.as_object_mut().and_then(|schema| schema.remove("$defs"));
    let own = if let Some(Json::Object(own)) = own { own } else { Map::new() };
    let mut sharing = Sharing { taken: own.keys().cloned().collect(), ..Sharing::default() };
    for schema in own.values().chain([&schema]) {
        sharing.count(schema);
    }
    for (name, schema) in &own {
        let body = sharing.parts_replaced(schema, name);
        sharing.definitions.insert(name.clone(), Json::Object(body));
    }
    let mut whole = sharing.parts_replaced(&schema, "scenario");
    whole.insert("$defs".to_owned(), sharing.definitions.into_iter().collect());
    whole
}

#[derive(Default)]
struct Sharing {
    /// The number of occurrences of each part, by its text.
    counts: HashMap<String, usize>,
    /// The replacement of each part.
    replaced: HashMap<String, Json>,
    definitions: BTreeMap<String, Json>,
    /// The names of definitions.
    taken: BTreeSet<String>,
}

impl Sharing {
    /// Counts the parts of a schema; those within a repeated part are counted once.
    fn count(&mut self, schema: &Json) {
        for (_, part) in parts(schema) {
            let count = self.counts.entry(text(part)).or_default();
            *count += 1;
            if *count == 1 {
                self.count(part);
            }
        }
    }

    /// Returns a part or a reference to it; `hint` is a suggested name.
    fn replace(&mut self, part: &Json, hint: &str) -> Json {
        let notes = part.as_object().into_iter().flatten().filter(|(key, _)| NOTES.contains(&key.as_str()));
        let notes: Map<String, Json> = notes.map(|(key, note)| (key.clone(), note.clone())).collect();
        let text = text(part);
        let body = if let Some(known) = self.replaced.get(&text) {
            known.clone()
        } else {
            let known = self.body(part, &text, hint);
            self.replaced.insert(text, known.clone());
            known
        };
        match body {
            _ if notes.is_empty() => body,
            // Older readers ignore keys beside a reference.
            Json::Object(body) if body.contains_key("$ref") => {
                let mut wrapped = Map::from_iter([("allOf".to_owned(), json!([body]))]);
                wrapped.extend(notes);
                Json::Object(wrapped)
            }
            Json::Object(mut body) => {
                body.extend(notes);
                Json::Object(body)
            }
            other => other,
        }
    }

    /// The replacement of a part at its first occurrence.
    fn body(&mut self, part: &Json, text: &str, hint: &str) -> Json {
        if !part.is_object() {
            return part.clone();
        }
        let mut body = self.parts_replaced(part, hint);
        for note in NOTES {
            body.remove(note);
        }
        let body = Json::Object(body);
        let count = self.counts.get(text).copied().unwrap_or(1);
        let length = body.to_string().len();
        let reference = r##"{"$ref":"#/$defs/"}"##.len() + hint.len();
        if count < 2 || count * length <= count * reference + length + hint.len() + 4 {
            return body;
        }
        let name = self.name(hint);
        let reference = json!({ "$ref": format!("#/$defs/{name}") });
        self.definitions.insert(name, body);
        reference
    }

    /// A name that no definition has.
    fn name(&mut self, hint: &str) -> String {
        let numbered = (2..).map(|number| format!("{hint}{number}"));
        let free = std::iter::once(hint.to_owned()).chain(numbered).find(|name| !self.taken.contains(name));
        let name = free.unwrap_or_default();
        self.taken.insert(name.clone());
        name
    }

    /// A schema with each of its parts replaced.
    fn parts_replaced(&mut self, schema: &Json, hint: &str) -> Map<String, Json> {
        let mut made = schema.as_object().cloned().unwrap_or_default();
        for (key, value) in &mut made {
            match (key.as_str(), &mut *value) {
                ("properties", Json::Object(properties)) => {
                    for (key, property) in properties {
                        *property = self.replace(property, key);
                    }
                }
                ("anyOf" | "oneOf" | "allOf", Json::Array(alternatives)) => {
                    for alternative in alternatives {
                        let hint = discriminator(alternative).unwrap_or(hint).to_owned();
                        *alternative = self.replace(alternative, &hint);
                    }
                }
                ("items" | "additionalProperties" | "if" | "else", part) => *part = self.replace(part, hint),
                _ => {}
            }
        }
        made
    }
}

/// The value that selects a table among alternatives.
fn discriminator(table: &Json) -> Option<&str> {
    let key = table.get("required").and_then(|required| required.get(0)).and_then(Json::as_str);
    let by_key = |key: &str| table["properties"][key]["const"].as_str();
    key.and_then(by_key).or_else(|| ["model", "kind"].into_iter().find_map(by_key))
}

/// A part without annotations, as text; the order of its keys does not matter.
fn text(part: &Json) -> String {
    let mut accepted = part.clone();
    if let Json::Object(accepted) = &mut accepted {
        accepted.retain(|key, _| !NOTES.contains(&key.as_str()));
    }
    accepted.sort_all_objects();
    accepted.to_string()
}

/// The direct subschemas of a schema, each with its key.
fn parts(schema: &Json) -> Vec<(&str, &Json)> {
    let mut parts = Vec::new();
    for (key, value) in schema.as_object().into_iter().flatten() {
        match (key.as_str(), value) {
            ("properties", Json::Object(properties)) => {
                parts.extend(properties.iter().map(|(key, property)| (key.as_str(), property)));
            }
            ("anyOf" | "oneOf" | "allOf", Json::Array(alternatives)) => {
                parts.extend(alternatives.iter().map(|alternative| (key.as_str(), alternative)));
            }
            ("items" | "additionalProperties" | "if" | "else", part) => parts.push((key.as_str(), part)),
            _ => {}
        }
    }
    parts
}
