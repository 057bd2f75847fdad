//! Two regimes of latency among the points used: numbers of nodes that no one latency explains.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;

use super::points::{CalibrationPoints, group};
use crate::accuracy::Machine;
use crate::accuracy::calibrate::{Calibration, Key, Simulated};
use crate::fit::read::collectives::Measurement;
use crate::fit::robust::median;
use crate::statistics::quantile;

/// How far a latency moves either way.
const MOVE: f64 = 1.25;

/// The least share of its time by which a point is bound by a latency.
const BOUND: f64 = 0.5;

/// The fewest points of a number of nodes.
const FEWEST: usize = 3;

/// Three quarters of the points on some nodes ask for so many times what three quarters of those on others ask for. On
/// the machines of `docs/validation.md` an algorithm's points ask for 1.25 times as much at most.
const APART: f64 = 1.5;

/// What is alike but for the number of nodes: an operation's algorithm, and the ranks on a node.
type Alike<'a> = ((&'a str, &'a str), u32);

/// A sentence for each latency among the keys that points on different numbers of nodes ask to be different. One node
/// has no latency between nodes.
pub(super) fn regimes(
    (machine, keys): (&Machine, &[Key]),
    found: &Calibration,
    points: &CalibrationPoints<'_>,
    (seed, stop): (u64, &AtomicBool),
) -> Vec<String> {
    let several: Vec<&Measurement> = points.used.iter().copied().filter(|point| point.nodes > 1).collect();
    let is_latency = |key: &Key| key.path.rsplit('.').next() == Some("latency");
    if several.iter().all(|point| point.nodes == several[0].nodes) || !keys.iter().any(is_latency) {
        return Vec::new();
    }
    let simulated = Simulated::new(machine, keys, several.iter().copied(), seed).until(stop);
    let predicted = simulated.predict(&found.values);
    let of_key = |(number, key): (usize, &Key)| {
        let value = found.values[number];
        let moved = |ratio: f64| {
            let mut values = found.values.clone();
            values[number] = (value * ratio).clamp(key.low, key.high);
            (values[number], simulated.predict(&values))
        };
        let ((high, up), (low, down)) = (moved(MOVE), moved(1.0 / MOVE));
        let mut asked: BTreeMap<Alike<'_>, BTreeMap<u32, Vec<f64>>> = BTreeMap::new();
        for (place, point) in several.iter().enumerate() {
            let slope = (up[place] - down[place]) / (high - low);
            if slope * value >= BOUND * predicted[place] {
                // A time is a straight line of the latency where that rules it.
                let asks = (value + (point.median - predicted[place]) / slope).clamp(key.low, key.high);
                let of_nodes = asked.entry((group(point), point.ranks_per_node)).or_default();
                of_nodes.entry(point.nodes).or_default().push(asks);
            }
        }
        two_regimes(&asked).map(|sides| sentence(key, sides))
    };
    keys.iter().enumerate().filter(|(_, key)| is_latency(key)).filter_map(of_key).collect()
}

/// The two numbers of nodes whose points ask for latencies that are farthest apart, the less first, with the medians.
fn two_regimes(asked: &BTreeMap<Alike<'_>, BTreeMap<u32, Vec<f64>>>) -> Option<[(u32, f64); 2]> {
    let nodes: BTreeSet<u32> = asked.values().flat_map(|of_nodes| of_nodes.keys().copied()).collect();
    let apart = |pair: [u32; 2]| {
        // Algorithms of other nodes may be predicted worse for reasons of their own.
        let both = || asked.values().filter(|of_nodes| pair.iter().all(|nodes| of_nodes.contains_key(nodes)));
        let sides =
            pair.map(|nodes| both().flat_map(|of_nodes| of_nodes[&nodes].iter().copied()).collect::<Vec<f64>>());
        let [less, more] = &sides;
        let apart = quantile(more, 0.25)? / quantile(less, 0.75)?;
        let is_sure = apart > APART && less.len().min(more.len()) >= FEWEST;
        is_sure.then_some((apart, [(pair[0], median(less)?), (pair[1], median(more)?)]))
    };
    let pairs = nodes.iter().flat_map(|&less| nodes.iter().map(move |&more| [less, more]));
    pairs.filter_map(apart).max_by(|(a, _), (b, _)| a.total_cmp(b)).map(|(_, sides)| sides)
}

fn sentence(key: &Key, [less, more]: [(u32, f64); 2]) -> String {
    let asks = |(_, value): (u32, f64)| key.text(key.rounded(value));
    format!(
        "no one {} explains {} and {} nodes: the points that it rules ask for {} on {}, and for {} on {}; give --use one \
         of them.",
        key.name,
        less.0.min(more.0),
        less.0.max(more.0),
        asks(less),
        less.0,
        asks(more),
        more.0
    )
}
