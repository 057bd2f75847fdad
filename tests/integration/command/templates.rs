//! Every scenario of `hetsim new` answers what it asks: its metrics are there, and differ between what it compares.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use hetsim::record::Value;
use hetsim::report::Reported as _;
use hetsim::report::chart::Chart;
use hetsim::report::{Results, expect};
use hetsim::scenario::{Scenario, Source, TEMPLATES, Where, template};
use rayon::prelude::*;

/// What is compared differs at least by this share of the greatest.
const NOTICEABLE: f64 = 0.01;

fn scenario(kind: &str) -> Scenario {
    let text = template(kind).unwrap();
    let source = Source { name: format!("{kind}.toml"), folder: ".".into(), text: text.into() };
    Scenario::read(kind.to_owned(), source, &[]).unwrap_or_else(|problems| panic!("{kind}: {problems}"))
}

/// A template with the keys and headings that it suggests in comments, and how many these are.
fn with_suggestions(kind: &str) -> (String, usize) {
    let mut count = 0;
    let uncommented = |line: &'static str| {
        let code = line.strip_prefix("# ")?;
        let is_key = code.split_once(" = ").is_some_and(|(key, _)| !key.contains([' ', '`']));
        (is_key || code.starts_with('[')).then_some(code)
    };
    let lines = template(kind).unwrap().lines().map(|line| match uncommented(line) {
        Some(code) => {
            count += 1;
            format!("{code}\n")
        }
        None => format!("{line}\n"),
    });
    (lines.collect(), count)
}

#[test]
fn what_templates_suggest_in_comments_can_be_taken() {
    let mut suggesting = Vec::new();
    for (kind, _) in TEMPLATES {
        let (text, count) = with_suggestions(kind);
        let source = Source { name: format!("{kind}.toml"), folder: ".".into(), text: text.into() };
        Scenario::read((*kind).to_owned(), source, &[]).unwrap_or_else(|problems| panic!("{kind}: {problems}"));
        suggesting.extend((count > 0).then_some((*kind, count)));
    }
    assert_eq!(suggesting, [("adaptive", 2), ("evolution", 1), ("stream", 3), ("traffic", 1)]);
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
    let mut groups: BTreeMap<Vec<u32>, Vec<Result<f64, String>>> = BTreeMap::new();
    for point in results.matching(filter) {
        let value =
            answer(results, point, metric).unwrap_or_else(|| panic!("{what}: {metric} is blank at point {point}"));
        let mut others = results.scenario().points[point].to_vec();
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
    let asked = scenario.report();
    assert!(scenario.file.question.is_some() && !asked.chart.is_empty() && !asked.table.is_empty(), "{kind}");
    for table in &asked.table {
        let best = table.best.as_ref().and_then(|best| best.all().first());
        let along = table.columns.as_ref().or(best).unwrap_or(&table.rows);
        compares(&results, &format!("{kind}: {}", table.title), &table.metric, &table.filter, along);
    }
    for chart in &asked.chart {
        let common = chart.common();
        let what = format!("{kind}: {}", common.name);
        let (metrics, along) = match chart {
            Chart::Gantt(_) | Chart::Tree(_) | Chart::Graph(_) | Chart::Utilization(_) => continue,
            // Of a table of one run; its picture is looked at below.
            Chart::Line(line) if line.over.table.is_some() => continue,
            Chart::Bar(bar) if bar.over.table.is_some() => continue,
            Chart::Stacked(stacked) if stacked.over.table.is_some() => continue,
            Chart::Heatmap(map) if map.table.is_some() => continue,
            Chart::Heatmap(map) => {
                compares(&results, &what, &map.value, &common.filter, &map.x);
                continue;
            }
            Chart::Line(line) => (&line.over.metrics, line.groups.series.as_ref().unwrap_or(&line.over.x)),
            Chart::Bar(bar) => (&bar.over.metrics, bar.groups.series.as_ref().unwrap_or(&bar.over.x)),
            Chart::Stacked(stacked) => (&stacked.over.metrics, &stacked.over.x),
            Chart::Scatter(marks) => (&marks.metrics, marks.groups.series.as_ref().unwrap_or(&marks.x)),
            Chart::BoxPlot(boxes) => (&boxes.metrics, boxes.groups.series.as_ref().unwrap_or(&boxes.x)),
            other => panic!("{what}: nothing looks at a {}", other.name()),
        };
        let metrics = metrics.y.all();
        if metrics.len() > 1 {
            // Several metrics are compared with each other.
            let differs = |point| {
                let of = |metric: &String| answer(&results, point, metric).unwrap_or_else(|| panic!("{what}: blank"));
                differ(&metrics.iter().map(of).collect::<Vec<_>>())
            };
            assert!(results.matching(&common.filter).into_iter().any(differs), "{what}");
        } else {
            compares(&results, &what, &metrics[0], &common.filter, along);
        }
    }
    assert!((0..scenario.points.len()).all(|point| !results.rows_of(point).is_empty()), "{kind}");
    assert_eq!(expect::check(&results, &asked.expect).is_empty(), asked.expect.is_empty(), "{kind}");
    assert!(!hetsim::report::tables::tables(&results, &asked.table, &asked.sensitivity).is_empty(), "{kind}");
    let pictures = hetsim::report::chart::draw(&results, &asked.chart, &asked.sensitivity).unwrap();
    assert_eq!(pictures.len(), asked.chart.len());
    assert!(pictures.iter().all(|picture| !picture.svg.contains("no data")), "{kind}");
}

#[test]
fn every_template_answers_its_question() {
    for (kind, _) in TEMPLATES {
        answers_what_it_asks(kind);
    }
}

/// From so many individuals on it pays to measure the nodes: not from the fewest, but from some on, and all searches
/// end by their target.
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
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/scenario/src/templates");
    let mut files: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    let mut kinds: Vec<String> = TEMPLATES.iter().map(|(kind, _)| format!("{kind}.toml")).collect();
    files.sort();
    kinds.sort();
    assert_eq!(files, kinds);
}
