//! A bound on the messages in flight to one node (LogP's ⌈L/g⌉), and the ports that stall because of it.

use std::collections::VecDeque;

use super::header::Header;
use super::network::Transfer;
use super::program::NodeId;
use hetsim_base::units::Time;

/// A message that has left its sender's processor but not its port.
#[derive(Debug)]
pub(super) struct Outgoing<M> {
    pub(super) header: Header,
    /// When the processor hands the message to the port.
    pub(super) ready: Time,
    pub(super) transfer: Transfer,
    pub(super) limit: u32,
    pub(super) message: M,
}

/// The ports of all nodes, and the messages in flight to each node.
#[derive(Debug)]
pub(super) struct Capacity<M> {
    under_way: Vec<u32>,
    outgoing: Vec<VecDeque<Outgoing<M>>>,
    /// Senders whose first message waits for a place at the node, first come, first served.
    stalled: Vec<VecDeque<NodeId>>,
}

impl<M> Capacity<M> {
    pub(super) const fn new() -> Self {
        Self { under_way: Vec::new(), outgoing: Vec::new(), stalled: Vec::new() }
    }

    /// Queues a message at its port. Returns true if it is the only one there, so that the port must be started.
    pub(super) fn queue(&mut self, nodes: usize, message: Outgoing<M>) -> bool {
        if self.outgoing.is_empty() {
            self.under_way = vec![0; nodes];
            self.outgoing.resize_with(nodes, VecDeque::new);
            self.stalled.resize_with(nodes, VecDeque::new);
        }
        let queue = &mut self.outgoing[message.header.from.index()];
        queue.push_back(message);
        queue.len() == 1
    }

    /// Takes the first message of a port if the receiver has a place for it; otherwise the port stalls until there is
    /// one.
    pub(super) fn start(&mut self, from: NodeId) -> Option<Outgoing<M>> {
        let first = self.outgoing[from.index()].front()?;
        let to = first.header.to.index();
        if self.under_way[to] >= first.limit {
            self.stalled[to].push_back(from);
            return None;
        }
        self.under_way[to] += 1;
        self.outgoing[from.index()].pop_front()
    }

    /// When the processor hands over the first message of a port.
    pub(super) fn next_ready(&self, from: NodeId) -> Option<Time> {
        self.outgoing[from.index()].front().map(|message| message.ready)
    }

    /// Frees the place of an arrived message. Returns the stalled sender that gets it.
    pub(super) fn arrived(&mut self, at: NodeId) -> Option<NodeId> {
        self.under_way[at.index()] -= 1;
        self.stalled[at.index()].pop_front()
    }
}
