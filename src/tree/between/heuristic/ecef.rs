//! Early completion edge first (Bhat, Raghavendra, Prasanna): least Rᵢ + Cᵢⱼ.

use super::Method;
use crate::tree::between::frontier::Frontier;
use crate::tree::between::{Grid, IntraclusterStart, Schedule};

#[derive(Debug)]
pub(super) struct Ecef;

impl Method for Ecef {
    fn schedule(&self, grid: &Grid, _: IntraclusterStart) -> Schedule {
        Frontier::new(grid).commit_least(|from, ready, to| ready + grid.cost(from, to))
    }
}
