//! A torus: a grid of nodes that closes on itself in each dimension. A message goes along the first dimension, then
//! along the second and so on (dimension-order routing, Dally and Seitz 1987), each time the shorter way round, and the
//! way of rising numbers where both are equal. The gateway is node 0.
//!
//! Where a dimension has two nodes, one cable joins them, not two.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::grid::Grid;
use super::{Channel, Duplex, TopologyError};

/// `kind = "torus"`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Parameters {
    /// How many nodes each dimension has, such as `[8, 8, 8]`; their product is the number of nodes. The nodes are
    /// numbered along the first dimension first.
    #[schemars(length(min = 1))]
    pub dimensions: Vec<u32>,
    /// Whether a link between neighbours carries both directions at full bandwidth (`"full"`, if not given), or shares
    /// it (`"half"`).
    #[serde(default)]
    pub duplex: Duplex,
}

pub(super) type Torus = Grid;

pub(super) fn build(parameters: &Parameters, nodes: u32, own: Channel) -> Result<Torus, TopologyError> {
    Grid::new(&parameters.dimensions, true, parameters.duplex, nodes, own)
}
