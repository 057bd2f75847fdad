//! A line of a chart, and how it is drawn: its points with the gaps between them, and where it is in the picture.

use std::ops::Range;

use super::axis::{Axis, Extent};
use super::legend::Swatch;
use super::paper::Ends;
use super::style::Stroke;

/// A line.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// The name at the line's end.
    pub name: String,
    /// Its points, in any order.
    pub points: Vec<Point>,
    /// How it is drawn.
    pub style: SeriesStyle,
}

/// How a line is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SeriesStyle {
    /// In a colour, with marks.
    #[default]
    Data,
    /// One of several lines of a family: in the family's colour, with a dash and marks by its place in it.
    Member {
        /// Which family: the number of the colour.
        family: usize,
        /// Which of its lines: the number of the dash.
        member: usize,
    },
    /// In a colour, with marks only: nothing is known between them.
    Points,
    /// Dashed and grey: a bound, a model, or the value that others are compared with.
    Reference,
}

/// A point of a line, with its interval where there is one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Where, along the horizontal axis.
    pub x: f64,
    /// The value.
    pub y: f64,
    /// The low end of the interval.
    pub low: Option<f64>,
    /// The high end of the interval.
    pub high: Option<f64>,
}

impl Point {
    /// A point without an interval.
    #[must_use]
    pub const fn new(x: f64, y: f64) -> Self {
        Self { x, y, low: None, high: None }
    }

    /// The same point with an interval.
    #[must_use]
    pub const fn within(self, low: f64, high: f64) -> Self {
        Self { low: Some(low), high: Some(high), ..self }
    }

    /// The same point with its interval, where it has one of some length.
    #[must_use]
    pub fn with(self, interval: Option<(f64, f64)>) -> Self {
        interval.filter(|(low, high)| high > low).map_or(self, |(low, high)| self.within(low, high))
    }

    /// The interval, as far as it has a place on `axis`.
    pub(super) fn interval(&self, axis: &Axis) -> Option<Extent> {
        axis.extent(self.low?, self.high?)
    }
}

impl Series {
    /// A line of data.
    #[must_use]
    pub fn data(name: impl Into<String>, points: Vec<Point>) -> Self {
        Self { name: name.into(), points, style: SeriesStyle::Data }
    }

    /// A line to compare with.
    #[must_use]
    pub fn reference(name: impl Into<String>, points: Vec<Point>) -> Self {
        Self { style: SeriesStyle::Reference, ..Self::data(name, points) }
    }
}

/// A line that has points on the sheet, with its look.
pub(super) struct Drawn<'a> {
    pub(super) name: &'a str,
    pub(super) course: Course,
    /// Where it is in the picture.
    pub(super) seen: Vec<(f64, f64)>,
    pub(super) stroke: Stroke,
    /// The marker's shape; none for reference lines.
    pub(super) shape: Option<usize>,
    /// Whether a line joins the points.
    pub(super) is_joined: bool,
}

/// With more points a line has marks on some only.
const MOST_MARKS: usize = 14;

impl Drawn<'_> {
    /// Every how many points there is a mark.
    pub(super) fn stride(&self) -> usize {
        if self.is_joined { self.course.points.len().div_ceil(MOST_MARKS) } else { 1 }
    }

    /// Whether some of it lies between these ends of y.
    pub(super) fn is_visible(&self, ends: Ends) -> bool {
        let Ends { low: Some(low), high: Some(high) } = Ends::over(&self.heights()) else { return false };
        self.heights().into_iter().any(|y| ends.hold(y)) || (self.is_joined && ends.meet(low, high))
    }

    fn heights(&self) -> Vec<f64> {
        self.seen.iter().map(|(_, y)| *y).collect()
    }

    pub(super) fn swatch(&self) -> Swatch {
        let (stroke, is_joined) = (self.stroke, self.is_joined);
        self.shape.map_or(Swatch::Line(stroke), |shape| Swatch::Marked { stroke, shape, is_joined })
    }
}

/// The points of a line that have a place, from left to right.
pub(super) struct Course {
    pub(super) points: Vec<Point>,
    /// The numbers of the points before which something has no place: nothing is drawn across it.
    gaps: Vec<usize>,
}

impl Course {
    pub(super) fn new(series: &Series, (x, y): (&Axis, &Axis)) -> Self {
        let mut all: Vec<Point> = series.points.iter().copied().filter(|point| x.shows(point.x)).collect();
        all.sort_by(|a, b| a.x.total_cmp(&b.x));
        let (mut points, mut gaps) = (Vec::new(), Vec::new());
        for point in all {
            if y.shows(point.y) {
                points.push(point);
            } else {
                gaps.push(points.len());
            }
        }
        Self { points, gaps }
    }

    /// The points between gaps.
    pub(super) fn pieces(&self) -> impl Iterator<Item = Range<usize>> {
        let ends = self.gaps.iter().copied().chain([self.points.len()]);
        let mut start = 0;
        ends.map(move |end| std::mem::replace(&mut start, end)..end).filter(|piece| !piece.is_empty())
    }

    /// The points with a gap at both sides.
    pub(super) fn alone(&self) -> Vec<usize> {
        self.pieces().filter(|piece| piece.len() == 1).map(|piece| piece.start).collect()
    }

    /// Where it is between these ends of x: its points, and where a line that joins them crosses an end; with `steps` it
    /// holds each value until the next point.
    pub(super) fn seen(&self, ends: Ends, (x, y): (&Axis, &Axis), joined: Option<bool>) -> Vec<(f64, f64)> {
        let mut seen = Vec::new();
        for piece in self.pieces() {
            for index in piece.clone() {
                let to = self.points[index];
                if let (Some(steps), true) = (joined, index > piece.start) {
                    let from = self.points[index - 1];
                    let share = |end: f64| {
                        let [start, end, stop] = [from.x, end, to.x].map(|at| x.scale.place(at));
                        if steps { 0.0 } else { (end - start) / (stop - start) }
                    };
                    let height = |end| y.scale.between((from.y, to.y), share(end));
                    let crossed = ends.values().filter(|&end| from.x < end && end < to.x);
                    seen.extend(crossed.map(|end| (end, height(end))));
                }
                seen.extend(ends.hold(to.x).then_some((to.x, to.y)));
            }
        }
        seen
    }
}

#[cfg(test)]
mod tests {
    use crate::annotation::Mark;
    use crate::axis::Axis;
    use crate::canvas::Picture;
    use crate::drawing::Drawing as _;
    use crate::lines::{LineChart, Point, Series};
    use crate::paper::{Annotation, Ends, LegendPlace, Paper};

    fn line(ys: &[f64]) -> Series {
        Series::data("it", ys.iter().zip(1..).map(|(&y, x)| Point::new(f64::from(x), y)).collect())
    }

    fn drawn(chart: &LineChart, paper: &Paper) -> (Picture, String) {
        let picture = chart.picture(paper);
        let svg = picture.document("", None);
        (picture, svg)
    }

    fn count(svg: &str, element: &str) -> usize {
        svg.matches(&format!("<{element} ")).count()
    }

    fn says(svg: &str, text: &str) -> bool {
        svg.lines().any(|line| line.replace('\u{a0}', " ") == text)
    }

    /// Neither a line nor a band leads across what is undefined, and a point between two gaps is seen.
    #[test]
    fn what_is_undefined_leaves_a_gap() {
        let mut series = line(&[1.0, 2.0, f64::NAN, 4.0, f64::NAN, 6.0, 7.0]);
        let of = |series: &Series| {
            drawn(&LineChart { series: vec![series.clone()], ..LineChart::default() }, &Paper::default()).1
        };
        let whole = of(&line(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]));
        let cut = of(&series);
        assert_eq!(
            count(&cut, "polyline") + count(&cut, "line"),
            count(&whole, "polyline") + count(&whole, "line") + 1
        );
        // A mark is two circles, and the name has one, too.
        let marks = |svg: &str| count(svg, "circle") / 2 - 1;
        assert_eq!((marks(&cut), marks(&whole)), (5, 7));
        series.points = series.points.into_iter().map(|at| at.within(at.y - 0.5, at.y + 0.5)).collect();
        assert_eq!(count(&of(&series), "polygon"), 2);
        // Of every second point with a mark the one alone is none.
        let many: Vec<f64> = (0..30).map(|n| if [9, 11].contains(&n) { f64::NAN } else { f64::from(n) }).collect();
        assert_eq!(marks(&of(&line(&many))), 14 + 1);
        series.style = crate::lines::SeriesStyle::Reference;
        assert_eq!(count(&of(&series), "circle"), 2);
    }

    /// What lies outside of the picture has no say in it: a line that crosses the border is named there.
    #[test]
    fn a_range_shows_what_is_in_it() {
        let far = Series::data("far", vec![Point::new(8.0, 1e6), Point::new(9.0, 1e6)]);
        let mark = |x, y, label: &str| Mark { x, y, label: label.to_owned(), series: None };
        let chart = LineChart {
            series: vec![line(&[1.0, 2.0, 3.0, 1003.0]), far],
            marks: vec![mark(1.0, 1.5, "in"), mark(7.0, 1.0, "beside"), mark(2.0, 99.0, "above")],
            ..LineChart::default()
        };
        let ends = |low, high| Ends { low: Some(low), high: Some(high) };
        let paper = Paper { x_ends: ends(1.0, 3.004), legend: Some(LegendPlace::Above), ..Paper::default() };
        let (_, svg) = drawn(&LineChart { marks: chart.marks[..2].to_vec(), ..chart.clone() }, &paper);
        assert!(says(&svg, "in") && !says(&svg, "beside") && !says(&svg, "far"));
        assert!(says(&svg, "6") && !says(&svg, "1000"), "the line is at 7 where it leaves");
        let (_, svg) = drawn(&chart, &Paper { y_ends: ends(0.0, 9.0), ..paper });
        assert!(says(&svg, "in") && !says(&svg, "above"));
        // Of the line that leaves at the top right the name is at the top right.
        let at = |scale: fn(Axis) -> Axis| {
            let chart = LineChart { x: scale(Axis::number("")), y: scale(Axis::number("")), ..chart.clone() };
            let course = super::Course::new(&line(&[1.0, 2.0, 4.0, 16.0]), (&chart.x, &chart.y));
            course.seen(ends(2.0, 12f64.sqrt()), (&chart.x, &chart.y), Some(false))
        };
        assert_eq!(at(|axis| axis)[1..2], [(3.0, 4.0)]);
        let (_, height) = at(Axis::logarithmic)[2];
        assert!((height - 8.0).abs() < 1e-9, "half of the way from 4 to 16: {height}");
    }

    /// Values without a place are counted below, and the axis x is that of all values.
    #[test]
    fn a_logarithmic_axis_says_what_it_hides() {
        let y = Axis::number("y").logarithmic();
        let chart = LineChart { y, series: vec![line(&[0.0, -1.0, 4.0, 2.0, 0.0, f64::NAN])], ..LineChart::default() };
        let (picture, svg) = drawn(&chart, &Paper::default());
        assert_eq!(picture.notes, ["3 values of 0 or below have no place on a logarithmic axis"]);
        assert!((1..=6).all(|x| says(&svg, &x.to_string())), "{svg}");
        // Also where nothing else is left.
        let none = LineChart { series: vec![line(&[0.0])], ..chart.clone() };
        assert_eq!(
            drawn(&none, &Paper::default()).0.notes,
            ["1 value of 0 or below has no place on a logarithmic axis"]
        );
        let linear = LineChart { y: Axis::number("y"), ..chart };
        assert!(drawn(&linear, &Paper::default()).0.notes.is_empty());
    }

    /// The axes reach words, as they reach marks.
    #[test]
    fn words_beyond_the_data_are_shown() {
        let words = |x, y| Annotation { text: "limit".to_owned(), x, y };
        let chart = LineChart { series: vec![line(&[1.0, 2.0])], ..LineChart::default() };
        for annotation in [words(None, Some(90.0)), words(Some(-7.0), None), words(Some(9.0), Some(70.0))] {
            let paper = Paper { annotations: vec![annotation], ..Paper::default() };
            assert!(says(&drawn(&chart, &paper).1, "limit"));
        }
    }
}
