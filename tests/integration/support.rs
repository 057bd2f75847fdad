//! What several files of tests use: the command in a folder, a scenario from its text, and what its runs leave.

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use hetsim::batch::identity::RunId;
use hetsim::record::{Record, Value};
use hetsim::report::Reported as _;
use hetsim::scenario::{Problems, Scenario, Source};
use tempfile::TempDir;

/// The folder of the files that scenarios of tests name.
pub(crate) const DATA: &str = "tests/data";

/// The command in a folder, on a terminal of 80 columns, whatever the environment of the tests is.
pub(crate) fn hetsim(folder: impl AsRef<Path>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hetsim"));
    command.current_dir(folder).env("COLUMNS", "80").env_remove("NO_COLOR").env_remove("RUST_LOG");
    command
}

/// The command on a terminal so wide that no line of a message is broken.
pub(crate) fn wide(folder: impl AsRef<Path>) -> Command {
    let mut command = hetsim(folder);
    command.env("COLUMNS", "400");
    command
}

/// The same with what is typed behind it, words between blanks.
pub(crate) fn typed(folder: impl AsRef<Path>, line: &str) -> Command {
    let mut command = wide(folder);
    command.args(line.split(' '));
    command
}

/// What the command prints, which must succeed.
#[track_caller]
pub(crate) fn printed(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// A scenario of two trees among 8 nodes, with a chart of this name.
pub(crate) fn trees(chart: &str) -> String {
    format!(
        r#"version = 1
[platform.cluster.lab]
nodes = 8
network = {{ model = "hockney", latency = "50us", bandwidth = "1Gbit/s" }}
[workload]
kind = "broadcast"
size = "8KiB"
algorithm = "binomial"
[sweep]
"workload.algorithm" = ["linear", "binomial"]
[[chart]]
name = "{chart}"
kind = "bar"
x = "algorithm"
y = "completion_s"
"#
    )
}

/// A new folder with these files.
pub(crate) fn here(files: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, content) in files {
        fs::write(folder.path().join(name), content).unwrap();
    }
    folder
}

/// The names of what a folder holds, in order.
pub(crate) fn entries(folder: impl AsRef<Path>) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// A scenario whose file stands in this folder, with values overridden by `--set`, or what is wrong with it.
pub(crate) fn try_read_in(folder: impl AsRef<Path>, text: &str, overrides: &[&str]) -> Result<Scenario, Problems> {
    let source = Source { name: "test.toml".to_owned(), folder: folder.as_ref().to_path_buf(), text: text.into() };
    let overrides: Vec<String> = overrides.iter().map(ToString::to_string).collect();
    Scenario::read("test".to_owned(), source, &overrides)
}

/// A scenario, or all that is wrong with it as a text.
pub(crate) fn try_read(text: &str) -> Result<Scenario, String> {
    try_read_in(DATA, text, &[]).map_err(|problems| problems.to_string())
}

/// A scenario whose file stands in this folder.
#[track_caller]
pub(crate) fn read_in(folder: impl AsRef<Path>, text: &str) -> Scenario {
    try_read_in(folder, text, &[]).unwrap_or_else(|problems| panic!("{problems}\n{text}"))
}

#[track_caller]
pub(crate) fn read(text: &str) -> Scenario {
    read_in(DATA, text)
}

/// A scenario is refused with a message that has this part.
#[track_caller]
pub(crate) fn refused(text: &str, part: &str) {
    let problems = try_read(text).expect_err("this should be refused");
    assert!(problems.contains(part), "`{part}` should be in {problems}");
}

/// The identities of the first replicas of all points.
pub(crate) fn ids(scenario: &Scenario) -> Vec<RunId> {
    (0..scenario.points.len()).map(|point| RunId::of(scenario, point, 0)).collect()
}

/// What a scenario's first run leaves.
#[track_caller]
pub(crate) fn run(text: &str) -> Record {
    run_replica(text, 0)
}

/// What a replica of its first point leaves.
#[track_caller]
pub(crate) fn run_replica(text: &str, replica: u32) -> Record {
    read(text).run(0, replica).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

#[track_caller]
pub(crate) fn metric(record: &Record, name: &str) -> f64 {
    record.get(name).and_then(Value::number).unwrap_or_else(|| panic!("no metric {name}: {:?}", record.metrics))
}

/// The numbers in a column of a long table.
#[track_caller]
pub(crate) fn column(record: &Record, table: &str, name: &str) -> Vec<f64> {
    let table = record.tables.iter().find(|own| own.name == table).unwrap_or_else(|| panic!("no table {table}"));
    let at = table.columns.iter().position(|column| column == name).unwrap_or_else(|| panic!("no column {name}"));
    table.rows.iter().filter_map(|row| row[at].number()).collect()
}

/// Equal but for rounding.
#[track_caller]
pub(crate) fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-9 * expected.abs(), "{found} is not {expected}");
}
