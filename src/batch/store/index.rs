//! Which runs a store holds, and where.

use std::path::PathBuf;

/// Where a line is. Ordered as the lines are on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) segment: u32,
    pub(super) offset: u64,
    pub(super) length: u32,
}

/// The runs of a store, sorted. A list takes two thirds of the memory of a tree, and is made faster.
#[derive(Debug)]
pub(super) struct Index<K> {
    /// The files, numbered by their places.
    pub(super) segments: Vec<PathBuf>,
    /// The runs with their places. What was added to it is found once it is [arranged](Self::arrange).
    pub(super) places: Vec<(K, Place)>,
}

impl<K: Copy + Ord> Index<K> {
    /// An index of these segments without a run.
    pub(super) const fn new(segments: Vec<PathBuf>) -> Self {
        Self { segments, places: Vec::new() }
    }

    /// Puts the runs in order and keeps the first place of each; says how many others were dropped.
    pub(super) fn arrange(&mut self) -> usize {
        // Those that were in order stay one stretch of the sort.
        self.places.sort();
        let before = self.places.len();
        self.places.dedup_by_key(|(key, _)| *key);
        before - self.places.len()
    }

    /// The place of a run, if it is there.
    pub(super) fn find(&self, key: K) -> Option<Place> {
        let found = self.places.binary_search_by_key(&key, |(key, _)| *key).ok()?;
        Some(self.places[found].1)
    }
}
