//! The shapes of broadcast trees.

use super::children::Children;
use super::explicit::ExplicitTree;
use crate::rounds::bit_length;

/// A broadcast tree over ranks 0..[`len`](Self::len), rooted at rank 0.
///
/// All shapes but [`Explicit`](Self::Explicit) are a few numbers: parents and children are computed on demand, so that
/// a tree of ten million ranks takes no memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tree {
    /// The root sends to every rank in turn (a flat tree).
    Linear(u32),
    /// Every rank sends to the next one.
    Chain(u32),
    /// Chains of nearly the same length, each of neighbouring ranks, whose first ones the root sends to (Open MPI's chain
    /// with a fan-out).
    Chains {
        /// The number of ranks.
        ranks: u32,
        /// How many chains: 1 or more (0 counts as 1), as far as there are ranks.
        fanout: u32,
    },
    /// A binary tree in heap order: the children of r are 2r + 1 and 2r + 2.
    Binary(u32),
    /// A binary tree whose left side holds the odd ranks and whose right side the even ones, so that their sizes differ
    /// by one at most: the children of r on level l are r + 2^l and r + 2^(l+1). Open MPI's binary tree.
    BinaryInterleaved(u32),
    /// A binomial tree, ascending: v sends to v + 2^k for every 2^k > v, smallest k first. Open MPI's order, and that
    /// of informing as many ranks as possible in rounds.
    Binomial(u32),
    /// A binomial tree, farthest rank first: v sends to v + 2^k for every k below its lowest set bit, largest k
    /// first. MPICH's order.
    BinomialFarthestFirst(u32),
    /// The k-nomial tree of Open MPI and MPICH: in base `radix`, a rank sends to those that fill one digit below its
    /// lowest digit that is not 0, farthest rank first. Radix 2 is [`Self::BinomialFarthestFirst`].
    KNomial {
        /// The number of ranks.
        ranks: u32,
        /// The base: 2 or more (less counts as 2).
        radix: u32,
    },
    /// A tree that is listed rank by rank. Its root should be rank 0.
    Explicit(ExplicitTree),
}

/// The level of `rank` in a complete binary tree that is numbered level by level; the root is on level 0.
const fn level(rank: u32) -> u32 {
    (rank as u64 + 1).ilog2()
}

/// Whether a rank but the root is the last one of its chain.
fn is_last(rank: u32, ranks: u32, fanout: u32) -> bool {
    let others = ranks - 1;
    let chains = fanout.clamp(1, others.max(1));
    // The first chains are one longer than those after them, where the ranks can't be dealt out evenly.
    let (length, longer) = (others / chains, others % chains);
    let in_longer = longer * (length + 1);
    if rank <= in_longer { rank.is_multiple_of(length + 1) } else { (rank - in_longer).is_multiple_of(length) }
}

impl Tree {
    /// How many ranks the tree spans.
    #[must_use]
    pub fn len(&self) -> u32 {
        match *self {
            Self::Linear(ranks)
            | Self::Chain(ranks)
            | Self::Binary(ranks)
            | Self::BinaryInterleaved(ranks)
            | Self::Binomial(ranks)
            | Self::BinomialFarthestFirst(ranks)
            | Self::Chains { ranks, .. }
            | Self::KNomial { ranks, .. } => ranks,
            Self::Explicit(ref tree) => tree.len(),
        }
    }

    /// Whether the tree has no rank at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The children of `rank`, in the order it sends to them; none for a rank outside the tree.
    #[must_use]
    #[inline]
    pub fn children(&self, rank: u32) -> Children<'_> {
        if let Self::Explicit(tree) = self {
            return tree.children(rank);
        }
        let ranks = self.len();
        if rank >= ranks {
            return Children::NONE;
        }
        // The offsets of children that still fall inside the tree are at most this.
        let room = ranks - 1 - rank;
        let wide = u64::from(rank);
        match *self {
            Self::Linear(_) if rank == 0 => Children::spaced(1, 1, room, ranks),
            Self::Chains { fanout, .. } if rank == 0 => Children::heads(room, fanout),
            Self::Chains { fanout, .. } if is_last(rank, ranks, fanout) => Children::NONE,
            Self::Chain(_) | Self::Chains { .. } => Children::spaced(wide + 1, 1, 1, ranks),
            Self::Binary(_) => Children::spaced(2 * wide + 1, 1, 2, ranks),
            Self::BinaryInterleaved(_) => {
                let step = 1 << level(rank);
                Children::spaced(wide + step, step, 2, ranks)
            }
            Self::Binomial(_) => Children::doubling(rank, bit_length(rank)..bit_length(room)),
            Self::BinomialFarthestFirst(_) => Children::halving(rank, 0..bit_length(room).min(rank.trailing_zeros())),
            Self::KNomial { radix, .. } => Children::digits(rank, ranks, radix.max(2)),
            Self::Linear(_) | Self::Explicit(_) => Children::NONE,
        }
    }

    /// The rank that `rank` receives from; none for the root and for ranks outside the tree.
    #[must_use]
    #[inline]
    pub fn parent(&self, rank: u32) -> Option<u32> {
        if let Self::Explicit(tree) = self {
            return tree.parent(rank);
        }
        if rank == 0 || rank >= self.len() {
            return None;
        }
        Some(match *self {
            Self::Linear(_) | Self::Explicit(_) => 0,
            Self::Chain(_) => rank - 1,
            Self::Chains { ranks, fanout } => {
                if rank == 1 || is_last(rank - 1, ranks, fanout) {
                    0
                } else {
                    rank - 1
                }
            }
            Self::Binary(_) => (rank - 1) / 2,
            Self::BinaryInterleaved(_) => {
                let above = 1 << (level(rank) - 1);
                let left = rank - above;
                // A left child's parent lies on the level above; a right child is one step further away.
                if level(left) < level(rank) { left } else { left - above }
            }
            Self::Binomial(_) => rank & !(1 << rank.ilog2()),
            Self::BinomialFarthestFirst(_) => rank & (rank - 1),
            Self::KNomial { radix, .. } => {
                let radix = u64::from(radix.max(2));
                let mut step = radix;
                while u64::from(rank).is_multiple_of(step) {
                    step *= radix;
                }
                rank - (u64::from(rank) % step) as u32
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn children(tree: &Tree, rank: u32) -> Vec<u32> {
        tree.children(rank).collect()
    }

    fn shapes(ranks: u32, radix: u32) -> Vec<Tree> {
        vec![
            Tree::Linear(ranks),
            Tree::Chain(ranks),
            Tree::Chains { ranks, fanout: radix },
            Tree::Binary(ranks),
            Tree::BinaryInterleaved(ranks),
            Tree::Binomial(ranks),
            Tree::BinomialFarthestFirst(ranks),
            Tree::KNomial { ranks, radix },
        ]
    }

    /// Drawn in the comments of Open MPI's topology code (`coll_base_topo.c`): binary 7, bmtree 8, k-nomial 10.
    #[test]
    fn shapes_are_those_of_open_mpi() {
        let tree = Tree::BinaryInterleaved(7);
        assert_eq!([0, 1, 2].map(|rank| children(&tree, rank)), [[1, 2], [3, 5], [4, 6]]);
        let tree = Tree::Chains { ranks: 9, fanout: 3 };
        assert_eq!([0, 1, 3, 4].map(|rank| children(&tree, rank)), [vec![1, 4, 7], vec![2], vec![], vec![5]]);
        let tree = Tree::KNomial { ranks: 10, radix: 3 };
        assert_eq!(children(&tree, 0), [9, 3, 6, 1, 2]);
        assert_eq!([3, 6].map(|rank| children(&tree, rank)), [[4, 5], [7, 8]]);
        let tree = Tree::KNomial { ranks: 10, radix: 4 };
        assert_eq!(children(&tree, 0), [4, 8, 1, 2, 3]);
        assert_eq!(children(&tree, 4), [5, 6, 7]);
        assert_eq!(children(&tree, 8), [9]);
    }

    #[test]
    fn binomial_orders_differ() {
        assert_eq!(children(&Tree::Binomial(8), 0), [1, 2, 4]);
        assert_eq!(children(&Tree::Binomial(8), 1), [3, 5]);
        assert_eq!(children(&Tree::BinomialFarthestFirst(8), 0), [4, 2, 1]);
        assert_eq!(children(&Tree::BinomialFarthestFirst(8), 4), [6, 5]);
    }

    #[test]
    fn shapes_end_where_numbers_do() {
        for tree in shapes(u32::MAX, 7) {
            for rank in [0, 1, u32::MAX / 2, u32::MAX - 2, u32::MAX - 1, u32::MAX] {
                assert!(children_agree(&tree, rank, 40), "{tree:?} {rank}");
            }
            assert_eq!(tree.children(u32::MAX).len(), 0);
            assert_eq!(tree.parent(u32::MAX), None);
        }
        for tree in shapes(0, 2).into_iter().chain(shapes(1, 2)) {
            assert_eq!((tree.children(0).len(), tree.parent(0)), (0, None));
        }
    }

    /// The first `limit` children of `rank` name it as their parent, and its own parent lists it.
    fn children_agree(tree: &Tree, rank: u32, limit: usize) -> bool {
        tree.children(rank).take(limit).all(|child| child < tree.len() && tree.parent(child) == Some(rank))
    }

    proptest! {
        #[test]
        fn every_shape_spans_every_rank_once(ranks in 1u32..2000, radix in 2u32..9) {
            for tree in shapes(ranks, radix) {
                let mut informed = vec![false; ranks as usize];
                let mut queue = vec![0];
                while let Some(rank) = queue.pop() {
                    prop_assert!(!std::mem::replace(&mut informed[rank as usize], true), "{:?} twice {}", tree, rank);
                    let children = tree.children(rank);
                    prop_assert_eq!(children.len(), children.clone().count());
                    prop_assert!(children_agree(&tree, rank, usize::MAX));
                    queue.extend(children);
                }
                prop_assert!(informed.into_iter().all(|rank| rank), "{:?} leaves a rank out", tree);
            }
        }

        #[test]
        fn radix_two_is_the_binomial_tree(ranks in 1u32..2000) {
            for rank in 0..ranks {
                let tree = Tree::KNomial { ranks, radix: 2 };
                prop_assert!(tree.children(rank).eq(Tree::BinomialFarthestFirst(ranks).children(rank)));
            }
        }
    }
}
