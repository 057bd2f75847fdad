//! A matrix of cells: a value each, as a colour and a number, or a name each, as a colour and a word.

use std::collections::{BTreeMap, HashMap};

use super::axis::{Axis, Reach, Ruler};
use super::canvas::{Anchor, Canvas, Picture, TextLook};
use super::category::CategoryNames;
use super::cells::{Field, Look};
use super::drawing::Drawing;
use super::frame::{AXIS_LABEL_HEIGHT, Plot, Sheet, WIDEST_TICK, ticks_width};
use super::frames::{self, Framed};
use super::left_out::LeftOut;
use super::legend::Swatch;
use super::palette::Fill;
use super::paper::{Ends, Paper};
use super::style::{Colour, LABEL_SIZE, Stroke, TICK_SIZE, shorten, shorten_all, text_width};
use crate::kind::usable;

/// A matrix, such as the speedup for each size and each number of nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct Heatmap {
    /// What the chart shows, in sentence case.
    pub title: String,
    /// The condition under which it was measured.
    pub subtitle: Option<String>,
    /// What the columns are.
    pub x_label: String,
    /// What the rows are.
    pub y_label: String,
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The names of the rows, from above.
    pub rows: Vec<String>,
    /// The cells.
    pub cells: Cells,
    /// Borders drawn into the rows, such as where a library changes its algorithm.
    pub borders: Vec<Border>,
    /// Frames around groups; their names stand beside the rows, instead of those of the rows.
    pub frames: Vec<Framed>,
}

/// A border between cells of some rows. Borders of one label share a line and an entry of the legend.
#[derive(Debug, Clone, PartialEq)]
pub struct Border {
    /// What it is.
    pub label: String,
    /// How many columns lie before it. Beyond the first and the last one nothing is drawn.
    pub column: usize,
    /// The row; all rows where it is not given.
    pub row: Option<usize>,
}

/// The cells of a matrix, row by row from above; missing ones stay grey.
#[derive(Debug, Clone, PartialEq)]
pub enum Cells {
    /// Values, on the scale of `axis`.
    Numbers {
        /// What the values are.
        axis: Axis,
        /// A value a cell.
        values: Vec<Vec<Option<f64>>>,
    },
    /// Ratios to what is right, such as predicted over measured times, shown as deviations in per cent on a scale from
    /// half to double: too small is blue, too large orange.
    Ratios {
        /// What the deviations are.
        label: String,
        /// A ratio a cell.
        values: Vec<Vec<Option<f64>>>,
    },
    /// Names, such as the fastest algorithm.
    Names {
        /// All names that may appear, in the order of their colours.
        names: Vec<String>,
        /// The index of a name a cell.
        values: Vec<Vec<Option<usize>>>,
        /// What stands behind the names of some cells, by row and column, such as of how many replicas they are.
        counts: BTreeMap<(usize, usize), String>,
    },
}

impl Cells {
    /// What a cell says, in more digits than it has room for.
    fn text(&self, row: usize, column: usize) -> Option<String> {
        match self {
            Self::Numbers { axis, values } => {
                let value = (*values.get(row)?.get(column)?)?;
                usable(value).then(|| axis.kind.format_finely(value))
            }
            Self::Ratios { values, .. } => {
                let ratio = (*values.get(row)?.get(column)?)?;
                usable(ratio).then(|| format!("{:+.2}\u{a0}%", 100.0 * (ratio - 1.0)).replace('-', "−"))
            }
            Self::Names { names, values, counts } => {
                let name = names.get((*values.get(row)?.get(column)?)?)?;
                Some(counts.get(&(row, column)).map_or_else(|| name.clone(), |count| format!("{name} {count}")))
            }
        }
    }

    /// Cells of names, which are numbered as they come, row by row.
    #[must_use]
    pub fn named(rows: Vec<Vec<Option<String>>>) -> Self {
        let (mut names, mut numbers) = (Vec::new(), HashMap::new());
        let mut number = |name: String| {
            *numbers.entry(name).or_insert_with_key(|name| {
                names.push(name.clone());
                names.len() - 1
            })
        };
        let mut values = Vec::with_capacity(rows.len());
        for row in rows {
            values.push(row.into_iter().map(|cell| cell.map(&mut number)).collect());
        }
        Self::Names { names, values, counts: BTreeMap::new() }
    }
}

/// The palette viridis at tenths: equal steps look equal, also in grey.
const VIRIDIS: [Colour; 11] = [
    Colour(68, 1, 84),
    Colour(72, 36, 117),
    Colour(65, 68, 135),
    Colour(53, 95, 141),
    Colour(42, 120, 142),
    Colour(33, 145, 140),
    Colour(34, 168, 132),
    Colour(68, 191, 112),
    Colour(122, 209, 81),
    Colour(189, 223, 38),
    Colour(253, 231, 37),
];

/// The colour of a share of the scale; what is out of it has the colour of its end.
#[must_use]
pub fn sequential(fraction: f64) -> Colour {
    let place = fraction.clamp(0.0, 1.0) * 10.0;
    let below = (place as usize).min(9);
    VIRIDIS[below].mix(VIRIDIS[below + 1], place - below as f64)
}

/// The colour of a share of a scale around a middle: from blue over white to orange, which also colour-blind readers
/// tell apart. Near the ends it is as dark as text allows.
fn diverging(fraction: f64) -> Colour {
    let (below, above) = (Colour(0, 90, 150), Colour(190, 75, 0));
    let away = (2.0 * fraction.clamp(0.0, 1.0) - 1.0).abs();
    Colour(246, 246, 246).mix(if fraction < 0.5 { below } else { above }, away)
}

/// A deviation as text: `+12 %`.
fn deviation(ratio: f64) -> String {
    let percent = (100.0 * (ratio - 1.0)).round();
    if percent == 0.0 { "0\u{a0}%".to_owned() } else { format!("{percent:+}\u{a0}%").replace('-', "−") }
}

/// The line of the borders with the label of this number.
fn border_stroke(number: usize) -> Stroke {
    let dashes: [&'static [f64]; 3] = [&[], &[5.0, 3.0], &[2.0, 2.0]];
    Stroke::new(Colour::BLACK, 2.4).dashed(dashes[number % dashes.len()])
}

/// The space for the names of rows on a sheet of this width.
fn row_name_width(width: f64) -> f64 {
    170.0f64.min(0.3 * width)
}

/// From the cells to the scale of colours.
const BAR_GAP: f64 = 22.0;
/// The width of the scale of colours.
pub const BAR_WIDTH: f64 = 14.0;
/// Rows get no higher, and no lower.
const ROW_HEIGHTS: (f64, f64) = (9.0, 44.0);

impl Heatmap {
    /// The chart as an SVG document.
    #[must_use]
    pub fn svg(&self) -> String {
        self.picture(&Paper::default()).document(&self.title, None)
    }

    fn ruler(&self, paper: &Paper) -> Option<Ruler> {
        let (axis, values) = match &self.cells {
            Cells::Numbers { axis, values } => (axis, values),
            Cells::Ratios { .. } => return Some(Ruler::ratios(deviation)),
            Cells::Names { .. } => return None,
        };
        let shared = paper.shared.1.values();
        Ruler::new(axis, self.inside(values).chain(shared), Reach::Data, 6)
    }

    /// The values of the matrix; cells outside have no say.
    fn inside<'a>(&self, values: &'a [Vec<Option<f64>>]) -> impl Iterator<Item = f64> + use<'a> {
        let (rows, columns) = (self.rows.len(), self.columns.len());
        values.iter().take(rows).flat_map(move |row| row.iter().take(columns)).copied().flatten()
    }

    fn look(&self, (row, column): (usize, usize), ruler: Option<&Ruler>, fills: &[Fill]) -> Option<Look> {
        match &self.cells {
            Cells::Numbers { axis, values } => {
                let value = (*values.get(row)?.get(column)?)?;
                let fraction = ruler?.fraction(value);
                // What a logarithmic scale has no place for is grey.
                let colour = if axis.shows(value) { sequential(fraction) } else { Colour::MIST };
                usable(value).then(|| Look::new(Fill::plain(colour), axis.kind.format(value)))
            }
            Cells::Ratios { values, .. } => {
                let ratio = (*values.get(row)?.get(column)?)?;
                let fill = Fill::plain(diverging(ruler?.fraction(ratio)));
                (usable(ratio) && ratio > 0.0).then(|| Look::new(fill, deviation(ratio)))
            }
            Cells::Names { names, values, counts } => {
                let index = (*values.get(row)?.get(column)?)?;
                let count = counts.get(&(row, column)).cloned();
                Some(Look { count, ..Look::new(*fills.get(index)?, names.get(index)?.clone()) })
            }
        }
    }

    /// Lists the values of all cells.
    fn list(&self, canvas: &mut Canvas<'_>, Field { plot, slot, row }: Field) {
        let what = match &self.cells {
            Cells::Numbers { axis, .. } => axis.label.as_str(),
            Cells::Ratios { label, .. } => label,
            Cells::Names { .. } => "",
        };
        canvas.heads(&[&self.y_label, &self.x_label, what]);
        for (y, name) in self.rows.iter().enumerate() {
            for (x, column) in self.columns.iter().enumerate() {
                let Some(text) = self.cells.text(y, x) else { continue };
                let corner = (plot.left + x as f64 * slot, plot.top + y as f64 * row);
                let series = match &self.cells {
                    Cells::Names { names, values, .. } => values[y][x].map_or("", |name| &names[name]),
                    Cells::Numbers { .. } | Cells::Ratios { .. } => "",
                };
                let cells = vec![name.clone(), column.clone(), text.clone()];
                canvas.target(series, (corner, (corner.0 + slot, corner.1 + row)), cells);
            }
        }
    }

    /// Whether a cell has the name of that index.
    fn appears(&self, index: usize) -> bool {
        let Cells::Names { values, .. } = &self.cells else { return false };
        values.iter().flatten().any(|cell| *cell == Some(index))
    }

    /// The fills of the names: those that they have elsewhere, unless one of them is hatched, which few that appear
    /// together need.
    fn name_fills(&self, paper: &Paper) -> Vec<Fill> {
        let Cells::Names { names, .. } = &self.cells else { return Vec::new() };
        let is_plain = |index: usize| paper.fill(index) == Fill::plain(paper.fill(index).colour);
        let own = !paper.looks.is_empty() || (0..names.len()).all(|index| is_plain(index) || !self.appears(index));
        let mut next = 0;
        let fill = |index: usize| {
            let place = if own { index } else { next };
            next += usize::from(self.appears(index));
            paper.fill(place)
        };
        (0..names.len()).map(fill).collect()
    }

    /// The legend of names: those that appear in a cell.
    fn swatches(&self, fills: &[Fill]) -> Vec<(Swatch, &str)> {
        let Cells::Names { names, .. } = &self.cells else { return Vec::new() };
        let shown = names.iter().zip(fills).enumerate().filter(|(index, _)| self.appears(*index));
        shown.map(|(_, (name, fill))| (Swatch::Area(*fill), name.as_str())).collect()
    }

    /// The borders that lie between columns.
    fn inner_borders(&self) -> impl Iterator<Item = &Border> {
        self.borders.iter().filter(|border| (1..self.columns.len()).contains(&border.column))
    }

    /// The labels of the borders, in the order in which they come.
    fn border_labels(&self) -> Vec<&str> {
        let mut labels: Vec<&str> = Vec::new();
        for border in self.inner_borders() {
            if !labels.contains(&border.label.as_str()) {
                labels.push(&border.label);
            }
        }
        labels
    }

    fn border_swatches(&self) -> Vec<(Swatch, &str)> {
        let labels = self.border_labels().into_iter().enumerate();
        labels.map(|(number, label)| (Swatch::Line(border_stroke(number)), label)).collect()
    }

    /// Draws each border along its rows, white below its own stroke, so that it shows on any colour.
    fn draw_borders(&self, canvas: &mut Canvas<'_>, plot: Plot, (slot, row): (f64, f64)) {
        let labels = self.border_labels();
        for border in self.inner_borders() {
            let rows = border.row.map_or(0..self.rows.len(), |row| row..row + 1);
            let number = labels.iter().position(|label| *label == border.label).unwrap_or_default();
            let x = plot.left + border.column as f64 * slot;
            for index in rows.filter(|&index| index < self.rows.len()) {
                let top = plot.top + index as f64 * row;
                let line = [(x, top), (x, top + row)];
                canvas.line(&line, Stroke::new(Colour::WHITE, 5.0));
                canvas.line(&line, border_stroke(number));
            }
        }
    }

    /// The columns behind which a border lies in a row.
    fn borders_in(&self, row: usize) -> Vec<usize> {
        let borders = self.borders.iter().filter(|border| border.row.is_none_or(|own| own == row));
        borders.map(|border| border.column).collect()
    }

    fn draw_row_names(&self, canvas: &mut Canvas<'_>, plot: Plot, row: f64) {
        if !self.frames.is_empty() {
            return frames::draw_names(canvas, &self.frames, plot, (row, row_name_width(canvas.width)));
        }
        let stride = (TICK_SIZE / row).ceil().max(1.0) as usize;
        let names = shorten_all(&self.rows, TICK_SIZE, row_name_width(canvas.width));
        for (index, name) in names.iter().enumerate().step_by(stride) {
            let y = plot.top + (index as f64 + 0.5) * row;
            let look = TextLook::new(TICK_SIZE, Colour::GREY, Anchor::End);
            canvas.text(name, (plot.left - 8.0, y), look);
        }
    }
}

impl Drawing for Heatmap {
    fn picture(&self, paper: &Paper) -> Picture {
        let sheet = Sheet::new(&self.title, self.subtitle.as_deref(), paper).with_notes(&self.notes(paper));
        let (ruler, fills) = (self.ruler(paper), self.name_fills(paper));
        let looks: Vec<Vec<Option<Look>>> = (0..self.rows.len())
            .map(|row| (0..self.columns.len()).map(|column| self.look((row, column), ruler.as_ref(), &fills)).collect())
            .collect();
        if looks.iter().flatten().all(Option::is_none) {
            return sheet.no_data();
        }

        let sheet = sheet.with_legend(self.swatches(&fills).into_iter().chain(self.border_swatches()));
        let bar_room = ruler.as_ref().map_or(0.0, |ruler| BAR_GAP + BAR_WIDTH + ticks_width(ruler));
        let of_frames = self.frames.iter().map(|frame| &frame.name);
        let shown = of_frames.chain(self.rows.iter().filter(|_| self.frames.is_empty()));
        let names = shown.map(|name| text_width(name, TICK_SIZE)).fold(0.0, f64::max);
        let left = paper.margin + names.min(row_name_width(paper.width)) + 10.0;
        let right = sheet.right() - bar_room;
        let slot = (right - left) / self.columns.len() as f64;
        let columns = CategoryNames::new(&self.columns, slot);
        let top = sheet.top() + 24.0;
        let below = columns.height() + AXIS_LABEL_HEIGHT + 8.0;
        let most = if paper.has_height() { f64::INFINITY } else { ROW_HEIGHTS.1 };
        let room = (sheet.height() - top - below).max(paper.least_plot());
        // Rows whose names are not shown get as low as columns are wide.
        let least = if self.frames.is_empty() { ROW_HEIGHTS.0 } else { ROW_HEIGHTS.0.min(slot.max(1.0)) };
        let row = (room / self.rows.len() as f64).clamp(least, most);
        let bottom = top + row * self.rows.len() as f64;
        let plot = Plot { left, right, top, bottom };

        sheet.draw(bottom + below, |canvas| {
            let look = TextLook::new(LABEL_SIZE, Colour::GREY, Anchor::Start);
            canvas.text(&shorten(&self.y_label, LABEL_SIZE, paper.width / 2.0), (paper.margin, top - 13.0), look);
            self.draw_row_names(canvas, plot, row);
            columns.draw(canvas, bottom - 2.0, |index| left + (index as f64 + 0.5) * slot);
            plot.draw_horizontal_label(canvas, &self.x_label, bottom + columns.height());
            let field = Field { plot, slot, row };
            match self.cells {
                Cells::Numbers { .. } | Cells::Ratios { .. } => field.draw_numbers(canvas, &looks, paper.least()),
                Cells::Names { .. } => field.draw_names(canvas, &looks, |row| self.borders_in(row)),
            }
            self.list(canvas, field);
            self.draw_borders(canvas, plot, (slot, row));
            for frame in &self.frames {
                frame.draw(canvas, plot, (slot, row));
            }
            let room = sheet.right() - paper.width / 2.0;
            match (&ruler, &self.cells) {
                (Some(ruler), Cells::Numbers { axis, .. }) => {
                    draw_colour_bar(canvas, ruler, &shorten(&axis.label, LABEL_SIZE, room), plot, sequential);
                }
                (Some(ruler), Cells::Ratios { label, .. }) => {
                    draw_colour_bar(canvas, ruler, &shorten(label, LABEL_SIZE, room), plot, diverging);
                }
                _ => {}
            }
        })
    }

    fn notes(&self, _: &Paper) -> Vec<String> {
        let left_out = |axis: &Axis, values| LeftOut::of(axis, Ends::default(), self.inside(values)).notes();
        match &self.cells {
            Cells::Numbers { axis, values } => left_out(axis, values),
            Cells::Ratios { label, values } => left_out(&Axis::number(label), values),
            Cells::Names { .. } => Vec::new(),
        }
    }

    /// Panels share the scale of colours.
    fn reach(&self, _: &Paper) -> (Ends, Ends) {
        let values = match &self.cells {
            Cells::Numbers { axis, values } => self.inside(values).filter(|&value| axis.shows(value)).collect(),
            Cells::Ratios { .. } | Cells::Names { .. } => Vec::new(),
        };
        (Ends::default(), Ends::over(&values))
    }

    fn entries(&self, paper: &Paper) -> Vec<(Swatch, String)> {
        let fills = self.name_fills(paper);
        let all = self.swatches(&fills).into_iter().chain(self.border_swatches());
        all.map(|(swatch, name)| (swatch, name.to_owned())).collect()
    }
}

/// Draws the scale of colours at the right of the cells.
pub fn draw_colour_bar(
    canvas: &mut Canvas<'_>,
    ruler: &Ruler,
    label: &str,
    plot: Plot,
    colour: impl Fn(f64) -> Colour,
) {
    let left = plot.right + BAR_GAP;
    let steps = 64;
    for step in 0..steps {
        let (from, to) = (f64::from(step) / f64::from(steps), f64::from(step + 1) / f64::from(steps));
        // A little overlap upwards hides seams between the steps.
        let above = (plot.y(to) - 0.4).max(plot.top);
        canvas.rectangle((left, plot.y(from)), (left + BAR_WIDTH, above), colour(f64::midpoint(from, to)));
    }
    let mut end = f64::INFINITY;
    for tick in &ruler.ticks {
        let y = plot.y(ruler.fraction(tick.at));
        let Some(label) = tick.label.as_deref().filter(|_| y + TICK_SIZE < end) else { continue };
        canvas.line(&[(left + BAR_WIDTH, y), (left + BAR_WIDTH + 4.0, y)], Stroke::new(Colour::GREY, 0.8));
        let label = shorten(label, TICK_SIZE, WIDEST_TICK);
        canvas.text(&label, (left + BAR_WIDTH + 7.0, y), TextLook::new(TICK_SIZE, Colour::GREY, Anchor::Start));
        end = y;
    }
    let look = TextLook::new(LABEL_SIZE, Colour::GREY, Anchor::End);
    // A legend may stand at the right of the scale.
    canvas.text(label, (left + BAR_WIDTH + ticks_width(ruler), plot.top - 13.0), look);
}
