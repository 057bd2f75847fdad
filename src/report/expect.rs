//! `[[expect]]`: what a paper or a measurement gives, beside what came out.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::best::{by_value, is_equal};
use super::direction::Asked;
use super::results::Results;
use super::spec::ReportSpec;
use super::statistics::Summary;
use super::tables::humane;
use crate::record::Value;
use crate::scenario::{AxisValue, Choice, References, Scalar, Where};

/// `[[expect]]`: a metric that a paper or a measurement gives, compared with the mean over the replicas of each point
/// unless `statistic` says otherwise. Exactly one of `value`, `at_least`, `at_most`, `best` and
/// `less_than` says what is expected.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(extend("additionalProperties" = false))]
pub struct ExpectSpec {
    /// The metric. One that a clock measured is compared and shown, but its miss fails nothing, not even with `--strict`.
    pub metric: String,
    /// The points; each of them is checked.
    #[serde(default, rename = "where")]
    pub filter: Where,
    /// What is made of the metric's values over the replicas of a point before it is compared.
    #[serde(default)]
    pub statistic: Statistic,
    /// The value given: a number in the metric's unit, a quantity (`"4.3ms"`), or the name that the metric must be.
    #[serde(default)]
    pub value: Option<Scalar>,
    /// How far a metric may lie from `value`, in percent of it.
    #[serde(default = "one_percent")]
    #[schemars(range(min = 0.0))]
    pub tolerance_percent: f64,
    /// A lower bound: a number in the metric's unit, or a quantity.
    #[serde(default)]
    pub at_least: Option<Scalar>,
    /// An upper bound: a number in the metric's unit, or a quantity.
    #[serde(default)]
    pub at_most: Option<Scalar>,
    /// The value of the swept key `over` at which the metric must be best, alone or with others that are equal.
    #[serde(default)]
    pub best: Option<Scalar>,
    /// Which value is best.
    #[serde(flatten)]
    pub asked: Asked,
    /// The swept key of `best`.
    #[serde(default)]
    pub over: Option<String>,
    /// The values of `over` that take part; all where none are given.
    #[serde(default)]
    pub among: Vec<Scalar>,
    /// The point whose metric must be larger: the swept keys in which it differs.
    #[serde(default)]
    pub less_than: Option<Where>,
    /// The paper and the place in it, or where else the expectation comes from.
    pub source: String,
    /// Assumptions, or why the metric differs where it does.
    #[serde(default)]
    pub note: Option<String>,
}

/// What is made of the values of a metric over replicas.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Statistic {
    /// Their mean.
    #[default]
    Mean,
    /// The middle one, or the mean of the two in the middle.
    Median,
    /// The least.
    Min,
    /// The greatest.
    Max,
}

const fn one_percent() -> f64 {
    1.0
}

impl ExpectSpec {
    /// An expectation speaks of what exists, and expects one thing.
    pub(super) fn check(&self, at: &str, spec: &ReportSpec, references: &mut References<'_>) {
        references.metric(&format!("{at}.metric"), &self.metric);
        let is_name = references.is_name(&self.metric);
        for (key, value) in [("value", &self.value), ("at_least", &self.at_least), ("at_most", &self.at_most)] {
            if let Some(value) = value
                && !(is_name && key == "value")
                && let Err(message) = value.number_for(&self.metric)
            {
                references.wrong(&format!("{at}.{key}"), message, None);
            }
        }
        if is_name && self.value.is_none() {
            references.number(&format!("{at}.metric"), &self.metric);
        }
        references.some_points(&format!("{at}.where"), &self.filter);
        references.points(&format!("{at}.less_than"), self.less_than.as_ref().unwrap_or(&Where::new()));
        references.axis_if_given(&format!("{at}.over"), self.over.as_deref());
        for key in self.less_than.iter().flat_map(|keys| keys.keys()) {
            references.not_of_design(&format!("{at}.less_than.{key}"), key);
        }
        if let Some(over) = &self.over {
            references.not_of_design(&format!("{at}.over"), over);
        }
        let kinds = [
            self.value.is_some(),
            self.at_least.is_some(),
            self.at_most.is_some(),
            self.best.is_some(),
            self.less_than.is_some(),
        ];
        if kinds.into_iter().filter(|given| *given).count() != 1 {
            let message = "an expectation gives one of `value`, `at_least`, `at_most`, `best` and `less_than`";
            references.wrong(at, message.to_owned(), None);
        }
        if is_name && self.statistic != Statistic::Mean {
            let message = format!("`{}` is a name, and has no statistic", self.metric);
            references.wrong(&format!("{at}.statistic"), message, None);
        }
        if self.best.is_some() != self.over.is_some() {
            references.wrong(at, "`best` goes with `over`, the swept key whose value it is".to_owned(), None);
        }
        if self.best.is_some() {
            let best = self.asked.of(spec.direction(references.file, &self.metric));
            self.asked.check(at, &self.metric, best, references);
        } else {
            self.asked.check_absent(at, references);
        }
        if let (Some(best), Some(over)) = (&self.best, &self.over) {
            references.scalar(&format!("{at}.best"), over, best);
            for (place, other) in self.among.iter().enumerate() {
                references.scalar(&format!("{at}.among.{place}"), over, other);
            }
        }
    }
}

/// One expectation at one point. What is compared is the mean over the point's replicas, unless the expectation asks for
/// another statistic.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// The metric.
    pub metric: String,
    /// The point, as `key = value` pairs, and the statistic where it is not the mean.
    pub place: String,
    /// What is expected, with numbers as a CSV holds them.
    pub expected: String,
    /// The same as a person reads it.
    pub shown: String,
    /// What was simulated; blank where no such run has the metric.
    pub simulated: Value,
    /// How far they lie apart, in percent of what is expected; blank where that makes no sense.
    pub difference_percent: Value,
    /// How far they may lie apart.
    pub tolerance: String,
    /// Whether the expectation is met.
    pub met: bool,
    /// Whether it is of a metric that a clock measured, which is another one each time: such a miss fails nothing.
    pub clocked: bool,
    /// Where it comes from.
    pub source: String,
    /// Assumptions, or why it is missed.
    pub note: String,
}

/// All expectations of the scenario, checked.
#[must_use]
pub fn check(results: &Results<'_>) -> Vec<Verdict> {
    let of_spec = |spec: &ExpectSpec| {
        let clocked = results.is_clocked(&spec.metric);
        let noted = move |verdict| Verdict { clocked, ..verdict };
        check_one(results, spec).into_iter().map(noted)
    };
    results.spec().expect.iter().flat_map(of_spec).collect()
}

fn check_one(results: &Results<'_>, spec: &ExpectSpec) -> Vec<Verdict> {
    let points = results.matching(&spec.filter);
    let mut verdicts = Vec::new();
    if let (Some(best), Some(over)) = (&spec.best, &spec.over) {
        let Some(axis) = results.axis(over) else { return verdicts };
        let expected = best.to_string();
        let among = |point: usize| {
            let value = results.value(point, axis);
            let axis = &results.scenario().axes[axis];
            spec.among.is_empty() || spec.among.iter().any(|scalar| axis.is(value, scalar))
        };
        // One verdict for each set of points that differ in `over` only.
        let mut seen = BTreeSet::new();
        for &point in &points {
            let line: Vec<usize> = results
                .along(point, axis)
                .into_iter()
                .filter(|p| points.binary_search(p).is_ok() && among(*p))
                .collect();
            let Some(&first) = line.first() else { continue };
            if !seen.insert(first) {
                continue;
            }
            let measured: Vec<(usize, f64)> =
                line.iter().filter_map(|&point| Some((point, of_replicas(results, point, spec)?))).collect();
            let winners = best_values(results, spec, axis, &measured);
            let met = winners.iter().any(|winner| results.scenario().axes[axis].is(winner, best));
            let names: Vec<&str> = winners.iter().map(|winner| winner.label.as_str()).collect();
            let simulated = Value::from((!names.is_empty()).then(|| names.join(", ")));
            let place = place(results, first, Some(axis));
            let among: Vec<String> = spec.among.iter().map(ToString::to_string).collect();
            let tolerance = if among.is_empty() { "best".to_owned() } else { format!("best of {}", among.join(", ")) };
            let (expected, shown) = (expected.clone(), expected.clone());
            verdicts.push(Verdict { expected, shown, simulated, tolerance, met, ..open_verdict(spec, &place) });
        }
        return verdicts;
    }
    for point in points {
        let mut than_point = String::new();
        let simulated = of_replicas(results, point, spec);
        let other = spec.less_than.as_ref().and_then(|keys| results.other(point, keys));
        let limit = other.and_then(|other| of_replicas(results, other, spec));
        let (relation, reference, tolerance, met) = if let Some(value) = &spec.value {
            // A name is compared as it is; what should be a number has been checked to be one.
            let Ok(value) = value.number_for(&spec.metric) else {
                let name = results.column(&spec.metric).zip(results.rows_of(point).next());
                let name = name.map_or(Value::Blank, |(column, row)| results.cell(row, column));
                let met = name.to_string() == value.to_string();
                let place = place(results, point, None);
                let (expected, tolerance) = (value.to_string(), "exactly".to_owned());
                let shown = expected.clone();
                verdicts.push(Verdict {
                    expected,
                    shown,
                    simulated: name,
                    tolerance,
                    met,
                    ..open_verdict(spec, &place)
                });
                continue;
            };
            let margin = value.abs() * spec.tolerance_percent / 100.0;
            let met = simulated.is_some_and(|simulated| (simulated - value).abs() <= margin);
            (String::new(), Some(value), format!("±{} %", spec.tolerance_percent), met)
        } else if let Some(least) = spec.at_least.as_ref().and_then(|least| least.number_for(&spec.metric).ok()) {
            let met = simulated.is_some_and(|simulated| simulated >= least);
            ("≥ ".to_owned(), Some(least), "bound".to_owned(), met)
        } else if let Some(most) = spec.at_most.as_ref().and_then(|most| most.number_for(&spec.metric).ok()) {
            let met = simulated.is_some_and(|simulated| simulated <= most);
            ("≤ ".to_owned(), Some(most), "bound".to_owned(), met)
        } else {
            let than = spec.less_than.iter().flatten().map(|(key, choice)| format!("{key} = {}", show(choice)));
            let than: Vec<String> = than.collect();
            let met = simulated.zip(limit).is_some_and(|(simulated, limit)| simulated < limit);
            than_point = format!(" at {}", than.join(", "));
            ("< ".to_owned(), limit, "order".to_owned(), met)
        };
        let difference = simulated.zip(reference).map(|(simulated, reference)| 100.0 * (simulated / reference - 1.0));
        let place = place(results, point, None);
        let simulated = Value::from(simulated);
        let written = |number: String| format!("{relation}{number}{than_point}");
        verdicts.push(Verdict {
            expected: written(Value::from(reference).to_string()),
            shown: written(reference.map(|number| humane(&spec.metric, number)).unwrap_or_default()),
            simulated,
            difference_percent: Value::from(difference),
            tolerance,
            met,
            ..open_verdict(spec, &place)
        });
    }
    verdicts
}

/// The values of the key at which a metric is best: several where they are equal.
fn best_values<'s>(
    results: &Results<'s>,
    spec: &ExpectSpec,
    axis: usize,
    measured: &[(usize, f64)],
) -> Vec<&'s AxisValue> {
    let Some(sought) = spec.asked.of(results.direction(&spec.metric)) else { return Vec::new() };
    let best = measured.iter().min_by(|a, b| sought.cost(a.1).total_cmp(&sought.cost(b.1)));
    let equal = |value: &&(usize, f64)| best.is_some_and(|best| is_equal(results, &spec.metric, **value, *best));
    let mut values: Vec<&AxisValue> =
        measured.iter().filter(equal).map(|(point, _)| results.value(*point, axis)).collect();
    values.sort_by(|a, b| by_value(a, b));
    values
}

/// What stands for a metric's values over the replicas of a point: their mean, unless another statistic is asked for.
fn of_replicas(results: &Results<'_>, point: usize, spec: &ExpectSpec) -> Option<f64> {
    let summary = || Summary::of(&results.numbers(point, &spec.metric));
    match spec.statistic {
        Statistic::Mean => results.mean(point, &spec.metric),
        Statistic::Median => summary().map(|summary| summary.median),
        Statistic::Min => summary().map(|summary| summary.minimum),
        Statistic::Max => summary().map(|summary| summary.maximum),
    }
}

/// A verdict of which only the question is known.
fn open_verdict(spec: &ExpectSpec, place: &str) -> Verdict {
    let statistic = match spec.statistic {
        Statistic::Mean => None,
        Statistic::Median => Some("median of replicas"),
        Statistic::Min => Some("least of replicas"),
        Statistic::Max => Some("greatest of replicas"),
    };
    let place = [Some(place).filter(|place| !place.is_empty()), statistic];
    let place = place.into_iter().flatten().collect::<Vec<_>>().join(", ");
    Verdict {
        metric: spec.metric.clone(),
        place,
        expected: String::new(),
        shown: String::new(),
        simulated: Value::Blank,
        difference_percent: Value::Blank,
        tolerance: String::new(),
        met: false,
        clocked: false,
        source: spec.source.clone(),
        note: spec.note.clone().unwrap_or_default(),
    }
}

/// A point in words, without one of its axes.
fn place(results: &Results<'_>, point: usize, without: Option<usize>) -> String {
    let values = results.scenario().values(point).enumerate().filter(|(number, _)| Some(*number) != without);
    let parts: Vec<String> = values.map(|(_, (axis, value))| format!("{} = {}", axis.name, value.shown)).collect();
    parts.join(", ")
}

fn show(choice: &Choice) -> String {
    match choice {
        Choice::One(scalar) => scalar.to_string(),
        Choice::Any(scalars) => scalars.iter().map(ToString::to_string).collect::<Vec<_>>().join(" or "),
    }
}
