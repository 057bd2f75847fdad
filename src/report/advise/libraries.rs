//! What is known of MPI libraries: Open MPI's numbers of our algorithms.

use crate::communication::{Algorithm, Operation};
use crate::workload::advise::{AdvisedMethod, Candidate};

/// How Open MPI's component `tuned` is told to do it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TunedRule {
    /// The number of the algorithm.
    pub algorithm: u32,
    /// The fan-out, radix or number of chains, for those that have one; else 0.
    pub fan: u32,
    /// The bytes of a segment; 0 for a message in one piece.
    pub segment: u64,
}

impl TunedRule {
    /// Leaves the choice to Open MPI, as if there were no rule: `if (alg)` in `coll_tuned_decision_dynamic.c`.
    pub const OWN: Self = Self { algorithm: 0, fan: 0, segment: 0 };
}

/// The number of an operation in Open MPI (`COLLTYPE_T` in `ompi/mca/coll/base/coll_base_functions.h`).
pub(super) const fn collective_number(operation: Operation) -> u32 {
    match operation {
        Operation::AllGather => 0,
        Operation::AllReduce => 2,
        Operation::AllToAll => 3,
        Operation::Barrier => 6,
        Operation::Broadcast => 7,
        Operation::Gather => 9,
        Operation::Reduce => 11,
        Operation::ReduceScatter => 12,
        Operation::Scan => 14,
        Operation::Scatter => 15,
    }
}

/// The size by which Open MPI looks for a rule: of all blocks together where there are blocks.
pub(super) fn rule_size(operation: Operation, ranks: u32, bytes: u64) -> u64 {
    match operation {
        Operation::AllGather
        | Operation::AllToAll
        | Operation::Gather
        | Operation::ReduceScatter
        | Operation::Scatter => bytes.saturating_mul(u64::from(ranks)),
        _ => bytes,
    }
}

/// The rule by which Open MPI does the same; nothing where it can't, or would do something else among so many ranks.
///
/// The numbers are those of the tables in `ompi/mca/coll/tuned/coll_tuned_*_decision.c`, as read in 4.0.0, 4.1.0 and
/// 5.0.0 (and on the main branch) for all that stand here.
#[must_use]
pub fn rule(operation: Operation, candidate: &Candidate, ranks: u32) -> Option<TunedRule> {
    let AdvisedMethod::Plain(algorithm) = candidate.method else { return None };
    let (algorithm, fan) = match operation {
        Operation::Broadcast => broadcast(algorithm)?,
        _ => collective(operation, algorithm, ranks)?,
    };
    Some(TunedRule { algorithm, fan, segment: candidate.segment.unwrap_or(0) })
}

const fn broadcast(algorithm: Algorithm) -> Option<(u32, u32)> {
    use Algorithm as Tree;
    Some(match algorithm {
        Tree::Linear => (1, 0),
        // One chain; Open MPI's own default is four side by side.
        Tree::Chain => (2, 1),
        Tree::Pipeline => (3, 0),
        Tree::SplitBinary => (4, 0),
        Tree::Binary | Tree::SegmentedBinary => (5, 0),
        Tree::Binomial | Tree::SegmentedBinomial => (6, 0),
        Tree::KNomial => (7, 4),
        Tree::ScatterRecursiveDoubling => (8, 0),
        Tree::ScatterRing => (9, 0),
        _ => return None,
    })
}

#[expect(clippy::match_same_arms, reason = "a line for each algorithm, as in a table")]
fn collective(operation: Operation, algorithm: Algorithm, ranks: u32) -> Option<(u32, u32)> {
    use Algorithm::{
        Binary, Binomial, Bruck, Chain, Dissemination, InOrderBinary, Linear, LinearSynchronised, NeighbourExchange,
        Pairwise, Pipeline, Rabenseifner, RecursiveDoubling, RecursiveHalving, ReduceBroadcast, ReduceThenScatter,
        Ring, SegmentedBinary,
    };
    Some(match (operation, algorithm) {
        (Operation::AllReduce, ReduceBroadcast) => (2, 0),
        (Operation::AllReduce, RecursiveDoubling) => (3, 0),
        (Operation::AllReduce, Ring) => (4, 0),
        (Operation::AllReduce, Rabenseifner) => (6, 0),
        // The radix, which versions after 5 read here.
        (Operation::AllGather, Bruck) => (2, 2),
        // Among other numbers of ranks Open MPI takes Bruck's algorithm instead.
        (Operation::AllGather, RecursiveDoubling) if ranks.is_power_of_two() => (3, 0),
        (Operation::AllGather, Ring) => (4, 0),
        (Operation::AllGather, NeighbourExchange) => (5, 0),
        (Operation::AllToAll, Linear) => (1, 0),
        (Operation::AllToAll, Pairwise) => (2, 0),
        (Operation::AllToAll, Bruck) => (3, 0),
        (Operation::AllToAll, LinearSynchronised) => (4, 0),
        (Operation::Barrier, Linear) => (1, 0),
        (Operation::Barrier, RecursiveDoubling) => (3, 0),
        (Operation::Barrier, Dissemination) => (4, 0),
        (Operation::Barrier, Binomial) => (6, 0),
        (Operation::Gather | Operation::Scatter | Operation::Reduce, Linear) => (1, 0),
        (Operation::Gather | Operation::Scatter, Binomial) => (2, 0),
        (Operation::Gather, LinearSynchronised) => (3, 0),
        (Operation::Reduce, Chain) => (2, 1),
        (Operation::Reduce, Pipeline) => (3, 0),
        (Operation::Reduce, Binary | SegmentedBinary) => (4, 0),
        (Operation::Reduce, Binomial) => (5, 0),
        (Operation::Reduce, InOrderBinary) => (6, 0),
        (Operation::Reduce, Rabenseifner) => (7, 0),
        (Operation::ReduceScatter, ReduceThenScatter) => (1, 0),
        (Operation::ReduceScatter, RecursiveHalving) => (2, 0),
        (Operation::ReduceScatter, Ring) => (3, 0),
        (Operation::Scan, Linear) => (1, 0),
        (Operation::Scan, RecursiveDoubling) => (2, 0),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(operation: Operation, algorithm: Algorithm, ranks: u32) -> Option<u32> {
        let candidate = Candidate { method: AdvisedMethod::Plain(algorithm), segment: None };
        rule(operation, &candidate, ranks).map(|rule| rule.algorithm)
    }

    /// Open MPI 5.0.9, `coll_base_allgather.c`: recursive doubling needs a power of two.
    #[test]
    fn what_a_library_would_replace_is_no_rule() {
        assert_eq!(of(Operation::AllGather, Algorithm::RecursiveDoubling, 16), Some(3));
        assert_eq!(of(Operation::AllGather, Algorithm::RecursiveDoubling, 12), None);
        assert_eq!(of(Operation::AllReduce, Algorithm::RecursiveDoubling, 12), Some(3));
    }

    /// Every operation has an algorithm that Open MPI has too, for any number of ranks.
    #[test]
    fn every_operation_has_rules() {
        for &operation in Operation::ALL {
            for ranks in 2..20 {
                let candidate = Candidate { method: crate::workload::advise::usual(operation), segment: None };
                assert!(rule(operation, &candidate, ranks).is_some(), "{operation} {ranks}");
            }
        }
    }
}
