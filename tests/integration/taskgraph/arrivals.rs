//! Jobs that arrive: queues with closed forms, the order of jobs by hand, and invariants on random streams.

use hetsim::record::{Record, Value};
use proptest::prelude::*;

use crate::support::{self, column, metric, near, refused, run, run_replica};

/// One node of so many cores and 1 op/s.
fn scenario(cores: u32, workload: &str) -> String {
    format!(
        "version = 1\n[platform.cluster.lab]\nnodes = 1\nspeed = \"1op/s\"\ncores = {cores}\n\
         network = {{ model = \"delay\", latency = \"0s\", bandwidth = \"1B/s\" }}\n[workload]\n\
         kind = \"taskgraph\"\n{workload}\n[output]\ntables = [\"tasks\", \"jobs\"]\n"
    )
}

/// Jobs of one task each that come at random, so many a second on average, and take 1 s on average.
fn queue(cores: u32, rate: f64, work: &str) -> String {
    let interval = 1.0 / rate;
    let workload = format!(
        "scheduler = \"first_come\"\n\
         generate = {{ shape = {{ family = \"chain\", tasks = 1 }}, operations = {{ distribution = {work} }} }}\n\
         arrivals = {{ count = 200_000, interval = {{ distribution = \"exponential\", mean = \"{interval}s\" }} }}"
    );
    scenario(cores, &workload).replace("[\"tasks\", \"jobs\"]", "[]")
}

/// The mean response of random arrivals at one server or several: Pollaczek and Khinchine's formula, and Erlang's C
/// (Kleinrock 1975, Queueing Systems I, Eqs. 5.70 and 3.40), within some standard errors of 200 000 jobs.
#[test]
fn queues_take_as_long_as_theory_says() {
    let exponential = "\"exponential\", mean = \"1op\"";
    let constant = "\"constant\", value = \"1op\"";
    let gamma = "\"gamma\", mean = \"1op\", deviation = \"2op\"";
    // By the utilisation ρ and the squared coefficient of variation c²: 1 + ρ (1 + c²) / (2 (1 − ρ)).
    let one_server = |load: f64, squared: f64| 1.0 + load * (1.0 + squared) / (2.0 * (1.0 - load));
    for (work, squared) in [(exponential, 1.0), (constant, 0.0), (gamma, 4.0)] {
        for load in [0.3, 0.7] {
            let found = metric(&run(&queue(1, load, work)), "mean_response_s");
            let expected = one_server(load, squared);
            assert!((found / expected - 1.0).abs() < 0.03, "{work} at {load}: {found}, not {expected}");
        }
    }
    // Four servers at ρ = 0.7: C = (2.8⁴/4!/0.3) / (Σ 2.8ᵏ/k! + 2.8⁴/4!/0.3), and 1 + C / (4 · 0.3).
    let terms = [1.0, 2.8, 2.8 * 2.8 / 2.0, 2.8f64.powi(3) / 6.0];
    let last = 2.8f64.powi(4) / 24.0 / 0.3;
    let expected = 1.0 + last / (terms.iter().sum::<f64>() + last) / 1.2;
    let found = metric(&run(&queue(4, 2.8, exponential)), "mean_response_s");
    assert!((found / expected - 1.0).abs() < 0.02, "four servers: {found}, not {expected}");
}

fn jobs(record: &Record, name: &str) -> Vec<f64> {
    column(record, "jobs", name)
}

/// A log of jobs of equal tasks, as `(arrival, tasks, seconds each)`.
fn log(jobs: &[(u32, u32, u32)]) -> String {
    let line = |(number, (arrival, tasks, seconds)): (usize, &(u32, u32, u32))| {
        format!("{} {arrival} -1 {seconds} {tasks} -1 -1 {tasks} -1 -1 1 -1 -1 -1 -1 -1 -1 -1\n", number + 1)
    };
    jobs.iter().enumerate().map(line).collect()
}

fn served(cores: u32, log_of: &[(u32, u32, u32)], keys: &str) -> Record {
    let folder = support::here(&[("jobs.swf", &log(log_of))]);
    let text =
        scenario(cores, &format!("file = \"jobs.swf\"\noperations_factor = 1.0\nscheduler = \"first_come\"\n{keys}"));
    support::try_read_in(folder.path(), &text, &[]).unwrap().run(0, 0).unwrap()
}

/// Three jobs at one core: of four tasks of 3 s, of three of 1 s, and of two of 2 s.
#[test]
fn the_order_of_jobs_says_who_waits() {
    let three = [(0, 4, 3), (1, 3, 1), (2, 2, 2)];
    for (order, ends) in [
        // Each task as it becomes ready: the first job is all there.
        ("any", [12.0, 15.0, 19.0]),
        ("first_come", [12.0, 15.0, 19.0]),
        // The first task goes on; then the least work in all: 3 s, 4 s, 12 s.
        ("shortest", [19.0, 6.0, 10.0]),
        // In turn, since no task of any is under way when the core is free.
        ("fair", [19.0, 16.0, 12.0]),
    ] {
        let record = served(1, &three, &format!("job_order = \"{order}\""));
        assert_eq!(jobs(&record, "end_s"), ends, "{order}");
        assert_eq!(jobs(&record, "arrival_s"), [0.0, 1.0, 2.0]);
    }
    // Two cores, a job of six tasks of 2 s and, at 1 s, one of three. Fair: one core each from 2 s on.
    let two = [(0, 6, 2), (1, 3, 2)];
    let record = served(2, &two, "job_order = \"fair\"");
    assert_eq!(jobs(&record, "end_s"), [10.0, 8.0]);
    assert_eq!(jobs(&record, "start_s"), [0.0, 2.0]);
    // The first could take 6 s alone, the second 3 s by its work on both cores.
    assert_eq!(jobs(&record, "bound_s"), [6.0, 3.0]);
    let slowdowns = [10.0 / 6.0, 7.0 / 3.0];
    near(metric(&record, "mean_response_s"), 8.5);
    near(metric(&record, "mean_slowdown"), f64::midpoint(slowdowns[0], slowdowns[1]));
    near(metric(&record, "max_slowdown"), slowdowns[1]);
    let squares = slowdowns[0].powi(2) + slowdowns[1].powi(2);
    near(metric(&record, "fairness"), (slowdowns[0] + slowdowns[1]).powi(2) / (2.0 * squares));
    assert_eq!(metric(&record, "jobs"), 2.0);
    let record = served(2, &two, "job_order = \"first_come\"");
    assert_eq!(jobs(&record, "end_s"), [6.0, 10.0]);
}

/// A job starts as it arrives where a core is idle, whatever the others do, and the system's costs come on top.
#[test]
fn a_job_starts_when_it_arrives() {
    let apart = [(5, 1, 1), (7, 1, 20), (9, 2, 3), (50, 1, 1)];
    let record = served(3, &apart, "");
    assert_eq!(jobs(&record, "start_s"), [5.0, 7.0, 9.0, 50.0]);
    assert_eq!(jobs(&record, "end_s"), [6.0, 27.0, 12.0, 51.0]);
    near(metric(&record, "completion_s"), 51.0);
    near(metric(&record, "lower_bound_s"), 51.0);
    assert!(matches!(record.get("slr"), Some(Value::Blank)));
    let record = served(3, &apart, "[workload.system]\nsetup = \"2s\"");
    assert_eq!(jobs(&record, "start_s"), [7.0, 9.0, 11.0, 52.0]);
}

/// What waits for a job moves on from a node that becomes busy: `c` takes the first node from 2 s to 22 s.
#[test]
fn a_job_is_not_held_up_by_a_busy_node() {
    let flow = "digraph f { a [work=1] b [work=2] c [work=20] b -> c }";
    let folder = support::here(&[("flow.dot", flow)]);
    for scheduler in ["first_come", "online"] {
        let workload =
            format!("file = \"flow.dot\"\nscheduler = \"{scheduler}\"\narrivals = {{ at = [\"0s\", \"10s\"] }}");
        let text = scenario(1, &workload).replace("nodes = 1", "nodes = 2");
        let record = support::try_read_in(folder.path(), &text, &[]).unwrap().run(0, 0).unwrap();
        assert_eq!(jobs(&record, "start_s"), [0.0, 10.0], "{scheduler}");
        assert_eq!(column(&record, "tasks", "node")[2], 0.0, "{scheduler}");
    }
}

/// Tasks go in the order in which they become ready: a job that comes while all cores are busy does so before the tasks
/// that follow the one under way.
#[test]
fn a_job_that_comes_meanwhile_goes_before_what_is_ready_later() {
    let graph = "generate = { shape = { family = \"chain\", tasks = 2 }, \
                 operations = { distribution = \"constant\", value = \"2op\" } }";
    let text = scenario(1, &format!("{graph}\nscheduler = \"first_come\"\narrivals = {{ at = [\"0s\", \"1s\"] }}"));
    assert_eq!(column(&run(&text), "tasks", "start_s"), [0.0, 4.0, 2.0, 6.0]);
}

/// Without arrivals nothing is said of jobs.
#[test]
fn one_job_is_no_stream() {
    let record = run(&scenario(2, "scheduler = \"online\"\ngenerate = { shape = { family = \"chain\", tasks = 3 } }"));
    for name in ["jobs", "mean_response_s", "mean_slowdown", "max_slowdown", "fairness"] {
        assert!(matches!(record.get(name), Some(Value::Blank)), "{name}: {:?}", record.get(name));
    }
    assert!(jobs(&record, "job").is_empty());
}

#[test]
fn what_cannot_arrive_is_refused() {
    let graph = "generate = { shape = { family = \"chain\", tasks = 3 } }";
    let with =
        |keys: &str, scheduler: &str| scenario(1, &format!("{graph}\nscheduler = \"{scheduler}\"\narrivals = {keys}"));
    let constant = "interval = { distribution = \"constant\", value = \"1s\" }";
    for (keys, words) in [
        ("{ count = 3 }", "say when jobs arrive: `count` and `interval`, or `at` alone"),
        ("{ at = [\"0s\"], count = 1 }", "say when jobs arrive"),
        ("{ at = [\"2s\", \"1s\"] }", "jobs arrive in the order in which they are listed"),
        ("{ at = [] }", "give the times of 1 to 1 000 000 jobs"),
        (
            "{ count = 3, interval = { distribution = \"exponential\", mean = \"0s\" } }",
            "`interval` needs a mean above zero",
        ),
    ] {
        refused(&with(keys, "online"), words);
    }
    for scheduler in ["heft", "work_stealing", "exact"] {
        let text = with(&format!("{{ count = 3, {constant} }}"), scheduler);
        refused(&text, "need a scheduler that decides then: `online` or `first_come`");
    }
    let many = with(&format!("{{ count = 1_000_000, {constant} }}"), "online").replace("tasks = 3", "tasks = 300");
    refused(&many, "all jobs together have 3e8 tasks; at most 1e8");
    let folder = support::here(&[("jobs.swf", &log(&[(0, 1, 1), (1, 1, 1)]))]);
    for (keys, words) in [
        ("scheduler = \"online\"\narrivals = { at = [\"0s\"] }", "the file itself says when its jobs arrive"),
        ("scheduler = \"heft\"", "need a scheduler that decides then"),
    ] {
        let error = support::try_read_in(
            folder.path(),
            &scenario(1, &format!("file = \"jobs.swf\"\noperations_factor = 1.0\n{keys}")),
            &[],
        );
        assert!(error.unwrap_err().to_string().contains(words), "{words}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Whatever the order: every task runs once, none before its job arrived, no job is faster than its bound, and one core
    /// computes all that there is.
    #[test]
    fn streams_keep_what_is_true_of_all(
        replica in 0u32..1000,
        cores in 1u32..6,
        interval in 0.1f64..30.0,
        order in prop::sample::select(vec!["any", "first_come", "shortest", "fair"]),
        scheduler in prop::sample::select(vec!["online", "first_come"]),
    ) {
        let text = scenario(cores, &format!(
            "scheduler = \"{scheduler}\"\njob_order = \"{order}\"\n\
             generate = {{ shape = {{ family = \"layered\", tasks = 12, width = 4, successors = 2 }}, \
             operations = {{ distribution = \"exponential\", mean = \"2op\" }} }}\n\
             arrivals = {{ count = 9, interval = {{ distribution = \"exponential\", mean = \"{interval}s\" }} }}"
        ));
        let record = run_replica(&text, replica);
        let (arrivals, ends, bounds) = (jobs(&record, "arrival_s"), jobs(&record, "end_s"), jobs(&record, "bound_s"));
        let (starts, finishes) = (column(&record, "tasks", "start_s"), column(&record, "tasks", "finish_s"));
        prop_assert_eq!(starts.len(), 9 * 12);
        for (task, (start, finish)) in starts.iter().zip(&finishes).enumerate() {
            prop_assert!(*start >= arrivals[task / 12] - 1e-9 && *finish <= ends[task / 12] + 1e-9);
        }
        let busy: f64 = finishes.iter().zip(&starts).map(|(finish, start)| finish - start).sum();
        for job in 0..9 {
            prop_assert!(ends[job] - arrivals[job] >= bounds[job] * (1.0 - 1e-12) - 1e-9);
        }
        let last = ends.iter().copied().fold(0.0, f64::max);
        near(last, metric(&record, "completion_s"));
        prop_assert!(metric(&record, "lower_bound_s") <= last + 1e-9);
        prop_assert!(busy <= last * f64::from(cores) + 1e-6);
        let fairness = metric(&record, "fairness");
        prop_assert!((1.0 / 9.0 - 1e-12..=1.0 + 1e-12).contains(&fairness));
        if cores == 1 {
            // One core that never idles while anything is ready: all that it waits for are arrivals.
            prop_assert!(last - busy <= arrivals[8] + 1e-6);
        }
    }
}
