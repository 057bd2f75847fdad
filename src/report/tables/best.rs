//! Tables with `best`: what is best in each row, on the terminal, on the page and in `best.csv`.

use std::collections::HashMap;
use std::io::{self, Write};

use super::{TableSpec, rows_of, written};
use crate::record::Value;
use crate::report::best::{Winners, confidence, winners};
use crate::report::cells::{Cell, Shown};
use crate::report::results::Results;
use crate::report::text::{TextTable, axis_heading, axis_texts, heading};

/// The most characters of a cell that names what is equal.
const ROOM: usize = 36;

/// What is best in each row, what is equal to it, and what can't be told from it.
pub(super) fn table_of_best(results: &Results<'_>, spec: &TableSpec) -> TextTable {
    let (rows_number, rows_axis) = rows_of(results, spec);
    let (row_texts, values) = (axis_texts(rows_axis), BestValues::new(results, spec));
    let winners = rows_of_best(results, spec);
    let mut shown = Shown::default();
    let mut are_named = true;
    let row = |(row, winners): &(usize, Winners)| {
        let (best, others_are_named) = values.cell(winners);
        are_named &= others_are_named;
        let metrics = spec.metrics().map(|metric| shown.cell(results, winners.point, metric));
        [row_texts[*row].clone(), best].map(Cell::Text).into_iter().chain(metrics).collect()
    };
    let rows: Vec<Vec<Cell>> = winners.iter().map(row).collect();
    let metrics: Vec<&str> = spec.metrics().map(String::as_str).collect();
    let columns = [axis_heading(&results.scenario().axes, rows_number), values.heading()].into_iter();
    let notes = spec.note.iter().cloned().chain(shown.note(results));
    let named = (!are_named).then(|| "best.csv names the others.".to_owned());
    TextTable {
        title: spec.heading(results),
        columns: columns.chain(spec.metrics().map(|metric| heading(metric))).collect(),
        rows: written(&rows, 2, &metrics),
        notes: notes.chain(notes_on(&winners, results, &spec.metric)).chain(named).collect(),
        ..TextTable::default()
    }
}

/// What is said of winners below their table.
fn notes_on(winners: &[(usize, Winners)], results: &Results<'_>, metric: &str) -> Vec<String> {
    let has = |what: fn(&Winners) -> bool| winners.iter().any(|(_, winners)| what(winners));
    let mut notes = Vec::new();
    if winners.is_empty() {
        notes.push(format!("No point has a value of {}.", heading(metric)));
    }
    if has(|winners| !winners.equal.is_empty()) {
        notes.push("= joins what is equal.".to_owned());
    }
    if has(|winners| !winners.untold.is_empty()) {
        let percent = confidence(results).percent();
        notes.push(format!(
            "≈ joins what paired t tests can't tell from the best with {percent} % confidence, corrected over each row (Holm)."
        ));
    }
    if has(|winners| winners.is_partial) {
        notes.push(format!("Some runs have no {}: what is compared are the means of the others.", heading(metric)));
    }
    notes
}

/// The keys whose best values are shown, and the texts of their values.
struct BestValues<'r> {
    results: &'r Results<'r>,
    keys: Vec<(usize, Vec<String>)>,
    /// Whether the other end of the metric is better.
    is_against: bool,
}

impl<'r> BestValues<'r> {
    fn new(results: &'r Results<'r>, spec: &TableSpec) -> Self {
        let keys = spec.best_keys().iter().filter_map(|key| results.axis(key));
        let keys = keys.map(|key| (key, axis_texts(&results.scenario().axes[key]))).collect();
        let is_against = spec.asked.against(results.direction(&spec.metric)).is_some();
        Self { results, keys, is_against }
    }

    fn heading(&self) -> String {
        let names = self.keys.iter().map(|(key, _)| axis_heading(&self.results.scenario().axes, *key));
        // Of what lies against the metric's direction the table's heading says what it is.
        let best = if self.is_against { "" } else { "best " };
        format!("{best}{}", names.collect::<Vec<_>>().join("/"))
    }

    fn named(&self, point: usize) -> String {
        let choice = |key| self.results.scenario().points.choice(point, key);
        self.keys.iter().map(|(key, texts)| texts[choice(*key)].as_str()).collect::<Vec<_>>().join("/")
    }

    /// The best values, and those that stand beside them: named where a cell has room for them, and counted where it
    /// has not. Says whether they are named.
    fn cell(&self, Winners { point, equal, untold, .. }: &Winners) -> (String, bool) {
        let others = [("=", equal), ("≈", untold)];
        let all = others.iter().flat_map(|(sign, points)| points.iter().map(move |&other| (sign, self.named(other))));
        let all = all.fold(String::new(), |all, (sign, name)| all + "\u{a0}" + sign + " " + &name);
        let best = self.named(*point);
        if all.is_empty() || best.chars().count() + all.chars().count() <= ROOM {
            return (best + &all, true);
        }
        let counted = others.iter().filter(|(_, points)| !points.is_empty()).map(|(sign, points)| {
            let others = if points.len() == 1 { "other" } else { "others" };
            format!("\u{a0}{sign} {}\u{a0}{others}", points.len())
        });
        (best + &counted.collect::<String>(), false)
    }
}

/// The axes of a table with `best`: that of its rows, and those over which the best is sought.
fn keys_of_best(results: &Results<'_>, spec: &TableSpec) -> Option<(usize, Vec<usize>)> {
    let over: Option<Vec<usize>> = spec.best_keys().iter().map(|key| results.axis(key)).collect();
    results.axis(&spec.rows).zip(over.filter(|over| !over.is_empty()))
}

/// The rows of a table with `best`, each with its winners.
fn rows_of_best(results: &Results<'_>, spec: &TableSpec) -> Vec<(usize, Winners)> {
    let best = spec.asked.of(results.direction(&spec.metric));
    let (Some(best), Some((rows, over))) = (best, keys_of_best(results, spec)) else { return Vec::new() };
    let points = results.matching(&spec.filter);
    let mut in_row: HashMap<usize, Vec<usize>> = HashMap::new();
    for &point in &points {
        in_row.entry(results.scenario().points.choice(point, rows)).or_default().push(point);
    }
    let of_row = |row: usize| Some((row, winners(results, in_row.get(&row)?, &over, (&spec.metric, best))?));
    results.used(&points, rows).into_iter().filter_map(of_row).collect()
}

/// `best.csv`: a row for each row of the tables that show what is best.
///
/// # Errors
/// Where `out` fails.
pub(in crate::report) fn best_csv(results: &Results<'_>, specs: &[TableSpec], out: &mut dyn Write) -> io::Result<()> {
    let percent = confidence(results).percent();
    let mut csv = csv::Writer::from_writer(out);
    let (low, high) = (format!("low{percent}"), format!("high{percent}"));
    csv.write_record(["table", "key", "value", "over", "best", "not_told_apart", "metric", "mean", &low, &high, "n"])?;
    for (number, spec) in specs.iter().enumerate() {
        let (Some((rows, over)), Some(column)) = (keys_of_best(results, spec), results.column(&spec.metric)) else {
            continue;
        };
        let names = |points: &[usize]| {
            let label = |point: usize| {
                over.iter().map(|&axis| results.value(point, axis).label.as_str()).collect::<Vec<_>>().join("/")
            };
            points.iter().map(|&point| label(point)).collect::<Vec<_>>().join(", ")
        };
        let axes = &results.scenario().axes;
        let sought = over.iter().map(|&axis| axes[axis].name.as_str()).collect::<Vec<_>>().join("/");
        for (row, Winners { point, equal, untold, .. }) in rows_of_best(results, spec) {
            let best: Vec<usize> = std::iter::once(point).chain(equal).collect();
            let key = &axes[rows];
            let summary = results.summary(point, column);
            let interval = summary.and_then(|summary| summary.interval);
            csv.write_record([
                (number + 1).to_string(),
                key.name.clone(),
                key.values[row].cell.to_string(),
                sought.clone(),
                names(&best),
                names(&untold),
                spec.metric.clone(),
                Value::from(summary.map(|summary| summary.mean)).to_string(),
                Value::from(interval.map(|(low, _)| low)).to_string(),
                Value::from(interval.map(|(_, high)| high)).to_string(),
                summary.map_or(0, |summary| summary.count).to_string(),
            ])?;
        }
    }
    csv.flush()
}
