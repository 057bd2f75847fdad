//! Levels inside clusters.

use super::Context;
use super::links::{LinkKeys, LinkPlan, make_link, refuse_topology};
use super::spec::{ClusterSpec, Domain};
use hetsim_base::units::Tick;
use hetsim_text::{Node, Problem};

/// Reads the networks of the levels inside a cluster, outermost first.
pub(super) fn read_levels(
    table: &Node,
    cluster: &ClusterSpec,
    tick: Tick,
    context: &Context<'_>,
) -> Result<Vec<LinkPlan>, Vec<Problem>> {
    let mut above = cluster.nodes;
    let mut around: Option<Domain> = None;
    let mut levels = Vec::new();
    for (index, spec) in cluster.level.iter().enumerate() {
        let node = table.at(&format!("level.{index}")).unwrap_or(table);
        if !above.is_multiple_of(spec.size) {
            let around = if index == 0 { "the cluster" } else { "each group of the level above" };
            let message = format!("groups of {} do not divide the {above} nodes of {around}", spec.size);
            let place = node.get("size").map_or(&node.place, |size| &size.place);
            let help = "levels go from the outermost to the innermost, and each size divides the one above";
            return Err(vec![Problem::at(place, message).with_help(help)]);
        }
        above = spec.size;
        if let Some(domain) = spec.domain {
            if let Some(around) = around.filter(|around| *around >= domain) {
                let message = format!("a `{}` cannot be inside a `{}`", domain.name(), around.name());
                let place = node.get("domain").map_or(&node.place, |domain| &domain.place);
                let order: Vec<&str> = Domain::ALL.iter().map(|domain| domain.name()).collect();
                let help = format!("from the outermost to the innermost: {}", order.join(", "));
                return Err(vec![Problem::at(place, message).with_help(help)]);
            }
            around = Some(domain);
        }
        refuse_topology(node, &spec.network)?;
        let keys = LinkKeys {
            network: &spec.network,
            latency_factor: spec.latency_factor.as_ref(),
            bandwidth_factor: spec.bandwidth_factor.as_ref(),
            jitter: spec.jitter,
            network_power: spec.network_power.as_ref(),
        };
        levels.push(make_link(node, &keys, tick, context)?);
    }
    Ok(levels)
}
