//! What each rank of a traced program did: its calls of the message-passing library and the computation between them,
//! without times.

use crate::call::KernelCall;
use crate::communication::RankGroups;
use hetsim_communication::Operation;

/// Why a text is no trace.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct TraceError {
    /// The number of the line, from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

/// A rank or a tag that is not given: any.
pub const ANY: u32 = u32::MAX;

/// The sender, the receiver and the tag of a request, as its rank wrote them; [`ANY`] for any.
pub type MessageKey = (u32, u32, u32);

/// One thing that a rank did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Action {
    /// It computed so many operations.
    Compute(f64),
    /// It called a kernel of the platform: the number of the call in [`Trace::calls`].
    Call(u32),
    /// It slept for so many seconds.
    Sleep(f64),
    /// It sent a message.
    Send {
        /// The receiver.
        to: u32,
        /// The message's tag.
        tag: u32,
        /// Its length.
        bytes: u64,
        /// How many messages of this sender, receiver and tag came before it.
        number: u32,
        /// Whether the rank waited until it had left.
        blocks: bool,
    },
    /// It received a message.
    Receive {
        /// The sender; [`ANY`] for any.
        from: u32,
        /// The tag; [`ANY`] for any.
        tag: u32,
        /// The length.
        bytes: u64,
        /// How many receives of this sender and tag came before it.
        number: u32,
        /// Whether the rank waited until it had come.
        blocks: bool,
    },
    /// It waited for its first request of this key, if that was still under way.
    Wait(MessageKey),
    /// It waited for all its requests.
    WaitAll,
    /// It took part in a collective operation, and then computed.
    Collective {
        /// The number of the operation in [`Trace::operations`].
        number: u32,
        /// What it computed, in operations.
        work: f64,
    },
}

impl Action {
    /// What its rank waits for until it ends.
    pub(super) fn awaited(&self, rank: u32, operations: &[Operated]) -> String {
        let rank_or_any = |other: u32| if other == ANY { "any rank".to_owned() } else { format!("rank {other}") };
        let with = |tag: u32| if tag == ANY { "any tag".to_owned() } else { format!("tag {tag}") };
        let sent = |to: u32, tag: u32| format!("a message to {} with {} to leave", rank_or_any(to), with(tag));
        let received = |from: u32, tag: u32| format!("a message from {} with {}", rank_or_any(from), with(tag));
        match *self {
            Self::Compute(_) | Self::Call(_) => "the end of a computation".to_owned(),
            Self::Sleep(_) => "the end of a sleep".to_owned(),
            Self::Send { to, tag, .. } => sent(to, tag),
            Self::Wait((from, to, tag)) if from == rank => sent(to, tag),
            Self::Receive { from, tag, .. } | Self::Wait((from, _, tag)) => received(from, tag),
            Self::WaitAll => "all its requests".to_owned(),
            Self::Collective { number, .. } => {
                let operation = operations.get(number as usize).map_or("collective", |own| own.operation.name());
                format!("the others in operation {number}, {operation}")
            }
        }
    }
}

/// A collective operation.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Operated {
    /// Whose it is: the number of a communicator in [`Trace::communicators`].
    pub communicator: usize,
    /// Of which of its groups.
    pub group: usize,
    /// What was done.
    pub operation: Operation,
    /// The rank that had the data at first, or got it: its number in its group.
    pub root: u32,
    /// The bytes of a vector or of a block, as the [`Operation`] says.
    pub size: u64,
    /// The bytes of each rank's block, where they differ; of an all-to-all those of each pair, sender after sender.
    pub lengths: Vec<u64>,
}

impl Operated {
    /// An operation of all ranks, with equal blocks.
    pub(super) const fn new(operation: Operation, root: u32, size: u64) -> Self {
        Self { communicator: 0, group: 0, operation, root, size, lengths: Vec::new() }
    }
}

/// A traced program.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Trace {
    /// By rank: what it did, in its order.
    pub ranks: Vec<Vec<Action>>,
    /// The ranks that take part in collective operations together, by communicator: first all of them.
    pub communicators: Vec<RankGroups>,
    /// The collective operations, each once.
    pub operations: Vec<Operated>,
    /// The calls of kernels.
    pub calls: Vec<KernelCall>,
    /// By rank: whether one of its receives took a message of any sender or of any tag.
    pub takes_any: Vec<bool>,
}
