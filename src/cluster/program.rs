//! What runs on a simulated machine, and what such a machine offers: [`Program`] and [`Context`].

use std::fmt;

use crate::engine::Stream;
use crate::units::{Tick, Time};

/// A node, numbered from 0 in the order in which the platform lists them.
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

/// Whose sends, works and timers these are: the program itself, or one that it embeds.
///
/// A host gives each program that it embeds a scope of its own, and finds the scope again in every id that comes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Scope(pub u8);

impl Scope {
    /// The program that runs on the machine itself.
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

            /// Who asked for it.
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

/// A parallel program: a small state machine that reacts to what happens on its nodes.
///
/// One value holds the state of all nodes; a handler may touch that of the node it runs at. Handlers on a node run one
/// at a time and not before the node's processor is free.
pub trait Program {
    /// What the program's messages carry. Their size on the wire is given at the send.
    type Message;

    /// Whether [`on_sent`](Self::on_sent) is wanted. False: nobody asks when a send has left its node, and a message
    /// costs one event.
    const WANTS_SENT: bool = false;

    /// What a message is called in traces, in a word or two: of what kind it is, not what it carries. Asked only where
    /// an [`Observer`](super::Observer) wants names.
    #[must_use]
    fn describe(message: &Self::Message) -> &'static str {
        let _ = message;
        "message"
    }

    /// Called once, at time zero.
    fn start(&mut self, context: &mut impl Context<Self::Message>);

    /// A message from `from` has been received at `at`, its overhead paid.
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

    /// A timer has run out.
    fn on_timer(&mut self, at: NodeId, timer: TimerId, context: &mut impl Context<Self::Message>) {
        let _ = (at, timer, context);
    }

    /// A send has left its node, which may start the next. Only where [`WANTS_SENT`](Self::WANTS_SENT) says so.
    fn on_sent(&mut self, at: NodeId, send: SendId, context: &mut impl Context<Self::Message>) {
        let _ = (at, send, context);
    }

    /// A node has gone down, and with it all that it was doing: the program drops the node's state. Nothing can be asked
    /// of the node, and other nodes don't know.
    fn on_down(&mut self, at: NodeId, context: &mut impl Context<Self::Message>) {
        let _ = (at, context);
    }

    /// A node is up again, with nothing to do. A run with faults goes on while anything is to happen, so a program that
    /// has all it wants should let this pass.
    fn on_up(&mut self, at: NodeId, context: &mut impl Context<Self::Message>) {
        let _ = (at, context);
    }
}

/// What a program can ask of the machine it runs on.
///
/// [`Simulation`](super::Simulation) is the simulated machine itself; [`Embedded`](super::Embedded) shows a part of another
/// program's machine to a program inside it. What is asked in vain, of a node that there isn't or for operations that are
/// no number or below zero, ends the run with a [`RunError`](super::RunError).
pub trait Context<M> {
    /// The clock.
    fn now(&self) -> Time;

    /// How long a tick of the clock lasts, to make times of seconds.
    fn tick(&self) -> Tick;

    /// How many nodes the program sees: their ids are `0..nodes()`.
    fn nodes(&self) -> u32;

    /// Sends `message`, `bytes` long, as soon as the processor and the port of `from` are free. From a node that is down
    /// nothing is sent; the same holds for computations and timers.
    fn send(&mut self, from: NodeId, to: NodeId, bytes: u64, message: M) -> SendId {
        self.send_for(Scope::HOST, from, to, bytes, message)
    }

    /// Starts a computation of `operations` on a core of `at`, or queues it there.
    fn compute(&mut self, at: NodeId, operations: f64) -> WorkId {
        self.compute_for(Scope::HOST, at, operations)
    }

    /// Calls [`Program::on_timer`] after `delay`.
    fn set_timer(&mut self, at: NodeId, delay: Time) -> TimerId {
        self.set_timer_for(Scope::HOST, at, delay)
    }

    /// [`send`](Self::send) for a program that this one embeds.
    fn send_for(&mut self, scope: Scope, from: NodeId, to: NodeId, bytes: u64, message: M) -> SendId;

    /// [`compute`](Self::compute) for a program that this one embeds.
    fn compute_for(&mut self, scope: Scope, at: NodeId, operations: f64) -> WorkId;

    /// [`set_timer`](Self::set_timer) for a program that this one embeds.
    fn set_timer_for(&mut self, scope: Scope, at: NodeId, delay: Time) -> TimerId;

    /// Says how much memory the program works on at `at` from now on, which matters where the node has a
    /// [`Cache`](super::Cache): computations that start afterwards run at the speed for so much. Zero at first.
    fn set_working_set(&mut self, at: NodeId, bytes: u64);

    /// What external load leaves of a core of `at` at this moment: 1 where there is none.
    fn availability(&mut self, at: NodeId) -> f64;

    /// Stops a timer. False where it has run out already.
    fn cancel_timer(&mut self, timer: TimerId) -> bool;

    /// Says that `at` has all it came for. Alone, this is the node's completion time; inside another program, the host
    /// is told.
    fn complete(&mut self, at: NodeId);

    /// Says that all results are there: what nodes compute beyond this instant is of no use any more, and
    /// [`Usage`](super::Usage) does not count it. Inside another program, whose work goes on, it says nothing.
    fn conclude(&mut self);

    /// The random stream for `purpose` and the thing numbered `index`.
    fn stream(&self, purpose: &str, index: u64) -> Stream;
}
