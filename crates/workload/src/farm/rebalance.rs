//! The server takes back what waits at one worker for another that has nothing, as the scheduler of Dask does.

use super::Chunk;
use super::server::{Server, TaskSource};
use hetsim_base::units::Time;
use hetsim_cluster::{Context, TimerId};

impl<S: TaskSource> Server<S> {
    /// Sets the timer of the next attempt, if there is none: a slot has nothing to do. Attempts are at multiples of the
    /// interval.
    #[inline]
    pub(super) fn plan_rebalancing<M>(&mut self, context: &mut impl Context<M>) {
        let Some(interval) = self.rules.steal_interval.filter(|_| self.steal_timer.is_none()) else { return };
        let since = Time(context.now().0 % interval.0);
        self.steal_timer = Some(context.set_timer(self.node, interval - since));
    }

    /// Handles a timer: returns the slots whose chunks are to be asked back, for as many idle workers: of the workers
    /// with most chunks, what they were dealt last; not of workers whose chunks take too little. None if it is not the timer
    /// of an attempt.
    pub(super) fn rebalance<M>(&mut self, timer: TimerId, context: &mut impl Context<M>) -> Vec<u32> {
        let due = self.steal_timer.take_if(|next| *next == timer).is_some();
        if !due || !self.open || self.has_tasks() {
            return Vec::new();
        }
        let chunks = |worker: u32| self.slots.of(worker).filter(|slot| self.has_work(*slot)).count();
        let counts: Vec<usize> = (0..self.slots.workers()).map(chunks).collect();
        let idle = counts.iter().filter(|count| **count == 0).count();
        let takes = |count: usize| self.chunk_s.map_or(f64::INFINITY, |chunk_s| count as f64 * chunk_s);
        let is_loaded = |count: usize| count > 1 && takes(count) > self.rules.steal_threshold_s;
        let mut loaded: Vec<u32> =
            (0..self.slots.workers()).filter(|worker| is_loaded(counts[*worker as usize])).collect();
        loaded.sort_by_key(|worker| std::cmp::Reverse(counts[*worker as usize]));
        loaded.truncate(idle);
        if !loaded.is_empty() {
            self.plan_rebalancing(context);
        }
        loaded
            .into_iter()
            .filter_map(|worker| self.slots.of(worker).max_by_key(|slot| self.clients[*slot as usize].deal))
            .collect()
    }

    /// Deals a chunk that a worker has given back to one that has nothing; if there is none by now, again to the slot
    /// that it comes from. Returns the slot that is to compute it; `None` if a timeout has taken the chunk meanwhile.
    pub(super) fn reassign<M>(&mut self, slot: u32, chunk: Chunk, context: &mut impl Context<M>) -> Option<u32> {
        let client = &mut self.clients[slot as usize];
        if client.out != chunk {
            return None;
        }
        client.out = Chunk::EMPTY;
        self.busy -= 1;
        let to = self.idle_worker().unwrap_or(slot);
        self.note_deal(to, chunk, context);
        if to != slot {
            self.enqueue(slot);
        }
        Some(to)
    }

    /// Takes the slot of a worker without any tasks out of the line, if there is one.
    fn idle_worker(&mut self) -> Option<u32> {
        let is_idle = |slot: &u32| {
            let worker = self.slots.worker_of(*slot);
            let mut slots = self.slots.of(worker);
            self.clients[*slot as usize].idle && self.present[worker as usize] && slots.all(|slot| !self.has_work(slot))
        };
        let slot = self.waiting.iter().copied().find(is_idle)?;
        self.clients[slot as usize].idle = false;
        Some(slot)
    }
}
