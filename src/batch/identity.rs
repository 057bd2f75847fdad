//! The identity of a run: the same wherever and whenever it is computed, and another one as soon as anything that
//! reaches it changes.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use crate::model;
use crate::scenario::{Fingerprint, Scenario};

/// Names a run everywhere: a hash of the canonical values that reach it, the seed, the replica, and the model's version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunId(u128);

impl RunId {
    /// The run of a point and a replica, by the model of this hetsim.
    #[must_use]
    pub fn of(scenario: &Scenario, point: usize, replica: u32) -> Self {
        Self::new(scenario.fingerprint(point), model::CODE, scenario.file.seed, replica)
    }

    fn new(values: Fingerprint, model: &str, seed: u64, replica: u32) -> Self {
        let mut hash = Xxh3::new();
        hash.update(&values.to_bytes());
        hash.update(&seed.to_le_bytes());
        hash.update(&replica.to_le_bytes());
        hash.update(model.as_bytes());
        Self(hash.digest128())
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl FromStr for RunId {
    type Err = std::num::ParseIntError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        u128::from_str_radix(text, 16).map(Self)
    }
}

impl Serialize for RunId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for RunId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(value: &str) -> Fingerprint {
        Fingerprint::of(&[("a".to_owned(), value.to_owned())])
    }

    /// Results of another model are never taken for results of this one.
    #[test]
    fn every_part_counts() {
        let run = |value, model, seed, replica| RunId::new(values(value), model, seed, replica);
        let runs = [
            run("1", "m", 1, 0),
            run("1", "m", 1, 1),
            run("1", "m", 2, 0),
            run("2", "m", 1, 0),
            run("1", "another model", 1, 0),
        ];
        for (index, run) in runs.iter().enumerate() {
            assert!(!runs[..index].contains(run));
            assert_eq!(run.to_string().parse(), Ok(*run));
        }
    }
}
