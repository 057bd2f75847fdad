//! Task graphs whose tasks share the processors of their nodes: against SimGrid, by hand, and what is refused.

use std::fmt::Write;

use crate::support::{metric, read_in, try_read};

/// A thousand tasks of a linear congruential generator (Knuth's MMIX): the graph, and the host of each task.
fn thousand() -> (String, Vec<u64>) {
    let mut state = 42u64;
    let mut draw = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let (mut tasks, mut edges, mut hosts) = (String::new(), String::new(), Vec::new());
    for task in 0..1000u64 {
        writeln!(tasks, "  {{ operations = {} }},", 1_000_000_000 + draw(9_000_000_000)).unwrap();
        hosts.push(draw(4));
        let mut before = Vec::new();
        let count = draw(4);
        for _ in 0..if task > 0 { count } else { 0 } {
            let other = task - 1 - draw(task.min(50));
            if !before.contains(&other) {
                writeln!(edges, "  {{ from = {other}, to = {task} }},").unwrap();
                before.push(other);
            }
        }
    }
    (format!("version = 1\ntasks = [\n{tasks}]\nedges = [\n{edges}]\n"), hosts)
}

/// Truth: SimGrid 3.32 (Debian 3.32-2), `s4u::Exec` with these dependencies, each assigned to its host and started at
/// once; hosts of 1, 2, 3 and 0.5 Gflop/s with 1, 1, 2 and 4 cores. `--cfg=precision/timing:1e-12
/// --cfg=precision/work-amount:1e-9` gives the same to 14 digits as the defaults do. Edges carry nothing.
const SIMGRID_MAKESPAN: f64 = 524.914_052_011_565_2;
const SIMGRID_SUM_OF_ENDS: f64 = 237_699.379_639_402_76;
const SIMGRID_END_OF_TASK_500: f64 = 237.641_570_458_018_7;

#[test]
fn a_thousand_tasks_end_when_simgrid_says() {
    let folder = tempfile::tempdir().unwrap();
    let (graph, hosts) = thousand();
    std::fs::write(folder.path().join("graph.toml"), graph).unwrap();
    // The first core of each host stands for all of them.
    let mapping: Vec<u64> = hosts.iter().map(|&host| [0, 1, 2, 4][host as usize]).collect();
    let host = |name: &str, speed: &str, cores: u32| {
        format!(
            "[platform.cluster.{name}]\nnodes = 1\ncores = {cores}\nspeed = \"{speed}\"\nnetwork = {{ model = \"ideal\" }}\n"
        )
    };
    let text = format!(
        "version = 1\n[platform]\nsharing = \"processor\"\n{}{}{}{}[platform.between]\nnetwork = {{ model = \"ideal\" }}\n\
         [workload]\nkind = \"taskgraph\"\nfile = \"graph.toml\"\nmapping = {mapping:?}\n[output]\ntables = [\"tasks\", \"nodes\"]\n",
        host("a", "1Gop/s", 1),
        host("b", "2Gop/s", 1),
        host("c", "3Gop/s", 2),
        host("d", "0.5Gop/s", 4),
    );
    let record = read_in(&folder, &text).run(0, 0).unwrap();
    let near = |a: f64, b: f64| assert!((a - b).abs() <= 1e-9 * b, "{a} is not {b}");
    near(metric(&record, "completion_s"), SIMGRID_MAKESPAN);
    let column = |table: &str, column: usize| -> Vec<f64> {
        let table = record.tables.iter().find(|one| one.name == table).unwrap();
        table.rows.iter().map(|row| row[column].number().unwrap()).collect()
    };
    let ends = column("tasks", 4);
    near(ends[500], SIMGRID_END_OF_TASK_500);
    near(ends.iter().sum(), SIMGRID_SUM_OF_ENDS);
    // A core is not busy for longer than the run, however many tasks share it.
    for (busy, cores) in column("nodes", 4).into_iter().zip([1.0, 1.0, 2.0, 4.0]) {
        assert!(busy > 0.0 && busy <= cores * SIMGRID_MAKESPAN * (1.0 + 1e-9), "{busy} s on {cores} cores");
    }
}

/// Two tasks of 1 s and 3 s on one core: the first ends at 2 s, the second at 4 s; a third, which waits for the first,
/// takes its share from then on. One at a time the last ends at 5 s too, but the first at 1 s.
#[test]
fn tasks_share_a_core_by_hand() {
    let folder = tempfile::tempdir().unwrap();
    let graph = "version = 1\ntasks = [{ operations = 1e9 }, { operations = 3e9 }, { operations = 1e9 }]\n\
                 edges = [{ from = 0, to = 2 }]\n";
    std::fs::write(folder.path().join("graph.toml"), graph).unwrap();
    let ends = |sharing: &str| -> Vec<f64> {
        let text = format!(
            "version = 1\n[platform]\nsharing = \"{sharing}\"\n[platform.cluster.a]\nnodes = 1\nspeed = \"1Gop/s\"\n\
             network = {{ model = \"ideal\" }}\n[workload]\nkind = \"taskgraph\"\nfile = \"graph.toml\"\nmapping = [0, 0, 0]\n\
             [output]\ntables = [\"tasks\"]\n"
        );
        let record = read_in(&folder, &text).run(0, 0).unwrap();
        record.tables[0].rows.iter().map(|row| row[4].number().unwrap()).collect()
    };
    assert_eq!(ends("processor"), [2.0, 5.0, 4.0]);
    assert_eq!(ends("one_at_a_time").iter().copied().fold(0.0, f64::max), 5.0);
    assert_ne!(ends("one_at_a_time"), ends("processor"));
}

/// A scheduler that decides in the course of the run gives a core one task at a time.
#[test]
fn schedulers_that_decide_during_the_run_do_not_share() {
    for scheduler in ["online", "work_stealing"] {
        let text = format!(
            "version = 1\n[platform]\nsharing = \"processor\"\n[platform.cluster.a]\nnodes = 2\nspeed = \"1Gop/s\"\n\
             network = {{ model = \"ideal\" }}\n[workload]\nkind = \"taskgraph\"\nscheduler = \"{scheduler}\"\n\
             generate = {{ shape = {{ family = \"chain\", tasks = 9 }}, operations = {{ distribution = \"constant\", value = \"1Gop\" }}, bytes = {{ distribution = \"constant\", value = \"1MB\" }} }}\n"
        );
        let shown = try_read(&text).expect_err("this should be refused");
        assert!(shown.contains("one task at a time"), "{shown}");
        assert!(try_read(&text.replace("\"processor\"", "\"one_at_a_time\"")).is_ok());
    }
}
