//! A message cut into blocks, one for each rank that takes part. The one rule, for broadcasts and for reductions.
//!
//! Every block has ⌈m/P⌉ bytes; the last one that holds anything may be shorter, and those after it are empty. So MPICH
//! and Open MPI cut a broadcast that scatters (`scatter_size` in `bcast_intra_scatter_ring_allgather.c`,
//! `scatter_count` in `coll_base_bcast.c`), and so [`Segments`](super::Segments) cut a message into pieces of a given
//! length: blocks are its segments of ⌈m/P⌉ bytes. For reductions the libraries spread the remainder over the first
//! blocks instead. The longest block is as long either way, and it decides how long a step takes; a second rule would
//! only let the same broadcast end at two instants.
//!
//! A scatter leaves out what is empty, as the libraries do. Exchanges take place even with empty blocks.

use std::ops::Range;

/// A message cut into one block a rank: each of ⌈m/P⌉ bytes, so that the last blocks may be shorter or empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Blocks {
    message: u64,
    block: u64,
}

impl Blocks {
    /// `message` bytes cut into `count` blocks; no blocks count as one.
    #[must_use]
    pub const fn new(message: u64, count: u32) -> Self {
        let count = if count == 0 { 1 } else { count as u64 };
        Self { message, block: message.div_ceil(count) }
    }

    /// The bytes of all blocks together.
    #[must_use]
    pub const fn message(self) -> u64 {
        self.message
    }

    /// Whether all of so many blocks are of one length.
    #[must_use]
    pub const fn are_even(self, count: u32) -> bool {
        self.message == self.block * count as u64
    }

    /// Where a block begins in the message; its end, for one past the last.
    #[must_use]
    pub fn start(self, block: u64) -> u64 {
        block.saturating_mul(self.block).min(self.message)
    }

    /// The bytes of the message that `blocks` cover.
    #[must_use]
    pub fn span(self, blocks: &Range<u32>) -> Range<u64> {
        self.start(blocks.start.into())..self.start(blocks.end.into())
    }

    /// How many bytes `blocks` hold.
    #[must_use]
    pub fn bytes(self, blocks: &Range<u32>) -> u64 {
        let span = self.span(blocks);
        span.end - span.start
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::communication::Segments;

    #[test]
    fn trailing_blocks_may_be_empty() {
        // As in MPICH: 9 bytes for 8 ranks are 4 blocks of 2 bytes, one of 1, and three of none.
        let blocks = Blocks::new(9, 8);
        let sizes: Vec<_> = (0..8).map(|block| blocks.bytes(&(block..block + 1))).collect();
        assert_eq!(sizes, [2, 2, 2, 2, 1, 0, 0, 0]);
        assert_eq!(blocks.span(&(3..7)), 6..9);
        assert!(!blocks.are_even(8) && Blocks::new(16, 8).are_even(8));
    }

    proptest! {
        /// Blocks are the segments of the same length.
        #[test]
        fn blocks_are_segments(message in 0u64..10_000, count in 1u32..70) {
            let blocks = Blocks::new(message, count);
            let segments = Segments::new(message, message.div_ceil(u64::from(count)));
            for block in 0..count {
                prop_assert_eq!(blocks.bytes(&(block..block + 1)), segments.bytes(block.into()));
            }
        }
    }
}
