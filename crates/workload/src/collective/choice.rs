//! The algorithms of an operation, by name: one over all ranks, or one at the top and one on the levels below.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use hetsim_communication::{Algorithm, Operation};

/// Who sends what to whom, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    /// The algorithm over all ranks; on levels, that among the coordinators at the top.
    pub top: Algorithm,
    /// The algorithm on the levels below; nothing where there are none.
    pub inside: Option<Algorithm>,
}

const HELP: &str = "name an algorithm (ring), or one among the coordinators and one on the levels below them \
                    (ring+binomial); `hetsim list` names them all";

/// A text that names no algorithms.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a collective algorithm; {HELP}")]
pub struct UnknownChoice(String);

impl From<Algorithm> for Choice {
    fn from(top: Algorithm) -> Self {
        Self { top, inside: None }
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.inside {
            None => self.top.fmt(f),
            Some(inside) => write!(f, "{}+{inside}", self.top),
        }
    }
}

impl FromStr for Choice {
    type Err = UnknownChoice;
    fn from_str(text: &str) -> Result<Self, UnknownChoice> {
        let named = |name: &str| name.parse().map_err(|_| UnknownChoice(text.to_owned()));
        match text.split_once('+') {
            None => named(text).map(Self::from),
            Some((top, inside)) => Ok(Self { top: named(top)?, inside: Some(named(inside)?) }),
        }
    }
}

impl Serialize for Choice {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Choice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<str>::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

impl JsonSchema for Choice {
    fn schema_name() -> Cow<'static, str> {
        "CollectiveAlgorithms".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        // On levels below, something is handed up or down.
        let hands = [Operation::Broadcast, Operation::Reduce, Operation::Scatter, Operation::Gather];
        let insides = || Algorithm::ALL.iter().filter(move |inside| hands.iter().any(|part| inside.fits(*part)));
        let plain = Algorithm::ALL.iter().map(ToString::to_string);
        let pairs = Algorithm::ALL.iter().flat_map(|top| insides().map(move |inside| format!("{top}+{inside}")));
        json_schema!({ "enum": plain.chain(pairs).collect::<Vec<_>>(), "x-help": HELP })
    }
}
