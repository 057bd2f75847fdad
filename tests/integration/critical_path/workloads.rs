//! Critical paths of workloads as records and charts show them.

use std::path::Path;

use hetsim::cluster::Part;
use hetsim::report::Reported as _;
use hetsim::report::chart::{ColourBy, critical_tasks, gantt, with_colours, with_path};
use hetsim::scenario::Scenario;

use crate::support::{column, metric, near, read, refused, run};

/// One worker and tasks one by one: a request, and N tasks and their results, with a latency each.
#[test]
fn a_farm_of_one_worker() {
    let record = run("version = 1\n[platform.cluster.lab]\nnodes = 2\nspeed = \"1Gop/s\"\n\
         network = { model = \"delay\", latency = \"10us\", bandwidth = \"1GB/s\" }\n\
         [workload]\nkind = \"independent\"\ntasks = 10\ntask = { distribution = \"constant\", operations = \"1Mop\" }\n\
         [workload.farm]\npolicy = \"fixed\"\nchunk = 1\n[output]\ntables = [\"path\"]\n");
    near(metric(&record, "path_computing_s"), 10.0 * 1e-3);
    near(metric(&record, "path_latency_s"), 21.0 * 1e-5);
    sums_up(&record);
    assert_eq!(record.get("path_most").unwrap().to_string(), "computing on node 1");
}

/// The long table tiles the run, and its metrics are its parts.
#[track_caller]
fn sums_up(record: &hetsim::record::Record) {
    let completion = metric(record, "completion_s");
    let (starts, ends) = (column(record, "path", "start_s"), column(record, "path", "end_s"));
    assert_eq!(starts.first(), Some(&0.0));
    assert_eq!(starts[1..], ends[..ends.len() - 1]);
    assert_eq!(ends.last(), Some(&completion));
    near(Part::ALL.iter().map(|part| metric(record, &format!("path_{}_s", part.name()))).sum(), completion);
}

/// How much of each phase is on the path, blank ones last, in the order of their names.
fn of_phases(record: &hetsim::record::Record) -> Vec<(String, f64)> {
    let (starts, ends) = (column(record, "path", "start_s"), column(record, "path", "end_s"));
    let table = record.tables.iter().find(|table| table.name == "path").unwrap();
    let place = table.columns.iter().position(|column| column == "phase").unwrap();
    let mut sums = std::collections::BTreeMap::new();
    for (row, (start, end)) in table.rows.iter().zip(starts.iter().zip(&ends)) {
        *sums.entry(row[place].to_string()).or_insert(0.0) += end - start;
    }
    sums.into_iter().collect()
}

/// Every stretch has the phase of what it is about, also where others have gone on meanwhile.
#[test]
fn paths_are_cut_by_phases() {
    let platform = |nodes: u32, network: &str| {
        format!(
            "version = 1\n[platform.cluster.lab]\nnodes = {nodes}\nspeed = \"1Gop/s\"\n\
             network = {{ model = \"{network}\", latency = \"10us\", bandwidth = \"1GB/s\" }}\n\
             [output]\ntables = [\"path\"]\n"
        )
    };
    for network in ["hockney", "fair"] {
        let phases = platform(2, network)
            + "[workload]\nkind = \"phases\"\n[[workload.phase]]\nrepeat = 3\n\
               [[workload.phase.phase]]\nname = \"work\"\ncompute = \"1Mop\"\n\
               [[workload.phase.phase]]\nname = \"all\"\n\
               collective = { operation = \"all_gather\", size = \"1MB\", algorithm = \"ring\" }\n";
        let record = run(&phases);
        let sums = of_phases(&record);
        assert_eq!(sums.iter().map(|(name, _)| &**name).collect::<Vec<_>>(), ["all", "work"], "{network}");
        near(sums[1].1, 3e-3);
        near(sums[0].1, metric(&record, "completion_s") - 3e-3);
    }
    // Each task, and the data that it waits for.
    let graph = platform(3, "delay")
        + "[workload]\nkind = \"taskgraph\"\nscheduler = \"heft\"\n[workload.generate]\n\
           shape = { family = \"chain\", tasks = 3 }\noperations = { distribution = \"constant\", value = \"8Mop\" }\n\
           bytes = { distribution = \"constant\", value = \"1MB\" }\n";
    let names: Vec<String> = of_phases(&run(&graph)).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["task 0", "task 1", "task 2"]);
    let rounds = platform(3, "delay")
        + "[workload]\nkind = \"genetic\"\npopulation = 8\ngenerations = 3\n\
           task = { distribution = \"constant\", operations = \"1Mop\" }\n";
    let sums = of_phases(&run(&rounds));
    assert_eq!(sums.iter().map(|(name, _)| &**name).collect::<Vec<_>>(), ["round 1", "round 2", "round 3"]);
    assert!(sums.windows(2).all(|pair| (pair[0].1 - pair[1].1).abs() < 0.1 * pair[0].1), "{sums:?}");
    let islands = platform(2, "delay")
        + "[workload]\nkind = \"island\"\npopulation = 8\ngenerations = 2\n\
           task = { distribution = \"constant\", operations = \"1Mop\" }\n";
    let names: Vec<String> = of_phases(&run(&islands)).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["generation 1", "generation 2"]);
}

/// A chain of tasks on unequal nodes computes all the time; the parts of any task graph's run add up.
#[test]
fn task_graphs() {
    let text = |shape: &str| {
        format!(
            "version = 1\n[platform.cluster.lab]\nnodes = 3\nspeeds = [\"1Gop/s\", \"4Gop/s\", \"2Gop/s\"]\n\
             network = {{ model = \"delay\", latency = \"100us\", bandwidth = \"1GB/s\" }}\n\
             [workload]\nkind = \"taskgraph\"\nscheduler = \"heft\"\n[workload.generate]\nshape = {{ {shape} }}\n\
             operations = {{ distribution = \"constant\", value = \"8Mop\" }}\n\
             bytes = {{ distribution = \"constant\", value = \"1MB\" }}\n[output]\ntables = [\"path\"]\n"
        )
    };
    let chain = run(&text("family = \"chain\", tasks = 6"));
    near(metric(&chain, "path_computing_s"), 6.0 * 2e-3);
    near(metric(&chain, "completion_s"), 6.0 * 2e-3);
    for seed in 0..5 {
        let text = format!("seed = {seed}\n{}", text("family = \"layered\", tasks = 24, width = 4, successors = 2"));
        sums_up(&run(&text));
    }
}

/// A workload that simulates nothing by itself says so.
#[test]
fn what_has_no_path_says_so() {
    let text = "version = 1\n[platform.cluster.lab]\nnodes = 3\nnetwork = { model = \"hockney\", latency = \"1us\", bandwidth = \"1GB/s\" }\n\
                [workload]\nkind = \"fit\"\nmethod = \"poly\"\noperation = \"single\"\nsizes = [\"4B\", \"64B\", \"1KiB\"]\n\
                repetitions = 2\nfloor_repetitions = 2\n[output]\ntables = [\"path\"]\n";
    let error = read(text).run(0, 0).expect_err("a fit has no path").to_string();
    assert!(error.contains("no critical path"), "{error}");
}

/// The line of a Gantt chart stays with the sender whose port is held, and then goes along the last message.
#[test]
fn the_line_of_a_gantt_chart() {
    let scenario = read(
        "version = 1\n[platform.cluster.lab]\nnodes = 3\n\
         network = { model = \"hockney\", latency = \"1s\", bandwidth = \"1B/s\" }\n\
         [workload]\nkind = \"broadcast\"\nalgorithm = \"linear\"\nsize = \"2B\"\n",
    );
    let traced = scenario.trace(0, 0).unwrap();
    let chart = with_path(gantt(&traced, "line".to_owned(), None), &traced);
    assert_eq!(chart.path, [(0.0, 0), (3.0, 0), (3.0, 0), (6.0, 2)]);
    assert!(chart.svg().contains("critical path"));
}

/// HEFT's schedule of Topcuoglu et al. (2002): task 0 until 9, 9 bytes until 18, task 3 until 26, task 5 on the same
/// node until 42, 15 bytes until 57, task 7 until 62, 11 bytes until 73, and task 9 until 80.
#[test]
fn the_tasks_of_a_critical_path() {
    let scenario = Scenario::load(Path::new("scenarios/heft2002.toml"), &[]).unwrap();
    let traced = scenario.trace(0, 0).unwrap();
    assert_eq!(critical_tasks(&traced).unwrap(), [0, 3, 5, 7, 9]);
    let coloured = |by| with_colours(gantt(&traced, String::new(), None), &traced, by);
    let groups = |by| {
        let spans = coloured(by).lanes.into_iter().flat_map(|lane| lane.spans);
        let mut groups: Vec<_> = spans.filter_map(|span| span.group).collect();
        groups.sort_unstable();
        groups
    };
    assert!(groups(ColourBy::Activity).is_empty());
    assert_eq!(groups(ColourBy::Task), (0..10).collect::<Vec<_>>());
    assert_eq!(groups(ColourBy::Cluster), [0; 10]);
    assert_eq!(coloured(ColourBy::Cluster).groups, ["processors"]);
    let broadcast = "version = 1\n[platform.cluster.lab]\nnodes = 3\nnetwork = { model = \"ideal\" }\n\
                     [workload]\nkind = \"broadcast\"\nalgorithm = \"linear\"\nsize = \"2B\"\n\
                     [[chart]]\nname = \"c\"\nkind = \"gantt\"\ncolour_by = \"task\"\n";
    refused(broadcast, "only a task graph has tasks");
    read(&broadcast.replace("task\"", "cluster\""));
}

/// A chart of paths needs them.
#[test]
fn charts_of_paths_are_checked() {
    let text = |tables: &str, more: &str| {
        format!(
            "version = 1\n[platform.cluster.lab]\nnodes = 3\n\
             network = {{ model = \"hockney\", latency = \"1s\", bandwidth = \"1B/s\" }}\n\
             [workload]\nkind = \"broadcast\"\nalgorithm = \"linear\"\nsize = \"2B\"\n[output]\ntables = [{tables}]\n\
             [sweep]\n\"workload.size\" = [\"1B\", \"2B\"]\n\
             [[chart]]\nname = \"c\"\nkind = \"path\"\nx = \"size\"\n{more}"
        )
    };
    refused(&text("", ""), "the runs don't keep the table `path`");
    refused(&text("\"path\"", "shares = true\nsort = \"ascending\"\n"), "all as high");
    read(&text("\"path\"", "shares = true\n"));
}
