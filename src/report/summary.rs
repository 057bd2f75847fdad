//! `summary.csv`: what the replicas of each point say of each metric.

use std::cell::OnceCell;
use std::io::{self, Write};

use super::csv_file::{write_header, write_rows};
use super::results::Results;
use super::statistics::{Intervals, Summary};
use crate::record::Value;
use crate::statistics::{Confidence, quantile_interval};

/// One row a point: the swept keys, the number of replicas, and for each metric its mean, interval (of 95 % unless the scenario
/// asks for another), least and greatest value, and the quantiles that the scenario asks for, each with its interval; for a
/// metric that is a name, the name where all replicas agree. Without what a clock measured, so that it can be made again, and
/// without columns that would be blank in every row.
pub(super) fn summary_csv(results: &Results<'_>, out: &mut dyn Write) -> io::Result<()> {
    let scenario = results.scenario();
    let points: Vec<usize> = (0..scenario.points.len()).filter(|&point| !results.rows_of(point).is_empty()).collect();
    let intervals = Intervals::of(scenario);
    let columns = summary_columns(results, &points, &intervals);
    let header: Vec<&str> = scenario.axes.iter().map(|axis| axis.name.as_str()).chain(["n"]).collect();
    write_header(header.into_iter().chain(columns.iter().map(|column| column.name.as_str())), out)?;
    write_rows(points.len(), out, |number, row| {
        let point = points[number];
        for (_, value) in scenario.values(point) {
            row.cell(&value.cell)?;
        }
        row.cell(results.rows_of(point).len())?;
        for of_metric in columns.chunk_by(|a, b| a.metric == b.metric) {
            let found = Found::new(results, point, of_metric[0].metric, &intervals);
            of_metric.iter().try_for_each(|column| row.cell(found.cell(column.what)))?;
        }
        Ok(())
    })
}

/// A column of the summary.
struct SummaryColumn {
    name: String,
    /// The column of the metric in the results.
    metric: usize,
    what: What,
}

/// What a column of the summary says of a metric.
#[derive(Debug, Clone, Copy, PartialEq)]
enum What {
    /// The name on which the replicas agree.
    Name,
    Mean,
    Low,
    High,
    Minimum,
    Maximum,
    Quantile(f64),
    QuantileLow(f64),
    QuantileHigh(f64),
}

impl What {
    /// Whether it is the end of an interval, which a single value mostly has not.
    const fn is_end(self) -> bool {
        matches!(self, Self::Low | Self::High | Self::QuantileLow(_) | Self::QuantileHigh(_))
    }
}

/// The columns of the summary that are not blank in every row.
fn summary_columns(results: &Results<'_>, points: &[usize], intervals: &Intervals) -> Vec<SummaryColumn> {
    let of_numbers = columns_of_number(intervals.confidence, &results.scenario().file.output.quantiles);
    let repeated = points.iter().any(|&point| results.rows_of(point).len() > 1);
    let mut columns = Vec::new();
    for (metric, name) in results.metrics().iter().enumerate() {
        if results.is_clocked(name) || results.is_blank(metric) {
            continue;
        }
        let wanted = if results.has_names(metric) {
            vec![(name.clone(), What::Name)]
        } else {
            of_numbers.iter().map(|(what_name, what)| (format!("{name}_{what_name}"), *what)).collect()
        };
        // The first point that has a value settles it: mostly the first of all.
        let has_one = |what: What| {
            let cell = |&point: &usize| Found::new(results, point, metric, intervals).cell(what);
            let may_have = !what.is_end() || repeated || results.is_share(metric);
            may_have && points.iter().any(|point| cell(point) != Value::Blank)
        };
        let kept = wanted.into_iter().filter(|(_, what)| has_one(*what));
        columns.extend(kept.map(|(name, what)| SummaryColumn { name, metric, what }));
    }
    columns
}

/// What the replicas of a point say of a metric.
struct Found<'a> {
    results: &'a Results<'a>,
    point: usize,
    metric: usize,
    intervals: &'a Intervals,
    values: Vec<f64>,
    /// Made when a column asks for it: its interval may take long.
    summary: OnceCell<Option<Summary>>,
}

impl<'a> Found<'a> {
    fn new(results: &'a Results<'a>, point: usize, metric: usize, intervals: &'a Intervals) -> Self {
        let values = results.numbers_in(point, metric);
        Self { results, point, metric, intervals, values, summary: OnceCell::new() }
    }

    fn cell(&self, what: What) -> Value {
        let summary =
            || *self.summary.get_or_init(|| self.results.summary_with(self.point, self.metric, self.intervals));
        let quantile = |share| quantile_interval(&self.values, share, self.intervals.confidence);
        Value::from(match what {
            What::Name => return self.name(),
            What::Mean => summary().map(|summary| summary.mean),
            What::Low => summary().and_then(|summary| summary.interval).map(|(low, _)| low),
            What::High => summary().and_then(|summary| summary.interval).map(|(_, high)| high),
            What::Minimum => summary().map(|summary| summary.minimum),
            What::Maximum => summary().map(|summary| summary.maximum),
            What::Quantile(share) => quantile(share).map(|found| found.estimate),
            What::QuantileLow(share) => quantile(share).and_then(|found| found.interval).map(|(low, _)| low),
            What::QuantileHigh(share) => quantile(share).and_then(|found| found.interval).map(|(_, high)| high),
        })
    }

    /// The name on which all replicas agree.
    fn name(&self) -> Value {
        let mut rows = self.results.rows_of(self.point);
        let first = self.results.cell(rows.start, self.metric);
        if rows.all(|row| self.results.cell(row, self.metric) == first) { first } else { Value::Blank }
    }
}

/// What the columns of a metric end with, and what they hold.
fn columns_of_number(confidence: Confidence, quantiles: &[f64]) -> Vec<(String, What)> {
    let percent = confidence.percent();
    let low_and_high = [(format!("low{percent}"), What::Low), (format!("high{percent}"), What::High)];
    let mut columns = vec![("mean".to_owned(), What::Mean)];
    columns.extend(low_and_high);
    columns.extend([("min".to_owned(), What::Minimum), ("max".to_owned(), What::Maximum)]);
    for &share in quantiles {
        let Some(name) = Confidence::new(share).map(|share| format!("q{}", share.percent())) else { continue };
        columns.push((name.clone(), What::Quantile(share)));
        columns.push((format!("{name}_low{percent}"), What::QuantileLow(share)));
        columns.push((format!("{name}_high{percent}"), What::QuantileHigh(share)));
    }
    columns
}
