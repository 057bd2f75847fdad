//! Machines and task systems from logs: how fast each machine is, how tasks vary, and what the system takes.
//!
//! A [`TaskLog`] is read from logs of several systems. [`TaskFit::of`] finds slots, overheads and the rate of starts
//! (`slots`), how data pass (`transfers`), when machines changed their speed (`changes`), and the speeds of machines and the
//! noise of tasks (`speeds`).

mod changes;
mod dependencies;
pub mod read;
mod slots;
mod speeds;
#[cfg(test)]
mod tests;
mod transfers;

use hetsim_cluster::Noise;

use changes::SteadyParts;
pub use dependencies::{Dependencies, Pairing, ProcessPair, most_submitted};
pub use read::{LogFormat, LoggedTask, LoggedTransfer, TaskLog};
use slots::Overheads;
pub use slots::{MachineUse, Mean, Middle};
pub use transfers::TransferFit;

/// The least tasks of a type for a deviation of its own.
const FEW: usize = 10;

/// The least standard deviation of a logarithm, for clocks that are coarse.
const LEAST_DEVIATION: f64 = 1e-3;

/// A log as it was fitted.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskFit {
    /// The types of tasks, by their number in the log.
    pub kinds: Vec<KindFit>,
    /// The machines, by their number in the log.
    pub machines: Vec<MachineFit>,
    /// The distribution of a task's time after its type and its machine.
    pub noise: Noise,
    /// The coefficient of variation of a task after its type and its machine, over all types.
    pub variation: f64,
    /// Those of the turnarounds of all machines during which no other task started: nothing else kept the server. `None` if
    /// there are none.
    pub alone: Option<Middle>,
    /// The mean seconds from the end of a task to the next start on its slot, over all machines. Only for logs whose clock has
    /// whole seconds, where a median is off by up to one second.
    pub mean_turnaround: Option<Mean>,
    /// The mean seconds between two starts while a slot is free and a task waits; `None` without instants. It is no median, since
    /// a server that handles several requests at once starts tasks in bursts.
    pub between_starts: Option<Mean>,
    /// How data pass, by the transfers of the log or by what passes before tasks; `None` unless the log tells a bandwidth.
    pub transfers: Option<TransferFit>,
}

/// A type of tasks.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct KindFit {
    /// The tasks that succeeded and took time.
    pub tasks: usize,
    /// Those of them that were left out: outliers, and tasks that may have run while their machine changed its speed.
    pub outliers: usize,
    /// The mean seconds of a task on the median machine.
    pub seconds: f64,
    /// The 95 % interval of the seconds; `None` with too few tasks, or if it is not above 0.
    pub interval: Option<(f64, f64)>,
    /// The coefficient of variation of a task after its machine; 0 with too few tasks.
    pub variation: f64,
}

/// A machine.
#[derive(Debug, Clone, PartialEq)]
pub struct MachineFit {
    /// The tasks that succeeded and took time.
    pub tasks: usize,
    /// Its speed over that of the median machine; 1 if it is not known. If it changed, that of its fastest part, for all
    /// machines.
    pub speed: f64,
    /// The 95 % interval of the speed; `None` for the median machine and those of its group, and if there is nothing to
    /// tell it by.
    pub interval: Option<(f64, f64)>,
    /// The machines that do not differ from it, and share its speed, by the same number.
    pub group: usize,
    /// Whether its tasks tell its speed: it has types in common with the other machines, or there are none.
    pub is_compared: bool,
    /// Its slots and what they wait for.
    pub used: MachineUse,
    /// Its speed over time, in the order of instants, the first from 0 s on; empty if it did not change.
    pub parts: Vec<MachinePart>,
}

/// A machine from one change of its speed to the next.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MachinePart {
    /// The seconds from the first start of the log to the start of its first task. The change before was then, to within a
    /// task.
    pub from: f64,
    /// The tasks that succeeded and took time.
    pub tasks: usize,
    /// Its speed over that of the median machine, greater than 0.
    pub speed: f64,
    /// The 95 % interval of the speed; `None` if it does not differ from that of the median machine.
    pub interval: Option<(f64, f64)>,
}

impl MachineFit {
    /// The speed over that of the median machine so many seconds from the first start of the log.
    #[must_use]
    pub fn speed_at(&self, seconds: f64) -> f64 {
        self.parts.iter().rev().find(|part| part.from <= seconds).map_or(self.speed, |part| part.speed)
    }

    /// The mean speed over that of the median machine from one instant to another, in seconds from the first start of the
    /// log; at the first if that is the other.
    #[must_use]
    pub fn mean_speed(&self, from: f64, to: f64) -> f64 {
        if self.parts.is_empty() || to <= from {
            return self.speed_at(from);
        }
        // What lies before the first start is of the first part.
        let changes = || self.parts.iter().skip(1).map(|part| part.from);
        let bounds = [f64::NEG_INFINITY].into_iter().chain(changes()).zip(changes().chain([f64::INFINITY]));
        let done = self
            .parts
            .iter()
            .zip(bounds)
            .map(|(part, (begin, end))| part.speed * (end.min(to) - begin.max(from)).max(0.0));
        done.sum::<f64>() / (to - from)
    }
}

impl TaskFit {
    /// Fits a log; `None` if no task succeeded and took time.
    #[must_use]
    pub fn of(log: &TaskLog) -> Option<Self> {
        let Overheads { used, alone, mean_turnaround, between_starts, pauses } = slots::of(log);
        let mut fit = speeds::of(log, &SteadyParts::of(log, &used))?;
        fit.machines.iter_mut().zip(used).for_each(|(machine, used)| machine.used = used);
        let transfers = TransferFit::of(&log.transfers, &pauses);
        Some(Self { alone, mean_turnaround, between_starts, transfers, ..fit })
    }
}
