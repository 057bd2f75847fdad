//! Chunks that wait until their worker has set them up, and results until they are told and looked at.

use crate::support::{metric, near, refused, run};

/// A farm of so many workers of 1 Gop/s and tasks of 1 s, one a chunk, with messages that take no time; the server is the first
/// node.
fn scenario(workers: usize, tasks: u32, farm: &str, keys: &str) -> String {
    let network = "network = { model = \"delay\", latency = \"0s\", bandwidth = \"1TB/s\" }";
    format!(
        "version = 1\n[platform.cluster.all]\nnodes = {}\nspeed = \"1Gop/s\"\n{network}\n{keys}\n[workload]\n\
         kind = \"independent\"\ntasks = {tasks}\ntask = {{ distribution = \"constant\", operations = \"1Gop\" }}\n\
         farm = {{ policy = \"fixed\"{farm} }}\n",
        workers + 1
    )
}

fn completion_s(workers: usize, tasks: u32, farm: &str) -> f64 {
    metric(&run(&scenario(workers, tasks, farm, "")), "completion_s")
}

/// Of three nodes with 3 s, the server's turn is at 0 s, and workers tell at 1 s, 4 s, … and 2 s, 5 s, ….
#[test]
fn workers_tell_in_turn() {
    // Results at 1 s are told at once by the first worker and at 2 s by the second; then at 4 and 5 s.
    near(completion_s(2, 2, ", heartbeat = \"3s\""), 2.0);
    near(completion_s(2, 4, ", heartbeat = \"3s\""), 5.0);
    // With a chunk ahead, the second task is done at 2 s and told with the third, or alone.
    near(completion_s(1, 4, ", heartbeat = \"4s\", ahead = 3"), 6.0);
    near(completion_s(1, 4, ", heartbeat = \"8s\", ahead = 3"), 4.0);
}

/// The server looks each 2.5 s: what is done at 1 s counts from then on, so that a worker has a task each 2.5 s.
#[test]
fn the_server_looks_from_time_to_time() {
    near(completion_s(1, 3, ", poll = \"2500ms\""), 7.5);
    // Told at 1 s and seen at 2.5 s; the next is done at 3.5 s, told at 5 s, and seen then.
    near(completion_s(1, 2, ", heartbeat = \"2s\", poll = \"2500ms\""), 5.0);
    // Ahead, both are done by 2 s.
    near(completion_s(1, 4, ", ahead = 1, poll = \"2500ms\""), 5.0);
}

/// A worker sets up a chunk, not a task, and those ahead when it comes to them.
#[test]
fn a_chunk_is_set_up_before_it_is_computed() {
    near(completion_s(1, 4, ", setup = \"250ms\""), 5.0);
    near(completion_s(1, 4, ", setup = \"250ms\", chunk = 2"), 4.5);
    near(completion_s(1, 4, ", setup = \"250ms\", ahead = 3"), 5.0);
    // It fails at 1.5 s, after a task and a part of the next, and sets up again from 2 s on.
    let fault = "fault = [{ nodes = [1], profile = { kind = \"at\", from = \"1500ms\", until = \"2s\" } }]";
    let record = run(&scenario(1, 2, ", setup = \"400ms\", detection = \"0s\"", fault));
    near(metric(&record, "completion_s"), 3.4);
    near(metric(&record, "tasks"), 2.0);
}

/// The worker fails at 1.5 s, with a result that it has not told: it is computed again.
#[test]
fn what_was_not_told_is_lost_with_its_worker() {
    let fault = "fault = [{ nodes = [1], profile = { kind = \"at\", from = \"1500ms\", until = \"2s\" } }]";
    let farm = ", heartbeat = \"6s\", detection = \"0s\"";
    // Up again at 2 s, it computes the task until 3 s, when it tells.
    let record = run(&scenario(1, 1, farm, fault));
    near(metric(&record, "completion_s"), 3.0);
    // One that tells at 1 s loses nothing.
    near(metric(&run(&scenario(1, 1, ", detection = \"0s\"", fault)), "completion_s"), 1.0);
}

/// A request after a fault is answered with the results that the server has not looked at, which count; not if workers keep them.
#[test]
fn requests_do_not_overtake_results() {
    let fault = "fault = [{ nodes = [1], profile = { kind = \"at\", from = \"1500ms\", until = \"2s\" } }]";
    let farm = ", poll = \"5s\", detection = \"0s\"";
    let record = run(&scenario(1, 3, farm, fault));
    near(metric(&record, "completion_s"), 15.0);
    near(metric(&record, "tasks"), 3.0);
    // Asked for at 2 s, and so done again at 3 s.
    let record = run(&scenario(1, 3, &format!("{farm}, keep_results = true"), fault));
    near(metric(&record, "completion_s"), 15.0);
    near(metric(&record, "tasks"), 4.0);
}

#[test]
fn signals_do_not_wait() {
    for key in ["setup", "heartbeat", "poll"] {
        let text = scenario(1, 1, &format!(", protocol = \"signals\", {key} = \"1s\""), "");
        refused(&text, "signals are handled at once");
    }
}
