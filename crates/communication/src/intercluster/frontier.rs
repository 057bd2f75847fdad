//! A broadcast that is being decided on: who is informed, who waits.

use super::grid::Grid;
use super::schedule::Schedule;
use hetsim_base::units::Time;

/// The clusters that are informed (A, with the time Rᵢ their port is ready) and those that wait (B).
#[derive(Debug, Clone)]
pub(super) struct Frontier<'g> {
    pub(super) grid: &'g Grid,
    ready: Vec<Option<Time>>,
    sends: Vec<(u32, u32)>,
}

impl<'g> Frontier<'g> {
    /// Only the root is informed.
    pub(super) fn new(grid: &'g Grid) -> Self {
        let mut ready = vec![None; grid.size() as usize];
        ready[grid.root() as usize] = Some(Time::ZERO);
        Self { grid, ready, sends: Vec::new() }
    }

    /// The informed clusters and when their ports are ready, by number.
    pub(super) fn informed(&self) -> impl Iterator<Item = (u32, Time)> {
        (0..).zip(&self.ready).filter_map(|(node, &ready)| ready.map(|ready| (node, ready)))
    }

    /// The clusters that wait, by number.
    pub(super) fn waiting(&self) -> impl Iterator<Item = u32> + Clone {
        (0..).zip(&self.ready).filter(|(_, ready)| ready.is_none()).map(|(node, _)| node)
    }

    /// Lets `from`, which must be informed, send to `to`.
    pub(super) fn commit(&mut self, from: u32, to: u32) {
        // A cluster that is not informed could start at no time at all.
        let start = self.ready[from as usize].unwrap_or(Time::NEVER);
        self.ready[from as usize] = Some(start + self.grid.gap(from, to));
        self.ready[to as usize] = Some(start + self.grid.cost(from, to));
        self.sends.push((from, to));
    }

    /// Commits, until nobody waits, the pair for which `score(sender, its ready time, receiver)` is least: of equal
    /// pairs that with the lowest sender, then the lowest receiver.
    pub(super) fn commit_least(mut self, mut score: impl FnMut(u32, Time, u32) -> Time) -> Schedule {
        while let Some((from, to)) = self.least(&mut score) {
            self.commit(from, to);
        }
        self.schedule()
    }

    /// The pair of an informed and a waiting cluster with the least score.
    pub(super) fn least(&self, mut score: impl FnMut(u32, Time, u32) -> Time) -> Option<(u32, u32)> {
        let mut best = None;
        for (from, ready) in self.informed() {
            for to in self.waiting() {
                let score = score(from, ready, to);
                if best.is_none_or(|(least, _)| score < least) {
                    best = Some((score, (from, to)));
                }
            }
        }
        best.map(|(_, pair)| pair)
    }

    /// The sends so far as a schedule.
    #[expect(
        clippy::expect_used,
        reason = "called when nobody waits; commits inform waiting clusters, by informed ones"
    )]
    pub(super) fn schedule(self) -> Schedule {
        Schedule::new(self.grid.size(), self.grid.root(), self.sends).expect("every cluster is informed once")
    }
}
