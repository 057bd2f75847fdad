//! Computations: one at a time per core, or sharing the processor.

use super::metering::Change;
use super::{Event, Simulation};
use crate::processor::{Cores, Processor};
use crate::profile::Availability;
use crate::program::{NodeId, Program, WorkId};
use hetsim_base::units::{Time, round_up};

impl<M> Simulation<'_, M> {
    /// The speed of a core, in operations per tick, for the current working set.
    fn speed(&self, at: NodeId) -> f64 {
        match self.working_sets.get(at.index()) {
            Some(&working_set) => self.platform.speed_on(at, working_set),
            None => self.platform.speed(at),
        }
    }

    /// Starts a computation on a core of its own, or adds it to those that share the processor.
    pub(super) fn start_work(&mut self, at: NodeId, work: WorkId, operations: f64) {
        let (now, free) = (self.engine.now(), self.nodes[at.index()].handler_free);
        let start = free.max(now);
        self.usage[at.index()].running += 1;
        let mut event = Event::Computed { at, work, start, operations };
        if let Some(streaming) = &mut self.streaming {
            streaming.computes(at, start);
            if self.matching.is_some() {
                streaming.keep_order(work);
                event = Event::ComputedInOrder { at, work, start, operations };
            }
        }
        self.meter(at, Change::Begin(start));
        let ticks = operations / self.speed(at);
        let end = match self.loads.get_mut(at.index()) {
            Some(load) => load.end_of(start, ticks),
            None => start + round_up(ticks),
        };
        self.schedule_end(at, work, end, event);
        self.due(|trail| trail.compute((at, work), (now, free), round_up(ticks), end));
    }

    /// Ends a computation: its core is free from now on.
    pub(super) fn end_work(&mut self, at: NodeId, start: Time, operations: f64) {
        let now = self.engine.now();
        let held_all = self.all_cores_compute(at);
        self.meter(at, Change::End);
        let usage = &mut self.usage[at.index()];
        usage.running -= 1;
        usage.busy += now.min(self.counts_until).since(start);
        if now <= self.counts_until {
            usage.operations += operations;
            usage.works += 1;
        }
        if held_all {
            let node = &mut self.nodes[at.index()];
            if node.handler_free <= now
                && let Some(trail) = &mut self.trail
            {
                trail.frees(at);
            }
            node.handler_free = node.handler_free.max(now);
        }
        if let Some(observer) = &mut self.observer {
            observer.on_compute(at, start, now);
        }
    }

    pub(super) fn add_shared(&mut self, at: NodeId, work: WorkId, operations: f64) {
        let now = self.engine.now();
        if self.processors.is_empty() {
            self.processors.resize_with(self.nodes.len(), Processor::default);
        }
        let ticks = operations / self.speed(at);
        self.with_cores(at, |processor, cores| {
            processor.advance(now, cores);
            processor.add(work, ticks, operations);
        });
        self.usage[at.index()].running += 1;
        if let Some(trail) = &mut self.trail {
            trail.share(work, round_up(ticks));
        }
        self.meter(at, Change::Begin(now));
        self.plan_shared(at);
    }

    pub(super) fn shared_end<P: Program<Message = M>>(&mut self, at: NodeId, program: &mut P) {
        let now = self.engine.now();
        let ended = self.with_cores(at, |processor, cores| {
            processor.event = None;
            processor.advance(now, cores);
            processor.finish()
        });
        self.plan_shared(at);
        if let Some(ended) = ended {
            if let Some(trail) = &mut self.trail {
                trail.shared(ended.work, at, now);
            }
            self.end_work(at, ended.start, ended.operations);
            self.on_computed(at, ended.work, program);
        }
    }

    /// Sets the event of a shared processor to the end of the computation that ends next.
    pub(super) fn plan_shared(&mut self, at: NodeId) {
        let end = self.with_cores(at, |processor, cores| processor.next_end(cores));
        let event = &mut self.processors[at.index()].event;
        *event = self.engine.plan(*event, end, || Event::Shared { at });
    }

    pub(super) fn with_cores<R>(&mut self, at: NodeId, act: impl FnOnce(&mut Processor, &mut Cores<'_>) -> R) -> R {
        let mut whole = Availability::Constant(1.0);
        let mut cores = Cores {
            count: self.platform.cores(at),
            handler_until: self.nodes[at.index()].handler_free,
            availability: self.loads.get_mut(at.index()).unwrap_or(&mut whole),
        };
        act(&mut self.processors[at.index()], &mut cores)
    }
}
