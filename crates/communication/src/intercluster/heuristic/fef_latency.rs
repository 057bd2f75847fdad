//! Fastest edge first by Lᵢⱼ alone, as if messages were empty; much worse for long ones.

use super::{Frontier, Grid, IntraclusterStart, Method, Schedule};

pub(super) struct FefLatency;

impl Method for FefLatency {
    fn schedule(&self, grid: &Grid, _: IntraclusterStart) -> Schedule {
        Frontier::new(grid).commit_least(|from, _, to| grid.latency(from, to))
    }
}
