//! The tasks of each machine in the order of their starts.

use std::ops::Range;

use crate::tasks::read::TaskLog;
use crate::tasks::slots::MachineUse;

/// The least tasks on either side of a change, and the least of them that did not run across another.
const LEAST_TASKS: usize = 5;
const LEAST_OWN: usize = 3;

/// A task that succeeded.
pub(super) struct StartedTask {
    /// Its number in the log.
    pub(super) number: usize,
    pub(super) kind: usize,
    pub(super) started: f64,
    pub(super) log: f64,
}

/// A machine's tasks in the order of their starts; none if one of them has no start.
pub(super) struct MachineOverTime {
    pub(super) tasks: Vec<StartedTask>,
    pub(super) slots: usize,
    /// The first task after each change.
    pub(super) changes: Vec<usize>,
}

pub(super) fn in_order(log: &TaskLog, used: &[MachineUse]) -> Vec<MachineOverTime> {
    let empty = |own: &MachineUse| MachineOverTime { tasks: Vec::new(), slots: own.slots, changes: Vec::new() };
    let mut machines: Vec<MachineOverTime> = used.iter().map(empty).collect();
    let mut has_all = vec![true; machines.len()];
    for (number, task) in log.tasks.iter().enumerate().filter(|(_, task)| task.tells_speed()) {
        let machine = task.machine as usize;
        has_all[machine] &= task.started.is_some();
        if let Some(started) = task.started {
            let (kind, log) = (task.kind as usize, task.seconds.ln());
            machines[machine].tasks.push(StartedTask { number, kind, started, log });
        }
    }
    for (machine, has_all) in machines.iter_mut().zip(has_all) {
        if !has_all {
            machine.tasks.clear();
        }
        machine.tasks.sort_by(|a, b| a.started.total_cmp(&b.started));
    }
    machines
}

impl MachineOverTime {
    /// The least tasks on either side of a change. Those that ran across a change are no part of their own.
    pub(super) fn least(&self) -> usize {
        LEAST_TASKS.max(self.slots + LEAST_OWN)
    }

    pub(super) fn parts(&self) -> Vec<Range<usize>> {
        let begins = [0].into_iter().chain(self.changes.iter().copied());
        let ends = self.changes.iter().copied().chain([self.tasks.len()]);
        begins.zip(ends).map(|(begin, end)| begin..end).collect()
    }

    /// A part without the tasks that may have run across its ends.
    pub(super) fn within(&self, part: Range<usize>) -> Range<usize> {
        let begin = if part.start == 0 { 0 } else { part.start + self.slots };
        let end = if part.end == self.tasks.len() { part.end } else { part.end - self.slots };
        begin..end
    }

    /// Windows of some tasks in which a change is sought: all of them, halves, quarters and so on, each of which overlaps
    /// the next by half.
    pub(super) fn windows(&self, all: &Range<usize>) -> Vec<Range<usize>> {
        let mut windows = Vec::new();
        let mut length = all.len();
        while length >= 2 * self.least() {
            let lasts = (all.start + length..all.end).step_by(length / 2).chain([all.end]);
            windows.extend(lasts.map(|end| end - length..end));
            length /= 2;
        }
        windows
    }

    /// The tasks of a part without the medians of their types, in the order of types and then of logarithms.
    pub(super) fn rests(&self, part: Range<usize>) -> Vec<TaskRest> {
        let tasks = part.clone().zip(&self.tasks[part]);
        let rest = |(at, task): (usize, &StartedTask)| TaskRest { kind: task.kind, at, rest: task.log, share: 0.0 };
        let mut rests: Vec<TaskRest> = tasks.map(rest).collect();
        rests.sort_unstable_by(|a, b| a.kind.cmp(&b.kind).then(a.rest.total_cmp(&b.rest)).then(a.at.cmp(&b.at)));
        for own in rests.chunk_by_mut(|a, b| a.kind == b.kind) {
            let count = own.len();
            let median = f64::midpoint(own[(count - 1) / 2].rest, own[count / 2].rest);
            let share = ((count - 1) as f64 / count as f64).sqrt();
            for task in own {
                (task.rest, task.share) = (task.rest - median, share);
            }
        }
        rests
    }
}

/// What the median of its type leaves of a task's logarithm.
pub(super) struct TaskRest {
    pub(super) kind: usize,
    pub(super) at: usize,
    pub(super) rest: f64,
    /// The deviation of that over the deviation of tasks: the median of few takes some of it.
    pub(super) share: f64,
}
