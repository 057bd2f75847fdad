//! The parts around the data: heading, legend, plot area, axes, and the chart that has nothing to show.

use super::axis::Ruler;
use super::canvas::{Anchor, Canvas, Picture, TextLook, draw};
use super::clip::Clip;
use super::left_out::LeftOut;
use super::legend::{Legend, Swatch};
use super::overlay::Role;
use super::paper::{LegendPlace, Paper};
use super::style::{Colour, LABEL_SIZE, SMALL_SIZE, Stroke, TICK_SIZE, shorten, text_width, wrap};

/// A sheet with its title and subtitle, set in lines, the legend under them or at the right, and notes below.
pub struct Sheet<'a> {
    pub(crate) paper: &'a Paper,
    title_lines: Vec<String>,
    subtitle_lines: Vec<String>,
    legend: Legend,
    /// What is said below, and the lines of it.
    said: Vec<String>,
    notes: Vec<String>,
}

const SUBTITLE_LEADING: f64 = 17.0;
const NOTE_LEADING: f64 = 13.0;

impl<'a> Sheet<'a> {
    /// A sheet with its heading.
    #[must_use]
    pub fn new(title: &str, subtitle: Option<&str>, paper: &'a Paper) -> Self {
        let width = paper.width - 2.0 * paper.margin;
        let (title, subtitle) = paper.panel.as_deref().map_or((title, subtitle), |heading| (heading, None));
        let lines = if paper.is_narrow() { 4 } else { 2 };
        Self {
            paper,
            // Bold is some six per cent wider.
            title_lines: wrap(title, paper.title_size(), width / 1.06, lines),
            subtitle_lines: wrap(subtitle.unwrap_or(""), LABEL_SIZE, width, lines),
            legend: Legend::default(),
            said: Vec::new(),
            notes: Vec::new(),
        }
        .with_notes(&[])
    }

    /// Adds a legend of areas, where the chart wants one.
    #[must_use]
    pub fn with_legend<'b>(self, entries: impl IntoIterator<Item = (Swatch, &'b str)>) -> Self {
        let legend = match self.paper.legend {
            Some(LegendPlace::None) => return self,
            Some(LegendPlace::Right) => Legend::column(entries, self.paper),
            _ => Legend::rows(entries, self.paper),
        };
        Self { legend, ..self }
    }

    /// Says this below the chart, after what the paper says.
    #[must_use]
    pub fn with_notes(self, notes: &[String]) -> Self {
        // Panels say it together.
        let notes = if self.paper.panel.is_some() { &[] } else { notes };
        let said: Vec<String> = self.paper.notes.iter().chain(notes).cloned().collect();
        let width = self.paper.width - 2.0 * self.paper.margin;
        Self { notes: wrap(&said.join("; "), SMALL_SIZE, width, 4), said, ..self }
    }

    /// Where the data may start.
    #[must_use]
    pub fn top(&self) -> f64 {
        self.heading_height() + self.legend.height()
    }

    /// Where the data must end at the right.
    #[must_use]
    pub fn right(&self) -> f64 {
        self.paper.width - self.paper.margin - self.legend.width()
    }

    /// The height that the chart has for itself, if it needs no more.
    #[must_use]
    pub fn height(&self) -> f64 {
        self.paper.height() - if self.paper.has_height() { self.notes_height() } else { 0.0 }
    }

    /// Lets `paint` draw on a sheet of this height, with the notes below.
    pub fn draw(&self, height: f64, paint: impl FnOnce(&mut Canvas<'_>)) -> Picture {
        let height = height.max(self.heading_height() + self.legend.column_height());
        let picture = draw((self.paper.width, height + self.notes_height()), self.paper.margin, |canvas| {
            self.draw_heading(canvas);
            self.legend.draw(canvas, self.heading_height(), self.right());
            paint(canvas);
            for (row, line) in self.notes.iter().enumerate() {
                let look = TextLook::new(SMALL_SIZE, Colour::GREY, Anchor::Start);
                canvas.text(line, (self.paper.margin, height + (row as f64 + 0.5) * NOTE_LEADING), look);
            }
        });
        picture.with_notes(self.said.clone())
    }

    /// A chart without data: the words "no data".
    #[must_use]
    pub fn no_data(&self) -> Picture {
        self.nothing(LeftOut::default())
    }

    /// A chart that shows none of its values: whether they all lie outside of it, or there are none.
    #[must_use]
    pub fn nothing(&self, left_out: LeftOut) -> Picture {
        self.notice(left_out.reason())
    }

    /// A chart that can't be drawn: the reason.
    #[must_use]
    pub fn notice(&self, reason: &str) -> Picture {
        let height = (self.height() / 2.0).max(self.top() + 40.0);
        self.draw(height, |canvas| {
            let middle = f64::midpoint(self.top(), height);
            let look = TextLook::new(self.paper.title_size(), Colour::GREY, Anchor::Middle);
            let reason = shorten(reason, look.size, self.paper.width - 2.0 * self.paper.margin);
            canvas.text(&reason, (self.paper.width / 2.0, middle), look);
        })
    }

    fn notes_height(&self) -> f64 {
        if self.notes.is_empty() { 0.0 } else { self.notes.len() as f64 * NOTE_LEADING + 5.0 }
    }

    fn title_leading(&self) -> f64 {
        self.paper.title_size() + 5.0
    }

    fn heading_height(&self) -> f64 {
        let (title, subtitle) = (self.title_lines.len() as f64, self.subtitle_lines.len() as f64);
        let below = if title + subtitle > 0.0 { 10.0 } else { 0.0 };
        (self.paper.margin - 4.0).max(2.0) + title * self.title_leading() + subtitle * SUBTITLE_LEADING + below
    }

    fn draw_heading(&self, canvas: &mut Canvas<'_>) {
        let mut y = (self.paper.margin - 4.0).max(2.0);
        let leading = self.title_leading();
        for line in &self.title_lines {
            let look = TextLook::new(self.paper.title_size(), Colour::INK, Anchor::Start).bold();
            canvas.text(line, (self.paper.margin, y + leading / 2.0), look);
            y += leading;
        }
        for line in &self.subtitle_lines {
            let look = TextLook::new(LABEL_SIZE, Colour::GREY, Anchor::Start);
            canvas.text(line, (self.paper.margin, y + SUBTITLE_LEADING / 2.0), look);
            y += SUBTITLE_LEADING;
        }
    }
}

/// The area in which data are drawn.
#[derive(Debug, Clone, Copy)]
pub struct Plot {
    /// Its left edge, in pixels of the sheet.
    pub left: f64,
    /// Its right edge.
    pub right: f64,
    /// Its upper edge.
    pub top: f64,
    /// Its lower edge.
    pub bottom: f64,
}

/// Height of a line with the label of an axis.
pub const AXIS_LABEL_HEIGHT: f64 = 20.0;
/// Height of the ticks under a horizontal axis, with their labels.
pub const TICKS_HEIGHT: f64 = 25.0;

/// Labels of ticks are cut at this width.
pub(crate) const WIDEST_TICK: f64 = 220.0;

/// The width that the ticks of a vertical axis need, up to the plot area.
pub fn ticks_width(ruler: &Ruler) -> f64 {
    let labels = ruler.ticks.iter().filter_map(|tick| tick.label.as_deref());
    labels.map(|label| text_width(label, TICK_SIZE)).fold(0.0, f64::max).min(WIDEST_TICK) + 10.0
}

/// How far to the right a plot from `left` may reach, at most to `right`, so that the last label of its horizontal axis
/// has space on a sheet of this width.
pub(crate) fn right_for_ticks(ruler: &Ruler, (left, right): (f64, f64), width: f64) -> f64 {
    let Some(last) = ruler.ticks.iter().rfind(|tick| tick.label.is_some()) else { return right };
    let half = text_width(last.label.as_deref().unwrap_or_default(), TICK_SIZE) / 2.0;
    let fraction = ruler.fraction(last.at);
    let most = if fraction > 0.5 { left + (width - half - 0.1 - left) / fraction } else { right };
    right.min(most).max(left)
}

impl Plot {
    /// What lies in it is drawn.
    #[must_use]
    pub const fn clip(&self) -> Clip {
        Clip { low: (self.left, self.top), high: (self.right, self.bottom) }
    }

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
        // Small ticks stand on a line.
        if ruler.ticks.iter().any(|tick| tick.label.is_none()) {
            canvas.line(&[(self.left, self.top), (self.left, self.bottom)], Stroke::new(Colour::SILVER, 0.7));
        }
        let look = TextLook::new(LABEL_SIZE, Colour::GREY, Anchor::Start);
        let label = shorten(label, LABEL_SIZE, canvas.width - 2.0 * canvas.margin);
        canvas.text(&label, (canvas.margin, self.top - 20.0), look);
    }

    /// Draws a horizontal axis with ticks below it, and what is measured under them.
    pub fn draw_horizontal_axis(&self, canvas: &mut Canvas<'_>, ruler: &Ruler, label: &str) {
        self.draw_base_line(canvas, self.bottom);
        canvas.part(Role::Ticks, |canvas| self.draw_horizontal_ticks(canvas, ruler));
        self.draw_horizontal_label(canvas, label, self.bottom + TICKS_HEIGHT);
    }

    fn draw_horizontal_ticks(&self, canvas: &mut Canvas<'_>, ruler: &Ruler) {
        // No label leaves the sheet at the left either.
        let mut end = -6.0;
        for tick in &ruler.ticks {
            let x = self.x(ruler.fraction(tick.at));
            let length = if tick.label.is_some() { 5.0 } else { 3.0 };
            canvas.line(&[(x, self.bottom), (x, self.bottom + length)], Stroke::new(Colour::GREY, 0.8));
            // A label that would touch the one before it is left out.
            let Some(label) = &tick.label else { continue };
            let half = text_width(label, TICK_SIZE) / 2.0;
            if x - half > end + 6.0 && x + half <= canvas.width {
                let look = TextLook::new(TICK_SIZE, Colour::GREY, Anchor::Middle);
                canvas.text(label, (x, self.bottom + 16.0), look);
                end = x + half;
            }
        }
    }

    /// Writes what a horizontal axis measures, under `y`.
    pub(crate) fn draw_horizontal_label(&self, canvas: &mut Canvas<'_>, label: &str, y: f64) {
        let look = TextLook::new(LABEL_SIZE, Colour::GREY, Anchor::Middle);
        // A label that is longer than the plot is centred on the sheet.
        let room = canvas.width - 2.0 * canvas.margin;
        let label = shorten(label, LABEL_SIZE, room);
        let half = text_width(&label, LABEL_SIZE) / 2.0;
        let middle = f64::midpoint(self.left, self.right);
        let most = canvas.width - canvas.margin - half;
        let middle = middle.clamp((canvas.margin + half).min(most), most);
        canvas.text(&label, (middle, y + AXIS_LABEL_HEIGHT / 2.0), look);
    }

    /// The line on which the data stand.
    pub(crate) fn draw_base_line(&self, canvas: &mut Canvas<'_>, y: f64) {
        canvas.line(&[(self.left, y), (self.right, y)], Stroke::new(Colour::GREY, 1.0));
    }
}
