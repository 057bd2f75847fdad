//! `kind = "line"`: lines over a swept key, means over replicas with their intervals; or over a column of a long table.

use schemars::JsonSchema;
use serde::Deserialize;

use super::along::Along;
use super::draw::annotation::Mark;
use super::draw::axis::Scale;
use super::draw::lines::{LineChart, Point, Series};
use super::keys::{Common, Groups, Metrics, OfSeries, Shown};
use super::rows::TableRows;
use super::strands::{Group, belongs, by_series, strands, summary};
use super::{ChartKind, ReportSpec, checks};
use crate::report::results::Results;
use crate::scenario::{References, Scalar};

/// The keys of a chart of lines.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct LineKeys {
    /// The keys of every chart.
    #[serde(flatten)]
    pub common: Common,
    /// A long table of the run (one of `output.tables`), whose rows are drawn instead of points: `x` and `y` are columns of it,
    /// `series` is a column or a swept key, and `where` chooses the run, of which the first replica is shown.
    #[serde(default)]
    pub table: Option<String>,
    /// The swept key along x, or the column of `table`.
    pub x: String,
    /// The metrics along y.
    #[serde(flatten)]
    pub metrics: Metrics,
    /// The groups of lines.
    #[serde(flatten)]
    pub groups: Groups,
    /// The scale of x.
    #[serde(default)]
    pub x_scale: Scale,
    /// The label of x; the key's name where it is not given.
    #[serde(default)]
    pub x_label: Option<String>,
    /// Whether the lines are steps: each value holds until the next one.
    #[serde(default)]
    pub step: bool,
    /// Metrics drawn as dashed lines of reference besides `y`, each taken from any point with that x.
    #[serde(default)]
    pub reference: Vec<String>,
    /// Values to compare with, such as those that a paper prints.
    #[serde(default)]
    pub mark: Vec<PointMark>,
}

/// `[[chart.mark]]` of a `line` chart: a value to compare with, a point.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PointMark {
    /// What it is, such as "printed". Points with one label share it.
    pub label: String,
    /// The place along x: a number, a quantity, or a value of the key.
    pub x: Scalar,
    /// The value along y: a number in the unit of the metrics, or a quantity.
    pub y: Scalar,
    /// The value of the chart's `series` whose colour it has.
    #[serde(default)]
    pub series: OfSeries,
}

impl ChartKind for LineKeys {
    fn common(&self) -> &Common {
        &self.common
    }

    fn check(&self, at: &str, references: &mut References<'_>, _: &ReportSpec) {
        let shown: Vec<String> = self.metrics.y.all().iter().chain(&self.reference).cloned().collect();
        checks::labels(references, at, &self.metrics.labels, &shown);
        let keys = [Some(self.x.as_str()), self.groups.series.as_deref()];
        checks::names(references, at, &self.groups.names, &keys, self.table.is_some());
        match &self.table {
            Some(table) => self.check_columns(at, references, table),
            None => self.check_points(at, references),
        }
    }

    fn draw(&self, results: &Results<'_>) -> Result<String, String> {
        let chart = match &self.table {
            Some(table) => self.of_table(&TableRows::new(results, table, self.shown())?),
            None => self.of_points(results),
        };
        Ok(chart.svg())
    }
}

impl LineKeys {
    fn shown(&self) -> Shown<'_> {
        Shown::new(&self.common, &self.groups)
    }

    fn check_columns(&self, at: &str, references: &mut References<'_>, table: &str) {
        let Some(shape) = checks::table(references, at, table) else { return };
        if !self.reference.is_empty() {
            let message = "a chart of a table has no `reference`: name the column in `y`".to_owned();
            references.wrong(&format!("{at}.reference"), message, None);
        }
        if !self.mark.is_empty() {
            references.wrong(&format!("{at}.mark"), "a chart of a table has no marks".to_owned(), None);
        }
        checks::columns(references, at, &shape, (&self.x, &self.metrics), self.shown());
    }

    fn check_points(&self, at: &str, references: &mut References<'_>) {
        let series = self.groups.series.as_deref();
        references.axis_if_given(&format!("{at}.series"), series);
        for (place, metric) in self.reference.iter().enumerate() {
            references.number(&format!("{at}.reference.{place}"), metric);
        }
        references.axis(&format!("{at}.x"), &self.x);
        if checks::metrics(references, at, &self.metrics) {
            references.nothing_else_varies(at, &self.common.filter, &[Some(&self.x), series], "`series`");
        }
        for (place, mark) in self.mark.iter().enumerate() {
            let at = format!("{at}.mark.{place}");
            checks::number(references, &format!("{at}.y"), &mark.y, self.metrics.first(), self.metrics.y_scale);
            checks::along(references, &format!("{at}.x"), self.shown(), (&self.x, &mark.x, self.x_scale));
            checks::series(references, &at, self.shown(), &mark.series);
        }
    }

    fn of_points(&self, results: &Results<'_>) -> LineChart {
        let x = Along::new(results, self.shown(), &self.x);
        let along = |members: &[usize], metric: &str| -> Vec<Point> {
            let point = |&point: &usize| {
                let summary = summary(results, point, metric)?;
                Some(Point::new(x.place(results, point), summary.mean).with(summary.interval))
            };
            let mut points: Vec<Point> = members.iter().filter_map(point).collect();
            points.sort_by(|a, b| a.x.total_cmp(&b.x));
            points
        };
        let groups = by_series(results, self.shown());
        let lines = strands(&self.metrics, &groups).into_iter();
        let mut series: Vec<Series> = lines
            .map(|strand| Series {
                points: along(strand.members, strand.metric),
                name: strand.name,
                style: strand.style,
            })
            .collect();
        let all = results.matching(&self.common.filter);
        for reference in &self.reference {
            let mut points = along(&all, reference);
            points.dedup_by(|a, b| a.x == b.x);
            series.push(Series::reference(self.metrics.called(reference), points));
        }
        LineChart {
            title: self.common.heading(),
            subtitle: self.common.subtitle.clone(),
            x: x.chart_axis(results, self.x_label.as_ref(), self.x_scale),
            y: self.metrics.axis(),
            series,
            marks: self.marks(results, &x, &groups),
            steps: self.step,
        }
    }

    /// The marks, each with the number of the group that it belongs to.
    fn marks(&self, results: &Results<'_>, x: &Along, groups: &[Group<Vec<usize>>]) -> Vec<Mark> {
        let place = |mark: &PointMark| {
            let y = mark.y.number_for(self.metrics.first()).ok()?;
            let series = groups.iter().position(|(_, members)| belongs(results, self.shown(), &mark.series, members));
            Some(Mark { x: x.place_of(results, &mark.x)?, y, label: mark.label.clone(), series })
        };
        self.mark.iter().filter_map(place).collect()
    }

    fn of_table(&self, rows: &TableRows<'_>) -> LineChart {
        let x = rows.along(&self.x);
        let label = self.x_label.clone().unwrap_or_else(|| self.metrics.called(&self.x));
        let series = strands(&self.metrics, &rows.groups).into_iter().map(|strand| Series {
            points: strand
                .members
                .pairs(&self.x, strand.metric)
                .filter_map(|(value, y)| Some(Point::new(x.place(value)?, y)))
                .collect(),
            name: strand.name,
            style: strand.style,
        });
        LineChart {
            title: self.common.heading(),
            subtitle: self.common.subtitle.clone(),
            x: x.axis(label, self.x_scale),
            y: self.metrics.axis(),
            series: series.collect(),
            steps: self.step,
            ..LineChart::default()
        }
    }
}
