//! Chunks ahead of what a worker computes, and chunks that the server takes back.

use hetsim::record::Record;

use crate::support::{metric, near, run};

/// The completion of a farm of so many tasks of 1 Gop on workers of these speeds in Gop/s, with messages of `latency_s`.
fn completion_s(speeds: &[f64], latency_s: f64, tasks: u32, farm: &str) -> f64 {
    let record = record(speeds, latency_s, tasks, farm, "");
    assert_eq!(metric(&record, "tasks"), f64::from(tasks));
    metric(&record, "completion_s")
}

/// The same, where workers have these keys too.
fn record(speeds: &[f64], latency_s: f64, tasks: u32, farm: &str, keys: &str) -> Record {
    let network = |latency_s: f64| {
        format!("network = {{ model = \"delay\", latency = \"{latency_s}s\", bandwidth = \"1TB/s\" }}")
    };
    let (inside, between, nodes) = (network(0.0), network(latency_s), speeds.len());
    let speeds: Vec<String> = speeds.iter().map(|speed| format!("{speed}Gop/s")).collect();
    run(&format!(
        "version = 1\n[platform.cluster.server]\nnodes = 1\nspeed = \"1Gop/s\"\n{inside}\n[platform.cluster.workers]\n\
         nodes = {nodes}\ncores = 2\nspeeds = {speeds:?}\n{inside}\n{keys}\n[platform.between]\n{between}\n[workload]\n\
         kind = \"independent\"\ntasks = {tasks}\ntask = {{ distribution = \"constant\", operations = \"1Gop\" }}\n\
         farm = {{ policy = \"fixed\", {farm} }}\n"
    ))
}

/// Eight tasks of 1 s on one worker. Without chunks ahead there are two latencies between them; with one, none if both
/// pass during a task, and with long latencies two tasks every two latencies and a task.
#[test]
fn a_chunk_ahead_hides_the_latency() {
    near(completion_s(&[1.0], 0.1, 8, "ahead = 0"), 0.3 + 8.0 + 7.0 * 0.2);
    near(completion_s(&[1.0], 0.1, 8, "ahead = 1"), 0.3 + 8.0);
    near(completion_s(&[1.0], 0.1, 8, "ahead = 7"), 0.3 + 8.0);
    near(completion_s(&[1.0], 1.0, 8, "ahead = 1"), 2.0 + 3.0 * 3.0 + 2.0 + 1.0);
}

/// The second worker is fast, but two of the eight tasks wait at the slow one.
#[test]
fn what_waits_at_a_slow_worker_waits_unless_it_is_taken_back() {
    let farm = |more: &str| completion_s(&[0.25, 1.0], 0.001, 8, &format!("ahead = 1{more}"));
    // The slow worker has its first task at 2 ms, the second at once after it, and the third ahead when the fast one is
    // done, at 5.002 s.
    near(farm(""), 12.003);
    // At 5.1 s the server asks for the third; it comes back after two latencies, and the fast worker has it after one.
    near(farm(", steal_interval = \"100ms\""), 8.003);
    // At 10 s it is under way.
    near(farm(", steal_interval = \"10s\""), 12.003);
    // The chunks took 1, 1, 1, 4, 1 and 1 s, each weighing half as much as the next: 1.375 s, and two 2.75 s.
    near(farm(", steal_interval = \"100ms\", steal_threshold = \"2.74s\""), 8.003);
    near(farm(", steal_interval = \"100ms\", steal_threshold = \"2.76s\""), 12.003);
}

/// The first of eight tasks is done at 1.2 s. The worker is down from 1.5 to 2.5 s, and loses the second and the third; then
/// both places are filled again, and seven tasks follow each other from 2.7 s on.
#[test]
fn a_worker_that_is_back_has_all_its_places() {
    let fault = "fault = [{ profile = { kind = \"at\", from = \"1500ms\", until = \"2500ms\" } }]";
    let record = record(&[1.0], 0.1, 8, "ahead = 1, timeout = \"100s\"", fault);
    near(metric(&record, "completion_s"), 2.7 + 7.0 + 0.1);
}

/// The slow worker fails at 1.5 s, in its first chunk of four, and stands in the line for a second one. When the chunk is
/// given up, at 6 s or where a failure is known after a second, the fast worker has it, which is idle and takes 1 s.
#[test]
fn what_a_failed_worker_has_lost_goes_to_another() {
    let fault = "fault = [{ nodes = [0], profile = { kind = \"at\", from = \"1500ms\" } }]";
    for (more, end) in [("timeout = \"6s\"", 7.0), ("task_timeout = \"1500ms\"", 7.0), ("detection = \"1s\"", 3.5)] {
        for ahead in [0, 1, 3] {
            let farm = format!("chunk = 4, ahead = {ahead}, {more}");
            near(metric(&record(&[1.0, 4.0], 0.0, 8, &farm, fault), "completion_s"), end);
        }
    }
}
