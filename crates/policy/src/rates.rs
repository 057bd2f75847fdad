//! The measured rate of each worker.

use super::ChunkReport;

/// Tasks and their time, added up.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    tasks: f64,
    seconds: f64,
    /// The number of measurements that [`Rates::add_next`] has counted.
    count: u32,
}

impl Sums {
    /// Tasks per second; `None` without a measured time.
    fn rate(self) -> Option<f64> {
        (self.seconds > 0.0 && self.tasks > 0.0).then(|| self.tasks / self.seconds)
    }
}

/// The measured rate of each worker, and the resulting weight.
///
/// The adaptive weighted factorings weight recent measurements more: the weighted average performance of worker i is Σ
/// k·t_ik / Σ k·n_ik over its measurements k = 1, 2, … of n_ik tasks in the time t_ik (Banicescu, Velusamy, Devaprasad
/// 2003). The caller multiplies by k. An unmeasured worker counts as an average one.
#[derive(Debug, Clone)]
pub(super) struct Rates {
    each: Vec<Sums>,
    measured: u32,
    /// The sum of the rates of all measured workers.
    total: f64,
    /// Changes of the total since it was last computed from scratch.
    changes: u32,
}

impl Rates {
    pub(super) fn new(workers: usize) -> Self {
        Self { each: vec![Sums::default(); workers], measured: 0, total: 0.0, changes: 0 }
    }

    /// The number of workers.
    pub(super) fn workers(&self) -> usize {
        self.each.len()
    }

    /// Adds the worker's next chunk, whose factor k is its number.
    pub(super) fn add_next(&mut self, worker: u32, report: &ChunkReport) {
        let count = &mut self.each[worker as usize].count;
        *count = count.saturating_add(1);
        let importance = f64::from(*count);
        self.add(worker, report, importance);
    }

    /// Adds a measurement with the factor `importance`.
    pub(super) fn add(&mut self, worker: u32, report: &ChunkReport, importance: f64) {
        let sums = &mut self.each[worker as usize];
        let before = sums.rate();
        sums.tasks += importance * f64::from(report.tasks);
        sums.seconds += importance * report.seconds;
        if let Some(rate) = sums.rate() {
            self.measured += u32::from(before.is_none());
            self.total += rate - before.unwrap_or(0.0);
            self.changes += 1;
        }
        // The total is computed from scratch now and then, so that rounding errors do not accumulate; per report that
        // costs no more than a few additions.
        if self.changes as usize >= self.each.len() {
            self.total = self.each.iter().filter_map(|sums| sums.rate()).sum();
            self.changes = 0;
        }
    }

    /// The worker's rate over the mean of the measured rates; 1 for an unmeasured worker. The weights of all workers
    /// add up to their number.
    pub(super) fn weight(&self, worker: usize) -> f64 {
        let mean = self.total / f64::from(self.measured.max(1));
        match self.each[worker].rate() {
            Some(rate) if mean > 0.0 => rate / mean,
            _ => 1.0,
        }
    }

    /// Whether this worker was measured.
    pub(super) fn has(&self, worker: usize) -> bool {
        self.each[worker].rate().is_some()
    }
}
