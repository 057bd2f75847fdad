//! What is left of a schema where a part of the value may come from an included file, and what has to be there otherwise.
//!
//! A file is put below a table key by key, and a list takes the place of the file's list as a whole. So what may be missing is
//! what tables within tables demand, and not the items of lists.

use serde_json::{Map, Value as Json, json};

/// Takes away what a table and the tables within it demand. What each item of a list demands is kept, as a part of its own:
/// so the rest of a schema is the same wherever it stands.
pub(super) fn loose(schema: &mut Json) {
    let Json::Object(object) = schema else { return };
    object.remove("required");
    // Without the key that tells tables apart, a value may fit several.
    if object.get("oneOf").is_some_and(is_of_tables)
        && let Some(alternatives) = object.remove("oneOf")
    {
        object.insert("anyOf".to_owned(), alternatives);
    }
    for (key, part) in object.iter_mut() {
        match (key.as_str(), part) {
            ("properties", Json::Object(properties)) => properties.values_mut().for_each(loose),
            ("anyOf", Json::Array(alternatives)) => alternatives.iter_mut().for_each(loose),
            ("additionalProperties", part) => loose(part),
            ("items", part) => {
                let needed = demands(part);
                loose(part);
                if needed != json!({}) {
                    *part = json!({ "allOf": [part.take(), needed] });
                }
            }
            _ => {}
        }
    }
}

/// Whether alternatives are tables, and not names.
fn is_of_tables(alternatives: &Json) -> bool {
    alternatives.as_array().is_some_and(|all| all.iter().any(|alternative| alternative.get("properties").is_some()))
}

/// What a table and the tables within it demand, and nothing of what they allow.
pub(super) fn demands(schema: &Json) -> Json {
    let mut needed = Map::new();
    let Json::Object(object) = schema else { return Json::Object(needed) };
    if let Some(required) = object.get("required") {
        needed.insert("required".to_owned(), required.clone());
    }
    let within = |part: &Json| Some(demands(part)).filter(|demands| *demands != json!({}));
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
        // Demands of tables say nothing of other values.
        if let [table] = tables.as_slice()
            && let Json::Object(only) = demands(table)
        {
            needed.extend(only);
        }
    }
    Json::Object(needed)
}

/// What one of several tables demands, and the value by which it is told.
fn of_alternative(table: &Json) -> Json {
    let mut needed = demands(table);
    for (key, property) in table["properties"].as_object().into_iter().flatten() {
        let tells =
            table["required"].as_array().and_then(|required| required.first()).is_some_and(|first| first == key);
        if !tells {
            continue;
        }
        let word = ["const", "enum"].into_iter().find(|word| property.get(*word).is_some()).unwrap_or("type");
        let mut told = json!({ word: property[word] });
        if let (Some(told), Json::Object(within)) = (told.as_object_mut(), demands(property)) {
            told.extend(within);
        }
        needed["properties"][key] = told;
    }
    needed
}
