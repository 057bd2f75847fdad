//! How long messages take at least, whoever waits for whom.

use rustc_hash::FxHashMap;

use super::channel::Channel;
use super::{Path, Platform, Ports};
use crate::program::NodeId;
use hetsim_base::units::Time;

/// Equal messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Traffic {
    /// Their sender.
    pub from: NodeId,
    /// Their receiver.
    pub to: NodeId,
    /// The length of each.
    pub bytes: u64,
    /// Their number.
    pub count: u64,
}

/// Lower bounds by arithmetic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Least {
    /// For the sends of any one node, from the first until the last is handed over.
    pub sends: Time,
    /// For all messages, from the first send until the last is received.
    pub all: Time,
}

/// Times that follow each other somewhere: their sum, and the longest, which may lie beside the others' end.
#[derive(Debug, Default, Clone, Copy)]
struct Turns {
    sum: Time,
    longest: Time,
}

impl Turns {
    fn add(&mut self, each: Time, count: u64) {
        self.sum += each * count;
        self.longest = self.longest.max(each);
    }

    /// From the start of the first to that of the last.
    const fn least(self) -> Time {
        self.sum.since(self.longest)
    }
}

/// What a node has to do.
#[derive(Debug, Default, Clone)]
struct Duties {
    sends: Turns,
    receives: Time,
}

/// Rates are solved in floating point: no bound is nearer to a time than this share of it.
const ROUNDING: f64 = 1e-9;

impl Platform {
    /// The least time of messages of which each is sent and received by handlers, in any order, beside any others: a
    /// processor pays one overhead at a time, a port holds one message at a time, and a shared link carries no more
    /// than its bandwidth. Waiting and latencies count nothing. Ports and links whose bandwidth varies count nothing
    /// either, and a message of a node to itself.
    #[must_use]
    pub fn least(&self, messages: impl IntoIterator<Item = Traffic>) -> Least {
        let mut duties = vec![Duties::default(); self.nodes() as usize];
        let mut ports: FxHashMap<(NodeId, usize, bool), Turns> = FxHashMap::default();
        let mut carried: FxHashMap<Channel, f64> = FxHashMap::default();
        let mut path = Path::default();
        for Traffic { from, to, bytes, count } in messages {
            if from == to || count == 0 {
                continue;
            }
            let link = self.connection_between(from, to);
            let connection = self.numbered_connection(link);
            if connection.model.refusal(bytes).is_some() {
                continue;
            }
            if connection.model.is_flow() {
                let costs = connection.model.flow_costs(bytes);
                duties[from.index()].sends.add(costs.overhead, count);
                duties[to.index()].receives += costs.receive_overhead * count;
                if self.find_path(from, to, &mut path) {
                    let all = self.transport.bytes(bytes) * count as f64;
                    path.channels.iter().for_each(|&channel| *carried.entry(channel).or_default() += all);
                }
                continue;
            }
            let transfer = connection.model.transfer(bytes);
            duties[from.index()].sends.add(transfer.overhead, count);
            duties[to.index()].receives += transfer.receive_overhead * count;
            if !connection.varies() {
                let port = if self.ports == Ports::Single { 0 } else { self.port_between(from, to) };
                for (node, is_sender) in [(from, true), (to, false)] {
                    ports.entry((node, port, is_sender)).or_default().add(transfer.held(), count);
                }
            }
        }
        let sends = duties.iter().map(|duties| duties.sends.least()).max().unwrap_or_default();
        let processors = duties.iter().map(|duties| duties.sends.least() + duties.receives);
        let ports = ports.into_values().map(Turns::least);
        let steady =
            |channel: Channel| self.channel_capacity(channel).filter(|_| self.nature(channel).factor.is_none());
        let links = carried.into_iter().filter_map(|(channel, bytes)| Some(bytes / steady(channel)?));
        let links = links.map(|ticks| Time((ticks * (1.0 - ROUNDING)) as u64));
        Least { sends, all: processors.chain(ports).chain(links).max().unwrap_or_default() }
    }
}
