//! The names of schedulers. Some decide before a run, by a rule or by a search; some decide during the run.

use super::dynamic::Dynamic;
use hetsim_base::registry::named;
use hetsim_schedule::Scheduler;
use hetsim_schedule::mapping::Search;

/// Who decides which task runs where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskScheduler {
    /// A scheduler, before the run.
    Static(Scheduler),
    /// A search for a mapping, before the run.
    Search(Search),
    /// In the course of the run.
    Dynamic(Dynamic),
}

impl TaskScheduler {
    /// Every method.
    pub fn all() -> impl Iterator<Item = Self> {
        let fixed = Scheduler::ALL.iter().copied().map(Self::Static);
        let searches = Search::ALL.iter().copied().map(Self::Search);
        fixed.chain(searches).chain(Dynamic::ALL.iter().copied().map(Self::Dynamic))
    }

    /// The name in scenarios and results.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Static(scheduler) => scheduler.name(),
            Self::Search(search) => search.name(),
            Self::Dynamic(dynamic) => dynamic.name(),
        }
    }
}

named! { "scheduler", "TaskScheduler": TaskScheduler }
