//! A little of everything that hetsim simulates, held to what it was when the model's version was last raised
//! (`src/model.rs`).
//!
//! Where a result moves and no version does, runs of two models would be taken for one: this fails and names the runs,
//! with what moved of their first numbers. Raise the version of the floor that the change is on, then
//! `HETSIM_BLESS=1 cargo test --test golden` notes the new results. Blessing moved results under the old version is
//! refused.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "golden/noted.rs"]
mod noted;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use hetsim::communication::{Algorithm, Collective, Operation};
use hetsim::model;
use hetsim::report::Reported as _;
use hetsim::scenario::{Scenario, Source, studies, workloads};
use noted::{Golden, Kept, Verdict};
use rayon::prelude::*;
use serde_json::Value;
use xxhash_rust::xxh3::xxh3_64;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

/// How many ranks the scenarios of collective operations have.
const RANKS: u32 = 10;

/// Names as they stand in a TOML list.
fn quoted<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    names.into_iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ")
}

/// Every scenario of the folder by name, lists of alternatives put in.
fn texts() -> BTreeMap<String, String> {
    let broadcasts = || Operation::Broadcast.algorithms().map(Algorithm::name);
    let heuristics = || hetsim::communication::intercluster::Heuristic::ALL.iter().map(|heuristic| heuristic.name());
    let two_levels: Vec<String> = heuristics().map(|name| format!("{name}+best")).collect();
    let schedulers = hetsim::schedule::Scheduler::ALL.iter().map(|scheduler| scheduler.name());
    let searches = hetsim::schedule::mapping::Search::ALL.iter().map(|search| search.name());
    let dynamic = hetsim::workload::taskgraph::Dynamic::ALL.iter().map(|scheduler| scheduler.name());
    // That one needs a graph that says where its tasks ran, which recorded.toml has.
    let dynamic = dynamic.filter(|name| *name != "recorded");
    // That one needs shares, which no other takes.
    let policies = hetsim::policy::Policy::ALL.iter().map(|policy| policy.name());
    let lists = [
        ("BROADCASTS", quoted(broadcasts())),
        ("HEURISTICS", quoted(heuristics())),
        ("TWO_LEVELS", quoted(two_levels.iter().map(String::as_str))),
        ("POLICIES", quoted(policies.filter(|name| *name != "static_shares"))),
        ("SCHEDULERS", quoted(schedulers.chain(searches).chain(dynamic))),
    ];
    let mut texts = BTreeMap::new();
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if path.extension().is_none_or(|extension| extension != "toml") || name == "line" {
            continue;
        }
        let mut text = std::fs::read_to_string(&path).unwrap();
        for (list, names) in &lists {
            text = text.replace(list, names);
        }
        if text.contains("OPERATION") {
            for operation in Operation::ALL {
                // Some need another number of ranks than the scenarios have.
                let call = Collective::new(*operation, RANKS, 1);
                let algorithms = operation.algorithms().filter(|algorithm| algorithm.plan(&call).is_ok());
                let algorithms = quoted(algorithms.map(Algorithm::name));
                let text = text.replace("OPERATION", operation.name()).replace("COLLECTIVES", &algorithms);
                texts.insert(format!("{name} {operation}"), text);
            }
        } else {
            texts.insert(name, text);
        }
    }
    texts
}

/// Numbers to eleven digits: the last ones may differ between the mathematical libraries of two machines.
fn rounded(value: &mut Value) {
    match value {
        Value::Number(number) if number.is_f64() => *value = format!("{:.10e}", number.as_f64().unwrap()).into(),
        Value::Array(values) => values.iter_mut().for_each(rounded),
        Value::Object(fields) => fields.values_mut().for_each(rounded),
        _ => {}
    }
}

/// What is kept of a scenario's runs.
fn keep(name: &str, text: &str) -> BTreeMap<String, Kept> {
    let mut runs = BTreeMap::new();
    let source = Source { name: format!("{name}.toml"), folder: folder(), text: text.into() };
    let scenario = Scenario::read(name.to_owned(), source, &[]).unwrap_or_else(|problems| panic!("{name}: {problems}"));
    for point in 0..scenario.points.len() {
        let values: Vec<String> =
            scenario.values(point).map(|(axis, value)| format!("{}={}", axis.name, value.label)).collect();
        let run = format!("{name} {}", values.join(" "));
        let record = scenario.run(point, 0).unwrap_or_else(|error| panic!("{run}: {error}"));
        let mut whole = serde_json::to_value(&record).unwrap();
        // What the clock says is no result.
        whole.as_object_mut().unwrap().remove("timings");
        rounded(&mut whole);
        let digest = format!("{:016x}", xxh3_64(whole.to_string().as_bytes()));
        let numbers = record.metrics.iter().filter_map(|(name, value)| Some((&**name, value.number()?)));
        let kept = Kept::new(digest, numbers);
        assert_eq!(runs.insert(run.trim_end().to_owned(), kept), None, "two runs are called {run}");
    }
    runs
}

/// Runs everything.
fn simulate() -> Golden {
    let texts: Vec<(String, String)> = texts().into_iter().collect();
    let runs = texts.par_iter().flat_map_iter(|(name, text)| keep(name, text)).collect();
    let target = format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS);
    Golden { model: model::CODE.to_owned(), target, runs }
}

#[test]
fn results_move_only_with_the_version_of_the_model() {
    let path = folder().join("digests.txt");
    let now = simulate();
    let noted = std::fs::read_to_string(&path).ok().map(|text| Golden::of(&text));
    let verdict =
        noted.as_ref().map_or_else(|| Verdict::Outdated("it is not there".to_owned()), |noted| noted.judge(&now));
    if let Some(noted) = noted.as_ref().filter(|noted| noted.target != now.target) {
        eprintln!("skipped: the digests are those of {}, this is {}", noted.target, now.target);
        return;
    }
    match verdict {
        Verdict::Same => {}
        Verdict::Moved(runs) => panic!(
            "results have moved, and the model's version has not: raise the version of the floor that was changed in \
             src/model.rs (cargo's lock counts too), then HETSIM_BLESS=1 cargo test --test golden. {} of {} runs: {}",
            runs.len(),
            now.runs.len(),
            runs.iter().take(20).cloned().collect::<Vec<_>>().join("; ")
        ),
        Verdict::Outdated(_) if std::env::var_os("HETSIM_BLESS").is_some() => {
            std::fs::write(&path, now.text()).unwrap();
        }
        Verdict::Outdated(why) => {
            panic!("tests/golden/digests.txt is to be made again ({why}): HETSIM_BLESS=1 cargo test --test golden")
        }
    }
}

/// The critical path of any run leads from its completion back to zero without a gap, and following it changes nothing.
#[test]
fn critical_paths_tile_every_run() {
    let texts: Vec<(String, String)> = texts().into_iter().collect();
    let followed: usize = texts.par_iter().map(|(name, text)| follow(name, text)).sum();
    assert!(followed > 300, "{followed}");
}

/// Follows the runs of a workload's scenario. Returns how many have a critical path.
fn follow(name: &str, text: &str) -> usize {
    let read = |tables: &str| {
        let source = Source { name: format!("{name}.toml"), folder: folder(), text: text.into() };
        Scenario::read(name.to_owned(), source, &[format!("output.tables=[{tables}]")])
    };
    // Studies have no such table, and a fit is not one simulation.
    let (Ok(plain), Ok(followed)) = (read(""), read("\"path\"")) else { return 0 };
    (0..plain.points.len()).filter(|&point| check_path(name, &plain, &followed, point)).count()
}

fn check_path(name: &str, plain: &Scenario, followed: &Scenario, point: usize) -> bool {
    let mut record = match followed.run(point, 0) {
        Err(error) if error.to_string().contains("no critical path") => return false,
        other => other.unwrap_or_else(|error| panic!("{name} {point}: {error}")),
    };
    let length: f64 = record.metrics.iter().filter(|(metric, _)| is_part(metric)).filter_map(|(_, v)| v.number()).sum();
    let rows = &record.tables[0].rows;
    let [starts, ends] =
        [5, 6].map(|column: usize| rows.iter().map(|row| row[column].number().unwrap()).collect::<Vec<_>>());
    assert_eq!(starts.first().copied().unwrap_or(0.0), 0.0, "{name} {point}");
    assert!(starts.iter().skip(1).eq(ends.iter().take(ends.len().max(1) - 1)), "{name} {point}");
    let end = ends.last().copied().unwrap_or(0.0);
    assert!((length - end).abs() <= 1e-9 * end, "{name} {point}: {length} of {end}");
    // A session of several operations is longer than one of them.
    if let Some(completion) = record.get("completion_s").and_then(hetsim::record::Value::number) {
        let is_session = ["adaptive", "calls"].contains(&name);
        assert!(if is_session { end >= completion } else { end == completion }, "{name} {point}: {end}, {completion}");
    }
    record.metrics.retain(|(metric, _)| !metric.starts_with("path_"));
    assert_eq!(record.metrics, plain.run(point, 0).unwrap().metrics, "{name} {point}");
    true
}

fn is_part(metric: &str) -> bool {
    metric.starts_with("path_") && metric.ends_with("_s")
}

/// Whatever a scenario can name is run.
#[test]
fn nothing_is_left_out() {
    let mut named = BTreeSet::new();
    for (file, text) in texts() {
        let table: toml::Table = toml::from_str(&text).unwrap_or_else(|error| panic!("{file}: {error}"));
        names_in(&toml::Value::Table(table), &mut Vec::new(), &mut named);
    }
    let first = |list: &'static [(&'static str, &'static str)]| list.iter().map(|(name, _)| *name).collect::<Vec<_>>();
    macro_rules! names {
        ($Names:ty) => {
            <$Names>::ALL.iter().map(|one| one.name()).collect()
        };
    }
    // Each registry with a key on the way to its names, and the one that names them: several have a `constant`.
    let registries: Vec<(&str, &str, Vec<&str>)> = vec![
        ("", "kind", workloads().iter().chain(studies()).map(|kind| kind.name).collect()),
        ("", "model", first(hetsim::cluster::network::Parameters::ALL)),
        ("topology", "kind", first(hetsim::cluster::topology::Parameters::ALL)),
        ("load", "kind", first(hetsim::scenario::Load::ALL)),
        ("fault", "kind", first(hetsim::scenario::FaultProfile::ALL)),
        ("factor", "distribution", first(hetsim::scenario::Factor::ALL)),
        ("shape", "family", first(hetsim::graph::generate::Family::ALL)),
        ("task", "distribution", first(hetsim::workload::farm::Cost::ALL)),
        ("", "policy", names!(hetsim::policy::Policy)),
        ("", "models", names!(hetsim::adapt::Model)),
        ("", "method", names!(hetsim::partition::Method)),
        ("workload", "distribution", names!(hetsim::workload::evolution::Distribution)),
        ("", "strategy", names!(hetsim::search::strategy::Strategy)),
        ("", "objective", names!(hetsim::search::Objective)),
        ("", "objective", names!(hetsim::schedule::mapping::Objective)),
        ("", "models", names!(hetsim::fit::Model)),
        ("", "method", names!(hetsim::fit::runtime::Method)),
    ];
    let mut missing = Vec::new();
    for (on_the_way, key, names) in registries {
        let is_named = |name: &&str| {
            named.iter().any(|(way, text)| {
                text == name && way.last().is_some_and(|last| last == key) && way.iter().any(|k| k.contains(on_the_way))
            })
        };
        missing.extend(names.iter().filter(|name| !is_named(name)).map(|name| format!("{on_the_way} {key} = {name}")));
    }
    assert!(
        missing.is_empty(),
        "no golden run names {missing:?}: name it in a file of tests/golden/, then HETSIM_BLESS=1 cargo test --test \
         golden"
    );
}

/// The texts in a value, each with the keys that lead to it; a dotted key is several.
fn names_in(value: &toml::Value, way: &mut Vec<String>, named: &mut BTreeSet<(Vec<String>, String)>) {
    match value {
        toml::Value::String(text) => drop(named.insert((way.clone(), text.clone()))),
        toml::Value::Array(values) => values.iter().for_each(|value| names_in(value, way, named)),
        toml::Value::Table(table) => {
            for (key, value) in table {
                let length = way.len();
                way.extend(key.split('.').map(str::to_owned));
                names_in(value, way, named);
                way.truncate(length);
            }
        }
        _ => {}
    }
}

/// Every floor that reaches a run has a version, and the crates that draw are named as the lock has them.
#[test]
fn the_version_names_floors_and_crates() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    // Statistics say what is made of runs; the others compute nothing.
    let outside = [
        "accuracy",
        "advice",
        "batch",
        "chart",
        "cli",
        "failure",
        "input",
        "lib",
        "main",
        "model",
        "printable",
        "record",
        "registry",
        "report",
        "statistics",
    ];
    // The ground floor and hetsim itself are several floors; what the others hold is a floor each.
    let entries = |folder: &str| std::fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap().path());
    let several = entries("src").chain(entries("crates/base/src"));
    let others = entries("crates").filter(|path| path.is_dir() && !path.ends_with("base"));
    for path in several.chain(others) {
        let module = path.file_stem().unwrap().to_str().unwrap();
        // What these hold is versioned under the names that it had before.
        let versioned = match module {
            "communication" => "tree",
            "maxmin" => "cluster",
            "simgrid" | "text" => "scenario",
            "study" => "workload",
            other => other,
        };
        let has_version = hetsim::model::FLOORS.iter().any(|(floor, _)| *floor == versioned);
        assert!(has_version != outside.contains(&module), "{module}: a version in src/model.rs, or outside");
    }
    let lock = std::fs::read_to_string(root.join("Cargo.lock")).unwrap();
    for name in ["rand", "rand_core", "rand_distr", "rand_pcg", "statrs"] {
        let (_, version) = lock.split_once(&format!("name = \"{name}\"\nversion = \"")).unwrap();
        let version = version.split('"').next().unwrap();
        assert!(model::CODE.contains(&format!(" {name} {version}")), "{name} {version} is not in {}", model::CODE);
    }
}
