//! Every scenario in `scenarios/` can be read and runs, and all that it asks for is made of it.

use std::fs;

use hetsim::batch::identity::RunId;
use hetsim::report::Reported as _;
use hetsim::report::{Results, chart, expect, tables};
use hetsim::scenario::{Scenario, Source};

use super::labels::{faults, inspect};
use super::{PICTURES, at_once, load, results, root};

/// The names of the scenarios that are shipped.
fn shipped() -> Vec<String> {
    let files = fs::read_dir(root().join("scenarios")).unwrap().map(|entry| entry.unwrap().file_name());
    let name = |file: std::ffi::OsString| file.to_str()?.strip_suffix(".toml").map(str::to_owned);
    let mut names: Vec<String> = files.filter_map(name).filter(|name| !name.ends_with(".platform")).collect();
    names.sort();
    names
}

fn ids(scenario: &Scenario) -> Vec<RunId> {
    (0..scenario.points.len()).map(|point| RunId::of(scenario, point, 0)).collect()
}

/// What a scenario is resolved to can be read, and is the same runs.
#[test]
fn shipped_scenarios_can_be_read() {
    let names = shipped();
    assert!(names.len() >= 2, "{names:?}");
    for name in names {
        let scenario = load(&name);
        let resolved =
            Source { name: "test.toml".to_owned(), folder: ".".into(), text: scenario.resolved().unwrap().into() };
        let again = Scenario::read("test".to_owned(), resolved, &[]).unwrap_or_else(|problems| panic!("{problems}"));
        assert_eq!(ids(&again), ids(&scenario), "{name}");
    }
}

/// Runs a scenario and makes all that it asks for. Returns what is wrong with labels.
fn check(name: &str) -> Vec<String> {
    let scenario = load(name);
    let (spec, results) = (scenario.report(), results(&scenario));
    assert!((0..scenario.points.len()).all(|point| !results.rows_of(point).is_empty()), "{name}");
    assert_eq!(expect::check(&results, &spec.expect).is_empty(), spec.expect.is_empty(), "{name}");
    assert!(!tables::tables(&results, &spec.table, &spec.sensitivity).is_empty(), "{name}");
    faults_of_labels(name, &results)
}

/// The charts of a scenario as they are and at two widths in print: no text leaves the sheet; what is wrong with others
/// is returned.
fn faults_of_labels(name: &str, results: &Results<'_>) -> Vec<String> {
    let spec = results.scenario().report();
    let mut found = Vec::new();
    for width in [None, Some("180mm"), Some("85mm")] {
        let mut charts = spec.chart.clone();
        if let Some(width) = width {
            for chart in &mut charts {
                chart.set_width(width);
            }
        }
        let pictures =
            chart::draw(results, &charts, &spec.sensitivity).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(pictures.len(), charts.len(), "{name}");
        for picture in pictures {
            inspect(&picture.svg);
            let of = |fault| format!("{name}/{}, {}: {fault}", picture.name, width.unwrap_or("own width"));
            found.extend(faults(&picture.svg).into_iter().map(of));
        }
    }
    found
}

fn check_all(names: &[impl AsRef<str> + Sync]) {
    let found: Vec<String> = at_once(names, |name| check(name.as_ref())).into_iter().flatten().collect();
    assert!(found.is_empty(), "{found:#?}");
}

/// Those of the README, which another test simulates too.
#[test]
fn scenarios_of_the_readme_run() {
    check_all(&PICTURES.map(|(name, _)| name));
}

#[test]
#[ignore = "takes minutes; `.ci/run` runs it"]
fn every_shipped_scenario_runs() {
    check_all(&shipped());
}

/// The file of `heinrich-printed` holds what the formula that genetic programming found for the scatter gives (004,
/// section 4) on the paper's grid.
#[test]
fn the_printed_formula_of_the_scatter_is_in_its_file() {
    let path = root().join("scenarios/data/heinrich/formula.csv");
    let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_path(path).unwrap();
    let rows: Vec<(f64, f64, f64)> = reader.deserialize().map(|row| row.unwrap()).collect();
    let sizes = || (4_i32..800).step_by(20).chain((800..4000).step_by(400)).chain((4000..=240_000).step_by(4000));
    let grid: Vec<(f64, f64)> =
        [4_i32, 8, 16, 32].into_iter().flat_map(|p| sizes().map(move |b| (p.into(), b.into()))).collect();
    assert_eq!(rows.iter().map(|&(p, b, _)| (p, b)).collect::<Vec<_>>(), grid);
    assert_eq!(grid.len(), 432);
    for (p, b, time) in rows {
        let last = b * p * 0.000_625 + 0.000_05 * b + 0.003_75 * p * p + 0.003 * p + (p / 2.0).exp().ln() + 49.0;
        let printed = 1e-6 * (b * p * (p.sqrt() - 1.0).sqrt()).sqrt() * last.sqrt();
        assert!((time / printed - 1.0).abs() < 1e-8, "{p} ranks, {b} B: {time} s, not {printed} s");
    }
}
