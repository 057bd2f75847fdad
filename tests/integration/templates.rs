//! Every scenario of `hetsim new` answers what it asks: its metrics are there, and differ between what it compares.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use hetsim::record::Value;
use hetsim::report::{Results, expect};
use hetsim::scenario::{ChartKind, Scenario, Source, TEMPLATES, Where, template};
use rayon::prelude::*;

/// What is compared differs at least by this share of the greatest.
const NOTICEABLE: f64 = 0.01;

fn scenario(kind: &str) -> Scenario {
    let text = template(kind).unwrap();
    let source = Source { name: format!("{kind}.toml"), folder: ".".into(), text: text.into() };
    Scenario::read(kind.to_owned(), source, &[]).unwrap_or_else(|problems| panic!("{kind}: {problems}"))
}

fn results(scenario: &Scenario) -> Results<'_> {
    let replicas = scenario.file.replicas.most();
    let run = |run: u32| {
        let (point, replica) = ((run / replicas) as usize, run % replicas);
        (point, replica, scenario.run(point, replica).unwrap())
    };
    Results::new(scenario, (0..scenario.runs() as u32).into_par_iter().map(run).collect::<Vec<_>>())
}

/// A metric at a point: its mean, or its name as text.
fn answer(results: &Results<'_>, point: usize, metric: &str) -> Option<Result<f64, String>> {
    if let Some(mean) = results.mean(point, metric) {
        return Some(Ok(mean));
    }
    let (row, column) = (results.rows_of(point).next()?, results.column(metric)?);
    match results.cell(row, column) {
        Value::Blank => None,
        cell => Some(Err(cell.to_string())),
    }
}

/// Whether answers differ enough to be seen.
fn differ(answers: &[Result<f64, String>]) -> bool {
    let names: Vec<&String> = answers.iter().filter_map(|answer| answer.as_ref().err()).collect();
    let numbers: Vec<f64> = answers.iter().filter_map(|answer| answer.as_ref().ok().copied()).collect();
    let least = numbers.iter().copied().fold(f64::INFINITY, f64::min);
    let greatest = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let size = least.abs().max(greatest.abs());
    names.windows(2).any(|pair| pair[0] != pair[1]) || greatest - least > NOTICEABLE * size
}

/// That a metric has a value at every point of the filter, and differs along a key where all others are equal.
fn compares(results: &Results<'_>, what: &str, metric: &str, filter: &Where, along: &str) {
    let axis = results.axis(along).unwrap_or_else(|| panic!("{what}: `{along}` is no key"));
    let mut groups: BTreeMap<Vec<usize>, Vec<Result<f64, String>>> = BTreeMap::new();
    for point in results.matching(filter) {
        let value =
            answer(results, point, metric).unwrap_or_else(|| panic!("{what}: {metric} is blank at point {point}"));
        let mut others = results.scenario().points[point].choices.clone();
        others.remove(axis);
        groups.entry(others).or_default().push(value);
    }
    assert!(
        groups.values().any(|answers| differ(answers)),
        "{what}: {metric} does not differ by `{along}`: {groups:?}"
    );
}

fn answers_what_it_asks(kind: &str) {
    let scenario = scenario(kind);
    let results = results(&scenario);
    let file = &scenario.file;
    assert!(file.question.is_some() && !file.chart.is_empty() && !file.table.is_empty(), "{kind}");
    for table in &file.table {
        let along = table.columns.as_ref().or(table.best.as_ref()).unwrap_or(&table.rows);
        compares(&results, &format!("{kind}: {}", table.title), &table.metric, &table.filter, along);
    }
    for chart in &file.chart {
        let what = format!("{kind}: {}", chart.name);
        let metrics = chart.y.all();
        match chart.kind {
            ChartKind::Gantt | ChartKind::Tree | ChartKind::Graph | ChartKind::Utilization => {}
            // Of a table of one run; its picture is looked at below.
            _ if chart.table.is_some() => {}
            ChartKind::Heatmap => {
                let x = chart.x.as_deref().unwrap();
                compares(&results, &what, chart.value.as_deref().unwrap(), &chart.filter, x);
            }
            // Several metrics are compared with each other.
            _ if metrics.len() > 1 => {
                let differs = |point| {
                    let of =
                        |metric: &String| answer(&results, point, metric).unwrap_or_else(|| panic!("{what}: blank"));
                    differ(&metrics.iter().map(of).collect::<Vec<_>>())
                };
                assert!(results.matching(&chart.filter).into_iter().any(differs), "{what}");
            }
            _ => {
                let along = chart.series.as_deref().or(chart.x.as_deref()).unwrap();
                compares(&results, &what, &metrics[0], &chart.filter, along);
            }
        }
    }
    assert!((0..scenario.points.len()).all(|point| !results.rows_of(point).is_empty()), "{kind}");
    assert_eq!(expect::check(&results).is_empty(), file.expect.is_empty(), "{kind}");
    assert!(!hetsim::report::tables::tables(&results).is_empty(), "{kind}");
    let pictures = hetsim::report::pictures::draw(&results).unwrap();
    assert_eq!(pictures.len(), file.chart.len());
    assert!(pictures.iter().all(|picture| !picture.svg.contains("no data")), "{kind}");
}

#[test]
fn every_template_answers_its_question() {
    for (kind, _) in TEMPLATES {
        answers_what_it_asks(kind);
    }
}

/// From so many individuals on it pays to measure the nodes: not from the fewest, but from some on, and all searches end by
/// their target.
#[test]
fn the_evolution_template_shows_where_a_benchmark_pays() {
    let scenario = scenario("evolution");
    let results = results(&scenario);
    let axis = results.axis("distribution").unwrap();
    let mut gains = Vec::new();
    for point in 0..scenario.points.len() {
        let rounds = results.numbers(point, "rounds");
        assert!(rounds.iter().all(|&rounds| rounds < 50.0), "the target is not reached: {rounds:?}");
        assert!(results.numbers(point, "best_error").iter().all(|&error| error <= 0.02));
        if results.value(point, axis).label == "benchmark" {
            gains.push(results.mean(point, "gain").unwrap());
        }
    }
    assert!(gains[0] < 0.95 && *gains.last().unwrap() > 1.2, "{gains:?}");
    assert!(gains.is_sorted(), "{gains:?}");
}

/// What `hetsim new` prints is what the folder of templates contains.
#[test]
fn every_template_has_its_kind() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/scenario/templates");
    let mut files: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    let mut kinds: Vec<String> = TEMPLATES.iter().map(|(kind, _)| format!("{kind}.toml")).collect();
    files.sort();
    kinds.sort();
    assert_eq!(files, kinds);
}
