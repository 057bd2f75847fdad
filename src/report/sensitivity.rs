//! `[[sensitivity]]`: which keys of a design matter for a metric.

use std::collections::HashMap;
use std::io::{self, Write};

use schemars::JsonSchema;
use serde::Deserialize;

use super::results::Results;
use super::text::{TextTable, axis_text, finished, heading, humane};
use crate::design::morris::Screening;
use crate::design::saltelli::Index;
use crate::record::Value;
use crate::scenario::{Analysis, Design, References, Where, axis_number, ninety_five};
use crate::statistics::Confidence;

/// `[[sensitivity]]`: which of the keys that a design of kind `morris` or `saltelli` chooses matter for a metric, for
/// each combination of the other swept keys: in `sensitivity.csv`, on the terminal, and in charts of kind
/// `sensitivity`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SensitivitySpec {
    /// The metric; its mean over replicas counts. What replicas still differ in after that is taken for an interaction
    /// of keys.
    pub metric: String,
    /// The combinations of other swept keys that are looked at; all by default.
    #[serde(default, rename = "where")]
    pub filter: Where,
    /// The confidence of the intervals: the share of cases in which an interval contains what it estimates.
    #[serde(default = "ninety_five")]
    #[schemars(extend("exclusiveMinimum" = 0.0, "exclusiveMaximum" = 1.0))]
    pub confidence: f64,
    /// The number of resamples that the bootstrap draws for the intervals.
    #[serde(default = "thousand")]
    #[schemars(range(min = 100, max = 1_000_000))]
    pub resamples: usize,
}

const fn thousand() -> usize {
    1000
}

impl SensitivitySpec {
    /// An analysis has a design that is made for it, and a metric that is the same each time.
    pub(super) fn check(&self, at: &str, earlier: &[Self], references: &mut References<'_>) {
        references.number(&format!("{at}.metric"), &self.metric);
        if references.is_clocked(&self.metric) {
            let message = format!("`{}` is measured by a clock and differs from run to run", self.metric);
            references.wrong(&format!("{at}.metric"), message, None);
        }
        if earlier.iter().any(|other| other.metric == self.metric) {
            let message = format!("there is already a sensitivity of `{}`", self.metric);
            references.wrong(&format!("{at}.metric"), message, None);
        }
        match references.design {
            None => {
                let help = "[sweep] design = { kind = \"morris\", trajectories = 20 }";
                references.wrong(at, "a sensitivity needs a sweep with a `design`".to_owned(), Some(help.to_owned()));
                return;
            }
            Some(design) if design.analysis.is_none() => {
                let message = format!("a `{}` design does not tell what single keys matter", design.spec.name());
                references.wrong(at, message, Some("take kind = \"morris\" or kind = \"saltelli\"".to_owned()));
            }
            Some(_) => {}
        }
        combinations(references, at, &self.filter);
    }
}

/// A filter that chooses among keys crossed with the design.
pub(super) fn combinations(references: &mut References<'_>, at: &str, filter: &Where) {
    let (axes, design) = (references.axes, references.design);
    let moved =
        |key: &&String| axis_number(axes, key).is_some_and(|axis| design.is_some_and(|design| design.moves(axis)));
    match filter.keys().find(moved) {
        Some(key) => {
            let message = format!("`{key}` is chosen by the design, all points of which are needed");
            references.wrong(&format!("{at}.where.{key}"), message, None);
        }
        None => references.some_points(&format!("{at}.where"), filter),
    }
}

/// How much a metric depends on each key of a design, at one combination of the keys that are crossed with it.
#[derive(Debug, Clone)]
pub struct Sensitivity<'s> {
    /// What is asked for.
    pub spec: &'s SensitivitySpec,
    /// The numbers of the axes that are crossed with the design, and of their values here.
    pub grid: Vec<(usize, usize)>,
    /// Each key of the design, by the number of its axis, and how much the metric depends on it.
    pub keys: Vec<(usize, KeySensitivity)>,
    /// How many of the design's rows or trajectories have the metric at all of their points, and how many there are.
    pub whole: (usize, usize),
}

impl Sensitivity<'_> {
    /// What is left out and what is not known; `called` says what a key is called.
    pub(super) fn notes(&self, called: impl Fn(usize) -> String) -> Vec<String> {
        let (metric, (whole, all)) = (heading(&self.spec.metric), self.whole);
        let (effects, parts) = match self.keys.first() {
            Some((_, KeySensitivity::Effects(_))) => ("effect", "trajectories"),
            _ => ("index", "rows"),
        };
        let lacking = (whole < all).then(|| format!("{whole} of {all} {parts} have a value of {metric} at all points"));
        let unknown: Vec<String> =
            self.keys.iter().filter(|(_, found)| found.weight().is_none()).map(|(axis, _)| called(*axis)).collect();
        let unknown = match unknown.len() {
            0 => None,
            count if count < self.keys.len() => Some(format!("no {effects} of {} is known", unknown.join(", "))),
            _ if whole < 2 => Some(format!("no {effects} is known")),
            _ => Some(format!("no {effects} is known: {metric} does not vary")),
        };
        lacking.into_iter().chain(unknown).collect()
    }
}

/// How much a metric depends on a key.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum KeySensitivity {
    /// Of a `morris` design; nothing where no effect has values at both its ends.
    Effects(Option<Screening>),
    /// Of a `saltelli` design, with the number of whole rows; nothing for fewer than two, or where the metric does not
    /// vary.
    Indices(Option<(usize, Index)>),
}

impl KeySensitivity {
    /// How much the key matters: μ*, or the total index.
    #[must_use]
    pub fn weight(&self) -> Option<f64> {
        match self {
            Self::Effects(found) => found.map(|screening| screening.mean_size),
            Self::Indices(found) => found.map(|(_, index)| index.total),
        }
    }
}

/// These analyses, in their order.
#[must_use]
pub fn sensitivities<'s>(results: &Results<'_>, specs: &'s [SensitivitySpec]) -> Vec<Sensitivity<'s>> {
    let scenario = results.scenario();
    let Some(design) = &scenario.design else { return Vec::new() };
    let of = |spec| of_spec(results, design, spec);
    specs.iter().flat_map(of).collect()
}

fn of_spec<'s>(results: &Results<'_>, design: &Design, spec: &'s SensitivitySpec) -> Vec<Sensitivity<'s>> {
    let scenario = results.scenario();
    let crossed: Vec<usize> = (0..scenario.axes.len()).filter(|&axis| !design.moves(axis)).collect();
    let mut grids: Vec<Vec<usize>> = Vec::new();
    let mut values: HashMap<Vec<usize>, Vec<Option<f64>>> = HashMap::new();
    for point in results.matching(&spec.filter) {
        let choice = |axis| scenario.points.choice(point, axis);
        // Another sweep's points lie outside of the design.
        if choice(design.point) >= design.points {
            continue;
        }
        let grid: Vec<usize> = crossed.iter().map(|&axis| choice(axis)).collect();
        let values = values.entry(grid).or_insert_with_key(|grid| {
            grids.push(grid.clone());
            vec![None; design.points]
        });
        values[choice(design.point)] = results.mean(point, &spec.metric);
    }
    let of_grid = |grid: &Vec<usize>| Sensitivity {
        spec,
        grid: crossed.iter().copied().zip(grid.iter().copied()).collect(),
        keys: design.keys.iter().copied().zip(analyse(design, spec, &values[grid], scenario.file.seed)).collect(),
        whole: whole(design, &values[grid]),
    };
    grids.iter().map(of_grid).collect()
}

/// How much a metric with these values, one for each point of the design, depends on each of its keys.
fn analyse(design: &Design, spec: &SensitivitySpec, values: &[Option<f64>], seed: u64) -> Vec<KeySensitivity> {
    // The scenario's check lets nothing else through.
    let confidence = Confidence::new(spec.confidence).unwrap_or(Confidence::P95);
    // Both fail only for another number of values than there are points.
    match &design.analysis {
        Some(Analysis::Morris(morris)) => {
            let screenings = morris.screen(values, confidence, spec.resamples, seed).unwrap_or_default();
            screenings.into_iter().map(KeySensitivity::Effects).collect()
        }
        Some(Analysis::Saltelli(saltelli)) => {
            let indices = saltelli.indices(values, confidence, spec.resamples, seed).unwrap_or_default();
            let of = |key: usize| indices.as_ref().map(|indices| (indices.rows, indices.parameters[key]));
            (0..design.keys.len()).map(|key| KeySensitivity::Indices(of(key))).collect()
        }
        None => Vec::new(),
    }
}

/// How many of a design's rows or trajectories have all of their values, and how many there are.
fn whole(design: &Design, values: &[Option<f64>]) -> (usize, usize) {
    // A trajectory moves each key once; a row takes each key in turn from another sample, and ends with that.
    let ends = if matches!(design.analysis, Some(Analysis::Saltelli(_))) { 2 } else { 1 };
    let parts = values.chunks(design.keys.len() + ends);
    (parts.clone().filter(|part| part.iter().all(Option::is_some)).count(), parts.len())
}

/// One row a metric, a combination of the other keys and a key of the design: `sensitivity.csv`.
///
/// # Errors
/// Where `out` fails.
pub fn sensitivity_csv(results: &Results<'_>, all: &[Sensitivity<'_>], out: &mut dyn Write) -> io::Result<()> {
    let axes = &results.scenario().axes;
    let mut csv = csv::Writer::from_writer(out);
    let Some(first) = all.first() else { return csv.flush() };
    let columns: &[&str] = match first.keys.first() {
        Some((_, KeySensitivity::Effects(_))) => &["effects", "mu", "mu_star", "mu_star_low", "mu_star_high", "sigma"],
        _ => &["rows", "first", "first_low", "first_high", "total", "total_low", "total_high"],
    };
    let crossed = first.grid.iter().map(|&(axis, _)| axes[axis].name.as_str());
    csv.write_record(
        ["metric"].into_iter().chain(crossed).chain(["parameter", "confidence"]).chain(columns.iter().copied()),
    )?;
    for sensitivity in all {
        let grid: Vec<Value> =
            sensitivity.grid.iter().map(|&(axis, value)| axes[axis].values[value].cell.clone()).collect();
        for (axis, found) in &sensitivity.keys {
            let mut row = vec![Value::Text(sensitivity.spec.metric.clone())];
            row.extend(grid.iter().cloned());
            row.extend([Value::Text(axes[*axis].name.clone()), Value::Number(sensitivity.spec.confidence)]);
            let mut cells = cells(found);
            cells.resize(columns.len(), Value::Blank);
            row.extend(cells);
            csv.write_record(row.iter().map(Value::to_string))?;
        }
    }
    csv.flush()
}

fn cells(found: &KeySensitivity) -> Vec<Value> {
    let low = |interval: Option<(f64, f64)>| Value::from(interval.map(|(low, _)| low));
    let high = |interval: Option<(f64, f64)>| Value::from(interval.map(|(_, high)| high));
    match found {
        KeySensitivity::Effects(Some(found)) => vec![
            Value::Count(found.effects as u64),
            Value::Number(found.mean),
            Value::Number(found.mean_size),
            low(found.interval),
            high(found.interval),
            Value::from(found.deviation),
        ],
        KeySensitivity::Indices(Some((rows, index))) => vec![
            Value::Count(*rows as u64),
            Value::Number(index.first),
            low(index.first_interval),
            high(index.first_interval),
            Value::Number(index.total),
            low(index.total_interval),
            high(index.total_interval),
        ],
        KeySensitivity::Effects(None) | KeySensitivity::Indices(None) => Vec::new(),
    }
}

/// Each analysis as a table for people, the key that matters most first.
#[must_use]
pub fn sensitivity_tables(results: &Results<'_>, specs: &[SensitivitySpec]) -> Vec<TextTable> {
    sensitivities(results, specs).iter().map(|sensitivity| text_table(results, sensitivity)).collect()
}

fn text_table(results: &Results<'_>, sensitivity: &Sensitivity<'_>) -> TextTable {
    let axes = &results.scenario().axes;
    let metric = &sensitivity.spec.metric;
    let here = sensitivity.grid.iter().map(|&(axis, value)| {
        let key = &axes[axis];
        format!("{} = {}", key.name, axis_text(key.format.as_deref(), &key.values[value]))
    });
    let words: Vec<String> = [format!("What matters for {}", heading(metric))].into_iter().chain(here).collect();
    let percent = format!("{} % interval", humane("", 100.0 * sensitivity.spec.confidence));
    let columns: Vec<&str> = match sensitivity.keys.first() {
        Some((_, KeySensitivity::Effects(_))) => {
            vec!["key", "mean size of effects μ*", &percent, "mean μ", "deviation σ"]
        }
        _ => vec!["key", "first order", &percent, "total", &percent],
    };
    let size = |value: f64| humane(metric, value);
    let interval = |interval: Option<(f64, f64)>, words: &dyn Fn(f64) -> String| {
        interval.map(|(low, high)| format!("{} to {}", words(low), words(high))).unwrap_or_default()
    };
    let rows = sorted(sensitivity).into_iter().map(|(axis, found)| {
        let mut row = vec![axes[*axis].name.clone()];
        match found {
            KeySensitivity::Effects(Some(found)) => row.extend([
                size(found.mean_size),
                interval(found.interval, &size),
                size(found.mean),
                found.deviation.map(size).unwrap_or_default(),
            ]),
            KeySensitivity::Indices(Some((_, found))) => row.extend([
                share(found.first),
                interval(found.first_interval, &share),
                share(found.total),
                interval(found.total_interval, &share),
            ]),
            KeySensitivity::Effects(None) | KeySensitivity::Indices(None) => {}
        }
        row.resize(columns.len(), String::new());
        row
    });
    let rows = rows.collect();
    let notes = sensitivity.notes(|axis| axes[axis].name.clone());
    TextTable {
        title: words.join(", "),
        columns: columns.iter().map(|&column| column.to_owned()).collect(),
        rows,
        notes: notes.iter().map(|note| finished(note)).collect(),
        ..TextTable::default()
    }
}

/// A share to three decimals, which is more than its interval allows.
fn share(value: f64) -> String {
    // Adding zero takes the sign from what is rounded to zero.
    humane("", (value * 1e3).round() / 1e3 + 0.0)
}

/// The keys by how much they matter, the most first; those of which nothing is known last.
pub(super) fn sorted<'a>(sensitivity: &'a Sensitivity<'_>) -> Vec<&'a (usize, KeySensitivity)> {
    let mut keys: Vec<_> = sensitivity.keys.iter().collect();
    let weight = |found: &KeySensitivity| found.weight().unwrap_or(f64::NEG_INFINITY);
    keys.sort_by(|(_, a), (_, b)| weight(b).total_cmp(&weight(a)));
    keys
}
