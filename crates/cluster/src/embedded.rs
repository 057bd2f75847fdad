//! A program inside another program: a collective in an application, a cluster's broadcast in that of a grid.

use std::collections::VecDeque;

use hetsim_base::engine::Stream;
use hetsim_base::units::{Tick, Time};

use super::program::{Context, Moved, NodeId, Program, Receive, Scope, SendId, TimerId, WorkId};

/// A program that runs on some nodes of its host's platform as if it were alone there.
///
/// The inner program sees its members as nodes `0..members.len()`; its messages travel inside the host's (`wrap` packs
/// them). The host passes on its events, identified by the message or by the [`Scope`] of an id, and asks with
/// [`next_completed`](Self::next_completed) which members are done.
#[derive(Debug)]
pub struct Embedded<P: Program, W> {
    inner: P,
    view: View<W>,
}

/// The state behind the inner program's context, without the host's context.
#[derive(Debug)]
struct View<W> {
    scope: Scope,
    members: Vec<NodeId>,
    wrap: W,
    completed: VecDeque<NodeId>,
}

impl<W> View<W> {
    /// The host's number of a member. An invalid rank gives an invalid node, which ends the run.
    fn member(&self, rank: NodeId) -> NodeId {
        self.members.get(rank.index()).copied().unwrap_or(NodeId(u32::MAX))
    }
}

impl<P: Program, W> Embedded<P, W> {
    /// Places `inner` on `members` of the host's nodes; the rank of a member is its index in the list.
    pub const fn new(inner: P, scope: Scope, members: Vec<NodeId>, wrap: W) -> Self {
        Self { inner, view: View { scope, members, wrap, completed: VecDeque::new() } }
    }

    /// The inner program.
    pub const fn inner(&self) -> &P {
        &self.inner
    }

    /// The inner program after its end.
    #[must_use]
    pub fn into_inner(self) -> P {
        self.inner
    }

    /// The next member (in the host's numbering) that has completed since the last call.
    pub fn next_completed(&mut self) -> Option<NodeId> {
        self.view.completed.pop_front()
    }

    /// The inner program's name of a message, for the host's own [`describe`](Program::describe).
    pub fn describe(message: &P::Message) -> &'static str {
        P::describe(message)
    }

    /// Whether the inner program posts receives, for the host's own [`posts_receives`](Program::posts_receives). The
    /// host's [`scope`](Program::scope) then tells the inner program's messages from others.
    pub fn posts_receives(&self) -> bool {
        self.inner.posts_receives()
    }

    /// Whether the inner program is told of its sends, for the host's own [`wants_sent`](Program::wants_sent).
    pub fn wants_sent(&self) -> bool {
        self.inner.wants_sent()
    }

    /// The inner program's tag of a message, for the host's own [`tag`](Program::tag).
    pub fn tag(message: &P::Message) -> u64 {
        P::tag(message)
    }

    /// Whether an id belongs to the inner program.
    pub fn owns(&self, scope: Scope) -> bool {
        self.view.scope == scope
    }
}

impl<P: Program, W> Embedded<P, W> {
    /// Starts the inner program, possibly long after the host's start.
    pub fn start<H>(&mut self, context: &mut impl Context<H>)
    where
        W: Fn(P::Message) -> H,
    {
        self.inner.start(&mut Seen { view: &mut self.view, context, message: std::marker::PhantomData });
    }

    /// Passes on a message; `at` and `from` are ranks of the inner program.
    pub fn on_message<H>(&mut self, at: NodeId, from: NodeId, message: P::Message, context: &mut impl Context<H>)
    where
        W: Fn(P::Message) -> H,
    {
        self.inner.on_message(
            at,
            from,
            message,
            &mut Seen { view: &mut self.view, context, message: std::marker::PhantomData },
        );
    }

    /// Passes on the end of a computation; `at` is a rank of the inner program.
    pub fn on_computed<H>(&mut self, at: NodeId, work: WorkId, context: &mut impl Context<H>)
    where
        W: Fn(P::Message) -> H,
    {
        self.inner.on_computed(
            at,
            work,
            &mut Seen { view: &mut self.view, context, message: std::marker::PhantomData },
        );
    }

    /// Passes on a timer; `at` is a rank of the inner program.
    pub fn on_timer<H>(&mut self, at: NodeId, timer: TimerId, context: &mut impl Context<H>)
    where
        W: Fn(P::Message) -> H,
    {
        self.inner.on_timer(at, timer, &mut Seen { view: &mut self.view, context, message: std::marker::PhantomData });
    }

    /// Passes on the end of a send; `at` is a rank of the inner program.
    pub fn on_sent<H>(&mut self, at: NodeId, send: SendId, context: &mut impl Context<H>)
    where
        W: Fn(P::Message) -> H,
    {
        self.inner.on_sent(at, send, &mut Seen { view: &mut self.view, context, message: std::marker::PhantomData });
    }

    /// Passes on that a node has gone down; `at` is a rank of the inner program.
    pub fn on_down<H>(&mut self, at: NodeId, context: &mut impl Context<H>)
    where
        W: Fn(P::Message) -> H,
    {
        self.inner.on_down(at, &mut Seen { view: &mut self.view, context, message: std::marker::PhantomData });
    }

    /// Passes on that a node is up again; `at` is a rank of the inner program.
    pub fn on_up<H>(&mut self, at: NodeId, context: &mut impl Context<H>)
    where
        W: Fn(P::Message) -> H,
    {
        self.inner.on_up(at, &mut Seen { view: &mut self.view, context, message: std::marker::PhantomData });
    }
}

/// The context of the inner program.
struct Seen<'a, W, T, H> {
    view: &'a mut View<W>,
    context: &'a mut T,
    message: std::marker::PhantomData<H>,
}

impl<M, H, W: Fn(M) -> H, T: Context<H>> Context<M> for Seen<'_, W, T, H> {
    fn now(&self) -> Time {
        self.context.now()
    }

    fn tick(&self) -> Tick {
        self.context.tick()
    }

    fn nodes(&self) -> u32 {
        self.view.members.len() as u32
    }

    /// A scope that the inner program gives to one of its own programs is lost: ids return under the scope that the
    /// host gave.
    fn send_for(&mut self, _: Scope, from: NodeId, to: NodeId, bytes: u64, message: M) -> SendId {
        let (from, to) = (self.view.member(from), self.view.member(to));
        self.context.send_for(self.view.scope, from, to, bytes, (self.view.wrap)(message))
    }

    fn compute_moving_for(&mut self, _: Scope, at: NodeId, operations: f64, moved: Moved) -> WorkId {
        self.context.compute_moving_for(self.view.scope, self.view.member(at), operations, moved)
    }

    fn set_timer_for(&mut self, _: Scope, at: NodeId, delay: Time) -> TimerId {
        self.context.set_timer_for(self.view.scope, self.view.member(at), delay)
    }

    fn post_for(&mut self, _: Scope, at: NodeId, receive: Receive) {
        let from = receive.from.map(|rank| self.view.member(rank));
        self.context.post_for(self.view.scope, self.view.member(at), Receive { from, ..receive });
    }

    fn probe_for(&self, _: Scope, at: NodeId, receive: Receive) -> bool {
        let from = receive.from.map(|rank| self.view.member(rank));
        self.context.probe_for(self.view.scope, self.view.member(at), Receive { from, ..receive })
    }

    /// A node has one working set: programs that share a node must agree on it.
    fn set_working_set(&mut self, at: NodeId, bytes: u64) {
        self.context.set_working_set(self.view.member(at), bytes);
    }

    fn availability(&mut self, at: NodeId) -> f64 {
        self.context.availability(self.view.member(at))
    }

    fn cancel_timer(&mut self, timer: TimerId) -> bool {
        self.context.cancel_timer(timer)
    }

    fn complete(&mut self, at: NodeId) {
        self.view.completed.push_back(self.view.member(at));
    }

    fn conclude(&mut self) {}

    fn stream(&self, purpose: &str, index: u64) -> Stream {
        self.context.stream(purpose, index)
    }
}
