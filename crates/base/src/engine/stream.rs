//! Named random streams.
//!
//! A stream is named by its purpose and by its owner (a node, a task, a generation), never by the order of drawing. So
//! two policies compared in one sweep meet the same draws, and adding a node shifts none.

use rand_pcg::Pcg64Dxsm;
use xxhash_rust::xxh3::xxh3_128;

/// The generator behind every stream: small, fast, and fixed for good (unlike `rand`'s `StdRng`).
pub type Stream = Pcg64Dxsm;

/// The streams of one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Streams {
    seed: u64,
    replica: u64,
}

impl Streams {
    /// The streams of a seed and a replica.
    #[must_use]
    pub const fn new(seed: u64, replica: u64) -> Self {
        Self { seed, replica }
    }

    /// The stream for `purpose` (a fixed word, such as `"jitter"`) and the owner numbered `index`.
    #[must_use]
    pub fn stream(&self, purpose: &str, index: u64) -> Stream {
        self.stream_of(purpose, &[index])
    }

    /// The stream for `purpose` and an owner that several numbers name together, such as a message: its two nodes and
    /// the count of earlier messages between them.
    #[must_use]
    pub fn stream_of(&self, purpose: &str, name: &[u64]) -> Stream {
        const END: &[u8] = b"stream";
        let numbers = 8 * (2 + name.len());
        let length = numbers + purpose.len() + END.len();
        // Messages have names of their own, which are short: nothing is allocated for them.
        let (mut short, mut long) = ([0; 96], Vec::new());
        let bytes = if length <= short.len() {
            &mut short[..length]
        } else {
            long.resize(length, 0);
            &mut long[..]
        };
        let (head, tail) = bytes.split_at_mut(numbers);
        for (place, part) in head.chunks_exact_mut(8).zip([self.seed, self.replica].iter().chain(name)) {
            place.copy_from_slice(&part.to_le_bytes());
        }
        tail[..purpose.len()].copy_from_slice(purpose.as_bytes());
        tail[purpose.len()..].copy_from_slice(END);
        Pcg64Dxsm::new(xxh3_128(&bytes[..length - END.len()]), xxh3_128(bytes))
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;

    #[test]
    fn streams_are_named_not_ordered() {
        let streams = Streams::new(7, 0);
        let draw = |purpose, index| streams.stream(purpose, index).random::<u64>();
        assert_eq!(draw("jitter", 3), draw("jitter", 3));
        let all =
            [draw("jitter", 3), draw("jitter", 4), draw("load", 3), Streams::new(8, 0).stream("jitter", 3).random()];
        for (i, a) in all.iter().enumerate() {
            assert!(all[i + 1..].iter().all(|b| a != b));
        }
        // A name of several numbers differs from names of fewer or other numbers.
        let named = |name: &[u64]| streams.stream_of("jitter", name).random::<u64>();
        assert_eq!(named(&[3]), draw("jitter", 3));
        assert!(named(&[3, 0, 0]) != named(&[0, 3, 0]) && named(&[3, 0, 0]) != named(&[3, 0, 1]));
        // Fixed for good: results of earlier versions stay comparable.
        assert_eq!(draw("jitter", 3), 14_302_192_350_051_997_046);
    }
}
