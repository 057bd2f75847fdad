//! What a task system costs: closed forms of each key, and invariants on random graphs.

use hetsim::record::Record;
use proptest::prelude::*;

use crate::support::{self, metric, near, refused, run};

/// One node of four cores and 1 op/s, or as many as there are speeds.
fn scenario(speeds: &[f64], cores: u32, workload: &str) -> String {
    let speeds: Vec<String> = speeds.iter().map(|speed| format!("\"{speed}op/s\"")).collect();
    format!(
        "version = 1\n[platform.cluster.lab]\nnodes = {}\nspeeds = [{}]\ncores = {cores}\n\
         network = {{ model = \"delay\", latency = \"0s\", bandwidth = \"1B/s\" }}\n[workload]\n\
         kind = \"taskgraph\"\n{workload}\n[output]\ntables = [\"tasks\"]\n",
        speeds.len(),
        speeds.join(", ")
    )
}

/// A fork of so many branches, each task of 2 op, each edge of 10 B.
fn fork(branches: u32) -> String {
    format!(
        "generate = {{ shape = {{ family = \"fork_join\", branches = {branches}, stages = 1 }}, \
         operations = {{ distribution = \"constant\", value = \"2op\" }}, \
         bytes = {{ distribution = \"constant\", value = \"10B\" }} }}"
    )
}

/// The column of a table of tasks, by their numbers.
fn column(record: &Record, number: usize) -> Vec<f64> {
    let tasks = record.tables.iter().find(|table| table.name == "tasks").expect("the table");
    tasks.rows.iter().map(|row| row[number].number().unwrap()).collect()
}

const SCHEDULERS: [&str; 4] = ["heft", "min_min", "online", "first_come"];

/// The server submits one at a time, whatever the node.
#[test]
fn a_server_submits_one_task_at_a_time() {
    for scheduler in SCHEDULERS {
        let system = "[workload.system]\nstartup = \"5s\"\nsubmission = \"3s\"";
        let record = run(&scenario(&[1.0; 4], 4, &format!("{}\nscheduler = \"{scheduler}\"\n{system}", fork(4))));
        near(column(&record, 3)[0], 8.0);
        let mut branches = column(&record, 3)[1..5].to_vec();
        branches.sort_by(f64::total_cmp);
        assert!(branches.windows(2).all(|pair| pair[1] - pair[0] >= 3.0 - 1e-9), "{scheduler}: {branches:?}");
    }
    let alone = scenario(&[1.0], 4, &format!("{}\nscheduler = \"first_come\"\n[workload.system]", fork(4)));
    for (keys, completion) in [
        ("", 6.0),
        ("startup = \"5s\"", 11.0),
        ("submission = \"3s\"", 3.0 + 2.0 + 12.0 + 2.0 + 3.0 + 2.0),
        ("setup = \"3s\"", 24.0),
        // Those on the way at the same time take no longer.
        ("dispatch = \"3s\"", 3.0 * 3.0 + 6.0),
        ("submission = \"1s\"\ndispatch = \"3s\"", 4.0 + 2.0 + 4.0 + 3.0 + 2.0 + 4.0 + 2.0),
        ("slots = 2", 2.0 + 4.0 + 2.0),
        ("slots = 3", 2.0 + 4.0 + 2.0),
        ("slots = 4", 6.0),
        // Each end is seen at the next multiple, the last one too.
        ("poll = \"5s\"", 15.0),
        ("poll = \"2s\"", 6.0),
        // The node sets up while the server submits the next.
        ("submission = \"1s\"\nsetup = \"3s\"", 4.0 + 2.0 + 1.0 + 12.0 + 2.0 + 4.0 + 2.0),
    ] {
        let record = run(&alone.replace("[workload.system]", &format!("[workload.system]\n{keys}")));
        near(metric(&record, "completion_s"), completion);
    }
}

/// Each node sets up its own tasks, at the same time as others.
#[test]
fn nodes_set_up_at_once() {
    let text = scenario(&[1.0, 1.0], 2, &format!("{}\nscheduler = \"first_come\"\n", fork(4)));
    let text = format!("{text}[workload.system]\nsetup = \"3s\"\nstorage = \"1TB/s\"\n");
    // Two of four branches a node.
    near(metric(&run(&text), "completion_s"), 5.0 + 8.0 + 5.0);
}

/// A node tells what has ended at its next heartbeat: with two nodes and 4 s, the first at 4 s, 8 s, …, the second at 2 s, 6 s, ….
#[test]
fn nodes_tell_in_turn() {
    let completion = |nodes: usize, keys: &str| {
        let text = scenario(
            &[1.0, 1.0][..nodes],
            2,
            &format!("{}\nscheduler = \"first_come\"\n", fork(4).replace("10B", "0B")),
        );
        metric(&run(&format!("{text}[workload.system]\n{keys}\n")), "completion_s")
    };
    // The fork ends at 2 s and is told at 4 s; its branches at 8 s by both rounds of a node alone.
    near(completion(1, "heartbeat = \"4s\""), 4.0 + 4.0 + 4.0 + 4.0);
    // On two nodes: told at 4 s; the branches of the second node end at 6 s and are told then, those of the first at 8 s.
    near(completion(2, "heartbeat = \"4s\""), 12.0);
    // Looked at at 5 s; the branches end at 7 s, are told at 8 s and 10 s, and looked at at 10 s; the last is told at 12 s.
    near(completion(2, "heartbeat = \"4s\"\npoll = \"5s\""), 15.0);
}

/// All at the storage share it equally, and what they bring counts once a reader and once a writer.
#[test]
fn a_storage_is_shared() {
    let flow = r#"{ "name": "f", "schemaVersion": "1.5", "workflow": {
        "specification": { "tasks": [
            { "name": "small", "id": "small", "inputFiles": ["s"], "outputFiles": ["o"] },
            { "name": "large", "id": "large", "inputFiles": ["s", "l"] } ],
          "files": [ { "id": "s", "sizeInBytes": 100 }, { "id": "l", "sizeInBytes": 200 },
                     { "id": "o", "sizeInBytes": 50 } ] },
        "execution": { "tasks": [ { "id": "small", "runtimeInSeconds": 1 }, { "id": "large", "runtimeInSeconds": 1 } ] } } }"#;
    let folder = support::here(&[("flow.json", flow)]);
    let text = |more: &str| {
        let workload = format!("file = \"flow.json\"\nscheduler = \"first_come\"\n{more}");
        format!("{}[workload.system]\nstorage = \"100B/s\"\n", scenario(&[1.0], 2, &workload))
    };
    let record = support::try_read_in(folder.path(), &text(""), &[]).unwrap().run(0, 0).unwrap();
    // Until 2 s both read; then one alone until 4 s, but for the half second from 3 s on that writing 50 B takes: shared,
    // a second, of which reading gets half.
    assert_eq!(column(&record, 3).iter().map(|start| (start * 1e6).round()).collect::<Vec<_>>(), [2e6, 4.5e6]);
    near(metric(&record, "completion_s"), 5.5);
    near(metric(&record, "moved_bytes"), 450.0);
    let record = support::try_read_in(folder.path(), &text("bytes_factor = 2.0"), &[]).unwrap().run(0, 0).unwrap();
    near(metric(&record, "moved_bytes"), 900.0);
}

/// A task that waits to write holds its core, and no data pass from node to node.
#[test]
fn writing_belongs_to_a_task() {
    let text = scenario(&[1.0, 1.0], 1, &format!("{}\nmapping = [0, 0, 1, 1]\n", fork(2)));
    let record = run(&format!("{text}[workload.system]\nstorage = \"10B/s\"\n"));
    // The first writes 20 B, each branch reads 10 B beside the other and writes as much, the last reads 20 B.
    near(metric(&record, "completion_s"), 2.0 + 2.0 + 2.0 + 2.0 + 2.0 + 2.0 + 2.0);
    near(metric(&record, "moved_bytes"), 80.0);
}

/// First come, first served: by becoming ready, not by rank, and to the node with the most idle cores.
#[test]
fn first_come_is_first_served() {
    let flow = "digraph f { a [work=1] b [work=2] c [work=9] d [work=1] e [work=1] a -> d b -> e }";
    let folder = support::here(&[("flow.dot", flow)]);
    let text = scenario(&[1.0, 1.0], 1, "file = \"flow.dot\"\nscheduler = \"first_come\"\n");
    let record = support::try_read_in(folder.path(), &text, &[]).unwrap().run(0, 0).unwrap();
    // a and b at once; c was ready before d.
    assert_eq!(column(&record, 2), [0.0, 1.0, 0.0, 1.0, 1.0]);
    assert_eq!(column(&record, 3), [0.0, 0.0, 1.0, 2.0, 3.0]);
}

/// A graph of tasks without edges, of 2 op each but as said, whose types have the names that are given.
fn typed(tasks: &[(&str, u32)]) -> String {
    let task = |(name, work): &(&str, u32)| format!("{{ type = \"{name}\", operations = {work} }}");
    let tasks: Vec<String> = tasks.iter().map(task).collect();
    format!("version = 1\ntasks = [{}]\nedges = []\n", tasks.join(", "))
}

/// Tasks pass each other on their way, and are then set up in the order in which they arrive.
#[test]
fn the_way_of_one_task_holds_up_no_other() {
    let folder = support::here(&[("flow.toml", &typed(&[("far", 2), ("near", 2), ("near", 2)]))]);
    let starts = |system: &str| {
        let keys = "[workload.system]\ndispatch = \"1s\"\ntype_dispatch = { far = \"10s\" }";
        let workload = format!("file = \"flow.toml\"\nscheduler = \"first_come\"\n{keys}\n{system}");
        let record = support::try_read_in(folder.path(), &scenario(&[1.0], 3, &workload), &[]).unwrap();
        column(&record.run(0, 0).unwrap(), 3)
    };
    assert_eq!(starts(""), [10.0, 1.0, 1.0]);
    assert_eq!(starts("setup = \"6s\""), [19.0, 7.0, 13.0]);
    assert_eq!(starts("submission = \"2s\""), [12.0, 5.0, 7.0]);
}

/// Cores and memory that a task takes bound how many run at once on a node, whoever decides.
#[test]
fn tasks_take_cores_and_memory() {
    let folder = support::here(&[("flow.toml", &typed(&[("wide", 2); 8]))]);
    let completion = |cores: u32, scheduler: &str, system: &str| {
        let workload = format!("file = \"flow.toml\"\nscheduler = \"{scheduler}\"\n[workload.system]\n{system}");
        let record = support::try_read_in(folder.path(), &scenario(&[1.0], cores, &workload), &[]).unwrap();
        metric(&record.run(0, 0).unwrap(), "completion_s")
    };
    for scheduler in SCHEDULERS {
        for (cores, system, expected) in [
            (8, "", 2.0),
            (8, "needs = { wide = { cores = 2 } }", 4.0),
            (8, "needs = { wide = { cores = 3 } }", 8.0),
            (8, "needs = { wide = { memory = \"3GB\" } }", 2.0),
            (8, "memory = \"10GB\"\nneeds = { wide = { memory = \"3GB\" } }", 6.0),
            (8, "memory = \"10GB\"\nneeds = { wide = { cores = 8, memory = \"3GB\" } }", 16.0),
            // Being set up counts: all take their cores when they are dispatched.
            (2, "setup = \"1s\"\nneeds = { wide = { cores = 2 } }", 24.0),
        ] {
            near(completion(cores, scheduler, system), expected);
        }
    }
}

/// None goes ahead of a task that finds no room, and it goes where there is room.
#[test]
fn who_finds_no_room_is_waited_for() {
    let flow = typed(&[("narrow", 5), ("wide", 2), ("narrow", 1), ("narrow", 1), ("wide", 2)]);
    let folder = support::here(&[("flow.toml", &flow)]);
    let starts = |nodes: &[f64], cores: u32, scheduler: &str| {
        let workload = format!(
            "file = \"flow.toml\"\nscheduler = \"{scheduler}\"\n[workload.system]\nneeds = {{ wide = {{ cores = 3 }} }}"
        );
        let record = support::try_read_in(folder.path(), &scenario(nodes, cores, &workload), &[]).unwrap();
        let record = record.run(0, 0).unwrap();
        (column(&record, 2), column(&record, 3))
    };
    // On one node the first leaves two cores, so all wait until 5 s; the last waits for all that is before it.
    assert_eq!(starts(&[1.0], 3, "first_come").1, [0.0, 5.0, 7.0, 7.0, 8.0]);
    // On two, the wide one takes the second node, and the next the cores that are idle beside the first.
    let (at, start) = starts(&[1.0, 1.0], 3, "first_come");
    assert_eq!(at, [0.0, 1.0, 0.0, 0.0, 1.0]);
    assert_eq!(start, [0.0, 0.0, 0.0, 0.0, 2.0]);
    // A plan's cores wait for one another in the same way.
    let planned = "mapping = [0, 1, 2, 2, 0]\n[workload.system]\nneeds = { wide = { cores = 3 } }";
    let text = scenario(&[1.0], 3, &format!("file = \"flow.toml\"\n{planned}"));
    let record = support::try_read_in(folder.path(), &text, &[]).unwrap().run(0, 0).unwrap();
    // The last is on the first core, so it waits from 5 s on, before the second task of the third core.
    assert_eq!(column(&record, 3), [0.0, 5.0, 7.0, 10.0, 8.0]);
}

#[test]
fn what_a_system_cannot_do_is_refused() {
    let needs = |needs: &str, scheduler: &str| {
        let lu = "generate = { shape = { family = \"lu\", tiles = 3 } }";
        let system = format!("system = {{ memory = \"4GB\", needs = {needs} }}");
        scenario(&[1.0], 4, &format!("{lu}\nscheduler = \"{scheduler}\"\n{system}"))
    };
    refused(&needs("{ gemm = { cores = 5 } }", "online"), "at most the 4 that nodes have");
    refused(&needs("{ gemm = { cores = 0 } }", "online"), "`cores` must be at least 1");
    refused(&needs("{ gemm = { memory = \"5GB\" } }", "heft"), "more than the `memory` of a node");
    refused(&needs("{ gemm = { cores = 2 } }", "online"), "no type of task takes memory");
    let drawn = "generate = { shape = { family = \"lu\", tiles = 3 } }\nscheduler = \"heft\"";
    let misspelt = "no task of the graph is of type `gem`: did you mean `gemm`?";
    let dispatch = "system = { type_dispatch = { gem = \"1s\" } }";
    for table in ["system = { needs = { gem = { cores = 2 } } }", "type_noise = { gem = 0.1 }", dispatch] {
        refused(&scenario(&[1.0], 4, &format!("{drawn}\n{table}")), misspelt);
    }
    let folder = support::here(&[("flow.toml", &typed(&[("wide", 1)]))]);
    let workload = "file = \"flow.toml\"\nscheduler = \"heft\"\nsystem = { needs = { wise = { cores = 2 } } }";
    let error = support::try_read_in(folder.path(), &scenario(&[1.0], 2, workload), &[]).unwrap_err().to_string();
    assert!(error.contains("no task of the graph is of type `wise`") && error.contains("wide"), "{error}");

    let with = |more: &str| scenario(&[1.0], 1, &format!("{}\n{more}", fork(2)));
    let stealing = with("scheduler = \"work_stealing\"\nsystem = { setup = \"1s\" }");
    refused(&stealing, "nodes that steal have no server");
    refused(&with("scheduler = \"heft\"\nsystem = { storage = \"0B/s\" }"), "above 0");
    refused(&with("scheduler = \"heft\"\nsystem = { slots = 0 }"), "`slots` must be at least 1");
    refused(&with("scheduler = \"heft\"\nsystem = { failure = 1.0 }"), "`failure` must be at most 0.99");
    refused(&with("scheduler = \"heft\"\nsystem = { latency = \"1s\" }"), "latency");
    refused(&with("scheduler = \"heft\"\nnoise = -0.1"), "`noise` must be at least 0");
    let shared = with("scheduler = \"heft\"\nsystem = {}").replacen(
        "[platform",
        "[platform]\nsharing = \"processor\"\n[platform",
        1,
    );
    refused(&shared, "one task at a time");
}

/// The noise of a task is the same under every scheduler, and has the variation that was asked for.
#[test]
fn noise_is_of_the_task() {
    let text = |scheduler: &str, noise: f64| {
        let workload = format!("{}\nscheduler = \"{scheduler}\"\nnoise = {noise}", fork(3000));
        run(&scenario(&[1.0, 2.0], 2, &workload))
    };
    let times = |record: &Record, speeds: [f64; 2]| -> Vec<f64> {
        let at = column(record, 2);
        let spans = column(record, 4).into_iter().zip(column(record, 3)).map(|(end, start)| end - start);
        spans.zip(at).map(|(span, node)| span * speeds[node as usize]).collect()
    };
    let [heft, online] = ["heft", "online"].map(|scheduler| times(&text(scheduler, 0.3), [1.0, 2.0]));
    assert!(heft.iter().zip(&online).all(|(a, b)| (a - b).abs() < 1e-5 * a));
    let mean = heft.iter().sum::<f64>() / heft.len() as f64;
    let deviation = (heft.iter().map(|time| (time - mean).powi(2)).sum::<f64>() / heft.len() as f64).sqrt();
    // Four standard errors of 3002 draws.
    assert!((mean - 2.0).abs() < 4.0 * 0.6 / 3002f64.sqrt() && (deviation - 0.6).abs() < 0.06, "{mean} {deviation}");
    assert!(times(&text("heft", 0.0), [1.0, 2.0]).iter().all(|time| (time - 2.0).abs() < 1e-5));
}

/// A type may have a noise of its own.
#[test]
fn noise_is_of_the_type() {
    let folder = support::here(&[("flow.toml", &typed(&[vec![("wide", 2); 500], vec![("narrow", 2); 500]].concat()))]);
    let spans = |keys: &str| -> Vec<f64> {
        let text = scenario(&[1.0], 4, &format!("file = \"flow.toml\"\nscheduler = \"first_come\"\n{keys}"));
        let record = support::try_read_in(folder.path(), &text, &[]).unwrap().run(0, 0).unwrap();
        column(&record, 4).into_iter().zip(column(&record, 3)).map(|(end, start)| end - start).collect()
    };
    let (all, some) = (spans("noise = 0.3"), spans("noise = 0.3\ntype_noise = { narrow = 0.0 }"));
    assert!(all[..500].iter().zip(&some).all(|(one, other)| (one - other).abs() < 1e-9 * one));
    assert!(
        all[500..].iter().any(|span| (span - 2.0).abs() > 0.1)
            && some[500..].iter().all(|span| (span - 2.0).abs() < 1e-6)
    );
    let wide = spans("type_noise = { wide = 0.3 }");
    assert!(all[..500].iter().zip(&wide).all(|(one, other)| (one - other).abs() < 1e-6 * one));
    for (keys, words) in [
        ("type_noise = { wide = -0.1 }", "must be 0 or more, and finite"),
        ("type_noise = { wise = 0.1 }", "no task of the graph is of type `wise`"),
    ] {
        let text = scenario(&[1.0], 4, &format!("file = \"flow.toml\"\nscheduler = \"first_come\"\n{keys}"));
        let error = support::try_read_in(folder.path(), &text, &[]).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
}

/// Each run of a task fails with the probability that is given, the same tasks under every scheduler.
#[test]
fn tasks_that_fail_run_again() {
    let failed = |scheduler: &str, failure: f64| {
        let system = format!("[workload.system]\nfailure = {failure}");
        let workload = format!("{}\nscheduler = \"{scheduler}\"\n{system}", fork(3000));
        let record = run(&scenario(&[1.0], 4, &workload));
        (metric(&record, "failed_runs"), metric(&record, "completion_s"))
    };
    let (runs, completion) = failed("first_come", 0.3);
    // Of 3002 tasks each fails 0.3/0.7 times on average: four standard deviations of their sum.
    assert!((runs - 3002.0 * 0.3 / 0.7).abs() < 4.0 * (3002.0 * 0.3f64).sqrt() / 0.7, "{runs}");
    assert_eq!(failed("heft", 0.3).0, runs);
    // All runs take 2 s on one of four cores, but for those of the first and the last task, and the last ones of others.
    let shared = (3002.0 + runs) * 2.0 / 4.0;
    assert!(completion >= shared && completion < shared + 40.0, "{completion} {shared}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// A system that costs nothing changes nothing. One that costs something adds at least its startup, moves what is
    /// read and written through the storage once, and starts no task before those that it waits for have ended.
    #[test]
    fn costs_of_nothing_are_nothing(
        seed in 0u32..1000,
        cores in 1u32..4,
        scheduler in prop::sample::select(SCHEDULERS.to_vec()),
        setup in 0.1f64..3.0,
        storage in 1u32..200,
    ) {
        let drawn = format!(
            "generate = {{ shape = {{ family = \"layered\", tasks = 30, width = 6, successors = 2 }}, \
             operations = {{ distribution = \"exponential\", mean = \"2op\" }}, \
             bytes = {{ distribution = \"constant\", value = \"5B\" }} }}\nscheduler = \"{scheduler}\"\n"
        );
        let text = scenario(&[1.0, 2.0, 1.5], cores, &drawn).replacen("version = 1", &format!("version = 1\nseed = {seed}"), 1);
        let (without, free) = (run(&text), run(&format!("{text}[workload.system]\n")));
        for number in [2, 3, 4] {
            prop_assert_eq!(column(&without, number), column(&free, number));
        }
        prop_assert_eq!(metric(&without, "completion_s"), metric(&free, "completion_s"));
        let system = format!("[workload.system]\nstartup = \"7s\"\nsetup = \"{setup}s\"\nstorage = \"{storage}B/s\"\n");
        let costly = run(&format!("{text}{system}"));
        let edges = metric(&costly, "graph_edges");
        near(metric(&costly, "moved_bytes"), 2.0 * 5.0 * edges);
        prop_assert!(column(&costly, 3).iter().all(|start| *start >= 7.0 + setup - 1e-9));
        // The storage can't bring more than its bandwidth.
        prop_assert!(metric(&costly, "completion_s") >= 7.0 + 10.0 * edges / f64::from(storage));
        let computing = |record: &Record| -> f64 {
            let speeds = [1.0, 2.0, 1.5];
            let spans = column(record, 4).into_iter().zip(column(record, 3)).map(|(end, start)| end - start);
            spans.zip(column(record, 2)).map(|(span, node)| span * speeds[node as usize]).sum()
        };
        near(computing(&costly), computing(&without));
    }
}
