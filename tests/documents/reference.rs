//! The reference: every table of keys that a scenario may have, from the schema, with an example from a shipped file or,
//! where none has the table, from `tests/documents/examples/`.
//!
//! `docs/reference.md` has the keys of the whole file; `docs/reference/` has a page for each table in it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;

use hetsim::report::Reported as _;
use hetsim::report::spec::NOTATION;
use hetsim::scenario::{KeyForm, KeyTable, Scenario, Source, key_tables};
use serde_json::Value as Json;

use super::{document, root};

/// The most lines of an example.
const LONGEST: usize = 16;

/// The most characters in a line of an example.
const WIDEST: usize = 130;

/// The text of each page, by its path.
fn made() -> BTreeMap<String, String> {
    let tables = key_tables(NOTATION.schema());
    let examples = Examples::read();
    let mut pages: BTreeMap<String, String> = BTreeMap::new();
    for table in &tables {
        let (page, _) = table.page().split_once('#').map(|(page, at)| (page.to_owned(), at.to_owned())).unwrap();
        let text = pages.entry(format!("docs/{page}")).or_insert_with(|| opening(table));
        section(text, table, &tables, &examples);
    }
    let whole = pages.get_mut("docs/reference.md").unwrap();
    whole.push_str("\n## Pages\n\n");
    for page in pages.keys().cloned().collect::<Vec<_>>() {
        if let Some(name) = page.strip_prefix("docs/reference/") {
            let table = name.trim_end_matches(".md");
            let _ = writeln!(pages.get_mut("docs/reference.md").unwrap(), "- [`[{table}]`](reference/{name})");
        }
    }
    pages
}

fn opening(table: &KeyTable) -> String {
    if table.path.is_empty() {
        return "# Reference: the keys of a scenario\n\n\
            Made by `HETSIM_BLESS=1 cargo test --test documents` from the types that the keys become; `hetsim schema` prints the\n\
            same for editors, and `hetsim explain KEY` one key. Quantities are strings with their unit (`\"48.39us\"`,\n\
            `\"1Gbit/s\"`, `\"512KiB\"`). In results they stand in their base unit: seconds, bytes, bytes a second, operations.\n"
            .to_owned();
    }
    format!("# Reference: `{}`\n\n[All tables](../reference.md)\n", table.path)
}

fn section(text: &mut String, table: &KeyTable, tables: &[KeyTable], examples: &Examples) {
    let _ = write!(text, "\n## {}\n\n", table.heading);
    if !table.about.is_empty() {
        let _ = write!(text, "{}\n\n", table.about);
    }
    if let Some(heading) = &table.same_as {
        let other = tables.iter().find(|other| other.heading == *heading).unwrap();
        let _ = write!(text, "The keys are those of [{heading}]({}).\n\n", link(table, other));
        return;
    }
    for form in &table.forms {
        if let (Some(key), Some(name)) = (&table.choice, &form.name) {
            let _ = write!(text, "### `{key} = \"{name}\"`\n\n{}\n\n", form.about);
        }
        keys(text, form, &|key| {
            let path = if table.path.is_empty() { key.to_owned() } else { format!("{}.{key}", table.path) };
            // Several tables at one key differ by choices; those of this table stand next to it.
            let mut at = tables.iter().filter(|other| other.path == path);
            at.next().filter(|_| at.next().is_none()).map(|other| link(table, other))
        });
        if let Some((example, from)) = examples.of(table, form, tables) {
            let up = if table.path.is_empty() { "" } else { "../" };
            let _ = write!(text, "From [`{from}`]({up}../{from}):\n\n```toml\n{example}```\n\n");
        }
    }
}

/// The link from one table's section to another's.
fn link(from: &KeyTable, to: &KeyTable) -> String {
    let (here, there) = (from.page(), to.page());
    let ((here, _), (there, at)) = (here.split_once('#').unwrap(), there.split_once('#').unwrap());
    match (here == there, here.contains('/'), there.strip_prefix("reference/")) {
        (true, ..) => format!("#{at}"),
        (false, true, Some(page)) => format!("{page}#{at}"),
        (false, true, None) => format!("../{there}#{at}"),
        (false, false, _) => format!("{there}#{at}"),
    }
}

/// The table of a form's keys; a key that holds one table links to it.
fn keys(text: &mut String, form: &KeyForm, linked: &dyn Fn(&str) -> Option<String>) {
    if form.keys.is_empty() {
        text.push_str("No keys of its own.\n\n");
        return;
    }
    text.push_str("| key | value | meaning |\n|---|---|---|\n");
    for key in &form.keys {
        let absent = key.absent.words();
        let takes = linked(&key.name).map_or_else(|| key.takes.clone(), |link| format!("[{}]({link})", key.takes));
        let _ = writeln!(text, "| `{}` | {takes}{absent} | {} |", key.name, key.about.replace('|', "\\|"));
    }
    text.push('\n');
}

/// The folder of the examples of what no other file has.
const EXAMPLES: &str = "tests/documents/examples";

/// Tables of shipped scenarios, of the gallery, of templates, of pages, of the golden runs and, for what none of them has,
/// of files that are there for it.
struct Examples {
    /// The files of each folder, with what they contain: once as they stand, and once for each alternative that is swept.
    folders: Vec<Vec<(String, toml::Value)>>,
}

impl Examples {
    fn read() -> Self {
        let read = |(folder, end): (&str, &str)| {
            let files = fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().path());
            let mut files: Vec<_> = files.filter(|file| file.extension().is_some_and(|own| own == end)).collect();
            files.sort();
            let name = |file: &Path| format!("{folder}/{}", file.file_name().unwrap().to_string_lossy());
            let tables =
                files.iter().flat_map(|file| tables_of(file).into_iter().map(move |table| (name(file), table)));
            tables.collect()
        };
        let folders = [
            ("scenarios", "toml"),
            ("docs/gallery", "toml"),
            ("crates/scenario/src/templates", "toml"),
            ("docs", "md"),
            ("tests/golden", "toml"),
            (EXAMPLES, "toml"),
        ];
        Self { folders: folders.map(read).into() }
    }

    /// The short example of a form with the most keys, from the first folder that has one; and its file. A table without
    /// one has that of another table with the same keys, which refers to it.
    fn of(&self, table: &KeyTable, form: &KeyForm, tables: &[KeyTable]) -> Option<(String, &str)> {
        if table.path.is_empty() {
            return None;
        }
        let alike = tables.iter().filter(|other| other.same_as.as_ref() == Some(&table.heading));
        let paths: Vec<&KeyTable> = [table].into_iter().chain(alike).collect();
        paths.into_iter().find_map(|at| self.folders.iter().find_map(|files| best(files, at, form)))
    }
}

/// What a file contains as it stands, and once for each alternative that it sweeps; of a page, what its blocks contain.
fn tables_of(file: &Path) -> Vec<toml::Value> {
    let text = fs::read_to_string(file).unwrap();
    let blocks =
        |text: &str| text.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap().to_owned()).collect();
    let is_page = file.extension().is_some_and(|end| end == "md");
    let texts: Vec<String> = if is_page { blocks(&text) } else { vec![text] };
    // Blocks may be parts of scenarios, and files of golden runs have placeholders.
    let tables = texts.iter().filter_map(|text| text.parse::<toml::Table>().ok());
    let is_platform = file.to_string_lossy().ends_with(".platform.toml");
    let whole = |table: toml::Table| if is_platform { within("platform", table.into()) } else { table.into() };
    tables.map(whole).flat_map(|whole| alternatives(&whole).into_iter().chain([whole])).collect()
}

fn best<'a>(files: &'a [(String, toml::Value)], table: &KeyTable, form: &KeyForm) -> Option<(String, &'a str)> {
    let known: BTreeSet<&str> = form.keys.iter().map(|key| key.name.as_str()).chain(table.choice.as_deref()).collect();
    let mut best: Option<(usize, String, &str)> = None;
    for (name, content) in files {
        let mut found = Vec::new();
        collect(content, &table.path, String::new(), &mut found);
        for (path, own) in found {
            let chosen = table.choice.as_ref().and_then(|choice| own.get(choice)).and_then(toml::Value::as_str);
            // The other keys of a sweep are those of the scenario.
            let fits = table.path == "sweep" || own.keys().all(|key| known.contains(key.as_str()));
            if !fits || (form.name.is_some() && chosen != form.name.as_deref()) {
                continue;
            }
            let text = written(&path, &own);
            if text.split('"').any(|word| word.len() > 3 && word.bytes().all(|c| c.is_ascii_uppercase() || c == b'_')) {
                continue;
            }
            let short = text.lines().count() <= LONGEST && text.lines().all(|line| line.chars().count() <= WIDEST);
            if short && own.len() > best.as_ref().map_or(0, |best| best.0) {
                best = Some((own.len(), text, name));
            }
        }
    }
    best.map(|(_, text, name)| (text, name))
}

/// A table with one dotted key.
fn within(path: &str, value: toml::Value) -> toml::Value {
    path.rsplit('.').fold(value, |value, key| {
        if key.parse::<usize>().is_ok() {
            return vec![value].into();
        }
        toml::Value::Table([(key.to_owned(), value)].into_iter().collect())
    })
}

/// Each named alternative of what a scenario sweeps, at its key.
fn alternatives(scenario: &toml::Value) -> Vec<toml::Value> {
    let sweeps = scenario.get("sweep").map(|sweep| sweep.as_array().cloned().unwrap_or_else(|| vec![sweep.clone()]));
    let swept = sweeps.into_iter().flatten().filter_map(|sweep| sweep.as_table().cloned()).flatten();
    let named = swept.filter_map(|(key, values)| values.as_table().cloned().map(|values| (key, values)));
    named.flat_map(|(key, values)| values.into_iter().map(move |(_, value)| within(&key, value))).collect()
}

/// The tables at a dotted path, each with the path as it is written, with the names of clusters in it.
fn collect(value: &toml::Value, path: &str, at: String, found: &mut Vec<(String, toml::Table)>) {
    match value {
        toml::Value::Array(items) => {
            for item in items {
                collect(item, path, format!("{at}[]"), found);
            }
        }
        toml::Value::Table(table) if path.is_empty() => found.push((at, table.clone())),
        toml::Value::Table(table) => {
            let (key, rest) = path.split_once('.').unwrap_or((path, ""));
            let own = |key: &str| if at.is_empty() { key.to_owned() } else { format!("{at}.{key}") };
            match table.get(key) {
                Some(toml::Value::Table(by_name)) if BY_NAME.contains(&key) => {
                    for (name, one) in by_name {
                        collect(one, rest, format!("{}.{name}", own(key)), found);
                    }
                }
                Some(inner) => collect(inner, rest, own(key), found),
                None => {}
            }
        }
        _ => {}
    }
}

/// The keys whose tables have names of the user's choice.
const BY_NAME: &[&str] = &["cluster", "kernel", "needs", "site", "type", "wire", "zone"];

/// A table with its heading: as `[a.b]`, as `[[a]]`, or in a line where it stands within an array.
fn written(path: &str, own: &toml::Table) -> String {
    let inline = |value: &toml::Value| match value {
        toml::Value::Table(table) => {
            let keys: Vec<String> = table.iter().map(|(key, value)| format!("{} = {value}", quoted(key))).collect();
            format!("{{ {} }}", keys.join(", "))
        }
        value => value.to_string(),
    };
    let heading = match path.strip_suffix("[]") {
        Some(list) => format!("[[{}]]", list.replace("[]", "")),
        None => format!("[{}]", path.replace("[]", "")),
    };
    let lines: Vec<String> = own.iter().map(|(key, value)| format!("{} = {}\n", quoted(key), inline(value))).collect();
    format!("{heading}\n{}", lines.concat())
}

fn quoted(key: &str) -> String {
    let is_bare = key.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c));
    if is_bare { key.to_owned() } else { format!("\"{key}\"") }
}

#[test]
fn reference() {
    let pages = made();
    for (path, text) in &pages {
        document(path, &format!("{}\n", text.trim_end()));
    }
    for entry in fs::read_dir(root().join("docs/reference")).unwrap() {
        let path = format!("docs/reference/{}", entry.unwrap().file_name().to_string_lossy());
        assert!(pages.contains_key(&path), "{path} is of no table; delete it");
    }
}

/// The tables without an example, each with the reason.
const WITHOUT: &[(&str, &str)] = &[("The scenario", "its tables have theirs, and whole files are in `scenarios/`")];

#[test]
fn every_table_has_an_example() {
    let (tables, examples) = (key_tables(NOTATION.schema()), Examples::read());
    let described = tables.iter().filter(|table| table.same_as.is_none());
    let forms = described.flat_map(|table| table.forms.iter().map(move |form| (table, form)));
    let bare = forms.filter(|(table, form)| examples.of(table, form, &tables).is_none());
    let named = |(table, form): (&KeyTable, &KeyForm)| match &form.name {
        Some(name) => format!("{}, {name}", table.heading),
        None => table.heading.clone(),
    };
    let bare: Vec<String> = bare.map(named).collect();
    let listed: Vec<&str> = WITHOUT.iter().map(|(heading, _)| *heading).collect();
    assert_eq!(bare, listed, "write examples of these in {EXAMPLES}, or list them in WITHOUT with a reason");
}

/// The examples of what no other file has are scenarios, all of whose points run; they are read as if they were in
/// `scenarios/`, whose data files they name.
#[test]
fn examples_are_scenarios() {
    let files: BTreeSet<_> = fs::read_dir(root().join(EXAMPLES)).unwrap().map(|entry| entry.unwrap().path()).collect();
    for file in files {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let text = fs::read_to_string(&file).unwrap().into();
        let source = Source { name: name.clone(), folder: root().join("scenarios"), text };
        let scenario = Scenario::read(name, source, &[]).unwrap_or_else(|problems| panic!("{problems}"));
        for point in 0..scenario.points.len() {
            scenario.run(point, 0).unwrap();
        }
    }
}

/// Every key that the schema has anywhere, by whatever way it is reached, stands in the reference under a table with
/// just the keys beside it; and each table has one heading, on its page.
#[test]
fn the_reference_has_every_key() {
    let (tables, pages) = (key_tables(NOTATION.schema()), made());
    let mut forms: BTreeSet<BTreeSet<&str>> = BTreeSet::new();
    let (mut keys, mut missing) = (0, Vec::new());
    for table in &tables {
        let page = table.page();
        let text = &pages[&format!("docs/{}", page.split_once('#').unwrap().0)];
        let sections: Vec<&str> = text.split("\n## ").filter(|s| s.lines().next() == Some(&table.heading)).collect();
        assert_eq!(sections.len(), 1, "{}", table.heading);
        let body = sections[0];
        for form in &table.forms {
            forms.insert(form.keys.iter().map(|key| key.name.as_str()).chain(table.choice.as_deref()).collect());
            let part = match (&table.choice, &form.name) {
                (Some(key), Some(name)) => {
                    body.split("\n### ").find(|part| part.starts_with(&format!("`{key} = \"{name}\"`")))
                }
                _ => Some(body),
            };
            for key in form.keys.iter().filter(|_| table.same_as.is_none()) {
                keys += 1;
                if !part.is_some_and(|part| part.contains(&format!("\n| `{}` | ", key.name))) {
                    missing.push(format!("{} {:?}: {}", table.heading, form.name, key.name));
                }
            }
        }
    }
    assert!(keys > 700, "only {keys} keys were looked at");
    let whole = NOTATION.schema().whole();
    let mut parts = vec![&whole];
    while let Some(part) = parts.pop() {
        match part {
            Json::Object(object) => {
                if let Some(properties) = object.get("properties").and_then(Json::as_object) {
                    let own: BTreeSet<&str> = properties.keys().map(String::as_str).collect();
                    if !forms.contains(&own) {
                        missing.push(format!("anywhere: {own:?}"));
                    }
                }
                parts.extend(object.values());
            }
            Json::Array(items) => parts.extend(items),
            _ => {}
        }
    }
    assert!(missing.is_empty(), "{} of {keys} keys are missing:\n{}", missing.len(), missing.join("\n"));
}
