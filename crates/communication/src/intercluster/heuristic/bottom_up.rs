//! Bottom-up (Steffenel, Mounié 2006): the cluster that is worst off even at its best goes first.

use super::{Frontier, Grid, HeuristicMethod, IntraclusterStart, Schedule, Time};

pub(super) struct BottomUp;

impl HeuristicMethod for BottomUp {
    /// The j with the greatest min over i of Rᵢ + Cᵢⱼ + Tⱼ, from that i.
    fn schedule(&self, grid: &Grid, _: IntraclusterStart) -> Schedule {
        let mut frontier = Frontier::new(grid);
        while let Some((_, from, to)) = worst_off(&frontier) {
            frontier.commit(from, to);
        }
        frontier.schedule()
    }
}

/// The waiting cluster whose best completion is latest: that time, the sender that gives it, and the cluster. Of equal
/// ones that with the lowest sender.
fn worst_off(frontier: &Frontier<'_>) -> Option<(Time, u32, u32)> {
    let grid = frontier.grid;
    let best = |to: u32| {
        let done = |(from, ready)| (ready + grid.cost(from, to) + grid.inside(to), from, to);
        frontier.informed().map(done).min()
    };
    let worse = |a: (Time, u32, u32), b: (Time, u32, u32)| {
        let b_first = b.0 > a.0 || (b.0 == a.0 && b.1 < a.1);
        if b_first { b } else { a }
    };
    frontier.waiting().filter_map(best).reduce(worse)
}
