//! By which algorithm ranks meet before a measured collective.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// By which algorithm ranks meet before a measured collective.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Barrier {
    /// All leave it at once, as those in hardware.
    Ideal,
    /// All report to rank 0, which releases them one by one.
    Linear,
    /// The same up and down a binomial tree.
    Binomial,
    /// Exchanges with partners at distances of powers of two, as Open MPI does.
    RecursiveDoubling,
    /// Messages to ranks at distances of powers of two, as MPICH does.
    #[default]
    Dissemination,
    /// The one that Open MPI 4.1 and 5.0 choose for the number of ranks.
    #[serde(rename = "openmpi")]
    OpenMpi,
}
