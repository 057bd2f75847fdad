//! Points become machines and programs.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;
use serde_json::Value as Json;

use super::canonical::Leaf;
use super::check::Checker;
use super::formulas::Files;
use super::identity::Fingerprint;
use super::kinds::{Kind, studies, workloads};
use super::node::Node;
use super::platform::{Context, PlatformPlan};
use super::problem::{Problem, Source};
use super::run::Resolved;
use super::sweep::{Axis, AxisValue, Choices};

/// One point of the sweep.
#[derive(Debug, Clone)]
pub struct Point {
    /// For each axis, the number of its value.
    pub choices: Choices,
    /// What identifies its runs, but for seed and replica.
    pub(super) fingerprint: Fingerprint,
    /// The number of its nodes.
    pub(super) nodes: u32,
    /// Kept where there are not too many points.
    kept: Option<PointSetup>,
}

/// What a point is run on, and what is run there.
#[derive(Debug, Clone)]
pub(super) struct PointSetup {
    /// The platform, unless a study has none.
    pub(super) platform: Option<Arc<PlatformPlan>>,
    pub(super) resolved: Arc<Resolved>,
}

/// Of no more points than these the machines are kept. Those of others are checked and made again when they run, which
/// costs some microseconds a run, where keeping them would cost a kilobyte a point.
const KEPT: usize = 1 << 14;

/// How many points a core resolves at a time.
const SHARE: usize = 1 << 8;

/// Everything that a point's machine is made of.
#[derive(Debug)]
pub(super) struct Resolver {
    schema: &'static Json,
    tree: Node,
    pub(super) sources: Vec<Source>,
    pub(super) axes: Vec<Axis>,
    files: Files,
    /// Platforms that several points share, by the values that make them differ.
    platforms: Mutex<HashMap<Vec<usize>, Arc<PlatformPlan>>>,
}

impl Resolver {
    pub(super) fn new(schema: &'static Json, tree: &Node, sources: &[Source], axes: Vec<Axis>) -> Self {
        let (files, platforms) = (Files::default(), Mutex::default());
        Self { schema, tree: tree.clone(), sources: sources.to_vec(), axes, files, platforms }
    }

    /// Resolves every point, on all cores where there are many.
    pub(super) fn points(&self, leaves: &[Leaf], points: &[Choices]) -> Result<Vec<Point>, Vec<Problem>> {
        let base = Fingerprint::of(leaves);
        let keeps = points.len() <= KEPT;
        let resolve = |choices: &Choices| -> Result<Point, Vec<Problem>> {
            let machine = self.resolve(choices)?;
            let fingerprint = self.values(choices).fold(base, |sum, (_, value)| value.change.apply(sum));
            let nodes = machine.platform.as_ref().map_or(1, |platform| platform.platform().nodes());
            Ok(Point { choices: choices.clone(), fingerprint, nodes, kept: keeps.then_some(machine) })
        };
        if keeps {
            return points.iter().map(resolve).collect();
        }
        let share = |share: &[Choices]| share.iter().map(resolve).collect::<Result<Vec<_>, _>>();
        // What is wrong with the first wrong point is said, whichever core finds out first.
        let shares: Vec<Result<Vec<Point>, Vec<Problem>>> = points.par_chunks(SHARE).map(share).collect();
        let mut all = Vec::with_capacity(points.len());
        for share in shares {
            all.extend(share?);
        }
        Ok(all)
    }

    /// The machine of a point.
    pub(super) fn machine(&self, point: &Point) -> Result<PointSetup, Vec<Problem>> {
        point.kept.clone().map_or_else(|| self.resolve(&point.choices), Ok)
    }

    fn resolve(&self, choices: &Choices) -> Result<PointSetup, Vec<Problem>> {
        let machine = || {
            let platform = self.shared_platform(choices)?;
            let resolved = self.resolved(&self.varied(self.subject().0, choices)?, platform.as_deref())?;
            Ok(PointSetup { platform, resolved: Arc::new(resolved) })
        };
        machine().map_err(|problems| self.explain(problems, choices))
    }

    /// The table that says what runs, and the kinds of which it names one.
    fn subject(&self) -> (&'static str, &'static [Kind]) {
        if self.tree.get("study").is_some() { ("study", studies()) } else { ("workload", workloads()) }
    }

    fn resolved(&self, table: &Node, platform: Option<&PlatformPlan>) -> Result<Resolved, Vec<Problem>> {
        self.in_context(|context| Resolved::read(self.subject().1, table, platform, context))
    }

    /// The platform of a point, unless the scenario has none.
    pub(super) fn shared_platform(&self, choices: &Choices) -> Result<Option<Arc<PlatformPlan>>, Vec<Problem>> {
        if self.tree.get("platform").is_none() {
            return Ok(None);
        }
        let lock = || self.platforms.lock().unwrap_or_else(PoisonError::into_inner);
        let swept = self.axes.iter().zip(choices).filter(|(axis, _)| is_under(&axis.key, "platform").is_some());
        let key: Vec<usize> = swept.map(|(_, &choice)| choice).collect();
        if let Some(platform) = lock().get(&key) {
            return Ok(Some(Arc::clone(platform)));
        }
        let platform = Arc::new(self.platform(&self.varied("platform", choices)?)?);
        let mut platforms = lock();
        if platforms.len() < KEPT {
            platforms.insert(key, Arc::clone(&platform));
        }
        Ok(Some(platform))
    }

    pub(super) fn platform(&self, table: &Node) -> Result<PlatformPlan, Vec<Problem>> {
        self.in_context(|context| PlatformPlan::read(table, context))
    }

    /// Reads something with what that needs besides its own table.
    fn in_context<T>(&self, read: impl FnOnce(&Context<'_>) -> T) -> T {
        let check_network = |network: &Node| {
            let mut checker = Checker::new(self.schema, &self.sources);
            if let Some(schema) = self.schema.pointer("/$defs/ClusterSpec/properties/network") {
                checker.check(network, schema, "network");
            }
            checker.problems
        };
        read(&Context { sources: &self.sources, check_network: &check_network, files: &self.files })
    }

    /// A table of the scenario with a point's values in it.
    pub(super) fn varied(&self, name: &str, choices: &Choices) -> Result<Node, Vec<Problem>> {
        let mut table = self.tree.get(name).unwrap_or(&self.tree).clone();
        for (axis, value) in self.values(choices) {
            let (Some(node), Some(rest)) = (&value.node, is_under(&axis.key, name)) else { continue };
            if rest.is_empty() {
                table = node.clone();
            } else {
                value.put(&mut table, rest).map_err(|message| vec![Problem::at(&node.place, message)])?;
            }
        }
        Ok(table)
    }

    fn values<'a>(&'a self, choices: &'a Choices) -> impl Iterator<Item = (&'a Axis, &'a AxisValue)> {
        self.axes.iter().zip(choices).map(|(axis, &choice)| (axis, &axis.values[choice]))
    }

    /// What is wrong with one point of a sweep: what the schema says of its values put together, if it says anything;
    /// and which point it is, if the scenario without its sweep is right.
    fn explain(&self, problems: Vec<Problem>, choices: &Choices) -> Vec<Problem> {
        let mut varied = self.tree.clone();
        for (axis, value) in self.values(choices) {
            if let Some(node) = &value.node
                && let Err(message) = value.put(&mut varied, &axis.key)
            {
                return vec![Problem::at(&node.place, message)];
            }
        }
        let mut checker = Checker::new(self.schema, &self.sources);
        checker.check(&varied, self.schema, "");
        let mut problems = if checker.problems.is_empty() { problems } else { checker.problems };
        let unswept = || {
            let platform = self.tree.get("platform").map(|table| self.platform(table)).transpose()?;
            let table = self.tree.get(self.subject().0).unwrap_or(&self.tree);
            self.resolved(table, platform.as_ref()).map(drop)
        };
        let wrong_anyway = unswept().err().unwrap_or_default();
        let values = self.values(choices).map(|(axis, value)| format!("{} = {}", axis.name, value.shown));
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

/// The rest of a key below a table; empty for the table itself.
fn is_under<'k>(key: &'k str, table: &str) -> Option<&'k str> {
    let rest = key.strip_prefix(table)?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix('.') }
}
