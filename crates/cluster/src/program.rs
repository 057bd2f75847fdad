//! [`Program`]: what runs on a simulated platform, and [`Context`]: what the platform offers to it.

use std::fmt;

use hetsim_base::engine::Stream;
use hetsim_base::units::{Tick, Time};

/// A node, numbered from 0 in the order of the platform.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The number as an index.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The owner of sends, computations and timers: the program itself, or a program that it embeds.
///
/// A host gives each embedded program a scope of its own, which every returned id contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Scope(pub u8);

impl Scope {
    /// The program that runs on the platform itself.
    pub const HOST: Self = Self(0);
}

macro_rules! scoped_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub struct $name(u64);

        impl $name {
            const SCOPE_SHIFT: u32 = 56;

            /// The id numbered `number` within a run, belonging to `scope`.
            #[must_use]
            pub const fn new(scope: Scope, number: u64) -> Self {
                Self(((scope.0 as u64) << Self::SCOPE_SHIFT) | (number & ((1 << Self::SCOPE_SHIFT) - 1)))
            }

            /// The scope of its owner.
            #[must_use]
            pub const fn scope(self) -> Scope {
                Scope((self.0 >> Self::SCOPE_SHIFT) as u8)
            }

            /// Its number, counted over the whole run.
            #[must_use]
            pub const fn number(self) -> u64 {
                self.0 & ((1 << Self::SCOPE_SHIFT) - 1)
            }
        }
    };
}

scoped_id! {
    /// One send of one message.
    SendId
}
scoped_id! {
    /// One computation.
    WorkId
}
scoped_id! {
    /// One timer.
    TimerId
}

/// A receive that a program posts: which message it takes, and the length of its buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Receive {
    /// The sender; `None` for any.
    pub from: Option<NodeId>,
    /// The [tag](Program::tag) of the message; `None` for any.
    pub tag: Option<u64>,
    /// The length of the message, in bytes.
    pub bytes: u64,
}

/// Which of a program's phases something belongs to: a stretch that the program tells apart, such as a generation or a
/// task. The critical path is cut by them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PhaseOf {
    /// That which the node [is in](Context::enter_phase), if it is in any.
    #[default]
    Node,
    /// None.
    Nothing,
    /// The one of this number.
    Number(u32),
}

/// A parallel program: a small state machine that reacts to what happens on its nodes.
///
/// One value holds the state of all nodes; a handler may touch that of its own node only. Handlers on a node run one at
/// a time, and only when the node's processor is free.
pub trait Program {
    /// The contents of the program's messages. Their size in bytes is given with each send.
    type Message;

    /// Whether [`on_sent`](Self::on_sent) is called. If false, a message costs one event.
    fn wants_sent(&self) -> bool {
        false
    }

    /// Whether the program [posts](Context::post) its receives. Otherwise every receiver is always ready.
    fn posts_receives(&self) -> bool {
        false
    }

    /// The tag of a message, by which posted receives tell messages apart.
    #[must_use]
    fn tag(message: &Self::Message) -> u64 {
        let _ = message;
        0
    }

    /// The program that a message belongs to, for a host whose [embedded](super::Embedded) programs post receives:
    /// those of a program take its own messages only.
    #[must_use]
    fn scope(message: &Self::Message) -> Scope {
        let _ = message;
        Scope::HOST
    }

    /// The kind of a message in a word or two, for traces. Called only if an [`Observer`](super::Observer) requests
    /// names.
    #[must_use]
    fn describe(message: &Self::Message) -> &'static str {
        let _ = message;
        "message"
    }

    /// The phase that a message belongs to, for the critical path. Called only if that is followed.
    #[must_use]
    fn phase(message: &Self::Message) -> PhaseOf {
        let _ = message;
        PhaseOf::Node
    }

    /// What a phase is called in tables.
    #[must_use]
    fn phase_name(&self, phase: u32) -> String {
        phase.to_string()
    }

    /// Called once, at time zero.
    fn start(&mut self, context: &mut impl Context<Self::Message>);

    /// A message from `from` has been received at `at`, after its overhead.
    fn on_message(
        &mut self,
        at: NodeId,
        from: NodeId,
        message: Self::Message,
        context: &mut impl Context<Self::Message>,
    );

    /// A computation has ended.
    fn on_computed(&mut self, at: NodeId, work: WorkId, context: &mut impl Context<Self::Message>) {
        let _ = (at, work, context);
    }

    /// A timer has expired.
    fn on_timer(&mut self, at: NodeId, timer: TimerId, context: &mut impl Context<Self::Message>) {
        let _ = (at, timer, context);
    }

    /// A send has left its node, which may start the next. Called only if the program
    /// [wants](Self::wants_sent) it.
    fn on_sent(&mut self, at: NodeId, send: SendId, context: &mut impl Context<Self::Message>) {
        let _ = (at, send, context);
    }

    /// A node has gone down and has lost all its work: the program drops the node's state. The node accepts no
    /// requests, and other nodes are not told.
    fn on_down(&mut self, at: NodeId, context: &mut impl Context<Self::Message>) {
        let _ = (at, context);
    }

    /// A node is up again, without work. A run with faults continues while any event is pending, so a program that is
    /// finished should ignore this.
    fn on_up(&mut self, at: NodeId, context: &mut impl Context<Self::Message>) {
        let _ = (at, context);
    }
}

/// What a computation moves besides its operations.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Moved {
    /// Nothing that leaves the caches.
    Nothing,
    /// Bytes read from the memory and written to it.
    Bytes(f64),
    /// Bytes of new pages.
    Pages(f64),
}

/// The requests that a program can make.
///
/// [`Simulation`](super::Simulation) implements it for the simulated platform; [`Embedded`](super::Embedded) shows a
/// part of the host's platform to an inner program. An invalid request, such as one for a node that does not exist or
/// for a number of operations that is negative or NaN, ends the run with a [`RunError`](super::RunError).
pub trait Context<M> {
    /// The clock.
    fn now(&self) -> Time;

    /// The length of a tick, for conversion from seconds.
    fn tick(&self) -> Tick;

    /// The number of nodes that the program sees: their ids are `0..nodes()`.
    fn nodes(&self) -> u32;

    /// Sends `message` of `bytes` bytes as soon as the processor and the port of `from` are free. A node that is down
    /// sends nothing, computes nothing and starts no timer.
    fn send(&mut self, from: NodeId, to: NodeId, bytes: u64, message: M) -> SendId {
        self.send_for(Scope::HOST, from, to, bytes, message)
    }

    /// Starts a computation of `operations` on a core of `at`, or queues it there.
    fn compute(&mut self, at: NodeId, operations: f64) -> WorkId {
        self.compute_for(Scope::HOST, at, operations)
    }

    /// [`compute`](Self::compute) that moves bytes besides: it takes longer while others need the same
    /// [memory](super::SharedMemory).
    fn compute_moving(&mut self, at: NodeId, operations: f64, moved: Moved) -> WorkId {
        self.compute_moving_for(Scope::HOST, at, operations, moved)
    }

    /// Calls [`Program::on_timer`] after `delay`.
    fn set_timer(&mut self, at: NodeId, delay: Time) -> TimerId {
        self.set_timer_for(Scope::HOST, at, delay)
    }

    /// Posts a receive at `at`, in a program that [posts receives](Program::posts_receives). `on_message` follows when
    /// the message is there; one that came too early costs a copy.
    fn post(&mut self, at: NodeId, receive: Receive) {
        self.post_for(Scope::HOST, at, receive);
    }

    /// Whether a message that a receive would take is at a node and waits for one: it has come, or the request of its
    /// rendezvous has. Only for a program that [posts receives](Program::posts_receives).
    fn probe(&self, at: NodeId, receive: Receive) -> bool {
        self.probe_for(Scope::HOST, at, receive)
    }

    /// [`send`](Self::send) for an embedded program.
    fn send_for(&mut self, scope: Scope, from: NodeId, to: NodeId, bytes: u64, message: M) -> SendId;

    /// [`compute`](Self::compute) for an embedded program.
    fn compute_for(&mut self, scope: Scope, at: NodeId, operations: f64) -> WorkId {
        self.compute_moving_for(scope, at, operations, Moved::Nothing)
    }

    /// [`compute_moving`](Self::compute_moving) for an embedded program.
    fn compute_moving_for(&mut self, scope: Scope, at: NodeId, operations: f64, moved: Moved) -> WorkId;

    /// [`set_timer`](Self::set_timer) for an embedded program.
    fn set_timer_for(&mut self, scope: Scope, at: NodeId, delay: Time) -> TimerId;

    /// [`post`](Self::post) for an embedded program.
    fn post_for(&mut self, scope: Scope, at: NodeId, receive: Receive);

    /// [`probe`](Self::probe) for an embedded program.
    fn probe_for(&self, scope: Scope, at: NodeId, receive: Receive) -> bool;

    /// Sets the program's working set at `at` in bytes, initially zero. On a node with a [`Cache`](super::Cache), later
    /// computations run at the speed for that size.
    fn set_working_set(&mut self, at: NodeId, bytes: u64);

    /// The share of a core of `at` beside external load at this moment: 1 without load.
    fn availability(&mut self, at: NodeId) -> f64;

    /// Cancels a timer. Returns false if it has already expired.
    fn cancel_timer(&mut self, timer: TimerId) -> bool;

    /// What `at` does from now on belongs to a phase of the program, for the critical path; see [`PhaseOf`]. The phases
    /// of an embedded program don't count.
    fn enter_phase(&mut self, at: NodeId, phase: u32) {
        let _ = (at, phase);
    }

    /// Marks `at` as complete. For the host, this is the node's completion time; for an embedded program, the host is
    /// notified.
    fn complete(&mut self, at: NodeId);

    /// Marks the results as complete: later computations are not needed, and [`Usage`](super::Usage) does not count
    /// them. An embedded program cannot conclude the run, since its host goes on.
    fn conclude(&mut self);

    /// The random stream for `purpose` and the owner numbered `index`.
    fn stream(&self, purpose: &str, index: u64) -> Stream;
}
