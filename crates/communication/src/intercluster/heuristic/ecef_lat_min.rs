//! ECEF-LAt (Steffenel, Mounié 2006): Fⱼ = min over the others k of B of Cⱼₖ + Tₖ.

use super::{Grid, HeuristicMethod, IntraclusterStart, Schedule, ecef_with};

pub(super) struct EcefLatMin;

impl HeuristicMethod for EcefLatMin {
    fn schedule(&self, grid: &Grid, _: IntraclusterStart) -> Schedule {
        ecef_with(grid, |from, others| others.map(|to| grid.cost(from, to) + grid.inside(to)).min())
    }
}
