//! The explored states. A state with the same tasks that is nowhere earlier cannot lead to a better schedule.

use rustc_hash::FxHashMap;

use super::estimate::{EarliestStarts, PartialSchedule};
use super::instance::Instance;

/// The maximum number of stored words: 256 MiB.
const MOST_WORDS: usize = 1 << 25;
/// The maximum number of states stored for one set of tasks.
const MOST_STATES: usize = 512;

/// The earliest starts of explored states by the set of their tasks. The order of columns does not depend on which of
/// several equal processors was taken.
///
/// The earliest starts describe what can follow a state completely: replacing its arrivals by them changes nothing,
/// since no schedule still of interest starts a task earlier; and any continuation of later starts is also one of
/// earlier starts. The end of the tasks already placed stands beside them: it may be later than all that follows.
#[derive(Default)]
pub(super) struct Memory {
    explored: FxHashMap<u64, Vec<u64>>,
    words: usize,
    /// The columns in storage order.
    columns: Vec<usize>,
    key: Vec<u64>,
}

impl Memory {
    /// Orders the columns by class and, within a class, by earliest starts, so that columns in which everything starts
    /// at the same time are adjacent.
    pub(super) fn order(
        &mut self,
        instance: &Instance<'_>,
        state: &PartialSchedule,
        estimate: &EarliestStarts,
    ) -> &[usize] {
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

    /// Whether a state, from which no schedule ends before `bound`, is dominated by a stored one; otherwise it is
    /// stored. Call [`Self::order`] first.
    pub(super) fn knows(
        &mut self,
        instance: &Instance<'_>,
        state: &PartialSchedule,
        estimate: &EarliestStarts,
        bound: u64,
    ) -> bool {
        self.key.clear();
        self.key.push(bound);
        for task in (0..instance.tasks).filter(|task| state.done & 1 << task == 0) {
            self.key.extend(self.columns.iter().map(|&column| estimate.start[task * instance.columns + column]));
        }
        let width = self.key.len();
        let known = self.explored.entry(state.done).or_default();
        let none_later = |a: &[u64], b: &[u64]| a.iter().zip(b).all(|(a, b)| a <= b);
        if known.chunks(width).any(|other| none_later(other, &self.key)) {
            return true;
        }
        self.key[0] = state.idle.iter().copied().max().unwrap_or(0);
        // Replace a stored state that this one dominates.
        if let Some(index) = known.chunks(width).position(|other| none_later(&self.key, other)) {
            known[index * width..(index + 1) * width].copy_from_slice(&self.key);
        } else if known.len() < MOST_STATES * width && self.words + width <= MOST_WORDS {
            known.extend_from_slice(&self.key);
            self.words += width;
        }
        false
    }
}
