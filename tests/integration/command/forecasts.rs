//! What runs are expected to take: about as many events as they handle, and a warning where these are very many.

use std::time::Duration;

use hetsim::record::Value;

use crate::support::{here, hetsim, read, read_in, try_read};

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

fn evolution(keys: &str) -> String {
    text(&format!("kind = \"evolution\"\npopulation = 100\n{TASK}\n{keys}"))
}

#[test]
fn events_are_as_many_as_expected() {
    let phases = "kind = \"phases\"\n[[workload.phase]]\nrepeat = 50\n[[workload.phase.phase]]\ncompute = \"2Mop\"\n\
                  [[workload.phase.phase]]\ncollective = { operation = \"all_reduce\", size = \"8B\" }";
    let collective = |keys: &str| text(&format!("kind = \"collective\"\n{keys}"));
    let uneven = |keys: &str| collective(keys).replace("nodes = 8", "nodes = 8\njitter = 0.1");
    let action = |action: &str| [0, 1, 2, 3, 4, 5, 6, 7].map(|rank| format!("{rank} {action}\n")).concat();
    let sends = (0..8).map(|rank| format!("{rank} send {} 0 1000\n{rank} recv {} 0 1000\n", rank ^ 1, rank ^ 1));
    let trace = ["init", "compute 1e6", "allreduce 1000 1000"].map(action).concat()
        + &sends.collect::<String>()
        + &["barrier", "finalize"].map(action).concat();
    let edges = (1..200).map(|task| format!("{} -> {task};\n", task / 2));
    let graph =
        format!("digraph {{\nnode [operations=\"1Mop\"]\nedge [bytes=\"1kB\"]\n{}}}", edges.collect::<String>());
    let folder = here(&[("trace.txt", &trace), ("graph.dot", &graph)]);
    for text in [
        text("kind = \"broadcast\"\nsize = \"1MB\"\nalgorithm = \"binomial\""),
        text("kind = \"broadcast\"\nsize = \"1MB\"\nalgorithm = \"split_binary\""),
        text("kind = \"broadcast\"\nsize = \"1MB\"\nalgorithm = \"ecef\""),
        uneven("operation = \"all_reduce\"\nalgorithm = \"ring\"\nsize = \"1MB\""),
        uneven("operation = \"all_to_all\"\nalgorithm = \"bruck\"\nsize = \"1MB\""),
        collective("operation = \"reduce\"\nalgorithm = \"pipeline\"\nsize = \"1MB\"\ncalls = \"mpi\""),
        collective(
            "operation = \"all_reduce\"\nalgorithm = \"ring\"\nsize = \"1MB\"\ncalls = \"mpi\"\ntiming = \"barrier\"",
        ),
        text(
            "kind = \"taskgraph\"\nscheduler = \"round_robin\"\ngenerate = { shape = { family = \"fft\", points = 64 } }",
        ),
        text("kind = \"taskgraph\"\nscheduler = \"round_robin\"\nfile = \"graph.dot\""),
        text("kind = \"replay\"\ntrace = \"trace.txt\""),
        independent(1000, "policy = \"adaptive\""),
        independent(1000, "policy = \"adaptive\", protocol = \"signals\""),
        independent(1000, "policy = \"fixed\", chunk = 7"),
        independent(1000, "policy = \"guided\""),
        independent(1000, "policy = \"static_equal\""),
        text(&format!("kind = \"genetic\"\npopulation = 100\ngenerations = 10\n{TASK}")),
        text(&format!("kind = \"island\"\npopulation = 400\ngenerations = 50\n{TASK}")),
        evolution("rounds = 200"),
        evolution("rounds = 200\nrebalance = { every = 2 }\nbenchmark = { span = \"20s\", individuals = 1 }"),
        evolution("rounds = 200\nrebalance = { every = 1, by = \"diffusion\", measure = \"rounds\" }"),
        evolution("rounds = 2\ndistribution = \"ship\"\nevaluations = 1000"),
        evolution("rounds = 2\ndistribution = \"ship\"\nmutation = \"1op\"").replace("= 100\n", "= 3\n"),
        evolution("rounds = 20\ndistribution = \"largest_first\""),
        evolution("rounds = 2\nmaster_computes = true\nevaluations = 1\nbenchmark = { span = \"10s\" }"),
        text(phases),
        text(&phases.replace("[[workload.phase]]\nrepeat", "calls = \"mpi\"\n[[workload.phase]]\nrepeat")),
        text("kind = \"traffic\"\nsize = \"1MB\"\nrounds = 10\npattern = { kind = \"all_to_all\" }"),
    ] {
        let scenario = read_in(&folder, &text);
        let record = scenario.run(0, 0).unwrap();
        let events = record.get("events").and_then(Value::number).unwrap();
        let expected = scenario.expected_events(0).unwrap_or_else(|| panic!("nothing is expected of\n{text}"));
        // Of a task graph's edges, the schedule decides which are messages.
        let most = if text.contains("taskgraph") { 0.5 } else { 0.2 };
        assert!((expected / events - 1.0).abs() < most, "{expected} expected, {events} handled:\n{text}");
        assert_eq!(scenario.warnings(), Vec::<String>::new(), "{text}");
    }
}

/// Of eight ranks that are alike only two are simulated.
#[test]
fn events_of_alike_ranks_are_expected_of_two() {
    let scenario =
        read(&text("kind = \"collective\"\noperation = \"all_gather\"\nalgorithm = \"ring\"\nsize = \"1MB\""));
    let events = scenario.run(0, 0).unwrap().get("events").and_then(Value::number).unwrap();
    assert_eq!(scenario.expected_events(0), Some(events / 4.0));
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
    // A round is few events, whatever evolves in it.
    let search = "rounds = 1\ndistribution = \"equal\"\nsearch = { objective = \"sphere\" }";
    let warning = "a run evaluates the objective up to 1.0e12 times, which takes about 28 h (an estimate)";
    assert_eq!(read(&evolution(&format!("generations = 100000000\n{search}"))).warnings(), [warning]);
    assert!(read(&evolution(&format!("generations = 100\n{search}"))).warnings().is_empty());
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
    let says =
        "there would be about 7.1e7 outages in the 142.9ms that a run takes at best; at most 6.7e7 are simulated";
    assert!(shown.starts_with("test.toml:11:") && shown.contains(says), "{shown}");
    assert!(try_read(&faults("1ms")).is_ok());
}

/// Links of nodes, links between clusters and named links, under each workload whose least time is known.
#[test]
fn more_faults_of_links_than_a_run_can_tell_are_refused() {
    let network = "network = { model = \"fair\", latency = \"20us\", bandwidth = \"1Gbit/s\" }";
    let fault = |mean: &str| format!("{{ kind = \"exponential\", mean_up = \"{mean}\", mean_down = \"{mean}\" }}");
    let cluster = |name: &str, keys: &str| {
        format!("[platform.cluster.{name}]\nnodes = 4\nspeed = \"1Gop/s\"\n{network}\n{keys}\n")
    };
    let near = |mean: &str| cluster("lab", &format!("link_fault = [{{ nodes = [1], profile = {} }}]", fault(mean)));
    let far = |mean: &str| {
        let between = format!("[platform.between]\n{network}\nfault = [{}]\n", fault(mean));
        cluster("a", "") + &cluster("b", "") + &between
    };
    let wire = |mean: &str| {
        let zone = format!(
            "[platform.wire.sea]\nbandwidth = \"1Gbit/s\"\nlatency = \"1s\"\nfault = [{}]\n[platform.zone.world]\n\
             members = [\"a\", \"b\"]\nroute = [{{ from = \"a\", to = \"b\", wires = [\"sea\"] }}]\n",
            fault(mean)
        );
        cluster("a", "") + &cluster("b", "") + &zone
    };
    let broadcast = "kind = \"broadcast\"\nsize = \"1GB\"\nalgorithm = \"linear\"";
    let collective = "kind = \"collective\"\noperation = \"gather\"\nsize = \"1GB\"\nalgorithm = \"linear\"";
    let phases = "kind = \"phases\"\n[[workload.phase]]\ncompute = \"1Gop\"";
    let farm = format!("kind = \"independent\"\ntasks = 1000\n{TASK}");
    for workload in [broadcast, collective, phases, &farm] {
        for platform in [&near as &dyn Fn(&str) -> String, &far, &wire] {
            let text = |mean: &str| format!("version = 1\n{}[workload]\n{workload}\n", platform(mean));
            let shown = try_read(&text("1ns")).expect_err(workload);
            assert!(shown.contains("there would be about") && shown.contains("outages in the"), "{shown}");
            try_read(&text("1ms")).unwrap();
        }
    }
}
