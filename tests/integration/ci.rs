//! What checks hetsim is itself in order: no test passes without having looked.

use std::path::PathBuf;

use proptest::prelude::ProptestConfig;
use proptest::test_runner::RngSeed;

use super::sources::sources;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

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
        ".ci/explore",
        "--features parquet,print -- parquet:: print::",
        "--test data -- --ignored",
        ".ci/lint-scenarios",
        "tests/openmpi.sh",
    ];
    assert!(steps.iter().all(|step| script.contains(step)), "{script}");
}
