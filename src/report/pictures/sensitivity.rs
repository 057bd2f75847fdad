//! `kind = "sensitivity"`: which keys of a design matter for a metric.

use super::along::{called, metric_axis};
use crate::report::chart::{Arrangement, Axis, Bar, BarChart, BarSeries};
use crate::report::results::Results;
use crate::report::sensitivity::{Found, Sensitivity, sensitivities, sorted};
use crate::scenario::ChartSpec;

/// The chart: bars with intervals, the key that matters most first.
pub(super) fn sensitivity(results: &Results<'_>, spec: &ChartSpec, title: String) -> BarChart {
    let axes = &results.scenario().axes;
    let metric = spec.y.first().map(String::as_str).unwrap_or_default();
    let all = sensitivities(results);
    let is_shown = |sensitivity: &&Sensitivity<'_>| {
        let chosen = |&(axis, value): &(usize, usize)| {
            let choice = spec.filter.get(&axes[axis].name).or_else(|| spec.filter.get(&axes[axis].key));
            choice.is_none_or(|choice| axes[axis].is_chosen(value, choice))
        };
        sensitivity.spec.metric == metric && sensitivity.grid.iter().all(chosen)
    };
    let keys = all.iter().find(is_shown).map(sorted).unwrap_or_default();
    let name = |axis: usize| {
        let name = &axes[axis].name;
        spec.names.get(name).cloned().unwrap_or_else(|| name.replace('_', " "))
    };
    let bar = |value: f64, interval: Option<(f64, f64)>| {
        interval.map_or(Bar::new(value), |(low, high)| Bar::new(value).within(low, high))
    };
    let of = |pick: &dyn Fn(&Found) -> Option<Bar>| keys.iter().map(|(_, found)| pick(found)).collect();
    let effects = |found: &Found| match found {
        Found::Effects(found) => found.map(|found| bar(found.mean_size, found.interval)),
        Found::Indices(_) => None,
    };
    let index = |found: &Found, total: bool| match found {
        Found::Indices(Some((_, found))) if total => Some(bar(found.total, found.total_interval)),
        Found::Indices(Some((_, found))) => Some(bar(found.first, found.first_interval)),
        Found::Indices(None) | Found::Effects(_) => None,
    };
    let screened = keys.iter().any(|(_, found)| matches!(found, Found::Effects(_)));
    let (series, y) = if screened {
        let label =
            spec.y_label.clone().unwrap_or_else(|| format!("mean size of the effects on {}", called(spec, metric)));
        let series = vec![BarSeries { name: "μ*".to_owned(), bars: of(&effects) }];
        (series, metric_axis(metric, Some(&label), spec.y_scale))
    } else {
        let label =
            spec.y_label.clone().unwrap_or_else(|| format!("share of the variance of {}", called(spec, metric)));
        let series = vec![
            BarSeries { name: "alone (first order)".to_owned(), bars: of(&|found| index(found, false)) },
            BarSeries { name: "with the others (total)".to_owned(), bars: of(&|found| index(found, true)) },
        ];
        (series, Axis::number(label))
    };
    BarChart {
        title,
        subtitle: spec.subtitle.clone(),
        label: spec.x_label.clone().unwrap_or_default(),
        categories: keys.iter().map(|(axis, _)| name(*axis)).collect(),
        y,
        series,
        arrangement: Arrangement::Grouped,
    }
}
