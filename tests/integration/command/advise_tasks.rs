//! `hetsim advise --tasks`: how to run the tasks of a scenario or of a log, independent ones or those of a graph.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use predicates::prelude::*;
use predicates::str::contains;
use serde_json::Value as Json;
use tempfile::TempDir;

use crate::support::{DATA, entries, here, hetsim, printed, typed};

/// Two workers that do a task of 10 s in 10 s, and an old one that takes ten times as long; a trace whose long task comes
/// last, so that list scheduling ends at 30 s and the longest first at 20 s, on the two.
const FARM: &str = r#"
version = 1
[platform.cluster.server]
nodes = 1
network = { model = "ideal" }
[platform.cluster.new]
nodes = 2
network = { model = "ideal" }
speed = "1Gop/s"
[platform.cluster.old]
nodes = 1
network = { model = "ideal" }
speed = "0.1Gop/s"
[platform.between]
network = { model = "ideal" }
[workload]
kind = "independent"
tasks = 5
task = { distribution = "trace", operations = ["5Gop", "5Gop", "5Gop", "5Gop", "20Gop"] }
[workload.farm]
policy = "adaptive"
"#;

/// The same with tasks and a load that are drawn.
fn drawn() -> String {
    let task = "tasks = 200\ntask = { distribution = \"gamma\", mean = \"1Gop\", deviation = \"1Gop\" }";
    let load = "speed = \"1Gop/s\"\n[[platform.cluster.new.load]]\n\
        profile = { kind = \"random\", tasks = 1, mean_idle = \"5s\", mean_busy = \"5s\" }";
    let trace = FARM.lines().skip_while(|line| !line.starts_with("tasks")).take(2).collect::<Vec<_>>().join("\n");
    FARM.replace(&trace, task).replacen("speed = \"1Gop/s\"", load, 1).replace("\"adaptive\"", "\"static_equal\"")
}

fn json(folder: &TempDir, line: &str) -> Json {
    let assert = typed(folder, &format!("{line} --json")).assert().success();
    serde_json::from_slice(&assert.get_output().stdout).unwrap()
}

/// What an entry of a list takes, by its name.
fn seconds(json: &Json, list: &str, key: &str, name: &str) -> f64 {
    let entries = json[list].as_array().unwrap();
    let entry = entries.iter().find(|entry| entry[key] == name);
    entry.unwrap_or_else(|| panic!("{name}: {entries:#?}"))["completion_s"].as_f64().unwrap()
}

/// Nothing is drawn, and every time is known by hand: the old machine takes 50 s for the task that it is given, or 200 s
/// for the long one.
#[test]
fn a_farm_that_is_known_by_hand() {
    let folder = here(&[("farm.toml", FARM)]);
    let text = printed(hetsim(&folder).env("NO_COLOR", "1").args(["advise", "--tasks", "farm.toml"]));
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    insta::assert_snapshot!(text);
    let made = folder.path().join("output/advise-farm");
    assert_eq!(entries(&made), ["settings.csv", "settings.svg"]);
    assert!(fs::read_to_string(made.join("settings.svg")).unwrap().contains("now 50"));
    let json = json(&folder, "advise --tasks farm.toml");
    assert_eq!(seconds(&json, "machines", "machines", "without node 3 (old.0)"), 25.0);
    assert_eq!(seconds(&json, "machines", "machines", "the fastest 1 of 3 workers"), 40.0);
    assert_eq!((&json["workers_enough"], &json["with_fewer"]["completion_s"]), (&2.into(), &20.0.into()));
}

/// The same seeds for all: more replicas tell more apart, and the farm's own setting is there to the end.
#[test]
fn settings_meet_the_same_draws() {
    let folder = here(&[("farm.toml", &drawn())]);
    let json = json(&folder, "advise --tasks farm.toml --replicas 12 --seed 7 --jobs 1");
    let settings = json["settings"].as_array().unwrap();
    let is = |entry: &&Json, key: &str| entry[key] == true;
    let advised = settings.iter().find(|entry| is(entry, "advised")).unwrap();
    let now = settings.iter().find(|entry| is(entry, "now")).unwrap();
    assert_eq!(
        (&now["policy"], &now["replicas"], &advised["replicas"]),
        (&"static_equal".into(), &12.into(), &12.into())
    );
    assert!(advised["longer_interval"][1].as_f64().unwrap() < -0.5, "{advised}");
    assert!(settings.iter().any(|entry| entry["replicas"] == 4), "{settings:#?}");
    // The old machine makes it 3 % shorter, though not surely.
    assert_eq!((&json["workers_enough"], &json["workers"]), (&3.into(), &3.into()));
    let csv = fs::read_to_string(folder.path().join("output/advise-farm/settings.csv")).unwrap();
    assert_eq!(csv.lines().count(), settings.len() + 1);
    assert_eq!(self::json(&folder, "advise --tasks farm.toml --replicas 12 --seed 7 --jobs 2"), json);
    // A hundredth as fast, it makes nothing shorter.
    let folder = here(&[("farm.toml", &drawn().replace("0.1Gop/s", "0.001Gop/s"))]);
    let slower = self::json(&folder, "advise --tasks farm.toml --replicas 12 --seed 7");
    assert_eq!(slower["workers_enough"], 2);
    // Among workers of one speed these two deal the same chunks.
    let folder = here(&[("farm.toml", &drawn().replace("\"0.1Gop/s", "\"1Gop/s"))]);
    let json = self::json(&folder, "advise --tasks farm.toml --replicas 4");
    let of = |policy: &str| seconds(&json, "settings", "policy", policy);
    assert_eq!(of("weighted_factoring"), of("factoring2"));
    assert_ne!(of("weighted_factoring"), of("guided"));
    // Of machines that are others in each replica nothing is said.
    let spread = "[platform]\ndiversity = 0.3\ndiversity_over = ['new']\ntick = '1ns'\n[platform.cluster.server]";
    let folder =
        here(&[("farm.toml", &drawn().replace("[platform.cluster.server]", spread).replace("nodes = 2", "nodes = 8"))]);
    let assert = typed(&folder, "advise --tasks farm.toml --replicas 4").assert().success();
    assert.stderr(contains("the speeds of machines are drawn")).stdout(contains("Other machines").not());
}

/// A log is advised on as the farm that `measure --tasks` writes, with what its system can do.
#[test]
fn logs_are_farms() {
    for (file, line) in [
        ("parallel.log", "parallel --jobs 4 …"),
        ("slurm.txt", "#SBATCH --array=0-34"),
        ("slurm-short.txt", "#SBATCH --array=0-9"),
        ("nextflow-trace.txt", "executor.queueSize = 6"),
        ("dask-stream.json", "distributed.scheduler.worker-saturation: 1.0"),
    ] {
        let folder = here(&[(file, &fs::read_to_string(Path::new(DATA).join("tasks").join(file)).unwrap())]);
        let json = json(&folder, &format!("advise --tasks {file}"));
        assert_eq!(json["lines"][0], line, "{json:#}");
        let policies = json["settings"].as_array().unwrap().iter().map(|entry| entry["policy"].as_str().unwrap());
        assert!(policies.clone().all(|policy| ["adaptive", "fixed"].contains(&policy)), "{file}");
        assert_eq!(policies.clone().any(|policy| policy == "fixed"), file != "nextflow-trace.txt");
        // Which tasks come last is drawn: times as they come vary, and those of the longest first hardly do.
        let varies = |order: &str| {
            let own = json["settings"].as_array().unwrap().iter().filter(|entry| entry["order"] == order);
            own.filter(|entry| !entry["interval"].is_null()).count()
        };
        assert!(varies("as_given") > 0 && varies("as_given") >= varies("longest_first"), "{file}: {json:#}");
        // Dask gives tasks ahead; whether it should is tried.
        let aheads = json["settings"].as_array().unwrap().iter().map(|entry| entry["ahead"].as_u64().unwrap());
        assert_eq!(aheads.clone().max(), Some(u64::from(file == "dask-stream.json")), "{file}");
        assert!(aheads.clone().any(|ahead| ahead == 0), "{file}");
        let assert = typed(&folder, &format!("measure --tasks {file} --out made")).assert().success();
        let said = String::from_utf8_lossy(&assert.get_output().stderr).contains("measure --tasks --dag");
        assert_eq!(said, file == "nextflow-trace.txt", "{file}");
        let (name, _) = file.rsplit_once('.').unwrap();
        let made = |folder_name: String| fs::read_to_string(folder.path().join(folder_name).join("farm.toml")).unwrap();
        assert_eq!(made(format!("output/advise-{name}")), made(format!("made/measure-{name}")));
    }
    let folder = here(&[("runs.csv", "host,begin,finish\nfast,1,2\nfast,2,3\nslow,1,3\nslow,3,5\n")]);
    let line = "advise --tasks runs.csv --columns machine=host,started=begin,ended=finish";
    let json = json(&folder, line);
    let without = |name: &str| seconds(&json, "machines", "machines", &format!("without {name}"));
    assert!(without("fast") > 1.5 * without("slow"), "{json:#}");
}

/// Tasks that take 8.4 s each, of which the log has 8 or 9 s, have no order.
#[test]
fn what_a_clock_cuts_off_is_no_order() {
    let mut log = "JobID|NodeList|State|Submit|Start|End\n".to_owned();
    for (number, begin) in (0..40_u32).map(|number| (number, f64::from(number / 4) * 9.9)) {
        let [started, ended] = [begin, begin + 8.4].map(f64::floor);
        writeln!(log, "7_{number}|n{}|COMPLETED|0|{started}|{ended}", number % 4).unwrap();
    }
    let folder = here(&[("log.txt", &log)]);
    let json = json(&folder, "advise --tasks log.txt");
    let orders = json["settings"].as_array().unwrap().iter().map(|entry| entry["order"].as_str().unwrap());
    assert_eq!(orders.filter(|order| *order != "as_given").count(), 0, "{json:#}");
    typed(&folder, "measure --tasks log.txt --out made").assert().success();
    let tasks = fs::read_to_string(folder.path().join("made/measure-log/tasks.csv")).unwrap();
    assert!(tasks.contains(",8,8400000000,") && tasks.contains(",9,8400000000,"), "{tasks}");
}

/// The example of the HEFT paper (Topcuoglu, Hariri and Wu 2002): HEFT's schedule takes 80, CPOP's 86, and the optimum
/// is 73. The least time of a path, each task on its fastest processor, is 41 (its Fig. 2: tasks 1, 2, 9 and 10 take at
/// least 9, 13, 12 and 7).
#[test]
fn schedulers_of_a_published_graph() {
    let folder = here(&[]);
    let scenario = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/heft2002.toml");
    let json = json(&folder, &format!("advise --tasks {}", scenario.display()));
    let of = |name: &str| seconds(&json, "settings", "scheduler", name);
    assert_eq!([of("heft"), of("cpop"), of("lookahead_heft")], [80.0, 86.0, 76.0]);
    let settings = json["settings"].as_array().unwrap();
    assert!(settings.iter().all(|entry| entry["completion_s"].as_f64().unwrap() >= 73.0), "{settings:#?}");
    assert_eq!(json["lines"][0], "workload.scheduler = \"lookahead_heft\"");
    assert_eq!((&json["lower_bound_s"], &json["machines"]), (&41.0.into(), &Json::Array(Vec::new())));
    let text = printed(hetsim(&folder).env("NO_COLOR", "1").args(["advise", "--tasks"]).arg(&scenario));
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    insta::assert_snapshot!(text);
}

/// Two chains of two tasks ran on a slow machine, two on one twice as fast, and a merge at the end on the slow one, two
/// tasks at a time on each. By hand: the fast machine can take over two sorts and the merge (3 + 1 s); alone it takes
/// 4 + 1 s, the slow one 8 + 2 s, and with a twin 2 + 1 s, which is the longest path.
#[test]
fn a_log_with_a_graph_is_a_workflow() {
    let log = "type,tag,machine,submitted,started,ended\n\
        align,a,fast,0,0,1\nalign,b,fast,0,0,1\nalign,c,slow,0,0,2\nalign,d,slow,0,0,2\n\
        sort,a,fast,1,1,2\nsort,b,fast,1,1,2\nsort,c,slow,2,2,4\nsort,d,slow,2,2,4\nmerge,x,slow,4,4,6\n";
    let folder = here(&[("log.csv", log), ("dag.dot", "digraph { align -> sort -> merge }")]);
    let json = json(&folder, "advise --tasks log.csv --dag dag.dot");
    let made = folder.path().join("output/advise-log");
    assert_eq!(entries(&made), ["graph.toml", "platform.toml", "settings.csv", "settings.svg", "workflow.toml"]);
    let of = |name: &str| seconds(&json, "settings", "scheduler", name);
    assert_eq!([of("recorded"), of("etf")], [6.0, 4.0]);
    let machines = ["without slow", "without fast", "one more like fast"];
    assert_eq!(machines.map(|machines| seconds(&json, "machines", "machines", machines)), [5.0, 10.0, 3.0]);
    assert_eq!(json["lower_bound_s"], 3.0);
    let csv = fs::read_to_string(made.join("settings.csv")).unwrap();
    assert!(csv.starts_with("scheduler,insertion,replicas,completion_s,"), "{csv}");
    typed(&folder, "measure --tasks log.csv --dag dag.dot --out made").assert().success();
    let measured = fs::read_to_string(folder.path().join("made/measure-log/workflow.toml")).unwrap();
    assert_eq!(fs::read_to_string(made.join("workflow.toml")).unwrap(), measured);
}

/// A record that is kept, tasks without work, times that are drawn, and a single replica.
#[test]
fn what_is_not_known_is_not_said() {
    let graph = "digraph { a [work=\"1Gop\"] b [work=\"1Gop\"] a -> b }";
    let scenario = "version = 1\n[platform.cluster.lab]\nnodes = 2\nspeed = \"1Gop/s\"\nnetwork = { model = \"ideal\" }\n\
        [workload]\nkind = \"taskgraph\"\nfile = \"chain.dot\"\nmapping = [0, 0]\n";
    let folder = here(&[("graph.toml", scenario), ("chain.dot", graph), ("idle.dot", &graph.replace("1Gop", "0op"))]);
    let kept = typed(&folder, "advise --tasks graph.toml").assert().success();
    let kept = kept.stderr(contains("names the node of each task: nothing is said of single machines"));
    kept.stdout(contains("Keep the given mapping: 2").and(contains("Other machines").not()));
    let set = |keys: &str| json(&folder, &format!("advise --tasks graph.toml {keys}"));
    let idle = set("--set workload.file=idle.dot");
    assert_eq!(idle["advice"].as_array().unwrap().len(), 1, "{idle:#}");
    assert_eq!(set("--seed 2")["lower_bound_s"], 2.0);
    assert_eq!(set("--set workload.noise=0.5")["lower_bound_s"], Json::Null);
    let one = printed(hetsim(&folder).args(["advise", "--tasks", "graph.toml", "--replicas", "1"]));
    assert!(one.contains("Settings, one replica") && !one.contains("No intervals"), "{one}");
}

#[test]
fn what_is_wrong_is_said() {
    let other = FARM.replace("\"independent\"", "\"traffic\"");
    let other =
        other.split("tasks = 5").next().unwrap().to_owned() + "pattern = { kind = 'all_to_all' }\nsize = '1B'\n";
    let log = "host,begin,finish\nfast,1,2\nslow,1,3\n";
    let folder = here(&[("farm.toml", FARM), ("other.toml", &other), ("notes.txt", "hello\n"), ("log.csv", log)]);
    let refused = |line: &str, words: &str| {
        typed(&folder, line).assert().code(2).stderr(contains(words));
        assert!(!folder.path().join("output").exists(), "{line}");
    };
    refused("advise --tasks none.toml", "none.toml");
    refused("advise --tasks notes.txt", "this is no log of tasks that is known");
    refused("advise --tasks farm.toml --operation all", "cannot be used with");
    refused("advise farm.toml --format csv", "--tasks");
    refused("advise farm.toml --json", "--tasks");
    refused("advise --tasks farm.toml --set workload.farm.policy=best", "best");
    refused("advise --tasks other.toml", "is of kind `traffic`; --tasks takes a scenario of kind");
    refused("advise --tasks farm.toml --dag dag.dot", "--dag is for a log");
    refused("advise --tasks farm.toml --columns machine=host", "--columns is for a log");
    let streams = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/job-streams.toml");
    refused(&format!("advise --tasks {}", streams.display()), "jobs arrive in the course of the run");
    let of_log = "advise --tasks log.csv --columns machine=host,started=begin,ended=finish";
    typed(&folder, &format!("{of_log} --set workload.farm.policy=best")).assert().code(2).stderr(contains("best"));
    assert!(!folder.path().join("output/advise-log").exists());
}
