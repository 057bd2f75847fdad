//! Fastest edge first (Bhat, Raghavendra, Prasanna): least Cᵢⱼ.

use super::{Frontier, Grid, HeuristicMethod, IntraclusterStart, Schedule};

pub(super) struct Fef;

impl HeuristicMethod for Fef {
    fn schedule(&self, grid: &Grid, _: IntraclusterStart) -> Schedule {
        Frontier::new(grid).commit_least(|from, _, to| grid.cost(from, to))
    }
}
