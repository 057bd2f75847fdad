//! The jobs of a graph: parts that arrive one after the other, such as the workflows that users submit to a cluster.

use std::ops::Range;

use super::TaskGraph;

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
}
