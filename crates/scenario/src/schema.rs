//! The JSON schema of scenarios, and how things are looked up in it.

mod definitions;
mod making;

use serde_json::Value as Json;

use super::canonical::kind;
use hetsim_base::registry::{CHOICE, DEFAULT_CHOICE};
use hetsim_text::{Node, Value, nearest};

pub use definitions::Schema;
#[cfg(test)]
pub(super) use definitions::{BUILT_IN, PLATFORM, SCENARIO};
#[cfg(test)]
pub(super) use making::as_text;
pub use making::tables_as_text;

/// The format of a string that names a file.
pub(super) const FILE: &str = "file";

/// The mark of a quantity that may be counted, as one of several equal values of a list.
pub(super) const COUNTED: &str = "x-counted";

/// A value that may be counted: its count, if it has one, and the value itself: `8 of 1Gop/s`.
///
/// # Errors
/// A sentence, where what stands before `of` is no number of values.
pub(super) fn counted(text: &str) -> Result<(Option<u32>, &str), String> {
    let Some((count, value)) = text.split_once(" of ") else { return Ok((None, text)) };
    match count.trim().parse() {
        Ok(count) if count > 0 => Ok((Some(count), value.trim())),
        _ => Err(format!("`{}` is no number of values: a whole number, at least 1, stands before `of`", count.trim())),
    }
}

/// The mark of a table whose keys override those of another, and have no defaults of their own.
pub(super) const INHERITS: &str = "x-inherits";

/// The mark of a table the order of whose keys matters.
pub(super) const ORDERED: &str = "x-ordered";

impl Schema {
    /// The part of it that describes the value at a dotted path, as far as `node` decides between
    /// alternatives.
    pub(super) fn at(&self, path: &str, node: &Node) -> Option<&Json> {
        self.property_at(path, node).map(|property| self.resolve(property))
    }

    /// The same part; of a quantity or a number in whose place a name may stand, that of the quantity or the number.
    pub(super) fn measure_at(&self, path: &str, node: &Node) -> Option<&Json> {
        let schema = self.at(path, node)?;
        let alternatives = schema.get("anyOf").and_then(Json::as_array).into_iter().flatten();
        let others = alternatives.map(|schema| self.resolve(schema)).filter(|schema| enumeration(schema).is_none());
        let mut others = others.filter(|schema| schema["type"] != "null");
        Some(others.next().filter(|schema| is_measure(schema)).filter(|_| others.next().is_none()).unwrap_or(schema))
    }

    /// The same part, together with what it says of the key besides its type, such as the default.
    pub(super) fn property_at(&self, path: &str, node: &Node) -> Option<&Json> {
        let mut property = self.root();
        let mut here = Some(node);
        let mut parts = path.split('.').peekable();
        while let Some(part) = parts.next() {
            let schema = self.alternative(self.resolve(property), here)?;
            let next = here.and_then(|node| node.at(part));
            let own = schema.get("properties").and_then(|properties| properties.get(part));
            // A name of the user's choice is known if it is in use, or if the path ends with it.
            let named = next.is_some() || parts.peek().is_none();
            let any = || schema.get("additionalProperties").filter(|s| s.is_object() && named);
            let item = || schema.get("items").filter(|_| part.parse::<usize>().is_ok());
            property = own.or_else(any).or_else(item)?;
            here = next;
        }
        Some(property)
    }

    /// Whether the key at a dotted path is optional in its table.
    pub(super) fn is_optional(&self, path: &str, node: &Node) -> bool {
        let (above, key) = path.rsplit_once('.').unwrap_or(("", path));
        let schema = if above.is_empty() { Some(self.root()) } else { self.at(above, node) };
        let here = if above.is_empty() { Some(node) } else { node.at(above) };
        schema.and_then(|schema| self.alternative(schema, here)).is_some_and(|table| {
            let required = table.get("required").and_then(Json::as_array);
            let is_required = required.is_some_and(|required| required.iter().any(|name| name == key));
            table.get("properties").is_some_and(|properties| properties.get(key).is_some()) && !is_required
        })
    }

    /// Whether one of the values that a schema accepts is this name. A text without a format may be any name.
    pub(super) fn has_name(&self, schema: &Json, name: &str) -> bool {
        let schema = self.resolve(schema);
        let mut alternatives = schema.get("anyOf").and_then(Json::as_array).into_iter().flatten();
        let is_text = schema.get("type").is_some_and(|kind| kind == "string" || kind[0] == "string");
        let is_free = is_text && schema.get("format").is_none();
        enumeration(schema).map_or(is_free, |names| names.contains(&name))
            || alternatives.any(|alternative| self.has_name(alternative, name))
    }

    /// The names of the keys that the table at a dotted path may have.
    pub(super) fn keys_at(&self, path: &str, node: &Node) -> Vec<&str> {
        let schema = if path.is_empty() { Some(self.root()) } else { self.at(path, node) };
        let here = if path.is_empty() { Some(node) } else { node.at(path) };
        schema.and_then(|schema| self.alternative(schema, here)).map(property_names).unwrap_or_default()
    }

    /// Advice on a dotted path that leads nowhere: the nearest key at the first part that is wrong.
    pub(super) fn advise(&self, node: &Node, path: &str) -> String {
        let mut known = String::new();
        for part in path.split('.') {
            let keys = self.keys_at(&known, node);
            let own = if known.is_empty() { Some(node) } else { node.at(&known) };
            let present = own.is_some_and(|own| own.at(part).is_some());
            let entries = match own.map(|own| &own.value) {
                Some(Value::Array(items)) => Some(items.len()),
                None => part.parse::<usize>().ok().map(|_| 0),
                _ => None,
            };
            if let Some(entries) = entries.filter(|_| !present) {
                return match entries {
                    0 => format!("the list `{known}` has no entries here"),
                    1 => format!("the list `{known}` has one entry, whose name is 0"),
                    _ => format!("the list `{known}` has {entries} entries, whose names are 0 to {}", entries - 1),
                };
            }
            if !keys.contains(&part) && !present {
                let written = own.into_iter().flat_map(Node::entries).map(|entry| entry.key.as_str());
                let unknown: Vec<&str> = written.filter(|key| !keys.contains(key)).collect();
                let candidates = [keys, unknown].concat();
                let place = if known.is_empty() { String::new() } else { format!(" in `{known}`") };
                if candidates.is_empty() {
                    return format!("`{known}` is not a table of keys; alternatives with names need the key in quotes");
                }
                return match nearest(part, candidates.iter().copied()) {
                    Some(near) => format!("there is no `{part}`{place}; did you mean `{near}`?"),
                    None => format!("there is no `{part}`{place}; expected one of: {}", candidates.join(", ")),
                };
            }
            known = join(&known, part);
        }
        "the key is known, but nothing can be set there".to_owned()
    }

    /// Follows references.
    pub(super) fn resolve<'s>(&'s self, schema: &'s Json) -> &'s Json {
        let mut schema = schema;
        while let Some(target) = named_definition(schema).and_then(|name| self.definition(name)) {
            schema = target;
        }
        schema
    }

    /// The alternative of a schema that fits a value, with the keys that a name chooses; the schema itself if it has no
    /// alternatives.
    pub(super) fn alternative<'s>(&'s self, schema: &'s Json, node: Option<&Node>) -> Option<&'s Json> {
        let form = self.form(schema, node)?;
        match form.get(CHOICE).and_then(Json::as_str) {
            Some(key) => choose(form, chosen(form, key, node?)?).map(|schema| self.resolve(schema)),
            None => Some(form),
        }
    }

    /// The same, but a choice by a name as a whole.
    pub(super) fn form<'s>(&'s self, schema: &'s Json, node: Option<&Node>) -> Option<&'s Json> {
        let Some(alternatives) = schema.get("anyOf").and_then(Json::as_array) else { return Some(schema) };
        let real: Vec<_> = alternatives.iter().map(|s| self.resolve(s)).filter(|s| s["type"] != "null").collect();
        match (real.as_slice(), node) {
            ([only], _) => self.form(only, node),
            (several, Some(node)) => {
                let fitting = || several.iter().copied().filter(|schema| self.fits(schema, node));
                // A word may be one of a few names or a quantity.
                let named = fitting().find(|schema| {
                    enumeration(schema).is_some_and(|names| node.text().is_some_and(|text| names.contains(&text)))
                });
                self.form(named.or_else(|| fitting().next())?, Some(node))
            }
            _ => None,
        }
    }

    /// What a schema of alternatives expects, in words.
    pub(super) fn expectation(&self, schema: &Json) -> String {
        let alternatives = schema.get("anyOf").and_then(Json::as_array).into_iter().flatten();
        let words: Vec<String> = alternatives.map(|alternative| self.words(alternative)).collect();
        words.into_iter().filter(|words| !words.is_empty()).collect::<Vec<_>>().join(" or ")
    }

    /// What a schema expects, in words.
    fn words(&self, schema: &Json) -> String {
        let schema = self.resolve(schema);
        if schema.get("anyOf").is_some() {
            return self.expectation(schema);
        }
        if let Some(names) = enumeration(schema) {
            return quoted(&names);
        }
        match schema.get("type").map(first_type).unwrap_or_default() {
            "object" => "a table".to_owned(),
            "array" => "an array".to_owned(),
            "string" => match (schema["format"].as_str(), example(schema)) {
                (Some(format), Some(example)) => format!("a {format} such as \"{example}\""),
                (Some(FILE), None) => "the name of a file".to_owned(),
                _ => "a string".to_owned(),
            },
            "integer" => "a whole number".to_owned(),
            "number" => "a number".to_owned(),
            "boolean" => "true or false".to_owned(),
            _ => String::new(),
        }
    }

    /// Whether a value is of a schema's type.
    fn fits(&self, schema: &Json, node: &Node) -> bool {
        let schema = self.resolve(schema);
        if let Some(alternatives) = schema.get("anyOf").and_then(Json::as_array) {
            return alternatives.iter().any(|alternative| self.fits(alternative, node));
        }
        let kind = schema.get("type").map(first_type);
        match node.value {
            Value::Table(_) => kind == Some("object") || schema.get(CHOICE).is_some(),
            Value::Array(_) => kind == Some("array"),
            Value::Text(_) => kind == Some("string") || enumeration(schema).is_some(),
            Value::Integer(_) => matches!(kind, Some("integer" | "number")),
            Value::Float(_) => kind == Some("number"),
            Value::Boolean(_) => kind == Some("boolean"),
            Value::Date(_) => false,
        }
    }
}

/// Whether a key's absence is a value of its own, as that of an `Option`.
pub(super) fn is_nullable(property: &Json) -> bool {
    property["anyOf"].as_array().into_iter().flatten().any(|alternative| alternative["type"] == "null")
}

/// The first example of a value.
pub(super) fn example(schema: &Json) -> Option<&str> {
    schema.get("examples")?.get(0)?.as_str()
}

/// The type of a schema, an optional value's being that of the value.
pub(super) fn first_type(kind: &Json) -> &str {
    match kind {
        Json::Array(kinds) => kinds.iter().filter_map(Json::as_str).find(|kind| *kind != "null").unwrap_or_default(),
        kind => kind.as_str().unwrap_or_default(),
    }
}

/// Whether values are quantities or numbers.
pub(super) fn is_measure(schema: &Json) -> bool {
    kind(schema).is_some() || matches!(first_type(&schema["type"]), "integer" | "number")
}

/// The names of an enumeration, whether listed plainly or each with a description.
pub(super) fn enumeration(schema: &Json) -> Option<Vec<&str>> {
    if let Some(names) = schema.get("enum").and_then(Json::as_array) {
        return Some(names.iter().filter_map(Json::as_str).collect());
    }
    let alternatives = schema.get("oneOf")?.as_array()?;
    alternatives.iter().map(|alternative| alternative.get("const")?.as_str()).collect()
}

/// The name of the alternative that a table chooses, or the default one: `None` without either, and an empty name if
/// the value of the key is no text.
pub(super) fn chosen<'a>(schema: &'a Json, key: &str, table: &'a Node) -> Option<&'a str> {
    let default = || schema.get(DEFAULT_CHOICE).and_then(Json::as_str);
    table.get(key).map_or_else(default, |chosen| Some(chosen.text().unwrap_or_default()))
}

/// The alternative of a choice with a name.
pub(super) fn choose<'a>(schema: &'a Json, name: &str) -> Option<&'a Json> {
    alternatives(schema).find(|alternative| alternative["title"] == name)
}

/// The names of the alternatives of a choice.
pub(super) fn choice_names(schema: &Json) -> Vec<&str> {
    alternatives(schema).filter_map(|alternative| alternative["title"].as_str()).collect()
}

/// The alternatives of a choice, each with its name and where it is defined.
pub(super) fn alternatives(schema: &Json) -> impl Iterator<Item = &Json> {
    schema.get("oneOf").and_then(Json::as_array).into_iter().flatten()
}

/// The name of the definition to which a schema refers.
pub(super) fn named_definition(schema: &Json) -> Option<&str> {
    schema.get("$ref")?.as_str()?.strip_prefix("#/$defs/")
}

/// The names of the keys of a table.
pub(super) fn property_names(schema: &Json) -> Vec<&str> {
    schema
        .get("properties")
        .and_then(Json::as_object)
        .map(|p| p.keys().map(String::as_str).collect())
        .unwrap_or_default()
}

/// Names in quotes, with commas between them.
pub(super) fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ")
}

/// The dotted path of a key in the table at `path`.
pub(super) fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}
