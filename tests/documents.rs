//! Documents that are made from the code and the scenarios, and can't go stale: this test fails where one differs from
//! what would be made now, and `HETSIM_BLESS=1 cargo test --test documents` makes them all again.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "documents/gallery.rs"]
mod gallery;
#[path = "documents/reference.rs"]
mod reference;
#[path = "documents/shipped.rs"]
mod shipped;
#[path = "documents/stg.rs"]
mod stg;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use hetsim::record::Record;
use hetsim::report::{Results, chart, expect, text};
use hetsim::scenario::Scenario;
use rayon::prelude::*;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Compares a document with what it should be, or makes it so.
fn document(path: &str, content: &str) {
    let file = root().join(path);
    if std::env::var_os("HETSIM_BLESS").is_some() {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, content).unwrap();
        return;
    }
    let old = fs::read_to_string(&file).unwrap_or_default().replace("\r\n", "\n");
    assert!(old == content, "{path} is out of date; make it again with HETSIM_BLESS=1 cargo test --test documents");
}

/// What a scenario's runs leave: the point, the replica, and the record.
type Records = Vec<(usize, u32, Record)>;

/// The results of a shipped scenario, without a store. It is simulated once, however many tests look at it: all
/// replicas where a document shows them, else one of each point.
fn results(scenario: &Scenario) -> Results<'_> {
    static SIMULATED: Mutex<BTreeMap<String, Arc<OnceLock<Records>>>> = Mutex::new(BTreeMap::new());
    let simulated = Arc::clone(SIMULATED.lock().unwrap().entry(scenario.name.clone()).or_default());
    let records = simulated.get_or_init(|| {
        let documents = PAPERS.iter().flat_map(|(_, names)| *names).chain(PICTURES.iter().map(|(name, _)| name));
        let is_shown = documents.into_iter().any(|name| *name == scenario.name);
        let replicas = if is_shown { scenario.file.replicas.most() } else { 1 };
        let run = |run: u32| {
            let (point, replica) = ((run / replicas) as usize, run % replicas);
            (point, replica, scenario.run(point, replica).unwrap())
        };
        (0..scenario.points.len() as u32 * replicas).into_par_iter().map(run).collect()
    });
    Results::new(scenario, records.iter().cloned())
}

fn load(name: &str) -> Scenario {
    Scenario::load(&root().join("scenarios").join(format!("{name}.toml")), &[])
        .unwrap_or_else(|problems| panic!("{problems}"))
}

/// The scenarios whose expectations come from a paper, in the order of the papers.
const PAPERS: &[(&str, &[&str])] = &[
    (
        "Bazterra, Cuma, Ferraro, Facelli: A general framework to understand parallel performance in heterogeneous clusters \
         (JPDC 2005)",
        &["bazterra-fig1", "bazterra-fig3", "bazterra-fig4"],
    ),
    (
        "Aguilar: Heuristics to optimize the speed-up of parallel programs",
        &["aguilar-fig1", "aguilar-fig2", "aguilar-fig3", "aguilar-annealing", "aguilar-genetic"],
    ),
    (
        "Nasri, Steffenel, Trystram: Adaptive approaches for efficient parallel algorithms (IJGUC 2008)",
        &[
            "grid5000",
            "nasri-table2",
            "nasri-table4",
            "nasri-fig3",
            "nasri-fig4",
            "nasri-fig6",
            "nasri-fig7",
            "nasri-fig8",
        ],
    ),
    (
        "Garamendi, Bosque: Parallel implementation of evolutionary strategies on heterogeneous clusters with load balancing \
         (IPDPS 2006)",
        &["garamendi-fig2", "garamendi-fig3", "garamendi-fig4", "garamendi-fig5", "garamendi-fig6", "rebalancing"],
    ),
    (
        "Heinrich-Litan, Fissgus, Sutter, Molitor, Rauber: Modeling the communication behavior of distributed memory machines by \
         genetic programming",
        &["heinrich-table1", "heinrich-fig1", "heinrich-fig2"],
    ),
    (
        "Coleman, Krishnamachari: PISA: an adversarial approach to comparing task graph scheduling algorithms \
         (arXiv:2403.07120)",
        &["pisa"],
    ),
];

#[test]
fn reproduction() {
    let mut text = "# Reproduction\n\n\
        What the papers print beside what hetsim simulates. Made by `HETSIM_BLESS=1 cargo test --test documents` from the\n\
        expectations in the scenarios; a miss stays in the table, with the reason where one was found.\n"
        .to_owned();
    for (paper, scenarios) in PAPERS {
        let _ = write!(text, "\n## {paper}\n");
        for name in *scenarios {
            let scenario = load(name);
            let results = results(&scenario);
            let verdicts = expect::check(&results, &scenario.report().expect);
            let lasting = verdicts.iter().filter(|verdict| !verdict.clocked);
            let (met, all) = (lasting.clone().filter(|verdict| verdict.met).count(), lasting.count());
            let _ = match (all, verdicts.len() - all) {
                (_, 0) => write!(text, "\n`scenarios/{name}.toml`: {met} of {all} expectations met.\n\n"),
                (0, clocked) => {
                    write!(text, "\n`scenarios/{name}.toml`: {clocked} expectations of times on the clock.\n\n")
                }
                (_, clocked) => write!(
                    text,
                    "\n`scenarios/{name}.toml`: {met} of {all} expectations met, besides {clocked} of times on the clock.\n\n"
                ),
            };
            text.push_str("| | source | metric | where | printed | simulated | difference | assumptions, reasons |\n");
            text.push_str("|---|---|---|---|---|---|---|---|\n");
            for verdict in verdicts {
                let simulated = match verdict.simulated.number() {
                    _ if verdict.clocked => "run it: the clock of each machine".to_owned(),
                    Some(number) => text::humane(&verdict.metric, number),
                    None => verdict.simulated.to_string(),
                };
                let difference = verdict.difference_percent.number().filter(|_| !verdict.clocked);
                let difference = difference.map(|number| format!("{number:+.1} %"));
                let _ = writeln!(
                    text,
                    "| {} | {} | {} | {} | {} | {} | {} | {} |",
                    match verdict.met {
                        _ if verdict.clocked => "",
                        true => "✓",
                        false => "✗",
                    },
                    verdict.source,
                    verdict.metric,
                    verdict.place,
                    // What is expected may be a time on the clock too.
                    match verdict.shown.split_once(" at ") {
                        Some((_, other)) if verdict.clocked => format!("less than that at {other}"),
                        _ => verdict.shown,
                    },
                    simulated,
                    difference.unwrap_or_default(),
                    verdict.note
                );
            }
        }
    }
    document("docs/reproduction.md", &text);
}

/// The pictures of the README: scenario, chart, file.
const PICTURES: &[(&str, &[&str])] = &[
    ("grid5000", &["speedup", "who_sends_to_whom"]),
    ("first", &["completion"]),
    ("diversity", &["speedup"]),
    ("self-scheduling", &["losses"]),
    ("heft2002", &["heft", "graph"]),
    ("schedulers", &["ratio", "communication"]),
    ("energy", &["energy_and_time"]),
];

#[test]
fn readme_pictures() {
    for (name, wanted) in PICTURES {
        let scenario = load(name);
        let drawn = chart::draw(&results(&scenario), &scenario.report().chart, &[]).unwrap();
        for chart in *wanted {
            let picture = drawn.iter().find(|picture| picture.name == *chart).unwrap();
            document(&format!("docs/pictures/{name}-{chart}.svg"), &picture.svg);
        }
    }
}

/// The README's words about itself stay true: every command that it shows in a block exists.
#[test]
fn readme_commands_exist() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let scenarios = readme.split("scenarios/").skip(1).filter_map(|rest| rest.split(".toml").next());
    let mut seen = 0;
    for name in scenarios.filter(|name| name.chars().all(|c| c.is_alphanumeric() || "-_/".contains(c))) {
        assert!(Path::new(&root().join("scenarios").join(format!("{name}.toml"))).exists(), "scenarios/{name}.toml");
        seen += 1;
    }
    assert!(seen > 1);
}
