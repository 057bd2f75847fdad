//! Adaptive factoring (AF): chunk sizes from the measured mean and deviation of each worker's own tasks.
//!
//! I. Banicescu, Z. Liu, *Adaptive factoring: a dynamic scheduling method tuned to the rate of weight changes*, Proc.
//! High Performance Computing Symposium 2000. With µ_i and σ_i of a task's time on worker i, D = Σ σ_i²/µ_i and T = 1 /
//! Σ (1/µ_i), a chunk for i is (D + 2TR − √(D² + 4DTR)) / (2µ_i), rounded up. If times do not vary (D = 0), that is the
//! worker's part T·R/µ_i of all remaining tasks.
//!
//! The estimates cover all tasks of a worker so far (some implementations use its last chunk alone, which adapts faster
//! and knows less). In D and T, a worker without estimates counts as the mean of the others. The paper gives no rule
//! for its chunks: it gets the smallest size, but at least ten tasks if factoring by halves would give as many, since
//! one task shows no deviation. No chunk is larger than half of an equal share of the round, N/(2P), as in the first
//! batch of factoring by halves, so that estimates from a few tasks cannot give away everything.

use super::batch::rounded_up;
use super::{ChunkReport, Rule, Setup};

/// The number of tasks for a first estimate of mean and deviation.
const PROBE: u32 = 10;

/// The sums over a worker's tasks so far.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    tasks: f64,
    seconds: f64,
    squares: f64,
}

impl Sums {
    /// The mean time of a task, if it is positive.
    fn mean(self) -> Option<f64> {
        (self.tasks > 0.0 && self.seconds > 0.0).then(|| self.seconds / self.tasks)
    }

    /// The worker's terms of D and of 1/T.
    fn terms(self) -> Option<(f64, f64)> {
        let mean = self.mean()?;
        // The sample variance; rounding may leave it just below 0.
        let variance = ((self.squares - self.tasks * mean * mean) / (self.tasks - 1.0).max(1.0)).max(0.0);
        Some((variance / mean, 1.0 / mean))
    }
}

#[derive(Debug, Clone)]
pub(super) struct AdaptiveFactoring {
    least: u32,
    largest: u32,
    each: Vec<Sums>,
    measured: u32,
    /// Σ σ_i²/µ_i of the measured workers.
    spread: f64,
    /// Σ 1/µ_i of the measured workers.
    rate: f64,
    /// Changes of the two sums since they were last computed from scratch.
    changes: u32,
}

impl Rule for AdaptiveFactoring {
    fn new(setup: &Setup<'_>) -> Self {
        Self {
            least: setup.chunk.max(1),
            largest: u32::MAX,
            each: vec![Sums::default(); setup.speeds.len()],
            measured: 0,
            spread: 0.0,
            rate: 0.0,
            changes: 0,
        }
    }

    fn begin(&mut self, tasks: u32) {
        self.largest = u64::from(tasks).div_ceil(2 * (self.each.len() as u64).max(1)) as u32;
    }

    fn chunk(&mut self, worker: u32, left: u32) -> u32 {
        let size = match self.each[worker as usize].mean() {
            None => PROBE.min(u64::from(left).div_ceil(2 * self.each.len() as u64) as u32),
            Some(mean) => {
                // As if all workers were measured, the others being like the mean of these.
                let scale = self.each.len() as f64 / f64::from(self.measured);
                let d = (scale * self.spread).max(0.0);
                let t_r = f64::from(left) / (scale * self.rate);
                rounded_up((d + 2.0 * t_r - (d * d + 4.0 * d * t_r).sqrt()) / (2.0 * mean)).min(self.largest)
            }
        };
        size.max(self.least).min(left)
    }

    fn observe(&mut self, worker: u32, report: &ChunkReport) {
        let sums = &mut self.each[worker as usize];
        let before = sums.terms();
        sums.tasks += f64::from(report.tasks);
        sums.seconds += report.seconds;
        sums.squares += report.squares;
        if let Some((spread, rate)) = sums.terms() {
            let (old_spread, old_rate) = before.unwrap_or_default();
            self.measured += u32::from(before.is_none());
            self.spread += spread - old_spread;
            self.rate += rate - old_rate;
            self.changes += 1;
        }
        // The sums are computed from scratch now and then, so that rounding errors do not accumulate; per report that
        // costs no more than a few additions.
        if self.changes as usize >= self.each.len() {
            let terms = self.each.iter().filter_map(|sums| sums.terms());
            (self.spread, self.rate) = terms.fold((0.0, 0.0), |sum, term| (sum.0 + term.0, sum.1 + term.1));
            self.changes = 0;
        }
    }
}
