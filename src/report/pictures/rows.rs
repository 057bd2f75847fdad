//! Charts of a long table: its rows are the points.

use super::along::{called, metric_axis, vertical_axis};
use super::strands::strands;
use super::swept::{arrangement, by_series};
use crate::record::{Table, Value};
use crate::report::chart::{
    Axis as ChartAxis, Bar, BarChart, BarSeries, Cells, Heatmap, Kind, LineChart, Point, Series,
};
use crate::report::results::Results;
use crate::report::tables::kind;
use crate::scenario::ChartSpec;
use crate::statistics::mean;

/// Rows of a table under one name.
struct Rows<'r> {
    table: &'r Table,
    rows: Vec<&'r Vec<Value>>,
}

impl Rows<'_> {
    fn cells(&self, column: &str) -> impl Iterator<Item = &Value> {
        let column = self.table.columns.iter().position(|name| name == column);
        self.rows.iter().filter_map(move |row| row.get(column?))
    }

    /// The numbers of two columns, of those rows that have both.
    fn pairs<'a>(&'a self, x: &'a str, y: &'a str) -> impl Iterator<Item = (&'a Value, f64)> {
        let both = self.cells(x).zip(self.cells(y));
        both.filter_map(|(x, y)| Some((x, y.number()?)))
    }
}

/// A group of rows for each value of the series, which is a swept key or a column; one without a name where there is none.
fn groups<'r>(results: &'r Results<'_>, spec: &ChartSpec) -> Result<Vec<(Option<String>, Rows<'r>)>, String> {
    let name = spec.table.as_deref().unwrap_or_default();
    // A group is a value of the swept key or of the column; its name comes once all are known.
    let mut groups: Vec<(Option<Value>, Rows<'r>)> = Vec::new();
    let column_of_series = spec.series.as_ref().filter(|series| results.axis(series).is_none());
    for (of_key, members) in by_series(results, spec) {
        let first = members.first().and_then(|&point| results.rows_of(point).next());
        let run = results.run(first.ok_or_else(|| format!("chart `{}` has no run", spec.name))?);
        let table = results.tables().iter().find(|(owner, table)| *owner == run && table.name == name);
        let (_, table) = table.ok_or_else(|| format!("chart `{}`: run {run} has no table `{name}`", spec.name))?;
        let column = column_of_series.and_then(|series| table.columns.iter().position(|column| column == series));
        for row in &table.rows {
            let group = match column {
                Some(column) => row.get(column).cloned(),
                None => of_key.clone().map(Value::Text),
            };
            match groups.iter_mut().find(|(known, _)| *known == group) {
                Some((_, rows)) => rows.rows.push(row),
                None => groups.push((group, Rows { table, rows: vec![row] })),
            }
        }
    }
    let values: Vec<Value> = groups.iter().filter_map(|(value, _)| value.clone()).collect();
    let names = match column_of_series {
        Some(series) => shown(spec, series, &values),
        None => values.iter().map(Value::to_string).collect(),
    };
    let mut names = names.into_iter();
    let name = |(value, rows): (Option<Value>, Rows<'r>)| (value.and_then(|_| names.next()), rows);
    Ok(groups.into_iter().map(name).collect())
}

/// Cells as a person reads them; those that differ look different.
fn shown(spec: &ChartSpec, column: &str, cells: &[Value]) -> Vec<String> {
    let number = |cell: &Value| if let Value::Number(number) = cell { Some(*number) } else { None };
    let numbers: Vec<f64> = cells.iter().filter_map(number).collect();
    let mut texts = kind(column, None).format_apart(&numbers).into_iter();
    let name = |cell: &Value| {
        let text = number(cell).and_then(|_| texts.next());
        spec.names.get(&cell.to_string()).cloned().or(text).unwrap_or_else(|| cell.to_string())
    };
    cells.iter().map(name).collect()
}

/// The values of x that the rows have, each once, in their order: numbers by size, names as they come.
fn values_of_x(groups: &[(Option<String>, Rows<'_>)], x: &str) -> Vec<Value> {
    let mut values: Vec<Value> = Vec::new();
    let mut known = std::collections::HashSet::new();
    for cell in groups.iter().flat_map(|(_, rows)| rows.cells(x)) {
        if *cell != Value::Blank && known.insert(cell.to_string()) {
            values.push(cell.clone());
        }
    }
    if values.iter().all(|value| value.number().is_some()) {
        values.sort_by(|a, b| a.number().unwrap_or_default().total_cmp(&b.number().unwrap_or_default()));
    }
    values
}

fn label_of_x(spec: &ChartSpec, x: &str) -> String {
    spec.x_label.clone().unwrap_or_else(|| called(spec, x))
}

/// `kind = "line"`.
pub(super) fn line(results: &Results<'_>, spec: &ChartSpec, title: String) -> Result<LineChart, String> {
    let x = spec.x.as_deref().unwrap_or_default();
    let groups = groups(results, spec)?;
    let values = values_of_x(&groups, x);
    let numeric = values.iter().all(|value| value.number().is_some());
    let axis = metric_axis(x, Some(&label_of_x(spec, x)), spec.x_scale);
    let axis = if numeric { axis } else { ChartAxis { kind: Kind::Category(shown(spec, x, &values)), ..axis } };
    let place = |value: &Value| {
        let index = || values.iter().position(|known| known == value).map(|place| place as f64);
        if numeric { value.number() } else { index() }
    };
    let series = strands(spec, &groups).into_iter().map(|strand| Series {
        points: strand.members.pairs(x, strand.metric).filter_map(|(x, y)| Some(Point::new(place(x)?, y))).collect(),
        name: strand.name,
        style: strand.style,
    });
    Ok(LineChart {
        title,
        subtitle: spec.subtitle.clone(),
        x: axis,
        y: vertical_axis(spec),
        series: series.collect(),
        steps: spec.step,
        ..LineChart::default()
    })
}

/// `kind = "bar"` and `kind = "stacked"`: the mean of the rows with each x.
pub(super) fn bar(results: &Results<'_>, spec: &ChartSpec, title: String) -> Result<BarChart, String> {
    let x = spec.x.as_deref().unwrap_or_default();
    let groups = groups(results, spec)?;
    let values = values_of_x(&groups, x);
    let bars = |rows: &Rows<'_>, metric: &str| {
        let mut numbers: Vec<Vec<f64>> = vec![Vec::new(); values.len()];
        let places: std::collections::HashMap<String, usize> =
            values.iter().enumerate().map(|(place, value)| (value.to_string(), place)).collect();
        for (x, number) in rows.pairs(x, metric) {
            if let Some(&place) = places.get(&x.to_string()) {
                numbers[place].push(number);
            }
        }
        numbers.iter().map(|numbers| mean(numbers).map(Bar::new)).collect()
    };
    let series = strands(spec, &groups)
        .into_iter()
        .map(|strand| BarSeries { bars: bars(strand.members, strand.metric), name: strand.name });
    Ok(BarChart {
        title,
        subtitle: spec.subtitle.clone(),
        label: label_of_x(spec, x),
        categories: shown(spec, x, &values),
        y: vertical_axis(spec),
        series: series.collect(),
        arrangement: arrangement(spec),
    })
}

/// `kind = "heatmap"`: the mean of the rows with each x and y.
pub(super) fn heatmap(results: &Results<'_>, spec: &ChartSpec, title: String) -> Result<Heatmap, String> {
    let (x, y) = (spec.x.as_deref().unwrap_or_default(), spec.y.first().map(String::as_str).unwrap_or_default());
    let metric = spec.value.as_deref().unwrap_or_default();
    let groups = groups(results, spec)?;
    let (columns, rows) = (values_of_x(&groups, x), values_of_x(&groups, y));
    let places = |values: &[Value]| -> std::collections::HashMap<String, usize> {
        values.iter().enumerate().map(|(place, value)| (value.to_string(), place)).collect()
    };
    let (column_of, row_of) = (places(&columns), places(&rows));
    let mut sums = vec![vec![(0.0, 0u32); columns.len()]; rows.len()];
    for (_, group) in &groups {
        for ((row, column), value) in group.cells(y).zip(group.cells(x)).zip(group.cells(metric)) {
            let place = row_of.get(&row.to_string()).zip(column_of.get(&column.to_string()));
            if let (Some((&row, &column)), Some(number)) = (place, value.number()) {
                let (sum, count) = &mut sums[row][column];
                (*sum, *count) = (*sum + number, *count + 1);
            }
        }
    }
    let cell = |&(sum, count): &(f64, u32)| (count > 0).then(|| sum / f64::from(count));
    let values = sums.iter().map(|row| row.iter().map(cell).collect()).collect();
    Ok(Heatmap {
        title,
        subtitle: spec.subtitle.clone(),
        x_label: label_of_x(spec, x),
        y_label: spec.y_label.clone().unwrap_or_else(|| called(spec, y)),
        columns: shown(spec, x, &columns),
        rows: shown(spec, y, &rows),
        cells: Cells::Numbers { axis: metric_axis(metric, None, spec.y_scale), values },
        borders: Vec::new(),
    })
}
