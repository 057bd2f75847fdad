//! Scenarios: a TOML file becomes a checked list of runs, each a pure function of its parameters, seed and replica.
//!
//! [`Scenario::load_in`] parses the text to a tree that knows its places, walks it against the schema, expands the
//! sweep, and resolves every point to a machine and a program. All errors are reported together, with file, line and
//! column.
//! [`Scenario::run`] then computes the record of one point and replica.

mod calibrated;
mod canonical;
mod check;
mod coarse;
mod csv;
mod direction;
mod editor;
mod factor;
mod fault;
mod file;
mod file_name;
mod filter;
mod fingerprint;
mod folder;
mod format;
mod formulas;
mod given;
mod graphs;
mod hpl_dat;
mod key_tables;
mod kinds;
mod load;
mod meant_key;
mod meant_unit;
mod measured;
mod models;
mod mpi_traces;
mod network_keys;
mod notation;
mod platform;
mod platform_file;
mod platform_tree;
mod references;
mod replicas;
mod resolve;
mod run;
mod scalar;
mod schema;
mod shared;
mod starpu;
mod statistics;
mod steps;
mod subject;
mod sweep;
mod templates;
mod tolerance;
mod trace;
mod traced;
mod uncertainty;
mod warnings;
mod written;

use std::any::Any;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hetsim_base::engine::Streams;
use hetsim_base::record::Record;
use hetsim_cluster::Platform;
use hetsim_workload::taskgraph::Predicted;
use hetsim_workload::{Demand, RunFailure};

pub use editor::{Described, editor_schema};
pub use factor::Factor;
pub use fault::FaultProfile;
pub use file::{OutputSpec, ScenarioFile};
pub use file_name::fault_of_stem;
pub use filter::{Filter, axis_number, find_axis};
pub use fingerprint::Fingerprint;
pub use format::Format;
pub use given::Given;
pub use hetsim_simgrid as simgrid;
pub use hetsim_text::{DEEPEST, Place, Problem, Problems, Report, Source, nearest, suggest};
pub use hetsim_workload::TracedTasks;
pub use hpl_dat::{HplScenario, hpl_scenario};
pub use key_tables::{Absent, Key, KeyForm, KeyName, KeyTable, anchor, key_tables};
pub use kinds::{Kind, RegisterError, common_metrics, metric, register, studies, workloads};
pub use load::Load;
pub use notation::{Notation, PLAIN};
pub use platform::{CalibrationSpec, DrawError, PlatformPlan};
pub use platform_file::{FromToml, has_platform};
pub use platform_tree::PlatformTree;
pub use references::{References, Tables};
pub use replicas::{Precision, Replicas, UntilSpec, ninety_five};
pub use scalar::{Choice, Scalar, Where};
pub use schema::{Schema, tables_as_text};
pub use starpu::{StarpuKernels, is_starpu_model, starpu_kernels};
pub use statistics::{IntervalMethod, IntervalSpec};
pub use sweep::{Analysis, Axis, AxisValue, Choices, Design, DesignSpec, Points, Sweep};
pub use templates::{TEMPLATES, template};
pub use traced::{Traced, TracedLink};
pub use written::to_toml;

use check::Checker;
use hetsim_text::Node;
use resolve::{PointSetup, Resolver};
use run::Resolved;
use sweep::is_under;
use tolerance::table::TOLERANCE;
use uncertainty::Uncertainty;

/// A checked scenario: everything that can be known without running it.
#[derive(Debug)]
pub struct Scenario {
    /// Its name: the stem of its file.
    pub name: String,
    /// The text of the file, for the report.
    pub text: Arc<str>,
    /// The files that it names.
    pub inputs: Vec<PathBuf>,
    /// The keys of the file, but for those that say what is made of the runs.
    pub file: ScenarioFile,
    /// What is made of the runs.
    tables: Box<dyn Tables>,
    /// What varies.
    pub axes: Arc<[Axis]>,
    /// The design that chose values, if the sweep has one.
    pub design: Option<Design>,
    /// The points of the sweep.
    pub points: Arc<Points>,
    /// What makes machines and programs of them.
    resolver: Resolver,
    uncertainty: Uncertainty,
    first: PointSetup,
    /// The resolved values, with defaults left out as in the file and `--set` put in.
    resolved: Node,
}

impl Scenario {
    /// Reads a scenario from a file in a notation, with values put over it as `key=value`.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn load_in(notation: &'static Notation, path: &Path, overrides: &[String]) -> Result<Self, Problems> {
        let source = Source::read(path).map_err(|error| Problems::general(error.to_string()))?;
        let name = path.file_stem().map_or_else(|| "scenario".to_owned(), |stem| stem.to_string_lossy().into_owned());
        Self::read_in(notation, name, source, overrides)
    }

    /// Reads a scenario from a text in a notation.
    ///
    /// The name is that of the folder of its results, so it is one part of a path.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn read_in(
        notation: &'static Notation,
        name: String,
        source: Source,
        overrides: &[String],
    ) -> Result<Self, Problems> {
        if !file_name::is_folder(&name) {
            let message =
                format!("the results of {} would go to a folder `{name}`, which is none of its own", source.name);
            let problem = Problem::general(message).with_help("give the scenario's file another name");
            return Err(Problems::new(vec![problem], &[]));
        }
        let text = Arc::clone(&source.text);
        let mut sources = vec![source];
        match read(notation, &mut sources, overrides) {
            Ok(((file, tables), design, (resolver, uncertainty), first, (tree, inputs))) => {
                let (axes, points) = (Arc::clone(&resolver.axes), Arc::clone(&resolver.points));
                Ok(Self {
                    name,
                    text,
                    inputs,
                    file,
                    tables,
                    axes,
                    design,
                    points,
                    resolver,
                    uncertainty,
                    first,
                    resolved: tree,
                })
            }
            Err(problems) => Err(Problems::new(problems, &sources)),
        }
    }

    /// The tables that evaluate the runs; `None` if the scenario was read in a notation with others.
    #[must_use]
    pub fn tables<T: Tables>(&self) -> Option<&T> {
        let tables: &dyn Any = &*self.tables;
        tables.downcast_ref()
    }

    /// A point in words, `key = value` for each axis but those with these numbers.
    #[must_use]
    pub fn place(&self, point: usize, without: &[usize]) -> String {
        let values = self.values(point).enumerate().filter(|(axis, _)| !without.contains(axis));
        let parts: Vec<String> = values.map(|(_, (axis, value))| format!("{} = {}", axis.name, value.shown)).collect();
        parts.join(", ")
    }

    /// The most runs: points times replicas. If points stop by themselves, there are usually fewer.
    #[must_use]
    pub fn runs(&self) -> usize {
        self.points.len() * self.file.replicas.most() as usize
    }

    /// What two points have in common exactly where their replicas are the same runs.
    #[must_use]
    pub fn fingerprint(&self, point: usize) -> Fingerprint {
        self.resolver.fingerprint(point)
    }

    /// Whether no two points have the same runs: the values of each axis change them in as many ways, and no two points
    /// have all values in common. Where this does not hold, points may still differ.
    #[must_use]
    pub fn unlike_values_make_unlike_runs(&self) -> bool {
        let changes = |axis: &Axis| -> HashSet<Fingerprint> {
            axis.values.iter().map(|value| value.change.apply(Fingerprint::default())).collect()
        };
        self.axes.iter().all(|axis| changes(axis).len() == axis.values.len())
    }

    /// The number of a point's nodes.
    #[must_use]
    pub fn nodes(&self, point: usize) -> u32 {
        self.resolver.nodes(point)
    }

    /// The value of each axis at a point.
    pub fn values(&self, point: usize) -> impl Iterator<Item = (&Axis, &AxisValue)> {
        self.axes.iter().zip(&self.points[point]).map(|(axis, &choice)| (axis, &axis.values[choice as usize]))
    }

    /// Computes a run.
    ///
    /// # Errors
    /// A sentence that says why the run failed.
    pub fn run(&self, point: usize, replica: u32) -> Result<Record, RunFailure> {
        let output = &self.file.output;
        let keeps_tables = output.replicas.is_none_or(|replicas| replica < replicas);
        let tables = if keeps_tables { output.tables.as_slice() } else { &[] };
        let mut record = self
            .resolve(point, replica, |resolved, platform, streams| resolved.ready.record(platform, streams, tables))?;
        if keeps_tables && self.runs_have_parts() {
            tolerance::add(self, point, replica, &mut record)?;
        }
        Ok(record)
    }

    /// Whether a run is many simulations, which threads share.
    #[must_use]
    pub fn runs_have_parts(&self) -> bool {
        self.file.output.tables.iter().any(|name| name == TOLERANCE.name)
    }

    /// Computes a run again and watches it.
    ///
    /// # Errors
    /// A sentence that says why the run failed.
    pub fn trace(&self, point: usize, replica: u32) -> Result<Traced, RunFailure> {
        self.resolve(point, replica, |resolved, platform, streams| resolved.ready.trace(platform, streams))
    }

    /// Makes and checks the schedule of a task graph, and gives its prediction; `None` for other workloads and for
    /// schedules that are made during the run.
    ///
    /// # Errors
    /// A sentence, if there can be no schedule or it is wrong.
    pub fn predicted(&self, point: usize, replica: u32) -> Result<Option<Predicted>, RunFailure> {
        self.resolve(point, replica, |resolved, platform, streams| resolved.ready.predicted(platform, streams))
    }

    /// How much work a run has; `None` where that is known only after it, and for studies.
    ///
    /// # Errors
    /// A sentence, if there can be no run.
    pub fn demand(&self, point: usize, replica: u32) -> Result<Option<Demand>, RunFailure> {
        self.resolve(point, replica, |resolved, platform, streams| resolved.ready.demand(platform, streams))
    }

    fn resolve<R>(
        &self,
        point: usize,
        replica: u32,
        act: impl FnOnce(&Resolved, Option<&Platform>, Streams) -> Result<R, RunFailure>,
    ) -> Result<R, RunFailure> {
        self.machine(point, replica)?.act(Streams::new(self.file.seed, u64::from(replica)), act)
    }

    fn machine(&self, point: usize, replica: u32) -> Result<PointSetup, RunFailure> {
        let drawn = self.drawn_values(replica);
        if drawn.is_empty() {
            // It went well once, when the scenario was read.
            let machine = self.resolver.machine(point);
            return machine.map_err(|problems| unmade("the scenario's files have changed meanwhile", &problems));
        }
        let machine = self.resolver.machine_with(point, &drawn);
        machine.map_err(|problems| unmade("with the values that [uncertainty] draws for it", &problems))
    }

    /// The uncertain values of a replica, by their keys.
    fn drawn_values(&self, replica: u32) -> Vec<(&str, Node)> {
        self.uncertainty.draw(self.file.seed, replica)
    }

    /// The kind of its workload or study.
    #[must_use]
    pub fn kind(&self) -> &'static Kind {
        self.first.resolved.kind
    }

    /// The platform of the first point, as far as it is the same for every seed; `None` for a study without one.
    #[must_use]
    pub fn first_platform(&self) -> Option<&Platform> {
        self.first_plan().map(PlatformPlan::platform)
    }

    /// The same with what is not drawn yet, and with the ranks on each node.
    #[must_use]
    pub fn first_plan(&self) -> Option<&PlatformPlan> {
        self.first.platform.as_deref()
    }

    /// The platform of a point and a replica, with what is drawn for it.
    ///
    /// # Errors
    /// Where the draws do not allow the diversity that the platform asks for, or a study has no platform.
    pub fn drawn_platform(&self, point: usize, replica: u32) -> Result<Platform, RunFailure> {
        self.resolve(point, replica, |_, platform, _| platform.cloned().ok_or_else(|| "there is no platform".into()))
    }

    /// The scenario as TOML with includes and `--set` resolved, and the whole path of the `folder` that its files are
    /// in: a scenario of its own, with the same runs under the same names.
    ///
    /// # Errors
    /// Where TOML can't hold it, which no scenario that was read from TOML brings about.
    pub fn resolved(&self) -> Result<String, toml::ser::Error> {
        to_toml(self.resolved.to_json())
    }
}

/// Why the machine of a run cannot be made.
fn unmade(why: &str, problems: &[Problem]) -> RunFailure {
    let messages: Vec<&str> = problems.iter().map(|problem| problem.message.as_str()).collect();
    RunFailure::from(format!("{why}: {}", messages.join("; ")))
}

type ReadScenario =
    ((ScenarioFile, Box<dyn Tables>), Option<Design>, (Resolver, Uncertainty), PointSetup, (Node, Vec<PathBuf>));

fn read(
    notation: &'static Notation,
    sources: &mut Vec<Source>,
    overrides: &[String],
) -> Result<ReadScenario, Vec<Problem>> {
    let mut tree = Node::parse(&sources[0], 0)?;
    // Where files are comes before the included file, and other values are put over those in it.
    let early = |text: &&String| ["folder=", "platform.include="].iter().any(|key| text.starts_with(key));
    let (early, others): (Vec<_>, Vec<_>) = overrides.iter().partition(early);
    for text in early {
        set(&mut tree, text, sources, notation.schema())?;
    }
    folder::enter(&tree, sources);
    include(&mut tree, sources)?;
    formulas::spell_out(&mut tree);
    for (number, text) in others.iter().enumerate() {
        // Of several values for a key the last one counts.
        let key = |text: &str| text.split('=').next().map(str::to_owned);
        if !others[number + 1..].iter().any(|later| key(later) == key(text)) {
            set(&mut tree, text, sources, notation.schema())?;
        }
    }
    formulas::spell_out(&mut tree);
    subject::check_whole(&tree)?;
    subject::check_moved(&tree)?;
    let schema = notation.schema();
    folder::expand(&mut tree, schema, sources)?;
    let mut checker = Checker::new(schema, sources);
    checker.check(&tree, schema.root(), "");
    let Checker { problems, mut leaves, mut files, .. } = checker;
    if !problems.is_empty() {
        return Err(problems);
    }
    let unread =
        |error: serde_json::Error| vec![Problem::at(&tree.place, error.to_string()).labelled("in this scenario")];
    let file: ScenarioFile = serde_json::from_value(tree.to_json()).map_err(unread)?;
    subject::check(&tree, &file)?;
    let tables = notation.tables(tree.to_json()).map_err(unread)?;
    leaves.retain(|(path, _)| reaches_runs(path));
    let (sweep, swept_files) = sweep::read(&tree, schema, &leaves, sources)?;
    files.extend(swept_files);
    if sweep.points.is_empty() {
        return Err(vec![Problem::at(&tree.place, "the sweep has no point")]);
    }
    let uncertainty = Uncertainty::read(&tree, schema, (&sweep.axes, &file.replicas), sources)?;
    overrides_count(&sweep, &uncertainty, sources)?;
    leaves.extend(uncertainty.leaves());
    let resolver = Resolver::new((schema, &tree, sources), &leaves, &sweep)?;
    let first = resolver.machine(0)?;
    references::check(&tree, sources, (&file, &*tables), &sweep, first.resolved.kind)?;
    let inputs = folder::named(&tree, &files, sources);
    tree.remove("platform.include");
    folder::make_whole(&mut tree, &files, sources);
    Ok(((file, tables), sweep.design, (resolver, uncertainty), first, (tree, inputs)))
}

/// A value that is put over a key within a table which the sweep varies at every point, or over one which is drawn, would
/// change nothing.
fn overrides_count(sweep: &Sweep, uncertainty: &Uncertainty, sources: &[Source]) -> Result<(), Vec<Problem>> {
    let mut problems = Vec::new();
    for (number, source) in sources.iter().enumerate().filter(|(_, source)| source.name == SET) {
        let key = source.text.split('=').next().unwrap_or_default();
        let is_swept = |axis: &&Axis| {
            is_under(key, &axis.key).is_some_and(|rest| !rest.is_empty())
                && axis.values.iter().all(|value| value.node.is_some())
        };
        let swept = sweep.axes.iter().find(is_swept).map(|axis| (axis.key.as_str(), "varied by the sweep", "sweep"));
        let drawn =
            || uncertainty.keys().find(|drawn| is_under(key, drawn).is_some()).map(|key| (key, "drawn", "uncertainty"));
        if let Some((varied, how, table)) = swept.or_else(drawn) {
            let place = Place { source: number, span: 0..key.len() };
            let message = format!("`{varied}` is {how}, so this value would change nothing");
            let help = format!("take the key out of [{table}], or run another scenario");
            problems.push(Problem::at(&place, message).with_help(help));
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

/// The name of the source that a `--set` is.
const SET: &str = "--set";

/// Whether a value reaches the runs: not charts, expectations, or the name of a file whose content was read.
fn reaches_runs(path: &str) -> bool {
    (path.starts_with("platform.") && path != "platform.include")
        || ["workload.", "study."].iter().any(|table| path.starts_with(table))
        || path.starts_with("output.tables")
        || path == "output.replicas"
}

/// Puts a `key=value` from the command line into the tree.
fn set(tree: &mut Node, text: &str, sources: &mut Vec<Source>, schema: &Schema) -> Result<(), Vec<Problem>> {
    let number = sources.len();
    let folder = std::path::PathBuf::from(".");
    sources.push(Source { name: SET.to_owned(), folder, text: text.into() });
    let whole = Place { source: number, span: 0..text.len() };
    let Some((key, _)) = text.split_once('=').filter(|(key, _)| !key.is_empty()) else {
        return Err(vec![Problem::at(&whole, "`--set` takes key=value, such as workload.size=8KiB")]);
    };
    let value = Node::parse_value(&sources[number], number, key.len() + 1).map_err(|problem| vec![problem])?;
    let at_key = Place { source: number, span: 0..key.len() };
    if schema.at(key, tree).is_none() {
        let help = schema.advise(tree, key);
        return Err(vec![Problem::at(&at_key, format!("there is no key `{key}`")).with_help(help)]);
    }
    match sweep::narrow(tree, key, value).map_err(|problem| vec![problem])? {
        Some(own) => tree.set(key, own).map_err(|message| vec![Problem::at(&at_key, message)]),
        None => Ok(()),
    }
}

/// Puts the platform under that of the file which it includes.
fn include(tree: &mut Node, sources: &mut Vec<Source>) -> Result<(), Vec<Problem>> {
    let Some(named) = tree.at("platform.include").cloned() else { return Ok(()) };
    let Some(name) = named.text() else { return Ok(()) };
    let path = file_name::resolve_file(sources, &named, name);
    let source = Source::read(&path).map_err(|error| vec![Problem::at(&named.place, error.to_string())])?;
    let number = sources.len();
    sources.push(source);
    let is_xml = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("xml"));
    let below = read_below(sources, number, is_xml)?;
    let merged = tree.get("platform").map_or_else(|| below.clone(), |own| below.overlaid(own));
    tree.set("platform", merged).map_err(|message| vec![Problem::at(&named.place, message)])
}

/// The keys of `platform` in a source that is to be included.
fn read_below(sources: &[Source], number: usize, is_xml: bool) -> Result<Node, Vec<Problem>> {
    let source = &sources[number];
    let below = if is_xml {
        simgrid::read_file(source, number).map_err(|problem| vec![problem])?
    } else {
        Node::parse(source, number)?
    };
    if let Some(entry) = below.entry("include") {
        let problem = Problem::at(&entry.place, "an included file can't include another one");
        return Err(vec![problem]);
    }
    if let Some(entry) = below.entry("platform") {
        let problem = Problem::at(&entry.place, "an included file holds the keys of `platform` themselves");
        return Err(vec![problem.with_help("write [cluster.name] there instead of [platform.cluster.name]")]);
    }
    Ok(below)
}
