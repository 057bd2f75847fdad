//! A probe task for each worker, then the remaining tasks in proportion to the measured rates.
//!
//! Later rounds are dealt in proportion to all measurements so far, without a probe. An unmeasured worker (it was away,
//! or there were fewer tasks than workers) counts as an average one. While no present worker has been measured, the
//! probe is repeated.

use super::apportion::deal;
use super::rates::Rates;
use super::{ChunkReport, Kind, Rule, Setup};

#[derive(Debug, Clone)]
pub(super) struct StaticMeasured {
    rates: Rates,
}

impl Rule for StaticMeasured {
    fn kind() -> Kind {
        Kind::Static
    }

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

    fn observe(&mut self, worker: u32, report: &ChunkReport) {
        self.rates.add(worker, report, 1.0);
    }
}
