//! Nodes that fail: when the server learns of it, and what is lost with them.

use std::collections::VecDeque;

use super::assignments::Chunk;
use super::server::{Server, TaskSource};
use hetsim_cluster::{Context, TimerId};

/// The failures that the server has not detected yet, and the results that workers keep.
#[derive(Debug)]
pub(super) struct Failures {
    pending: VecDeque<Failure>,
    /// By worker: the results of this round that it keeps. Empty where the server takes them.
    kept: Vec<Vec<Chunk>>,
}

/// The failure of a worker's node, until the server detects it.
#[derive(Debug)]
struct Failure {
    /// The detection.
    timer: TimerId,
    worker: u32,
    /// Chunks are lost that were dealt by then.
    deal: u64,
    /// Results that are lost too.
    results: Vec<Chunk>,
}

impl Failures {
    /// No failure yet, and this many workers that keep their results.
    pub(super) fn new(keeping: u32) -> Self {
        Self { pending: VecDeque::new(), kept: vec![Vec::new(); keeping as usize] }
    }

    /// Workers drop what they kept of the round before.
    pub(super) fn open_round(&mut self) {
        self.kept.iter_mut().for_each(Vec::clear);
    }

    /// A worker has results, which it keeps if workers do.
    #[inline]
    pub(super) fn keep(&mut self, worker: u32, results: Chunk) {
        if let Some(kept) = self.kept.get_mut(worker as usize) {
            kept.push(results);
        }
    }

    /// What a worker kept, which it has no more.
    fn take(&mut self, worker: u32) -> Vec<Chunk> {
        self.kept.get_mut(worker as usize).map(std::mem::take).unwrap_or_default()
    }
}

impl<S: TaskSource> Server<S> {
    /// Notes that the node of a worker goes down.
    pub(super) fn note_down<M>(&mut self, worker: u32, context: &mut impl Context<M>) {
        for slot in self.slots.of(worker) {
            let client = &mut self.clients[slot as usize];
            (client.down, client.failed) = (true, true);
        }
        let results = self.failures.take(worker);
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
            self.failures.pending.push_back(Failure { timer, worker, deal: self.deals, results });
        }
    }

    /// Handles a timer: what was lost with a worker is given up, to be dealt to others. Returns true if anything was.
    pub(super) fn detected(&mut self, timer: TimerId) -> bool {
        let place = self.failures.pending.iter().position(|failure| failure.timer == timer);
        let Some(failure) = place.and_then(|place| self.failures.pending.remove(place)) else { return false };
        let mut lost = 0;
        for slot in self.slots.of(failure.worker) {
            let client = &mut self.clients[slot as usize];
            if client.out.count > 0 && client.deal <= failure.deal {
                lost += self.assignments.give_up(std::mem::take(&mut client.out));
                self.busy -= 1;
                self.present[failure.worker as usize] = false;
            }
        }
        lost += failure.results.iter().map(|&results| self.assignments.lose(results)).sum::<u32>();
        lost > 0
    }
}
