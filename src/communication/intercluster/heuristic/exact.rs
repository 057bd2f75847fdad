//! Branch and bound, within a number of steps that takes about a second.

use super::Method;
use crate::communication::intercluster::{Grid, IntraclusterStart, STEPS, Schedule, exact};

#[derive(Debug)]
pub(super) struct Exact;

impl Method for Exact {
    fn schedule(&self, grid: &Grid, inside: IntraclusterStart) -> Schedule {
        exact(grid, inside, STEPS).schedule
    }
}
