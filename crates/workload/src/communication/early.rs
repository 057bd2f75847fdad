//! Messages for which nobody waited when they came.
//!
//! Where all messages are sent at once, most of them come early, and a rank's receives follow each other. So a bit tells
//! that a step's message has come, and 64 steps are one entry.

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;

/// The early messages of all ranks, by rank and step.
#[derive(Debug, Default)]
pub(super) struct Early {
    /// Those of 64 steps each, the first message of each step; never empty.
    first: FxHashMap<(u32, u32), u64>,
    /// How many more have come: some have if a rank is a round behind.
    further: FxHashMap<(u32, u32), u32>,
}

/// Where a step's bit is: the number of the entry, and the bit.
const fn place(step: u32) -> (u32, u64) {
    (step / u64::BITS, 1 << (step % u64::BITS))
}

impl Early {
    pub(super) fn add(&mut self, rank: u32, step: u32) {
        let (steps, bit) = place(step);
        let first = self.first.entry((rank, steps)).or_default();
        if *first & bit == 0 {
            *first |= bit;
        } else {
            *self.further.entry((rank, step)).or_default() += 1;
        }
    }

    /// Uses up one message of a step. Returns false if there is none.
    pub(super) fn take(&mut self, rank: u32, step: u32) -> bool {
        let (steps, bit) = place(step);
        let Entry::Occupied(mut first) = self.first.entry((rank, steps)) else { return false };
        if *first.get() & bit == 0 {
            return false;
        }
        if !self.further.is_empty()
            && let Entry::Occupied(mut further) = self.further.entry((rank, step))
        {
            *further.get_mut() -= 1;
            if *further.get() == 0 {
                further.remove();
            }
            return true;
        }
        *first.get_mut() &= !bit;
        if *first.get() == 0 {
            first.remove();
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn as_many_are_taken_as_have_come(moves in prop::collection::vec((0u32..3, 60u32..70, any::<bool>()), 1..300)) {
            let (mut early, mut counts) = (Early::default(), HashMap::new());
            for (rank, step, comes) in moves {
                let count: &mut u32 = counts.entry((rank, step)).or_default();
                if comes {
                    early.add(rank, step);
                    *count += 1;
                } else {
                    prop_assert_eq!(early.take(rank, step), *count > 0);
                    *count = count.saturating_sub(1);
                }
            }
            for ((rank, step), count) in counts {
                prop_assert!((0..count).all(|_| early.take(rank, step)) && !early.take(rank, step));
            }
            prop_assert!(early.first.is_empty() && early.further.is_empty());
        }
    }
}
