//! Branch and bound, within a number of steps that takes about a second.

use super::{Grid, IntraclusterStart, Method, STEPS, Schedule, exact};

pub(super) struct Exact;

impl Method for Exact {
    fn schedule(&self, grid: &Grid, inside: IntraclusterStart) -> Schedule {
        exact(grid, inside, STEPS).schedule
    }
}
