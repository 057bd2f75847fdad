//! Bars over categories, side by side or one on another.

use super::axis::{Axis, Extent, Reach, Ruler, Scale};
use super::canvas::{Anchor, Canvas, Picture, SheetPoint, TextLook};
use super::category::Slots;
use super::drawing::Drawing;
use super::frame::Sheet;
use super::left_out::LeftOut;
use super::legend::Swatch;
use super::marker::{arrow, whisker};
use super::palette::Fill;
use super::paper::{Ends, MOST_SERIES, Paper, too_many};
use super::style::{Colour, SMALL_SIZE, Stroke, text_width};
use crate::kind::{Kind, usable};
use hetsim_statistics::compare::Estimate;

/// A chart of bars, such as the makespan of each policy on each platform.
#[derive(Debug, Clone, PartialEq)]
pub struct BarChart {
    /// What the chart shows, in sentence case.
    pub title: String,
    /// The condition under which it was measured.
    pub subtitle: Option<String>,
    /// What the categories are.
    pub label: String,
    /// The names under the groups of bars, or under the stacks.
    pub categories: Vec<String>,
    /// The vertical axis; it starts at zero. Stacks are always linear, for logarithms do not add.
    pub y: Axis,
    /// Each series is a colour, and has a bar in each category.
    pub series: Vec<BarSeries>,
    /// How the bars of a category are arranged.
    pub arrangement: Arrangement,
}

/// How the bars of a category are arranged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Arrangement {
    /// Side by side.
    #[default]
    Grouped,
    /// One on another: parts of a whole, each with its value where it fits. Those below zero hang below it, and lines
    /// beside the stack then mark the sum of all.
    Stacked,
}

/// The bars of one colour.
#[derive(Debug, Clone, PartialEq)]
pub struct BarSeries {
    /// The name in the legend.
    pub name: String,
    /// A length a category, with its interval where there is one; where a bar is missing, its place stays empty.
    pub bars: Vec<Option<Estimate>>,
}

/// The interval of a bar that stands at `from`, as far as it has a place on `axis`.
fn extent(bar: Estimate, axis: &Axis, from: f64) -> Option<Extent> {
    let (low, high) = bar.interval?;
    axis.extent(from + low, from + high)
}

/// A bar with its place: from one value to another, in a part of its slot.
struct Placed {
    category: usize,
    series: usize,
    from: f64,
    to: f64,
    /// Shifted with the bar where it stands on others.
    interval: Option<Extent>,
}

impl Placed {
    /// Whether some of it lies between these ends.
    fn is_visible(&self, ends: Ends) -> bool {
        ends.meet(self.from.min(self.to), self.from.max(self.to))
    }
}

/// The share of a slot that bars fill.
const FILLED: f64 = 0.76;
/// How the sum of a stack is marked.
const SUM: Stroke = Stroke::new(Colour::BLACK, 2.0);
/// A bar alone in a wide slot is no wider.
const WIDEST_BAR: f64 = 70.0;

impl BarChart {
    /// The chart as an SVG document.
    #[must_use]
    pub fn svg(&self) -> String {
        self.picture(&Paper::default()).document(&self.title, None)
    }

    fn is_stacked(&self) -> bool {
        self.arrangement == Arrangement::Stacked
    }

    fn axis(&self) -> Axis {
        if self.is_stacked() { Axis { scale: Scale::Linear, ..self.y.clone() } } else { self.y.clone() }
    }

    fn placed(&self) -> Vec<Placed> {
        let axis = self.axis();
        if self.is_stacked() { self.stacked(&axis) } else { self.grouped(&axis) }
    }

    fn swatches(&self, paper: &Paper) -> Vec<(Swatch, &str)> {
        let swatches = self.series.iter().enumerate();
        let swatches = swatches.map(|(index, series)| (Swatch::Area(paper.fill(index)), series.name.as_str()));
        let sum = (!self.sums_to_mark().is_empty()).then_some((Swatch::Line(SUM), "sum"));
        swatches.filter(|_| self.series.len() > 1).chain(sum).collect()
    }

    /// Lists the values of all bars, each between two corners.
    fn list(
        &self,
        canvas: &mut Canvas<'_>,
        bars: &[Placed],
        paper: &Paper,
        corners: impl Fn(&Placed) -> (SheetPoint, SheetPoint),
    ) {
        let series = if paper.legend_title.is_empty() { "series" } else { &paper.legend_title };
        canvas.heads(&[&self.label, series, &self.y.label, "interval"]);
        let kind = &self.y.kind;
        for bar in bars {
            let own = &self.series[bar.series];
            let given = own.bars[bar.category].and_then(|bar| bar.interval);
            let interval = given.map(|(low, high)| kind.format_interval(low, high)).unwrap_or_default();
            let value = kind.format_finely(bar.to - bar.from);
            let cells = vec![self.categories[bar.category].clone(), own.name.clone(), value, interval];
            canvas.target(&own.name, corners(bar), cells);
        }
    }

    /// The bars that have a value and a category.
    fn bars(&self) -> impl Iterator<Item = (usize, usize, Estimate)> {
        self.series.iter().enumerate().flat_map(|(series, bars)| {
            let bars = bars.bars.iter().take(self.categories.len()).enumerate();
            bars.filter_map(move |(category, bar)| Some((series, category, (*bar)?)))
        })
    }

    fn grouped(&self, axis: &Axis) -> Vec<Placed> {
        let shown = self.bars().filter(|(.., bar)| axis.shows(bar.value));
        shown
            .map(|(series, category, bar)| Placed {
                category,
                series,
                from: 0.0,
                to: bar.value,
                interval: extent(bar, axis, 0.0),
            })
            .collect()
    }

    /// Bars one on another: those above zero upwards, those below downwards.
    fn stacked(&self, axis: &Axis) -> Vec<Placed> {
        let mut ends = vec![(0.0, 0.0); self.categories.len()];
        let shown = self.bars().filter(|(.., bar)| usable(bar.value));
        shown
            .map(|(series, category, bar)| {
                let (up, down) = &mut ends[category];
                let end = if bar.value < 0.0 { down } else { up };
                let from = *end;
                *end += bar.value;
                Placed { category, series, from, to: *end, interval: extent(bar, axis, from) }
            })
            .collect()
    }

    /// Where a part is below zero, the height of the stack is not the sum of its parts: the sums of those categories.
    fn sums_to_mark(&self) -> Vec<(usize, f64)> {
        if !self.is_stacked() {
            return Vec::new();
        }
        let mut sums = vec![(false, 0.0); self.categories.len()];
        for (_, category, bar) in self.bars().filter(|(.., bar)| usable(bar.value)) {
            sums[category].0 |= bar.value < 0.0;
            sums[category].1 += bar.value;
        }
        let marked = sums.into_iter().enumerate().filter(|(_, (negative, _))| *negative);
        marked.map(|(category, (_, sum))| (category, sum)).collect()
    }
}

/// What the bars of a chart reach.
fn values(bars: &[Placed]) -> impl Iterator<Item = f64> {
    bars.iter().flat_map(|bar| {
        let [low, high] = bar.interval.map_or([bar.to; 2], |interval| interval.reach(bar.to));
        [bar.from, bar.to, low, high]
    })
}

impl BarChart {
    fn sheet<'a>(&'a self, paper: &'a Paper) -> Sheet<'a> {
        Sheet::new(&self.title, self.subtitle.as_deref(), paper).with_notes(&self.notes(paper))
    }

    /// The sheet and the axes of these bars; nothing if none has a place.
    fn laid_out<'a>(&'a self, bars: &[Placed], paper: &'a Paper) -> Option<(Sheet<'a>, Ruler, Slots)> {
        if !bars.iter().any(|bar| bar.is_visible(paper.y_ends)) {
            return None;
        }
        let sheet = self.sheet(paper).with_legend(self.swatches(paper));
        let values = (&self.axis(), values(bars), Reach::Zero);
        let (ruler, slots) = Slots::within(&sheet, &self.categories, values, self.beside())?;
        Some((sheet, ruler, slots))
    }

    /// What these ends of the axis leave out: bars that end beyond them, and those that have no place on any axis.
    fn left_out(&self, ends: Ends) -> LeftOut {
        let axis = self.axis();
        let placed = self.placed().into_iter().map(|bar| bar.to);
        let unplaced = self.bars().map(|(.., bar)| bar.value).filter(|&value| !axis.shows(value));
        LeftOut::of(&axis, ends, placed.chain(unplaced))
    }

    /// How many bars are beside each other in a slot.
    fn beside(&self) -> usize {
        if self.is_stacked() { 1 } else { self.series.len() }
    }
}

impl Drawing for BarChart {
    fn picture(&self, paper: &Paper) -> Picture {
        let (axis, bars, sums) = (self.axis(), self.placed(), self.sums_to_mark());
        let Some((sheet, ruler, slots)) = self.laid_out(&bars, paper) else {
            return self.sheet(paper).nothing(self.left_out(paper.y_ends));
        };
        let beside = self.beside();

        sheet.draw(slots.height, |canvas| {
            slots.draw_axes(canvas, &ruler, &self.y.label, &self.label);
            let value = |value: f64| slots.value(if value == 0.0 { ruler.base() } else { ruler.fraction(value) });
            let sides = |category: usize, series: usize| {
                let place = if self.is_stacked() { 0 } else { series };
                slots.sides(category, (place, beside), (FILLED, WIDEST_BAR))
            };
            canvas.clipped(slots.plot.clip(), |canvas| {
                self.list(canvas, &bars, paper, |bar| {
                    let (left, right) = sides(bar.category, bar.series);
                    (slots.at(left, value(bar.from)), slots.at(right, value(bar.to)))
                });
                for bar in &bars {
                    canvas.series(&self.series[bar.series].name, |canvas| {
                        draw_bar(canvas, bar, sides(bar.category, bar.series), &slots, paper.fill(bar.series), value);
                    });
                }
            });
            for bar in bars.iter().filter(|bar| self.is_stacked() && bar.interval.is_none()) {
                let sides = sides(bar.category, bar.series);
                canvas.series(&self.series[bar.series].name, |canvas| {
                    draw_value(canvas, bar, sides, &slots, paper.fill(bar.series), value, &axis.kind);
                });
            }
            canvas.clipped(slots.plot.clip(), |canvas| {
                for &(category, sum) in &sums {
                    let (left, right) = sides(category, 0);
                    // Beside the stack and not across it: its values stay readable.
                    for (from, to) in [(left - 11.0, left - 1.0), (right + 1.0, right + 11.0)] {
                        canvas.line(&[slots.at(from, value(sum)), slots.at(to, value(sum))], SUM);
                    }
                }
                // After all bars: in a stack the next one would hide half of it.
                for bar in &bars {
                    canvas.series(&self.series[bar.series].name, |canvas| {
                        draw_interval(canvas, bar, sides(bar.category, bar.series), &slots, value);
                    });
                }
            });
            slots.draw_base_line(canvas, slots.value(ruler.base()));
            slots.annotate(canvas, &paper.annotations, value);
        })
    }

    fn notes(&self, paper: &Paper) -> Vec<String> {
        let count = self.series.len();
        let left_out = self.left_out(paper.y_ends).notes();
        (count > MOST_SERIES).then(|| too_many(count)).into_iter().chain(left_out).collect()
    }

    fn lies(&self, paper: &Paper) -> bool {
        self.laid_out(&self.placed(), paper).is_some_and(|(.., slots)| slots.lying)
    }

    fn reach(&self, _: &Paper) -> (Ends, Ends) {
        (Ends::default(), Ends::over(&values(&self.placed()).collect::<Vec<_>>()))
    }

    fn entries(&self, paper: &Paper) -> Vec<(Swatch, String)> {
        self.swatches(paper).into_iter().map(|(swatch, name)| (swatch, name.to_owned())).collect()
    }
}

fn draw_bar(
    canvas: &mut Canvas<'_>,
    bar: &Placed,
    (left, right): (f64, f64),
    slots: &Slots,
    fill: Fill,
    value: impl Fn(f64) -> f64,
) {
    // A hair of white between neighbours, unless they are hairs themselves.
    let gap = if right - left > 4.0 { 0.6 } else { 0.0 };
    let (from, to) = (value(bar.from), value(bar.to));
    let seam = if bar.from == 0.0 || (from - to).abs() < 2.0 { 0.0 } else { gap * (from - to).signum() };
    canvas.filled(slots.at(left + gap, from - seam), slots.at(right - gap, to), fill);
}

/// Writes a part's value into it, where it fits; on white where the bar is hatched.
fn draw_value(
    canvas: &mut Canvas<'_>,
    bar: &Placed,
    (left, right): (f64, f64),
    slots: &Slots,
    fill: Fill,
    value: impl Fn(f64) -> f64,
    kind: &Kind,
) {
    let (from, to) = (value(bar.from), value(bar.to));
    let text = kind.format(bar.to - bar.from);
    let ends = slots.ends();
    let (low, high) = (ends.0.min(ends.1), ends.0.max(ends.1));
    // On an axis of names a number may lie outside.
    let inside = [from, to].iter().all(|end| (low - 1.0..=high + 1.0).contains(end));
    let width = text_width(&text, SMALL_SIZE);
    let (along, across) = if slots.lying { (width + 4.0, SMALL_SIZE) } else { (SMALL_SIZE * 1.4, width + 4.0) };
    if inside && (from - to).abs() >= along && across <= right - left {
        let at = slots.at(f64::midpoint(left, right), f64::midpoint(from, to));
        let mut picture = fill.colour.contrast();
        if fill != Fill::plain(fill.colour) {
            let half = (width / 2.0 + 1.5, SMALL_SIZE * 0.6);
            canvas.rectangle((at.0 - half.0, at.1 - half.1), (at.0 + half.0, at.1 + half.1), Colour::WHITE);
            picture = Colour::INK;
        }
        canvas.text(&text, at, TextLook::new(SMALL_SIZE, picture, Anchor::Middle));
    }
}

/// Draws an interval with a cap at each end, or an arrow where it goes on beyond the axis.
fn draw_interval(
    canvas: &mut Canvas<'_>,
    bar: &Placed,
    (left, right): (f64, f64),
    slots: &Slots,
    value: impl Fn(f64) -> f64,
) {
    let Some(interval) = bar.interval else { return };
    let (middle, cap) = (f64::midpoint(left, right), ((right - left) * 0.18).min(4.0));
    let (from, ends) = (value(bar.to), slots.ends());
    for (end, edge) in [(interval.low, ends.0), (interval.high, ends.1)] {
        let Some(end) = end.map(&value) else {
            arrow(canvas, slots.at(middle, from), slots.at(middle, edge), Colour::INK);
            continue;
        };
        whisker(canvas, &[slots.at(middle, from), slots.at(middle, end)], Colour::INK);
        whisker(canvas, &[slots.at(middle - cap, end), slots.at(middle + cap, end)], Colour::INK);
    }
}
