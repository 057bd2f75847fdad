//! An instance as files that hetsim reads again.

use std::fmt::Write;

use super::contest::{Contest, per_second};
use hetsim_graph::read::Format;
use hetsim_schedule::adversary::ProblemInstance;

/// The file of the graph, which the scenario names.
const GRAPH: &str = "instance-graph.toml";

/// The files of an instance, by name: a scenario that runs it under both schedulers, and its graph.
pub(super) fn write(instance: &ProblemInstance, contest: &Contest) -> Result<[(&'static str, String); 2], String> {
    let graph = instance.graph().map_err(|error| error.to_string())?;
    let mut bytes = Vec::new();
    hetsim_graph::write::write(&graph, Format::Toml, &mut bytes).map_err(|error| error.to_string())?;
    let graph = String::from_utf8(bytes).map_err(|error| error.to_string())?;
    Ok([("instance.toml", scenario(instance, contest)), (GRAPH, graph)])
}

/// The scenario. Numbers are written in full digits, so the same ticks come of them.
fn scenario(instance: &ProblemInstance, contest: &Contest) -> String {
    let Contest { scheduler, baseline, insertion, .. } = contest;
    let mut text = format!(
        "# The worst instance that was found for {scheduler} beside {baseline}.\n\
         version = 1\n\n[platform]\ntick = \"{}ps\"\n\n",
        1e12 / contest.tick.per_second()
    );
    // Writing to a string can't fail.
    for (node, &speed) in instance.speeds().iter().enumerate() {
        let _ = writeln!(
            text,
            "[platform.cluster.node{node}]\nnodes = 1\nspeed = \"{}op/s\"\nnetwork = {{ model = \"ideal\" }}\n",
            per_second(speed)
        );
    }
    for (a, b, strength) in instance.links() {
        let _ = writeln!(
            text,
            "[[platform.link]]\nbetween = [\"node{a}\", \"node{b}\"]\n\
             network = {{ model = \"delay\", latency = \"0s\", bandwidth = \"{}B/s\" }}\n",
            per_second(strength)
        );
    }
    let _ = writeln!(text, "[workload]\nkind = \"taskgraph\"\nfile = \"{GRAPH}\"\nscheduler = \"{scheduler}\"");
    if let Some(insertion) = insertion {
        let _ = writeln!(text, "insertion = {insertion}");
    }
    if scheduler != baseline {
        let _ = writeln!(text, "\n[sweep]\n\"workload.scheduler\" = [\"{scheduler}\", \"{baseline}\"]");
    }
    text
}
