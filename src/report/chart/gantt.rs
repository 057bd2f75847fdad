//! `kind = "gantt"`: who does what when in one run: a lane a node, bars for what it does, and lines for the messages
//! between lanes.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::keys::Common;
use super::looks::ChartContext;
use super::utilization::{UsedRow, used_links};
use super::{ChartKind, Drawn, SensitivitySpec, checks, common_at, unknown_path, watched};
use crate::cluster::{Activity, NodeId, Part, Segment};
use crate::report::results::Results;
use crate::scenario::{References, Traced};
use crate::units::Time;
use crate::workload::TracedTasks;
use hetsim_chart::lanes::{Arrow, Gantt, Lane, Shade, Span};

/// What the bars of a Gantt chart have their colours by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ColourBy {
    /// What a node does: it sends, receives, computes or is down.
    #[default]
    Activity,
    /// The cluster of the node.
    Cluster,
    /// The task that is computed, in a task graph.
    Task,
}

/// The keys of a chart of one run over simulated time.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct GanttKeys {
    /// The keys of every chart.
    #[serde(flatten)]
    pub common: Common,
    /// Whether the 20 most used shared links have lanes, too; the darker, the more of their bandwidth is in use.
    #[serde(default)]
    pub links: bool,
    /// Whether the critical path is drawn: the chain of what determined the completion.
    #[serde(default)]
    pub critical_path: bool,
    /// What the colours of bars stand for.
    #[serde(default)]
    pub colour_by: ColourBy,
}

impl ChartKind for GanttKeys {
    common_at!(common);

    fn has_details(&self) -> bool {
        true
    }

    fn is_of_one_run(&self) -> bool {
        true
    }

    fn check(&self, at: &str, references: &mut References<'_>, _: &[SensitivitySpec]) {
        if self.colour_by == ColourBy::Task && !references.kind.shows_tasks {
            let message = "only a task graph has tasks".to_owned();
            references.wrong(&format!("{at}.colour_by"), message, Some("\"activity\" or \"cluster\"".to_owned()));
        }
        checks::one_run(references, at, &self.common);
    }

    fn draw(&self, results: &Results<'_>, _: &ChartContext<'_>) -> Result<Drawn, String> {
        let (traced, subtitle) = watched(results, &self.common)?;
        let gantt = with_colours(gantt(&traced, self.common.heading(), subtitle), &traced, self.colour_by);
        let gantt = if self.links { with_links(gantt, &traced) } else { gantt };
        let gantt = if self.critical_path { with_path(gantt, &traced) } else { gantt };
        Ok(Drawn::new(gantt, self.common.paper()).with_note(unknown_path(self.critical_path, &traced)))
    }
}

/// Who is busy with what when, and who sends to whom. Of a task graph each computation has the name of its task, and a
/// node whose cores compute at once has a lane for each of them; what it sends and receives is in its first.
#[must_use]
pub fn gantt(traced: &Traced, title: String, subtitle: Option<String>) -> Gantt {
    let seconds = |time| traced.tick.seconds(time);
    let cores = Cores::of(traced);
    let shades = |node: usize| {
        let steps: &[(Time, f64)] = traced.loads.get(node).map_or(&[], Vec::as_slice);
        let end = |index: usize| steps.get(index + 1).map(|&(end, _)| seconds(end));
        let shade = |(index, &(start, left)): (usize, &(Time, f64))| Shade {
            start: seconds(start),
            end: end(index),
            taken: 1.0 - left,
        };
        steps.iter().enumerate().map(shade).filter(|shade| shade.taken > 0.0).collect::<Vec<_>>()
    };
    let mut lanes: Vec<Lane> = Vec::new();
    for (node, &cluster) in traced.cluster_of.iter().enumerate() {
        let several = cores.number(node) > 1;
        lanes.extend((0..cores.number(node)).map(|core| Lane {
            label: if several { format!("{node}.{core}") } else { node.to_string() },
            group: traced.clusters[cluster].clone(),
            spans: Vec::new(),
            shades: shades(node),
            is_link: false,
        }));
    }
    for span in &traced.timeline.spans {
        let kind = match span.activity {
            Activity::Send => 0,
            Activity::Receive => 1,
            Activity::Compute if traced.tasks.is_some() => continue,
            Activity::Compute => 2,
            Activity::Down => 3,
        };
        if span.end > span.start {
            let (start, end) = (seconds(span.start), seconds(span.end));
            lanes[cores.first(span.at.index())].spans.push(Span { start, end, kind, ..Span::default() });
        }
    }
    for (task, (&(node, start, end), &core)) in
        traced.tasks.iter().flat_map(|tasks| tasks.times.iter().zip(&cores.of_task).enumerate())
    {
        let label = traced.tasks.as_ref().map(|tasks| tasks.graph.label(task as u32)).unwrap_or_default();
        if end > start {
            let (start, end) = (seconds(start), seconds(end));
            lanes[cores.first(node.index()) + core].spans.push(Span { start, end, kind: 2, label, group: None });
        }
    }
    let arrows = traced.timeline.messages.iter().map(|message| {
        let [from, to] = [message.from, message.to].map(NodeId::index);
        let group = usize::from(traced.cluster_of[from] != traced.cluster_of[to]);
        let [from, to] = [from, to].map(|node| cores.first(node));
        Arrow { from, start: seconds(message.start), to, end: seconds(message.arrival), group }
    });
    let several = traced.clusters.len() > 1;
    Gantt {
        title,
        subtitle,
        kinds: ["sends", "receives", "computes", "is down"].map(str::to_owned).to_vec(),
        groups: Vec::new(),
        arrow_groups: if several {
            vec!["inside a cluster".to_owned(), "between clusters".to_owned()]
        } else {
            vec!["message".to_owned()]
        },
        arrows: arrows.collect(),
        lanes,
        path: Vec::new(),
    }
}

/// The chart whose bars have their colours by something else. Nodes that are down stay pale.
#[must_use]
pub fn with_colours(mut chart: Gantt, traced: &Traced, by: ColourBy) -> Gantt {
    const DOWN: usize = 3;
    let nodes = chart.lanes.iter_mut().filter(|lane| !lane.is_link);
    match by {
        ColourBy::Activity => {}
        ColourBy::Cluster => {
            for lane in nodes {
                let cluster = traced.clusters.iter().position(|name| *name == lane.group);
                lane.spans.iter_mut().filter(|span| span.kind != DOWN).for_each(|span| span.group = cluster);
            }
            chart.groups.clone_from(&traced.clusters);
        }
        ColourBy::Task => {
            let labels = traced.tasks.iter().flat_map(|tasks| tasks.graph.ids().map(|task| tasks.graph.label(task)));
            let numbers: HashMap<String, usize> = labels.zip(0..).collect();
            for span in nodes.flat_map(|lane| &mut lane.spans) {
                span.group = numbers.get(&span.label).copied();
            }
        }
    }
    chart
}

/// The chart with the critical path of the run, if that is known.
#[must_use]
pub fn with_path(mut chart: Gantt, traced: &Traced) -> Gantt {
    let Some(path) = &traced.timeline.path else { return chart };
    let cores = Cores::of(traced);
    let seconds = |time| traced.tick.seconds(time);
    let tasks = traced.tasks.iter().flat_map(TracedTasks::by_end);
    let lane = |node: NodeId, task: usize| cores.first(node.index()) + cores.of_task[task];
    let tasks: Tasks = tasks.map(|((node, end), (task, start))| ((node, end), (lane(node, task), start))).collect();
    // The bytes and the latency of a message are one line.
    let hops: Vec<&[Segment]> = path.segments().chunk_by(|a, b| (a.from, a.to) == (b.from, b.to)).collect();
    let mut at = hops.first().map_or(NodeId(0), |hop| hop[0].from);
    for (index, hop) in hops.iter().enumerate() {
        let (first, last) = (hop[0], hop[hop.len() - 1]);
        if first.from == first.to {
            let own = cores.first(first.from.index());
            for (lane, start, end) in hop.iter().flat_map(|segment| in_lanes(segment, own, &tasks)) {
                chart.path.extend([(seconds(start), lane), (seconds(end), lane)]);
            }
            at = first.to;
            continue;
        }
        let start = cores.first(at.index());
        // A message that others wait for at a port has not come when the path leaves it, or is there already.
        let next = hops.get(index + 1).map(|next| next[0]);
        let arrives = next.is_none_or(|next| [next.from, next.to].contains(&first.to));
        at = if arrives { first.to } else { first.from };
        chart.path.extend([(seconds(first.start), start), (seconds(last.end), cores.first(at.index()))]);
    }
    chart
}

/// The tasks by their nodes and ends: the lane of each, and its start.
type Tasks = HashMap<(NodeId, Time), (usize, Time)>;

/// The lanes of what a node does on the critical path, each from when to when: of a task graph a computation is in the
/// lane of its task, all else is in the node's first one.
fn in_lanes(segment: &Segment, first: usize, tasks: &Tasks) -> Vec<(usize, Time, Time)> {
    let (mut end, mut lanes) = (segment.end, Vec::new());
    while end > segment.start {
        let task = tasks.get(&(segment.from, end)).filter(|_| segment.part == Part::Computing);
        let &(lane, start) = task.unwrap_or(&(first, segment.start));
        let start = start.max(segment.start);
        lanes.push((lane, start, end));
        end = start;
    }
    lanes.reverse();
    lanes
}

/// How many equal parts the time of a run has in the lanes of links.
const PARTS: usize = 400;
/// The most links that have a lane.
const MOST_LINKS: usize = 20;

/// The chart with a lane for each of the most used links below those of the nodes.
#[must_use]
pub fn with_links(mut chart: Gantt, traced: &Traced) -> Gantt {
    let used = used_links(traced, PARTS);
    let group =
        if used.len() > MOST_LINKS { format!("{MOST_LINKS} of {} links", used.len()) } else { "links".to_owned() };
    let end = traced.tick.seconds(traced.end);
    let at = |part: usize| end * part as f64 / PARTS as f64;
    // Whole percents: shares that differ in their last digits are one bar. What is used at all is seen.
    let seen = |share: f64| if share > 0.0 { (100.0 * share).round().max(1.0) / 100.0 } else { 0.0 };
    for UsedRow { name, shares } in used.into_iter().take(MOST_LINKS) {
        let mut part = 0;
        let shade = |run: &[f64]| {
            let start = part;
            part += run.len();
            Shade { start: at(start), end: Some(at(part)), taken: seen(run[0]) }
        };
        let shades =
            shares.chunk_by(|a, b| seen(*a) == seen(*b)).map(shade).filter(|shade| shade.taken > 0.0).collect();
        chart.lanes.push(Lane { label: name, group: group.clone(), spans: Vec::new(), shades, is_link: true });
    }
    chart
}

/// Which core computes which task, such that no two tasks of a core overlap: as few cores as will do.
struct Cores {
    /// The number of the first core of each node among all, and at the end how many there are.
    starts: Vec<usize>,
    /// For each task its core, counted within its node.
    of_task: Vec<usize>,
}

impl Cores {
    fn of(traced: &Traced) -> Self {
        let times = traced.tasks.as_ref().map_or(&[][..], |tasks| tasks.times.as_slice());
        let mut order: Vec<usize> = (0..times.len()).collect();
        order.sort_by_key(|&task| (times[task].1, times[task].2, task));
        // Until when each core of each node is busy.
        let mut busy: Vec<Vec<Time>> = vec![Vec::new(); traced.cluster_of.len()];
        let mut of_task = vec![0; times.len()];
        for task in order {
            let (node, start, end) = times[task];
            let cores = &mut busy[node.index()];
            let core = cores.iter().position(|&until| until <= start).unwrap_or(cores.len());
            if core == cores.len() {
                cores.push(end);
            }
            cores[core] = end;
            of_task[task] = core;
        }
        let mut starts = vec![0];
        for cores in busy {
            starts.push(starts[starts.len() - 1] + cores.len().max(1));
        }
        Self { starts, of_task }
    }

    fn first(&self, node: usize) -> usize {
        self.starts[node]
    }

    fn number(&self, node: usize) -> usize {
        self.starts[node + 1] - self.starts[node]
    }
}
