//! Any number of ranks, brought to a power of two: some stand aside, each for a partner that takes part.

use super::bine::Numbering;
use super::moves::{back, on};

/// Which ranks take part, and by which numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fold {
    /// How many take part.
    pub members: u32,
    /// How many stand aside.
    pub(crate) aside: u32,
    /// Which of them do.
    which: Aside,
    /// How those that take part are numbered.
    numbering: Numbering,
    /// The number of the root, from which ranks are counted, where those that take part are told by their numbers.
    root: u32,
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
        Self { members: ranks, aside: 0, which: Aside::Last, numbering: Numbering::Natural, root: 0 }
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
        Self { members, aside: ranks - members, which: Aside::Last, numbering: Numbering::Natural, root: 0 }
    }

    /// The same with those that take part, a power of two, numbered in another way.
    pub(crate) const fn numbered(self, numbering: Numbering) -> Self {
        Self { numbering, ..self }
    }

    /// The same among ranks by their numbers, wherever the root stands, from which they are counted. The root is member 0
    /// if it takes part.
    #[must_use]
    pub const fn by_number(self, root: u32) -> Self {
        Self { root, ..self }
    }

    /// The place of member 0, by which the places of the others are counted (by exclusive or, which keeps partners).
    const fn first(self) -> u32 {
        match self.place(0) {
            Some(place) if self.root > 0 => place,
            _ => 0,
        }
    }

    /// The member that ranks send to in the end: 0 is the root, even if it stands aside.
    pub(super) const fn gathering(self, rank: u32) -> Option<u32> {
        match self.member(rank) {
            _ if rank == 0 => Some(0),
            Some(0) => None,
            other => other,
        }
    }

    /// The rank that is such a member.
    pub(super) const fn gatherer(self, member: u32) -> u32 {
        if member == 0 { 0 } else { self.rank(member) }
    }

    /// How those that take part are numbered.
    pub(super) const fn numbering(self) -> Numbering {
        self.numbering
    }

    /// The rank that takes part by this number.
    pub(crate) const fn rank(self, member: u32) -> u32 {
        self.at_place(self.numbering.rank(member, self.members) ^ self.first())
    }

    /// The rank in this place among those that take part.
    const fn at_place(self, place: u32) -> u32 {
        let number = match self.which {
            Aside::Last => place,
            _ if place >= self.aside => place + self.aside,
            Aside::Odd => 2 * place,
            Aside::Even => 2 * place + 1,
        };
        back(number, self.root, self.members + self.aside)
    }

    /// The first of the ranks that take part by this number: the one itself and, of a pair, its partner.
    pub(super) const fn start(self, member: u32) -> u32 {
        let rank = self.rank(member);
        if matches!(self.which, Aside::Even) && rank < 2 * self.aside { rank - 1 } else { rank }
    }

    /// The rank with which a member exchanges what differs in a bit of their numbers, which is `mask`.
    pub(super) const fn across(self, member: u32, mask: u32) -> u32 {
        let place = self.numbering.rank(member, self.members);
        self.at_place(self.numbering.partner(place, mask, self.members) ^ self.first())
    }

    /// The number by which a rank takes part.
    pub(crate) const fn member(self, rank: u32) -> Option<u32> {
        match self.place(rank) {
            Some(place) => Some(self.numbering.number(place ^ self.first(), self.members)),
            None => None,
        }
    }

    /// The place of a rank among those that take part.
    pub(super) const fn place(self, rank: u32) -> Option<u32> {
        let number = on(rank, self.root, self.members + self.aside);
        let place = match self.which {
            Aside::Last => number,
            _ if number >= 2 * self.aside => number - self.aside,
            Aside::Odd if number.is_multiple_of(2) => number / 2,
            Aside::Even if !number.is_multiple_of(2) => number / 2,
            Aside::Odd | Aside::Even => return None,
        };
        if place < self.members { Some(place) } else { None }
    }

    /// The rank that stands aside for this one, or for which this one stands aside.
    pub(crate) const fn partner(self, rank: u32) -> Option<u32> {
        let ranks = self.members + self.aside;
        let number = on(rank, self.root, ranks);
        let partner = if matches!(self.which, Aside::Last) {
            if number < self.aside { Some(number + self.members) } else { number.checked_sub(self.members) }
        } else if number < 2 * self.aside {
            Some(number ^ 1)
        } else {
            None
        };
        match partner {
            Some(partner) => Some(back(partner, self.root, ranks)),
            None => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of five ranks with the root 1, number 1 stands aside for number 0, which is rank 4 counted from the root, and takes its
    /// place in the end. With the root 2, that one is member 0 and meets number 4 first, number 0 last.
    #[test]
    fn numbers_say_who_takes_part() {
        let aside = Fold::in_pairs(5).by_number(1);
        assert_eq!((aside.member(0), aside.partner(0), aside.member(4)), (None, Some(4), Some(0)));
        assert_eq!((aside.gathering(0), aside.gathering(4), aside.gatherer(0)), (Some(0), None, 0));
        assert_eq!([1, 2, 3].map(|rank| aside.gathering(rank)), [1, 2, 3].map(Some));
        let inside = Fold::in_pairs(5).by_number(2);
        assert_eq!((inside.member(0), inside.across(0, 1), inside.across(0, 2)), (Some(0), 3, 2));
        assert_eq!((inside.gathering(0), inside.gathering(3)), (Some(0), Some(1)));
    }

    #[test]
    fn everyone_takes_part_or_stands_aside() {
        for ranks in 1..40 {
            let bine = [Numbering::BineDoubling, Numbering::BineHalving].map(|how| Fold::in_pairs(ranks).numbered(how));
            let folds = [Fold::none(ranks), Fold::in_pairs(ranks), Fold::into_odd(ranks), Fold::at_end(ranks)];
            let by_number = (0..ranks).map(|root| Fold::in_pairs(ranks).by_number(root));
            for fold in folds.into_iter().chain(bine).chain(by_number) {
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
