//! A worker's side of a task farm: it computes one task after the other.

use super::ledger::Chunk;
use crate::cluster::{Context, NodeId};
use crate::policy::Seen;
use crate::units::Time;

/// What a worker is at.
#[derive(Debug, Clone, Copy, Default)]
pub struct Worker {
    /// The tasks that it was given last.
    pub chunk: Chunk,
    /// How many of them are computed.
    pub done: u32,
    /// Whether it computes one.
    pub computes: bool,
    started: Time,
    /// What it measured on them. The server reads it when their results arrive: it travels with them.
    pub seen: Seen,
}

impl Worker {
    /// Takes up new tasks.
    #[inline]
    pub fn take_up<M>(&mut self, chunk: Chunk, at: NodeId, operations: f64, context: &mut impl Context<M>) {
        *self = Self { chunk, ..Self::default() };
        self.compute(at, operations, context);
    }

    /// Starts the next task.
    #[inline]
    pub fn compute<M>(&mut self, at: NodeId, operations: f64, context: &mut impl Context<M>) {
        self.computes = true;
        self.started = context.now();
        context.compute(at, operations);
    }

    /// A task has been computed. The next one, if there is one.
    #[inline]
    pub fn computed<M>(&mut self, context: &impl Context<M>) -> Option<u32> {
        let seconds = context.tick().seconds(context.now() - self.started);
        self.computes = false;
        self.done += 1;
        self.seen.tasks += 1;
        self.seen.seconds += seconds;
        self.seen.squares += seconds * seconds;
        (self.done < self.chunk.count).then(|| self.chunk.first + self.done)
    }

    /// Gives away the last half of the tasks that it has not started.
    pub fn give_away(&mut self) -> Chunk {
        let unstarted = if self.computes { self.chunk.count - self.done - 1 } else { 0 };
        let count = unstarted.div_ceil(2);
        self.chunk.count -= count;
        Chunk { first: self.chunk.first + self.chunk.count, count }
    }
}
