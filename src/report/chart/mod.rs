//! Charts that are fit for a paper, as SVG text.
//!
//! Each chart is a plain struct with a `svg` method. All have the same width, a white background, titles at the left,
//! a palette that colour-blind readers can tell apart (Okabe and Ito), and need no font file: widths of texts are
//! estimated from the widths of Helvetica, a little on the safe side. Values that are not finite are left out, as are
//! values of zero or below on a logarithmic axis; an interval that reaches there ends at the axis with an arrow; a chart without any data says so instead of failing.
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

mod annotation;
mod axis;
mod bar;
mod box_plot;
mod canvas;
mod category;
mod dag;
pub(super) mod format;
mod frame;
mod gantt;
mod heatmap;
mod histogram;
mod layers;
mod legend;
mod line;
mod marker;
mod spread;
mod style;
mod ticks;
mod tree;
mod utilization;

#[cfg(test)]
mod gallery;
#[cfg(test)]
mod inspect;

pub use annotation::Mark;
pub use axis::{Axis, Kind, Scale};
pub use bar::{Arrangement, Bar, BarChart, BarSeries};
pub use box_plot::{BoxPlot, BoxSeries};
pub use dag::{Dag, DagEdge, DagNode};
pub use gantt::{Arrow, Gantt, Lane, Shade, Span};
pub use heatmap::{Border, Cells, Heatmap};
pub use histogram::{Histogram, Sample, Threshold};
pub use line::{LineChart, Point, Series, SeriesStyle};
pub use tree::{Edge, Tree, TreeNode};
pub use utilization::{UsedRow, Utilization};
