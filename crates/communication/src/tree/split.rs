//! Split-binary broadcast: each half of the message goes down one side of a binary tree, and the sides swap.

use super::children::Children;
use super::evaluate::{Informed, SegmentCosts, Sender, forward};
use super::shape::Tree;
use crate::Cost;
use crate::Segments;
use hetsim_base::units::Time;

/// One half of a message, and the side of the tree that it goes down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Half {
    /// The first half, the longer one where the size is odd; it goes to the odd ranks.
    Left,
    /// The second half; it goes to the even ranks but the root.
    Right,
}

/// The plan of Open MPI's `split_bintree`: the halves are pipelined down the two sides of [`Tree::BinaryInterleaved`],
/// whose odd ranks are on the left and even ones on the right; then rank 2i − 1 and rank 2i swap their halves, each in
/// one message. Where P is even the last rank has no partner, and the root sends it the right half.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SplitBinary {
    ranks: u32,
    halves: [Segments; 2],
}

impl SplitBinary {
    /// The plan that brings `message` bytes to `ranks` ranks, each half in pieces of `segment` bytes (0: in one piece).
    #[must_use]
    pub const fn new(ranks: u32, message: u64, segment: u64) -> Self {
        let right = message / 2;
        Self { ranks, halves: [Segments::new(message - right, segment), Segments::new(right, segment)] }
    }

    /// How many ranks take part.
    #[must_use]
    pub const fn ranks(self) -> u32 {
        self.ranks
    }

    /// The bytes of the message.
    #[must_use]
    pub const fn message(self) -> u64 {
        self.halves[0].message() + self.halves[1].message()
    }

    /// Whether [`arrivals`](Self::arrivals) is all that a machine with one receiving port a rank does. Partners whose
    /// halves differ get on unevenly, and a swap may meet a segment at a receiver's port, of which it knows nothing;
    /// then it is a lower bound.
    #[must_use]
    pub const fn is_exact(self) -> bool {
        let [left, right] = self.halves;
        left.message() == right.message()
    }

    /// The tree that both halves follow; the root sends each half to one child only.
    #[must_use]
    pub const fn tree(self) -> Tree {
        Tree::BinaryInterleaved(self.ranks)
    }

    /// The segments of a half.
    #[must_use]
    pub const fn segments(self, half: Half) -> Segments {
        self.halves[half as usize]
    }

    /// The half that `rank` gets down the tree and forwards; none for the root.
    #[must_use]
    pub const fn half(rank: u32) -> Option<Half> {
        match rank {
            0 => None,
            odd if odd % 2 == 1 => Some(Half::Left),
            _ => Some(Half::Right),
        }
    }

    /// The order in which the root sends: segment by segment, left before right. Gives each send's half and segment,
    /// which goes to rank 1 (left) or rank 2 (right).
    #[must_use]
    pub fn root_sends(self) -> impl ExactSizeIterator<Item = (Half, u64)> {
        let count = |half| if self.side(half).is_some() { self.segments(half).count() as usize } else { 0 };
        (0..count(Half::Left) + count(Half::Right)).map(move |number| self.root_send(number as u64))
    }

    /// The send of this number. The left half has no fewer segments than the right one.
    pub(crate) fn root_send(self, number: u64) -> (Half, u64) {
        let right = self.side(Half::Right).map_or(0, |_| self.segments(Half::Right).count());
        match number.checked_sub(2 * right) {
            Some(more) => (Half::Left, right + more),
            None if number.is_multiple_of(2) => (Half::Left, number / 2),
            None => (Half::Right, number / 2),
        }
    }

    /// The root's child on the side of `half`, if the tree is large enough to have one.
    fn side(self, half: Half) -> Option<u32> {
        Some(half as u32 + 1).filter(|&child| child < self.ranks)
    }

    /// The rank that `rank` sends its half to in one message at the end (its partner; for the root, of the right half,
    /// the last rank where P is even).
    #[must_use]
    pub fn swaps_to(self, rank: u32) -> Option<u32> {
        let left_over = (self.ranks > 1 && self.ranks.is_multiple_of(2)).then_some(self.ranks - 1);
        match Self::half(rank) {
            None => left_over,
            Some(Half::Left) => Some(rank + 1).filter(|&partner| partner < self.ranks),
            Some(Half::Right) => Some(rank - 1).filter(|_| rank < self.ranks),
        }
    }

    /// When each rank has the whole message. A rank sends its half to its partner once it has all of it and its port
    /// has forwarded it.
    pub fn arrivals(self, cost: impl Fn(u64) -> Cost) -> Vec<Time> {
        let nothing = Informed { at: Time::ZERO, port_free: Time::ZERO };
        let mut informed = vec![nothing; self.ranks as usize];
        let tree = self.tree();
        let [left, right] = [Half::Left, Half::Right].map(|half| SegmentCosts::new(self.segments(half), &cost));
        let mut queues = [Vec::new(), Vec::new()];
        let mut port = Time::ZERO;
        for (half, segment) in self.root_sends() {
            queues[half as usize].push((port, segment));
            port += [left, right][half as usize].of(segment).gap;
        }
        for ((half, queue), costs) in [Half::Left, Half::Right].into_iter().zip(queues).zip([left, right]) {
            let children = self.side(half).map_or(Children::NONE, Children::one);
            forward(&tree, Sender::new(children, queue), costs, |rank, times| informed[rank as usize] = times);
        }
        if let Some(root) = informed.first_mut() {
            root.port_free = port;
        }
        self.swap(&informed, cost)
    }

    fn swap(self, informed: &[Informed], cost: impl Fn(u64) -> Cost) -> Vec<Time> {
        let mut arrivals: Vec<_> = informed.iter().map(|rank| rank.at).collect();
        for (rank, times) in (0..).zip(informed) {
            if let Some(partner) = self.swaps_to(rank) {
                // The root, which has no half of its own, only ever gives the right one.
                let half = Self::half(rank).unwrap_or(Half::Right);
                let arrival = times.at.max(times.port_free) + cost(self.segments(half).message()).hop;
                let partner = &mut arrivals[partner as usize];
                *partner = arrival.max(*partner);
            }
        }
        arrivals
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LINK: Cost = Cost { gap: Time(10), hop: Time(15) };

    #[test]
    fn the_last_of_an_even_number_is_served_by_the_root() {
        let plan = SplitBinary::new(4, 5, 0);
        assert_eq!([0, 1, 2, 3].map(|rank| plan.swaps_to(rank)), [Some(3), Some(2), Some(1), None]);
        assert_eq!((plan.segments(Half::Left).message(), plan.segments(Half::Right).message()), (3, 2));
        // Rank 1 has the left half at 15, rank 2 the right one at 25, rank 3 the left one at 30. Rank 1 has forwarded
        // by 25, and swaps with rank 2 until 40; the root's right half is with rank 3 at 35.
        assert_eq!(plan.arrivals(|_| LINK), [0, 40, 40, 35].map(Time));
    }

    #[test]
    fn small_groups_still_get_everything() {
        assert_eq!(SplitBinary::new(0, 8, 2).arrivals(|_| LINK), []);
        assert_eq!(SplitBinary::new(1, 8, 2).arrivals(|_| LINK), [Time(0)]);
        // Two segments to rank 1, then the other half in one message.
        assert_eq!(SplitBinary::new(2, 8, 2).arrivals(|_| LINK), [Time(0), Time(35)]);
    }

    proptest! {
        #[test]
        fn everyone_gets_both_halves(ranks in 1u32..500) {
            let plan = SplitBinary::new(ranks, 100, 7);
            let mut other_halves = vec![0; ranks as usize];
            for rank in 0..ranks {
                // The halves stay on their sides of the tree.
                if let Some(parent) = plan.tree().parent(rank).filter(|&parent| parent > 0) {
                    prop_assert_eq!(SplitBinary::half(parent), SplitBinary::half(rank));
                }
                if let Some(partner) = plan.swaps_to(rank) {
                    other_halves[partner as usize] += 1;
                    prop_assert_ne!(SplitBinary::half(partner), SplitBinary::half(rank));
                    prop_assert!(rank == 0 || plan.swaps_to(partner) == Some(rank));
                }
            }
            prop_assert!(other_halves.iter().skip(1).all(|&count| count == 1));
        }
    }
}
