//! Links whose bandwidth is shared fairly by the messages that cross them.
//!
//! Inside a cluster each node has an uplink and a downlink of the given bandwidth, unless a [topology] defines the
//! links. Between two clusters, one link in each direction is shared by all messages between them, in addition to the
//! links of the nodes. If a cluster has levels, each group of a level has an uplink and a downlink to the network
//! around it, with that network's bandwidth. A message waits for its latency, then its bytes flow at the max–min fair
//! rate, which a [solver](hetsim_maxmin) keeps up to date.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::alpha_beta::AlphaBeta;
use super::costs::Costs;
use super::protocol::ProtocolParameters;
use super::{Class, Delivery, Model, NetworkError, NetworkModel};
use crate::topology::{self, Topology};
use hetsim_base::units::{BytesPerSecond, Quantity, Seconds, Tick, Time, round_up};

/// `model = "fair"`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FairParameters {
    /// Latency of the whole path, before the first byte flows; with a `topology`, latency of each of its links.
    pub latency: Seconds,
    /// Bandwidth of each node's uplink and downlink, or of each link of the `topology`; between clusters, of the link
    /// that they share.
    pub bandwidth: BytesPerSecond,
    /// The links inside a cluster, and the paths of messages over them. Only for a cluster's own network; the default
    /// is a star.
    #[serde(default)]
    pub topology: Option<topology::Parameters>,
    /// How long a message that is sent at once holds the queue of its receiver, at least. Messages to one receiver take
    /// turns, and a sender waits for its turn and until its message is through, as in the memory of a node. Requires
    /// `costs`.
    #[serde(default)]
    pub queue_time: Seconds,
    /// The rate at which messages pass the queue of their receiver. Default: as fast as `queue_time` allows.
    #[serde(default)]
    pub queue_bandwidth: Option<BytesPerSecond>,
    /// What messages cost besides, and their own rate: the keys of `protocol`. Without it a message costs the links
    /// only.
    #[serde(default)]
    pub costs: Option<ProtocolParameters>,
}

/// The model, in ticks.
#[derive(Debug, Clone, PartialEq)]
pub struct Fair {
    link: AlphaBeta,
    bandwidth: f64,
    topology: Option<Arc<Topology>>,
    costs: Costs,
    /// How long a message holds the queue of its receiver: at least, and for each byte, in ticks.
    queue: Option<(Time, f64)>,
}

impl Fair {
    /// The model of a scenario's parameters. A topology is [added](Self::with_topology) separately, since it depends on
    /// the number of nodes.
    ///
    /// # Errors
    /// If a bandwidth is zero, or queues are given without costs.
    pub fn new(parameters: &FairParameters, tick: Tick) -> Result<Self, NetworkError> {
        let link = AlphaBeta::new(parameters.latency, parameters.bandwidth, tick)?;
        let costs = Costs::new(parameters.costs.as_ref(), tick)?;
        let queue = queue(parameters, tick)?;
        Ok(Self { link, bandwidth: parameters.bandwidth.base(), topology: None, costs, queue })
    }

    /// How long a message of so many bytes holds the queue of its receiver, if there are queues.
    #[must_use]
    pub fn queues(&self, bytes: u64) -> Option<Time> {
        self.queue.map(|(least, per_byte)| least.max(round_up(bytes as f64 * per_byte)))
    }

    /// The same links, over which messages cost as under a closed model: its overheads, its latency, its handshake, and
    /// its transmission as the least time of the bytes. Its ports are replaced by the links.
    ///
    /// # Errors
    /// If the model is not [closed](Class::Closed), or is made for another tick.
    pub fn with_costs(self, costs: Model) -> Result<Self, NetworkError> {
        let costs = Costs::of(costs)?;
        let is_on_clock = costs.tick().is_none_or(|tick| tick == self.link.tick);
        if is_on_clock { Ok(Self { costs, ..self }) } else { Err(NetworkError::Costs) }
    }

    /// The same model with the links of a topology, which has latencies and bandwidths of its own.
    #[must_use]
    pub fn with_topology(self, topology: Topology) -> Self {
        Self { topology: Some(Arc::new(topology)), ..self }
    }

    /// The topology of the links, if given.
    #[must_use]
    pub fn topology(&self) -> Option<&Topology> {
        self.topology.as_deref()
    }

    /// The time before the first byte flows, without the latencies of a topology's links.
    #[must_use]
    pub const fn latency(&self) -> Time {
        if self.topology.is_some() { Time::ZERO } else { self.link.latency }
    }

    /// The bandwidth, in bytes per second.
    #[must_use]
    pub const fn bandwidth(&self) -> f64 {
        self.bandwidth
    }

    /// The time of `bytes` alone at this bandwidth.
    #[must_use]
    pub fn alone(&self, bytes: u64) -> Time {
        self.link.time(bytes)
    }
}

/// The least time in a queue, and that for each byte, in ticks.
fn queue(parameters: &FairParameters, tick: Tick) -> Result<Option<(Time, f64)>, NetworkError> {
    let key = match (parameters.queue_time.base() > 0.0, parameters.queue_bandwidth) {
        (false, None) => return Ok(None),
        (true, _) => "queue_time",
        (false, Some(_)) => "queue_bandwidth",
    };
    if parameters.costs.is_none() {
        return Err(NetworkError::Needs { key, other: "costs" });
    }
    let per_byte = match parameters.queue_bandwidth.map(Quantity::base) {
        Some(bandwidth) if bandwidth > 0.0 => tick.per_second() / bandwidth,
        Some(_) => return Err(NetworkError::NotPositive { key: "queue_bandwidth" }),
        None => 0.0,
    };
    Ok(Some((tick.time(parameters.queue_time.base()), per_byte)))
}

impl NetworkModel for Fair {
    fn tick(&self) -> Option<Tick> {
        Some(self.link.tick)
    }

    #[inline]
    fn delivery(&self, bytes: u64) -> Delivery {
        self.costs.delivery(self.latency(), bytes)
    }

    fn class(&self) -> Class {
        Class::Flow
    }

    fn shared_links(&self) -> Option<&Fair> {
        Some(self)
    }

    fn constant_receive_overhead(&self) -> Option<Time> {
        if self.costs.any() { None } else { Some(Time::ZERO) }
    }

    fn costs(&self) -> Option<&Costs> {
        Some(&self.costs)
    }
}
