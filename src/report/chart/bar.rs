//! `kind = "bar"`: a group of bars for each value of a swept key, or of a column of a long table.

use schemars::JsonSchema;
use serde::Deserialize;

use super::along::Along;
use super::draw::bars::{Arrangement, BarChart, BarSeries};
use super::keys::{Common, Groups, Over, Shown};
use super::rows::{Rows, TableRows};
use super::strands::{by_series, strands, summary};
use super::{ChartKind, SensitivitySpec, checks};
use crate::report::results::Results;
use crate::scenario::References;
use crate::statistics::compare::Estimate;
use crate::statistics::mean;

/// The keys of a chart of bars side by side.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct BarKeys {
    /// The metrics over a key.
    #[serde(flatten)]
    pub over: Over,
    /// The groups of bars.
    #[serde(flatten)]
    pub groups: Groups,
}

impl ChartKind for BarKeys {
    fn common(&self) -> &Common {
        &self.over.common
    }

    fn check(&self, at: &str, references: &mut References<'_>, _: &[SensitivitySpec]) {
        checks::over(references, at, &self.over, self.shown(), &[]);
        checks::not_both(references, at, "bars", self.groups.series.as_deref(), &self.over.metrics);
    }

    fn draw(&self, results: &Results<'_>, _: &[SensitivitySpec]) -> Result<String, String> {
        self.over.draw_bars(results, self.shown(), Arrangement::Grouped)
    }
}

impl BarKeys {
    fn shown(&self) -> Shown<'_> {
        Shown::new(&self.over.common, &self.groups)
    }
}

impl Over {
    /// Bars side by side, or one on another.
    pub(super) fn draw_bars(
        &self,
        results: &Results<'_>,
        shown: Shown<'_>,
        arrangement: Arrangement,
    ) -> Result<String, String> {
        let (label, categories, series) = match &self.table {
            Some(table) => self.bars_of_table(&TableRows::new(results, table, shown)?),
            None => self.bars_of_points(results, shown, arrangement),
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
    fn bars_of_points(
        &self,
        results: &Results<'_>,
        shown: Shown<'_>,
        arrangement: Arrangement,
    ) -> (String, Vec<String>, Vec<BarSeries>) {
        let x = Along::new(results, shown, &self.x);
        let bar = |members: &Vec<usize>, metric: &str| {
            let summary = summary(results, *members.first()?, metric)?;
            let interval = summary.interval.filter(|_| arrangement == Arrangement::Grouped);
            Some(Estimate { value: summary.mean, interval })
        };
        let groups = by_series(results, shown);
        let series = strands(&self.metrics, &groups).into_iter().map(|strand| BarSeries {
            bars: x.members(results, strand.members).iter().map(|here| bar(here, strand.metric)).collect(),
            name: strand.name,
        });
        (x.label(results, self.x_label.as_ref()), x.names.clone(), series.collect())
    }

    /// The mean of the rows with each x.
    fn bars_of_table(&self, rows: &TableRows<'_>) -> (String, Vec<String>, Vec<BarSeries>) {
        let x = rows.along(&self.x);
        let bars = |rows: &Rows<'_>, metric: &str| {
            let mut numbers: Vec<Vec<f64>> = vec![Vec::new(); x.texts.len()];
            for (value, number) in rows.pairs(&self.x, metric) {
                if let Some(place) = x.index(value) {
                    numbers[place].push(number);
                }
            }
            numbers.iter().map(|numbers| mean(numbers).map(|value| Estimate { value, interval: None })).collect()
        };
        let series = strands(&self.metrics, &rows.groups)
            .into_iter()
            .map(|strand| BarSeries { bars: bars(strand.members, strand.metric), name: strand.name });
        (self.column_label(), x.texts.clone(), series.collect())
    }
}
