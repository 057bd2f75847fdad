//! Trapezoid self-scheduling: chunks shrink linearly, from a first size f to a last size l.
//!
//! T. H. Tzen, L. M. Ni, *Trapezoid self-scheduling*, IEEE TPDS 4(1), 1993. They advise f = ⌊N/(2P)⌋ and l = 1 (here
//! the smallest chunk). There are C = ⌈2N/(f + l)⌉ chunks, each δ = ⌊(f − l)/(C − 1)⌋ smaller than the one before.

use super::{Rule, Setup};

#[derive(Debug, Clone)]
pub(super) struct Trapezoid {
    workers: u32,
    last: u32,
    next: u32,
    step: u32,
}

impl Rule for Trapezoid {
    fn new(setup: &Setup<'_>) -> Self {
        let last = setup.chunk.max(1);
        Self { workers: (setup.speeds.len() as u32).max(1), last, next: last, step: 0 }
    }

    fn begin(&mut self, tasks: u32) {
        let twice = 2 * u64::from(tasks);
        let first = ((u64::from(tasks) / (2 * u64::from(self.workers))) as u32).max(self.last);
        let chunks = twice.div_ceil(u64::from(first) + u64::from(self.last));
        self.step = (u64::from(first - self.last) / chunks.saturating_sub(1).max(1)) as u32;
        self.next = first;
    }

    fn chunk(&mut self, _: u32, left: u32) -> u32 {
        let chunk = self.next.min(left);
        self.next = self.next.saturating_sub(self.step).max(self.last);
        chunk
    }
}
