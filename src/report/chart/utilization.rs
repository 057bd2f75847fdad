//! `kind = "utilization"`: how much of each link, or of each node's cores, is in use over the course of one run: a row
//! each, and a colour for each part of the run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::keys::Common;
use super::looks::ChartContext;
use super::{ChartKind, Drawn, SensitivitySpec, checks, common_at, watched};
use crate::cluster::Activity;
use crate::report::results::Results;
use crate::report::text::{Kind, usable};
use crate::scenario::{References, Traced, TracedLink};
use crate::units::Time;
use hetsim_chart::axis::{Axis, Reach, Ruler};
use hetsim_chart::canvas::{Anchor, Canvas, Picture, TextLook};
use hetsim_chart::drawing::Drawing;
use hetsim_chart::format::plain;
use hetsim_chart::frame::{AXIS_LABEL_HEIGHT, Plot, Sheet, TICKS_HEIGHT, ticks_width};
use hetsim_chart::matrix::{BAR_WIDTH, draw_colour_bar, sequential};
use hetsim_chart::paper::Paper;
use hetsim_chart::style::{Colour, LABEL_SIZE, SMALL_SIZE, compact, shorten, shorten_all, text_width};

/// The keys of a chart of what is in use when.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct UtilizationKeys {
    /// The keys of every chart.
    #[serde(flatten)]
    pub common: Common,
    /// What the rows are: `"links"` (the default) or `"nodes"`.
    #[serde(default)]
    pub of: Of,
}

/// What the rows of a `utilization` chart are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Of {
    /// The links that messages share.
    #[default]
    Links,
    /// The nodes.
    Nodes,
}

impl ChartKind for UtilizationKeys {
    common_at!(common);

    fn has_details(&self) -> bool {
        true
    }

    fn is_of_one_run(&self) -> bool {
        true
    }

    fn check(&self, at: &str, references: &mut References<'_>, _: &[SensitivitySpec]) {
        checks::one_run(references, at, &self.common);
    }

    fn draw(&self, results: &Results<'_>, _: &ChartContext<'_>) -> Result<Drawn, String> {
        let (traced, subtitle) = watched(results, &self.common)?;
        Ok(Drawn::new(utilization(&traced, self.of, self.common.heading(), subtitle), self.common.paper()))
    }
}

/// How many equal parts the time of a run has in the picture.
const PARTS: usize = 200;
/// The most rows of a picture: the rest is counted.
const MOST_ROWS: usize = 40;

/// How much of each link, or of each node's cores, is in use, the most used first.
#[must_use]
pub fn utilization(traced: &Traced, of: Of, title: String, subtitle: Option<String>) -> Utilization {
    let (mut rows, what) = match of {
        Of::Links => (used_links(traced, PARTS), "links"),
        Of::Nodes => (used_nodes(traced), "nodes"),
    };
    let all = rows.len();
    rows.truncate(MOST_ROWS);
    let y_label = if all > MOST_ROWS {
        format!("the {MOST_ROWS} most used of {all} {what}")
    } else {
        format!("{what}, the most used first")
    };
    Utilization { title, subtitle, y_label, rows, end: traced.tick.seconds(traced.end) }
}

/// The use of the links that messages shared, in so many parts of the run, the most used first.
pub(super) fn used_links(traced: &Traced, parts: usize) -> Vec<UsedRow> {
    let row = |link: &TracedLink| {
        let shares = link.rates.iter().map(|&(since, rate)| (since, rate / link.capacity)).collect::<Vec<_>>();
        UsedRow { name: link.name.clone(), shares: means(&shares, traced.end, parts) }
    };
    most_used_first(traced.links.iter().map(row).collect())
}

/// The use of the nodes' cores: by computations, and by what messages take of the receiver's processor.
fn used_nodes(traced: &Traced) -> Vec<UsedRow> {
    // When the number of busy cores of each node changes, and by how much.
    let mut changes: Vec<Vec<(Time, i64)>> = vec![Vec::new(); traced.cluster_of.len()];
    for span in &traced.timeline.spans {
        if matches!(span.activity, Activity::Compute | Activity::Receive) && span.end > span.start {
            changes[span.at.index()].extend([(span.start, 1), (span.end, -1)]);
        }
    }
    let several = traced.clusters.len() > 1;
    let row = |(node, changes): (usize, &mut Vec<(Time, i64)>)| {
        changes.sort_unstable();
        let cores = f64::from(traced.cores[node]);
        let mut busy = 0;
        let shares: Vec<(Time, f64)> = changes
            .iter()
            .map(|&(at, change)| {
                busy += change;
                // Computations that share the cores may be more than these.
                (at, (busy as f64).min(cores) / cores)
            })
            .collect();
        let cluster = &traced.clusters[traced.cluster_of[node]];
        let name = if several { format!("{cluster} {node}") } else { node.to_string() };
        UsedRow { name, shares: means(&shares, traced.end, PARTS) }
    };
    most_used_first(changes.iter_mut().enumerate().map(row).collect())
}

fn most_used_first(mut rows: Vec<UsedRow>) -> Vec<UsedRow> {
    // Equal uses may differ in their last digits.
    rows.sort_by_cached_key(|row| std::cmp::Reverse((row.mean() * 1e9).round() as i64));
    rows
}

/// The means, in equal parts of the time until `end`, of a value that is zero at first and then has each of these from
/// an instant on until the next: its integral over the part, over the length of the part.
fn means(steps: &[(Time, f64)], end: Time, parts: usize) -> Vec<f64> {
    let length = end.as_f64() / parts as f64;
    let mut means = vec![0.0; parts];
    for (place, &(start, value)) in steps.iter().enumerate() {
        let stop = steps.get(place + 1).map_or(end, |&(next, _)| next.min(end));
        if value == 0.0 || stop <= start {
            continue;
        }
        let (start, stop) = (start.as_f64() / length, stop.as_f64() / length);
        for (part, mean) in means.iter_mut().enumerate().skip(start as usize) {
            let part = part as f64;
            if part >= stop {
                break;
            }
            *mean += value * (stop.min(part + 1.0) - start.max(part)).max(0.0);
        }
    }
    means
}

/// A chart of what is used over simulated time.
#[derive(Debug, Clone, PartialEq)]
pub struct Utilization {
    /// What the chart shows, in sentence case.
    pub title: String,
    /// The condition, and which run it is.
    pub subtitle: Option<String>,
    /// What the rows are.
    pub y_label: String,
    /// The rows, from above.
    pub rows: Vec<UsedRow>,
    /// The end of the run, in seconds.
    pub end: f64,
}

/// The use of one link or one node.
#[derive(Debug, Clone, PartialEq)]
pub struct UsedRow {
    /// Its name.
    pub name: String,
    /// The share in use in each of equal parts of the run, from 0 to 1.
    pub shares: Vec<f64>,
}

impl UsedRow {
    /// The share in use over the whole run.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.shares.iter().sum::<f64>() / self.shares.len().max(1) as f64
    }
}

const NAME_WIDTH: f64 = 240.0;
/// Rows get no lower, so that each has its name, and no higher.
const ROW_HEIGHTS: (f64, f64) = (12.0, 26.0);
/// The height that rows share.
const ROWS_HEIGHT: f64 = 400.0;
/// The space for the share over the whole run.
const MEAN_WIDTH: f64 = 62.0;
/// The same on narrow paper, where its heading lies over the rows' end.
const NARROW_MEAN: f64 = 42.0;

impl Utilization {
    /// The chart as an SVG document.
    #[must_use]
    pub fn svg(&self) -> String {
        self.picture(&Paper::default()).document(&self.title, None)
    }
}

impl Drawing for Utilization {
    fn picture(&self, paper: &Paper) -> Picture {
        let sheet = Sheet::new(&self.title, self.subtitle.as_deref(), paper);
        let times = Ruler::new(
            &Axis::seconds(""),
            [0.0, self.end].into_iter(),
            Reach::Exact,
            if paper.is_narrow() { 3 } else { 9 },
        );
        let shares = Ruler::new(&Axis::number(""), [0.0, 100.0].into_iter(), Reach::Exact, 6);
        let (Some(times), Some(shares), false) = (times, shares, self.rows.is_empty() || self.end <= 0.0) else {
            return sheet.notice("nothing is used in this run");
        };
        let (name_share, mean_width) = if paper.is_narrow() { (0.4, NARROW_MEAN) } else { (0.3, MEAN_WIDTH) };
        let name_width = NAME_WIDTH.min(name_share * paper.width);
        let names: Vec<&str> = self.rows.iter().map(|row| row.name.as_str()).collect();
        let (cluster, names) = compact(&names, SMALL_SIZE, name_width);
        let label = if cluster.is_empty() { self.y_label.clone() } else { format!("{}, in {cluster}", self.y_label) };
        let names = shorten_all(&names, SMALL_SIZE, name_width);
        let widest = names.iter().map(|name| text_width(name, SMALL_SIZE)).fold(0.0, f64::max);
        let top = sheet.top() + 24.0;
        let (room, most) = if paper.has_height() {
            (sheet.height() - top - TICKS_HEIGHT - AXIS_LABEL_HEIGHT - 8.0, f64::INFINITY)
        } else {
            (ROWS_HEIGHT, ROW_HEIGHTS.1)
        };
        let row = (room / self.rows.len() as f64).clamp(ROW_HEIGHTS.0, most);
        let bottom = top + row * self.rows.len() as f64;
        let right = paper.width - paper.margin - mean_width - 22.0 - BAR_WIDTH - ticks_width(&shares);
        let plot = Plot { left: paper.margin + widest + 10.0, right, top, bottom };

        sheet.draw(bottom + TICKS_HEIGHT + AXIS_LABEL_HEIGHT + 8.0, |canvas| {
            let look = TextLook::new(LABEL_SIZE, Colour::GREY, Anchor::Start);
            let room = right + mean_width - text_width("whole run", LABEL_SIZE) - paper.margin - 10.0;
            let fits = text_width(&label, LABEL_SIZE) <= room;
            let label = if fits { &label } else { &self.y_label };
            canvas.text(&shorten(label, LABEL_SIZE, room), (paper.margin, top - 13.0), look);
            canvas.heads(&[&self.y_label, "from", "to", "in use"]);
            canvas.text("whole run", (right + mean_width, top - 13.0), TextLook { anchor: Anchor::End, ..look });
            for (index, (used, name)) in self.rows.iter().zip(&names).enumerate() {
                let top = top + index as f64 * row;
                let plot = Plot { top, bottom: top + row, ..plot };
                draw_row(canvas, used, (name, mean_width), plot);
                list(canvas, used, plot, self.end);
            }
            plot.draw_horizontal_axis(canvas, &times, "time");
            let bar = Plot { right: right + mean_width, ..plot };
            draw_colour_bar(canvas, &shares, "% in use", bar, sequential);
        })
    }
}

/// Lists the use of one row: neighbouring parts that are used alike as one.
fn list(canvas: &mut Canvas<'_>, used: &UsedRow, plot: Plot, end: f64) {
    let (parts, width) = (used.shares.len() as f64, plot.right - plot.left);
    let mut from = 0;
    let percent = |share: f64| plain(100.0 * share, 1);
    for run in used.shares.chunk_by(|a, b| percent(*a) == percent(*b)) {
        let to = from + run.len();
        let [start, stop] = [from, to].map(|part| part as f64 / parts);
        let corners = ((plot.left + start * width, plot.top), (plot.left + stop * width, plot.bottom));
        let [since, until] = [start, stop].map(|share| Kind::Seconds.format_finely(share * end));
        let cells = vec![used.name.clone(), since, until, format!("{}\u{a0}%", percent(run[0]))];
        canvas.target("", corners, cells);
        from = to;
    }
}

/// Draws one row: its name, its parts, neighbours of one colour as one, and its share over the whole run.
fn draw_row(canvas: &mut Canvas<'_>, used: &UsedRow, (name, mean_width): (&str, f64), plot: Plot) {
    let (gap, middle) = (0.7, f64::midpoint(plot.top, plot.bottom));
    let look = TextLook::new(SMALL_SIZE, Colour::GREY, Anchor::End);
    canvas.text(name, (plot.left - 7.0, middle), look);
    let percent = 100.0 * used.mean();
    if usable(percent) {
        canvas.text(&format!("{} %", plain(percent, 1)), (plot.right + mean_width, middle), look);
    }
    let part = (plot.right - plot.left) / used.shares.len() as f64;
    let mut left = plot.left;
    // No eye tells apart what whole percents don't, and a picture has fewer rectangles.
    let colour = |share: f64| sequential((100.0 * share).round() / 100.0);
    for run in used.shares.chunk_by(|a, b| colour(*a) == colour(*b)) {
        let right = left + run.len() as f64 * part;
        // A little overlap hides seams; the next part covers it.
        let over = (right + 0.4).min(plot.right);
        canvas.rectangle((left, plot.top + gap), (over, plot.bottom - gap), colour(run[0]));
        left = right;
    }
}

#[cfg(test)]
mod tests;
