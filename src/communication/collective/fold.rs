//! Any number of ranks, brought to a power of two.
//!
//! Of the first 2r ranks, r those beyond the greatest power of two, each odd one stands aside: it hands its data to the even
//! one before it, and is handed the outcome at the end (Thakur, Rabenseifner, Gropp 2005, §4.5).

/// Which ranks take part, and by which numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fold {
    /// How many take part: the greatest power of two that is no greater than the number of ranks.
    pub(super) members: u32,
    /// How many stand aside.
    pub(super) aside: u32,
}

impl Fold {
    /// For at least one rank.
    pub(super) const fn new(ranks: u32) -> Self {
        let members = 1 << (u32::BITS - 1 - ranks.leading_zeros());
        Self { members, aside: ranks - members }
    }

    /// The rank that takes part by this number.
    pub(super) const fn rank(self, member: u32) -> u32 {
        if member < self.aside { 2 * member } else { member + self.aside }
    }

    /// The pairs of a rank that stands aside and the one that takes its data.
    pub(super) fn pairs(self) -> impl Iterator<Item = (u32, u32)> {
        (0..self.aside).map(|pair| (2 * pair + 1, 2 * pair))
    }
}
