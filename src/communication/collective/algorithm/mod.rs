//! The operations and the algorithms that carry them out.

use std::fmt;

use super::blocks::Slots;
use super::cost::Cost;
use super::fold::Fold;
use super::pattern::Pattern;
use super::plan::StepPlan;
use crate::registry::names;
use crate::units::Time;
use crate::units::memory::{self, TooMuch};

names! {
    /// What a collective does, and what `size` means for it, as in MPI.
    "collective operation": Operation {
        #[default]
        AllReduce "all_reduce" = "everyone has a vector of `size`, and all get the vectors combined",
        Broadcast "broadcast" = "the root has `size` bytes, and all get them",
        Scatter "scatter" = "the root has a block of `size` for every rank",
        Gather "gather" = "every rank has a block of `size`, and the root gets them all",
        Reduce "reduce" = "every rank has a vector of `size`, and the root gets them combined",
        AllGather "all_gather" = "every rank has a block of `size`, and all get all blocks",
        AllToAll "all_to_all" = "every rank has a block of `size` for every other rank",
        Barrier "barrier" = "nobody goes on before all have come; `size` is that of its messages",
    }
}

impl Operation {
    /// Whether one of the ranks is its root.
    #[must_use]
    pub const fn has_root(self) -> bool {
        matches!(self, Self::Broadcast | Self::Scatter | Self::Gather | Self::Reduce)
    }

    /// An algorithm for any number of ranks that is good for short messages, where nobody chooses.
    #[must_use]
    pub const fn usual_algorithm(self) -> Algorithm {
        match self {
            Self::Broadcast | Self::Scatter | Self::Gather | Self::Reduce => Algorithm::Binomial,
            Self::AllReduce => Algorithm::RecursiveDoubling,
            Self::AllGather => Algorithm::Bruck,
            Self::AllToAll => Algorithm::Pairwise,
            Self::Barrier => Algorithm::Dissemination,
        }
    }

    /// The algorithms for it.
    pub fn algorithms(self) -> impl Iterator<Item = Algorithm> {
        Algorithm::ALL.iter().copied().filter(move |algorithm| algorithm.operations().contains(&self))
    }
}

/// A collective operation to be planned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Collective {
    /// What is done.
    pub operation: Operation,
    /// How many ranks take part.
    pub ranks: u32,
    /// The rank that has or gets the data, where the operation has a root.
    pub root: u32,
    /// The bytes of a vector or of a block, as the [`Operation`] says.
    pub size: u64,
}

impl Collective {
    /// Slots of `size` each: one for a whole vector, or one for each rank's block.
    const fn slots(&self, count: u32) -> Slots {
        Slots::Each { count, bytes: self.size }
    }

    /// A vector that is held as one.
    fn whole(&self, stages: Vec<Pattern>) -> StepPlan {
        StepPlan::new(self, self.slots(1), Fold::none(self.ranks), stages)
    }

    /// A block for each rank.
    fn blocks(&self, stages: Vec<Pattern>) -> StepPlan {
        StepPlan::new(self, self.slots(self.ranks), Fold::none(self.ranks), stages)
    }

    /// A vector that is held in parts, one for each member.
    fn parts(&self, fold: Fold, stages: impl FnOnce(Slots) -> Vec<Pattern>) -> StepPlan {
        let slots = Slots::Parts { count: fold.members, bytes: self.size };
        StepPlan::new(self, slots, fold, stages(slots))
    }
}

/// Why there is no plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// The algorithm does something else.
    #[error("{algorithm} is no algorithm for {operation}; those are {}", Names(.operation))]
    Other {
        /// The algorithm.
        algorithm: Algorithm,
        /// What it was to do.
        operation: Operation,
    },
    /// There is no such rank.
    #[error("there is no rank {root}: the ranks are 0 to {}", .ranks.saturating_sub(1))]
    NoRoot {
        /// The root asked for.
        root: u32,
        /// How many ranks there are.
        ranks: u32,
    },
    /// The neighbour exchange pairs ranks.
    #[error("{0} needs an even number of ranks, there are {1}")]
    Odd(Algorithm, u32),
    /// A rank has too many steps to number them.
    #[error("{0} among {1} ranks takes more steps a rank than can be numbered")]
    TooLarge(Algorithm, u32),
    /// Too many messages are under way at once.
    #[error("{0} among {1} ranks has {2} messages under way at once, which take {3}")]
    TooMuch(Algorithm, u32, u64, TooMuch),
}

/// The most ranks: one of them may have four steps for each.
const MOST_RANKS: u32 = 1 << 30;

/// What a message takes that is under way: an event of 32 bytes, its key of 16, and room to grow.
const UNDER_WAY: u64 = 64;

/// The names of an operation's algorithms.
struct Names<'a>(&'a Operation);

impl fmt::Display for Names<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, algorithm) in self.0.algorithms().enumerate() {
            write!(f, "{}{algorithm}", if place > 0 { ", " } else { "" })?;
        }
        Ok(())
    }
}

/// What each algorithm's file says.
trait Method {
    /// The operations that it carries out.
    fn operations(&self) -> &'static [Operation];

    /// Who sends what to whom, for one of its operations and at least two ranks.
    fn plan(&self, collective: &Collective) -> StepPlan;

    /// When the last rank is done, all having come at once and each being busy with a message for all of its time;
    /// nothing where no closed form is exact.
    fn completion(&self, collective: &Collective, cost: &Cost<'_>) -> Option<Time>;

    /// Whether only an even number of ranks can do it.
    fn in_pairs(&self) -> bool {
        false
    }
}

names! {
    /// An algorithm of collective operations. A new one is a file with the stages of its [`StepPlan`] and a line
    /// here.
    "collective algorithm": Algorithm of Method {
        linear::Linear = "the root, or everyone, deals with all others one after the other",
        binomial::Binomial = "along a binomial tree: up, down, or both; largest subtrees first (as `binomial_mpich`)",
        ring::Ring = "blocks are passed around a ring",
        recursive_doubling::RecursiveDoubling = "all exchange what they have with a partner, at doubling distances",
        bruck::Bruck = "what one has is sent on at doubling distances around a circle (Bruck et al. 1997)",
        rabenseifner::Rabenseifner = "reduce-scatter by recursive halving, then a gathering (Rabenseifner 2004)",
        pairwise::Pairwise = "a partner at a time: each sends to one and receives from one",
        neighbour_exchange::NeighbourExchange = "pairs of blocks are exchanged with the two neighbours in turn (Chen et al. 2005)",
        dissemination::Dissemination = "everyone tells another at doubling distances around a circle (Hensgen et al. 1988)",
        reduce_broadcast::ReduceBroadcast = "a binomial reduction to a rank, then a binomial broadcast from it",
        scatter_ring::ScatterRing = "parts are scattered along a binomial tree, then passed around a ring",
        scatter_recursive_doubling::ScatterRecursiveDoubling = "parts are scattered along a binomial tree, then gathered by all by recursive doubling",
    }
}

impl Algorithm {
    /// The operations that it carries out.
    #[must_use]
    pub fn operations(self) -> &'static [Operation] {
        self.entry().operations()
    }

    /// Who sends what to whom.
    ///
    /// # Errors
    /// Where the algorithm does not do that, or not among so many ranks, or where there is no such root.
    pub fn plan(self, collective: &Collective) -> Result<StepPlan, PlanError> {
        let Collective { operation, ranks, root, .. } = *collective;
        if !self.operations().contains(&operation) {
            return Err(PlanError::Other { algorithm: self, operation });
        }
        if root >= ranks {
            return Err(PlanError::NoRoot { root, ranks });
        }
        if ranks > 1 && self.entry().in_pairs() && ranks % 2 == 1 {
            return Err(PlanError::Odd(self, ranks));
        }
        if ranks > MOST_RANKS {
            return Err(PlanError::TooLarge(self, ranks));
        }
        let plan = self.steps(collective);
        let messages = plan.at_once();
        match memory::check(messages.saturating_mul(UNDER_WAY)) {
            Ok(()) => Ok(plan),
            Err(error) => Err(PlanError::TooMuch(self, ranks, messages, error)),
        }
    }

    /// Who sends what to whom, for one of its operations; nothing is to be done among fewer than two ranks.
    pub(in crate::communication) fn steps(self, collective: &Collective) -> StepPlan {
        if collective.ranks < 2 {
            return StepPlan::empty(collective.ranks, collective.slots(1));
        }
        self.entry().plan(collective)
    }

    /// When the last rank is done under Hockney's model, exactly, where a closed form says so: all ranks come at once,
    /// and a message keeps its sender's and its receiver's port for all of its time. Most forms ask for a power of two
    /// of ranks.
    #[must_use]
    pub fn completion(self, collective: &Collective, cost: &Cost<'_>) -> Option<Time> {
        if collective.ranks < 2 {
            return Some(Time::ZERO);
        }
        self.entry().completion(collective, cost)
    }
}
