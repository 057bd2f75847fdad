//! `[[compare]]`: how two choices compare at each point, paired by replica.

use std::fmt::Write as _;
use std::io::{self, Write};

use schemars::JsonSchema;
use serde::Deserialize;

use super::csv_file::{Column, write_csv};
use super::results::Results;
use super::text::{heading, humane};
use crate::record::{Direction, is_duration};
use crate::scenario::{Choice, References, Where, ninety_five};
use crate::statistics::Confidence;
use crate::statistics::compare::{Comparison, Pairing, holm, paired};
use crate::statistics::words::{Wording, p_value, sentence};

/// `[[compare]]`: whether a metric is less with one choice than with another, by how much and how surely. Both meet the
/// same draws in each replica and are compared pair by pair; over several points the p-values are corrected (Holm).
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CompareSpec {
    /// The metric: a number that no clock measures.
    pub metric: String,
    /// The first choice: swept keys to their values.
    pub a: Where,
    /// The second choice: other values of the same keys.
    pub b: Where,
    /// The points at which they are compared, by the other swept keys; each of them is. All by default.
    #[serde(default, rename = "where")]
    pub filter: Where,
    /// The confidence of the interval: the share of cases in which it contains the difference.
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
    /// Over how many t tests.
    pub tests: usize,
    /// Of the t test.
    pub t: Option<f64>,
    /// Of the signed-rank test.
    pub signed_rank: Option<f64>,
}

/// These comparisons, at every point that has values for both choices.
#[must_use]
pub fn all(results: &Results<'_>, specs: &[CompareSpec]) -> Vec<Compared> {
    specs.iter().flat_map(|spec| compare(results, spec)).collect()
}

/// A sentence for each of these specs that none of the comparisons is of.
pub(super) fn unanswered(specs: &[CompareSpec], compared: &[Compared]) -> Vec<String> {
    let is_of = |spec: &CompareSpec, one: &Compared| {
        one.metric == spec.metric && one.a == name(&spec.a) && one.b == name(&spec.b)
    };
    let without = specs.iter().filter(|spec| !compared.iter().any(|one| is_of(spec, one)));
    let sentence = |spec: &CompareSpec| {
        let (metric, a, b) = (&spec.metric, name(&spec.a), name(&spec.b));
        format!("No replica has `{metric}` with both {a} and {b}, so these are not compared.")
    };
    without.map(sentence).collect()
}

fn compare(results: &Results<'_>, spec: &CompareSpec) -> Vec<Compared> {
    let (Some(column), Some(confidence)) = (results.column(&spec.metric), Confidence::new(spec.confidence)) else {
        return Vec::new();
    };
    let mut chosen = spec.filter.clone();
    chosen.extend(spec.a.clone());
    let scenario = results.scenario();
    let keys = spec.a.keys().filter_map(|key| results.axis(key));
    // Keys that are zipped with those that are compared differ as well.
    let axes: Vec<usize> = keys.flat_map(|axis| std::iter::once(axis).chain(scenario.axes[axis].partners())).collect();
    let at = |point: usize| {
        let other = results.other(point, &spec.b)?;
        Some(Compared {
            metric: spec.metric.clone(),
            a: name(&spec.a),
            b: name(&spec.b),
            place: scenario.place(point, &axes),
            comparison: paired(&results.pairs(column, point, other), confidence)?,
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
    let tests = t.iter().flatten().count();
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
        if let Some(Corrected { tests: tests @ 2.., t: Some(p), .. }) = self.corrected {
            let _ = write!(text, "; as one of {tests} comparisons {} (Holm)", p_value(p));
            let level = 1.0 - self.comparison.confidence.share();
            if p >= level && self.comparison.test.is_some_and(|test| test.p < level) {
                text.push_str(", which chance among so many explains too");
            }
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
    keys.values().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// A row for each comparison. Differences are a − b.
///
/// # Errors
/// Where `out` fails.
pub fn compare_csv(compared: &[Compared], out: &mut dyn Write) -> io::Result<()> {
    let interval = |one: &Compared| one.comparison.difference.interval;
    let relative = |one: &Compared| one.comparison.relative;
    let percent = |one: &Compared| relative(one)?.interval.map(|(low, high)| (100.0 * low, 100.0 * high));
    let paired = |one: &Compared| one.comparison.pairing == Pairing::Paired;
    let columns: [Column<'_, Compared>; 26] = [
        ("metric", &|one| one.metric.as_str().into()),
        ("where", &|one| one.place.as_str().into()),
        ("a", &|one| one.a.as_str().into()),
        ("b", &|one| one.b.as_str().into()),
        ("pairing", &|one| if paired(one) { "paired" } else { "independent" }.into()),
        ("a_count", &|one| one.comparison.counts.0.into()),
        ("b_count", &|one| one.comparison.counts.1.into()),
        ("a_mean", &|one| one.comparison.means.0.into()),
        ("b_mean", &|one| one.comparison.means.1.into()),
        ("difference", &|one| one.comparison.difference.value.into()),
        ("confidence", &|one| one.comparison.confidence.share().into()),
        ("difference_low", &|one| interval(one).map(|(low, _)| low).into()),
        ("difference_high", &|one| interval(one).map(|(_, high)| high).into()),
        ("relative_percent", &|one| relative(one).map(|relative| 100.0 * relative.value).into()),
        ("relative_low_percent", &|one| percent(one).map(|(low, _)| low).into()),
        ("relative_high_percent", &|one| percent(one).map(|(_, high)| high).into()),
        ("t", &|one| one.comparison.test.map(|test| test.t).into()),
        ("degrees", &|one| one.comparison.test.map(|test| test.degrees).into()),
        ("t_p", &|one| one.comparison.test.map(|test| test.p).into()),
        ("wilcoxon_p", &|one| one.comparison.signed_rank.map(|test| test.p).into()),
        ("t_p_holm", &|one| one.corrected.and_then(|corrected| corrected.t).into()),
        ("wilcoxon_p_holm", &|one| one.corrected.and_then(|corrected| corrected.signed_rank).into()),
        ("effect", &|one| one.comparison.effect.into()),
        ("a_below", &|one| one.comparison.order.below.into()),
        ("equal", &|one| one.comparison.order.equal.into()),
        ("a_above", &|one| one.comparison.order.above.into()),
    ];
    write_csv(compared, &columns, out)
}
