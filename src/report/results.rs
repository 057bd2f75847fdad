//! The results of a scenario as one table: a row a run, sorted by point and replica.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::OnceLock;

use super::columns::Columns;
use super::statistics::{Intervals, Summary};
use crate::batch::identity::RunId;
use crate::record::{CsvRows, Direction, Share, Table, Value};
use crate::scenario::{AxisValue, Choices, Filter, Scenario, Where, axis_number};
use crate::units::{Quantity, Seconds, Tick, Time};

/// One run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// The number of its point.
    pub point: u32,
    /// Its replica.
    pub replica: u32,
}

/// All runs of a scenario that have been made.
#[derive(Debug)]
pub struct Results<'s> {
    scenario: &'s Scenario,
    rows: Vec<Row>,
    /// The first row of each point, and the end of the last one's.
    starts: Vec<u32>,
    /// What the runs gave, then what a clock measured in them, then what was derived.
    metrics: Columns,
    /// How many of the metrics come from the runs themselves, without those that a clock measured.
    measured: usize,
    /// How many metrics after them come from a clock.
    timed: usize,
    /// The derived metrics, which come after those.
    derived: Vec<DerivedMetric>,
    tables: Vec<(RunId, Table)>,
    /// The runs that count and have no record: point and replica, in this order.
    missing: Vec<(usize, u32)>,
    /// Whether all of them failed; otherwise they may not have been computed.
    have_failed: bool,
    /// The trials that each metric is a share of, computed on first use.
    trials: OnceLock<Vec<Option<Trials>>>,
    /// The number of each point, computed on first use.
    points: OnceLock<HashMap<Box<Choices>, u32>>,
}

/// A derived metric, besides its name and values.
#[derive(Debug)]
struct DerivedMetric {
    is_clocked: bool,
    direction: Direction,
    /// The column of the metric whose replicas it is a share of, if it is one.
    share_of: Option<usize>,
}

/// The trials of which a metric is a share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trials {
    /// Each replica that has the metric is one.
    Replicas,
    /// Each replica has as many as the metric in this column says.
    Draws(usize),
    /// The replicas that have the metric in this column, whose share is the same for each of them.
    AllReplicas(usize),
}

impl<'s> Results<'s> {
    /// The results of these runs, sorted by point and replica, without derived metrics.
    pub(super) fn of(
        scenario: &'s Scenario,
        rows: Vec<Row>,
        (mut metrics, timings): (Columns, Columns),
        tables: Vec<(RunId, Table)>,
    ) -> Self {
        let (measured, timed) = (metrics.names().len(), timings.names().len());
        metrics.join(timings);
        let starts = starts(&rows, scenario.points.len());
        Self {
            scenario,
            rows,
            starts,
            metrics,
            measured,
            timed,
            derived: Vec::new(),
            tables,
            missing: Vec::new(),
            have_failed: false,
            trials: OnceLock::new(),
            points: OnceLock::new(),
        }
    }

    /// The scenario.
    #[must_use]
    pub const fn scenario(&self) -> &'s Scenario {
        self.scenario
    }

    /// Whether less or more of a metric is better.
    #[must_use]
    pub fn direction(&self, metric: &str) -> Direction {
        let derived = self.column(metric).and_then(|column| self.derived_in(column));
        derived.map_or_else(|| self.scenario.file.direction(metric), |derived| derived.direction)
    }

    /// Whether a metric is derived, and therefore in no row of results.csv.
    pub(super) fn is_derived(&self, metric: &str) -> bool {
        self.column(metric).is_some_and(|column| self.derived_in(column).is_some())
    }

    /// The derived metric in a column, if it is one.
    fn derived_in(&self, column: usize) -> Option<&DerivedMetric> {
        self.derived.get(column.checked_sub(self.measured + self.timed)?)
    }

    /// The metrics that the runs gave, without what a clock measured.
    #[must_use]
    pub fn measured(&self) -> &[String] {
        &self.metrics.names()[..self.measured]
    }

    /// What a clock measured in the runs.
    #[must_use]
    pub fn timings(&self) -> &[String] {
        &self.metrics.names()[self.measured..self.measured + self.timed]
    }

    /// Whether a metric comes from a clock, or was derived from one that does: it differs each time.
    #[must_use]
    pub fn is_clocked(&self, metric: &str) -> bool {
        let is_clocked = |column| self.derived_in(column).map_or(column >= self.measured, |derived| derived.is_clocked);
        self.column(metric).is_some_and(is_clocked)
    }

    /// All metrics, the derived ones at the end.
    #[must_use]
    pub fn metrics(&self) -> &[String] {
        self.metrics.names()
    }

    /// The runs.
    #[must_use]
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The long tables of the runs.
    #[must_use]
    pub fn tables(&self) -> &[(RunId, Table)] {
        &self.tables
    }

    /// The runs that count and have no record: point and replica, in this order.
    #[must_use]
    pub fn missing(&self) -> &[(usize, u32)] {
        &self.missing
    }

    /// Whether the missing runs have failed; otherwise they may not have been computed.
    #[must_use]
    pub const fn have_failed(&self) -> bool {
        self.have_failed
    }

    /// Notes which runs are missing.
    pub(super) fn note_missing(&mut self, missing: Vec<(usize, u32)>) {
        self.missing = missing;
    }

    /// Notes that the missing runs have failed.
    pub(super) const fn note_failures(&mut self) {
        self.have_failed = true;
    }

    /// Adds a metric that was derived from others: a value a row, and whether it is a share of a point's replicas, of
    /// those that have the first of these metrics.
    pub(super) fn add(&mut self, name: &str, from: &[&str], values: Vec<Value>, direction: Direction, is_share: bool) {
        let share_of = from.first().filter(|_| is_share).and_then(|first| self.column(first));
        let is_clocked = from.iter().any(|metric| self.is_clocked(metric));
        self.derived.push(DerivedMetric { is_clocked, direction, share_of });
        self.metrics.add(name.to_owned(), values);
    }

    /// The column of a metric.
    #[must_use]
    pub fn column(&self, metric: &str) -> Option<usize> {
        self.metrics.find(metric)
    }

    /// A metric of a run: its row and its column.
    #[must_use]
    pub fn cell(&self, row: usize, column: usize) -> Value {
        self.metrics.get(row, column)
    }

    /// Adds the same to a row of a file.
    pub(super) fn write_cell(&self, row: usize, column: usize, rows: &mut CsvRows) {
        self.metrics.write(row, column, rows);
    }

    /// The same, if it is a number.
    #[must_use]
    pub fn number(&self, row: usize, column: usize) -> Option<f64> {
        self.metrics.number(row, column)
    }

    /// Whether no run has a metric.
    #[must_use]
    pub fn is_blank(&self, column: usize) -> bool {
        self.metrics.is_blank(column)
    }

    /// Whether a metric is a name in some run.
    #[must_use]
    pub fn has_names(&self, column: usize) -> bool {
        self.metrics.has_names(column)
    }

    /// The identity of a run.
    #[must_use]
    pub fn run(&self, row: usize) -> RunId {
        let Row { point, replica } = self.rows[row];
        RunId::of(self.scenario, point as usize, replica)
    }

    /// The rows of a point.
    #[must_use]
    pub fn rows_of(&self, point: usize) -> Range<usize> {
        self.starts[point] as usize..self.starts[point + 1] as usize
    }

    /// The row of a point and a replica.
    #[must_use]
    pub fn row(&self, point: usize, replica: u32) -> Option<usize> {
        let wanted = Row { point: point as u32, replica };
        self.rows.binary_search_by_key(&(wanted.point, wanted.replica), |row| (row.point, row.replica)).ok()
    }

    /// The numeric values of a metric over the replicas of a point.
    #[must_use]
    pub fn numbers(&self, point: usize, metric: &str) -> Vec<f64> {
        self.column(metric).map_or_else(Vec::new, |column| self.numbers_in(point, column))
    }

    /// The numeric values of the metric in a column over the replicas of a point.
    #[must_use]
    pub fn numbers_in(&self, point: usize, column: usize) -> Vec<f64> {
        self.rows_of(point).filter_map(|row| self.number(row, column)).collect()
    }

    /// The numeric values of the metric in a column at two points, of those replicas that have both.
    pub(super) fn pairs(&self, column: usize, a: usize, b: usize) -> Vec<(f64, f64)> {
        let pair = |row: usize| {
            let other = self.row(b, self.rows[row].replica)?;
            Some((self.number(row, column)?, self.number(other, column)?))
        };
        self.rows_of(a).filter_map(pair).collect()
    }

    /// The mean of a metric over the replicas of a point.
    #[must_use]
    pub fn mean(&self, point: usize, metric: &str) -> Option<f64> {
        crate::statistics::mean(&self.numbers(point, metric))
    }

    /// The summary of the metric in a column over the replicas of a point, with the interval that the scenario asks for.
    /// A share has the interval of a proportion.
    #[must_use]
    pub fn summary(&self, point: usize, column: usize) -> Option<Summary> {
        self.summary_of(&self.numbers_in(point, column), (point, column), &Intervals::of(self.scenario))
    }

    /// The same summary of the metric's values there, for callers that make many with one kind of interval.
    pub(super) fn summary_of(
        &self,
        values: &[f64],
        (point, column): (usize, usize),
        intervals: &Intervals,
    ) -> Option<Summary> {
        Summary::with(values, intervals, self.trials_at(point, column))
    }

    /// The number of trials that the mean of a metric at a point is a share of; `None` where it is no share. A single
    /// replica is too few for an interval.
    fn trials_at(&self, point: usize, column: usize) -> Option<f64> {
        match self.trials()[column]? {
            Trials::Replicas => Some(self.numbers_in(point, column).len() as f64).filter(|count| *count > 1.0),
            Trials::AllReplicas(of) => Some(self.numbers_in(point, of).len() as f64).filter(|count| *count > 1.0),
            Trials::Draws(count) => Some(self.numbers_in(point, count).iter().sum()),
        }
    }

    /// Whether a metric is a share of trials.
    pub(super) fn is_share(&self, column: usize) -> bool {
        self.trials()[column].is_some()
    }

    fn trials(&self) -> &[Option<Trials>] {
        self.trials.get_or_init(|| (0..self.metrics().len()).map(|column| self.trials_of(column)).collect())
    }

    fn trials_of(&self, column: usize) -> Option<Trials> {
        if let Some(derived) = self.derived_in(column) {
            return derived.share_of.map(Trials::AllReplicas);
        }
        match self.scenario.file.share(&self.metrics()[column])? {
            Share::Runs => Some(Trials::Replicas),
            Share::Draws(count) => self.column(count).map(Trials::Draws),
        }
    }

    /// The number of an axis.
    #[must_use]
    pub fn axis(&self, name: &str) -> Option<usize> {
        axis_number(&self.scenario.axes, name)
    }

    /// The value of an axis at a point.
    #[must_use]
    pub fn value(&self, point: usize, axis: usize) -> &'s AxisValue {
        &self.scenario.axes[axis].values[self.scenario.points.choice(point, axis)]
    }

    /// The numbers of the values of an axis that some of the points have: quantities by size, names in the order of the
    /// sweep.
    pub(super) fn used(&self, points: &[usize], axis: usize) -> Vec<usize> {
        let choices = points.iter().map(|&point| self.scenario.points.choice(point, axis));
        let used: BTreeSet<usize> = choices.collect();
        let mut used: Vec<usize> = used.into_iter().collect();
        let number = |&value: &usize| self.scenario.axes[axis].values[value].cell.number();
        if used.iter().all(|value| number(value).is_some()) {
            used.sort_by(|a, b| number(a).unwrap_or_default().total_cmp(&number(b).unwrap_or_default()));
        }
        used
    }

    /// The tick of the simulated clock at a point, in seconds.
    pub(super) fn tick_s(&self, point: usize) -> f64 {
        let axis = self.scenario.axes.iter().position(|axis| axis.key == "platform.tick");
        let swept = axis.and_then(|axis| self.value(point, axis).node.as_ref()?.text()?.parse::<Seconds>().ok());
        let tick = swept.or_else(|| self.scenario.file.platform.as_ref().map(|platform| platform.tick));
        tick.map_or(Tick::PICOSECOND.seconds(Time(1)), Quantity::base)
    }

    /// The points that a filter lets through, in their order.
    #[must_use]
    pub fn matching(&self, filter: &Where) -> Vec<usize> {
        let filter = Filter::new(&self.scenario.axes, filter);
        let points = self.scenario.points.iter().enumerate();
        points.filter(|(_, point)| filter.lets_through(point)).map(|(number, _)| number).collect()
    }

    /// The point that differs from `point` in these keys only, and in those that are zipped with them.
    #[must_use]
    pub fn other(&self, point: usize, keys: &Where) -> Option<usize> {
        let mut choices = self.scenario.points[point].to_vec();
        let mut chosen_axes = Vec::new();
        for (key, choice) in keys {
            let axis = self.axis(key)?;
            let axis_of_key = &self.scenario.axes[axis];
            let chosen = (0..axis_of_key.values.len()).find(|&value| axis_of_key.is_chosen(value, choice))?;
            choices[axis] = chosen as u32;
            chosen_axes.push(axis);
        }
        self.point_near(choices, &chosen_axes)
    }

    /// The points that differ from `point` in one axis only and in those that are zipped with it, itself included, in the
    /// order of the axis.
    #[must_use]
    pub fn along(&self, point: usize, axis: usize) -> Vec<usize> {
        let own = &self.scenario.points[point];
        let values = 0..self.scenario.axes[axis].values.len();
        let at = |value: usize| {
            let mut choices = own.to_vec();
            choices[axis] = value as u32;
            self.point_near(choices, &[axis])
        };
        values.filter_map(at).collect()
    }

    /// The point with these values, or else the one where keys that are zipped with the chosen axes have the values that
    /// go with those.
    fn point_near(&self, mut choices: Vec<u32>, chosen: &[usize]) -> Option<usize> {
        let exact = self.point(&choices);
        if exact.is_some() {
            return exact;
        }
        let values: Vec<&AxisValue> =
            chosen.iter().map(|&axis| &self.scenario.axes[axis].values[choices[axis] as usize]).collect();
        for value in values {
            // A value that stands in several places of a zip does not tell those of the others.
            let [zipped] = value.zipped.as_slice() else { continue };
            for &(axis, value) in zipped.iter().filter(|(axis, _)| !chosen.contains(axis)) {
                choices[axis] = value as u32;
            }
        }
        self.point(&choices)
    }

    /// The number of the point with these values.
    fn point(&self, choices: &Choices) -> Option<usize> {
        let points = || self.scenario.points.iter().map(Box::from).zip(0..).collect();
        self.points.get_or_init(points).get(choices).map(|&point| point as usize)
    }
}

/// The first row of each point, and the end of the last one's.
fn starts(rows: &[Row], points: usize) -> Vec<u32> {
    let mut starts = vec![0; points + 1];
    for row in rows {
        starts[row.point as usize + 1] += 1;
    }
    let mut sum = 0;
    for start in &mut starts {
        sum += *start;
        *start = sum;
    }
    starts
}
