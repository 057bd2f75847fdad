//! How long the cores of each node compute, and how long it is down: what energy is made of.
//!
//! Kept only where the platform says what something draws, and apart from all else, so that it changes no result. Nothing
//! is sampled: what a node does changes at events, and each stretch between two of them is added at its end.

use std::collections::VecDeque;

use super::Simulation;
use crate::cluster::energy::{Energy, Spent};
use crate::cluster::platform::Sharing;
use crate::cluster::processor::Cores;
use crate::cluster::profile::Availability;
use crate::cluster::program::NodeId;
use crate::units::Time;

/// What all nodes have done so far.
#[derive(Debug)]
pub(super) struct Meter {
    nodes: Vec<Metered>,
    /// When the last node completed that has.
    completed: Option<Time>,
    /// The energy up to the end that counts, once that is known for good.
    energy: Option<Energy>,
}

/// What a node has done up to an instant, and does since.
#[derive(Debug, Clone, Default)]
struct Metered {
    last: Time,
    /// Computations under way.
    running: u32,
    /// When further ones start, whose turn comes after overheads; in order.
    later: VecDeque<Time>,
    is_down: bool,
    /// Up to the last completion.
    spent: Spent,
    /// What came after it; it counts as soon as a node completes later.
    beyond: Spent,
}

/// What changes at a node.
#[derive(Debug, Clone, Copy)]
pub(super) enum Change {
    /// A computation starts, now or later.
    Begin(Time),
    /// One ends.
    End,
    /// The node goes down, and its computations with it.
    Down,
    /// It comes up.
    Up,
    /// An overhead takes the processor.
    Overhead,
}

impl Meter {
    pub(super) fn new(nodes: usize) -> Self {
        Self { nodes: vec![Metered::default(); nodes], completed: None, energy: None }
    }
}

impl Metered {
    /// Adds what the node does up to `now`; `completed` is when the last node completed.
    fn advance(&mut self, now: Time, completed: Time, cores: &mut Cores<'_>) {
        if completed >= self.last {
            self.spent += std::mem::take(&mut self.beyond);
        }
        while let Some(&start) = self.later.front().filter(|start| **start <= now) {
            self.stretch(start, completed, cores);
            self.later.pop_front();
            self.running += 1;
        }
        self.stretch(now, completed, cores);
    }

    /// Adds a stretch in which nothing changes but for a completion.
    fn stretch(&mut self, to: Time, completed: Time, cores: &mut Cores<'_>) {
        let from = self.last;
        self.last = from.max(to);
        let split = completed.clamp(from, self.last);
        self.spent += self.between(from, split, cores);
        self.beyond += self.between(split, self.last, cores);
    }

    /// What the node spends between two instants at which it does the same.
    fn between(&self, from: Time, to: Time, cores: &mut Cores<'_>) -> Spent {
        if self.is_down {
            return Spent { down: to - from, ..Spent::default() };
        }
        if self.running == 0 || to <= from {
            return Spent::default();
        }
        // A handler that holds one of the shared cores leaves the others.
        let freed = cores.handler_until.clamp(from, to);
        let given = |count: u32| f64::from(self.running.min(count));
        let cores = cores.availability.between(from, freed) * given(cores.count - 1)
            + cores.availability.between(freed, to) * given(cores.count);
        Spent { cores, active: to - from, down: Time::ZERO }
    }
}

impl<M> Simulation<'_, M> {
    /// Something changes at a node. To be called before the time at which its processor is free changes.
    #[inline]
    pub(super) fn meter(&mut self, at: NodeId, change: Change) {
        if self.meter.is_some() {
            self.meter_up_to(self.engine.now(), at, Some(change));
        }
    }

    fn meter_up_to(&mut self, now: Time, at: NodeId, change: Option<Change>) {
        let Some(meter) = &mut self.meter else { return };
        let mut whole = Availability::Constant(1.0);
        let mut cores = Cores {
            count: self.platform.cores(at),
            handler_until: match self.platform.sharing() {
                Sharing::Processor => self.nodes[at.index()].handler_free,
                // A computation that has a core of its own keeps it.
                Sharing::OneAtATime => Time::ZERO,
            },
            availability: self.loads.get_mut(at.index()).unwrap_or(&mut whole),
        };
        let node = &mut meter.nodes[at.index()];
        node.advance(now, meter.completed.unwrap_or_default(), &mut cores);
        match change {
            Some(Change::Begin(start)) if start > now => node.later.push_back(start),
            Some(Change::Begin(_)) => node.running += 1,
            Some(Change::End) => node.running -= 1,
            Some(Change::Down) => {
                node.running = 0;
                node.later.clear();
                node.is_down = true;
            }
            Some(Change::Up) => node.is_down = false,
            Some(Change::Overhead) | None => {}
        }
    }

    /// A node has completed now.
    #[inline]
    pub(super) fn meter_completion(&mut self) {
        if let Some(meter) = &mut self.meter {
            meter.completed = Some(self.engine.now());
        }
    }

    /// Ends the account: at the last completion, or now where there was none or `concluded` says that the results are there.
    pub(super) fn end_metering(&mut self, concluded: bool) {
        let now = self.engine.now();
        let Some(meter) = self.meter.as_mut().filter(|meter| meter.energy.is_none()) else { return };
        let end = meter.completed.filter(|_| !concluded).unwrap_or(now);
        meter.completed = Some(end);
        for node in 0..self.nodes.len() as u32 {
            self.meter_up_to(end, NodeId(node), None);
        }
        let Some(meter) = &self.meter else { return };
        let spent = meter.nodes.iter().map(|node| node.spent);
        let energy = Energy::new(self.platform, end, spent, self.carried());
        if let Some(meter) = &mut self.meter {
            meter.energy = Some(energy);
        }
    }

    /// The energy of the run, where the platform says what something draws; once it has ended.
    #[must_use]
    pub fn energy(&self) -> Option<&Energy> {
        self.meter.as_ref()?.energy.as_ref()
    }
}
