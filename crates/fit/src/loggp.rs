//! Fits `LogGP` to the smallest messages and to trains of all sizes.

use super::error::FitError;
use super::estimate::Estimate;
use super::line::Line;
use super::logp::{overhead, smallest};
use super::samples::{PairSamples, Series};

/// `LogGP` (Alexandrov et al., SPAA 1995): L + 2o + (m − 1)G per message, and one message every g + (m − 1)G.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Loggp {
    /// The latency L in seconds; it includes both overheads if these are unknown.
    pub latency: Estimate,
    /// The overhead o in seconds: the mean of the sender's and the receiver's. `None` if they were not measured.
    pub overhead: Option<Estimate>,
    /// The gap g in seconds.
    pub gap: Estimate,
    /// The gap per byte G in seconds.
    pub gap_per_byte: Estimate,
}

const MODEL: &str = "LogGP";

impl Loggp {
    /// Fits g and G as the line through the gaps over m − 1. A gap cannot be shorter than the sender's overhead; if it
    /// is no longer either, it says nothing about g and G and is omitted. L is half the round trip of the smallest
    /// message minus overheads and bytes.
    ///
    /// # Errors
    /// No round trips, or gaps of fewer than two sizes.
    pub fn fit(pair: &PairSamples) -> Result<Self, FitError> {
        let (bytes, round_trip) = smallest(&pair.round_trips, MODEL, "round trips")?;
        let own = pair.send_overheads.iter().find_map(Series::middle).map_or(0.0, |estimate| estimate.value);
        let telling = |series: &&Series| series.middle().is_some_and(|gap| gap.value > 1.01 * own);
        let gaps: Vec<Series> = pair.gaps.iter().filter(telling).cloned().collect();
        let line = Line::fit(&gaps, 1, MODEL, "gaps of saturated trains")?;
        let overhead = overhead(pair);
        let mut parts = vec![(0.5, round_trip), (-(bytes.saturating_sub(1) as f64), line.per_byte)];
        parts.extend(overhead.map(|overhead| (-2.0, overhead)));
        let latency = Estimate::combined(&parts);
        Ok(Self { latency, overhead, gap: line.fixed, gap_per_byte: line.per_byte })
    }

    /// L + 2o + (m − 1)G in seconds.
    #[must_use]
    pub fn hop(&self, bytes: u64) -> f64 {
        let ends = 2.0 * self.overhead.map_or(0.0, |overhead| overhead.value);
        self.latency.value + ends + self.gap_per_byte.value * bytes.saturating_sub(1) as f64
    }

    /// max(o, g + (m − 1)G) in seconds.
    #[must_use]
    pub fn gap(&self, bytes: u64) -> f64 {
        let gap = self.gap.value + self.gap_per_byte.value * bytes.saturating_sub(1) as f64;
        gap.max(self.overhead.map_or(0.0, |overhead| overhead.value))
    }
}
