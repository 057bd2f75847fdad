//! `examples/own_workload.rs` as a command of its own, and what [`register`] refuses.
//!
//! A test without a harness: this process either runs the example, which takes the arguments of the command, or the
//! tests.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;
use std::process::{Command, ExitCode};

use hetsim::cluster::Platform;
use hetsim::scenario::{RegisterError, Scenario, Source, register};
use hetsim::workload::{KeyError, Prepared, Run, RunFailure, Workload};

#[path = "../examples/own_workload.rs"]
mod example;

/// Says that this process is to be the example's command.
const COMMAND: &str = "HETSIM_TEST_OWN_WORKLOAD";

fn main() -> ExitCode {
    if std::env::var_os(COMMAND).is_some() {
        return example::main();
    }
    the_command_knows_its_workload();
    what_cannot_be_registered_is_refused();
    ExitCode::SUCCESS
}

/// What the example's command prints.
#[track_caller]
fn said(folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new(std::env::current_exe().unwrap());
    let output = command.current_dir(folder).env(COMMAND, "1").args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn the_command_knows_its_workload() {
    let folder = tempfile::tempdir().unwrap();
    let scenario = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/own_workload.toml");
    let scenario = scenario.to_str().unwrap();
    let listed = said(folder.path(), &["list", "relay"]);
    assert!(listed.contains("A message goes from node to node") && listed.contains("hop_s"), "{listed}");
    let checked = said(folder.path(), &["check", scenario]);
    assert!(checked.contains("is valid") && checked.contains("workload.size"), "{checked}");
    said(folder.path(), &["run", scenario, "--quiet"]);
    let results = std::fs::read_to_string(folder.path().join("output/own_workload/results.csv")).unwrap();
    let mut reader = csv::Reader::from_reader(results.as_bytes());
    let headers = reader.headers().unwrap().clone();
    let number = |record: &csv::StringRecord, name: &str| -> f64 {
        record[headers.iter().position(|own| own == name).unwrap()].parse().unwrap()
    };
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 3, "{results}");
    for (row, bytes) in rows.iter().zip([1024.0, 65536.0, 1_048_576.0]) {
        // 80 hops of 50 µs and 100 MB/s.
        let hop = 50e-6 + bytes / 100e6;
        assert!((number(row, "hop_s") / hop - 1.0).abs() < 1e-9 && number(row, "messages") == 80.0, "{row:?}");
    }
    assert!(folder.path().join("output/own_workload/charts/hop.svg").exists());
}

/// Workloads that do nothing.
#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
struct Idle<const NAME: char> {}

macro_rules! idle {
    ($letter:literal $name:literal) => {
        impl Workload for Idle<$letter> {
            const NAME: &'static str = $name;
            const ABOUT: &'static str = "Does nothing.";
            type Prepared = Nothing;
            fn prepare(&self, _: &Platform) -> Result<Nothing, KeyError> {
                Ok(Nothing)
            }
        }
    };
}

idle! { 'o' "own" }
idle! { 'b' "broadcast" }
idle! { 'l' "late" }

#[derive(Debug)]
struct Nothing;

impl Prepared for Nothing {
    type Metrics = ();
    fn run(&self, _: &mut Run<'_>) -> Result<(), RunFailure> {
        Ok(())
    }
}

fn what_cannot_be_registered_is_refused() {
    assert_eq!(register::<Idle<'o'>>(), Ok(()));
    assert_eq!(register::<Idle<'o'>>(), Err(RegisterError::Known("own")));
    assert_eq!(register::<Idle<'b'>>(), Err(RegisterError::Known("broadcast")));
    let text = "version = 1\n[platform.cluster.a]\nnodes = 2\nnetwork = { model = \"ideal\" }\n\
                [workload]\nkind = \"own\"\n";
    let source = Source { name: "own.toml".to_owned(), folder: ".".into(), text: text.into() };
    let scenario = Scenario::read("own".to_owned(), source, &[]).unwrap_or_else(|problems| panic!("{problems}"));
    assert!(scenario.run(0, 0).is_ok());
    let late = register::<Idle<'l'>>().unwrap_err();
    assert_eq!(late, RegisterError::TooLate("late"));
    assert!(late.to_string().contains("before the first scenario is read"));
}
