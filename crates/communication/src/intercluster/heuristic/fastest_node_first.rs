//! Fastest node first (Banikazemi, Moorthy, Panda 1998): a node is as fast as its mean cost of sending is low.

use super::{Frontier, Grid, HeuristicMethod, IntraclusterStart, Schedule, Time};

pub(super) struct FastestNodeFirst;

impl HeuristicMethod for FastestNodeFirst {
    /// Receivers by rising mean cost, each from the sender with the least Rᵢ + mean cost.
    fn schedule(&self, grid: &Grid, _: IntraclusterStart) -> Schedule {
        let mean_costs: Vec<_> = (0..grid.size()).map(|node| mean_cost(grid, node)).collect();
        let mean = |node: u32| mean_costs[node as usize];
        let mut frontier = Frontier::new(grid);
        let mut receivers: Vec<_> = frontier.waiting().collect();
        receivers.sort_by_key(|&node| mean(node));
        for to in receivers {
            let done = |&(node, ready): &(u32, Time)| ready + mean(node);
            let fastest = frontier.informed().min_by_key(done);
            let (from, _) = fastest.unwrap_or((grid.root(), Time::ZERO));
            frontier.commit(from, to);
        }
        frontier.schedule()
    }
}

/// The mean of Cᵢⱼ over the other nodes j, in whole ticks; zero where there are none.
fn mean_cost(grid: &Grid, node: u32) -> Time {
    let others = (0..grid.size()).filter(|&other| other != node);
    let total: Time = others.map(|other| grid.cost(node, other)).sum();
    Time(total.0.checked_div(u64::from(grid.size() - 1)).unwrap_or(0))
}
