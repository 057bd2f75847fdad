//! Graphs that arrive as jobs, joined into one.

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;

use super::{Builder, CostMatrix, GraphError, TaskGraph};

impl TaskGraph {
    /// Joins graphs that arrive as jobs, each with its time in seconds, into one. Names are preceded by the number of the
    /// job: `2/blast`.
    ///
    /// # Errors
    /// Times that fall or are negative or infinite, cost matrices of different sizes, or too much in all.
    pub fn stream<'a>(jobs: impl IntoIterator<Item = (f64, &'a Self)>) -> Result<Self, GraphError> {
        let mut all = Builder::new();
        let mut times: Option<(u32, Vec<f64>)> = None;
        let jobs: Vec<_> = jobs.into_iter().collect();
        let has_files = jobs.iter().any(|(_, graph)| graph.has_files());
        for (number, (arrival_s, graph)) in jobs.into_iter().enumerate() {
            all.arrive(arrival_s)?;
            let first = all.tasks() as u32;
            all.declare_machines(graph.machines().iter().map(String::as_str));
            for task in graph.ids() {
                let name = graph.name(task).map(|name| format!("{number}/{name}"));
                let own = all.named_task(name.as_deref().unwrap_or_default(), graph.operations(task))?;
                all.task_type(own, graph.type_name(task).unwrap_or_default())?;
                all.machine(own, graph.machine_name(task).unwrap_or_default())?;
            }
            if has_files {
                all.add_files(first, graph)?;
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

impl Builder {
    /// Adds the files of a graph whose tasks were added from a number on.
    fn add_files(&mut self, first: u32, graph: &TaskGraph) -> Result<(), GraphError> {
        let mut numbers = FxHashMap::default();
        let mut number = |all: &mut Self, (file, bytes)| match numbers.entry(file) {
            Entry::Occupied(known) => Ok(*known.get()),
            Entry::Vacant(new) => all.file(bytes).map(|number| *new.insert(number)),
        };
        for task in graph.ids() {
            for file in graph.files_read(task) {
                let file = number(self, file)?;
                self.reads(first + task, file)?;
            }
            for file in graph.files_written(task) {
                let file = number(self, file)?;
                self.writes(first + task, file)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(name: &str) -> TaskGraph {
        let mut graph = Builder::new();
        let (a, b) = (graph.named_task(name, 1.0).unwrap(), graph.task(2.0).unwrap());
        graph.task_type(a, "first").unwrap();
        graph.declare_machines(["unused", name]);
        graph.machine(b, name).unwrap();
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
        assert_eq!((all.machines(), all.machine_of(1)), (&["unused", "a", "b"].map(String::from)[..], Some(1)));
        assert_eq!([all.machine_name(2), all.machine_name(3), all.machine_name(5)], [None, Some("b"), Some("a")]);
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
