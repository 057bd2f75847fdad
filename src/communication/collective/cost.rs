//! What messages and combining cost, for the closed forms.

use crate::communication::rounds::rounds;
use crate::units::Time;

/// Hockney's model in whole ticks, and what combining costs. Every form is a sum over messages, so it is right to the
/// tick however single messages are rounded.
#[derive(Clone, Copy)]
pub struct Cost<'c> {
    /// α + βm: how long a message of so many bytes keeps its sender and its receiver.
    pub message: &'c dyn Fn(u64) -> Time,
    /// γm: how long a rank combines so many bytes with others.
    pub combine: &'c dyn Fn(u64) -> Time,
}

impl Cost<'_> {
    pub(super) fn message(&self, bytes: u64) -> Time {
        (self.message)(bytes)
    }

    pub(super) fn combine(&self, bytes: u64) -> Time {
        (self.combine)(bytes)
    }

    /// Messages of 1, 2, 4, … blocks, as many as double one to all ranks'.
    pub(super) fn doubling(&self, ranks: u32, block: u64) -> Time {
        masks(ranks).fold(Time::ZERO, |sum, mask| sum + self.message(block.saturating_mul(u64::from(mask))))
    }
}

/// The powers of two below the number of ranks, ascending.
pub(super) fn masks(ranks: u32) -> impl DoubleEndedIterator<Item = u32> {
    (0..rounds(ranks)).map(|digit| 1 << digit)
}
