//! `hetsim list`: lists everything that a scenario can name.

use std::fmt::Write;

use super::arguments::List;
use super::say::print;
use super::terminal::wrapped;
use super::{Failure, bad_input};
use crate::adapt::Model as Predictor;
use crate::cluster::network::Parameters;
use crate::cluster::topology;
use crate::communication::intercluster::Heuristic;
use crate::communication::{Algorithm, Operation};
use crate::fit::Model;
use crate::fit::runtime::Method as Fitting;
use crate::graph::generate::Family;
use crate::graph::read::Format;
use crate::partition::Method;
use crate::policy::Policy;
use crate::record::{Direction, Metric, MetricKind};
use crate::report::chart::Chart;
use crate::report::derive::Derivation;
use crate::scenario::{Factor, FaultProfile, Load, TEMPLATES, common_metrics, nearest, studies, workloads};
use crate::schedule::Scheduler;
use crate::schedule::mapping::{Objective as MappingObjective, Search};
use crate::search::Objective;
use crate::search::strategy::Strategy;
use crate::workload::evolution::Distribution;
use crate::workload::farm::Cost;
use crate::workload::footprint;
use crate::workload::taskgraph::Dynamic;

/// The width of the name column.
const NAMES: usize = 30;

/// Something that a scenario can name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// What it is: the title of its section.
    pub section: String,
    /// Its name.
    pub name: String,
    /// What it means, in a few words.
    pub about: String,
}

/// Prints every section, or the lines with all given words, and whole sections whose title has them.
pub(super) fn list(arguments: &List) -> Result<(), Failure> {
    let mut text = String::new();
    for section in entries(&arguments.words).map_err(bad_input)?.chunk_by(|a, b| a.section == b.section) {
        let _ = writeln!(text, "{}\n{}", section[0].section, section.iter().map(line).collect::<String>());
    }
    if arguments.words.is_empty() {
        text.push_str("Metrics of runs: hetsim list metrics\n");
    } else if arguments.words[0].eq_ignore_ascii_case("metrics") {
        text.push_str("The direction says which value is best;\n`largest = true` and `least = true` override it.\n");
    }
    print(&text)
}

/// Everything that a scenario can name but metrics; or what has all of these words, or whose section has them, metrics
/// included.
///
/// # Errors
/// Nothing matches; the message suggests a name.
pub fn entries(words: &[String]) -> Result<Vec<Entry>, String> {
    let wanted = words.iter().map(|word| word.to_lowercase()).collect();
    let mut listing = sections(Listing { entries: Vec::new(), wanted, names: Vec::new() });
    if !words.is_empty() {
        listing = metrics(listing);
    }
    if listing.entries.is_empty() {
        let asked = words.join(" ");
        let names: Vec<&str> = listing.names.iter().map(String::as_str).collect();
        let meant = nearest(&asked, names.iter().copied());
        let help =
            meant.map_or_else(|| "`hetsim list` lists everything".to_owned(), |name| format!("did you mean `{name}`?"));
        return Err(format!("nothing in the list matches `{asked}`; {help}"));
    }
    Ok(listing.entries)
}

/// An entry as lines of text; continuation lines are indented below the first.
fn line(Entry { name, about, .. }: &Entry) -> String {
    let about = wrapped(about, NAMES, NAMES);
    if name.len() + 2 < NAMES {
        format!("  {name:<width$}{}", about.trim_start(), width = NAMES - 2)
    } else {
        format!("  {name}\n{:NAMES$}{}", "", about.trim_start())
    }
}

fn sections(mut text: Listing) -> Listing {
    section(&mut text, "Workloads (workload.kind)", workloads().iter().map(|kind| (kind.name, kind.about)));
    section(&mut text, "Studies (study.kind)", studies().iter().map(|kind| (kind.name, kind.about)));
    let kinds = workloads().iter().chain(studies());
    let own = kinds.flat_map(|kind| kind.own_tables.iter().map(|table| (kind.name, table)));
    let tables = own.chain(footprint::TABLES.iter().map(|table| ("every workload", table)));
    let tables: Vec<(&str, String)> = tables
        .map(|(kind, table)| {
            let columns: Vec<&str> = table.columns.iter().map(|column| column.name).collect();
            (table.name, format!("{kind}: {} ({})", table.about, columns.join(", ")))
        })
        .collect();
    let tables = tables.iter().map(|(name, about)| (*name, about.as_str()));
    section(&mut text, "Long tables (output.tables, chart.table)", tables);
    section(&mut text, "Charts (chart.kind)", Chart::ALL.iter().copied());
    section(&mut text, "Derived metrics (derive.how)", Derivation::ALL.iter().copied());
    section(&mut text, "Network models (network.model)", Parameters::ALL.iter().copied());
    section(&mut text, "Topologies (network.topology.kind, under `fair`)", topology::Parameters::ALL.iter().copied());
    section(&mut text, "External loads (load.profile.kind)", Load::ALL.iter().copied());
    section(&mut text, "Node faults (fault.profile.kind)", FaultProfile::ALL.iter().copied());
    section(&mut text, "Distributions of speeds (speed_factor.distribution)", Factor::ALL.iter().copied());
    let operations = Operation::ALL.iter().map(|operation| (operation.name(), operation.about()));
    section(&mut text, "Collective operations (workload.operation)", operations);
    let algorithms: Vec<(&str, String)> = Algorithm::ALL
        .iter()
        .map(|algorithm| {
            let operations = Operation::ALL.iter().filter(|&&operation| algorithm.fits(operation));
            let operations: Vec<&str> = operations.map(|operation| operation.name()).collect();
            (algorithm.name(), format!("{} ({})", algorithm.about(), operations.join(", ")))
        })
        .collect();
    let algorithms = algorithms.iter().map(|(name, about)| (*name, about.as_str()));
    section(&mut text, "Algorithms of these operations (workload.algorithm)", algorithms);
    let heuristics = Heuristic::ALL.iter().map(|heuristic| (heuristic.name(), heuristic.about()));
    section(
        &mut text,
        "Broadcast heuristics: HEURISTIC over single nodes, HEURISTIC+ALGORITHM or\nHEURISTIC+best between clusters",
        heuristics,
    );
    let models = Predictor::ALL.iter().map(|model| (model.name(), model.about()));
    section(&mut text, "Communication models as predictors (workload.models)", models);
    let methods = Method::ALL.iter().map(|method| (method.name(), method.about()));
    section(&mut text, "Partitions into logical clusters (study.method, hetsim partition)", methods);
    let policies = Policy::ALL.iter().map(|policy| (policy.name(), policy.about()));
    section(&mut text, "Policies that hand out tasks (workload.farm.policy)", policies);
    let distributions = Distribution::ALL.iter().map(|distribution| (distribution.name(), distribution.about()));
    section(&mut text, "Distributions of an evolution strategy (workload.distribution)", distributions);
    let strategies = Strategy::ALL.iter().map(|strategy| (strategy.name(), strategy.about()));
    section(&mut text, "Evolution strategies (workload.search.strategy)", strategies);
    let objectives = Objective::ALL.iter().map(|objective| (objective.name(), objective.about()));
    section(&mut text, "Objectives (workload.search.objective)", objectives);
    section(&mut text, "Costs of tasks (workload.task.distribution)", Cost::ALL.iter().copied());
    let schedulers = Scheduler::ALL.iter().map(|scheduler| (scheduler.name(), scheduler.about()));
    let dynamic = Dynamic::ALL.iter().map(|scheduler| (scheduler.name(), scheduler.about()));
    let searches = Search::ALL.iter().map(|search| (search.name(), search.about()));
    section(&mut text, "Schedulers of task graphs (workload.scheduler)", schedulers.chain(searches).chain(dynamic));
    let objectives = MappingObjective::ALL.iter().map(|objective| (objective.name(), objective.about()));
    section(&mut text, "Objectives of a search for a mapping (workload.objective)", objectives);
    section(&mut text, "Families of task graphs (workload.generate.shape.family)", Family::ALL.iter().copied());
    let formats = Format::ALL.iter().map(|format| (format.name(), format.about()));
    section(&mut text, "Files of task graphs (workload.file, hetsim convert)", formats);
    let models = Model::ALL.iter().map(|model| (model.name(), model.about()));
    section(&mut text, "Models fitted to measurements (workload.models, hetsim measure)", models);
    let methods = Fitting::ALL.iter().map(|method| (method.name(), method.about()));
    section(&mut text, "Methods that fit formulas (workload.method, study.method, hetsim fit)", methods);
    section(&mut text, "Scenario templates (hetsim new)", TEMPLATES.iter().copied());
    text
}

/// The metrics of each workload and study: name, unit, direction and meaning.
fn metrics(mut listing: Listing) -> Listing {
    for kind in workloads() {
        section_of_metrics(&mut listing, &format!("Metrics of `{}`", kind.name), &kind.own_metrics);
    }
    for kind in studies() {
        section_of_metrics(&mut listing, &format!("Metrics of the study `{}`", kind.name), &kind.own_metrics);
    }
    section_of_metrics(&mut listing, "Metrics of every workload", &common_metrics());
    listing
}

fn section_of_metrics(listing: &mut Listing, title: &str, metrics: &[&'static Metric]) {
    let about = |metric: &Metric| {
        let clock = (metric.kind == MetricKind::Timing).then_some("wall-clock time");
        let kind = if metric.is_name() { Some("a name") } else { metric.unit() };
        let direction = metric.direction.and_then(Direction::words);
        let what: Vec<&str> = [kind, direction, clock].into_iter().flatten().collect();
        let what = if what.is_empty() { String::new() } else { format!("[{}] ", what.join(", ")) };
        (metric.name, format!("{what}{}", metric.explained()))
    };
    let entries: Vec<(&str, String)> = metrics.iter().copied().map(about).collect();
    section(listing, title, entries.iter().map(|(name, about)| (*name, about.as_str())));
}

/// The entries of the list that match the request.
struct Listing {
    entries: Vec<Entry>,
    /// The words that a line or its title must contain, in lower case; empty for all lines.
    wanted: Vec<String>,
    /// Every name, for suggestions.
    names: Vec<String>,
}

impl Listing {
    /// Whether a text contains all requested words. A plural matches its singular.
    fn is_wanted(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        let singular = |word: &str| word.strip_suffix('s').filter(|rest| !rest.ends_with('s')).map(str::to_owned);
        let is_there = |word: &String| text.contains(word) || singular(word).is_some_and(|word| text.contains(&word));
        self.wanted.iter().all(is_there)
    }
}

fn section<'a>(listing: &mut Listing, title: &str, entries: impl Iterator<Item = (&'a str, &'a str)>) {
    let whole = listing.is_wanted(title);
    for (name, about) in entries {
        listing.names.push(name.to_owned());
        if whole || listing.is_wanted(&format!("{title} {name} {about}")) {
            let about = about.trim_end_matches('.').to_owned();
            listing.entries.push(Entry { section: title.to_owned(), name: name.to_owned(), about });
        }
    }
}
