//! Workflows whose tasks exchange files: an edge carries the files that its first task writes and its second reads.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use crate::{Builder, GraphError};

/// The files of a workflow by number, with their readers and writers.
#[derive(Debug, Default)]
pub(super) struct Files<'a> {
    numbers: FxHashMap<Cow<'a, str>, u32>,
    sizes: Vec<Option<u64>>,
    written: Vec<Vec<u32>>,
    read: Vec<Vec<u32>>,
}

impl<'a> Files<'a> {
    /// No files yet, for this many tasks.
    pub(super) fn new(tasks: usize) -> Self {
        Self { written: vec![Vec::new(); tasks], read: vec![Vec::new(); tasks], ..Self::default() }
    }

    /// The number of a file by its name.
    fn number(&mut self, name: Cow<'a, str>) -> u32 {
        if let Some(&number) = self.numbers.get(&name) {
            return number;
        }
        let number = self.sizes.len() as u32;
        self.numbers.insert(name, number);
        self.sizes.push(None);
        number
    }

    /// Sets the size of a file. The first size stays.
    ///
    /// # Errors
    /// A sentence if the file already has another size.
    pub(super) fn size(&mut self, name: impl Into<Cow<'a, str>>, bytes: u64) -> Result<(), String> {
        let number = self.number(name.into());
        match *self.sizes[number as usize].get_or_insert(bytes) {
            known if known == bytes => Ok(()),
            known => Err(format!("the file {:?} has {bytes} bytes here and {known} bytes before", self.name(number))),
        }
    }

    /// Notes that a task writes a file.
    pub(super) fn write(&mut self, task: u32, name: impl Into<Cow<'a, str>>) {
        let number = self.number(name.into());
        self.written[task as usize].push(number);
    }

    /// Notes that a task reads a file.
    pub(super) fn read(&mut self, task: u32, name: impl Into<Cow<'a, str>>) {
        let number = self.number(name.into());
        self.read[task as usize].push(number);
    }

    /// Sorts the lists for the search and removes duplicates. Call it once after the last file.
    pub(super) fn sort(&mut self) {
        for list in self.written.iter_mut().chain(&mut self.read) {
            list.sort_unstable();
            list.dedup();
        }
    }

    /// The bytes that one task writes and another reads; zero if they share no file. Looks up the shorter list in the
    /// longer.
    ///
    /// # Errors
    /// A sentence if a shared file has no size or all of them together are too large.
    pub(super) fn between(&self, from: u32, to: u32) -> Result<u64, String> {
        let (written, read) = (&self.written[from as usize], &self.read[to as usize]);
        let (few, many) = if written.len() < read.len() { (written, read) } else { (read, written) };
        let mut sum = 0u64;
        for file in few {
            if many.binary_search(file).is_err() {
                continue;
            }
            let Some(bytes) = self.sizes[*file as usize] else {
                return Err(format!("the file {:?} passes between tasks but has no size", self.name(*file)));
            };
            sum = sum.checked_add(bytes).ok_or("the files between two tasks have 2^64 bytes or more")?;
        }
        Ok(sum)
    }

    /// Adds the files to a graph that has their tasks. A file without a size is empty.
    pub(super) fn add_to(&self, graph: &mut Builder) -> Result<(), GraphError> {
        for size in &self.sizes {
            graph.file(size.unwrap_or_default())?;
        }
        for (task, (read, written)) in (0..).zip(self.read.iter().zip(&self.written)) {
            read.iter().try_for_each(|&file| graph.reads(task, file))?;
            written.iter().try_for_each(|&file| graph.writes(task, file))?;
        }
        Ok(())
    }

    fn name(&self, number: u32) -> &str {
        self.numbers.iter().find(|(_, of)| **of == number).map_or("", |(name, _)| name)
    }
}
