//! The processor that is idle first, in O(log P) for each task that is placed.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::partial::Partial;
use hetsim_base::units::Time;

/// The processors by the ends of their last tasks.
#[derive(Debug)]
pub(super) struct FirstIdle(BinaryHeap<Reverse<(Time, u32)>>);

impl FirstIdle {
    /// With no task placed.
    pub(super) fn new(processors: u32) -> Self {
        Self((0..processors).map(|processor| Reverse((Time::ZERO, processor))).collect())
    }

    /// The processor whose last task ends first; ties go to the lowest number.
    pub(super) fn get(&mut self, partial: &Partial<'_>) -> u32 {
        // Ends only grow, so an end that has changed stands too early in the heap, and comes up before it counts.
        while let Some(&Reverse((end, processor))) = self.0.peek() {
            let now = partial.end(processor);
            if now == end {
                return processor;
            }
            self.0.pop();
            self.0.push(Reverse((now, processor)));
        }
        0
    }
}
