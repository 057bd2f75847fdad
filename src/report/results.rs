//! The results of a scenario as one table: a row a run, sorted by point and replica.

use std::collections::HashMap;

use crate::record::{Record, Table, Value};
use crate::scenario::references::axis_number;
use crate::scenario::{AxisValue, Choice, Choices, RunId, Scenario, Where};

/// One run.
#[derive(Debug, Clone)]
pub struct Row {
    /// The number of its point.
    pub point: usize,
    /// Its replica.
    pub replica: u32,
    /// Its identity.
    pub run: RunId,
    /// Its figures, in the order of [`Results::figures`]; derived ones at the end.
    pub values: Vec<Value>,
}

/// All runs of a scenario that have been made.
#[derive(Debug)]
pub struct Results<'s> {
    scenario: &'s Scenario,
    figures: Vec<String>,
    /// How many of the figures come from the runs themselves, without those that a clock measured.
    measured: usize,
    /// How many figures after them come from a clock.
    timed: usize,
    /// Of each figure whether it comes from a clock, or was derived from one that does.
    clocked: Vec<bool>,
    rows: Vec<Row>,
    tables: Vec<(RunId, Table)>,
    points: HashMap<Choices, usize>,
}

impl<'s> Results<'s> {
    /// The results of these runs, in any order.
    #[must_use]
    pub fn new(scenario: &'s Scenario, records: impl IntoIterator<Item = (usize, u32, Record)>) -> Self {
        let points =
            scenario.points.iter().enumerate().map(|(number, point)| (point.choices.clone(), number)).collect();
        let mut results = Self {
            scenario,
            figures: Vec::new(),
            measured: 0,
            timed: 0,
            clocked: Vec::new(),
            rows: Vec::new(),
            tables: Vec::new(),
            points,
        };
        let mut records: Vec<_> = records.into_iter().collect();
        records.sort_by_key(|(point, replica, _)| (*point, *replica));
        let mut timings = Vec::with_capacity(records.len());
        for (point, replica, record) in records {
            let run = scenario.run_id(point, replica);
            let mut row = Row { point, replica, run, values: vec![Value::Blank; results.figures.len()] };
            results.fill(&mut row, record.figures);
            results.rows.push(row);
            results.tables.extend(record.tables.into_iter().map(|table| (run, table)));
            timings.push(record.timings);
        }
        results.measured = results.figures.len();
        results.clocked = vec![false; results.measured];
        let mut rows = std::mem::take(&mut results.rows);
        for (row, timings) in rows.iter_mut().zip(timings) {
            row.values.resize(results.figures.len(), Value::Blank);
            results.fill(row, timings);
        }
        for row in &mut rows {
            row.values.resize(results.figures.len(), Value::Blank);
        }
        results.rows = rows;
        results.timed = results.figures.len() - results.measured;
        results.clocked.resize(results.figures.len(), true);
        super::derive::add_all(&mut results);
        results
    }

    /// Puts values into their columns; a figure that is new becomes one.
    fn fill<V: Into<Value>>(&mut self, row: &mut Row, values: Vec<(String, V)>) {
        for (name, value) in values {
            if let Some(column) = self.column(&name) {
                row.values[column] = value.into();
            } else {
                self.figures.push(name);
                row.values.push(value.into());
            }
        }
    }

    /// The scenario.
    #[must_use]
    pub const fn scenario(&self) -> &'s Scenario {
        self.scenario
    }

    /// The figures that the runs gave, without what a clock measured.
    #[must_use]
    pub fn measured(&self) -> &[String] {
        &self.figures[..self.measured]
    }

    /// What a clock measured in the runs.
    #[must_use]
    pub fn timings(&self) -> &[String] {
        &self.figures[self.measured..self.measured + self.timed]
    }

    /// Whether a figure comes from a clock, or was derived from one that does: it is another one each time.
    #[must_use]
    pub fn is_clocked(&self, figure: &str) -> bool {
        self.column(figure).is_some_and(|column| self.clocked[column])
    }

    /// All figures, the derived ones at the end.
    #[must_use]
    pub fn figures(&self) -> &[String] {
        &self.figures
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

    /// Adds a figure that was derived from another, a value a row.
    pub(super) fn add(&mut self, name: &str, from: &str, values: Vec<Value>) {
        self.clocked.push(self.is_clocked(from));
        self.figures.push(name.to_owned());
        for (row, value) in self.rows.iter_mut().zip(values) {
            row.values.push(value);
        }
    }

    /// The column of a figure.
    #[must_use]
    pub fn column(&self, figure: &str) -> Option<usize> {
        self.figures.iter().position(|name| name == figure)
    }

    /// The rows of a point.
    #[must_use]
    pub fn rows_of(&self, point: usize) -> &[Row] {
        let start = self.rows.partition_point(|row| row.point < point);
        let end = self.rows.partition_point(|row| row.point <= point);
        &self.rows[start..end]
    }

    /// The row of a point and a replica.
    #[must_use]
    pub fn row(&self, point: usize, replica: u32) -> Option<&Row> {
        self.rows_of(point).iter().find(|row| row.replica == replica)
    }

    /// The numeric values of a figure over the replicas of a point.
    #[must_use]
    pub fn numbers(&self, point: usize, figure: &str) -> Vec<f64> {
        let Some(column) = self.column(figure) else { return Vec::new() };
        self.rows_of(point).iter().filter_map(|row| row.values[column].number()).collect()
    }

    /// The mean of a figure over the replicas of a point.
    #[must_use]
    pub fn mean(&self, point: usize, figure: &str) -> Option<f64> {
        super::statistics::mean(&self.numbers(point, figure))
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

    /// The points that a filter lets through.
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
        self.points.get(&choices).copied()
    }

    /// The points that differ from `point` in one axis only, itself included, in the order of the axis.
    #[must_use]
    pub fn along(&self, point: usize, axis: usize) -> Vec<usize> {
        let mut choices = self.scenario.points[point].choices.clone();
        let values = 0..self.scenario.axes[axis].values.len();
        let at = |value: usize| {
            choices[axis] = value;
            self.points.get(&choices).copied()
        };
        values.filter_map(at).collect()
    }
}
