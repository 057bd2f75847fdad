//! The scenarios that the page offers, and the files that they name.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

/// The scenarios of the menu, by the names of their files, and those that take too long for it.
const MENU: &str = include_str!("../menu.toml");

/// What cannot be read, and why.
pub type Fault = Box<dyn std::error::Error>;

/// The names under one of the two keys of `menu.toml`.
///
/// # Errors
/// The file is no TOML, or has no list of names there.
pub fn names(key: &str) -> Result<Vec<String>, Fault> {
    let menu: toml::Table = MENU.parse()?;
    Ok(menu.get(key).cloned().ok_or_else(|| format!("menu.toml has no {key}"))?.try_into()?)
}

/// The menu with the texts of its scenarios, and the files that scenarios may name: `{ menu, files }`.
///
/// # Errors
/// A file cannot be read, or a scenario asks no question.
pub fn shipped(scenarios: &Path) -> Result<Value, Fault> {
    let entry = |name: String| -> Result<Value, Fault> {
        let text = read(&scenarios.join(format!("{name}.toml")))?;
        let question =
            text.parse::<toml::Table>()?.get("question").and_then(|question| Some(question.as_str()?.to_owned()));
        let question = question.ok_or_else(|| format!("{name} has no question"))?;
        Ok(json!({ "name": name, "question": question, "text": text }))
    };
    let menu = names("menu")?.into_iter().map(entry).collect::<Result<Vec<_>, _>>()?;
    Ok(json!({ "menu": menu, "files": files(scenarios)? }))
}

/// The files that scenarios may name, by their paths within the folder of scenarios: platforms and data.
///
/// # Errors
/// A file cannot be read.
pub fn files(scenarios: &Path) -> Result<BTreeMap<String, String>, Fault> {
    let mut files = BTreeMap::new();
    let mut waiting: Vec<PathBuf> = vec![scenarios.join("data"), scenarios.join("replay")];
    for path in entries(scenarios)? {
        if path.to_string_lossy().ends_with(".platform.toml") {
            files.insert(within(scenarios, &path)?, read(&path)?);
        }
    }
    while let Some(folder) = waiting.pop() {
        for path in entries(&folder)? {
            if path.is_dir() {
                waiting.push(path);
            } else {
                files.insert(within(scenarios, &path)?, read(&path)?);
            }
        }
    }
    Ok(files)
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, Fault> {
    let failed = |error| format!("{}: {error}", folder.display());
    fs::read_dir(folder).map_err(failed)?.map(|entry| Ok(entry?.path())).collect()
}

fn read(path: &Path) -> Result<String, Fault> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()).into())
}

/// The path as a scenario in the folder writes it.
fn within(folder: &Path, path: &Path) -> Result<String, Fault> {
    let parts: Vec<_> = path.strip_prefix(folder)?.iter().map(|part| part.to_string_lossy()).collect();
    Ok(parts.join("/"))
}
