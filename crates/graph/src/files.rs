//! The files that tasks read and write, where the edges don't say that: files from outside count, and a file that several
//! tasks read is written once.

use super::{Edge, GraphError, TaskGraph};

/// The files by number, and the tasks that use them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct TaskFiles {
    /// In bytes.
    sizes: Vec<u64>,
    read: Uses,
    written: Uses,
}

/// The files that each task uses in one way.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Uses {
    /// Task and file, in rising order once they are sorted.
    pairs: Vec<(u32, u32)>,
    /// Where the files of each task start among the pairs; one more entry at the end.
    starts: Vec<u32>,
}

impl Uses {
    /// Sorts the uses of this many tasks. One that is named twice counts once.
    fn sort(&mut self, tasks: usize) -> Result<(), GraphError> {
        self.pairs.sort_unstable();
        self.pairs.dedup();
        u32::try_from(self.pairs.len()).map_err(|_| GraphError::TooMany { what: "uses of files" })?;
        // They are fewer than 2³².
        self.starts = (0..=tasks as u32).map(|task| self.pairs.partition_point(|&(of, _)| of < task) as u32).collect();
        Ok(())
    }

    /// A task with each of its files.
    fn pairs_of(&self, task: u32) -> &[(u32, u32)] {
        &self.pairs[self.starts[task as usize] as usize..self.starts[task as usize + 1] as usize]
    }

    /// The files of a task.
    fn of(&self, task: u32) -> impl Iterator<Item = u32> + Clone + '_ {
        self.pairs_of(task).iter().map(|&(_, file)| file)
    }
}

impl TaskFiles {
    /// Adds a file and returns its number.
    pub(super) fn add(&mut self, bytes: u64) -> Result<u32, GraphError> {
        let number = u32::try_from(self.sizes.len()).map_err(|_| GraphError::TooMany { what: "files" })?;
        self.sizes.push(bytes);
        Ok(number)
    }

    /// Has a task read or write a file.
    pub(super) fn used(&mut self, task: u32, file: u32, is_written: bool) -> Result<(), GraphError> {
        if file as usize >= self.sizes.len() {
            return Err(GraphError::UnknownFile { file, files: self.sizes.len() });
        }
        let uses = if is_written { &mut self.written } else { &mut self.read };
        uses.pairs.push((task, file));
        Ok(())
    }

    /// Ends the adding of files to this many tasks.
    pub(super) fn sort(&mut self, tasks: usize) -> Result<(), GraphError> {
        for uses in [&mut self.read, &mut self.written] {
            uses.sort(tasks)?;
            for own in uses.pairs.chunk_by(|a, b| a.0 == b.0) {
                let sum = own.iter().try_fold(0u64, |sum, &(_, file)| sum.checked_add(self.sizes[file as usize]));
                sum.ok_or(GraphError::BadFiles { task: own[0].0 })?;
            }
        }
        Ok(())
    }

    /// The same files of another size, rounded to whole bytes. Returns `None` where one overflows.
    pub(super) fn scaled(mut self, factor: f64) -> Option<Self> {
        for bytes in &mut self.sizes {
            *bytes = super::whole_bytes(*bytes as f64 * factor)?;
        }
        Some(self)
    }

    /// Whether each file that is not empty passes from one task to one other.
    fn pass_once(&self) -> bool {
        [&self.read, &self.written].iter().all(|uses| {
            let mut times = vec![0u32; self.sizes.len()];
            uses.pairs.iter().for_each(|&(_, file)| times[file as usize] += 1);
            times.iter().zip(&self.sizes).all(|(&times, &bytes)| times == 1 || bytes == 0)
        })
    }
}

impl TaskGraph {
    /// Whether tasks read or write anything but what the edges say.
    #[must_use]
    pub const fn has_files(&self) -> bool {
        self.files.is_some()
    }

    /// Whether each edge carries the files that its first task writes and its second reads; so it does without files.
    #[must_use]
    pub fn files_tell_edges(&self) -> bool {
        let Some(files) = &self.files else { return true };
        self.edges().all(|edge| {
            let (written, read) = (files.written.pairs_of(edge.from), files.read.pairs_of(edge.to));
            let (few, many) = if written.len() < read.len() { (written, read) } else { (read, written) };
            let is_shared = |file: &u32| many.binary_search_by_key(file, |&(_, other)| other).is_ok();
            let shared = few.iter().filter(|(_, file)| is_shared(file));
            shared.map(|&(_, file)| files.sizes[file as usize]).sum::<u64>() == edge.bytes
        })
    }

    /// The bytes of each file, by number; none where the edges say what tasks read and write.
    #[must_use]
    pub fn file_sizes(&self) -> &[u64] {
        self.files.as_ref().map_or(&[], |files| &files.sizes)
    }

    /// The files that a task reads, each with its bytes: its own, or one for each edge that enters it, with the edge's number.
    pub fn files_read(&self, task: u32) -> impl Iterator<Item = (u32, u64)> + '_ {
        self.files_or(self.predecessors(task), move |files| files.read.of(task))
    }

    /// The files that a task writes, each with its bytes: its own, or one for each edge that leaves it, with the edge's number.
    pub fn files_written(&self, task: u32) -> impl Iterator<Item = (u32, u64)> + '_ {
        self.files_or(self.successors(task), move |files| files.written.of(task))
    }

    /// Some files with their bytes; or these edges, where there are no files.
    fn files_or<'g, I: Iterator<Item = u32> + 'g>(
        &'g self,
        edges: impl Iterator<Item = Edge> + 'g,
        of: impl FnOnce(&'g TaskFiles) -> I,
    ) -> impl Iterator<Item = (u32, u64)> + 'g {
        let edges = self.files.is_none().then(|| edges.map(|edge| (edge.id, edge.bytes)));
        let files = self.files.as_deref().map(|files| of(files).map(|file| (file, files.sizes[file as usize])));
        edges.into_iter().flatten().chain(files.into_iter().flatten())
    }

    /// The bytes that a task reads; at most 2⁶⁴ − 1.
    #[must_use]
    pub fn read_bytes(&self, task: u32) -> u64 {
        self.files_read(task).fold(0, |sum, (_, bytes)| sum.saturating_add(bytes))
    }

    /// The bytes that a task writes; at most 2⁶⁴ − 1.
    #[must_use]
    pub fn written_bytes(&self, task: u32) -> u64 {
        self.files_written(task).fold(0, |sum, (_, bytes)| sum.saturating_add(bytes))
    }

    /// Forgets the files where the edges say the same.
    pub(super) fn simplify_files(&mut self) {
        let Some(files) = self.files.take_if(|files| files.pass_once()) else { return };
        let edges = |graph: &Self, task| (graph.read_bytes(task), graph.written_bytes(task));
        let of_edges: Vec<_> = self.ids().map(|task| edges(self, task)).collect();
        self.files = Some(files);
        if self.ids().zip(of_edges).all(|(task, of_edges)| edges(self, task) == of_edges) {
            self.files = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Builder;
    use super::*;

    /// Two tasks and an edge of 7 B.
    fn pair() -> Builder {
        let mut graph = Builder::new();
        let (a, b) = (graph.task(1.0).unwrap(), graph.task(2.0).unwrap());
        graph.edge(a, b, 7).unwrap();
        graph
    }

    fn files(graph: &TaskGraph) -> Vec<[Vec<(u32, u64)>; 2]> {
        graph.ids().map(|task| [graph.files_read(task).collect(), graph.files_written(task).collect()]).collect()
    }

    /// Two tasks that read the same 10 B from outside, and pass 7 B.
    fn shared() -> TaskGraph {
        let mut graph = pair();
        let (outside, passed) = (graph.file(10).unwrap(), graph.file(7).unwrap());
        for (task, file) in [(1, passed), (0, outside), (1, outside), (0, outside)] {
            graph.reads(task, file).unwrap();
        }
        graph.writes(0, passed).unwrap();
        graph.build().unwrap()
    }

    #[test]
    fn a_file_counts_once_a_task() {
        let shared = shared();
        assert!(shared.has_files());
        assert_eq!(files(&shared), [[vec![(0, 10)], vec![(1, 7)]], [vec![(0, 10), (1, 7)], vec![]]]);
        assert_eq!((shared.read_bytes(1), shared.written_bytes(0)), (17, 7));
        assert!(shared.files_tell_edges() && pair().build().unwrap().files_tell_edges());
        let double = shared.scaled(1.0, 2.0).unwrap();
        assert_eq!((double.read_bytes(1), double.bytes(0)), (34, 14));
    }

    #[test]
    fn edges_are_files_where_none_are_said() {
        let edges = [[vec![], vec![(0, 7)]], [vec![(0, 7)], vec![]]];
        assert_eq!(files(&pair().build().unwrap()), edges);
        // A file that says the same as the edge is forgotten; one that is read from outside too is not.
        let mut same = pair();
        let file = same.file(7).unwrap();
        same.writes(0, file).unwrap();
        same.reads(1, file).unwrap();
        assert_eq!(same.clone().build().unwrap(), pair().build().unwrap());
        same.reads(0, file).unwrap();
        assert!(same.build().unwrap().has_files());
    }

    #[test]
    fn jobs_have_files_of_their_own() {
        let (with, without) = (shared(), pair().build().unwrap());
        let all = TaskGraph::stream([(0.0, &without), (1.0, &with), (2.0, &with)]).unwrap();
        let [edge, first, second] = [&files(&all)[..2], &files(&all)[2..4], &files(&all)[4..]];
        assert_eq!(edge, [[vec![], vec![(0, 7)]], [vec![(0, 7)], vec![]]]);
        assert_eq!(first, [[vec![(1, 10)], vec![(2, 7)]], [vec![(1, 10), (2, 7)], vec![]]]);
        assert_eq!(second, [[vec![(3, 10)], vec![(4, 7)]], [vec![(3, 10), (4, 7)], vec![]]]);
    }

    #[test]
    fn files_that_cannot_be_are_refused() {
        let mut graph = pair();
        assert_eq!(graph.reads(0, 0).unwrap_err().to_string(), "there is no file 0: the graph has 0 files");
        let large = [graph.file(u64::MAX).unwrap(), graph.file(1).unwrap()];
        assert!(graph.writes(2, large[0]).is_err());
        for file in large {
            graph.writes(1, file).unwrap();
        }
        assert_eq!(graph.build().unwrap_err().to_string(), "the files of task 1 have 2^64 bytes or more");
    }
}
