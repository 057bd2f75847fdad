//! What processors do and what waits for them.

use std::collections::VecDeque;

use super::{Mark, Subject, Trail};
use crate::critical::Part;
use crate::program::{NodeId, WorkId};
use hetsim_base::units::Time;

impl Trail {
    /// An overhead takes a processor that is free at `free`.
    pub(crate) fn occupy(&mut self, at: NodeId, now: Time, free: Time, overhead: Time) {
        self.start = self.starts(at, now, free);
        let subject = Subject::at(at, self.named);
        self.after = self.step(self.start, free.max(now) + overhead, Part::Overhead, subject);
        if overhead > Time::ZERO {
            self.processors[at.index()] = self.after;
        }
    }

    /// A computation starts when the processor is free, and takes longer than alone if others need the same memory.
    pub(crate) fn share_from(&mut self, work: WorkId, at: NodeId, now: Time, free: Time, alone: Time) {
        let start = self.starts(at, now, free);
        self.works.insert(work, (start, alone));
    }

    /// What lets a processor start at last that is free at `free`.
    pub(crate) fn starts(&self, at: NodeId, now: Time, free: Time) -> Mark {
        if free > now { self.processors[at.index()] } else { self.now }
    }

    /// What happens now frees a processor.
    pub(crate) fn frees(&mut self, at: NodeId) {
        self.processors[at.index()] = self.now;
    }

    /// A computation on a core of its own starts when the processor is free, as an overhead does. Returns the mark of
    /// its end.
    pub(crate) fn compute(&mut self, work: WorkId, at: NodeId, now: Time, free: Time, alone: Time, end: Time) -> Mark {
        let start = self.starts(at, now, free);
        let name = self.name_of(work);
        self.computed(start, alone, Subject::at(at, name), end)
    }

    fn computed(&mut self, start: Mark, alone: Time, subject: Subject, end: Time) -> Mark {
        if start == Mark::UNKNOWN {
            return start;
        }
        let alone = (self.end(start) + alone).min(end);
        let computed = self.step(start, alone, Part::Computing, subject);
        self.step(computed, end, Part::Sharing, subject)
    }

    /// A computation joins those that share a processor.
    pub(crate) fn share(&mut self, work: WorkId, alone: Time) {
        self.works.insert(work, (self.now, alone));
    }

    /// One of them ends.
    pub(crate) fn shared(&mut self, work: WorkId, at: NodeId, now: Time) {
        let name = self.name_of(work);
        let subject = Subject::at(at, name);
        let work = self.works.remove(&work);
        self.now = work.map_or(Mark::UNKNOWN, |(start, alone)| self.computed(start, alone, subject, now));
    }

    /// A job that has come now waits for a processor. If its overhead was part of its flight already, it has waited
    /// for that time.
    pub(crate) fn wait(&mut self, at: NodeId, now: Time, wasted: Time, subject: Subject) {
        let mark = if wasted == Time::ZERO {
            self.now
        } else {
            let arrival = self.before(wasted);
            self.step(arrival, now, Part::Processor, subject)
        };
        self.jobs[at.index()].push_back(mark);
    }

    /// The first waiting job of a node gets the processor. Returns the cause of what happens now, to be restored.
    pub(crate) fn serve(&mut self, at: NodeId, now: Time) -> Mark {
        let before = self.now;
        if let Some(&job) = self.jobs[at.index()].front()
            && self.is_at(job, now)
        {
            self.now = job;
        }
        before
    }

    /// The first job of a node waits no longer.
    pub(crate) fn take_job(&mut self, at: NodeId) {
        self.jobs[at.index()].pop_front();
    }

    /// An operation joins a list of those that wait where messages stream.
    pub(crate) fn queue(&mut self, list: usize) {
        if self.turns.len() <= list {
            self.turns.resize_with(list + 1, VecDeque::new);
        }
        self.turns[list].push_back(self.now);
    }

    /// The first operation of a list has its turn at a node: it was the last to come, or the processor or one of the
    /// node's ports has become free. Returns the cause of what happens now, to be restored.
    pub(crate) fn take_turn(&mut self, list: usize, at: NodeId, now: Time, port: Option<(bool, usize)>) -> Mark {
        let before = self.now;
        let own = self.turns.get_mut(list).and_then(VecDeque::pop_front);
        let port = port.map(|(out, port)| if out { self.ports_out[port] } else { self.ports_in[port] });
        let causes = [own, Some(self.processors[at.index()]), port, Some(before)];
        let cause = causes.into_iter().flatten().find(|mark| self.is_at(*mark, now));
        self.now = cause.unwrap_or(Mark::UNKNOWN);
        before
    }
}
