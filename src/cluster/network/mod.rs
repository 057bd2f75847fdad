//! Network models: the cost of a message from one node to another.
//!
//! A *closed* model answers at once with a [`Transfer`]: the time that a message takes of the sender's processor and
//! port, its time in flight, and the time that it takes of the receiver. A *flow* model ([`fair`]) only lists the
//! shared links that the message crosses; its arrival depends on the other messages there. A model is one file and one
//! line in the registry below.

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
    /// The parameters of a network model in a scenario.
    pub enum Parameters by "model" {
        "ideal" => Ideal(ideal::IdealParameters): "Messages are free and arrive at once.",
        "delay" => Delay(delay::DelayParameters): "Latency and bandwidth, any number of messages at once (α + βm).",
        "hockney" => Hockney(hockney::HockneyParameters): "Latency and bandwidth, one message at a time per port (Hockney 1994).",
        "logp" => Logp(logp::LogPParameters): "Latency, overhead, gap and a bounded capacity, short messages (Culler et al. 1996).",
        "loggp" => Loggp(loggp::LogGpParameters): "LogP with a gap for each byte of a long message (Alexandrov et al. 1995).",
        "plogp" => Plogp(plogp::PLogPParameters): "Gap and overheads as tables over the message size (Kielmann et al. 2001).",
        "lmo" => Lmo(lmo::LmoParameters): "Costs of the processors separate from those of the link (Lastovetsky et al. 2006).",
        "protocol" => Protocol(protocol::ProtocolParameters): "Eager and rendezvous protocols, packets, copies: a realistic network for measurements.",
        "fair" => Fair(fair::FairParameters): "Links shared fairly by the messages that cross them.",
        "routes" => Routed(routed::RoutedParameters): "Named links, shared fairly, and the routes over them.",
        "fitted" => Fitted(fitted::FittedNetworkParameters): "A formula that `hetsim fit` found for the time of a message, one message at a time per port.",
    }
}

/// The cost of one message under a closed model.
///
/// The sender's processor is busy for `overhead`. Its port starts `injection` after the processor, once it is free, and
/// is held as `port` says. The message is delivered `transmission + latency + tail` after the port's start; for the last
/// `receive_overhead` of that time the receiver's processor is busy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Transfer {
    /// The busy time of the sender's processor.
    pub overhead: Time,
    /// The time from the processor's start to the earliest start of the port.
    pub injection: Time,
    /// The time for which the sender's port is held, and the receiver's for as long.
    pub port: Port,
    /// The part of the flight that scales with a link's bandwidth.
    pub transmission: Time,
    /// The part of the flight that scales with a link's latency.
    pub latency: Time,
    /// The part of the flight that scales with neither.
    pub tail: Time,
    /// The busy time of the receiver's processor, up to the delivery.
    pub receive_overhead: Time,
}

/// The use of the ports of its two nodes by a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Port {
    /// No use: any number of messages may pass at once.
    #[default]
    Free,
    /// For a gap, which scales with the bandwidth.
    Gap(Time),
    /// Until the message is delivered.
    UntilDelivered,
}

impl Transfer {
    /// The time from the processor's start to an unhindered delivery.
    #[must_use]
    pub fn hop(&self) -> Time {
        self.injection + self.transmission + self.latency + self.tail
    }

    /// The time between consecutive sends of a node that does nothing else.
    #[must_use]
    pub fn gap(&self) -> Time {
        match self.port {
            Port::Free => self.overhead,
            Port::Gap(gap) => self.overhead.max(gap),
            Port::UntilDelivered => self.overhead.max(self.transmission + self.latency + self.tail),
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

/// How a model delivers a message.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Delivery {
    /// With a cost that is known at once.
    Closed(Transfer),
    /// With a known cost, but the message leaves when its sender's processor and port are both free, and its head waits
    /// until both of the receiver's are, which then receive it for `receive_overhead`.
    Streamed(Transfer),
    /// With a known cost, but at most this many messages may be in flight to one node.
    Bounded(Transfer, u32),
    /// Over shared links: its latency, after which its bytes start to flow.
    Flow(Time),
    /// Not at all: the model gives no time for it.
    Refused(fitted::Refusal),
}

impl Model {
    /// The model of `parameters`, on a clock of `tick`.
    ///
    /// # Errors
    /// If a parameter is out of range, or does not fit the others.
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

    /// The tick for which the model was made; `None` if it has no times.
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

    /// How a message of `bytes` is delivered.
    #[inline]
    #[must_use]
    pub fn delivery(&self, bytes: u64) -> Delivery {
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

    /// Whether the cost of a message is independent of others in flight.
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

    /// Whether messages flow over shared links.
    #[must_use]
    pub const fn is_flow(&self) -> bool {
        matches!(self, Self::Fair(_) | Self::Routed(_))
    }

    /// The topology of the shared links, if given.
    #[must_use]
    pub fn topology(&self) -> Option<&Topology> {
        if let Self::Fair(model) = self { model.topology() } else { None }
    }

    /// Why a message of `bytes` cannot be carried, if it cannot.
    #[must_use]
    pub fn refusal(&self, bytes: u64) -> Option<fitted::Refusal> {
        if let Self::Fitted(model) = self { model.transfer(bytes).err() } else { None }
    }

    /// The cost of an unhindered message; one that cannot be carried never arrives. With a topology or routes the cost
    /// depends on the two nodes: see [`Platform::transfer`](crate::cluster::Platform::transfer).
    #[must_use]
    pub fn transfer(&self, bytes: u64) -> Transfer {
        // A query of the cost causes no warning.
        if let Self::Fitted(model) = self {
            return model.transfer(bytes).unwrap_or(Transfer { transmission: Time::NEVER, ..Transfer::default() });
        }
        match self.delivery(bytes) {
            Delivery::Refused(_) => Transfer { transmission: Time::NEVER, ..Transfer::default() },
            Delivery::Closed(transfer) | Delivery::Streamed(transfer) | Delivery::Bounded(transfer, _) => transfer,
            Delivery::Flow(latency) => {
                let transmission = if let Self::Fair(model) = self { model.alone(bytes) } else { Time::ZERO };
                Transfer { transmission, latency, ..Transfer::default() }
            }
        }
    }

    /// The receiver's overhead, if it is equal for every message and may be counted as part of the flight.
    #[must_use]
    pub fn constant_receive_overhead(&self) -> Option<Time> {
        match self {
            Self::Ideal(_) | Self::Delay(_) | Self::Hockney(_) | Self::Fair(_) | Self::Routed(_) | Self::Fitted(_) => {
                Some(Time::ZERO)
            }
            // A place under the capacity is freed on arrival, so the arrival needs an event of its own.
            Self::Logp(model) => model.capacity().is_none().then(|| model.transfer().receive_overhead),
            Self::Loggp(model) => model.constant_receive_overhead(),
            Self::Plogp(model) => model.constant_receive_overhead(),
            Self::Lmo(model) => model.constant_receive_overhead(),
            Self::Protocol(model) => model.constant_receive_overhead(),
        }
    }
}
