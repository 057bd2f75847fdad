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
    /// How many of the figures come from the runs themselves.
    measured: usize,
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
        let mut results =
            Self { scenario, figures: Vec::new(), measured: 0, rows: Vec::new(), tables: Vec::new(), points };
        let mut records: Vec<_> = records.into_iter().collect();
        records.sort_by_key(|(point, replica, _)| (*point, *replica));
        for (point, replica, record) in records {
            let run = scenario.run_id(point, replica);
            let mut values = vec![Value::Blank; results.figures.len()];
            for (name, value) in record.figures {
                if let Some(column) = results.column(&name) {
                    values[column] = value;
                } else {
                    results.figures.push(name);
                    values.push(value);
                }
            }
            results.tables.extend(record.tables.into_iter().map(|table| (run, table)));
            results.rows.push(Row { point, replica, run, values });
        }
        results.measured = results.figures.len();
        let width = results.figures.len();
        for row in &mut results.rows {
            row.values.resize(width, Value::Blank);
        }
        super::derive::add_all(&mut results);
        results
    }

    /// The scenario.
    #[must_use]
    pub const fn scenario(&self) -> &'s Scenario {
        self.scenario
    }

    /// The figures that the runs gave.
    #[must_use]
    pub fn measured(&self) -> &[String] {
        &self.figures[..self.measured]
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

    /// Adds a figure that was derived, a value a row.
    pub(super) fn add(&mut self, name: &str, values: Vec<Value>) {
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
