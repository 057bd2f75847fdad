//! Task names in one string, so that a million names take two allocations.

/// A name for each task; an empty one means no name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Names {
    text: String,
    /// The end of each name.
    ends: Vec<u32>,
}

impl Names {
    /// Adds the next task's name. Returns false if all names together exceed 4 GiB.
    pub(super) fn push(&mut self, name: &str) -> bool {
        let Ok(end) = u32::try_from(self.text.len() + name.len()) else { return false };
        self.text.push_str(name);
        self.ends.push(end);
        true
    }

    /// Empty names for this many tasks.
    pub(super) fn blank(tasks: usize) -> Self {
        Self { text: String::new(), ends: vec![0; tasks] }
    }

    /// The name of a task; `None` if it is empty.
    pub(super) fn get(&self, task: u32) -> Option<&str> {
        let index = task as usize;
        let end = *self.ends.get(index)? as usize;
        let start = if index == 0 { 0 } else { self.ends[index - 1] as usize };
        Some(&self.text[start..end]).filter(|name| !name.is_empty())
    }
}
