//! Blocks along a k-nomial tree of all ranks, in which the ranks of a subtree follow one another.

use super::moves::{Data, Move};
use crate::tree::Tree;

/// To the root, smallest subtrees first; or from it, largest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Nomial {
    /// The base: 2 or more (less counts as 2).
    pub radix: u32,
    /// Whether blocks go to the root.
    pub up: bool,
}

impl Nomial {
    const fn tree(self, ranks: u32) -> Tree {
        Tree::KNomial { ranks, radix: self.radix }
    }

    /// What belongs to a rank and those below it.
    fn subtree(self, rank: u32, ranks: u32) -> Data {
        let radix = u64::from(self.radix.max(2));
        let (place, room) = (u64::from(rank), u64::from(ranks - rank));
        let mut length = 1;
        while length < room && (place / length).is_multiple_of(radix) {
            length *= radix;
        }
        Data::Span(rank, length.min(room) as u32)
    }

    pub(super) fn steps(self, rank: u32, ranks: u32) -> u32 {
        self.tree(ranks).children(rank).len() as u32 + u32::from(rank > 0)
    }

    pub(super) fn step(self, rank: u32, number: u32, ranks: u32) -> Move {
        let tree = self.tree(ranks);
        let children = tree.children(rank).len() as u32;
        // With the parent last on the way up, and first on the way down.
        let with_parent = rank > 0 && number == if self.up { children } else { 0 };
        if with_parent {
            let (parent, data) = (tree.parent(rank).unwrap_or(0), self.subtree(rank, ranks));
            if !self.up {
                return Move::receive(parent, data, false);
            }
            let later = tree.children(parent).skip_while(|&child| child != rank).skip(1).count();
            return Move::send(parent, data, later as u32);
        }
        let place = if self.up { children - 1 - number } else { number - u32::from(rank > 0) };
        let child = tree.children(rank).nth(place as usize).unwrap_or(rank);
        let data = self.subtree(child, ranks);
        if self.up { Move::receive(child, data, false) } else { Move::send(child, data, 0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::steps::{Fold, Pattern};

    /// Ten ranks in base 3: the root has 9, 3 and 6, 1 and 2; 3 has 4 and 5, 6 has 7 and 8.
    #[test]
    fn subtrees_follow_one_another() {
        let nomial = Nomial { radix: 3, up: false };
        let spans = [0, 1, 3, 6, 9].map(|rank| match nomial.subtree(rank, 10) {
            Data::Span(first, length) => (first, length),
            other => panic!("{other:?}"),
        });
        assert_eq!(spans, [(0, 10), (1, 1), (3, 3), (6, 3), (9, 1)]);
        assert_eq!([0, 1, 3, 6, 9].map(|rank| nomial.steps(rank, 10)), [5, 1, 3, 3, 1]);
        let first: Vec<u32> = (0..5).map(|number| nomial.step(0, number, 10).other).collect();
        assert_eq!(first, [9, 3, 6, 1, 2]);
    }

    #[test]
    fn base_two_is_the_binomial_tree() {
        for ranks in 1..40 {
            let fold = Fold::none(ranks);
            let pairs = [
                (Nomial { radix: 2, up: true }, Pattern::Up { combine: false }),
                (Nomial { radix: 2, up: false }, Pattern::Down { reach: ranks }),
            ];
            for (nomial, binomial) in pairs {
                for rank in 0..ranks {
                    assert_eq!(nomial.steps(rank, ranks), binomial.steps(rank, ranks, fold));
                    for number in 0..nomial.steps(rank, ranks) {
                        let (own, other) = (nomial.step(rank, number, ranks), binomial.step(rank, number, ranks, fold));
                        assert_eq!((own.other, own.kind), (other.other, other.kind), "{rank} of {ranks}: {number}");
                    }
                }
            }
        }
    }
}
