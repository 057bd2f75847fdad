//! What a broadcast between clusters has to reckon with.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::matrix::Matrix;
use hetsim_base::units::Time;

/// Clusters, and what a message of one size costs between and inside them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grid {
    gap: Matrix<Time>,
    latency: Matrix<Time>,
    cost: Matrix<Time>,
    inside: Vec<Time>,
    root: u32,
}

/// Why numbers do not make a [`Grid`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum GridError {
    /// The matrices and the times inside are not of one size.
    #[error("gaps of {gap} clusters, latencies of {latency} and times inside of {inside}")]
    Sizes {
        /// Rows of the gaps.
        gap: usize,
        /// Rows of the latencies.
        latency: usize,
        /// How many times inside there are.
        inside: usize,
    },
    /// The root is not one of the clusters.
    #[error("the root, cluster {0}, does not exist")]
    NoSuchRoot(u32),
}

/// When a cluster starts to broadcast inside. Both conventions are in use, and they rank heuristics differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IntraclusterStart {
    /// After the coordinator's last send to another cluster: a cluster ends at Rᵢ + Tᵢ.
    #[default]
    AfterSends,
    /// At once when the coordinator is informed, while it sends to others: a cluster ends at arrivalᵢ + Tᵢ.
    Overlapped,
}

impl Grid {
    /// The grid of these gaps gᵢⱼ, latencies Lᵢⱼ (rows send, columns receive; the diagonals do not matter), and times
    /// `inside` Tᵢ of the broadcast inside each cluster (zero for a single machine); cluster `root` has the message.
    ///
    /// # Errors
    /// A [`GridError`] where the sizes differ or the root does not exist.
    pub fn new(gap: Matrix<Time>, latency: Matrix<Time>, inside: Vec<Time>, root: u32) -> Result<Self, GridError> {
        let size = gap.size();
        if latency.size() != size || inside.len() != size {
            return Err(GridError::Sizes { gap: size, latency: latency.size(), inside: inside.len() });
        }
        if root as usize >= size {
            return Err(GridError::NoSuchRoot(root));
        }
        let cost = Matrix::from_fn(size, |from, to| gap[(from, to)] + latency[(from, to)]);
        Ok(Self { gap, latency, cost, inside, root })
    }

    /// How many clusters there are: 1 or more.
    #[must_use]
    pub const fn size(&self) -> u32 {
        self.gap.size() as u32
    }

    /// The cluster that has the message from the beginning.
    #[must_use]
    pub const fn root(&self) -> u32 {
        self.root
    }

    /// gᵢⱼ: how long a send from `from` to `to` holds the sender's port.
    #[must_use]
    pub fn gap(&self, from: u32, to: u32) -> Time {
        self.gap[(from as usize, to as usize)]
    }

    /// Lᵢⱼ: how long a message is still under way after its gap.
    #[must_use]
    pub fn latency(&self, from: u32, to: u32) -> Time {
        self.latency[(from as usize, to as usize)]
    }

    /// Cᵢⱼ = gᵢⱼ + Lᵢⱼ: from the start of a send to its arrival.
    #[must_use]
    pub fn cost(&self, from: u32, to: u32) -> Time {
        self.cost[(from as usize, to as usize)]
    }

    /// Tᵢ: the time of the broadcast inside cluster `node`.
    #[must_use]
    pub fn inside(&self, node: u32) -> Time {
        self.inside[node as usize]
    }
}

#[cfg(test)]
pub(super) mod samples {
    use proptest::prelude::*;

    use super::*;

    /// The grid whose messages cost `rows` as gaps, without latency and without anything inside, from cluster 0.
    pub(in crate::intercluster) fn of_costs(rows: &[&[u64]]) -> Grid {
        let gap = Matrix::from_fn(rows.len(), |from, to| Time(rows[from][to]));
        let latency = Matrix::from_fn(rows.len(), |_, _| Time::ZERO);
        Grid::new(gap, latency, vec![Time::ZERO; rows.len()], 0).unwrap()
    }

    /// The example of Bhat, Raghavendra, Prasanna: 10 MB between four sites of the GUSTO testbed.
    pub(in crate::intercluster) fn gusto() -> Grid {
        of_costs(&[&[0, 156, 325, 39], &[156, 0, 163, 115], &[325, 163, 0, 257], &[39, 115, 257, 0]])
    }

    /// Random grids of these sizes, with any cluster as the root.
    pub(in crate::intercluster) fn grids(sizes: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = Grid> {
        sizes.prop_flat_map(|size| {
            let matrix = move |largest| {
                proptest::collection::vec(0..largest, size * size)
                    .prop_map(move |cells| Matrix::from_fn(size, |from, to| Time(cells[from * size + to])))
            };
            let inside = proptest::collection::vec((0..60u64).prop_map(Time), size);
            (matrix(40u64), matrix(80u64), inside, 0..size as u32)
                .prop_map(|(gap, latency, inside, root)| Grid::new(gap, latency, inside, root).unwrap())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_must_agree() {
        let matrix = |size| Matrix::from_fn(size, |_, _| Time(1));
        let sizes = GridError::Sizes { gap: 2, latency: 3, inside: 2 };
        assert_eq!(Grid::new(matrix(2), matrix(3), vec![Time::ZERO; 2], 0), Err(sizes));
        assert_eq!(Grid::new(matrix(2), matrix(2), vec![Time::ZERO; 2], 2), Err(GridError::NoSuchRoot(2)));
        assert_eq!(Grid::new(matrix(2), matrix(2), vec![Time::ZERO; 2], 1).map(|grid| grid.cost(0, 1)), Ok(Time(2)));
    }
}
