//! What is asked about collectives.

use std::num::NonZeroU32;

use crate::batch::threads::Threads;
use crate::communication::Operation;
use crate::fit::read::collectives::Measurement;
use crate::report::advise::Uncertainty;
use crate::units::Operations;
use crate::workload::communication::Placement;

/// What is asked about collectives. By default: broadcasts of 1 B to 4 MiB, of ranks on the first nodes.
#[derive(Debug, Clone)]
pub struct CollectiveRequest {
    /// The operations.
    pub operations: Vec<Operation>,
    /// The sizes, in bytes, as the operations count them.
    pub sizes: Vec<u64>,
    /// The numbers of ranks; without any, powers of two and all nodes.
    pub ranks: Vec<u32>,
    /// The numbers of ranks on each node; without any, as the platform has them.
    pub ranks_per_node: Vec<NonZeroU32>,
    /// Which nodes the ranks take.
    pub placement: Placement,
    /// The computation for combining a pair of bytes in a reduction.
    pub reduction: Operations,
    /// Measured times, which take the place of simulated ones.
    pub measured: Vec<Measurement>,
    /// How far off simulated times are, if that is known of this platform: then they are simulated as a benchmark measures
    /// them, as they are where something is measured. Else the [assumed error](super::assumed_error) is taken.
    pub error: Option<Uncertainty>,
    /// The number of runs with independent draws whose mean is taken.
    pub replicas: NonZeroU32,
    /// On how many threads.
    pub threads: Threads,
}

impl Default for CollectiveRequest {
    fn default() -> Self {
        Self {
            operations: vec![Operation::Broadcast],
            sizes: (0..=22).map(|power| 1 << power).collect(),
            ranks: Vec::new(),
            ranks_per_node: Vec::new(),
            placement: Placement::Cluster,
            reduction: Operations::default(),
            measured: Vec::new(),
            error: None,
            replicas: NonZeroU32::MIN,
            threads: Threads::new(None),
        }
    }
}
