//! What tasks read and write, where the edges don't say that: files from outside count, and a file that several tasks
//! read is written once.

use super::TaskGraph;

/// The bytes that each task reads and writes, by its number.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct FileBytes {
    pub(super) read: Vec<u64>,
    pub(super) written: Vec<u64>,
}

impl FileBytes {
    /// The same sums of another size, rounded to whole bytes. Returns `None` where one overflows.
    pub(super) fn scaled(mut self, factor: f64) -> Option<Self> {
        for bytes in self.read.iter_mut().chain(&mut self.written) {
            *bytes = super::whole_bytes(*bytes as f64 * factor)?;
        }
        Some(self)
    }
}

impl TaskGraph {
    /// Whether tasks read or write anything but what the edges say.
    #[must_use]
    pub const fn has_files(&self) -> bool {
        self.files.is_some()
    }

    /// The bytes that a task reads: those of its files, else those of the edges that enter it; at most 2⁶⁴ − 1.
    #[must_use]
    pub fn read_bytes(&self, task: u32) -> u64 {
        match &self.files {
            Some(files) => files.read[task as usize],
            None => self.predecessors(task).fold(0, |sum, edge| sum.saturating_add(edge.bytes)),
        }
    }

    /// The bytes that a task writes: those of its files, else those of the edges that leave it; at most 2⁶⁴ − 1.
    #[must_use]
    pub fn written_bytes(&self, task: u32) -> u64 {
        match &self.files {
            Some(files) => files.written[task as usize],
            None => self.successors(task).fold(0, |sum, edge| sum.saturating_add(edge.bytes)),
        }
    }

    /// Forgets the files where the edges say the same.
    pub(super) fn simplify_files(&mut self) {
        let Some(files) = self.files.take() else { return };
        let edges = |task: &usize| (self.read_bytes(*task as u32), self.written_bytes(*task as u32));
        if !(0..self.tasks()).all(|task| edges(&task) == (files.read[task], files.written[task])) {
            self.files = Some(files);
        }
    }
}
