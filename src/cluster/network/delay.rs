//! A latency and a bandwidth, with unlimited ports: any number of messages pass at once, each in α + βm.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Transfer, ticks_per_byte};
use crate::units::{BytesPerSecond, Quantity, Seconds, Tick, Time, round_up};

/// `model = "delay"`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Parameters {
    /// Latency α: the time of an empty message.
    pub latency: Seconds,
    /// Bandwidth 1/β: each byte adds its inverse.
    pub bandwidth: BytesPerSecond,
}

/// The model, in ticks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Delay {
    latency: Time,
    ticks_per_byte: f64,
}

impl Delay {
    /// From the parameters of a scenario.
    ///
    /// # Errors
    /// Where the bandwidth is zero.
    pub fn new(parameters: &Parameters, tick: Tick) -> Result<Self, String> {
        let ticks_per_byte = ticks_per_byte(parameters.bandwidth, tick)?;
        Ok(Self { latency: tick.time(parameters.latency.base()), ticks_per_byte })
    }

    /// α + βm, with nobody busy.
    #[inline]
    #[must_use]
    pub fn transfer(&self, bytes: u64) -> Transfer {
        Transfer { wire: round_up(self.ticks_per_byte * bytes as f64), latency: self.latency, ..Transfer::default() }
    }
}
