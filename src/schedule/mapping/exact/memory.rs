//! The states that were explored: another with the same tasks that is nowhere earlier has nothing better to offer.

use rustc_hash::FxHashMap;

use super::estimate::{Estimate, State};
use super::instance::Instance;

/// Words kept in all: 256 MiB.
const MOST_WORDS: usize = 1 << 25;
/// States kept for one set of tasks.
const MOST_STATES: usize = 512;

/// The earliest starts of explored states, by the set of their tasks, in an order of columns that does not depend on which
/// of equal processors was taken.
///
/// The earliest starts tell all that matters of a state: to put them in the place of its arrivals changes nothing, as no
/// schedule that is still looked for starts a task earlier; and what can go on from later starts can go on from
/// earlier ones.
#[derive(Default)]
pub(super) struct Memory {
    explored: FxHashMap<u64, Vec<u64>>,
    words: usize,
    /// Columns in the order in which they are kept.
    columns: Vec<usize>,
    key: Vec<u64>,
}

impl Memory {
    /// Columns in the order of their classes and, within a class, of their earliest starts, so that those in
    /// which everything starts at the same time are neighbours.
    pub(super) fn order(&mut self, instance: &Instance<'_>, state: &State, estimate: &Estimate) -> &[usize] {
        self.columns.clear();
        self.columns.extend(0..instance.columns);
        self.columns.sort_by(|&a, &b| {
            instance.class[a].cmp(&instance.class[b]).then_with(|| {
                let rows = (0..instance.tasks).filter(|task| state.done & 1 << task == 0);
                let starts = |column| rows.clone().map(move |task| estimate.start[task * instance.columns + column]);
                starts(a).cmp(starts(b))
            })
        });
        &self.columns
    }

    /// Whether a state has nothing to offer; otherwise it is remembered. [`Self::order`] must have been called for it.
    pub(super) fn knows(&mut self, instance: &Instance<'_>, state: &State, estimate: &Estimate) -> bool {
        self.key.clear();
        for task in (0..instance.tasks).filter(|task| state.done & 1 << task == 0) {
            self.key.extend(self.columns.iter().map(|&column| estimate.start[task * instance.columns + column]));
        }
        let width = self.key.len();
        if width == 0 {
            return false;
        }
        let known = self.explored.entry(state.done).or_default();
        let none_later = |a: &[u64], b: &[u64]| a.iter().zip(b).all(|(a, b)| a <= b);
        if known.chunks(width).any(|other| none_later(other, &self.key)) {
            return true;
        }
        // In the place of one that this one makes superfluous.
        if let Some(index) = known.chunks(width).position(|other| none_later(&self.key, other)) {
            known[index * width..(index + 1) * width].copy_from_slice(&self.key);
        } else if known.len() < MOST_STATES * width && self.words + width <= MOST_WORDS {
            known.extend_from_slice(&self.key);
            self.words += width;
        }
        false
    }
}
