//! Writes a platform as readable TOML.

use std::fmt::Write;

use ::toml::Value as Toml;

use hetsim_base::printable::{toml_key, toml_string};
use hetsim_text::{Entry, Node, Value};

/// The maximum length of a line with names or numbers.
const WIDTH: usize = 100;

/// The text of a file for `platform.include`: a table for each named link, cluster and zone, and a line for each route.
#[must_use]
pub fn to_toml(platform: &Node) -> String {
    let mut text = String::new();
    let Value::Table(entries) = &platform.value else { return text };
    for Entry { key, value, .. } in entries {
        match &value.value {
            Value::Table(inner) if key == "transport" => table(&mut text, &[key], inner),
            Value::Table(inner) => {
                for Entry { key: name, value, .. } in inner {
                    if let Value::Table(inner) = &value.value {
                        table(&mut text, &[key, name], inner);
                    }
                }
            }
            _ => {}
        }
    }
    text
}

/// Whether a TOML text describes exactly the same platform.
#[must_use]
pub fn says(text: &str, platform: &Node) -> bool {
    text.parse().is_ok_and(|read| same(&platform.value, &Toml::Table(read)))
}

/// Whether a TOML value equals one of ours, without positions.
fn same(ours: &Value, toml: &Toml) -> bool {
    match (ours, toml) {
        (Value::Table(entries), Toml::Table(table)) => {
            entries.len() == table.len()
                && entries
                    .iter()
                    .all(|entry| table.get(&entry.key).is_some_and(|value| same(&entry.value.value, value)))
        }
        (Value::Array(items), Toml::Array(array)) => {
            items.len() == array.len() && items.iter().zip(array).all(|(item, value)| same(&item.value, value))
        }
        (Value::Text(text), Toml::String(string)) => text == string,
        (Value::Integer(number), Toml::Integer(other)) => number == other,
        (Value::Float(number), Toml::Float(other)) => number == other,
        (Value::Boolean(truth), Toml::Boolean(other)) => truth == other,
        _ => false,
    }
}

/// Writes a table with its header.
fn table(text: &mut String, path: &[&str], entries: &[Entry]) {
    if !text.is_empty() {
        text.push('\n');
    }
    let path: Vec<String> = path.iter().map(|key| toml_key(key)).collect();
    text.push('[');
    text.push_str(&path.join("."));
    text.push_str("]\n");
    for Entry { key, value, .. } in entries {
        text.push_str(&toml_key(key));
        text.push_str(" = ");
        put(text, &value.value);
        text.push('\n');
    }
}

/// Writes a value inline.
fn put(text: &mut String, value: &Value) {
    // Writing to a `String` cannot fail.
    let _ = match value {
        Value::Text(string) => write!(text, "{}", toml_string(string)),
        Value::Date(date) => write!(text, "{date}"),
        Value::Integer(number) => write!(text, "{number}"),
        Value::Float(number) => write!(text, "{number:?}"),
        Value::Boolean(truth) => write!(text, "{truth}"),
        Value::Array(items) => {
            array(text, items);
            Ok(())
        }
        Value::Table(entries) if entries.is_empty() => write!(text, "{{}}"),
        Value::Table(entries) => {
            for (number, Entry { key, value, .. }) in entries.iter().enumerate() {
                text.push_str(if number == 0 { "{ " } else { ", " });
                text.push_str(&toml_key(key));
                text.push_str(" = ");
                put(text, &value.value);
            }
            write!(text, " }}")
        }
    };
}

/// Writes several tables, or routes, one per line; all else in rows.
fn array(text: &mut String, items: &[Node]) {
    let lines = items.iter().any(|item| matches!(&item.value, Value::Table(entries) if entries.len() > 2));
    let mut row = String::new();
    let mut rows = Vec::new();
    for item in items {
        let mut next = String::new();
        put(&mut next, &item.value);
        if !row.is_empty() && (lines || row.len() + next.len() > WIDTH) {
            rows.push(std::mem::take(&mut row));
        }
        if !row.is_empty() {
            row.push_str(", ");
        }
        row.push_str(&next);
    }
    if rows.is_empty() && !lines {
        text.push('[');
        text.push_str(&row);
        text.push(']');
        return;
    }
    rows.push(row);
    text.push_str("[\n");
    for row in rows {
        text.push_str("    ");
        text.push_str(&row);
        text.push_str(",\n");
    }
    text.push(']');
}
