//! The search for the factor at which a run is longer by a given share.

use hetsim_workload::RunFailure;

/// By how much longer a run may be.
pub(super) const SHARES: [f64; 3] = [0.01, 0.02, 0.05];

/// The maximum number of runs for one tolerance.
const MOST_RUNS: usize = 40;

/// How close to the tolerance the search comes, relative to the part by which the factor exceeds 1.
const CLOSE: f64 = 0.005;

/// The largest factor that is tried.
const MOST: f64 = 100.0;

/// What is known of a part: by how much longer the run is at two factors, between which the tolerance lies.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known {
    low: (f64, f64),
    high: Option<(f64, f64)>,
}

impl Default for Known {
    /// Nothing but the run as it is.
    fn default() -> Self {
        Self { low: (1.0, 0.0), high: None }
    }
}

impl Known {
    /// The largest factor at which the run is longer by `share` at most; `None` if it exceeds [`MOST`].
    ///
    /// The run is longer by `longer` of a factor. Runs that grow with the factor by straight pieces, as they do while
    /// no decision changes, take a few evaluations.
    pub(super) fn tolerated(
        &mut self,
        share: f64,
        longer: impl Fn(f64) -> Result<f64, RunFailure>,
    ) -> Result<Option<f64>, RunFailure> {
        if self.high.is_some_and(|(_, at)| at <= share) {
            self.low = self.high.take().unwrap_or(self.low);
        }
        let mut halve = false;
        for _ in 0..MOST_RUNS {
            let (low, at_low) = self.low;
            if (share - at_low).abs() <= CLOSE * share || low >= MOST {
                break;
            }
            let factor = match self.high {
                None => self.beyond(share),
                Some((high, _)) if high - low <= CLOSE * (low - 1.0).max(CLOSE * share) => break,
                Some((high, _)) if halve => f64::midpoint(low, high),
                // Where the straight line between the ends crosses the share.
                Some((high, at_high)) => low + (high - low) * ((share - at_low) / (at_high - at_low)).clamp(0.02, 0.98),
            };
            halve = self.high.is_some() && !halve;
            let at = longer(factor)?;
            if at <= share * (1.0 + CLOSE) {
                self.low = (factor, at);
            } else {
                self.high = Some((factor, at));
            }
        }
        Ok((self.low.0 < MOST).then_some(self.low.0))
    }

    /// A factor beyond the lower end, where no upper end is known: that at which the run would be longer by `share` if it
    /// grew on as it has so far.
    fn beyond(&self, share: f64) -> f64 {
        let (low, at_low) = self.low;
        let step = if at_low > 0.0 { (low - 1.0) * share / at_low } else { (low - 1.0) * 8.0 };
        // At least a little further, or the search would stand still.
        (1.0 + step.max(share)).max(1.0 + (low - 1.0) * (1.0 + CLOSE)).min(MOST)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell as Counter;

    use super::*;

    /// The factors of all shares, and how many evaluations they took.
    fn tolerated(longer: impl Fn(f64) -> f64) -> ([Option<f64>; 3], u32) {
        let runs = Counter::new(0);
        let mut known = Known::default();
        let evaluate = |factor| {
            runs.set(runs.get() + 1);
            Ok(longer(factor))
        };
        (SHARES.map(|share| known.tolerated(share, evaluate).unwrap()), runs.get())
    }

    #[track_caller]
    fn are_close(found: [Option<f64>; 3], expected: [f64; 3]) {
        for (found, expected) in found.iter().zip(expected) {
            let found = found.unwrap() - 1.0;
            assert!((found / (expected - 1.0) - 1.0).abs() < 0.01, "{found} instead of {expected}");
        }
    }

    #[test]
    fn straight_lines_take_two_runs_a_share() {
        let (found, runs) = tolerated(|factor| 0.25 * (factor - 1.0));
        are_close(found, [1.04, 1.08, 1.2]);
        assert!(runs <= 6, "{runs}");
    }

    #[test]
    fn what_lies_off_the_critical_path_has_slack() {
        // Nothing up to a factor of 3, then 4 % of the run for each further one.
        let (found, runs) = tolerated(|factor| 0.04 * (factor - 3.0).max(0.0));
        are_close(found, [3.25, 3.5, 4.25]);
        assert!(runs <= 40, "{runs}");
    }

    #[test]
    fn a_jump_is_found_from_below() {
        let (found, _) = tolerated(|factor| if factor < 1.5 { 0.0 } else { 0.3 });
        are_close(found, [1.5, 1.5, 1.5]);
        assert!(found.iter().all(|found| found.is_some_and(|factor| factor < 1.5)));
    }

    /// At 1 % the factor is just below the largest that is tried, at 2 % above it.
    #[test]
    fn a_factor_near_the_largest_that_is_tried() {
        let (found, runs) = tolerated(|factor| 0.01 * (factor - 1.0) / 98.9);
        assert!(found[0].is_some_and(|factor| (99.0..100.0).contains(&factor)), "{found:?}");
        assert!(found[1..] == [None, None] && runs <= 40, "{found:?} {runs}");
    }

    #[test]
    fn what_does_not_matter_has_no_tolerance() {
        let (found, runs) = tolerated(|_| 0.0);
        assert_eq!(found, [None; 3]);
        assert!(runs <= 10, "{runs}");
    }
}
