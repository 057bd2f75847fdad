//! A torus: a grid of nodes that is closed in each dimension. A message moves along the first dimension, then along the
//! second and so on (dimension-order routing, Dally and Seitz 1987), each time in the shorter direction, and in the
//! rising direction if both are equal (`routing` selects another rule). The gateway is node 0.
//!
//! If a dimension has two nodes, one cable connects them, not two.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::grid::Grid;
use super::{Channel, Duplex, Routing, TopologyError};

/// `kind = "torus"`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TorusParameters {
    /// The number of nodes in each dimension, such as `[8, 8, 8]`; their product is the number of nodes. The nodes are
    /// numbered along the first dimension first.
    #[schemars(length(min = 1))]
    pub dimensions: Vec<u32>,
    /// Whether a link between neighbours carries both directions at full bandwidth (`"full"`, the default), or shares
    /// it (`"half"`).
    #[serde(default)]
    pub duplex: Duplex,
    /// The direction of a message where both are equally long: the rising one (`"hetsim"`, the default); or as in
    /// SimGrid 4 (`"simgrid"`, in platforms read from its XML), the falling one from place d / 2 of a dimension of d
    /// nodes to place 0, and the rising one elsewhere.
    #[serde(default)]
    pub routing: Routing,
}

pub(super) type Torus = Grid;

pub(super) fn build(parameters: &TorusParameters, nodes: u32, own: Channel) -> Result<Torus, TopologyError> {
    Ok(Grid::new(&parameters.dimensions, true, parameters.duplex, nodes, own)?.with_routing(parameters.routing))
}
