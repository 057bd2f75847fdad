//! The charts of shipped scenarios that are quick to run: all labels differ and stand apart, as they are and in print.

use std::path::Path;

use super::inspect::{faults, inspect};
use crate::report::Results;
use crate::report::chart;
use crate::scenario::Scenario;

/// Those whose runs take a second together.
const QUICK: [&str; 14] = [
    "collectives",
    "contention",
    "critical-path",
    "energy",
    "first",
    "grid5000",
    "heft2002",
    "levels",
    "nasri-fig3",
    "nasri-fig4",
    "nasri-fig6",
    "simgrid",
    "stg",
    "workflows",
];

/// The charts of a scenario, two replicas a point where it has several, by their names.
fn charts(name: &str, widths: &[Option<&str>]) -> Vec<(String, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios").join(format!("{name}.toml"));
    let scenario = Scenario::load(&path, &[]).unwrap_or_else(|problems| panic!("{problems}"));
    let replicas = scenario.file.replicas.most().min(2);
    let runs = (0..scenario.points.len()).flat_map(|point| (0..replicas).map(move |replica| (point, replica)));
    let records = runs.map(|(point, replica)| (point, replica, scenario.run(point, replica).expect("a run")));
    let results = Results::new(&scenario, records.collect::<Vec<_>>());
    let spec = scenario.report();
    let draw = |width: Option<&str>| {
        let mut charts = spec.chart.clone();
        for chart in &mut charts {
            chart.entry_mut().common_mut().width = width.map(str::to_owned);
        }
        let pictures = chart::draw(&results, &charts, &spec.sensitivity).expect("charts");
        let named = |picture: chart::Picture| (format!("{name}/{}, {width:?}", picture.name), picture.svg);
        pictures.into_iter().map(named).collect::<Vec<_>>()
    };
    widths.iter().copied().flat_map(draw).collect()
}

#[test]
fn labels_of_shipped_charts_differ_and_stand_apart() {
    let mut found = Vec::new();
    let mut seen = 0;
    for (name, svg) in QUICK.iter().flat_map(|name| charts(name, &[None, Some("180mm"), Some("85mm")])) {
        inspect(&svg);
        found.extend(faults(&svg).into_iter().map(|fault| format!("{name}: {fault}")));
        seen += 1;
    }
    assert!(found.is_empty() && seen > 3 * 25, "{seen} charts: {found:#?}");
}
