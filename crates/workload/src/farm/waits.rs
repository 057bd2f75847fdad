//! Workers tell their results at heartbeats, and the server looks at them from time to time.

use super::assignments::Chunk;
use super::program::{Farm, Message};
use super::reports::Reports;
use super::server::TaskSource;
use super::{FarmParameters, Protocol};
use crate::KeyError;
use hetsim_base::units::Quantity;
use hetsim_cluster::{Context, NodeId, TimerId};

impl<S: TaskSource> Farm<S> {
    /// Brings the results of a slot to the server at its worker's next heartbeat.
    #[inline]
    pub(super) fn report(&mut self, at: NodeId, slot: u32, chunk: Chunk, context: &mut impl Context<Message>) {
        let rhythm = self.server.rules.rhythm;
        if rhythm.beats() {
            let due = rhythm.told(at, context.now());
            if due > context.now() {
                let worker = self.server.worker_at(at);
                self.untold[worker as usize].add(slot, chunk, (at, due), context);
                return;
            }
        }
        self.bring(at, slot, chunk, context);
    }

    /// Takes the results of a slot when the server looks. A request without results is answered at once, or together with
    /// results of the same slot that the server has not looked at.
    #[inline]
    pub(super) fn note(&mut self, slot: u32, chunk: Chunk, context: &mut impl Context<Message>) {
        let due = self.server.rules.rhythm.looked_at(context.now());
        if due > context.now() && chunk.count > 0 {
            self.unseen.add(slot, chunk, (self.server.node, due), context);
        } else if chunk.count > 0 || !self.unseen.has(slot) {
            self.results(slot, chunk, context);
        }
    }

    /// Handles a timer of a worker: what has waited for its heartbeat goes to the server.
    pub(super) fn tell(&mut self, at: NodeId, timer: TimerId, context: &mut impl Context<Message>) {
        let worker = self.server.worker_at(at);
        let Some(untold) = self.untold.get_mut(worker as usize) else { return };
        for (slot, chunk) in untold.due(timer) {
            self.bring(at, slot, chunk, context);
        }
    }

    /// Handles a timer of the server: it looks at what it was told.
    pub(super) fn look(&mut self, timer: TimerId, context: &mut impl Context<Message>) {
        for (slot, chunk) in self.unseen.due(timer) {
            if self.server.end.is_none() {
                self.results(slot, chunk, context);
            }
        }
    }

    /// A worker's node is down: what it has not told is lost, and what it keeps.
    pub(super) fn forget(&mut self, worker: u32) {
        if self.server.rules.keep_results {
            let slots = self.server.slots;
            self.unseen.drop_if(|slot| slots.worker_of(slot) == worker);
        }
        if let Some(untold) = self.untold.get_mut(worker as usize) {
            *untold = Reports::default();
        }
    }
}

impl FarmParameters {
    /// Checks that chunks and results can wait.
    ///
    /// # Errors
    /// Clients with signals compute at once, and are answered one by one, as they come.
    pub(super) fn check_waits(&self) -> Result<(), KeyError> {
        for (name, interval) in [("setup", self.setup), ("heartbeat", self.heartbeat), ("poll", self.poll)] {
            let waits = interval.base() > 0.0 && self.protocol != Protocol::Plain;
            KeyError::unless(!waits, &format!("farm.{name}"), || "signals are handled at once, as they come")?;
        }
        Ok(())
    }
}
