//! `LogGP`'s parameters from the smallest messages and trains of all sizes.

use super::error::FitError;
use super::estimate::Estimate;
use super::line::Line;
use super::logp::{overhead, smallest};
use super::samples::{PairSamples, Series};

/// `LogGP` (Alexandrov et al., SPAA 1995): L + 2o + (m − 1)G, and a message each g + (m − 1)G.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Loggp {
    /// Latency L, in seconds; both overheads with it where those are not known.
    pub latency: Estimate,
    /// Overhead o, in seconds: the mean of the sender's and the receiver's. Nothing where they were not measured.
    pub overhead: Option<Estimate>,
    /// Gap g, in seconds.
    pub gap: Estimate,
    /// Gap per byte G, in seconds.
    pub gap_per_byte: Estimate,
}

const MODEL: &str = "LogGP";

impl Loggp {
    /// g and G are the line through the gaps over m − 1; where a gap is no longer than the sender's overhead, which it can't
    /// be shorter than, it says nothing of either and is left out. L is what overheads and bytes leave of half the round trip
    /// of the smallest message.
    ///
    /// # Errors
    /// Where there are no round trips, or gaps of fewer than two sizes.
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

    /// L + 2o + (m − 1)G, in seconds.
    #[must_use]
    pub fn hop(&self, bytes: u64) -> f64 {
        let ends = 2.0 * self.overhead.map_or(0.0, |overhead| overhead.value);
        self.latency.value + ends + self.gap_per_byte.value * bytes.saturating_sub(1) as f64
    }

    /// max(o, g + (m − 1)G), in seconds.
    #[must_use]
    pub fn gap(&self, bytes: u64) -> f64 {
        let gap = self.gap.value + self.gap_per_byte.value * bytes.saturating_sub(1) as f64;
        gap.max(self.overhead.map_or(0.0, |overhead| overhead.value))
    }
}
