//! What every workload tells of its runs: messages, events, and the use of links that messages share.

use super::critical::{PATH, PathMetrics};
use hetsim_base::record::{Metric, TableShape, Value};
use hetsim_cluster::{Footprint, LinkUse, MostUsed, NodeEnergy, Platform};

hetsim_base::metrics! {
    /// What every run has asked of the machine.
    pub struct Counts {
        messages: u64 = "messages delivered" [neither],
        events: u64 = "events handled" [neither],
    }
}

hetsim_base::metrics! {
    /// What posted receives have left.
    pub struct ReceiveMetrics {
        unreceived_messages: u64 = "messages that came and for which no receive was ever posted" [less],
    }
}

hetsim_base::metrics! {
    /// The use of links that messages share.
    pub struct LinkMetrics {
        most_used_link: String =
            "the link, and its direction, of whose bandwidth the greatest part was used" [text],
        most_used_link_share: f64 = "the part of its bandwidth that was used, over the whole run" [neither],
        most_used_links: u64 = "how many links were used as much as that one, itself included" [neither],
    }
}

hetsim_base::metrics! {
    /// The energy that a run took.
    pub struct EnergyMetrics {
        energy_j: f64 =
            "the joules of nodes and links from the start to the results, with barriers and repetitions" [less],
        energy_nodes_j: f64 = "those of the nodes" [less],
        energy_links_j: f64 = "those of the links" [less],
        energy_idle_j: f64 =
            "those that nodes and links would have taken in that time with nothing to do" [neither],
        mean_power_w: f64 = "the mean power of nodes and links until the results were there, in watts" [neither],
        energy_delay_js: f64 = "the energy times T, the time over which it is counted" [less, formula("energy_j · T"), source("Gonzalez, Horowitz 1996")],
    }
}

/// The metrics of every workload. Links, energy and messages without a receive have metrics only where there is
/// something to tell of them, the critical path where its table is wanted.
pub type FootprintMetrics =
    (Counts, (Option<ReceiveMetrics>, (Option<LinkMetrics>, (Option<EnergyMetrics>, Option<PathMetrics>))));

/// The long tables of every workload that sends messages.
pub const TABLES: &[TableShape] = &[LINKS, POWER, PATH];

/// A row a link and direction that messages shared.
pub(super) const LINKS: TableShape = TableShape {
    name: "links",
    about: "what went over each link that messages shared",
    columns: &[
        Metric::name("link", "the link, and its direction where each has a bandwidth of its own"),
        Metric::number("bytes", "the bytes of the messages that it carried"),
        Metric::number("utilization", "the part of its bandwidth that was used, over the whole run"),
        Metric::number("energy_j", "the joules that it took, blank where its power is not given"),
    ],
};

/// A row a node whose power is given.
pub(super) const POWER: TableShape = TableShape {
    name: "power",
    about: "what each node took whose power is given",
    columns: &[
        Metric::number("node", "the node"),
        Metric::name("cluster", "its cluster"),
        Metric::number("busy_core_s", "core seconds that it gave to computations"),
        Metric::number("active_s", "how long it had at least one computation under way"),
        Metric::number("down_s", "how long it was down"),
        Metric::number("energy_j", "the joules that it took"),
    ],
};

/// The metrics of what a run has asked of the machine, and of its critical path if that is known.
pub(super) fn metrics(footprint: &Footprint, path: Option<PathMetrics>, platform: &Platform) -> FootprintMetrics {
    let counts = Counts { messages: footprint.messages, events: footprint.events };
    let unreceived_messages = footprint.unreceived;
    let receives = (unreceived_messages > 0).then_some(ReceiveMetrics { unreceived_messages });
    let links = footprint.most_used().map(|MostUsed { channel, share, links }| LinkMetrics {
        most_used_link: platform.channel_name(channel),
        most_used_link_share: share,
        most_used_links: links,
    });
    let energy = footprint.energy.as_ref().map(|energy| {
        let total = energy.total();
        EnergyMetrics {
            energy_j: total,
            // A sum of nothing is a negative zero.
            energy_nodes_j: energy.of_nodes() + 0.0,
            energy_links_j: energy.links + 0.0,
            energy_idle_j: energy.idle,
            // Undefined where the run took no time.
            mean_power_w: total / energy.seconds,
            energy_delay_js: total * energy.seconds,
        }
    });
    (counts, (receives, (links, (energy, path))))
}

/// The row of each link that messages shared.
pub(super) fn link_rows(footprint: &Footprint, platform: &Platform) -> Vec<Vec<Value>> {
    let row = |link: &LinkUse| {
        let name = platform.channel_name(link.channel);
        vec![name.into(), link.bytes.into(), link.utilization.into(), link.joules.into()]
    };
    footprint.links.iter().map(row).collect()
}

/// The row of each node whose power is given.
pub(super) fn power_rows(footprint: &Footprint, platform: &Platform) -> Vec<Vec<Value>> {
    let row = |node: &NodeEnergy| {
        vec![
            u64::from(node.node.0).into(),
            platform.clusters()[platform.cluster_of(node.node)].name.as_str().into(),
            node.core_seconds.into(),
            node.active_seconds.into(),
            node.down_seconds.into(),
            node.joules.into(),
        ]
    };
    let nodes = footprint.energy.as_ref().map_or(&[][..], |energy| energy.nodes.as_slice());
    nodes.iter().map(row).collect()
}
