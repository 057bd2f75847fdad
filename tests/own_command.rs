//! `examples/own_workload.rs` and `examples/own_scheduler.rs` as commands of their own, and what [`register`] refuses.
//!
//! A test without a harness: this process either runs an example, which takes the arguments of the command, or the
//! tests.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;
use std::process::{Command, ExitCode};

use hetsim::cluster::Platform;
use hetsim::report::Reported as _;
use hetsim::scenario::{RegisterError, Scenario, Source, register};
use hetsim::workload::{KeyError, Prepared, Run, RunFailure, Workload};

#[path = "../examples/own_scheduler.rs"]
mod own_scheduler;
#[path = "../examples/own_workload.rs"]
mod own_workload;

/// Names the example whose command this process is to be.
const COMMAND: &str = "HETSIM_TEST_OWN_COMMAND";

fn main() -> ExitCode {
    match std::env::var(COMMAND).as_deref() {
        Ok("own_scheduler") => return own_scheduler::main(),
        Ok(_) => return own_workload::main(),
        Err(_) => {}
    }
    the_command_knows_its_workload();
    the_schedule_is_carried_out_as_predicted();
    what_cannot_be_registered_is_refused();
    ExitCode::SUCCESS
}

/// What the command of an example prints.
#[track_caller]
fn said(folder: &Path, example: &str, arguments: &[&str]) -> String {
    let mut command = Command::new(std::env::current_exe().unwrap());
    let output = command.current_dir(folder).env(COMMAND, example).args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn the_command_knows_its_workload() {
    let folder = tempfile::tempdir().unwrap();
    let scenario = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/own_workload.toml");
    let scenario = scenario.to_str().unwrap();
    let listed = said(folder.path(), "own_workload", &["list", "relay"]);
    assert!(listed.contains("A message goes from node to node") && listed.contains("hop_s"), "{listed}");
    let checked = said(folder.path(), "own_workload", &["check", scenario]);
    assert!(checked.contains("is valid") && checked.contains("workload.size"), "{checked}");
    said(folder.path(), "own_workload", &["run", scenario, "--quiet"]);
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

/// Messages meet no other traffic under `delay`, so the simulated makespan is that of the schedule.
fn the_schedule_is_carried_out_as_predicted() {
    let folder = tempfile::tempdir().unwrap();
    let scenario = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/own_scheduler.toml");
    let scenario = scenario.to_str().unwrap();
    assert!(said(folder.path(), "own_scheduler", &["list", "earliest"]).contains("A drawn task graph"));
    assert!(said(folder.path(), "own_scheduler", &["check", scenario]).contains("is valid"));
    said(folder.path(), "own_scheduler", &["run", scenario, "--quiet"]);
    let results = std::fs::read_to_string(folder.path().join("output/own_scheduler/results.csv")).unwrap();
    let mut reader = csv::Reader::from_reader(results.as_bytes());
    let headers = reader.headers().unwrap().clone();
    let place = |name: &str| headers.iter().position(|own| own == name).unwrap();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 3, "{results}");
    assert!(rows.iter().all(|row| row[place("completion_s")] == row[place("predicted_s")]), "{results}");
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
