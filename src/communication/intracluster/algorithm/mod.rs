//! The broadcast algorithms for a group of ranks that are alike.

use crate::communication::Cost;
use crate::communication::Plan;
use crate::communication::collective::{Collective, Operation};
use crate::registry::names;
use crate::units::Time;

/// A broadcast to be planned.
#[derive(Clone, Copy)]
pub struct Broadcast<'c> {
    /// The ranks, the root (rank 0) included.
    pub ranks: u32,
    /// The bytes of the message.
    pub message: u64,
    /// The bytes of a segment, for the algorithms that cut the message; 0 leaves it whole.
    pub segment: u64,
    /// What a message of so many bytes costs.
    pub cost: &'c dyn Fn(u64) -> Cost,
}

impl Broadcast<'_> {
    /// The same as an operation that goes step by step.
    const fn by_steps(&self) -> Collective {
        Collective { operation: Operation::Broadcast, ranks: self.ranks, root: 0, size: self.message }
    }
}

/// What each algorithm's file says.
trait Method {
    /// Who sends what to whom.
    fn plan(&self, broadcast: &Broadcast<'_>) -> Plan;

    /// When the last rank has the message: the plan's exact evaluation, unless a closed form gives the same.
    fn completion(&self, broadcast: &Broadcast<'_>) -> Time {
        self.plan(broadcast).completion(broadcast.cost)
    }
}

names! {
    /// A broadcast algorithm. A new one is a file with its [`Plan`] and a line here.
    "broadcast algorithm": Algorithm of Method {
        linear::Linear = "the root sends the whole message to every rank in turn (flat tree)",
        chain::Chain = "every rank passes the whole message on to the next",
        pipeline::Pipeline = "a chain that passes the message on segment by segment",
        binary::Binary = "a binary tree in heap order",
        segmented_binary::SegmentedBinary = "a binary tree that forwards segment by segment",
        binomial::Binomial = "a binomial tree, smallest subtrees first: all who have the message send it each round",
        binomial_mpich::BinomialMpich = "a binomial tree, largest subtrees first, as MPICH sends",
        segmented_binomial::SegmentedBinomial = "a binomial tree (smallest subtrees first) that forwards by segments",
        k_nomial::KNomial = "a k-nomial tree of radix 4, Open MPI's default",
        split_binary::SplitBinary = "each half down one side of a binary tree, then the sides swap halves",
        scatter_ring::ScatterRing = "scatter blocks, then pass them around a ring",
        scatter_recursive_doubling::ScatterRecursiveDoubling = "scatter blocks, then exchange them at doubling distances",
        optimal::Optimal = "the greedy tree, optimal for one message in one piece among equal ranks",
    }
}

impl Algorithm {
    /// Who sends what to whom.
    #[must_use]
    pub fn plan(self, broadcast: &Broadcast<'_>) -> Plan {
        self.entry().plan(broadcast)
    }

    /// When the last rank has the message, exactly; by a closed form where there is one.
    #[must_use]
    pub fn completion(self, broadcast: &Broadcast<'_>) -> Time {
        self.entry().completion(broadcast)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_are_the_same_everywhere() {
        for &algorithm in Algorithm::ALL {
            let name = algorithm.name();
            assert_eq!(serde_json::to_value(algorithm).unwrap(), name);
            assert_eq!(name.parse(), Ok(algorithm));
            assert_eq!(algorithm.to_string(), name);
        }
        let error = "binomal".parse::<Algorithm>().unwrap_err();
        assert!(error.to_string().starts_with("\"binomal\" is not a broadcast algorithm; known are linear, chain,"));
    }

    #[test]
    fn schema_describes_every_name() {
        let schema = schemars::schema_for!(Algorithm);
        let entries = schema.get("oneOf").and_then(|list| list.as_array()).unwrap();
        for (&algorithm, entry) in Algorithm::ALL.iter().zip(entries) {
            assert_eq!((&entry["const"], &entry["description"]), (&algorithm.name().into(), &algorithm.about().into()));
        }
        assert_eq!(entries.len(), Algorithm::ALL.len());
    }

    proptest! {
        /// Where an algorithm uses a closed form, it gives what the evaluation of its plan does.
        #[test]
        fn completion_is_the_plans(
            ranks in 0u32..300, message in 0u64..3000, segment in 0u64..400, setup in 0u64..100, latency in 0u64..300,
        ) {
            let cost = |bytes: u64| Cost::plogp(Time(setup + bytes / 3), Time(latency));
            let broadcast = Broadcast { ranks, message, segment, cost: &cost };
            for &algorithm in Algorithm::ALL {
                let plan = algorithm.plan(&broadcast);
                prop_assert_eq!(algorithm.completion(&broadcast), plan.completion(cost), "{}", algorithm);
                prop_assert_eq!(plan.ranks(), ranks, "{}", algorithm);
                prop_assert_eq!(plan.arrivals(cost).into_iter().max().unwrap_or_default(), plan.completion(cost));
            }
        }
    }
}
