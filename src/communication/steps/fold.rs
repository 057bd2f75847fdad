//! Any number of ranks, brought to a power of two: some stand aside, each for a partner that takes part.

use super::bine::Numbering;

/// Which ranks take part, and by which numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fold {
    /// How many take part.
    pub members: u32,
    /// How many stand aside.
    pub(in crate::communication) aside: u32,
    /// Whether those that stand aside are the last ranks.
    at_end: bool,
    /// How those that take part are numbered.
    numbering: Numbering,
}

impl Fold {
    /// All take part.
    #[must_use]
    pub const fn none(ranks: u32) -> Self {
        Self { members: ranks, aside: 0, at_end: true, numbering: Numbering::Natural }
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
        Self { members, aside: ranks - members, at_end: true, numbering: Numbering::Natural }
    }

    /// The same with those that take part, a power of two, numbered in another way.
    pub(in crate::communication) const fn numbered(self, numbering: Numbering) -> Self {
        Self { numbering, ..self }
    }

    /// How those that take part are numbered.
    pub(super) const fn numbering(self) -> Numbering {
        self.numbering
    }

    /// The rank that takes part by this number.
    pub(in crate::communication) const fn rank(self, member: u32) -> u32 {
        self.at_place(self.numbering.rank(member, self.members))
    }

    /// The rank in this place among those that take part.
    const fn at_place(self, place: u32) -> u32 {
        if self.at_end {
            place
        } else if place < self.aside {
            2 * place
        } else {
            place + self.aside
        }
    }

    /// The rank with which a member exchanges what differs in a bit of their numbers, which is `mask`.
    pub(super) const fn across(self, member: u32, mask: u32) -> u32 {
        let place = self.numbering.rank(member, self.members);
        self.at_place(self.numbering.partner(place, mask, self.members))
    }

    /// The number by which a rank takes part.
    pub(in crate::communication) const fn member(self, rank: u32) -> Option<u32> {
        match self.place(rank) {
            Some(place) => Some(self.numbering.number(place, self.members)),
            None => None,
        }
    }

    /// The place of a rank among those that take part.
    pub(super) const fn place(self, rank: u32) -> Option<u32> {
        let place = if self.at_end {
            rank
        } else if rank >= 2 * self.aside {
            rank - self.aside
        } else if rank.is_multiple_of(2) {
            rank / 2
        } else {
            return None;
        };
        if place < self.members { Some(place) } else { None }
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
            let bine = [Numbering::BineDoubling, Numbering::BineHalving].map(|how| Fold::in_pairs(ranks).numbered(how));
            for fold in [Fold::none(ranks), Fold::in_pairs(ranks), Fold::at_end(ranks), bine[0], bine[1]] {
                let mut members: Vec<u32> = (0..ranks).filter_map(|rank| fold.member(rank)).collect();
                members.sort_unstable();
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
