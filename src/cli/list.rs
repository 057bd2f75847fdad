//! `hetsim list`: everything that a scenario can name.

use std::fmt::Write;

use super::terminal::wrapped;
use crate::adapt::Model as Predictor;
use crate::cluster::network::Parameters;
use crate::cluster::topology;
use crate::collective;
use crate::fit::Model;
use crate::fit::runtime::Method as Fitting;
use crate::graph::generate::Family;
use crate::graph::read::Format;
use crate::metrics as performance;
use crate::partition::Method;
use crate::policy::Policy;
use crate::record::{Direction, Figure, FigureKind};
use crate::scenario::{Factor, FaultProfile, KINDS, Load, Workload};
use crate::schedule::Scheduler;
use crate::schedule::mapping::{Objective as MappingObjective, Search};
use crate::search::Objective;
use crate::search::strategy::Strategy;
use crate::tree::Algorithm;
use crate::tree::between::Heuristic;
use crate::workload::evolution::Distribution;
use crate::workload::farm::Cost;
use crate::workload::footprint;
use crate::workload::taskgraph::Dynamic;

/// The columns that names take.
const NAMES: usize = 30;

pub(super) fn list() -> String {
    let mut text = String::new();
    section(&mut text, "Workloads (workload.kind)", Workload::ALL.iter().copied());
    let own = Workload::TABLES.iter().flat_map(|(kind, tables)| tables.iter().map(move |table| (*kind, table)));
    let tables = own.chain(footprint::TABLES.iter().map(|table| ("every workload", table)));
    let tables: Vec<(&str, String)> = tables
        .map(|(kind, table)| {
            let columns: Vec<&str> = table.columns.iter().map(|column| column.name).collect();
            (table.name, format!("{kind}: {} ({})", table.about, columns.join(", ")))
        })
        .collect();
    let tables = tables.iter().map(|(name, about)| (*name, about.as_str()));
    section(&mut text, "Long tables (output.tables, chart.table)", tables);
    section(&mut text, "Network models (network.model)", Parameters::ALL.iter().copied());
    section(&mut text, "Topologies (network.topology.kind, under `fair`)", topology::Parameters::ALL.iter().copied());
    section(&mut text, "External loads (load.profile.kind)", Load::ALL.iter().copied());
    section(&mut text, "Node faults (fault.profile.kind)", FaultProfile::ALL.iter().copied());
    section(&mut text, "Distributions of speeds (speed_factor.distribution)", Factor::ALL.iter().copied());
    let algorithms = Algorithm::ALL.iter().map(|algorithm| (algorithm.name(), algorithm.about()));
    section(&mut text, "Broadcast algorithms (workload.algorithm)", algorithms);
    let heuristics = Heuristic::ALL.iter().map(|heuristic| (heuristic.name(), heuristic.about()));
    section(
        &mut text,
        "Broadcast heuristics: HEURISTIC over single nodes, HEURISTIC+ALGORITHM or\nHEURISTIC+best between clusters",
        heuristics,
    );
    let operations = collective::Operation::ALL.iter().map(|operation| (operation.name(), operation.about()));
    section(&mut text, "Collective operations (workload.operation)", operations);
    let algorithms: Vec<(&str, String)> = collective::Algorithm::ALL
        .iter()
        .map(|algorithm| {
            let operations: Vec<&str> = algorithm.operations().iter().map(|operation| operation.name()).collect();
            (algorithm.name(), format!("{} ({})", algorithm.about(), operations.join(", ")))
        })
        .collect();
    let algorithms = algorithms.iter().map(|(name, about)| (*name, about.as_str()));
    section(&mut text, "Algorithms of collective operations (workload.algorithm)", algorithms);
    let models = Predictor::ALL.iter().map(|model| (model.name(), model.about()));
    section(&mut text, "Communication models as predictors (workload.models)", models);
    let methods = Method::ALL.iter().map(|method| (method.name(), method.about()));
    section(&mut text, "Partitions into logical clusters (workload.method, hetsim partition)", methods);
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
    section(&mut text, "Methods that fit formulas to run times (workload.method, hetsim fit)", methods);
    section(&mut text, "Starting scenarios (hetsim new)", KINDS.iter().copied());
    text.push_str("What runs measure: hetsim list metrics\n");
    text
}

/// What the runs of each workload measure: its name, its unit, whether less or more is better, and what it is.
pub(super) fn metrics() -> String {
    let mut text = String::new();
    for (kind, groups) in Workload::METRICS {
        section_of_metrics(&mut text, &format!("Metrics of `{kind}`"), groups.iter().copied().flatten());
    }
    let common = performance::FIGURES.iter().chain(footprint::FIGURES);
    section_of_metrics(&mut text, "Metrics of every workload", common);
    text.push_str("These say which is best; `largest = true` and `least = true` override them.\n");
    text
}

fn section_of_metrics<'a>(text: &mut String, title: &str, figures: impl Iterator<Item = &'a Figure>) {
    let about = |figure: &Figure| {
        let clock = (figure.kind == FigureKind::Timing).then_some("by this machine's clock");
        let kind = if figure.is_name() { Some("a name") } else { figure.unit() };
        let direction = figure.direction.and_then(Direction::words);
        let what: Vec<&str> = [kind, direction, clock].into_iter().flatten().collect();
        let what = if what.is_empty() { String::new() } else { format!("[{}] ", what.join(", ")) };
        (figure.name, format!("{what}{}", figure.about))
    };
    let entries: Vec<(&str, String)> = figures.map(about).collect();
    section(text, title, entries.iter().map(|(name, about)| (*name, about.as_str())));
}

fn section<'a>(text: &mut String, title: &str, entries: impl Iterator<Item = (&'a str, &'a str)>) {
    let _ = writeln!(text, "{title}");
    for (name, about) in entries {
        // Continued lines stand under the first.
        let about = wrapped(about.trim_end_matches('.'), NAMES, NAMES);
        if name.len() + 2 < NAMES {
            let _ = write!(text, "  {name:<width$}{}", about.trim_start(), width = NAMES - 2);
        } else {
            let _ = write!(text, "  {name}\n{:NAMES$}{}", "", about.trim_start());
        }
    }
    text.push('\n');
}
