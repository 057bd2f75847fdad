//! A scenario as a TOML text.

use std::fmt::Write as _;

use serde_json::Value as Json;

use hetsim_base::printable::toml_string;

/// The text of a scenario that is given as a tree. The keys of its sweeps stay in their order, which is that of the
/// points: a plain writer would put lists before ranges.
///
/// # Errors
/// Where TOML can't hold it, such as a null.
pub fn to_toml(mut scenario: Json) -> Result<String, toml::ser::Error> {
    let is_table = scenario.get("sweep").is_some_and(|sweep| match sweep {
        Json::Array(tables) => tables.iter().all(Json::is_object),
        other => other.is_object(),
    });
    let sweep = scenario.as_object_mut().filter(|_| is_table).and_then(|keys| keys.shift_remove("sweep"));
    let mut text = toml::to_string_pretty(&scenario)?;
    match sweep {
        Some(Json::Array(tables)) => tables.iter().try_for_each(|table| write_table("[[sweep]]", table, &mut text))?,
        Some(table) => write_table("[sweep]", &table, &mut text)?,
        None => {}
    }
    Ok(text)
}

/// Writes a table with its keys in order, each value on a line.
fn write_table(heading: &str, table: &Json, text: &mut String) -> Result<(), toml::ser::Error> {
    let _ = writeln!(text, "\n{heading}");
    for (key, value) in table.as_object().into_iter().flatten() {
        let value = toml::Value::try_from(value)?;
        let _ = writeln!(text, "{} = {value}", toml_string(key));
    }
    Ok(())
}
