//! Any number of ranks, brought to a power of two: some stand aside, each for a partner that takes part.

use super::bine::Numbering;

/// Which ranks take part, and by which numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fold {
    /// How many take part.
    pub members: u32,
    /// How many stand aside.
    pub(in crate::communication) aside: u32,
    /// Which of them do.
    which: Aside,
    /// How those that take part are numbered.
    numbering: Numbering,
}

/// Which ranks stand aside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Aside {
    /// The last ones.
    Last,
    /// Of the first pairs, the odd one.
    Odd,
    /// Of the first pairs, the even one.
    Even,
}

impl Fold {
    /// All take part.
    #[must_use]
    pub const fn none(ranks: u32) -> Self {
        Self { members: ranks, aside: 0, which: Aside::Last, numbering: Numbering::Natural }
    }

    /// Of the first 2r ranks, r those beyond the greatest power of two, each odd one stands aside for the even one
    /// before it (Thakur, Rabenseifner, Gropp 2005, §4.5): so rank 0, the usual root, takes part.
    #[must_use]
    pub const fn in_pairs(ranks: u32) -> Self {
        Self { which: Aside::Odd, ..Self::at_end(ranks) }
    }

    /// The same where each even rank stands aside for the odd one after it, as MPICH and Open MPI do where no rank is a
    /// root (`allreduce_intra_recursive_doubling.c`, `coll_base_allreduce.c`).
    #[must_use]
    pub const fn into_odd(ranks: u32) -> Self {
        Self { which: Aside::Even, ..Self::at_end(ranks) }
    }

    /// The first 2^k ranks take part, the greatest power of two; the rank 2^k after one of them stands aside for it.
    #[must_use]
    pub const fn at_end(ranks: u32) -> Self {
        let members = if ranks == 0 { 0 } else { 1 << ranks.ilog2() };
        Self { members, aside: ranks - members, which: Aside::Last, numbering: Numbering::Natural }
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
        match self.which {
            Aside::Last => place,
            _ if place >= self.aside => place + self.aside,
            Aside::Odd => 2 * place,
            Aside::Even => 2 * place + 1,
        }
    }

    /// The first of the ranks that take part by this number: the one itself and, of a pair, its partner.
    pub(super) const fn start(self, member: u32) -> u32 {
        let rank = self.rank(member);
        if matches!(self.which, Aside::Even) && rank < 2 * self.aside { rank - 1 } else { rank }
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
        let place = match self.which {
            Aside::Last => rank,
            _ if rank >= 2 * self.aside => rank - self.aside,
            Aside::Odd if rank.is_multiple_of(2) => rank / 2,
            Aside::Even if !rank.is_multiple_of(2) => rank / 2,
            Aside::Odd | Aside::Even => return None,
        };
        if place < self.members { Some(place) } else { None }
    }

    /// The rank that stands aside for this one, or for which this one stands aside.
    pub(in crate::communication) const fn partner(self, rank: u32) -> Option<u32> {
        if matches!(self.which, Aside::Last) {
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
            let folds = [Fold::none(ranks), Fold::in_pairs(ranks), Fold::into_odd(ranks), Fold::at_end(ranks)];
            for fold in folds.into_iter().chain(bine) {
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
