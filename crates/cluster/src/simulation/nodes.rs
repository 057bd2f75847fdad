//! The clocks of nodes: when their processors are free of overheads, and when their ports are free.

use std::ops::{Index, IndexMut};

use crate::platform::Platform;
use crate::program::NodeId;
use hetsim_base::units::Time;

/// The clocks of a node's processor and of its first port, or of a further port alone.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Clocks {
    /// When its processor is free of overheads.
    pub(super) handler_free: Time,
    /// When its port may start the next message.
    pub(super) port_out: Time,
    /// When the last message that held its port was received.
    pub(super) port_in: Time,
}

/// The clocks of all nodes.
#[derive(Debug)]
pub(super) struct Nodes<'p> {
    platform: &'p Platform,
    count: usize,
    /// Of the nodes, and then of the ports for messages that leave their cluster, and of those of further levels, if
    /// these are separate: of all nodes for one level, then for the next.
    clocks: Vec<Clocks>,
}

impl<'p> Nodes<'p> {
    pub(super) fn new(platform: &'p Platform) -> Self {
        let count = platform.nodes() as usize;
        Self { platform, count, clocks: vec![Clocks::default(); count * (1 + platform.last_port())] }
    }

    /// The number of nodes.
    #[inline]
    pub(super) const fn count(&self) -> usize {
        self.count
    }

    /// The number of ports of all nodes.
    pub(super) fn ports(&self) -> usize {
        self.clocks.len()
    }

    /// The number of a node's port for a message from or to `other`, among its own.
    #[inline]
    pub(super) fn port_between(&self, at: NodeId, other: NodeId) -> usize {
        if self.clocks.len() == self.count { 0 } else { self.platform.port_between(at, other) }
    }

    /// The same among all ports.
    #[inline]
    pub(super) fn port_number(&self, at: NodeId, other: NodeId) -> usize {
        self.port_between(at, other) * self.count + at.index()
    }

    /// The port of `at` for a message from or to `other`.
    #[inline]
    pub(super) fn port(&self, at: NodeId, other: NodeId) -> &Clocks {
        &self.clocks[self.port_number(at, other)]
    }

    /// The same, to be changed.
    #[inline]
    pub(super) fn port_mut(&mut self, at: NodeId, other: NodeId) -> &mut Clocks {
        let number = self.port_number(at, other);
        &mut self.clocks[number]
    }
}

impl Index<NodeId> for Nodes<'_> {
    type Output = Clocks;

    #[inline]
    fn index(&self, at: NodeId) -> &Clocks {
        &self.clocks[at.index()]
    }
}

impl IndexMut<NodeId> for Nodes<'_> {
    #[inline]
    fn index_mut(&mut self, at: NodeId) -> &mut Clocks {
        &mut self.clocks[at.index()]
    }
}
