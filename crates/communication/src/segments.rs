//! A message cut into pieces: segments of a given length, so that forwarding can begin before the whole has arrived, or
//! one block for each rank that takes part.
//!
//! One rule cuts both: blocks are segments of ⌈m/P⌉ bytes, so the last one that holds anything may be shorter, and
//! those after it are empty. So MPICH and Open MPI cut a broadcast that scatters (`scatter_size` in
//! `bcast_intra_scatter_ring_allgather.c`, `scatter_count` in `coll_base_bcast.c`). For reductions the libraries spread
//! the remainder over the first blocks instead. The longest block is as long either way, and it decides how long a step
//! takes; a second rule would only let the same broadcast end at two instants.
//!
//! A scatter leaves out what is empty, as the libraries do. Exchanges take place even with empty blocks.

/// A message of `message` bytes cut into segments of `segment` bytes; the last one may be shorter.
///
/// There is always at least one segment: an empty message still has to arrive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segments {
    message: u64,
    segment: u64,
}

impl Segments {
    /// `message` bytes in pieces of `segment` bytes. A segment of 0 bytes, or one that is longer than the message, cuts
    /// nothing.
    #[must_use]
    pub const fn new(message: u64, segment: u64) -> Self {
        if segment == 0 || segment >= message { Self::whole(message) } else { Self { message, segment } }
    }

    /// `message` bytes in one piece.
    #[must_use]
    pub const fn whole(message: u64) -> Self {
        Self { message, segment: message }
    }

    /// `message` bytes cut into `count` blocks, of which the last may be empty; no blocks count as one.
    #[must_use]
    pub const fn blocks(message: u64, count: u32) -> Self {
        Self::new(message, message.div_ceil(if count == 0 { 1 } else { count as u64 }))
    }

    /// The bytes of the whole message.
    #[must_use]
    pub const fn message(self) -> u64 {
        self.message
    }

    /// How many segments there are (k in the formulas), empty blocks left out: 1 or more.
    #[must_use]
    pub const fn count(self) -> u64 {
        if self.segment == 0 { 1 } else { self.message.div_ceil(self.segment) }
    }

    /// The bytes of every segment but the last.
    #[must_use]
    pub const fn full(self) -> u64 {
        self.segment
    }

    /// The bytes of the last segment.
    #[must_use]
    pub const fn last(self) -> u64 {
        self.message - (self.count() - 1) * self.segment
    }

    /// Where segment `index` begins in the message; its end, for one past the last.
    #[must_use]
    pub fn start(self, index: u64) -> u64 {
        index.saturating_mul(self.segment).min(self.message)
    }

    /// The bytes of segment `index`, counted from 0; there is nothing past the last.
    #[must_use]
    pub const fn bytes(self, index: u64) -> u64 {
        let last = self.count() - 1;
        if index < last {
            self.full()
        } else if index == last {
            self.last()
        } else {
            0
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_last_segment_holds_the_rest() {
        let segments = Segments::new(1000, 300);
        let sizes: Vec<_> = (0..segments.count()).map(|index| segments.bytes(index)).collect();
        assert_eq!(sizes, [300, 300, 300, 100]);
        assert_eq!(segments.bytes(4), 0);
        assert_eq!(Segments::new(900, 300).last(), 300);
    }

    #[test]
    fn there_is_always_a_segment() {
        for segments in [Segments::new(0, 8), Segments::new(8, 0), Segments::new(8, 9), Segments::whole(0)] {
            assert_eq!((segments.count(), segments.bytes(0)), (1, segments.message()));
        }
    }

    #[test]
    fn trailing_blocks_may_be_empty() {
        // As in MPICH: 9 bytes for 8 ranks are 4 blocks of 2 bytes, one of 1, and three of none.
        let blocks = Segments::blocks(9, 8);
        assert_eq!([0, 1, 2, 3, 4, 5, 6, 7].map(|block| blocks.bytes(block)), [2, 2, 2, 2, 1, 0, 0, 0]);
        assert_eq!((blocks.start(3), blocks.start(7)), (6, 9));
    }

    proptest! {
        #[test]
        fn segments_follow_each_other(message in 0u64..10_000, count in 1u32..70) {
            let blocks = Segments::blocks(message, count);
            for block in 0..count.into() {
                prop_assert_eq!(blocks.start(block) + blocks.bytes(block), blocks.start(block + 1));
            }
            prop_assert_eq!(blocks.start(count.into()), message);
        }
    }
}
