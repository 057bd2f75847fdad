//! Network models: what a message costs on its way from one node to another.
//!
//! A *closed* model answers at once with a [`Transfer`]: what it takes of the sender's processor and port, how long it
//! flies, what it takes of the receiver. A *flow* model ([`fair`]) only says which shared links the message crosses;
//! when it arrives depends on what else crosses them. One file a model, one line in the registry below.

pub mod delay;
pub mod fair;
pub mod fitted;
pub mod hockney;
pub mod ideal;
pub mod lmo;
pub mod loggp;
pub mod logp;
pub mod plogp;
pub mod protocol;
pub mod routed;

mod alpha_beta;
mod error;

pub use error::NetworkError;

use crate::cluster::topology::Topology;
use crate::units::{Tick, Time};

crate::registry! {
    /// The parameters of a network model, as a scenario gives them.
    pub enum Parameters by "model" {
        "ideal" => Ideal(ideal::IdealParameters): "Messages are free and arrive at once.",
        "delay" => Delay(delay::DelayParameters): "Latency and bandwidth, any number of messages at once (α + βm).",
        "hockney" => Hockney(hockney::HockneyParameters): "Latency and bandwidth, one message at a time a port (Hockney 1994).",
        "logp" => Logp(logp::LogPParameters): "Latency, overhead, gap and a bounded capacity, short messages (Culler et al. 1996).",
        "loggp" => Loggp(loggp::LogGpParameters): "LogP with a gap for each byte of a long message (Alexandrov et al. 1995).",
        "plogp" => Plogp(plogp::PLogPParameters): "Gap and overheads as tables over the message size (Kielmann et al. 2001).",
        "lmo" => Lmo(lmo::LmoParameters): "Costs of the processors apart from those of the wire (Lastovetsky et al. 2006).",
        "protocol" => Protocol(protocol::ProtocolParameters): "Eager and rendezvous protocols, packets, copies: a machine to be measured.",
        "fair" => Fair(fair::FairParameters): "Links shared fairly by the messages that cross them.",
        "routes" => Routed(routed::RoutedParameters): "Named links, shared fairly, and the routes over them.",
        "fitted" => Fitted(fitted::FittedNetworkParameters): "A formula that `hetsim fit` found for the time of a message, one at a time a port.",
    }
}

/// What one message costs under a closed model.
///
/// The sender's processor is busy for `overhead`; its port starts `injection` after the processor did, once it is
/// free, and is held as `port` says; the message is delivered `wire + latency + tail` after the port's start, the last
/// `receive_overhead` of which the receiver's processor is busy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Transfer {
    /// How long the sender's processor is busy.
    pub overhead: Time,
    /// How long after the processor's start the port may start.
    pub injection: Time,
    /// How long the sender's port is held, and the receiver's for as long.
    pub port: Port,
    /// The part of the flight that a link's bandwidth governs.
    pub wire: Time,
    /// The part of the flight that a link's latency governs.
    pub latency: Time,
    /// The part of the flight that neither governs.
    pub tail: Time,
    /// How long the receiver's processor is busy, up to the delivery.
    pub receive_overhead: Time,
}

/// How a message uses the ports of its two nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Port {
    /// Not at all: any number of messages may pass at once.
    #[default]
    Free,
    /// For a gap, stretched as the bandwidth is.
    Gap(Time),
    /// Until it is delivered.
    UntilDelivered,
}

impl Transfer {
    /// From the processor's start to the delivery, when nothing is in the way.
    #[must_use]
    pub fn hop(&self) -> Time {
        self.injection + self.wire + self.latency + self.tail
    }

    /// From one send to the next of a node that does nothing else.
    #[must_use]
    pub fn gap(&self) -> Time {
        match self.port {
            Port::Free => self.overhead,
            Port::Gap(gap) => self.overhead.max(gap),
            Port::UntilDelivered => self.overhead.max(self.wire + self.latency + self.tail),
        }
    }
}

/// A network model, its parameters in ticks.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Model {
    /// See [`ideal`].
    Ideal(ideal::Ideal),
    /// See [`delay`].
    Delay(delay::Delay),
    /// See [`hockney`].
    Hockney(hockney::Hockney),
    /// See [`logp`].
    Logp(logp::Logp),
    /// See [`loggp`].
    Loggp(loggp::Loggp),
    /// See [`plogp`].
    Plogp(plogp::Plogp),
    /// See [`lmo`].
    Lmo(lmo::Lmo),
    /// See [`protocol`].
    Protocol(protocol::Protocol),
    /// See [`fair`].
    Fair(fair::Fair),
    /// See [`routed`].
    Routed(routed::Routed),
    /// See [`fitted`].
    Fitted(fitted::Fitted),
}

/// How a model carries a message.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Delivery {
    /// At a cost that is known at once.
    Closed(Transfer),
    /// Likewise, but it leaves when its sender's processor and port are both free, and its head waits until both of the
    /// receiver's are, which then take it in for `receive_overhead`.
    Streamed(Transfer),
    /// Likewise, but no more than so many messages may be under way to one node.
    Bounded(Transfer, u32),
    /// Through shared links: its latency, after which its bytes start to flow.
    Flow(Time),
    /// Not at all: the model has no time for it.
    Refused(fitted::Refusal),
}

impl Model {
    /// The model of `parameters`, on a clock of `tick`.
    ///
    /// # Errors
    /// Where a parameter is out of range, or does not go with the others.
    pub fn new(parameters: &Parameters, tick: Tick) -> Result<Self, NetworkError> {
        Ok(match parameters {
            Parameters::Ideal(_) => Self::Ideal(ideal::Ideal),
            Parameters::Delay(p) => Self::Delay(delay::Delay::new(p, tick)?),
            Parameters::Hockney(p) => Self::Hockney(hockney::Hockney::new(p, tick)?),
            Parameters::Logp(p) => Self::Logp(logp::Logp::new(p, tick)),
            Parameters::Loggp(p) => Self::Loggp(loggp::Loggp::new(p, tick)),
            Parameters::Plogp(p) => Self::Plogp(plogp::Plogp::new(p, tick)?),
            Parameters::Lmo(p) => Self::Lmo(lmo::Lmo::new(p, tick)?),
            Parameters::Protocol(p) => Self::Protocol(protocol::Protocol::new(p, tick)?),
            Parameters::Fair(p) => Self::Fair(fair::Fair::new(p, tick)?),
            Parameters::Routed(_) => Self::Routed(routed::Routed),
            Parameters::Fitted(p) => Self::Fitted(fitted::Fitted::new(p, tick)?),
        })
    }

    /// The tick of the clock that the model was made for; none where it has no lengths of its own.
    #[must_use]
    pub const fn tick(&self) -> Option<Tick> {
        Some(match self {
            Self::Ideal(_) | Self::Routed(_) => return None,
            Self::Delay(model) => model.tick(),
            Self::Hockney(model) => model.tick(),
            Self::Logp(model) => model.tick(),
            Self::Loggp(model) => model.tick(),
            Self::Plogp(model) => model.tick(),
            Self::Lmo(model) => model.tick(),
            Self::Protocol(model) => model.tick(),
            Self::Fair(model) => model.tick(),
            Self::Fitted(model) => model.tick(),
        })
    }

    /// How a message of `bytes` is carried.
    #[inline]
    #[must_use]
    pub fn carriage(&self, bytes: u64) -> Delivery {
        match self {
            Self::Loggp(model) if model.is_streamed() => Delivery::Streamed(model.transfer(bytes)),
            Self::Loggp(model) => Delivery::Closed(model.transfer(bytes)),
            Self::Plogp(model) => Delivery::Closed(model.transfer(bytes)),
            Self::Ideal(model) => Delivery::Closed(model.transfer()),
            Self::Delay(model) => Delivery::Closed(model.transfer(bytes)),
            Self::Hockney(model) => Delivery::Closed(model.transfer(bytes)),
            Self::Lmo(model) => Delivery::Closed(model.transfer(bytes)),
            Self::Protocol(model) => Delivery::Closed(model.transfer(bytes)),
            Self::Logp(model) => match model.capacity() {
                Some(capacity) => Delivery::Bounded(model.transfer(), capacity),
                None => Delivery::Closed(model.transfer()),
            },
            Self::Fair(model) => Delivery::Flow(model.latency()),
            Self::Routed(_) => Delivery::Flow(Time::ZERO),
            Self::Fitted(model) => model.send(bytes).map_or_else(Delivery::Refused, Delivery::Closed),
        }
    }

    /// Whether what a message costs is known at once, whatever else is under way.
    #[must_use]
    pub const fn is_closed(&self) -> bool {
        match self {
            Self::Logp(model) => model.capacity().is_none(),
            Self::Fair(_) | Self::Routed(_) => false,
            _ => true,
        }
    }

    /// Whether messages [stream](Delivery::Streamed) into their receivers.
    #[must_use]
    pub const fn is_streamed(&self) -> bool {
        matches!(self, Self::Loggp(model) if model.is_streamed())
    }

    /// Whether messages flow over links that they share.
    #[must_use]
    pub const fn is_flow(&self) -> bool {
        matches!(self, Self::Fair(_) | Self::Routed(_))
    }

    /// The topology of the links that messages share, if one is given.
    #[must_use]
    pub fn topology(&self) -> Option<&Topology> {
        if let Self::Fair(model) = self { model.topology() } else { None }
    }

    /// Why a message of `bytes` can't be carried, if it can't.
    #[must_use]
    pub fn refusal(&self, bytes: u64) -> Option<fitted::Refusal> {
        if let Self::Fitted(model) = self { model.transfer(bytes).err() } else { None }
    }

    /// The cost of a message alone in the network; one that can't be carried never arrives. Where the links have a
    /// topology or routes, it depends on the two nodes: [`Platform::transfer`](crate::cluster::Platform::transfer).
    #[must_use]
    pub fn transfer(&self, bytes: u64) -> Transfer {
        // Who only asks what a message would cost is not warned.
        if let Self::Fitted(model) = self {
            return model.transfer(bytes).unwrap_or(Transfer { wire: Time::NEVER, ..Transfer::default() });
        }
        match self.carriage(bytes) {
            Delivery::Refused(_) => Transfer { wire: Time::NEVER, ..Transfer::default() },
            Delivery::Closed(transfer) | Delivery::Streamed(transfer) | Delivery::Bounded(transfer, _) => transfer,
            Delivery::Flow(latency) => {
                let wire = if let Self::Fair(model) = self { model.alone(bytes) } else { Time::ZERO };
                Transfer { wire, latency, ..Transfer::default() }
            }
        }
    }

    /// The receiver's overhead where it is the same for every message and may be counted as part of the flight.
    #[must_use]
    pub fn constant_receive_overhead(&self) -> Option<Time> {
        match self {
            Self::Ideal(_) | Self::Delay(_) | Self::Hockney(_) | Self::Fair(_) | Self::Routed(_) | Self::Fitted(_) => {
                Some(Time::ZERO)
            }
            // A place under the capacity is free on arrival, so the arrival needs an event of its own.
            Self::Logp(model) => model.capacity().is_none().then(|| model.transfer().receive_overhead),
            Self::Loggp(model) => model.constant_receive_overhead(),
            Self::Plogp(model) => model.constant_receive_overhead(),
            Self::Lmo(model) => model.constant_receive_overhead(),
            Self::Protocol(model) => model.constant_receive_overhead(),
        }
    }
}
