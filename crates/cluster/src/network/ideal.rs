//! No network at all: every message is free and arrives at the instant it is sent.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Delivery, NetworkError, NetworkModel, Transfer};
use hetsim_base::units::{Tick, Time};

/// `model = "ideal"` has no keys.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IdealParameters {}

/// The model; it has no state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ideal;

impl Ideal {
    #[expect(clippy::unnecessary_wraps, clippy::trivially_copy_pass_by_ref, reason = "all models are made alike")]
    pub(super) const fn new(_: &IdealParameters, _: Tick) -> Result<Self, NetworkError> {
        Ok(Self)
    }
}

impl NetworkModel for Ideal {
    fn tick(&self) -> Option<Tick> {
        None
    }

    #[inline]
    fn delivery(&self, _: u64) -> Delivery {
        Delivery::Closed(Transfer::default())
    }

    fn constant_receive_overhead(&self) -> Option<Time> {
        Some(Time::ZERO)
    }
}
