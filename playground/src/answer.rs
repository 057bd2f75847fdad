//! What the page asks, answered in JSON.

use std::path::PathBuf;

use hetsim::report::Reported as _;
use hetsim::report::in_memory;
use hetsim::report::spec::NOTATION;
use hetsim::scenario::{Described, Problems, Report, Scenario, Source, editor_schema};
use serde_json::{Value, json};

/// The JSON schema of scenarios for editors, with what each key means.
#[must_use]
pub fn schema() -> Value {
    editor_schema(NOTATION.schema(), Described::Scenario, true)
}

/// What is wrong with a scenario: a list, empty where nothing is.
#[must_use]
pub fn check(name: &str, text: &str) -> Value {
    match read(name, text) {
        Ok(_) => json!([]),
        Err(problems) => listed(name, &problems),
    }
}

/// Runs a scenario: `{ files, computed, failed, missed, warnings, seconds }`, `{ problems }` where it is wrong, or
/// `{ failure }` where it cannot be run. `done` receives the number of runs that ended since its last call, and the number of
/// all that are known to be needed.
#[must_use]
pub fn run(name: &str, text: &str, done: impl Fn(usize, usize) + Sync) -> Value {
    let scenario = match read(name, text) {
        Ok(scenario) => scenario,
        Err(problems) => return json!({ "problems": listed(name, &problems) }),
    };
    match in_memory::run(&scenario, |requested, progress| done(progress.ended, requested)) {
        Ok(reported) => {
            let text = |content: Vec<u8>| String::from_utf8_lossy(&content).into_owned();
            let files = reported.files.into_iter().map(|(path, content)| (path, Value::from(text(content))));
            let failed = |((point, replica), reason)| json!({ "point": point, "replica": replica, "reason": reason });
            json!({
                "files": files.collect::<serde_json::Map<_, _>>(),
                "computed": reported.computed,
                "failed": reported.failed.into_iter().map(failed).collect::<Vec<_>>(),
                "missed": reported.missed,
                "warnings": scenario.warnings(),
                "seconds": reported.simulating.as_secs_f64(),
            })
        }
        Err(failure) => json!({ "failure": failure }),
    }
}

fn read(name: &str, text: &str) -> Result<Scenario, Problems> {
    let source = Source { name: file(name), folder: PathBuf::new(), text: text.into() };
    Scenario::read(name.to_owned(), source, &[])
}

/// The file that a scenario's messages name.
fn file(name: &str) -> String {
    format!("{name}.toml")
}

fn listed(name: &str, problems: &Problems) -> Value {
    problems.reports().iter().map(|report| problem(name, report)).collect()
}

/// A problem: its message and help; line, column and length, in characters, where it stands in the text itself; `file`
/// where it stands in another.
fn problem(name: &str, report: &Report) -> Value {
    let mut problem = json!({ "message": report.message(), "help": report.advice() });
    if let Some((source, line, column)) = report.place() {
        problem["line"] = line.into();
        problem["column"] = column.into();
        problem["length"] = report.at_fault().map_or(0, |text| text.chars().count()).into();
        if source != file(name) {
            problem["file"] = source.into();
        }
    }
    problem
}
