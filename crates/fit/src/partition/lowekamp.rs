//! The rule of Lowekamp and Beguelin (IPPS 1996), with the bound as Nasri et al. (IJGUC 2008, §3.3.2) use it.
//!
//! Edges are considered by rising latency. An edge joins the subnets of its ends unless it is slower than ρ times the
//! fastest edge at either end, or ρ times the fastest edge already inside either subnet. The rule is relative, so it
//! finds clusters of different speeds side by side, which no absolute threshold can.

use super::groups::Groups;
use super::{Pair, Pairs, Partition};

pub(super) fn partition(pairs: &Pairs, bound: f64) -> Partition {
    let machines = pairs.machines();
    let mut least = vec![f64::INFINITY; machines as usize];
    for pair in pairs.all() {
        for end in [pair.a, pair.b] {
            least[end as usize] = least[end as usize].min(pair.latency);
        }
    }
    let fits = |pair: &&Pair| pair.latency <= bound * least[pair.a as usize].min(least[pair.b as usize]);
    // Most edges of a grid cannot join anything: only the others need to be sorted.
    let mut edges: Vec<&Pair> = pairs.all().iter().filter(fits).collect();
    edges.sort_unstable_by(|x, y| x.latency.total_cmp(&y.latency).then_with(|| (x.a, x.b).cmp(&(y.a, y.b))));
    let mut groups = Groups::alone(machines);
    // For a subnet's root: the first edge that joined it, which is its fastest inside.
    let mut inside = vec![f64::INFINITY; machines as usize];
    for edge in edges {
        let (a, b) = (groups.root(edge.a), groups.root(edge.b));
        let least_inside = inside[a as usize].min(inside[b as usize]);
        if a != b && edge.latency <= bound * least_inside {
            let root = groups.unite(a, b);
            inside[root as usize] = least_inside.min(edge.latency);
        }
    }
    groups.partition()
}
