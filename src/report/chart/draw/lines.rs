//! Lines over a common axis, each named at its end.

use super::annotation::{Mark, Marks};
use super::axis::{Axis, Extent, Reach, Ruler};
use super::canvas::{Anchor, Canvas, Place, TextLook};
use super::category::CategoryNames;
use super::frame::{AXIS_LABEL_HEIGHT, Plot, Sheet, TICKS_HEIGHT, ticks_width};
use super::marker::{arrow, mark};
use super::spread::spread;
use super::style::{
    Colour, HEIGHT, MARGIN, REFERENCE_DASH, Stroke, TICK_SIZE, WIDTH, cycle, dash, line_colour, shorten_all, text_width,
};
use crate::report::text::Kind;

/// A chart of lines, such as completion time over message size with a line an algorithm.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LineChart {
    /// What the chart shows, in sentence case.
    pub title: String,
    /// The condition under which it was measured.
    pub subtitle: Option<String>,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The lines.
    pub series: Vec<Series>,
    /// Single values to compare them with.
    pub marks: Vec<Mark>,
    /// Whether a value holds until the next one, instead of changing evenly on the way there.
    pub steps: bool,
}

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
    pub(crate) fn with(self, interval: Option<(f64, f64)>) -> Self {
        interval.filter(|(low, high)| high > low).map_or(self, |(low, high)| self.within(low, high))
    }

    /// The interval, as far as it has a place on `axis`.
    fn interval(&self, axis: &Axis) -> Option<Extent> {
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
struct Drawn<'a> {
    name: &'a str,
    points: Vec<Point>,
    stroke: Stroke,
    /// The marker's shape; none for reference lines.
    shape: Option<usize>,
    /// Whether a line joins the points.
    is_joined: bool,
}

const LABEL_LEADING: f64 = 15.5;
/// From the plot area to the sample of the line: room for leaders.
const LEADER: f64 = 26.0;
const SAMPLE: f64 = 22.0;
const NAME_WIDTH: f64 = 190.0;
const MARKER_RADIUS: f64 = 3.0;
/// With more points a line has marks on some only.
const MOST_MARKS: usize = 14;

impl LineChart {
    /// The chart as an SVG document.
    #[must_use]
    pub fn svg(&self) -> String {
        let lines = self.drawn();
        let marks = Marks::of(&self.marks, |mark| self.x.shows(mark.x) && self.y.shows(mark.y));
        let points = || lines.iter().flat_map(|line| &line.points);
        let marked = || marks.iter().flat_map(|marks| &marks.points);
        let ys = points().flat_map(|point| {
            let [low, high] = point.interval(&self.y).map_or([point.y; 2], |interval| interval.reach(point.y));
            [point.y, low, high]
        });
        let xs = points().map(|point| point.x).chain(marked().map(|(x, _)| *x));
        let x_ruler = Ruler::new(&self.x, xs, Reach::Data, 11);
        let y_ruler = Ruler::new(&self.y, ys.chain(marked().map(|(_, y)| *y)), Reach::Ticks, 7);
        let sheet = Sheet::new(&self.title, self.subtitle.as_deref());
        let (Some(x_ruler), Some(y_ruler), false) = (x_ruler, y_ruler, lines.is_empty()) else {
            return sheet.no_data();
        };

        let names = lines.iter().map(|line| line.name).chain(marks.iter().map(|marks| marks.name));
        let names = names.map(|name| text_width(name, TICK_SIZE)).fold(0.0, f64::max).min(NAME_WIDTH);
        let column = if names > 0.0 { LEADER + SAMPLE + 6.0 + names } else { 0.0 };
        let left = MARGIN + ticks_width(&y_ruler);
        let right = WIDTH - MARGIN - column;
        let categories = match &self.x.kind {
            Kind::Category(names) => Some(CategoryNames::new(names, (right - left) / names.len() as f64)),
            _ => None,
        };
        let below = categories.as_ref().map_or(TICKS_HEIGHT, CategoryNames::height) + AXIS_LABEL_HEIGHT + 8.0;
        let top = sheet.top() + 34.0;
        // More names than fit make the chart higher.
        let height = HEIGHT.max(top + below + (lines.len() + marks.len()) as f64 * LABEL_LEADING);
        let plot = Plot { left, right, top, bottom: height - below };

        sheet.draw(height, |canvas| {
            plot.draw_vertical_axis(canvas, &y_ruler, &self.y.label);
            if let Some(categories) = &categories {
                plot.draw_base_line(canvas, plot.bottom);
                categories.draw(canvas, plot.bottom, |index| plot.x(x_ruler.fraction(index as f64)));
                plot.draw_horizontal_label(canvas, &self.x.label, plot.bottom + categories.height());
            } else {
                plot.draw_horizontal_axis(canvas, &x_ruler, &self.x.label);
            }
            let place = |x: f64, y: f64| (plot.x(x_ruler.fraction(x)), plot.y(y_ruler.fraction(y)));
            for line in &lines {
                draw_intervals(canvas, line, (&self.y, plot), self.steps, place);
            }
            for line in &lines {
                draw_line(canvas, line, self.steps, place);
            }
            for marks in &marks {
                for &(x, y) in &marks.points {
                    marks.draw(canvas, place(x, y));
                }
            }
            draw_names(canvas, &entries(&lines, &marks, place), plot);
        })
    }

    /// The lines that have points with a place, reference lines first so that data lie above them.
    fn drawn(&self) -> Vec<Drawn<'_>> {
        let (mut references, mut data) = (Vec::new(), Vec::new());
        let mut index = 0;
        for series in &self.series {
            let mut points: Vec<Point> = series.points.clone();
            points.retain(|point| self.x.shows(point.x) && self.y.shows(point.y));
            points.sort_by(|a, b| a.x.total_cmp(&b.x));
            // A series without points keeps its colour, so that charts of one report agree.
            let own = index;
            index += usize::from(matches!(series.style, SeriesStyle::Data | SeriesStyle::Points));
            if points.is_empty() {
                continue;
            }
            let name = series.name.trim();
            let mut add = |colour: usize, dash: &'static [f64], shape: usize| {
                let stroke = Stroke::new(line_colour(colour), 1.8).dashed(dash);
                let is_joined = series.style != SeriesStyle::Points;
                data.push(Drawn { name, points: std::mem::take(&mut points), stroke, shape: Some(shape), is_joined });
            };
            match series.style {
                SeriesStyle::Data | SeriesStyle::Points => add(own, dash(cycle(own)), own),
                SeriesStyle::Member { family, member } => add(family, dash(member), member),
                SeriesStyle::Reference => {
                    let stroke = Stroke::new(Colour::SILVER, 1.4).dashed(REFERENCE_DASH);
                    references.push(Drawn { name, points, stroke, shape: None, is_joined: true });
                }
            }
        }
        references.append(&mut data);
        references
    }
}

/// The corners of a line through `places`: with steps, two where one was.
fn cornered(places: Vec<Place>, steps: bool) -> Vec<Place> {
    if !steps {
        return places;
    }
    let turns = places.windows(2).flat_map(|pair| [pair[0], (pair[1].0, pair[0].1)]);
    turns.chain(places.last().copied()).collect()
}

/// Draws the intervals of a line: a band where points with one follow each other, a bar at a point that stands alone,
/// and an arrow where one goes on beyond the axis.
fn draw_intervals(
    canvas: &mut Canvas<'_>,
    line: &Drawn<'_>,
    (axis, plot): (&Axis, Plot),
    steps: bool,
    place: impl Fn(f64, f64) -> Place,
) {
    let ends = |point: &Point| -> Option<(Place, Place)> {
        let (interval, (x, _)) = (point.interval(axis)?, place(point.x, point.y));
        let height = |end: Option<f64>, beyond| end.map_or(beyond, |end| place(point.x, end).1);
        Some(((x, height(interval.low, plot.bottom)), (x, height(interval.high, plot.top))))
    };
    for run in line.points.chunk_by(|a, b| a.interval(axis).is_some() == b.interval(axis).is_some()) {
        let ends: Vec<(Place, Place)> = run.iter().filter_map(ends).collect();
        match ends.as_slice() {
            [] => {}
            bars if bars.len() == 1 || !line.is_joined => {
                for (low, high) in bars {
                    canvas.line(&[*low, *high], Stroke::new(line.stroke.colour, 1.2));
                }
            }
            _ => {
                let above = cornered(ends.iter().map(|(_, high)| *high).collect(), steps);
                let below = cornered(ends.iter().map(|(low, _)| *low).collect(), steps);
                let outline: Vec<Place> = above.into_iter().chain(below.into_iter().rev()).collect();
                canvas.polygon(&outline, line.stroke.colour, 0.16);
            }
        }
    }
    for point in &line.points {
        let Some(interval) = point.interval(axis) else { continue };
        let from = place(point.x, point.y);
        for (_, tip) in [(interval.low, plot.bottom), (interval.high, plot.top)].iter().filter(|(end, _)| end.is_none())
        {
            arrow(canvas, from, (from.0, *tip), line.stroke.colour);
        }
    }
}

fn draw_line(canvas: &mut Canvas<'_>, line: &Drawn<'_>, steps: bool, place: impl Fn(f64, f64) -> Place) {
    let places: Vec<Place> = line.points.iter().map(|point| place(point.x, point.y)).collect();
    if places.len() > 1 && line.is_joined {
        canvas.line(&cornered(places.clone(), steps), line.stroke);
    }
    let Some(shape) = line.shape else {
        if let [only] = places[..] {
            mark(canvas, 0, only, MARKER_RADIUS, line.stroke.colour);
        }
        return;
    };
    let stride = if line.is_joined { places.len().div_ceil(MOST_MARKS) } else { 1 };
    for at in places.iter().step_by(stride) {
        mark(canvas, shape, *at, MARKER_RADIUS, line.stroke.colour);
    }
}

/// What is named beside the plot: a line at its end, or marks.
enum Entry<'a> {
    Line(&'a Drawn<'a>, Place),
    Marks(&'a Marks<'a>, Place),
}

fn entries<'a>(lines: &'a [Drawn<'a>], marks: &'a [Marks<'a>], place: impl Fn(f64, f64) -> Place) -> Vec<Entry<'a>> {
    let end = |line: &Drawn<'_>| {
        let last = line.points[line.points.len() - 1];
        place(last.x, last.y)
    };
    let last = |marks: &Marks<'_>| {
        let (x, y) = marks.points[marks.points.len() - 1];
        place(x, y)
    };
    let lines = lines.iter().filter(|line| !line.name.is_empty()).map(|line| Entry::Line(line, end(line)));
    let marks = marks.iter().filter(|marks| !marks.name.is_empty()).map(|marks| Entry::Marks(marks, last(marks)));
    lines.chain(marks).collect()
}

/// Writes the names in a column at the right, each as near to its line's end as the others allow, with a sample of the
/// line and a thin leader.
fn draw_names(canvas: &mut Canvas<'_>, entries: &[Entry<'_>], plot: Plot) {
    let wanted: Vec<f64> = entries.iter().map(|(Entry::Line(_, at) | Entry::Marks(_, at))| at.1).collect();
    let heights = spread(&wanted, LABEL_LEADING, plot.top, plot.bottom - 4.0);
    let start = plot.right + LEADER;
    let names = entries.iter().map(|entry| match entry {
        Entry::Line(line, _) => line.name,
        Entry::Marks(marks, _) => marks.name,
    });
    let names = shorten_all(&names.collect::<Vec<_>>(), TICK_SIZE, NAME_WIDTH);
    for ((entry, y), name) in entries.iter().zip(heights).zip(names) {
        let colour = match entry {
            Entry::Line(line, end) => {
                // From marks that lie anywhere a leader would cross others.
                if line.is_joined {
                    let leader = Stroke::new(line.stroke.colour, 0.7).alpha(0.6);
                    canvas
                        .line(&[(end.0 + 5.0, end.1), (plot.right + 6.0, end.1), (start - 5.0, y), (start, y)], leader);
                    canvas.line(&[(start, y), (start + SAMPLE, y)], line.stroke);
                }
                if let Some(shape) = line.shape {
                    mark(canvas, shape, (start + SAMPLE / 2.0, y), MARKER_RADIUS, line.stroke.colour);
                }
                line.stroke.colour.as_text()
            }
            // Marks lie anywhere; a leader would cross the lines.
            Entry::Marks(marks, _) => {
                marks.draw(canvas, (start + SAMPLE / 2.0, y));
                marks.text_colour()
            }
        };
        let look = TextLook::new(TICK_SIZE, colour, Anchor::Start);
        canvas.text(&name, (start + SAMPLE + 6.0, y), look);
    }
}
