//! A message cut into segments, so that forwarding can begin before the whole has arrived.

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

    /// The bytes of the whole message.
    #[must_use]
    pub const fn message(self) -> u64 {
        self.message
    }

    /// How many segments there are (k in the formulas): 1 or more.
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
}
