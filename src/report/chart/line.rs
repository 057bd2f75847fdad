//! `kind = "line"`: lines over a swept key, means over replicas with their intervals; or over a column of a long table.

use schemars::JsonSchema;
use serde::Deserialize;

use super::along::{Along, own_scale};
use super::keys::{Common, Groups, OfSeries, Over, Shown, ends};
use super::looks::ChartContext;
use super::notes::of_means;
use super::rows::TableRows;
use super::series::{Group, all_series, belongs, by_series, summary};
use super::thin::thin;
use super::{ChartKind, Drawn, SensitivitySpec, checks, common_at};
use crate::report::results::Results;
use crate::scenario::{References, Scalar, find_axis};
use hetsim_chart::annotation::Mark;
use hetsim_chart::axis::Scale;
use hetsim_chart::lines::{LineChart, Point, Series};
use hetsim_chart::paper::Paper;

/// The keys of a chart of lines.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct LineKeys {
    /// The metrics over a key.
    #[serde(flatten)]
    pub over: Over,
    /// The groups of lines.
    #[serde(flatten)]
    pub groups: Groups,
    /// The scale of x; logarithmic by default if the sweep's range is.
    #[serde(default)]
    pub x_scale: Option<Scale>,
    /// Both ends of x; by default those of the sweep.
    #[serde(default)]
    pub x_range: Option<[Scalar; 2]>,
    /// Whether the lines are steps: each value holds until the next one.
    #[serde(default)]
    pub step: bool,
    /// Whether the interval of each mean is an error bar, instead of a part of a band along the line.
    #[serde(default)]
    pub whiskers: bool,
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
    common_at!(over.common);

    fn shown(&self) -> Shown<'_> {
        Shown::new(&self.over.common, &self.groups)
    }

    fn is_of_one_run(&self) -> bool {
        self.over.table.is_some()
    }

    fn check(&self, at: &str, references: &mut References<'_>, _: &[SensitivitySpec]) {
        let swept = find_axis(references.axes, &self.over.x).filter(|_| self.over.table.is_none());
        let scale = self.x_scale.unwrap_or_else(|| swept.map_or(Scale::Linear, own_scale));
        checks::over(references, at, &self.over, self.shown(), (&self.reference, Some(scale)));
        let number = |written: &Scalar| match swept {
            Some(axis) => axis.number_of(written),
            None => written.number_for(&self.over.x).ok(),
        };
        checks::inside(references, ("x_range", self.x_range.as_ref()), self.over.metrics.places(at, "x"), number);
        if self.over.table.is_some() {
            let what = "`reference`: name the column in `y`";
            checks::none_of_table(references, at, ("reference", &self.reference), what);
            checks::range(references, at, ("x_range", self.x_range.as_ref()), &self.over.x, scale);
            if self.whiskers {
                references.wrong(&format!("{at}.whiskers"), "a chart of a table has no error bars".to_owned(), None);
            }
            return checks::none_of_table(references, at, ("mark", &self.mark), "marks");
        }
        let Over { common, x, metrics, .. } = &self.over;
        checks::along_x(references, at, (x, &common.filter), self.x_scale.unwrap_or_default());
        checks::range_along(references, at, self.x_range.as_ref(), (x, scale));
        for (place, mark) in self.mark.iter().enumerate() {
            let at = format!("{at}.mark.{place}");
            checks::number(references, &format!("{at}.y"), &mark.y, metrics.first(), metrics.y_scale);
            checks::along(references, &format!("{at}.x"), self.shown(), (x, &mark.x, scale));
            checks::series(references, &at, self.shown(), &mark.series);
            checks::inside(references, ("x_range", self.x_range.as_ref()), [(format!("{at}.x"), &mark.x)], number);
            checks::inside(
                references,
                ("y_range", metrics.y_range.as_ref()),
                [(format!("{at}.y"), &mark.y)],
                |written| written.number_for(metrics.first()).ok(),
            );
        }
    }

    fn draw(&self, results: &Results<'_>, context: &ChartContext<'_>) -> Result<Drawn, String> {
        match &self.over.table {
            Some(table) => Ok(self.of_table(results, context, &TableRows::new(results, table, self.shown())?)),
            None => Ok(self.of_points(results, context)),
        }
    }
}

impl LineKeys {
    /// The paper with the looks of groups of these names.
    fn paper<'n>(
        &self,
        results: &Results<'_>,
        context: &ChartContext<'_>,
        groups: impl Iterator<Item = Option<&'n str>>,
    ) -> Paper {
        let metrics = &self.over.metrics;
        let looks = context.looks(results, self.shown(), groups, metrics.y.all());
        Paper { looks, y_ends: metrics.ends(), ..self.groups.paper(&self.over.common) }
    }

    fn of_points(&self, results: &Results<'_>, context: &ChartContext<'_>) -> Drawn {
        let x = Along::new(results, self.shown(), &self.over.x);
        let along = |members: &[usize], metric: &str| -> Vec<Point> {
            let point = |&point: &usize| {
                let place = x.place(results, point);
                // What is undefined is a gap in the line.
                summary(results, point, metric).map_or(Point::new(place, f64::NAN), |summary| {
                    Point::new(place, summary.mean).with(summary.interval)
                })
            };
            let mut points: Vec<Point> = members.iter().map(point).collect();
            points.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.is_nan().cmp(&b.y.is_nan())));
            points
        };
        let groups = by_series(results, self.shown());
        let lines = all_series(&self.over.metrics, &groups).into_iter();
        let mut series: Vec<Series> = lines
            .map(|series| Series {
                points: along(series.members, series.metric),
                name: series.name,
                style: series.style,
            })
            .collect();
        let all = results.matching(&self.over.common.filter);
        let mut paper = Paper {
            x_ends: ends(self.x_range.as_ref(), |end| x.place_of(results, end)),
            annotations: self.over.metrics.words(|written| x.place_of(results, written)),
            notes: of_means(results, &all, self.over.metrics.y.all(), Some(self.intervals())),
            ..self.paper(results, context, groups.iter().map(|(name, _)| name.as_deref()))
        };
        for reference in &self.reference {
            let mut points = along(&all, reference);
            points.dedup_by(|a, b| a.x == b.x);
            series.push(Series::reference(self.over.metrics.called(reference), points));
        }
        let x_axis = x.chart_axis(results, self.over.x_label.as_ref(), self.x_scale);
        paper.notes.extend(thin(&mut series, (x_axis.scale, self.over.metrics.y_scale)));
        let chart = LineChart {
            title: self.over.common.heading(),
            subtitle: self.over.common.subtitle.clone(),
            x: x_axis,
            y: self.over.metrics.axis(),
            series,
            marks: self.marks(results, &x, &groups),
            steps: self.step,
            whiskers: self.whiskers,
        };
        Drawn::new(chart, paper)
    }

    /// What intervals are called.
    const fn intervals(&self) -> &'static str {
        if self.whiskers { "error bars" } else { "bands" }
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

    fn of_table(&self, results: &Results<'_>, context: &ChartContext<'_>, rows: &TableRows<'_>) -> Drawn {
        let x = rows.along(&self.over.x);
        let mut paper = Paper {
            x_ends: ends(self.x_range.as_ref(), |end| end.number_for(&self.over.x).ok()),
            annotations: self.over.metrics.words(|written| written.number_for(&self.over.x).ok()),
            ..self.paper(results, context, rows.groups.iter().map(|(name, _)| name.as_deref()))
        };
        let lines = all_series(&self.over.metrics, &rows.groups).into_iter().map(|series| Series {
            points: series
                .members
                .pairs(&self.over.x, series.metric)
                .filter_map(|(value, y)| Some(Point::new(x.place(value)?, y)))
                .collect(),
            name: series.name,
            style: series.style,
        });
        let mut series: Vec<Series> = lines.collect();
        let x_scale = self.x_scale.unwrap_or_default();
        paper.notes.extend(thin(&mut series, (x_scale, self.over.metrics.y_scale)));
        let chart = LineChart {
            title: self.over.common.heading(),
            subtitle: self.over.common.subtitle.clone(),
            x: x.axis(self.over.column_label(), x_scale),
            y: self.over.metrics.axis(),
            series,
            steps: self.step,
            ..LineChart::default()
        };
        Drawn::new(chart, paper)
    }
}
