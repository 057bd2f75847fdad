//! Broadcasts down trees as steps: each rank forwards what it receives, segment by segment.

use super::moves::{Data, Move};
use crate::tree::{Half, SplitBinary, Tree};

/// How many steps a rank has for each segment: it receives it, unless it is the root, and sends it to its children.
pub(super) fn per_segment(tree: &Tree, rank: u32) -> u32 {
    tree.children(rank).len() as u32 + u32::from(rank > 0)
}

/// A step of a rank in a broadcast down a tree.
pub(super) fn step(tree: &Tree, rank: u32, number: u32) -> Move {
    let (steps, receives) = (per_segment(tree, rank), u32::from(rank > 0));
    let (segment, number) = (number / steps, number % steps);
    let data = Data::Members(segment, 1);
    match number.checked_sub(receives).and_then(|child| tree.children(rank).nth(child as usize)) {
        Some(child) => Move::send(child, data, segment * per_segment(tree, child)),
        None => Move::receive(tree.parent(rank).unwrap_or(0), data, false),
    }
}

/// Whether a rank waits after one of its `steps`: while it sends a segment to its children, the next one comes. Sends to
/// the farthest rank first are MPICH's, which are blocking.
pub(super) fn ends(tree: &Tree, rank: u32, number: u32, steps: u32) -> bool {
    let is_root = rank == 0;
    matches!(tree, Tree::BinomialFarthestFirst(_))
        || number + 1 == steps
        || (number + u32::from(is_root)).is_multiple_of(per_segment(tree, rank))
}

/// Whether a rank waits after a step of a split broadcast: sends and receives down the tree are blocking, and what is
/// sent across goes while the other half comes (`coll_base_bcast.c`; there a receive is posted one segment ahead).
pub(super) fn split_ends(split: SplitBinary, rank: u32, number: u32) -> bool {
    number != own_steps(split, rank) || number + 1 == split_steps(split, rank)
}

/// How many steps a rank has before it sends its half to its partner.
fn own_steps(split: SplitBinary, rank: u32) -> u32 {
    match SplitBinary::half(rank) {
        None => split.root_sends().len() as u32,
        Some(half) => split.segments(half).count() as u32 * per_segment(&split.tree(), rank),
    }
}

/// How many steps a rank has in a split broadcast.
pub(super) fn split_steps(split: SplitBinary, rank: u32) -> u32 {
    own_steps(split, rank) + u32::from(split.swaps_to(rank).is_some()) + u32::from(rank > 0)
}

/// A step of a rank in a split broadcast: its own half down the tree, then the other one from its partner.
pub(super) fn split(split: SplitBinary, rank: u32, number: u32) -> Move {
    let lefts = split.segments(Half::Left).count() as u32;
    let slot = |half: Half, segment: u32| if half == Half::Left { segment } else { lefts + segment };
    let whole = |half: Half| Data::Members(slot(half, 0), split.segments(half).count() as u32);
    let own = own_steps(split, rank);
    let half = SplitBinary::half(rank);
    if number < own {
        let Some(half) = half else {
            // The root serves its sides by turns.
            let (half, segment) = split.root_send(number.into());
            let (child, segment) = (half as u32 + 1, segment as u32);
            return Move::send(
                child,
                Data::Members(slot(half, segment), 1),
                segment * per_segment(&split.tree(), child),
            );
        };
        let step = step(&split.tree(), rank, number);
        let Data::Members(segment, _) = step.data else { return step };
        return Move { data: Data::Members(slot(half, segment), 1), ..step };
    }
    let partner = split.swaps_to(rank);
    if let Some(partner) = partner.filter(|_| number == own) {
        // The other half comes last.
        return Move::send(partner, whole(half.unwrap_or(Half::Right)), split_steps(split, partner) - 1);
    }
    let other = if half == Some(Half::Left) { Half::Right } else { Half::Left };
    Move::receive(partner.unwrap_or(0), whole(other), false)
}
