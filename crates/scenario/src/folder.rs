//! The folders of a scenario's files, and patterns of file names in a sweep.

use std::path::{Path, PathBuf};

use super::file_name::resolve_file;
use super::schema::{FILE, Schema};
use hetsim_base::input;
use hetsim_text::{Entry, Node, Place, Problem, Source, Value};

/// The key of a sweep's pattern of file names.
const PATTERN: &str = "files";

/// Makes the key `folder` the folder of the scenario's files.
pub(super) fn enter(tree: &Node, sources: &mut [Source]) {
    // The check of the keys reports a value that is no text.
    let Some((node, name)) = tree.get("folder").and_then(|node| Some((node, node.text()?))) else { return };
    let folder = resolve_file(sources, node, name);
    if let Some(scenario) = sources.first_mut() {
        scenario.folder = folder;
    }
}

/// Makes the files of a resolved scenario findable from any folder. Names in the scenario's own text stay, since they
/// label swept values, and its folder is added; names in other texts become absolute paths.
pub(super) fn make_whole(tree: &mut Node, files: &[Place], sources: &[Source]) {
    tree.remove("folder");
    let elsewhere: Vec<&Place> = files.iter().filter(|place| place.source > 0).collect();
    if let Some(sweep) = tree.entry_mut("sweep") {
        for table in tables(&mut sweep.value) {
            let Value::Table(entries) = &mut table.value else { continue };
            for entry in entries.iter_mut() {
                keep_names(&mut entry.value, &elsewhere);
            }
        }
    }
    for place in &elsewhere {
        whole_path(tree, place, sources);
    }
    let relative = |place: &&Place| text_at(tree, place).is_some_and(|name| Path::new(name).is_relative());
    let Some(place) = files.iter().filter(|place| place.source == 0).find(relative) else { return };
    if let Some(folder) = sources.first().and_then(|source| whole(&source.folder)) {
        let value = Node { value: Value::Text(folder), place: place.clone() };
        let entry = Entry { key: "folder".to_owned(), place: place.clone(), value };
        if let Value::Table(entries) = &mut tree.value {
            entries.insert(0, entry);
        }
    }
}

/// The tables of one sweep or several.
fn tables(sweep: &mut Node) -> &mut [Node] {
    if !matches!(sweep.value, Value::Array(_)) {
        return std::slice::from_mut(sweep);
    }
    if let Value::Array(tables) = &mut sweep.value { tables } else { &mut [] }
}

/// Makes each value of a swept list a named alternative, so that its label stays.
fn keep_names(list: &mut Node, files: &[&Place]) {
    let Value::Array(items) = &list.value else { return };
    if !items.iter().any(|item| files.contains(&&item.place)) {
        return;
    }
    let named = |item: &Node| {
        let key = item.text()?.to_owned();
        Some(Entry { key, place: item.place.clone(), value: item.clone() })
    };
    if let Some(entries) = items.iter().map(named).collect() {
        list.value = Value::Table(entries);
    }
}

/// The files that a scenario names, as they are found from here.
pub(super) fn named(node: &Node, files: &[Place], sources: &[Source]) -> Vec<PathBuf> {
    match &node.value {
        Value::Text(name) if files.contains(&node.place) => vec![resolve_file(sources, node, name)],
        Value::Table(entries) => entries.iter().flat_map(|entry| named(&entry.value, files, sources)).collect(),
        Value::Array(items) => items.iter().flat_map(|item| named(item, files, sources)).collect(),
        _ => Vec::new(),
    }
}

/// The string that stands at a place.
fn text_at<'a>(node: &'a Node, place: &Place) -> Option<&'a str> {
    match &node.value {
        Value::Text(text) => Some(text.as_str()).filter(|_| node.place == *place),
        Value::Table(entries) => entries.iter().find_map(|entry| text_at(&entry.value, place)),
        Value::Array(items) => items.iter().find_map(|item| text_at(item, place)),
        _ => None,
    }
}

fn whole(path: &Path) -> Option<String> {
    // A scenario in the current folder has an empty one, which alone is no path.
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    std::path::absolute(path).ok().map(|path| path.to_string_lossy().into_owned())
}

/// Replaces the name of a file by its absolute path.
fn whole_path(node: &mut Node, place: &Place, sources: &[Source]) {
    match &mut node.value {
        Value::Text(name) if node.place == *place => {
            let path = sources.get(place.source).map(|source| source.folder.join(&*name));
            if let Some(path) = path.and_then(|path| whole(&path)) {
                *name = path;
            }
        }
        Value::Table(entries) => entries.iter_mut().for_each(|entry| whole_path(&mut entry.value, place, sources)),
        Value::Array(items) => items.iter_mut().for_each(|item| whole_path(item, place, sources)),
        _ => {}
    }
}

/// Replaces each pattern of file names in the sweeps by named alternatives: `{ files = "folder/*.stg" }` becomes the
/// matching files in the order of their names, each labelled by its name.
///
/// # Errors
/// Every pattern that matches no file, whose folder can't be read, or whose key takes no files.
pub(super) fn expand(tree: &mut Node, schema: &Schema, sources: &[Source]) -> Result<(), Vec<Problem>> {
    let mut problems = Vec::new();
    let is_file = |path: &str, tree: &Node| {
        schema.at(path, tree).is_some_and(|schema| schema.get("format").is_some_and(|format| format == FILE))
    };
    let Some(mut sweep) = tree.get("sweep").cloned() else { return Ok(()) };
    for table in tables(&mut sweep) {
        let Value::Table(entries) = &mut table.value else { continue };
        for entry in entries.iter_mut().filter(|entry| entry.value.get(PATTERN).is_some()) {
            if !is_file(&entry.key, tree) {
                continue;
            }
            match matches(&entry.value, sources) {
                Ok(files) => entry.value.value = Value::Table(files),
                Err(problem) => problems.push(problem),
            }
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    tree.set("sweep", sweep).map_err(|message| vec![Problem::at(&tree.place, message)])
}

/// The files that a pattern finds, as named alternatives.
fn matches(table: &Node, sources: &[Source]) -> Result<Vec<Entry>, Problem> {
    if let Some(entry) = table.entries().iter().find(|entry| entry.key != PATTERN) {
        let problem = Problem::at(&entry.place, format!("unknown key `{}` beside `{PATTERN}`", entry.key));
        return Err(problem.with_help("a folder of files is { files = \"folder/*.stg\" }, and nothing besides"));
    }
    let place = table.get(PATTERN).map_or(&table.place, |pattern| &pattern.place);
    let pattern = table.get(PATTERN).and_then(Node::text).filter(|pattern| !pattern.is_empty());
    let Some(pattern) = pattern else {
        let problem = Problem::at(place, "`files` must be a folder and a pattern of file names");
        return Err(problem.with_help("such as \"data/*.stg\": `*` stands for any characters of a file's name"));
    };
    let cut = pattern.rfind(['/', std::path::MAIN_SEPARATOR]).map_or(0, |slash| slash + 1);
    let (folder, pattern) = pattern.split_at(cut);
    if folder.contains('*') {
        let problem = Problem::at(place, "`*` may stand in the name of a file, not in that of a folder");
        return Err(problem.with_help("name each folder in a list or a sweep of its own"));
    }
    let written = Node { value: Value::Text(folder.to_owned()), place: place.clone() };
    let path = resolve_file(sources, &written, folder);
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { &path };
    let names = names_in(path, pattern).map_err(|error| {
        let message = match error.kind() {
            std::io::ErrorKind::NotFound => format!("there is no folder {}", path.display()),
            _ => format!("the folder {} can't be read: {error}", path.display()),
        };
        Problem::at(place, message)
    })?;
    if names.is_empty() {
        let problem = Problem::at(place, format!("no file in {} is named like `{pattern}`", path.display()));
        return Err(problem.with_help("`*` stands for any characters, and for none; hidden files are left out"));
    }
    let entry = |name: String| Entry {
        value: Node { value: Value::Text(format!("{folder}{name}")), place: place.clone() },
        place: place.clone(),
        key: name,
    };
    Ok(names.into_iter().map(entry).collect())
}

/// The names of the files in a folder that fit a pattern, in the order of their bytes, which is the same on every
/// machine.
fn names_in(folder: &Path, pattern: &str) -> std::io::Result<Vec<String>> {
    let is_meant = |name: &str| {
        let hidden = name.starts_with('.') && !pattern.starts_with('.');
        !hidden && fits(name, pattern)
    };
    let mut names = input::names_in(folder, is_meant)?;
    names.sort_unstable();
    Ok(names)
}

/// Whether a name fits a pattern in which each `*` stands for any characters.
fn fits(name: &str, pattern: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return name == pattern };
    let Some(mut name) = name.strip_prefix(first) else { return false };
    let (middle, last) = rest.rsplit_once('*').map_or(("", rest), |(middle, last)| (middle, last));
    // Each part in between is best found where it comes first.
    for part in middle.split('*') {
        match name.find(part) {
            Some(at) => name = &name[at + part.len()..],
            None => return false,
        }
    }
    name.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By all ways to cut the name: the definition, as it stands.
    fn fits_by_definition(name: &str, pattern: &str) -> bool {
        match pattern.chars().next() {
            None => name.is_empty(),
            Some('*') => (0..=name.len()).any(|cut| fits_by_definition(&name[cut..], &pattern[1..])),
            Some(letter) => name.starts_with(letter) && fits_by_definition(&name[1..], &pattern[1..]),
        }
    }

    #[test]
    fn patterns_fit_as_defined() {
        for (name, pattern, fit) in [
            ("rand0000.stg", "*.stg", true),
            ("rand0000.stg", "rand*", true),
            ("rand0000.stg", "*", true),
            ("optimal.csv", "*.stg", false),
            ("ab", "a*b*b", false),
            ("a", "a*a", false),
            ("robot", "robot", true),
        ] {
            assert_eq!(fits(name, pattern), fit, "{name} {pattern}");
        }
    }

    proptest::proptest! {
        #[test]
        fn patterns_fit_as_all_ways_to_cut_say(name in "[ab]{0,6}", pattern in "[ab*]{0,6}") {
            proptest::prop_assert_eq!(fits(&name, &pattern), fits_by_definition(&name, &pattern));
        }
    }
}
