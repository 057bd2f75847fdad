//! No network at all: every message is free and arrives at the instant it is sent.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Transfer;

/// `model = "ideal"` has no keys.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IdealParameters {}

/// The model; it has no state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ideal;

impl Ideal {
    /// Nothing is busy, and nothing takes time.
    #[must_use]
    pub fn transfer(self) -> Transfer {
        Transfer::default()
    }
}
