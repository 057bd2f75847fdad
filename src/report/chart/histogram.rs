//! `kind = "histogram"`: how often values of a metric came out, over replicas and points; one panel a series, with
//! marks to compare them with.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::keys::{Common, Groups, OfSeries, Shown, called, ends, metric_axis};
use super::looks::ChartContext;
use super::series::{belongs, by_series, by_titled_series};
use super::{ChartKind, Drawn, SensitivitySpec, checks, common_at};
use crate::report::results::Results;
use crate::scenario::{References, Scalar};
use hetsim_chart::axis::Scale;
use hetsim_chart::histogram::{Histogram, Sample, Threshold};
use hetsim_chart::paper::Paper;

/// The keys of a histogram.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct HistogramKeys {
    /// The keys of every chart.
    #[serde(flatten)]
    pub common: Common,
    /// The metric.
    pub x: String,
    /// The panels.
    #[serde(flatten)]
    pub groups: Groups,
    /// The name of the metric in the picture, instead of its own.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
    /// The scale of x.
    #[serde(default)]
    pub x_scale: Scale,
    /// Both ends of x; by default those of the values.
    #[serde(default)]
    pub x_range: Option<[Scalar; 2]>,
    /// The label of x; by default the metric's name.
    #[serde(default)]
    pub x_label: Option<String>,
    /// The number of bins; by default by the rule of Freedman and Diaconis.
    #[serde(default)]
    #[schemars(range(min = 1, max = 120))]
    pub bins: Option<u32>,
    /// Values to compare with, such as those that a paper prints.
    #[serde(default)]
    pub mark: Vec<ValueMark>,
}

/// `[[chart.mark]]` of a `histogram`: a value to compare with, a line with its quantile: the share of the values that
/// are not above it.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ValueMark {
    /// What it is, such as "printed".
    pub label: String,
    /// The value: a number in the metric's unit, or a quantity.
    pub value: Scalar,
    /// The value of the chart's `series` in whose panel it is; it is in all panels where this is not given.
    #[serde(default)]
    pub series: OfSeries,
}

impl ChartKind for HistogramKeys {
    common_at!(common);

    fn shown(&self) -> Shown<'_> {
        Shown::new(&self.common, &self.groups)
    }

    fn check(&self, at: &str, references: &mut References<'_>, _: &[SensitivitySpec]) {
        let series = self.groups.series.as_deref();
        let groups = &self.groups;
        for (key, given) in [("legend", groups.legend.is_some()), ("series_label", groups.series_label.is_some())] {
            if given {
                references.wrong(&format!("{at}.{key}"), "a histogram has its names above its panels".to_owned(), None);
            }
        }
        checks::labels(references, at, &self.labels, std::slice::from_ref(&self.x));
        checks::names(references, at, self.shown(), &[series], false);
        references.axis_if_given(&format!("{at}.series"), series);
        checks::apart(references, at, &[], self.shown());
        references.number(&format!("{at}.x"), &self.x);
        checks::distribution(references, at, &self.common.filter, &[series, self.common.panels.as_deref()]);
        checks::range(references, at, ("x_range", self.x_range.as_ref()), &self.x, self.x_scale);
        checks::colours_of(references, at, self.shown(), std::slice::from_ref(&self.x));
        for (place, mark) in self.mark.iter().enumerate() {
            let at = format!("{at}.mark.{place}");
            checks::number(references, &format!("{at}.value"), &mark.value, &self.x, self.x_scale);
            checks::series(references, &at, self.shown(), &mark.series);
            let place = [(format!("{at}.value"), &mark.value)];
            let number = |written: &Scalar| written.number_for(&self.x).ok();
            checks::inside(references, ("x_range", self.x_range.as_ref()), place, number);
        }
    }

    fn draw(&self, results: &Results<'_>, context: &ChartContext<'_>) -> Result<Drawn, String> {
        let groups = by_titled_series(results, self.shown());
        // Looks go by the plain names.
        let plain = by_series(results, self.shown());
        let names = plain.iter().map(|(name, _)| name.as_deref());
        let paper = Paper {
            looks: context.looks(results, self.shown(), names, std::slice::from_ref(&self.x)),
            x_ends: ends(self.x_range.as_ref(), |end| end.number_for(&self.x).ok()),
            ..self.groups.paper(&self.common)
        };
        let samples = groups.into_iter().map(|(name, members)| {
            let of_panel =
                |mark: &&ValueMark| mark.series.is_none() || belongs(results, self.shown(), &mark.series, &members);
            let threshold = |mark: &ValueMark| {
                let value = mark.value.number_for(&self.x).ok()?;
                Some(Threshold { value, label: mark.label.clone() })
            };
            Sample {
                marks: self.mark.iter().filter(of_panel).filter_map(threshold).collect(),
                name: name.unwrap_or_default(),
                values: members.iter().flat_map(|&point| results.numbers(point, &self.x)).collect(),
            }
        });
        let label = self.x_label.clone().unwrap_or_else(|| called(&self.labels, &self.x));
        let chart = Histogram {
            title: self.common.heading(),
            subtitle: self.common.subtitle.clone(),
            x: metric_axis(&self.x, Some(&label), self.x_scale),
            samples: samples.collect(),
            bins: self.bins.map(|bins| bins as usize),
        };
        Ok(Drawn::new(chart, paper))
    }
}
