//! A collective that is repeated, each time behind a barrier, as benchmarks do.
//!
//! What a benchmark measures depends on how ranks leave the barrier, and that on when they have come to it: who is last
//! to end an operation is first to leave a barrier of exchanges, where all messages for it are there, and then waits for
//! those who leave it last. So the time of a broadcast by the binomial tree behind a barrier by recursive doubling is that
//! of both, while a linear gather seems to take no time at all. Repeated operations settle at such a regime, as powers of
//! a matrix over (max, +) do; the slightest difference between ranks decides which.

use crate::communication::steps::StepPlan;
use crate::units::Time;

/// The most repetitions.
const MOST: u32 = 8;
/// Which part of the measured time is nothing: repetitions that differ by less have settled, and barriers that ranks
/// leave within less do not matter.
const NOTHING: u64 = 100;

/// The repetitions.
#[derive(Debug)]
pub(super) struct Rounds {
    pub(super) barrier: StepPlan,
    /// How late rank 0 comes to the first barrier.
    pub(super) late: Time,
    /// Whether the measured time has settled.
    pub(super) over: bool,
    /// By rank: the steps of a repetition.
    steps: Vec<u32>,
    /// How many ranks have done this repetition.
    done: u32,
    /// How many repetitions all ranks have done.
    rounds: u32,
    /// What the last of them has taken.
    last: Time,
}

impl Rounds {
    /// Repetitions of a `plan` that begins with a `barrier`.
    pub(super) fn new(barrier: StepPlan, plan: &StepPlan, late: Time) -> Self {
        let steps = (0..plan.ranks()).map(|rank| plan.steps_of(rank)).collect();
        Self { barrier, late, over: false, steps, done: 0, rounds: 0, last: Time::ZERO }
    }

    /// The number of a rank's step over all repetitions.
    pub(super) fn tag(&self, rank: u32, round: u32, step: u32) -> u32 {
        self.steps[rank as usize].wrapping_mul(round).wrapping_add(step)
    }

    /// Counts a rank that has done the repetition; whether all have. Nobody has left the next barrier then.
    pub(super) fn all_done(&mut self) -> bool {
        self.done += 1;
        let all = self.done as usize == self.steps.len();
        if all {
            self.done = 0;
        }
        all
    }

    /// Whether a repetition is the last, by when each rank has begun and ended it.
    pub(super) fn settle(&mut self, spans: &[(Time, Time)]) -> bool {
        let time = spans.iter().map(|&(begun, ended)| ended - begun).max().unwrap_or_default();
        let begun = spans.iter().map(|span| span.0);
        let spread = begun.clone().max().unwrap_or_default() - begun.min().unwrap_or_default();
        let change = time.max(self.last) - time.min(self.last);
        self.rounds += 1;
        let settled = self.rounds > 1 && change * NOTHING <= time;
        self.over = settled || spread * NOTHING <= time || self.rounds == MOST;
        self.last = time;
        self.over
    }
}
