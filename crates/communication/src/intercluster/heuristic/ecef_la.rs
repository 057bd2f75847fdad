//! ECEF with look-ahead (Bhat, Raghavendra, Prasanna): Fⱼ = min over the others k of B of Cⱼₖ.

use super::{Grid, HeuristicMethod, IntraclusterStart, Schedule, ecef_with};

pub(super) struct EcefLa;

impl HeuristicMethod for EcefLa {
    fn schedule(&self, grid: &Grid, _: IntraclusterStart) -> Schedule {
        ecef_with(grid, |from, others| others.map(|to| grid.cost(from, to)).min())
    }
}
