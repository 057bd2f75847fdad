//! The keys for the power of nodes and links.

use schemars::JsonSchema;
use serde::Deserialize;

use hetsim_base::units::{Quantity, Watts};
use hetsim_cluster::network::Model;
use hetsim_cluster::{LinkPower, NodePower};
use hetsim_text::{Node, Problem};

/// The power of a node: `idle` while it is up without a computation, `active` plus `per_core` for each computing core
/// otherwise, and `off` while it is down.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NodePowerSpec {
    /// The power while the node is up without a computation.
    pub idle: Watts,
    /// The power while a computation is running, before cores are counted; `idle` by default.
    #[serde(default)]
    pub active: Option<Watts>,
    /// The additional power of each computing core. A core used by external load or by message overhead adds nothing.
    #[serde(default)]
    pub per_core: Watts,
    /// The power while the node is down.
    #[serde(default)]
    pub off: Watts,
}

/// The power of a link, linear in its utilisation. A link with `unshared` bandwidth counts as one link per message, of
/// which only one draws `idle`.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkPowerSpec {
    /// The power while the link is idle.
    pub idle: Watts,
    /// The power while all its bandwidth is used.
    pub full: Watts,
}

/// The power of each of a cluster's `nodes`, if it is given node by node.
pub(super) fn read_node_powers(
    table: &Node,
    specs: Option<&Vec<NodePowerSpec>>,
    nodes: u32,
) -> Result<Option<Vec<NodePower>>, Vec<Problem>> {
    let Some(specs) = specs else { return Ok(None) };
    let place = &table.get("node_power").unwrap_or(table).place;
    if table.get("power").is_some() {
        return Err(vec![Problem::at(place, "`node_power` replaces `power`: give one of them")]);
    }
    if specs.len() != nodes as usize {
        let message = format!("`node_power` needs an entry for each node: it has {} for {nodes}", specs.len());
        return Err(vec![Problem::at(place, message)]);
    }
    Ok(Some(specs.iter().map(read_node_power).collect()))
}

/// The power of a node.
pub(super) fn read_node_power(spec: &NodePowerSpec) -> NodePower {
    // Powers fitted to measurements may have `active` below `idle`.
    let active = spec.active.unwrap_or(spec.idle);
    let (idle, per_core, off) = (spec.idle.base(), spec.per_core.base(), spec.off.base());
    NodePower { idle, active: active.base(), per_core, off }
}

/// The power of a link, given under `key`.
pub(super) fn read_link_power(
    table: &Node,
    key: &str,
    spec: Option<&LinkPowerSpec>,
) -> Result<Option<LinkPower>, Vec<Problem>> {
    let Some(spec) = spec else { return Ok(None) };
    not_below_idle(table, &format!("{key}.full"), spec.full, spec.idle)?;
    Ok(Some(LinkPower { idle: spec.idle.base(), full: spec.full.base() }))
}

/// The power of each link of a network. Without shared links there is no utilisation on which it could depend.
pub(super) fn read_network_power(
    model: &Model,
    table: &Node,
    spec: Option<&LinkPowerSpec>,
) -> Result<Option<LinkPower>, Vec<Problem>> {
    let power = read_link_power(table, "network_power", spec)?;
    let help = match model {
        _ if power.is_none() => return Ok(None),
        Model::Fair(_) => return Ok(power),
        Model::Routed(_) => "the links of `routes` have a `power` of their own in [platform.wire]",
        _ => "a network of `model = \"fair\"` has such links",
    };
    let place = &table.get("network_power").unwrap_or(table).place;
    Err(vec![Problem::at(place, "`network_power` is for links that messages share").with_help(help)])
}

/// Checks that a fully used link draws no less than an idle one.
fn not_below_idle(table: &Node, path: &str, power: Watts, idle: Watts) -> Result<(), Vec<Problem>> {
    if power >= idle {
        return Ok(());
    }
    let key = path.rsplit('.').next().unwrap_or(path);
    let place = table.at(path).map_or(&table.place, |node| &node.place);
    let message = format!("`{key}` is {power} and must not be below `idle`, which is {idle}");
    Err(vec![Problem::at(place, message)])
}
