//! Fits Hockney's two parameters to round trips.

use super::error::FitError;
use super::estimate::Estimate;
use super::line::Line;
use super::samples::PairSamples;

/// Hockney's model (Parallel Computing 20, 1994): α + βm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hockney {
    /// The latency α in seconds.
    pub latency: Estimate,
    /// The time β in seconds per byte.
    pub per_byte: Estimate,
}

impl Hockney {
    /// Fits a line through half the round trips.
    ///
    /// # Errors
    /// Round trips of fewer than two sizes.
    pub fn fit(pair: &PairSamples) -> Result<Self, FitError> {
        let line = Line::fit(&pair.round_trips, 0, "Hockney's model", "round trips")?;
        let half = |estimate| Estimate::combined(&[(0.5, estimate)]);
        Ok(Self { latency: half(line.fixed), per_byte: half(line.per_byte) })
    }

    /// α + βm in seconds.
    #[must_use]
    pub fn hop(&self, bytes: u64) -> f64 {
        self.latency.value + self.per_byte.value * bytes as f64
    }
}
