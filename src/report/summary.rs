//! `summary.csv`: statistics of each metric at each point, over its replicas.

use std::cell::OnceCell;
use std::io::{self, Write};

use rayon::prelude::*;

use super::csv_file::{KeyCells, column_of, write_header, write_rows};
use super::results::Results;
use super::statistics::{Intervals, Summary};
use crate::record::Value;
use crate::statistics::{Confidence, QuantileInterval, quantile_interval};

/// One row a point: the swept keys, the number of replicas, and for each metric its mean, interval (of 95 % unless the
/// scenario asks for another), least and greatest value, and the quantiles that the scenario asks for, each with its
/// interval; for a metric that is a name, the name where all replicas agree. Without what a clock measured, so that it
/// can be made again, and without columns that would be blank in every row.
pub(super) fn summary_csv(results: &Results<'_>, out: &mut dyn Write) -> io::Result<()> {
    let keys = KeyCells::new(results.scenario());
    with_layout(results, |layout| {
        write_header(layout.names().iter().map(String::as_str), out)?;
        write_rows(layout.points.len(), out, |number, row| {
            let point = layout.points[number];
            keys.write(point, row);
            row.plain(&results.rows_of(point).len());
            layout.cells(point, |cell| row.value(&cell));
        })
    })
}

/// The names of the columns of the summary, and its rows.
pub(super) fn summary_rows(results: &Results<'_>) -> (Vec<String>, Vec<Vec<Value>>) {
    with_layout(results, |layout| {
        let row = |&point: &usize| {
            let keys = results.scenario().values(point).map(|(_, value)| value.cell.clone());
            let mut row: Vec<Value> = keys.chain([Value::Count(results.rows_of(point).len() as u64)]).collect();
            layout.cells(point, |cell| row.push(cell));
            row
        };
        (layout.names(), layout.points.par_iter().map(row).collect())
    })
}

/// What a summary shows.
struct SummaryLayout<'a> {
    results: &'a Results<'a>,
    intervals: &'a Intervals,
    /// The points that have runs.
    points: Vec<usize>,
    /// The columns after the swept keys and the number of replicas, those of each metric together.
    columns: Vec<SummaryColumn<'a>>,
}

/// Gives the layout of the summary of some results to `make`.
fn with_layout<R>(results: &Results<'_>, make: impl FnOnce(&SummaryLayout<'_>) -> R) -> R {
    let scenario = results.scenario();
    let points: Vec<usize> = (0..scenario.points.len()).filter(|&point| !results.rows_of(point).is_empty()).collect();
    let intervals = Intervals::of(scenario);
    let statistics = statistics(intervals.confidence, &scenario.file.output.quantiles);
    let columns = summary_columns(results, &points, &intervals, &statistics);
    make(&SummaryLayout { results, intervals: &intervals, points, columns })
}

impl SummaryLayout<'_> {
    /// The names of all columns.
    fn names(&self) -> Vec<String> {
        let own = self.columns.iter().map(|column| column.name.clone());
        let own: Vec<String> = std::iter::once("n".to_owned()).chain(own).collect();
        let axes = self.results.scenario().axes.iter().map(|axis| column_of(axis, &own).to_owned());
        axes.chain(own.iter().cloned()).collect()
    }

    /// The cells of the metrics at a point, one after the other.
    fn cells(&self, point: usize, mut add: impl FnMut(Value)) {
        for of_metric in self.columns.chunk_by(|a, b| a.metric == b.metric) {
            let at_point = MetricAtPoint::new(self.results, point, of_metric[0].metric, self.intervals);
            for column in of_metric {
                add(at_point.cell(column));
            }
        }
    }
}

/// A column of the summary.
struct SummaryColumn<'a> {
    name: String,
    /// The column of the metric in the results.
    metric: usize,
    /// The statistic; nothing where the metric is a name.
    statistic: Option<&'a Statistic>,
}

/// A statistic of a metric at a point, where it has one.
type StatisticOf = dyn Fn(&MetricAtPoint<'_>) -> Option<f64> + Sync;

/// A statistic that the summary has for each metric that is a number.
struct Statistic {
    /// What the column's name ends with.
    name: String,
    /// Whether it is the end of an interval, which a single value mostly has not.
    is_end: bool,
    cell: Box<StatisticOf>,
}

/// The columns of the summary that are not blank in every row.
fn summary_columns<'a>(
    results: &Results<'_>,
    points: &[usize],
    intervals: &Intervals,
    statistics: &'a [Statistic],
) -> Vec<SummaryColumn<'a>> {
    let repeated = points.iter().any(|&point| results.rows_of(point).len() > 1);
    let mut columns = Vec::new();
    for (metric, name) in results.metrics().iter().enumerate() {
        if results.is_clocked(name) || results.is_blank(metric) {
            continue;
        }
        let wanted = if results.has_names(metric) {
            vec![SummaryColumn { name: name.clone(), metric, statistic: None }]
        } else {
            let column = |statistic: &'a Statistic| SummaryColumn {
                name: format!("{name}_{}", statistic.name),
                metric,
                statistic: Some(statistic),
            };
            statistics.iter().map(column).collect()
        };
        // The first point that has a value settles it: mostly the first of all.
        let has_one = |column: &SummaryColumn<'_>| {
            let cell = |&point: &usize| MetricAtPoint::new(results, point, metric, intervals).cell(column);
            let may_have =
                !column.statistic.is_some_and(|statistic| statistic.is_end) || repeated || results.is_share(metric);
            may_have && points.iter().any(|point| cell(point) != Value::Blank)
        };
        columns.extend(wanted.into_iter().filter(has_one));
    }
    columns
}

/// A metric at a point: the values of the replicas, and what the summary says of them.
struct MetricAtPoint<'a> {
    results: &'a Results<'a>,
    point: usize,
    metric: usize,
    intervals: &'a Intervals,
    values: Vec<f64>,
    /// Made when a column asks for it: its interval may take long.
    summary: OnceCell<Option<Summary>>,
}

impl<'a> MetricAtPoint<'a> {
    fn new(results: &'a Results<'a>, point: usize, metric: usize, intervals: &'a Intervals) -> Self {
        let values = results.numbers_in(point, metric);
        Self { results, point, metric, intervals, values, summary: OnceCell::new() }
    }

    fn cell(&self, column: &SummaryColumn<'_>) -> Value {
        column.statistic.map_or_else(|| self.name(), |statistic| Value::from((statistic.cell)(self)))
    }

    fn summary(&self) -> Option<Summary> {
        let of = (self.point, self.metric);
        *self.summary.get_or_init(|| self.results.summary_of(&self.values, of, self.intervals))
    }

    fn interval(&self) -> Option<(f64, f64)> {
        self.summary()?.interval
    }

    fn quantile(&self, share: f64) -> Option<QuantileInterval> {
        quantile_interval(&self.values, share, self.intervals.confidence)
    }

    /// The name on which all replicas agree.
    fn name(&self) -> Value {
        let mut rows = self.results.rows_of(self.point);
        let first = self.results.cell(rows.start, self.metric);
        if rows.all(|row| self.results.cell(row, self.metric) == first) { first } else { Value::Blank }
    }
}

/// The statistics of each metric that is a number.
fn statistics(confidence: Confidence, quantiles: &[f64]) -> Vec<Statistic> {
    fn statistic(
        name: String,
        is_end: bool,
        cell: impl Fn(&MetricAtPoint<'_>) -> Option<f64> + Sync + 'static,
    ) -> Statistic {
        Statistic { name, is_end, cell: Box::new(cell) }
    }
    let percent = confidence.percent();
    let mut all = vec![
        statistic("mean".to_owned(), false, |at_point| Some(at_point.summary()?.mean)),
        statistic(format!("low{percent}"), true, |at_point| Some(at_point.interval()?.0)),
        statistic(format!("high{percent}"), true, |at_point| Some(at_point.interval()?.1)),
        statistic("min".to_owned(), false, |at_point| Some(at_point.summary()?.minimum)),
        statistic("max".to_owned(), false, |at_point| Some(at_point.summary()?.maximum)),
    ];
    for &share in quantiles {
        let Some(name) = Confidence::new(share).map(|share| format!("q{}", share.percent())) else { continue };
        let (low, high) = (format!("{name}_low{percent}"), format!("{name}_high{percent}"));
        all.push(statistic(name, false, move |at_point| Some(at_point.quantile(share)?.estimate)));
        all.push(statistic(low, true, move |at_point| Some(at_point.quantile(share)?.interval?.0)));
        all.push(statistic(high, true, move |at_point| Some(at_point.quantile(share)?.interval?.1)));
    }
    all
}
