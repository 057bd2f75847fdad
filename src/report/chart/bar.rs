//! `kind = "bar"`: a group of bars for each value of a swept key, or of a column of a long table.

use schemars::JsonSchema;
use serde::Deserialize;

use super::along::Along;
use super::keys::{BarOrder, Common, Groups, Over, Shown};
use super::looks::ChartContext;
use super::notes::of_means;
use super::rows::{Rows, TableRows};
use super::series::{all_series, by_series, summary};
use super::{ChartKind, Drawn, SensitivitySpec, checks, common_at};
use crate::report::results::Results;
use crate::scenario::References;
use crate::statistics::compare::Estimate;
use crate::statistics::mean;
use hetsim_chart::bars::{Arrangement, BarChart, BarSeries};
use hetsim_chart::paper::{Annotation, Paper};

/// The keys of a chart of bars side by side.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct BarKeys {
    /// The metrics over a key.
    #[serde(flatten)]
    pub over: Over,
    /// The groups of bars.
    #[serde(flatten)]
    pub groups: Groups,
    /// How bars stand.
    #[serde(flatten)]
    pub order: BarOrder,
}

impl ChartKind for BarKeys {
    common_at!(over.common);

    fn shown(&self) -> Shown<'_> {
        Shown::new(&self.over.common, &self.groups)
    }

    fn is_of_one_run(&self) -> bool {
        self.over.table.is_some()
    }

    fn check(&self, at: &str, references: &mut References<'_>, _: &[SensitivitySpec]) {
        checks::over(references, at, &self.over, self.shown(), (&[], None));
        checks::no_ends(references, at, self.groups.legend);
        checks::not_both(references, at, "bars", self.groups.series.as_deref(), &self.over.metrics);
    }

    fn draw(&self, results: &Results<'_>, context: &ChartContext<'_>) -> Result<Drawn, String> {
        let paper = self.groups.paper(&self.over.common);
        self.over.draw_bars(results, context, self.shown(), &self.order, (Arrangement::Grouped, paper))
    }
}

impl Over {
    /// Bars side by side, or one on another.
    pub(super) fn draw_bars(
        &self,
        results: &Results<'_>,
        context: &ChartContext<'_>,
        shown: Shown<'_>,
        order: &BarOrder,
        (arrangement, paper): (Arrangement, Paper),
    ) -> Result<Drawn, String> {
        let stacked = arrangement == Arrangement::Stacked;
        let metrics = self.metrics.y.all();
        let bars = if let Some(table) = &self.table {
            let rows = TableRows::new(results, table, shown)?;
            let names = rows.groups.iter().map(|(name, _)| name.as_deref());
            let (looks, words) = (context.looks(results, shown, names, metrics), self.metrics.words(|_| None));
            (self.bars_of_table(&rows), looks, words, Vec::new())
        } else {
            let groups = by_series(results, shown);
            let looks = context.looks(results, shown, groups.iter().map(|(name, _)| name.as_deref()), metrics);
            let what = if stacked { None } else { Some("error bars") };
            let x = Along::new(results, shown, &self.x);
            let words = self.metrics.words(|written| x.row_of(results, written));
            let notes = of_means(results, &results.matching(&self.common.filter), metrics, what);
            (self.bars_of_points(results, shown, arrangement), looks, words, notes)
        };
        let ((label, mut categories, mut series), looks, mut annotations, notes) = bars;
        if let Some(sort) = order.sort {
            let sum = |category: usize| {
                let bars = series.iter().filter_map(|series| series.bars[category]);
                // A stack is as high as its parts together.
                if stacked { bars.map(|bar| bar.value).reduce(|a, b| a + b) } else { bars.map(|bar| bar.value).next() }
            };
            let order = sort.order(&(0..categories.len()).map(sum).collect::<Vec<_>>());
            categories = order.iter().map(|&old| categories[old].clone()).collect();
            for series in &mut series {
                series.bars = order.iter().map(|&old| series.bars[old]).collect();
            }
            moved(&mut annotations, &order);
        }
        let horizontal = order.horizontal;
        let paper = Paper { looks, notes, annotations, horizontal, y_ends: self.metrics.ends(), ..paper };
        let chart = BarChart {
            title: self.common.heading(),
            subtitle: self.common.subtitle.clone(),
            label,
            categories,
            y: self.metrics.axis(),
            series,
            arrangement,
        };
        Ok(Drawn::new(chart, paper))
    }

    /// Means over replicas. Parts of a stack have no intervals: theirs would lie across their neighbours.
    pub(super) fn bars_of_points(
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
        let series = all_series(&self.metrics, &groups).into_iter().map(|series| BarSeries {
            bars: x.members(results, series.members).iter().map(|here| bar(here, series.metric)).collect(),
            name: series.name,
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
        let series = all_series(&self.metrics, &rows.groups)
            .into_iter()
            .map(|series| BarSeries { bars: bars(series.members, series.metric), name: series.name });
        (self.column_label(), x.texts.clone(), series.collect())
    }
}

/// Puts words at the new places of their categories.
pub(super) fn moved(annotations: &mut [Annotation], order: &[usize]) {
    for annotation in annotations {
        let place = |x: f64| order.iter().position(|&old| old as f64 == x).map_or(x, |new| new as f64);
        annotation.x = annotation.x.map(place);
    }
}
