//! How ranks make their calls, and what is measured of them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use hetsim_base::units::Time;
use hetsim_cluster::Barrier;
use hetsim_communication::Algorithm;

/// How ranks send and receive.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Calls {
    /// A rank hands over each message and goes on; its receivers are always ready.
    #[default]
    Ready,
    /// As the sources of MPI libraries have it: sends and receives block, do not block or go in pairs, receives are
    /// posted, and work in memory costs what `[platform.memory]` says.
    Mpi,
}

impl Calls {
    /// How many events a message makes: it comes, and by calls its sender also waits until it has left.
    pub(crate) const fn events_of_a_message(self) -> f64 {
        match self {
            Self::Ready => 1.0,
            Self::Mpi => 2.0,
        }
    }
}

/// What is measured.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Timing {
    /// The time from the common start to the end of the last rank.
    #[default]
    Together,
    /// As benchmarks of MPI do: all ranks meet in the platform's barrier, each takes its own time from leaving it to
    /// its end, the longest counts, and this is repeated until it has settled. Only with `calls = "mpi"`.
    Barrier,
}

impl Timing {
    /// The measured time, of the instants at which each rank has begun and ended.
    pub(super) fn of(self, spans: &[(Time, Time)]) -> Time {
        let own = |&(begun, ended): &(Time, Time)| match self {
            Self::Together => ended,
            Self::Barrier => ended - begun,
        };
        spans.iter().map(own).max().unwrap_or(Time::ZERO)
    }
}

/// The algorithm of a barrier; none if that takes no time.
pub(super) const fn algorithm_of(barrier: Barrier) -> Option<Algorithm> {
    match barrier {
        Barrier::Ideal => None,
        Barrier::Linear => Some(Algorithm::Linear),
        Barrier::Binomial => Some(Algorithm::Binomial),
        Barrier::RecursiveDoubling => Some(Algorithm::RecursiveDoubling),
        Barrier::Dissemination => Some(Algorithm::Dissemination),
    }
}
