//! LogGP (Alexandrov et al., SPAA 1995): L + 2o + (m−1)G, and the next send after max(o, g + (m−1)G).
//!
//! Two options give it the semantics of LogGOPSim (Hoefler, Schneider, Lumsdaine, HPDC 2010): an overhead per byte, and
//! a receiver that is busy while the message streams in, so that the message's head arrives after o + L. With the
//! latter, a send starts only when its node's processor and port are both free, and a head waits until both of its
//! receiver's are. The operations that wait at a node start in the order in which messages have started and sends have
//! become possible; a send becomes possible at the beginning of the reception that it follows. These are
//! [`Streamed`](super::Delivery::Streamed) messages. Where receives are posted, the sender of a message beyond S waits
//! until its receive is posted and its head is received. The message itself does not wait, and no answer has to travel.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Class, Delivery, Handshake, NetworkError, NetworkModel, Port, Transfer};
use hetsim_base::units::{Bytes, Quantity, Seconds, SecondsPerByte, Tick, Time, round_up};

/// `model = "loggp"`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LogGpParameters {
    /// Latency L: from the sender's processor to the receiver's.
    pub latency: Seconds,
    /// Overhead o: the time for which each processor is busy with a message.
    pub overhead: Seconds,
    /// Gap g: the minimum time between two short messages of a node.
    pub gap: Seconds,
    /// Gap per byte G: the inverse of the bandwidth of a long message.
    pub gap_per_byte: SecondsPerByte,
    /// Overhead per byte O, for each byte after the first.
    #[serde(default)]
    pub overhead_per_byte: SecondsPerByte,
    /// Whether the receiver's processor is busy while the message streams in, max((m−1)O, (m−1)G) in addition to o, and
    /// sends wait for processor and port at once, as in LogGOPSim.
    #[serde(default)]
    pub receiver_busy: bool,
    /// S: the largest message whose sender does not wait for its receive; any by default. It matters where receives
    /// are posted, and needs `receiver_busy`.
    #[serde(default)]
    pub eager_limit: Option<Bytes>,
}

/// The model, in ticks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Loggp {
    latency: Time,
    overhead: Time,
    gap: Time,
    gap_per_byte: f64,
    overhead_per_byte: f64,
    receiver_busy: bool,
    eager_limit: u64,
    tick: Tick,
}

impl Loggp {
    /// The model of a scenario's parameters.
    ///
    /// # Errors
    /// If there is an `eager_limit` without `receiver_busy`.
    pub fn new(parameters: &LogGpParameters, tick: Tick) -> Result<Self, NetworkError> {
        if parameters.eager_limit.is_some() && !parameters.receiver_busy {
            return Err(NetworkError::Needs { key: "eager_limit", other: "receiver_busy" });
        }
        Ok(Self {
            latency: tick.time(parameters.latency.base()),
            overhead: tick.time(parameters.overhead.base()),
            gap: tick.time(parameters.gap.base()),
            gap_per_byte: parameters.gap_per_byte.base() * tick.per_second(),
            overhead_per_byte: parameters.overhead_per_byte.base() * tick.per_second(),
            receiver_busy: parameters.receiver_busy,
            eager_limit: parameters.eager_limit.map_or(u64::MAX, Bytes::count),
            tick,
        })
    }
}

impl NetworkModel for Loggp {
    fn tick(&self) -> Option<Tick> {
        Some(self.tick)
    }

    /// An empty message costs as much as one byte.
    #[inline]
    fn delivery(&self, bytes: u64) -> Delivery {
        let further = bytes.saturating_sub(1) as f64;
        let stream = round_up(self.gap_per_byte * further);
        let copying =
            if self.overhead_per_byte > 0.0 { round_up(self.overhead_per_byte * further) } else { Time::ZERO };
        // If the receiver is busy while a message streams in, the bandwidth governs that time, and the rest follows it.
        let receiving = if self.receiver_busy { copying.max(stream) } else { copying };
        let receive_overhead = self.overhead + receiving;
        let tail = if self.receiver_busy { receive_overhead - stream } else { receive_overhead };
        let transfer = Transfer {
            overhead: self.overhead + copying,
            injection: self.overhead,
            port: Port::Gap(self.gap + stream),
            transmission: stream,
            latency: self.latency,
            tail,
            receive_overhead,
            handshake: (bytes > self.eager_limit).then(Handshake::default),
        };
        if self.receiver_busy { Delivery::Streamed(transfer) } else { Delivery::Closed(transfer) }
    }

    fn class(&self) -> Class {
        if self.receiver_busy { Class::Streamed } else { Class::Closed }
    }

    fn constant_receive_overhead(&self) -> Option<Time> {
        (!self.receiver_busy && self.overhead_per_byte == 0.0).then_some(self.overhead)
    }
}
