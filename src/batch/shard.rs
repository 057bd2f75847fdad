//! Shards: sets of points of a sweep, each computed by its own process, on any host, into one store.
//!
//! A shard is named by its index and the number of shards, `3/16`, and is a function of the scenario alone: processes
//! need not communicate to agree on the split. The split affects nothing else: every process appends to its own
//! segment, a run is stored or not, and results are made from the store, whoever filled it. A killed shard leaves
//! missing runs, which any other split, or none, may compute.
//!
//! - [`Plan`]: what merging must know of the sweep, written when a shard starts or is submitted;
//! - [`ShardState`]: what a shard reports of itself while it runs;
//! - [`survey()`]: the progress of all shards, primarily by the store.

mod plan;
mod process;
mod state;
mod survey;

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

pub use plan::{Plan, digest};
pub use process::Process;
pub use state::{Job, Phase, Reporter, ShardState, now};
pub use survey::{Condition, Line, Survey, is_active, survey};

use super::replication::Replication;
use super::store::{Store, StoreError};
use crate::batch::identity::RunId;
use crate::scenario::Scenario;

/// The folder of the plan and the states within a results folder.
pub const SHARDS: &str = "shards";

/// One of several shards: `3/16` is the fourth of sixteen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Shard {
    count: u32,
    index: u32,
}

/// Why there is no such shard, in a sentence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NoShard(String);

impl Shard {
    /// The shard with this index, from 0, of this many.
    ///
    /// # Errors
    /// If there is no such shard.
    pub fn new(index: u32, count: u32) -> Result<Self, NoShard> {
        match (index, count) {
            (_, 0) => Err(NoShard("there must be at least one shard".to_owned())),
            _ if index < count => Ok(Self { count, index }),
            (_, 1) => Err(NoShard("shards are numbered from 0: the only one of 1 is 0/1".to_owned())),
            _ => {
                let last = count - 1;
                Err(NoShard(format!("shards are numbered from 0: those of {count} are 0/{count} to {last}/{count}")))
            }
        }
    }

    /// The index, from 0.
    #[must_use]
    pub const fn index(self) -> u32 {
        self.index
    }

    /// The number of shards.
    #[must_use]
    pub const fn count(self) -> u32 {
        self.count
    }

    /// The name of its state file.
    #[must_use]
    pub fn file_name(self) -> String {
        format!("{}-of-{}.json", self.index, self.count)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

impl FromStr for Shard {
    type Err = NoShard;
    fn from_str(text: &str) -> Result<Self, NoShard> {
        let number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit()).then(|| part.parse().ok()).flatten();
        let parts = text.split_once('/').and_then(|(index, count)| Some((number(index)?, number(count)?)));
        let form = "a shard is given by its index, from 0, and the number of shards, such as 3/16";
        let (index, count) = parts.ok_or_else(|| NoShard(form.to_owned()))?;
        Self::new(index, count)
    }
}

impl TryFrom<String> for Shard {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        text.parse().map_err(|error: NoShard| error.to_string())
    }
}

impl From<Shard> for String {
    fn from(shard: Shard) -> Self {
        shard.to_string()
    }
}

/// The assignment of points to shards.
#[derive(Debug, Clone)]
pub struct Split {
    count: u32,
    of_point: Vec<u32>,
}

/// The numbers of runs and stored runs of a shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// The number of runs, counting equal runs once.
    pub total: usize,
    /// The number of stored runs.
    pub done: usize,
}

impl Split {
    /// Assigns the points to this many shards. Points with the same runs go to the same shard.
    ///
    /// # Panics
    /// If `count` is 0, which no [`Shard`] has.
    #[must_use]
    pub fn new(scenario: &Scenario, count: u32) -> Self {
        assert!(count > 0, "a sweep needs at least one shard");
        let mut known = HashMap::new();
        let mut rank = 0;
        let shard_of = |point: usize| {
            *known.entry(RunId::of(scenario, point, 0)).or_insert_with(|| {
                rank += 1;
                deal(rank - 1, count)
            })
        };
        Self { count, of_point: (0..scenario.points.len()).map(shard_of).collect() }
    }

    /// The index of the shard that computes a point.
    #[must_use]
    pub fn shard_of(&self, point: usize) -> u32 {
        self.of_point[point]
    }

    /// Whether a shard computes a point.
    #[must_use]
    pub fn has(&self, shard: Shard, point: usize) -> bool {
        shard.count == self.count && self.of_point[point] == shard.index
    }

    /// The known and the stored runs of each shard.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn tally(&self, scenario: &Scenario, store: &Store<RunId>) -> Result<Vec<Tally>, StoreError> {
        let mut tallies = vec![Tally::default(); self.count as usize];
        let replication = Replication::of(scenario, store)?;
        for (point, replica) in replication.own_runs() {
            let tally = &mut tallies[self.of_point[point] as usize];
            tally.total += 1;
            tally.done += usize::from(store.contains(RunId::of(scenario, point, replica)));
        }
        Ok(tallies)
    }
}

/// The shard of the `rank`-th distinct point: the sum of its digits to the base `count`, modulo `count`.
///
/// With `rank` modulo `count` alone, a shard would always get the same value of the fastest axis if the length of the
/// axis is a multiple of `count`: one shard would get all the large messages. Digit sums shift each block of `count`
/// points against the previous one, and each block of blocks again, so every shard gets every value. (It is the
/// Thue–Morse sequence in base `count`, which is known to divide monotonic costs fairly.) Every block still has a point
/// for each shard.
fn deal(mut rank: u64, count: u32) -> u32 {
    let base = u64::from(count);
    if base == 1 {
        return 0;
    }
    let mut sum = 0;
    while rank > 0 {
        sum += rank % base;
        rank /= base;
    }
    (sum % base) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::replication::Run;
    use crate::scenario::{PLAIN, Source};

    #[test]
    fn shards_are_read_as_they_are_written() {
        let shard: Shard = "3/16".parse().unwrap();
        assert_eq!((shard.index(), shard.count(), shard.to_string()), (3, 16, "3/16".to_owned()));
        assert_eq!(serde_json::to_string(&shard).unwrap(), "\"3/16\"");
        assert_eq!(serde_json::from_str::<Shard>("\"3/16\"").unwrap(), shard);
        for bad in ["3/0", "16/16", "a/b", "3", "", "/", "3/", "-1/4", "+1/4", "1/4/4", " 1/4", "1/99999999999"] {
            assert!(bad.parse::<Shard>().is_err(), "{bad}");
        }
        assert!("16/16".parse::<Shard>().unwrap_err().to_string().contains("0/16 to 15/16"));
    }

    /// The first terms of the Thue–Morse sequence (OEIS A010060), and of its ternary analogue (A053838).
    #[test]
    fn points_are_dealt_by_sums_of_digits() {
        let first = |count| (0..16).map(|rank| deal(rank, count)).collect::<Vec<_>>();
        assert_eq!(first(2), [0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 1, 0]);
        assert_eq!(first(3)[..15], [0, 1, 2, 1, 2, 0, 2, 0, 1, 1, 2, 0, 2, 0, 1]);
        assert_eq!(first(1), [0; 16]);
    }

    /// For any period of the costs, the loads of the shards differ by less than a third if there are enough points.
    #[test]
    fn every_shard_gets_every_value() {
        for (count, period) in [(4_u32, 4_u64), (4, 8), (16, 16), (8, 4), (5, 5), (6, 3)] {
            let mut cost = vec![0; count as usize];
            for rank in 0..u64::from(count) * 64 * period {
                cost[deal(rank, count) as usize] += 1 << (rank % period);
            }
            let (least, most) = (cost.iter().min().unwrap(), cost.iter().max().unwrap());
            assert!(most * 3 <= least * 4, "{count} shards, period {period}: {cost:?}");
        }
    }

    fn scenario(sizes: &str) -> Scenario {
        let text = format!(
            "version = 1\nreplicas = 2\n[platform.cluster.a]\nnodes = 4\n\
             network = {{ model = \"hockney\", latency = \"50us\", bandwidth = \"1Gbit/s\" }}\n\
             [workload]\nkind = \"broadcast\"\nsize = \"1KiB\"\nalgorithm = \"linear\"\n\
             [sweep]\n\"workload.size\" = {sizes}\n"
        );
        let source = Source { name: "s".into(), folder: ".".into(), text: text.into() };
        Scenario::read_in(&PLAIN, "s".into(), source, &[]).unwrap()
    }

    fn missing(scenario: &Scenario, split: &Split, shard: Shard, store: &Store<RunId>) -> Vec<Run> {
        Replication::new(scenario).missing(store, |point| split.has(shard, point)).unwrap()
    }

    #[test]
    fn the_same_runs_under_two_names_are_in_one_shard() {
        let scenario = scenario("{ small = \"1KiB\", large = \"2KiB\", same = \"1024B\", other = \"3KiB\" }");
        let split = Split::new(&scenario, 3);
        assert_eq!(split.of_point, [0, 1, 0, 2]);
        let (store, _) = Store::open("/nowhere/at/all").unwrap();
        let tally = Tally { total: 2, done: 0 };
        assert_eq!(split.tally(&scenario, &store).unwrap(), [tally; 3]);
        let of_shard = |index| missing(&scenario, &split, Shard::new(index, 3).unwrap(), &store);
        assert_eq!(of_shard(0), [(0, 0), (0, 1)]);
        assert_eq!(of_shard(2), [(3, 0), (3, 1)]);
    }

    proptest::proptest! {
        /// Each run is in one shard, and the sizes of shards differ by at most one point.
        #[test]
        fn shards_part_the_points(points in 1_usize..40, count in 1_u32..50) {
            let sizes: Vec<String> = (1..=points).map(|size| format!("\"{size}KiB\"")).collect();
            let scenario = scenario(&format!("[{}]", sizes.join(", ")));
            let split = Split::new(&scenario, count);
            let (store, _) = Store::open("/nowhere/at/all").unwrap();
            let mut runs: Vec<Run> = Vec::new();
            let mut lengths = Vec::new();
            for index in 0..count {
                let own = missing(&scenario, &split, Shard::new(index, count).unwrap(), &store);
                lengths.push(own.len() / 2);
                runs.extend(own);
            }
            runs.sort_unstable();
            proptest::prop_assert_eq!(runs, Replication::new(&scenario).runs().collect::<Vec<_>>());
            let (least, most) = (lengths.iter().min().unwrap(), lengths.iter().max().unwrap());
            proptest::prop_assert!(most - least <= 1);
        }
    }
}
