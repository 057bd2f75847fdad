//! The model of Lastovetsky, Mkwawa and O'Flynn (ICPADS 2006): what the processors do is told apart from the wire.
//!
//! A message costs `C_i + t_i·m` at the sender, `L_ij + m/b_ij` on the wire and `C_j + t_j·m` at the receiver; the sender
//! may go on after its own part. (The form with L_ij is that of the authors' later papers; quoted from memory in our
//! notes, and checked only against first principles.)

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::alpha_beta::AlphaBeta;
use super::{NetworkError, Transfer};
use crate::units::{BytesPerSecond, Quantity, Seconds, SecondsPerByte, Tick, Time, round_up};

/// `model = "lmo"`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LmoParameters {
    /// Fixed processing delay C of a node, for each message.
    pub processing: Seconds,
    /// Processing t of a node, for each byte.
    pub processing_per_byte: SecondsPerByte,
    /// Fixed delay L of the wire.
    pub latency: Seconds,
    /// Transmission rate b of the wire.
    pub bandwidth: BytesPerSecond,
    /// C of the receiving node, where it differs from the sender's.
    #[serde(default)]
    pub receiver_processing: Option<Seconds>,
    /// t of the receiving node, where it differs from the sender's.
    #[serde(default)]
    pub receiver_processing_per_byte: Option<SecondsPerByte>,
}

/// What a processor does with a message.
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
    wire: AlphaBeta,
}

impl Lmo {
    /// From the parameters of a scenario.
    ///
    /// # Errors
    /// Where the bandwidth is zero.
    pub fn new(p: &LmoParameters, tick: Tick) -> Result<Self, NetworkError> {
        Ok(Self {
            sender: Processing::new(p.processing, p.processing_per_byte, tick),
            receiver: Processing::new(
                p.receiver_processing.unwrap_or(p.processing),
                p.receiver_processing_per_byte.unwrap_or(p.processing_per_byte),
                tick,
            ),
            wire: AlphaBeta::new(p.latency, p.bandwidth, tick)?,
        })
    }

    /// The tick that it counts.
    #[must_use]
    pub const fn tick(&self) -> Tick {
        self.wire.tick
    }

    /// The sum of the three parts; the sender goes on after the first.
    #[must_use]
    pub fn transfer(&self, bytes: u64) -> Transfer {
        let (sending, receiving) = (self.sender.of(bytes), self.receiver.of(bytes));
        Transfer {
            overhead: sending,
            injection: sending,
            wire: self.wire.time(bytes),
            latency: self.wire.latency,
            tail: receiving,
            receive_overhead: receiving,
            ..Transfer::default()
        }
    }

    /// The receiver's overhead, where it does not depend on the size.
    #[must_use]
    pub fn constant_receive_overhead(&self) -> Option<Time> {
        (self.receiver.per_byte == 0.0).then_some(self.receiver.fixed)
    }
}
