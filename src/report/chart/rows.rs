//! The rows of a long table, drawn instead of points.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::keys::Shown;
use super::series::{Group, by_series};
use crate::record::{Table, Value};
use crate::report::results::Results;
use crate::report::text::{Kind, kind};
use hetsim_chart::axis::{Axis, Scale};

/// Rows of a table.
pub(super) struct Rows<'r> {
    table: &'r Table,
    rows: Vec<&'r Vec<Value>>,
}

impl Rows<'_> {
    pub(super) fn cells(&self, column: &str) -> impl Iterator<Item = &Value> {
        let column = self.table.columns.iter().position(|name| name == column);
        self.rows.iter().filter_map(move |row| row.get(column?))
    }

    /// The numbers of two columns, of those rows that have both.
    pub(super) fn pairs<'a>(&'a self, x: &'a str, y: &'a str) -> impl Iterator<Item = (&'a Value, f64)> {
        let both = self.cells(x).zip(self.cells(y));
        both.filter_map(|(x, y)| Some((x, y.number()?)))
    }
}

/// The rows that a chart shows: a group for each value of the series, which is a swept key or a column.
pub(super) struct TableRows<'r> {
    pub(super) groups: Vec<Group<Rows<'r>>>,
    names: &'r BTreeMap<String, String>,
}

impl<'r> TableRows<'r> {
    /// The rows of the table called `name`.
    pub(super) fn new(results: &'r Results<'_>, name: &str, shown: Shown<'r>) -> Result<Self, String> {
        // A group is a value of the swept key or of the column; its name comes once all are known.
        let mut groups: Vec<(Option<Value>, Rows<'r>)> = Vec::new();
        let mut known: HashMap<Option<String>, usize> = HashMap::new();
        let column_of_series = shown.series.filter(|series| results.axis(series).is_none());
        for (of_key, members) in by_series(results, shown) {
            let first = members.first().and_then(|&point| results.rows_of(point).next());
            let run = results.run(first.ok_or("there is no run")?);
            let table = results.tables().iter().find(|(owner, table)| *owner == run && table.name == name);
            let (_, table) = table.ok_or_else(|| format!("run {run} has no table `{name}`"))?;
            let column = column_of_series.and_then(|series| table.columns.iter().position(|column| column == series));
            for row in &table.rows {
                let group = match column {
                    Some(column) => row.get(column).cloned(),
                    None => of_key.clone().map(Value::Text),
                };
                let number = *known.entry(group.as_ref().map(Value::to_string)).or_insert(groups.len());
                if number == groups.len() {
                    groups.push((group, Rows { table, rows: Vec::new() }));
                }
                groups[number].1.rows.push(row);
            }
        }
        let values: Vec<Value> = groups.iter().filter_map(|(value, _)| value.clone()).collect();
        let names = match column_of_series {
            Some(series) => texts(shown.names, series, &values),
            None => values.iter().map(Value::to_string).collect(),
        };
        let mut names = names.into_iter();
        let name = |(value, rows): (Option<Value>, Rows<'r>)| (value.and_then(|_| names.next()), rows);
        Ok(Self { groups: groups.into_iter().map(name).collect(), names: shown.names })
    }

    /// A column along an axis of the chart.
    pub(super) fn along(&self, name: &str) -> AxisColumn {
        let mut values: Vec<Value> = Vec::new();
        let mut known = HashSet::new();
        for cell in self.groups.iter().flat_map(|(_, rows)| rows.cells(name)) {
            if *cell != Value::Blank && known.insert(cell.to_string()) {
                values.push(cell.clone());
            }
        }
        let numeric = values.iter().all(|value| value.number().is_some());
        if numeric {
            values.sort_by(|a, b| a.number().unwrap_or_default().total_cmp(&b.number().unwrap_or_default()));
        }
        let places = values.iter().enumerate().map(|(place, value)| (value.to_string(), place)).collect();
        AxisColumn { kind: kind(name, None), texts: texts(self.names, name, &values), places, numeric }
    }
}

/// A column along an axis: its values, each once, numbers by size and names as they come.
pub(super) struct AxisColumn {
    kind: Kind,
    /// The values as a person reads them.
    pub(super) texts: Vec<String>,
    places: HashMap<String, usize>,
    numeric: bool,
}

impl AxisColumn {
    pub(super) fn axis(&self, label: String, scale: Scale) -> Axis {
        let kind = if self.numeric { self.kind.clone() } else { Kind::Category(self.texts.clone()) };
        Axis { label, scale, kind }
    }

    /// Where a value stands in the row.
    pub(super) fn index(&self, value: &Value) -> Option<usize> {
        self.places.get(&value.to_string()).copied()
    }

    /// The place of a value on the axis.
    pub(super) fn place(&self, value: &Value) -> Option<f64> {
        if self.numeric { value.number() } else { self.index(value).map(|place| place as f64) }
    }
}

/// Cells as a person reads them; those that differ look different.
fn texts(names: &BTreeMap<String, String>, column: &str, cells: &[Value]) -> Vec<String> {
    let number = |cell: &Value| if let Value::Number(number) = cell { Some(*number) } else { None };
    let numbers: Vec<f64> = cells.iter().filter_map(number).collect();
    let mut texts = kind(column, None).format_apart(&numbers).into_iter();
    let name = |cell: &Value| {
        let text = number(cell).and_then(|_| texts.next());
        names.get(&cell.to_string()).cloned().or(text).unwrap_or_else(|| cell.to_string())
    };
    cells.iter().map(name).collect()
}
