//! A probe task for each worker, then the rest in proportion to the rates that were measured.
//!
//! Later rounds are dealt in proportion to all that was measured so far, without a probe. A worker that was never measured
//! (it was away, or there were fewer tasks than workers) counts as an average one; while nobody present was measured, the
//! probe is repeated.

use super::apportion::deal;
use super::rates::Rates;
use super::{Kind, Rule, Seen, Setup};

#[derive(Debug, Clone)]
pub(super) struct StaticMeasured {
    rates: Rates,
}

impl Rule for StaticMeasured {
    const KIND: Kind = Kind::Static;

    fn new(setup: &Setup<'_>) -> Self {
        Self { rates: Rates::new(setup.speeds.len()) }
    }

    fn deal(&mut self, left: u32, present: &[bool]) -> Vec<u32> {
        if present.iter().enumerate().any(|(worker, &here)| here && self.rates.has(worker)) {
            return deal(left, present, |worker| self.rates.weight(worker));
        }
        let mut rest = left;
        let probe = present.iter().map(|&here| {
            let task = u32::from(here && rest > 0);
            rest -= task;
            task
        });
        probe.collect()
    }

    fn observe(&mut self, worker: u32, seen: &Seen) {
        self.rates.add(worker, seen.tasks, seen.seconds, 1.0);
    }
}
