//! Bars over categories, side by side or one on another.

use super::axis::{Axis, Extent, Reach, Ruler, Scale};
use super::canvas::{Anchor, Canvas, TextLook};
use super::category::Slots;
use super::frame::{Plot, Sheet};
use super::legend::Swatch;
use super::marker::arrow;
use super::style::{Colour, SMALL_SIZE, Stroke, fill_colour, text_width};
use crate::report::text::{Kind, usable};
use crate::statistics::compare::Estimate;

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
        let stacked = self.arrangement == Arrangement::Stacked;
        let axis = if stacked { Axis { scale: Scale::Linear, ..self.y.clone() } } else { self.y.clone() };
        let bars = if stacked { self.stacked(&axis) } else { self.grouped(&axis) };
        let values = bars.iter().flat_map(|bar| {
            let [low, high] = bar.interval.map_or([bar.to; 2], |interval| interval.reach(bar.to));
            [bar.from, bar.to, low, high]
        });
        let sheet = Sheet::new(&self.title, self.subtitle.as_deref());
        let Some(ruler) = Ruler::new(&axis, values, Reach::Zero, 7) else { return sheet.no_data() };
        let swatches = self.series.iter().enumerate();
        let swatches = swatches.map(|(index, series)| (Swatch::Area(fill_colour(index)), series.name.as_str()));
        let sums = if stacked { self.sums_to_mark() } else { Vec::new() };
        let sum = (!sums.is_empty()).then_some((Swatch::Line(SUM), "sum"));
        let sheet = sheet.with_legend(swatches.filter(|_| self.series.len() > 1).chain(sum));
        let slots = Slots::new(&sheet, &self.categories, &ruler);
        let plot = slots.plot;

        sheet.draw(slots.height, |canvas| {
            plot.draw_vertical_axis(canvas, &ruler, &self.y.label);
            slots.draw_names(canvas, &self.label);
            let y = |value: f64| if value == 0.0 { plot.y(ruler.base()) } else { plot.y(ruler.fraction(value)) };
            let sides = |category: usize, series: usize| match self.arrangement {
                Arrangement::Grouped => slots.sides(category, (series, self.series.len()), (FILLED, WIDEST_BAR)),
                Arrangement::Stacked => slots.sides(category, (0, 1), (FILLED, WIDEST_BAR)),
            };
            let of_bar = |bar: &Placed| sides(bar.category, bar.series);
            for bar in &bars {
                draw_bar(canvas, bar, of_bar(bar), y);
            }
            for bar in bars.iter().filter(|bar| stacked && bar.interval.is_none()) {
                draw_value(canvas, bar, of_bar(bar), plot, y, &axis.kind);
            }
            for &(category, sum) in &sums {
                let (left, right) = sides(category, 0);
                // Beside the stack and not across it: its values stay readable.
                canvas.line(&[(left - 11.0, y(sum)), (left - 1.0, y(sum))], SUM);
                canvas.line(&[(right + 1.0, y(sum)), (right + 11.0, y(sum))], SUM);
            }
            // After all bars: in a stack the next one would hide half of it.
            for bar in &bars {
                draw_interval(canvas, bar, of_bar(bar), plot, y);
            }
            plot.draw_base_line(canvas, plot.y(ruler.base()));
        })
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
        let mut sums = vec![(false, 0.0); self.categories.len()];
        for (_, category, bar) in self.bars().filter(|(.., bar)| usable(bar.value)) {
            sums[category].0 |= bar.value < 0.0;
            sums[category].1 += bar.value;
        }
        let marked = sums.into_iter().enumerate().filter(|(_, (negative, _))| *negative);
        marked.map(|(category, (_, sum))| (category, sum)).collect()
    }
}

fn draw_bar(canvas: &mut Canvas<'_>, bar: &Placed, (left, right): (f64, f64), y: impl Fn(f64) -> f64) {
    // A hair of white between neighbours, unless they are hairs themselves.
    let gap = if right - left > 4.0 { 0.6 } else { 0.0 };
    let (from, to) = (y(bar.from), y(bar.to));
    let seam = if bar.from == 0.0 || (from - to).abs() < 2.0 { 0.0 } else { gap * (from - to).signum() };
    canvas.rectangle((left + gap, from - seam), (right - gap, to), fill_colour(bar.series));
}

/// Writes a part's value into it, where it fits.
fn draw_value(
    canvas: &mut Canvas<'_>,
    bar: &Placed,
    (left, right): (f64, f64),
    plot: Plot,
    y: impl Fn(f64) -> f64,
    kind: &Kind,
) {
    let (from, to) = (y(bar.from), y(bar.to));
    let text = kind.format(bar.to - bar.from);
    // On an axis of names a number may lie outside.
    let inside = [from, to].iter().all(|end| (plot.top - 1.0..=plot.bottom + 1.0).contains(end));
    if inside && (from - to).abs() >= SMALL_SIZE * 1.4 && text_width(&text, SMALL_SIZE) <= right - left - 4.0 {
        let look = TextLook::new(SMALL_SIZE, fill_colour(bar.series).contrast(), Anchor::Middle);
        canvas.text(&text, (f64::midpoint(left, right), f64::midpoint(from, to)), look);
    }
}

/// Draws an interval with a cap at each end, or an arrow where it goes on beyond the axis.
fn draw_interval(canvas: &mut Canvas<'_>, bar: &Placed, (left, right): (f64, f64), plot: Plot, y: impl Fn(f64) -> f64) {
    let Some(interval) = bar.interval else { return };
    let (x, cap) = (f64::midpoint(left, right), ((right - left) * 0.18).min(4.0));
    let from = y(bar.to);
    for (end, edge) in [(interval.low, plot.bottom), (interval.high, plot.top)] {
        let Some(end) = end.map(&y) else {
            arrow(canvas, (x, from), (x, edge), Colour::INK);
            continue;
        };
        let stroke = Stroke::new(Colour::INK, 1.0);
        canvas.line(&[(x, from), (x, end)], stroke);
        canvas.line(&[(x - cap, end), (x + cap, end)], stroke);
    }
}
