//! The names of schedulers: those that decide everything before a run, by a rule or by a search, and those that decide in its
//! course.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::dynamic::Dynamic;
use crate::registry::UnknownName;
use crate::schedule::Scheduler;
use crate::schedule::mapping::Search;

/// Who decides which task runs where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// A scheduler, before the run.
    Static(Scheduler),
    /// A search for a mapping, before the run.
    Search(Search),
    /// In the course of the run.
    Dynamic(Dynamic),
}

impl Method {
    /// Every method.
    pub fn all() -> impl Iterator<Item = Self> {
        let fixed = Scheduler::ALL.iter().copied().map(Self::Static);
        let searches = Search::ALL.iter().copied().map(Self::Search);
        fixed.chain(searches).chain(Dynamic::ALL.iter().copied().map(Self::Dynamic))
    }

    /// The name in scenarios and results.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Static(scheduler) => scheduler.name(),
            Self::Search(search) => search.name(),
            Self::Dynamic(dynamic) => dynamic.name(),
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Method {
    type Err = UnknownName;
    fn from_str(name: &str) -> Result<Self, UnknownName> {
        Self::all().find(|method| method.name() == name).ok_or_else(|| UnknownName {
            kind: "scheduler",
            name: name.to_owned(),
            known: Self::all().map(Self::name).collect(),
        })
    }
}

impl Serialize for Method {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Method {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<str>::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

impl JsonSchema for Method {
    fn schema_name() -> Cow<'static, str> {
        "TaskScheduler".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names: Vec<&str> = Self::all().map(Self::name).collect();
        json_schema!({ "enum": names })
    }
}
