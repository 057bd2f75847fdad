//! `kind = "box"`: how metrics are distributed at each value of a swept key: quartiles, whiskers and outliers of a
//! sample for each category, side by side where there are series.

use schemars::JsonSchema;
use serde::Deserialize;

use super::along::Along;
use super::draw::axis::{Axis, Reach, Ruler};
use super::draw::canvas::{Anchor, Canvas, TextLook};
use super::draw::category::Slots;
use super::draw::frame::{Plot, Sheet};
use super::draw::legend::Swatch;
use super::draw::marker::arrow;
use super::draw::style::{Colour, MARGIN, SMALL_SIZE, Stroke, TICK_SIZE, fill_colour, text_width};
use super::keys::{Common, Groups, Metrics, Shown};
use super::strands::{by_series, strands};
use super::{ChartKind, SensitivitySpec, checks};
use crate::report::box_summary::BoxSummary;
use crate::report::results::Results;
use crate::report::text::usable;
use crate::scenario::References;

/// The keys of a chart of boxes.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct BoxKeys {
    /// The keys of every chart.
    #[serde(flatten)]
    pub common: Common,
    /// The swept key along x.
    pub x: String,
    /// The metrics along y.
    #[serde(flatten)]
    pub metrics: Metrics,
    /// The groups of boxes.
    #[serde(flatten)]
    pub groups: Groups,
    /// The label of x; the key's name where it is not given.
    #[serde(default)]
    pub x_label: Option<String>,
}

impl ChartKind for BoxKeys {
    fn common(&self) -> &Common {
        &self.common
    }

    fn check(&self, at: &str, references: &mut References<'_>, _: &[SensitivitySpec]) {
        let keys = [Some(self.x.as_str()), self.groups.series.as_deref()];
        checks::labels(references, at, &self.metrics.labels, self.metrics.y.all());
        checks::names(references, at, Shown::new(&self.common, &self.groups), &keys, false);
        references.axis_if_given(&format!("{at}.series"), keys[1]);
        references.axis(&format!("{at}.x"), &self.x);
        checks::distribution(references, at, &self.common.filter, &keys);
        checks::metrics(references, at, &self.metrics);
        checks::not_both(references, at, "boxes", keys[1], &self.metrics);
    }

    /// Each box is of all replicas of all points that have its x and its series.
    fn draw(&self, results: &Results<'_>, _: &[SensitivitySpec]) -> Result<String, String> {
        let shown = Shown::new(&self.common, &self.groups);
        let x = Along::new(results, shown, &self.x);
        let groups = by_series(results, shown);
        let sample = |members: &Vec<usize>, metric: &str| {
            members.iter().flat_map(|&point| results.numbers(point, metric)).collect()
        };
        let series = strands(&self.metrics, &groups).into_iter().map(|strand| BoxSeries {
            samples: x.members(results, strand.members).iter().map(|here| sample(here, strand.metric)).collect(),
            name: strand.name,
        });
        let chart = BoxPlot {
            title: self.common.heading(),
            subtitle: self.common.subtitle.clone(),
            label: x.label(results, self.x_label.as_ref()),
            categories: x.names.clone(),
            y: self.metrics.axis(),
            series: series.collect(),
        };
        Ok(chart.svg())
    }
}

/// A chart of distributions, such as the makespans of each scheduler over a hundred graphs. What a box, a whisker and a
/// point are is said by [`BoxSummary`]; the line at the upper right says of how many values a box is.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BoxPlot {
    /// What the chart shows, in sentence case.
    pub title: String,
    /// The condition under which it was measured.
    pub subtitle: Option<String>,
    /// What the categories are.
    pub label: String,
    /// The names under the groups of boxes.
    pub categories: Vec<String>,
    /// The vertical axis; it need not reach zero.
    pub y: Axis,
    /// Each series is a colour, and has a box in each category.
    pub series: Vec<BoxSeries>,
}

/// The boxes of one colour.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BoxSeries {
    /// The name in the legend.
    pub name: String,
    /// A sample a category, in any order of its values; where it is empty, the place stays empty.
    pub samples: Vec<Vec<f64>>,
}

/// A box with its place.
struct Placed {
    category: usize,
    series: usize,
    summary: BoxSummary,
}

/// The share of a slot that boxes fill.
const FILLED: f64 = 0.78;
/// A box alone in a wide slot is no wider.
const WIDEST_BOX: f64 = 46.0;
/// The share of its place that a box leaves free for its neighbours.
const GAP: f64 = 0.16;

impl BoxPlot {
    /// The chart as an SVG document.
    #[must_use]
    pub fn svg(&self) -> String {
        let boxes = self.boxes();
        let values = boxes.iter().flat_map(|placed| {
            let summary = &placed.summary;
            let quartiles = [summary.lower_quartile, summary.median, summary.upper_quartile];
            [summary.low, summary.high].into_iter().chain(quartiles).chain(summary.outliers.iter().copied())
        });
        let sheet = Sheet::new(&self.title, self.subtitle.as_deref());
        let Some(ruler) = Ruler::new(&self.y, values, Reach::Data, 7) else { return sheet.no_data() };
        let swatches = self.series.iter().enumerate();
        let swatches = swatches.map(|(index, series)| (Swatch::Area(fill_colour(index)), series.name.as_str()));
        let sheet = sheet.with_legend(swatches.filter(|_| self.series.len() > 1));
        let slots = Slots::new(&sheet, &self.categories, &ruler);
        let plot = slots.plot;

        sheet.draw(slots.height, |canvas| {
            plot.draw_vertical_axis(canvas, &ruler, &self.y.label);
            draw_count(canvas, &boxes, plot, text_width(&self.y.label, TICK_SIZE));
            slots.draw_names(canvas, &self.label);
            self.draw_separators(canvas, &slots);
            for placed in &boxes {
                let beside = (placed.series, self.series.len());
                let (left, right) = slots.sides(placed.category, beside, (FILLED, WIDEST_BOX));
                let free = GAP / 2.0 * (right - left);
                draw_box(canvas, placed, (left + free, right - free), &|value| {
                    // What has no place on the axis lies below it.
                    self.y.shows(value).then(|| plot.y(ruler.fraction(value))).ok_or(plot.bottom)
                });
            }
            plot.draw_base_line(canvas, plot.bottom);
        })
    }

    /// The boxes that have a value on the axis.
    fn boxes(&self) -> Vec<Placed> {
        let mut boxes = Vec::new();
        for (series, samples) in self.series.iter().enumerate() {
            for (category, sample) in samples.samples.iter().take(self.categories.len()).enumerate() {
                // Quartiles are of all values, also of those that a logarithmic axis has no place for.
                let finite: Vec<f64> = sample.iter().copied().filter(|&value| usable(value)).collect();
                if let Some(summary) = BoxSummary::of(&finite).filter(|summary| self.y.shows(summary.high)) {
                    boxes.push(Placed { category, series, summary });
                }
            }
        }
        boxes
    }

    /// Thin lines between groups of several boxes, which would else run into each other.
    fn draw_separators(&self, canvas: &mut Canvas<'_>, slots: &Slots) {
        if self.series.len() < 2 {
            return;
        }
        for index in 1..self.categories.len() {
            let x = slots.plot.left + index as f64 * slots.width;
            canvas.line(&[(x, slots.plot.top), (x, slots.plot.bottom)], Stroke::new(Colour::MIST, 0.8));
        }
    }
}

/// Says how many values the boxes have, beside the label of the axis.
fn draw_count(canvas: &mut Canvas<'_>, boxes: &[Placed], plot: Plot, beside: f64) {
    let counts = boxes.iter().map(|placed| placed.summary.count);
    let (Some(least), Some(most)) = (counts.clone().min(), counts.max()) else { return };
    let text = if least == most { format!("n = {least} a box") } else { format!("n = {least} to {most} a box") };
    if MARGIN + beside * 1.1 + text_width(&text, SMALL_SIZE) + 20.0 <= plot.right {
        canvas.text(&text, (plot.right, plot.top - 20.0), TextLook::new(SMALL_SIZE, Colour::GREY, Anchor::End));
    }
}

/// Draws a box; `y` gives the height of a value, or that of the axis' end for one that lies beyond it.
fn draw_box(canvas: &mut Canvas<'_>, placed: &Placed, (left, right): (f64, f64), y: &dyn Fn(f64) -> Result<f64, f64>) {
    let (summary, colour) = (&placed.summary, fill_colour(placed.series));
    let (middle, width) = (f64::midpoint(left, right), right - left);
    let rim = Stroke::new(colour.mix(Colour::BLACK, 0.25), 1.1);
    let height = |value: f64| y(value).unwrap_or_else(|end| end);
    for (from, to) in [(summary.lower_quartile, summary.low), (summary.upper_quartile, summary.high)] {
        canvas.line(&[(middle, height(from)), (middle, height(to))], rim);
        if let Ok(to) = y(to) {
            canvas.line(&[(middle - width / 4.0, to), (middle + width / 4.0, to)], rim);
        }
    }
    let (top, bottom) = (height(summary.upper_quartile), height(summary.lower_quartile));
    canvas.rectangle((left, top), (right, bottom), colour.mix(Colour::WHITE, 0.55));
    canvas.line(&[(left, top), (right, top), (right, bottom), (left, bottom), (left, top)], rim);
    if let Ok(median) = y(summary.median) {
        canvas.line(&[(left, median), (right, median)], Stroke::new(Colour::INK, 2.0));
    }
    let radius = (width / 8.0).clamp(1.0, 2.2);
    for outlier in summary.outliers.iter().filter_map(|&outlier| y(outlier).ok()) {
        canvas.disc((middle, outlier), radius, rim.colour);
    }
    if let Some(end) = summary.outliers.iter().chain([&summary.low]).find_map(|&value| y(value).err()) {
        arrow(canvas, (middle, end - 12.0), (middle, end), rim.colour);
    }
}
