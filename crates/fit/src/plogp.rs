//! Fits parametrised `LogP` to trains and delayed ping-pongs of all sizes.

use super::error::FitError;
use super::estimate::Estimate;
use super::logp::smallest;
use super::samples::PairSamples;
use super::table::SizeTable;

/// `pLogP` (Kielmann et al. 2001): L + g(m) per message, and one message every g(m).
#[derive(Debug, Clone, PartialEq)]
pub struct Plogp {
    /// The latency L in seconds.
    pub latency: Estimate,
    /// The gap g(m).
    pub gap: SizeTable,
    /// The sender's overhead os(m); empty if it was not measured.
    pub send_overhead: SizeTable,
    /// The receiver's overhead or(m); empty if it was not measured.
    pub receive_overhead: SizeTable,
}

const MODEL: &str = "pLogP";

impl Plogp {
    /// Takes the tables as measured, and L = (RTT(m₀) − 2g(m₀))/2 from the smallest message (Kielmann, Bal, Verstoep,
    /// IPDPS workshops 2000).
    ///
    /// # Errors
    /// No round trips or no gaps.
    pub fn fit(pair: &PairSamples) -> Result<Self, FitError> {
        let (bytes, round_trip) = smallest(&pair.round_trips, MODEL, "round trips")?;
        let (least, first) = smallest(&pair.gaps, MODEL, "gaps of saturated trains")?;
        let gap = SizeTable::of(&pair.gaps);
        // For a round trip of a size without a gap: interpolate the table, with the error of its first point.
        let between = Estimate { value: gap.at(bytes).unwrap_or(first.value), ..first };
        let of_smallest = if bytes == least { first } else { gap.exactly(bytes).unwrap_or(between) };
        Ok(Self {
            latency: Estimate::combined(&[(0.5, round_trip), (-1.0, of_smallest)]),
            gap,
            send_overhead: SizeTable::of(&pair.send_overheads),
            receive_overhead: SizeTable::of(&pair.receive_overheads),
        })
    }

    /// L + g(m) in seconds.
    #[must_use]
    pub fn hop(&self, bytes: u64) -> f64 {
        self.latency.value + self.gap.at(bytes).unwrap_or(0.0)
    }

    /// max(g(m), os(m)) in seconds.
    #[must_use]
    pub fn gap(&self, bytes: u64) -> f64 {
        self.gap.at(bytes).unwrap_or(0.0).max(self.send_overhead.at(bytes).unwrap_or(0.0))
    }
}
