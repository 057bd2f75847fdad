//! What checks hetsim is itself in order: no test passes without having looked.

use proptest::prelude::ProptestConfig;
use proptest::test_runner::RngSeed;

use crate::sources::{root, sources};

/// Tests on data that are not in the repository are ignored, with the reason, rather than passed.
#[test]
fn tests_on_outside_data_are_ignored() {
    let variable = ["HETSIM", "DATA"].join("_");
    let mut ignored = 0;
    for path in sources(&root().join("tests")) {
        let text = std::fs::read_to_string(&path).unwrap();
        if !text.contains(&variable) {
            continue;
        }
        let tests = text.lines().filter(|line| line.trim() == "#[test]").count();
        let marked = text.lines().filter(|line| line.trim_start().starts_with("#[ignore = ")).count();
        assert_eq!(tests, marked, "{}: some of its tests pass without {variable}", path.display());
        ignored += marked;
    }
    assert!(ignored >= 9, "{ignored}");
}

/// Who runs the tests of a fresh clone sees the same cases as everybody else (`.cargo/config.toml`).
#[test]
fn property_tests_draw_from_a_fixed_seed() {
    for config in [ProptestConfig::default(), ProptestConfig::with_cases(3)] {
        assert!(matches!(config.rng_seed, RngSeed::Fixed(_)), "{:?}; run by cargo", config.rng_seed);
    }
}

/// The check before a change goes through Slurm once, and in the way that a machine without it passes; and what a plain
/// `cargo test` leaves out is run.
#[test]
fn all_is_checked_once() {
    // A published crate has no such folder.
    let Ok(script) = std::fs::read_to_string(root().join(".ci/run")) else { return };
    let calls: Vec<&str> = script.lines().filter(|line| line.contains("tests/slurm.sh")).collect();
    assert_eq!(calls.len(), 1, "{calls:?}");
    assert!(calls[0].starts_with("HETSIM_SLURM_SKIP="), "{calls:?}");
    let steps = [
        "cargo test --locked --no-fail-fast\n",
        "--test documents --test integration -- --ignored",
        "--package hetsim-graph --package hetsim --lib -- --ignored read:: report::page",
        ".ci/explore",
        "--features parquet,png -- parquet:: print::",
        "--test data -- --ignored",
        ".ci/lint-scenarios",
        "tests/openmpi.sh",
    ];
    assert!(steps.iter().all(|step| script.contains(step)), "{script}");
}

/// The workflow of each push runs what `.ci/run` runs, in the same words, so that the two can't part.
#[test]
fn the_workflow_runs_what_is_run_before_a_merge() {
    let read = |path: &str| std::fs::read_to_string(root().join(path));
    let (Ok(script), Ok(workflow)) = (read(".ci/run"), read(".github/workflows/test.yml")) else { return };
    let commands = |text: &str| -> Vec<String> {
        let lines = text.lines().map(|line| line.trim().trim_start_matches("- run: ").trim_start_matches("run: "));
        let is_command =
            |line: &&str| ["cargo ", "RUST", "git ls-files", ".ci/"].iter().any(|word| line.starts_with(word));
        lines.filter(is_command).map(str::to_owned).collect()
    };
    let all = commands(&script);
    let shared = commands(&workflow);
    let known = |command: &String| all.iter().any(|own| own == command || own.starts_with(&format!("{command} | tee")));
    let strange: Vec<&String> = shared.iter().filter(|command| !known(command)).collect();
    assert!(shared.len() >= 8 && strange.is_empty(), "{strange:?} of {shared:?}");
}

/// Whoever reads which licences and advisories are let through finds why.
#[test]
fn exceptions_among_dependencies_are_explained() {
    let Ok(rules) = std::fs::read_to_string(root().join("deny.toml")) else { return };
    let why = std::fs::read_to_string(root().join("docs/dependencies.md")).unwrap();
    let rules: toml::Table = rules.parse().unwrap();
    let list = |table: &str, key: &str| rules[table][key].as_array().unwrap().clone();
    let advisories = list("advisories", "ignore").into_iter().map(|one| one.as_str().unwrap().to_owned());
    let crates = list("licenses", "exceptions").into_iter().map(|one| one["crate"].as_str().unwrap().to_owned());
    let named: Vec<String> = advisories.chain(crates).collect();
    assert!(named.len() >= 2 && named.iter().all(|name| why.contains(name)), "{named:?}");
}

/// A link says where it leads, not in which file that stands.
#[test]
fn links_of_pages_are_called_by_titles() {
    let Ok(folder) = std::fs::read_dir(root().join("docs")) else { return };
    let pages = folder.map(|entry| entry.unwrap().path()).filter(|path| path.extension().is_some_and(|is| is == "md"));
    let mut named = Vec::new();
    for page in pages.chain([root().join("CONTRIBUTING.md"), root().join("README.md")]) {
        let text = std::fs::read_to_string(&page).unwrap();
        let links = text.split("](").filter_map(|before| before.rsplit_once('[')).map(|(_, title)| title);
        named.extend(
            links
                .filter(|title| std::path::Path::new(title.trim_matches('`')).extension().is_some_and(|is| is == "md"))
                .map(|title| (page.clone(), title.to_owned())),
        );
    }
    assert!(named.is_empty(), "{named:?}");
}
