//! Timeouts of farms: what they take from workers that have not failed, and deadlines that grow with the chunk.

use hetsim::record::Record;
use predicates::str::contains;

use crate::support::{here, hetsim, printed, read};

/// 400 tasks of a second on workers of 1 Gop/s, without a network; `fault` belongs to the cluster of the workers.
fn scenario(workers: u32, fault: &str, farm: &str) -> String {
    format!(
        r#"
version = 1
replicas = 3
[platform.cluster.server]
nodes = 1
network = {{ model = "ideal" }}
[platform.cluster.workers]
nodes = {workers}
network = {{ model = "ideal" }}
fault = [{fault}]
[platform.between]
network = {{ model = "ideal" }}
[workload]
kind = "independent"
tasks = 400
task = {{ distribution = "constant", operations = "1Gop" }}
[workload.farm]
{farm}
"#
    )
}

fn record(workers: u32, fault: &str, farm: &str) -> Record {
    read(&scenario(workers, fault, farm)).run(0, 0).unwrap()
}

fn metric(record: &Record, name: &str) -> f64 {
    record.get(name).unwrap().number().unwrap()
}

/// Factoring deals chunks of 25 tasks to eight workers first.
const FACTORING: &str = "policy = 'factoring2'";
const SHORT: &str = "policy = 'factoring2'\ntimeout = '10s'";
const FAILS: &str = "{ nodes = [3], profile = { kind = 'at', from = '20s' } }";

#[test]
fn what_a_timeout_takes_from_sound_workers_is_counted() {
    let sound = record(8, "", FACTORING);
    assert_eq!([metric(&sound, "completion_s"), metric(&sound, "false_timeouts")], [50.0, 0.0]);
    let short = record(8, "", SHORT);
    assert!(metric(&short, "completion_s") > 60.0 && metric(&short, "tasks") > 400.0);
    // The first chunks of all eight workers, at least.
    assert!(metric(&short, "false_timeouts") >= 200.0, "{}", metric(&short, "false_timeouts"));
    for policy in ["stealing", "static_equal"] {
        let short = record(8, "", &format!("policy = '{policy}'\ntimeout = '10s'"));
        assert!(metric(&short, "false_timeouts") >= 200.0, "{policy}");
    }
    let signals = record(8, "", &format!("{SHORT}\nprotocol = 'signals'"));
    assert!(metric(&signals, "false_timeouts") >= 200.0);
}

/// A timeout that meets a failed worker only is what it is for.
#[test]
fn tasks_of_a_failed_worker_are_no_false_timeouts() {
    for (farm, protocol) in [("factoring2", "plain"), ("factoring2", "signals"), ("stealing", "plain")] {
        let record = record(8, FAILS, &format!("policy = '{farm}'\nprotocol = '{protocol}'\ntimeout = '60s'"));
        assert_eq!(metric(&record, "false_timeouts"), 0.0, "{farm}, {protocol}");
        assert!(metric(&record, "completion_s") > 60.0, "{farm}, {protocol}");
    }
}

/// A time for each task fits every chunk: nothing is dealt twice, and a lost chunk is dealt again when its time is up.
#[test]
fn a_timeout_for_each_task_grows_with_the_chunk() {
    for policy in ["factoring2", "stealing", "static_equal", "guided"] {
        let record = record(8, "", &format!("policy = '{policy}'\ntask_timeout = '2s'"));
        assert_eq!(metric(&record, "false_timeouts"), 0.0, "{policy}");
        assert_eq!([metric(&record, "tasks"), metric(&record, "completion_s")], [400.0, 50.0], "{policy}");
    }
    // Guided self-scheduling deals 200 tasks to the first worker and 100 to the second, which fails: its deadline, at
    // 250 s, is the earlier one, though it is set later. The first worker has its 200 and the other 100 tasks then, but
    // for 50, and computes all 400 without a pause.
    let fails = "{ nodes = [1], profile = { kind = 'at', from = '1s' } }";
    let lost = record(2, fails, "policy = 'guided'\ntask_timeout = '2500ms'");
    assert_eq!([metric(&lost, "tasks"), metric(&lost, "completion_s")], [400.0, 400.0]);
}

#[test]
fn a_timeout_that_is_too_short_is_told_before_and_after_a_run() {
    let folder = here(&[("s.toml", &scenario(8, "", SHORT)), ("sound.toml", &scenario(8, "", "task_timeout = '2s'"))]);
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let before = "node 1 takes 25s for its first 25 tasks, but after 10s `timeout` gives them to others, though it has \
                  not failed; raise `workload.farm.timeout`, or let it grow with the chunk by `task_timeout`";
    let checked = words(&printed(hetsim(&folder).args(["check", "s.toml"])));
    assert!(checked.contains(&format!("Warning: {before}")), "{checked}");
    let after = "In 3 of 3 runs `timeout` took tasks from workers that had not failed, and dealt them again";
    let said = words(&printed(hetsim(&folder).arg("s.toml")));
    assert!(said.contains(after), "{said}");
    let page = std::fs::read_to_string(folder.path().join("output/s/report.html")).unwrap();
    assert!(page.contains("In 3 of 3 runs"), "{page}");
    for command in [vec!["check", "sound.toml"], vec!["sound.toml"]] {
        let said = printed(hetsim(&folder).args(command));
        assert!(!said.contains("Warning") && !said.contains("took tasks"), "{said}");
    }
    hetsim(&folder)
        .args(["s.toml", "--set", "workload.farm.task_timeout=0s"])
        .assert()
        .code(2)
        .stderr(contains("`task_timeout` must be above zero"));
}
