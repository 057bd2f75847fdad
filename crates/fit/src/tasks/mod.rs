//! Machines and task systems from logs: how fast each machine is, how tasks vary, and what the system takes.
//!
//! A [`TaskLog`] is read from logs of several systems. [`TaskFit::of`] finds the speeds of machines and the noise of
//! tasks (`speeds`), and slots, overheads and the rate of starts (`slots`).

pub mod read;
mod slots;
mod speeds;
#[cfg(test)]
mod tests;

use hetsim_cluster::Noise;

pub use read::{LogFormat, LoggedTask, TaskLog};
pub use slots::{MachineUse, Middle};

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
    /// The seconds between two starts while a slot is free and a task waits; `None` without instants.
    pub between_starts: Option<Middle>,
}

/// A type of tasks.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct KindFit {
    /// The tasks that succeeded and took time.
    pub tasks: usize,
    /// Those of them that were left out.
    pub outliers: usize,
    /// The mean seconds of a task on the median machine.
    pub seconds: f64,
    /// The 95 % interval of the seconds; `None` with too few tasks.
    pub interval: Option<(f64, f64)>,
    /// The coefficient of variation of a task after its machine; 0 with too few tasks.
    pub variation: f64,
}

/// A machine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MachineFit {
    /// The tasks that succeeded and took time.
    pub tasks: usize,
    /// Its speed over that of the median machine; 1 if it is not known.
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
}

impl TaskFit {
    /// Fits a log; `None` if no task succeeded and took time.
    #[must_use]
    pub fn of(log: &TaskLog) -> Option<Self> {
        let mut fit = speeds::of(log)?;
        let (used, between_starts) = slots::of(log);
        fit.machines.iter_mut().zip(used).for_each(|(machine, used)| machine.used = used);
        Some(Self { between_starts, ..fit })
    }
}
