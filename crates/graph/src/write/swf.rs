//! SWF: a line for each job, with the mean work of its tasks as its run time.

use std::io::{self, Write};

use crate::TaskGraph;

pub(super) fn write(graph: &TaskGraph, writer: &mut dyn Write) -> io::Result<()> {
    writeln!(writer, "; Version: 2.2\n; Note: written by hetsim; what is unknown is -1")?;
    let jobs = graph.jobs();
    for job in 0..jobs.count() {
        let (number, submitted, run_time) = (job + 1, jobs.arrival_s(job), mean(graph, job));
        let processors = jobs.tasks(job).len();
        writeln!(
            writer,
            "{number} {submitted} -1 {run_time} {processors} -1 -1 {processors} -1 -1 1 -1 -1 -1 -1 -1 -1 -1"
        )?;
    }
    Ok(())
}

/// The mean operations of a job's tasks. Step by step it is exact where all are equal, and never overflows.
pub(super) fn mean(graph: &TaskGraph, job: usize) -> f64 {
    let works = graph.jobs().tasks(job).map(|task| graph.operations(task));
    (1u32..).zip(works).fold(0.0, |mean, (count, work)| mean + (work - mean) / f64::from(count))
}

/// Whether the tasks of a job differ in work.
pub(super) fn differ(graph: &TaskGraph, job: usize) -> bool {
    let tasks = graph.jobs().tasks(job);
    tasks.clone().any(|task| graph.operations(task) != graph.operations(tasks.start))
}
