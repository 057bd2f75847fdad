//! Reductions up a tree, segment by segment, as Open MPI does them (`coll_base_reduce.c`, the generic reduction).
//!
//! A rank with children obtains a buffer for what it combines, unless it is the root, and up to two for what comes. It
//! awaits its children two at a time, combines, and sends a segment on while the next one may come.

use super::moves::{Data, LocalWork, Move, MoveKind, Piece, back, on};
use crate::segments::Segments;
use crate::tree::Tree;

/// Who combines for whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Combining {
    /// Up a tree, to its root.
    Tree(Tree),
    /// Up Open MPI's in-order binary tree, to the rank with the last number: a rank's two subtrees and itself are
    /// neighbouring ranges of numbers, so that an operation need not be commutative.
    InOrder {
        /// How many ranks there are.
        ranks: u32,
        /// The number of the root, from which ranks are counted.
        root: u32,
    },
}

/// The parent and the children of a rank in the in-order binary tree (`coll_base_topo.c`): the last rank of a range is
/// its root, over the second half of the rest and the first.
fn in_order(rank: u32, ranks: u32) -> (Option<u32>, [Option<u32>; 2]) {
    let (mut parent, mut first, mut count) = (None, 0, ranks);
    loop {
        let root = first + count - 1;
        let right = if count > 2 { count / 2 } else { 0 };
        if rank == root {
            return (parent, [(count > 1).then(|| root - 1), (right > 0).then(|| first + right - 1)]);
        }
        parent = Some(root);
        (first, count) = if rank < first + right { (first, right) } else { (first + right, count - right - 1) };
    }
}

/// The same where ranks are counted from a root.
fn in_order_from(root: u32, rank: u32, ranks: u32) -> (Option<u32>, [Option<u32>; 2]) {
    let counted = |number: u32| back(number, root, ranks);
    let (parent, children) = in_order(on(rank, root, ranks), ranks);
    (parent.map(counted), children.map(|child| child.map(counted)))
}

impl Combining {
    fn parent(&self, rank: u32) -> Option<u32> {
        match self {
            Self::Tree(tree) => tree.parent(rank),
            Self::InOrder { ranks, root } => in_order_from(*root, rank, *ranks).0,
        }
    }

    fn children(&self, rank: u32) -> u32 {
        match self {
            Self::Tree(tree) => tree.children(rank).len() as u32,
            Self::InOrder { ranks, root } => in_order_from(*root, rank, *ranks).1.into_iter().flatten().count() as u32,
        }
    }

    fn child(&self, rank: u32, number: u32) -> Option<u32> {
        match self {
            Self::Tree(tree) => tree.children(rank).nth(number as usize),
            Self::InOrder { ranks, root } => {
                in_order_from(*root, rank, *ranks).1.get(number as usize).copied().flatten()
            }
        }
    }

    /// How many buffers a rank obtains.
    fn buffers(&self, rank: u32) -> u32 {
        let children = self.children(rank);
        if children == 0 { 0 } else { u32::from(self.parent(rank).is_some()) + (children - 1).min(2) }
    }

    /// How many steps a rank has for each segment.
    fn per_segment(&self, rank: u32) -> u32 {
        self.children(rank) + u32::from(self.parent(rank).is_some())
    }

    /// How many steps a rank has.
    pub(super) fn steps(&self, rank: u32, segments: Segments) -> u32 {
        let all = (segments.count() as u32).saturating_mul(self.per_segment(rank));
        all.saturating_add(self.buffers(rank))
    }

    /// A step by its number, which is below the rank's [steps](Self::steps).
    pub(super) fn step(&self, rank: u32, number: u32, segments: Segments) -> Move {
        let (buffers, parent) = (self.buffers(rank), self.parent(rank));
        let Some(number) = number.checked_sub(buffers) else {
            // The first one is for all segments.
            let length = if number == 0 && parent.is_some() { u64::MAX } else { segments.full() };
            let piece = Piece::Of { start: 0, length, last: true };
            return Move { other: rank, data: Data::All, kind: MoveKind::Local(LocalWork::Allocate), piece };
        };
        let steps = self.per_segment(rank);
        let (segment, number) = (number / steps, number % steps);
        let data = Data::Members(segment, 1);
        if let Some(child) = self.child(rank, number).filter(|_| number < self.children(rank)) {
            return Move::receive(child, data, true);
        }
        let parent = parent.unwrap_or(0);
        let place = (0..self.children(parent)).find(|&place| self.child(parent, place) == Some(rank)).unwrap_or(0);
        Move::send(parent, data, self.buffers(parent) + segment * self.per_segment(parent) + place)
    }

    /// Whether a rank waits after a step.
    pub(super) fn ends(&self, rank: u32, number: u32, segments: Segments) -> bool {
        let Some(number) = number.checked_sub(self.buffers(rank)) else { return true };
        let (steps, children) = (self.per_segment(rank), self.children(rank));
        let (segment, number) = (number / steps, number % steps);
        if number < children {
            number % 2 == 1 || number + 1 == children
        } else {
            children == 0 || u64::from(segment) + 1 == segments.count()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Drawn by hand from the rule in `coll_base_topo.c`.
    #[test]
    fn the_in_order_tree() {
        assert_eq!(in_order(6, 7), (None, [Some(5), Some(2)]));
        assert_eq!(in_order(2, 7), (Some(6), [Some(1), Some(0)]));
        assert_eq!(in_order(5, 7), (Some(6), [Some(4), Some(3)]));
        assert_eq!(in_order(0, 2), (Some(1), [None, None]));
    }
}
