//! The results of a scenario as one table: a row a run, sorted by point and replica.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::OnceLock;

use super::columns::Columns;
use super::gather::{Gathered, gather};
use super::spec::ReportSpec;
use super::statistics::{Intervals, Summary};
use crate::batch::store::{Store, StoreError};
use crate::record::{Direction, Record, Share, Table, Value};
use crate::scenario::{AxisValue, Choice, Choices, RunId, Scenario, Where, axis_number};
use crate::statistics::stopping::{Decision, StoppingRule, enough};
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
    /// What the runs gave, then what a clock measured in them, then what was derived.
    metrics: Columns,
    /// How many of the metrics come from the runs themselves, without those that a clock measured.
    measured: usize,
    /// How many metrics after them come from a clock.
    timed: usize,
    /// Of each metric whether it comes from a clock, or was derived from one that does.
    clocked: Vec<bool>,
    tables: Vec<(RunId, Table)>,
    /// How many trials each metric is a share of, found when somebody asks.
    trials: OnceLock<Vec<Option<Trials>>>,
    /// The number of each point, made when somebody asks.
    points: OnceLock<HashMap<Choices, usize>>,
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

/// Of sorted records those that count where points stop by themselves.
fn counted(records: Vec<(usize, u32, Record)>, metric: &str, rule: &StoppingRule) -> Vec<(usize, u32, Record)> {
    let replicas = |of_point: &[(usize, u32, Record)]| {
        // A prefix is looked at only when all of it is there.
        let whole = of_point.iter().zip(0..).take_while(|((_, replica, _), number)| replica == number);
        let value = |record: &Record| record.get(metric).and_then(Value::number);
        let values: Vec<Option<f64>> = whole.map(|((_, _, record), _)| value(record)).collect();
        match enough(&values, rule) {
            Decision::More { needed } => needed as u32,
            Decision::Enough(reached) | Decision::Exhausted(reached) => reached.replicas as u32,
        }
    };
    let of_points = records.chunk_by(|a, b| a.0 == b.0);
    let ends: HashMap<usize, u32> = of_points.map(|of_point| (of_point[0].0, replicas(of_point))).collect();
    records.into_iter().filter(|(point, replica, _)| ends.get(point).is_some_and(|end| replica < end)).collect()
}

impl<'s> Results<'s> {
    /// The results of these runs, which are in the order of points and replicas, as far as a store has them.
    ///
    /// # Errors
    /// Where the store can't be read.
    pub fn load(
        scenario: &'s Scenario,
        store: &Store<RunId>,
        runs: impl IntoIterator<Item = (usize, u32)>,
    ) -> Result<Self, StoreError> {
        Ok(Self::of(scenario, gather(scenario, store, runs)?))
    }

    /// The results of these runs, in any order. Where points stop by themselves, replicas beyond those that count are
    /// left out.
    #[must_use]
    pub fn new(scenario: &'s Scenario, records: impl IntoIterator<Item = (usize, u32, Record)>) -> Self {
        let mut records: Vec<_> = records.into_iter().collect();
        records.sort_by_key(|(point, replica, _)| (*point, *replica));
        if let Some((metric, rule)) = scenario.file.stopping() {
            records = counted(records, metric, &rule);
        }
        let mut gathered = Gathered::default();
        for (point, replica, record) in records {
            let named = |(name, value): (String, Value)| (Cow::Owned(name), value);
            let metrics = record.metrics.into_iter().map(named);
            let timings = record.timings.into_iter().map(|(name, value)| named((name, value.into())));
            gathered.push((point, replica), scenario.run_id(point, replica), metrics, timings, record.tables);
        }
        Self::of(scenario, gathered)
    }

    fn of(scenario: &'s Scenario, gathered: Gathered) -> Self {
        let Gathered { rows, metrics, timings, tables } = gathered;
        let (measured, timed) = (metrics.names().len(), timings.names().len());
        let clocked = (0..measured + timed).map(|metric| metric >= measured).collect();
        let mut all = metrics;
        all.join(timings);
        let mut results = Self {
            scenario,
            rows,
            metrics: all,
            measured,
            timed,
            clocked,
            tables,
            trials: OnceLock::new(),
            points: OnceLock::new(),
        };
        super::derive::add_all(&mut results);
        results
    }

    /// The scenario.
    #[must_use]
    pub const fn scenario(&self) -> &'s Scenario {
        self.scenario
    }

    /// What the scenario asks of its report.
    #[must_use]
    pub fn spec(&self) -> &'s ReportSpec {
        self.scenario.report()
    }

    /// Whether less or more of a metric is better.
    #[must_use]
    pub fn direction(&self, metric: &str) -> Direction {
        self.spec().direction(&self.scenario.file, metric)
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

    /// Whether a metric comes from a clock, or was derived from one that does: it is another one each time.
    #[must_use]
    pub fn is_clocked(&self, metric: &str) -> bool {
        self.column(metric).is_some_and(|column| self.clocked[column])
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

    /// Adds a metric that was derived from another, a value a row.
    pub(super) fn add(&mut self, name: &str, from: &str, values: Vec<Value>) {
        self.clocked.push(self.is_clocked(from));
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
        self.scenario.run_id(point as usize, replica)
    }

    /// The rows of a point.
    #[must_use]
    pub fn rows_of(&self, point: usize) -> Range<usize> {
        let start = self.rows.partition_point(|row| (row.point as usize) < point);
        let end = start + self.rows[start..].partition_point(|row| row.point as usize == point);
        start..end
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

    /// The same of the metric in a column.
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

    /// What the replicas of a point say of the metric in a column, with the interval that the scenario asks for; of
    /// shares it is that of a proportion.
    #[must_use]
    pub fn summary(&self, point: usize, column: usize) -> Option<Summary> {
        self.summary_with(point, column, &Intervals::of(self.scenario))
    }

    /// The same where intervals of many points are made alike.
    pub(super) fn summary_with(&self, point: usize, column: usize, intervals: &Intervals) -> Option<Summary> {
        Summary::with(&self.numbers_in(point, column), intervals, self.trials_at(point, column))
    }

    /// How many trials the mean of a metric at a point is a share of; nothing where it is none. The outcome of a single
    /// run says as little of a share as a single value of a mean.
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
        self.trials.get_or_init(|| self.metrics().iter().map(|metric| self.trials_of(metric)).collect())
    }

    fn trials_of(&self, metric: &str) -> Option<Trials> {
        let file = &self.scenario.file;
        if let Some(derivation) = self.spec().derive.iter().find(|made| made.derived().name == metric) {
            let of = derivation.makes_shares().then(|| self.column(&derivation.derived().metric));
            return of.flatten().map(Trials::AllReplicas);
        }
        match file.share(metric)? {
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
        &self.scenario.axes[axis].values[self.scenario.points[point].choices[axis]]
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
        let conditions: Vec<(usize, &Choice)> =
            filter.iter().filter_map(|(key, choice)| Some((self.axis(key)?, choice))).collect();
        let lets_through = |point: &usize| {
            conditions.iter().all(|&(axis, choice)| {
                self.scenario.axes[axis].is_chosen(self.scenario.points[*point].choices[axis], choice)
            })
        };
        (0..self.scenario.points.len()).filter(lets_through).collect()
    }

    /// The point that differs from `point` in these keys only.
    #[must_use]
    pub fn other(&self, point: usize, keys: &Where) -> Option<usize> {
        let mut choices = self.scenario.points[point].choices.clone();
        for (key, choice) in keys {
            let axis = self.axis(key)?;
            let axis_of_key = &self.scenario.axes[axis];
            choices[axis] = (0..axis_of_key.values.len()).find(|&value| axis_of_key.is_chosen(value, choice))?;
        }
        self.points().get(&choices).copied()
    }

    /// The points that differ from `point` in one axis only, itself included, in the order of the axis.
    #[must_use]
    pub fn along(&self, point: usize, axis: usize) -> Vec<usize> {
        let points = self.points();
        let mut choices = self.scenario.points[point].choices.clone();
        let values = 0..self.scenario.axes[axis].values.len();
        let at = |value: usize| {
            choices[axis] = value;
            points.get(&choices).copied()
        };
        values.filter_map(at).collect()
    }
    fn points(&self) -> &HashMap<Choices, usize> {
        let points = self.scenario.points.iter().enumerate();
        self.points.get_or_init(|| points.map(|(number, point)| (point.choices.clone(), number)).collect())
    }
}
