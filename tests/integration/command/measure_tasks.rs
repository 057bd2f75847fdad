//! `hetsim measure --tasks`: logs of task systems to tables, and to a farm that runs.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use predicates::str::contains;
use serde_json::Value as Json;
use tempfile::TempDir;

use crate::support::{DATA, entries, here, hetsim, metric, printed, read_in, typed};

/// The samples, with the machine that is fastest and its speed, as they were drawn.
const SAMPLES: [(&str, &str, f64); 8] = [
    // This one was made by GNU parallel, on one machine.
    ("parallel.log", "localhost", 1.0),
    // This one by Dask 2026.8: three workers, which slept through their tasks, the first in half the time.
    ("dask-stream.json", "tcp://127.0.0.1:38459", 2.0),
    // And this one: four workers of one thread, 120 tasks that sleep for 0.08 to 0.12 s (uniform). From 1.5 s on the workers 2
    // and 3, which are the ports 36477 and 35445, sleep four times as long for what is left.
    ("dask-slows.json", "tcp://127.0.0.1:43289", 1.0),
    // These by Slurm 22.05: two arrays of 40 tasks of 12 to 28 s and 30 of 5 to 11 s (uniform) on three nodes of four CPUs, which
    // slept through them, the last in half the time; beside them a job on two nodes, one that was cancelled while it waited, and
    // one that runs still.
    ("slurm.txt", "node03", 2.0),
    // And 160 tasks of 0.1 to 0.9 s (uniform) on four nodes, most of which its clock of whole seconds has as none.
    ("slurm-short.txt", "n1", 1.0),
    ("nextflow-trace.txt", "worker-1", 1.5),
    ("dask.csv", "tcp://127.0.0.1:41002", 2.0),
    ("wfformat.json", "worker-2", 1.2),
];

/// A folder with a sample.
fn with(file: &str) -> TempDir {
    here(&[(file, &fs::read_to_string(Path::new(DATA).join("tasks").join(file)).unwrap())])
}

/// What a farm takes. The end depends on who gets the last long task, which a millisecond decides: the median of farms whose
/// workers take from a half to one and a half times as long to set up a task, if they do.
fn completion_s(made: &Path, scenario: &str) -> f64 {
    let setup = scenario.split_once("setup = \"").map(|(_, rest)| rest.split_once("s\"").unwrap().0);
    let shares: &[f64] = if setup.is_some() { &[0.5, 0.75, 1.0, 1.25, 1.5] } else { &[1.0] };
    let with = |share: &f64| match setup {
        Some(setup) => scenario.replace(setup, &format!("{:.9}", share * setup.parse::<f64>().unwrap())),
        None => scenario.to_owned(),
    };
    let took = |share| metric(&read_in(made, &with(share)).run(0, 0).unwrap(), "completion_s");
    let mut took: Vec<f64> = shares.iter().map(took).collect();
    took.sort_by(f64::total_cmp);
    took[took.len() / 2]
}

/// Workers whose server takes 10 ms in the mean to start a task of 5 to 15 ms: it always has a queue, which is no
/// message. Data of up to `kilobytes` come at 20 MB/s before a task starts.
#[track_caller]
fn check_queue(workers: usize, services_s: [f64; 3], kilobytes: u32) {
    let (mut server, mut ready, mut text) =
        (0.0_f64, vec![0.0_f64; workers], "machine,started,ended,bytes_in\n".to_owned());
    for task in 0..400_u32 {
        let next = (0..workers).min_by(|&a, &b| ready[a].total_cmp(&ready[b])).unwrap();
        server = server.max(ready[next]) + services_s[task as usize % 3];
        let bytes = task * task * 37 % (kilobytes + 1) * 1000;
        let started = server + f64::from(bytes) / 2e7;
        ready[next] = started + f64::from(5 + task * 7 % 11) * 1e-3;
        writeln!(text, "m{next},{started:.6},{:.6},{bytes}", ready[next]).unwrap();
    }
    let folder = here(&[("log.csv", &text)]);
    typed(&folder, "measure --tasks log.csv --out made").assert().success();
    let made = folder.path().join("made/measure-log");
    let completion = completion_s(&made, &fs::read_to_string(made.join("farm.toml")).unwrap());
    assert!((0.9..1.1).contains(&(completion / server)), "{completion} for {server}");
    let platform = fs::read_to_string(made.join("platform.toml")).unwrap();
    let latencies: Vec<&str> = platform.split("latency = \"").skip(1).map(|rest| &rest[..5]).collect();
    assert_eq!(latencies, ["0.000"; 3], "{platform}");
    assert_eq!(platform.contains("1GB/s"), kilobytes == 0, "{platform}");
}

#[test]
fn a_queue_at_the_server_is_no_latency() {
    check_queue(8, [0.006, 0.01, 0.014], 0);
}

/// A server that answers requests in bursts does not take the median time between two starts for each. A slot counts as free
/// before its first task, so that 31 starts tell.
#[test]
fn bursts_of_a_server_take_their_mean() {
    check_queue(32, [0.001, 0.001, 0.028], 0);
}

/// The time of the server is not that of the data.
#[test]
fn a_queue_at_the_server_is_no_data() {
    check_queue(8, [0.01; 3], 200);
}

/// Each sample gives the speeds that it was drawn with, and a farm that takes about as long as the log.
#[test]
fn samples_of_all_formats_are_read_and_run() {
    for (file, fastest, speed) in SAMPLES {
        let folder = with(file);
        let assert = typed(&folder, &format!("measure --tasks {file} --json --out made")).assert().success();
        let json: Json = serde_json::from_slice(&assert.get_output().stdout).unwrap();
        let machines = json["machines"].as_array().unwrap();
        let machine = machines.iter().find(|machine| machine["name"] == fastest).unwrap();
        let within = |ends: &Json| ends[0].as_f64().unwrap() <= speed && speed <= ends[1].as_f64().unwrap();
        assert!(speed == 1.0 || within(&machine["interval"]), "{file}: {machine}");
        let made = folder.path().join("made").join(format!("measure-{}", file.rsplit_once('.').unwrap().0));
        assert_eq!(entries(&made), ["farm.toml", "platform.toml", "tasks.csv"]);
        let scenario = fs::read_to_string(made.join("farm.toml")).unwrap();
        let completion = completion_s(&made, &scenario);
        let took = scenario.split_once("The log took ").and_then(|(_, rest)| rest.split(' ').next());
        let took = took.map_or(completion, |took| took.parse().unwrap());
        assert!((0.9..1.1).contains(&(completion / took)), "{file}: {completion} for {took}");
    }
}

/// Two of four workers fall to a quarter of their speed in the middle of the log: so do they in the farm.
#[test]
fn workers_that_slow_down_are_found_and_run() {
    let folder = with("dask-slows.json");
    let assert = typed(&folder, "measure --tasks dask-slows.json --json --out made").assert().success();
    let json: Json = serde_json::from_slice(&assert.get_output().stdout).unwrap();
    for machine in json["machines"].as_array().unwrap() {
        let slows = ["tcp://127.0.0.1:36477", "tcp://127.0.0.1:35445"].iter().any(|own| machine["name"] == *own);
        let Some(speeds) = machine["speeds"].as_array() else {
            assert!(!slows, "{machine}");
            continue;
        };
        assert!(slows && speeds.len() == 2 && machine["speed"] == 1.0, "{machine}");
        assert_eq!((&speeds[0]["from_s"], &speeds[0]["share"]), (&0.0.into(), &1.0.into()));
        let [from, low, high] = [&speeds[1]["from_s"], &speeds[1]["interval"][0], &speeds[1]["interval"][1]]
            .map(|own| own.as_f64().unwrap());
        assert!((1.35..1.65).contains(&from) && low < 0.25 && 0.25 < high && high - low < 0.05, "{machine}");
    }
    // The share that is left is load on the workers' nodes; a task has the operations of the speed that it met.
    let made = folder.path().join("made/measure-dask-slows");
    typed(&folder, "check made/measure-dask-slows/farm.toml").assert().success();
    let platform = fs::read_to_string(made.join("platform.toml")).unwrap();
    let loads: Vec<&str> = platform.lines().filter(|line| line.contains("kind = \"trace\"")).collect();
    assert!(
        loads.len() == 2 && loads[0].starts_with("    { nodes = [1], ") && loads[1].contains("value = 0.25"),
        "{platform}"
    );
    let tasks = fs::read_to_string(made.join("tasks.csv")).unwrap();
    let operations = tasks.lines().skip(1).map(|line| line.split(',').nth(4).unwrap().parse::<f64>().unwrap());
    assert!(operations.clone().all(|own| (4e7..1.5e8).contains(&own)), "{tasks}");
    assert_eq!(operations.count(), 120);
    // The log took 4.67 s; with the same speeds throughout it would be 3 s.
    let completion = completion_s(&made, &fs::read_to_string(made.join("farm.toml")).unwrap());
    assert!((4.2..4.9).contains(&completion), "{completion}");
    let text = printed(hetsim(&folder).env("NO_COLOR", "1").args(["measure", "--tasks", "dask-slows.json"]));
    assert!(text.contains("Machines whose speed changed") && !text.contains("All machines"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let csv = printed(&mut typed(&folder, "measure --tasks dask-slows.json --csv"));
    let last: Vec<&str> = csv.lines().map(|line| line.rsplit(',').next().unwrap()).collect();
    assert_eq!(last, ["changes", "0", "1", "1", "0"]);
}

/// A drawn log: three machines with two slots each, 20 MB/s, 60 ms besides the data of 4 MB in and 1 MB out in the mean. Each
/// byte takes its time once in the farm too.
#[test]
fn data_pass_as_fast_as_in_the_log() {
    let folder = with("bytes.csv");
    let text = printed(hetsim(&folder).env("NO_COLOR", "1").args(["measure", "--tasks", "bytes.csv"]));
    assert!(text.replace('\u{a0}', " ").contains("Data pass at 20.2 MB/s (19.8 to 20.6), by 140 pauses."), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let assert = typed(&folder, "measure --tasks bytes.csv --json --out made").assert().success();
    let json: Json = serde_json::from_slice(&assert.get_output().stdout).unwrap();
    let transfers = &json["transfers"];
    near(transfers["bandwidth_bytes_per_s"].as_f64().unwrap() / 2e7, 1.0, 0.02);
    near(transfers["pause_s"]["median"].as_f64().unwrap() / 0.06, 1.0, 0.05);
    assert_eq!((&transfers["times"], &transfers["logged"]), (&140.into(), &false.into()));
    let made = folder.path().join("made/measure-bytes");
    let [scenario, platform] = ["farm.toml", "platform.toml"].map(|name| fs::read_to_string(made.join(name)).unwrap());
    assert!(scenario.contains("task_size = \"4039850B\", result_size = \"917808B\""), "{scenario}");
    assert!(platform.contains("at the bandwidth that they had") && !platform.contains("1GB/s"), "{platform}");
    let took: f64 =
        scenario.split("The log took ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap().parse().unwrap();
    near(metric(&read_in(&made, &scenario).run(0, 0).unwrap(), "completion_s") / took, 1.0, 0.03);
    // A log without bytes tells none.
    let folder = with("slurm.txt");
    let assert = typed(&folder, "measure --tasks slurm.txt --json --out made").assert().success();
    let json: Json = serde_json::from_slice(&assert.get_output().stdout).unwrap();
    assert_eq!(json["transfers"], Json::Null);
    let platform = fs::read_to_string(folder.path().join("made/measure-slurm/platform.toml")).unwrap();
    assert!(platform.contains("the bandwidth is not measured"), "{platform}");
}

#[track_caller]
fn near(found: f64, truth: f64, within: f64) {
    assert!((found - truth).abs() < within, "{found}, not {truth}");
}

/// The events of 34 jobs of a pool of workstations, but for their sizes and the names of machines and users, as
/// <https://github.com/shunzh/rl-texplore-condor> has them (af81b2a0, `ast_gen_try_long_condor.log`). Owners came back: 23 times a
/// job was suspended, and 12 times it was evicted. The numbers are those of a few lines of Python over the events.
#[test]
fn suspensions_and_evictions_of_a_real_pool_are_read() {
    let folder = with("htcondor.log");
    let assert = typed(&folder, "measure --tasks htcondor.log --out made --json").assert().success();
    let json: Json = serde_json::from_slice(&assert.get_output().stdout).unwrap();
    let ignored = &json["ignored"];
    assert_eq!(ignored["failed tasks, but for their slots"], 12);
    assert_eq!(ignored["suspensions, whose time is none of their tasks'"], 23);
    let tasks = |name: &str| {
        let machines = json["machines"].as_array().unwrap();
        machines.iter().find(|machine| machine["name"] == name).unwrap()["tasks"].as_u64().unwrap()
    };
    assert_eq!(["n2", "n3", "n4", "n5", "n6", "n7", "n8"].map(tasks), [2, 5, 4, 2, 3, 7, 1]);
    let made = fs::read_to_string(folder.path().join("made/measure-htcondor/tasks.csv")).unwrap();
    let seconds = made.lines().skip(1).map(|line| line.split(',').nth(3).unwrap().parse::<f64>().unwrap());
    assert_eq!(seconds.sum::<f64>(), 42_479.0);
}

#[test]
fn tables_say_what_was_found_and_ignored() {
    let folder = with("slurm.txt");
    let text = printed(hetsim(&folder).env("NO_COLOR", "1").args(["measure", "--tasks", "slurm.txt"]));
    insta::assert_snapshot!(text);
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let csv = printed(&mut typed(&folder, "measure --tasks slurm.txt --csv"));
    let rows: Vec<&str> = csv.lines().collect();
    assert!(rows[0].starts_with("machine,tasks,slots,speed,speed_low,speed_high,group,compared,wait_s"), "{csv}");
    assert!(rows.len() == 4 && rows[1].starts_with("node01,19,4,1,,,0,yes,2,,,1,0,1,0"), "{csv}");
}

#[test]
fn what_is_wrong_is_said_and_nothing_is_written() {
    let good = "host,begin,finish\na,1,2\na,2,3\nb,1,3\nb,3,5\n";
    for (row, words) in
        [("a,3,2\n", "bad.csv: line 2: the task ends 1.000 s before"), ("a,1", "bad.csv: line 2: this row has 2")]
    {
        let folder = here(&[("good.csv", good), ("bad.csv", &format!("host,begin,finish\n{row}"))]);
        let files = "measure --tasks good.csv bad.csv --out made --columns machine=host,started=begin,ended=finish";
        typed(&folder, files).assert().code(2).stderr(contains(words));
        assert!(!folder.path().join("made").exists());
    }
    let folder = here(&[("good.csv", good), ("idle.csv", "machine,seconds\na,0\n")]);
    typed(&folder, "measure --tasks idle.csv").assert().code(2).stderr(contains("no task succeeded"));
    typed(&folder, "measure --tasks good.csv --format slurm").assert().code(2).stderr(contains("no column `JobID`"));
    typed(&folder, "measure --tasks good.csv --columns host").assert().code(2).stderr(contains("COLUMN=TITLE"));
    typed(&folder, "measure good.csv --format csv").assert().code(2).stderr(contains("--tasks"));
    let kernels = "measure --kernels good.csv --format csv";
    typed(&folder, kernels).assert().code(2).stderr(contains("--format is for logs of tasks, which --tasks reads"));
    typed(&folder, "measure --tasks --kernels good.csv").assert().code(2);
}
