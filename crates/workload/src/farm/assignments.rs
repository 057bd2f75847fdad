//! The assignments of a round: the tasks still to be dealt, and the finished ones.

use std::collections::BTreeSet;

/// Consecutive tasks, numbered over all rounds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Chunk {
    /// The first task.
    pub first: u32,
    /// The number of tasks.
    pub count: u32,
}

impl Chunk {
    /// No tasks.
    pub(super) const EMPTY: Self = Self { first: 0, count: 0 };

    /// The numbers of the tasks.
    pub(super) const fn tasks(self) -> std::ops::Range<u32> {
        self.first..self.first + self.count
    }
}

/// The tasks of the current round.
///
/// If every task is dealt once and its result arrives, two counters suffice. Only if tasks may be dealt again (a
/// timeout, a copy of a late one), each task is tracked.
#[derive(Debug, Default)]
pub(super) struct Assignments {
    /// The number of the round's first task, and of the next round's.
    first: u32,
    end: u32,
    /// The first task that was never dealt.
    next: u32,
    unfinished: u32,
    /// Whether a task may be dealt more than once.
    repeats: bool,
    /// A bit per task of the round, if tasks may repeat.
    finished: Vec<u64>,
    /// Tasks to be dealt again, since their results will not arrive.
    given_up: BTreeSet<u32>,
    /// Where the search for a late task continues, downwards, and how many more times it may go through the round.
    late: u32,
    passes: u32,
}

impl Assignments {
    /// No round yet.
    pub(super) fn new(repeats: bool) -> Self {
        Self { repeats, ..Self::default() }
    }

    /// Opens the next round. Besides the first deal, each task may be dealt `copies` times.
    pub(super) fn open(&mut self, tasks: u32, copies: u32) {
        self.first = self.end;
        self.end += tasks;
        self.next = self.first;
        self.unfinished = tasks;
        self.late = self.end;
        self.passes = copies;
        self.given_up.clear();
        if self.repeats {
            self.finished.clear();
            self.finished.resize(tasks.div_ceil(u64::BITS) as usize, 0);
        }
    }

    /// The number of tasks to be dealt.
    pub(super) fn undealt(&self) -> u32 {
        self.end - self.next + self.given_up.len() as u32
    }

    /// The number of tasks without a result.
    pub(super) const fn unfinished(&self) -> u32 {
        self.unfinished
    }

    /// Takes up to `count` tasks, at least one if any is left: first those that were given up.
    pub(super) fn take(&mut self, count: u32) -> Option<Chunk> {
        if let Some(first) = self.given_up.pop_first() {
            let mut chunk = Chunk { first, count: 1 };
            while chunk.count < count && self.given_up.remove(&chunk.tasks().end) {
                chunk.count += 1;
            }
            return Some(chunk);
        }
        let count = count.min(self.end - self.next);
        let chunk = Chunk { first: self.next, count };
        self.next += count;
        (count > 0).then_some(chunk)
    }

    /// Records results, and calls `result` for the first result of each task.
    pub(super) fn finish(&mut self, chunk: Chunk, mut result: impl FnMut(u32)) {
        for task in chunk.tasks() {
            if self.repeats {
                if self.is_finished(task) {
                    continue;
                }
                let (word, bit) = self.bit(task);
                self.finished[word] |= bit;
                self.given_up.remove(&task);
            }
            self.unfinished -= 1;
            result(task);
        }
    }

    /// Whether a task has its result. Tasks of earlier rounds have.
    fn is_finished(&self, task: u32) -> bool {
        if task < self.first {
            return true;
        }
        let (word, bit) = self.bit(task);
        self.finished[word] & bit != 0
    }

    /// The word of `finished` that holds a task of this round, and its bit there.
    fn bit(&self, task: u32) -> (usize, u64) {
        let place = task - self.first;
        ((place / u64::BITS) as usize, 1 << (place % u64::BITS))
    }

    /// Gives up tasks whose results will not arrive, so that they are dealt again. Returns their number.
    pub(super) fn give_up(&mut self, chunk: Chunk) -> u32 {
        let before = self.given_up.len();
        for task in chunk.tasks() {
            if !self.is_finished(task) {
                self.given_up.insert(task);
            }
        }
        (self.given_up.len() - before) as u32
    }

    /// Takes back the results of tasks of this round, which are lost, so that the tasks are dealt again. Returns their number.
    pub(super) fn lose(&mut self, chunk: Chunk) -> u32 {
        let mut lost = 0;
        for task in chunk.tasks() {
            if task >= self.first && self.is_finished(task) {
                let (word, bit) = self.bit(task);
                self.finished[word] &= !bit;
                self.given_up.insert(task);
                lost += 1;
            }
        }
        self.unfinished += lost;
        lost
    }

    /// Gives up all dealt tasks without a result. Returns their number.
    pub(super) fn give_up_all(&mut self) -> u32 {
        self.give_up(Chunk { first: self.first, count: self.next - self.first })
    }

    /// A dealt task without a result, to be computed a second time: from the last one down, since the last tasks of a
    /// share are computed last.
    pub(super) fn copy(&mut self) -> Option<Chunk> {
        while self.passes > 0 && self.unfinished > 0 {
            while self.late > self.first {
                self.late -= 1;
                if !self.is_finished(self.late) {
                    return Some(Chunk { first: self.late, count: 1 });
                }
            }
            self.late = self.end;
            self.passes -= 1;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunk(first: u32, count: u32) -> Chunk {
        Chunk { first, count }
    }

    #[test]
    fn tasks_are_dealt_in_order_and_numbered_over_rounds() {
        let mut assignments = Assignments::new(false);
        assignments.open(5, 0);
        assert_eq!(
            [assignments.take(3), assignments.take(3), assignments.take(3)],
            [Some(chunk(0, 3)), Some(chunk(3, 2)), None]
        );
        assignments.finish(chunk(0, 5), |_| {});
        assert_eq!(assignments.unfinished(), 0);
        assignments.open(4, 0);
        assert_eq!(assignments.take(9), Some(chunk(5, 4)));
    }

    #[test]
    fn what_was_given_up_is_dealt_again_unless_its_result_comes_after_all() {
        let mut assignments = Assignments::new(true);
        assignments.open(100, 0);
        assert_eq!(assignments.take(80), Some(chunk(0, 80)));
        assignments.finish(chunk(2, 1), |_| {});
        assignments.give_up(chunk(0, 6));
        assert_eq!(assignments.undealt(), 25);
        assignments.finish(chunk(4, 1), |_| {});
        assert_eq!(
            [assignments.take(9), assignments.take(9), assignments.take(9)],
            [Some(chunk(0, 2)), Some(chunk(3, 1)), Some(chunk(5, 1))]
        );
        let mut results = Vec::new();
        assignments.finish(chunk(0, 3), |task| results.push(task));
        assignments.finish(chunk(0, 3), |task| results.push(task));
        assert_eq!((results, assignments.unfinished()), (vec![0, 1], 96));
    }

    #[test]
    fn copies_are_made_of_the_last_tasks_first_and_so_many_times_at_most() {
        let mut assignments = Assignments::new(true);
        assignments.open(4, 2);
        assignments.take(4);
        assignments.finish(chunk(2, 1), |_| {});
        let copies: Vec<u32> = std::iter::from_fn(|| assignments.copy()).map(|copy| copy.first).collect();
        assert_eq!(copies, [3, 1, 0, 3, 1, 0]);
    }
}
