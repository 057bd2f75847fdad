//! What every workload tells of its runs: messages, events, and the use of links that messages share.

use crate::cluster::{Energy, Footprint, MostUsed, NodeEnergy, Platform};
use crate::record::{Metric, Record, Table, TableShape, Value};

/// The metrics of every workload.
pub const METRICS: &[Metric] = &[
    Metric::number("messages", "messages delivered").neither(),
    Metric::number("events", "events handled").neither(),
    Metric::name("most_used_link", "the link, and its direction, of whose bandwidth the greatest part was used"),
    Metric::number("most_used_link_share", "the part of its bandwidth that was used, over the whole run").neither(),
    Metric::number("most_used_links", "how many links were used as much as that one, itself included").neither(),
    Metric::number("energy_j", "the joules that nodes and links took until the results were there").less(),
    Metric::number("energy_nodes_j", "those of the nodes").less(),
    Metric::number("energy_links_j", "those of the links").less(),
    Metric::number("energy_idle_j", "those that nodes and links would have taken in that time with nothing to do")
        .neither(),
    Metric::number("mean_power_w", "the mean power of nodes and links until the results were there, in watts")
        .neither(),
    Metric::number("energy_delay_js", "`energy_j` times the seconds until the results were there").less(),
];

/// The long tables of every workload that sends messages.
pub const TABLES: &[TableShape] = &[LINKS, POWER];

/// A row a link and direction that messages shared.
const LINKS: TableShape = TableShape {
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
const POWER: TableShape = TableShape {
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

/// Writes what a run has asked of the machine; what tells of shared links only where there are any.
pub(super) fn write(footprint: &Footprint, platform: &Platform, record: &mut Record, tables: &[String]) {
    record.metric("messages", footprint.messages);
    record.metric("events", footprint.events);
    if let Some(MostUsed { channel, share, links }) = footprint.most_used() {
        record.metric("most_used_link", platform.channel_name(channel));
        record.metric("most_used_link_share", share);
        record.metric("most_used_links", links);
    }
    if tables.iter().any(|table| table == LINKS.name) {
        let mut table = Table::new(&LINKS);
        for link in &footprint.links {
            let name = platform.channel_name(link.channel);
            let cells = [name.into(), link.bytes.into(), link.utilization.into(), Value::from(link.joules)];
            table.rows.push(cells.into());
        }
        record.tables.push(table);
    }
    if let Some(energy) = &footprint.energy {
        write_energy(energy, record);
    }
    if tables.iter().any(|table| table == POWER.name) {
        record.tables.push(power_table(footprint.energy.as_ref(), platform));
    }
}

fn write_energy(energy: &Energy, record: &mut Record) {
    let total = energy.total();
    record.metric("energy_j", total);
    // A sum of nothing is a negative zero.
    record.metric("energy_nodes_j", energy.of_nodes() + 0.0);
    record.metric("energy_links_j", energy.links + 0.0);
    record.metric("energy_idle_j", energy.idle);
    // Undefined where the run took no time.
    record.metric("mean_power_w", total / energy.seconds);
    record.metric("energy_delay_js", total * energy.seconds);
}

/// What each node took, without rows where the power of none is given.
fn power_table(energy: Option<&Energy>, platform: &Platform) -> Table {
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
    let nodes = energy.map_or(&[][..], |energy| energy.nodes.as_slice());
    Table { rows: nodes.iter().map(row).collect(), ..Table::new(&POWER) }
}
