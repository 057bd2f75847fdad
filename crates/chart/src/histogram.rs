//! Histograms: how often values came out, one panel a sample, with marks to compare them with.

use super::axis::{Axis, Reach, Ruler, Scale};
use super::canvas::{Anchor, Canvas, Picture, TextLook};
use super::drawing::Drawing;
use super::frame::{AXIS_LABEL_HEIGHT, Plot, Sheet, TICKS_HEIGHT, ticks_width};
use super::left_out::LeftOut;
use super::paper::{Ends, Paper};
use super::style::{Colour, Stroke, TICK_SIZE, shorten, text_width};
use crate::format;
use crate::kind::{Kind, usable};
use hetsim_statistics::{quantile, share_at_most};

/// Histograms of several samples one above the other, over the same bins and to the same scale.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Histogram {
    /// What the chart shows, in sentence case.
    pub title: String,
    /// The condition under which it was measured.
    pub subtitle: Option<String>,
    /// What was measured; on a logarithmic axis the bins have equal ratios.
    pub x: Axis,
    /// The samples, each in a panel of its own.
    pub samples: Vec<Sample>,
    /// How many bins; by Freedman and Diaconis where it is not given.
    pub bins: Option<usize>,
}

/// The values of one panel.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Sample {
    /// The name above the panel.
    pub name: String,
    /// The values, in any order.
    pub values: Vec<f64>,
    /// Values to compare with.
    pub marks: Vec<Threshold>,
}

/// A value that is marked in a distribution, with the share of the sample that is not above it.
#[derive(Debug, Clone, PartialEq)]
pub struct Threshold {
    /// The value.
    pub value: f64,
    /// What it is, such as "printed".
    pub label: String,
}

/// The most bins: with more of them each would be a hair.
const MOST_BINS: usize = 120;
/// Height of a line of text above a panel.
const ROW: f64 = 17.0;
/// The least height of a panel.
const PANEL: f64 = 90.0;
/// Space under a panel that has another one below it.
const BELOW: f64 = 16.0;
const NAME_WIDTH: f64 = 420.0;

const COUNTS: &str = "number of values in each bin";

/// A sample with what is drawn of it.
struct Panel<'a> {
    sample: &'a Sample,
    /// Its number among all samples: the colour.
    number: usize,
    /// How many values the sample has, also outside of the picture.
    count: usize,
    bars: Vec<usize>,
    marks: Vec<(f64, String)>,
}

impl Histogram {
    /// The chart as an SVG document.
    #[must_use]
    pub fn svg(&self) -> String {
        self.picture(&Paper::default()).document(&self.title, None)
    }

    /// The samples that have values on the axis, with their numbers and those values.
    fn shown(&self, ends: Ends) -> Vec<(usize, &Sample, Vec<f64>)> {
        let values = |sample: &Sample| -> Vec<f64> {
            sample.values.iter().copied().filter(|&value| self.x.shows(value) && ends.hold(value)).collect()
        };
        let samples = self.samples.iter().enumerate().map(|(number, sample)| (number, sample, values(sample)));
        samples.filter(|(.., values)| !values.is_empty()).collect()
    }

    fn drawn(
        &self,
        sheet: &Sheet<'_>,
        panels: &[Panel<'_>],
        edges: &[f64],
        (x_ruler, y_rulers): (&Ruler, &[Ruler]),
        label: &str,
    ) -> Picture {
        let paper = sheet.paper;
        let widest = y_rulers.iter().map(ticks_width).fold(0.0, f64::max);
        let (left, right) = (paper.margin + widest, sheet.right());
        let x = |value: f64| left + x_ruler.fraction(value) * (right - left);
        let rows: Vec<Vec<usize>> = panels.iter().map(|panel| mark_rows(&panel.marks, paper, x)).collect();
        let strips: Vec<f64> = rows
            .iter()
            .map(|rows| ROW * (1 + rows.iter().map(|row| row + 1).max().unwrap_or(0)) as f64 + 6.0)
            .collect();
        let top = sheet.top() + 20.0;
        let around = top + TICKS_HEIGHT + AXIS_LABEL_HEIGHT + 8.0;
        let between = strips.iter().sum::<f64>() + BELOW * (panels.len() - 1) as f64;
        let least = if paper.has_height() || paper.is_narrow() { PANEL / 2.0 } else { PANEL };
        let height = sheet.height().max(around + between + least * panels.len() as f64);
        let panel_height = (height - around - between) / panels.len() as f64;

        sheet.draw(height, |canvas| {
            canvas.heads(&["", "from", "to", "values"]);
            let look = TextLook::new(TICK_SIZE, Colour::GREY, Anchor::Start);
            canvas.text(label, (paper.margin, sheet.top() + 6.0), look);
            let mut y = top;
            for (index, panel) in panels.iter().enumerate() {
                let y_ruler = &y_rulers[index % y_rulers.len()];
                let plot = Plot { left, right, top: y + strips[index], bottom: y + strips[index] + panel_height };
                plot.draw_vertical_axis(canvas, y_ruler, "");
                let colour = paper.colour(panel.number);
                canvas.clipped(plot.clip(), |canvas| {
                    let colour = colour.mix(Colour::WHITE, 0.25);
                    canvas.series(&panel.sample.name, |canvas| {
                        draw_bars(canvas, panel, (edges, y_ruler), colour, plot, x);
                    });
                    self.list(canvas, panel, (edges, y_ruler), plot, x);
                });
                if index + 1 == panels.len() {
                    plot.draw_horizontal_axis(canvas, x_ruler, &self.x.label);
                } else {
                    plot.draw_base_line(canvas, plot.bottom);
                }
                draw_name(canvas, panel, colour, plot, y);
                draw_marks(canvas, panel, &rows[index], (plot, y + ROW), paper, x);
                y = plot.bottom + BELOW;
            }
        })
    }

    /// Lists the bins that hold values.
    fn list(
        &self,
        canvas: &mut Canvas<'_>,
        panel: &Panel<'_>,
        (edges, ruler): (&[f64], &Ruler),
        plot: Plot,
        x: impl Fn(f64) -> f64,
    ) {
        let name = &panel.sample.name;
        for (pair, &count) in edges.windows(2).zip(&panel.bars).filter(|(_, count)| **count > 0) {
            let [from, to] = [0, 1].map(|end| self.x.kind.format_finely(pair[end]));
            let top = plot.y(ruler.fraction(count as f64));
            let corners = ((x(pair[0]), plot.bottom), (x(pair[1]), top));
            canvas.target(name, corners, vec![name.clone(), from, to, count.to_string()]);
        }
    }

    fn left_out(&self, ends: Ends) -> LeftOut {
        LeftOut::of(&self.x, ends, self.samples.iter().flat_map(|sample| &sample.values).copied())
    }

    /// The marks that have a place, with their words, from left to right. Quantiles are of all values, also of those
    /// outside of the picture.
    fn marks(&self, sample: &Sample, ends: Ends) -> Vec<(f64, String)> {
        let values = known(sample);
        let words = |mark: &Threshold| {
            let share = share_at_most(&values, mark.value)?;
            // So many digits that one value among all makes a difference.
            let digits = (values.len() as f64).log10().ceil().clamp(2.0, 9.0) as usize;
            let value = self.x.kind.format_finely(mark.value);
            let label = mark.label.trim();
            Some((mark.value, format!("{value} {label}: quantile {}", format::plain(share, digits)).replace(" :", ":")))
        };
        let shown = sample.marks.iter().filter(|mark| self.x.shows(mark.value) && ends.hold(mark.value));
        let mut marks: Vec<_> = shown.filter_map(words).collect();
        marks.sort_by(|a, b| a.0.total_cmp(&b.0));
        marks
    }
}

impl Drawing for Histogram {
    fn picture(&self, paper: &Paper) -> Picture {
        let sheet = Sheet::new(&self.title, self.subtitle.as_deref(), paper).with_notes(&self.notes(paper));
        let samples = self.shown(paper.x_ends);
        let values: Vec<&[f64]> = samples.iter().map(|(.., values)| values.as_slice()).collect();
        // Names have no order in which they could be binned.
        let has_order = !matches!(self.x.kind, Kind::Category(_));
        let Some(edges) = edges(&values, self.x.scale, self.bins).filter(|_| has_order) else {
            return sheet.nothing(self.left_out(paper.x_ends));
        };
        let panels: Vec<Panel<'_>> = samples
            .iter()
            .map(|(number, sample, values)| Panel {
                sample,
                number: *number,
                count: known(sample).len(),
                bars: counts(values, &edges),
                marks: self.marks(sample, paper.x_ends),
            })
            .collect();
        let marked = panels.iter().flat_map(|panel| panel.marks.iter().map(|(value, _)| *value));
        let xs = edges.iter().copied().chain(marked).chain(paper.shared.0.values());
        let room = if paper.is_narrow() { 4 } else { 9 };
        let x_ruler = Ruler::within(&self.x, xs, paper.x_ends, Reach::Data, room);
        let label = if paper.free_y { "number of values in each bin, scales differ" } else { COUNTS };
        let axis = Axis::number(label);
        let room = if panels.len() > 2 || paper.is_narrow() { 3 } else { 5 };
        let counted = |panels: &[Panel<'_>]| {
            let highest: Vec<f64> = panels.iter().flat_map(|panel| &panel.bars).map(|&count| count as f64).collect();
            Ruler::within(&axis, highest.into_iter(), paper.y_ends, Reach::Zero, room)
        };
        // Each panel has its own scale, or all of them have one.
        let each = if paper.free_y { 1 } else { panels.len().max(1) };
        let y_rulers: Option<Vec<Ruler>> = panels.chunks(each).map(counted).collect();
        let (Some(x_ruler), Some(y_rulers)) = (x_ruler, y_rulers) else { return sheet.no_data() };
        self.drawn(&sheet, &panels, &edges, (&x_ruler, &y_rulers), label)
    }

    fn notes(&self, paper: &Paper) -> Vec<String> {
        self.left_out(paper.x_ends).notes()
    }

    fn reach(&self, _: &Paper) -> (Ends, Ends) {
        let all: Vec<f64> = self.shown(Ends::default()).into_iter().flat_map(|(.., values)| values).collect();
        (Ends::over(&all), Ends::default())
    }
}

/// The values of a sample that are any.
fn known(sample: &Sample) -> Vec<f64> {
    sample.values.iter().copied().filter(|&value| usable(value)).collect()
}

/// The edges of common bins, one more than there are bins; nothing without values.
///
/// Unless their number is given, they are as wide as Freedman and Diaconis say ("On the histogram as a density
/// estimator", Probability Theory and Related Fields 57, 1981): twice the interquartile range over the cube root of the
/// number of values; of several samples the one that asks for the narrowest bins decides. A sample of which the middle
/// half is one value gets as many bins as Sturges says.
fn edges(samples: &[&[f64]], scale: Scale, bins: Option<usize>) -> Option<Vec<f64>> {
    let samples: Vec<Vec<f64>> =
        samples.iter().map(|values| values.iter().map(|&value| scale.place(value)).collect()).collect();
    let all = || samples.iter().flatten().copied();
    let (low, high) = (all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max));
    if low > high {
        return None;
    }
    // A span that floats can barely resolve is as good as none.
    if high - low <= 1e-9 * low.abs().max(high.abs()) {
        let half = if low == 0.0 { 0.5 } else { 0.05 * low.abs() };
        return Some([low - half, high + half].map(|edge| scale.value(edge)).to_vec());
    }
    let whole = scale == Scale::Linear && all().all(|value| value.fract() == 0.0 && value.abs() < 1e9);
    let width = if let Some(bins) = bins {
        (high - low) / bins.clamp(1, MOST_BINS) as f64
    } else {
        let wanted = samples.iter().map(|values| wanted_width(values, high - low)).fold(f64::INFINITY, f64::min);
        let width = wanted.max((high - low) / MOST_BINS as f64);
        // Bins over whole numbers hold equally many of them, or they would look like a comb.
        if whole { width.round().max(1.0) } else { width }
    };
    let low = if whole && bins.is_none() { low - 0.5 } else { low };
    let count = (((high - low) / width - 1e-9).ceil().max(1.0) as usize).min(2 * MOST_BINS);
    Some((0..=count).map(|edge| scale.value(low + edge as f64 * width)).collect())
}

/// The width of bins for one sample whose chart spans `span`.
fn wanted_width(values: &[f64], span: f64) -> f64 {
    let count = values.len() as f64;
    let quartiles = quantile(values, 0.75).zip(quantile(values, 0.25));
    let range = quartiles.map_or(0.0, |(upper, lower)| upper - lower);
    if range > 0.0 { 2.0 * range / count.cbrt() } else { span / (count.log2().ceil() + 1.0) }
}

/// How many values each bin holds; a value on an edge is in the bin to its right, the greatest in the last.
fn counts(values: &[f64], edges: &[f64]) -> Vec<usize> {
    let bins = edges.len() - 1;
    let mut counts = vec![0; bins];
    for value in values {
        let bin = edges.partition_point(|edge| edge <= value).saturating_sub(1);
        counts[bin.min(bins - 1)] += 1;
    }
    counts
}

/// The row of each mark's words above the panel, such that those in one row do not touch.
fn mark_rows(marks: &[(f64, String)], paper: &Paper, x: impl Fn(f64) -> f64) -> Vec<usize> {
    let mut ends: Vec<f64> = Vec::new();
    let row_of = |(value, text): &(f64, String)| {
        let (start, end) = span(x(*value), text, paper);
        let row = ends.iter().position(|&taken| start > taken + 12.0).unwrap_or(ends.len());
        if row == ends.len() {
            ends.push(end);
        } else {
            ends[row] = end;
        }
        row
    };
    marks.iter().map(row_of).collect()
}

/// From where to where the words of a mark at `x` reach: centred on it as far as the sheet allows.
fn span(x: f64, text: &str, paper: &Paper) -> (f64, f64) {
    let width = text_width(text, TICK_SIZE).min(paper.width - 2.0 * paper.margin);
    let start = (x - width / 2.0).clamp(paper.margin, paper.width - paper.margin - width);
    (start, start + width)
}

fn draw_bars(
    canvas: &mut Canvas<'_>,
    panel: &Panel<'_>,
    (edges, ruler): (&[f64], &Ruler),
    colour: Colour,
    plot: Plot,
    x: impl Fn(f64) -> f64,
) {
    for (pair, &count) in edges.windows(2).zip(&panel.bars) {
        if count == 0 {
            continue;
        }
        let (left, right) = (x(pair[0]), x(pair[1]));
        let gap = if right - left > 4.0 { 0.4 } else { 0.0 };
        let top = plot.y(ruler.fraction(count as f64));
        canvas.rectangle((left + gap, plot.bottom), (right - gap, top), colour);
    }
}

fn draw_name(canvas: &mut Canvas<'_>, panel: &Panel<'_>, colour: Colour, plot: Plot, y: f64) {
    let count = format!("n = {}", panel.count);
    // With the space that the count takes, and as bold is wider.
    let room = (plot.right - plot.left - text_width(&count, TICK_SIZE) - 12.0) / 1.06;
    let name = shorten(panel.sample.name.trim(), TICK_SIZE, room.min(NAME_WIDTH));
    let middle = y + ROW / 2.0;
    canvas.text(&name, (plot.left, middle), TextLook::new(TICK_SIZE, colour.as_text(), Anchor::Start).bold());
    let beside = if name.is_empty() { 0.0 } else { text_width(&name, TICK_SIZE) * 1.06 + 10.0 };
    canvas.text(&count, (plot.left + beside, middle), TextLook::new(TICK_SIZE, Colour::GREY, Anchor::Start));
}

/// Draws lines down from the words of the marks, then the words, each on white: a line may pass behind them.
fn draw_marks(
    canvas: &mut Canvas<'_>,
    panel: &Panel<'_>,
    rows: &[usize],
    (plot, top): (Plot, f64),
    paper: &Paper,
    x: impl Fn(f64) -> f64,
) {
    for ((value, _), row) in panel.marks.iter().zip(rows) {
        let start = top + (row + 1) as f64 * ROW - 2.0;
        canvas.line(&[(x(*value), start), (x(*value), plot.bottom)], Stroke::new(Colour::INK, 1.3));
    }
    for ((value, text), row) in panel.marks.iter().zip(rows) {
        let (start, end) = span(x(*value), text, paper);
        let y = top + *row as f64 * ROW;
        canvas.rectangle((start - 2.0, y - 2.0), (end + 2.0, y + ROW - 2.0), Colour::WHITE);
        let text = shorten(text, TICK_SIZE, paper.width - 2.0 * paper.margin);
        let look = TextLook::new(TICK_SIZE, Colour::INK, Anchor::Middle);
        canvas.text(&text, (f64::midpoint(start, end), y + ROW / 2.0 - 1.0), look);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_are_as_wide_as_freedman_and_diaconis_say() {
        // 0, 0.125, …, 125: the quartiles are 31.25 and 93.75, the cube root of 1001 is 10.0033.
        let values: Vec<f64> = (0..=1000).map(|i| f64::from(i) * 0.125).collect();
        let edges = edges(&[&values], Scale::Linear, None).unwrap();
        assert!((edges[1] - edges[0] - 125.0 / 1001f64.cbrt()).abs() < 1e-9, "{edges:?}");
        let counts = counts(&values, &edges);
        assert_eq!(counts.iter().sum::<usize>(), 1001);
        assert_eq!(counts.len(), 11);
    }

    #[test]
    fn every_value_is_in_one_bin() {
        for (values, bins) in [
            (vec![3.0], None),
            (vec![0.0; 9], None),
            (vec![1.0, 2.0, 2.0, 3.0, 900.0], None),
            (vec![0.5, 1.5, 1.5, 7.25], Some(4)),
            (vec![-1.0, 1e9 + 0.5], Some(1)),
        ] {
            let edges = edges(&[&values], Scale::Linear, bins).unwrap();
            assert!(values.iter().all(|value| edges[0] <= *value && *value <= edges[edges.len() - 1]), "{edges:?}");
            assert_eq!(counts(&values, &edges).iter().sum::<usize>(), values.len());
            assert!(bins.is_none_or(|bins| edges.len() == bins + 1));
        }
        assert_eq!(edges(&[], Scale::Linear, None), None);
    }

    /// What a range hides counts in a quantile, and is counted below.
    #[test]
    fn quantiles_are_of_all_values() {
        let marks = vec![Threshold { value: 60.0, label: "limit".to_owned() }];
        let values = (1..=100).map(f64::from).collect();
        let samples = vec![Sample { values, marks, ..Sample::default() }];
        let chart = Histogram { samples, ..Histogram::default() };
        let ends = Ends { low: Some(51.0), high: Some(70.0) };
        let picture = chart.picture(&Paper { x_ends: ends, ..Paper::default() });
        let svg = picture.document("", None);
        assert!(svg.contains("limit: quantile 0.6\n") && svg.contains("n = 100\n"), "{svg}");
        assert_eq!(picture.notes, ["80 values lie outside of the picture"]);
        assert!(chart.picture(&Paper::default()).notes.is_empty());
    }

    /// What a logarithmic axis has no place for lies nowhere.
    #[test]
    fn a_logarithmic_axis_says_what_it_leaves_out() {
        let samples = vec![Sample { values: vec![-1.0, 0.0, 2.0, 9.0], ..Sample::default() }];
        let chart = Histogram { samples, x: Axis::number("").logarithmic(), ..Histogram::default() };
        let hidden = "2 values of 0 or below have no place on a logarithmic axis";
        assert_eq!(chart.picture(&Paper::default()).notes, [hidden]);
        let ends = |low, high| Ends { low: Some(low), high: Some(high) };
        let picture = chart.picture(&Paper { x_ends: ends(1.0, 5.0), ..Paper::default() });
        assert_eq!(picture.notes, [hidden, "1 value lies outside of the picture"]);
        let picture = chart.picture(&Paper { x_ends: ends(20.0, 50.0), ..Paper::default() });
        assert!(picture.document("", None).contains("all values lie outside of the picture"));
    }

    #[test]
    fn whole_numbers_get_equal_bins() {
        let dice: Vec<f64> = (0..600).map(|i| f64::from(i % 6 + 1)).collect();
        let edges = edges(&[&dice], Scale::Linear, None).unwrap();
        assert_eq!(edges, [0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5]);
        assert_eq!(counts(&dice, &edges), [100; 6]);
    }
}
