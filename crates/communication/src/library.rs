//! What MPI libraries choose by themselves: an algorithm for each operation, number of ranks and size, from tables that
//! are data files (`library/*.toml`, each with the source of its numbers).

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::algorithm::Algorithm;
use super::operation::{Collective, Operation};
use hetsim_base::registry::names;

names! {
    /// An MPI library whose choices are known.
    "MPI library": Library {
        #[default]
        OpenMpi41 "openmpi-4.1" = "Open MPI 4.1",
        OpenMpi50 "openmpi-5.0" = "Open MPI 5.0, whose `tuned` chooses as 4.1 does; with several ranks on each of several nodes it uses `han` instead, unless that is left out",
        Mpich42 "mpich-4.2" = "MPICH 4.2",
        Mpich43 "mpich-4.3" = "MPICH 4.3, which chooses as 4.2 does",
        Smpi "smpi" = "SMPI, SimGrid's MPI, as it chooses by default (SimGrid 3.32)",
    }
}

/// What a library runs: an algorithm and its parameters, as in a [`Collective`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chosen {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The bytes of a segment; 0 leaves messages whole.
    pub segment: u64,
    /// The base of k-nomial trees.
    pub radix: u32,
    /// The number of chains.
    pub fanout: u32,
    /// How many messages of an all-to-all are under way at once; 0 for all.
    pub window: u32,
}

/// What a library chooses for an operation among some numbers of ranks.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    /// Among fewer ranks than so many; any number otherwise.
    below: Option<u32>,
    /// Only among a power of two of ranks.
    #[serde(default)]
    power: bool,
    /// Where the choice changes, in bytes, ascending.
    #[serde(default)]
    sizes: Vec<u64>,
    /// One more than there are sizes.
    choices: Vec<Algorithm>,
    /// For a vector of fewer elements than ranks.
    few: Option<Algorithm>,
    #[serde(default)]
    window: u32,
}

type Instead = BTreeMap<Operation, BTreeMap<Algorithm, Algorithm>>;

#[derive(Debug, Default, Deserialize)]
struct Table {
    #[serde(default)]
    unless_power: Instead,
    #[serde(default)]
    if_odd: Instead,
    /// For a vector of fewer elements than ranks.
    #[serde(default)]
    if_few: Instead,
    /// For an all-to-all whose blocks differ, which goes by the number of ranks alone.
    unequal_all_to_all: Vec<Row>,
    #[serde(flatten)]
    rows: BTreeMap<Operation, Vec<Row>>,
}

const OPEN_MPI: &str = include_str!("library/openmpi.toml");
const MPICH: &str = include_str!("library/mpich.toml");
const SMPI: &str = include_str!("library/smpi.toml");

/// Tables that are always there; a test reads each of them.
static TABLES: LazyLock<[Table; 3]> =
    LazyLock::new(|| [OPEN_MPI, MPICH, SMPI].map(|text| toml::from_str(text).unwrap_or_default()));

impl Row {
    fn fits(&self, ranks: u32) -> bool {
        self.below.is_none_or(|below| ranks < below) && (!self.power || ranks.is_power_of_two())
    }
}

/// An element of the vectors for which libraries count elements, in bytes.
const ELEMENT: u64 = 4;

impl Library {
    /// What it runs for an operation among so many ranks, of a size as [`Collective`] counts it.
    #[must_use]
    pub fn choose(self, operation: Operation, ranks: u32, size: u64) -> Chosen {
        let mpich = matches!(self, Self::Mpich42 | Self::Mpich43);
        let table = self.table();
        let counts_all = operation == Operation::ReduceScatter || (mpich && operation == Operation::AllGather);
        let bytes = if counts_all { size.saturating_mul(ranks.into()) } else { size };
        let row = table.rows.get(&operation).and_then(|rows| rows.iter().find(|row| row.fits(ranks)));
        let is_few = bytes < ELEMENT << ranks.max(1).ilog2();
        let listed = row.and_then(|row| row.choices.get(row.sizes.partition_point(|&least| least <= bytes)));
        let listed = row.and_then(|row| row.few.filter(|_| is_few)).or(listed.copied());
        let algorithm = listed.unwrap_or_else(|| operation.usual_algorithm());
        let instead = |rules: &Instead| rules.get(&operation).and_then(|rules| rules.get(&algorithm).copied());
        let other = if ranks % 2 == 1 { instead(&table.if_odd) } else { None };
        let has_few = bytes < ELEMENT.saturating_mul(ranks.into());
        let other = other.or_else(|| if has_few { instead(&table.if_few) } else { None });
        let other = other.or_else(|| if ranks.is_power_of_two() { None } else { instead(&table.unless_power) });
        let window = row.map_or(0, |row| row.window);
        Chosen { window, ..Chosen::whole(other.unwrap_or(algorithm)) }
    }

    /// What it runs for an all-to-all among so many ranks whose blocks differ (`MPI_Alltoallv`).
    #[must_use]
    pub fn choose_unequal_all_to_all(self, ranks: u32) -> Chosen {
        let row = self.table().unequal_all_to_all.iter().find(|row| row.fits(ranks));
        let algorithm = row.and_then(|row| row.choices.first().copied());
        let algorithm = algorithm.unwrap_or_else(|| Operation::AllToAll.usual_algorithm());
        Chosen { window: row.map_or(0, |row| row.window), ..Chosen::whole(algorithm) }
    }

    fn table(self) -> &'static Table {
        &TABLES[match self {
            Self::OpenMpi41 | Self::OpenMpi50 => 0,
            Self::Mpich42 | Self::Mpich43 => 1,
            Self::Smpi => 2,
        }]
    }
}

impl Chosen {
    /// An algorithm with messages in one piece.
    const fn whole(algorithm: Algorithm) -> Self {
        Self { algorithm, segment: 0, radix: 4, fanout: 1, window: 0 }
    }

    /// An operation with these parameters.
    #[must_use]
    pub const fn of<'c>(self, call: &Collective<'c>) -> Collective<'c> {
        let Self { segment, radix, fanout, window, .. } = self;
        Collective { segment, radix, fanout, window, ..*call }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_whole() {
        for text in [OPEN_MPI, MPICH, SMPI] {
            let table: Table = toml::from_str(text).unwrap();
            for &operation in Operation::ALL {
                let rows = &table.rows[&operation];
                assert!(rows.last().unwrap().below.is_none(), "{operation}");
                for row in rows {
                    assert_eq!(row.choices.len(), row.sizes.len() + 1, "{operation}");
                    assert!(row.sizes.is_sorted());
                    assert!(row.choices.iter().chain(&row.few).all(|algorithm| algorithm.fits(operation)));
                }
            }
            assert!(table.unequal_all_to_all.last().unwrap().below.is_none());
            assert!(table.unequal_all_to_all.iter().all(|row| row.choices.len() == 1));
        }
    }

    /// Read in coll_tuned_decision_fixed.c of Open MPI 4.1.5 (algorithms by number) and in maint/tuning/coll/mpir/
    /// generic.json of MPICH 4.2.0.
    #[test]
    fn choices_are_the_libraries() {
        use Operation::{AllGather, AllReduce, AllToAll, Barrier, Broadcast, Gather, Reduce, ReduceScatter};
        let open_mpi = |operation, ranks, size| Library::OpenMpi41.choose(operation, ranks, size).algorithm.name();
        // Broadcast: 7 from 2 KiB on among 32 to 63 ranks, 6 below; 8 from 1 MiB on among 16 to 31.
        assert_eq!(open_mpi(Broadcast, 32, 2048), "k_nomial");
        assert_eq!(open_mpi(Broadcast, 32, 2047), "segmented_binomial");
        assert_eq!(open_mpi(Broadcast, 16, 1 << 20), "scatter_recursive_doubling");
        assert_eq!(open_mpi(Broadcast, 3, 31), "pipeline");
        // All-reduce: 6 from 128 B on among 32 to 63 ranks, 5 below; 3 below 256 KiB among 64 to 127. A vector of fewer
        // elements than ranks goes from 5 to 3 (coll_base_allreduce.c).
        assert_eq!(open_mpi(AllReduce, 32, 128), "rabenseifner");
        assert_eq!(open_mpi(AllReduce, 32, 127), "recursive_doubling");
        assert_eq!([11, 12].map(|size| open_mpi(AllReduce, 3, size)), ["recursive_doubling", "recursive_doubling"]);
        assert_eq!([4096, 8191].map(|size| open_mpi(AllReduce, 3, size)), ["ring", "ring"]);
        assert_eq!(open_mpi(AllReduce, 64, 262_143), "recursive_doubling");
        // All-gather: 5 from 1 KiB on, 4 from 64 KiB on among 32 to 63 ranks; 3 below, which is 2 for no power of two.
        assert_eq!(
            [1023, 1024, 65_536].map(|size| open_mpi(AllGather, 32, size)),
            ["recursive_doubling", "neighbour_exchange", "ring"]
        );
        assert_eq!([60, 61].map(|ranks| open_mpi(AllGather, ranks, 1)), ["bruck", "bruck"]);
        assert_eq!(open_mpi(AllGather, 61, 2000), "ring");
        // All-to-all: 3 below 512 B, 1 below 512 KiB, then 4, among 32 to 63 ranks.
        assert_eq!(
            [511, 512, 524_288].map(|size| open_mpi(AllToAll, 32, size)),
            ["bruck", "linear", "linear_synchronised"]
        );
        assert_eq!(open_mpi(Gather, 32, 1), "binomial");
        assert_eq!(open_mpi(Barrier, 64, 0), "dissemination");
        let mpich = |operation, ranks, size| Library::Mpich42.choose(operation, ranks, size).algorithm.name();
        assert_eq!(
            [12_288, 12_289, 524_289].map(|size| mpich(Broadcast, 16, size)),
            ["binomial_mpich", "scatter_recursive_doubling", "scatter_ring"]
        );
        assert_eq!(mpich(Broadcast, 24, 12_289), "scatter_ring");
        assert_eq!([2048, 2049].map(|size| mpich(Reduce, 64, size)), ["binomial", "rabenseifner"]);
        assert_eq!([32, 64].map(|size| mpich(AllReduce, 16, size)), ["recursive_doubling", "rabenseifner"]);
        assert_eq!([32_767, 32_768].map(|size| mpich(AllGather, 16, size)), ["recursive_doubling", "ring"]);
        assert_eq!([32_767, 32_768].map(|size| mpich(ReduceScatter, 16, size)), ["recursive_halving", "pairwise"]);
        // All-to-all of unequal blocks: 2 below 4 ranks and among 64 to 127 and 256 to 1 023, 1 else.
        let unequal = |ranks| Library::OpenMpi50.choose_unequal_all_to_all(ranks).algorithm.name();
        assert_eq!([3, 4, 63, 64].map(unequal), ["pairwise", "linear", "linear", "pairwise"]);
        assert_eq!([128, 256, 1023, 1024].map(unequal), ["linear", "pairwise", "pairwise", "linear"]);
        assert_eq!(Library::Mpich43.choose_unequal_all_to_all(16).window, 32);
        let scattered = Library::Mpich42.choose(AllToAll, 16, 257);
        assert_eq!((scattered.algorithm, scattered.window), (Algorithm::LinearSynchronised, 32));
    }

    #[test]
    fn every_choice_can_be_planned() {
        for &library in Library::ALL {
            for (&operation, ranks) in Operation::ALL.iter().flat_map(|operation| (1..70).map(move |n| (operation, n)))
            {
                let unequal = library.choose_unequal_all_to_all(ranks);
                let call = unequal.of(&Collective::new(Operation::AllToAll, ranks, 8));
                let plan = unequal.algorithm.steps(&call).unwrap();
                assert!(plan.with_lengths_of_pairs(&vec![8; (ranks * ranks) as usize]).is_some(), "{library} {ranks}");
                for size in [0, 8, 100, 5000, 1 << 20] {
                    let chosen = library.choose(operation, ranks, size);
                    let call = chosen.of(&Collective::new(operation, ranks, size));
                    assert!(chosen.algorithm.plan(&call).is_ok(), "{library} {operation} {ranks} {size} {chosen:?}");
                }
            }
        }
    }
}
