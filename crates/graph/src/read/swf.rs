//! The Standard Workload Format of the Parallel Workloads Archive: a log of the jobs that a machine ran, one a line.
//!
//! A line has 18 numbers, of which -1 is unknown; `;` starts a comment line. Each job becomes independent tasks that
//! arrive when it was submitted: one for each of its processors, with its run time as operations. What did not run, and
//! which job waited for which, is left out, with a note. Where a job was swapped out, the line of the whole job comes
//! first, and those of its parts follow under the same number: the parts are left out.

use super::collector::Collector;
use super::{Instance, ReadError, Reader};

/// The format's reader.
#[derive(Debug)]
pub(super) struct Swf;

/// The numbers of a line.
const FIELDS: usize = 18;

/// The most processors of a job, and of all jobs: a mistyped number must not take all memory.
const MOST_PROCESSORS: f64 = 1e6;
const MOST_TASKS: f64 = 1e8;

// Where a line has the numbers that are read.
const NUMBER: usize = 0;
const SUBMITTED: usize = 1;
const RUN_TIME: usize = 3;
const ALLOCATED: usize = 4;
const REQUESTED: usize = 7;
const STATUS: usize = 10;
const PRECEDING: usize = 16;

impl Reader for Swf {
    fn read(&self, text: &str) -> Result<Vec<Instance>, ReadError> {
        let mut log = Log {
            text,
            graph: Collector::new(text),
            before: None,
            first_run: None,
            idle: LeftOut::default(),
            parts: LeftOut::default(),
            preceded: LeftOut::default(),
        };
        let start = text.as_ptr() as usize;
        for line in text.lines().map(str::trim_ascii).filter(|line| !line.is_empty() && !line.starts_with(';')) {
            log.add(&JobLine::read(text, line, line.as_ptr() as usize - start)?)?;
        }
        log.build()
    }
}

/// The numbers of a line with their positions.
struct JobLine {
    fields: [(usize, f64); FIELDS],
}

impl JobLine {
    /// Reads a line that begins at a byte of the text.
    fn read(text: &str, line: &str, at: usize) -> Result<Self, ReadError> {
        let mut fields = [(at, 0.0); FIELDS];
        let mut count = 0;
        for word in line.split_ascii_whitespace() {
            let at = at + word.as_ptr() as usize - line.as_ptr() as usize;
            if let Some(field) = fields.get_mut(count) {
                let number = word.parse().ok().filter(|number: &f64| number.is_finite());
                let expected = || ReadError::at(text, at, format!("expected a number, not {word}; -1 is unknown"));
                *field = (at, number.ok_or_else(expected)?);
            }
            count += 1;
        }
        if count != FIELDS {
            let message = format!("expected the {FIELDS} numbers of a job, not {count}: is the file truncated?");
            return Err(ReadError::at(text, at, message));
        }
        Ok(Self { fields })
    }

    fn at(&self, field: usize) -> usize {
        self.fields[field].0
    }

    fn number(&self, field: usize) -> f64 {
        self.fields[field].1
    }

    /// The field that says how many processors the job had.
    fn processors(&self) -> usize {
        if self.number(ALLOCATED) < 0.0 { REQUESTED } else { ALLOCATED }
    }
}

/// What is left out of a log: how often, and where first.
#[derive(Default)]
struct LeftOut {
    count: u64,
    first: usize,
}

impl LeftOut {
    fn add(&mut self, at: usize) {
        if self.count == 0 {
            self.first = at;
        }
        self.count += 1;
    }

    /// A note at the first of them, if there are any.
    fn note(&self, text: &str, what: &str) -> Option<ReadError> {
        let count = self.count;
        (count > 0).then(|| ReadError::at(text, self.first, format!("{what}: {count} in all, and this is the first")))
    }
}

/// The log so far.
struct Log<'a> {
    text: &'a str,
    graph: Collector<'a>,
    /// The number and the submission of the job in the line before.
    before: Option<(f64, f64)>,
    /// Where the first run time stands, and how long it is.
    first_run: Option<(usize, f64)>,
    idle: LeftOut,
    parts: LeftOut,
    preceded: LeftOut,
}

impl Log<'_> {
    fn add(&mut self, line: &JobLine) -> Result<(), ReadError> {
        let (number, submitted) = (line.number(NUMBER), line.number(SUBMITTED));
        // Status 2 is a part of a job that goes on; 3 and 4 are its last.
        let is_part = [2.0, 3.0, 4.0].contains(&line.number(STATUS));
        if is_part && self.before.is_some_and(|(before, _)| before == number) {
            self.parts.add(line.at(NUMBER));
            return Ok(());
        }
        let earliest = self.before.map_or(0.0, |(_, earliest)| earliest);
        if submitted < earliest {
            let message = format!(
                "expected a submit time of {earliest} s or later, not {submitted}: the jobs of a log are sorted by it"
            );
            return Err(ReadError::at(self.text, line.at(SUBMITTED), message));
        }
        self.before = Some((number, submitted));
        let (run_time, processors) = (line.number(RUN_TIME), line.number(line.processors()));
        if run_time <= 0.0 || processors <= 0.0 {
            self.idle.add(line.at(NUMBER));
            return Ok(());
        }
        if processors > MOST_PROCESSORS || processors.fract() != 0.0 {
            let message = format!("expected a whole number of processors, at most {MOST_PROCESSORS}, not {processors}");
            return Err(ReadError::at(self.text, line.at(line.processors()), message));
        }
        if self.graph.tasks() as f64 + processors > MOST_TASKS {
            let message = format!("the jobs up to here have over {MOST_TASKS} processors: read a part of the log");
            return Err(ReadError::at(self.text, line.at(line.processors()), message));
        }
        if line.number(PRECEDING) >= 0.0 {
            self.preceded.add(line.at(PRECEDING));
        }
        self.first_run.get_or_insert((line.at(RUN_TIME), run_time));
        self.graph.arrive(submitted, line.at(SUBMITTED))?;
        for _ in 0..processors as u32 {
            self.graph.task(run_time, line.at(line.processors()))?;
        }
        Ok(())
    }

    fn build(self) -> Result<Vec<Instance>, ReadError> {
        let text = self.text;
        let Some((at, run_time)) = self.first_run else {
            return Err(ReadError::general("the log has no job with a run time and processors"));
        };
        let message = format!("the run time of {run_time} s is a time, and how much work it is depends on the machine");
        let notes = [
            self.idle.note(text, "jobs without a run time or processors are left out"),
            self.parts.note(text, "lines that repeat a part of the job before are left out"),
            self.preceded.note(text, "jobs don't wait for a preceding job here but come when they were submitted"),
        ];
        Ok(vec![Instance {
            name: None,
            graph: self.graph.build(&[], None)?,
            notes: notes.into_iter().flatten().collect(),
            timed: Some(ReadError::at(text, at, message)),
            worked: None,
        }])
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::read::{Format, Instance};
    use crate::write::{lost, write};
    use crate::{Builder, CostMatrix, TaskGraph};

    fn read(text: &str) -> Instance {
        Format::Swf.read_all(text).unwrap().remove(0)
    }

    /// A line of a log.
    fn line(number: u32, submitted: &str, run_time: &str, processors: &str) -> String {
        format!("{number} {submitted} -1 {run_time} {processors} -1 -1 -1 -1 -1 1 -1 -1 -1 -1 -1 -1 -1\n")
    }

    /// The jobs as arrival, number of tasks, and the work of the first and the last.
    fn jobs(graph: &TaskGraph) -> Vec<(f64, usize, f64, f64)> {
        let jobs = graph.jobs();
        let one = |job| {
            let tasks = jobs.tasks(job);
            (jobs.arrival_s(job), tasks.len(), graph.operations(tasks.start), graph.operations(tasks.end - 1))
        };
        (0..jobs.count()).map(one).collect()
    }

    fn written(graph: &TaskGraph) -> String {
        let mut text = Vec::new();
        write(graph, Format::Swf, &mut text).unwrap();
        String::from_utf8(text).unwrap()
    }

    fn notes(text: &str) -> Vec<String> {
        read(text).notes.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_job_is_a_bag_of_equal_tasks() {
        let text =
            line(1, "0", "2.5", "3") + "; a comment\n\n\t" + &line(2, "7.5", "1e2", "1") + &line(3, "7.5", "4", "2");
        let log = read(&text);
        assert_eq!(jobs(&log.graph), [(0.0, 3, 2.5, 2.5), (7.5, 1, 100.0, 100.0), (7.5, 2, 4.0, 4.0)]);
        assert_eq!((log.graph.edges().count(), log.notes.len()), (0, 0));
        let timed = log.timed.unwrap();
        assert_eq!(timed.place(), Some((1, 8)));
        assert!(timed.message().contains("2.5 s is a time"), "{timed}");
    }

    /// Requested processors count where the allocated ones are unknown, and nowhere else.
    #[test]
    fn unknown_processors_are_the_requested_ones() {
        let job = |allocated, requested| {
            format!("1 0 9 5 {allocated} -1 -1 {requested} -1 -1 1 -1 -1 -1 -1 -1 -1 -1\n{}", line(2, "1", "1", "1"))
        };
        for (allocated, requested, tasks) in [(-1, 4, 4), (3, 4, 3), (0, 4, 0), (-1, -1, 0)] {
            let log = read(&job(allocated, requested));
            assert_eq!(log.graph.tasks(), tasks + 1, "{allocated} {requested}");
            assert_eq!(log.notes.len(), usize::from(tasks == 0), "{allocated} {requested}");
        }
    }

    #[test]
    fn what_is_left_out_is_noted_once() {
        let idle =
            line(1, "0", "-1", "4") + &line(2, "1", "5", "2") + &line(3, "2", "0", "4") + &line(4, "3", "6", "0");
        assert_eq!(jobs(&read(&idle).graph), [(1.0, 2, 5.0, 5.0)]);
        assert_eq!(
            notes(&idle),
            ["line 1, column 1: jobs without a run time or processors are left out: 3 in all, and this is the first"]
        );
        assert_eq!(read(&idle).timed.unwrap().place(), Some((2, 8)));
        let after = |number, preceding| line(number, "5", "1", "1").replace(" -1 -1\n", &format!(" {preceding} 60\n"));
        let preceded = after(1, -1) + &after(2, 1) + &after(3, 0);
        assert_eq!(read(&preceded).graph.jobs().count(), 3);
        let all = notes(&preceded);
        assert!(all.len() == 1 && all[0].starts_with("line 2, column 44: jobs don't wait"), "{all:?}");
        assert!(all[0].contains("2 in all"), "{all:?}");
    }

    /// The parts between which a job was swapped out follow the line of the whole job, without a submit time.
    #[test]
    fn parts_of_a_job_do_not_count_again() {
        let part =
            |number, run_time, status| line(number, "-1", run_time, "2").replace(" -1 1 ", &format!(" -1 {status} "));
        let whole = line(1, "5", "9", "2");
        let text = whole.clone() + &part(1, "4", 2) + &part(1, "5", 3) + &line(2, "6", "1", "1");
        assert_eq!(jobs(&read(&text).graph), [(5.0, 2, 9.0, 9.0), (6.0, 1, 1.0, 1.0)]);
        let all = notes(&text);
        assert!(all.len() == 1 && all[0].starts_with("line 2, column 1: lines that repeat a part"), "{all:?}");
        // Without the line of a whole job, the first part stands for it; another job may have its number.
        let first = |number| line(number, "3", "4", "2").replace(" -1 1 ", " -1 2 ");
        assert_eq!(read(&(line(1, "3", "1", "1") + &first(2))).graph.jobs().count(), 2);
        let text = first(1) + &part(1, "5", 4) + &line(1, "6", "1", "1");
        assert_eq!(jobs(&read(&text).graph), [(3.0, 2, 4.0, 4.0), (6.0, 1, 1.0, 1.0)]);
    }

    #[test]
    fn a_job_has_a_bounded_number_of_tasks() {
        assert_eq!(read(&line(1, "0", "1", "1000000")).graph.tasks(), 1_000_000);
        let error = Format::Swf.read(&line(1, "0", "1", "1000001")).unwrap_err();
        assert_eq!(error.place(), Some((1, 10)));
    }

    #[test]
    fn jobs_come_back_as_lines() {
        let mut graph = Builder::new();
        for (arrival_s, works) in [(0.25, vec![1.0, 2.0, 6.0]), (3.0, vec![0.1; 3]), (3.0, vec![4.0])] {
            graph.arrive(arrival_s).unwrap();
            for work in works {
                graph.task(work).unwrap();
            }
        }
        let graph = graph.build().unwrap();
        let text = written(&graph);
        assert!(text.starts_with(';'), "{text}");
        let lines: Vec<_> = text.lines().filter(|line| !line.starts_with(';')).collect();
        assert_eq!(lines[0], "1 0.25 -1 3 3 -1 -1 3 -1 -1 1 -1 -1 -1 -1 -1 -1 -1");
        assert_eq!(lines[1], "2 3 -1 0.1 3 -1 -1 3 -1 -1 1 -1 -1 -1 -1 -1 -1 -1");
        let back = read(&text);
        assert_eq!(jobs(&back.graph), [(0.25, 3, 3.0, 3.0), (3.0, 3, 0.1, 0.1), (3.0, 1, 4.0, 4.0)]);
        assert_eq!(lost(&graph, Format::Swf), ["differences between the tasks of a job"]);
        assert_eq!(lost(&back.graph, Format::Swf), [""; 0]);
        assert_eq!(lost(&back.graph, Format::Toml), [""; 0]);
        assert_eq!(lost(&back.graph, Format::Dot), ["when jobs arrive"]);
        assert_eq!(read(&written(&back.graph)).graph, back.graph);
    }

    proptest! {
        /// Bags of equal tasks come back to the last bit.
        #[test]
        fn bags_come_back(mut bags in prop::collection::vec((0.0..1e9, 1e-3..1e9, 1usize..20), 1..8)) {
            bags.sort_by(|one: &(f64, f64, usize), other| one.0.total_cmp(&other.0));
            let mut graph = Builder::new();
            for &(arrival_s, work, tasks) in &bags {
                graph.arrive(arrival_s).unwrap();
                for _ in 0..tasks {
                    graph.task(work).unwrap();
                }
            }
            let graph = graph.build().unwrap();
            prop_assert_eq!(lost(&graph, Format::Swf), [""; 0]);
            prop_assert_eq!(read(&written(&graph)).graph, graph);
        }
    }

    #[test]
    fn all_that_is_lost_is_named() {
        let mut graph = Builder::new();
        for (arrival_s, name) in [(0.0, "a"), (1.0, "b"), (2.0, "")] {
            graph.arrive(arrival_s).unwrap();
            if !name.is_empty() {
                let task = graph.named_task(name, 0.0).unwrap();
                graph.task_type(task, "sift").unwrap();
                graph.task(arrival_s).unwrap();
                graph.edge(task, task + 1, 1).unwrap();
            }
        }
        graph.seconds(CostMatrix::new(1, vec![1.0; 4]).unwrap());
        let graph = graph.build().unwrap();
        let all = [
            "the names of tasks",
            "the types of tasks",
            "the cost matrix",
            "the edges",
            "differences between the tasks of a job",
            "jobs without work",
        ];
        assert_eq!(lost(&graph, Format::Swf), all);
        // The first job has no work and the third no tasks.
        assert_eq!(jobs(&read(&written(&graph)).graph), [(1.0, 2, 0.5, 0.5)]);
    }
}
