//! `kind = "sensitivity"`: which keys of a design matter for a metric: bars with intervals, the key that matters most
//! first.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::keys::{Common, Shown, called, metric_axis};
use super::looks::ChartContext;
use super::{ChartKind, Drawn, SensitivitySpec, checks, common_at};
use crate::report::results::Results;
use crate::report::sensitivity::{KeySensitivity, Sensitivity, combinations, sensitivities, sorted};
use crate::scenario::{References, suggest};
use crate::statistics::compare::Estimate;
use hetsim_chart::axis::{Axis, Scale};
use hetsim_chart::bars::{Arrangement, BarChart, BarSeries};
use hetsim_chart::paper::{LegendPlace, Paper};

/// The keys of a chart of what matters.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct SensitivityKeys {
    /// The keys of every chart.
    #[serde(flatten)]
    pub common: Common,
    /// The metric, of which there is a `[[sensitivity]]`.
    pub y: String,
    /// The name of the metric in the picture, instead of its own.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
    /// The names of the design's keys in the picture, instead of their own.
    #[serde(default)]
    pub names: BTreeMap<String, String>,
    /// The label of the keys; none by default.
    #[serde(default)]
    pub x_label: Option<String>,
    /// The scale of y.
    #[serde(default)]
    pub y_scale: Scale,
    /// The label of y; by default the kind of the indices.
    #[serde(default)]
    pub y_label: Option<String>,
    /// Whether bars are horizontal; by default they are if their names are too long to stand below them.
    #[serde(default)]
    pub horizontal: bool,
    /// Where the names of the bars stand; `above` by default, and never `direct`, which is for lines.
    #[serde(default)]
    pub legend: Option<LegendPlace>,
}

impl ChartKind for SensitivityKeys {
    common_at!(common);

    fn shown(&self) -> Shown<'_> {
        Shown { common: &self.common, series: None, names: &self.names, colours: None, legend: self.legend }
    }

    /// It shows one analysis, of one combination of the keys that are crossed with the design.
    fn check(&self, at: &str, references: &mut References<'_>, specs: &[SensitivitySpec]) {
        let metric = &self.y;
        checks::labels(references, at, &self.labels, std::slice::from_ref(metric));
        checks::no_ends(references, at, self.legend);
        let Some(design) = references.design else {
            let message = "a chart of this kind needs a sweep with a `design`".to_owned();
            return references.wrong(&format!("{at}.kind"), message, None);
        };
        let analysed: Vec<&str> = specs.iter().map(|spec| spec.metric.as_str()).collect();
        if !analysed.contains(&metric.as_str()) {
            let help = if analysed.is_empty() {
                format!("[[sensitivity]] metric = \"{metric}\"")
            } else {
                suggest(metric, &analysed)
            };
            references.wrong(&format!("{at}.y"), format!("there is no [[sensitivity]] of `{metric}`"), Some(help));
        }
        combinations(references, at, &self.common.filter);
        let axes = references.axes;
        references.nothing_else_varies(
            at,
            &self.common.filter,
            &[Some(&axes[design.point].name), self.common.panels.as_deref()],
            "",
        );
        let names: Vec<&str> = design.keys.iter().map(|&axis| axes[axis].name.as_str()).collect();
        for written in self.names.keys().filter(|written| !names.contains(&written.as_str())) {
            let message = format!("the design has no key `{written}`");
            references.wrong(&format!("{at}.names.{written}"), message, Some(suggest(written, &names)));
        }
    }

    fn draw(&self, results: &Results<'_>, context: &ChartContext<'_>) -> Result<Drawn, String> {
        let specs = context.sensitivities;
        let axes = &results.scenario().axes;
        let metric = self.y.as_str();
        let all = sensitivities(results, specs);
        let is_shown = |sensitivity: &&Sensitivity<'_>| {
            let chosen = |&(axis, value): &(usize, usize)| {
                let choice =
                    self.common.filter.get(&axes[axis].name).or_else(|| self.common.filter.get(&axes[axis].key));
                choice.is_none_or(|choice| axes[axis].is_chosen(value, choice))
            };
            sensitivity.spec.metric == metric && sensitivity.grid.iter().all(chosen)
        };
        let shown = all.iter().find(is_shown);
        let mut keys = shown.map(sorted).unwrap_or_default();
        let screened = keys.iter().any(|(_, found)| matches!(found, KeySensitivity::Effects(_)));
        // A key of which nothing is known is named below: without a bar it would look as if it mattered least.
        keys.retain(|(_, found)| found.weight().is_some());
        let name = |axis: usize| {
            let name = &axes[axis].name;
            self.names.get(name).cloned().unwrap_or_else(|| name.replace('_', " "))
        };
        let of =
            |pick: &dyn Fn(&KeySensitivity) -> Option<Estimate>| keys.iter().map(|(_, found)| pick(found)).collect();
        let effects = |found: &KeySensitivity| match found {
            KeySensitivity::Effects(found) => {
                found.map(|found| Estimate { value: found.mean_size, interval: found.interval })
            }
            KeySensitivity::Indices(_) => None,
        };
        let index = |found: &KeySensitivity, total: bool| match found {
            KeySensitivity::Indices(Some((_, found))) if total => {
                Some(Estimate { value: found.total, interval: found.total_interval })
            }
            KeySensitivity::Indices(Some((_, found))) => {
                Some(Estimate { value: found.first, interval: found.first_interval })
            }
            KeySensitivity::Indices(None) | KeySensitivity::Effects(_) => None,
        };
        let (series, y) = if screened {
            let label = self
                .y_label
                .clone()
                .unwrap_or_else(|| format!("mean size of the effects on {}", called(&self.labels, metric)));
            let series = vec![BarSeries { name: "μ*".to_owned(), bars: of(&effects) }];
            (series, metric_axis(metric, Some(&label), self.y_scale))
        } else {
            let label = self
                .y_label
                .clone()
                .unwrap_or_else(|| format!("share of the variance of {}", called(&self.labels, metric)));
            let series = vec![
                BarSeries { name: "alone (first order)".to_owned(), bars: of(&|found| index(found, false)) },
                BarSeries { name: "with the others (total)".to_owned(), bars: of(&|found| index(found, true)) },
            ];
            (series, Axis { scale: self.y_scale, ..Axis::number(label) })
        };
        let chart = BarChart {
            title: self.common.heading(),
            subtitle: self.common.subtitle.clone(),
            label: self.x_label.clone().unwrap_or_default(),
            categories: keys.iter().map(|(axis, _)| name(*axis)).collect(),
            y,
            series,
            arrangement: Arrangement::Grouped,
        };
        let notes = shown.map(|shown| shown.notes(name)).unwrap_or_default();
        let paper = Paper { horizontal: self.horizontal, legend: self.legend, notes, ..self.common.paper() };
        Ok(Drawn::new(chart, paper))
    }
}
