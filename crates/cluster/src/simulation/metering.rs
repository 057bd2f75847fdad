//! The computing time and the down time of each node, from which energy is computed.
//!
//! The times are kept only if the platform has a power model, and separately from all else, so that they change no
//! result. Nothing is sampled: a node's state changes at events, and each interval between two of them is added at its
//! end.

use std::collections::VecDeque;

use super::Simulation;
use crate::energy::{Energy, Spent};
use crate::platform::{Platform, Sharing};
use crate::processor::Cores;
use crate::program::NodeId;
use hetsim_base::units::Time;

/// The activity of all nodes so far.
#[derive(Debug)]
pub(super) struct Meter {
    nodes: Vec<Metered>,
    /// When the last completed node completed.
    completed: Option<Time>,
    /// The energy up to the end that counts, once it is final.
    energy: Option<Energy>,
}

/// The activity of a node up to an instant, and its current state.
#[derive(Debug, Clone, Default)]
struct Metered {
    last: Time,
    /// Computations in progress.
    running: u32,
    /// The starts of further ones, which follow overheads; in order.
    later: VecDeque<Time>,
    is_down: bool,
    /// Up to the last completion.
    spent: Spent,
    /// The activity after it; it counts as soon as a node completes later.
    beyond: Spent,
}

/// A change at a node.
#[derive(Debug, Clone, Copy)]
pub(super) enum Change {
    /// A computation starts, now or later.
    Begin(Time),
    /// A computation ends.
    End,
    /// The node goes down, and its computations with it.
    Down,
    /// The node comes up.
    Up,
    /// An overhead takes the processor.
    Overhead,
}

impl Meter {
    /// `None` if the platform has no power model.
    pub(super) fn of(platform: &Platform) -> Option<Box<Self>> {
        platform.has_power().then(|| {
            let nodes = vec![Metered::default(); platform.nodes() as usize];
            Box::new(Self { nodes, completed: None, energy: None })
        })
    }

    /// Adds the activity of a node up to `now`, and applies a change.
    fn record(&mut self, now: Time, at: NodeId, change: Option<Change>, mut cores: Cores<'_>) {
        let node = &mut self.nodes[at.index()];
        node.advance(now, self.completed.unwrap_or_default(), &mut cores);
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
}

impl Metered {
    /// Adds the activity of the node up to `now`; `completed` is the time of the last completion.
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

    /// Adds an interval without changes other than a completion.
    fn stretch(&mut self, to: Time, completed: Time, cores: &mut Cores<'_>) {
        let from = self.last;
        self.last = from.max(to);
        let split = completed.clamp(from, self.last);
        self.spent += self.between(from, split, cores);
        self.beyond += self.between(split, self.last, cores);
    }

    /// The activity of the node between two instants without changes.
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
    /// Records a change at a node. Must be called before the time at which its processor is free changes.
    #[inline]
    pub(super) fn meter(&mut self, at: NodeId, change: Change) {
        if self.meter.is_some() {
            self.meter_up_to(self.engine.now(), at, Some(change));
        }
    }

    fn meter_up_to(&mut self, now: Time, at: NodeId, change: Option<Change>) {
        let Some(meter) = &mut self.meter else { return };
        let handler_until = match self.platform.sharing() {
            Sharing::Processor => self.nodes[at].handler_free,
            // A computation with a core of its own keeps it.
            Sharing::OneAtATime => Time::ZERO,
        };
        meter.record(now, at, change, self.computing.cores(at, handler_until));
    }

    /// Records a completion.
    #[inline]
    pub(super) fn meter_completion(&mut self) {
        if let Some(meter) = &mut self.meter {
            meter.completed = Some(self.engine.now());
        }
    }

    /// Ends the account: at the last completion, or now if there was none or the program has `concluded`.
    pub(super) fn end_metering(&mut self, concluded: bool) {
        let now = self.engine.now();
        let Some(meter) = self.meter.as_mut().filter(|meter| meter.energy.is_none()) else { return };
        let end = meter.completed.filter(|_| !concluded).unwrap_or(now);
        meter.completed = Some(end);
        for node in 0..self.nodes.count() as u32 {
            self.meter_up_to(end, NodeId(node), None);
        }
        let Some(meter) = &self.meter else { return };
        let spent = meter.nodes.iter().map(|node| node.spent);
        let energy = Energy::new(self.platform, end, spent, self.carried());
        if let Some(meter) = &mut self.meter {
            meter.energy = Some(energy);
        }
    }

    /// The energy of the run after its end, if the platform has any power model.
    #[must_use]
    pub fn energy(&self) -> Option<&Energy> {
        self.meter.as_ref()?.energy.as_ref()
    }
}
