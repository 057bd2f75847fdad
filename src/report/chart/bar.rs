//! `kind = "bar"`: a group of bars for each value of a swept key, or of a column of a long table.

use schemars::JsonSchema;
use serde::Deserialize;

use super::along::Along;
use super::draw::bars::{Arrangement, Bar, BarChart, BarSeries};
use super::keys::{Common, Groups, Metrics, Shown};
use super::rows::{Rows, TableRows};
use super::strands::{by_series, strands, summary};
use super::{ChartKind, ReportSpec, checks};
use crate::report::results::Results;
use crate::scenario::References;
use crate::statistics::mean;

/// The keys of a chart of bars, side by side or one on another.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct Bars {
    /// The keys of every chart.
    #[serde(flatten)]
    pub common: Common,
    /// A long table of the run (one of `output.tables`), whose rows are drawn instead of points: `x` and `y` are columns of it,
    /// `series` is a column or a swept key, and `where` chooses the run, of which the first replica is shown. Rows of a series
    /// with the same x share a bar, which shows their mean.
    #[serde(default)]
    pub table: Option<String>,
    /// The swept key along x, or the column of `table`.
    pub x: String,
    /// The metrics along y.
    #[serde(flatten)]
    pub metrics: Metrics,
    /// The label of x; the key's name where it is not given.
    #[serde(default)]
    pub x_label: Option<String>,
}

/// The keys of a chart of bars side by side.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct BarKeys {
    /// The bars.
    #[serde(flatten)]
    pub bars: Bars,
    /// The groups of bars.
    #[serde(flatten)]
    pub groups: Groups,
}

impl ChartKind for BarKeys {
    fn common(&self) -> &Common {
        &self.bars.common
    }

    fn check(&self, at: &str, references: &mut References<'_>, _: &ReportSpec) {
        self.bars.check(at, references, self.shown());
        checks::not_both(references, at, "bars", self.groups.series.as_deref(), &self.bars.metrics);
    }

    fn draw(&self, results: &Results<'_>) -> Result<String, String> {
        self.bars.draw(results, self.shown(), Arrangement::Grouped)
    }
}

impl BarKeys {
    fn shown(&self) -> Shown<'_> {
        Shown::new(&self.bars.common, &self.groups)
    }
}

impl Bars {
    pub(super) fn check(&self, at: &str, references: &mut References<'_>, shown: Shown<'_>) {
        checks::labels(references, at, &self.metrics.labels, self.metrics.y.all());
        checks::names(references, at, shown.names, &[Some(&self.x), shown.series], self.table.is_some());
        if let Some(table) = &self.table {
            if let Some(shape) = checks::table(references, at, table) {
                checks::columns(references, at, &shape, (&self.x, &self.metrics), shown);
            }
            return;
        }
        references.axis_if_given(&format!("{at}.series"), shown.series);
        references.axis(&format!("{at}.x"), &self.x);
        if checks::metrics(references, at, &self.metrics) {
            references.nothing_else_varies(at, &self.common.filter, &[Some(&self.x), shown.series], "`series`");
        }
    }

    pub(super) fn draw(
        &self,
        results: &Results<'_>,
        shown: Shown<'_>,
        arrangement: Arrangement,
    ) -> Result<String, String> {
        let (label, categories, series) = match &self.table {
            Some(table) => self.of_table(&TableRows::new(results, table, shown)?),
            None => self.of_points(results, shown, arrangement),
        };
        let chart = BarChart {
            title: self.common.heading(),
            subtitle: self.common.subtitle.clone(),
            label,
            categories,
            y: self.metrics.axis(),
            series,
            arrangement,
        };
        Ok(chart.svg())
    }

    /// Means over replicas. Parts of a stack have no intervals: theirs would lie across their neighbours.
    fn of_points(
        &self,
        results: &Results<'_>,
        shown: Shown<'_>,
        arrangement: Arrangement,
    ) -> (String, Vec<String>, Vec<BarSeries>) {
        let x = Along::new(results, shown, &self.x);
        let bar_at = |members: &[usize], metric: &str, place: usize| {
            let point = *members.iter().find(|&&point| x.is_at(results, point, place))?;
            let summary = summary(results, point, metric)?;
            let interval = summary.interval.filter(|_| arrangement == Arrangement::Grouped);
            let bar = Bar::new(summary.mean);
            Some(interval.map_or(bar, |(low, high)| bar.within(low, high)))
        };
        let groups = by_series(results, shown);
        let series = strands(&self.metrics, &groups).into_iter().map(|strand| BarSeries {
            bars: (0..x.values.len()).map(|place| bar_at(strand.members, strand.metric, place)).collect(),
            name: strand.name,
        });
        (x.label(results, self.x_label.as_ref()), x.names.clone(), series.collect())
    }

    /// The mean of the rows with each x.
    fn of_table(&self, rows: &TableRows<'_>) -> (String, Vec<String>, Vec<BarSeries>) {
        let x = rows.along(&self.x);
        let bars = |rows: &Rows<'_>, metric: &str| {
            let mut numbers: Vec<Vec<f64>> = vec![Vec::new(); x.texts.len()];
            for (value, number) in rows.pairs(&self.x, metric) {
                if let Some(place) = x.index(value) {
                    numbers[place].push(number);
                }
            }
            numbers.iter().map(|numbers| mean(numbers).map(Bar::new)).collect()
        };
        let series = strands(&self.metrics, &rows.groups)
            .into_iter()
            .map(|strand| BarSeries { bars: bars(strand.members, strand.metric), name: strand.name });
        let label = self.x_label.clone().unwrap_or_else(|| self.metrics.called(&self.x));
        (label, x.texts.clone(), series.collect())
    }
}
