//! Slots of machines, what passes before a task starts, and how quickly tasks are started.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;

use super::read::{LoggedTask, TaskLog};
use crate::robust::median;
use hetsim_statistics::{Confidence, mean, mean_interval, quantile, quantile_interval};

/// Logs round starts and run times to a millisecond each, so that a task may seem to start so many seconds before the one
/// ended whose slot it takes.
const ROUNDING_S: f64 = 2e-3;

/// For short tasks, that is at most so much of the median task.
const ROUNDING_SHARE: f64 = 0.1;

/// A median in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Middle {
    /// The median.
    pub median: f64,
    /// Its interval of at least 95 %, between order statistics; `None` with fewer than six values.
    pub interval: Option<(f64, f64)>,
    /// The number of values.
    pub count: usize,
}

impl Middle {
    pub(super) fn of(values: &[f64]) -> Option<Self> {
        let found = quantile_interval(values, 0.5, Confidence::P95)?;
        Some(Self { median: found.estimate, interval: found.interval, count: values.len() })
    }
}

/// A mean in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mean {
    /// The mean without values far out.
    pub mean: f64,
    /// Its interval of 95 %, by Student's t distribution; `None` of a single value.
    pub interval: Option<(f64, f64)>,
    /// The number of values.
    pub count: usize,
}

impl Mean {
    /// The mean of all values up to Tukey's outer fence, which is three interquartile ranges above the upper quartile. The range
    /// counts as at least one step of the clock.
    fn within_fence(values: &[f64], clock: f64) -> Option<Self> {
        let [lower, upper] = [quantile(values, 0.25)?, quantile(values, 0.75)?];
        let fence = upper + 3.0 * (upper - lower).max(clock);
        let values: Vec<f64> = values.iter().copied().filter(|value| *value <= fence).collect();
        Some(Self { mean: mean(&values)?, interval: mean_interval(&values, Confidence::P95), count: values.len() })
    }
}

/// How the slots of a machine were used.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct MachineUse {
    /// The most tasks at once, or the slots that the log names; 1 without instants.
    pub slots: usize,
    /// The seconds from a submission to the start where the slot was free.
    pub wait: Option<Middle>,
    /// The seconds from the end of a task to the start of the next on the same slot, where that waited.
    pub turnaround: Option<Middle>,
}

/// What passed before a task started, with the bytes that passed meanwhile.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pause {
    pub(super) machine: u32,
    /// Whether the task waited for the end of the one before on its slot, whose result then went back; else the slot was
    /// free.
    pub(super) is_turnaround: bool,
    /// Whether no other task started meanwhile.
    pub(super) is_alone: bool,
    pub(super) bytes: f64,
    pub(super) seconds: f64,
}

impl Pause {
    /// The pause before a task of so many seconds, after the task `before` if it waited for its end; `None` if bytes are not
    /// known.
    fn of(task: &LoggedTask, seconds: f64, before: Option<&LoggedTask>) -> Option<Self> {
        let [read, _] = task.bytes_or_zero()?;
        let written = match before {
            Some(before) => before.bytes_or_zero()?[1],
            None => 0.0,
        };
        Some(Self {
            machine: task.machine,
            is_turnaround: before.is_some(),
            is_alone: false,
            bytes: read + written,
            seconds,
        })
    }
}

/// The slots of a machine as tasks take them.
#[derive(Default)]
struct SlotEnds<'t> {
    /// The last task and its end, by slot.
    ends: Vec<(f64, &'t LoggedTask)>,
    named: FxHashMap<u32, usize>,
    /// The slots by those ends, in microseconds, that of the earliest first; only of slots without names.
    free: BinaryHeap<Reverse<(i64, usize)>>,
    /// When a task last found several of them free.
    unsure: Option<f64>,
}

/// What a slot ran before.
#[derive(Clone, Copy)]
struct LastOnSlot<'t> {
    task: &'t LoggedTask,
    ended: f64,
    /// Whether it was that slot: it has a name, or no other was free, nor was it left from several that were.
    is_sure: bool,
}

impl<'t> SlotEnds<'t> {
    /// Takes a slot for a task, and gives the task before it: its own slot if that has a name, else the one that has been free
    /// for longest.
    fn take(&mut self, task: &'t LoggedTask, started: f64, rounding: f64) -> Option<LastOnSlot<'t>> {
        let ended = task.ended().unwrap_or(started + task.seconds);
        let free = |slot: usize, ends: &[(f64, &LoggedTask)]| ends[slot].0 <= started + rounding;
        let slot = match task.slot {
            Some(name) => self.named.get(&name).copied(),
            None => self.free.peek().map(|Reverse((_, slot))| *slot).filter(|&slot| free(slot, &self.ends)),
        };
        let before = slot.map(|slot| std::mem::replace(&mut self.ends[slot], (ended, task)));
        let slot = slot.unwrap_or_else(|| {
            self.ends.push((ended, task));
            self.ends.len() - 1
        });
        let mut is_sure = true;
        if let Some(name) = task.slot {
            self.named.insert(name, slot);
        } else {
            if let Some((ended, _)) = before {
                self.free.pop();
                let another = self.free.peek().is_some_and(|Reverse((_, other))| free(*other, &self.ends));
                is_sure = !another && self.unsure.is_none_or(|unsure| ended > unsure);
                if another {
                    self.unsure = Some(started + rounding);
                }
            }
            self.free.push(Reverse(((ended * 1e6) as i64, slot)));
        }
        before.map(|(ended, task)| LastOnSlot { task, ended, is_sure })
    }
}

/// What passes before tasks, and the slots that it was found by.
pub(super) struct Overheads {
    /// The use of each machine.
    pub(super) used: Vec<MachineUse>,
    /// The turnarounds during which no other task started.
    pub(super) alone: Option<Middle>,
    /// The mean of all turnarounds by a clock of whole seconds.
    pub(super) mean_turnaround: Option<Mean>,
    /// What passes between two starts while a slot is free.
    pub(super) between_starts: Option<Mean>,
    /// What passed before tasks whose bytes are known.
    pub(super) pauses: Vec<Pause>,
}

/// The overheads of a log.
pub(super) fn of(log: &TaskLog) -> Overheads {
    let seconds: Vec<f64> = log.tasks.iter().map(|task| task.seconds).collect();
    let rounding = ROUNDING_S.min(ROUNDING_SHARE * median(&seconds).unwrap_or_default());
    let mut tasks: Vec<(f64, &LoggedTask)> = log.tasks.iter().filter_map(|task| Some((task.started?, task))).collect();
    let mut starts: Vec<f64> = tasks.iter().map(|(start, _)| *start).collect();
    starts.sort_by(f64::total_cmp);
    let started_before = |instant: f64| starts.partition_point(|start| *start < instant);
    let (mut alone, mut all_turnarounds) = (Vec::new(), Vec::new());
    tasks.sort_by(|(start, task), (other, next)| task.machine.cmp(&next.machine).then(start.total_cmp(other)));
    let mut pauses = Vec::new();
    let mut used = vec![MachineUse { slots: 1, wait: None, turnaround: None }; log.machines().len()];
    for own in tasks.chunk_by(|(_, task), (_, next)| task.machine == next.machine) {
        let (mut waits, mut turnarounds) = (Vec::new(), Vec::new());
        let mut slots = SlotEnds::default();
        for &(started, task) in own {
            let before = slots.take(task, started, rounding);
            match (task.submitted, before) {
                (Some(submitted), before) if before.is_none_or(|before| before.ended <= submitted) => {
                    let wait = (started - submitted).max(0.0);
                    waits.push(wait);
                    pauses.extend(Pause::of(task, wait, None));
                }
                (_, Some(before)) => {
                    let turnaround = (started - before.ended).max(0.0);
                    turnarounds.push(turnaround);
                    let is_alone = started_before(started) <= started_before(before.ended);
                    if is_alone {
                        alone.push(turnaround);
                    }
                    // Else its bytes may be those of another.
                    if before.is_sure {
                        pauses.extend(
                            Pause::of(task, turnaround, Some(before.task)).map(|own| Pause { is_alone, ..own }),
                        );
                    }
                }
                _ => {}
            }
        }
        all_turnarounds.extend_from_slice(&turnarounds);
        used[own[0].1.machine as usize] =
            MachineUse { slots: slots.ends.len(), wait: Middle::of(&waits), turnaround: Middle::of(&turnarounds) };
    }
    let all = used.iter().map(|machine| machine.slots).sum();
    tasks.sort_by(|(start, _), (other, _)| start.total_cmp(other));
    // A slot counts as free once the next task should have started: half of them take longer than the median.
    let turnarounds: Vec<f64> = used.iter().filter_map(|machine| Some(machine.turnaround?.median)).collect();
    let between = between_starts(&tasks, all, 2.0 * median(&turnarounds).unwrap_or_default() - rounding);
    let clock = log.clock();
    // What a clock cuts off cancels out in a mean, while a median is a whole number of its steps.
    let mean_turnaround = Mean::within_fence(&all_turnarounds, clock).filter(|_| clock > 0.0);
    let between_starts = Mean::within_fence(&between, clock);
    Overheads { used, alone: Middle::of(&alone), mean_turnaround, between_starts, pauses }
}

/// The seconds from each start to the next, if a slot of some machine was free in between and the next task waited. A slot is
/// free `after` so many seconds from the end of its task.
fn between_starts(tasks: &[(f64, &LoggedTask)], slots: usize, after: f64) -> Vec<f64> {
    let mut ends: Vec<f64> =
        tasks.iter().map(|(start, task)| task.ended().unwrap_or(start + task.seconds) + after).collect();
    ends.sort_by(f64::total_cmp);
    let mut between = Vec::new();
    let mut ended = 0;
    for (started, pair) in (1..).zip(tasks.windows(2)) {
        let [(start, _), (next, task)] = [pair[0], pair[1]];
        while ends.get(ended).is_some_and(|&end| end <= start) {
            ended += 1;
        }
        // An end that rounding brings before its own start is none.
        let running: usize = usize::saturating_sub(started, ended);
        if running < slots && task.submitted.is_none_or(|submitted| submitted <= start) {
            between.push(next - start);
        }
    }
    between
}
