//! What every workload tells of its runs: messages, events, and the use of links that messages share.

use crate::cluster::{Footprint, Platform};
use crate::record::{Figure, Record, Table, TableShape, Value};

/// The figures of every workload.
pub const FIGURES: &[Figure] = &[
    Figure::number("messages", "messages delivered"),
    Figure::number("events", "events handled"),
    Figure::name("most_used_link", "the link, and its direction, of whose bandwidth the greatest part was used"),
    Figure::number("most_used_link_share", "the part of its bandwidth that was used, over the whole run"),
];

/// The long tables of every workload that sends messages.
pub const TABLES: &[TableShape] = &[LINKS];

/// A row a link and direction that messages shared.
const LINKS: TableShape = TableShape {
    name: "links",
    about: "what went over each link that messages shared",
    columns: &[
        Figure::name("link", "the link, and its direction where each has a bandwidth of its own"),
        Figure::number("bytes", "the bytes of the messages that it carried"),
        Figure::number("utilization", "the part of its bandwidth that was used, over the whole run"),
    ],
};

/// Writes what a run has asked of the machine; what tells of shared links only where there are any.
pub(super) fn write(footprint: &Footprint, platform: &Platform, record: &mut Record, tables: &[String]) {
    record.figure("messages", footprint.messages);
    record.figure("events", footprint.events);
    if let Some((channel, share)) = footprint.most_used() {
        record.figure("most_used_link", platform.channel_name(channel));
        record.figure("most_used_link_share", share);
    }
    if tables.iter().any(|table| table == LINKS.name) {
        let mut table = Table::new(&LINKS);
        for link in &footprint.links {
            let cells = [platform.channel_name(link.channel).into(), link.bytes.into(), Value::from(link.utilization)];
            table.rows.push(cells.into());
        }
        record.tables.push(table);
    }
}
