//! ECEF with look-ahead by the mean: Fⱼ = the mean over the others k of B of Cⱼₖ, in whole ticks.

use super::{Grid, HeuristicMethod, IntraclusterStart, Schedule, Time, ecef_with};

pub(super) struct EcefLaMean;

impl HeuristicMethod for EcefLaMean {
    fn schedule(&self, grid: &Grid, _: IntraclusterStart) -> Schedule {
        ecef_with(grid, |from, others| {
            let (sum, count) = others.fold((Time::ZERO, 0), |(sum, count), to| (sum + grid.cost(from, to), count + 1));
            sum.0.checked_div(count).map(Time)
        })
    }
}
