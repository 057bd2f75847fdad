//! Marks at two metrics of each point, and the points that no other one beats.

use super::along::{metric_axis, vertical_axis};
use super::strands::strands;
use super::swept::{by_series, summary};
use crate::record::Direction;
use crate::report::chart::{LineChart, Point, Series, SeriesStyle};
use crate::report::results::Results;
use crate::scenario::ChartSpec;

/// `kind = "scatter"`.
pub(super) fn scatter(results: &Results<'_>, spec: &ChartSpec, title: String) -> LineChart {
    let along = spec.x.as_deref().unwrap_or_default();
    let place = |&point: &usize, metric: &str| {
        let (x, y) = (summary(results, point, along)?, summary(results, point, metric)?);
        let place = Point::new(x.mean, y.mean);
        Some(match y.interval {
            Some((low, high)) if high > low => place.within(low, high),
            _ => place,
        })
    };
    let groups = by_series(results, spec);
    let marks = strands(spec, &groups).into_iter().map(|strand| Series {
        points: strand.members.iter().filter_map(|point| place(point, strand.metric)).collect(),
        name: strand.name,
        style: SeriesStyle::Points,
    });
    let mut series: Vec<Series> = marks.collect();
    if spec.pareto {
        let points = series.iter().flat_map(|series| &series.points).copied().collect();
        let file = &results.scenario().file;
        let y = spec.y.first().map(String::as_str).unwrap_or_default();
        let more = [along, y].map(|metric| file.direction(metric) == Direction::More);
        series.push(Series::reference("Pareto front", stepped(pareto_front(points, more), more[0])));
    }
    LineChart {
        title,
        subtitle: spec.subtitle.clone(),
        x: metric_axis(along, spec.x_label.as_ref(), spec.x_scale),
        y: vertical_axis(spec),
        series,
        marks: Vec::new(),
        // From each point of the front on, nothing better is known until the next one.
        steps: true,
    }
}

/// The points that no other one beats, in the order in which each is better along x than the next one; `more` says of x and of y
/// whether more is better. Where a metric does not say, less is.
fn pareto_front(mut points: Vec<Point>, more: [bool; 2]) -> Vec<Point> {
    let cost = |value: f64, more: bool| if more { -value } else { value };
    let costs = |point: &Point| (cost(point.x, more[0]), cost(point.y, more[1]));
    points.sort_by(|a, b| costs(a).0.total_cmp(&costs(b).0).then(costs(a).1.total_cmp(&costs(b).1)));
    let mut least = f64::INFINITY;
    points.retain(|point| {
        let (_, y) = costs(point);
        let is_less = y < least;
        least = least.min(y);
        is_less
    });
    points.into_iter().map(|point| Point::new(point.x, point.y)).collect()
}

/// A front as a line that holds each value towards worse x, drawn as one that holds each value until the next greater x: where
/// more of x is better, each point gives its value back to where the one before it stands.
fn stepped(mut front: Vec<Point>, more: bool) -> Vec<Point> {
    if !more {
        return front;
    }
    front.reverse();
    let turns: Vec<Point> = front.windows(2).flat_map(|pair| [pair[0], Point::new(pair[0].x, pair[1].y)]).collect();
    turns.into_iter().chain(front.last().copied()).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_what_is_not_beaten_is_on_the_front() {
        let points = [(3.0, 1.0), (1.0, 3.0), (2.0, 3.0), (1.0, 4.0), (2.0, 2.0), (2.0, 2.0), (4.0, 1.0)];
        let front = pareto_front(points.map(|(x, y)| Point::new(x, y)).to_vec(), [false, false]);
        assert_eq!(front, [(1.0, 3.0), (2.0, 2.0), (3.0, 1.0)].map(|(x, y)| Point::new(x, y)));
    }

    proptest! {
        /// By the definition: a point is on the front where none is as good in both metrics and better in one.
        #[test]
        fn the_front_is_what_its_definition_says(
            points in prop::collection::vec((0u32..9, 0u32..9), 1..20),
            more: [bool; 2],
        ) {
            let points: Vec<Point> = points.into_iter().map(|(x, y)| Point::new(f64::from(x), f64::from(y))).collect();
            let front = pareto_front(points.clone(), more);
            let sign = more.map(|more| if more { -1.0 } else { 1.0 });
            let cost = |point: &Point| (sign[0] * point.x, sign[1] * point.y);
            let beats = |a: &Point, b: &Point| {
                let (a, b) = (cost(a), cost(b));
                a.0 <= b.0 && a.1 <= b.1 && (a.0 < b.0 || a.1 < b.1)
            };
            for point in &points {
                let beaten = points.iter().any(|other| beats(other, point));
                prop_assert_eq!(front.iter().filter(|own| *own == point).count(), usize::from(!beaten));
            }
        }
    }
}
