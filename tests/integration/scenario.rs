//! Scenarios that are right: what they expand to, and when two runs are the same.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use hetsim::batch::identity::RunId;
use hetsim::cluster::NodeId;
use hetsim::record::{Record, Value};
use hetsim::report::Reported as _;
use hetsim::report::{Results, expect};
use hetsim::scenario::Scenario;
use hetsim::units::{Quantity, Seconds, Time};
use tempfile::TempDir;

use super::support::{ids, near, read, try_read_in};

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

fn names(scenario: &Scenario) -> Vec<&str> {
    scenario.axes.iter().map(|axis| axis.name.as_str()).collect()
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

#[test]
fn lists_make_a_grid_whose_last_key_varies_fastest() {
    let scenario = lab("[sweep]\n\"workload.root\" = [0, 1]\n\"workload.algorithm\" = [\"chain\", \"linear\"]");
    assert_eq!(points(&scenario), ["0 chain", "0 linear", "1 chain", "1 linear"]);
    assert_eq!(names(&scenario), ["root", "algorithm"]);
    // Tables say the same as dotted keys.
    let tables = lab("[sweep.workload]\nroot = [0, 1]\nalgorithm = [\"chain\", \"linear\"]");
    assert_eq!((points(&tables), ids(&tables)), (points(&scenario), ids(&scenario)));
}

#[test]
fn without_a_sweep_there_is_one_point() {
    let scenario = lab("");
    assert_eq!((scenario.points.len(), scenario.runs(), names(&scenario).len()), (1, 1, 0));
    assert_eq!(read(&format!("version = 1\nreplicas = 3\n{LAB}{BROADCAST}")).runs(), 3);
}

#[test]
fn ranges() {
    let sizes = |range: &str| points(&lab(&format!("[sweep]\n\"workload.size\" = {range}")));
    assert_eq!(sizes("{ from = \"0B\", to = \"8KiB\", steps = 3 }"), ["0B", "4KiB", "8KiB"]);
    assert_eq!(
        sizes("{ from = \"1KiB\", to = \"64KiB\", steps = 4, scale = \"log\" }"),
        ["1KiB", "4KiB", "16KiB", "64KiB"]
    );
    // Whole numbers stay whole, and none comes twice.
    assert_eq!(sizes("{ from = \"1B\", to = \"3B\", steps = 9 }"), ["1B", "2B", "3B"]);
    assert_eq!(sizes("{ from = \"4KiB\", to = \"1KiB\", steps = 2 }"), ["4KiB", "1KiB"], "downwards");
    let roots = lab("[sweep]\n\"workload.root\" = { from = 0, to = 3, steps = 4 }");
    assert_eq!(points(&roots), ["0", "1", "2", "3"]);
    let jitter = lab("[sweep]\n\"platform.cluster.lab.jitter\" = { from = 0, to = 1, steps = 5 }");
    assert_eq!(points(&jitter), ["0", "0.25", "0.5", "0.75", "1"]);
    let latency = lab(
        "[sweep]\n\"platform.cluster.lab.network.latency\" = { from = \"1us\", to = \"1ms\", steps = 4, scale = \"log\" }",
    );
    assert_eq!(points(&latency), ["1us", "10us", "100us", "1ms"]);
}

#[test]
fn zipped_keys_go_together() {
    let scenario = lab(
        "[sweep]\n\"workload.root\" = [0, 1]\n\"workload.algorithm\" = [\"chain\", \"linear\"]\n\"workload.size\" = [\"1B\", \"2B\"]\n\
         zip = [[\"workload.root\", \"workload.size\"]]",
    );
    assert_eq!(names(&scenario), ["root", "algorithm", "size"]);
    assert_eq!(points(&scenario), ["0 chain 1B", "0 linear 1B", "1 chain 2B", "1 linear 2B"]);
}

#[test]
fn alternatives_have_names() {
    let scenario = lab(
        "[sweep]\n\"platform.cluster.lab.network\" = { slow = { model = \"delay\", latency = \"1ms\", bandwidth = \"1MB/s\" }, free = { model = \"ideal\" } }\n\
         \"workload.candidates\" = { all = [], two = [\"linear\", \"chain\"] }\n\"workload.size\" = { small = \"1B\" }",
    );
    assert_eq!(names(&scenario), ["network", "candidates", "size"]);
    assert_eq!(points(&scenario), ["slow all small", "slow two small", "free all small", "free two small"]);
    assert_eq!(scenario.axes[2].values[0].cell.to_string(), "small", "the column holds the name");
    let completion = |point| scenario.run(point, 0).expect("a run").get("completion_s").and_then(Value::number);
    assert_eq!(completion(2), Some(0.0));
    near(completion(0).expect("a number"), 2.0 * (1e-3 + 1e-6));
}

#[test]
fn several_sweeps_follow_each_other_without_repetition() {
    let scenario = lab("[[sweep]]\n\"workload.size\" = [\"1KiB\", \"8KiB\"]\n[[sweep]]\n\"workload.root\" = [1, 0]\n\
         [[sweep]]\n\"workload.size\" = [\"8192B\", \"2KiB\"]\n\"workload.placement\" = [\"round_robin\", \"cluster\"]");
    assert_eq!(names(&scenario), ["size", "root", "placement"]);
    // Outside of its sweeps a key has its value of the scenario, or its default; 8192B is 8KiB.
    assert_eq!(
        points(&scenario),
        [
            "1KiB 0 cluster",
            "8KiB 0 cluster",
            "8KiB 1 cluster",
            "8KiB 0 round_robin",
            "2KiB 0 round_robin",
            "2KiB 0 cluster"
        ]
    );
    assert_eq!(ids(&scenario).into_iter().collect::<BTreeSet<_>>().len(), scenario.points.len());
}

#[test]
fn columns_are_called_by_the_last_part_unless_it_is_ambiguous() {
    let scenario = read(&format!(
        "version = 1\n{TWO}[platform.between]\nnetwork = {{ model = \"ideal\" }}\n{BROADCAST}[sweep]\n\
         \"platform.cluster.a.nodes\" = [2]\n\"platform.cluster.b.nodes\" = [2]\n\"workload.root\" = [0]"
    ));
    assert_eq!(names(&scenario), ["platform.cluster.a.nodes", "platform.cluster.b.nodes", "root"]);
}

#[test]
fn the_same_run_however_it_is_written() {
    let plain = id(&lab(""));
    let same = [
        format!("version = 1\n{LAB}{}", BROADCAST.replace("8KiB", "8192B")),
        format!("version = 1\n{LAB}{}", BROADCAST.replace("8KiB", "8.192kB")),
        format!("version = 1\n{}{BROADCAST}", LAB.replace("50us", "0.05ms").replace("1Gbit/s", "125MB/s")),
        // Defaults written out.
        format!(
            "version = 1\nseed = 0\nreplicas = 1\n{LAB}cores = 1\nspeed = \"1Gop/s\"\njitter = 0\nload = []\n{BROADCAST}root = 0\nplacement = \"cluster\"\nsegment = \"16KiB\"\ncandidates = []\n"
        ),
        format!(
            "version = 1\nplatform.tick = \"1ps\"\nplatform.ports = \"single\"\nplatform.sharing = \"one_at_a_time\"\n{LAB}{BROADCAST}"
        ),
        // Another order, and comments.
        format!("# a comment\n{BROADCAST}\n# another\n{LAB}").replace("[workload]", "version = 1\n[workload]"),
        format!(
            "version = 1\n{LAB}[workload]\nalgorithm = \"binomial\" # fast\nsize = \"8KiB\"\nkind = \"broadcast\"\n"
        ),
        // What does not reach the run.
        format!(
            "version = 1\nquestion = \"?\"\nnotes = \"!\"\n{LAB}{BROADCAST}[[chart]]\nname = \"g\"\nkind = \"gantt\"\n[[expect]]\nmetric = \"messages\"\nvalue = 3\nsource = \"P - 1\"\n"
        ),
        // A sweep over the value that it has anyway, or over a default.
        format!("version = 1\n{LAB}{BROADCAST}[sweep]\n\"workload.size\" = [\"8KiB\"]\n"),
        format!(
            "version = 1\n{LAB}{BROADCAST}[sweep]\n\"workload.root\" = [0]\n\"workload.placement\" = [\"cluster\"]\n\"workload.segment\" = [\"16384B\"]\n"
        ),
        format!("version = 1\n{LAB}{}[sweep]\n\"workload.size\" = [\"8KiB\"]\n", BROADCAST.replace("8KiB", "1B")),
    ];
    for text in &same {
        assert_eq!(id(&read(text)), plain, "{text}");
    }
    // The result is the same, too.
    let records: Vec<_> = same.iter().map(|text| read(text).run(0, 0).expect("a run")).collect();
    assert!(records.iter().all(|record| *record == records[0]));
}

#[test]
fn another_run_as_soon_as_anything_changes() {
    let base = format!("version = 1\n{LAB}{BROADCAST}");
    let texts = [
        base.clone(),
        base.replace("8KiB", "8KB"),
        base.replace("nodes = 4", "nodes = 5"),
        base.replace("50us", "51us"),
        base.replace("hockney", "delay"),
        base.replace("lab", "hall"),
        base.replace("version = 1", "version = 1\nseed = 1"),
        base.replace("version = 1", "version = 1\nplatform.tick = \"1ns\""),
        base.replace("version = 1", "version = 1\nplatform.diversity = 0"),
        base.replace("version = 1", "version = 1\noutput.tables = [\"nodes\"]"),
        format!("{base}root = 1\n"),
        format!("{base}segment = \"best\"\n"),
        format!("{base}candidates = [\"linear\", \"chain\"]\n"),
        format!("{base}candidates = [\"chain\", \"linear\"]\n"),
    ];
    let mut seen: Vec<RunId> = Vec::new();
    for text in &texts {
        let run = id(&read(text));
        assert!(!seen.contains(&run), "{text}");
        seen.push(run);
    }
    let scenario = read(&base.replace("version = 1", "version = 1\nreplicas = 2"));
    assert_ne!(RunId::of(&scenario, 0, 0), RunId::of(&scenario, 0, 1));
    assert_eq!(RunId::of(&scenario, 0, 0), id(&read(&base)), "more replicas leave the first alone");
}

/// Nodes are numbered in the order of the clusters, so another order is another machine.
#[test]
fn the_order_of_clusters_is_part_of_a_run() {
    let between = "[platform.between]\nnetwork = { model = \"ideal\" }\n";
    let two = TWO.replace("cluster.b]\nnodes = 2", "cluster.b]\nnodes = 3");
    let (a, b) = two.split_at(two.find("[platform.cluster.b]").expect("there"));
    let [one, other] = [format!("{a}{b}"), format!("{b}{a}")]
        .map(|platform| read(&format!("version = 1\n{platform}{between}{BROADCAST}")));
    assert_ne!(id(&one), id(&other));
}

/// A key of a link that has the model's default overrides that of `between`, so it must be seen.
#[test]
fn the_defaults_of_a_model_count_where_they_override() {
    let text = |link: &str| {
        format!(
            "version = 1\n{TWO}[platform.between]\nnetwork = {{ model = \"loggp\", latency = \"1ms\", overhead = \"1us\", gap = \"1us\", gap_per_byte = \"1ns/B\", receiver_busy = true }}\n\
             [[platform.link]]\nbetween = [\"a\", \"b\"]\n{link}\n{BROADCAST}"
        )
    };
    assert_ne!(id(&read(&text(""))), id(&read(&text("network = { receiver_busy = false }"))));
}

#[test]
fn files_count_by_their_content() {
    let folder = TempDir::new().expect("a folder");
    let text =
        format!("version = 1\n{LAB}load = [{{ profile = {{ kind = \"trace\", file = \"t.csv\" }} }}]\n{BROADCAST}");
    let with = |content: &str| {
        fs::write(folder.path().join("t.csv"), content).expect("a file");
        id(&read_in(folder.path(), &text, &[]))
    };
    let first = with("0,1\n1,0.5\n");
    assert_ne!(with("0,1\n1,0.25\n"), first);
    assert_eq!(with("0,1\n1,0.5\n"), first);
    fs::rename(folder.path().join("t.csv"), folder.path().join("u.csv")).expect("renamed");
    assert_eq!(id(&read_in(folder.path(), &text.replace("t.csv", "u.csv"), &[])), first, "not by its name");
}

#[test]
fn included_platforms() {
    let folder = TempDir::new().expect("a folder");
    let below =
        format!("tick = \"1ns\"\n{}[between]\nnetwork = {{ model = \"ideal\" }}\n", TWO.replace("platform.", ""));
    fs::write(folder.path().join("p.toml"), &below).expect("a file");
    let text = format!("version = 1\n[platform]\ninclude = \"p.toml\"\n[platform.cluster.b]\nnodes = 7\n{BROADCAST}");
    let scenario = read_in(folder.path(), &text, &[]);
    let nodes: Vec<u32> = scenario.first_platform().unwrap().clusters().iter().map(|group| group.nodes).collect();
    assert_eq!(nodes, [2, 7]);
    near(scenario.first_platform().unwrap().tick().seconds(hetsim::units::Time(1)), 1e-9);
    // The same platform written out is the same run.
    let whole = format!(
        "version = 1\nplatform.tick = \"1ns\"\n{}[platform.between]\nnetwork = {{ model = \"ideal\" }}\n{BROADCAST}",
        TWO.replace("cluster.b]\nnodes = 2", "cluster.b]\nnodes = 7")
    );
    assert_eq!(id(&scenario), id(&read(&whole)));
    // The command line reaches what the file holds, and may name another one.
    let set = read_in(folder.path(), &text, &["platform.cluster.a.network.latency=1ms", "platform.cluster.a.nodes=3"]);
    near(microseconds(&set, 0, 1), 1000.0);
    assert_eq!(set.first_platform().unwrap().nodes(), 10);
    let other = folder.path().join("q.toml");
    fs::write(&other, below.replace("tick = \"1ns\"\n", "")).expect("a file");
    let other = read_in(folder.path(), &text, &[&format!("platform.include={}", other.display())]);
    near(other.first_platform().unwrap().tick().seconds(hetsim::units::Time(1)), 1e-12);
}

#[test]
fn values_of_the_command_line_go_over_all() {
    let text = format!("version = 1\n{LAB}{BROADCAST}");
    let set = |overrides: &[&str]| read_in(Path::new("."), &text, overrides);
    assert_eq!(id(&set(&["workload.size=1KiB"])), id(&read(&text.replace("8KiB", "1KiB"))));
    assert_eq!(id(&set(&["workload.size=\"1KiB\""])), id(&set(&["workload.size=1KiB"])));
    assert_eq!(
        set(&["workload.size=1KiB", "workload.size=2KiB"]).resolved().unwrap().matches("2KiB").count(),
        1,
        "the last one"
    );
    assert_eq!(set(&["seed=5"]).file.seed, 5);
    assert_eq!(set(&["question=why = not"]).file.question.as_deref(), Some("why = not"));
    let swept = set(&["sweep={ \"workload.root\" = [0, 1, 2] }"]);
    assert_eq!(swept.points.len(), 3);
    let named = set(&["platform.cluster.lab.network={ model = \"ideal\" }"]);
    near(microseconds(&named, 0, 1) + 1.0, 1.0);
}

#[test]
fn links_between_clusters() {
    let folder = TempDir::new().expect("a folder");
    let three = format!(
        "{TWO}[platform.cluster.c]\nnodes = 2\nnetwork = {{ model = \"hockney\", latency = \"50us\", bandwidth = \"1Gbit/s\" }}\n"
    );
    let read = |between: &str| read_in(folder.path(), &format!("version = 1\n{three}{between}{BROADCAST}"), &[]);
    let all = |scenario: &Scenario| {
        let pairs = [(0, 2), (2, 0), (0, 4), (4, 0), (2, 4), (4, 2)];
        pairs.map(|(from, to)| microseconds(scenario, from, to).round() as u32)
    };
    let plain = "[platform.between]\nnetwork = { model = \"hockney\", latency = \"1ms\", bandwidth = \"1Gbit/s\" }\n";
    assert_eq!(all(&read(plain)), [1000; 6]);
    let link =
        |keys: &str, latency: &str| format!("[[platform.link]]\n{keys}\nnetwork = {{ latency = \"{latency}\" }}\n");
    let ab = link("between = [\"a\", \"b\"]", "2ms");
    assert_eq!(all(&read(&format!("{plain}{ab}"))), [2000, 2000, 1000, 1000, 1000, 1000]);
    let one_way = link("between = [\"b\", \"a\"]\none_way = true", "3ms");
    assert_eq!(all(&read(&format!("{plain}{ab}{one_way}"))), [2000, 3000, 1000, 1000, 1000, 1000]);
    let rows = "[[\"0s\", \"1ms\", \"2ms\"], [\"3ms\", \"0s\", \"4ms\"], [\"5ms\", \"6ms\", \"0s\"]]";
    let network = "network = { model = \"hockney\", bandwidth = \"1Gbit/s\" }\n";
    let matrix = read(&format!("[platform.between]\nlatency = {rows}\n{network}"));
    assert_eq!(all(&matrix), [1000, 3000, 2000, 5000, 4000, 6000]);
    let overridden =
        read(&format!("[platform.between]\nlatency = {rows}\n{network}{}", link("between = [\"c\", \"a\"]", "9ms")));
    assert_eq!(all(&overridden), [1000, 3000, 9000, 9000, 4000, 6000]);
    // In a file the clusters may stand in another order, and the diagonal may be left out.
    fs::write(folder.path().join("m.csv"), "# measured\n,c,a,b\na,2ms,,1ms\nb,4ms,3ms\nc,0s,5ms,6ms\n")
        .expect("a file");
    let file = read(&format!("[platform.between]\nlatency = \"m.csv\"\n{network}").replace("b,4ms,3ms\n", ""));
    assert_eq!(all(&file), [1000, 3000, 2000, 5000, 4000, 6000]);
    // Links alone do where they reach all pairs, each with a model of its own.
    let whole = |pair: &str, model: &str| format!("[[platform.link]]\nbetween = {pair}\nnetwork = {model}\n");
    let alone = format!(
        "{}{}{}",
        whole("[\"a\", \"b\"]", "{ model = \"ideal\" }"),
        whole("[\"a\", \"c\"]", "{ model = \"delay\", latency = \"2ms\", bandwidth = \"1GB/s\" }"),
        whole(
            "[\"b\", \"c\"]",
            "{ model = \"loggp\", latency = \"1ms\", overhead = \"1ms\", gap = \"0s\", gap_per_byte = \"0s/B\" }"
        ),
    );
    assert_eq!(all(&read(&alone)), [0, 0, 2000, 2000, 3000, 3000]);
}

#[test]
fn loads_and_factors_over_time() {
    let folder = TempDir::new().expect("a folder");
    fs::write(folder.path().join("slow.csv"), "time_s,value\n# from the start\n0,2\n").expect("a file");
    let text = |keys: &str| format!("version = 1\n{LAB}{keys}\n{BROADCAST}").replace("8KiB", "0B");
    let completion = |keys: &str| {
        let record = read_in(folder.path(), &text(keys), &[]).run(0, 0).expect("a run");
        record.get("completion_s").and_then(Value::number).expect("a number")
    };
    // A binomial tree of 4 nodes takes two rounds.
    near(completion(""), 100e-6);
    near(completion("latency_factor = { file = \"slow.csv\" }"), 200e-6);
    near(
        completion("latency_factor = { steps = [{ from = \"0s\", value = 2 }, { from = \"60us\", value = 1 }] }"),
        150e-6,
    );
    for profile in [
        "{ kind = \"constant\", tasks = 1 }",
        "{ kind = \"periodic\", tasks = 1, period = \"1s\", busy = \"0.5s\" }",
        "{ kind = \"random\", tasks = 2, mean_idle = \"1s\", mean_busy = \"1s\" }",
        "{ kind = \"trace\", file = \"slow.csv\" }",
    ] {
        near(completion(&format!("load = [{{ nodes = [0, 3], profile = {profile} }}]")), 100e-6);
    }
}

#[test]
fn speeds() {
    let speeds = |keys: &str| {
        let scenario = read(&format!("version = 1\n{keys}\n{BROADCAST}"));
        (0..4).map(|node| scenario.first_platform().unwrap().speed_per_second(NodeId(node))).collect::<Vec<f64>>()
    };
    let close = |found: &[f64], wanted: [f64; 4]| found.iter().zip(wanted).for_each(|(&a, b)| near(a, b));
    close(&speeds(LAB), [1e9; 4]);
    close(&speeds(&format!("{LAB}speed = \"2.5GHz\"")), [2.5e9; 4]);
    close(&speeds(&format!("{LAB}speeds = [\"1Gop/s\", \"2Gop/s\", \"3Gop/s\", \"4Gop/s\"]")), [1e9, 2e9, 3e9, 4e9]);
    for distribution in [
        "uniform\", from = 0.5, to = 1.5",
        "normal\", mean = 1, deviation = 0.2",
        "log_normal\", mean = 0, deviation = 0.2",
        "gamma\", shape = 4, scale = 0.25",
    ] {
        let drawn = speeds(&format!("{LAB}speed_factor = {{ distribution = \"{distribution} }}"));
        assert!(drawn.iter().all(|&speed| speed > 1e8 && speed < 1e10), "{distribution}: {drawn:?}");
        assert!(drawn.windows(2).any(|pair| pair[0] != pair[1]), "{distribution}: {drawn:?}");
    }
    let both = format!(
        "{LAB}[platform.cluster.other]\nnodes = 20\nspeed = \"4Gop/s\"\n\
         network = {{ model = \"hockney\", latency = \"50us\", bandwidth = \"1Gbit/s\" }}\n\
         [platform.between]\nnetwork = {{ model = \"hockney\", latency = \"5ms\", bandwidth = \"1Gbit/s\" }}\n"
    );
    let all = |keys: &str| {
        let scenario = read(&format!("version = 1\n{keys}\n{both}{BROADCAST}"));
        let platform = scenario.first_platform().unwrap();
        (0..24).map(|node| platform.speed_per_second(NodeId(node))).collect::<Vec<f64>>()
    };
    for family in ["two_class", "uniform", "log_normal", "power_law", "clock_rates"] {
        // One cluster keeps its speeds; the other has its total, a diversity and a slowest node.
        let keys = format!(
            "platform.diversity = 0.96\nplatform.diversity_family = \"{family}\"\nplatform.diversity_slowest = 0.266\n\
             platform.diversity_over = [\"other\"]\nplatform.diversity_keeps = "
        );
        for (keeps, kept) in [("total", 80e9), ("fastest", 80e9 / 1.96)] {
            let drawn = all(&format!("{keys}\"{keeps}\""));
            assert_eq!(drawn[..4], [1e9; 4]);
            let total: f64 = drawn[4..].iter().sum();
            assert!((total / kept - 1.0).abs() < 1e-12, "{family} {keeps}: {total}");
            let fastest = drawn[4..].iter().copied().fold(0.0, f64::max);
            let slowest = drawn[4..].iter().copied().fold(f64::INFINITY, f64::min);
            assert!((20.0 * fastest / total - 1.96).abs() < 1e-9 && (slowest / fastest - 0.266).abs() < 1e-15);
        }
    }
    for family in ["two_class", "uniform", "log_normal", "power_law"] {
        let drawn = speeds(&format!("platform.diversity = 0.25\nplatform.diversity_family = \"{family}\"\n{LAB}"));
        // Bazterra et al. 2005, Eq. 10: n v_max / Σ v - 1.
        let fastest = drawn.iter().copied().fold(0.0, f64::max);
        near(4.0 * fastest / drawn.iter().sum::<f64>() - 1.0, 0.25);
        near(fastest, 1e9);
    }
}

#[test]
fn faults() {
    use hetsim::cluster::{Fault, Outage};
    let faults = |keys: &str| {
        read(&format!("version = 1\n{LAB}{keys}\n{BROADCAST}")).first_platform().unwrap().faults().to_vec()
    };
    assert!(faults("").is_empty());
    let second = Time(1_000_000_000_000);
    let outage =
        |from: u64, until: Option<u64>| Outage { from: second * from, until: until.map(|until| second * until) };
    let found = faults(
        "fault = [{ nodes = [1], profile = { kind = \"at\", from = \"5s\", until = \"7s\" } },\n\
         { nodes = [1, 2], profile = { kind = \"at\", from = \"6s\" } },\n\
         { nodes = [3, 1], profile = { kind = \"exponential\", mean_up = \"3s\", mean_down = \"2s\" } },\n\
         { nodes = [3], profile = { kind = \"weibull\", shape = 2, scale = \"3s\" } }]",
    );
    let drawn = Fault::exponential(second * 3, Some(second * 2)).expect("valid");
    let weibull = Fault::weibull(2.0, second * 3, None).expect("valid");
    let known = |from| Fault::at(vec![outage(from, None)]).expect("valid");
    assert_eq!(found, [vec![], vec![drawn.clone(), known(5)], vec![known(6)], vec![drawn, weibull]]);
}

#[test]
fn resolved_scenarios_have_the_same_runs() {
    let folder = TempDir::new().expect("a folder");
    fs::write(folder.path().join("t.csv"), "0,1\n1,0.5\n").expect("a file");
    fs::create_dir(folder.path().join("platforms")).expect("a folder");
    let below = format!(
        "{}[between]\nlatency = \"m.csv\"\nnetwork = {{ model = \"delay\", bandwidth = \"1GB/s\" }}\n",
        TWO.replace("platform.", "")
    );
    fs::write(folder.path().join("platforms/p.toml"), below).expect("a file");
    fs::write(folder.path().join("platforms/m.csv"), ",a,b\na,,1ms\nb,1ms,\n").expect("a file");
    let text = format!(
        "version = 1\nreplicas = 2\n[platform]\ninclude = \"platforms/p.toml\"\n[platform.cluster.b]\nload = [{{ profile = {{ kind = \"trace\", file = \"t.csv\" }} }}]\n{BROADCAST}\
         [[sweep]]\n\"workload.size\" = [\"1KiB\", \"2KiB\"]\n[[sweep]]\n\"workload.algorithm\" = [\"ecef+best\"]\n[[expect]]\nmetric = \"messages\"\nwhere = {{ size = \"1KiB\" }}\nvalue = 3\nsource = \"P - 1\"\n"
    );
    let scenario = read_in(folder.path(), &text, &["seed=9", "workload.root=1"]);
    // It can be read from anywhere.
    let again = read(&scenario.resolved().unwrap());
    assert_eq!((ids(&again), again.runs(), points(&again)), (ids(&scenario), 6, points(&scenario)));
    assert_eq!(again.resolved().unwrap(), scenario.resolved().unwrap());
}

/// Kinds of workloads that share the keys in use can be swept, and their runs are told apart.
#[test]
fn kinds_can_be_swept() {
    let keys = "population = 8\ngenerations = 2\ntask = { distribution = \"constant\", operations = \"1Gop\" }";
    let of_kind =
        |kind: &str, more: &str| read(&format!("version = 1\n{LAB}[workload]\nkind = \"{kind}\"\n{keys}\n{more}"));
    let swept = of_kind("island", "[sweep]\n\"workload.kind\" = [\"genetic\", \"island\"]");
    assert_eq!(points(&swept), ["genetic", "island"]);
    assert_eq!(ids(&swept), [id(&of_kind("genetic", "")), id(&of_kind("island", ""))]);
    assert_ne!(ids(&swept)[0], ids(&swept)[1]);
    let models = lab("[sweep]\n\"platform.cluster.lab.network.model\" = [\"hockney\", \"delay\"]");
    assert_ne!(ids(&models)[0], ids(&models)[1]);
    assert_eq!(ids(&models)[0], id(&lab("")));
}

#[test]
fn values_read_as_quantities() {
    let scenario = lab("[sweep]\n\"platform.cluster.lab.network.latency\" = [\"50us\", \"0.05ms\", \"1ms\"]");
    assert_eq!(points(&scenario), ["50us", "1ms"], "the same latency in two units is one value");
    let latency = scenario.axes[0].values[0].cell.number().expect("a number");
    near(latency, "50us".parse::<Seconds>().expect("a duration").base());
}

/// The pictures of a scenario, all of it run.
#[track_caller]
fn pictures(scenario: &Scenario) -> Vec<String> {
    let runs = (0..scenario.points.len())
        .flat_map(|point| (0..scenario.file.replicas.most()).map(move |replica| (point, replica)));
    let records = runs.map(|(point, replica)| (point, replica, scenario.run(point, replica).expect("a run")));
    let results = Results::new(scenario, records);
    let drawn =
        hetsim::report::chart::draw(&results, &scenario.report().chart, &[]).unwrap_or_else(|error| panic!("{error}"));
    drawn.into_iter().map(|picture| picture.svg).collect()
}

/// The texts of a picture, as they follow each other in it.
fn texts(svg: &str) -> Vec<String> {
    let lines = svg.split("<text ").skip(1).filter_map(|text| text.split_once(">\n"));
    lines.filter_map(|(_, text)| text.split_once('\n')).map(|(text, _)| text.replace('\u{a0}', " ")).collect()
}

/// What varies in the charts below.
const SWEEP: &str =
    "[sweep]\n\"workload.size\" = [\"1KiB\", \"4KiB\"]\n\"workload.algorithm\" = [\"linear\", \"binomial\"]\n";

#[test]
fn a_line_for_each_metric() {
    let chart = "[[chart]]\nname = \"c\"\nx = \"size\"\ny = [\"completion_s\", \"predicted_s\"]\n";
    let one = lab(&format!(
        "{SWEEP}{chart}labels = {{ completion_s = \"simulated\" }}\nwhere = {{ algorithm = \"linear\" }}\n"
    ));
    let found = texts(&pictures(&one)[0]);
    assert!(
        ["simulated", "predicted", "simulated, predicted"].iter().all(|name| found.contains(&(*name).to_owned())),
        "{found:?}"
    );
    let both = lab(&format!("{SWEEP}{chart}series = \"algorithm\"\n"));
    let found = texts(&pictures(&both)[0]);
    for name in ["linear, completion", "linear, predicted", "binomial, completion", "binomial, predicted"] {
        assert!(found.contains(&name.to_owned()), "{name} in {found:?}");
    }
}

#[test]
fn stacks_hang_below_zero_and_say_their_sum() {
    let chart = "[[derive]]\nname = \"less_s\"\nhow = \"difference\"\nmetric = \"completion_s\"\nto = { algorithm = \"linear\" }\n\
        [[chart]]\nname = \"c\"\nkind = \"stacked\"\nx = \"algorithm\"\ny = [\"completion_s\", \"less_s\"]\nwhere = { size = \"4KiB\" }\n";
    let svg = &pictures(&lab(&format!("{SWEEP}{chart}")))[0];
    insta::assert_snapshot!("stacked", svg);
    let found = texts(svg);
    // Three sends of 82.768 µs one after the other, and two rounds of one.
    for text in ["sum", "completion", "less", "248 µs", "166 µs", "−82.8 µs"] {
        assert!(found.contains(&text.to_owned()), "{text} in {found:?}");
    }
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

#[test]
fn quantiles_and_marks() {
    let scenario = read(&format!(
        "version = 1\nreplicas = 4\n{LAB}{BROADCAST}[sweep]\n\"workload.algorithm\" = [\"linear\", \"binomial\"]\n\
         [[derive]]\nname = \"standing\"\nhow = \"quantile\"\nmetric = \"completion_s\"\nof = \"2500ms\"\n\
         [[chart]]\nname = \"c\"\nkind = \"histogram\"\nx = \"completion_s\"\nseries = \"algorithm\"\n\
         [[chart.mark]]\nvalue = \"2.5s\"\nlabel = \"printed\"\n\
         [[chart.mark]]\nvalue = 4\nlabel = \"measured\"\nseries = \"binomial\"\n"
    ));
    let results = made_up(&scenario);
    assert_eq!([0, 1].map(|point| results.numbers(point, "standing")), [vec![0.75; 4], vec![0.5; 4]]);
    let svg = hetsim::report::chart::draw(&results, &scenario.report().chart, &[]).expect("pictures").remove(0).svg;
    let found = texts(&svg);
    for text in ["2.5 s printed: quantile 0.75", "2.5 s printed: quantile 0.5", "4 s measured: quantile 0.75", "n = 4"]
    {
        assert!(found.contains(&text.to_owned()), "{text} in {found:?}");
    }
    assert_eq!(found.iter().filter(|text| text.contains("measured")).count(), 1, "{found:?}");
    insta::assert_snapshot!("histogram", svg);
}

#[test]
fn boxes_of_ratios_to_the_best() {
    let scenario = read(&format!(
        "version = 1\nreplicas = 4\n{LAB}{BROADCAST}[sweep]\n\"workload.algorithm\" = [\"linear\", \"binomial\"]\n\
         [[derive]]\nname = \"to_best\"\nhow = \"ratio_to_best\"\nmetric = \"completion_s\"\nover = \"algorithm\"\n\
         [[chart]]\nname = \"c\"\nkind = \"box\"\nx = \"algorithm\"\ny = \"to_best\"\nnames = {{ linear = \"in a row\" }}\n"
    ));
    let results = made_up(&scenario);
    // Replica by replica: (r + 1.5) / (r + 0.5).
    let ratios = [3.0, 5.0 / 3.0, 7.0 / 5.0, 9.0 / 7.0].to_vec();
    assert_eq!([0, 1].map(|point| results.numbers(point, "to_best")), [vec![1.0; 4], ratios]);
    let svg = hetsim::report::chart::draw(&results, &scenario.report().chart, &[]).expect("pictures").remove(0).svg;
    let found = texts(&svg);
    for text in ["in a row", "binomial", "to best"] {
        assert!(found.contains(&text.to_owned()), "{text} in {found:?}");
    }
    assert!(found.iter().any(|text| text.ends_with("n = 4 a box")), "{found:?}");
    assert!(!found.contains(&"linear".to_owned()), "{found:?}");
}

#[test]
fn a_mean_over_a_key_is_that_of_each_replica() {
    let scenario = read(&format!(
        "version = 1\nreplicas = 4\n{LAB}{BROADCAST}[sweep]\n\"workload.algorithm\" = [\"linear\", \"binomial\"]\n\
         [[derive]]\nname = \"both\"\nhow = \"mean\"\nmetric = \"completion_s\"\nover = \"algorithm\"\n"
    ));
    let results = made_up(&scenario);
    // Replica r has r + 0.5 and r + 1.5.
    let means = [1.0, 2.0, 3.0, 4.0].to_vec();
    assert_eq!([0, 1].map(|point| results.numbers(point, "both")), [means.clone(), means]);
}

/// A graph of three tasks on two nodes, one of them under load, as a Gantt chart and as a graph.
#[test]
fn a_task_graph_in_pictures() {
    let scenario = read(
        "version = 1\n[platform.cluster.lab]\nnodes = 2\nspeed = \"1op/s\"\n\
         network = { model = \"delay\", latency = \"0s\", bandwidth = \"1B/s\" }\n\
         load = [{ nodes = [1], profile = { kind = \"constant\", tasks = 1 } }]\n\
         [workload]\nkind = \"taskgraph\"\nmapping = [0, 1, 0]\n\
         generate = { shape = { family = \"chain\", tasks = 3 }, operations = { distribution = \"constant\", value = \"8op\" } }\n\
         [[chart]]\nname = \"g\"\nkind = \"gantt\"\n[[chart]]\nname = \"t\"\nkind = \"graph\"\n",
    );
    let drawn = pictures(&scenario);
    let found = texts(&drawn[0]);
    for text in ["computes", "message", "others use the node (the darker, the more)", "0", "1", "2"] {
        assert!(found.contains(&text.to_owned()), "{text} in {found:?}");
    }
    let found = texts(&drawn[1]);
    for text in ["node 0", "node 1", "message", "8 op", "1 B", "0", "1", "2"] {
        assert!(found.contains(&text.to_owned()), "{text} in {found:?}");
    }
}

#[test]
fn expectations_compare_a_statistic_over_replicas() {
    let expect = |statistic: &str, value: f64| {
        format!(
            "[[expect]]\nmetric = \"completion_s\"\nwhere = {{ algorithm = \"linear\" }}\n{statistic}value = {value}\ntolerance_percent = 0\nsource = \"s\"\n"
        )
    };
    let all = [
        expect("", 2.0),
        expect("statistic = \"median\"\n", 2.0),
        expect("statistic = \"min\"\n", 0.5),
        expect("statistic = \"max\"\n", 3.5),
        expect("statistic = \"max\"\n", 2.0),
    ];
    let scenario = read(&format!(
        "version = 1\nreplicas = 4\n{LAB}{BROADCAST}[sweep]\n\"workload.algorithm\" = [\"linear\", \"binomial\"]\n{}",
        all.concat()
    ));
    let verdicts = expect::check(&made_up(&scenario), &scenario.report().expect);
    assert_eq!(verdicts.iter().map(|verdict| verdict.met).collect::<Vec<_>>(), [true, true, true, true, false]);
    assert_eq!(verdicts[0].place, "algorithm = linear");
    assert_eq!(verdicts[4].place, "algorithm = linear, greatest of replicas");
}

#[test]
fn points_of_a_paper_beside_lines() {
    let chart = "[[chart]]\nname = \"c\"\nx = \"size\"\ny = \"completion_s\"\nseries = \"algorithm\"\n\
        mark = [{ label = \"printed\", x = \"2KiB\", y = \"200us\" }, { label = \"printed\", x = 1024, y = 1e-4, series = \"linear\" }]\n";
    let svg = &pictures(&lab(&format!("{SWEEP}{chart}")))[0];
    // A black one, and one in the colour of a line: rings, which are named once.
    assert_eq!(texts(svg).iter().filter(|text| *text == "printed").count(), 1, "{:?}", texts(svg));
    let rings = |colour: &str| svg.matches(&format!("r=\"50\" opacity=\"1\" fill=\"{colour}\"")).count();
    assert_eq!((rings("#000000"), rings("#0072B2")), (2, 1), "{svg}");
}

#[test]
fn rows_of_a_table_are_points() {
    let chart = |more: &str| format!("[[chart]]\nname = \"c\"\ntable = \"nodes\"\ny = \"completed_s\"\n{more}");
    let of = |more: &str| {
        let between =
            "[platform.between]\nnetwork = { model = \"hockney\", latency = \"1ms\", bandwidth = \"1Gbit/s\" }\n";
        let text =
            format!("version = 1\n{TWO}{between}{BROADCAST}[output]\ntables = [\"nodes\"]\n{SWEEP}{}", chart(more));
        texts(&pictures(&read(&text))[0])
    };
    // Each value of a swept key, or each cluster of the table, has a line of its own.
    let by_key = of("x = \"node\"\nseries = \"algorithm\"\nwhere = { size = \"1KiB\" }\nstep = true\n");
    assert!(
        ["linear", "binomial", "node", "completed"].iter().all(|name| by_key.contains(&(*name).to_owned())),
        "{by_key:?}"
    );
    let by_column = of("x = \"node\"\nseries = \"cluster\"\nwhere = { size = \"1KiB\", algorithm = \"linear\" }\n");
    assert!(["a", "b"].iter().all(|name| by_column.contains(&(*name).to_owned())), "{by_column:?}");
    // Linear: after 58.192 µs inside the cluster two sends of 1008.192 µs follow, so b has the message after 1.066 ms
    // and 2.075 ms: on average 1.57 ms.
    let stacked = of("kind = \"stacked\"\nx = \"cluster\"\nwhere = { size = \"1KiB\", algorithm = \"linear\" }\n");
    assert!(["a", "b", "1.57 ms"].iter().all(|text| stacked.contains(&(*text).to_owned())), "{stacked:?}");
}
