//! `kind = "box"`: how metrics are distributed at each value of a swept key: quartiles, whiskers and outliers of a
//! sample for each category, side by side where there are series.

use schemars::JsonSchema;
use serde::Deserialize;

use super::along::Along;
use super::bar::moved;
use super::keys::{BarOrder, Common, Groups, Metrics, Shown};
use super::looks::ChartContext;
use super::series::{all_series, by_series};
use super::{ChartKind, Drawn, SensitivitySpec, checks, common_at};
use crate::report::box_summary::BoxSummary;
use crate::report::results::Results;
use crate::report::text::usable;
use crate::scenario::References;
use crate::statistics::quantile;
use hetsim_chart::axis::{Axis, Reach, Ruler};
use hetsim_chart::canvas::{Canvas, Picture, SheetPoint};
use hetsim_chart::category::Slots;
use hetsim_chart::drawing::Drawing;
use hetsim_chart::frame::Sheet;
use hetsim_chart::left_out::LeftOut;
use hetsim_chart::legend::Swatch;
use hetsim_chart::marker::arrow;
use hetsim_chart::palette::Fill;
use hetsim_chart::paper::{Ends, Paper};
use hetsim_chart::style::{Colour, Stroke};

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
    /// The label of x; by default the key's name.
    #[serde(default)]
    pub x_label: Option<String>,
    /// How boxes stand; they are sorted by their medians.
    #[serde(flatten)]
    pub order: BarOrder,
}

impl ChartKind for BoxKeys {
    common_at!(common);

    fn shown(&self) -> Shown<'_> {
        Shown::new(&self.common, &self.groups)
    }

    fn check(&self, at: &str, references: &mut References<'_>, _: &[SensitivitySpec]) {
        let keys = [Some(self.x.as_str()), self.groups.series.as_deref()];
        checks::labels(references, at, &self.metrics.labels, self.metrics.y.all());
        checks::names(references, at, self.shown(), &keys, false);
        references.axis_if_given(&format!("{at}.series"), keys[1]);
        references.axis(&format!("{at}.x"), &self.x);
        checks::apart(references, at, &[("x", &self.x)], self.shown());
        let all = [keys[0], keys[1], self.common.panels.as_deref()];
        checks::distribution(references, at, &self.common.filter, &all);
        let shown = self.shown();
        checks::words(references, at, &self.metrics, |references, path, x| {
            checks::shown_value(references, path, shown, &self.x, x);
        });
        checks::colours(references, at, shown, &self.metrics);
        checks::metrics(references, at, &self.metrics);
        checks::no_ends(references, at, self.groups.legend);
        checks::not_both(references, at, "boxes", keys[1], &self.metrics);
    }

    /// Each box is of all replicas of all points that have its x and its series.
    fn draw(&self, results: &Results<'_>, context: &ChartContext<'_>) -> Result<Drawn, String> {
        let shown = self.shown();
        let x = Along::new(results, shown, &self.x);
        let groups = by_series(results, shown);
        let sample = |members: &Vec<usize>, metric: &str| {
            members.iter().flat_map(|&point| results.numbers(point, metric)).collect()
        };
        let series = all_series(&self.metrics, &groups).into_iter().map(|series| BoxSeries {
            samples: x.members(results, series.members).iter().map(|here| sample(here, series.metric)).collect(),
            name: series.name,
        });
        let (mut series, mut categories): (Vec<BoxSeries>, _) = (series.collect(), x.names.clone());
        let mut annotations = self.metrics.words(|written| x.row_of(results, written));
        if let Some(sort) = self.order.sort {
            let middle = |category: usize| series.first().and_then(|series| quantile(&series.samples[category], 0.5));
            let order = sort.order(&(0..categories.len()).map(middle).collect::<Vec<_>>());
            categories = order.iter().map(|&old| categories[old].clone()).collect();
            for series in &mut series {
                series.samples = order.iter().map(|&old| std::mem::take(&mut series.samples[old])).collect();
            }
            moved(&mut annotations, &order);
        }
        let names = groups.iter().map(|(name, _)| name.as_deref());
        let paper = Paper {
            looks: context.looks(results, shown, names, self.metrics.y.all()),
            y_ends: self.metrics.ends(),
            annotations,
            horizontal: self.order.horizontal,
            ..self.groups.paper(&self.common)
        };
        let chart = BoxPlot {
            title: self.common.heading(),
            subtitle: self.common.subtitle.clone(),
            label: x.label(results, self.x_label.as_ref()),
            categories,
            y: self.metrics.axis(),
            series,
        };
        Ok(Drawn::new(chart, paper))
    }
}

/// A chart of distributions, such as the makespans of each scheduler over a hundred graphs. What a box, a whisker and a
/// point are is said by [`BoxSummary`]; a note says of how many values a box is.
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

impl Placed {
    /// Whether some of it lies between these ends.
    fn is_visible(&self, ends: Ends) -> bool {
        let BoxSummary { low, high, outliers, .. } = &self.summary;
        ends.meet(*low, *high) || outliers.iter().any(|&outlier| ends.hold(outlier))
    }
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
        self.picture(&Paper::default()).document(&self.title, None)
    }

    fn swatches(&self, paper: &Paper) -> Vec<(Swatch, &str)> {
        let series = self.series.iter().enumerate().filter(|_| self.series.len() > 1);
        series.map(|(index, series)| (Swatch::Area(tint(paper.fill(index))), series.name.as_str())).collect()
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

    /// Lists what a box is of: the numbers that it shows, and how many points lie beyond it.
    fn list(&self, canvas: &mut Canvas<'_>, placed: &Placed, corners: (SheetPoint, SheetPoint)) {
        let (summary, series) = (&placed.summary, &self.series[placed.series].name);
        let numbers = [summary.low, summary.lower_quartile, summary.median, summary.upper_quartile, summary.high];
        let mut cells = vec![self.categories[placed.category].clone(), series.clone(), summary.count.to_string()];
        cells.extend(numbers.map(|number| self.y.kind.format_finely(number)));
        cells.push(summary.outliers.len().to_string());
        canvas.target(series, corners, cells);
    }

    /// Thin lines between groups of several boxes, which would else run into each other.
    fn draw_separators(&self, canvas: &mut Canvas<'_>, slots: &Slots) {
        if self.series.len() < 2 {
            return;
        }
        let (low, high) = slots.ends();
        let start = if slots.lying { slots.plot.top } else { slots.plot.left };
        for index in 1..self.categories.len() {
            let across = start + index as f64 * slots.width;
            canvas.line(&[slots.at(across, low), slots.at(across, high)], Stroke::new(Colour::MIST, 0.8));
        }
    }
}

/// What boxes reach.
fn values(boxes: &[Placed]) -> impl Iterator<Item = f64> {
    boxes.iter().flat_map(|placed| {
        let summary = &placed.summary;
        let quartiles = [summary.lower_quartile, summary.median, summary.upper_quartile];
        [summary.low, summary.high].into_iter().chain(quartiles).chain(summary.outliers.iter().copied())
    })
}

impl BoxPlot {
    fn sheet<'a>(&'a self, paper: &'a Paper) -> Sheet<'a> {
        Sheet::new(&self.title, self.subtitle.as_deref(), paper).with_notes(&self.notes(paper))
    }

    fn left_out(&self, ends: Ends) -> LeftOut {
        let samples = self.series.iter().flat_map(|series| series.samples.iter().take(self.categories.len()));
        LeftOut::of(&self.y, ends, samples.flatten().copied())
    }

    /// The sheet and the axes of these boxes; nothing if there are none.
    fn laid_out<'a>(&'a self, boxes: &[Placed], paper: &'a Paper) -> Option<(Sheet<'a>, Ruler, Slots)> {
        if !boxes.iter().any(|placed| placed.is_visible(paper.y_ends)) {
            return None;
        }
        let sheet = self.sheet(paper).with_legend(self.swatches(paper));
        let values = (&self.y, values(boxes), Reach::Data);
        let (ruler, slots) = Slots::within(&sheet, &self.categories, values, self.series.len())?;
        Some((sheet, ruler, slots))
    }
}

impl Drawing for BoxPlot {
    fn picture(&self, paper: &Paper) -> Picture {
        let boxes = self.boxes();
        let Some((sheet, ruler, slots)) = self.laid_out(&boxes, paper) else {
            return self.sheet(paper).nothing(self.left_out(paper.y_ends));
        };

        sheet.draw(slots.height, |canvas| {
            slots.draw_axes(canvas, &ruler, &self.y.label, &self.label);
            self.draw_separators(canvas, &slots);
            let series = if paper.legend_title.is_empty() { "series" } else { &paper.legend_title };
            let numbers = ["n", "low", "lower quartile", "median", "upper quartile", "high", "points"];
            canvas.heads(&[&[self.label.as_str(), series], &numbers[..]].concat());
            let low = slots.value(0.0);
            // What has no place on the axis lies below it.
            let value = |value: f64| {
                let shown = self.y.shows(value);
                shown.then(|| slots.value(ruler.fraction(value))).ok_or(low)
            };
            canvas.clipped(slots.plot.clip(), |canvas| {
                for placed in &boxes {
                    let beside = (placed.series, self.series.len());
                    let (left, right) = slots.sides(placed.category, beside, (FILLED, WIDEST_BOX));
                    let free = GAP / 2.0 * (right - left);
                    let fill = paper.fill(placed.series);
                    let sides = (left + free, right - free);
                    canvas.series(&self.series[placed.series].name, |canvas| {
                        draw_box(canvas, &placed.summary, sides, (&slots, fill), &value);
                    });
                    let end = |at: f64| value(at).unwrap_or_else(|end| end);
                    let ends = (end(placed.summary.low), end(placed.summary.high));
                    self.list(canvas, placed, (slots.at(sides.0, ends.0), slots.at(sides.1, ends.1)));
                }
            });
            slots.draw_base_line(canvas, low);
            slots.annotate(canvas, &paper.annotations, |at| value(at).unwrap_or_else(|end| end));
        })
    }

    fn lies(&self, paper: &Paper) -> bool {
        self.laid_out(&self.boxes(), paper).is_some_and(|(.., slots)| slots.lying)
    }

    fn reach(&self, _: &Paper) -> (Ends, Ends) {
        (Ends::default(), Ends::over(&values(&self.boxes()).collect::<Vec<_>>()))
    }

    /// Says what a box, its whiskers and its points are, and of how many values it is.
    fn notes(&self, paper: &Paper) -> Vec<String> {
        let boxes = self.boxes();
        let counts = boxes.iter().map(|placed| placed.summary.count);
        let said = counts.clone().min().zip(counts.max()).map(|(least, most)| {
            let count = if least == most { format!("n = {least}") } else { format!("n = {least} to {most}") };
            format!("boxes: median and quartiles, whiskers to 1.5 times the box, points beyond; {count} a box")
        });
        said.into_iter().chain(self.left_out(paper.y_ends).notes()).collect()
    }

    fn entries(&self, paper: &Paper) -> Vec<(Swatch, String)> {
        self.swatches(paper).into_iter().map(|(swatch, name)| (swatch, name.to_owned())).collect()
    }
}

/// What a box is filled with: paler than its rim.
fn tint(fill: Fill) -> Fill {
    Fill { colour: fill.colour.mix(Colour::WHITE, 0.45), ..fill }
}

/// Draws a box; `value` gives the pixel of a value, or that of the axis' end for one that lies beyond it.
fn draw_box(
    canvas: &mut Canvas<'_>,
    summary: &BoxSummary,
    (left, right): (f64, f64),
    (slots, fill): (&Slots, Fill),
    value: &dyn Fn(f64) -> Result<f64, f64>,
) {
    let (middle, width) = (f64::midpoint(left, right), right - left);
    let rim = Stroke::new(fill.colour.mix(Colour::BLACK, 0.25), 1.1);
    let pixel = |at: f64| value(at).unwrap_or_else(|end| end);
    for (from, to) in [(summary.lower_quartile, summary.low), (summary.upper_quartile, summary.high)] {
        canvas.line(&[slots.at(middle, pixel(from)), slots.at(middle, pixel(to))], rim);
        if let Ok(to) = value(to) {
            canvas.line(&[slots.at(middle - width / 4.0, to), slots.at(middle + width / 4.0, to)], rim);
        }
    }
    let (upper, lower) = (pixel(summary.upper_quartile), pixel(summary.lower_quartile));
    canvas.filled(slots.at(left, upper), slots.at(right, lower), tint(fill));
    let corners = [(left, upper), (right, upper), (right, lower), (left, lower), (left, upper)];
    canvas.line(&corners.map(|(across, value)| slots.at(across, value)), rim);
    if let Ok(median) = value(summary.median) {
        canvas.line(&[slots.at(left, median), slots.at(right, median)], Stroke::new(Colour::INK, 2.0));
    }
    let radius = (width / 8.0).clamp(1.0, 2.2);
    for outlier in summary.outliers.iter().filter_map(|&outlier| value(outlier).ok()) {
        canvas.disc(slots.at(middle, outlier), radius, rim.colour);
    }
    if let Some(end) = summary.outliers.iter().chain([&summary.low]).find_map(|&at| value(at).err()) {
        let back = if slots.lying { 12.0 } else { -12.0 };
        arrow(canvas, slots.at(middle, end + back), slots.at(middle, end), rim.colour);
    }
}
