//! What nodes keep of the files of their tasks: closed forms, and invariants on random graphs.

use hetsim::record::Record;
use proptest::prelude::*;

use crate::support::{self, metric, near, refused, run};

/// Nodes of 1 op/s whose storage brings 100 bytes a second.
fn scenario(nodes: u32, cores: u32, workload: &str, cache: &str) -> String {
    format!(
        "version = 1\n[platform.cluster.lab]\nnodes = {nodes}\nspeed = \"1op/s\"\ncores = {cores}\n\
         network = {{ model = \"delay\", latency = \"0s\", bandwidth = \"1B/s\" }}\n[workload]\n\
         kind = \"taskgraph\"\n{workload}\n[output]\ntables = [\"tasks\"]\n\
         [workload.system]\nstorage = \"100B/s\"\n{cache}\n"
    )
}

/// A workflow of tasks of one second, each with the files that it reads and those that it writes, of these bytes.
fn flow(tasks: &[(&str, &str)], files: &[(&str, u64)]) -> String {
    let names = |files: &str| files.split_whitespace().map(|file| format!("\"{file}\"")).collect::<Vec<_>>().join(", ");
    let task = |(number, (reads, writes)): (usize, &(&str, &str))| {
        format!(
            "{{ \"name\": \"t{number}\", \"id\": \"t{number}\", \"inputFiles\": [{}], \"outputFiles\": [{}] }}",
            names(reads),
            names(writes)
        )
    };
    let specified: Vec<String> = tasks.iter().enumerate().map(task).collect();
    let sized = |(name, bytes): &(&str, u64)| format!("{{ \"id\": \"{name}\", \"sizeInBytes\": {bytes} }}");
    let took = |number: usize| format!("{{ \"id\": \"t{number}\", \"runtimeInSeconds\": 1 }}");
    format!(
        "{{ \"name\": \"f\", \"schemaVersion\": \"1.5\", \"workflow\": {{ \"specification\": {{ \"tasks\": [{}], \
         \"files\": [{}] }}, \"execution\": {{ \"tasks\": [{}] }} }} }}",
        specified.join(", "),
        files.iter().map(sized).collect::<Vec<_>>().join(", "),
        (0..tasks.len()).map(took).collect::<Vec<_>>().join(", ")
    )
}

/// Completion and bytes moved of a workflow on one node, first come, first served.
fn on_one_node(flow: &str, cores: u32, cache: &str) -> [f64; 2] {
    let folder = support::here(&[("flow.json", flow)]);
    let text = scenario(1, cores, "file = \"flow.json\"\nscheduler = \"first_come\"", cache);
    let record = support::try_read_in(folder.path(), &text, &[]).unwrap().run(0, 0).unwrap();
    ["completion_s", "moved_bytes"].map(|name| metric(&record, name))
}

fn same(found: [f64; 2], expected: [f64; 2]) {
    found.into_iter().zip(expected).for_each(|(found, expected)| near(found, expected));
}

/// Eight tasks that read the same file on four cores: without a cache each brings it, four at a time.
#[test]
fn a_file_comes_once() {
    let flow = flow(&[("s", ""); 8], &[("s", 100)]);
    same(on_one_node(&flow, 4, ""), [2.0 * (4.0 + 1.0), 800.0]);
    same(on_one_node(&flow, 4, "cache = \"100B\""), [1.0 + 2.0, 100.0]);
    // It doesn't fit: four wait for the one that brings it, and so do the next four.
    same(on_one_node(&flow, 4, "cache = \"99B\""), [2.0 * (1.0 + 1.0), 200.0]);
}

/// Three read `s`, and one of them `l` too: the others start when `s` is there, which comes with `l`.
#[test]
fn a_task_waits_for_all_it_reads() {
    let flow = flow(&[("s l", ""), ("s", ""), ("s m", "")], &[("s", 100), ("l", 100), ("m", 300)]);
    // Both bring at 50 B/s: `s` and `l` are there at 4 s, and `m`, of which 200 B came until then, at 5 s.
    same(on_one_node(&flow, 3, "cache = \"1kB\""), [6.0, 500.0]);
    // `m` comes at 0.2 s, and is not enough.
    let swapped = flow.replace("300", "10");
    same(on_one_node(&swapped, 3, "cache = \"1kB\""), [2.1 + 1.0, 210.0]);
}

/// What was used longest ago makes room, not what came first.
#[test]
fn the_least_recently_used_file_goes() {
    let order = |files: &[&str]| -> String {
        let tasks: Vec<(&str, &str)> = files.iter().map(|file| (*file, "")).collect();
        flow(&tasks, &[("a", 10), ("b", 10), ("c", 10), ("d", 20)])
    };
    let brought = |files: &[&str], cache: &str| on_one_node(&order(files), 1, &format!("cache = \"{cache}\""))[1];
    near(brought(&["a", "b", "a", "c", "a"], "20B"), 30.0);
    near(brought(&["a", "b", "a", "c", "b"], "20B"), 40.0);
    near(brought(&["a", "b", "c", "a", "b", "c"], "20B"), 60.0);
    near(brought(&["a", "b", "c", "a", "b", "c"], "30B"), 30.0);
    // A large one takes the room of two; one that doesn't fit takes none.
    near(brought(&["a", "b", "d", "a", "b"], "20B"), 60.0);
    near(brought(&["a", "b", "d", "b", "a"], "30B"), 50.0);
    near(brought(&["a", "d", "a", "d"], "19B"), 10.0 + 20.0 + 20.0);
}

/// A node has what its tasks have written, an edge of a graph without files like a file.
#[test]
fn what_was_written_is_kept() {
    let flow = flow(&[("", "o"), ("o", "")], &[("o", 50)]);
    let flow = flow.replace("\"id\": \"t1\", \"inputFiles\"", "\"id\": \"t1\", \"parents\": [\"t0\"], \"inputFiles\"");
    same(on_one_node(&flow, 1, ""), [3.0, 100.0]);
    same(on_one_node(&flow, 1, "cache = \"1kB\""), [2.5, 50.0]);
    let fork = "generate = { shape = { family = \"fork_join\", branches = 2, stages = 1 }, \
        operations = { distribution = \"constant\", value = \"2op\" }, \
        bytes = { distribution = \"constant\", value = \"10B\" } }\nmapping = [0, 0, 1, 1]";
    let moved = |cache: &str| metric(&run(&scenario(2, 1, fork, cache)), "moved_bytes");
    // Four writes of 10 B, and of four reads the one of the second branch and one of the last task.
    assert_eq!([moved(""), moved("cache = \"1kB\""), moved("cache = \"5B\"")], [80.0, 60.0, 80.0]);
    refused(
        &scenario(2, 1, fork, "cache = \"1kB\"").replace("storage = \"100B/s\"", ""),
        "give its bandwidth as `storage`",
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// A larger cache brings no more, where all files are alike and each node runs its tasks one by one in the same order.
    #[test]
    fn a_larger_cache_brings_no_more(seed in 0u32..1000, smaller in 1u64..200, by in 1u64..200) {
        let drawn = "generate = { shape = { family = \"layered\", tasks = 40, width = 6, successors = 3 }, \
            operations = { distribution = \"exponential\", mean = \"2op\" }, \
            bytes = { distribution = \"constant\", value = \"10B\" } }\nscheduler = \"heft\"";
        let moved = |cache: &str| -> Record {
            run(&scenario(3, 1, drawn, cache).replacen("version = 1", &format!("version = 1\nseed = {seed}"), 1))
        };
        let brought = |cache: u64| metric(&moved(&format!("cache = \"{cache}B\"")), "moved_bytes");
        let (none, small, large, all) = (metric(&moved(""), "moved_bytes"), brought(smaller), brought(smaller + by), brought(1 << 40));
        prop_assert!(none >= small && small >= large && large >= all, "{none} {small} {large} {all}");
        // All is written, half of what is moved without a cache.
        prop_assert!(all >= none / 2.0);
    }
}
