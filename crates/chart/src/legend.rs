//! Legends: what they name, in rows under the heading or in a column at the right of the data.

use super::canvas::{Anchor, Canvas, TextLook};
use super::marker::{MARKER_RADIUS, OPEN_RADIUS, mark, open_mark};
use super::palette::Fill;
use super::paper::Paper;
use super::style::{Colour, REFERENCE_DASHES, Stroke, TICK_SIZE, shorten, shorten_all, text_width};

/// What stands before a name.
#[derive(Debug, Clone, Copy)]
pub enum Swatch {
    /// A square, for areas.
    Area(Fill),
    /// A short line.
    Line(Stroke),
    /// A short line with a marker, or the marker alone.
    Marked {
        /// The line.
        stroke: Stroke,
        /// The number of the marker's shape.
        shape: usize,
        /// Whether there is a line.
        is_joined: bool,
    },
    /// An open marker.
    Open {
        /// The number of its shape.
        shape: usize,
        /// Its colour.
        colour: Colour,
    },
}

/// Where an entry stands, its swatch with the whole name, and the name as it is set.
type Entry = (f64, Option<(Swatch, String)>, String);

/// Names with their swatches, already set.
#[derive(Default)]
pub(crate) struct Legend {
    /// The place of each row's entries: from the left of the sheet, or of the column. A swatch comes with the whole
    /// name.
    rows: Vec<Vec<Entry>>,
    /// The width of a column at the right.
    column: Option<f64>,
}

const ROW: f64 = 19.0;
const SWATCH: f64 = 12.0;
const SAMPLE: f64 = 20.0;
const SWATCH_GAP: f64 = 6.0;
const ENTRY_GAP: f64 = 18.0;
/// Free space below the last row.
const BELOW: f64 = 8.0;
const NAME_WIDTH: f64 = 260.0;
/// Free space at the left of a column.
const BESIDE: f64 = 14.0;

impl Swatch {
    /// How wide it is in a legend.
    const fn width(self) -> f64 {
        match self {
            Self::Area(_) | Self::Line(_) => SWATCH,
            Self::Marked { .. } | Self::Open { .. } => SAMPLE,
        }
    }

    /// Draws it from a place to the right, so long.
    pub(crate) fn draw(self, canvas: &mut Canvas<'_>, (x, y): (f64, f64), length: f64) {
        match self {
            Self::Area(fill) => canvas.filled((x, y - SWATCH / 2.0), (x + length, y + SWATCH / 2.0), fill),
            Self::Line(stroke) => canvas.line(&[(x, y), (x + length, y)], stroke),
            Self::Marked { stroke, shape, is_joined } => {
                if is_joined {
                    canvas.line(&[(x, y), (x + length, y)], stroke);
                }
                mark(canvas, shape, (x + length / 2.0, y), MARKER_RADIUS, stroke.colour);
            }
            Self::Open { shape, colour } => open_mark(canvas, shape, (x + length / 2.0, y), OPEN_RADIUS, colour),
        }
    }

    /// Whether it is that of a line to compare with, which is none of the things that a legend's title names.
    fn is_reference(self) -> bool {
        matches!(self, Self::Line(stroke) if REFERENCE_DASHES.contains(&stroke.dash))
    }

    /// The colour of a name beside it.
    pub(crate) fn text_colour(self) -> Colour {
        match self {
            Self::Area(Fill { colour, .. }) | Self::Open { colour, .. } => colour.as_text(),
            Self::Line(stroke) | Self::Marked { stroke, .. } => stroke.colour.as_text(),
        }
    }
}

impl Legend {
    /// Sets `entries` in as many rows as they need.
    pub(crate) fn rows<'a>(entries: impl IntoIterator<Item = (Swatch, &'a str)>, paper: &Paper) -> Self {
        let room = paper.width - 2.0 * paper.margin;
        let (swatches, names): (Vec<Swatch>, Vec<&str>) = entries.into_iter().unzip();
        if names.is_empty() {
            return Self::default();
        }
        let untitled = swatches.iter().take_while(|swatch| swatch.is_reference()).count();
        let mut rows: Vec<Vec<Entry>> = vec![Vec::new()];
        let mut x = paper.margin;
        let mut add = |swatch: Option<(Swatch, String)>, name: String, gap: f64| {
            let before = swatch.as_ref().map_or(0.0, |(swatch, _)| swatch.width() + SWATCH_GAP);
            let width = before + text_width(&name, TICK_SIZE);
            if x > paper.margin && x + width > paper.width - paper.margin {
                x = paper.margin;
                rows.push(Vec::new());
            }
            if let Some(row) = rows.last_mut() {
                row.push((x, swatch, name));
            }
            x += width + gap;
        };
        let most = NAME_WIDTH.min(room - SAMPLE - SWATCH_GAP);
        let entries = swatches.into_iter().zip(&names).zip(shorten_all(&names, TICK_SIZE, most));
        for (number, ((swatch, whole), name)) in entries.enumerate() {
            if number == untitled && !paper.legend_title.is_empty() {
                let title = format!("{}:", paper.legend_title);
                add(None, shorten(&title, TICK_SIZE, room / 2.0).into_owned(), 8.0);
            }
            add(Some((swatch, (*whole).to_owned())), name, ENTRY_GAP);
        }
        Self { rows, column: None }
    }

    /// Sets `entries` one under another.
    pub(crate) fn column<'a>(entries: impl IntoIterator<Item = (Swatch, &'a str)>, paper: &Paper) -> Self {
        let (swatches, names): (Vec<Swatch>, Vec<&str>) = entries.into_iter().unzip();
        if names.is_empty() {
            return Self::default();
        }
        let most = (0.3 * paper.width).min(NAME_WIDTH);
        let title = shorten(&paper.legend_title, TICK_SIZE, most + SAMPLE);
        let untitled = swatches.iter().take_while(|swatch| swatch.is_reference()).count();
        let mut rows: Vec<Vec<Entry>> = Vec::new();
        let set = shorten_all(&names, TICK_SIZE, most);
        let wholes = swatches.into_iter().zip(names).map(|(swatch, whole)| (swatch, whole.to_owned()));
        rows.extend(wholes.zip(set).map(|(swatch, name)| vec![(0.0, Some(swatch), name)]));
        if !title.is_empty() && untitled < rows.len() {
            rows.insert(untitled, vec![(0.0, None, title.into_owned())]);
        }
        let width = |(_, swatch, name): &Entry| {
            swatch.as_ref().map_or(0.0, |(swatch, _)| swatch.width() + SWATCH_GAP) + text_width(name, TICK_SIZE)
        };
        let widest = rows.iter().flatten().map(width).fold(0.0, f64::max);
        Self { rows, column: Some(widest + BESIDE) }
    }

    /// The height that the rows take above the data; none without entries.
    pub(crate) fn height(&self) -> f64 {
        if self.rows.is_empty() || self.column.is_some() { 0.0 } else { self.rows.len() as f64 * ROW + BELOW }
    }

    /// The height that a column must have.
    pub(crate) fn column_height(&self) -> f64 {
        if self.column.is_some() { self.rows.len() as f64 * ROW } else { 0.0 }
    }

    /// The width that a column takes beside the data.
    pub(crate) fn width(&self) -> f64 {
        self.column.unwrap_or(0.0)
    }

    /// Draws the rows from `top` downwards; a column begins at `right`.
    pub(crate) fn draw(&self, canvas: &mut Canvas<'_>, top: f64, right: f64) {
        let shift = if self.column.is_some() { right + BESIDE } else { 0.0 };
        for (row, entries) in self.rows.iter().enumerate() {
            let y = top + (row as f64 + 0.5) * ROW;
            for (x, swatch, name) in entries {
                let x = x + shift;
                let Some((swatch, whole)) = swatch else {
                    canvas.text(name, (x, y), TextLook::new(TICK_SIZE, Colour::GREY, Anchor::Start));
                    continue;
                };
                canvas.name(whole, |canvas| {
                    swatch.draw(canvas, (x, y), swatch.width());
                    let start = x + swatch.width() + SWATCH_GAP;
                    canvas.text(name, (start, y), TextLook::new(TICK_SIZE, Colour::INK, Anchor::Start));
                });
            }
        }
    }
}
