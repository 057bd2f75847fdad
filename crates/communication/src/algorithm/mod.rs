//! The algorithms of all operations. A new one is a file that says which operations it fits and who sends what to whom,
//! and a line in the registry below.
//!
//! They are those of R. Thakur, R. Rabenseifner, W. Gropp, *Optimization of collective communication operations in
//! MPICH*, Int. J. High Perform. Comput. Appl. 19(1), 2005, unless a file says otherwise.

mod binary;
mod bine_blocks;
mod bine_doubling;
mod bine_packed;
mod bine_permute;
mod bine_remap;
mod bine_segmented;
mod bine_tree;
mod bine_tree_blocking;
mod bine_tree_halving;
mod bine_two_blocks;
mod binomial;
mod binomial_mpich;
mod bruck;
mod chain;
mod dissemination;
mod in_order_binary;
mod k_bruck;
mod k_nomial;
mod linear;
mod linear_nonblocking;
mod linear_synchronised;
mod neighbour_exchange;
mod optimal;
mod pairwise;
mod pipeline;
mod rabenseifner;
mod recursive_doubling;
mod recursive_halving;
mod reduce_broadcast;
mod reduce_then_scatter;
mod ring;
mod scatter_recursive_doubling;
mod scatter_ring;
mod segmented_binary;
mod segmented_binomial;
mod sparbit;
mod split_binary;

use super::operation::{Collective, Operation, Order};
use super::plan::Plan;
use super::rounds::{masks, rounds};
use super::segments::Segments;
use super::steps::{
    Combining, Distances, Fold, Local, Nomial, Numbering, Others, Pattern, Portion, Renumber, Rounds, Shifts, Slots,
    Spread, StepPlan, Subtrees, Synchronised, Who, with_digit,
};
use super::tree::{Tree, closed};
use hetsim_base::registry::names;
use hetsim_base::units::Time;
use hetsim_base::units::memory::{self, TooMuch};

/// The interface of each algorithm's file, and of an algorithm of your own, which plans by [`Collective::plan_by`].
pub trait Method {
    /// The operations that it carries out.
    fn operations(&self) -> &'static [Operation];

    /// Who sends what to whom, for one of its operations; all but a broadcast among at least two ranks. The methods of
    /// `call` make plans: [`forward`](Collective::forward) and [`segmented`](Collective::segmented) down a tree,
    /// [`whole`](Collective::whole), [`blocks`](Collective::blocks) and [`parts`](Collective::parts) of [`Pattern`]s.
    fn plan(&self, call: &Collective<'_>) -> Plan;

    /// When the last of at least two ranks is done, all having come at once: exactly for any [`Cost`](super::Cost)
    /// where it forwards down a tree, and under Hockney's model where it goes by steps; nothing where no closed form is
    /// exact.
    fn completion(&self, _: &Collective<'_>) -> Option<Time> {
        None
    }

    /// Whether only an even number of ranks can do it.
    fn in_pairs(&self) -> bool {
        false
    }

    /// Whether only a power of two of ranks can do an operation.
    fn in_powers(&self, _: Operation) -> bool {
        false
    }

    /// Whether it cuts the message into segments.
    fn cuts(&self) -> bool {
        false
    }
}

names! {
    /// An algorithm. Not every one is for every [`Operation`].
    "communication algorithm": Algorithm of Method {
        linear::Linear = "the root, or every rank, communicates with all others in turn (flat tree)",
        chain::Chain = "every rank passes the whole message on to the next",
        pipeline::Pipeline = "a chain that passes the message on segment by segment",
        binary::Binary = "a binary tree in heap order; a reduction by Open MPI's, which has odd ranks on one side and even ones on the other",
        segmented_binary::SegmentedBinary = "the binary tree of `binary`, segment by segment",
        binomial::Binomial = "a binomial tree: up, down, or both; a broadcast sends to the nearest rank first, as `collective` to the farthest",
        binomial_mpich::BinomialMpich = "a binomial tree, farthest rank first, as MPICH sends",
        segmented_binomial::SegmentedBinomial = "a binomial tree (nearest rank first) that forwards by segments",
        k_nomial::KNomial = "a k-nomial tree of radix 4, Open MPI's default",
        split_binary::SplitBinary = "each half down one side of a binary tree, then the sides swap halves",
        scatter_ring::ScatterRing = "parts are scattered along a binomial tree, then passed around a ring",
        scatter_recursive_doubling::ScatterRecursiveDoubling = "parts are scattered along a binomial tree, then gathered by all ranks by recursive doubling",
        optimal::Optimal = "the greedy tree, optimal for one message in one piece among equal ranks",
        ring::Ring = "blocks are passed around a ring",
        recursive_doubling::RecursiveDoubling = "all ranks exchange what they have with a partner, at doubling distances",
        bruck::Bruck = "every rank sends what it has at doubling distances around a circle (Bruck et al. 1997)",
        rabenseifner::Rabenseifner = "reduce-scatter by recursive halving, then a gathering (Rabenseifner 2004)",
        pairwise::Pairwise = "a partner at a time: each sends to one and receives from one",
        neighbour_exchange::NeighbourExchange = "pairs of blocks are exchanged with the two neighbours in turn (Chen et al. 2005)",
        dissemination::Dissemination = "every rank signals another at doubling distances around a circle (Hensgen et al. 1988)",
        linear_nonblocking::LinearNonblocking = "all messages at once: the root to all others, all to the root, or all to all",
        linear_synchronised::LinearSynchronised = "the root asks one rank after the other; an all-to-all with a window of messages",
        in_order_binary::InOrderBinary = "a binary tree of neighbouring ranges of ranks, then on to the root",
        reduce_then_scatter::ReduceThenScatter = "a binomial reduction to the root, then a scatter from it",
        recursive_halving::RecursiveHalving = "all ranks exchange and combine halves of what they have, at halving distances",
        sparbit::Sparbit = "blocks go one by one at halving distances (Jesus et al. 2021)",
        k_bruck::KBruck = "Bruck's algorithm with several messages a step, by `radix`",
        bine_tree::BineTree = "a Bine tree: distances 1, 1, 3, 5, … (De Sensi et al. 2025)",
        bine_tree_halving::BineTreeHalving = "a Bine tree with halving distances",
        bine_tree_blocking::BineTreeBlocking = "the same, to one child after the other",
        bine_doubling::BineDoubling = "whole vectors are exchanged along a Bine butterfly",
        bine_remap::BineRemap = "a Bine butterfly of contiguous parts, blocks going first or last to the ranks whose numbers they bear",
        bine_permute::BinePermute = "a Bine butterfly of contiguous parts, in which ranks reorder their blocks themselves",
        bine_blocks::BineBlocks = "a Bine butterfly with every block in a message of its own",
        bine_two_blocks::BineTwoBlocks = "a Bine butterfly at doubling distances, in one or two contiguous messages",
        bine_packed::BinePacked = "the same in one message, packed where it is two",
        bine_segmented::BineSegmented = "`bine_remap`, whose halves are combined segment by segment",
        reduce_broadcast::ReduceBroadcast = "a binomial reduction to a rank, then a binomial broadcast from it",
    }
}

/// What algorithms make their plans of.
impl Collective<'_> {
    /// The plan of an algorithm, which errors name `name`.
    ///
    /// # Errors
    /// If the algorithm does not carry out the operation, or not among so many ranks.
    pub fn plan_by(&self, name: &'static str, algorithm: &dyn Method) -> Result<Plan, PlanError> {
        let Collective { operation, ranks, .. } = *self;
        if !algorithm.operations().contains(&operation) {
            return Err(PlanError::Other { algorithm: name, operation });
        }
        if ranks > 1 && algorithm.in_pairs() && ranks % 2 == 1 {
            return Err(PlanError::Odd { algorithm: name, count: ranks, of: "ranks" });
        }
        if ranks > 1 && algorithm.in_powers(operation) && !ranks.is_power_of_two() {
            return Err(PlanError::NoPower { algorithm: name, operation, count: ranks, of: "ranks" });
        }
        let plan = self.unchecked(algorithm);
        let Plan::Steps(steps) = &plan else { return Ok(plan) };
        let segments = if algorithm.cuts() { Segments::new(self.size, self.segment).count() } else { 1 };
        if ranks > MOST_RANKS || segments.saturating_mul(ranks.into()) > u64::from(MOST_RANKS) {
            return Err(PlanError::TooLarge(name, ranks));
        }
        let messages = steps.at_once();
        match memory::check(messages.saturating_mul(UNDER_WAY)) {
            Ok(()) => Ok(plan),
            Err(error) => Err(PlanError::TooMuch(name, ranks, messages, error)),
        }
    }

    fn unchecked(&self, algorithm: &dyn Method) -> Plan {
        let nothing_to_do = self.ranks < 2 && self.operation != Operation::Broadcast;
        if nothing_to_do { self.forward(Tree::Linear(self.ranks)) } else { algorithm.plan(self) }
    }

    /// A broadcast of the whole message down a tree of all ranks.
    #[must_use]
    pub const fn forward(&self, tree: Tree) -> Plan {
        Plan::Forward { tree, segments: Segments::whole(self.size) }
    }

    /// A broadcast down a tree of all ranks, segment by segment.
    #[must_use]
    pub const fn segmented(&self, tree: Tree) -> Plan {
        Plan::Forward { tree, segments: Segments::new(self.size, self.segment) }
    }

    /// A reduction up a tree of all ranks, segment by segment.
    #[must_use]
    pub fn combined(&self, combining: Combining) -> StepPlan {
        let segments = Segments::new(self.size, self.segment);
        let to_root = matches!(combining, Combining::InOrder { .. }).then_some(Pattern::ToRoot(self.root));
        let stages = [Pattern::Backward { combining, segments }].into_iter().chain(to_root).collect();
        StepPlan::new(self.ranks, Slots::segments(segments), Fold::none(self.ranks), true, stages)
    }

    /// The ranks other than the root, by rising numbers.
    const fn others(&self) -> Others {
        Others { root: self.root, falling: false }
    }

    /// Slots of `size` each: one for a whole vector, or one for each rank's block.
    fn slots(&self, count: u32) -> Slots {
        if count as usize == self.lengths.len() {
            Slots::listed(self.lengths.iter().copied())
        } else {
            Slots::each(count, self.size)
        }
    }

    /// A plan of steps, in stages among the members of `fold`.
    fn steps(&self, slots: Slots, fold: Fold, stages: Vec<Pattern>) -> Plan {
        let combines = self.operation != Operation::Barrier;
        Plan::Steps(StepPlan::new(self.ranks, slots, fold, combines, stages))
    }

    /// A plan for a vector that each rank holds in one slot.
    #[must_use]
    pub fn whole(&self, stages: Vec<Pattern>) -> Plan {
        self.steps(self.slots(1), Fold::none(self.ranks), stages)
    }

    /// A plan for a slot per rank: its block.
    #[must_use]
    pub fn blocks(&self, stages: Vec<Pattern>) -> Plan {
        self.steps(self.slots(self.ranks), Fold::none(self.ranks), stages)
    }

    /// A plan for a vector that is held in parts: a slot per member of `fold`. `stages` makes the patterns of the slots.
    #[must_use]
    pub fn parts(&self, fold: Fold, stages: impl FnOnce(&Slots) -> Vec<Pattern>) -> Plan {
        let slots = Slots::parts(fold.members, self.size);
        let stages = stages(&slots);
        self.steps(slots, fold, stages)
    }

    /// Messages of 1, 2, 4, … blocks, as many as double one to all ranks'.
    fn doubling(&self, block: u64) -> Time {
        let messages = masks(self.ranks).map(|mask| self.message(block.saturating_mul(u64::from(mask))));
        messages.fold(Time::ZERO, |sum, one| sum + one)
    }
}

/// Why there is no plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// The algorithm does something else.
    #[error("{algorithm} is not an algorithm for {operation}; expected one of {}", joined(operation.algorithms(), ", "))]
    Other {
        /// The algorithm's name.
        algorithm: &'static str,
        /// What it was to do.
        operation: Operation,
    },
    /// The algorithm does not do what is to be done below the top level.
    #[error(
        "below the top {operation} needs an algorithm for {}: {}; {algorithm} is none",
        joined(operation.up_and_down().into_iter().flatten(), " and "),
        joined(Algorithm::ALL.iter().filter(|algorithm| algorithm.fits_below(*operation)), ", ")
    )]
    Below {
        /// The algorithm's name.
        algorithm: &'static str,
        /// What is done on the levels together.
        operation: Operation,
    },
    /// The neighbour exchange pairs ranks.
    #[error("{algorithm} needs an even number of {of}, there are {count}")]
    Odd {
        /// The algorithm's name.
        algorithm: &'static str,
        /// How many there are.
        count: u32,
        /// What they are: ranks, or coordinators.
        of: &'static str,
    },
    /// What is numbered in base two.
    #[error("{operation} by {algorithm} needs a power of two of {of}, there are {count}")]
    NoPower {
        /// The algorithm's name.
        algorithm: &'static str,
        /// What it was to do.
        operation: Operation,
        /// How many there are.
        count: u32,
        /// What they are: ranks, or coordinators.
        of: &'static str,
    },
    /// A rank has too many steps to number them.
    #[error("{0} among {1} ranks takes more steps a rank than can be numbered")]
    TooLarge(&'static str, u32),
    /// It is not done on several levels.
    #[error("{0} is done on one level only: name one algorithm, without a `+`")]
    OneLevel(Operation),
    /// Too many messages are under way at once.
    #[error("{0} among {1} ranks has {2} messages under way at once, which take {3}")]
    TooMuch(&'static str, u32, u64, TooMuch),
}

/// The most ranks that go by steps: one of them may have four steps for each.
const MOST_RANKS: u32 = 1 << 30;

/// What a message takes that is under way: an event of 32 bytes, its key of 16, and room to grow.
const UNDER_WAY: u64 = 64;

impl PlanError {
    /// The same about the ranks of the top level.
    pub(super) fn among_coordinators(self) -> Self {
        match self {
            Self::Odd { algorithm, count, .. } => Self::Odd { algorithm, count, of: "coordinators" },
            Self::NoPower { algorithm, operation, count, .. } => {
                Self::NoPower { algorithm, operation, count, of: "coordinators" }
            }
            other => other,
        }
    }
}

/// Names, one after the other.
fn joined(names: impl Iterator<Item = impl ToString>, between: &str) -> String {
    names.map(|name| name.to_string()).collect::<Vec<_>>().join(between)
}

impl Operation {
    /// An algorithm for any number of ranks that is good for short messages, where nobody chooses.
    #[must_use]
    pub const fn usual_algorithm(self) -> Algorithm {
        match self {
            Self::Broadcast | Self::Scatter | Self::Gather | Self::Reduce => Algorithm::Binomial,
            Self::AllReduce | Self::Scan => Algorithm::RecursiveDoubling,
            Self::ReduceScatter => Algorithm::RecursiveHalving,
            Self::AllGather => Algorithm::Bruck,
            Self::AllToAll => Algorithm::Pairwise,
            Self::Barrier => Algorithm::Dissemination,
        }
    }

    /// The algorithms for it.
    pub fn algorithms(self) -> impl Iterator<Item = Algorithm> {
        Algorithm::ALL.iter().copied().filter(move |algorithm| algorithm.fits(self))
    }
}

impl Algorithm {
    /// Whether it carries out an operation.
    #[must_use]
    pub fn fits(self, operation: Operation) -> bool {
        self.entry().operations().contains(&operation)
    }

    /// Whether it carries out what an operation on levels does below the top one.
    pub(super) fn fits_below(self, operation: Operation) -> bool {
        operation.up_and_down().into_iter().flatten().all(|part| self.fits(part))
    }

    /// Whether it carries out an operation as no MPI library does, only a simulator of one.
    #[must_use]
    pub fn is_simulators(self, operation: Operation) -> bool {
        self == Self::LinearNonblocking && operation != Operation::Scatter
    }

    /// Whether it cuts its message into segments.
    #[must_use]
    pub fn cuts(self) -> bool {
        self.entry().cuts()
    }

    /// Who sends what to whom.
    ///
    /// # Errors
    /// Where the algorithm does not do that, or not among so many ranks.
    pub fn plan(self, call: &Collective<'_>) -> Result<Plan, PlanError> {
        call.plan_by(self.name(), self.entry())
    }

    /// The same as steps.
    ///
    /// # Errors
    /// As for [`plan`](Self::plan), and where a rank has more steps than can be numbered.
    pub fn steps(self, call: &Collective<'_>) -> Result<StepPlan, PlanError> {
        self.in_steps(self.plan(call)?)
    }

    /// A plan of this algorithm as steps.
    ///
    /// # Errors
    /// Where a rank has more steps than can be numbered.
    pub fn in_steps(self, plan: Plan) -> Result<StepPlan, PlanError> {
        if plan.segments().saturating_mul(plan.ranks().into()) > u64::from(MOST_RANKS) {
            return Err(PlanError::TooLarge(self.name(), plan.ranks()));
        }
        Ok(plan.into_steps())
    }

    /// Its plan, without a check that it is one for this operation.
    #[must_use]
    pub fn unchecked(self, call: &Collective<'_>) -> Plan {
        call.unchecked(self.entry())
    }

    /// When the last rank is done, where a closed form is exact: for any cost where the plan forwards down a tree,
    /// under Hockney's model where it goes by steps, most often among a power of two of ranks.
    #[must_use]
    pub fn closed_form(self, call: &Collective<'_>) -> Option<Time> {
        if call.ranks < 2 { Some(Time::ZERO) } else { self.entry().completion(call) }
    }

    /// When the last rank has received all, by its plan: exactly as the plan's evaluation says, by a closed form where
    /// there is one.
    #[must_use]
    pub fn completion(self, call: &Collective<'_>, plan: &Plan) -> Time {
        self.completion_within(Time::NEVER, call, plan).unwrap_or(Time::NEVER)
    }

    /// The same, unless it is later than `limit`.
    #[must_use]
    pub fn completion_within(self, limit: Time, call: &Collective<'_>, plan: &Plan) -> Option<Time> {
        let closed = if let Plan::Steps(_) = plan { None } else { self.closed_form(call) };
        closed.map_or_else(|| plan.completion_within(limit, call.cost), |closed| (closed <= limit).then_some(closed))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Cost;

    #[test]
    fn names_are_the_same_everywhere() {
        for &algorithm in Algorithm::ALL {
            let name = algorithm.name();
            assert_eq!(serde_json::to_value(algorithm).unwrap(), name);
            assert_eq!(name.parse(), Ok(algorithm));
            assert_eq!(algorithm.to_string(), name);
            assert!(Operation::ALL.iter().any(|&operation| algorithm.fits(operation)), "{name}");
        }
        let error = "binomal".parse::<Algorithm>().unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("\"binomal\" is not a communication algorithm; expected one of linear, chain,"),
            "{error}"
        );
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
        /// Where a broadcast has a closed form, it gives what the evaluation of its plan does.
        #[test]
        fn completion_is_the_plans(
            ranks in 0u32..300, message in 0u64..3000, segment in 0u64..400, setup in 0u64..100, latency in 0u64..300,
        ) {
            let cost = |bytes: u64| Cost::plogp(Time(setup + bytes / 3), Time(latency));
            let call = Collective::broadcast(ranks, message, segment, &cost);
            for algorithm in Operation::Broadcast.algorithms() {
                // Only that one sends in either order.
                let orders = if algorithm == Algorithm::Binomial { 0..2 } else { 0..1 };
                for order in orders.map(|number| [Order::NearestFirst, Order::FarthestFirst][number]) {
                    let call = Collective { order, ..call };
                    let plan = algorithm.plan(&call).unwrap();
                    prop_assert_eq!(algorithm.completion(&call, &plan), plan.completion(cost), "{}", algorithm);
                    prop_assert_eq!(plan.ranks(), ranks, "{}", algorithm);
                    prop_assert_eq!(plan.arrivals(cost).into_iter().max().unwrap_or_default(), plan.completion(cost));
                }
            }
        }

        /// So does that of a plan of steps under Hockney's model, also where there is nothing to send.
        #[test]
        fn closed_forms_of_steps_are_the_plans(
            exponent in 0u32..5, any in 1u32..20, part in 0u64..50, rest in 0u64..3, setup in 0u64..100,
        ) {
            let cost = |bytes: u64| Cost::hockney(Time(setup + 3 * bytes));
            for ranks in [1 << exponent, any] {
                let size = part * u64::from(ranks) + rest / 2;
                for &operation in Operation::ALL {
                    let call = Collective { cost: &cost, ..Collective::new(operation, ranks, size) };
                    // Messages to one rank wait for each other at it, which evaluations leave out.
                    let waits = |algorithm| match algorithm {
                        Algorithm::Linear => true,
                        Algorithm::LinearNonblocking => operation != Operation::Scatter,
                        _ => false,
                    };
                    for algorithm in operation.algorithms().filter(|&algorithm| !waits(algorithm)) {
                        if let (Ok(plan), Some(closed)) = (algorithm.plan(&call), algorithm.closed_form(&call)) {
                            prop_assert_eq!(closed, plan.completion(cost), "{} {} {} {}", operation, algorithm, ranks, size);
                        }
                    }
                }
            }
        }
    }
}
