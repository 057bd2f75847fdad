//! ECEF-LAT (Steffenel, Mounié 2006): Fⱼ = max over the others k of B of Cⱼₖ + Tₖ.

use super::{Grid, HeuristicMethod, IntraclusterStart, Schedule, ecef_with};

pub(super) struct EcefLatMax;

impl HeuristicMethod for EcefLatMax {
    fn schedule(&self, grid: &Grid, _: IntraclusterStart) -> Schedule {
        ecef_with(grid, |from, others| others.map(|to| grid.cost(from, to) + grid.inside(to)).max())
    }
}
