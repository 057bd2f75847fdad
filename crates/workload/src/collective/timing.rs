//! How ranks make their calls, and what is measured of them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use hetsim_base::units::Time;
use hetsim_cluster::Barrier;
use hetsim_communication::{Algorithm, Library, Operation};

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
    /// The same, but the mean of all ranks' own times counts, as in the average latency of the OSU benchmarks.
    BarrierMean,
}

impl Timing {
    /// Whether ranks meet in a barrier before they begin.
    pub(super) fn is_behind_barrier(self) -> bool {
        self != Self::Together
    }

    /// The measured time, of the instants at which each rank has begun and ended.
    pub(super) fn of(self, spans: &[(Time, Time)]) -> Time {
        let own = spans.iter().map(|&(begun, ended)| ended - begun);
        match self {
            Self::Together => spans.iter().map(|&(_, ended)| ended).max().unwrap_or(Time::ZERO),
            Self::Barrier => own.max().unwrap_or(Time::ZERO),
            Self::BarrierMean => Time(own.sum::<Time>().0 / (spans.len() as u64).max(1)),
        }
    }
}

/// The algorithm of a barrier among so many ranks; none if that takes no time.
pub(super) fn algorithm_of(barrier: Barrier, ranks: u32) -> Option<Algorithm> {
    match barrier {
        Barrier::Ideal => None,
        Barrier::Linear => Some(Algorithm::Linear),
        Barrier::Binomial => Some(Algorithm::Binomial),
        Barrier::RecursiveDoubling => Some(Algorithm::RecursiveDoubling),
        Barrier::Dissemination => Some(Algorithm::Dissemination),
        Barrier::OpenMpi => Some(Library::OpenMpi41.choose(Operation::Barrier, ranks, 0).algorithm),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One rank takes 1, another 6, behind a barrier that they leave at 2 and 3.
    #[test]
    fn what_is_measured() {
        let spans = [(Time(2), Time(3)), (Time(3), Time(9))];
        let of = |timing: Timing| timing.of(&spans).0;
        assert_eq!([Timing::Together, Timing::Barrier, Timing::BarrierMean].map(of), [9, 6, 3]);
        assert_eq!(Timing::BarrierMean.of(&[]), Time::ZERO);
    }

    /// By coll_tuned_decision_fixed.c of Open MPI 4.1.5.
    #[test]
    fn the_barrier_of_open_mpi_depends_on_the_number_of_ranks() {
        let of = |ranks: u32| algorithm_of(Barrier::OpenMpi, ranks).unwrap();
        assert_eq!([2, 8, 63].map(of), [Algorithm::RecursiveDoubling; 3]);
        assert_eq!([4, 7].map(of), [Algorithm::Linear; 2]);
        assert_eq!([64, 255, 512, 1023, 4096].map(of), [Algorithm::Dissemination; 5]);
        assert_eq!([256, 511, 1024, 4095].map(of), [Algorithm::Binomial; 4]);
    }
}
