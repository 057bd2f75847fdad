//! Marks at two figures of each point, and the points that no other one beats.

use super::along::{figure_axis, vertical_axis};
use super::strands::strands;
use super::swept::{by_series, summary};
use crate::report::chart::{LineChart, Point, Series, SeriesStyle};
use crate::report::results::Results;
use crate::scenario::ChartSpec;

/// `kind = "scatter"`.
pub(super) fn scatter(results: &Results<'_>, spec: &ChartSpec, title: String) -> LineChart {
    let along = spec.x.as_deref().unwrap_or_default();
    let place = |&point: &usize, figure: &str| {
        let (x, y) = (summary(results, point, along)?, summary(results, point, figure)?);
        let place = Point::new(x.mean, y.mean);
        Some(match y.interval {
            Some((low, high)) if high > low => place.within(low, high),
            _ => place,
        })
    };
    let groups = by_series(results, spec);
    let marks = strands(spec, &groups).into_iter().map(|strand| Series {
        points: strand.members.iter().filter_map(|point| place(point, strand.figure)).collect(),
        name: strand.name,
        style: SeriesStyle::Points,
    });
    let mut series: Vec<Series> = marks.collect();
    if spec.pareto {
        let points = series.iter().flat_map(|series| &series.points).copied().collect();
        series.push(Series::reference("Pareto front", pareto_front(points)));
    }
    LineChart {
        title,
        subtitle: spec.subtitle.clone(),
        x: figure_axis(along, spec.x_label.as_ref(), spec.x_scale),
        y: vertical_axis(spec),
        series,
        marks: Vec::new(),
        // From each point of the front on, nothing less is known until the next one.
        steps: true,
    }
}

/// The points that no other one beats, less being better: those with less of y than all that have no more of x, in the
/// order of x.
fn pareto_front(mut points: Vec<Point>) -> Vec<Point> {
    points.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    let mut least = f64::INFINITY;
    points.retain(|point| {
        let is_less = point.y < least;
        least = least.min(point.y);
        is_less
    });
    points.into_iter().map(|point| Point::new(point.x, point.y)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_what_is_not_beaten_is_on_the_front() {
        let points = [(3.0, 1.0), (1.0, 3.0), (2.0, 3.0), (1.0, 4.0), (2.0, 2.0), (2.0, 2.0), (4.0, 1.0)];
        let front = pareto_front(points.map(|(x, y)| Point::new(x, y)).to_vec());
        assert_eq!(front, [(1.0, 3.0), (2.0, 2.0), (3.0, 1.0)].map(|(x, y)| Point::new(x, y)));
    }

    proptest! {
        /// By the definition: a point is on the front where none is as good in both figures and better in one.
        #[test]
        fn the_front_is_what_its_definition_says(points in prop::collection::vec((0u32..9, 0u32..9), 1..20)) {
            let points: Vec<Point> = points.into_iter().map(|(x, y)| Point::new(f64::from(x), f64::from(y))).collect();
            let front = pareto_front(points.clone());
            let beats = |a: &Point, b: &Point| a.x <= b.x && a.y <= b.y && (a.x < b.x || a.y < b.y);
            for point in &points {
                let beaten = points.iter().any(|other| beats(other, point));
                prop_assert_eq!(front.iter().filter(|own| *own == point).count(), usize::from(!beaten));
            }
        }
    }
}
