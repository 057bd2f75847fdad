//! What an algorithm makes of an operation: who sends which bytes to whom, and in which order.

use super::cost::Cost;
use super::segments::Segments;
use super::steps::{Fold, Pattern, Slots, Step, StepPlan};
use super::tree::{Half, SplitBinary, Tree, arrivals, completion};
use hetsim_base::units::Time;

/// The data movement of one operation, for a program to carry out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Plan {
    /// Each rank forwards each segment to all its children in order, as soon as it receives it.
    Forward {
        /// Who forwards to whom.
        tree: Tree,
        /// How the message is cut.
        segments: Segments,
    },
    /// Each half of the message goes down one side of a tree; then the sides swap halves.
    SplitBinary(SplitBinary),
    /// Each rank goes through a list of steps.
    Steps(StepPlan),
}

impl Plan {
    /// How many ranks take part.
    #[must_use]
    pub fn ranks(&self) -> u32 {
        match self {
            Self::Forward { tree, .. } => tree.len(),
            Self::SplitBinary(split) => split.ranks(),
            Self::Steps(plan) => plan.ranks(),
        }
    }

    /// The same as steps, so that a rank can be in it again and again, and come when it likes.
    #[must_use]
    pub fn into_steps(self) -> StepPlan {
        let ranks = self.ranks();
        let (slots, stage) = match self {
            Self::Steps(plan) => return plan,
            Self::Forward { tree, segments } => (Slots::segments(segments), Pattern::Forward { tree, segments }),
            Self::SplitBinary(split) => {
                let halves = [Half::Left, Half::Right].map(|half| split.segments(half));
                let lengths =
                    halves.into_iter().flat_map(|half| (0..half.count()).map(move |segment| half.bytes(segment)));
                (Slots::listed(lengths), Pattern::Split(split))
            }
        };
        StepPlan::new(ranks, slots, Fold::none(ranks), false, vec![stage])
    }

    /// About how many messages are sent, which is told without looking at each.
    #[must_use]
    pub fn expected_messages(&self) -> f64 {
        match self {
            Self::Forward { tree, segments } => f64::from(tree.len().saturating_sub(1)) * segments.count() as f64,
            Self::SplitBinary(_) => {
                let mut messages = 0;
                self.each_message(|_, _, _, count| messages += count);
                messages as f64
            }
            Self::Steps(plan) => plan.expected_messages(),
        }
    }

    /// All its messages, in no order: sender, receiver, length, and how many of them are equal.
    pub fn each_message(&self, mut see: impl FnMut(u32, u32, u64, u64)) {
        let ranks = 0..self.ranks();
        let mut segmented = |from: u32, to: u32, segments: Segments| {
            see(from, to, segments.full(), segments.count() - 1);
            see(from, to, segments.last(), 1);
        };
        match self {
            Self::Forward { tree, segments } => {
                ranks.for_each(|rank| tree.children(rank).for_each(|child| segmented(rank, child, *segments)));
            }
            Self::SplitBinary(split) => {
                let half = |rank| split.segments(SplitBinary::half(rank).unwrap_or(Half::Right));
                for rank in ranks {
                    split.tree().children(rank).for_each(|child| segmented(rank, child, half(child)));
                    if let Some(partner) = split.swaps_to(rank) {
                        segmented(rank, partner, Segments::whole(half(rank).message()));
                    }
                }
            }
            Self::Steps(plan) => {
                for rank in ranks {
                    for step in plan.of(rank) {
                        if let Step::Send { to, bytes, .. } = step {
                            see(rank, to, bytes, 1);
                        }
                    }
                }
            }
        }
    }

    /// Whether [`arrivals`](Self::arrivals) is exact on a machine where a rank also receives one message at a time, not
    /// a lower bound only.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        match self {
            Self::Forward { .. } => true,
            Self::SplitBinary(split) => split.is_exact(),
            Self::Steps(plan) => plan.keeps_step(),
        }
    }

    /// What it takes to carry it out, or to say beforehand when it ends, in bytes of memory that grow with the number
    /// of segments: the root hands all of its messages over at the start, and an evaluation keeps the times of all
    /// segments for every rank on a path down the tree.
    #[must_use]
    pub fn memory(&self) -> u64 {
        // An event of 32 bytes, its key of 16, and room to grow; a time and a number.
        const UNDER_WAY: u64 = 64;
        const EVALUATED: u64 = 16;
        let of = |segments: Segments, sends: usize| {
            let depth = u64::from(self.ranks().max(1).ilog2()) + 2;
            segments.count().saturating_mul(sends as u64 * UNDER_WAY + depth * EVALUATED)
        };
        match self {
            Self::Forward { tree, segments } => of(*segments, tree.children(0).len()),
            Self::SplitBinary(split) => [Half::Left, Half::Right]
                .into_iter()
                .fold(0, |sum, half| sum.saturating_add(of(split.segments(half), 1))),
            Self::Steps(_) => 0,
        }
    }

    /// The most segments into which anything is cut.
    #[must_use]
    pub const fn segments(&self) -> u64 {
        match self {
            Self::Forward { segments, .. } => segments.count(),
            Self::SplitBinary(split) => split.segments(Half::Left).count(),
            Self::Steps(_) => 1,
        }
    }

    /// When each rank has the whole message; `cost` gives what a message of so many bytes costs.
    pub fn arrivals(&self, cost: impl Fn(u64) -> Cost) -> Vec<Time> {
        match self {
            Self::Forward { tree, segments } => arrivals(tree, *segments, cost),
            Self::SplitBinary(split) => split.arrivals(cost),
            Self::Steps(plan) => plan.arrivals(cost),
        }
    }

    /// When the last rank has the whole message: the greatest of the [`arrivals`](Self::arrivals).
    pub fn completion(&self, cost: impl Fn(u64) -> Cost) -> Time {
        self.completion_within(Time::NEVER, cost).unwrap_or(Time::NEVER)
    }

    /// The same, unless it is later than `limit`, which is often known long before the end of the evaluation.
    pub(crate) fn completion_within(&self, limit: Time, cost: impl Fn(u64) -> Cost) -> Option<Time> {
        let last = |arrivals: Vec<Time>| arrivals.into_iter().max().unwrap_or(Time::ZERO);
        let completion = match self {
            Self::Forward { tree, segments } => completion(tree, *segments, cost),
            Self::SplitBinary(split) => last(split.arrivals(cost)),
            Self::Steps(plan) => last(plan.arrivals_within(limit, cost)?),
        };
        (completion <= limit).then_some(completion)
    }
}
