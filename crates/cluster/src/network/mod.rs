//! Network models: the cost of a message from one node to another.
//!
//! A *closed* model answers at once with a [`Transfer`]: the time that a message takes of the sender's processor and
//! port, its time in flight, and the time that it takes of the receiver. A *flow* model ([`fair`]) only lists the
//! shared links that the message crosses; its arrival depends on the other messages there. A model is one file and two
//! lines here: its module, and its entry in `models!` below.

pub mod costs;
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
mod by_size;
mod error;

pub(crate) use by_size::ascending;
pub use costs::Costs;
pub use error::NetworkError;
pub use fair::Fair;
pub use fitted::Refusal;

use std::fmt;
use std::sync::Arc;

use crate::topology::Topology;
use hetsim_base::units::{Tick, Time};

/// The cost of one message under a closed model.
///
/// The sender's processor is busy for `overhead`. Its port starts `injection` after the processor, once it is free, and
/// is held as `port` says. The message is delivered `transmission + latency + tail` after the port's start; for the
/// last `receive_overhead` of that time the receiver's processor is busy.
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
    /// The rendezvous before the message; `None` for an eager one.
    pub handshake: Option<Handshake>,
}

/// The rendezvous of a message: a request and its answer, which comes when the receive is posted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Handshake {
    /// The part of the flight that request and answer take together, one half each.
    pub time: Time,
    /// Whether the sender goes on at once and leaves the message to a buffer.
    pub buffered: bool,
    /// How long after the last byte has come its sender learns of that; zero for a buffered one.
    pub confirmation: Time,
}

impl Handshake {
    /// The time until the request is at the receiver, and that of the answer.
    pub(crate) fn halves(self) -> [Time; 2] {
        let there = Time(self.time.0 / 2);
        [there, self.time - there]
    }
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

    /// The part of the flight that neither scales with the bandwidth nor occupies a processor or a port: from the
    /// port's start, or from the answer of a rendezvous that is `granted`.
    #[must_use]
    pub(crate) fn flight(&self, granted: bool) -> Time {
        let whole = self.latency + self.tail - self.receive_overhead;
        match self.handshake {
            Some(handshake) if granted => whole - handshake.time,
            _ => whole,
        }
    }

    /// The rest of a message whose rendezvous is granted.
    pub(crate) fn granted(self) -> Self {
        let (latency, tail) = (self.flight(true), self.receive_overhead);
        Self { overhead: Time::ZERO, injection: Time::ZERO, latency, tail, ..self }
    }

    /// The time between consecutive sends of a node that does nothing else.
    #[must_use]
    pub fn gap(&self) -> Time {
        self.overhead.max(self.held())
    }

    /// For how long it holds the ports of its nodes.
    pub(crate) fn held(&self) -> Time {
        match self.port {
            Port::Free => Time::ZERO,
            Port::Gap(gap) => gap,
            Port::UntilDelivered => self.transmission + self.latency + self.tail,
        }
    }
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
    /// Over shared links: its bytes flow after its latency and its tail, at the rate of its `transmission` at most. It
    /// holds no port.
    Flow(Transfer),
    /// Not at all: the model gives no time for it.
    Refused(Refusal),
}

/// Which messages a model [delivers](NetworkModel::delivery).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// [Closed](Delivery::Closed) ones.
    Closed,
    /// [Streamed](Delivery::Streamed) ones.
    Streamed,
    /// [Bounded](Delivery::Bounded) ones.
    Bounded,
    /// [Flows](Delivery::Flow).
    Flow,
}

/// The interface of each model's file, and of a model of your own, which becomes a [`Model`] by [`Model::own`].
pub trait NetworkModel: fmt::Debug + Send + Sync {
    /// The tick for which the model was made; `None` if it has no times.
    fn tick(&self) -> Option<Tick>;

    /// How a message of `bytes` is delivered: as the [class](Self::class) says, or [not at all](Delivery::Refused).
    fn delivery(&self, bytes: u64) -> Delivery;

    /// The same if nothing is sent: a query of the cost causes no warning.
    fn query(&self, bytes: u64) -> Delivery {
        self.delivery(bytes)
    }

    /// Which messages the model delivers.
    fn class(&self) -> Class {
        Class::Closed
    }

    /// The receiver's overhead, if it is equal for every message and may be counted as part of the flight.
    fn constant_receive_overhead(&self) -> Option<Time> {
        None
    }

    /// The links that messages share, for a model of class [`Class::Flow`].
    fn shared_links(&self) -> Option<&Fair> {
        None
    }

    /// What messages cost besides the links that they share, for a model of class [`Class::Flow`].
    fn costs(&self) -> Option<&Costs> {
        None
    }
}

/// Makes the parameters and the models from the same lines, so that no message costs a virtual call.
macro_rules! models {
    ($($name:literal => $Model:ident($module:ident::$Parameters:ident): $about:literal,)+) => {
        hetsim_base::registry! {
            /// The parameters of a network model in a scenario.
            pub enum Parameters by "model" {
                $($name => $Model($module::$Parameters): $about,)+
            }
        }

        /// A network model, its parameters in ticks.
        #[derive(Debug, Clone)]
        #[non_exhaustive]
        pub enum Model {
            $(#[doc = $about] $Model($module::$Model),)+
            /// A model of your own. Each of its messages costs a virtual call.
            Own(Arc<dyn NetworkModel>),
        }

        impl Model {
            /// The model of `parameters`, on a clock of `tick`.
            ///
            /// # Errors
            /// If a parameter is out of range, or does not fit the others.
            pub fn new(parameters: &Parameters, tick: Tick) -> Result<Self, NetworkError> {
                Ok(match parameters { $(Parameters::$Model(p) => Self::$Model($module::$Model::new(p, tick)?)),+ })
            }
        }

        impl PartialEq for Model {
            fn eq(&self, other: &Self) -> bool {
                match (self, other) {
                    $((Self::$Model(one), Self::$Model(other)) => one == other,)+
                    (Self::Own(one), Self::Own(other)) => Arc::ptr_eq(one, other),
                    _ => false,
                }
            }
        }

        impl Model {
            /// The tick for which the model was made; `None` if it has no times.
            #[must_use]
            pub fn tick(&self) -> Option<Tick> {
                models!(@each self, tick() $($Model)+)
            }

            /// How a message of `bytes` is delivered.
            #[inline]
            #[must_use]
            pub fn delivery(&self, bytes: u64) -> Delivery {
                models!(@each self, delivery(bytes) $($Model)+)
            }

            /// The same if nothing is sent: a query of the cost causes no warning.
            #[inline]
            #[must_use]
            pub fn query(&self, bytes: u64) -> Delivery {
                models!(@each self, query(bytes) $($Model)+)
            }

            /// Which messages the model delivers.
            #[inline]
            #[must_use]
            pub fn class(&self) -> Class {
                models!(@each self, class() $($Model)+)
            }

            /// The receiver's overhead, if it is equal for every message and may be counted as part of the flight.
            pub(crate) fn constant_receive_overhead(&self) -> Option<Time> {
                models!(@each self, constant_receive_overhead() $($Model)+)
            }

            /// The links that messages share, for a model of class [`Class::Flow`].
            #[inline]
            #[must_use]
            pub fn shared_links(&self) -> Option<&Fair> {
                models!(@each self, shared_links() $($Model)+)
            }

            /// What messages cost besides the links that they share, for a model of class [`Class::Flow`].
            #[must_use]
            pub fn costs(&self) -> Option<&Costs> {
                models!(@each self, costs() $($Model)+)
            }
        }
    };
    (@each $model:ident, $method:ident $arguments:tt $($Model:ident)+) => {
        match $model {
            $(Self::$Model(model) => model.$method $arguments,)+
            Self::Own(model) => model.$method $arguments,
        }
    };
}

models! {
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

impl Model {
    /// A model of your own.
    #[must_use]
    pub fn own(model: impl NetworkModel + 'static) -> Self {
        Self::Own(Arc::new(model))
    }

    /// Whether a model of your own delivers as its class says, judged by the empty message.
    pub(crate) fn is_consistent(&self) -> bool {
        let delivered = match self.query(0) {
            Delivery::Closed(_) => Class::Closed,
            Delivery::Streamed(_) => Class::Streamed,
            Delivery::Bounded(..) => Class::Bounded,
            Delivery::Flow(_) => Class::Flow,
            Delivery::Refused(_) => return true,
        };
        delivered == self.class() && (self.class() == Class::Flow || self.shared_links().is_none())
    }

    /// Whether the cost of a message is independent of others in flight.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        matches!(self.class(), Class::Closed | Class::Streamed)
    }

    /// Whether messages [stream](Delivery::Streamed) into their receivers.
    #[must_use]
    pub fn is_streamed(&self) -> bool {
        self.class() == Class::Streamed
    }

    /// Whether messages flow over shared links.
    #[must_use]
    pub fn is_flow(&self) -> bool {
        self.class() == Class::Flow
    }

    /// The topology of the shared links, if given.
    #[must_use]
    pub fn topology(&self) -> Option<&Topology> {
        self.shared_links()?.topology()
    }

    /// The bytes that a library adds to each message. What is asked of a model counts them already.
    #[inline]
    #[must_use]
    pub fn envelope(&self) -> u64 {
        match self {
            Self::Protocol(protocol) => protocol.envelope(),
            model => model.costs().map_or(0, Costs::envelope),
        }
    }

    /// What a message costs besides its flow over shared links.
    #[inline]
    pub(crate) fn flow_costs(&self, bytes: u64) -> Transfer {
        if let Delivery::Flow(costs) = self.query(bytes) { costs } else { Transfer::default() }
    }

    /// Whether the sender of a message over shared links goes on when it has handed it over; otherwise when its bytes
    /// have flowed.
    pub(crate) fn sends_eagerly(&self, bytes: u64) -> bool {
        let is_left = |handshake: Option<Handshake>| handshake.is_none_or(|handshake| handshake.buffered);
        self.costs().is_some_and(|costs| costs.any() && is_left(costs.handshake(bytes)))
    }

    /// Why a message of `bytes` cannot be carried, if it cannot.
    #[must_use]
    pub fn refusal(&self, bytes: u64) -> Option<Refusal> {
        if let Delivery::Refused(why) = self.query(bytes) { Some(why) } else { None }
    }

    /// The cost of an unhindered message; one that cannot be carried never arrives. With a topology or routes the cost
    /// depends on the two nodes: see [`Platform::transfer`](crate::Platform::transfer).
    #[must_use]
    pub fn transfer(&self, bytes: u64) -> Transfer {
        match self.query(bytes) {
            Delivery::Refused(_) => Transfer { transmission: Time::NEVER, ..Transfer::default() },
            Delivery::Closed(transfer) | Delivery::Streamed(transfer) | Delivery::Bounded(transfer, _) => transfer,
            Delivery::Flow(transfer) => {
                let alone = self.shared_links().map_or(Time::ZERO, |links| links.alone(bytes));
                Transfer { transmission: transfer.transmission.max(alone), ..transfer }
            }
        }
    }
}
