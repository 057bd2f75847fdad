//! What sentences, tables and charts call the ways to run a program.

use std::fmt;

use serde::Serialize;

use crate::policy::Policy;
use crate::record::Value;
use crate::workload::farm_advice::{FarmSetting, TaskOrder};
use crate::workload::graph_advice::GraphSetting;
use crate::workload::hpl::GridOrder;
use crate::workload::hpl_advice::HplSetting;
use crate::workload::task_setting::TaskSetting;
use crate::workload::taskgraph::{Dynamic, TaskScheduler};

/// The name of a key in files, and its value in a setting.
pub type KeyOf<S> = (&'static str, fn(&S) -> Value);

/// A way to run a program among which to choose. It is written as it stands behind [`VERB`](Self::VERB).
pub trait Setting: TaskSetting + PartialEq + fmt::Display {
    /// What is done by it.
    const VERB: &'static str;
    /// One of those that take part.
    const NODE: &'static str;
    /// Whether these are whole machines, on which several nodes of a platform may be.
    const ARE_MACHINES: bool = false;
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

    /// So many of those that take part.
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

impl Setting for HplSetting {
    const VERB: &'static str = "run with";
    const NODE: &'static str = "node";
    const ARE_MACHINES: bool = true;
    const COLUMN: &'static str = "P × Q, NB, BCAST, SWAP, DEPTH";
    const TITLE: &'static str = "The fastest settings of";
    const AXIS: &'static str = "P × Q, NB, BCAST, SWAP";
    const SERIES: &'static [&'static str] = &["without look-ahead", "with look-ahead"];
    const KEYS: &'static [KeyOf<Self>] = &[
        ("p", |setting| setting.p.into()),
        ("q", |setting| setting.q.into()),
        ("pmap", |setting| key_name(&setting.pmap).into()),
        ("nb", |setting| setting.nb.into()),
        ("bcast", |setting| key_name(&setting.bcast).into()),
        ("swap", |setting| key_name(&setting.swap).into()),
        ("depth", |setting| setting.depth.into()),
    ];

    fn cell(&self) -> String {
        format!("{}, {}", self.label(), self.depth)
    }

    /// Without the look-ahead, which is its series.
    fn label(&self) -> String {
        let Self { p, q, nb, .. } = self;
        let order = if self.pmap == GridOrder::RowMajor { "" } else { " col" };
        format!("{p} × {q}{order}, {nb}, {}, {}", self.broadcast_in_hpl().1, self.swap_in_hpl().1)
    }

    fn series(&self) -> usize {
        usize::from(self.depth > 0)
    }
}

/// The name of an alternative, as scenarios have it.
pub(super) fn key_name(alternative: &impl Serialize) -> String {
    serde_json::to_value(alternative).ok().and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default()
}
