//! Fits `LogP` to the smallest messages.

use super::error::FitError;
use super::estimate::Estimate;
use super::samples::{PairSamples, Series};

/// `LogP` (Culler et al. 1996): L + 2o per message, and one message every g.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Logp {
    /// The latency L in seconds; it includes both overheads if these are unknown.
    pub latency: Estimate,
    /// The overhead o in seconds: the mean of the sender's and the receiver's. `None` if they were not measured.
    pub overhead: Option<Estimate>,
    /// The gap g in seconds.
    pub gap: Estimate,
}

/// The estimate at the smallest size of a list.
pub(super) fn smallest(list: &[Series], model: &'static str, what: &'static str) -> Result<(u64, Estimate), FitError> {
    let of = |series: &Series| Some((series.bytes, series.middle()?));
    list.iter().find_map(of).ok_or(FitError::Missing { model, what })
}

/// The mean of both overheads of the smallest message, if both were measured.
pub(super) fn overhead(pair: &PairSamples) -> Option<Estimate> {
    let sending = pair.send_overheads.iter().find_map(Series::middle)?;
    let receiving = pair.receive_overheads.iter().find_map(Series::middle)?;
    Some(Estimate::combined(&[(0.5, sending), (0.5, receiving)]))
}

impl Logp {
    /// Fits g as the gap of the smallest message, o as its overhead, and L as the rest of half its round trip.
    ///
    /// # Errors
    /// No round trips or no gaps.
    pub fn fit(pair: &PairSamples) -> Result<Self, FitError> {
        let (_, round_trip) = smallest(&pair.round_trips, "LogP", "round trips")?;
        let (_, gap) = smallest(&pair.gaps, "LogP", "gaps of saturated trains")?;
        let overhead = overhead(pair);
        let mut parts = vec![(0.5, round_trip)];
        parts.extend(overhead.map(|overhead| (-2.0, overhead)));
        Ok(Self { latency: Estimate::combined(&parts), overhead, gap })
    }

    /// L + 2o in seconds.
    #[must_use]
    pub fn hop(&self) -> f64 {
        self.latency.value + 2.0 * self.overhead.map_or(0.0, |overhead| overhead.value)
    }
}
