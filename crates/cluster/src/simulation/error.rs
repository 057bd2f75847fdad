//! Why a run failed.

use thiserror::Error;

use crate::network::fitted::Refusal;
use crate::program::NodeId;
use hetsim_base::engine::EngineError;
use hetsim_base::units::Time;

/// Why a run failed.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[non_exhaustive]
pub enum RunError {
    /// The engine stopped.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// Some node has not completed by the instant [until](crate::Simulation::until) which all were to.
    #[error("some nodes had not completed by tick {}, where the run was stopped", until.0)]
    Late {
        /// The instant.
        until: Time,
    },
    /// The program named a node that does not exist.
    #[error("the program named node {node}, and there are {nodes} nodes, numbered from 0")]
    NoNode {
        /// The number.
        node: u32,
        /// The number of nodes.
        nodes: u32,
    },
    /// The program requested a number of operations that is negative or not finite.
    #[error("the program asked node {} to compute {operations} operations; they must be zero or more, and finite", at.0)]
    Operations {
        /// The node.
        at: NodeId,
        /// The number of operations.
        operations: f64,
    },
    /// The network gives no time for a message.
    #[error("a message of {bytes} B from node {} to node {} can't be sent: {why}", from.0, to.0)]
    Refused {
        /// The sender.
        from: NodeId,
        /// The receiver.
        to: NodeId,
        /// Its length.
        bytes: u64,
        /// Why the network refuses it.
        why: Refusal,
    },
    /// No route leads to the receiver.
    #[error("there is no route from node {} to node {}", from.0, to.0)]
    NoRoute {
        /// The sender.
        from: NodeId,
        /// The receiver.
        to: NodeId,
    },
    /// A message waits for a receive that nobody posts.
    #[error("a message of {bytes} B from node {} to node {} waits for ever: no receive is posted for it", from.0, to.0)]
    NotReceived {
        /// The sender.
        from: NodeId,
        /// The receiver.
        to: NodeId,
        /// Its length.
        bytes: u64,
    },
    /// A program posts a receive that says that it posts none.
    #[error("the program posts a receive at node {}, but its `posts_receives` says that it posts none", at.0)]
    PostsNone {
        /// The receiver.
        at: NodeId,
    },
    /// A computation waits for a processor that external load never frees.
    #[error("a computation on node {} never ends: external load leaves it nothing of the processor", at.0)]
    Starved {
        /// The node.
        at: NodeId,
    },
    /// A message waits for links that stay without bandwidth.
    #[error(
        "a message of {bytes} B from node {} to node {} waits for ever: a link on its path stays without bandwidth",
        from.0, to.0
    )]
    Stuck {
        /// The sender.
        from: NodeId,
        /// The receiver.
        to: NodeId,
        /// Its length.
        bytes: u64,
    },
}
