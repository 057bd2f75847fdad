//! A kind of chart and a way to derive a metric are each one new file and two lines beside it: nothing else names them.

use std::fs;
use std::path::{Path, PathBuf};

use hetsim::report::chart::Chart;
use hetsim::report::derive::Derivation;

use crate::sources::sources;

/// The places besides its own file that name the keys of each kind in a registry, or its alternative of the enum.
fn places(registry: &str, choice: &str, kinds: &[(&str, &str)]) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let files = sources(&root);
    let texts: Vec<(PathBuf, String)> =
        files.into_iter().map(|path| (path.clone(), fs::read_to_string(path).unwrap())).collect();
    let registry = root.join(registry);
    let lines = fs::read_to_string(&registry).unwrap();
    for (kind, _) in kinds {
        // "line" => Line(line::LineKeys): …
        let line = lines.lines().find(|line| line.trim_start().starts_with(&format!("\"{kind}\" => "))).unwrap();
        let words: Vec<&str> = line.split([' ', ':', '(', ')']).filter(|word| !word.is_empty()).collect();
        let [_, _, variant, module, keys, ..] = words.as_slice() else { panic!("{line}") };
        let own = registry.with_file_name(format!("{module}.rs"));
        assert!(own.exists(), "{}", own.display());
        let names = [format!("{module}::{keys}"), format!("{choice}::{variant}")];
        let others = texts.iter().filter(|(path, _)| *path != own).flat_map(|(_, text)| text.lines());
        let module = format!("mod {module};");
        let naming: Vec<&str> = others
            .filter(|line| names.iter().any(|name| line.contains(name.as_str())))
            .chain(lines.lines().filter(|line| line.trim() == module))
            .collect();
        assert_eq!(
            naming.len(),
            2,
            "`{kind}` is named by more than `mod` and its line in the registry:\n{}",
            naming.join("\n")
        );
    }
}

#[test]
fn a_chart_kind_is_one_file_and_two_lines() {
    places("report/chart/mod.rs", "Chart", Chart::ALL);
}

#[test]
fn a_derivation_is_one_file_and_two_lines() {
    places("report/derive/mod.rs", "Derivation", Derivation::ALL);
}
