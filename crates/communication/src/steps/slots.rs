//! What a message carries: some slots of a rank, and how long these are.

use std::sync::Arc;

use super::bine::Numbering;
use crate::Segments;

/// The slots in which a rank holds its data, and their lengths. Every rank has the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slots {
    count: u32,
    /// Whether a slot belongs to a rank by its number, not to one that takes part by its number among those.
    by_rank: bool,
    /// Whether all are of one length.
    even: bool,
    cut: Segments,
    /// Where each slot starts, and the last one ends, where they are not cut by one length.
    starts: Option<Arc<[u64]>>,
}

/// Some of the slots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blocks {
    /// `count` slots from `first` on, in a circle.
    Range {
        /// The first slot.
        first: u32,
        /// How many.
        count: u32,
    },
    /// The slots whose number has this binary digit set: what Bruck's all-to-all sends in a step.
    Digit(u32),
    /// The slots of the ranks whose number in a Bine tree with doubling distances is one of `count` from `first` on.
    Bine {
        /// The first number.
        first: u32,
        /// How many.
        count: u32,
    },
}

impl Blocks {
    /// The only slot where there is one.
    pub const WHOLE: Self = Self::Range { first: 0, count: 1 };

    /// None of them.
    pub const NONE: Self = Self::Range { first: 0, count: 0 };

    /// Whether a slot is among these, of `slots` there are.
    #[must_use]
    pub const fn contains(self, slot: u32, slots: u32) -> bool {
        match self {
            Self::Range { first, count } => (slot as u64 + slots as u64 - first as u64) % (slots as u64) < count as u64,
            Self::Digit(digit) => slot >> digit & 1 == 1,
            Self::Bine { first, count } => Numbering::BineDoubling.number(slot, slots).wrapping_sub(first) < count,
        }
    }
}

impl Slots {
    /// `count` slots of `bytes` each.
    #[must_use]
    pub const fn each(count: u32, bytes: u64) -> Self {
        Self::cut(count, true, Segments::new(bytes.saturating_mul(count as u64), bytes))
    }

    /// A vector cut into blocks, one for each of `count` that take part.
    #[must_use]
    pub const fn parts(count: u32, bytes: u64) -> Self {
        Self::cut(count, false, Segments::blocks(bytes, count))
    }

    /// The same slots, which do not belong to the ranks of their numbers.
    #[must_use]
    pub fn by_number(self) -> Self {
        Self { by_rank: false, ..self }
    }

    /// A message cut into segments.
    #[must_use]
    pub const fn segments(cut: Segments) -> Self {
        Self::cut(cut.count() as u32, false, cut)
    }

    const fn cut(count: u32, by_rank: bool, cut: Segments) -> Self {
        Self { count, by_rank, even: cut.message() == cut.full().saturating_mul(count as u64), cut, starts: None }
    }

    /// Slots of these lengths.
    #[must_use]
    pub fn listed(lengths: impl IntoIterator<Item = u64>) -> Self {
        let mut starts = vec![0u64];
        starts.extend(lengths.into_iter().scan(0u64, |end, bytes| {
            *end = end.saturating_add(bytes);
            Some(*end)
        }));
        let (count, message) = (starts.len() as u32 - 1, starts[starts.len() - 1]);
        Self { count, by_rank: true, even: false, cut: Segments::whole(message), starts: Some(starts.into()) }
    }

    /// How many there are.
    #[must_use]
    pub const fn count(&self) -> u32 {
        self.count
    }

    /// Whether a slot belongs to a rank, not to one of those that take part.
    pub(super) const fn by_rank(&self) -> bool {
        self.by_rank
    }

    /// Whether all are of one length.
    #[must_use]
    pub const fn are_even(&self) -> bool {
        self.even
    }

    /// How many hold anything, from the first on.
    #[must_use]
    pub const fn filled(&self) -> u32 {
        if self.cut.message() == 0 { 0 } else { self.cut.count() as u32 }
    }

    /// The length of some of them together, in bytes.
    #[must_use]
    #[inline]
    pub fn bytes(&self, blocks: Blocks) -> u64 {
        match blocks {
            Blocks::Range { count, .. } | Blocks::Bine { count, .. } if self.even => {
                self.cut.full().saturating_mul(u64::from(count))
            }
            Blocks::Digit(digit) if self.even => {
                self.cut.full().saturating_mul(u64::from(with_digit(digit, self.count)))
            }
            Blocks::Range { first, count } => {
                let end = first + count;
                let around = end.saturating_sub(self.count);
                self.start(end - around) - self.start(first) + self.start(around)
            }
            Blocks::Digit(digit) => {
                let set = (0..self.count).filter(|slot| slot >> digit & 1 == 1);
                set.map(|slot| self.start(slot + 1) - self.start(slot)).sum()
            }
            Blocks::Bine { first, count } => {
                let slots = (first..first + count).map(|number| Numbering::BineDoubling.rank(number, self.count));
                slots.map(|slot| self.start(slot + 1) - self.start(slot)).sum()
            }
        }
    }

    /// The bytes of the slots before the one of this number.
    fn start(&self, slot: u32) -> u64 {
        self.starts.as_ref().map_or_else(|| self.cut.start(slot.into()), |starts| starts[slot as usize])
    }
}

/// How many numbers below `count` have a binary digit set.
pub(crate) const fn with_digit(digit: u32, count: u32) -> u32 {
    let (period, half) = (2u64 << digit, 1u64 << digit);
    let (whole, rest) = (count as u64 / period, count as u64 % period);
    (whole * half + rest.saturating_sub(half)) as u32
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// A range and the rest of the circle are the whole, and a range is as long as its slots.
        #[test]
        fn lengths_add_up(count in 1u32..40, bytes in 0u64..10_000, first in 0u32..40, taken in 0u32..40) {
            let (first, taken) = (first % count, taken % (count + 1));
            let listed = Slots::listed((0..count).map(|slot| bytes / u64::from(slot + 1)));
            for slots in [Slots::parts(count, bytes), Slots::each(count, bytes), listed] {
                let range = Blocks::Range { first, count: taken };
                let rest = Blocks::Range { first: (first + taken) % count, count: count - taken };
                let whole = Blocks::Range { first: 0, count };
                prop_assert_eq!(slots.bytes(range) + slots.bytes(rest), slots.bytes(whole));
                for blocks in [range, Blocks::Digit(0), Blocks::Digit(3)] {
                    let single = |slot| slots.bytes(Blocks::Range { first: slot, count: 1 });
                    let sum: u64 = (0..count).filter(|&slot| blocks.contains(slot, count)).map(single).sum();
                    prop_assert_eq!(slots.bytes(blocks), sum, "{:?}", blocks);
                }
            }
        }
    }
}
