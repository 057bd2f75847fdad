//! What runs are expected to take: about as many events as they handle, and a warning where these are very many.

use std::time::Duration;

use hetsim::record::Value;

use super::support::{here, hetsim, read, try_read};

fn text(workload: &str) -> String {
    format!(
        "version = 1\n[platform.cluster.lab]\nnodes = 8\nspeed = \"1Gop/s\"\n\
         network = {{ model = \"hockney\", latency = \"20us\", bandwidth = \"1Gbit/s\" }}\n[workload]\n{workload}\n"
    )
}

const TASK: &str = "task = { distribution = \"constant\", operations = \"1Mop\" }";

fn independent(tasks: u64, farm: &str) -> String {
    text(&format!("kind = \"independent\"\ntasks = {tasks}\n{TASK}\nfarm = {{ {farm} }}"))
}

#[test]
fn events_are_as_many_as_expected() {
    let phases = "kind = \"phases\"\n[[workload.phase]]\nrepeat = 50\n[[workload.phase.phase]]\ncompute = \"2Mop\"\n\
                  [[workload.phase.phase]]\ncollective = { operation = \"all_reduce\", size = \"8B\" }";
    for text in [
        independent(1000, "policy = \"adaptive\""),
        independent(1000, "policy = \"adaptive\", protocol = \"signals\""),
        independent(1000, "policy = \"fixed\", chunk = 7"),
        independent(1000, "policy = \"guided\""),
        independent(1000, "policy = \"static_equal\""),
        text(&format!("kind = \"genetic\"\npopulation = 100\ngenerations = 10\n{TASK}")),
        text(&format!("kind = \"island\"\npopulation = 400\ngenerations = 50\n{TASK}")),
        text(&format!("kind = \"evolution\"\npopulation = 100\nrounds = 200\n{TASK}")),
        text(phases),
        text("kind = \"traffic\"\nsize = \"1MB\"\nrounds = 10\npattern = { kind = \"all_to_all\" }"),
    ] {
        let scenario = read(&text);
        let record = scenario.run(0, 0).unwrap();
        let events = record.get("events").and_then(Value::number).unwrap();
        let expected = scenario.expected_events(0).unwrap_or_else(|| panic!("nothing is expected of\n{text}"));
        assert!((expected / events - 1.0).abs() < 0.2, "{expected} expected, {events} handled:\n{text}");
        assert_eq!(scenario.warnings(), Vec::<String>::new(), "{text}");
    }
}

/// Two milliards of tasks run for minutes: `check` says so, at once, and says that it is an estimate.
#[test]
fn long_runs_are_warned_of() {
    let folder = here(&[("long.toml", &independent(1 << 31, "policy = \"adaptive\""))]);
    let output = hetsim(&folder).args(["check", "long.toml"]).timeout(Duration::from_secs(30)).output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout).split_whitespace().collect::<Vec<_>>().join(" ");
    let warning = "Warning: a run has about 6.4e9 events, which take 11 min or more (an estimate)";
    assert!(printed.contains(warning), "{printed}");
    assert!(read(&independent(1_000_000, "")).warnings().is_empty());
}

/// Faults that come a milliard times in a run were simulated until the memory was full.
#[test]
fn more_faults_than_a_run_can_tell_are_refused() {
    let faults = |mean: &str| {
        let faults = format!(
            "[[platform.cluster.lab.fault]]\nnodes = [1]\n\
             profile = {{ kind = \"exponential\", mean_up = \"{mean}\", mean_down = \"{mean}\" }}\n[workload]"
        );
        independent(1000, "timeout = \"1s\"").replace("[workload]", &faults)
    };
    let shown = try_read(&faults("1ns")).expect_err("too many faults");
    let says = "nodes would fail about 7.1e7 times in the 142.9ms that the tasks take at best; at most 6.7e7 outages";
    assert!(shown.starts_with("test.toml:11:") && shown.contains(says), "{shown}");
    assert!(try_read(&faults("1ms")).is_ok());
}
