//! Defaults and checks that all communication shares.

use std::cell::Cell;

use super::Levels;
use crate::KeyError;
use hetsim_base::units::{Bytes, Time, memory};
use hetsim_cluster::{NodeId, Platform};
use hetsim_communication::{Cost, Plan};

/// What a message of so many bytes costs among some nodes: what one from the first to the second does; where there are
/// levels inside clusters, what it does between the first and the one that the whole message of `size` takes longest to
/// reach.
pub(crate) fn cost_among<'p>(nodes: &[NodeId], size: u64, platform: &'p Platform) -> impl Fn(u64) -> Cost + use<'p> {
    costs(nodes, size, platform, false)
}

/// The same by which algorithms are chosen. Messages that leave a node together over shared links take as long as one
/// after the other, so there each has the time of its bytes for a gap.
pub(crate) fn cost_of_choice<'p>(
    nodes: &[NodeId],
    size: u64,
    platform: &'p Platform,
) -> impl Fn(u64) -> Cost + use<'p> {
    costs(nodes, size, platform, true)
}

fn costs<'p>(nodes: &[NodeId], size: u64, platform: &'p Platform, one_by_one: bool) -> impl Fn(u64) -> Cost + use<'p> {
    let hop = |other: NodeId| platform.transfer(nodes[0], other, size).hop();
    let dearest = || nodes[1..].iter().copied().max_by_key(|&other| hop(other));
    let other = if platform.is_nested() { dearest() } else { nodes.get(1).copied() };
    let (first, other) = (nodes[0], other.unwrap_or(nodes[0]));
    let one_by_one = one_by_one && platform.connection_of(first, other).model.is_flow();
    // Most messages of a plan are as long as the one before.
    let last: Cell<Option<(u64, Cost)>> = Cell::new(None);
    move |bytes| match last.get() {
        Some((length, cost)) if length == bytes => cost,
        _ => {
            let transfer = platform.transfer(first, other, bytes);
            let least_gap = if one_by_one { transfer.transmission } else { Time::ZERO };
            let cost = Cost { gap: transfer.gap().max(least_gap), hop: transfer.hop() };
            last.set(Some((bytes, cost)));
            cost
        }
    }
}

/// Refuses levels on which nothing is done, since one algorithm alone works among all ranks.
pub(crate) fn check_levels(levels: Levels, works_on_levels: bool) -> Result<(), KeyError> {
    KeyError::unless(
        works_on_levels || levels == Levels::default(),
        "levels",
        || "one algorithm alone works among all ranks: only two of them, with a `+` between, work on levels",
    )
}

/// The usual length of a segment.
pub(crate) const fn usual_segment() -> Bytes {
    Bytes::new(16 * 1024)
}

/// The usual base of k-nomial trees: Open MPI's.
pub(crate) const fn usual_radix() -> u32 {
    4
}

/// The usual number of chains.
pub(crate) const fn usual_fanout() -> u32 {
    1
}

/// Refuses a plan with more segments than can be numbered, or that takes too much memory, before anything is made of
/// it.
pub(crate) fn check_memory(plan: &Plan) -> Result<(), KeyError> {
    let count = plan.segments();
    let refused = |why: String| {
        let message = format!("the message is cut into {count} segments, {why}; take a longer `segment`");
        KeyError { key: "segment".to_owned(), message }
    };
    if count >= u64::from(u32::MAX) {
        return Err(refused("more than can be numbered".to_owned()));
    }
    // In one piece it takes what the platform takes anyway.
    if count == 1 {
        Ok(())
    } else {
        memory::check(plan.memory()).map_err(|error| refused(format!("which take {error}")))
    }
}

/// Whether a message costs the same at all times, whatever else is under way: nothing varies, is drawn or is shared, no
/// place under a capacity has to be waited for, and no node goes down.
pub(crate) fn is_steady(platform: &Platform) -> bool {
    platform.faults().is_empty() && platform.connections().iter().all(|link| link.model.is_closed() && !link.varies())
}
