//! What an algorithm makes of a broadcast: who sends which bytes to whom, and in which order.

use super::cost::Cost;
use super::evaluate;
use super::scatter::ScatterAllgather;
use super::segments::Segments;
use super::shape::Tree;
use super::split::SplitBinary;
use crate::units::Time;

/// The data movement of one broadcast, for a program to carry out.
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
    /// Each rank is sent its block; then all exchange blocks.
    ScatterAllgather(ScatterAllgather),
}

impl Plan {
    /// How many ranks take part.
    #[must_use]
    pub fn ranks(&self) -> u32 {
        match self {
            Self::Forward { tree, .. } => tree.len(),
            Self::SplitBinary(split) => split.ranks(),
            Self::ScatterAllgather(scatter) => scatter.ranks(),
        }
    }

    /// Whether [`arrivals`](Self::arrivals) is exact on a machine where a rank also receives one message at a time, not a
    /// lower bound only.
    #[must_use]
    pub const fn is_exact(&self) -> bool {
        match self {
            Self::Forward { .. } => true,
            Self::SplitBinary(split) => split.is_exact(),
            Self::ScatterAllgather(scatter) => scatter.is_exact(),
        }
    }

    /// When each rank has the whole message; `cost` gives what a message of so many bytes costs.
    pub fn arrivals(&self, cost: impl Fn(u64) -> Cost) -> Vec<Time> {
        match self {
            Self::Forward { tree, segments } => evaluate::arrivals(tree, *segments, cost),
            Self::SplitBinary(split) => split.arrivals(cost),
            Self::ScatterAllgather(scatter) => scatter.arrivals(cost),
        }
    }

    /// When the last rank has the whole message: the greatest of the [`arrivals`](Self::arrivals).
    pub fn completion(&self, cost: impl Fn(u64) -> Cost) -> Time {
        match self {
            Self::Forward { tree, segments } => evaluate::completion(tree, *segments, cost),
            Self::SplitBinary(_) | Self::ScatterAllgather(_) => {
                self.arrivals(cost).into_iter().max().unwrap_or(Time::ZERO)
            }
        }
    }
}
