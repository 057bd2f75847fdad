//! The runs in a store and their positions.

use super::segment::Segment;

/// The position of a line. Positions are ordered as the lines on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct LinePosition {
    pub(super) segment: u32,
    pub(super) offset: u64,
    pub(super) length: u32,
}

/// How many runs lie between two that are looked at first when a run is looked for. Those few stay in the cache.
const BETWEEN: usize = 64;

/// The runs of a store, sorted. A list takes two thirds of the memory of a tree and is faster to make.
#[derive(Debug)]
pub(super) struct Index<K> {
    /// The segments, numbered as in positions.
    pub(super) segments: Vec<Segment>,
    /// The runs with their positions. Additions are found once the index is [arranged](Self::arrange).
    pub(super) places: Vec<(K, LinePosition)>,
    /// The first run of each stretch of so many.
    marks: Vec<K>,
}

impl<K: Copy + Ord> Index<K> {
    /// An index of these segments without runs.
    pub(super) const fn new(segments: Vec<Segment>) -> Self {
        Self { segments, places: Vec::new(), marks: Vec::new() }
    }

    /// Sorts the runs and keeps the first position of each. Returns the number of dropped duplicates.
    pub(super) fn arrange(&mut self) -> usize {
        // The stretch already in order stays one run of the sort.
        self.places.sort();
        let before = self.places.len();
        self.places.dedup_by_key(|(key, _)| *key);
        self.marks = self.places.iter().step_by(BETWEEN).map(|(key, _)| *key).collect();
        before - self.places.len()
    }

    /// The position of a run, if it is stored.
    pub(super) fn find(&self, key: K) -> Option<LinePosition> {
        let start = BETWEEN * self.marks.partition_point(|mark| *mark <= key).checked_sub(1)?;
        let few = &self.places[start..self.places.len().min(start + BETWEEN)];
        let found = few.binary_search_by_key(&key, |(key, _)| *key).ok()?;
        Some(few[found].1)
    }
}
