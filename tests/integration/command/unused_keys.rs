//! Keys that are given and play no part in any run: a warning names them. One point that uses them is enough.

use crate::support::{here, hetsim, read};

fn text(workload: &str) -> String {
    format!(
        "version = 1\n[platform.cluster.lab]\nnodes = 8\nspeed = \"1Gop/s\"\n\
         network = {{ model = \"hockney\", latency = \"20us\", bandwidth = \"1Gbit/s\" }}\n[workload]\n{workload}\n"
    )
}

fn farm(keys: &str) -> String {
    format!(
        "kind = \"independent\"\ntasks = 100\ntask = {{ distribution = \"constant\", operations = \"1Mop\" }}\n\
         farm = {{ {keys} }}"
    )
}

fn graph(keys: &str) -> String {
    format!("kind = \"taskgraph\"\ngenerate = {{ shape = {{ family = \"fft\", points = 8 }} }}\n{keys}")
}

fn collective(keys: &str) -> String {
    format!("kind = \"collective\"\nsize = \"1MB\"\n{keys}")
}

/// The keys that the warnings name.
fn unused(workload: &str) -> Vec<String> {
    let said = read(&text(workload)).warnings().concat();
    let quoted = said.split('`').skip(1).step_by(2);
    quoted.filter_map(|quoted| Some(quoted.strip_prefix("workload.")?.to_owned())).collect()
}

#[test]
fn keys_of_what_is_not_there() {
    assert_eq!(unused(&farm("policy = \"static_equal\", chunk = 7")), ["farm.chunk"]);
    assert_eq!(unused(&farm("policy = \"guided\", chunk = 7")), [""; 0]);
    let tree = |algorithm: &str| {
        let keys = format!("operation = \"broadcast\"\nalgorithm = \"{algorithm}\"\nradix = 3\nwindow = 2");
        unused(&collective(&keys))
    };
    assert_eq!(tree("binary"), ["radix", "window"]);
    assert_eq!(tree("k_nomial"), ["window"]);
    let broadcast =
        "operation = \"broadcast\"\nalgorithm = \"linear+pipeline\"\nsegment = \"1kB\"\nreduction = \"1op\"";
    assert_eq!(unused(&collective(broadcast)), ["reduction"], "the pipeline inside cuts");
    let searches = "annealing = { cooling = 0.9 }\njob_order = \"shortest\"";
    assert_eq!(unused(&graph(&format!("scheduler = \"heft\"\n{searches}"))), ["annealing", "job_order"]);
    assert_eq!(unused(&graph("scheduler = \"annealing\"\nannealing = { cooling = 0.9 }")), [""; 0]);
    let phases = |phase: &str| {
        let keys = "grid = [2, 4]\nperiodic = true\ngroups = { a = [[0, 99]] }\nreduction = \"1op\"";
        unused(&format!("kind = \"phases\"\n{keys}\nphase = [{{ repeat = 2, phase = [{{ {phase} }}] }}]"))
    };
    assert_eq!(phases("compute = \"1op\""), ["grid", "periodic", "groups", "reduction"]);
    assert_eq!(phases("halo = \"1kB\""), ["groups", "reduction"]);
    let reduce = "collective = { operation = \"all_reduce\", size = \"1kB\", among = \"rows\" }";
    assert_eq!(phases(reduce), ["periodic", "groups"]);
    let best = "kind = \"broadcast\"\nsize = \"1MB\"\ncandidates = [\"linear\"]\nalgorithm = ";
    assert_eq!(unused(&format!("{best}\"binomial\"")), ["candidates"]);
    assert_eq!(unused(&format!("{best}\"ecef+best\"")), [""; 0]);
}

#[test]
fn keys_of_an_evolution() {
    let evolution = |keys: &str| {
        unused(&format!(
            "kind = \"evolution\"\npopulation = 8\nbenchmark = {{ span = \"1s\", clock = \"1ms\" }}\n\
             task = {{ distribution = \"constant\", operations = \"1Mop\" }}\n{keys}"
        ))
    };
    assert_eq!(evolution("mutation = \"1op\"\ntarget = 0.1"), ["mutation", "target"]);
    assert_eq!(evolution("distribution = \"equal\""), ["benchmark.span"]);
    assert_eq!(evolution("distribution = \"equal\"\nrebalance = { every = 1 }"), [""; 0]);
    assert_eq!(evolution("distribution = \"ship\"\nmutation = \"1op\""), ["benchmark"]);
    let strategy = |name: &str| {
        let keys = "mutations = 7, offspring = 9, change = 0.3, threshold = 0.1, least_step = 5, first_step = 0.2";
        evolution(&format!("target = 0.1\nsearch = {{ objective = \"sphere\", strategy = \"{name}\", {keys} }}"))
    };
    assert_eq!(strategy("printed"), ["search.offspring"]);
    assert_eq!(strategy("comma"), ["search.mutations", "search.change", "search.threshold"]);
    let walk = ["search.mutations", "search.change", "search.threshold", "search.offspring", "search.least_step"];
    assert_eq!(strategy("cma_es"), walk);
}

#[test]
fn one_point_is_enough() {
    let sweep = "[sweep]\n\"workload.algorithm\" = [\"binary\", \"binomial\"]\n\"workload.radix\" = [2, 4]";
    let keys = format!("operation = \"broadcast\"\nalgorithm = \"linear\"\n{sweep}");
    assert_eq!(unused(&collective(&keys)), ["radix"]);
    assert_eq!(unused(&collective(&keys.replace("binomial", "k_nomial"))), [""; 0]);
}

/// As `check` says it.
#[test]
fn the_command_warns() {
    let folder = here(&[("fixed.toml", &text(&farm("policy = \"adaptive\", chunk = 7")))]);
    let output = hetsim(&folder).args(["check", "fixed.toml"]).output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout).split_whitespace().collect::<Vec<_>>().join(" ");
    let warning = "`workload.farm.chunk` plays no part in any run: what the rest of `[workload]` says does not use it";
    assert!(printed.contains(warning), "{printed}");
}
