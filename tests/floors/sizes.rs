//! A name is looked up by itself, a file is read at a sitting, and a function fits a screen.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::sources::{root, sources};

/// In how many places the code may define one type name.
const PLACES: usize = 3;
/// How many lines a file may have.
const FILE_LINES: usize = 500;
/// How many lines a function may have, from `fn` to its closing brace.
const FUNCTION_LINES: usize = 80;

/// What is built into the repository, and ignored by git: the site has copies of examples.
const BUILT: [&str; 3] = ["output", "site", "target"];

/// All files of Rust in the repository: of every package, their tests, benches and examples.
fn every_source() -> Vec<PathBuf> {
    let entries = fs::read_dir(root()).unwrap().map(|entry| entry.unwrap().path());
    let is_ours = |folder: &PathBuf| {
        let name = folder.file_name().unwrap().to_string_lossy();
        folder.is_dir() && !name.starts_with('.') && !BUILT.contains(&&*name)
    };
    entries.filter(is_ours).flat_map(|folder| sources(&folder)).chain([root().join("build.rs")]).collect()
}

/// Every source by its path in the repository.
fn texts() -> BTreeMap<String, String> {
    let relative = |file: &Path| file.strip_prefix(root()).unwrap().to_str().unwrap().to_owned();
    let texts: BTreeMap<String, String> =
        every_source().iter().map(|file| (relative(file), fs::read_to_string(file).unwrap())).collect();
    assert!(texts.len() > 500, "the test has lost its eyes: {} files", texts.len());
    texts
}

/// Nothing breaks a rule.
#[track_caller]
fn held(rule: &str, found: &BTreeMap<String, String>) {
    let found: Vec<String> = found.iter().map(|(name, what)| format!("{name}: {what}")).collect();
    assert!(found.is_empty(), "{rule}:\n{}", found.join("\n"));
}

/// The lines of code, those within a raw string left blank.
fn code(text: &str) -> Vec<&str> {
    let mut inside: Option<String> = None;
    let blank_strings = |line| {
        let was_inside = inside.is_some();
        if let Some(end) = &inside {
            if str::contains(line, end.as_str()) {
                inside = None;
            }
        } else {
            inside = opened(line);
        }
        if was_inside { "" } else { line }
    };
    text.lines().map(blank_strings).collect()
}

/// The end of the raw string that a line opens and does not close.
fn opened(line: &str) -> Option<String> {
    let mut rest = line;
    while let Some((before, string)) = rest.split_once("r#\"").or_else(|| rest.split_once("r\"")) {
        // What ends in these letters is another string, as `"other"` is, or a comment.
        if before.ends_with(|c: char| c.is_alphanumeric() || c == '_') || before.trim_start().starts_with("//") {
            rest = string;
            continue;
        }
        let end = if rest[before.len()..].starts_with("r#") { "\"#" } else { "\"" };
        match string.split_once(end) {
            Some((_, after)) => rest = after,
            None => return Some(end.to_owned()),
        }
    }
    None
}

/// What follows a keyword that starts an item, whatever its visibility.
fn item<'a>(line: &'a str, keyword: &str) -> Option<&'a str> {
    let (before, rest) = line.trim_start().split_once(keyword)?;
    let qualifies = |word: &str| {
        word.starts_with("pub")
            || word.ends_with(')')
            || ["const", "async", "unsafe", "extern", "\"C\""].contains(&word)
    };
    let name = rest.strip_prefix(' ')?.split(|c: char| !c.is_alphanumeric() && c != '_').next()?;
    (before.split_whitespace().all(qualifies) && (before.is_empty() || before.ends_with(' ')) && !name.is_empty())
        .then_some(name)
}

/// The types that a text defines, without its tests.
fn types(text: &str) -> BTreeSet<&str> {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let defined = |line| {
        let nominal = ["struct", "enum", "trait", "union"].iter().find_map(|keyword| item(line, keyword));
        // An alias deeper in is an associated type.
        nominal.or_else(|| item(line, "type").filter(|_| !line.starts_with(' ')))
    };
    code(text).into_iter().filter_map(defined).collect()
}

/// The functions of a text with their lines.
fn functions(text: &str) -> Vec<(&str, usize)> {
    let lines = code(text);
    let measure = |(start, line): (usize, &&'_ str)| {
        let indent = line.len() - line.trim_start().len();
        // rustfmt puts the end of a function, or of a declaration without a body, below its `fn`.
        let ends = |line: &&str| {
            line.get(..indent).is_some_and(|before| before.trim().is_empty())
                && (line[indent..].starts_with('}') || line.ends_with(';') && !line[indent..].starts_with(' '))
        };
        let is_short = line.ends_with(['}', ';']);
        let length = lines[start..].iter().position(ends).filter(|_| !is_short);
        length.map_or(1, |last| last + 1)
    };
    let found = lines.iter().enumerate();
    found.filter_map(|(start, line)| Some((item(line, "fn")?, measure((start, line))))).collect()
}

fn is_test(path: &str) -> bool {
    path.split('/').any(|part| ["tests", "tests.rs"].contains(&part))
}

#[test]
fn a_type_name_is_defined_in_few_places() {
    let texts = texts();
    let mut places: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (path, text) in texts.iter().filter(|(path, _)| !is_test(path)) {
        for name in types(text) {
            places.entry(name).or_default().push(path);
        }
    }
    assert!(places.len() > 1000, "the test has lost its eyes: {} types", places.len());
    let many = places.into_iter().filter(|(_, paths)| paths.len() > PLACES);
    let many = many.map(|(name, paths)| (name.to_owned(), paths.join(" "))).collect();
    held(&format!("names defined in more than {PLACES} files: take a more specific one"), &many);
}

#[test]
fn a_file_is_read_at_a_sitting() {
    let long = texts().into_iter().map(|(path, text)| (path, text.lines().count()));
    let long = long.filter(|(_, lines)| *lines > FILE_LINES).map(|(path, lines)| (path, lines.to_string())).collect();
    held(&format!("files of more than {FILE_LINES} lines: split them by subject"), &long);
}

#[test]
fn a_function_fits_a_screen() {
    let (mut long, mut seen) = (BTreeMap::new(), 0);
    for (path, text) in texts() {
        for (name, lines) in functions(&text) {
            seen += 1;
            if lines > FUNCTION_LINES {
                long.insert(format!("{path} {name}"), lines.to_string());
            }
        }
    }
    assert!(seen > 5000, "the test has lost its eyes: {seen} functions");
    held(&format!("functions of more than {FUNCTION_LINES} lines: split them by what they do"), &long);
}

#[test]
fn what_is_large_would_be_seen() {
    let text = "pub(in crate::a) struct One<T>(T);\nimpl One {\n    type Own = u8;\n    pub const fn two(\n        a: u8,\n    \
                ) -> u8 {\n        let raw = r#\"{\n    }\n\"#;\n        a\n    }\n    fn three();\n}\n/// fn no, struct No\n\
                type Four = u8;\n#[cfg(test)]\nmod more;\nenum Six {}\n#[cfg(test)]\nmod tests {\n    enum Five {}\n}\n";
    assert_eq!(types(text), ["Four", "One", "Six"].into());
    assert_eq!(functions(text), [("two", 8), ("three", 1)]);
}
