//! When machines changed their speed: the parts of a log in which each kept it.
//!
//! While a machine keeps its speed, its tasks of a type follow each other as chance has it. From the logarithm of each time
//! the median of its type on its machine is taken; what is left is ranked within the type, over all machines, and the rank
//! becomes a normal score. Sums of scores are then normal whatever the noise of tasks is, and a task that hangs counts no
//! more than the longest of many. Where the scores of neighbouring windows differ most, and by more than chance explains,
//! the log of the machine is split (binary segmentation, with windows of many lengths, so that a short change shows too),
//! and so on for both parts. A machine is compared with nothing but itself, type by type.
//!
//! Tasks are in the order of their starts: by their ends or middles, the shortest of those that start together would come
//! first. Of the tasks beside a change, as many as the machine has slots may have run across it, and tell nothing.
//!
//! Whether all machines became slower at once or their tasks longer, a log does not say, and speeds are relative. If the
//! changes of most machines vanish with what the tasks of each type have in common over time, they are the tasks'.

mod over_time;
mod search;

use over_time::{MachineOverTime, in_order};
use search::ChangeSearch;

use super::read::TaskLog;
use super::slots::MachineUse;

/// The most rounds in which changes move, and in how many of them the noise is found anew.
const ROUNDS: usize = 8;
const NOISE_ROUNDS: usize = 2;

/// The tasks of a type, around each, by which what all machines have in common is known: so many a slot, but no fewer and
/// no more than these.
const AROUND: usize = 4;
const LEAST_AROUND: usize = 9;
const MOST_AROUND: usize = 201;

/// The rounds in which that follows from the medians of machines, and they from it: each leaves a fraction of the error.
const TREND_ROUNDS: [usize; 2] = [5, 2];

/// A machine from one change of its speed to the next.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SteadyPart {
    pub(super) machine: usize,
    /// The start of its first task, in seconds from the first start of the log; 0 for the first part of a machine.
    pub(super) from: f64,
}

/// Where the tasks of a log lie between changes.
pub(super) struct SteadyParts {
    /// The first part of each machine, by the machine's number; then the others, by machine and instant.
    pub(super) parts: Vec<SteadyPart>,
    /// By task of the log, the number of its part.
    pub(super) of_tasks: Vec<usize>,
    /// By task of the log, whether it may have run across a change.
    pub(super) is_across: Vec<bool>,
    /// By task of the log, what the logarithms of its type have in common over time; empty if nothing is to be taken off.
    pub(super) trend: Vec<f64>,
}

impl SteadyParts {
    /// Finds the changes of a log whose machines are used as told.
    pub(super) fn of(log: &TaskLog, used: &[MachineUse]) -> Self {
        let kinds = log.kinds().len();
        let mut machines = in_order(log, used);
        find(&mut machines, kinds);
        let mut trend = Vec::new();
        let changed = |machines: &[MachineOverTime]| machines.iter().filter(|own| !own.changes.is_empty()).count();
        let count = |machines: &[MachineOverTime]| machines.iter().map(|own| own.changes.len()).sum::<usize>();
        let able = machines.iter().filter(|machine| machine.tasks.len() >= 2 * machine.least()).count();
        if 2 * changed(&machines) > able {
            let (mut others, mut all) = (in_order(log, used), vec![0.0; log.tasks.len()]);
            // The second time it is known what is not in common.
            for rounds in TREND_ROUNDS {
                for _ in 0..rounds {
                    let more = in_common(&others, kinds, log.tasks.len());
                    let tasks = others.iter_mut().flat_map(|machine| &mut machine.tasks);
                    tasks.for_each(|task| task.log -= more[task.number]);
                    all.iter_mut().zip(more).for_each(|(all, more)| *all += more);
                }
                for machine in &mut others {
                    machine.changes.clear();
                }
                find(&mut others, kinds);
            }
            let is_simpler = changed(&machines) == able && count(&others) < count(&machines);
            if count(&others) == 0 || is_simpler {
                (machines, trend) = (others, all);
            }
        }
        Self::put_together(log, &machines, trend)
    }

    fn put_together(log: &TaskLog, machines: &[MachineOverTime], trend: Vec<f64>) -> Self {
        let begin = log.begin().unwrap_or(0.0);
        let mut parts: Vec<SteadyPart> = (0..machines.len()).map(|machine| SteadyPart { machine, from: 0.0 }).collect();
        let mut of_tasks: Vec<usize> = log.tasks.iter().map(|task| task.machine as usize).collect();
        let mut is_across = vec![false; log.tasks.len()];
        for (number, machine) in machines.iter().enumerate() {
            for (&change, after) in machine.changes.iter().zip(machine.parts().into_iter().skip(1)) {
                for task in &machine.tasks[after] {
                    of_tasks[task.number] = parts.len();
                }
                parts.push(SteadyPart { machine: number, from: machine.tasks[change].started - begin });
                for task in &machine.tasks[change - machine.slots..change + machine.slots] {
                    is_across[task.number] = true;
                }
            }
        }
        // Without changes the tasks are as they are.
        let trend = if parts.len() > machines.len() { trend } else { Vec::new() };
        Self { parts, of_tasks, is_across, trend }
    }
}

/// Finds the changes of all machines.
fn find(machines: &mut [MachineOverTime], kinds: usize) {
    let mut is_open = vec![true; machines.len()];
    let mut search = None;
    for round in 0..ROUNDS {
        if round < NOISE_ROUNDS {
            is_open.fill(true);
            search = ChangeSearch::of(machines, kinds);
        }
        let Some(search) = &search else {
            return;
        };
        let found = search.changes(machines, &is_open);
        for ((machine, found), is_open) in machines.iter_mut().zip(found).zip(&mut is_open) {
            *is_open = machine.changes != found;
            machine.changes = found;
        }
        if is_open.iter().all(|is_open| !is_open) {
            return;
        }
    }
}

/// By task of the log, what the logarithms of its type have in common over time on all machines: a running median, without
/// the median of the type on each part of a machine.
fn in_common(machines: &[MachineOverTime], kinds: usize, tasks: usize) -> Vec<f64> {
    let slots: usize = machines.iter().map(|machine| machine.slots).sum();
    let around = (AROUND * slots).clamp(LEAST_AROUND, MOST_AROUND) | 1;
    let mut of_kinds = vec![Vec::new(); kinds];
    for machine in machines {
        for own in machine.parts().into_iter().flat_map(|part| machine.rests(part)) {
            let task = &machine.tasks[own.at];
            of_kinds[own.kind].push((task.started, task.number, own.rest));
        }
    }
    let mut in_common = vec![0.0; tasks];
    for own in &mut of_kinds {
        own.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut window: Vec<f64> = Vec::with_capacity(around + 1);
        let place = |window: &[f64], rest: f64| window.partition_point(|other| *other < rest);
        let half = around / 2;
        own.iter().take(half).for_each(|(.., rest)| window.insert(place(&window, *rest), *rest));
        for (at, &(_, number, _)) in own.iter().enumerate() {
            if let Some((.., entering)) = own.get(at + half) {
                window.insert(place(&window, *entering), *entering);
            }
            if at > half {
                window.remove(place(&window, own[at - half - 1].2));
            }
            in_common[number] = f64::midpoint(window[(window.len() - 1) / 2], window[window.len() / 2]);
        }
    }
    in_common
}
