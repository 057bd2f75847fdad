//! `kind = "scatter"`: marks at two metrics of each point, and the points that no other one beats.

use schemars::JsonSchema;
use serde::Deserialize;

use super::keys::{Common, Groups, Metrics, Shown, ends, metric_axis};
use super::looks::ChartContext;
use super::notes::of_means;
use super::series::{all_series, by_series, summary};
use super::thin::thin;
use super::{ChartKind, Drawn, SensitivitySpec, checks, common_at};
use crate::record::Direction;
use crate::report::results::Results;
use crate::scenario::{References, Scalar};
use hetsim_chart::axis::Scale;
use hetsim_chart::lines::{LineChart, Point, Series, SeriesStyle};
use hetsim_chart::paper::Paper;

/// The keys of a chart of marks.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct ScatterKeys {
    /// The keys of every chart.
    #[serde(flatten)]
    pub common: Common,
    /// The metric along x.
    pub x: String,
    /// The metrics along y.
    #[serde(flatten)]
    pub metrics: Metrics,
    /// The groups of marks.
    #[serde(flatten)]
    pub groups: Groups,
    /// The scale of x.
    #[serde(default)]
    pub x_scale: Scale,
    /// Both ends of x; by default those of the values.
    #[serde(default)]
    pub x_range: Option<[Scalar; 2]>,
    /// The label of x; by default the metric's name.
    #[serde(default)]
    pub x_label: Option<String>,
    /// Whether a stepped line joins the points that no other one beats in one of the metrics `x` and `y` without being
    /// worse in the other: the Pareto front, such as of time and energy. Less is better where a metric does not say
    /// that more is.
    #[serde(default)]
    pub pareto: bool,
}

impl ChartKind for ScatterKeys {
    common_at!(common);

    fn shown(&self) -> Shown<'_> {
        Shown::new(&self.common, &self.groups)
    }

    fn check(&self, at: &str, references: &mut References<'_>, _: &[SensitivitySpec]) {
        let series = self.groups.series.as_deref();
        checks::labels(references, at, &self.metrics.labels, self.metrics.y.all());
        checks::names(references, at, self.shown(), &[series], false);
        references.axis_if_given(&format!("{at}.series"), series);
        checks::apart(references, at, &[], self.shown());
        references.number(&format!("{at}.x"), &self.x);
        for metric in self.metrics.y.all() {
            checks::once(references, at, ("x", &self.x), ("y", metric));
        }
        if self.pareto && self.metrics.y.all().len() > 1 {
            let message = "a Pareto front is of one metric along y".to_owned();
            references.wrong(&format!("{at}.pareto"), message, None);
        }
        checks::metrics(references, at, &self.metrics);
        checks::words(references, at, &self.metrics, |references, path, x| {
            checks::number(references, path, x, &self.x, self.x_scale);
        });
        let x_range = ("x_range", self.x_range.as_ref());
        checks::range(references, at, x_range, &self.x, self.x_scale);
        let number = |written: &Scalar| written.number_for(&self.x).ok();
        checks::inside(references, x_range, self.metrics.places(at, "x"), number);
        checks::colours(references, at, self.shown(), &self.metrics);
    }

    fn draw(&self, results: &Results<'_>, context: &ChartContext<'_>) -> Result<Drawn, String> {
        let place = |&point: &usize, metric: &str| {
            let (x, y) = (summary(results, point, &self.x)?, summary(results, point, metric)?);
            Some(Point::new(x.mean, y.mean).with(y.interval))
        };
        let shown = self.shown();
        let groups = by_series(results, shown);
        let metrics = self.metrics.y.all();
        let number = |written: &Scalar| written.number_for(&self.x).ok();
        let mut paper = Paper {
            looks: context.looks(results, shown, groups.iter().map(|(name, _)| name.as_deref()), metrics),
            x_ends: ends(self.x_range.as_ref(), number),
            y_ends: self.metrics.ends(),
            annotations: self.metrics.words(number),
            notes: of_means(results, &results.matching(&self.common.filter), metrics, Some("error bars")),
            ..self.groups.paper(&self.common)
        };
        let marks = all_series(&self.metrics, &groups).into_iter().map(|series| Series {
            points: series.members.iter().filter_map(|point| place(point, series.metric)).collect(),
            name: series.name,
            style: SeriesStyle::Points,
        });
        let mut series: Vec<Series> = marks.collect();
        if self.pareto {
            let points = series.iter().flat_map(|series| &series.points).copied().collect();
            let more = [&*self.x, self.metrics.first()].map(|metric| results.direction(metric) == Direction::More);
            series.push(Series::reference("Pareto front", stepped(pareto_front(points, more), more[0])));
        }
        paper.notes.extend(thin(&mut series, (self.x_scale, self.metrics.y_scale)));
        let chart = LineChart {
            title: self.common.heading(),
            subtitle: self.common.subtitle.clone(),
            x: metric_axis(&self.x, self.x_label.as_ref(), self.x_scale),
            y: self.metrics.axis(),
            series,
            marks: Vec::new(),
            // From each point of the front on, nothing better is known until the next one.
            steps: true,
            whiskers: true,
        };
        Ok(Drawn::new(chart, paper))
    }
}

/// The points that no other one beats, in the order in which each is better along x than the next one; `more` says of x
/// and of y whether more is better. Where a metric does not say, less is.
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

/// A front as a line that holds each value towards worse x, drawn as one that holds each value until the next greater
/// x: where more of x is better, each point gives its value back to where the one before it stands.
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
