//! Which ranks take part in a collective operation together.

use super::placement::{after_root, rank_after};

/// Which ranks take part in a collective operation together, and how they are counted in its plan.
#[derive(Debug, Clone, PartialEq)]
pub enum RankGroups {
    /// All of them, from a root on in a circle.
    All {
        /// The number of ranks.
        ranks: u32,
        /// The root.
        root: u32,
    },
    /// Those of each group among themselves, all groups at once. A rank of none passes by.
    Apart {
        /// By rank: its group, and its place there, counted from the group's root.
        seats: Vec<Option<(u32, u32)>>,
        /// By group: its ranks by their places.
        members: Vec<Vec<u32>>,
    },
}

impl RankGroups {
    /// Groups of these ranks, in each of which the rank at `root` comes first.
    ///
    /// # Errors
    /// A sentence, where there is no such rank, one stands in two groups, or a group has no such root.
    pub fn apart(lists: &[Vec<u32>], root: u32, ranks: u32) -> Result<Self, String> {
        let mut seats = vec![None; ranks as usize];
        let mut members = Vec::with_capacity(lists.len());
        for (group, list) in (0..).zip(lists) {
            if root as usize >= list.len() {
                return Err(format!("group {group} has {} ranks: there is no root {root} in it", list.len()));
            }
            let mut list = list.clone();
            list.rotate_left(root as usize);
            for (place, &rank) in (0..).zip(&list) {
                match seats.get_mut(rank as usize) {
                    None => return Err(format!("there is no rank {rank}: the ranks are 0 to {}", ranks - 1)),
                    Some(Some(_)) => return Err(format!("rank {rank} stands in two groups, or twice in one")),
                    Some(seat) => *seat = Some((group, place)),
                }
            }
            members.push(list);
        }
        Ok(Self::Apart { seats, members })
    }

    /// The number of groups.
    #[must_use]
    pub fn count(&self) -> usize {
        match self {
            Self::All { .. } => 1,
            Self::Apart { members, .. } => members.len(),
        }
    }

    /// The group of a rank, and its place there; nothing if it is in none.
    #[must_use]
    #[inline]
    pub fn seat(&self, rank: u32) -> Option<(usize, u32)> {
        match self {
            Self::All { ranks, root } => Some((0, after_root(*root, rank, *ranks))),
            Self::Apart { seats, .. } => seats[rank as usize].map(|(group, place)| (group as usize, place)),
        }
    }

    /// The rank at a place of a group.
    #[must_use]
    #[inline]
    pub fn rank(&self, group: usize, place: u32) -> u32 {
        match self {
            Self::All { ranks, root } => rank_after(*root, place, *ranks),
            Self::Apart { members, .. } => members[group][place as usize],
        }
    }

    /// The ranks of a group by their places.
    pub fn members(&self, group: usize) -> impl Iterator<Item = u32> + '_ {
        (0..self.size(group)).map(move |place| self.rank(group, place))
    }

    /// How many ranks a group has.
    #[must_use]
    #[inline]
    pub fn size(&self, group: usize) -> u32 {
        match self {
            Self::All { ranks, .. } => *ranks,
            Self::Apart { members, .. } => members[group].len() as u32,
        }
    }
}
