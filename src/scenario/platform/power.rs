//! What nodes and links draw, as scenarios say it.

use schemars::JsonSchema;
use serde::Deserialize;

use super::spec::ClusterSpec;
use crate::cluster::network::Model;
use crate::cluster::{LinkPower, NodePower};
use crate::scenario::node::Node;
use crate::scenario::problem::Problem;
use crate::units::{Quantity, Watts};

/// What a node draws: `idle` while it is up and computes nothing, `active` plus `per_core` for each core that computes
/// otherwise, `off` while it is down.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NodePowerSpec {
    /// While it is up and computes nothing.
    pub idle: Watts,
    /// While it has a computation under way, before its cores are counted; as much as `idle` where it is not given.
    #[serde(default)]
    pub active: Option<Watts>,
    /// What each core adds that computes. A core that external load or the overhead of a message has adds nothing.
    #[serde(default)]
    pub per_core: Watts,
    /// While it is down.
    #[serde(default)]
    pub off: Watts,
}

/// What a link draws: linear in how much of its bandwidth is used. One whose bandwidth is `unshared` is as many links as
/// there are messages on it, of which only one draws `idle`.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkPowerSpec {
    /// While nothing uses it.
    pub idle: Watts,
    /// While all its bandwidth is used.
    pub full: Watts,
}

/// What each node of a cluster draws, where they are alike.
pub(super) fn read_node_power(cluster: &ClusterSpec) -> Option<NodePower> {
    cluster.power.as_ref().map(read_power)
}

/// What each node of a cluster draws, one by one; nothing where it is not said so.
pub(super) fn read_node_powers(table: &Node, cluster: &ClusterSpec) -> Result<Option<Vec<NodePower>>, Vec<Problem>> {
    let Some(specs) = &cluster.node_power else { return Ok(None) };
    let place = &table.get("node_power").unwrap_or(table).place;
    if table.get("power").is_some() {
        return Err(vec![Problem::at(place, "`node_power` replaces `power`: give one of them")]);
    }
    if specs.len() != cluster.nodes as usize {
        let message = format!("`node_power` has {} entries for {} nodes", specs.len(), cluster.nodes);
        return Err(vec![Problem::at(place, message)]);
    }
    Ok(Some(specs.iter().map(read_power).collect()))
}

/// What a node draws.
fn read_power(spec: &NodePowerSpec) -> NodePower {
    // Powers that were fitted to measurements may have it below `idle`.
    let active = spec.active.unwrap_or(spec.idle);
    let (idle, per_core, off) = (spec.idle.base(), spec.per_core.base(), spec.off.base());
    NodePower { idle, active: active.base(), per_core, off }
}

/// What a link draws, said under `key`.
pub(super) fn read_link_power(
    table: &Node,
    key: &str,
    spec: Option<&LinkPowerSpec>,
) -> Result<Option<LinkPower>, Vec<Problem>> {
    let Some(spec) = spec else { return Ok(None) };
    not_below_idle(table, &format!("{key}.full"), spec.full, spec.idle)?;
    Ok(Some(LinkPower { idle: spec.idle.base(), full: spec.full.base() }))
}

/// What each channel of a network draws. What messages don't share has no utilisation that a power could depend on.
pub(super) fn read_network_power(
    model: &Model,
    table: &Node,
    spec: Option<&LinkPowerSpec>,
) -> Result<Option<LinkPower>, Vec<Problem>> {
    let power = read_link_power(table, "network_power", spec)?;
    let help = match model {
        _ if power.is_none() => return Ok(None),
        Model::Fair(_) => return Ok(power),
        Model::Routed(_) => "the links of `routes` have theirs in [platform.wire]",
        _ => "a network of `model = \"fair\"` has such links",
    };
    let place = &table.get("network_power").unwrap_or(table).place;
    Err(vec![Problem::at(place, "`network_power` is for links that messages share").with_help(help)])
}

/// A link that is used draws no less than one that is idle.
fn not_below_idle(table: &Node, path: &str, power: Watts, idle: Watts) -> Result<(), Vec<Problem>> {
    if power >= idle {
        return Ok(());
    }
    let key = path.rsplit('.').next().unwrap_or(path);
    let place = table.at(path).map_or(&table.place, |node| &node.place);
    let message = format!("`{key}` is {power} and must not be below `idle`, which is {idle}");
    Err(vec![Problem::at(place, message)])
}
