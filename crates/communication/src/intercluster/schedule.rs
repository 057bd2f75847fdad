//! The sends of a broadcast between clusters, and the times that follow from them.

use super::grid::{Grid, IntraclusterStart};
use crate::tree::{ExplicitTree, TreeError};
use hetsim_base::units::Time;

/// Who sends to whom, in an order in which every sender is informed before it sends; a sender's sends happen in this
/// order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    sends: Vec<(u32, u32)>,
    tree: ExplicitTree,
}

/// The times of a [`Schedule`] on a [`Grid`], cluster by cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Timing {
    /// When each cluster's coordinator has the message.
    pub arrivals: Vec<Time>,
    /// When each coordinator's port is free for good (Rᵢ): its arrival, where it sends nothing.
    pub ready: Vec<Time>,
}

impl Schedule {
    /// The schedule of these `(sender, receiver)` pairs among `size` clusters.
    ///
    /// # Errors
    /// A [`TreeError`] where the sends do not inform every cluster exactly once, by one that is informed.
    pub fn new(size: u32, root: u32, sends: Vec<(u32, u32)>) -> Result<Self, TreeError> {
        let tree = ExplicitTree::new(size, root, &sends)?;
        Ok(Self { sends, tree })
    }

    /// The sends, `(sender, receiver)`, in the order they were decided on.
    #[must_use]
    pub fn sends(&self) -> &[(u32, u32)] {
        &self.sends
    }

    /// The same as a tree: each cluster's children in the order it sends to them.
    #[must_use]
    pub fn tree(&self) -> &ExplicitTree {
        &self.tree
    }

    /// When each cluster is informed and done with sending.
    ///
    /// # Panics
    /// Where `grid` has fewer clusters than the schedule.
    #[must_use]
    pub fn timing(&self, grid: &Grid) -> Timing {
        let mut ready = vec![Time::ZERO; grid.size() as usize];
        let mut arrivals = ready.clone();
        for &(from, to) in &self.sends {
            let start = ready[from as usize];
            let arrival = start + grid.cost(from, to);
            ready[from as usize] = start + grid.gap(from, to);
            ready[to as usize] = arrival;
            arrivals[to as usize] = arrival;
        }
        Timing { arrivals, ready }
    }

    /// When the last machine has the message; clusters broadcast inside by the convention `inside`.
    #[must_use]
    pub fn completion(&self, grid: &Grid, inside: IntraclusterStart) -> Time {
        self.timing(grid).completion(grid, inside)
    }
}

impl Timing {
    /// When the last machine has the message: the greatest Rᵢ + Tᵢ, or of arrivalᵢ + Tᵢ.
    #[must_use]
    pub fn completion(&self, grid: &Grid, inside: IntraclusterStart) -> Time {
        let starts = match inside {
            IntraclusterStart::AfterSends => &self.ready,
            IntraclusterStart::Overlapped => &self.arrivals,
        };
        (0..).zip(starts).map(|(node, &start)| start + grid.inside(node)).max().unwrap_or(Time::ZERO)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::intercluster::Matrix;

    #[test]
    fn a_send_frees_its_port_before_it_arrives() {
        let all = |time| Matrix::from_fn(3, |_, _| Time(time));
        let grid = Grid::new(all(10), all(5), vec![Time(20), Time(1), Time(2)], 0).unwrap();
        let schedule = Schedule::new(3, 0, vec![(0, 2), (0, 1)]).unwrap();
        let timing = schedule.timing(&grid);
        assert_eq!(timing.arrivals, [0, 25, 15].map(Time));
        assert_eq!(timing.ready, [20, 25, 15].map(Time));
        assert_eq!(timing.completion(&grid, IntraclusterStart::AfterSends), Time(40));
        assert_eq!(timing.completion(&grid, IntraclusterStart::Overlapped), Time(26));
        assert_eq!(schedule.tree().children(0).collect::<Vec<_>>(), [2, 1]);
    }

    #[test]
    fn everyone_is_informed_once() {
        assert_eq!(Schedule::new(3, 0, vec![(0, 1)]), Err(TreeError::NotInformed(2)));
        assert_eq!(Schedule::new(3, 0, vec![(1, 2), (0, 1)]), Err(TreeError::SendsTooEarly(1)));
    }
}
