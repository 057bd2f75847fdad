//! What runs tolerate: by closed forms, and for every workload by the run with the part as much worse as the table says.

use hetsim::record::{Record, Table, Value};
use hetsim::scenario::Scenario;

use super::read_in;
use crate::support::{DATA, metric, read, refused, run};

/// Three nodes of unequal speeds, with one network.
const LAB: &str = "version = 1\nseed = 3\n[platform.cluster.lab]\nnodes = 3\nspeeds = [\"1Gop/s\", \"2Gop/s\", \"1.5Gop/s\"]\n\
                   network = { model = \"hockney\", latency = \"40us\", bandwidth = \"100MB/s\" }\n";

/// A small run of each workload with a completion.
const WORKLOADS: [(&str, &str); 12] = [
    (
        "adaptive",
        "size = \"64KiB\"\nalgorithms = [\"linear\", \"binomial\"]\nmodels = [\"hockney\"]\nsizes = [\"1KiB\", \"64KiB\"]",
    ),
    ("broadcast", "size = \"100kB\"\nalgorithm = \"binomial\""),
    (
        "collective",
        "operation = \"all_reduce\"\nalgorithm = \"recursive_doubling\"\nsize = \"100kB\"\nreduction = \"3op\"",
    ),
    (
        "evolution",
        "population = 12\nrounds = 3\ntask = { distribution = \"constant\", operations = \"3Mop\" }\nmaster_computes = true\n\
         [workload.search]\nobjective = \"ackley\"\ndimension = 3",
    ),
    ("genetic", "population = 8\ngenerations = 3\ntask = { distribution = \"constant\", operations = \"1Mop\" }"),
    ("hpl", "n = 90\nnb = 30\np = 1\nq = 3"),
    (
        "independent",
        "tasks = 20\ntask = { distribution = \"constant\", operations = \"1Mop\" }\nfarm = { policy = \"guided\" }",
    ),
    (
        "island",
        "population = 12\ngenerations = 6\nperiod = 2\ntask = { distribution = \"constant\", operations = \"1Mop\" }",
    ),
    (
        "phases",
        "[[workload.phase]]\nrepeat = 3\n[[workload.phase.phase]]\ncompute = \"1Mop\"\n[[workload.phase.phase]]\n\
         collective = { operation = \"all_gather\", size = \"100kB\", algorithm = \"ring\" }",
    ),
    ("replay", "trace = \"tolerance-trace.txt\""),
    (
        "taskgraph",
        "scheduler = \"heft\"\n[workload.generate]\nshape = { family = \"cholesky\", tiles = 3 }\n\
         operations = { distribution = \"exponential\", mean = \"8Mop\" }\nbytes = { distribution = \"constant\", value = \"1MB\" }",
    ),
    ("traffic", "size = \"1MB\"\npattern = { kind = \"ring\", shift = 1 }"),
];

fn scenario(kind: &str, keys: &str, overrides: &[&str]) -> Scenario {
    let text = format!("{LAB}[workload]\nkind = \"{kind}\"\n{keys}\n[output]\ntables = [\"tolerance\"]\n");
    read_in(std::path::Path::new(DATA), &text, overrides)
}

fn completion(scenario: &Scenario) -> f64 {
    metric(&scenario.run(0, 0).unwrap_or_else(|failure| panic!("{failure}")), "completion_s")
}

fn tolerances(record: &Record) -> &Table {
    record.tables.iter().find(|table| table.name == "tolerance").unwrap()
}

/// The factor that a part tolerates before the run is longer by a share.
#[track_caller]
fn factor(record: &Record, name: &str, share: f64) -> Option<f64> {
    let wanted = |row: &&Vec<Value>| row[1].to_string() == name && row[2].number() == Some(share);
    tolerances(record).rows.iter().find(wanted).unwrap_or_else(|| panic!("no row of {name}"))[3].number()
}

/// What a scenario has to say so that a part is worse by a factor.
fn worse(part: &str, name: &str, factor: f64) -> String {
    match (part, name) {
        ("node", node) => {
            let mut speeds = [1.0, 2.0, 1.5];
            speeds[node.parse::<usize>().unwrap()] /= factor;
            format!("platform.cluster.lab.speeds={:?}", speeds.map(|speed| format!("{speed}Gop/s")))
        }
        (_, key) if key.ends_with("latency") => format!("{key}=\"{}us\"", 40.0 * factor),
        (_, key) => format!("{key}=\"{}MB/s\"", 100.0 / factor),
    }
}

/// The rows of a node that a workload has at least.
fn computes(kind: &str) -> usize {
    if ["adaptive", "broadcast", "traffic"].contains(&kind) { 0 } else { SHARES }
}

/// How many shares the table tells of.
const SHARES: usize = 3;

#[test]
fn every_workload_is_as_much_longer_as_its_table_says() {
    for (kind, keys) in WORKLOADS {
        let record = scenario(kind, keys, &[]).run(0, 0).unwrap();
        let whole = metric(&record, "completion_s");
        let mut checked = 0;
        for row in &tolerances(&record).rows {
            let (part, name, share) = (row[0].to_string(), row[1].to_string(), row[2].number().unwrap());
            let Some(factor) = row[3].number() else { continue };
            let longer = |factor: f64| {
                let changed = worse(&part, &name, factor);
                completion(&scenario(kind, keys, &[&changed, "output.tables=[]"])) / whole - 1.0
            };
            let at = longer(factor);
            assert!(at <= 1.006 * share, "{kind}, {part} {name}: {factor} makes {at} instead of {share}");
            // Either the run is as long as that, or it jumps a little later.
            let is_found = at >= 0.994 * share || longer(1.0 + 1.01 * (factor - 1.0) + 1e-4) > share;
            assert!(is_found, "{kind}, {part} {name}: {factor} makes no more than {at}, which is below {share}");
            checked += 1;
        }
        // All have both keys of the network, and all that compute a node.
        assert!(checked >= 6 + computes(kind), "{kind}: {checked}");
    }
}

#[test]
fn a_message_tolerates_what_its_formula_says() {
    // 40 µs + 1 MB at 100 MB/s: 10.04 ms, so 1 % are 100.4 µs.
    let record = run(&format!(
        "{}[workload]\nkind = \"broadcast\"\nsize = \"1MB\"\nalgorithm = \"linear\"\n[output]\ntables = [\"tolerance\"]\n",
        LAB.replace("nodes = 3", "nodes = 2").replace(", \"1.5Gop/s\"", "")
    ));
    let near = |found: Option<f64>, expected: f64| {
        let found = found.unwrap();
        assert!(((found - 1.0) / (expected - 1.0) - 1.0).abs() < 0.006, "{found} instead of {expected}");
    };
    near(factor(&record, "platform.cluster.lab.network.latency", 0.01), 1.0 + 100.4 / 40.0);
    near(factor(&record, "platform.cluster.lab.network.bandwidth", 0.05), 1.0 + 0.05 * 10.04 / 10.0);
    assert_eq!(factor(&record, "0", 0.05), None);
    assert_eq!(record.get("least_tolerant").unwrap().to_string(), "platform.cluster.lab.network.bandwidth");
    near(Some(metric(&record, "least_tolerance")), 1.01004);
}

#[test]
fn kernels_and_nodes_of_several_ranks() {
    // Two nodes of two ranks, which call a kernel of 3 ms, and one of 1 ms that the second node alone has longer.
    let text = "version = 1\n[platform.cluster.lab]\nnodes = 2\nranks_per_node = 2\nspeed = \"1Gop/s\"\n\
                network = { model = \"hockney\", latency = \"1us\", bandwidth = \"1GB/s\" }\n\
                [[platform.cluster.lab.level]]\ndomain = \"node\"\nsize = 2\n\
                network = { model = \"hockney\", latency = \"1us\", bandwidth = \"1GB/s\" }\n\
                [platform.kernel.long]\nseconds = \"3e-3\"\n[platform.kernel.short]\nseconds = \"1e-3*m\"\n\
                [workload]\nkind = \"phases\"\n[[workload.phase]]\ncall = { kernel = \"long\" }\n\
                [[workload.phase]]\ncall = { kernel = \"short\", m = 1 }\n[output]\ntables = [\"tolerance\"]\n";
    let record = run(text);
    let near = |name: &str, expected: f64| {
        let found = factor(&record, name, 0.02).unwrap() - 1.0;
        assert!((found / expected - 1.0).abs() < 0.006, "{name}: {found} instead of {expected}");
    };
    near("long", 0.02 * 4.0 / 3.0);
    near("short", 0.02 * 4.0);
    near("0", 0.02);
    near("1", 0.02);
    // Two rows of nodes, two of kernels, four of keys, three shares each.
    assert_eq!(tolerances(&record).rows.len(), 8 * 3);
}

#[test]
fn only_runs_with_a_completion_have_it() {
    let nothing = LAB.replace("hockney", "ideal").replace(", latency = \"40us\", bandwidth = \"100MB/s\"", "");
    let keys =
        "[workload]\nkind = \"broadcast\"\nsize = \"1B\"\nalgorithm = \"linear\"\n[output]\ntables = [\"tolerance\"]\n";
    let failure = read(&format!("{nothing}{keys}")).run(0, 0).unwrap_err();
    assert!(String::from(failure).contains("needs a run with a completion above zero"));
    let study = "version = 1\n[study]\nkind = \"schedules\"\nclusters = 3\nlatency = { from = \"1ms\", to = \"2ms\" }\ngap = { from = \"1ms\", to = \"2ms\" }\ninside = { from = \"1ms\", to = \"2ms\" }\n[output]\ntables = [\"tolerance\"]\n";
    refused(study, "makes no table `tolerance`");
}
