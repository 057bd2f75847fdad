//! What a message carries: some slots of a rank, and how long these are.

use crate::communication;

/// The slots in which a rank holds its data, and their lengths. Every rank has the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slots {
    /// This many, of this many bytes each.
    Each {
        /// How many slots there are.
        count: u32,
        /// The bytes of each.
        bytes: u64,
    },
    /// A vector cut into this many parts, as [blocks](crate::communication::Blocks) are.
    Parts {
        /// How many slots there are.
        count: u32,
        /// The bytes of all together.
        bytes: u64,
    },
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
}

impl Blocks {
    /// The only slot where there is one.
    pub const WHOLE: Self = Self::Range { first: 0, count: 1 };

    /// Whether a slot is among these, of `slots` there are.
    #[must_use]
    pub const fn contains(self, slot: u32, slots: u32) -> bool {
        match self {
            Self::Range { first, count } => (slot as u64 + slots as u64 - first as u64) % (slots as u64) < count as u64,
            Self::Digit(digit) => slot >> digit & 1 == 1,
        }
    }
}

impl Slots {
    /// How many there are.
    #[must_use]
    pub const fn count(self) -> u32 {
        match self {
            Self::Each { count, .. } | Self::Parts { count, .. } => count,
        }
    }

    /// Whether all are of one length.
    #[must_use]
    pub const fn are_even(self) -> bool {
        match self {
            Self::Each { .. } => true,
            Self::Parts { count, bytes } => communication::Blocks::new(bytes, count).are_even(count),
        }
    }

    /// How many hold anything, from the first on.
    pub(super) fn filled(self) -> u32 {
        match self {
            Self::Each { count, .. } => count,
            Self::Parts { count, bytes } => bytes.div_ceil(bytes.div_ceil(u64::from(count)).max(1)) as u32,
        }
    }

    /// The length of some of them together, in bytes.
    #[must_use]
    pub fn bytes(self, blocks: Blocks) -> u64 {
        let slots = self.count();
        match (self, blocks) {
            (Self::Each { bytes, .. }, Blocks::Range { count, .. }) => bytes.saturating_mul(u64::from(count)),
            (Self::Each { bytes, .. }, Blocks::Digit(digit)) => {
                bytes.saturating_mul(u64::from(with_digit(digit, slots)))
            }
            (Self::Parts { .. }, Blocks::Range { first, count }) => {
                let end = u64::from(first) + u64::from(count);
                let around = end.saturating_sub(u64::from(slots));
                self.before(end - around) - self.before(u64::from(first)) + self.before(around)
            }
            (Self::Parts { .. }, Blocks::Digit(digit)) => {
                let set = (0..slots).filter(|slot| slot >> digit & 1 == 1);
                set.map(|slot| self.before(u64::from(slot) + 1) - self.before(u64::from(slot))).sum()
            }
        }
    }

    /// The bytes of the parts before the one of this number.
    fn before(self, slot: u64) -> u64 {
        match self {
            Self::Each { bytes, .. } => bytes.saturating_mul(slot),
            Self::Parts { bytes, count } => communication::Blocks::new(bytes, count).start(slot),
        }
    }
}

/// How many numbers below `count` have a binary digit set.
pub(super) const fn with_digit(digit: u32, count: u32) -> u32 {
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
            for slots in [Slots::Parts { count, bytes }, Slots::Each { count, bytes }] {
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
