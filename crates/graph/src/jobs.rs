//! The jobs of a graph: parts that arrive one after the other, such as the workflows that users submit to a cluster.

use std::ops::Range;

use super::{Builder, CostMatrix, GraphError, TaskGraph};

/// The jobs of a graph, by rising arrival. The tasks of a job follow one another in number, and no edge leads from job to
/// job. A graph of which nothing else is said is one job that is there from the start.
#[derive(Debug, Clone, PartialEq)]
pub struct Jobs {
    arrivals_s: Vec<f64>,
    /// The number after the last task of each job.
    ends: Vec<u32>,
}

impl Jobs {
    /// Jobs of `tasks` tasks by their arrivals and first tasks; without any, one job at time 0.
    pub(super) fn new(begun: &[(f64, u32)], tasks: u32) -> Self {
        if begun.is_empty() {
            return Self { arrivals_s: vec![0.0], ends: vec![tasks] };
        }
        let ends = begun.iter().skip(1).map(|&(_, first)| first).chain([tasks]);
        Self { arrivals_s: begun.iter().map(|&(arrival_s, _)| arrival_s).collect(), ends: ends.collect() }
    }

    /// The number of jobs, at least 1.
    #[must_use]
    pub fn count(&self) -> usize {
        self.ends.len()
    }

    /// Whether any job comes later than at the start, or beside another.
    #[must_use]
    pub fn is_stream(&self) -> bool {
        self.count() > 1 || self.arrivals_s[0] > 0.0
    }

    /// When a job arrives, in seconds from the start.
    #[must_use]
    pub fn arrival_s(&self, job: usize) -> f64 {
        self.arrivals_s[job]
    }

    /// The tasks of a job.
    #[must_use]
    pub fn tasks(&self, job: usize) -> Range<u32> {
        job.checked_sub(1).map_or(0, |before| self.ends[before])..self.ends[job]
    }

    /// The job of a task.
    #[must_use]
    pub fn of(&self, task: u32) -> usize {
        self.ends.partition_point(|&end| end <= task)
    }
}

impl TaskGraph {
    /// The jobs that the tasks belong to.
    #[must_use]
    pub const fn jobs(&self) -> &Jobs {
        &self.jobs
    }

    /// Joins graphs that arrive as jobs, each with its time in seconds, into one. Names are preceded by the number of the
    /// job: `2/blast`.
    ///
    /// # Errors
    /// Times that fall or are negative or infinite, cost matrices of different sizes, or too much in all.
    pub fn stream<'a>(jobs: impl IntoIterator<Item = (f64, &'a Self)>) -> Result<Self, GraphError> {
        let mut all = Builder::new();
        let mut times: Option<(u32, Vec<f64>)> = None;
        for (number, (arrival_s, graph)) in jobs.into_iter().enumerate() {
            all.arrive(arrival_s)?;
            let first = all.tasks() as u32;
            for task in graph.ids() {
                let name = graph.name(task).map(|name| format!("{number}/{name}"));
                let own = all.named_task(name.as_deref().unwrap_or_default(), graph.operations(task))?;
                all.task_type(own, graph.type_name(task).unwrap_or_default())?;
                if graph.has_files() {
                    all.file_bytes(own, graph.read_bytes(task), graph.written_bytes(task))?;
                }
            }
            for edge in graph.edges() {
                all.edge(first + edge.from, first + edge.to, edge.bytes)?;
            }
            if let Some(matrix) = graph.seconds() {
                let (processors, seconds) = times.get_or_insert_with(|| (matrix.processors(), Vec::new()));
                if *processors != matrix.processors() {
                    return Err(GraphError::MatrixShape { values: matrix.row(0).len(), processors: *processors });
                }
                graph.ids().for_each(|task| seconds.extend(matrix.row(task)));
            }
        }
        if let Some((processors, seconds)) = times {
            all.seconds(CostMatrix::new(processors, seconds)?);
        }
        all.build()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(name: &str) -> TaskGraph {
        let mut graph = Builder::new();
        let (a, b) = (graph.named_task(name, 1.0).unwrap(), graph.task(2.0).unwrap());
        graph.task_type(a, "first").unwrap();
        graph.edge(a, b, 7).unwrap();
        graph.build().unwrap()
    }

    #[test]
    fn graphs_join_as_jobs() {
        let (one, two) = (pair("a"), pair("b"));
        assert!(!one.jobs().is_stream() && one.jobs().tasks(0) == (0..2));
        let all = TaskGraph::stream([(0.5, &one), (0.5, &two), (3.0, &one)]).unwrap();
        let jobs = all.jobs();
        assert!(jobs.is_stream());
        assert_eq!((jobs.count(), jobs.tasks(1), jobs.arrival_s(2)), (3, 2..4, 3.0));
        assert_eq!((0..6).map(|task| jobs.of(task)).collect::<Vec<_>>(), [0, 0, 1, 1, 2, 2]);
        assert_eq!(
            all.edges().map(|edge| (edge.from, edge.to, edge.bytes)).collect::<Vec<_>>(),
            [(0, 1, 7), (2, 3, 7), (4, 5, 7)]
        );
        assert_eq!([all.name(2), all.name(3), all.type_name(4)], [Some("1/b"), None, Some("first")]);
    }

    #[test]
    fn jobs_come_by_rising_arrival_and_apart() {
        let one = pair("a");
        for wrong in [-1.0, f64::NAN, f64::INFINITY, 1.0] {
            let error = TaskGraph::stream([(2.0, &one), (wrong, &one)]).unwrap_err();
            assert!(matches!(error, GraphError::BadArrival { .. }), "{error}");
        }
        let mut graph = Builder::new();
        for arrival_s in [0.0, 1.0] {
            graph.arrive(arrival_s).unwrap();
            graph.task(1.0).unwrap();
        }
        graph.edge(0, 1, 0).unwrap();
        assert_eq!(graph.build().unwrap_err().to_string(), "the edge 0 → 1 leads from one job to another");
    }
}
