//! A run of a workload, and the one driver of all: it alone runs programs, traces them, measures what they have asked
//! of the machine, and writes the record.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::RunFailure;
use super::critical::{self, PATH};
use super::footprint;
use super::share::{self, Share};
use crate::metrics::Performance;
use crate::ranks::RankCall;
use hetsim_base::engine::Streams;
use hetsim_base::record::{Metrics, Record, TableShape, Value, WantedTables};
use hetsim_base::units::{Seconds, Time};
use hetsim_cluster::{
    Both, CriticalPath, Footprint, NodeId, Observer, Platform, Program, RunError, Simulation, Timeline, Trail, Usage,
};
use hetsim_graph::TaskGraph;

/// One run of a workload: where it runs, what it draws, and which long tables are wanted.
#[derive(Debug)]
pub struct Run<'a> {
    /// The platform.
    pub platform: &'a Platform,
    /// The random streams of the seed and the replica.
    pub streams: Streams,
    wanted: &'a [String],
    until: Time,
    timeline: Option<&'a mut Timeline>,
    /// The long tables of the workload's own.
    pub(super) tables: WantedTables<'a>,
    performance: Option<Performance>,
    footprint: Option<Footprint>,
    path: Option<CriticalPath>,
    /// The names of its phases, by their numbers.
    phases: BTreeMap<u32, String>,
    shown: Watched,
}

/// What a workload shows of a run that is traced, besides what happened.
#[derive(Debug, Clone, Default)]
pub struct Watched {
    /// Its tasks, where it is a task graph.
    pub tasks: Option<TracedTasks>,
    /// By rank: what it called, where ranks are functions.
    pub calls: Option<Vec<Vec<RankCall>>>,
}

/// The tasks of a run that was traced.
#[derive(Debug, Clone)]
pub struct TracedTasks {
    /// The graph.
    pub graph: Arc<TaskGraph>,
    /// Where each task ran, and from when to when.
    pub times: Vec<(NodeId, Time, Time)>,
}

impl TracedTasks {
    /// The tasks that took time, by their nodes and ends: the number of each, and its start.
    #[must_use]
    pub fn by_end(&self) -> HashMap<(NodeId, Time), (usize, Time)> {
        let taken = self.times.iter().enumerate().filter(|(_, (_, start, end))| start < end);
        taken.map(|(task, &(node, start, end))| ((node, end), (task, start))).collect()
    }
}

/// What a simulation has come to when nothing is left to happen.
#[derive(Debug)]
pub struct End {
    /// When the last node completed that has; nothing where none has.
    pub completion: Option<Time>,
    /// How many times a node completed.
    pub completed: u32,
    /// Messages that no handler got because a node was down.
    pub lost: u64,
    /// The first computation that was lost with its node: that node, and when it went down, in seconds.
    lost_work: Option<(NodeId, f64)>,
    /// The nodes that were down.
    down: Vec<NodeId>,
    /// What each node has computed; empty where none has.
    pub usage: Vec<Usage>,
}

impl End {
    /// Whether a node was down at the end.
    #[must_use]
    pub fn is_down(&self, node: NodeId) -> bool {
        self.down.contains(&node)
    }

    /// The completion of the last of all `nodes`.
    ///
    /// # Errors
    /// Where some of them have not completed; `what` says what the others did, such as "ranks were done".
    pub fn completion_of_all(&self, nodes: u32, what: &str) -> Result<Time, RunFailure> {
        let completion = self.completion.filter(|_| self.completed == nodes);
        completion.ok_or_else(|| format!("only {} of {nodes} {what}{}", self.completed, self.failures()).into())
    }

    /// What the failures of nodes took, as the rest of a sentence; nothing where none failed.
    fn failures(&self) -> String {
        let down = match *self.down {
            [] => String::new(),
            [NodeId(node)] => format!("; node {node} was down at the end"),
            [NodeId(first), ref others @ ..] => {
                format!("; node {first} and {} others were down at the end", others.len())
            }
        };
        let lost = match self.lost {
            0 => String::new(),
            1 => "; a message was lost with a node that failed".to_owned(),
            lost => format!("; {lost} messages were lost with nodes that failed"),
        };
        // A node that is up again does not go on with what it computed.
        let work = self.lost_work.map_or_else(String::new, |(NodeId(node), at_s)| {
            format!("; a computation was lost with node {node}, which went down at {}", Seconds::shown(at_s))
        });
        down + &work + &lost
    }
}

impl<'a> Run<'a> {
    /// A run on `platform` that keeps the long tables of these names.
    #[must_use]
    pub const fn new(platform: &'a Platform, streams: Streams, wanted: &'a [String]) -> Self {
        Self {
            platform,
            streams,
            wanted,
            until: Time::NEVER,
            timeline: None,
            tables: WantedTables::new(wanted),
            performance: None,
            footprint: None,
            path: None,
            phases: BTreeMap::new(),
            shown: Watched { tasks: None, calls: None },
        }
    }

    /// A run on `platform` of which everything is noted.
    #[must_use]
    pub fn traced(platform: &'a Platform, streams: Streams, timeline: &'a mut Timeline) -> Self {
        Self { timeline: Some(timeline), ..Self::new(platform, streams, &[]) }
    }

    /// The same run, each simulation of which [ends late](Simulation::until) if some node has not completed by `until`.
    #[must_use]
    pub fn until(self, until: Time) -> Self {
        Self { until, ..self }
    }

    /// Simulates a program to its end.
    ///
    /// # Errors
    /// As [`Simulation::run`].
    pub fn simulate<P: Program>(&mut self, program: &mut P) -> Result<End, RunError> {
        self.simulate_observed(program, None::<&mut Timeline>)
    }

    /// Simulates a program to its end, watched by an observer of the workload's own if there is one.
    ///
    /// # Errors
    /// As [`Simulation::run`].
    pub fn simulate_observed<P: Program>(
        &mut self,
        program: &mut P,
        own: Option<&mut impl Observer>,
    ) -> Result<End, RunError> {
        let mut trail = (self.timeline.is_some() || self.wants(&PATH)).then(Trail::default);
        let own = own.map(|own| own as &mut dyn Observer);
        let mut both;
        let simulation = Simulation::with_streams(self.platform, self.streams).until(self.until);
        let mut simulation = match (self.timeline.as_deref_mut(), own) {
            (None, None) => simulation,
            (Some(timeline), None) => simulation.observed_by(timeline),
            (None, Some(own)) => simulation.observed_by(own),
            (Some(timeline), Some(own)) => {
                both = Both(timeline, own);
                simulation.observed_by(&mut both)
            }
        };
        if let Some(trail) = &mut trail {
            simulation = simulation.followed_by(trail);
        }
        simulation.run(program)?;
        self.footprint = Some(simulation.footprint());
        let end = End::of(&simulation);
        self.path = trail.and_then(|trail| trail.path());
        let segments = self.path.iter().flat_map(CriticalPath::segments);
        let phases: BTreeSet<u32> = segments.filter_map(|segment| segment.phase).collect();
        self.phases = phases.into_iter().map(|phase| (phase, program.phase_name(phase))).collect();
        if let Some(timeline) = self.timeline.as_deref_mut() {
            timeline.path.clone_from(&self.path);
        }
        Ok(end)
    }

    /// What watches the run where it is traced, for a workload that runs simulations of its own.
    pub fn observer(&mut self) -> Option<&mut dyn Observer> {
        self.timeline.as_deref_mut().map(|timeline| timeline as &mut dyn Observer)
    }

    /// Seconds of a time.
    #[must_use]
    pub fn seconds(&self, time: Time) -> f64 {
        self.platform.tick().seconds(time)
    }

    /// Whether the run is traced.
    #[must_use]
    pub const fn is_traced(&self) -> bool {
        self.timeline.is_some()
    }

    /// Whether nothing but its metrics is wanted, of a run to its end.
    #[must_use]
    pub const fn is_plain(&self) -> bool {
        self.timeline.is_none() && self.wanted.is_empty() && self.until.0 == Time::NEVER.0
    }

    /// Whether a long table is wanted.
    #[must_use]
    pub fn wants(&self, shape: &TableShape) -> bool {
        self.tables.wants(shape)
    }

    /// Keeps a long table, if it is wanted: its rows are made only then.
    pub fn table<R: IntoIterator<Item = Vec<Value>>>(&mut self, shape: &TableShape, rows: impl FnOnce() -> R) {
        self.tables.keep(shape, rows);
    }

    /// Says what the nodes did that compute, for the metrics of how the run used them. Without it, only their nominal
    /// speeds count.
    pub fn set_performance(&mut self, performance: Performance) {
        self.performance = Some(performance);
    }

    /// The same by each node's share of the work. `serial_s` is the best serial time, in seconds.
    pub fn set_shares(&mut self, shares: &[Share], serial_s: f64, completion: Time) {
        self.set_performance(share::performance(shares, serial_s, self.seconds(completion)));
    }

    /// The same for a program on all nodes, whose best serial time is that of the fastest; keeps the table `nodes`.
    pub(super) fn share_among_all(&mut self, usage: &[Usage], completion: Time) {
        let platform = self.platform;
        let shares: Vec<Share> = (0..platform.nodes()).map(|node| Share::of(NodeId(node), usage, platform)).collect();
        let fastest = shares.iter().map(|share| share.speed).fold(0.0, f64::max);
        let operations: f64 = shares.iter().map(|share| share.operations).sum();
        self.set_shares(&shares, operations / fastest, completion);
        self.table(&share::NODES, || share::rows(&shares, platform));
    }

    /// Says how many messages and events there were, for a workload that runs simulations of its own.
    pub fn set_counts(&mut self, messages: u64, events: u64) {
        self.footprint = Some(Footprint { messages, events, ..Footprint::default() });
    }

    /// Lets what two ranks have asked of the machine count for `ranks` that all do the same.
    pub(super) fn count_pair_for(&mut self, ranks: u64) {
        if let Some(footprint) = &mut self.footprint {
            for count in [&mut footprint.messages, &mut footprint.events, &mut footprint.unreceived] {
                *count = *count / 2 * ranks;
            }
        }
    }

    pub(super) fn into_shown(self) -> Watched {
        self.shown
    }

    /// Shows the tasks of a run that is traced.
    pub fn show_tasks(&mut self, tasks: TracedTasks) {
        self.shown.tasks = Some(tasks);
    }

    /// Shows what the ranks of a run called that is traced.
    pub fn show_calls(&mut self, calls: Vec<Vec<RankCall>>) {
        self.shown.calls = Some(calls);
    }

    /// The record of a run with these metrics.
    ///
    /// # Errors
    /// If the critical path is wanted and not known: the workload simulates nothing, or more than one program.
    pub(super) fn into_record(mut self, metrics: impl Metrics) -> Result<Record, RunFailure> {
        if self.wants(&PATH) && self.path.is_none() {
            return Err("its workload has no critical path: a run of it is not one simulation".into());
        }
        let mut record = Record::default();
        metrics.write(&mut record);
        let platform = self.platform;
        let nominal = || {
            let speeds = (0..platform.nodes()).map(|node| platform.speed_per_second(NodeId(node)));
            Performance::unmeasured(speeds)
        };
        self.performance.take().unwrap_or_else(nominal).write(&mut record);
        let footprint = self.footprint.take().unwrap_or_default();
        let (path, phases) = (self.path.take(), std::mem::take(&mut self.phases));
        let path_metrics = path.as_ref().filter(|_| self.wants(&PATH)).map(|path| critical::metrics(path, platform));
        footprint::metrics(&footprint, path_metrics, platform).write(&mut record);
        let mut common = WantedTables::new(self.wanted);
        common.keep(&footprint::LINKS, || footprint::link_rows(&footprint, platform));
        common.keep(&footprint::POWER, || footprint::power_rows(&footprint, platform));
        common.keep(&PATH, || path.iter().flat_map(|path| critical::rows(path, &phases, platform)));
        record.tables = common.into_tables();
        record.tables.extend(self.tables.into_tables());
        Ok(record)
    }
}

impl End {
    fn of<M>(simulation: &Simulation<'_, M>) -> Self {
        let platform = simulation.platform();
        let nodes = if platform.faults().is_empty() { 0 } else { platform.nodes() };
        Self {
            completion: simulation.completion(),
            completed: simulation.completed(),
            lost: simulation.lost(),
            lost_work: simulation.lost_work().map(|(node, at)| (node, platform.tick().seconds(at))),
            down: (0..nodes).map(NodeId).filter(|&node| simulation.is_down(node)).collect(),
            usage: simulation.usage().to_vec(),
        }
    }
}
