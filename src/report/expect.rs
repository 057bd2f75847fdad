//! `[[expect]]`: the metrics that a paper or a measurement gives, compared with the simulated ones.

use std::collections::BTreeSet;
use std::fmt;
use std::io::{self, Write};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::best::{by_value, is_equal};
use super::cells::UsualName;
use super::csv_file::{Column, write_csv};
use super::direction::Asked;
use super::results::Results;
use super::statistics::Summary;
use super::text::humane;
use crate::record::Value;
use crate::scenario::{AxisValue, References, Scalar, Where};

/// `[[expect]]`: a metric that a paper or a measurement gives, compared with the mean over the replicas of each point
/// unless `statistic` says otherwise. Exactly one of `value`, `at_least`, `at_most`, `best` and
/// `less_than` says what is expected.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(extend("additionalProperties" = false))]
pub struct ExpectSpec {
    /// The metric. One that a clock measured is compared and shown, but its miss fails nothing, not even with
    /// `--strict`.
    pub metric: String,
    /// The points, all by default; each of them is checked.
    #[serde(default, rename = "where")]
    pub filter: Where,
    /// The statistic of the metric over the replicas of a point that is compared.
    #[serde(default)]
    pub statistic: Statistic,
    /// The value given: a number in the metric's unit, a quantity (`"4.3ms"`), or the name that the metric must be.
    #[serde(default)]
    pub value: Option<Scalar>,
    /// How far a metric may lie from a number `value`, in percent of it; by default 1 %.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub tolerance_percent: Option<f64>,
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
    /// The values of `over` that take part; all by default.
    #[serde(default)]
    pub among: Vec<Scalar>,
    /// The point whose metric must be larger than that of all others that `where` leaves: the swept keys in which it differs.
    #[serde(default)]
    pub less_than: Option<Where>,
    /// The statement that the expectation tests, in a few words. Expectations of one statement and `kind` count as one: it
    /// is met if all their points are.
    #[serde(default)]
    pub statement: Option<String>,
    /// Where the number comes from.
    #[serde(default)]
    pub kind: ExpectKind,
    /// The paper and the place in it, or where else the expectation comes from.
    pub source: String,
    /// Assumptions, or why the metric differs where it does.
    #[serde(default)]
    pub note: Option<String>,
}

/// Where the number of an expectation comes from, and with it what meeting it says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExpectKind {
    /// A paper prints it, and the simulation could miss it.
    Printed,
    /// The model was given it: true by construction.
    Input,
    /// A parameter was fitted to it.
    Fitted,
    /// A number or a bound of the scenario's author.
    #[default]
    Own,
}

impl ExpectKind {
    /// The kinds, in the order in which they are shown.
    pub const ALL: [Self; 4] = [Self::Printed, Self::Input, Self::Fitted, Self::Own];

    /// Where the numbers of a statement come from, as it follows "5 of 6".
    #[must_use]
    pub const fn origin(self) -> &'static str {
        match self {
            Self::Printed => "printed in a publication",
            Self::Input => "given as input",
            Self::Fitted => "fitted",
            Self::Own => "of the scenario's own",
        }
    }

    /// What stands before an expected value: "printed 7.3".
    #[must_use]
    pub const fn participle(self) -> &'static str {
        match self {
            Self::Printed => "printed",
            Self::Input => "given",
            Self::Fitted => "fitted",
            Self::Own => "expected",
        }
    }
}

impl fmt::Display for ExpectKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Printed => "printed",
            Self::Input => "input",
            Self::Fitted => "fitted",
            Self::Own => "own",
        })
    }
}

/// What is made of the values of a metric over replicas.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ExpectedStatistic")]
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

/// A difference that is nearer to its tolerance than this share of what is expected is within it.
const ROUNDING: f64 = 1e-12;

/// How far a metric may lie from a value without `tolerance_percent`, in percent.
const USUAL_TOLERANCE: f64 = 1.0;

impl ExpectSpec {
    /// An expectation speaks of what exists, and expects one thing.
    pub(super) fn check(&self, at: &str, references: &mut References<'_>) {
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
        if let Some(other) = &self.less_than {
            references.other_points(&format!("{at}.less_than"), &self.filter, other);
        }
        if let Some(over) = &self.over {
            references.not_of_design(&format!("{at}.over"), over);
        }
        let kinds = [
            ("value", self.value.is_some()),
            ("at_least", self.at_least.is_some()),
            ("at_most", self.at_most.is_some()),
            ("best", self.best.is_some()),
            ("less_than", self.less_than.is_some()),
        ];
        let given: Vec<&str> = kinds.into_iter().filter_map(|(key, given)| given.then_some(key)).collect();
        match given[..] {
            [] => {
                let message = "an expectation needs one of `value`, `at_least`, `at_most`, `best` and `less_than`";
                references.wrong(at, message.to_owned(), None);
            }
            [_] => {}
            [.., last] => {
                let message = "an expectation has just one of `value`, `at_least`, `at_most`, `best` and `less_than`";
                let help = format!("this one has `{}`", given.join("` and `"));
                references.wrong(&format!("{at}.{last}"), message.to_owned(), Some(help));
            }
        }
        if self.tolerance_percent.is_some() && (is_name || self.value.is_none()) {
            let message = "`tolerance_percent` goes with a `value` that is a number".to_owned();
            references.wrong(&format!("{at}.tolerance_percent"), message, None);
        }
        if is_name && self.statistic != Statistic::Mean {
            let message = format!("`{}` is a name, and has no statistic", self.metric);
            references.wrong(&format!("{at}.statistic"), message, None);
        }
        if self.best.is_some() != self.over.is_some() {
            references.wrong(at, "`best` goes with `over`, the swept key whose value it is".to_owned(), None);
        }
        if self.best.is_some() {
            let best = self.asked.of(references.direction(&self.metric));
            self.asked.check(at, &self.metric, best, references);
        } else {
            self.asked.check_absent(at, references);
            if !self.among.is_empty() {
                let message = "`among` goes with `best`: the values from which it is the best".to_owned();
                references.wrong(&format!("{at}.among"), message, None);
            }
        }
        if let (Some(best), Some(over)) = (&self.best, &self.over) {
            references.scalar(&format!("{at}.best"), over, best);
            for (place, other) in self.among.iter().enumerate() {
                references.scalar(&format!("{at}.among.{place}"), over, other);
            }
            if !self.among.is_empty() && !self.among.contains(best) {
                references.wrong(&format!("{at}.best"), format!("`{best}` is not one of `among`"), None);
            }
        }
    }

    /// How far a metric may lie from `value`, in percent of it.
    fn tolerance(&self) -> f64 {
        self.tolerance_percent.unwrap_or(USUAL_TOLERANCE)
    }

    /// The point whose metric must be larger than that of `point`, if the expectation is such an order.
    fn other_point(&self, results: &Results<'_>, point: usize) -> Option<usize> {
        results.other(point, self.less_than.as_ref()?)
    }
}

/// One expectation at one point. What is compared is the mean over the point's replicas, unless the expectation asks
/// for another statistic.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Verdict {
    /// The metric.
    pub metric: String,
    /// The point, as `key = value` pairs, and the statistic where it is not the mean.
    pub place: String,
    /// What is expected, with numbers as a CSV holds them.
    pub expected: String,
    /// What is expected, as a person reads it.
    pub shown: String,
    /// What was simulated; blank where no such run has the metric.
    pub simulated: Value,
    /// The interval of a simulated mean, as the scenario asks for intervals; nothing for other statistics and for a
    /// single replica.
    pub interval: Option<(f64, f64)>,
    /// How many replicas were compared.
    pub replicas: usize,
    /// How far they lie apart, in percent of what is expected; blank where that makes no sense.
    pub difference_percent: Value,
    /// How far they may lie apart.
    pub tolerance: String,
    /// Whether the expectation is met.
    pub met: bool,
    /// Whether it is of a metric that a clock measured, which is another one each time: such a miss fails nothing.
    pub clocked: bool,
    /// The statement that it tests; empty if it names none.
    pub statement: String,
    /// Where the expected value comes from.
    pub kind: ExpectKind,
    /// The paper and the place in it, or another source.
    pub source: String,
    /// Assumptions, or why it is missed.
    pub note: String,
}

impl Verdict {
    /// The statement that it tests, or its source if it names none.
    #[must_use]
    pub fn claim(&self) -> &str {
        if self.statement.is_empty() { &self.source } else { &self.statement }
    }
}

impl Verdict {
    /// What was simulated, as a person reads it; nothing where no run has the metric.
    #[must_use]
    pub fn simulated_text(&self) -> String {
        self.simulated.number().map_or_else(|| self.simulated.to_string(), |number| humane(&self.metric, number))
    }

    /// The difference in percent, as a person reads it.
    #[must_use]
    pub fn difference_text(&self) -> String {
        self.difference_percent.number().map(|number| format!("{number:+.2} %").replace('-', "−")).unwrap_or_default()
    }
}

/// These expectations, checked.
#[must_use]
pub fn check(results: &Results<'_>, specs: &[ExpectSpec]) -> Vec<Verdict> {
    let of_spec = |spec: &ExpectSpec| {
        let clocked = results.is_clocked(&spec.metric);
        let noted = move |verdict| Verdict { clocked, ..verdict };
        check_one(results, spec).into_iter().map(noted)
    };
    specs.iter().flat_map(of_spec).collect()
}

fn check_one(results: &Results<'_>, spec: &ExpectSpec) -> Vec<Verdict> {
    let points = results.matching(&spec.filter);
    if let (Some(best), Some(axis)) = (&spec.best, spec.over.as_ref().and_then(|over| results.axis(over))) {
        return check_best(results, spec, &points, (best, axis));
    }
    let is_itself = |point: &usize| spec.other_point(results, *point) == Some(*point);
    points.into_iter().filter(|point| !is_itself(point)).map(|point| check_point(results, spec, point)).collect()
}

/// One verdict for each set of points that differ in one key only.
fn check_best(
    results: &Results<'_>,
    spec: &ExpectSpec,
    points: &[usize],
    (best, axis): (&Scalar, usize),
) -> Vec<Verdict> {
    let key = &results.scenario().axes[axis];
    let among = |point: usize| {
        let value = results.value(point, axis);
        spec.among.is_empty() || spec.among.iter().any(|scalar| key.is(value, scalar))
    };
    let shares: Vec<String> = spec.among.iter().map(ToString::to_string).collect();
    let tolerance = if shares.is_empty() { "best".to_owned() } else { format!("best of {}", shares.join(", ")) };
    let takes_part = |point: &usize| points.binary_search(point).is_ok() && among(*point);
    let mut seen = BTreeSet::new();
    let mut verdicts = Vec::new();
    for &point in points {
        let line: Vec<usize> = results.along(point, axis).into_iter().filter(takes_part).collect();
        let Some(&first) = line.first().filter(|first| seen.insert(**first)) else { continue };
        let measured: Vec<(usize, f64)> =
            line.iter().filter_map(|&point| Some((point, of_replicas(results, point, spec)?))).collect();
        let winners = best_values(results, spec, axis, &measured);
        let names: Vec<&str> = winners.iter().map(|winner| winner.label.as_str()).collect();
        verdicts.push(Verdict {
            expected: best.to_string(),
            shown: best.to_string(),
            simulated: Value::from((!names.is_empty()).then(|| names.join(", "))),
            tolerance: tolerance.clone(),
            met: winners.iter().any(|winner| key.is(winner, best)),
            ..open_verdict(spec, &results.scenario().place(first, &[axis]))
        });
    }
    verdicts
}

fn check_point(results: &Results<'_>, spec: &ExpectSpec, point: usize) -> Verdict {
    let open = open_verdict(spec, &results.scenario().place(point, &[]));
    let number = |given: &Option<Scalar>| given.as_ref()?.number_for(&spec.metric).ok();
    if let (Some(value), None) = (&spec.value, number(&spec.value)) {
        // A name is compared as it is; what should be a number has been checked to be one.
        let column = results.column(&spec.metric);
        let names = column.map(|column| results.rows_of(point).map(move |row| results.cell(row, column).to_string()));
        let usual = names.and_then(UsualName::of);
        let (expected, tolerance) = (value.to_string(), "exactly".to_owned());
        let met = usual.as_ref().is_some_and(|usual| usual.name == expected);
        let simulated = Value::from(usual.map(|usual| usual.to_string()).filter(|shown| !shown.is_empty()));
        return Verdict { shown: expected.clone(), expected, simulated, tolerance, met, ..open };
    }
    let simulated = of_replicas(results, point, spec);
    let mut than_point = String::new();
    let (relation, reference, tolerance) = if let Some(value) = number(&spec.value) {
        ("", Some(value), format!("±{} %", spec.tolerance()))
    } else if let Some(least) = number(&spec.at_least) {
        ("≥ ", Some(least), "bound".to_owned())
    } else if let Some(most) = number(&spec.at_most) {
        ("≤ ", Some(most), "bound".to_owned())
    } else {
        let than = spec.less_than.iter().flatten().map(|(key, choice)| format!("{key} = {choice}"));
        than_point = format!(" at {}", than.collect::<Vec<_>>().join(", "));
        let other = spec.other_point(results, point);
        ("< ", other.and_then(|other| of_replicas(results, other, spec)), "order".to_owned())
    };
    let both = simulated.zip(reference);
    let met = both.is_some_and(|(simulated, reference)| match relation {
        "" => (simulated - reference).abs() <= reference.abs() * (spec.tolerance() / 100.0 + ROUNDING),
        "≥ " => simulated >= reference,
        "≤ " => simulated <= reference,
        _ => simulated < reference,
    });
    let written = |number: String| format!("{relation}{number}{than_point}");
    let summary = results.column(&spec.metric).and_then(|column| results.summary(point, column));
    let is_mean = spec.statistic == Statistic::Mean;
    Verdict {
        interval: summary.as_ref().filter(|_| is_mean).and_then(|summary| summary.interval),
        replicas: summary.map_or(0, |summary| summary.count),
        expected: written(Value::from(reference).to_string()),
        shown: written(reference.map(|number| humane(&spec.metric, number)).unwrap_or_default()),
        simulated: Value::from(simulated),
        difference_percent: Value::from(
            both.map(|(simulated, reference)| 100.0 * (simulated / reference - 1.0) * reference.signum()),
        ),
        tolerance,
        met,
        ..open
    }
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
        statement: spec.statement.clone().unwrap_or_default(),
        kind: spec.kind,
        source: spec.source.clone(),
        note: spec.note.clone().unwrap_or_default(),
        ..Verdict::default()
    }
}

/// A row for each verdict.
pub(super) fn expect_csv(verdicts: &[Verdict], out: &mut dyn Write) -> io::Result<()> {
    let columns: [Column<'_, Verdict>; 11] = [
        ("metric", &|verdict| verdict.metric.as_str().into()),
        ("where", &|verdict| verdict.place.as_str().into()),
        ("expected", &|verdict| verdict.expected.as_str().into()),
        ("simulated", &|verdict| verdict.simulated.clone()),
        ("difference_percent", &|verdict| verdict.difference_percent.clone()),
        ("tolerance", &|verdict| verdict.tolerance.as_str().into()),
        ("ok", &|verdict| verdict.met.to_string().into()),
        ("kind", &|verdict| verdict.kind.to_string().into()),
        ("statement", &|verdict| verdict.statement.as_str().into()),
        ("source", &|verdict| verdict.source.as_str().into()),
        ("note", &|verdict| verdict.note.as_str().into()),
    ];
    write_csv(verdicts, &columns, out)
}
