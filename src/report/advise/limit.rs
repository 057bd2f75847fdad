//! How long a candidate may take before nothing that is advised depends on it.

use super::{Choice, Timed, mpich, ucc};
use crate::communication::Operation;
use crate::workload::advise::{Candidate, usual};

/// How many lists a candidate may be the fastest of: those of Open MPI, of MPICH with and without what needs a power
/// of two, and of UCC.
const LISTS: usize = 4;

/// The number of UCC's.
const UCC: usize = 3;

impl Choice {
    /// The time of a candidate, if it is known.
    #[must_use]
    pub fn time_of(&self, candidate: &Candidate) -> Option<f64> {
        self.timed.iter().find(|timed| timed.candidate == *candidate).map(|timed| timed.seconds)
    }

    /// The time in seconds beyond which a candidate changes nothing of what is advised, whatever the candidates take
    /// that are not timed yet: infinite if its time is wanted in any case.
    ///
    /// A time counts as the usual one, the fastest, the fastest of another method, a rival within the error, or the
    /// fastest of those that a library has. Each of these is no longer than what is known so far says, and all of a
    /// method's candidates that are in the same lists stand for one.
    #[must_use]
    pub fn limit(&self, candidate: &Candidate) -> f64 {
        let lists = self.lists(&Timed { candidate: *candidate, seconds: f64::INFINITY, measured: false });
        // Which radix UCC is given depends on the times of all that it has.
        let is_weighed = self.operation == Operation::Reduce && lists[UCC];
        if candidate.method == usual(self.operation) || is_weighed {
            return f64::INFINITY;
        }
        let best = |counts: &dyn Fn(&Timed) -> bool| {
            Self::fastest_of(self.timed.iter().filter(|timed| counts(timed))).map_or(f64::INFINITY, |one| one.seconds)
        };
        let of_method = best(&|timed| timed.candidate.method == candidate.method && self.lists(timed) == lists);
        let second = self.second().map_or(f64::INFINITY, |second| second.seconds);
        let rival = best(&|_| true) * (1.0 + self.error.unwrap_or(0.0));
        let of_lists = (0..LISTS).filter(|&list| lists[list]).map(|list| best(&|timed| self.lists(timed)[list]));
        of_method.min(of_lists.fold(second.max(rival), f64::max))
    }

    /// In which lists a candidate is, whose time may be measured.
    fn lists(&self, timed: &Timed) -> [bool; LISTS] {
        let (&Self { operation, ranks, bytes, .. }, candidate) = (self, &timed.candidate);
        let of_mpich = mpich(operation, candidate, ranks);
        [
            self.rule_of(timed).is_some(),
            of_mpich.is_some(),
            of_mpich.is_some_and(|name| !super::mpich::needs_power_of_two(name)),
            ucc(operation, candidate, ranks, bytes).is_some(),
        ]
    }
}
