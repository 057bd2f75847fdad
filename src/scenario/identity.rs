//! The identity of a run: the same wherever and whenever it is computed, and another one as soon as anything that
//! reaches it changes.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use super::canonical::Leaf;

pub use crate::model::CODE as MODEL_CODE;

/// Names a run everywhere: a hash of the canonical values that reach it, the replica, and the model's version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunId(u128);

/// The sum of the hashes of some canonical values: what varies can be taken out and put in without going through all
/// the others again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Fingerprint(u128);

impl Fingerprint {
    /// Of these values, in any order.
    #[must_use]
    pub fn of(leaves: &[Leaf]) -> Self {
        leaves.iter().fold(Self::default(), |sum, (path, value)| {
            let mut hash = Xxh3::new();
            hash.update(path.as_bytes());
            hash.update(b"\0");
            hash.update(value.as_bytes());
            Self(sum.0.wrapping_add(hash.digest128()))
        })
    }

    /// With others put in.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0.wrapping_add(other.0))
    }

    /// With some taken out.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0.wrapping_sub(other.0))
    }

    /// The run of these values with a seed and a replica, by the model of this hetsim.
    #[must_use]
    pub fn run(self, seed: u64, replica: u32) -> RunId {
        self.run_by(MODEL_CODE, seed, replica)
    }

    fn run_by(self, model_code: &str, seed: u64, replica: u32) -> RunId {
        let mut hash = Xxh3::new();
        hash.update(&self.0.to_le_bytes());
        hash.update(&seed.to_le_bytes());
        hash.update(&replica.to_le_bytes());
        hash.update(model_code.as_bytes());
        RunId(hash.digest128())
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

    fn leaf(path: &str, value: &str) -> Leaf {
        (path.to_owned(), value.to_owned())
    }

    #[test]
    fn what_varies_can_be_exchanged() {
        let (size, root, other) = (leaf("size", "8e3"), leaf("root", "0"), leaf("size", "9e3"));
        let base = Fingerprint::of(&[size.clone(), root.clone()]);
        let changed = base.without(Fingerprint::of(&[size])).with(Fingerprint::of(std::slice::from_ref(&other)));
        assert_eq!(changed, Fingerprint::of(&[root, other]));
    }

    /// Results of another model are never taken for results of this one.
    #[test]
    fn the_code_of_the_model_counts() {
        let base = Fingerprint::of(&[leaf("a", "1")]);
        assert_eq!(base.run(1, 0), base.run_by(MODEL_CODE, 1, 0));
        assert_ne!(base.run(1, 0), base.run_by("another model", 1, 0));
    }

    #[test]
    fn every_part_counts() {
        let base = Fingerprint::of(&[leaf("a", "1")]);
        let runs = [base.run(1, 0), base.run(1, 1), base.run(2, 0), Fingerprint::of(&[leaf("a", "2")]).run(1, 0)];
        for (index, run) in runs.iter().enumerate() {
            assert!(!runs[..index].contains(run));
            assert_eq!(run.to_string().parse(), Ok(*run));
        }
    }
}
