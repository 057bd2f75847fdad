//! The page of the crates names each after those that it uses, and each crate's page names what it has.

use std::collections::BTreeSet;
use std::fs;

use super::sources::{crates, root, sources};

/// The names in a column of `crates/README.md`, in the order of publishing.
fn publishing() -> Vec<String> {
    let readme = fs::read_to_string(root().join("crates/README.md")).unwrap();
    let rows = readme.lines().filter_map(|line| line.strip_prefix("| [`")?.split_once('`'));
    rows.map(|(name, _)| name.to_owned()).collect()
}

/// The page of the crates names each, after those that it uses.
#[test]
fn crates_are_published_after_what_they_use() {
    let order = publishing();
    let mut known: Vec<String> = crates().into_iter().map(|(name, _)| name).filter(|name| name != "hetsim").collect();
    known.sort();
    let mut named = order.clone();
    named.sort();
    assert_eq!(named, known);
    for (place, name) in order.iter().enumerate() {
        let manifest = fs::read_to_string(root().join("crates").join(name).join("Cargo.toml")).unwrap();
        for used in manifest.lines().filter_map(|line| line.strip_prefix("hetsim-")?.split_once('.')) {
            assert!(order[..place].iter().any(|before| before == used.0), "{name} uses {}, which comes later", used.0);
        }
    }
}

/// What the first table of each crate's README says that one uses is in its code.
#[test]
fn readmes_name_what_there_is() {
    let mut seen = 0;
    for name in publishing() {
        let folder = root().join("crates").join(&name);
        let code: Vec<String> =
            sources(&folder.join("src")).iter().map(|file| fs::read_to_string(file).unwrap()).collect();
        let lines = code.iter().flat_map(|text| text.lines()).map(|line| line.split("//").next().unwrap_or_default());
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let words: BTreeSet<&str> = lines.flat_map(|line| line.split(|c| !is_word(c))).collect();
        let readme = fs::read_to_string(folder.join("README.md")).unwrap();
        let rows = readme.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`'));
        for item in rows.flat_map(|(items, _)| items.split(", ")).filter(|item| *item != "…") {
            let item = item.rsplit("::").next().unwrap().trim_end_matches('!');
            assert!(words.contains(item), "crates/{name}/README.md names `{item}`, which is not there");
            seen += 1;
        }
    }
    assert!(seen > 100, "the test has lost its eyes: {seen} items");
}
