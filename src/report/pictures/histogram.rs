//! `kind = "histogram"`: how a metric is distributed over replicas and points.

use super::along::{called, metric_axis};
use super::swept::{belongs, by_series};
use crate::report::chart::{Histogram, Sample, Threshold};
use crate::report::results::Results;
use crate::scenario::{ChartSpec, MarkSpec};

/// The chart, with a panel for each value of the series' key.
pub(super) fn histogram(results: &Results<'_>, spec: &ChartSpec, title: String) -> Histogram {
    let metric = spec.x.clone().unwrap_or_default();
    let samples = by_series(results, spec).into_iter().map(|(name, members)| {
        let marks = spec.mark.iter().filter(|mark| match &mark.series {
            None => true,
            Some(_) => members.first().is_some_and(|&point| belongs(results, spec, mark, point)),
        });
        let threshold = |mark: &MarkSpec| {
            let value = mark.value.as_ref()?.number_for(&metric).ok()?;
            Some(Threshold { value, label: mark.label.clone() })
        };
        Sample {
            name: name.unwrap_or_default(),
            values: members.iter().flat_map(|&point| results.numbers(point, &metric)).collect(),
            marks: marks.filter_map(threshold).collect(),
        }
    });
    let label = spec.x_label.clone().unwrap_or_else(|| called(spec, &metric));
    Histogram {
        title,
        subtitle: spec.subtitle.clone(),
        x: metric_axis(&metric, Some(&label), spec.x_scale),
        samples: samples.collect(),
        bins: spec.bins.map(|bins| bins as usize),
    }
}
