//! What sentences, tables and charts call the ways to run tasks.

use std::fmt;

use crate::policy::Policy;
use crate::record::Value;
use crate::workload::farm_advice::{FarmSetting, TaskOrder};
use crate::workload::graph_advice::GraphSetting;
use crate::workload::task_setting::TaskSetting;
use crate::workload::taskgraph::{Dynamic, TaskScheduler};

/// The name of a key in files, and its value in a setting.
pub type KeyOf<S> = (&'static str, fn(&S) -> Value);

/// A way to run tasks among which to choose. It is written as it stands behind [`VERB`](Self::VERB).
pub trait Setting: TaskSetting + PartialEq + fmt::Display {
    /// What is done by it.
    const VERB: &'static str;
    /// One of those that run tasks.
    const NODE: &'static str;
    /// The head of a table's column.
    const COLUMN: &'static str;
    /// The title of a chart, before the name of the tasks.
    const TITLE: &'static str;
    /// The axis of a chart.
    const AXIS: &'static str;
    /// The series of a chart.
    const SERIES: &'static [&'static str];
    /// What stands in files.
    const KEYS: &'static [KeyOf<Self>];

    /// So many of those that run tasks.
    #[must_use]
    fn nodes(count: usize) -> String {
        if count == 1 { Self::NODE.to_owned() } else { format!("{count} {}s", Self::NODE) }
    }

    /// The words in a table.
    fn cell(&self) -> String {
        self.to_string()
    }

    /// The words on the axis of a chart.
    fn label(&self) -> String;

    /// The number of its series.
    fn series(&self) -> usize;
}

impl Setting for FarmSetting {
    const VERB: &'static str = "hand out";
    const NODE: &'static str = "worker";
    const COLUMN: &'static str = "hand out";
    const TITLE: &'static str = "The fastest ways to hand out the tasks of";
    const AXIS: &'static str = "policy and tasks in a chunk";
    const SERIES: &'static [&'static str] = &["as given", "longest first"];
    const KEYS: &'static [KeyOf<Self>] = &[
        ("policy", |setting| setting.policy.name().into()),
        ("chunk", |setting| setting.chunk.into()),
        ("ahead", |setting| u32::from(setting.ahead).into()),
        ("order", |setting| {
            let is_given = setting.order == TaskOrder::AsGiven;
            if is_given { "as_given" } else { "longest_first" }.into()
        }),
    ];

    fn cell(&self) -> String {
        let words = self.to_string();
        words.strip_prefix("tasks by ").unwrap_or(&words).to_owned()
    }

    /// Without the order, which is its series.
    fn label(&self) -> String {
        let dealt = match (self.policy, self.chunk) {
            (Policy::Adaptive, _) => "one by one".to_owned(),
            (Policy::Fixed, chunk) => format!("by {chunk}"),
            (policy, 1) => policy.name().replace('_', " "),
            (policy, chunk) => format!("{} ≥ {chunk}", policy.name().replace('_', " ")),
        };
        if self.ahead > 0 { format!("{dealt} + {}", self.ahead) } else { dealt }
    }

    fn series(&self) -> usize {
        usize::from(self.order == TaskOrder::LongestFirst)
    }
}

impl Setting for GraphSetting {
    const VERB: &'static str = "schedule by";
    const NODE: &'static str = "node";
    const COLUMN: &'static str = "scheduler";
    const TITLE: &'static str = "The fastest schedulers of";
    const AXIS: &'static str = "scheduler";
    const SERIES: &'static [&'static str] = &["decide before the run", "decide in the course of the run"];
    const KEYS: &'static [KeyOf<Self>] = &[
        ("scheduler", |setting| setting.scheduler.map(|scheduler| scheduler.name().to_owned()).into()),
        ("insertion", |setting| setting.insertion.map(|inserts| inserts.to_string()).into()),
    ];

    fn cell(&self) -> String {
        let recorded = TaskScheduler::Dynamic(Dynamic::Recorded);
        if self.scheduler == Some(recorded) { recorded.name().to_owned() } else { self.to_string() }
    }

    fn label(&self) -> String {
        self.cell().replace('_', " ")
    }

    fn series(&self) -> usize {
        usize::from(matches!(self.scheduler, Some(TaskScheduler::Dynamic(_))))
    }
}
