//! Timeouts of farms: what they take from workers that have not failed, and deadlines that grow with the chunk.

use hetsim::record::Record;
use predicates::str::contains;

use crate::support::{here, hetsim, printed, read, refused};

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

/// Workers fail while they compute; the server learns of it by `detection` and deals the task again. 400 tasks of a second
/// in chunks of one: by 21 s, 167 are done, and seven workers take 34 s for the other 233. In the last second all others
/// wait for the lost task, from its detection on.
#[test]
fn a_failure_that_is_detected_costs_the_task_and_the_time_until_then() {
    let completion = |fails: &str, detection: &str, more: &str| {
        let fault = format!("{{ nodes = [3], profile = {{ kind = 'at', from = '{fails}' }} }}");
        let record = record(8, &fault, &format!("policy = 'fixed'\ndetection = '{detection}'\n{more}"));
        assert_eq!(metric(&record, "false_timeouts"), 0.0);
        metric(&record, "completion_s")
    };
    for more in ["", "protocol = 'signals'", "timeout = '30s'"] {
        assert_eq!(completion("20500ms", "0s", more), 55.0, "{more}");
        assert_eq!(completion("49500ms", "0s", more), 51.0, "{more}");
        assert_eq!(completion("49500ms", "2s", more), 52.5, "{more}");
    }
    // All 50 tasks of an equal share are lost, and dealt to the other seven when they have theirs: the largest share is 8.
    let fails = "{ nodes = [3], profile = { kind = 'at', from = '20s' } }";
    let equal = record(8, fails, "policy = 'static_equal'\ndetection = '1s'");
    assert_eq!(metric(&equal, "completion_s"), 58.0);
}

/// Workers that keep their results lose them: the failed one has had 20. By 21 s the other seven have done 21 each, and
/// 233 tasks and these 20 are left: 36.1 rounds of seven, or 31.6 of eight if the worker is up again.
#[test]
fn results_that_workers_keep_are_computed_again() {
    let keep = "policy = 'fixed'\ndetection = '0s'\nkeep_results = true";
    let fails = |at: &str| format!("{{ nodes = [3], profile = {{ kind = 'at', {at} }} }}");
    let ended = |at: &str, farm: &str| {
        let record = record(8, &fails(at), farm);
        [metric(&record, "completion_s"), metric(&record, "tasks")]
    };
    assert_eq!(ended("from = '20500ms'", keep), [58.0, 420.0]);
    assert_eq!(ended("from = '20500ms'", &format!("{keep}\nprotocol = 'signals'")), [58.0, 420.0]);
    assert_eq!(ended("from = '20500ms', until = '21s'", keep), [53.0, 420.0]);
    refused(
        &scenario(8, FAILS, "timeout = '60s'\nkeep_results = true"),
        "results that workers keep are lost with them",
    );
}

/// A round has used its results when it ends. The last worker has nothing to do when it fails, half a second before the end of
/// the first round. It is given a task of the second, which others have from 55 s on: seven workers take 57 s for 399 tasks.
#[test]
fn results_of_an_earlier_round_are_not_lost() {
    let fault = "{ nodes = [7], profile = { kind = 'at', from = '49500ms' } }";
    let text = scenario(8, fault, "policy = 'fixed'\ndetection = '5s'\nkeep_results = true");
    let record = read(&text.replace("tasks = 400", "tasks = 399\nrounds = 2")).run(0, 0).unwrap();
    assert_eq!([metric(&record, "completion_s"), metric(&record, "tasks")], [107.0, 798.0]);
}

/// What a worker has been given since it is up again is not lost when its failure is detected.
#[test]
fn a_worker_that_is_up_again_keeps_what_it_was_given_since() {
    let fault = "{ nodes = [3], profile = { kind = 'at', from = '20500ms', until = '21s' } }";
    let record = record(8, fault, "policy = 'fixed'\ndetection = '2s'");
    // 233 tasks are left at 21 s: 29.1 rounds of eight.
    assert_eq!([metric(&record, "completion_s"), metric(&record, "tasks")], [51.0, 400.0]);
}

/// Three workers behind links of 200 ms, of which the second fails.
fn distant(ms: u32, tasks: u32, farm: &str) -> Record {
    let fault = format!("{{ nodes = [1], profile = {{ kind = 'at', from = '{ms}ms' }} }}");
    let (ideal, delay) = ("ideal\" }\n[workload]", "delay\", latency = \"200ms\", bandwidth = \"1GB/s\" }\n[workload]");
    let scenario = scenario(3, &fault, farm).replace("tasks = 400", &format!("tasks = {tasks}")).replace(ideal, delay);
    read(&scenario).run(0, 0).unwrap()
}

/// Whenever a worker fails, and while its request, its tasks or its results are on the way, all tasks are computed.
#[test]
fn what_is_on_the_way_to_a_failed_worker_is_detected_too() {
    for policy in ["fixed'", "factoring2'", "static_equal'", "adaptive'", "fixed'\nkeep_results = true"] {
        for ms in (100..4000).step_by(130) {
            let record = distant(ms, 12, &format!("policy = '{policy}\ndetection = '10ms'"));
            assert!(metric(&record, "tasks") >= 12.0 && metric(&record, "completion_s") < 20.0, "{policy}, {ms} ms");
        }
    }
    // Three tasks arrive at 0.4 s and their results at 1.6 s, of which one is lost on the way with its worker, which failed
    // at 1.5 s. A task takes 1.4 s with its messages. The server knows by then, and deals the task to the first who asks.
    let completion = |farm: &str| metric(&distant(1500, 3, &format!("policy = 'fixed'\n{farm}")), "completion_s");
    assert_eq!(completion("detection = '10ms'\nkeep_results = true"), 3.0);
    assert_eq!(completion("detection = '10ms'"), 1.6);
    // The server deals it to the same worker, and learns after another second that nobody computes it.
    assert_eq!(completion("detection = '1s'\nkeep_results = true"), 4.0);
}

#[test]
fn thieves_have_no_server_that_detects_what_they_lost() {
    let stealing = scenario(8, FAILS, "policy = 'stealing'\ndetection = '0s'");
    refused(&stealing, "with `stealing`, the server does not know who has which tasks");
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
    // One that equals the time of the chunk expires as well.
    let equal = printed(hetsim(&folder).args(["check", "s.toml", "--set", "workload.farm.timeout=25s"]));
    assert!(words(&equal).contains("node 1 takes 25s for its first 25 tasks, but after 25s `timeout`"), "{equal}");
    // The key that is given is named, or both.
    let hasty = |more: &[&str]| {
        let mut check = hetsim(&folder);
        check.args(["check", "sound.toml", "--set", "workload.farm.task_timeout=10ms"]).args(more);
        words(&printed(&mut check))
    };
    let one = "`task_timeout` gives them to others, though it has not failed; raise `workload.farm.task_timeout`";
    assert!(hasty(&[]).contains(one), "{}", hasty(&[]));
    let both = "`timeout` and `task_timeout` give them to others, though it has not failed; raise `workload.farm.timeout` \
                or `workload.farm.task_timeout`";
    let said = hasty(&["--set", "workload.farm.timeout=10ms"]);
    assert!(said.contains(both), "{said}");
    let after = "In 3 of 3 runs a timeout took tasks from workers that had not failed, and dealt them again";
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

/// A worker that is down for a moment while a chunk is under way to it reports as new, and has the chunk all the same. It is
/// dealt twice, and that is all: the worker does not stay a chunk behind what the server knows of it.
#[test]
fn a_chunk_under_way_during_an_outage_is_computed_twice_at_most() {
    let farm = |fault: &str, protocol: &str| {
        let text = format!(
            "version = 1\n[platform.cluster.lab]\nnodes = 4\nfault = [{fault}]\n\
             network = {{ model = \"hockney\", latency = \"50us\", bandwidth = \"125MB/s\" }}\n\
             [workload]\nkind = \"independent\"\ntasks = 60\n\
             task = {{ distribution = \"constant\", operations = \"1Gop\" }}\n\
             farm = {{ policy = \"adaptive\", detection = \"0s\", task_size = \"10MB\", protocol = \"{protocol}\" }}\n"
        );
        let record = read(&text).run(0, 0).unwrap();
        ["completion_s", "tasks"].map(|name| metric(&record, name))
    };
    let outage = "{ nodes = [1], profile = { kind = \"at\", from = \"20ms\", until = \"30ms\" } }";
    for protocol in ["plain", "signals"] {
        let ([sound, _], [completion, tasks]) = (farm("", protocol), farm(outage, protocol));
        assert!((60.0..=61.0).contains(&tasks), "{protocol}: {tasks}");
        assert!(completion < sound + 1.2, "{protocol}: {completion} and {sound}");
    }
}
