//! Any number of ranks, brought to a power of two: some stand aside, each for a partner that takes part.

/// Which ranks take part, and by which numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fold {
    /// How many take part.
    pub members: u32,
    /// How many stand aside.
    pub(in crate::communication) aside: u32,
    /// Whether those that stand aside are the last ranks.
    at_end: bool,
}

impl Fold {
    /// All take part.
    #[must_use]
    pub const fn none(ranks: u32) -> Self {
        Self { members: ranks, aside: 0, at_end: true }
    }

    /// Of the first 2r ranks, r those beyond the greatest power of two, each odd one stands aside for the even one
    /// before it (Thakur, Rabenseifner, Gropp 2005, §4.5).
    #[must_use]
    pub const fn in_pairs(ranks: u32) -> Self {
        Self { at_end: false, ..Self::at_end(ranks) }
    }

    /// The first 2^k ranks take part, the greatest power of two; the rank 2^k after one of them stands aside for it.
    #[must_use]
    pub const fn at_end(ranks: u32) -> Self {
        let members = if ranks == 0 { 0 } else { 1 << ranks.ilog2() };
        Self { members, aside: ranks - members, at_end: true }
    }

    /// The rank that takes part by this number.
    pub(in crate::communication) const fn rank(self, member: u32) -> u32 {
        if self.at_end {
            member
        } else if member < self.aside {
            2 * member
        } else {
            member + self.aside
        }
    }

    /// The number by which a rank takes part.
    pub(in crate::communication) const fn member(self, rank: u32) -> Option<u32> {
        let member = if self.at_end {
            rank
        } else if rank >= 2 * self.aside {
            rank - self.aside
        } else if rank.is_multiple_of(2) {
            rank / 2
        } else {
            return None;
        };
        if member < self.members { Some(member) } else { None }
    }

    /// The rank that stands aside for this one, or for which this one stands aside.
    pub(in crate::communication) const fn partner(self, rank: u32) -> Option<u32> {
        if self.at_end {
            if rank < self.aside { Some(rank + self.members) } else { rank.checked_sub(self.members) }
        } else if rank < 2 * self.aside {
            Some(rank ^ 1)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everyone_takes_part_or_stands_aside() {
        for ranks in 1..40 {
            for fold in [Fold::none(ranks), Fold::in_pairs(ranks), Fold::at_end(ranks)] {
                let members: Vec<u32> = (0..ranks).filter_map(|rank| fold.member(rank)).collect();
                assert_eq!(members, (0..fold.members).collect::<Vec<_>>());
                for rank in 0..ranks {
                    assert_eq!(fold.member(rank).map_or(rank, |member| fold.rank(member)), rank);
                    let partner = fold.partner(rank);
                    assert!(fold.member(rank).is_some() || partner.is_some());
                    assert!(partner.is_none_or(|partner| fold.partner(partner) == Some(rank)));
                }
                assert_eq!((0..ranks).filter(|rank| fold.partner(*rank).is_some()).count() as u32, 2 * fold.aside);
            }
        }
    }
}
