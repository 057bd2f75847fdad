//! Points become machines and programs.

use std::sync::Arc;

use rayon::prelude::*;

use super::canonical::Leaf;
use super::check::Checker;
use super::fingerprint::Fingerprint;
use super::formulas::Files;
use super::kinds::{studies, workloads};
use super::network_keys::{NetworkKey, network_keys};
use super::platform::{Context, PlatformPlan};
use super::run::{Resolved, Subject};
use super::schema::Schema;
use super::shared::Shared;
use super::sweep::{Axis, AxisValue, Points, Sweep, is_under};
use hetsim_base::engine::Streams;
use hetsim_cluster::Platform;
use hetsim_text::{Node, Problem, Source};
use hetsim_workload::RunFailure;

/// What a point is run on, and what is run there.
#[derive(Debug, Clone)]
pub(super) struct PointSetup {
    /// The platform, unless a study has none.
    pub(super) platform: Option<Arc<PlatformPlan>>,
    pub(super) subject: Arc<Subject>,
    pub(super) resolved: Arc<Resolved>,
}

/// Of no more points than these the machines are kept, and no more platforms and workloads than these that several
/// points share. What is not kept is made again when a point runs, which costs some microseconds a run, where keeping it
/// would cost a kilobyte a point.
const KEPT: usize = 1 << 14;

/// How many points a core resolves at a time.
const SHARE: usize = 1 << 8;

/// Reads platforms, workloads and studies.
#[derive(Debug)]
pub(super) struct TableReader {
    schema: &'static Schema,
    pub(super) sources: Vec<Source>,
    files: Files,
}

/// Everything that a point's machine is made of.
#[derive(Debug)]
pub(super) struct Resolver {
    pub(super) reader: TableReader,
    tree: Node,
    pub(super) axes: Arc<[Axis]>,
    pub(super) points: Arc<Points>,
    /// What identifies the runs of the scenario without its sweep.
    base: Fingerprint,
    platforms: Shared<PlatformPlan>,
    subjects: Shared<Subject>,
    /// The number of each point's nodes.
    nodes: Vec<u32>,
    /// The machines of all points, where there are not too many.
    kept: Vec<PointSetup>,
}

impl TableReader {
    pub(super) fn new(schema: &'static Schema, sources: &[Source]) -> Self {
        Self { schema, sources: sources.to_vec(), files: Files::default() }
    }

    pub(super) fn platform(&self, table: &Node) -> Result<PlatformPlan, Vec<Problem>> {
        self.in_context(|context| PlatformPlan::read(table, context))
    }

    fn subject(&self, name: &str, table: &Node) -> Result<Subject, Vec<Problem>> {
        let kinds = if name == STUDY { studies() } else { workloads() };
        self.in_context(|context| Subject::read(kinds, table, context)).map_err(|problem| vec![problem])
    }

    /// Reads something with what that needs besides its own table.
    fn in_context<T>(&self, read: impl FnOnce(&Context<'_>) -> T) -> T {
        let check_network = |network: &Node| {
            let mut checker = Checker::new(self.schema, &self.sources);
            if let Some(cluster) = self.schema.definition("ClusterSpec") {
                checker.check(network, &cluster["properties"]["network"], "network");
            }
            checker.problems
        };
        read(&Context { sources: &self.sources, check_network: &check_network, files: &self.files })
    }
}

impl Resolver {
    /// Resolves every point, on all cores where there are many: what is wrong with the first wrong one is an error.
    pub(super) fn new(
        (schema, tree, sources): (&'static Schema, &Node, &[Source]),
        leaves: &[Leaf],
        sweep: &Sweep,
    ) -> Result<Self, Vec<Problem>> {
        let (axes, points) = (Arc::clone(&sweep.axes), Arc::clone(&sweep.points));
        let shared_by = |table: &str| {
            let reach = (0..axes.len()).filter(|&axis| is_under(&axes[axis].key, table).is_some());
            reach.collect::<Vec<_>>()
        };
        let platforms = Shared::new(&points, shared_by(PLATFORM), KEPT);
        let subjects = Shared::new(&points, shared_by(subject(tree)), KEPT);
        let (reader, tree, base) = (TableReader::new(schema, sources), tree.clone(), Fingerprint::of(leaves));
        let (nodes, kept) = (Vec::new(), Vec::new());
        let mut resolver = Self { reader, tree, axes, points, base, platforms, subjects, nodes, kept };
        let count = resolver.points.len();
        if count <= KEPT {
            resolver.kept = (0..count).map(|point| resolver.resolve(point)).collect::<Result<_, _>>()?;
            resolver.nodes = resolver.kept.iter().map(PointSetup::nodes).collect();
        } else {
            resolver.nodes = resolver.nodes_of_all()?;
        }
        Ok(resolver)
    }

    /// The number of each point's nodes.
    fn nodes_of_all(&self) -> Result<Vec<u32>, Vec<Problem>> {
        let count = self.points.len();
        let share = |share: usize| {
            let points = share * SHARE..count.min((share + 1) * SHARE);
            points.map(|point| Ok(self.resolve(point)?.nodes())).collect::<Result<Vec<u32>, Vec<Problem>>>()
        };
        // What is wrong with the first wrong point is said, whichever core finds out first.
        let shares: Vec<_> = (0..count.div_ceil(SHARE)).into_par_iter().map(share).collect();
        let mut nodes = Vec::with_capacity(count);
        for share in shares {
            nodes.extend(share?);
        }
        Ok(nodes)
    }

    /// The machine of a point.
    pub(super) fn machine(&self, point: usize) -> Result<PointSetup, Vec<Problem>> {
        self.kept.get(point).map_or_else(|| self.resolve(point), |kept| Ok(kept.clone()))
    }

    /// The platform of a point's machine, unless the scenario has none.
    pub(super) fn machine_platform(&self, point: usize) -> Result<Option<Arc<PlatformPlan>>, Vec<Problem>> {
        self.kept.get(point).map_or_else(|| self.shared_platform(point), |kept| Ok(kept.platform.clone()))
    }

    /// The first point of each platform, in the order of the points.
    pub(super) fn of_unlike_platforms(&self) -> impl Iterator<Item = usize> {
        self.platforms.first_points()
    }

    /// The number of a point's nodes.
    pub(super) fn nodes(&self, point: usize) -> u32 {
        self.nodes[point]
    }

    /// What identifies a point's runs, but for seed and replica.
    pub(super) fn fingerprint(&self, point: usize) -> Fingerprint {
        self.values(point).fold(self.base, |sum, (_, value)| value.change.apply(sum))
    }

    /// Whether a key of the workload or of a group in it is given, here or in the sweep: a path from its table on.
    pub(super) fn is_given(&self, key: &str) -> bool {
        let path = format!("{}.{key}", subject(&self.tree));
        let is_swept = |axis: &Axis| match is_under(&path, &axis.key).filter(|rest| !rest.is_empty()) {
            Some(rest) => {
                axis.values.iter().any(|value| value.node.as_ref().is_some_and(|node| node.at(rest).is_some()))
            }
            None => is_under(&axis.key, &path).is_some(),
        };
        self.tree.at(&path).is_some() || self.axes.iter().any(is_swept)
    }

    fn resolve(&self, point: usize) -> Result<PointSetup, Vec<Problem>> {
        let machine = || {
            let platform = self.shared_platform(point)?;
            let name = subject(&self.tree);
            let subject = self.subjects.of(point, || self.reader.subject(name, &self.varied(name, point)?))?;
            let resolved = subject.prepare(platform.as_deref());
            // Its table is put together once more to say where it is wrong.
            let resolved = resolved.or_else(|unready| Err(vec![unready.problem(&self.varied(name, point)?)]));
            Ok(PointSetup { platform, subject, resolved: Arc::new(resolved?) })
        };
        machine().map_err(|problems| self.explain(problems, point))
    }

    /// The machine of a point with other values of some keys.
    ///
    /// # Errors
    /// What is wrong with it then.
    pub(super) fn machine_with(&self, point: usize, values: &[(&str, Node)]) -> Result<PointSetup, Vec<Problem>> {
        let platform = match self.changed(PLATFORM, point, values)? {
            Some(table) => Some(Arc::new(self.reader.platform(&table)?)),
            None => self.shared_platform(point)?,
        };
        let (subject, table) = self.subject_with(point, values)?;
        let resolved = subject.prepare(platform.as_deref()).map_err(|unready| vec![unready.problem(&table)])?;
        Ok(PointSetup { platform, subject: Arc::new(subject), resolved: Arc::new(resolved) })
    }

    /// What runs at a point with other values of some keys, and its table.
    ///
    /// # Errors
    /// What is wrong with it then.
    pub(super) fn subject_with(&self, point: usize, values: &[(&str, Node)]) -> Result<(Subject, Node), Vec<Problem>> {
        let name = subject(&self.tree);
        let table = self.changed(name, point, values)?.map_or_else(|| self.varied(name, point), Ok)?;
        Ok((self.reader.subject(name, &table)?, table))
    }

    /// A table of the scenario with a point's values in it and over them others; nothing if none of these is in it.
    fn changed(&self, name: &str, point: usize, values: &[(&str, Node)]) -> Result<Option<Node>, Vec<Problem>> {
        let mut within = values.iter().filter_map(|(key, node)| Some((is_under(key, name)?, node))).peekable();
        if within.peek().is_none() {
            return Ok(None);
        }
        let mut table = self.varied(name, point)?;
        for (rest, node) in within {
            table.set(rest, node.clone()).map_err(|message| vec![Problem::at(&node.place, message)])?;
        }
        Ok(Some(table))
    }

    /// The keys of a point's platform that say what messages take.
    pub(super) fn network_keys(&self, point: usize, values: &[(&str, Node)]) -> Result<Vec<NetworkKey>, Vec<Problem>> {
        let platform = self.changed(PLATFORM, point, values)?.map_or_else(|| self.varied(PLATFORM, point), Ok)?;
        let mut tree = self.tree.clone();
        tree.set(PLATFORM, platform).map_err(|message| vec![Problem::at(&tree.place, message)])?;
        Ok(network_keys(&tree, self.reader.schema))
    }

    /// The platform of a point, unless the scenario has none.
    fn shared_platform(&self, point: usize) -> Result<Option<Arc<PlatformPlan>>, Vec<Problem>> {
        if self.tree.get(PLATFORM).is_none() {
            return Ok(None);
        }
        self.platforms.of(point, || self.reader.platform(&self.varied(PLATFORM, point)?)).map(Some)
    }

    /// A table of the scenario with a point's values in it.
    pub(super) fn varied(&self, name: &str, point: usize) -> Result<Node, Vec<Problem>> {
        let mut table = self.tree.get(name).unwrap_or(&self.tree).clone();
        for (axis, value) in self.values(point) {
            let (Some(node), Some(rest)) = (&value.node, is_under(&axis.key, name)) else { continue };
            if rest.is_empty() {
                table = node.clone();
            } else {
                value.put(&mut table, rest).map_err(|message| vec![Problem::at(&node.place, message)])?;
            }
        }
        Ok(table)
    }

    fn values(&self, point: usize) -> impl Iterator<Item = (&Axis, &AxisValue)> {
        self.axes.iter().zip(&self.points[point]).map(|(axis, &choice)| (axis, &axis.values[choice as usize]))
    }

    /// What is wrong with one point of a sweep: what the schema says of its values put together, if it says anything;
    /// and which point it is, if the scenario without its sweep is right.
    fn explain(&self, problems: Vec<Problem>, point: usize) -> Vec<Problem> {
        let mut varied = self.tree.clone();
        for (axis, value) in self.values(point) {
            if let Some(node) = &value.node
                && let Err(message) = value.put(&mut varied, &axis.key)
            {
                return vec![Problem::at(&node.place, message)];
            }
        }
        let mut checker = Checker::new(self.reader.schema, &self.reader.sources);
        checker.check(&varied, self.reader.schema.root(), "");
        let mut problems = if checker.problems.is_empty() { problems } else { checker.problems };
        let unswept = || {
            let platform = self.tree.get(PLATFORM).map(|table| self.reader.platform(table)).transpose()?;
            let name = subject(&self.tree);
            let table = self.tree.get(name).unwrap_or(&self.tree);
            self.reader
                .subject(name, table)?
                .prepare(platform.as_ref())
                .map_err(|unready| vec![unready.problem(table)])
                .map(drop)
        };
        let wrong_anyway = unswept().err().unwrap_or_default();
        let values = self.values(point).map(|(axis, value)| format!("{} = {}", axis.name, value.shown));
        let values: Vec<String> = values.collect();
        for problem in &mut problems {
            if !wrong_anyway.iter().any(|other| other.message == problem.message) {
                let help = problem.help.take().map_or_else(String::new, |help| format!("{help}\n"));
                problem.help = Some(format!("{help}the sweep gets there with {}", values.join(", ")));
            }
        }
        problems
    }
}

impl PointSetup {
    /// Does something with what runs, on the machine of a seed and a replica.
    pub(super) fn act<R>(
        &self,
        streams: Streams,
        act: impl FnOnce(&Resolved, Option<&Platform>, Streams) -> Result<R, RunFailure>,
    ) -> Result<R, RunFailure> {
        let plan = self.platform.as_deref();
        // What is decided by where nodes are is decided anew where that is drawn.
        let placed = plan.map(|plan| plan.placed(&streams)).transpose().map_err(|error| error.to_string())?.flatten();
        let prepared = placed.as_ref().map(|placed| self.subject.prepare(Some(placed))).transpose();
        let prepared = prepared.map_err(|unready| unready.to_string())?;
        let resolved = prepared.as_ref().unwrap_or(&self.resolved);
        let drawn = plan.map(|plan| plan.drawn(&streams)).transpose();
        let drawn = drawn.map_err(|error| error.to_string())?.flatten();
        act(resolved, drawn.as_ref().or_else(|| plan.map(PlatformPlan::platform)), streams)
    }

    /// The number of nodes; a study without a platform is computed on one.
    fn nodes(&self) -> u32 {
        self.platform.as_ref().map_or(1, |platform| platform.nodes())
    }
}

const STUDY: &str = "study";
const PLATFORM: &str = "platform";

/// The table of a scenario that says what runs.
fn subject(tree: &Node) -> &'static str {
    if tree.get(STUDY).is_some() { STUDY } else { "workload" }
}
