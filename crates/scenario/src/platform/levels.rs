//! Levels inside clusters, and what the nodes of their groups share.

use super::Context;
use super::links::{LinkKeys, LinkPlan, make_link, refuse_topology};
use super::spec::{ClusterSpec, LevelSpec};
use hetsim_base::units::{Quantity, Tick};
use hetsim_cluster::{Level, Platform, SharedMemory};
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
        if !spec.size.is_multiple_of(spec.cards) {
            let message = format!("{} links do not divide the {} nodes of a group", spec.cards, spec.size);
            let place = node.get("cards").map_or(&node.place, |cards| &cards.place);
            return Err(vec![Problem::at(place, message)]);
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

/// The levels of a cluster, with their networks.
pub(super) fn make_levels(networks: Vec<LinkPlan>, cluster: &ClusterSpec) -> Vec<Level> {
    let level = |(network, spec): (LinkPlan, &LevelSpec)| Level {
        cards: spec.cards,
        memory: SharedMemory {
            bandwidth: spec.memory_bandwidth.map(Quantity::base),
            allocate: spec.allocate_bandwidth.map(Quantity::base),
        },
        ..Level::new(spec.size, network.link)
    };
    networks.into_iter().zip(&cluster.level).map(level).collect()
}

/// Refuses memory that nodes share where what passes it could not be simulated.
pub(super) fn check_shared_memory(clusters: &Node, platform: &Platform) -> Result<(), Vec<Problem>> {
    if !platform.shares_memory() || platform.can_share_memory() {
        return Ok(());
    }
    let levels = clusters.entries().iter().flat_map(|entry| (0..).map_while(|n| entry.value.at(&format!("level.{n}"))));
    let keys = ["memory_bandwidth", "allocate_bandwidth"];
    let key = levels.into_iter().find_map(|level| keys.into_iter().find_map(|key| level.get(key)));
    let message = "memory cannot be shared on a platform with load, faults, `sharing = \"processor\"` or messages that \
                   stream";
    Err(vec![Problem::at(key.map_or(&clusters.place, |key| &key.place), message.to_owned())])
}
