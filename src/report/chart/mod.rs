//! Charts that are fit for a paper, as SVG text, and `[[chart]]`, which asks for them.
//!
//! A kind of chart is one file here: its keys, its checks, what it shows of the results, and how it is drawn. What it
//! is drawn of stands in `draw/`. Each picture is a plain struct with a `svg` method. All have a white
//! background, titles at the left, a palette that colour-blind readers can tell apart (Okabe and Ito), and need no font
//! file: widths of texts are estimated from the widths of Helvetica, a little on the safe side. Values that are not
//! finite are left out, as are values of zero or below on a logarithmic axis, and lines have a gap there; an interval that
//! reaches there ends at the axis with an arrow; a chart without any data says so instead of failing.
//!
//! ```
//! use hetsim::report::chart::{Axis, LineChart, Point, Series};
//!
//! let chart = LineChart {
//!     title: "Completion time of a broadcast".to_owned(),
//!     subtitle: Some("pLogP, 78 ranks".to_owned()),
//!     x: Axis::bytes("message size").logarithmic(),
//!     y: Axis::seconds("completion time").logarithmic(),
//!     series: vec![Series::data("binomial", vec![Point::new(1.0, 2e-4), Point::new(1024.0, 9e-4)])],
//!     ..LineChart::default()
//! };
//! assert!(chart.svg().starts_with("<svg"));
//! ```

mod along;
mod bar;
mod box_plot;
mod checks;
mod gantt;
mod graph;
mod heatmap;
mod histogram;
mod keys;
mod layout;
mod line;
mod looks;
mod notes;
mod panels;
mod path;
mod rows;
mod scatter;
mod screen;
mod sensitivity;
mod series;
mod stacked;
mod thin;
mod tolerance;
mod tree;
mod utilization;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use hetsim_chart::drawing::Drawing;
use hetsim_chart::paper::{MILLIMETRES, Paper};
use keys::Shown;
use looks::ChartContext;

use super::replicas;
use super::results::Results;
use super::sensitivity::SensitivitySpec;
use super::text::axis_text;
use crate::scenario::{References, Traced};

pub(crate) use screen::{Screen, ScreenValue};

pub use super::text::Kind;
pub use box_plot::{BoxPlot, BoxSeries};
pub use gantt::{ColourBy, gantt, with_colours, with_links, with_path};
pub use graph::{critical_tasks, graph};
pub use hetsim_chart::annotation::Mark;
pub use hetsim_chart::axis::{Axis, Scale};
pub use hetsim_chart::bars::{Arrangement, BarChart, BarSeries};
pub use hetsim_chart::dag::{Dag, DagEdge, DagNode};
pub use hetsim_chart::frames::Framed;
pub use hetsim_chart::histogram::{Histogram, Sample, Threshold};
pub use hetsim_chart::lanes::{Arrow, Gantt, Lane, Shade, Span};
pub use hetsim_chart::lines::{LineChart, Point, Series, SeriesStyle};
pub use hetsim_chart::matrix::{Border, Cells, Heatmap};
pub(crate) use hetsim_chart::overlay::Field;
pub use hetsim_chart::palette::Palette;
pub use hetsim_chart::paper::LegendPlace;
#[cfg(all(test, feature = "pdf"))]
pub(crate) use hetsim_chart::style::text_width;
pub use keys::{BarOrder, Colours, Common, Groups, Metrics, NameList, Sort, Words};
#[cfg(feature = "cli")]
pub(crate) use layout::fault_of_width;
pub use tree::{Edge, Tree, TreeNode};
pub use utilization::{Of, UsedRow, Utilization, utilization};

crate::registry! {
    /// `[[chart]]`: a picture.
    pub enum Chart by "kind" or "line" of ChartKind {
        "line" => Line(line::LineKeys): "A line for each series, with 95 % bands where there are replicas, or \
            error bars (`whiskers = true`); the kind if none is given.",
        "bar" => Bar(bar::BarKeys): "A group of bars for each x.",
        "stacked" => Stacked(stacked::StackedKeys): "A stack of bars for each x: a segment for each metric of `y`, \
            in that order from below, with means over replicas. What is negative hangs below zero, and lines beside \
            the stack mark the sum.",
        "path" => Path(path::PathKeys): "What the time of runs is spent on, a stack for each x: the parts of their \
            critical paths, which the table `path` keeps, with means over replicas. They add up to the completion.",
        "scatter" => Scatter(scatter::ScatterKeys): "A mark for each point of the sweep, at the means of the \
            metrics `x` and `y` over replicas, with the interval of `y`.",
        "histogram" => Histogram(histogram::HistogramKeys): "How the metric `x` is distributed over replicas, and \
            over all points that `where` lets through.",
        "box" => BoxPlot(box_plot::BoxKeys): "How the metrics `y` are distributed at each x, over replicas and \
            over all other points that `where` lets through. A box reaches from the lower to the upper quartile \
            (interpolated between order statistics at (n − 1)/4 and 3(n − 1)/4, type 7 of Hyndman and Fan) with a \
            line at the median, a whisker to the farthest value within 1.5 times the box' height; values beyond are \
            points.",
        "heatmap" => Heatmap(heatmap::HeatmapKeys): "A cell for each pair of x and y.",
        "gantt" => Gantt(gantt::GanttKeys): "Who is busy with what when, and who sends to whom, in one run.",
        "tree" => Tree(tree::TreeKeys): "The tree along which one run passes its message on from one root to all: a \
            `broadcast`, an `adaptive` one, or a `collective` of operation `broadcast` or `scatter`.",
        "graph" => Graph(graph::GraphKeys): "The task graph of one run, of 60 tasks at most: levels from above to \
            below, each task with its work and the colour of the node that computes it, each edge with its bytes \
            where there is space.",
        "utilization" => Utilization(utilization::UtilizationKeys): "How much of each link that messages shared is \
            in use when in one run, or (`of = \"nodes\"`) of each node's cores: a row each, the most used first, 40 \
            at most, and a colour for the mean use in each two-hundredth of the run. Of a link it is the share of \
            its full bandwidth; a core is in use while it computes or receives.",
        "sensitivity" => Sensitivity(sensitivity::SensitivityKeys): "Which keys of the design matter for the \
            metric `y`, of which there is a `[[sensitivity]]`: a bar for each with its interval, the largest first. \
            Of a `morris` design the mean size of the elementary effects, of a `saltelli` design the first-order and \
            the total index.",
        "tolerance" => Tolerance(tolerance::ToleranceKeys): "How much worse each node, kernel and key of a network may \
            become before one run is 1, 2 and 5 % longer, by the table `tolerance`: the parts that are tolerated least, \
            20 at most. Nodes that are tolerated alike are one.",
    }
}

/// The methods of a [`ChartKind`] that give the keys of every chart, which stand at this field.
macro_rules! common_at {
    ($($field:ident).+) => {
        fn common(&self) -> &Common {
            &self.$($field).+
        }

        fn common_mut(&mut self) -> &mut Common {
            &mut self.$($field).+
        }
    };
}
use common_at;

/// What each kind of chart does with its keys.
pub(crate) trait ChartKind {
    /// The keys that every chart has.
    fn common(&self) -> &Common;

    /// The same, to be changed.
    fn common_mut(&mut self) -> &mut Common;

    /// What points or rows it shows, and in what groups.
    fn shown(&self) -> Shown<'_> {
        Shown { common: self.common(), series: None, names: &NO_NAMES, colours: None, legend: None }
    }

    /// Whether it has details to look at closely: pages let their readers zoom.
    fn has_details(&self) -> bool {
        false
    }

    /// Whether it shows single runs: the first replica of a point.
    fn is_of_one_run(&self) -> bool {
        false
    }

    /// Checks that the chart at the key `at` speaks of what exists and has something to show. The scenario asks for
    /// these sensitivities.
    fn check(&self, at: &str, references: &mut References<'_>, sensitivities: &[SensitivitySpec]);

    /// The picture, with what it is drawn on.
    ///
    /// # Errors
    /// Where there is nothing to show, such as of a run that fails: the message is the note of a chart without data.
    fn draw(&self, results: &Results<'_>, context: &ChartContext<'_>) -> Result<Drawn, String>;
}

static NO_NAMES: BTreeMap<String, String> = BTreeMap::new();

/// A picture with what it is drawn on.
pub(crate) struct Drawn {
    picture: Box<dyn Drawing>,
    paper: Paper,
}

impl Drawn {
    fn new(picture: impl Drawing + 'static, paper: Paper) -> Self {
        Self { picture: Box::new(picture), paper }
    }

    /// The same with one more note, if it is one.
    fn with_note(mut self, note: Option<String>) -> Self {
        self.paper.notes.extend(note);
        self
    }
}

impl Chart {
    /// The keys that every chart has.
    #[must_use]
    pub fn common(&self) -> &Common {
        self.entry().common()
    }

    /// Draws it at this width in print, such as `"85mm"`.
    pub fn set_width(&mut self, width: &str) {
        self.entry_mut().common_mut().width = Some(width.to_owned());
    }

    /// What is wrong with its width in print, and what helps.
    #[cfg(feature = "cli")]
    pub(crate) fn fault_of_width(&self) -> Option<(String, &'static str)> {
        layout::fault_of_chart(self.entry().shown())
    }

    /// The runs that it shows, where these are single ones: the first replica of one point, or of a point for each series
    /// or panel.
    pub(crate) fn single_runs(&self, results: &Results<'_>) -> Option<&'static str> {
        let keys = [self.entry().shown().series, self.common().panels.as_deref()];
        let several = keys.into_iter().flatten().any(|key| results.axis(key).is_some());
        self.entry().is_of_one_run().then_some(if several { "one run each" } else { "one run" })
    }

    /// Which of several replicas a chart of single runs shows.
    fn note_on_replicas(&self, results: &Results<'_>) -> Option<String> {
        let counts = replicas::counts(results);
        (self.single_runs(results).is_some() && counts != "1").then(|| format!("the first of {counts} replicas"))
    }

    /// The picture with what it is drawn on. One with nothing to show says why; the others are drawn all the same.
    fn drawn(&self, results: &Results<'_>, context: &ChartContext<'_>) -> Drawn {
        match self.entry().draw(results, context) {
            Ok(drawn) => drawn.with_note(self.note_on_replicas(results)),
            Err(reason) => {
                let common = self.common();
                let (title, subtitle) = (common.heading(), common.subtitle.clone());
                Drawn::new(LineChart { title, subtitle, ..LineChart::default() }, common.paper())
                    .with_note(Some(reason))
            }
        }
    }
}

/// A picture and its words.
#[derive(Debug, Clone, Default)]
pub struct Picture {
    /// The file's stem.
    pub name: String,
    /// The words under it.
    pub caption: String,
    /// The picture.
    pub svg: String,
    /// What is said below it: what its bands and bars are, of how many values.
    pub notes: Vec<String>,
    /// Its width in print, in millimetres, where that was asked for.
    pub millimetres: Option<f64>,
    /// The picture as a page shows it.
    pub(crate) screen: Screen,
}

impl Picture {
    /// A drawing of the usual size.
    pub(crate) fn of(name: &str, caption: String, title: &str, drawing: &impl Drawing) -> Self {
        let svg = drawing.picture(&Paper::default()).document(title, None);
        let screen = Screen::of_drawing(drawing, title);
        Self { name: name.to_owned(), caption, svg, screen, ..Self::default() }
    }
}

/// Checks every chart of a scenario.
pub(super) fn check(charts: &[Chart], references: &mut References<'_>, sensitivities: &[SensitivitySpec]) {
    let names: Vec<&str> = charts.iter().map(|chart| chart.common().name.as_str()).collect();
    for (number, chart) in charts.iter().enumerate() {
        let at = format!("chart.{number}");
        checks::name(references, &at, names[number], &names[..number]);
        references.some_points(&format!("{at}.where"), &chart.common().filter);
        checks::paper(references, &at, chart.name(), chart.entry().shown());
        chart.entry().check(&at, references, sensitivities);
    }
}

/// Draws these charts, some of which may show these sensitivities.
///
/// # Errors
/// Where the panels are of a key that is not swept. A chart with nothing to show is no error: it says so.
pub fn draw(
    results: &Results<'_>,
    charts: &[Chart],
    sensitivities: &[SensitivitySpec],
) -> Result<Vec<Picture>, String> {
    draw_some(results, charts, sensitivities, |_| true)
}

/// Draws those of the charts of a report that are wanted, in the looks that they have beside the others.
///
/// # Errors
/// As [`draw`].
pub fn draw_some(
    results: &Results<'_>,
    charts: &[Chart],
    sensitivities: &[SensitivitySpec],
    is_wanted: impl Fn(&Chart) -> bool,
) -> Result<Vec<Picture>, String> {
    let context = ChartContext::new(results, charts, sensitivities);
    let draw = |chart: &Chart| {
        let common = chart.common();
        let (picture, phone) = if let Some(key) = &common.panels {
            panels::panels(chart, key, results, &context)?
        } else {
            let drawn = chart.drawn(results, &context);
            (drawn.picture.picture(&drawn.paper), drawn.on_phone())
        };
        let millimetres = common.paper().is_printed.then_some(MILLIMETRES);
        let caption = common.caption();
        Ok(Picture {
            name: common.name.clone(),
            svg: picture.document(&caption, millimetres),
            screen: Screen::of(&picture, phone.as_ref(), (&caption, millimetres), chart.entry().has_details()),
            caption,
            millimetres: millimetres.map(|each| each * picture.width),
            notes: picture.notes,
        })
    };
    charts.iter().filter(|chart| is_wanted(chart)).map(draw).collect()
}

/// What is said where a critical path is to be shown that is not known.
fn unknown_path(is_asked: bool, traced: &Traced) -> Option<String> {
    let is_unknown = is_asked && traced.timeline.path.is_none();
    is_unknown.then(|| "the critical path of this run is not known".to_owned())
}

/// The one run of a chart again, watched, and the chart's subtitle: the conditions where none is given.
fn watched(results: &Results<'_>, common: &Common) -> Result<(Traced, Option<String>), String> {
    let point = *results.matching(&common.filter).first().ok_or("there is no run")?;
    let traced = results.scenario().trace(point, 0).map_err(String::from)?;
    let values = results.scenario().values(point);
    let conditions: Vec<String> =
        values.map(|(axis, value)| format!("{} {}", axis.name, axis_text(axis.format.as_deref(), value))).collect();
    Ok((traced, common.subtitle.clone().or_else(|| Some(conditions.join(", ")))))
}
