//! Hockney's model (Parallel Computing 20, 1994): a message of m bytes takes α + βm.
//!
//! Ports are single and full duplex: a node sends one message at a time and receives one at a time, each holding the
//! port for the whole α + βm, but may do both at once.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Port, Transfer, ticks_per_byte};
use crate::units::{BytesPerSecond, Quantity, Seconds, Tick, Time, round_up};

/// `model = "hockney"`.
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
pub struct Hockney {
    latency: Time,
    ticks_per_byte: f64,
}

impl Hockney {
    /// From the parameters of a scenario.
    ///
    /// # Errors
    /// Where the bandwidth is zero.
    pub fn new(parameters: &Parameters, tick: Tick) -> Result<Self, String> {
        let ticks_per_byte = ticks_per_byte(parameters.bandwidth, tick)?;
        Ok(Self { latency: tick.time(parameters.latency.base()), ticks_per_byte })
    }

    /// α + βm, the ports held until the delivery.
    #[inline]
    #[must_use]
    pub fn transfer(&self, bytes: u64) -> Transfer {
        Transfer {
            port: Port::UntilDelivered,
            wire: round_up(self.ticks_per_byte * bytes as f64),
            latency: self.latency,
            ..Transfer::default()
        }
    }
}
