//! The names of broadcast strategies: an algorithm, a heuristic over single nodes, or one between clusters joined to
//! one inside them.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use hetsim_communication::intercluster::Heuristic;
use hetsim_communication::{Algorithm, Operation};

/// Who sends to whom, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strategy {
    /// `binomial`: one algorithm over all ranks, whatever clusters they are in.
    Plain(Algorithm),
    /// `ecef`: a heuristic over all nodes, as if each were a cluster.
    Nodes(Heuristic),
    /// `ecef+binomial`: a heuristic between clusters, an algorithm inside each.
    TwoLevel(Heuristic, Intracluster),
}

/// The algorithm inside the clusters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Intracluster {
    /// The same in each.
    Same(Algorithm),
    /// In each the one that is fastest there for this message (`best`).
    Best,
}

const BEST: &str = "best";

impl fmt::Display for Intracluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Same(algorithm) => algorithm.fmt(f),
            Self::Best => f.pad(BEST),
        }
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plain(algorithm) => algorithm.fmt(f),
            Self::Nodes(heuristic) => heuristic.fmt(f),
            Self::TwoLevel(heuristic, inside) => write!(f, "{heuristic}+{inside}"),
        }
    }
}

/// A text that names no strategy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a broadcast; {HELP}")]
pub struct UnknownStrategy(String);

const HELP: &str = "name an algorithm (binomial), a heuristic over single nodes (ecef), or a heuristic between clusters \
                    and an algorithm inside them (ecef+binomial, ecef+best); `hetsim list` names them all";

impl FromStr for Strategy {
    type Err = UnknownStrategy;
    fn from_str(text: &str) -> Result<Self, UnknownStrategy> {
        let unknown = || UnknownStrategy(text.to_owned());
        let broadcast =
            |name: &str| name.parse().ok().filter(|algorithm: &Algorithm| algorithm.fits(Operation::Broadcast));
        let Some((between, inside)) = text.split_once('+') else {
            return broadcast(text).map(Self::Plain).or_else(|| text.parse().ok().map(Self::Nodes)).ok_or_else(unknown);
        };
        let inside = match inside {
            BEST => Intracluster::Best,
            name => Intracluster::Same(broadcast(name).ok_or_else(unknown)?),
        };
        Ok(Self::TwoLevel(between.parse().map_err(|_| unknown())?, inside))
    }
}

impl Strategy {
    /// Every strategy.
    pub fn all() -> impl Iterator<Item = Self> {
        let algorithms = || Operation::Broadcast.algorithms();
        let inside = move || algorithms().map(Intracluster::Same).chain([Intracluster::Best]);
        let heuristics = || Heuristic::ALL.iter().copied();
        let plain = algorithms().map(Self::Plain);
        let two_level =
            heuristics().flat_map(move |between| inside().map(move |inside| Self::TwoLevel(between, inside)));
        plain.chain(heuristics().map(Self::Nodes)).chain(two_level)
    }
}

impl Serialize for Strategy {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Strategy {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<str>::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

impl JsonSchema for Strategy {
    fn schema_name() -> Cow<'static, str> {
        "BroadcastStrategy".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names: Vec<String> = Self::all().map(|strategy| strategy.to_string()).collect();
        json_schema!({ "enum": names, "x-help": HELP })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_reads_back() {
        let names: Vec<String> = Strategy::all().map(|strategy| strategy.to_string()).collect();
        for (strategy, name) in Strategy::all().zip(&names) {
            assert_eq!(name.parse(), Ok(strategy));
        }
        let distinct: std::collections::BTreeSet<_> = names.iter().collect();
        assert_eq!(distinct.len(), names.len());
        assert!("ecef+".parse::<Strategy>().is_err() && "bynomial".parse::<Strategy>().is_err());
    }
}
