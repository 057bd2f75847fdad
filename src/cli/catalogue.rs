//! Everything that a scenario can name, in sections: what `hetsim list` prints and `hetsim explain` looks up.

use crate::adapt::Model as Predictor;
use crate::batch::submit::Engine;
use crate::cluster::network::Parameters;
use crate::cluster::speeds::Family as SpeedFamily;
use crate::cluster::topology;
use crate::communication::intercluster::Heuristic;
use crate::communication::{Algorithm, Operation};
use crate::fit::Model;
use crate::fit::runtime::Method as Fitting;
use crate::graph::generate::Family;
use crate::graph::read::Format;
use crate::partition::Method;
use crate::policy::Policy;
use crate::record::TableShape;
use crate::report::chart::Chart;
use crate::report::derive::Derivation;
use crate::scenario::{DesignSpec, Factor, FaultProfile, Kind, Load, TEMPLATES, studies, workloads};
use crate::schedule::Scheduler;
use crate::schedule::mapping::{Objective as MappingObjective, Search};
use crate::search::Objective;
use crate::search::strategy::Strategy;
use crate::workload::evolution::Distribution;
use crate::workload::farm::Cost;
use crate::workload::footprint;
use crate::workload::taskgraph::Dynamic;
use crate::workload::traffic::Pattern;

/// Alternatives of one kind.
pub(super) struct Section {
    /// Its title, with the key that takes these names.
    pub(super) title: &'static str,
    /// Its names.
    pub(super) entries: Vec<CatalogueName>,
}

/// A name.
pub(super) struct CatalogueName {
    pub(super) name: &'static str,
    /// What it is.
    pub(super) about: String,
    /// The page in `docs/` to read.
    pub(super) page: &'static str,
}

/// The names and descriptions of a type's alternatives.
macro_rules! all {
    ($Names:ty) => {
        <$Names>::ALL.iter().map(|one| (one.name(), one.about()))
    };
}

/// Every section, in the order in which a scenario comes to need them.
pub(super) fn catalogue() -> Vec<Section> {
    let mut sections = kinds();
    sections.extend(platforms());
    sections.extend(programs());
    sections.extend(graphs_and_fits());
    sections
}

/// What is run, and what is made of the runs.
fn kinds() -> Vec<Section> {
    vec![
        Section { title: "Workloads (workload.kind)", entries: workloads().iter().map(of_kind).collect() },
        Section { title: "Studies (study.kind)", entries: studies().iter().map(of_kind).collect() },
        Section { title: "Long tables (output.tables, chart.table)", entries: long_tables() },
        section("Charts (chart.kind)", "charts.md", Chart::ALL.iter().copied()),
        section("Derived metrics (derive.how)", "statistics.md", Derivation::ALL.iter().copied()),
        section("Designs of experiments (sweep.design.kind)", "sweeps.md", DesignSpec::ALL.iter().copied()),
    ]
}

fn platforms() -> Vec<Section> {
    let topologies = topology::Parameters::ALL.iter().copied();
    vec![
        section("Network models (network.model)", "networks.md", Parameters::ALL.iter().copied()),
        section("Topologies (network.topology.kind, under `fair`)", "shared-links.md", topologies),
        section("External loads (load.profile.kind)", "load-and-faults.md", Load::ALL.iter().copied()),
        section("Node faults (fault.profile.kind)", "load-and-faults.md", FaultProfile::ALL.iter().copied()),
        section("Distributions of speeds (speed_factor.distribution)", "platforms.md", Factor::ALL.iter().copied()),
        section("Speeds of a given diversity (platform.diversity_family)", "farms.md", all!(SpeedFamily)),
    ]
}

fn programs() -> Vec<Section> {
    let heuristics =
        "Broadcast heuristics: HEURISTIC over single nodes, HEURISTIC+ALGORITHM or\nHEURISTIC+best between clusters";
    let partitions = "Partitions into logical clusters (study.method, hetsim partition)";
    let distributions = "Distributions of an evolution strategy (workload.distribution)";
    vec![
        section("Collective operations (workload.operation)", "collectives.md", all!(Operation)),
        Section { title: "Algorithms of these operations (workload.algorithm)", entries: algorithms() },
        section(heuristics, "broadcasts.md", all!(Heuristic)),
        section("Communication models as predictors (workload.models)", "broadcasts.md", all!(Predictor)),
        section(partitions, "broadcasts.md", all!(Method)),
        section("Policies that hand out tasks (workload.farm.policy)", "farms.md", all!(Policy)),
        section(distributions, "evolution-strategies.md", all!(Distribution)),
        section("Evolution strategies (workload.search.strategy)", "evolution-strategies.md", all!(Strategy)),
        section("Objectives (workload.search.objective)", "farms.md", all!(Objective)),
        section("Patterns of messages (workload.pattern.kind)", "networks.md", Pattern::ALL.iter().copied()),
        section("Costs of tasks (workload.task.distribution)", "farms.md", Cost::ALL.iter().copied()),
    ]
}

fn graphs_and_fits() -> Vec<Section> {
    let schedulers = all!(Scheduler).chain(all!(Search)).chain(all!(Dynamic));
    let mappings = "Objectives of a search for a mapping (workload.objective)";
    let families = "Families of task graphs (workload.generate.shape.family)";
    let models = "Models fitted to measurements (workload.models, hetsim measure)";
    let fitting = "Methods that fit formulas (workload.method, study.method, hetsim fit)";
    vec![
        section("Schedulers of task graphs (workload.scheduler)", "graphs.md", schedulers),
        section(mappings, "graphs.md", all!(MappingObjective)),
        section(families, "graphs.md", Family::ALL.iter().copied()),
        section("Files of task graphs (workload.file, hetsim convert)", "graphs.md", all!(Format)),
        section(models, "measuring.md", all!(Model)),
        section(fitting, "fitting.md", all!(Fitting)),
        section("Batch systems (hetsim submit --engine)", "running-on-clusters.md", all!(Engine)),
        section("Scenario templates (hetsim new)", "start.md", TEMPLATES.iter().copied()),
    ]
}

/// A section all of whose names are on one page.
fn section(
    title: &'static str,
    page: &'static str,
    entries: impl Iterator<Item = (&'static str, &'static str)>,
) -> Section {
    let entries = entries.map(|(name, about)| CatalogueName { name, about: about.to_owned(), page }).collect();
    Section { title, entries }
}

fn of_kind(kind: &Kind) -> CatalogueName {
    CatalogueName { name: kind.name, about: kind.about.to_owned(), page: page_of(kind.name) }
}

/// The page about a kind of workload or study.
fn page_of(kind: &str) -> &'static str {
    match kind {
        "adaptive" | "broadcast" | "partition" | "schedules" => "broadcasts.md",
        "collective" => "collectives.md",
        "evolution" => "evolution-strategies.md",
        "fit" => "fitting.md",
        "genetic" | "independent" => "farms.md",
        "island" => "islands.md",
        "measure" => "measuring.md",
        "phases" => "phases.md",
        "replay" => "replay.md",
        "adversarial" => "taskgraphs.md",
        "taskgraph" => "graphs.md",
        "traffic" => "networks.md",
        // Of a program that has registered a workload of its own.
        _ => "reference/workload.md",
    }
}

/// The long tables, each with the kinds whose runs keep the same.
fn long_tables() -> Vec<CatalogueName> {
    let kinds = workloads().iter().chain(studies());
    let own = kinds.flat_map(|kind| kind.own_tables.iter().map(|table| (kind.name, page_of(kind.name), table)));
    let common = footprint::TABLES.iter().map(|table| ("every workload", "contention.md", table));
    let mut tables: Vec<(Vec<&str>, &str, &TableShape)> = Vec::new();
    for (kind, page, table) in own.chain(common) {
        match tables.iter_mut().find(|(.., other)| *other == table) {
            // A workload and a study may have one name.
            Some((kinds, ..)) if kinds.contains(&kind) => {}
            Some((kinds, ..)) => kinds.push(kind),
            None => tables.push((vec![kind], page, table)),
        }
    }
    let entry = |(kinds, page, table): (Vec<&str>, &'static str, &TableShape)| {
        let columns: Vec<&str> = table.columns.iter().map(|column| column.name).collect();
        let about = format!("{}: {} ({})", kinds.join(", "), table.about, columns.join(", "));
        CatalogueName { name: table.name, about, page }
    };
    tables.into_iter().map(entry).collect()
}

/// The algorithms, each with its operations.
fn algorithms() -> Vec<CatalogueName> {
    let entry = |algorithm: &Algorithm| {
        let operations = Operation::ALL.iter().filter(|&&operation| algorithm.fits(operation));
        let operations: Vec<&str> = operations.map(|operation| operation.name()).collect();
        let about = format!("{} ({})", algorithm.about(), operations.join(", "));
        CatalogueName { name: algorithm.name(), about, page: "collectives.md" }
    };
    Algorithm::ALL.iter().map(entry).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn every_name_has_a_page() {
        let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
        for entry in catalogue().iter().flat_map(|section| &section.entries) {
            assert!(docs.join(entry.page).is_file(), "{}: {}", entry.name, entry.page);
        }
    }
}
