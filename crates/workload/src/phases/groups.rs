//! Which ranks take part in an exchange together.

use std::collections::BTreeMap;

use crate::KeyError;
use crate::communication::{after_root, rank_after};
use hetsim_text::suggest;

/// Which ranks take part in an exchange together, and how they are counted in its plan.
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
        let count = match self {
            Self::All { ranks, .. } => *ranks,
            Self::Apart { members, .. } => members[group].len() as u32,
        };
        (0..count).map(move |place| self.rank(group, place))
    }
}

/// The lists of ranks that a name stands for: the rows or the columns of the grid, or those of `groups`.
///
/// # Errors
/// The key `among`, where the name stands for nothing.
pub(super) fn named_groups(
    name: &str,
    grid: &[u32],
    groups: &BTreeMap<String, Vec<Vec<u32>>>,
    ranks: u32,
) -> Result<Vec<Vec<u32>>, KeyError> {
    if let Some(lists) = groups.get(name) {
        return Ok(lists.clone());
    }
    match (name, grid) {
        ("rows" | "columns", &[rows, columns]) if u64::from(rows) * u64::from(columns) != u64::from(ranks) => {
            let message = format!("a `grid` of {rows} × {columns} is not one of {ranks} ranks");
            Err(KeyError::new("among", message))
        }
        ("rows", &[rows, columns]) => {
            Ok((0..rows).map(|row| (0..columns).map(|column| row * columns + column).collect()).collect())
        }
        ("columns", &[rows, columns]) => {
            Ok((0..columns).map(|column| (0..rows).map(|row| row * columns + column).collect()).collect())
        }
        ("rows" | "columns", _) => {
            Err(KeyError::new("among", format!("`{name}` are those of a `grid` of two dimensions, such as [4, 8]")))
        }
        _ => {
            let known: Vec<&str> = ["rows", "columns"].into_iter().chain(groups.keys().map(String::as_str)).collect();
            Err(KeyError::new("among", format!("there are no groups `{name}`: {}", suggest(name, &known))))
        }
    }
}
