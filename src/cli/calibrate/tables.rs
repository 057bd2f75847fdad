//! What was found, as tables and as the head of the written platform.

use std::fmt::Write as _;
use std::path::Path;

use super::super::terminal::{text_table, wrapped};
use super::doubts::{fixed_in_words, fixed_sentence, trade_off_sentence};
use super::points::{CalibrationPoints, group};
use crate::accuracy::calibrate::{Calibration, FixedKey, Key, KeyCertainty, RISE, percent};
use crate::fit::read::collectives::Measurement;
use crate::fit::robust::median;
use crate::report::text::TextTable;

/// The first words of a written platform.
const TITLE: &str = "# Calibrated by hetsim";

/// Predicted over measured time of some points.
struct Ratios {
    /// The operation.
    of: String,
    ratios: Vec<f64>,
}

/// The result of a calibration.
pub(super) struct Report<'a> {
    keys: &'a [Key],
    found: Calibration,
    algorithms: usize,
    used: Vec<Ratios>,
    left_out: Vec<Ratios>,
    /// For each trade-off a measurement that would tell its keys apart, if there is one.
    tells: Vec<Option<String>>,
    /// Sentences about latencies that some nodes ask to be different.
    regimes: Vec<String>,
}

impl<'a> Report<'a> {
    /// The report of a search, with what is predicted of the points used, for each trade-off a measurement that would
    /// tell its keys apart, and sentences about latencies that some nodes ask to be different.
    pub(super) fn of(
        keys: &'a [Key],
        points: &CalibrationPoints<'_>,
        (found, tells, regimes): (Calibration, Vec<Option<String>>, Vec<String>),
        predicted: &[f64],
    ) -> Self {
        let mut groups: Vec<_> = points.used.iter().map(|point| group(point)).collect();
        groups.sort_unstable();
        groups.dedup();
        let used = by_operation(&points.used, predicted);
        Self { keys, found, algorithms: groups.len(), used, left_out: Vec::new(), tells, regimes }
    }

    /// Adds what is predicted of the points left out.
    pub(super) fn judge(&mut self, points: &CalibrationPoints<'_>, predicted: &[f64]) {
        self.left_out = by_operation(&points.left_out, predicted);
    }

    /// The values that were found.
    pub(super) fn values(&self) -> &[f64] {
        &self.found.values
    }

    /// The comment at the head of the written platform, with a blank line behind it.
    pub(super) fn head(&self, files: &[String]) -> String {
        let mut head = format!("{TITLE} from {}: {}.\n", files.join(", "), self.points());
        for (points, ratios) in [("used", &self.used), ("left out", &self.left_out)] {
            if let Some([count, median, quarter, double]) = summary(ratios.iter().flat_map(|one| &one.ratios)) {
                let _ = writeln!(
                    head,
                    "# Points {points}: {count}, median error {median} %; {quarter} % within 25 %, {double} % within a factor of two."
                );
            }
        }
        for ((key, value), range) in self.keys.iter().zip(&self.found.values).zip(&self.found.ranges) {
            let known = self.fixed(key).map_or_else(|| in_words(key, range), |fixed| fixed_in_words(key, fixed));
            let _ = writeln!(head, "# {} = {}, {known}.", key.path, key.text(*value));
        }
        for sentence in self.doubts() {
            let _ = writeln!(head, "# {sentence}");
        }
        head + "\n"
    }

    /// Predicted over measured times of the points used, and of those left out.
    pub(super) fn ratios(&self) -> [Vec<f64>; 2] {
        [&self.used, &self.left_out].map(|all| all.iter().flat_map(|one| one.ratios.iter().copied()).collect())
    }

    fn points(&self) -> String {
        let points: usize = self.used.iter().map(|one| one.ratios.len()).sum();
        let error = percent(self.found.error);
        let plural = |count: usize| if count == 1 { "" } else { "s" };
        format!(
            "{points} point{} of {} algorithm{}, typical error {error:.1} %",
            plural(points),
            self.algorithms,
            plural(self.algorithms)
        )
    }

    /// What the terminal shows.
    pub(super) fn text(&self, out: &Path) -> String {
        let first = percent(self.found.first_error);
        let heading = format!(
            "Calibrated on {}; it was {first:.1} % with the file's values. {} sets of values were tried.",
            self.points(),
            self.found.evaluations
        );
        let mut text = wrapped(&heading, 0, 0) + "\n";
        text.push_str(&text_table(&self.key_table()));
        text.push_str(&text_table(&self.error_table()));
        text + &wrapped(&format!("Written: {}", out.display()), 0, 2)
    }

    fn key_table(&self) -> TextTable {
        let row = |((key, value), range): ((&Key, &f64), &KeyCertainty)| {
            let end = |end: Option<f64>| end.map_or_else(String::new, |value| key.text(value));
            vec![key.name.clone(), key.text(key.start), key.text(*value), end(range.low), end(range.high)]
        };
        let (share, least) = (RISE.0 * 100.0, RISE.1 * 100.0);
        TextTable {
            title: format!(
                "Keys: between low and high the error rises by less than {share:.0} % of itself, or {least:.0} % if that \
                 is more, while the other keys follow their linear model"
            ),
            columns: ["key", "file", "value", "low", "high"].map(str::to_owned).to_vec(),
            rows: self.keys.iter().zip(&self.found.values).zip(&self.found.ranges).map(row).collect(),
            notes: self.notes(),
            ..TextTable::default()
        }
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        for (key, range) in self.keys.iter().zip(&self.found.ranges) {
            if let Some(fixed) = self.fixed(key) {
                notes.push(fixed_sentence(key, fixed));
            } else if range.low.is_none() || range.high.is_none() {
                notes.push(format!("{}: {}.", key.name, in_words(key, range)));
            }
        }
        notes.extend(self.doubts());
        notes
    }

    /// What the points leave open: sentences about keys that trade off, and about latencies.
    fn doubts(&self) -> impl Iterator<Item = String> {
        let all = self.found.trade_offs.iter().zip(&self.tells);
        let trade_offs = all.map(|(one, tells)| trade_off_sentence(self.keys, one, tells.as_deref()));
        trade_offs.chain(self.regimes.iter().cloned())
    }

    /// Why a key is fixed, if it is.
    fn fixed(&self, key: &Key) -> Option<&FixedKey> {
        self.found.fixed.iter().find(|fixed| self.keys[fixed.key].path == key.path)
    }

    fn error_table(&self) -> TextTable {
        let mut rows = Vec::new();
        for (points, all) in [("used", &self.used), ("left out", &self.left_out)] {
            let mut first = points;
            let mut row = |of: &str, ratios: &mut dyn Iterator<Item = &f64>| {
                if let Some(cells) = summary(ratios) {
                    rows.push(
                        [std::mem::take(&mut first).to_owned(), of.to_owned()].into_iter().chain(cells).collect(),
                    );
                }
            };
            for one in all {
                row(&one.of, &mut one.ratios.iter());
            }
            if all.len() > 1 {
                row("all", &mut all.iter().flat_map(|one| &one.ratios));
            }
        }
        TextTable {
            title: "Errors of the points, in per cent: predicted over measured time, less 1".to_owned(),
            columns: ["", "operation", "points", "median", "≤ 25", "≤ 2×"].map(str::to_owned).to_vec(),
            rows,
            keys: 2,
            ..TextTable::default()
        }
    }
}

/// What the data say of a key, in words.
fn in_words(key: &Key, range: &KeyCertainty) -> String {
    match (range.low, range.high) {
        (Some(low), Some(high)) => format!("{} to {}", key.text(low), key.text(high)),
        (Some(low), None) => format!("at least {}", key.text(low)),
        (None, Some(high)) => format!("at most {}", key.text(high)),
        (None, None) => "not determined by these points".to_owned(),
    }
}

/// The ratios of the points of each operation, in alphabetical order. Points without a prediction have none.
fn by_operation(points: &[&Measurement], predicted: &[f64]) -> Vec<Ratios> {
    let mut found: Vec<Ratios> = Vec::new();
    for (point, predicted) in points.iter().zip(predicted).filter(|(_, predicted)| predicted.is_finite()) {
        let place = found.binary_search_by(|one| one.of.cmp(&point.operation)).unwrap_or_else(|place| {
            found.insert(place, Ratios { of: point.operation.clone(), ratios: Vec::new() });
            place
        });
        found[place].ratios.push(predicted / point.median);
    }
    found
}

/// The number of points, the median of their errors, and the shares within 25 % and within a factor of two.
fn summary<'a>(ratios: impl Iterator<Item = &'a f64>) -> Option<[String; 4]> {
    let ratios: Vec<f64> = ratios.copied().collect();
    if ratios.is_empty() {
        return None;
    }
    let errors: Vec<f64> = ratios.iter().map(|ratio| (ratio - 1.0).abs() * 100.0).collect();
    let share = |count: usize| format!("{:.0}", count as f64 / ratios.len() as f64 * 100.0);
    let quarter = errors.iter().filter(|error| **error <= 25.0).count();
    let double = ratios.iter().filter(|ratio| (0.5..=2.0).contains(*ratio)).count();
    Some([ratios.len().to_string(), format!("{:.1}", median(&errors)?), share(quarter), share(double)])
}

/// A platform's text without the head of an earlier calibration.
pub(super) fn without_head(text: &str) -> &str {
    if !text.starts_with(TITLE) {
        return text;
    }
    let comments: usize = text.split_inclusive('\n').take_while(|line| line.starts_with('#')).map(str::len).sum();
    text[comments..].strip_prefix('\n').unwrap_or(&text[comments..])
}
