//! Documents that are made from the code and the scenarios, and can't go stale: this test fails where one differs from
//! what would be made now, and `HETSIM_BLESS=1 cargo test --test documents` makes them all again.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "documents/gallery.rs"]
mod gallery;
#[path = "../src/report/chart/tests/labels.rs"]
mod labels;
#[path = "../src/report/chart/draw/letters.rs"]
mod letters;
#[path = "documents/reference.rs"]
mod reference;
#[path = "documents/reproduction.rs"]
mod reproduction;
#[path = "documents/shipped.rs"]
mod shipped;
#[path = "documents/stg.rs"]
mod stg;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use hetsim::record::Record;
use hetsim::report::{Results, chart};
use hetsim::scenario::Scenario;
use letters::text_width;
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
        let is_picture = PICTURES.iter().any(|(name, _)| *name == scenario.name);
        let is_shown = is_picture || reproduction::is_of_a_paper(&scenario.name);
        simulate(scenario, if is_shown { scenario.file.replicas.most() } else { 1 })
    });
    Results::new(scenario, records.iter().cloned())
}

/// The records of every point of a scenario, with so many replicas of each.
fn simulate(scenario: &Scenario, replicas: u32) -> Records {
    let run = |run: u32| {
        let (point, replica) = ((run / replicas) as usize, run % replicas);
        (point, replica, scenario.run(point, replica).unwrap())
    };
    (0..scenario.points.len() as u32 * replicas).into_par_iter().map(run).collect()
}

fn load(name: &str) -> Scenario {
    Scenario::load(&root().join("scenarios").join(format!("{name}.toml")), &[])
        .unwrap_or_else(|problems| panic!("{problems}"))
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
