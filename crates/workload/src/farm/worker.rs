//! A worker's side of a task farm: it computes one task after the other.

use super::assignments::Chunk;
use hetsim_base::units::Time;
use hetsim_cluster::{Context, NodeId};
use hetsim_policy::ChunkReport;

/// The state of a slot. A worker without chunks ahead has a single one.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Worker {
    /// The last tasks that it was given.
    pub chunk: Chunk,
    /// The number of computed tasks of the chunk.
    done: u32,
    /// Whether it is computing a task, or sets up its chunk.
    pub computes: bool,
    started: Time,
    /// Its measurements of these tasks. The server reads them when the results arrive: they travel with the results.
    report: ChunkReport,
}

impl Worker {
    /// Starts a new chunk.
    #[inline]
    pub(super) fn take_up<M>(&mut self, chunk: Chunk, at: NodeId, operations: f64, context: &mut impl Context<M>) {
        self.set_up(chunk);
        self.compute(at, operations, context);
    }

    /// Takes a new chunk, which is to be computed when it is set up.
    #[inline]
    pub(super) fn set_up(&mut self, chunk: Chunk) {
        *self = Self { chunk, computes: true, ..Self::default() };
    }

    /// Starts the next task.
    #[inline]
    pub(super) fn compute<M>(&mut self, at: NodeId, operations: f64, context: &mut impl Context<M>) {
        self.computes = true;
        self.started = context.now();
        context.compute(at, operations);
    }

    /// Ends a task. Returns the next one, if any.
    #[inline]
    pub(super) fn computed<M>(&mut self, context: &impl Context<M>) -> Option<u32> {
        let seconds = context.tick().seconds(context.now() - self.started);
        self.computes = false;
        self.done += 1;
        self.report.tasks += 1;
        self.report.seconds += seconds;
        self.report.squares += seconds * seconds;
        (self.done < self.chunk.count).then(|| self.chunk.first + self.done)
    }

    /// The measurements of these tasks: those of later ones do not belong to them.
    pub(super) fn report_of(&self, chunk: Chunk) -> ChunkReport {
        if self.chunk == chunk { self.report } else { ChunkReport::default() }
    }

    /// Gives away the last half of the unstarted tasks.
    pub(super) fn give_away(&mut self) -> Chunk {
        let unstarted = if self.computes { self.chunk.count - self.done - 1 } else { 0 };
        let count = unstarted.div_ceil(2);
        self.chunk.count -= count;
        Chunk { first: self.chunk.first + self.chunk.count, count }
    }
}
