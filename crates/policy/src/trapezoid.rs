//! Trapezoid self-scheduling: chunks shrink linearly, from a first size f to a last size l.
//!
//! T. H. Tzen, L. M. Ni, *Trapezoid self-scheduling*, IEEE TPDS 4(1), 1993. They advise f = ⌊N/(2P)⌋ and l = 1 (here
//! the smallest chunk). There are C = ⌈2N/(f + l)⌉ chunks, each δ = ⌊(f − l)/(C − 1)⌋ smaller than the one before.

use super::{Rule, Setup};

/// The first chunk, and by how much the next is smaller each time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slope {
    pub(super) first: u32,
    pub(super) step: u32,
}

impl Slope {
    /// That of a round with so many workers and a last chunk of this size.
    pub(super) fn new(tasks: u32, workers: f64, last: u32) -> Self {
        let first = ((f64::from(tasks) / (2.0 * workers)) as u32).max(last);
        let chunks = (2 * u64::from(tasks)).div_ceil(u64::from(first) + u64::from(last));
        Self { first, step: (u64::from(first - last) / chunks.saturating_sub(1).max(1)) as u32 }
    }
}

#[derive(Debug, Clone)]
pub(super) struct Trapezoid {
    workers: f64,
    last: u32,
    next: u32,
    step: u32,
}

impl Rule for Trapezoid {
    fn new(setup: &Setup<'_>) -> Self {
        let last = setup.chunk.max(1);
        Self { workers: (setup.speeds.len() as f64).max(1.0), last, next: last, step: 0 }
    }

    fn begin(&mut self, tasks: u32) {
        let slope = Slope::new(tasks, self.workers, self.last);
        (self.next, self.step) = (slope.first, slope.step);
    }

    fn chunk(&mut self, _: u32, left: u32) -> u32 {
        let chunk = self.next.min(left);
        self.next = self.next.saturating_sub(self.step).max(self.last);
        chunk
    }
}
