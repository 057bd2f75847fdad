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
    /// The nodes of a cluster by runs.
    ///
    /// # Errors
    /// The index of a value that is no number of ranks, if the fault is one value's, and what is wrong.
    pub(crate) fn runs(&self, nodes: u32) -> Result<Vec<EqualNodes>, (Option<usize>, String)> {
        let listed = match self {
            &Self::Each(ranks) => return Ok(vec![EqualNodes { nodes, ranks }]),
            Self::Listed(listed) => listed,
        };
        let runs = listed.iter().enumerate().map(|(index, on)| on.run().map_err(|message| (Some(index), message)));
        let runs: Vec<EqualNodes> = runs.collect::<Result<_, _>>()?;
        let given: u64 = runs.iter().map(|run| u64::from(run.nodes)).sum();
        if given == u64::from(nodes) {
            return Ok(runs);
        }
        let plural = |count: u64| if count == 1 { "" } else { "s" };
        let (values, of) = (plural(given), plural(nodes.into()));
        Err((None, format!("`ranks_per_node` has {given} value{values} for {nodes} node{of}")))
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
