//! Fastest edge first by Lᵢⱼ alone, as if messages were empty; much worse for long ones.

use super::{Frontier, Grid, HeuristicMethod, IntraclusterStart, Schedule};

pub(super) struct FefLatency;

impl HeuristicMethod for FefLatency {
    fn schedule(&self, grid: &Grid, _: IntraclusterStart) -> Schedule {
        Frontier::new(grid).commit_least(|from, _, to| grid.latency(from, to))
    }
}
