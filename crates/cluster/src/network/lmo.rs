//! The model of Lastovetsky, Mkwawa and O'Flynn (ICPADS 2006), which separates the costs of processors from those of
//! the link.
//!
//! A message costs `C_i + t_i·m` at the sender, `L_ij + m/b_ij` on the link and `C_j + t_j·m` at the receiver; the
//! sender may continue after its own part. (The form with L_ij is that of the authors' later papers; it is quoted from
//! memory in our notes, and checked only against first principles.)

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::alpha_beta::AlphaBeta;
use super::{Delivery, NetworkError, NetworkModel, Transfer};
use hetsim_base::units::{BytesPerSecond, Quantity, Seconds, SecondsPerByte, Tick, Time, round_up};

/// `model = "lmo"`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LmoParameters {
    /// Fixed processing delay C of a node, per message.
    pub processing: Seconds,
    /// Processing time t of a node, per byte.
    pub processing_per_byte: SecondsPerByte,
    /// Fixed delay L of the link.
    pub latency: Seconds,
    /// Transmission rate b of the link.
    pub bandwidth: BytesPerSecond,
    /// C of the receiving node, if it differs from the sender's.
    #[serde(default)]
    pub receiver_processing: Option<Seconds>,
    /// t of the receiving node, if it differs from the sender's.
    #[serde(default)]
    pub receiver_processing_per_byte: Option<SecondsPerByte>,
}

/// The processing of a message at a node.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Processing {
    fixed: Time,
    per_byte: f64,
}

impl Processing {
    fn new(fixed: Seconds, per_byte: SecondsPerByte, tick: Tick) -> Self {
        Self { fixed: tick.time(fixed.base()), per_byte: per_byte.base() * tick.per_second() }
    }

    fn of(self, bytes: u64) -> Time {
        self.fixed + round_up(self.per_byte * bytes as f64)
    }
}

/// The model, in ticks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lmo {
    sender: Processing,
    receiver: Processing,
    link: AlphaBeta,
}

impl Lmo {
    /// The model of a scenario's parameters.
    ///
    /// # Errors
    /// If the bandwidth is zero.
    pub fn new(p: &LmoParameters, tick: Tick) -> Result<Self, NetworkError> {
        Ok(Self {
            sender: Processing::new(p.processing, p.processing_per_byte, tick),
            receiver: Processing::new(
                p.receiver_processing.unwrap_or(p.processing),
                p.receiver_processing_per_byte.unwrap_or(p.processing_per_byte),
                tick,
            ),
            link: AlphaBeta::new(p.latency, p.bandwidth, tick)?,
        })
    }
}

impl NetworkModel for Lmo {
    fn tick(&self) -> Option<Tick> {
        Some(self.link.tick)
    }

    /// The sum of the three parts; the sender continues after the first.
    #[inline]
    fn delivery(&self, bytes: u64) -> Delivery {
        let (sending, receiving) = (self.sender.of(bytes), self.receiver.of(bytes));
        Delivery::Closed(Transfer {
            overhead: sending,
            injection: sending,
            transmission: self.link.time(bytes),
            latency: self.link.latency,
            tail: receiving,
            receive_overhead: receiving,
            ..Transfer::default()
        })
    }

    fn constant_receive_overhead(&self) -> Option<Time> {
        (self.receiver.per_byte == 0.0).then_some(self.receiver.fixed)
    }
}
