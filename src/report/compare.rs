//! `[[compare]]`: how two choices compare at each point, paired by replica.

use std::fmt::Write as _;
use std::io::{self, Write};

use schemars::JsonSchema;
use serde::Deserialize;

use super::results::Results;
use super::tables::{heading, humane};
use crate::record::{Direction, Value, is_duration};
use crate::scenario::{Choice, References, Where, ninety_five};
use crate::statistics::Confidence;
use crate::statistics::compare::{Comparison, Pairing, holm, paired};
use crate::statistics::words::{Wording, p_value, sentence};

/// `[[compare]]`: whether a metric is less with one choice than with another, by how much and how surely. Both meet the same draws
/// in each replica and are compared pair by pair; over several points the p-values are corrected (Holm).
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CompareSpec {
    /// The metric: a number that no clock measures.
    pub metric: String,
    /// The first choice: swept keys to their values.
    pub a: Where,
    /// The second choice: other values of the same keys.
    pub b: Where,
    /// The points at which they are compared, by the other swept keys; each of them is.
    #[serde(default, rename = "where")]
    pub filter: Where,
    /// The share of cases in which an interval is to hold the difference.
    #[serde(default = "ninety_five")]
    #[schemars(extend("exclusiveMinimum" = 0.0, "exclusiveMaximum" = 1.0))]
    pub confidence: f64,
}

impl CompareSpec {
    /// A comparison is of two values of the same keys.
    pub(super) fn check(&self, at: &str, references: &mut References<'_>) {
        references.steady_number(&format!("{at}.metric"), &self.metric);
        let problems = references.problems();
        for (side, keys) in [("a", &self.a), ("b", &self.b)] {
            let path = format!("{at}.{side}");
            references.points(&path, keys);
            if keys.is_empty() {
                references.wrong(&path, format!("`{side}` names no swept key"), None);
            }
            for (key, choice) in keys {
                if let Choice::Any(_) = choice {
                    references.wrong(&format!("{path}.{key}"), "a comparison takes one value here".to_owned(), None);
                }
            }
        }
        references.points(&format!("{at}.where"), &self.filter);
        if references.problems() > problems {
            return;
        }
        if !self.a.keys().eq(self.b.keys()) {
            references.wrong(at, "`a` and `b` give values to different keys".to_owned(), None);
        } else if self.a == self.b {
            references.wrong(at, "`a` and `b` are the same".to_owned(), None);
        } else if let Some(key) = self.filter.keys().find(|key| self.a.contains_key(*key)) {
            let message = format!("`{key}` is what is compared, so `where` can't choose it");
            references.wrong(&format!("{at}.where.{key}"), message, None);
        } else {
            for (side, keys) in [("a", &self.a), ("b", &self.b)] {
                let filter: Where = keys.iter().chain(&self.filter).map(|(k, v)| (k.clone(), v.clone())).collect();
                references.some_points(&format!("{at}.{side}"), &filter);
            }
        }
    }
}

/// A comparison of a metric at one point.
#[derive(Debug, Clone, PartialEq)]
pub struct Compared {
    /// The metric.
    pub metric: String,
    /// What the first choice is called.
    pub a: String,
    /// What the second one is called.
    pub b: String,
    /// The point, by the keys that are not compared.
    pub place: String,
    /// How the values compare.
    pub comparison: Comparison,
    /// The p-values corrected for the number of points, where there are several.
    pub corrected: Option<Corrected>,
    /// Whether less or more of the metric is better.
    pub direction: Direction,
}

/// Holm's corrections of two p-values, each undefined where its test is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Corrected {
    /// Over how many tests.
    pub tests: usize,
    /// Of the t test.
    pub t: Option<f64>,
    /// Of the signed-rank test.
    pub signed_rank: Option<f64>,
}

/// Every comparison of the scenario, at every point that has values for both choices.
#[must_use]
pub fn all(results: &Results<'_>) -> Vec<Compared> {
    results.spec().compare.iter().flat_map(|spec| compare(results, spec)).collect()
}

fn compare(results: &Results<'_>, spec: &CompareSpec) -> Vec<Compared> {
    let (Some(column), Some(confidence)) = (results.column(&spec.metric), Confidence::new(spec.confidence)) else {
        return Vec::new();
    };
    let mut chosen = spec.filter.clone();
    chosen.extend(spec.a.clone());
    let axes: Vec<usize> = spec.a.keys().filter_map(|key| results.axis(key)).collect();
    let at = |point: usize| {
        let other = results.other(point, &spec.b)?;
        let pair = |row: usize| {
            let replica = results.rows()[row].replica;
            Some((results.number(row, column)?, results.number(results.row(other, replica)?, column)?))
        };
        let pairs: Vec<(f64, f64)> = results.rows_of(point).filter_map(pair).collect();
        Some(Compared {
            metric: spec.metric.clone(),
            a: name(&spec.a),
            b: name(&spec.b),
            place: place(results, point, &axes),
            comparison: paired(&pairs, confidence)?,
            corrected: None,
            direction: results.direction(&spec.metric),
        })
    };
    let mut compared: Vec<Compared> = results.matching(&chosen).into_iter().filter_map(at).collect();
    correct(&mut compared);
    compared
}

/// Corrects the p-values of several comparisons that answer one question.
pub fn correct(compared: &mut [Compared]) {
    if compared.len() < 2 {
        return;
    }
    let over = |p: fn(&Comparison) -> Option<f64>| -> Vec<Option<f64>> {
        let given: Vec<f64> = compared.iter().filter_map(|one| p(&one.comparison)).collect();
        let mut corrected = holm(&given).into_iter();
        compared.iter().map(|one| p(&one.comparison).and_then(|_| corrected.next())).collect()
    };
    let t = over(|comparison| comparison.test.map(|test| test.p));
    let signed_rank = over(|comparison| comparison.signed_rank.map(|test| test.p));
    let tests = compared.len();
    for (one, (t, signed_rank)) in compared.iter_mut().zip(t.into_iter().zip(signed_rank)) {
        one.corrected = Some(Corrected { tests, t, signed_rank });
    }
}

impl Compared {
    /// The comparison as a sentence.
    #[must_use]
    pub fn words(&self) -> String {
        let (less, more) = self.less_and_more();
        let show = |value: f64| humane(&self.metric, value);
        let wording = Wording { a: &self.a, b: &self.b, less, more, show: &show };
        let place = if self.place.is_empty() { String::new() } else { format!(" ({})", self.place) };
        let mut text = format!("{}{place}: {}", heading(&self.metric), sentence(&self.comparison, &wording));
        if let Some(test) = self.comparison.signed_rank.filter(|_| self.comparison.counts.0 > 1) {
            let _ = write!(text, "; Wilcoxon {}", p_value(test.p));
        }
        if let Some(Corrected { tests, t: Some(p), .. }) = self.corrected {
            let _ = write!(text, "; as one of {tests} comparisons {} (Holm)", p_value(p));
        }
        text.push('.');
        text
    }

    /// What less and more of the metric are called: which of the two is better, where one is.
    fn less_and_more(&self) -> (&'static str, &'static str) {
        match self.direction {
            Direction::Less if is_duration(&self.metric) => match self.metric.as_str() {
                "completion_s" | "makespan_s" | "total_s" => ("faster", "slower"),
                _ => ("shorter", "longer"),
            },
            Direction::Less => ("better (lower)", "worse (higher)"),
            Direction::More => ("worse (lower)", "better (higher)"),
            Direction::Neither => ("lower", "higher"),
        }
    }
}

/// A choice by its values.
fn name(keys: &Where) -> String {
    let value = |choice: &Choice| match choice {
        Choice::One(scalar) => scalar.to_string(),
        Choice::Any(scalars) => scalars.iter().map(ToString::to_string).collect::<Vec<_>>().join(" or "),
    };
    keys.values().map(value).collect::<Vec<_>>().join(", ")
}

/// A point in words, without some of its axes.
fn place(results: &Results<'_>, point: usize, without: &[usize]) -> String {
    let values = results.scenario().values(point).enumerate().filter(|(number, _)| !without.contains(number));
    let parts: Vec<String> = values.map(|(_, (axis, value))| format!("{} = {}", axis.name, value.shown)).collect();
    parts.join(", ")
}

/// A row a comparison. Differences are a − b;
///
/// # Errors
/// Where `out` fails.
pub fn compare_csv(compared: &[Compared], out: &mut dyn Write) -> io::Result<()> {
    let mut csv = csv::Writer::from_writer(out);
    csv.write_record([
        "metric",
        "where",
        "a",
        "b",
        "pairing",
        "a_count",
        "b_count",
        "a_mean",
        "b_mean",
        "difference",
        "confidence",
        "difference_low",
        "difference_high",
        "relative_percent",
        "relative_low_percent",
        "relative_high_percent",
        "t",
        "degrees",
        "t_p",
        "wilcoxon_p",
        "t_p_holm",
        "wilcoxon_p_holm",
        "effect",
        "a_below",
        "equal",
        "a_above",
    ])?;
    for one in compared {
        let found = &one.comparison;
        let number = |number: Option<f64>| Value::from(number).to_string();
        let interval = found.difference.interval;
        let percent = |pick: fn((f64, f64)) -> f64| {
            found.relative.and_then(|relative| relative.interval).map(|interval| 100.0 * pick(interval))
        };
        csv.write_record([
            one.metric.clone(),
            one.place.clone(),
            one.a.clone(),
            one.b.clone(),
            if found.pairing == Pairing::Paired { "paired" } else { "independent" }.to_owned(),
            found.counts.0.to_string(),
            found.counts.1.to_string(),
            number(Some(found.means.0)),
            number(Some(found.means.1)),
            number(Some(found.difference.value)),
            number(Some(found.confidence.share())),
            number(interval.map(|(low, _)| low)),
            number(interval.map(|(_, high)| high)),
            number(found.relative.map(|relative| 100.0 * relative.value)),
            number(percent(|(low, _)| low)),
            number(percent(|(_, high)| high)),
            number(found.test.map(|test| test.t)),
            number(found.test.map(|test| test.degrees)),
            number(found.test.map(|test| test.p)),
            number(found.signed_rank.map(|test| test.p)),
            number(one.corrected.and_then(|corrected| corrected.t)),
            number(one.corrected.and_then(|corrected| corrected.signed_rank)),
            number(found.effect),
            found.order.below.to_string(),
            found.order.equal.to_string(),
            found.order.above.to_string(),
        ])?;
    }
    csv.flush()
}
