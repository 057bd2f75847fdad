//! Reads logs of task systems: which task ran where, from when to when.

mod condor;
mod csv;
mod dask;
mod nextflow;
mod parallel;
mod slurm;
#[cfg(test)]
mod tests;
mod time;
mod wfformat;

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::read::{MEASURABLE, ReadError};

/// The machine of a log that names none.
const ONLY_MACHINE: &str = "all";

/// The type of a task of a log that names none.
const ONLY_KIND: &str = "task";

/// A start may lie so many seconds before a submission: clocks of one second, rounded.
pub(super) const SLACK_S: f64 = 1.0;

/// Names by number, each once.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Numbered {
    names: Vec<String>,
    numbers: FxHashMap<String, u32>,
}

impl Numbered {
    fn number(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.names.len() as u32;
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        number
    }
}

/// A task as it was logged. Instants are seconds on the clock of the log.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct LoggedTask {
    /// The number of its type.
    pub kind: u32,
    /// The number of its machine.
    pub machine: u32,
    /// The number of what tells it from others of its type, such as its sample, if the log says so.
    pub tag: Option<u32>,
    /// The number of its slot, if the log names slots.
    pub slot: Option<u32>,
    /// Its cores, if the log says so.
    pub cores: Option<f64>,
    /// Whether it failed: then it took a slot, and its time says nothing about speed.
    pub has_failed: bool,
    /// When it was submitted.
    pub submitted: Option<f64>,
    /// When it started.
    pub started: Option<f64>,
    /// When it ended, if the log says so besides `seconds`.
    pub ended: Option<f64>,
    /// How long it ran, in seconds.
    pub seconds: f64,
    /// The bytes that it read and wrote, if the log says so.
    pub bytes: [Option<f64>; 2],
}

impl LoggedTask {
    /// When it ended, if the log says that or when it started.
    #[must_use]
    pub fn ended(&self) -> Option<f64> {
        self.ended.or_else(|| Some(self.started? + self.seconds))
    }

    /// Whether its time tells the speed of its machine: it succeeded and took time.
    #[must_use]
    pub fn tells_speed(&self) -> bool {
        !self.has_failed && self.seconds > 0.0
    }

    /// The bytes that it read and wrote, where one of them is 0 if the log says the other only; `None` if it says neither.
    #[must_use]
    pub fn bytes_or_zero(&self) -> Option<[f64; 2]> {
        self.bytes.iter().any(Option::is_some).then(|| self.bytes.map(Option::unwrap_or_default))
    }
}

/// A transfer of a task's files as it was logged.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LoggedTransfer {
    /// Whether they are what the task wrote; else what it reads.
    pub is_output: bool,
    /// Their bytes, 0 or more.
    pub bytes: f64,
    /// How long they were under way, in seconds, 0 or more.
    pub seconds: f64,
}

/// The tasks of some logs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TaskLog {
    /// The tasks, in the order of the files.
    pub tasks: Vec<LoggedTask>,
    /// The transfers of their files, if the log has such.
    pub transfers: Vec<LoggedTransfer>,
    /// How many entries of which sort were ignored, by what they are.
    pub ignored: BTreeMap<&'static str, usize>,
    /// Whether some of the logs may cut instants off to whole seconds.
    may_cut_off: bool,
    kinds: Numbered,
    machines: Numbered,
    slots: Numbered,
    tags: Numbered,
}

/// A format of logs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// The job log of GNU parallel.
    Parallel,
    /// The accounting of Slurm.
    Slurm,
    /// The trace of Nextflow.
    Nextflow,
    /// The task stream of Dask.
    Dask,
    /// The user log of `HTCondor`.
    Condor,
    /// The executions of `WfFormat`.
    Wfformat,
    /// A table with named columns.
    Csv,
}

impl LogFormat {
    /// All formats.
    pub const ALL: &[Self] =
        &[Self::Parallel, Self::Slurm, Self::Nextflow, Self::Dask, Self::Condor, Self::Wfformat, Self::Csv];

    /// The name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.words().0
    }

    /// What it is, in a line.
    #[must_use]
    pub const fn about(self) -> &'static str {
        self.words().1
    }

    const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Parallel => ("parallel", "GNU parallel's --joblog"),
            Self::Slurm => ("slurm", "Slurm's sacct --parsable2"),
            Self::Nextflow => ("nextflow", "Nextflow's trace.txt"),
            Self::Dask => ("dask", "Dask's task stream as JSON"),
            Self::Condor => ("htcondor", "HTCondor's user log"),
            Self::Wfformat => ("wfformat", "WfFormat with an execution, as WfCommons has it"),
            Self::Csv => ("csv", "a CSV with a row a task"),
        }
    }

    /// The format that a text seems to have.
    fn of(text: &str) -> Option<Self> {
        let first = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'))?;
        let has = |separator: char, title: &str| first.split(separator).any(|cell| cell == title);
        match first {
            _ if first.starts_with('{') => Some(Self::Wfformat),
            _ if first.starts_with('[') => Some(Self::Dask),
            _ if condor::is_event(first) => Some(Self::Condor),
            _ if has('\t', "JobRuntime") => Some(Self::Parallel),
            _ if has('|', "JobID") => Some(Self::Slurm),
            _ if has('\t', "realtime") => Some(Self::Nextflow),
            _ if first.contains(',') => Some(Self::Csv),
            _ => None,
        }
    }
}

impl TaskLog {
    /// Reads one more log, of `format` or of the one that the text seems to have, which is returned. `columns` renames
    /// columns of a CSV: what is meant, and its title in the file.
    ///
    /// # Errors
    /// The first entry that cannot be used, with its line, its column and what is expected there; a column that is
    /// missing; no task.
    pub fn read(
        &mut self,
        text: &str,
        format: Option<LogFormat>,
        columns: &[(String, String)],
    ) -> Result<LogFormat, ReadError> {
        let before = self.tasks.len();
        let Some(format) = format.or_else(|| LogFormat::of(text)) else {
            let known: Vec<&str> = LogFormat::ALL.iter().map(|format| format.about()).collect();
            return Err(ReadError::at(0, format!("this is no log of tasks that is known: {}", known.join("; "))));
        };
        if format != LogFormat::Csv && !columns.is_empty() {
            return Err(ReadError::at(0, format!("this is {}, whose columns have their names", format.about())));
        }
        match format {
            LogFormat::Parallel => parallel::read(text, self)?,
            LogFormat::Slurm => slurm::read(text, self)?,
            LogFormat::Nextflow => nextflow::read(text, self)?,
            LogFormat::Dask => dask::read(text, self)?,
            LogFormat::Condor => condor::read(text, self)?,
            LogFormat::Wfformat => wfformat::read(text, self)?,
            LogFormat::Csv => csv::read(text, self, columns)?,
        }
        if self.tasks.len() == before {
            return Err(ReadError::at(0, "there is no task that ran to its end"));
        }
        // Whole numbers of a CSV may be what they say.
        self.may_cut_off |= matches!(format, LogFormat::Slurm | LogFormat::Condor);
        Ok(format)
    }

    /// The first start of a task that tells speed, in seconds on the clock of the log; `None` without instants.
    #[must_use]
    pub fn begin(&self) -> Option<f64> {
        let starts = self.tasks.iter().filter(|task| task.tells_speed()).filter_map(|task| task.started);
        starts.min_by(f64::total_cmp)
    }

    /// The step of the clock in seconds, if it cuts instants off to whole seconds; else 0.
    #[must_use]
    pub fn clock(&self) -> f64 {
        let is_whole = |task: &LoggedTask| {
            task.started.is_some_and(|started| started.fract() == 0.0) && task.seconds.fract() == 0.0
        };
        f64::from(u8::from(self.may_cut_off && self.tasks.iter().all(is_whole)))
    }

    /// The names of types, by number.
    #[must_use]
    pub fn kinds(&self) -> &[String] {
        &self.kinds.names
    }

    /// The names of machines, by number.
    #[must_use]
    pub fn machines(&self) -> &[String] {
        &self.machines.names
    }

    /// What tells tasks of a type from each other, by number.
    #[must_use]
    pub fn tags(&self) -> &[String] {
        &self.tags.names
    }

    fn kind(&mut self, name: &str) -> u32 {
        self.kinds.number(if name.is_empty() { ONLY_KIND } else { name })
    }

    fn machine(&mut self, name: &str) -> u32 {
        self.machines.number(if name.is_empty() { ONLY_MACHINE } else { name })
    }

    /// Adds a task; the error says what is wrong with its times.
    fn push(&mut self, task: LoggedTask) -> Result<(), String> {
        let taken = task.started.zip(task.ended).map_or(task.seconds, |(started, ended)| ended - started);
        let seconds = task.seconds.min(taken);
        if seconds < 0.0 {
            return Err(format!("the task ends {:.3} s before it starts", -seconds));
        }
        if !task.seconds.is_finite() || task.seconds > *MEASURABLE.end() {
            return Err("the task lasts longer than can be reckoned with".to_owned());
        }
        if task.seconds > 0.0 && task.seconds < *MEASURABLE.start() {
            return Err("the task is shorter than can be reckoned with".to_owned());
        }
        let early = task.submitted.zip(task.started).map_or(0.0, |(submitted, started)| submitted - started);
        if early > SLACK_S {
            return Err(format!("the task starts {early:.3} s before it was submitted: a clock runs backwards"));
        }
        if task.has_failed {
            self.ignore("failed tasks, but for their slots");
        } else if task.seconds == 0.0 {
            self.ignore("tasks too short for the clock, but for their slots and the farm");
        }
        self.tasks.push(task);
        Ok(())
    }

    fn ignore(&mut self, what: &'static str) {
        *self.ignored.entry(what).or_default() += 1;
    }
}
