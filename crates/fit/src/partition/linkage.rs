//! Single and complete linkage with an absolute threshold, for comparison with the relative rule.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;

use super::groups::Groups;
use super::{Pairs, Partition};

/// Machines that a chain of edges up to `threshold` connects form a cluster.
pub(super) fn single(pairs: &Pairs, threshold: f64) -> Partition {
    let mut groups = Groups::alone(pairs.machines());
    for pair in pairs.all().iter().filter(|pair| pair.latency <= threshold) {
        let (a, b) = (groups.root(pair.a), groups.root(pair.b));
        groups.unite(a, b);
    }
    groups.partition()
}

/// A finite latency, ordered as a number.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Length(f64);

impl Eq for Length {}

impl PartialOrd for Length {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Length {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// Repeatedly joins the two clusters with the smallest maximum edge between them, while it does not exceed `threshold`.
/// Two clusters with an unmeasured pair between them are not joined.
///
/// A lazy heap: an entry is stale once one of its clusters has grown. O(e log e) for e pairs below the threshold, since
/// each join touches the neighbours of the two clusters only.
pub(super) fn complete(pairs: &Pairs, threshold: f64) -> Partition {
    let machines = pairs.machines() as usize;
    // For each neighbour: the maximum latency, and the number of measured pairs.
    let mut neighbours: Vec<FxHashMap<u32, (f64, u64)>> = vec![FxHashMap::default(); machines];
    let mut heap = BinaryHeap::new();
    for pair in pairs.all().iter().filter(|pair| pair.latency <= threshold) {
        neighbours[pair.a as usize].insert(pair.b, (pair.latency, 1));
        neighbours[pair.b as usize].insert(pair.a, (pair.latency, 1));
        heap.push(Reverse((Length(pair.latency), pair.a, pair.b)));
    }
    let mut groups = Groups::alone(pairs.machines());
    let mut size = vec![1u64; machines];
    while let Some(Reverse((Length(length), a, b))) = heap.pop() {
        let current = neighbours[a as usize].get(&b).copied();
        if current != Some((length, size[a as usize] * size[b as usize])) {
            continue;
        }
        let kept = groups.unite(a, b);
        let gone = if kept == a { b } else { a };
        size[kept as usize] += size[gone as usize];
        let mut moved: Vec<_> = std::mem::take(&mut neighbours[gone as usize]).into_iter().collect();
        // The order of a hash map differs from that of the machines, and the heap decides ties.
        moved.sort_unstable_by_key(|(other, _)| *other);
        neighbours[kept as usize].remove(&gone);
        for (other, (further, seen)) in moved.into_iter().filter(|(other, _)| *other != kept) {
            neighbours[other as usize].remove(&gone);
            let entry = neighbours[kept as usize].entry(other).or_insert((0.0, 0));
            *entry = (entry.0.max(further), entry.1 + seen);
        }
        // A neighbour with an unmeasured pair can never be joined.
        let own = size[kept as usize];
        let (mut joinable, mut lost) = (Vec::new(), Vec::new());
        neighbours[kept as usize].retain(|&other, &mut (length, seen)| {
            let all = seen == own * size[other as usize];
            if all {
                joinable.push((other, length, seen));
            } else {
                lost.push(other);
            }
            all
        });
        for other in lost {
            neighbours[other as usize].remove(&kept);
        }
        for (other, length, seen) in joinable {
            neighbours[other as usize].insert(kept, (length, seen));
            heap.push(Reverse((Length(length), kept.min(other), kept.max(other))));
        }
    }
    groups.partition()
}
