//! A mesh: a grid of nodes with open borders. A message moves along the first dimension, then along the second and so
//! on (dimension-order routing, Dally and Seitz 1987). The gateway is node 0, in a corner.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::grid::Grid;
use super::{Channel, Duplex, TopologyError};

/// `kind = "mesh"`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MeshParameters {
    /// The number of nodes in each dimension, such as `[16, 16]`; their product is the number of nodes. The nodes are
    /// numbered along the first dimension first.
    #[schemars(length(min = 1))]
    pub dimensions: Vec<u32>,
    /// Whether a link between neighbours carries both directions at full bandwidth (`"full"`, the default), or shares
    /// it (`"half"`).
    #[serde(default)]
    pub duplex: Duplex,
}

pub(super) type Mesh = Grid;

pub(super) fn build(parameters: &MeshParameters, nodes: u32, own: Channel) -> Result<Mesh, TopologyError> {
    Grid::new(&parameters.dimensions, false, parameters.duplex, nodes, own)
}
