//! The recorder of binding predecessors: for each instant of a run at which something happens, what determined it.
//!
//! A *mark* is an instant with its cause: a step from another mark, of one [`Part`]. The simulation keeps the mark of
//! each pending event, of each processor and port (who frees it), and of what waits; a mark is made from the latest of
//! those on which an operation depends. Marks that nothing can come back to are dropped from time to time.

mod clearing;
mod messages;
mod processors;

pub(crate) use messages::{Leaving, StreamingIn};

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::critical::{CriticalPath, Part, Segment};
use super::program::{NodeId, PhaseOf, SendId, WorkId};
use hetsim_base::units::Time;

/// An instant and its cause: the number of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mark(u32);

impl Mark {
    /// Time zero.
    const START: Self = Self(0);
    /// An instant whose cause is not known.
    const UNKNOWN: Self = Self(u32::MAX);
}

#[derive(Debug, Clone, Copy)]
struct TrailStep {
    end: Time,
    before: Mark,
    from: NodeId,
    to: NodeId,
    message: &'static str,
    phase: Option<u32>,
    part: Part,
    /// Whether a message holds its ports meanwhile.
    in_port: bool,
}

/// What a message is called, and the phase that it belongs to.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Name {
    pub(crate) message: &'static str,
    pub(crate) phase: PhaseOf,
}

impl Name {
    /// No message, in the phase of the node.
    pub(crate) const NONE: Self = Self { message: "", phase: PhaseOf::Node };
}

/// What a step is about: two nodes, or one twice, and a message.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Subject {
    pub(crate) from: NodeId,
    pub(crate) to: NodeId,
    pub(crate) name: Name,
}

impl Subject {
    /// What a node does by itself.
    pub(crate) const fn at(at: NodeId, name: Name) -> Self {
        Self { from: at, to: at, name }
    }

    /// What the sender of the same message does.
    const fn sender(self) -> Self {
        Self::at(self.from, self.name)
    }

    /// What its receiver does.
    const fn receiver(self) -> Self {
        Self::at(self.to, self.name)
    }

    /// What its receiver tells its sender.
    pub(crate) const fn back(self) -> Self {
        Self { from: self.to, to: self.from, name: self.name }
    }
}

/// Records what determined each instant of a run; see [`Simulation::followed_by`](super::Simulation::followed_by).
#[derive(Debug)]
pub struct Trail {
    steps: Vec<TrailStep>,
    /// The number of steps at which those without a successor are dropped.
    most_steps: usize,
    /// The last completion of a node, and the last handler.
    completion: Option<Mark>,
    handled: Mark,
    /// The name of the message whose overhead comes next.
    named: Name,
    /// The cause of what happens now.
    pub(crate) now: Mark,
    /// The cause of the start of the last overhead, and its end.
    start: Mark,
    pub(crate) after: Mark,
    /// When the last message was handed to its port.
    pub(crate) ready: Mark,
    /// When the port of the last message has begun with it, and when it is free.
    pub(crate) gone: Mark,
    pub(crate) freed: Mark,
    /// The arrival of the last message, and the event of its arrival.
    pub(crate) arrival: Mark,
    pub(crate) arrived: Mark,
    /// By the number of a pending event.
    events: FxHashMap<u64, Mark>,
    /// By node: when its processor is free of overheads.
    processors: Vec<Mark>,
    /// By port, all nodes of one level after the other: when it is free.
    ports_out: Vec<Mark>,
    ports_in: Vec<Mark>,
    /// By node: the jobs that wait for its processor, in their order.
    jobs: Vec<VecDeque<Mark>>,
    /// By sender: the messages that wait at a port with a bounded capacity.
    outgoing: Vec<VecDeque<Mark>>,
    /// By list: the operations that wait where messages stream.
    turns: Vec<VecDeque<Mark>>,
    /// The messages on their way over shared links.
    flows: FxHashMap<SendId, Mark>,
    /// The computations that share processors, and the time of each alone.
    works: FxHashMap<WorkId, (Mark, Time)>,
    /// By node: the phase that it is in; empty in a program without phases.
    phases: Vec<Option<u32>>,
    /// The phases of the computations that were asked for.
    phases_of_works: FxHashMap<WorkId, u32>,
}

/// As many steps are kept before the first clearing.
const FIRST_CLEARING: usize = 1 << 20;

impl Default for Trail {
    fn default() -> Self {
        let zero = TrailStep {
            end: Time::ZERO,
            before: Mark::START,
            from: NodeId(0),
            to: NodeId(0),
            message: "",
            phase: None,
            part: Part::Decision,
            in_port: false,
        };
        Self {
            steps: vec![zero],
            most_steps: FIRST_CLEARING,
            completion: None,
            handled: Mark::START,
            named: Name::NONE,
            now: Mark::START,
            start: Mark::START,
            after: Mark::START,
            ready: Mark::START,
            gone: Mark::START,
            freed: Mark::START,
            arrival: Mark::START,
            arrived: Mark::START,
            events: FxHashMap::default(),
            processors: Vec::new(),
            ports_out: Vec::new(),
            ports_in: Vec::new(),
            jobs: Vec::new(),
            outgoing: Vec::new(),
            turns: Vec::new(),
            flows: FxHashMap::default(),
            works: FxHashMap::default(),
            phases: Vec::new(),
            phases_of_works: FxHashMap::default(),
        }
    }
}

impl Trail {
    /// The critical path of the run that was followed, up to the last completion of a node, or, in a program without
    /// completions, to its last handler; `None` if the cause of an instant of it is not known.
    #[must_use]
    pub fn path(&self) -> Option<CriticalPath> {
        let mut mark = self.completion.unwrap_or(self.handled);
        if mark == Mark::UNKNOWN {
            return None;
        }
        let segments = std::iter::from_fn(|| {
            let step = self.steps[mark.0 as usize];
            let start = self.end(step.before);
            let is_first = mark == Mark::START;
            mark = step.before;
            let TrailStep { end, from, to, message, phase, part, .. } = step;
            (!is_first).then_some(Segment { part, from, to, message, phase, start, end })
        });
        Some(CriticalPath::backwards(segments))
    }

    /// Makes room for a platform's nodes and ports.
    pub(crate) fn begin(&mut self, nodes: usize, ports: usize) {
        *self = Self::default();
        self.processors = vec![Mark::START; nodes];
        self.ports_out = vec![Mark::START; ports];
        self.ports_in = vec![Mark::START; ports];
        self.jobs.resize_with(nodes, VecDeque::new);
        self.outgoing.resize_with(nodes, VecDeque::new);
    }

    fn end(&self, mark: Mark) -> Time {
        self.steps[mark.0 as usize].end
    }

    /// Whether the cause of an instant is known, and is that instant's.
    fn is_at(&self, mark: Mark, now: Time) -> bool {
        mark != Mark::UNKNOWN && self.end(mark) == now
    }

    /// The mark at `end`, reached from another one by a part. A step of no length is none.
    pub(crate) fn step(&mut self, mut before: Mark, end: Time, part: Part, subject: Subject) -> Mark {
        if before == Mark::UNKNOWN || self.steps.len() >= u32::MAX as usize {
            return Mark::UNKNOWN;
        }
        // Jitter may shorten a flight after the fact: then the last steps are cut.
        while self.end(before) > end {
            before = self.steps[before.0 as usize].before;
        }
        if self.end(before) == end {
            return before;
        }
        let Subject { from, to, name } = subject;
        let phase = match name.phase {
            PhaseOf::Node => self.phases.get(from.index()).copied().flatten(),
            PhaseOf::Nothing => None,
            PhaseOf::Number(phase) => Some(phase),
        };
        self.steps.push(TrailStep { end, before, from, to, message: name.message, phase, part, in_port: false });
        Mark(self.steps.len() as u32 - 1)
    }

    /// Keeps the mark of the event of this number.
    pub(crate) fn expect(&mut self, number: u64, mark: Mark) {
        self.events.insert(number, mark);
    }

    /// The event of this number happens.
    pub(crate) fn follow(&mut self, number: u64) {
        self.now = self.events.remove(&number).unwrap_or(Mark::UNKNOWN);
        if self.steps.len() > self.most_steps {
            self.clear();
        }
    }

    /// The next overheads belong to a message of this name.
    pub(crate) fn prepare(&mut self, name: Name) {
        self.named = name;
    }

    /// A handler runs.
    pub(crate) fn handle(&mut self) {
        self.handled = self.now;
    }

    /// A node completes.
    pub(crate) fn complete(&mut self) {
        self.completion = Some(self.now);
    }

    /// What happens now is given from outside.
    pub(crate) fn outage(&mut self, at: NodeId, now: Time) {
        self.now = self.step(Mark::START, now, Part::Outage, Subject::at(at, Name::NONE));
    }

    /// What a node does from now on belongs to a phase.
    pub(crate) fn enter_phase(&mut self, at: NodeId, phase: u32) {
        if self.phases.len() <= at.index() {
            self.phases.resize(at.index() + 1, None);
        }
        self.phases[at.index()] = Some(phase);
    }

    /// A node asks for a computation, which belongs to its phase whenever it starts.
    pub(crate) fn ask(&mut self, work: WorkId, at: NodeId) {
        if let Some(phase) = self.phases.get(at.index()).copied().flatten() {
            self.phases_of_works.insert(work, phase);
        }
    }

    /// The name of a computation, whose phase is forgotten.
    fn name_of(&mut self, work: WorkId) -> Name {
        let phase = self.phases_of_works.remove(&work).map_or(PhaseOf::Nothing, PhaseOf::Number);
        Name { message: "", phase }
    }

    /// A node goes down: nothing waits there any more.
    pub(crate) fn go_down(&mut self, at: NodeId, lists: usize) {
        self.jobs[at.index()].clear();
        for list in self.turns.iter_mut().skip(at.index() * lists).take(lists) {
            list.clear();
        }
    }
}
