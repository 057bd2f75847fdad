//! Scenarios that are right: what they expand to, what they show, and when two runs are the same.

mod designs;
mod editor_schema;
mod expectations;
mod pictures;
mod platforms;
mod points;
mod run_identity;
mod sweep_values;
mod swept_files;
mod tolerance;
mod uncertainty;

use std::path::Path;

use hetsim::batch::identity::RunId;
use hetsim::cluster::NodeId;
use hetsim::record::Record;
use hetsim::report::Results;
use hetsim::scenario::Scenario;

use crate::support::{read, try_read_in};

/// A scenario on the machine that a test gives.
const BROADCAST: &str = "[workload]\nkind = \"broadcast\"\nsize = \"8KiB\"\nalgorithm = \"binomial\"\n";

const LAB: &str = "[platform.cluster.lab]\nnodes = 4\nnetwork = { model = \"hockney\", latency = \"50us\", bandwidth = \"1Gbit/s\" }\n";

/// Two clusters without anything between them.
const TWO: &str = r#"
[platform.cluster.a]
nodes = 2
network = { model = "hockney", latency = "50us", bandwidth = "1Gbit/s" }
[platform.cluster.b]
nodes = 2
network = { model = "hockney", latency = "50us", bandwidth = "1Gbit/s" }
"#;

#[track_caller]
fn read_in(folder: &Path, text: &str, overrides: &[&str]) -> Scenario {
    try_read_in(folder, text, overrides).unwrap_or_else(|problems| panic!("{problems}\n{text}"))
}

/// The small scenario with more at its end.
#[track_caller]
fn lab(more: &str) -> Scenario {
    read(&format!("version = 1\n{LAB}{BROADCAST}{more}"))
}

/// The points as a person would write them down.
fn points(scenario: &Scenario) -> Vec<String> {
    let point = |point| scenario.values(point).map(|(_, value)| value.label.as_str()).collect::<Vec<_>>().join(" ");
    (0..scenario.points.len()).map(point).collect()
}

/// The only run of a scenario without a sweep.
fn id(scenario: &Scenario) -> RunId {
    assert_eq!(scenario.runs(), 1);
    RunId::of(scenario, 0, 0)
}

/// What a message of no bytes takes from one node to another, in microseconds.
fn microseconds(scenario: &Scenario, from: u32, to: u32) -> f64 {
    let platform = scenario.first_platform().unwrap();
    platform.tick().seconds(platform.transfer(NodeId(from), NodeId(to), 0).hop()) * 1e6
}

/// The texts of a picture, as they follow each other in it.
fn texts(svg: &str) -> Vec<String> {
    let lines = svg.split("<text ").skip(1).filter_map(|text| text.split_once(">\n"));
    lines.filter_map(|(_, text)| text.split_once('\n')).map(|(text, _)| text.replace('\u{a0}', " ")).collect()
}

/// A metric with the values 0.5, 1.5, 2.5, 3.5 over the replicas of the first point, and those plus one at the second.
#[track_caller]
fn made_up(scenario: &Scenario) -> Results<'_> {
    let record = |point: usize, replica: u32| {
        let mut record = Record::default();
        record.metric("completion_s", f64::from(replica) + 0.5 + point as f64);
        (point, replica, record)
    };
    Results::new(scenario, (0..2).flat_map(|point| (0..4).map(move |replica| record(point, replica))))
}
