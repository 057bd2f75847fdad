//! Chunks of a fixed size (chunk self-scheduling; C. P. Kruskal, A. Weiss, IEEE TSE 11(10), 1985).

use super::{Rule, Setup};

#[derive(Debug, Clone)]
pub(super) struct Fixed {
    size: u32,
}

impl Rule for Fixed {
    fn new(setup: &Setup<'_>) -> Self {
        Self { size: setup.chunk.max(1) }
    }

    fn chunk(&mut self, _: u32, left: u32) -> u32 {
        self.size.min(left)
    }
}
