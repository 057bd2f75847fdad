//! Draws distinct numbers from a range.

use std::collections::BTreeSet;
use std::ops::Range;

use rand::RngExt;

use hetsim_base::engine::Stream;

/// Draws `count` distinct numbers of `range` in rising order, all sets being equally likely. Returns the whole range if
/// it has no more numbers. Floyd's method takes one draw per number, however full the range is.
pub(super) fn distinct(range: Range<u64>, count: u64, stream: &mut Stream) -> BTreeSet<u64> {
    let length = range.end.saturating_sub(range.start);
    let count = count.min(length);
    let mut chosen = BTreeSet::new();
    for last in length - count..length {
        let drawn = range.start + stream.random_range(0..=last);
        if !chosen.insert(drawn) {
            chosen.insert(range.start + last);
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use hetsim_base::engine::Streams;

    #[test]
    fn every_set_is_as_likely() {
        let mut stream = Streams::new(1, 0).stream("pick", 0);
        let mut counts = std::collections::BTreeMap::new();
        let draws = 20_000;
        for _ in 0..draws {
            *counts.entry(distinct(3..8, 2, &mut stream)).or_insert(0) += 1;
        }
        // Five numbers have ten pairs; the standard deviation of a count is 42.
        assert_eq!(counts.len(), 10);
        assert!(counts.values().all(|count: &i32| (count - draws / 10).abs() < 5 * 42), "{counts:?}");
        assert_eq!(distinct(3..6, 9, &mut stream).into_iter().collect::<Vec<_>>(), [3, 4, 5]);
        assert!(distinct(3..3, 2, &mut stream).is_empty());
    }
}
