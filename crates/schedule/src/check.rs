//! Checks whether a schedule is valid. The check shares no code with the schedulers.

use std::cmp::Reverse;

use thiserror::Error;

use super::{CostError, Costs, Schedule};
use hetsim_base::units::Time;
use hetsim_graph::TaskGraph;

/// The reason why a schedule is invalid. Tasks are given by their labels; times are in ticks.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ScheduleError {
    /// The costs belong to another graph.
    #[error(transparent)]
    Costs(#[from] CostError),
    /// The schedule was made for another graph.
    #[error("the schedule has {scheduled} tasks and the graph has {tasks}")]
    Tasks {
        /// The number of tasks in the schedule.
        scheduled: usize,
        /// The number of tasks in the graph.
        tasks: usize,
    },
    /// The processor does not exist.
    #[error("task {task} is on processor {processor}; there are {processors}, numbered from 0")]
    UnknownProcessor {
        /// The task.
        task: String,
        /// The processor of the schedule.
        processor: u32,
        /// The number of processors.
        processors: u32,
    },
    /// A task has the wrong duration.
    #[error("task {task} lasts from {start} to {finish} on processor {processor}, where it takes {duration}")]
    Duration {
        /// The task.
        task: String,
        /// Its processor.
        processor: u32,
        /// The start of the task.
        start: u64,
        /// The end of the task.
        finish: u64,
        /// The duration of the task on its processor.
        duration: u64,
    },
    /// A task starts before its data have arrived.
    #[error("task {to} starts at {start}, but its data from task {from} arrive at {arrival}")]
    TooEarly {
        /// The predecessor, which sends the data.
        from: String,
        /// The successor, which waits for the data.
        to: String,
        /// The start of the successor.
        start: u64,
        /// The arrival of the data.
        arrival: u64,
    },
    /// Two tasks overlap on one processor.
    #[error(
        "tasks {first} and {second} overlap on processor {processor}: one ends at {finish}, the other starts at {start}"
    )]
    Overlap {
        /// The task that starts first.
        first: String,
        /// The task that starts second.
        second: String,
        /// Their processor.
        processor: u32,
        /// The end of the first task.
        finish: u64,
        /// The start of the second task.
        start: u64,
    },
}

impl Schedule {
    /// Checks that every task has the right duration, starts after its data have arrived, and has its processor to
    /// itself. A task of zero duration takes no room but must not lie inside another task. O((n + e) log n).
    ///
    /// # Errors
    /// The first error found.
    pub fn check(&self, graph: &TaskGraph, costs: &Costs) -> Result<(), ScheduleError> {
        costs.fit(graph)?;
        let (scheduled, tasks) = (self.tasks(), graph.tasks());
        if scheduled != tasks {
            return Err(ScheduleError::Tasks { scheduled, tasks });
        }
        for task in graph.ids() {
            self.check_task(task, graph, costs)?;
        }
        for edge in graph.edges() {
            let travel = costs.transfer(edge.id, self.processor(edge.from), self.processor(edge.to));
            let (arrival, start) = (self.finish(edge.from) + travel, self.start(edge.to));
            if start < arrival {
                let (from, to) = (graph.label(edge.from), graph.label(edge.to));
                return Err(ScheduleError::TooEarly { from, to, start: start.0, arrival: arrival.0 });
            }
        }
        self.check_exclusive(graph)
    }

    fn check_task(&self, task: u32, graph: &TaskGraph, costs: &Costs) -> Result<(), ScheduleError> {
        let (processor, processors) = (self.processor(task), costs.processors());
        if processor >= processors {
            return Err(ScheduleError::UnknownProcessor { task: graph.label(task), processor, processors });
        }
        let (start, finish, duration) = (self.start(task), self.finish(task), costs.duration(task, processor));
        if finish < start || Time(finish.0 - start.0) != duration {
            let (start, finish, duration) = (start.0, finish.0, duration.0);
            return Err(ScheduleError::Duration { task: graph.label(task), processor, start, finish, duration });
        }
        Ok(())
    }

    fn check_exclusive(&self, graph: &TaskGraph) -> Result<(), ScheduleError> {
        let mut tasks: Vec<u32> = graph.ids().collect();
        // Of tasks with the same start, those of zero duration come first.
        tasks.sort_unstable_by_key(|&task| Reverse((self.processor(task), self.start(task), self.finish(task))));
        let mut before = tasks.pop();
        while let Some(second) = tasks.pop() {
            if let Some(first) = before
                && self.processor(first) == self.processor(second)
                && self.finish(first) > self.start(second)
            {
                return Err(ScheduleError::Overlap {
                    first: graph.label(first),
                    second: graph.label(second),
                    processor: self.processor(first),
                    finish: self.finish(first).0,
                    start: self.start(second).0,
                });
            }
            before = Some(second);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hetsim_graph::Builder;

    /// Tasks a → b with a message of length 5, and a separate task c, each task of length 4, on two processors.
    fn example() -> (TaskGraph, Costs) {
        let mut builder = Builder::new();
        for name in ["a", "b", "c"] {
            builder.named_task(name, 4.0).unwrap();
        }
        builder.edge(0, 1, 5).unwrap();
        let graph = builder.build().unwrap();
        let costs = Costs::identical(&graph, 2, |_| Time(4), Time).unwrap();
        (graph, costs)
    }

    fn schedule(places: [(u32, u64, u64); 3]) -> Schedule {
        let [processor, start, finish] =
            [places.map(|place| u64::from(place.0)), places.map(|place| place.1), places.map(|place| place.2)];
        let times = |times: [u64; 3]| times.map(Time).to_vec();
        Schedule::new(processor.map(|processor| processor as u32).to_vec(), times(start), times(finish)).unwrap()
    }

    #[test]
    fn faults_are_named() {
        let (graph, costs) = example();
        let fault = |places| schedule(places).check(&graph, &costs).map_err(|error| error.to_string());
        assert_eq!(fault([(0, 0, 4), (1, 9, 13), (1, 5, 9)]), Ok(()));
        assert_eq!(fault([(0, 0, 4), (0, 4, 8), (1, 0, 4)]), Ok(()));
        for (places, words) in [
            ([(0, 0, 4), (1, 8, 12), (0, 4, 8)], "task b starts at 8, but its data from task a arrive at 9"),
            (
                [(0, 0, 4), (1, 9, 13), (0, 3, 7)],
                "tasks a and c overlap on processor 0: one ends at 4, the other starts at 3",
            ),
            ([(0, 0, 4), (2, 9, 13), (0, 4, 8)], "task b is on processor 2; there are 2, numbered from 0"),
            ([(0, 0, 4), (1, 9, 12), (0, 4, 8)], "task b lasts from 9 to 12 on processor 1, where it takes 4"),
        ] {
            assert_eq!(fault(places), Err(words.to_owned()));
        }
    }

    #[test]
    fn a_task_without_duration_may_not_lie_within_another() {
        let (graph, _) = example();
        let costs = Costs::identical(&graph, 1, |task| Time(if task == 2 { 0 } else { 4 }), Time).unwrap();
        let check = |at| schedule([(0, 0, 4), (0, 4, 8), (0, at, at)]).check(&graph, &costs);
        assert!(check(4).is_ok() && check(0).is_ok() && check(8).is_ok());
        assert!(matches!(check(5), Err(ScheduleError::Overlap { .. })));
    }
}
