//! The types of tasks: what program a task runs, such as `gemm` or `mProject`, many tasks the same.

use rustc_hash::FxHashMap;

/// The type of each task that has one.
#[derive(Debug, Clone, Default)]
pub(super) struct Types {
    names: Vec<String>,
    numbers: FxHashMap<String, u32>,
    /// By task, the number of its type, or [`NONE`]; tasks after the last that has a type are missing.
    of: Vec<u32>,
}

/// Stands for the type of a task without one.
const NONE: u32 = u32::MAX;

impl Types {
    /// Gives a task a type.
    pub(super) fn set(&mut self, task: u32, name: &str) {
        let number = self.numbers.get(name).copied().unwrap_or_else(|| {
            let number = self.names.len() as u32;
            self.names.push(name.to_owned());
            self.numbers.insert(name.to_owned(), number);
            number
        });
        if self.of.len() <= task as usize {
            self.of.resize(task as usize + 1, NONE);
        }
        self.of[task as usize] = number;
    }

    /// All types, by their numbers.
    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// The number of a task's type.
    pub(super) fn get(&self, task: u32) -> Option<u32> {
        self.of.get(task as usize).copied().filter(|&number| number != NONE)
    }

    /// The name of a task's type.
    pub(super) fn name(&self, task: u32) -> Option<&str> {
        self.get(task).map(|number| self.names[number as usize].as_str())
    }
}

/// Types are equal that say the same of each task, however they are numbered.
impl PartialEq for Types {
    fn eq(&self, other: &Self) -> bool {
        let tasks = self.of.len().max(other.of.len()) as u32;
        (0..tasks).all(|task| self.name(task) == other.name(task))
    }
}
