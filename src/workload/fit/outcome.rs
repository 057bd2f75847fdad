//! The metrics and long tables of a fit.

use std::collections::BTreeMap;

use super::Drawn;
use crate::cluster::{NodeId, Platform};
use crate::fit::runtime::Found;
use crate::fit::runtime::data::Points;
use crate::fit::runtime::error::{BOUNDS, Deviations};
use crate::formula::{Evaluator, Expression, Notation, print};
use crate::metrics::Performance;
use crate::record::{Metric, Record, Table, TableShape, Value};

/// The metrics of a fit.
pub const METRICS: &[&[Metric]] = &[&[
    Metric::number("error_percent", "mean percentage error of the formula on the points that it is fitted to").less(),
    Metric::number("unseen_error_percent", "the same on points that it has not seen; blank where there are none")
        .less(),
    Metric::number(
        "floor_percent",
        "the noise floor: the error of the true times on the fitted points; blank for files",
    )
    .neither(),
    Metric::number("unseen_floor_percent", "the noise floor on the unseen points").neither(),
    Metric::number("error_over_floor", "`error_percent` over the noise floor").less(),
    Metric::number("unseen_error_over_floor", "`unseen_error_percent` over the noise floor there").less(),
    Metric::number("short_error_percent", "the error on fitted points of messages up to the size `short`").less(),
    Metric::number("long_error_percent", "the error on fitted points of longer messages").less(),
    Metric::number("below_0.01_percent", "the share of fitted points whose deviation is below 0.01 %, in percent")
        .more(),
    Metric::number("below_0.1_percent", "the same below 0.1 %").more(),
    Metric::number("below_1_percent", "the same below 1 %").more(),
    Metric::number("below_10_percent", "the same below 10 %").more(),
    Metric::number("below_25_percent", "the same below 25 %").more(),
    Metric::number("below_50_percent", "the same below 50 %").more(),
    Metric::number("below_100_percent", "the same below 100 %").more(),
    Metric::number(
        "unseen_below_0.01_percent",
        "the share of unseen points whose deviation is below 0.01 %, in percent",
    )
    .more(),
    Metric::number("unseen_below_0.1_percent", "the same below 0.1 %").more(),
    Metric::number("unseen_below_1_percent", "the same below 1 %").more(),
    Metric::number("unseen_below_10_percent", "the same below 10 %").more(),
    Metric::number("unseen_below_25_percent", "the same below 25 %").more(),
    Metric::number("unseen_below_50_percent", "the same below 50 %").more(),
    Metric::number("unseen_below_100_percent", "the same below 100 %").more(),
    Metric::number(
        "formula_nodes",
        "operations, numbers and variables in the formula; a border between pieces counts as one",
    )
    .less(),
    Metric::number("formula_borders", "borders between pieces in the formula").less(),
    Metric::name("formula", "the formula, its numbers rounded to six digits"),
    Metric::number("knee_error_percent", "the error on fitted points of the formula at the knee of the front").less(),
    Metric::number("knee_unseen_error_percent", "its error on unseen points").less(),
    Metric::number("knee_nodes", "its size").less(),
    Metric::number("formulas", "formulas on the front of error against size").neither(),
    Metric::number("fitted_points", "points that the formula is fitted to, repetitions included").neither(),
    Metric::number("unseen_points", "points that it is judged by besides").neither(),
    Metric::timing("fitting_s", "what the search for the formula took, on this machine's clock").less(),
    Metric::timing("simulating_s", "what the simulation of all points took, on this machine's clock").less(),
]];

/// The long tables that a fit can keep.
pub const TABLES: &[TableShape] = &[POINTS, BY_BYTES, SHORT, BY_RANKS, FRONT];

/// A row a point.
const POINTS: TableShape = TableShape {
    name: "points",
    about: "each point with its time and what the formula says; ranks and bytes are blank where no variable has that name",
    columns: &[
        Metric::name("set", "`fitted` or `unseen`"),
        Metric::number("ranks", "the number of ranks"),
        Metric::number("bytes", "the size"),
        Metric::number("measured", "the time, in seconds where it was simulated, else in the file's unit"),
        Metric::number("predicted", "the formula's time; blank where it has no value"),
        Metric::number("error_percent", "their deviation in percent of the measured time"),
    ],
};

/// A row a size.
const BY_BYTES: TableShape = TableShape {
    name: "by_bytes",
    about: "the mean deviation at each size",
    columns: &[
        Metric::number("bytes", "the size"),
        Metric::number("error_percent", "the mean deviation of the fitted points; blank where there are none"),
        Metric::number("unseen_error_percent", "the mean deviation of the unseen points; blank where there are none"),
    ],
};

/// A row a size, up to `short`.
const SHORT: TableShape = TableShape { name: "short", about: "the same for sizes up to the key `short`", ..BY_BYTES };

/// A row a number of ranks.
const BY_RANKS: TableShape = TableShape {
    name: "by_ranks",
    about: "the mean deviation at each number of ranks",
    columns: &[
        Metric::number("ranks", "the number of ranks"),
        Metric::number("error_percent", "the mean deviation of the fitted points; blank where there are none"),
        Metric::number("unseen_error_percent", "the mean deviation of the unseen points; blank where there are none"),
    ],
};

/// A row a formula.
const FRONT: TableShape = TableShape {
    name: "front",
    about: "the formulas found, from short to exact",
    columns: &[
        Metric::number("nodes", "the formula's size"),
        Metric::number("error_percent", "its error on fitted points"),
        Metric::number("unseen_error_percent", "its error on unseen points"),
        Metric::name("mark", "`knee`, `chosen` or both; blank for the others"),
        Metric::name("formula", "the formula in full digits"),
    ],
};

/// Digits of numbers in the metric `formula`.
const DIGITS: usize = 6;

/// What is made of a formula at the points of one set.
struct Judged<'a> {
    points: &'a Points,
    deviations: Option<Deviations>,
}

impl<'a> Judged<'a> {
    fn of(expression: &Expression, points: &'a Points) -> Self {
        Self { points, deviations: Deviations::of(expression, points) }
    }

    fn mean(&self) -> Option<f64> {
        self.deviations.as_ref().map(|deviations| deviations.mean)
    }

    /// The mean over the points whose variable of this number is within the bounds; blank without such points.
    fn mean_where(&self, variable: Option<usize>, within: impl Fn(f64) -> bool) -> Option<f64> {
        let (column, each) = (&self.points.columns[variable?], &self.deviations.as_ref()?.each);
        let (mut sum, mut weights) = (0.0, 0.0);
        for at in (0..each.len()).filter(|at| within(column[*at])) {
            sum += self.points.weights[at] * each[at];
            weights += self.points.weights[at];
        }
        (weights > 0.0).then_some(sum / weights)
    }

    /// The mean deviation at each value of a variable.
    fn by_value(&self, variable: usize) -> BTreeMap<Ordered, f64> {
        let mut sums: BTreeMap<Ordered, (f64, f64)> = BTreeMap::new();
        if let Some(deviations) = &self.deviations {
            for (at, error) in deviations.each.iter().enumerate() {
                let weight = self.points.weights[at];
                let entry = sums.entry(Ordered(self.points.columns[variable][at])).or_default();
                *entry = (entry.0 + weight * error, entry.1 + weight);
            }
        }
        sums.into_iter().map(|(value, (sum, weight))| (value, sum / weight)).collect()
    }
}

/// A finite number as a key.
#[derive(Debug, Clone, Copy)]
struct Ordered(f64);

impl PartialEq for Ordered {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Ordered {}

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ordered {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// The record of a fit, without its timings.
pub(super) fn record(drawn: &Drawn, found: &Found, short: u64, platform: &Platform, tables: &[String]) -> Record {
    let data = &drawn.data;
    let names: Vec<&str> = data.names.iter().map(String::as_str).collect();
    let (chosen, knee) = (&found.front[found.chosen], &found.front[found.knee]);
    let sets = [&data.train, &data.test].map(|points| Judged::of(&chosen.expression, points));
    let [fitted, unseen] = &sets;
    let bytes = variable(&names, "bytes");
    let count = |count: usize| Value::Count(count as u64);
    let over = |error: Option<f64>, floor: Option<f64>| Some(error? / floor.filter(|floor| *floor > 0.0)?);
    let mut record = Record::default();
    record.metric("error_percent", fitted.mean());
    record.metric("unseen_error_percent", unseen.mean());
    record.metric("floor_percent", drawn.floors[0]);
    record.metric("unseen_floor_percent", drawn.floors[1]);
    record.metric("error_over_floor", over(fitted.mean(), drawn.floors[0]));
    record.metric("unseen_error_over_floor", over(unseen.mean(), drawn.floors[1]));
    record.metric("short_error_percent", fitted.mean_where(bytes, |bytes| bytes <= short as f64));
    record.metric("long_error_percent", fitted.mean_where(bytes, |bytes| bytes > short as f64));
    for (prefix, set) in [("", fitted), ("unseen_", unseen)] {
        for bound in BOUNDS {
            let share = set.deviations.as_ref().map(|deviations| deviations.share_below(bound));
            record.metric(&format!("{prefix}below_{bound}_percent"), share);
        }
    }
    record.metric("formula_nodes", count(chosen.size));
    record.metric("formula_borders", count(chosen.expression.borders()));
    record.metric("formula", print(&chosen.expression.rounded(DIGITS), &names, Notation::Text));
    record.metric("knee_error_percent", knee.error);
    record.metric("knee_unseen_error_percent", Judged::of(&knee.expression, &data.test).mean());
    record.metric("knee_nodes", count(knee.size));
    record.metric("formulas", count(found.front.len()));
    record.metric("fitted_points", count(data.train.len()));
    record.metric("unseen_points", count(data.test.len()));
    let speeds = (0..platform.nodes()).map(|node| platform.speed_per_second(NodeId(node)));
    Performance::unmeasured(speeds).write(&mut record);
    record.metric("messages", drawn.messages);
    record.metric("events", drawn.events);
    let wanted = |shape: &TableShape| tables.iter().any(|table| table == shape.name);
    for shape in TABLES.iter().filter(|shape| wanted(shape)) {
        let rows = match shape.name {
            "points" => points(&sets, &names, &chosen.expression),
            "by_bytes" => by_value(&sets, bytes, f64::INFINITY),
            "short" => by_value(&sets, bytes, short as f64),
            "by_ranks" => by_value(&sets, variable(&names, "ranks"), f64::INFINITY),
            _ => front(found, &data.test, &names),
        };
        record.tables.push(Table { rows, ..Table::new(shape) });
    }
    record
}

fn variable(names: &[&str], name: &str) -> Option<usize> {
    names.iter().position(|known| *known == name)
}

fn points(sets: &[Judged<'_>; 2], names: &[&str], expression: &Expression) -> Vec<Vec<Value>> {
    let [ranks, bytes] = ["ranks", "bytes"].map(|name| variable(names, name));
    let mut rows = Vec::new();
    for (name, set) in ["fitted", "unseen"].into_iter().zip(sets) {
        let Some(deviations) = &set.deviations else { continue };
        let mut predicted = vec![0.0; set.points.len()];
        Evaluator::default().evaluate(expression, &set.points.columns, &mut predicted);
        for (at, predicted) in predicted.into_iter().enumerate() {
            let value =
                |variable: Option<usize>| Value::from(variable.map(|variable| set.points.columns[variable][at]));
            rows.push(vec![
                name.into(),
                value(ranks),
                value(bytes),
                set.points.target[at].into(),
                predicted.into(),
                deviations.each[at].into(),
            ]);
        }
    }
    rows
}

/// Rows of the mean deviations at the values of a variable up to the greatest; none where there is no such variable.
fn by_value(sets: &[Judged<'_>; 2], variable: Option<usize>, greatest: f64) -> Vec<Vec<Value>> {
    let Some(variable) = variable else { return Vec::new() };
    let mut rows: BTreeMap<Ordered, [Option<f64>; 2]> = BTreeMap::new();
    for (place, set) in sets.iter().enumerate() {
        for (value, error) in set.by_value(variable) {
            rows.entry(value).or_default()[place] = Some(error);
        }
    }
    let shown = rows.into_iter().filter(|(value, _)| value.0 <= greatest);
    shown.map(|(value, [fitted, unseen])| vec![value.0.into(), fitted.into(), unseen.into()]).collect()
}

fn front(found: &Found, unseen: &Points, names: &[&str]) -> Vec<Vec<Value>> {
    let row = |at: usize| {
        let candidate = &found.front[at];
        let mark = match (at == found.knee, at == found.chosen) {
            (true, true) => "knee, chosen",
            (true, false) => "knee",
            (false, true) => "chosen",
            (false, false) => "",
        };
        vec![
            Value::Count(candidate.size as u64),
            candidate.error.into(),
            Judged::of(&candidate.expression, unseen).mean().into(),
            if mark.is_empty() { Value::Blank } else { mark.into() },
            print(&candidate.expression, names, Notation::Text).into(),
        ]
    };
    (0..found.front.len()).map(row).collect()
}
