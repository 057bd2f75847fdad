//! The flat tree between clusters (`MagPIe`: Kielmann, Hofman, Bal, Plaat, Bhoedjang 1999).

use super::{Frontier, Grid, HeuristicMethod, IntraclusterStart, Schedule};

pub(super) struct Flat;

impl HeuristicMethod for Flat {
    fn schedule(&self, grid: &Grid, _: IntraclusterStart) -> Schedule {
        let mut frontier = Frontier::new(grid);
        for to in (0..grid.size()).filter(|&node| node != grid.root()) {
            frontier.commit(grid.root(), to);
        }
        frontier.schedule()
    }
}
