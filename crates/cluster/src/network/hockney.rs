//! Hockney's model (Parallel Computing 20, 1994): a message of m bytes takes α + βm.
//!
//! Ports are single and full duplex: a node sends one message at a time and receives one at a time, each holding the
//! port for the whole α + βm, but may do both at once.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::alpha_beta::AlphaBeta;
use super::{Delivery, NetworkError, NetworkModel, Port, Transfer};
use hetsim_base::units::{BytesPerSecond, Seconds, Tick, Time};

/// `model = "hockney"`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HockneyParameters {
    /// Latency α: the time of an empty message.
    pub latency: Seconds,
    /// Bandwidth 1/β: each byte adds β to the time.
    pub bandwidth: BytesPerSecond,
}

/// The model, in ticks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hockney {
    link: AlphaBeta,
}

impl Hockney {
    /// The model of a scenario's parameters.
    ///
    /// # Errors
    /// If the bandwidth is zero.
    pub fn new(parameters: &HockneyParameters, tick: Tick) -> Result<Self, NetworkError> {
        Ok(Self { link: AlphaBeta::new(parameters.latency, parameters.bandwidth, tick)? })
    }
}

impl NetworkModel for Hockney {
    fn tick(&self) -> Option<Tick> {
        Some(self.link.tick)
    }

    /// α + βm, with the ports held until the delivery.
    #[inline]
    fn delivery(&self, bytes: u64) -> Delivery {
        let (transmission, latency) = (self.link.time(bytes), self.link.latency);
        Delivery::Closed(Transfer { port: Port::UntilDelivered, transmission, latency, ..Transfer::default() })
    }

    fn constant_receive_overhead(&self) -> Option<Time> {
        Some(Time::ZERO)
    }
}
