//! Future events, and jobs that wait for a processor.

use crate::program::{Moved, NodeId, SendId, TimerId, WorkId};
use hetsim_base::units::Time;

/// A future event. With a message of four bytes it takes 32 bytes, which matters if a million wait: data that can be
/// recomputed from the nodes are not stored.
#[derive(Debug)]
pub(super) enum Event<M> {
    /// A message arrives: with its overhead paid if it is equal for all (`folded`), otherwise before it.
    Deliver { to: NodeId, from: NodeId, overhead: Time, port: Time, message: M },
    /// The same of a message whose rendezvous was granted.
    Fetched { to: NodeId, from: NodeId, overhead: Time, port: Time, message: M },
    /// A message arrives that counts against the receiver's capacity.
    Arrive { to: NodeId, from: NodeId, overhead: Time, port: Time, message: M },
    /// The head of a message is at the receiver, into which it streams.
    Head { to: NodeId, from: NodeId, bytes: u64, order: u64, message: M },
    /// A message has streamed into its receiver: one that its receiver was ready for, or one that finds a receive or
    /// not, and whose sender waits for that or not.
    Streamed { at: NodeId, from: NodeId, overhead: Time, order: u64, meets: Meets, message: M },
    /// A node looks at the operations that wait for its processor and a port.
    Look { at: NodeId },
    /// The overhead of a node's first waiting job is paid.
    Wake { at: NodeId },
    /// The request of a rendezvous is at its receiver.
    Request { number: u32 },
    /// The answer to the request is at the sender.
    Granted { number: u32 },
    /// A send has left its node.
    Sent { at: NodeId, send: SendId },
    /// The same where messages stream: what follows has this order.
    SentInOrder { at: NodeId, send: SendId, order: u64 },
    /// A computation on a core of its own ends.
    Computed { at: NodeId, work: WorkId, start: Time, operations: f64 },
    /// The same where messages stream to posted receives: what follows has the order of its start.
    ComputedInOrder { at: NodeId, work: WorkId, start: Time, operations: f64 },
    /// The first computation of a shared processor ends.
    Shared { at: NodeId },
    /// A timer expires.
    Timer { at: NodeId, timer: TimerId },
    /// A port looks at its first message.
    Inject { from: NodeId },
    /// A message's latency is over: its bytes start to flow.
    FlowStart { in_flight: u32 },
    /// The flows with the earliest end are over.
    FlowsEnd,
    /// The bandwidth of a shared link changes.
    LinksChange,
}

// A message of four bytes, as in a broadcast.
const _: () = assert!(size_of::<Event<u32>>() == 32);

/// A job that waits for a node's processor, or has it.
#[derive(Debug)]
pub(super) enum Job<M> {
    Message {
        from: NodeId,
        overhead: Time,
        message: M,
    },
    /// A message whose rendezvous was granted.
    Fetched {
        from: NodeId,
        overhead: Time,
        message: M,
    },
    /// A message that has waited for its receive, and is copied.
    Matched {
        from: NodeId,
        overhead: Time,
        message: M,
    },
    Computed(WorkId),
    Sent(SendId),
    /// A send whose consequences have this order.
    SentInOrder(SendId, u64),
    Timer(TimerId),
    Compute {
        work: WorkId,
        operations: f64,
        moved: Moved,
    },
}

impl<M> Job<M> {
    pub(super) const fn overhead(&self) -> Time {
        match self {
            Self::Message { overhead, .. } | Self::Fetched { overhead, .. } | Self::Matched { overhead, .. } => {
                *overhead
            }
            _ => Time::ZERO,
        }
    }

    /// A message that has come, whose rendezvous was granted or which is eager.
    #[inline]
    pub(super) const fn message(from: NodeId, overhead: Time, message: M, fetched: bool) -> Self {
        if fetched { Self::Fetched { from, overhead, message } } else { Self::Message { from, overhead, message } }
    }
}

/// Whether the head of a message has met a posted receive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meets {
    /// Receives are not posted, or the message has found one.
    Receiver,
    /// None, and its sender has gone on.
    Nobody,
    /// None, and its sender waits.
    NobodyYet,
}
