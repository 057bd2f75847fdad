//! A latency and a bandwidth: the common part of delay, Hockney, LMO and fair sharing.

use super::NetworkError;
use hetsim_base::units::{BytesPerSecond, Quantity, Seconds, Tick, Time, round_up};

/// The parameters of a link, in ticks: α, and β per byte.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct AlphaBeta {
    /// Latency α.
    pub(super) latency: Time,
    /// β, the inverse of the bandwidth, in ticks per byte.
    pub(super) ticks_per_byte: f64,
    /// The tick of both.
    pub(super) tick: Tick,
}

impl AlphaBeta {
    /// The parameters of a scenario, converted to ticks.
    ///
    /// # Errors
    /// If the bandwidth is zero.
    pub(super) fn new(latency: Seconds, bandwidth: BytesPerSecond, tick: Tick) -> Result<Self, NetworkError> {
        if bandwidth.base() > 0.0 {
            let ticks_per_byte = tick.per_second() / bandwidth.base();
            Ok(Self { latency: tick.time(latency.base()), ticks_per_byte, tick })
        } else {
            Err(NetworkError::NotPositive { key: "bandwidth" })
        }
    }

    /// βm, rounded up to a tick.
    #[inline]
    pub(super) fn time(&self, bytes: u64) -> Time {
        round_up(self.ticks_per_byte * bytes as f64)
    }
}
