//! What the simulation knows of a message besides its contents.

use super::program::{NodeId, SendId};

/// A message on its way between two nodes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Header {
    pub(super) from: NodeId,
    pub(super) to: NodeId,
    pub(super) send: SendId,
    /// Its length on the network.
    pub(super) bytes: u64,
    /// The number of the connection between its nodes.
    pub(super) link: usize,
}
