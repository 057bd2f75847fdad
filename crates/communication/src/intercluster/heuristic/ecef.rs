//! Early completion edge first (Bhat, Raghavendra, Prasanna): least Rᵢ + Cᵢⱼ.

use super::{Frontier, Grid, HeuristicMethod, IntraclusterStart, Schedule};

pub(super) struct Ecef;

impl HeuristicMethod for Ecef {
    fn schedule(&self, grid: &Grid, _: IntraclusterStart) -> Schedule {
        Frontier::new(grid).commit_least(|from, ready, to| ready + grid.cost(from, to))
    }
}
