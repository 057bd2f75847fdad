//! Following the causes of a run: the calls of its [`Trail`], if it has one.

use super::{Job, Simulation};
use crate::program::{NodeId, SendId};
use crate::trail::{Leaving, Mark, Name, Subject, Trail};
use hetsim_base::units::Time;

impl<'p, M> Simulation<'p, M> {
    /// The simulation, whose binding predecessors `trail` records: from the completion its
    /// [path](Trail::path) leads back to the start.
    #[must_use]
    pub fn followed_by(mut self, trail: &'p mut Trail) -> Self {
        trail.begin(self.nodes.count(), self.nodes.ports());
        self.trail = Some(trail);
        self
    }

    /// Tells the trail, if there is one.
    #[inline]
    pub(super) fn follow(&mut self, tell: impl FnOnce(&mut Trail)) {
        if let Some(trail) = &mut self.trail {
            tell(trail);
        }
    }

    /// The next event happens.
    #[inline]
    pub(super) fn follow_next(&mut self) {
        if let Some(trail) = &mut self.trail
            && let Some(number) = self.engine.next_number()
        {
            trail.follow(number);
        }
    }

    /// Says what determines the instant of the event that was scheduled last.
    #[inline]
    pub(super) fn due(&mut self, mark: impl FnOnce(&mut Trail) -> Mark) {
        if let Some(trail) = &mut self.trail {
            let mark = mark(trail);
            trail.expect(self.engine.last_number(), mark);
        }
    }

    /// Gives the processor to the first waiting job of a node. Returns the cause of what happens now, to be restored
    /// by [`resume`](Self::resume).
    #[inline]
    pub(super) fn turn_to_job(&mut self, at: NodeId) -> Option<Mark> {
        let now = self.engine.now();
        let name = self.trail.as_ref().and(self.inboxes.next(at.index())).map_or(Name::NONE, |job| self.name_of(job));
        let trail = self.trail.as_deref_mut()?;
        trail.prepare(name);
        Some(trail.serve(at, now))
    }

    /// Goes on with what happened before a waiting operation got its turn.
    #[inline]
    pub(super) fn resume(&mut self, before: Option<Mark>) {
        if let Some(trail) = &mut self.trail
            && let Some(before) = before
        {
            trail.now = before;
        }
    }

    fn name_of(&self, job: &Job<M>) -> Name {
        match job {
            Job::Message { message, .. } | Job::Fetched { message, .. } | Job::Matched { message, .. } => {
                self.hooks.name(message)
            }
            _ => Name::NONE,
        }
    }

    /// What a message is called, where its causes are followed.
    #[inline]
    pub(super) fn called(&self, from: NodeId, to: NodeId, message: &M) -> Subject {
        let name = if self.trail.is_some() { self.hooks.name(message) } else { Name::NONE };
        Subject { from, to, name }
    }

    /// Says which message the next overheads belong to.
    #[inline]
    pub(super) fn prepares(&mut self, message: &M) {
        if let Some(trail) = &mut self.trail {
            trail.prepare(self.hooks.name(message));
        }
    }

    /// The processor of `at`, which is free at `free`, has taken `overhead`.
    #[cold]
    #[inline(never)]
    pub(super) fn follow_overhead(&mut self, at: NodeId, free: Time, overhead: Time) {
        let now = self.engine.now();
        self.follow(|trail| trail.occupy(at, now, free, overhead));
    }

    /// A message of known cost leaves its port.
    #[cold]
    #[inline(never)]
    pub(super) fn follow_leaving(&mut self, from: NodeId, to: NodeId, message: &M, leaving: &Leaving) {
        let port = self.nodes.port_number(from, to);
        let subject = self.called(from, to, message);
        self.follow(|trail| trail.leave(port, subject, leaving));
    }

    /// A message has arrived and waits for the receiver's port, or passes it.
    #[cold]
    #[inline(never)]
    pub(super) fn follow_port(&mut self, subject: Subject, clear: Option<Time>, overhead: Time) {
        let port = self.nodes.port_number(subject.to, subject.from);
        let folded = if self.folded { overhead } else { Time::ZERO };
        let Some(trail) = &mut self.trail else { return };
        match clear {
            Some(clear) => trail.wait_at_port(port, clear, folded, subject),
            None => trail.pass(port, folded),
        }
    }

    /// A job waits for a processor.
    #[cold]
    #[inline(never)]
    pub(super) fn follow_waiting(&mut self, at: NodeId, job: &Job<M>) {
        let now = self.engine.now();
        let name = self.name_of(job);
        // Of a message whose overhead was part of its flight that time has passed in vain.
        let wasted = if self.folded && matches!(job, Job::Message { .. } | Job::Fetched { .. }) {
            job.overhead()
        } else {
            Time::ZERO
        };
        self.follow(|trail| trail.wait(at, now, wasted, Subject::at(at, name)));
    }

    /// A flow has brought all bytes of a message.
    #[cold]
    #[inline(never)]
    pub(super) fn follow_flow_end(&mut self, send: SendId, subject: Subject, bytes: u64) {
        let alone = self.platform.transfer(subject.from, subject.to, bytes).transmission;
        let now = self.engine.now();
        self.follow(|trail| trail.flow_ends(send, now, alone, subject));
    }

    /// The first operation of a list has its turn at a node. Returns the cause of what happens now, to be
    /// [restored](Self::resume).
    pub(super) fn turn_to(&mut self, at: NodeId, list: usize, port: Option<(bool, usize)>) -> Option<Mark> {
        let now = self.engine.now();
        self.trail.as_deref_mut().map(|trail| trail.take_turn(list, at, now, port))
    }
}
