//! How sure an answer is, in a line: its replicas, its network models, whether it was compared with measurements, and
//! what names like `ecef+best` mean.

use super::expect::{ExpectKind, Verdict};
use super::replicas;
use super::results::Results;
use crate::report::Reported as _;
use crate::scenario::{Replicas, Scenario};

/// What a reader must know to judge the answer.
#[must_use]
pub(super) fn sentence(results: &Results<'_>, verdicts: &[Verdict]) -> String {
    let scenario = results.scenario();
    let mut parts = vec![draws(results)];
    parts.extend(network(scenario, verdicts));
    parts.extend(joined(scenario));
    format!("How sure: {}.", parts.join("; "))
}

/// The replicas: how many there are, and whether they differ.
fn draws(results: &Results<'_>) -> String {
    let count = replicas::counts(results);
    if matches!(results.scenario().file.replicas, Replicas::Fixed(1)) {
        return "one run a point, exact if nothing is drawn (`replicas` shows how much draws matter)".to_owned();
    }
    if are_alike(results) {
        return format!("deterministic, {count} equal replicas a point");
    }
    format!("{count} replicas a point, each with draws of its own")
}

/// Whether all replicas of each point have the same values, apart from those on a clock.
fn are_alike(results: &Results<'_>) -> bool {
    let columns: Vec<usize> = results.measured().iter().filter_map(|metric| results.column(metric)).collect();
    let is_same = |rows: std::ops::Range<usize>, column: usize| {
        let first = results.cell(rows.start, column);
        rows.skip(1).all(|row| results.cell(row, column) == first)
    };
    let rows = || (0..results.scenario().points.len()).map(|point| results.rows_of(point));
    rows().filter(|rows| rows.len() > 1).all(|rows| columns.iter().all(|&column| is_same(rows.clone(), column)))
}

/// The network models, and what their times are compared with; nothing without a platform.
fn network(scenario: &Scenario, verdicts: &[Verdict]) -> Option<String> {
    let models = scenario.network_models();
    if models.is_empty() {
        return None;
    }
    let plural = if models.len() == 1 { "" } else { "s" };
    let names: Vec<&str> = models.iter().map(String::as_str).collect();
    let compared = if !scenario.report().validate.is_empty() {
        "compared with measured times here".to_owned()
    } else if verdicts.iter().any(|verdict| verdict.kind == ExpectKind::Printed) {
        "compared here with what a publication prints".to_owned()
    } else if let Some(calibration) = scenario.calibration() {
        format!("{calibration}, with an error of ±{:.1} %", 100.0 * calibration.expected_error())
    } else {
        "with the parameters of the file, compared with no measurement here".to_owned()
    };
    Some(format!("network model{plural} {}, {compared}", names.join(", ")))
}

/// What a name of two algorithms means, by the first of them; nothing where there is none.
fn joined(scenario: &Scenario) -> Option<String> {
    let is_word = |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let swept = scenario.axes.iter().filter(|axis| axis.key.ends_with("algorithm"));
    let swept = swept.flat_map(|axis| axis.values.iter().map(|value| value.label.as_str()));
    let parts = |name: &str| name.split_once('+').map(|(between, inside)| (between.to_owned(), inside.to_owned()));
    let mut pairs = swept.filter_map(parts).chain(scenario.algorithm().and_then(parts));
    let (between, inside) = pairs.find(|(between, inside)| is_word(between) && is_word(inside))?;
    let best = if inside == "best" { ", which is there the fastest by prediction" } else { "" };
    Some(format!("`{between}+{inside}` is `{between}` between the clusters and `{inside}` inside each{best}"))
}
