//! `kind = "line"`: lines over a swept key, means over replicas with their intervals; or over a column of a long table.

use schemars::JsonSchema;
use serde::Deserialize;

use super::along::Along;
use super::draw::annotation::Mark;
use super::draw::axis::Scale;
use super::draw::lines::{LineChart, Point, Series};
use super::keys::{Common, Groups, OfSeries, Over, Shown};
use super::rows::TableRows;
use super::strands::{Group, belongs, by_series, strands, summary};
use super::{ChartKind, SensitivitySpec, checks};
use crate::report::results::Results;
use crate::scenario::{References, Scalar};

/// The keys of a chart of lines.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct LineKeys {
    /// The metrics over a key.
    #[serde(flatten)]
    pub over: Over,
    /// The groups of lines.
    #[serde(flatten)]
    pub groups: Groups,
    /// The scale of x.
    #[serde(default)]
    pub x_scale: Scale,
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
        &self.over.common
    }

    fn check(&self, at: &str, references: &mut References<'_>, _: &[SensitivitySpec]) {
        checks::over(references, at, &self.over, self.shown(), &self.reference);
        if self.over.table.is_some() {
            let what = "`reference`: name the column in `y`";
            checks::none_of_table(references, at, ("reference", &self.reference), what);
            return checks::none_of_table(references, at, ("mark", &self.mark), "marks");
        }
        let Over { x, metrics, .. } = &self.over;
        for (place, mark) in self.mark.iter().enumerate() {
            let at = format!("{at}.mark.{place}");
            checks::number(references, &format!("{at}.y"), &mark.y, metrics.first(), metrics.y_scale);
            checks::along(references, &format!("{at}.x"), self.shown(), (x, &mark.x, self.x_scale));
            checks::series(references, &at, self.shown(), &mark.series);
        }
    }

    fn draw(&self, results: &Results<'_>, _: &[SensitivitySpec]) -> Result<String, String> {
        let chart = match &self.over.table {
            Some(table) => self.of_table(&TableRows::new(results, table, self.shown())?),
            None => self.of_points(results),
        };
        Ok(chart.svg())
    }
}

impl LineKeys {
    fn shown(&self) -> Shown<'_> {
        Shown::new(&self.over.common, &self.groups)
    }

    fn of_points(&self, results: &Results<'_>) -> LineChart {
        let x = Along::new(results, self.shown(), &self.over.x);
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
        let lines = strands(&self.over.metrics, &groups).into_iter();
        let mut series: Vec<Series> = lines
            .map(|strand| Series {
                points: along(strand.members, strand.metric),
                name: strand.name,
                style: strand.style,
            })
            .collect();
        let all = results.matching(&self.over.common.filter);
        for reference in &self.reference {
            let mut points = along(&all, reference);
            points.dedup_by(|a, b| a.x == b.x);
            series.push(Series::reference(self.over.metrics.called(reference), points));
        }
        LineChart {
            title: self.over.common.heading(),
            subtitle: self.over.common.subtitle.clone(),
            x: x.chart_axis(results, self.over.x_label.as_ref(), self.x_scale),
            y: self.over.metrics.axis(),
            series,
            marks: self.marks(results, &x, &groups),
            steps: self.step,
        }
    }

    /// The marks, each with the number of the group that it belongs to.
    fn marks(&self, results: &Results<'_>, x: &Along, groups: &[Group<Vec<usize>>]) -> Vec<Mark> {
        let place = |mark: &PointMark| {
            let y = mark.y.number_for(self.over.metrics.first()).ok()?;
            let series = groups.iter().position(|(_, members)| belongs(results, self.shown(), &mark.series, members));
            Some(Mark { x: x.place_of(results, &mark.x)?, y, label: mark.label.clone(), series })
        };
        self.mark.iter().filter_map(place).collect()
    }

    fn of_table(&self, rows: &TableRows<'_>) -> LineChart {
        let x = rows.along(&self.over.x);
        let series = strands(&self.over.metrics, &rows.groups).into_iter().map(|strand| Series {
            points: strand
                .members
                .pairs(&self.over.x, strand.metric)
                .filter_map(|(value, y)| Some(Point::new(x.place(value)?, y)))
                .collect(),
            name: strand.name,
            style: strand.style,
        });
        LineChart {
            title: self.over.common.heading(),
            subtitle: self.over.common.subtitle.clone(),
            x: x.axis(self.over.column_label(), self.x_scale),
            y: self.over.metrics.axis(),
            series: series.collect(),
            steps: self.step,
            ..LineChart::default()
        }
    }
}
