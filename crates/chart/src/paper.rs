//! What a chart is drawn on, and in what look: its size, its legend, its colours, the words around it.

use schemars::JsonSchema;
use serde::Deserialize;

use super::palette::{Fill, Palette};
use super::style::{Colour, HEIGHT, MARGIN, SMALL_SIZE, Stroke, TINY_SIZE, TITLE_SIZE, WIDTH, dash};

/// Where the names of what is drawn stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LegendPlace {
    /// At the ends of lines: in charts of kind `line`, and beside the marks of `scatter`.
    Direct,
    /// In a column at the right.
    Right,
    /// In rows under the heading.
    Above,
    /// Nowhere.
    None,
}

/// The ends of an axis; where one is missing, the data say where it is.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Ends {
    /// The least value.
    pub low: Option<f64>,
    /// The greatest value.
    pub high: Option<f64>,
}

impl Ends {
    /// The least and the greatest of some values.
    pub fn over(values: &[f64]) -> Self {
        Self { low: values.iter().copied().reduce(f64::min), high: values.iter().copied().reduce(f64::max) }
    }

    /// What holds both.
    #[must_use]
    pub fn join(self, other: Self) -> Self {
        let both = |a: Option<f64>, b: Option<f64>, pick: fn(f64, f64) -> f64| match (a, b) {
            (Some(a), Some(b)) => Some(pick(a, b)),
            _ => a.or(b),
        };
        Self { low: both(self.low, other.low, f64::min), high: both(self.high, other.high, f64::max) }
    }

    /// Those of them that there are.
    pub fn values(self) -> impl Iterator<Item = f64> {
        self.low.into_iter().chain(self.high)
    }

    /// Whether a value lies between them.
    #[must_use]
    pub fn hold(self, value: f64) -> bool {
        self.meet(value, value)
    }

    /// Whether some of what reaches from a value to another lies between them.
    #[must_use]
    pub fn meet(self, from: f64, to: f64) -> bool {
        self.low.is_none_or(|low| to >= low) && self.high.is_none_or(|high| from <= high)
    }
}

/// Words in a plot: at a point, or at a line through it where one of its places is missing.
#[derive(Debug, Clone, PartialEq)]
pub struct Annotation {
    /// The words.
    pub text: String,
    /// Their place along x.
    pub x: Option<f64>,
    /// Their place along y.
    pub y: Option<f64>,
}

/// The look of what is drawn in one colour: its number among all looks, and its colour where the chart gives one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// Its number among all looks.
    pub number: usize,
    /// Its colour, where the chart gives one.
    pub colour: Option<Colour>,
}

/// What a chart is drawn on, and in what look. Lengths are in pixels of the sheet; on one whose width is given in
/// millimetres ten of them are seven points.
#[derive(Debug, Clone, PartialEq)]
pub struct Paper {
    /// The width of the sheet.
    pub width: f64,
    /// The height that somebody asked for.
    pub asked: Option<f64>,
    /// Whether its size is one on paper.
    pub is_printed: bool,
    /// The space that stays free at every edge.
    pub margin: f64,
    /// The heading instead of the picture's title and subtitle: that of a panel.
    pub panel: Option<String>,
    /// Where the axis x is to end.
    pub x_ends: Ends,
    /// Where the axis y is to end.
    pub y_ends: Ends,
    /// What the axes have to reach besides the data: those of other panels.
    pub shared: (Ends, Ends),
    /// Whether panels have axes of their own.
    pub free_y: bool,
    /// Where the legend stands; by default above.
    pub legend: Option<LegendPlace>,
    /// What stands before the legend: the key whose values it names.
    pub legend_title: String,
    /// The colours.
    pub palette: Palette,
    /// The looks of what is drawn, in its order; by its place where there are none.
    pub looks: Vec<Look>,
    /// What is said below the chart.
    pub notes: Vec<String>,
    /// Words in the plot.
    pub annotations: Vec<Annotation>,
    /// Whether bars lie.
    pub horizontal: bool,
}

impl Default for Paper {
    fn default() -> Self {
        Self {
            width: WIDTH,
            asked: None,
            is_printed: false,
            margin: MARGIN,
            panel: None,
            x_ends: Ends::default(),
            y_ends: Ends::default(),
            shared: (Ends::default(), Ends::default()),
            free_y: false,
            legend: None,
            legend_title: String::new(),
            palette: Palette::default(),
            looks: Vec::new(),
            notes: Vec::new(),
            annotations: Vec::new(),
            horizontal: false,
        }
    }
}

/// Millimetres of a pixel in print: the smallest type, of ten pixels, has seven points of 1/72 inch.
pub const MILLIMETRES: f64 = 7.0 * 25.4 / 72.0 / SMALL_SIZE;
/// The free space at the edges of a chart in print: the page has margins of its own.
const PRINTED_MARGIN: f64 = 6.0;
/// The width of a sheet that a phone shows whole.
const PHONE: f64 = 350.0;
/// Wider sheets are drawn again for phones.
const WIDER_THAN_PHONES: f64 = 420.0;
/// A sheet is no narrower than this: two columns of numbers fit.
pub const NARROWEST: f64 = 160.0;
/// A narrower sheet has the names of lines above them.
pub(crate) const NARROW: f64 = 520.0;
/// Nobody tells more lines or bars apart by their looks.
pub(crate) const MOST_SERIES: usize = 12;

/// What is said of so many of them.
pub(crate) fn too_many(count: usize) -> String {
    format!("{count} series are more than one tells apart: `panels` draws small multiples")
}

impl Paper {
    /// A sheet of this size in millimetres, where it is given.
    #[must_use]
    pub fn printed(width: Option<f64>, height: Option<f64>) -> Self {
        let own = Self::default();
        let pixels = |millimetres: f64| millimetres / MILLIMETRES;
        let is_printed = width.is_some() || height.is_some();
        Self {
            width: width.map_or(own.width, pixels).max(NARROWEST),
            asked: height.map(pixels),
            is_printed,
            margin: if is_printed { PRINTED_MARGIN } else { own.margin },
            ..own
        }
    }

    /// The places of words along one axis that lie beyond these values.
    pub(crate) fn beyond(&self, values: &[f64], place: impl Fn(&Annotation) -> Option<f64>) -> Vec<f64> {
        let ends = Ends::over(values);
        self.annotations.iter().filter_map(place).filter(|&place| !ends.hold(place)).collect()
    }

    /// The same sheet at the width of a phone, unless it is that narrow already.
    #[must_use]
    pub fn on_phone(&self) -> Option<Self> {
        let narrow = || {
            let legend = self.legend.filter(|place| *place == LegendPlace::None);
            Self { width: PHONE, asked: None, is_printed: true, margin: PRINTED_MARGIN, legend, ..self.clone() }
        };
        (self.width > WIDER_THAN_PHONES).then(narrow)
    }

    /// The same sheet for one of several panels, of this width (and height) and with this heading, whose axes reach as
    /// far as those of the others.
    #[must_use]
    pub fn panel(&self, (width, height): (f64, Option<f64>), heading: String, shared: (Ends, Ends)) -> Self {
        let asked = Some(height.unwrap_or(0.72 * width).max(180.0));
        let (notes, legend) = (Vec::new(), Some(LegendPlace::None));
        Self { width, asked, panel: Some(heading), margin: PRINTED_MARGIN, notes, legend, shared, ..self.clone() }
    }

    /// The height that is asked for; what has more in it may be higher.
    pub(crate) fn height(&self) -> f64 {
        self.asked.unwrap_or_else(|| HEIGHT.min((HEIGHT / WIDTH * self.width).max(240.0)))
    }

    /// A plot gets no lower, whatever stands above it.
    pub(crate) fn least_plot(&self) -> f64 {
        if self.has_height() { 60.0 } else { (0.48 * self.width).min(240.0) }
    }

    /// Whether somebody asked for that height.
    #[must_use]
    pub const fn has_height(&self) -> bool {
        self.asked.is_some()
    }

    /// The size of the heading's type.
    pub(crate) fn title_size(&self) -> f64 {
        if self.panel.is_some() || self.width < NARROW { 13.0 } else { TITLE_SIZE }
    }

    /// The smallest type.
    pub(crate) fn least(&self) -> f64 {
        if self.is_printed { SMALL_SIZE } else { TINY_SIZE }
    }

    /// Where the names of lines stand.
    pub(crate) fn names_of_lines(&self) -> LegendPlace {
        self.legend.unwrap_or(if self.width < NARROW { LegendPlace::Above } else { LegendPlace::Direct })
    }

    /// Whether there is little space beside each other.
    #[must_use]
    pub fn is_narrow(&self) -> bool {
        self.width < NARROW
    }

    fn look(&self, index: usize) -> Look {
        self.looks.get(index).copied().unwrap_or(Look { number: index, colour: None })
    }

    /// The marker of the `index`-th thing.
    pub(crate) fn shape(&self, index: usize) -> usize {
        self.look(index).number
    }

    /// The line of the `index`-th thing.
    pub(crate) fn stroke(&self, index: usize, width: f64) -> Stroke {
        let look = self.look(index);
        let own = dash(self.palette.dash(look.number));
        Stroke::new(look.colour.unwrap_or_else(|| self.palette.colour(look.number)), width).dashed(own)
    }

    /// The colour of the `index`-th thing.
    pub(crate) fn colour(&self, index: usize) -> Colour {
        self.stroke(index, 1.0).colour
    }

    /// The area of the `index`-th thing.
    #[must_use]
    pub fn fill(&self, index: usize) -> Fill {
        let look = self.look(index);
        let own = self.palette.fill(look.number);
        look.colour.map_or(own, |colour| Fill { colour, ..own })
    }
}
