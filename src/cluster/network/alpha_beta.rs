//! A latency and a bandwidth: what delay, Hockney, LMO and fair sharing have in common.

use super::NetworkError;
use crate::units::{BytesPerSecond, Quantity, Seconds, Tick, Time, round_up};

/// The two lengths of a wire, in ticks: α, and β for each byte.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct AlphaBeta {
    /// Latency α.
    pub(super) latency: Time,
    /// β, the inverse of the bandwidth.
    pub(super) ticks_per_byte: f64,
    /// The tick that they count.
    pub(super) tick: Tick,
}

impl AlphaBeta {
    /// From the parameters of a scenario.
    ///
    /// # Errors
    /// Where the bandwidth is zero.
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
