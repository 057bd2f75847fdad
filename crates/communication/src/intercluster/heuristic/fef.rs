//! Fastest edge first (Bhat, Raghavendra, Prasanna): least Cᵢⱼ.

use super::{Frontier, Grid, IntraclusterStart, Method, Schedule};

pub(super) struct Fef;

impl Method for Fef {
    fn schedule(&self, grid: &Grid, _: IntraclusterStart) -> Schedule {
        Frontier::new(grid).commit_least(|from, _, to| grid.cost(from, to))
    }
}
