//! The parts around the data: heading, legend, plot area, axes, and the chart that has nothing to show.

use super::axis::Ruler;
use super::canvas::{Anchor, Canvas, TextLook, draw};
use super::legend::{Legend, Swatch};
use super::style::{
    Colour, HEIGHT, LABEL_SIZE, MARGIN, Stroke, TICK_SIZE, TITLE_SIZE, WIDTH, shorten, text_width, wrap,
};

/// A sheet with its title and subtitle, set in lines, and the legend under them.
pub(crate) struct Sheet<'a> {
    title: &'a str,
    title_lines: Vec<String>,
    subtitle_lines: Vec<String>,
    legend: Legend,
}

const TITLE_LEADING: f64 = 22.0;
const SUBTITLE_LEADING: f64 = 17.0;

impl<'a> Sheet<'a> {
    pub(crate) fn new(title: &'a str, subtitle: Option<&str>) -> Self {
        let width = WIDTH - 2.0 * MARGIN;
        Self {
            title,
            // Bold is some six per cent wider.
            title_lines: wrap(title, TITLE_SIZE, width / 1.06, 2),
            subtitle_lines: wrap(subtitle.unwrap_or(""), LABEL_SIZE, width, 2),
            legend: Legend::default(),
        }
    }

    /// Adds a legend.
    pub(crate) fn with_legend<'b>(self, entries: impl IntoIterator<Item = (Swatch, &'b str)>) -> Self {
        Self { legend: Legend::new(entries), ..self }
    }

    /// Where the data may start.
    pub(crate) fn top(&self) -> f64 {
        self.heading_height() + self.legend.height()
    }

    /// Lets `paint` draw on a sheet of this height, and gives the finished SVG.
    pub(crate) fn draw(&self, height: f64, paint: impl FnOnce(&mut Canvas<'_>)) -> String {
        draw(self.title, WIDTH, height, |canvas| {
            self.draw_heading(canvas);
            self.legend.draw(canvas, self.heading_height());
            paint(canvas);
        })
    }

    /// A chart without data: the words "no data".
    pub(crate) fn no_data(&self) -> String {
        self.notice("no data")
    }

    /// A chart that can't be drawn: the reason.
    pub(crate) fn notice(&self, reason: &str) -> String {
        let height = HEIGHT / 2.0;
        self.draw(height, |canvas| {
            let middle = f64::midpoint(self.top(), height);
            canvas.text(reason, (WIDTH / 2.0, middle), TextLook::new(TITLE_SIZE, Colour::SILVER, Anchor::Middle));
        })
    }

    fn heading_height(&self) -> f64 {
        let (title, subtitle) = (self.title_lines.len() as f64, self.subtitle_lines.len() as f64);
        MARGIN - 4.0 + title * TITLE_LEADING + subtitle * SUBTITLE_LEADING + 10.0
    }

    fn draw_heading(&self, canvas: &mut Canvas<'_>) {
        let mut y = MARGIN - 4.0;
        for line in &self.title_lines {
            let look = TextLook::new(TITLE_SIZE, Colour::INK, Anchor::Start).bold();
            canvas.text(line, (MARGIN, y + TITLE_LEADING / 2.0), look);
            y += TITLE_LEADING;
        }
        for line in &self.subtitle_lines {
            let look = TextLook::new(LABEL_SIZE, Colour::GREY, Anchor::Start);
            canvas.text(line, (MARGIN, y + SUBTITLE_LEADING / 2.0), look);
            y += SUBTITLE_LEADING;
        }
    }
}

/// The area in which data are drawn.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plot {
    pub(crate) left: f64,
    pub(crate) right: f64,
    pub(crate) top: f64,
    pub(crate) bottom: f64,
}

/// Height of a line with the label of an axis.
pub(crate) const AXIS_LABEL_HEIGHT: f64 = 20.0;
/// Height of the ticks under a horizontal axis, with their labels.
pub(crate) const TICKS_HEIGHT: f64 = 25.0;

/// Labels of ticks are cut at this width.
pub(crate) const WIDEST_TICK: f64 = 220.0;

/// The width that the ticks of a vertical axis need, up to the plot area.
pub(crate) fn ticks_width(ruler: &Ruler) -> f64 {
    let labels = ruler.ticks.iter().filter_map(|tick| tick.label.as_deref());
    labels.map(|label| text_width(label, TICK_SIZE)).fold(0.0, f64::max).min(WIDEST_TICK) + 10.0
}

impl Plot {
    /// The pixel of a fraction of the width.
    pub(crate) fn x(&self, fraction: f64) -> f64 {
        self.left + fraction * (self.right - self.left)
    }

    /// The pixel of a fraction of the height, which counts from below.
    pub(crate) fn y(&self, fraction: f64) -> f64 {
        self.bottom - fraction * (self.bottom - self.top)
    }

    /// Draws a vertical axis: labelled grid lines, and what is measured above them.
    ///
    /// The label lies flat above the axis, where it is read without turning one's head.
    pub(crate) fn draw_vertical_axis(&self, canvas: &mut Canvas<'_>, ruler: &Ruler, label: &str) {
        let look = TextLook::new(TICK_SIZE, Colour::GREY, Anchor::End);
        for tick in &ruler.ticks {
            let y = self.y(ruler.fraction(tick.at));
            if let Some(label) = &tick.label {
                canvas.line(&[(self.left, y), (self.right, y)], Stroke::new(Colour::MIST, 0.8));
                canvas.text(&shorten(label, TICK_SIZE, WIDEST_TICK), (self.left - 8.0, y), look);
            } else {
                canvas.line(&[(self.left - 3.0, y), (self.left, y)], Stroke::new(Colour::SILVER, 0.7));
            }
        }
        let look = TextLook::new(LABEL_SIZE, Colour::GREY, Anchor::Start);
        canvas.text(&shorten(label, LABEL_SIZE, WIDTH - 2.0 * MARGIN), (MARGIN, self.top - 20.0), look);
    }

    /// Draws a horizontal axis with ticks below it, and what is measured under them.
    pub(crate) fn draw_horizontal_axis(&self, canvas: &mut Canvas<'_>, ruler: &Ruler, label: &str) {
        self.draw_base_line(canvas, self.bottom);
        // No label leaves the sheet at the left either.
        let mut end = -6.0;
        for tick in &ruler.ticks {
            let x = self.x(ruler.fraction(tick.at));
            let length = if tick.label.is_some() { 5.0 } else { 3.0 };
            canvas.line(&[(x, self.bottom), (x, self.bottom + length)], Stroke::new(Colour::GREY, 0.8));
            // A label that would touch the one before it is left out.
            let Some(label) = &tick.label else { continue };
            let half = text_width(label, TICK_SIZE) / 2.0;
            if x - half > end + 6.0 && x + half <= WIDTH {
                let look = TextLook::new(TICK_SIZE, Colour::GREY, Anchor::Middle);
                canvas.text(label, (x, self.bottom + 16.0), look);
                end = x + half;
            }
        }
        self.draw_horizontal_label(canvas, label, self.bottom + TICKS_HEIGHT);
    }

    /// Writes what a horizontal axis measures, under `y`.
    pub(crate) fn draw_horizontal_label(&self, canvas: &mut Canvas<'_>, label: &str, y: f64) {
        let look = TextLook::new(LABEL_SIZE, Colour::GREY, Anchor::Middle);
        let label = shorten(label, LABEL_SIZE, self.right - self.left);
        canvas.text(&label, (f64::midpoint(self.left, self.right), y + AXIS_LABEL_HEIGHT / 2.0), look);
    }

    /// The line on which the data stand.
    pub(crate) fn draw_base_line(&self, canvas: &mut Canvas<'_>, y: f64) {
        canvas.line(&[(self.left, y), (self.right, y)], Stroke::new(Colour::GREY, 1.0));
    }
}
