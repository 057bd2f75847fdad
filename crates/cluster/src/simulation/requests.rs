//! The requests of a program: sends, computations, timers.

use super::{Event, Job, RunError, Simulation};
use crate::capacity::Outgoing;
use crate::critical::Part;
use crate::header::Header;
use crate::network::Delivery;
use crate::platform::Sharing;
use crate::program::{Context, Moved, NodeId, Receive, Scope, SendId, TimerId, WorkId};
use crate::trail::{Name, Subject, Trail};
use hetsim_base::engine::{EventId, Stream};
use hetsim_base::units::{Tick, Time};

impl<M> Simulation<'_, M> {
    /// Ends the run, since the network has no path or no time for a message of `from`.
    pub(super) fn refuse(&mut self, why: RunError, from: NodeId) {
        self.refused.get_or_insert(why);
        // An event that never comes ends the run.
        self.engine.schedule(Time::NEVER, Event::Wake { at: from });
    }

    /// Whether the node `at` exists; otherwise ends the run.
    #[inline]
    fn knows(&mut self, at: NodeId) -> bool {
        let is_known = at.index() < self.nodes.count();
        if !is_known {
            self.refuse(RunError::NoNode { node: at.0, nodes: self.nodes.count() as u32 }, at);
        }
        is_known
    }
}

impl<M> Context<M> for Simulation<'_, M> {
    #[inline]
    fn now(&self) -> Time {
        self.engine.now()
    }

    fn tick(&self) -> Tick {
        self.platform.tick()
    }

    #[inline]
    fn nodes(&self) -> u32 {
        self.nodes.count() as u32
    }

    #[inline]
    fn send_for(&mut self, scope: Scope, from: NodeId, to: NodeId, bytes: u64, message: M) -> SendId {
        let send = SendId::new(scope, self.counts.sends);
        self.counts.sends += 1;
        if !(self.knows(from) && self.knows(to)) {
            return send;
        }
        if self.is_down(from) {
            self.counts.lost += 1;
            return send;
        }
        self.prepares(&message);
        let link = self.platform.connection_between(from, to);
        let model = &self.platform.numbered_connection(link).model;
        let bytes = bytes.saturating_add(model.envelope());
        let header = Header { from, to, send, bytes, link };
        let delivery = if from == to && !self.platform.sends_to_itself(from) {
            Delivery::Closed(self.platform.loopback(from, bytes))
        } else {
            model.delivery(bytes)
        };
        if let Delivery::Closed(costs) | Delivery::Flow(costs) = delivery
            && self.matching.is_some()
            && let Some(handshake) = costs.handshake
        {
            self.request(header, costs, handshake, message);
            return send;
        }
        match delivery {
            Delivery::Closed(transfer) if self.streaming.is_none() || from == to => {
                self.send_now(header, transfer, message);
            }
            // Where messages stream, other messages keep their place among them.
            Delivery::Closed(_) | Delivery::Streamed(_) => self.hand_over(header, message),
            Delivery::Bounded(transfer, limit) => {
                let ready = self.make_ready(from, to, &transfer);
                self.follow(|trail| trail.wait_for_capacity(from));
                if self.capacity.queue(self.nodes.count(), Outgoing { header, ready, transfer, limit, message }) {
                    self.start_port(from, to);
                }
            }
            Delivery::Flow(costs) => self.send_flowing(header, costs, message),
            Delivery::Refused(why) => self.refuse(RunError::Refused { from, to, bytes, why }, from),
        }
        send
    }

    fn compute_moving_for(&mut self, scope: Scope, at: NodeId, operations: f64, moved: Moved) -> WorkId {
        let work = WorkId::new(scope, self.counts.works);
        self.counts.works += 1;
        if !self.knows(at) || self.is_down(at) {
            return work;
        }
        if !(operations >= 0.0 && operations.is_finite()) {
            self.refuse(RunError::Operations { at, operations }, at);
            return work;
        }
        self.follow(|trail| trail.ask(work, at));
        self.computing.begin();
        if self.platform.sharing() == Sharing::Processor {
            self.add_shared(at, work, operations);
        } else if self.queues_behind(at, work, operations) {
            // It takes its turn among the waiting jobs.
        } else if self.inboxes.is_empty(at.index()) && !self.computing.hold_all_cores(at) {
            self.start_work(at, work, operations, moved);
        } else {
            self.wait(at, Job::Compute { work, operations, moved });
        }
        work
    }

    fn set_timer_for(&mut self, scope: Scope, at: NodeId, delay: Time) -> TimerId {
        let due = self.engine.now() + delay;
        if !self.knows(at) || self.is_down(at) {
            // An id of no event.
            return TimerId::new(scope, u64::MAX);
        }
        let mut timer = TimerId::new(scope, 0);
        self.engine.schedule_movable_with(due, |event| {
            timer = TimerId::new(scope, event.to_bits());
            Event::Timer { at, timer }
        });
        self.due(|trail| trail.step(trail.now, due, Part::Decision, Subject::at(at, Name::NONE)));
        self.faults.keep_timer(at, EventId::from_bits(timer.number()));
        timer
    }

    fn post_for(&mut self, scope: Scope, at: NodeId, receive: Receive) {
        if self.knows(at) && receive.from.is_none_or(|from| self.knows(from)) && !self.is_down(at) {
            self.post_receive(at, scope, receive);
        }
    }

    fn probe_for(&self, scope: Scope, at: NodeId, receive: Receive) -> bool {
        at.index() < self.nodes.count() && self.finds(at, scope, receive)
    }

    fn set_working_set(&mut self, at: NodeId, bytes: u64) {
        // Without a cache the working set does not matter.
        if self.knows(at) && self.platform.cache(at).is_some() && !self.is_down(at) {
            self.computing.set_working_set(at, bytes);
        }
    }

    fn availability(&mut self, at: NodeId) -> f64 {
        let now = self.engine.now();
        self.knows(at);
        self.computing.availability(at, now)
    }

    fn cancel_timer(&mut self, timer: TimerId) -> bool {
        let event = EventId::from_bits(timer.number());
        let found = self.engine.cancel(event);
        if let Some(Event::Timer { at, .. }) = found {
            self.faults.forget_timer(at, event);
        }
        found.is_some()
    }

    #[inline]
    fn enter_phase(&mut self, at: NodeId, phase: u32) {
        if self.knows(at) {
            self.follow(|trail| trail.enter_phase(at, phase));
        }
    }

    fn complete(&mut self, at: NodeId) {
        if !self.knows(at) {
            return;
        }
        let now = self.engine.now();
        self.completion.nodes += 1;
        self.completion.last = Some(now);
        self.meter_completion();
        self.follow(Trail::complete);
        self.observe(|observer| observer.on_complete(at, now));
    }

    fn conclude(&mut self) {
        self.computing.conclude(self.engine.now());
        self.end_metering(true);
    }

    fn stream(&self, purpose: &str, index: u64) -> Stream {
        self.streams.stream(purpose, index)
    }
}
