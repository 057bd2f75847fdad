//! Derives two schemas for a table that may be completed by an included file: one without required keys, and one with
//! only the requirements.
//!
//! An included file is merged key by key below a table, whereas a list replaces the file's list as a whole. So the
//! required keys of nested tables may be missing, but not those of list items.

use serde_json::{Map, Value as Json, json};

/// Removes the requirements of a table and of the tables within it. Those of list items remain, as a separate part, so
/// that the rest of a schema is the same wherever it occurs.
pub(super) fn without_requirements(schema: &mut Json) {
    let Json::Object(object) = schema else { return };
    object.remove("required");
    // Without the key that discriminates tables, a value may match several.
    if object.get("oneOf").is_some_and(is_of_tables)
        && let Some(alternatives) = object.remove("oneOf")
    {
        object.insert("anyOf".to_owned(), alternatives);
    }
    for (key, part) in object.iter_mut() {
        match (key.as_str(), part) {
            ("properties", Json::Object(properties)) => properties.values_mut().for_each(without_requirements),
            ("anyOf", Json::Array(alternatives)) => alternatives.iter_mut().for_each(without_requirements),
            ("additionalProperties", part) => without_requirements(part),
            ("items", part) => {
                let needed = requirements(part);
                without_requirements(part);
                if needed != json!({}) {
                    *part = json!({ "allOf": [part.take(), needed] });
                }
            }
            _ => {}
        }
    }
}

/// Whether alternatives are tables instead of names.
fn is_of_tables(alternatives: &Json) -> bool {
    alternatives.as_array().is_some_and(|all| all.iter().any(|alternative| alternative.get("properties").is_some()))
}

/// Keeps only the requirements of a table and of the tables within it.
pub(super) fn requirements(schema: &Json) -> Json {
    let mut needed = Map::new();
    let Json::Object(object) = schema else { return Json::Object(needed) };
    if let Some(required) = object.get("required") {
        needed.insert("required".to_owned(), required.clone());
    }
    let within = |part: &Json| Some(requirements(part)).filter(|requirements| *requirements != json!({}));
    let properties = object.get("properties").and_then(Json::as_object).into_iter().flatten();
    let properties: Map<String, Json> =
        properties.filter_map(|(key, property)| Some((key.clone(), within(property)?))).collect();
    if !properties.is_empty() {
        needed.insert("properties".to_owned(), properties.into());
    }
    if let Some(others) = object.get("additionalProperties").and_then(within) {
        needed.insert("additionalProperties".to_owned(), others);
    }
    if let Some(alternatives) = object.get("oneOf").filter(|all| is_of_tables(all)).and_then(Json::as_array) {
        needed.insert("anyOf".to_owned(), alternatives.iter().map(of_alternative).collect());
    } else if let Some(alternatives) = object.get("anyOf").and_then(Json::as_array) {
        let tables: Vec<&Json> = alternatives.iter().filter(|one| one["type"] == "object").collect();
        // Requirements of tables do not apply to other values.
        if let [table] = tables.as_slice()
            && let Json::Object(only) = requirements(table)
        {
            needed.extend(only);
        }
    }
    Json::Object(needed)
}

/// The requirements of one of several tables, with its discriminating value.
fn of_alternative(table: &Json) -> Json {
    let mut needed = requirements(table);
    for (key, property) in table["properties"].as_object().into_iter().flatten() {
        let tells =
            table["required"].as_array().and_then(|required| required.first()).is_some_and(|first| first == key);
        if !tells {
            continue;
        }
        let word = ["const", "enum"].into_iter().find(|word| property.get(*word).is_some()).unwrap_or("type");
        let mut told = json!({ word: property[word] });
        if let (Some(told), Json::Object(within)) = (told.as_object_mut(), requirements(property)) {
            told.extend(within);
        }
        needed["properties"][key] = told;
    }
    needed
}
