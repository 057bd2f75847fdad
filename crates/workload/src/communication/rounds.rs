//! A collective that is repeated, each time behind a barrier, as benchmarks do.
//!
//! What a benchmark measures depends on how ranks leave the barrier, and that on when they have come to it: who is
//! last to end an operation is first to leave a barrier of exchanges, where all messages for it are there, and then
//! waits for those who leave it last. So the time of a broadcast by the binomial tree behind a barrier by recursive
//! doubling is that of both, while a linear gather takes two latencies, however many ranks there are. Repeated
//! operations settle at such a regime, as powers of a matrix over (max, +) do; the slightest difference between ranks
//! decides which.

use hetsim_base::units::Time;

/// The most repetitions.
const MOST: u32 = 8;
/// Which part of the measured time is nothing: repetitions that differ by less have settled, and barriers that ranks
/// leave within less do not matter.
const NOTHING: u64 = 100;

/// The repetitions.
#[derive(Debug)]
pub(super) struct Rounds {
    /// How late rank 0 comes to the first barrier.
    late: Time,
    /// Whether the measured time has settled.
    over: bool,
    /// How many ranks have done this repetition.
    done: usize,
    /// How many repetitions all ranks have done.
    count: u32,
    /// What the last of them has taken.
    last: Time,
}

impl Rounds {
    pub(super) const fn new(late: Time) -> Self {
        Self { late, over: false, done: 0, count: 0, last: Time::ZERO }
    }

    pub(super) const fn late(&self) -> Time {
        self.late
    }

    pub(super) const fn is_over(&self) -> bool {
        self.over
    }

    /// Counts a rank that has done the repetition; whether it is the last of all. Nobody has left the next barrier
    /// then.
    pub(super) fn is_last_of(&mut self, ranks: usize) -> bool {
        self.done = (self.done + 1) % ranks;
        self.done == 0
    }

    /// Whether a repetition is the last, by when each rank has begun and ended it.
    pub(super) fn settle(&mut self, spans: &[(Time, Time)]) -> bool {
        let time = spans.iter().map(|&(begun, ended)| ended - begun).max().unwrap_or_default();
        let begun = spans.iter().map(|span| span.0);
        let spread = begun.clone().max().unwrap_or_default() - begun.min().unwrap_or_default();
        let change = time.max(self.last) - time.min(self.last);
        self.count += 1;
        let settled = self.count > 1 && change * NOTHING <= time;
        self.over = settled || spread * NOTHING <= time || self.count == MOST;
        self.last = time;
        self.over
    }
}
