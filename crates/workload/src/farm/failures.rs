//! The nodes of workers that have failed, and what is lost with them.

use std::collections::VecDeque;

use super::assignments::Chunk;
use hetsim_cluster::TimerId;

/// The failures that the server has not detected yet, and the results that workers keep.
#[derive(Debug)]
pub(super) struct Failures {
    pending: VecDeque<Failure>,
    /// By worker: the results of this round that it keeps. Empty where the server takes them.
    kept: Vec<Vec<Chunk>>,
}

/// The failure of a worker's node, until the server detects it.
#[derive(Debug)]
pub(super) struct Failure {
    /// The detection.
    pub(super) timer: TimerId,
    pub(super) worker: u32,
    /// The last chunk that was dealt by then: this and those before are lost.
    pub(super) deal: u64,
    /// Results that are lost too.
    pub(super) results: Vec<Chunk>,
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
        if let Some(kept) = self.kept.get_mut(worker as usize)
            && results.count > 0
        {
            kept.push(results);
        }
    }

    /// What a worker kept, which it has no more.
    pub(super) fn lose(&mut self, worker: u32) -> Vec<Chunk> {
        self.kept.get_mut(worker as usize).map(std::mem::take).unwrap_or_default()
    }

    /// A failure that is to be detected.
    pub(super) fn push(&mut self, failure: Failure) {
        self.pending.push_back(failure);
    }

    /// The failure that this timer detects.
    pub(super) fn detect(&mut self, timer: TimerId) -> Option<Failure> {
        let place = self.pending.iter().position(|failure| failure.timer == timer)?;
        self.pending.remove(place)
    }
}
