//! The initial mapping of a search.

use super::{MappingError, Neural, Problem};
use crate::Scheduler;
use hetsim_base::engine::Stream;
use hetsim_base::registry::named;

/// The initial mapping of a search. In scenarios it is a name: `random`, `neural`, or that of a scheduler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Start {
    /// A uniformly drawn mapping.
    #[default]
    Random,
    /// The mapping of the random neural network with its default parameters.
    Neural,
    /// The mapping of a scheduler's schedule, which the caller provides.
    Schedule(Scheduler),
}

impl Start {
    /// Every start.
    pub fn all() -> impl Iterator<Item = Self> {
        // A random schedule is the same start as a random mapping.
        let schedulers = Scheduler::ALL.iter().copied().filter(|scheduler| *scheduler != Scheduler::Random);
        [Self::Random, Self::Neural].into_iter().chain(schedulers.map(Self::Schedule))
    }

    /// The name in scenarios.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Neural => "neural",
            Self::Schedule(scheduler) => scheduler.name(),
        }
    }

    /// The initial mapping.
    pub(super) fn mapping(
        self,
        problem: &Problem<'_>,
        given: Option<&[u32]>,
        stream: &mut Stream,
    ) -> Result<Vec<u32>, MappingError> {
        match self {
            Self::Random => Ok(problem.draw(stream)),
            Self::Neural => Ok(Neural::default().decode(problem)?),
            Self::Schedule(_) => given.map(<[u32]>::to_vec).ok_or(MappingError::NoStart),
        }
    }
}

named! { "start of a search", "SearchStart": Start }
