//! Operations of ranks, and one of them that is to be planned.

use super::cost::Cost;
use hetsim_base::registry::names;
use hetsim_base::units::Time;

names! {
    /// What a collective does, and what `size` means for it, as in MPI.
    "collective operation": Operation {
        #[default]
        AllReduce "all_reduce" = "every rank has a vector of `size`, and all get the vectors combined",
        Broadcast "broadcast" = "the root has `size` bytes, and all get them",
        Scatter "scatter" = "the root has a block of `size` for every rank",
        Gather "gather" = "every rank has a block of `size`, and the root gets them all",
        Reduce "reduce" = "every rank has a vector of `size`, and the root gets them combined",
        AllGather "all_gather" = "every rank has a block of `size`, and all get all blocks",
        ReduceScatter "reduce_scatter" = "every rank has a block of `size` for every rank, and each rank gets those for it combined",
        Scan "scan" = "every rank has a vector of `size`, and gets those of all ranks up to its own combined",
        AllToAll "all_to_all" = "every rank has a block of `size` for every other rank",
        Barrier "barrier" = "no rank continues before all have arrived; `size` is that of its messages",
    }
}

impl Operation {
    /// Whether one of the ranks is its root.
    #[must_use]
    pub const fn has_root(self) -> bool {
        matches!(self, Self::Broadcast | Self::Scatter | Self::Gather | Self::Reduce)
    }

    /// Whether it combines what ranks have.
    #[must_use]
    pub const fn combines(self) -> bool {
        matches!(self, Self::AllReduce | Self::Reduce | Self::ReduceScatter | Self::Scan)
    }

    /// Whether coordinators can do it for the ranks below them.
    #[must_use]
    pub const fn is_done_on_levels(self) -> bool {
        !matches!(self, Self::AllToAll | Self::ReduceScatter | Self::Scan)
    }

    /// On levels: how ranks hand up what they have, and are handed what comes of it.
    #[must_use]
    pub const fn up_and_down(self) -> [Option<Self>; 2] {
        match self {
            Self::Broadcast | Self::Scatter => [None, Some(self)],
            Self::Gather | Self::Reduce => [Some(self), None],
            Self::AllGather => [Some(Self::Gather), Some(Self::Broadcast)],
            Self::AllReduce | Self::Barrier => [Some(Self::Reduce), Some(Self::Broadcast)],
            Self::AllToAll | Self::ReduceScatter | Self::Scan => [None, None],
        }
    }
}

/// In which order a rank of the algorithm `binomial` sends a broadcast to its children. Both trees inform as many ranks
/// in as many rounds; where gap and hop differ, they end at different instants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// The nearest rank first (v + 1, v + 2, v + 4, …), as Open MPI does: the default of `kind = "broadcast"`.
    NearestFirst,
    /// The farthest rank first, as MPICH does: the default of `kind = "collective"` and of phases.
    FarthestFirst,
}

/// An operation that is to be planned. Ranks are counted from its root, in a circle: rank 0 has the data at first, or gets
/// them.
#[derive(Clone, Copy)]
pub struct Collective<'c> {
    /// The operation.
    pub operation: Operation,
    /// How many ranks take part.
    pub ranks: u32,
    /// The root's number among all, for algorithms that go by numbers: rank r here has the number `root + r`.
    pub root: u32,
    /// The bytes of a vector or of a block, as the [`Operation`] says.
    pub size: u64,
    /// The bytes of each rank's block, in a scatter, a gather or an all-gather in which they differ; none where all
    /// have `size`.
    pub lengths: &'c [u64],
    /// The bytes of a segment, for algorithms that cut a message; 0 leaves it whole.
    pub segment: u64,
    /// The base in which k-nomial trees and k-ary exchanges number the ranks: 2 or more.
    pub radix: u32,
    /// Into how many chains one splits at the root: 1 or more.
    pub fanout: u32,
    /// How many messages of an all-to-all a rank has under way at once; 0 for all of them.
    pub window: u32,
    /// In which order a binomial broadcast sends.
    pub order: Order,
    /// What a message of so many bytes costs: for trees that follow from it, and for closed forms.
    pub cost: &'c dyn Fn(u64) -> Cost,
    /// γm: how long a rank combines so many bytes with others, for closed forms.
    pub combine: &'c dyn Fn(u64) -> Time,
}

impl<'c> Collective<'c> {
    /// An operation with messages in one piece, on a machine where they cost nothing.
    #[must_use]
    pub fn new(operation: Operation, ranks: u32, size: u64) -> Self {
        let (order, cost, combine) = (Order::FarthestFirst, &|_| Cost::default(), &|_| Time::ZERO);
        let lengths: &[u64] = &[];
        Self {
            operation,
            ranks,
            root: 0,
            size,
            lengths,
            segment: 0,
            radix: 4,
            fanout: 1,
            window: 0,
            order,
            cost,
            combine,
        }
    }

    /// A broadcast as `kind = "broadcast"` means it.
    #[must_use]
    pub fn broadcast(ranks: u32, message: u64, segment: u64, cost: &'c dyn Fn(u64) -> Cost) -> Self {
        Self { segment, order: Order::NearestFirst, cost, ..Self::new(Operation::Broadcast, ranks, message) }
    }

    /// α + βm: how long a message keeps its sender and its receiver under Hockney's model.
    pub(super) fn message(&self, bytes: u64) -> Time {
        (self.cost)(bytes).hop
    }
}
