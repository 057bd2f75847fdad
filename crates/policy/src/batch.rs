//! The batches of the factoring family: a fraction of the remaining tasks, cut into P chunks.

/// The state of the batch being handed out.
#[derive(Debug, Clone)]
pub(super) struct Batch {
    workers: u32,
    /// The smallest size of a chunk.
    least: u32,
    /// The size of a chunk of weight 1.
    size: u32,
    /// The tasks of the batch that have not been handed out.
    rest: u32,
}

impl Batch {
    pub(super) fn new(workers: usize, least: u32) -> Self {
        Self { workers: (workers as u32).max(1), least: least.max(1), size: 0, rest: 0 }
    }

    /// The number of workers P, at least 1.
    pub(super) const fn workers(&self) -> u32 {
        self.workers
    }

    /// Whether a chunk would need a new batch.
    pub(super) const fn is_over(&self) -> bool {
        self.rest == 0
    }

    /// Discards the batch at the start of a round.
    pub(super) const fn end(&mut self) {
        self.rest = 0;
    }

    /// Opens a batch of P chunks of ⌈R / (x·P)⌉ tasks each, x being the `divisor`.
    pub(super) fn open(&mut self, left: u32, divisor: f64) {
        self.size = rounded_up(f64::from(left) / (divisor * f64::from(self.workers))).max(self.least);
        self.rest = u64::from(left).min(u64::from(self.size) * u64::from(self.workers)) as u32;
    }

    /// A chunk of a weight where each batch is half of the remaining tasks.
    pub(super) fn halving(&mut self, weight: f64, left: u32) -> u32 {
        if self.is_over() {
            self.open(left, 2.0);
        }
        self.chunk(weight, left)
    }

    /// A chunk of a weight w: ⌈w · size⌉ tasks, limited by the batch and by `left` (above 0).
    pub(super) fn chunk(&mut self, weight: f64, left: u32) -> u32 {
        let chunk = rounded_up(weight * f64::from(self.size)).max(self.least).min(self.rest).min(left).max(1);
        self.rest = self.rest.saturating_sub(chunk);
        chunk
    }
}

/// The next whole number, or the one just below if only a rounding error separates them.
pub(super) fn rounded_up(tasks: f64) -> u32 {
    (tasks * (1.0 - 1e-12)).ceil() as u32
}
