//! Links whose bandwidth the messages that cross them share fairly.
//!
//! Inside a cluster each node has a link up and a link down of the given bandwidth; between two clusters one link each
//! way is shared by all messages between them, besides the links of the nodes. A message waits its latency, then its
//! bytes flow at the max–min fair rate. [`SharedLinks`](crate::cluster::SharedLinks) solves all rates anew whenever a
//! message starts or ends.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ticks_per_byte;
use crate::units::{BytesPerSecond, Quantity, Seconds, Tick, Time, round_up};

/// `model = "fair"`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Parameters {
    /// Latency of the whole way, before the first byte flows.
    pub latency: Seconds,
    /// Bandwidth of each node's link up and link down; between clusters, of the link they share.
    pub bandwidth: BytesPerSecond,
}

/// The model, in ticks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fair {
    latency: Time,
    ticks_per_byte: f64,
}

impl Fair {
    /// From the parameters of a scenario.
    ///
    /// # Errors
    /// Where the bandwidth is zero.
    pub fn new(parameters: &Parameters, tick: Tick) -> Result<Self, String> {
        let ticks_per_byte = ticks_per_byte(parameters.bandwidth, tick)?;
        Ok(Self { latency: tick.time(parameters.latency.base()), ticks_per_byte })
    }

    /// The time before the first byte flows.
    #[must_use]
    pub const fn latency(&self) -> Time {
        self.latency
    }

    /// The bandwidth, in bytes a tick.
    #[must_use]
    pub fn capacity(&self) -> f64 {
        1.0 / self.ticks_per_byte
    }

    /// How long `bytes` flow where nothing else does.
    #[must_use]
    pub fn alone(&self, bytes: u64) -> Time {
        round_up(self.ticks_per_byte * bytes as f64)
    }
}
