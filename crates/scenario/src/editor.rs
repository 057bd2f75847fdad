//! The JSON schema for editors: what the schema of the notation says, in a short form that accepts every text that
//! hetsim accepts.
//!
//! The schema that texts are checked by here describes a scenario after the included file has been put under it, and
//! has marks of our own for what a general validator can't know. An editor sees the text before that. So `platform`
//! need not be whole where it includes a file, a model may be a table that names its formula, and no value is ever
//! null.

mod partial;
mod share;

use std::collections::BTreeSet;

use serde_json::{Map, Value as Json, json};

use hetsim_base::registry::CHOICE;
use partial::{requirements, without_requirements};

use super::schema::{Schema, named_definition};

/// What a schema for editors is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Described {
    /// A scenario.
    Scenario,
    /// A file that `platform.include` names.
    Platform,
}

/// The notation that editors understand best.
const DRAFT: &str = "http://json-schema.org/draft-07/schema#";

/// The JSON schema for editors of a kind of file, from the notation's; with what each key means, its default and an
/// example, if `explained`.
#[must_use]
pub fn editor_schema(schema: &Schema, of: Described, explained: bool) -> Json {
    let root = &schema.whole();
    let plain = Plain { root, recursive: recursive(root), explained };
    let mut platform = plain.of(&root["properties"]["platform"]);
    let needed = requirements(&platform);
    without_requirements(&mut platform);
    let mut whole = match of {
        Described::Platform => {
            platform["properties"].as_object_mut().map(|keys| keys.remove("include"));
            platform
        }
        Described::Scenario => {
            let mut scenario = plain.of(root);
            // What a file says that is included here need not be said again.
            let unless = json!({ "if": { "required": ["include"] }, "else": needed });
            let key = &mut scenario["properties"]["platform"];
            let about = key.as_object_mut().and_then(|key| key.remove("description"));
            *key = json!({ "allOf": [platform, unless] });
            key.as_object_mut().zip(about).map(|(key, about)| key.insert("description".to_owned(), about));
            scenario["oneOf"] = json!([{ "required": ["platform", "workload"] }, { "required": ["study"] }]);
            scenario
        }
    };
    let kept = plain.recursive.iter().map(|name| (name.clone(), plain.of(&root["$defs"][name])));
    whole["$defs"] = Json::Object(kept.collect());
    let mut made = share::shared(whole);
    let title = match of {
        Described::Scenario => "hetsim scenario",
        Described::Platform => "hetsim platform",
    };
    made.insert("$schema".to_owned(), DRAFT.into());
    made.insert("title".to_owned(), title.into());
    Json::Object(made)
}

/// The names of the definitions that contain themselves.
fn recursive(root: &Json) -> BTreeSet<String> {
    let Some(definitions) = root["$defs"].as_object() else { return BTreeSet::new() };
    let reaches_itself = |name: &str| {
        let mut seen = BTreeSet::new();
        let mut waiting = vec![&definitions[name]];
        while let Some(schema) = waiting.pop() {
            match schema {
                Json::Object(object) => {
                    if let Some(other) = named_definition(schema)
                        && seen.insert(other)
                    {
                        waiting.extend(definitions.get(other));
                    }
                    waiting.extend(object.values());
                }
                Json::Array(items) => waiting.extend(items),
                _ => {}
            }
        }
        seen.contains(name)
    };
    definitions.keys().filter(|name| reaches_itself(name)).cloned().collect()
}

/// Makes schemas in the words of JSON schema alone.
struct Plain<'a> {
    root: &'a Json,
    /// The definitions that stay references.
    recursive: BTreeSet<String>,
    /// Whether descriptions, defaults and examples are kept.
    explained: bool,
}

impl Plain<'_> {
    /// The same schema without marks of our own, references, and null.
    fn of(&self, schema: &Json) -> Json {
        let Some(object) = schema.as_object() else { return schema.clone() };
        let mut plain = if let Some(name) = named_definition(schema) {
            self.definition(name)
        } else if object.contains_key(CHOICE) {
            self.choice(schema)
        } else if let Some(alternatives) = object.get("anyOf").and_then(Json::as_array) {
            self.alternatives(alternatives)
        } else if let Some(names) = object.get("oneOf").and_then(Json::as_array) {
            self.names(names)
        } else if let Some(names) = object.get("enum").and_then(Json::as_array) {
            enumeration(names)
        } else {
            self.plain_keys(object)
        };
        if self.explained {
            for key in ["description", "default", "examples"] {
                let is_said = |said: &&Json| !matches!(said, Json::Null) && **said != json!([]) && **said != json!({});
                if let Some(said) = object.get(key).filter(is_said) {
                    plain.insert(key.to_owned(), said.clone());
                }
            }
        }
        Json::Object(plain)
    }

    fn definition(&self, name: &str) -> Map<String, Json> {
        if self.recursive.contains(name) {
            return Map::from_iter([("$ref".to_owned(), format!("#/$defs/{name}").into())]);
        }
        self.object_of(&self.root["$defs"][name])
    }

    fn object_of(&self, schema: &Json) -> Map<String, Json> {
        if let Json::Object(object) = self.of(schema) { object } else { Map::new() }
    }

    /// Tables that one key's value tells apart.
    fn choice(&self, schema: &Json) -> Map<String, Json> {
        let key = schema[CHOICE].as_str().unwrap_or_default();
        let mut alternatives = Vec::new();
        for alternative in schema["oneOf"].as_array().into_iter().flatten() {
            let table = self.of(alternative);
            let named_by_file = alternative["properties"][key]["const"] == FITTED && key == MODEL;
            alternatives.extend(named_by_file.then(|| model_by_file(&table)));
            alternatives.push(table);
        }
        let alternatives = merged(alternatives, key);
        let (common, alternatives) = common_keys(alternatives);
        let common = Some(("properties".to_owned(), Json::Object(common))).filter(|(_, keys)| *keys != json!({}));
        common.into_iter().chain([("oneOf".to_owned(), alternatives.into())]).collect()
    }

    fn alternatives(&self, alternatives: &[Json]) -> Map<String, Json> {
        let real: Vec<&Json> = alternatives.iter().filter(|alternative| alternative["type"] != "null").collect();
        if let [only] = real.as_slice() {
            return self.object_of(only);
        }
        if real.iter().all(|alternative| alternative.get("const").is_some()) {
            let names: Vec<Json> = real.iter().map(|alternative| alternative["const"].clone()).collect();
            return enumeration(&names);
        }
        Map::from_iter([("anyOf".to_owned(), real.into_iter().map(|alternative| self.of(alternative)).collect())])
    }

    /// Names, each with what it means.
    fn names(&self, names: &[Json]) -> Map<String, Json> {
        if self.explained {
            return Map::from_iter([("oneOf".to_owned(), names.iter().map(|name| self.of(name)).collect())]);
        }
        let names: Vec<Json> = names.iter().map(|name| name["const"].clone()).collect();
        enumeration(&names)
    }

    fn plain_keys(&self, object: &Map<String, Json>) -> Map<String, Json> {
        let mut plain = Map::new();
        for (key, value) in object {
            let value = match key.as_str() {
                "type" if object.contains_key("const") => continue,
                "type" => one_type(value),
                "properties" => self.properties(value),
                "items" | "additionalProperties" => self.of(value),
                "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => short_number(value),
                "required" | "minItems" | "maxItems" | "const" => value.clone(),
                _ => continue,
            };
            plain.insert(key.clone(), value);
        }
        plain
    }

    fn properties(&self, properties: &Json) -> Json {
        let mut plain: Map<String, Json> = Map::new();
        for (key, property) in properties.as_object().into_iter().flatten() {
            let mut value = self.of(property);
            let names = value.get("enum").and_then(Json::as_array);
            // A part of a network has the keys of all models.
            if key == MODEL && names.is_some_and(|names| names.contains(&FITTED.into())) {
                value = json!({ "anyOf": [value, { "type": "object", "required": [FITTED] }] });
            }
            plain.insert(key.clone(), value);
        }
        Json::Object(plain)
    }
}

/// Tables that are told apart by a name and have the same keys otherwise are one.
fn merged(tables: Vec<Json>, key: &str) -> Vec<Json> {
    let mut kinds: Vec<(Json, Vec<Json>)> = Vec::new();
    for mut table in tables {
        let name = table["properties"][key].get_mut("const").map(Json::take);
        let names: Vec<Json> = name.into_iter().collect();
        match kinds.iter_mut().find(|(other, known)| *other == table && !known.is_empty() && !names.is_empty()) {
            Some((_, known)) => known.extend(names),
            None => kinds.push((table, names)),
        }
    }
    let named = |(mut table, mut names): (Json, Vec<Json>)| {
        match (names.pop(), names.is_empty()) {
            (None, _) => {}
            (Some(only), true) => table["properties"][key]["const"] = only,
            (Some(last), false) => {
                names.push(last);
                table["properties"][key] = json!({ "enum": names });
            }
        }
        table
    };
    kinds.into_iter().map(named).collect()
}

/// The keys that several tables have, and that are the same in each table which has them, said once; what is left of
/// the tables says of such a key only that it is there.
fn common_keys(mut tables: Vec<Json>) -> (Map<String, Json>, Vec<Json>) {
    let mut common: Map<String, Json> = Map::new();
    if tables.iter().any(|table| table["additionalProperties"] != Json::Bool(false)) {
        return (common, tables);
    }
    let keys = |table: &Json| table["properties"].as_object().cloned().unwrap_or_default();
    let all: Vec<(String, Json)> = tables.iter().flat_map(keys).collect();
    for (key, property) in &all {
        let of_key: Vec<&Json> = all.iter().filter(|(other, _)| other == key).map(|(_, property)| property).collect();
        if of_key.len() > 1 && of_key.iter().all(|other| *other == property) {
            common.insert(key.clone(), property.clone());
        }
    }
    for property in tables.iter_mut().filter_map(|table| table["properties"].as_object_mut()).flatten() {
        if common.contains_key(property.0) {
            *property.1 = Json::Bool(true);
        }
    }
    (common, tables)
}

/// The key that names a network's model, and the model that may be named by the file of its formula.
const MODEL: &str = "model";
const FITTED: &str = "fitted";

/// The notation `model = { fitted = "FILE" }`, with the model's other keys beside it or within.
fn model_by_file(table: &Json) -> Json {
    let mut within = table["properties"].as_object().cloned().unwrap_or_default();
    within.remove(MODEL);
    if let Some(file) = within.remove("formula") {
        within.insert(FITTED.to_owned(), file);
    }
    let mut short = table.clone();
    short["properties"][MODEL] =
        json!({ "type": "object", "additionalProperties": false, "properties": within, "required": [FITTED] });
    short["properties"].as_object_mut().map(|keys| keys.remove("formula"));
    if let Some(required) = short["required"].as_array_mut() {
        required.retain(|key| key != "formula");
    }
    short
}

/// Names; where they are all pairs `first+second`, those by a pattern.
fn enumeration(names: &[Json]) -> Map<String, Json> {
    let texts = || names.iter().filter_map(Json::as_str);
    let pairs: Vec<(&str, &str)> = texts().filter_map(|name| name.split_once('+')).collect();
    let firsts: BTreeSet<&str> = pairs.iter().map(|pair| pair.0).collect();
    let seconds: BTreeSet<&str> = pairs.iter().map(|pair| pair.1).collect();
    let is_plain = |name: &&str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let all = pairs.len() == firsts.len() * seconds.len() && firsts.iter().chain(&seconds).all(is_plain);
    if pairs.is_empty() || !all {
        return Map::from_iter([("enum".to_owned(), names.into())]);
    }
    let either = |names: BTreeSet<&str>| names.into_iter().collect::<Vec<_>>().join("|");
    let single: Vec<&str> = texts().filter(|name| !name.contains('+')).collect();
    let pattern = format!("^({})\\+({})$", either(firsts), either(seconds));
    Map::from_iter([("anyOf".to_owned(), json!([{ "enum": single }, { "type": "string", "pattern": pattern }]))])
}

/// The type of a value that is given: none is null in TOML.
fn one_type(kind: &Json) -> Json {
    let Some(kinds) = kind.as_array() else { return kind.clone() };
    let real: Vec<&Json> = kinds.iter().filter(|kind| **kind != "null").collect();
    if let [only] = real.as_slice() { (*only).clone() } else { json!(real) }
}

/// A whole number without its fraction.
fn short_number(number: &Json) -> Json {
    let whole = number.as_f64().filter(|value| value.fract() == 0.0 && value.abs() < 1e15);
    whole.map_or_else(|| number.clone(), |value| (value as i64).into())
}
