//! What a search starts from.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::{MappingError, Neural, Problem};
use crate::engine::Stream;
use crate::registry::UnknownName;
use crate::schedule::Scheduler;

/// What a search starts from. In scenarios it is a name: `random`, `neural`, or that of a scheduler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Start {
    /// A mapping drawn uniformly.
    #[default]
    Random,
    /// What the random neural network finds with its default parameters.
    Neural,
    /// The mapping of a scheduler's schedule, which the caller hands in.
    Schedule(Scheduler),
}

impl Start {
    /// Every start.
    pub fn all() -> impl Iterator<Item = Self> {
        // A random schedule is no other start than a random mapping.
        let schedulers = Scheduler::ALL.iter().copied().filter(|scheduler| *scheduler != Scheduler::Random);
        [Self::Random, Self::Neural].into_iter().chain(schedulers.map(Self::Schedule))
    }

    /// The name in scenarios.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Neural => "neural",
            Self::Schedule(scheduler) => scheduler.name(),
        }
    }

    /// The mapping to start from.
    pub(super) fn mapping(
        self,
        problem: &Problem<'_>,
        given: Option<&[u32]>,
        stream: &mut Stream,
    ) -> Result<Vec<u32>, MappingError> {
        match self {
            Self::Random => Ok(problem.draw(stream)),
            Self::Neural => Ok(Neural::default().decode(problem)?),
            Self::Schedule(_) => given.map(<[u32]>::to_vec).ok_or(MappingError::NoStart),
        }
    }
}

impl fmt::Display for Start {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Start {
    type Err = UnknownName;
    fn from_str(name: &str) -> Result<Self, UnknownName> {
        Self::all().find(|start| start.name() == name).ok_or_else(|| UnknownName {
            kind: "start of a search",
            name: name.to_owned(),
            known: Self::all().map(Self::name).collect(),
        })
    }
}

impl Serialize for Start {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Start {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<str>::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

impl JsonSchema for Start {
    fn schema_name() -> Cow<'static, str> {
        "SearchStart".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names: Vec<&str> = Self::all().map(Self::name).collect();
        json_schema!({ "enum": names })
    }
}
