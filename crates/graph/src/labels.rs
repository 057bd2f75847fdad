//! Labels of tasks, many tasks the same: their types, such as `gemm` or `mProject`, and the machines on which they ran.

use rustc_hash::FxHashMap;

/// The label of each task that has one.
#[derive(Debug, Clone, Default)]
pub(super) struct Labels {
    names: Vec<String>,
    numbers: FxHashMap<String, u32>,
    /// By task, the number of its label, or [`NONE`]; tasks after the last that has a label are missing.
    of: Vec<u32>,
}

/// Stands for the label of a task without one.
const NONE: u32 = u32::MAX;

impl Labels {
    /// The number of a label, which is new if no task has it yet.
    pub(super) fn number(&mut self, name: &str) -> u32 {
        self.numbers.get(name).copied().unwrap_or_else(|| {
            let number = self.names.len() as u32;
            self.names.push(name.to_owned());
            self.numbers.insert(name.to_owned(), number);
            number
        })
    }

    /// Gives a task a label.
    pub(super) fn set(&mut self, task: u32, name: &str) {
        let number = self.number(name);
        if self.of.len() <= task as usize {
            self.of.resize(task as usize + 1, NONE);
        }
        self.of[task as usize] = number;
    }

    /// All labels, by their numbers.
    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// The number of a task's label.
    pub(super) fn get(&self, task: u32) -> Option<u32> {
        self.of.get(task as usize).copied().filter(|&number| number != NONE)
    }

    /// The name of a task's label.
    pub(super) fn name(&self, task: u32) -> Option<&str> {
        self.get(task).map(|number| self.names[number as usize].as_str())
    }
}

/// Labels are equal that say the same of each task, however they are numbered.
impl PartialEq for Labels {
    fn eq(&self, other: &Self) -> bool {
        let tasks = self.of.len().max(other.of.len()) as u32;
        (0..tasks).all(|task| self.name(task) == other.name(task))
    }
}
