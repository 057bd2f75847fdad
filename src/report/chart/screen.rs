//! Pictures as pages show them: with their values, and drawn again for phones.

use super::Drawn;
use super::draw::canvas::Ink;
use super::draw::drawing::Drawing;
use super::draw::paper::Paper;

/// A picture as a page shows it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Screen {
    /// The drawing, with the elements of each series in a group.
    pub(crate) wide: String,
    /// The same at the width of a phone; nothing where the first one has it, or would be too large twice.
    pub(crate) phone: Option<String>,
    /// The headings of the values' cells.
    pub(crate) heads: Vec<String>,
    /// The values.
    pub(crate) values: Vec<Shown>,
    /// Whether it has details to look at closely.
    pub(crate) zooms: bool,
}

/// A value, and where both drawings show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shown {
    /// Left, top, width and height in units of the drawing.
    pub(crate) wide: Option<[i32; 4]>,
    /// The same on a phone.
    pub(crate) phone: Option<[i32; 4]>,
    /// The series that it belongs to; empty for none.
    pub(crate) series: String,
    /// A cell for each heading.
    pub(crate) cells: Vec<String>,
}

/// Larger drawings are not made twice: a phone scrolls them.
const MOST_TWICE: usize = 400_000;

impl Screen {
    /// A picture with its drawing for phones, where there is one.
    pub(super) fn of(ink: &Ink, phone: Option<&Ink>, (title, millimetres): (&str, Option<f64>), zooms: bool) -> Self {
        let wide = ink.marked(title, millimetres);
        let phone = phone.filter(|_| wide.len() <= MOST_TWICE);
        let spots = &ink.senses().spots;
        // Both list the same values in the same order.
        let narrow = phone.map(|phone| &phone.senses().spots).filter(|narrow| narrow.len() == spots.len());
        let shown = |(number, spot): (usize, &super::draw::senses::Spot)| Shown {
            wide: spot.field,
            phone: narrow.and_then(|narrow| narrow[number].field),
            series: spot.series.clone(),
            cells: spot.cells.clone(),
        };
        Self {
            wide,
            phone: phone.map(|phone| phone.marked(title, None)),
            heads: ink.senses().heads.clone(),
            values: spots.iter().enumerate().map(shown).collect(),
            zooms,
        }
    }

    /// A picture on a sheet of the usual size.
    pub(super) fn of_drawing(drawing: &impl Drawing, title: &str) -> Self {
        let paper = Paper::default();
        let phone = paper.on_phone().map(|paper| drawing.ink(&paper));
        Self::of(&drawing.ink(&paper), phone.as_ref(), (title, None), false)
    }
}

impl Drawn {
    /// The picture for phones, where its own sheet is too wide for them.
    pub(super) fn on_phone(&self) -> Option<Ink> {
        self.paper.on_phone().map(|paper| self.picture.ink(&paper))
    }
}
