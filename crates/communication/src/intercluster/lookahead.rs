//! What the look-ahead variants of ECEF share.

use super::frontier::Frontier;
use super::grid::Grid;
use super::schedule::Schedule;
use hetsim_base::units::Time;

/// ECEF with look-ahead: commits the pair with the least Rᵢ + Cᵢⱼ + Fⱼ, where `lookahead(j, others of B)` is Fⱼ, how
/// badly off j will be as a sender; none, for the last one to wait, is 0. O(n²) look-aheads a broadcast, of O(n) each.
pub(super) fn ecef_with(
    grid: &Grid,
    lookahead: impl Fn(u32, &mut dyn Iterator<Item = u32>) -> Option<Time>,
) -> Schedule {
    let mut frontier = Frontier::new(grid);
    let mut ahead = vec![Time::ZERO; grid.size() as usize];
    loop {
        for node in frontier.waiting() {
            let mut others = frontier.waiting().filter(|&other| other != node);
            ahead[node as usize] = lookahead(node, &mut others).unwrap_or(Time::ZERO);
        }
        let best = frontier.least(|from, ready, to| ready + grid.cost(from, to) + ahead[to as usize]);
        let Some((from, to)) = best else { break frontier.schedule() };
        frontier.commit(from, to);
    }
}
