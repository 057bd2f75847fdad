//! What a library runs that follows the rules written for it.

use super::{Choice, TunedRule, mpich, ranges, rule};
use crate::communication::Operation;
use crate::fit::read::collectives::Maker;
use crate::workload::advise::Candidate;

/// How a library is told to run an algorithm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Ruled {
    /// A rule of Open MPI's component `tuned`.
    OpenMpi(TunedRule),
    /// A name of MPICH.
    Mpich(&'static str),
}

impl Ruled {
    /// How a candidate is asked for among so many ranks; nothing where the library has none.
    #[must_use]
    pub fn of(maker: Maker, operation: Operation, candidate: &Candidate, ranks: u32) -> Option<Self> {
        match maker {
            Maker::OpenMpi => rule(operation, candidate, ranks).map(Self::OpenMpi),
            Maker::Mpich => mpich(operation, candidate, ranks).map(Self::Mpich),
            Maker::Other => None,
        }
    }

    /// Whether the choice is left to the library.
    #[must_use]
    pub fn is_own_choice(&self) -> bool {
        *self == Self::OpenMpi(TunedRule::OWN)
    }

    /// What the rules written for some choices ask for at a size, as the operation counts it; nothing without a rule.
    ///
    /// `choices` go by operation, rising ranks and rising size.
    #[must_use]
    pub fn by_rules(
        choices: &[Choice],
        maker: Maker,
        (operation, ranks, bytes): (Operation, u32, u64),
    ) -> Option<Self> {
        let ranges = ranges(choices, operation, ranks, &|choice| match maker {
            Maker::OpenMpi => choice.for_open_mpi().map(|(timed, rule)| (timed, Self::OpenMpi(rule))),
            Maker::Mpich => choice.for_mpich(true).map(|(timed, name)| (timed, Self::Mpich(name))),
            Maker::Other => None,
        });
        ranges.into_iter().take_while(|(from, ..)| *from <= bytes).last().map(|(.., ruled)| ruled)
    }
}
