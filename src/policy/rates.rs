//! What has been measured of each worker's rate.

/// Tasks and the time they took, added up.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    tasks: f64,
    seconds: f64,
}

impl Sums {
    /// Tasks per second; none before there is a time to divide by.
    fn rate(self) -> Option<f64> {
        (self.seconds > 0.0 && self.tasks > 0.0).then(|| self.tasks / self.seconds)
    }
}

/// The measured rate of each worker, and the weight that follows from it.
///
/// The adaptive weighted factorings count recent measurements more: the weighted average performance of worker i is
/// Σ k·t_ik / Σ k·n_ik over its measurements k = 1, 2, … of n_ik tasks in the time t_ik (Banicescu, Velusamy, Devaprasad
/// 2003). The caller multiplies by k. A worker that was not measured yet counts as an average one.
#[derive(Debug, Clone)]
pub(super) struct Rates {
    each: Vec<Sums>,
    measured: u32,
    /// The rates of all measured workers together.
    total: f64,
    /// Changes of the total since it was last added up.
    changes: u32,
}

impl Rates {
    pub(super) fn new(workers: usize) -> Self {
        Self { each: vec![Sums::default(); workers], measured: 0, total: 0.0, changes: 0 }
    }

    /// Adds a measurement that counts `importance` times.
    pub(super) fn add(&mut self, worker: u32, tasks: u32, seconds: f64, importance: f64) {
        let sums = &mut self.each[worker as usize];
        let before = sums.rate();
        sums.tasks += importance * f64::from(tasks);
        sums.seconds += importance * seconds;
        if let Some(rate) = sums.rate() {
            self.measured += u32::from(before.is_none());
            self.total += rate - before.unwrap_or(0.0);
            self.changes += 1;
        }
        // Added up anew now and then, so that rounding does not gather; per report that costs no more than a few sums.
        if self.changes as usize >= self.each.len() {
            self.total = self.each.iter().filter_map(|sums| sums.rate()).sum();
            self.changes = 0;
        }
    }

    /// The worker's rate over the mean of those measured: 1 for a worker that was not. The weights of all workers add up
    /// to their number.
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
