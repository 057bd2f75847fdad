//! The long tables of a search: its steps, and the worst instance in tables and as files.

use super::contest::{Contest, per_second};
use super::files;
use hetsim_base::record::{Metric, TableShape, Value, WantedTables};
use hetsim_base::units::Time;
use hetsim_schedule::Schedule;
use hetsim_schedule::adversary::{AnnealingStep, Dependency, ProblemInstance, Weight};
use hetsim_workload::RunFailure;

/// The long tables that a run can keep.
pub(super) const TABLES: &[TableShape] = &[HISTORY, TASKS, EDGES, SPEEDS, LINKS, FILES];

pub(super) const HISTORY: TableShape = TableShape {
    name: "history",
    about: "every step of every search",
    columns: &[
        Metric::number("search", "the search's number"),
        Metric::number("step", "the step's number; 0 for the start"),
        Metric::number("temperature", "the temperature"),
        Metric::number("ratio", "the ratio after the step, be it taken or not"),
        Metric::number("best", "the highest ratio of the search so far"),
    ],
};

const TASKS: TableShape = TableShape {
    name: "instance_tasks",
    about: "the tasks of the worst instance",
    columns: &[
        Metric::number("task", "the task's number"),
        Metric::number("operations", "its work"),
        Metric::number("node", "the node on which `scheduler` puts it"),
        Metric::number("start_s", "when it starts there"),
        Metric::number("finish_s", "when it ends there"),
        Metric::number("baseline_node", "the node on which `baseline` puts it"),
        Metric::number("baseline_start_s", "when it starts there"),
        Metric::number("baseline_finish_s", "when it ends there"),
    ],
};

const EDGES: TableShape = TableShape {
    name: "instance_edges",
    about: "the edges of the worst instance",
    columns: &[
        Metric::number("from", "the task that sends"),
        Metric::number("to", "the task that waits"),
        Metric::number("bytes", "the data"),
    ],
};

const SPEEDS: TableShape = TableShape {
    name: "instance_nodes",
    about: "the nodes of the worst instance",
    columns: &[
        Metric::number("node", "the node's number"),
        Metric::number("speed_per_s", "its speed, in operations a second"),
    ],
};

const LINKS: TableShape = TableShape {
    name: "instance_links",
    about: "the links of the worst instance",
    columns: &[
        Metric::number("a", "a node"),
        Metric::number("b", "another node"),
        Metric::number("bytes_per_s", "the bandwidth between them, both ways"),
    ],
};

const FILES: TableShape = TableShape {
    name: "instance_files",
    about: "the worst instance as files: a scenario of kind `taskgraph` under both schedulers, and its graph",
    columns: &[Metric::name("file", "the file's name"), Metric::name("text", "what is in it")],
};

/// What the tables show.
pub(super) struct AdversarialTables<'a> {
    /// The worst instance.
    pub(super) instance: &'a ProblemInstance,
    /// The steps of each search.
    pub(super) history: &'a [Vec<AnnealingStep>],
    /// The two schedulers.
    pub(super) contest: &'a Contest,
    /// What they make of the instance.
    pub(super) schedules: [&'a Schedule; 2],
}

impl AdversarialTables<'_> {
    /// Keeps the tables that are wanted.
    ///
    /// # Errors
    /// A sentence, where the instance cannot be written.
    pub(super) fn keep(&self, tables: &mut WantedTables<'_>) -> Result<(), RunFailure> {
        tables.keep(&HISTORY, || self.steps());
        tables.keep(&TASKS, || self.tasks());
        tables.keep(&EDGES, || self.edges());
        tables.keep(&SPEEDS, || self.nodes());
        tables.keep(&LINKS, || self.links());
        if tables.wants(&FILES) {
            let files = self.files()?;
            tables.keep(&FILES, || files);
        }
        Ok(())
    }

    fn steps(&self) -> Vec<Vec<Value>> {
        let row = |search: u64, step: &AnnealingStep| {
            let AnnealingStep { number, temperature, ratio, best } = *step;
            vec![search.into(), u64::from(number).into(), temperature.into(), ratio.into(), best.into()]
        };
        (0..).zip(self.history).flat_map(|(search, steps)| steps.iter().map(move |step| row(search, step))).collect()
    }

    fn tasks(&self) -> Vec<Vec<Value>> {
        let seconds = |time: Time| Value::from(self.contest.tick.seconds(time));
        let row = |(task, work): (u32, &Weight)| {
            let mut row: Vec<Value> = vec![u64::from(task).into(), u64::from(work.millionths()).into()];
            for schedule in self.schedules {
                row.push(u64::from(schedule.processor(task)).into());
                row.extend([schedule.start(task), schedule.finish(task)].map(seconds));
            }
            row
        };
        (0..).zip(self.instance.tasks()).map(row).collect()
    }

    fn edges(&self) -> Vec<Vec<Value>> {
        let row = |edge: &Dependency| -> Vec<Value> {
            let [from, to, bytes] = [edge.from, edge.to, edge.data.millionths()].map(|number| u64::from(number).into());
            vec![from, to, bytes]
        };
        self.instance.dependencies().iter().map(row).collect()
    }

    fn nodes(&self) -> Vec<Vec<Value>> {
        let speeds = (0u64..).zip(self.instance.speeds());
        speeds.map(|(node, &speed)| vec![node.into(), per_second(speed).into()]).collect()
    }

    fn links(&self) -> Vec<Vec<Value>> {
        let row = |(a, b, strength): (u32, u32, Weight)| {
            vec![u64::from(a).into(), u64::from(b).into(), per_second(strength).into()]
        };
        self.instance.links().map(row).collect()
    }

    fn files(&self) -> Result<Vec<Vec<Value>>, RunFailure> {
        let files = files::write(self.instance, self.contest)?;
        Ok(files.into_iter().map(|(name, text)| vec![name.into(), text.into()]).collect())
    }
}
