//! Trees that are listed rank by rank.

use super::children::Children;

/// A tree given by its sends, for shapes that follow from costs rather than from rank numbers. 12 bytes a rank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExplicitTree {
    root: u32,
    /// Who each rank receives from; the root's own entry is itself.
    parents: Vec<u32>,
    /// Where each rank's children start in `children`, and, one further, where they end.
    starts: Vec<u32>,
    children: Vec<u32>,
}

/// Why a list of sends is not a broadcast.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TreeError {
    /// A send names a rank that does not exist.
    #[error("rank {0} does not exist")]
    NoSuchRank(u32),
    /// The rank is sent the message although it has it already.
    #[error("rank {0} is sent what it already has")]
    InformedTwice(u32),
    /// The rank is never reached from the root.
    #[error("rank {0} never gets the message")]
    NotInformed(u32),
    /// The rank sends before it has the message.
    #[error("rank {0} sends before it has the message")]
    SendsTooEarly(u32),
}

impl ExplicitTree {
    /// The tree in which every `(sender, receiver)` of `sends` is an edge; a sender's children keep the order of
    /// `sends`, which must be one that a broadcast can happen in.
    ///
    /// # Errors
    /// A [`TreeError`] where `sends` does not inform each of `ranks` ranks exactly once, by one that is informed.
    pub fn new(ranks: u32, root: u32, sends: &[(u32, u32)]) -> Result<Self, TreeError> {
        const NOBODY: u32 = u32::MAX;
        let mut parents = vec![NOBODY; ranks as usize];
        let mut starts = vec![0; ranks as usize + 1];
        *parents.get_mut(root as usize).ok_or(TreeError::NoSuchRank(root))? = root;
        for &(sender, receiver) in sends {
            if *parents.get(sender as usize).ok_or(TreeError::NoSuchRank(sender))? == NOBODY {
                return Err(TreeError::SendsTooEarly(sender));
            }
            let parent = parents.get_mut(receiver as usize).ok_or(TreeError::NoSuchRank(receiver))?;
            if *parent != NOBODY {
                return Err(TreeError::InformedTwice(receiver));
            }
            *parent = sender;
            starts[sender as usize + 1] += 1;
        }
        if let Some(rank) = parents.iter().position(|&parent| parent == NOBODY) {
            return Err(TreeError::NotInformed(rank as u32));
        }
        Ok(Self { root, parents, children: group(sends, &mut starts), starts })
    }

    /// How many ranks the tree spans.
    #[must_use]
    pub fn len(&self) -> u32 {
        self.parents.len() as u32
    }

    /// Never true: a tree has a root.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parents.is_empty()
    }

    /// The rank that has the message from the beginning.
    #[must_use]
    pub fn root(&self) -> u32 {
        self.root
    }

    /// The children of `rank`, in the order it sends to them; none for a rank outside the tree.
    #[must_use]
    pub fn children(&self, rank: u32) -> Children<'_> {
        let bounds = self.starts.get(rank as usize).zip(self.starts.get(rank as usize + 1));
        bounds.map_or(Children::NONE, |(&start, &end)| Children::listed(&self.children[start as usize..end as usize]))
    }

    /// The rank that `rank` receives from; none for the root and for ranks outside the tree.
    #[must_use]
    pub fn parent(&self, rank: u32) -> Option<u32> {
        self.parents.get(rank as usize).copied().filter(|_| rank != self.root)
    }

    /// The same with ranks counted from the root in a circle, so that the root is rank 0.
    #[must_use]
    pub fn counted_from_root(&self) -> Self {
        let count = self.len();
        let from_root = |rank: u32| (rank + (count - self.root)) % count;
        let ranks = || (self.root..count).chain(0..self.root);
        let mut starts = vec![0];
        let mut children = Vec::with_capacity(self.children.len());
        for rank in ranks() {
            children.extend(self.children(rank).map(from_root));
            starts.push(children.len() as u32);
        }
        let parents = ranks().map(|rank| from_root(self.parents[rank as usize])).collect();
        Self { root: 0, parents, starts, children }
    }
}

/// The receivers of `sends` grouped by sender. `starts` holds each sender's count one place further, and becomes the
/// place where its group starts.
fn group(sends: &[(u32, u32)], starts: &mut [u32]) -> Vec<u32> {
    let mut total = 0;
    for start in &mut *starts {
        total += *start;
        *start = total;
    }
    let mut next = starts.to_vec();
    let mut children = vec![0; sends.len()];
    for &(sender, receiver) in sends {
        let place = &mut next[sender as usize];
        children[*place as usize] = receiver;
        *place += 1;
    }
    children
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_keep_the_order_of_sends() {
        let tree = ExplicitTree::new(5, 2, &[(2, 4), (4, 0), (2, 1), (4, 3)]).unwrap();
        assert_eq!(tree.children(2).collect::<Vec<_>>(), [4, 1]);
        assert_eq!(tree.children(4).collect::<Vec<_>>(), [0, 3]);
        assert_eq!(tree.children(9).count(), 0);
        assert_eq!(Ok(tree.counted_from_root()), ExplicitTree::new(5, 0, &[(0, 2), (2, 3), (0, 4), (2, 1)]));
        assert_eq!([2, 4, 3, 9].map(|rank| tree.parent(rank)), [None, Some(2), Some(4), None]);
    }

    #[test]
    fn what_is_not_a_broadcast_is_refused() {
        assert_eq!(ExplicitTree::new(2, 0, &[(0, 2)]), Err(TreeError::NoSuchRank(2)));
        assert_eq!(ExplicitTree::new(2, 2, &[]), Err(TreeError::NoSuchRank(2)));
        assert_eq!(ExplicitTree::new(3, 0, &[(0, 1), (0, 1)]), Err(TreeError::InformedTwice(1)));
        assert_eq!(ExplicitTree::new(3, 0, &[(0, 0)]), Err(TreeError::InformedTwice(0)));
        assert_eq!(ExplicitTree::new(3, 0, &[(0, 1)]), Err(TreeError::NotInformed(2)));
        assert_eq!(ExplicitTree::new(3, 0, &[(1, 2), (0, 1)]), Err(TreeError::SendsTooEarly(1)));
    }
}
