//! A latency and a bandwidth, with unlimited ports: any number of messages pass at once, each in α + βm.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::alpha_beta::AlphaBeta;
use super::{Delivery, NetworkError, NetworkModel, Transfer};
use hetsim_base::units::{BytesPerSecond, Seconds, Tick, Time};

/// `model = "delay"`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DelayParameters {
    /// Latency α: the time of an empty message.
    pub latency: Seconds,
    /// Bandwidth 1/β: each byte adds β to the time.
    pub bandwidth: BytesPerSecond,
}

/// The model, in ticks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Delay {
    link: AlphaBeta,
}

impl Delay {
    /// The model of a scenario's parameters.
    ///
    /// # Errors
    /// If the bandwidth is zero.
    pub fn new(parameters: &DelayParameters, tick: Tick) -> Result<Self, NetworkError> {
        Ok(Self { link: AlphaBeta::new(parameters.latency, parameters.bandwidth, tick)? })
    }
}

impl NetworkModel for Delay {
    fn tick(&self) -> Option<Tick> {
        Some(self.link.tick)
    }

    /// α + βm, without busy processors.
    #[inline]
    fn delivery(&self, bytes: u64) -> Delivery {
        let (transmission, latency) = (self.link.time(bytes), self.link.latency);
        Delivery::Closed(Transfer { transmission, latency, ..Transfer::default() })
    }

    fn constant_receive_overhead(&self) -> Option<Time> {
        Some(Time::ZERO)
    }
}
