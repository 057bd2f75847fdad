//! The spanning tree of least costs (Prim), with each node's children in the best order.

use std::cmp::Reverse;

use super::{Grid, HeuristicMethod, IntraclusterStart, Schedule, Time, fef};
use crate::tree::ExplicitTree;

pub(super) struct Mst;

impl HeuristicMethod for Mst {
    /// Prim's algorithm from the root is fastest edge first. What it leaves open is the order of a node's children: by
    /// decreasing time that the child's subtree still takes when its sender's port is free again (the largest tail
    /// first, which is optimal for a single machine).
    fn schedule(&self, grid: &Grid, inside: IntraclusterStart) -> Schedule {
        let grown = fef::Fef.schedule(grid, inside);
        let tails = tails(grid, inside, &grown);
        // Every parent stands in the list before its children, so parents keep their turns.
        let turn = |node: u32| grown.sends().iter().position(|&(_, to)| to == node);
        let mut sends = grown.sends().to_vec();
        sends.sort_by_cached_key(|&(from, to)| (turn(from), Reverse(tails[to as usize])));
        #[expect(clippy::expect_used, reason = "the same sends as in a schedule, those of parents still first")]
        Schedule::new(grid.size(), grid.root(), sends).expect("a reordered schedule")
    }
}

/// For each node but the root: how long after its sender's port is free its subtree is complete.
fn tails(grid: &Grid, inside: IntraclusterStart, schedule: &Schedule) -> Vec<Time> {
    let mut tails = vec![Time::ZERO; grid.size() as usize];
    // A node's own sends come after the send that informs it.
    for &(from, to) in schedule.sends().iter().rev() {
        tails[to as usize] = grid.latency(from, to) + subtree(grid, inside, schedule.tree(), &tails, to);
    }
    tails
}

/// How long after `node` is informed its subtree is complete, when its children, whose tails are known, come in the
/// best order.
fn subtree(grid: &Grid, inside: IntraclusterStart, tree: &ExplicitTree, tails: &[Time], node: u32) -> Time {
    let mut children: Vec<_> = tree.children(node).collect();
    children.sort_by_key(|&child| Reverse(tails[child as usize]));
    let mut port = Time::ZERO;
    let mut last = Time::ZERO;
    for child in children {
        port += grid.gap(node, child);
        last = last.max(port + tails[child as usize]);
    }
    let start = match inside {
        IntraclusterStart::AfterSends => port,
        IntraclusterStart::Overlapped => Time::ZERO,
    };
    last.max(start + grid.inside(node))
}
