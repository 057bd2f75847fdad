//! The initial mapping of a search.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::{MappingError, Neural, Problem};
use crate::engine::Stream;
use crate::registry::UnknownName;
use crate::schedule::Scheduler;

/// The initial mapping of a search. In scenarios it is a name: `random`, `neural`, or that of a scheduler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Start {
    /// A uniformly drawn mapping.
    #[default]
    Random,
    /// The mapping of the random neural network with its default parameters.
    Neural,
    /// The mapping of a scheduler's schedule, which the caller provides.
    Schedule(Scheduler),
}

impl Start {
    /// Every start.
    pub fn all() -> impl Iterator<Item = Self> {
        // A random schedule is the same start as a random mapping.
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

    /// The initial mapping.
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
