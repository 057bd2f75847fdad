//! Names of lines in a column beside the plot, each as near to its line's end as the others allow.

use super::canvas::{Anchor, Canvas, SheetPoint, TextLook};
use super::frame::Plot;
use super::legend::Swatch;
use super::paper::Paper;
use super::spread::spread;
use super::style::{Colour, Stroke, TICK_SIZE, shorten, shorten_all, text_width};

/// A name with what it names.
pub(crate) struct Name {
    pub(crate) text: String,
    pub(crate) swatch: Swatch,
    /// Where the line ends; the name wants to be at this height.
    pub(crate) end: SheetPoint,
    /// Whether a thin line leads there.
    pub(crate) has_leader: bool,
}

/// The height of a name.
pub(crate) const LEADING: f64 = 15.5;
const SAMPLE_GAP: f64 = 6.0;

/// The lengths of a column.
pub(crate) struct Column {
    /// From the plot to the samples of the lines: room for leaders.
    leader: f64,
    sample: f64,
    names: f64,
    title: String,
}

impl Column {
    pub(crate) fn new<'a>(names: impl Iterator<Item = &'a str>, paper: &Paper) -> Self {
        let (leader, sample) = if paper.is_narrow() { (14.0, 14.0) } else { (26.0, 22.0) };
        let most = (0.27 * paper.width).min(190.0);
        let title = shorten(&paper.legend_title, TICK_SIZE, most + sample).into_owned();
        let widest = names.map(|name| text_width(name, TICK_SIZE)).fold(0.0, f64::max).min(most);
        let names = if widest > 0.0 { widest.max(text_width(&title, TICK_SIZE) - sample - SAMPLE_GAP) } else { 0.0 };
        Self { leader, sample, names, title }
    }

    /// The width beside the plot.
    pub(crate) fn width(&self) -> f64 {
        if self.names > 0.0 { self.leader + self.sample + SAMPLE_GAP + self.names } else { 0.0 }
    }

    fn title_height(&self) -> f64 {
        if self.title.is_empty() { 0.0 } else { LEADING - 3.0 }
    }

    /// The height of so many names.
    pub(crate) fn height(&self, count: usize) -> f64 {
        if self.names > 0.0 { self.title_height() + count as f64 * LEADING } else { 0.0 }
    }

    /// Writes the names, with a sample of the line and a thin leader, under the title of all.
    pub(crate) fn draw(&self, canvas: &mut Canvas<'_>, entries: &[Name], plot: Plot) {
        if self.names <= 0.0 || entries.is_empty() {
            return;
        }
        let wanted: Vec<f64> = entries.iter().map(|entry| entry.end.1).collect();
        let heights = spread(&wanted, LEADING, plot.top + self.title_height(), plot.bottom - 4.0);
        let start = plot.right + self.leader;
        let first = heights.iter().copied().fold(f64::INFINITY, f64::min);
        let look = TextLook::new(TICK_SIZE, Colour::GREY, Anchor::Start);
        canvas.text(&self.title, (start, first - LEADING), look);
        let names: Vec<&str> = entries.iter().map(|entry| entry.text.as_str()).collect();
        for ((entry, y), name) in entries.iter().zip(heights).zip(shorten_all(&names, TICK_SIZE, self.names)) {
            if entry.has_leader {
                let leader = Stroke::new(entry.swatch.text_colour(), 0.7).alpha(0.45);
                let end = entry.end;
                let bend = (self.leader * 0.25, self.leader * 0.2);
                let way = [(end.0 + 5.0, end.1), (plot.right + bend.0, end.1), (start - bend.1, y), (start, y)];
                canvas.line(&way, leader);
            }
            canvas.name(&entry.text, |canvas| {
                entry.swatch.draw(canvas, (start, y), self.sample);
                let look = TextLook::new(TICK_SIZE, entry.swatch.text_colour(), Anchor::Start);
                canvas.text(&name, (start + self.sample + SAMPLE_GAP, y), look);
            });
        }
    }
}
