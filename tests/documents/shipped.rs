//! Every scenario in `scenarios/` runs, and all that it asks for is made of it.

use std::{fs, thread};

use hetsim::report::{chart, expect, tables};
use hetsim::scenario::{RunId, Scenario, Source};

use super::{load, results, root};

/// The names of the scenarios that are shipped.
fn shipped() -> Vec<String> {
    let files = fs::read_dir(root().join("scenarios")).unwrap().map(|entry| entry.unwrap().file_name());
    let name = |file: std::ffi::OsString| file.to_str()?.strip_suffix(".toml").map(str::to_owned);
    let mut names: Vec<String> = files.filter_map(name).filter(|name| !name.ends_with(".platform")).collect();
    names.sort();
    names
}

fn ids(scenario: &Scenario) -> Vec<RunId> {
    (0..scenario.points.len()).map(|point| scenario.run_id(point, 0)).collect()
}

/// Runs a scenario, makes all that it asks for, and reads what it is resolved to.
fn check(name: &str) {
    let scenario = load(name);
    let (spec, results) = (scenario.report(), results(&scenario));
    assert!((0..scenario.points.len()).all(|point| !results.rows_of(point).is_empty()), "{name}");
    assert_eq!(expect::check(&results, &spec.expect).is_empty(), spec.expect.is_empty(), "{name}");
    assert!(!tables::tables(&results, &spec.table, &spec.sensitivity).is_empty(), "{name}");
    let pictures =
        chart::draw(&results, &spec.chart, &spec.sensitivity).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(pictures.len(), spec.chart.len(), "{name}");
    let resolved =
        Source { name: "test.toml".to_owned(), folder: ".".into(), text: scenario.resolved().unwrap().into() };
    let again = Scenario::read("test".to_owned(), resolved, &[]).unwrap_or_else(|problems| panic!("{problems}"));
    assert_eq!(ids(&again), ids(&scenario), "{name}");
}

/// All at once, so that no core waits for the last run of one scenario.
#[test]
fn shipped_scenarios_run() {
    let names = shipped();
    assert!(names.len() >= 2, "{names:?}");
    thread::scope(|scope| {
        for name in &names {
            scope.spawn(|| check(name));
        }
    });
}
