//! How much of each link, or of each node, is in use over time: a row each, and a colour for each part of the run.

use super::axis::{Axis, Reach, Ruler, usable};
use super::canvas::{Anchor, Canvas, TextLook, draw};
use super::format::plain;
use super::frame::{AXIS_LABEL_HEIGHT, Heading, Plot, TICKS_HEIGHT, notice, ticks_width};
use super::heatmap::{BAR_WIDTH, draw_colour_bar, sequential};
use super::style::{Colour, LABEL_SIZE, MARGIN, SMALL_SIZE, WIDTH, shorten, shorten_all, text_width};

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

impl Utilization {
    /// The chart as an SVG document.
    #[must_use]
    pub fn svg(&self) -> String {
        let times = Ruler::new(&Axis::seconds(""), [0.0, self.end].into_iter(), Reach::Exact, 9);
        let shares = Ruler::new(&Axis::number(""), [0.0, 100.0].into_iter(), Reach::Exact, 6);
        let (Some(times), Some(shares), false) = (times, shares, self.rows.is_empty() || self.end <= 0.0) else {
            return notice(&self.title, self.subtitle.as_deref(), "nothing is used in this run");
        };
        let heading = Heading::new(&self.title, self.subtitle.as_deref());
        let names = self.rows.iter().map(|row| text_width(&row.name, SMALL_SIZE)).fold(0.0, f64::max).min(NAME_WIDTH);
        let row = (ROWS_HEIGHT / self.rows.len() as f64).clamp(ROW_HEIGHTS.0, ROW_HEIGHTS.1);
        let top = heading.height() + 24.0;
        let bottom = top + row * self.rows.len() as f64;
        let right = WIDTH - MARGIN - MEAN_WIDTH - 22.0 - BAR_WIDTH - ticks_width(&shares);
        let plot = Plot { left: MARGIN + names + 10.0, right, top, bottom };

        draw(&self.title, WIDTH, bottom + TICKS_HEIGHT + AXIS_LABEL_HEIGHT + 8.0, |canvas| {
            heading.draw(canvas);
            let look = TextLook::new(LABEL_SIZE, Colour::GREY, Anchor::Start);
            canvas.text(&shorten(&self.y_label, LABEL_SIZE, WIDTH / 2.0), (MARGIN, top - 13.0), look);
            canvas.text("whole run", (right + MEAN_WIDTH, top - 13.0), TextLook { anchor: Anchor::End, ..look });
            let names: Vec<&str> = self.rows.iter().map(|row| row.name.as_str()).collect();
            let names = shorten_all(&names, SMALL_SIZE, NAME_WIDTH);
            for (index, (used, name)) in self.rows.iter().zip(&names).enumerate() {
                let top = top + index as f64 * row;
                draw_row(canvas, used, name, Plot { top, bottom: top + row, ..plot });
            }
            plot.draw_horizontal_axis(canvas, &times, "time");
            let bar = Plot { right: right + MEAN_WIDTH, ..plot };
            draw_colour_bar(canvas, &shares, "% in use", bar);
        })
    }
}

/// Draws one row: its name, its parts, neighbours of one colour as one, and its share over the whole run.
fn draw_row(canvas: &mut Canvas<'_>, used: &UsedRow, name: &str, plot: Plot) {
    let (gap, middle) = (0.7, f64::midpoint(plot.top, plot.bottom));
    let look = TextLook::new(SMALL_SIZE, Colour::GREY, Anchor::End);
    canvas.text(name, (plot.left - 7.0, middle), look);
    let percent = 100.0 * used.mean();
    if usable(percent) {
        canvas.text(&format!("{} %", plain(percent, 1)), (plot.right + MEAN_WIDTH, middle), look);
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
mod tests {
    use super::*;

    #[test]
    fn a_small_chart_is_this() {
        let row = |name: &str, shares: &[f64]| UsedRow { name: name.to_owned(), shares: shares.to_vec() };
        let chart = Utilization {
            title: "Two links".to_owned(),
            subtitle: Some("run 17".to_owned()),
            y_label: "links, the most used first".to_owned(),
            rows: vec![row("node 0 up", &[0.5, 1.0, 1.0, 0.0]), row("node 1 down", &[0.0, 0.25, 0.252, 0.0])],
            end: 0.004,
        };
        insta::assert_snapshot!(chart.svg());
    }
}
