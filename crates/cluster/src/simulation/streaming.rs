//! Messages that [stream](crate::network::Delivery::Streamed) into their receivers, as in LogGOPSim: a send
//! starts when its node's processor and port are both free, and a head waits until both of its receiver's are.
//!
//! Operations that wait at a node stand in lists: sends and heads by port, first come, first served, and computations.
//! When the processor is free, the first entries whose port is free compete, and the one with the lowest *order*
//! starts. Orders come from one counter: a message's order is drawn when it starts at its sender; that of sends and
//! computations when the reception starts in whose handler they are requested. So the consequences of a message precede
//! those of another that starts later, however long the first one streams.
//!
//! Where receives are posted, a head takes the first that accepts it when its reception starts. A message that finds
//! none waits, when it has been received, until one is posted. The sender of a long message is told of its end when
//! the receive is found, that of another when its processor is free again; what follows has the order of that instant,
//! or of the start of the send or the computation.
//!
//! All events of one instant are handled before anything starts at it, so a node with further events at this instant
//! looks again after them.

use rustc_hash::FxHashMap;

use super::event::Meets;
use super::{Event, Job, Simulation};
use crate::header::Header;
use crate::inbox::Inboxes;
use crate::network::{Port, Transfer};
use crate::observer::SendSeen;
use crate::platform::Platform;
use crate::program::{Moved, NodeId, Program, SendId, WorkId};
use crate::trail::{Mark, StreamingIn, Trail};
use hetsim_base::units::Time;

/// An operation that waits for a node's processor and for a port.
#[derive(Debug)]
enum Waiting<M> {
    Send { to: NodeId, send: SendId, bytes: u64, order: u64, message: M },
    Head { from: NodeId, bytes: u64, order: u64, message: M },
    Compute { work: WorkId, operations: f64, order: u64 },
}

/// The next turn of a node, and when it looks.
#[derive(Debug, Clone, Copy)]
struct NodeTurn {
    /// When it looks again at waiting operations; never if none could start.
    look: Time,
    /// Whether that look follows all other events of its instant.
    is_last: bool,
    /// Until when a message streams in.
    receives_until: Time,
    /// The start of the last computation on its cores.
    computes_since: Time,
}

/// The state of the nodes of a platform on which messages stream.
#[derive(Debug)]
pub(super) struct Streaming<M> {
    waiting: Inboxes<Waiting<M>>,
    turns: Vec<NodeTurn>,
    /// The number of ports of a node in each direction.
    ports: usize,
    orders: u64,
    /// Whether the program is still making its first requests, on all nodes, before any of them starts.
    begins: bool,
    /// The order of what the handler requests that runs now.
    reception: Option<u64>,
    /// The order of what follows each running computation, if receives are posted.
    works: FxHashMap<WorkId, u64>,
}

/// A message that has streamed into its receiver.
pub(super) struct Streamed {
    pub(super) at: NodeId,
    pub(super) from: NodeId,
    pub(super) overhead: Time,
    pub(super) order: u64,
    pub(super) meets: Meets,
}

impl<M> Streaming<M> {
    /// `None` if no message of the platform streams.
    pub(super) fn of(platform: &Platform) -> Option<Box<Self>> {
        let rest =
            NodeTurn { look: Time::NEVER, is_last: false, receives_until: Time::ZERO, computes_since: Time::ZERO };
        platform.connections().iter().any(|link| link.model.is_streamed()).then(|| {
            Box::new(Self {
                waiting: Inboxes::new(),
                turns: vec![rest; platform.nodes() as usize],
                ports: 1 + platform.last_port(),
                orders: 0,
                begins: true,
                reception: None,
                works: FxHashMap::default(),
            })
        })
    }

    fn draw(&mut self) -> u64 {
        self.orders += 1;
        self.orders
    }

    /// The order of a request made now.
    fn order(&mut self) -> u64 {
        self.reception.unwrap_or_else(|| self.draw())
    }

    /// The number of lists of a node: two per port, and one for computations.
    pub(super) const fn lists(&self) -> usize {
        2 * self.ports + 1
    }

    fn push(&mut self, at: NodeId, list: usize, waiting: Waiting<M>) {
        let lists = self.lists();
        self.waiting.push(at.index() * lists + list, self.turns.len() * lists, waiting);
    }

    /// Whether any operation waits at a node.
    fn waits(&self, at: NodeId) -> bool {
        let first = at.index() * self.lists();
        !self.waiting.all_empty() && (first..first + self.lists()).any(|list| !self.waiting.is_empty(list))
    }

    /// Discards all waiting operations of a node. Returns the number of messages among them.
    pub(super) fn clear(&mut self, at: NodeId) -> u64 {
        let turn = &mut self.turns[at.index()];
        (turn.look, turn.receives_until) = (Time::NEVER, Time::ZERO);
        let first = at.index() * self.lists();
        let mut messages = 0;
        for list in first..first + self.lists() {
            while let Some(waiting) = self.waiting.pop(list) {
                messages += u64::from(!matches!(waiting, Waiting::Compute { .. }));
            }
        }
        messages
    }

    /// Draws the order of what will follow a computation.
    pub(super) fn keep_order(&mut self, work: WorkId) {
        let order = self.draw();
        self.works.insert(work, order);
    }

    pub(super) fn take_order(&mut self, work: WorkId) -> Option<u64> {
        self.works.remove(&work)
    }

    /// Records that a computation takes a core of a node.
    pub(super) fn computes(&mut self, at: NodeId, since: Time) {
        self.turns[at.index()].computes_since = since;
    }
}

impl<M> Simulation<'_, M> {
    /// Hands over a message on a platform on which messages stream.
    pub(super) fn hand_over(&mut self, header: Header, message: M) {
        let Header { from, to, send, bytes, .. } = header;
        let port = self.nodes.port_between(from, to);
        let Some(streaming) = &mut self.streaming else { return };
        let order = streaming.order();
        streaming.push(from, 2 * port, Waiting::Send { to, send, bytes, order, message });
        let list = from.index() * streaming.lists() + 2 * port;
        self.follow(|trail| trail.queue(list));
        self.take_turns(from, true);
    }

    /// Handles the head of a message at its receiver.
    pub(super) fn head_arrives(&mut self, to: NodeId, from: NodeId, bytes: u64, order: u64, message: M) {
        if self.faults.misses(to, self.engine.now()) {
            self.counts.lost += 1;
            return;
        }
        let port = self.nodes.port_between(to, from);
        let Some(streaming) = &mut self.streaming else { return };
        streaming.push(to, 2 * port + 1, Waiting::Head { from, bytes, order, message });
        let list = to.index() * streaming.lists() + 2 * port + 1;
        self.follow(|trail| trail.queue(list));
        self.take_turns(to, true);
    }

    /// Handles a message that has streamed into its receiver.
    pub(super) fn streamed<P: Program<Message = M>>(
        &mut self,
        Streamed { at, from, overhead, order, meets }: Streamed,
        message: M,
        program: &mut P,
    ) {
        if self.faults.misses(at, self.engine.now() - overhead) {
            self.counts.lost += 1;
            return;
        }
        // A receive may have been posted while it streamed.
        let meets = match meets {
            Meets::Receiver => Meets::Receiver,
            Meets::Nobody | Meets::NobodyYet => self.meets(at, from, &message, meets == Meets::NobodyYet),
        };
        if meets == Meets::Receiver {
            self.follows(Some(order));
            self.dispatch(at, Job::Matched { from, overhead, message }, program);
            self.follows(None);
            return;
        }
        let envelope = (self.hooks.envelope)(from, &message);
        if let Some(matching) = &mut self.matching {
            matching.wait(at, envelope, message, meets == Meets::NobodyYet);
        }
        self.serve(at);
    }

    /// Sets the order of what a handler requests: that of the reception or the send that it follows.
    pub(super) fn follows(&mut self, order: Option<u64>) {
        if let Some(streaming) = &mut self.streaming {
            streaming.reception = order;
        }
    }

    /// Queues a computation behind other operations at its node. Returns false if there are none, so that it need not
    /// wait.
    pub(super) fn queues_behind(&mut self, at: NodeId, work: WorkId, operations: f64) -> bool {
        let Some(streaming) = self.streaming.as_mut().filter(|streaming| streaming.waits(at)) else { return false };
        let (order, list) = (streaming.order(), 2 * streaming.ports);
        streaming.push(at, list, Waiting::Compute { work, operations, order });
        let list = at.index() * streaming.lists() + list;
        self.follow(|trail| trail.queue(list));
        self.take_turns(at, true);
        true
    }

    /// Lets a node look at its waiting operations, as planned.
    pub(super) fn look(&mut self, at: NodeId) {
        let now = self.engine.now();
        let Some(streaming) = &mut self.streaming else { return };
        streaming.begins = false;
        let turn = &mut streaming.turns[at.index()];
        // If another look was planned for a different instant, it has replaced this one.
        if turn.look == now {
            turn.look = Time::NEVER;
            let is_last = turn.is_last;
            self.take_turns(at, !is_last);
        }
    }

    /// Starts what can start at a node, and plans the next look. If it `defers`, other events of this instant come
    /// first.
    pub(super) fn take_turns(&mut self, at: NodeId, defers: bool) {
        while let Some((ready, list)) = self.next_turn(at) {
            let now = self.engine.now();
            let begins = self.streaming.as_ref().is_some_and(|streaming| streaming.begins);
            let defers = defers && ready <= now && (begins || self.engine.next_time() == Some(now));
            if ready > now || defers {
                self.plan_look(at, ready.max(now), defers);
                return;
            }
            let waiting = self.streaming.as_mut().and_then(|streaming| streaming.waiting.pop(list));
            let before = self.turn_to_waiting(at, list, waiting.as_ref());
            match waiting {
                Some(Waiting::Send { to, send, bytes, message, .. }) => {
                    let link = self.platform.connection_between(at, to);
                    self.leave_node(Header { from: at, to, send, bytes, link }, message);
                }
                Some(Waiting::Head { from, bytes, message, .. }) => self.stream_in(at, from, bytes, message),
                Some(Waiting::Compute { work, operations, .. }) => {
                    // Where messages stream, no memory is shared.
                    self.start_work(at, work, operations, Moved::Nothing);
                }
                None => return,
            }
            self.resume(before);
        }
    }

    /// Turns to the first operation of a list. Returns the cause of what happens now, to be
    /// [restored](Self::resume).
    #[inline]
    fn turn_to_waiting(&mut self, at: NodeId, list: usize, waiting: Option<&Waiting<M>>) -> Option<Mark> {
        self.trail.as_ref()?;
        let port = match waiting? {
            Waiting::Send { to, message, .. } => {
                self.prepares(message);
                Some((true, self.nodes.port_number(at, *to)))
            }
            Waiting::Head { from, message, .. } => {
                self.prepares(message);
                Some((false, self.nodes.port_number(at, *from)))
            }
            Waiting::Compute { .. } => None,
        };
        self.turn_to(at, list, port)
    }

    fn plan_look(&mut self, at: NodeId, due: Time, is_last: bool) {
        let Some(streaming) = &mut self.streaming else { return };
        let turn = &mut streaming.turns[at.index()];
        if turn.look > due || (turn.look == due && is_last && !turn.is_last) {
            (turn.look, turn.is_last) = (due, is_last);
            self.engine.schedule(due, Event::Look { at });
        }
    }

    /// The list whose first entry starts next at a node, and when; `None` if nothing waits or another event will cause
    /// a look.
    fn next_turn(&self, at: NodeId) -> Option<(Time, usize)> {
        let streaming = self.streaming.as_ref().filter(|streaming| !streaming.waiting.all_empty())?;
        let (now, turn) = (self.engine.now(), &streaming.turns[at.index()]);
        let free = self.nodes[at].handler_free;
        let is_taken = self.inboxes.is_woken(at.index()) || (free > now && free == turn.receives_until);
        let computes = self.computing.hold_all_cores(at);
        // Sends precede computations that start at the same instant.
        if is_taken || (computes && turn.computes_since < now) {
            return None;
        }
        let first = at.index() * streaming.lists();
        let firsts = (first..first + streaming.lists()).filter_map(|list| {
            let (ready, order) = match streaming.waiting.next(list)? {
                Waiting::Send { to, order, .. } => (free.max(self.port_is_free(at, *to)), *order),
                Waiting::Head { .. } | Waiting::Compute { .. } if computes => return None,
                Waiting::Head { from, order, .. } => (free.max(self.nodes.port(at, *from).port_in), *order),
                Waiting::Compute { order, .. } => (free, *order),
            };
            Some((ready.max(now), order, list))
        });
        firsts.min().map(|(ready, _, list)| (ready, list))
    }

    /// When the port of a sender is free for a message; messages that do not stream wait for it by themselves.
    fn port_is_free(&self, from: NodeId, to: NodeId) -> Time {
        let link = self.platform.numbered_connection(self.platform.connection_between(from, to));
        if link.model.is_streamed() { self.nodes.port(from, to).port_out } else { Time::ZERO }
    }

    /// Starts a send whose turn it is.
    fn leave_node(&mut self, header: Header, message: M) {
        let Header { from, to, send, bytes, link } = header;
        let route = self.platform.numbered_connection(link);
        let mut transfer = route.model.transfer(bytes);
        if !route.model.is_streamed() {
            self.send_now(header, transfer, message);
            return;
        }
        let start = self.occupy(from, transfer.overhead);
        if route.varies() {
            transfer = self.jitter.vary(transfer, route, start, from, to);
        }
        let free = match transfer.port {
            Port::Gap(gap) => start + gap,
            Port::Free | Port::UntilDelivered => start,
        };
        self.nodes.port_mut(from, to).port_out = free;
        let ready = start + transfer.injection;
        self.follow(|trail| trail.inject(from, to, ready, transfer.overhead));
        let head = ready + transfer.latency;
        let mut mark = None;
        if self.trail.is_some() {
            let (port, subject) = (self.nodes.port_number(from, to), self.called(from, to, &message));
            mark = self.trail.as_mut().map(|trail| trail.stream_out(port, subject, free, head));
        }
        if self.observer.is_some() {
            let arrival = head + transfer.receive_overhead;
            self.show_send(SendSeen { from, to, bytes, start, free, arrival, message: "" }, &message);
        }
        match &mut self.matching {
            Some(matching) if transfer.handshake.is_some() => {
                matching.keep_sender(header, (self.hooks.envelope)(from, &message));
            }
            Some(_) => self.tell_sent(from, send, start + transfer.overhead, |trail| trail.after),
            None if self.hooks.wants_sent => {
                self.engine.schedule(free, Event::Sent { at: from, send });
                self.due(|trail| trail.freed);
            }
            None => {}
        }
        let order = self.streaming.as_mut().map_or(0, |streaming| streaming.draw());
        self.engine.schedule(head, Event::Head { to, from, bytes, order, message });
        self.due(|trail| mark.unwrap_or(trail.now));
    }

    /// Tells a node at an instant that a send is over; what follows has an order of now.
    pub(super) fn tell_sent(&mut self, at: NodeId, send: SendId, when: Time, cause: impl FnOnce(&mut Trail) -> Mark) {
        if self.hooks.wants_sent {
            let order = self.streaming.as_mut().map_or(0, |streaming| streaming.draw());
            self.engine.schedule(when, Event::SentInOrder { at, send, order });
            self.due(cause);
        }
    }

    /// Whether a head has met a posted receive; the sender of a long one that has is told.
    fn meets(&mut self, at: NodeId, from: NodeId, message: &M, is_long: bool) -> Meets {
        let Some(matching) = &mut self.matching else { return Meets::Receiver };
        let envelope = (self.hooks.envelope)(from, message);
        match (matching.meet(at, envelope), is_long) {
            (true, true) => {
                self.release_sender(at, envelope);
                Meets::Receiver
            }
            (true, false) => Meets::Receiver,
            (false, true) => Meets::NobodyYet,
            (false, false) => Meets::Nobody,
        }
    }

    /// Streams a message into its receiver, from now on.
    fn stream_in(&mut self, at: NodeId, from: NodeId, bytes: u64, message: M) {
        let now = self.engine.now();
        let route = self.platform.numbered_connection(self.platform.connection_between(from, at));
        let Transfer { overhead, injection, mut transmission, port, receive_overhead, handshake, .. } =
            route.model.transfer(bytes);
        let mut gap = if let Port::Gap(gap) = port { gap } else { Time::ZERO };
        let mut busy = receive_overhead;
        if let Some(profile) = &route.bandwidth {
            gap = profile.end_of(now, gap.as_f64()) - now;
            transmission = profile.end_of(now, transmission.as_f64()) - now;
            busy = overhead.max(injection + transmission);
        }
        self.occupy(at, busy);
        self.nodes.port_mut(at, from).port_in = now + gap;
        let end = now + busy;
        let Some(streaming) = &mut self.streaming else { return };
        streaming.turns[at.index()].receives_until = end;
        let order = streaming.draw();
        let meets = self.meets(at, from, &message, handshake.is_some());
        let mut mark = None;
        if self.trail.is_some() {
            let (port, subject) = (self.nodes.port_number(at, from), self.called(from, at, &message));
            let streamed = (now + transmission).min(end);
            mark = self
                .trail
                .as_mut()
                .map(|trail| trail.stream_in(port, subject, StreamingIn { streamed, end, free: now + gap }));
        }
        self.engine.schedule(end, Event::Streamed { at, from, overhead: busy, order, meets, message });
        self.due(|trail| mark.unwrap_or(trail.now));
    }
}
