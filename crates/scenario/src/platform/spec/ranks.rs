//! How many ranks are on each node of a cluster.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::schema::counted;

/// The numbers of ranks on nodes.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum RanksPerNode {
    /// As many on each node.
    Each(#[schemars(range(min = 1))] u32),
    /// A number for each node.
    Listed(Vec<OnNode>),
}

/// The number of ranks on a node, or on so many nodes beside each other.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum OnNode {
    /// On one.
    One(#[schemars(range(min = 1))] u32),
    /// On several: `6 of 4`.
    Several(#[schemars(extend("x-counted" = true))] String),
}

/// Nodes beside each other with equally many ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EqualNodes {
    pub(crate) nodes: u32,
    /// The ranks on each.
    pub(crate) ranks: u32,
}

impl RanksPerNode {
    /// The nodes that have a number, of which a cluster has so many.
    ///
    /// # Errors
    /// The index of a value that is no number of ranks, and what is wrong.
    pub(crate) fn runs(&self, nodes: u32) -> Result<Vec<EqualNodes>, (usize, String)> {
        match self {
            &Self::Each(ranks) => Ok(vec![EqualNodes { nodes, ranks }]),
            Self::Listed(listed) => {
                let run = |(index, on): (usize, &OnNode)| on.run().map_err(|message| (index, message));
                listed.iter().enumerate().map(run).collect()
            }
        }
    }
}

impl OnNode {
    fn run(&self) -> Result<EqualNodes, String> {
        match self {
            &Self::One(ranks) => Ok(EqualNodes { nodes: 1, ranks }),
            Self::Several(text) => {
                let (nodes, ranks) = counted(text)?;
                let ranks = ranks.parse().ok().filter(|ranks| *ranks > 0);
                let ranks = ranks.ok_or_else(|| format!("{text:?} is no number of ranks"))?;
                Ok(EqualNodes { nodes: nodes.unwrap_or(1), ranks })
            }
        }
    }
}
