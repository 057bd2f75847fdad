//! Links whose bandwidth the messages that cross them share fairly.
//!
//! Inside a cluster each node has a link up and a link down of the given bandwidth; between two clusters one link each
//! way is shared by all messages between them, besides the links of the nodes. Where there are levels inside a cluster, each
//! group of a level has a link up and a link down to the network around it, of that network's bandwidth. A message waits its latency, then its
//! bytes flow at the max–min fair rate. [`SharedLinks`](crate::cluster::SharedLinks) solves all rates anew whenever a
//! message starts or ends.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::wire::Wire;
use crate::units::{BytesPerSecond, Seconds, Tick, Time};

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
    wire: Wire,
}

impl Fair {
    /// From the parameters of a scenario.
    ///
    /// # Errors
    /// Where the bandwidth is zero.
    pub fn new(parameters: &Parameters, tick: Tick) -> Result<Self, String> {
        Ok(Self { wire: Wire::new(parameters.latency, parameters.bandwidth, tick)? })
    }

    /// The time before the first byte flows.
    #[must_use]
    pub const fn latency(&self) -> Time {
        self.wire.latency
    }

    /// The bandwidth, in bytes a tick.
    #[must_use]
    pub fn capacity(&self) -> f64 {
        1.0 / self.wire.ticks_per_byte
    }

    /// How long `bytes` flow where nothing else does.
    #[must_use]
    pub fn alone(&self, bytes: u64) -> Time {
        self.wire.time(bytes)
    }
}
