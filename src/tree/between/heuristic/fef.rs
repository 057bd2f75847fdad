//! Fastest edge first (Bhat, Raghavendra, Prasanna): least Cᵢⱼ.

use super::Method;
use crate::tree::between::frontier::Frontier;
use crate::tree::between::{Grid, IntraclusterStart, Schedule};

#[derive(Debug)]
pub(super) struct Fef;

impl Method for Fef {
    fn schedule(&self, grid: &Grid, _: IntraclusterStart) -> Schedule {
        Frontier::new(grid).commit_least(|from, _, to| grid.cost(from, to))
    }
}
