//! The metrics and long tables of a fit to points.

use std::collections::BTreeMap;

use hetsim_base::record::{Metric, TableShape, Value, WantedTables};
use hetsim_fit::runtime::FittedFormulas;
use hetsim_fit::runtime::data::{Data, Points};
use hetsim_fit::runtime::error::{BOUNDS, Deviations};
use hetsim_formula::{Evaluator, Expression, Notation, print};

/// Points to fit to and points to judge by.
#[derive(Debug)]
pub struct Samples {
    /// The points.
    pub data: Data,
    /// The noise floor of either kind, in percent, where it is known.
    pub floors: [Option<f64>; 2],
}

hetsim_base::metrics! {
    /// How far a formula is from what it was fitted to.
    pub struct ErrorMetrics {
        error_percent: Option<f64> = "mean percentage error of the formula on the points that it is fitted to" [less],
        unseen_error_percent: Option<f64> = "the same on points that it has not seen; blank where there are none" [less],
        floor_percent: Option<f64> = "the noise floor: the error of the true times on the fitted points; blank for files" [neither],
        unseen_floor_percent: Option<f64> = "the noise floor on the unseen points" [neither],
        error_over_floor: Option<f64> = "`error_percent` over the noise floor; blank without noise" [less],
        unseen_error_over_floor: Option<f64> = "`unseen_error_percent` over the noise floor there" [less],
        short_error_percent: Option<f64> = "the error on fitted points of messages up to the size `short`" [less],
        long_error_percent: Option<f64> = "the error on fitted points of longer messages" [less],
    }
}

hetsim_base::metrics! {
    /// The shares of points whose deviation is below each bound: of the fitted points, then of the unseen ones.
    pub struct BelowMetrics [
        [more] "below_0.01_percent" => "the share of fitted points whose deviation is below 0.01 %, in percent",
        [more] "below_0.1_percent" => "the same below 0.1 %",
        [more] "below_1_percent" => "the same below 1 %",
        [more] "below_10_percent" => "the same below 10 %",
        [more] "below_25_percent" => "the same below 25 %",
        [more] "below_50_percent" => "the same below 50 %",
        [more] "below_100_percent" => "the same below 100 %",
        [more] "unseen_below_0.01_percent" => "the share of unseen points whose deviation is below 0.01 %, in percent",
        [more] "unseen_below_0.1_percent" => "the same below 0.1 %",
        [more] "unseen_below_1_percent" => "the same below 1 %",
        [more] "unseen_below_10_percent" => "the same below 10 %",
        [more] "unseen_below_25_percent" => "the same below 25 %",
        [more] "unseen_below_50_percent" => "the same below 50 %",
        [more] "unseen_below_100_percent" => "the same below 100 %",
    ]
}

hetsim_base::metrics! {
    /// The formula that was found, and what the search for it took.
    pub struct FormulaMetrics {
        formula_nodes: usize = "operations, numbers and variables in the formula; a border between pieces counts as one" [less],
        formula_borders: usize = "borders between pieces in the formula" [less],
        formula: String = "the formula, its numbers rounded to six digits" [text],
        knee_error_percent: f64 = "the error on fitted points of the formula at the knee of the front" [less],
        knee_unseen_error_percent: Option<f64> = "its error on unseen points" [less],
        knee_nodes: usize = "its size" [less],
        formulas: usize = "formulas on the front of error against size" [neither],
        fitted_points: usize = "points that the formula is fitted to, repetitions included" [neither],
        unseen_points: usize = "points that it is judged by besides" [neither],
        fitting_s: f64 = "what the search for the formula took, on this machine's clock" [clocked, less],
        simulating_s: f64 = "what the simulation of all points took, on this machine's clock" [clocked, less],
    }
}

/// The metrics of a fit.
pub type FitMetrics = (ErrorMetrics, (BelowMetrics, FormulaMetrics));

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

/// Below this a floor is what the arithmetic leaves of times without noise.
const ROUNDING_PERCENT: f64 = 1e-7;

/// The metrics of a fit; the seconds that the clock measured are those of the fit, and of the simulation before it.
pub(super) fn metrics(
    samples: &Samples,
    found: &FittedFormulas,
    short: u64,
    clock: [f64; 2],
    tables: &mut WantedTables<'_>,
) -> FitMetrics {
    let data = &samples.data;
    let floors = samples.floors.map(|floor| floor.map(|floor| if floor < ROUNDING_PERCENT { 0.0 } else { floor }));
    let names: Vec<&str> = data.names.iter().map(String::as_str).collect();
    let (chosen, knee) = (&found.front[found.chosen], &found.front[found.knee]);
    let sets = [&data.train, &data.test].map(|points| Judged::of(&chosen.expression, points));
    let [fitted, unseen] = &sets;
    let bytes = variable(&names, "bytes");
    let over = |error: Option<f64>, floor: Option<f64>| Some(error? / floor.filter(|floor| *floor > 0.0)?);
    tables.keep(&POINTS, || points(&sets, &names, &chosen.expression));
    tables.keep(&BY_BYTES, || by_value(&sets, bytes, f64::INFINITY));
    tables.keep(&SHORT, || by_value(&sets, bytes, short as f64));
    tables.keep(&BY_RANKS, || by_value(&sets, variable(&names, "ranks"), f64::INFINITY));
    tables.keep(&FRONT, || front(found, &data.test, &names));
    let errors = ErrorMetrics {
        error_percent: fitted.mean(),
        unseen_error_percent: unseen.mean(),
        floor_percent: floors[0],
        unseen_floor_percent: floors[1],
        error_over_floor: over(fitted.mean(), floors[0]),
        unseen_error_over_floor: over(unseen.mean(), floors[1]),
        short_error_percent: fitted.mean_where(bytes, |bytes| bytes <= short as f64),
        long_error_percent: fitted.mean_where(bytes, |bytes| bytes > short as f64),
    };
    let below = |set: &Judged<'_>| {
        BOUNDS.map(|bound| set.deviations.as_ref().map(|deviations| deviations.share_below(bound)).into())
    };
    let below = BelowMetrics([below(fitted), below(unseen)].concat());
    let formula = FormulaMetrics {
        formula_nodes: chosen.size,
        formula_borders: chosen.expression.borders(),
        formula: print(&chosen.expression.rounded(DIGITS), &names, Notation::Text),
        knee_error_percent: knee.error,
        knee_unseen_error_percent: Judged::of(&knee.expression, &data.test).mean(),
        knee_nodes: knee.size,
        formulas: found.front.len(),
        fitted_points: data.train.len(),
        unseen_points: data.test.len(),
        fitting_s: clock[0],
        simulating_s: clock[1],
    };
    (errors, (below, formula))
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

fn front(found: &FittedFormulas, unseen: &Points, names: &[&str]) -> Vec<Vec<Value>> {
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
