//! `kind = "box"`: how a metric is distributed at each value of a swept key.

use super::along::{Along, vertical_axis};
use super::strands::strands;
use super::swept::by_series;
use crate::report::chart::{BoxPlot, BoxSeries};
use crate::report::results::Results;
use crate::scenario::ChartSpec;

/// The chart: each box is of all replicas of all points that have its x and its series.
pub(super) fn boxes(results: &Results<'_>, spec: &ChartSpec, title: String) -> BoxPlot {
    let x = Along::new(results, spec, spec.x.as_ref(), &results.matching(&spec.filter));
    let groups = by_series(results, spec);
    let sample = |members: &[usize], metric: &str, place: usize| {
        let here = members.iter().filter(|&&point| x.is_at(results, point, place));
        here.flat_map(|&point| results.numbers(point, metric)).collect()
    };
    let series = strands(spec, &groups).into_iter().map(|strand| BoxSeries {
        samples: (0..x.values.len()).map(|place| sample(strand.members, strand.metric, place)).collect(),
        name: strand.name,
    });
    BoxPlot {
        title,
        subtitle: spec.subtitle.clone(),
        label: x.label(results, spec.x_label.as_ref()),
        categories: x.names.clone(),
        y: vertical_axis(spec),
        series: series.collect(),
    }
}
