//! Lines over a common axis, each named at its end.

use super::annotation::{Mark, Marks, draw_annotations};
use super::axis::{Axis, Reach, Ruler};
use super::canvas::{Canvas, Picture, SheetPoint};
use super::category::CategoryNames;
use super::coincide::Coinciding;
use super::drawing::Drawing;
use super::frame::{AXIS_LABEL_HEIGHT, Plot, Sheet, TICKS_HEIGHT, right_for_ticks, ticks_width};
use super::left_out::LeftOut;
use super::legend::Swatch;
use super::line::{Course, Drawn};
use super::marker::{MARKER_RADIUS, arrow, mark, whisker};
use super::names::{Column, Name};
use super::paper::{Ends, LegendPlace, MOST_SERIES, Paper, too_many};
use super::style::{Colour, REFERENCE_DASHES, Stroke, dash};
use crate::kind::Kind;

pub use super::line::{Point, Series, SeriesStyle};

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
    /// Whether the interval of each point is an error bar, instead of a part of a band.
    pub whiskers: bool,
}

impl LineChart {
    /// The chart as an SVG document.
    #[must_use]
    pub fn svg(&self) -> String {
        self.picture(&Paper::default()).document(&self.title, None)
    }

    /// The lines that are in the picture, reference lines first so that data lie above them.
    fn drawn(&self, paper: &Paper) -> Vec<Drawn<'_>> {
        let (mut references, mut data) = (Vec::new(), Vec::new());
        let mut index = 0;
        for series in &self.series {
            let course = Course::new(series, (&self.x, &self.y));
            // A series without points keeps its colour, so that charts of one report agree.
            let own = index;
            index += usize::from(matches!(series.style, SeriesStyle::Data | SeriesStyle::Points));
            let is_joined = series.style != SeriesStyle::Points;
            let seen = course.seen(paper.x_ends, (&self.x, &self.y), is_joined.then_some(self.steps));
            if seen.is_empty() {
                continue;
            }
            let name = series.name.trim();
            match series.style {
                SeriesStyle::Data | SeriesStyle::Points => {
                    let (stroke, shape) = (paper.stroke(own, 1.8), Some(paper.shape(own)));
                    data.push(Drawn { name, course, seen, stroke, shape, is_joined });
                }
                SeriesStyle::Member { family, member } => {
                    let stroke = paper.stroke(family, 1.8).dashed(dash(member));
                    data.push(Drawn { name, course, seen, stroke, shape: Some(member), is_joined });
                }
                SeriesStyle::Reference => {
                    let dash = REFERENCE_DASHES[references.len() % REFERENCE_DASHES.len()];
                    let stroke = Stroke::new(Colour::SILVER, 1.4).dashed(dash);
                    references.push(Drawn { name, course, seen, stroke, shape: None, is_joined });
                }
            }
        }
        references.append(&mut data);
        references
    }

    /// Lists all values: those of lines, then marks.
    fn list(
        &self,
        canvas: &mut Canvas<'_>,
        lines: &[Drawn<'_>],
        marks: &[Marks<'_>],
        paper: &Paper,
        place: impl Fn(f64, f64) -> SheetPoint,
    ) {
        let series = if paper.legend_title.is_empty() { "series" } else { &paper.legend_title };
        canvas.heads(&[series, &self.x.label, &self.y.label, "interval"]);
        let data = lines.iter().flat_map(|line| line.course.points.iter().map(move |point| (line.name, *point)));
        let marks =
            marks.iter().flat_map(|marks| marks.points.iter().map(move |&(x, y)| (marks.name, Point::new(x, y))));
        for (name, point) in data.chain(marks) {
            let interval = point.low.zip(point.high).map(|(low, high)| self.y.kind.format_interval(low, high));
            let at = place(point.x, point.y);
            let (x, y) = (self.x.kind.format_finely(point.x), self.y.kind.format_finely(point.y));
            canvas.target(name, (at, at), vec![name.to_owned(), x, y, interval.unwrap_or_default()]);
        }
    }

    /// Draws the intervals of a line: a band where points with one follow each other, which tapers off to the points
    /// without one beside it, a bar at a point that stands alone or where bars are wanted, and an arrow where one goes on
    /// beyond the axis.
    fn draw_intervals(
        &self,
        canvas: &mut Canvas<'_>,
        line: &Drawn<'_>,
        plot: Plot,
        place: impl Fn(f64, f64) -> SheetPoint,
    ) {
        let axis = &self.y;
        let ends = |point: &Point| -> Option<(SheetPoint, SheetPoint)> {
            let (interval, (x, _)) = (point.interval(axis)?, place(point.x, point.y));
            let height = |end: Option<f64>, beyond| end.map_or(beyond, |end| place(point.x, end).1);
            Some(((x, height(interval.low, plot.bottom)), (x, height(interval.high, plot.top))))
        };
        let has_same = |a: &Point, b: &Point| a.interval(axis).is_some() == b.interval(axis).is_some();
        let all = &line.course.points;
        for points in line.course.pieces().map(|piece| &all[piece]) {
            let mut start = 0;
            for run in points.chunk_by(has_same) {
                let end = start + run.len();
                let mut sides: Vec<(SheetPoint, SheetPoint)> = run.iter().filter_map(ends).collect();
                if sides.len() > 1 && line.is_joined && !self.whiskers {
                    let tip = |point: &Point| (place(point.x, point.y), place(point.x, point.y));
                    sides.splice(0..0, start.checked_sub(1).map(|before| tip(&points[before])));
                    sides.extend(points.get(end).map(tip));
                    let above = cornered(sides.iter().map(|(_, high)| *high).collect(), self.steps);
                    let below = cornered(sides.iter().map(|(low, _)| *low).collect(), self.steps);
                    let outline: Vec<SheetPoint> = above.into_iter().chain(below.into_iter().rev()).collect();
                    canvas.polygon(&outline, line.stroke.colour, 0.16);
                } else {
                    for (low, high) in sides {
                        whisker(canvas, &[low, high], line.stroke.colour);
                    }
                }
                start = end;
            }
        }
        for point in all {
            let Some(interval) = point.interval(axis) else { continue };
            let from = place(point.x, point.y);
            for (_, tip) in
                [(interval.low, plot.bottom), (interval.high, plot.top)].iter().filter(|(end, _)| end.is_none())
            {
                arrow(canvas, from, (from.0, *tip), line.stroke.colour);
            }
        }
    }

    /// The marks that are in the picture.
    fn marks(&self, paper: &Paper) -> Vec<Marks<'_>> {
        let is_in = |axis: &Axis, ends: Ends, value: f64| axis.shows(value) && ends.hold(value);
        let shows = |mark: &Mark| is_in(&self.x, paper.x_ends, mark.x) && is_in(&self.y, paper.y_ends, mark.y);
        Marks::of(&self.marks, paper, shows)
    }

    /// What the picture leaves out of its lines. A line beside marks that stand alone, such as a Pareto front, joins some
    /// of these and is not counted.
    fn left_out(&self, paper: &Paper) -> LeftOut {
        let has_marks = self.series.iter().any(|series| series.style == SeriesStyle::Points);
        let is_counted = |series: &&Series| !has_marks || series.style != SeriesStyle::Reference;
        let points = self.series.iter().filter(is_counted).flat_map(|series| &series.points);
        LeftOut::of_points(points.map(|at| (at.x, at.y)), (&self.x, &self.y), (paper.x_ends, paper.y_ends))
    }

    /// Both axes; none where neither a line nor a mark is in the picture.
    fn rulers(&self, lines: &[Drawn<'_>], marks: &[Marks<'_>], paper: &Paper) -> Option<(Ruler, Ruler)> {
        let (xs, ys) = self.values(lines, marks, paper);
        let (xs, ys) = (xs.into_iter().chain(paper.shared.0.values()), ys.into_iter().chain(paper.shared.1.values()));
        let rooms = ((paper.width / 66.0) as usize, (paper.height() / 58.0) as usize);
        let x = Ruler::within(&self.x, xs, paper.x_ends, Reach::Data, rooms.0.clamp(3, 11));
        let y = Ruler::within(&self.y, ys, paper.y_ends, Reach::Ticks, rooms.1.clamp(3, 7));
        let is_empty = marks.is_empty() && !lines.iter().any(|line| line.is_visible(paper.y_ends));
        x.zip(y).filter(|_| !lines.is_empty() && !is_empty)
    }

    /// What its lines, marks and words reach along both axes: along x also where a value has no place, along y as far as
    /// they are in the picture.
    fn values(&self, lines: &[Drawn<'_>], marks: &[Marks<'_>], paper: &Paper) -> (Vec<f64>, Vec<f64>) {
        let points = lines.iter().flat_map(|line| &line.course.points).filter(|point| paper.x_ends.hold(point.x));
        let marked = || marks.iter().flat_map(|marks| &marks.points);
        let intervals = points.filter_map(|point| Some(point.interval(&self.y)?.reach(point.y))).flatten();
        let ys = lines.iter().flat_map(|line| &line.seen).map(|(_, y)| *y).chain(intervals);
        let xs = self.series.iter().flat_map(|series| &series.points).map(|point| point.x);
        let mut xs: Vec<f64> = xs.filter(|&x| self.x.shows(x)).chain(marked().map(|(x, _)| *x)).collect();
        let mut ys: Vec<f64> = ys.chain(marked().map(|(_, y)| *y)).collect();
        xs.extend(paper.beyond(&xs, |words| words.x));
        ys.extend(paper.beyond(&ys, |words| words.y));
        (xs, ys)
    }
}

impl Drawing for LineChart {
    fn picture(&self, paper: &Paper) -> Picture {
        let (lines, marks) = (self.drawn(paper), self.marks(paper));
        let sheet = Sheet::new(&self.title, self.subtitle.as_deref(), paper);
        let sheet = sheet.with_notes(&self.notes(paper));
        let Some((x_ruler, y_ruler)) = self.rulers(&lines, &marks, paper) else {
            return sheet.nothing(self.left_out(paper));
        };
        let coinciding = coinciding(&lines, &x_ruler, &y_ruler);
        let entries = entries(&lines, &marks, &coinciding, paper.y_ends);
        let direct = paper.names_of_lines() == LegendPlace::Direct;
        let listed = entries.iter().filter(|_| !direct).map(|(swatch, name, _)| (*swatch, name.as_str()));
        let sheet = sheet.with_legend(listed);

        let column = Column::new(entries.iter().filter(|_| direct).map(|(_, name, _)| name.as_str()), paper);
        let left = paper.margin + ticks_width(&y_ruler);
        let right = sheet.right() - column.width();
        let right = match &self.x.kind {
            Kind::Category(_) => right,
            _ => right_for_ticks(&x_ruler, (left, right), paper.width),
        };
        let categories = match &self.x.kind {
            Kind::Category(names) => Some(CategoryNames::new(names, (right - left) / names.len() as f64)),
            _ => None,
        };
        let below = categories.as_ref().map_or(TICKS_HEIGHT, CategoryNames::height) + AXIS_LABEL_HEIGHT + 8.0;
        let top = sheet.top() + 34.0;
        // More names than fit make the chart higher.
        let names = column.height(entries.len()).max(paper.least_plot());
        let height = sheet.height().max(top + below + names);
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
            canvas.clipped(plot.clip(), |canvas| {
                for line in &lines {
                    canvas.series(line.name, |canvas| {
                        self.draw_intervals(canvas, line, plot, place);
                    });
                }
                for (line, &turn) in lines.iter().zip(&coinciding.turns) {
                    canvas.series(line.name, |canvas| draw_line(canvas, line, self.steps, turn, place));
                }
                for marks in &marks {
                    for &(x, y) in &marks.points {
                        canvas.series(marks.name, |canvas| marks.draw(canvas, place(x, y)));
                    }
                }
                self.list(canvas, &lines, &marks, paper, place);
            });
            let (x, y) = (|x| plot.x(x_ruler.fraction(x)), |y| plot.y(y_ruler.fraction(y)));
            draw_annotations(canvas, &paper.annotations, plot, x, y);
            let name = |(swatch, text, at): (Swatch, String, At)| {
                let end = place(at.end.0, at.end.1);
                // On narrow paper names may leave the plot no width.
                let end = (end.0.max(plot.left).min(plot.right), end.1.max(plot.top).min(plot.bottom));
                Name { text, swatch, end, has_leader: at.has_leader }
            };
            let names: Vec<Name> = entries.into_iter().map(name).collect();
            column.draw(canvas, &names, plot);
        })
    }

    /// What has to be said of lines on one another, of marks and values that are left out, and of too many lines.
    fn notes(&self, paper: &Paper) -> Vec<String> {
        let lines = self.drawn(paper);
        let rulers = self.rulers(&lines, &self.marks(paper), paper);
        let names: Vec<&str> = lines.iter().map(|line| line.name).collect();
        let mut notes = rulers.map_or_else(Vec::new, |(x, y)| coinciding(&lines, &x, &y).notes(&names));
        let strides = lines.iter().filter(|line| line.shape.is_some()).map(Drawn::stride);
        let thinned: Vec<usize> = strides.filter(|&stride| stride > 1).collect();
        match thinned.as_slice() {
            [] => {}
            [stride, rest @ ..] if rest.iter().all(|other| other == stride) => {
                let ordinal = match stride {
                    2 => "2nd".to_owned(),
                    3 => "3rd".to_owned(),
                    _ => format!("{stride}th"),
                };
                notes.push(format!("marks on every {ordinal} point"));
            }
            _ => notes.push("marks on some of the points".to_owned()),
        }
        let data = lines.iter().filter(|line| line.shape.is_some()).count();
        if data > MOST_SERIES {
            notes.push(too_many(data));
        }
        notes.extend(self.left_out(paper).notes());
        notes
    }

    fn reach(&self, paper: &Paper) -> (Ends, Ends) {
        let (xs, ys) = self.values(&self.drawn(paper), &self.marks(paper), paper);
        (Ends::over(&xs), Ends::over(&ys))
    }

    fn entries(&self, paper: &Paper) -> Vec<(Swatch, String)> {
        let (lines, marks) = (self.drawn(paper), self.marks(paper));
        let alone = Coinciding::of(&vec![Vec::new(); lines.len()]);
        entries(&lines, &marks, &alone, paper.y_ends).into_iter().map(|(swatch, name, _)| (swatch, name)).collect()
    }
}

/// The lines that lie one on another, as if on a plot of this size: the real one depends on the names.
fn coinciding(lines: &[Drawn<'_>], x: &Ruler, y: &Ruler) -> Coinciding {
    let nominal = |point: &Point| (700.0 * x.fraction(point.x), 420.0 * y.fraction(point.y));
    let places = |line: &Drawn<'_>| line.course.points.iter().filter(|_| line.is_joined).map(nominal).collect();
    Coinciding::of(&lines.iter().map(places).collect::<Vec<Vec<SheetPoint>>>())
}

/// Where what is named ends, and whether a thin line leads there: from marks that lie anywhere it would cross others.
struct At {
    end: (f64, f64),
    has_leader: bool,
}

/// What is named: lines, those that lie on one another together, then marks. No leader goes to a line that ends beyond
/// these ends of y.
fn entries(
    lines: &[Drawn<'_>],
    marks: &[Marks<'_>],
    coinciding: &Coinciding,
    ends_of_y: Ends,
) -> Vec<(Swatch, String, At)> {
    let ends = |line: &Drawn<'_>| line.seen.last().copied();
    let mut first = (0.0, 0.0);
    let of_line = |&index: &usize| {
        let line = &lines[index];
        // Lines on one another are named at one height, one after another.
        if coinciding.turns[index].0 == 0 {
            first = ends(line)?;
        }
        let ends_inside = line.is_joined && ends_of_y.hold(first.1);
        let at = At { end: first, has_leader: ends_inside && coinciding.turns[index].0 == 0 };
        (!line.name.is_empty()).then(|| (line.swatch(), line.name.to_owned(), at))
    };
    let of_marks = |marks: &Marks<'_>| {
        let at = At { end: *marks.points.last()?, has_leader: false };
        (!marks.name.is_empty()).then(|| (marks.swatch(), marks.name.to_owned(), at))
    };
    // Marks of one label are named once, also where they have the colours of several lines.
    let is_first = |&(index, own): &(usize, &Marks<'_>)| marks[..index].iter().all(|other| other.name != own.name);
    let named = marks.iter().enumerate().filter(is_first).map(|(_, marks)| marks);
    coinciding.order.iter().filter_map(of_line).chain(named.filter_map(of_marks)).collect()
}

/// The corners of a line through `places`: with steps, two where one was.
fn cornered(places: Vec<SheetPoint>, steps: bool) -> Vec<SheetPoint> {
    if !steps {
        return places;
    }
    let turns = places.windows(2).flat_map(|pair| [pair[0], (pair[1].0, pair[0].1)]);
    turns.chain(places.last().copied()).collect()
}

/// Draws a line with its marks; of lines on one another each has its pieces and its marks in turn.
fn draw_line(
    canvas: &mut Canvas<'_>,
    line: &Drawn<'_>,
    steps: bool,
    turn: (usize, usize),
    place: impl Fn(f64, f64) -> SheetPoint,
) {
    let places: Vec<SheetPoint> = line.course.points.iter().map(|point| place(point.x, point.y)).collect();
    for piece in line.course.pieces().filter(|piece| piece.len() > 1 && line.is_joined) {
        canvas.line_in_turn(&cornered(places[piece].to_vec(), steps), line.stroke, turn);
    }
    let ((part, all), stride, alone) = (turn, line.stride(), line.course.alone());
    let has_turn = |index: usize| line.shape.is_some() && index.is_multiple_of(stride) && index / stride % all == part;
    for (index, at) in places.iter().enumerate() {
        if has_turn(index) || alone.contains(&index) {
            mark(canvas, line.shape.unwrap_or_default(), *at, MARKER_RADIUS, line.stroke.colour);
        }
    }
}
