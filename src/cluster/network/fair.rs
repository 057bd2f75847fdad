//! Links whose bandwidth the messages that cross them share fairly.
//!
//! Inside a cluster each node has a link up and a link down of the given bandwidth, unless a
//! [topology] says what links there are; between two clusters one link each way is shared by all
//! messages between them, besides the links of the nodes. Where there are levels inside a cluster, each group of a level has
//! a link up and a link down to the network around it, of that network's bandwidth. A message waits its latency, then its
//! bytes flow at the max–min fair rate, which a [solver](crate::cluster::maxmin) keeps up to date.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::NetworkError;
use super::alpha_beta::AlphaBeta;
use crate::cluster::topology::{self, Topology};
use crate::units::{BytesPerSecond, Quantity, Seconds, Tick, Time};

/// `model = "fair"`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FairParameters {
    /// Latency of the whole way, before the first byte flows; where there is a `topology`, of each of its links.
    pub latency: Seconds,
    /// Bandwidth of each node's link up and link down, or of each link of the `topology`; between clusters, of the link they
    /// share.
    pub bandwidth: BytesPerSecond,
    /// What links there are inside a cluster, and the way of a message over them. Only for a cluster's own network; without
    /// it the cluster is a star.
    #[serde(default)]
    pub topology: Option<topology::Parameters>,
}

/// The model, in ticks.
#[derive(Debug, Clone, PartialEq)]
pub struct Fair {
    wire: AlphaBeta,
    bandwidth: f64,
    topology: Option<Arc<Topology>>,
}

impl Fair {
    /// From the parameters of a scenario; a topology is [given](Self::with_topology) beside it, by who knows the nodes.
    ///
    /// # Errors
    /// Where the bandwidth is zero.
    pub fn new(parameters: &FairParameters, tick: Tick) -> Result<Self, NetworkError> {
        let wire = AlphaBeta::new(parameters.latency, parameters.bandwidth, tick)?;
        Ok(Self { wire, bandwidth: parameters.bandwidth.base(), topology: None })
    }

    /// The tick that it counts.
    #[must_use]
    pub const fn tick(&self) -> Tick {
        self.wire.tick
    }

    /// The same model with its links laid as a topology says, which tells their latencies and bandwidths.
    #[must_use]
    pub fn with_topology(self, topology: Topology) -> Self {
        Self { topology: Some(Arc::new(topology)), ..self }
    }

    /// What links there are, if it is said.
    #[must_use]
    pub fn topology(&self) -> Option<&Topology> {
        self.topology.as_deref()
    }

    /// The time before the first byte flows, but for what the links of a topology take.
    #[must_use]
    pub const fn latency(&self) -> Time {
        if self.topology.is_some() { Time::ZERO } else { self.wire.latency }
    }

    /// The bandwidth, in bytes a second.
    #[must_use]
    pub const fn bandwidth(&self) -> f64 {
        self.bandwidth
    }

    /// How long `bytes` flow where nothing else does, at this bandwidth.
    #[must_use]
    pub fn alone(&self, bytes: u64) -> Time {
        self.wire.time(bytes)
    }
}
