//! LogP (Culler et al., Communications of the ACM 39(11), 1996): L + 2o for a short message, whatever its size.
//!
//! At most ⌈L/g⌉ messages may be in flight to one node; a sender whose next message would exceed that stalls until one
//! arrives (its port stalls, not its processor). The bound on messages in flight *from* a node always holds here, since
//! a node sends at most one message per g.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Class, Delivery, NetworkError, NetworkModel, Port, Transfer};
use hetsim_base::units::{Quantity, Seconds, Tick, Time};

/// `model = "logp"`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LogPParameters {
    /// Latency L: from the sender's processor to the receiver's.
    pub latency: Seconds,
    /// Overhead o: the time for which each processor is busy with a message.
    pub overhead: Seconds,
    /// Gap g: the minimum time between two messages of a node, sent or received.
    pub gap: Seconds,
    /// Whether at most ⌈L/g⌉ messages may be in flight to one node.
    #[serde(default = "yes")]
    pub capacity: bool,
}

const fn yes() -> bool {
    true
}

/// The model, in ticks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Logp {
    latency: Time,
    overhead: Time,
    gap: Time,
    capacity: Option<u32>,
    tick: Tick,
}

impl Logp {
    /// The model of a scenario's parameters. Without a gap the capacity is unbounded.
    ///
    /// # Errors
    /// None; all models are made alike.
    pub fn new(parameters: &LogPParameters, tick: Tick) -> Result<Self, NetworkError> {
        let [latency, overhead, gap] =
            [parameters.latency, parameters.overhead, parameters.gap].map(|length| tick.time(length.base()));
        let bounded = parameters.capacity && gap > Time::ZERO;
        let capacity = bounded.then(|| u32::try_from(latency.0.div_ceil(gap.0)).unwrap_or(u32::MAX).max(1));
        Ok(Self { latency, overhead, gap, capacity, tick })
    }
}

impl NetworkModel for Logp {
    fn tick(&self) -> Option<Tick> {
        Some(self.tick)
    }

    /// L + 2o; the next send after max(o, g).
    #[inline]
    fn delivery(&self, _: u64) -> Delivery {
        let transfer = Transfer {
            overhead: self.overhead,
            injection: self.overhead,
            port: Port::Gap(self.gap),
            latency: self.latency,
            tail: self.overhead,
            receive_overhead: self.overhead,
            ..Transfer::default()
        };
        self.capacity.map_or(Delivery::Closed(transfer), |capacity| Delivery::Bounded(transfer, capacity))
    }

    fn class(&self) -> Class {
        if self.capacity.is_some() { Class::Bounded } else { Class::Closed }
    }

    fn constant_receive_overhead(&self) -> Option<Time> {
        // A place under the capacity is freed on arrival, so the arrival needs an event of its own.
        self.capacity.is_none().then_some(self.overhead)
    }
}
