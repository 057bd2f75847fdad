//! The use of a node's processor: messages at their receiver, handlers, and waiting jobs.

use super::metering::Change;
use super::{Event, Job, Simulation};
use crate::network::Transfer;
use crate::observer::{Observer, ReceiveSeen};
use crate::program::{NodeId, Program, WorkId};
use crate::trail::Trail;
use hetsim_base::units::Time;

impl<M> Simulation<'_, M> {
    /// Receives a message: it passes the port and then the processor, and waits for either if necessary. `FETCHED` says
    /// that its rendezvous was granted.
    #[inline]
    pub(super) fn deliver<P: Program<Message = M>, const FETCHED: bool>(
        &mut self,
        to: NodeId,
        from: NodeId,
        overhead: Time,
        port: Time,
        message: M,
        program: &mut P,
    ) {
        let now = self.engine.now();
        let arrival = if self.folded { now - overhead } else { now };
        if port > Time::ZERO {
            let port_in = &mut self.nodes.port_mut(to, from).port_in;
            // The port was needed for the whole gap before the arrival.
            if *port_in > arrival - port {
                let clear = *port_in + port;
                *port_in = clear;
                if self.trail.is_some() {
                    self.follow_port(self.called(from, to, &message), Some(clear), overhead);
                }
                let port = Time::ZERO;
                let event = if FETCHED {
                    Event::Fetched { to, from, overhead, port, message }
                } else {
                    Event::Deliver { to, from, overhead, port, message }
                };
                self.engine.schedule(clear + (now - arrival), event);
                self.due(|trail| trail.arrived);
                return;
            }
            *port_in = arrival;
            if self.trail.is_some() {
                self.follow_port(self.called(from, to, &message), None, overhead);
            }
        }
        if self.faults.misses(to, arrival) {
            self.counts.lost += 1;
            return;
        }
        let free = self.handler_is_free(to, arrival);
        if free && (self.folded || overhead == Time::ZERO) {
            // Without an overhead it has not held a core, which would matter under processor sharing.
            if self.folded {
                self.nodes[to].handler_free = now;
                self.follow(|trail| trail.frees(to));
            }
            self.dispatch(to, Job::message(from, overhead, message, FETCHED), program);
        } else {
            self.wait(to, Job::message(from, overhead, message, FETCHED));
        }
    }

    /// Whether a handler that could have started at `since` found the processor free then and ever since.
    #[inline]
    pub(super) fn handler_is_free(&self, at: NodeId, since: Time) -> bool {
        self.nodes[at].handler_free <= since && self.inboxes.is_empty(at.index()) && !self.computing.hold_all_cores(at)
    }

    /// Runs a handler without overhead, now or when the processor is free.
    pub(super) fn admit<P: Program<Message = M>>(&mut self, at: NodeId, job: Job<M>, program: &mut P) {
        if self.handler_is_free(at, self.engine.now()) {
            self.dispatch(at, job, program);
        } else {
            self.wait(at, job);
        }
    }

    /// Runs the handler of a computation's end. It belongs to the computation and precedes jobs that wait for the
    /// processor.
    pub(super) fn on_computed<P: Program<Message = M>>(&mut self, at: NodeId, work: WorkId, program: &mut P) {
        if self.nodes[at].handler_free <= self.engine.now() && !self.inboxes.is_woken(at.index()) {
            self.dispatch(at, Job::Computed(work), program);
        } else {
            self.wait(at, Job::Computed(work));
        }
    }

    pub(super) fn wait(&mut self, at: NodeId, job: Job<M>) {
        if self.trail.is_some() {
            self.follow_waiting(at, &job);
        }
        self.inboxes.push(at.index(), self.nodes.count(), job);
        self.serve(at);
    }

    /// Runs a handler and then the jobs that wait behind it.
    #[inline]
    pub(super) fn dispatch<P: Program<Message = M>>(&mut self, at: NodeId, job: Job<M>, program: &mut P) {
        self.follow(Trail::handle);
        match job {
            Job::Message { from, overhead, message } => {
                let Some(message) = self.matched(at, from, message) else { return self.serve_others(at) };
                self.counts.messages += 1;
                if self.observer.is_some() {
                    self.show_reception(at, from, overhead, &message);
                }
                program.on_message(at, from, message, self);
            }
            Job::Fetched { from, message, .. } if !self.fetched(at, from, &message) => {}
            Job::Fetched { from, overhead, message } | Job::Matched { from, overhead, message } => {
                self.counts.messages += 1;
                if self.observer.is_some() {
                    self.show_reception(at, from, overhead, &message);
                }
                program.on_message(at, from, message, self);
            }
            Job::Computed(work) => program.on_computed(at, work, self),
            Job::Sent(send) => program.on_sent(at, send, self),
            Job::SentInOrder(send, order) => {
                self.follows(Some(order));
                program.on_sent(at, send, self);
                self.follows(None);
            }
            Job::Timer(timer) => program.on_timer(at, timer, self),
            // A computation never reaches a handler: `serve` starts it.
            Job::Compute { .. } => {}
        }
        self.serve_others(at);
    }

    /// Runs what waits behind a handler.
    #[inline]
    fn serve_others(&mut self, at: NodeId) {
        if !self.inboxes.all_empty() || self.streaming.is_some() {
            self.serve(at);
        }
    }

    /// Gives the processor of a node to the first waiting job, if possible.
    pub(super) fn serve(&mut self, at: NodeId) {
        while let Some(job) = self.inboxes.next(at.index()) {
            if self.computing.hold_all_cores(at) {
                break;
            }
            if let Job::Compute { work, operations, moved } = *job {
                let before = self.turn_to_job(at);
                self.inboxes.pop(at.index());
                self.follow(|trail| trail.take_job(at));
                self.start_work(at, work, operations, moved);
                self.resume(before);
            } else {
                let overhead = job.overhead();
                let before = self.turn_to_job(at);
                let ready = self.occupy(at, overhead) + overhead;
                self.inboxes.wake(at.index());
                self.faults.schedule_wake(&mut self.engine, at, ready);
                self.due(|trail| trail.after);
                self.resume(before);
                return;
            }
        }
        self.take_turns(at, true);
    }

    /// Shows something to the observer, if there is one.
    #[inline]
    pub(super) fn observe(&mut self, show: impl FnOnce(&mut dyn Observer)) {
        if let Some(observer) = &mut self.observer {
            show(*observer);
        }
    }

    /// Shows a reception to the observer, with the name of its message.
    #[cold]
    #[inline(never)]
    fn show_reception(&mut self, at: NodeId, from: NodeId, overhead: Time, message: &M) {
        let (name, now) = (self.name(message), self.engine.now());
        self.observe(|observer| observer.on_receive(&ReceiveSeen { at, from, message: name, overhead, now }));
    }

    /// The program's name of the message, if the observer requests names.
    pub(super) fn name(&self, message: &M) -> &'static str {
        let wants = self.observer.as_ref().is_some_and(|observer| observer.wants_names());
        if wants { (self.hooks.describe)(message) } else { "" }
    }

    /// Lets the processor of a sender prepare a message. Returns when its port may take it.
    #[inline]
    pub(super) fn make_ready(&mut self, from: NodeId, to: NodeId, costs: &Transfer) -> Time {
        let ready = self.occupy(from, costs.overhead) + costs.injection;
        self.follow(|trail| trail.inject(from, to, ready, costs.overhead));
        ready
    }

    /// Occupies the processor for `overhead` from the first instant at which it is free of other overheads. Returns
    /// that instant.
    #[inline]
    pub(super) fn occupy(&mut self, at: NodeId, overhead: Time) -> Time {
        let now = self.engine.now();
        let free = self.nodes[at].handler_free;
        let start = free.max(now);
        if self.trail.is_some() {
            self.follow_overhead(at, free, overhead);
        }
        if overhead > Time::ZERO {
            self.busy_until(at, start + overhead);
        }
        start
    }

    /// Occupies the processor further, until an instant.
    #[inline]
    pub(super) fn busy_until(&mut self, at: NodeId, until: Time) {
        let shares = self.computing.shares();
        if shares {
            self.advance_shared(at);
            self.meter(at, Change::Overhead);
        }
        self.nodes[at].handler_free = until;
        if shares {
            self.plan_shared(at);
        }
    }
}
