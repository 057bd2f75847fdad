//! When the server learns that the node of a worker has failed, and what it gives to others then.

use super::assignments::Chunk;
use super::failures::Failure;
use super::server::{Server, TaskSource};
use hetsim_cluster::{Context, TimerId};

impl<S: TaskSource> Server<S> {
    /// Notes that the node of a worker goes down.
    pub(super) fn note_down<M>(&mut self, worker: u32, context: &mut impl Context<M>) {
        for slot in self.slots.of(worker) {
            let client = &mut self.clients[slot as usize];
            (client.down, client.failed) = (true, true);
        }
        let results = self.failures.lose(worker);
        self.await_detection(worker, results, context);
    }

    /// Notes that the node of a worker is up again.
    pub(super) fn note_up(&mut self, worker: u32) {
        for slot in self.slots.of(worker) {
            self.clients[slot as usize].down = false;
        }
    }

    /// The chunks of a worker whose node is down, and these results, are lost. The server learns of it later, if at all.
    pub(super) fn await_detection<M>(&mut self, worker: u32, results: Vec<Chunk>, context: &mut impl Context<M>) {
        if let Some(detection) = self.rules.detection {
            let timer = context.set_timer(self.node, detection);
            self.failures.push(Failure { timer, worker, deal: self.deals, results });
        }
    }

    /// Handles a timer: what was lost with a worker is given up, to be dealt to others. Returns true if anything was.
    pub(super) fn detected(&mut self, timer: TimerId) -> bool {
        let Some(failure) = self.failures.detect(timer) else { return false };
        let mut lost = 0;
        for slot in self.slots.of(failure.worker) {
            if self.has_work(slot) && self.clients[slot as usize].deal <= failure.deal {
                lost += self.give_up(slot);
            }
        }
        lost += failure.results.iter().map(|&results| self.assignments.lose(results)).sum::<u32>();
        lost > 0
    }
}
