//! What every workload tells of its critical path, where the long table `path` is wanted: what the time of a run was
//! spent on, from its start to its completion.

use std::collections::BTreeMap;

use hetsim_base::record::{Metric, TableShape, Value};
use hetsim_base::units::Time;
use hetsim_cluster::{CriticalPath, NodeId, Part, Platform, Segment};

hetsim_base::metrics! {
    /// The parts of the critical path: they add up to the completion.
    pub struct PathMetrics {
        path_computing_s: f64 = "computations on the critical path, at full speed, in seconds" [less],
        path_overhead_s: f64 = "processors on it that send, receive or copy messages, in seconds" [less],
        path_latency_s: f64 = "latencies and handshakes on it, in seconds" [less],
        path_transmission_s: f64 = "bytes on their way on it, alone on their links, and gaps between messages, in seconds" [less],
        path_sharing_s: f64 =
            "time on it beyond what its messages and computations take alone, in seconds" [less],
        path_processor_s: f64 = "messages on it that wait for a processor, in seconds" [less],
        path_decision_s: f64 = "timers of the program on it, in seconds" [less],
        path_outage_s: f64 = "outages of nodes on it, in seconds" [less],
        path_most: String = "what most of it is spent on, and where" [text],
        path_most_share: f64 = "the part of the critical path that is spent on that" [neither],
    }
}

/// A row a segment of the critical path.
pub(super) const PATH: TableShape = TableShape {
    name: "path",
    about: "the critical path: what determined the completion, from the start on without a gap",
    columns: &[
        Metric::name(
            "part",
            "what the time is spent on: computing, overhead, latency, transmission, sharing, processor, decision or outage",
        ),
        Metric::number("node", "the node, or the sender of the message"),
        Metric::number("to", "the receiver of the message; blank if there is none"),
        Metric::name("message", "the program's name of the message; blank if it has none"),
        Metric::name("phase", "the program's phase: a phase, round, generation or task; blank if it has none"),
        Metric::number("start_s", "the start, in seconds"),
        Metric::number("end_s", "the end, in seconds"),
    ],
};

/// The metrics of a run's critical path.
pub(super) fn metrics(path: &CriticalPath, platform: &Platform) -> PathMetrics {
    let seconds = |part| platform.tick().seconds(path.total(part));
    let (path_most, most) = most(path, platform);
    PathMetrics {
        path_computing_s: seconds(Part::Computing),
        path_overhead_s: seconds(Part::Overhead),
        path_latency_s: seconds(Part::Latency),
        path_transmission_s: seconds(Part::Transmission),
        path_sharing_s: seconds(Part::Sharing),
        path_processor_s: seconds(Part::Processor),
        path_decision_s: seconds(Part::Decision),
        path_outage_s: seconds(Part::Outage),
        path_most,
        // Undefined where the run took no time.
        path_most_share: most.as_f64() / path.end().as_f64(),
    }
}

/// The rows of the critical path.
pub(super) fn rows(path: &CriticalPath, phases: &BTreeMap<u32, String>, platform: &Platform) -> Vec<Vec<Value>> {
    let seconds = |time: Time| Value::from(platform.tick().seconds(time));
    let node = |node: NodeId| Value::from(u64::from(node.0));
    let row = |segment: &Segment| {
        let &Segment { part, from, to, message, phase, start, end } = segment;
        let to = if from == to { Value::Blank } else { node(to) };
        let message = if message.is_empty() { Value::Blank } else { message.into() };
        let phase = phase.and_then(|phase| phases.get(&phase)).map_or(Value::Blank, |name| name.as_str().into());
        vec![part.name().into(), node(from), to, message, phase, seconds(start), seconds(end)]
    };
    path.segments().iter().map(row).collect()
}

/// What most of a path is spent on, in words, and for how long: by clusters where there are several.
fn most(path: &CriticalPath, platform: &Platform) -> (String, Time) {
    let place = |node: NodeId| if platform.clusters().len() > 1 { platform.cluster_of(node) } else { 0 };
    let mut totals: BTreeMap<(Part, usize, usize), Time> = BTreeMap::new();
    for segment in path.segments() {
        let (one, other) = (place(segment.from), place(segment.to));
        *totals.entry((segment.part, one.min(other), one.max(other))).or_default() += segment.length();
    }
    // Of equal ones the first.
    let Some((&(part, one, other), &total)) = totals.iter().rev().max_by_key(|(_, total)| **total) else {
        return ("nothing".to_owned(), Time::ZERO);
    };
    let what = match part {
        Part::Computing => "computing",
        Part::Overhead => "overhead of messages",
        Part::Latency => "latency",
        Part::Transmission => "transmission",
        Part::Sharing => "sharing with others",
        Part::Processor => "waiting for processors",
        Part::Decision => "waiting for timers",
        Part::Outage => "outages",
    };
    let name = |cluster: usize| platform.clusters()[cluster].name.as_str();
    let text = match (one == other, platform.clusters().len() > 1) {
        (true, true) => format!("{what} inside {}", name(one)),
        (false, _) => format!("{what} between {} and {}", name(one), name(other)),
        (true, false) => {
            let mut places = path.segments().iter().filter(|segment| segment.part == part);
            match places.next() {
                Some(first) if places.all(|next| (next.from, next.to) == (first.from, first.to)) => {
                    let Segment { from, to, .. } = first;
                    if from == to {
                        format!("{what} on node {from}")
                    } else {
                        format!("{what} from node {from} to {to}")
                    }
                }
                _ => what.to_owned(),
            }
        }
    };
    (text, total)
}
