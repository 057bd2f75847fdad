//! Levels inside clusters.

use super::Context;
use super::links::{LinkKeys, LinkPlan, make_link, refuse_topology};
use super::spec::ClusterSpec;
use hetsim_base::units::Tick;
use hetsim_text::{Node, Problem};

/// Reads the networks of the levels inside a cluster, outermost first.
pub(super) fn read_levels(
    table: &Node,
    cluster: &ClusterSpec,
    tick: Tick,
    context: &Context<'_>,
) -> Result<Vec<LinkPlan>, Vec<Problem>> {
    let mut levels = Vec::new();
    for spec in &cluster.level {
        let node = table.at(&format!("level.{}", spec.number)).unwrap_or(table);
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
