//! Keys that several kinds of charts have.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::report::text::{heading, kind};
use crate::scenario::{Scalar, Where};
use hetsim_chart::axis::{Axis, Scale};
use hetsim_chart::palette::Palette;
use hetsim_chart::paper::{Annotation, Ends, LegendPlace, Paper};

/// The keys that every chart has.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct Common {
    /// The file's stem in `charts/`: a name that every system takes for a file, of 200 bytes at most.
    pub name: String,
    /// The heading; `""` for none, the `name` by default.
    #[serde(default)]
    pub title: Option<String>,
    /// A line under the heading, such as the conditions.
    #[serde(default)]
    pub subtitle: Option<String>,
    /// The points that are drawn; all by default. A chart of one run shows the first replica of the one point that is chosen.
    #[serde(default, rename = "where")]
    pub filter: Where,
    /// The width in print, such as `"85mm"`, `"18cm"`, `"6in"` or `"240pt"`: type is 7 pt or larger.
    /// By default the chart is as wide as the page.
    #[serde(default)]
    pub width: Option<String>,
    /// The height in print, by default in proportion to the width; a chart that needs more height is taller.
    #[serde(default)]
    pub height: Option<String>,
    /// A swept key: small multiples, with a panel for each of its values.
    #[serde(default)]
    pub panels: Option<String>,
    /// Whether each panel has its own scale of y; `gantt`, `tree`, `graph` and `utilization` have no such scale.
    #[serde(default)]
    pub free_y: bool,
}

impl Common {
    /// The heading, made of the name where there is none.
    #[must_use]
    pub fn heading(&self) -> String {
        self.title.clone().unwrap_or_else(|| self.name.replace('_', " "))
    }

    /// What the chart is called where it must be called something.
    #[must_use]
    pub fn caption(&self) -> String {
        Some(self.heading()).filter(|heading| !heading.trim().is_empty()).unwrap_or_else(|| self.name.replace('_', " "))
    }

    /// What the chart is drawn on.
    pub(super) fn paper(&self) -> Paper {
        let length = |written: &Option<String>| written.as_deref().and_then(millimetres);
        Paper { free_y: self.free_y, ..Paper::printed(length(&self.width), length(&self.height)) }
    }
}

/// The metrics along y.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct Metrics {
    /// The metric along y, or a list of metrics with one unit: a line, a bar, a segment, a mark or a box for each.
    pub y: NameList,
    /// The names of the metrics in the picture, instead of their own.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
    /// The scale of y.
    #[serde(default)]
    pub y_scale: Scale,
    /// The label of y; by default the metric's name.
    #[serde(default)]
    pub y_label: Option<String>,
    /// Both ends of y; by default those of the values.
    #[serde(default)]
    pub y_range: Option<[Scalar; 2]>,
    /// Words in the picture.
    #[serde(default)]
    pub annotate: Vec<Words>,
}

/// `[[chart.annotate]]`: words at a point, or at a line through it where `x` or `y` is left out.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Words {
    /// The words.
    pub text: String,
    /// The place along x: a number, a quantity, or a value of the key; by default all of it, a line.
    #[serde(default)]
    pub x: Option<Scalar>,
    /// The place along y: a number in the unit of the metrics, or a quantity; by default all of it, a line.
    #[serde(default)]
    pub y: Option<Scalar>,
}

/// How bars and boxes stand.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, JsonSchema)]
pub struct BarOrder {
    /// The order of the groups, instead of by x: by the values of the first series.
    #[serde(default)]
    pub sort: Option<Sort>,
    /// Whether bars are horizontal; by default they are if their names are too long to stand below them.
    #[serde(default)]
    pub horizontal: bool,
}

/// An order of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Sort {
    /// The least first.
    Ascending,
    /// The greatest first.
    Descending,
}

impl Sort {
    /// The numbers of the groups in their new order; those without a value are last.
    pub(super) fn order(self, values: &[Option<f64>]) -> Vec<usize> {
        let mut order: Vec<usize> = (0..values.len()).collect();
        let sign = if self == Self::Ascending { 1.0 } else { -1.0 };
        let rank = |index: &usize| values[*index].map_or(f64::INFINITY, |value| sign * value);
        order.sort_by(|a, b| rank(a).total_cmp(&rank(b)));
        order
    }
}

/// Colours: a palette by name, or one for each.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Colours {
    /// Those of a palette, in its order.
    Palette(Palette),
    /// For values of the series, or for metrics where there is none: `{ heft = "#0072b2" }`.
    Each(BTreeMap<String, String>),
}

impl Metrics {
    /// The first of them, whose unit is that of all.
    #[must_use]
    pub fn first(&self) -> &str {
        self.y.all().first().map(String::as_str).unwrap_or_default()
    }

    /// What a metric is called in the chart.
    #[must_use]
    pub fn called(&self, metric: &str) -> String {
        called(&self.labels, metric)
    }

    /// The vertical axis of all of them.
    #[must_use]
    pub fn axis(&self) -> Axis {
        let names: Vec<String> = self.y.all().iter().map(|metric| self.called(metric)).collect();
        let label = self.y_label.clone().unwrap_or_else(|| names.join(", "));
        metric_axis(self.first(), Some(&label), self.y_scale)
    }
}

impl Metrics {
    /// The ends of y.
    pub(super) fn ends(&self) -> Ends {
        ends(self.y_range.as_ref(), |end| end.number_for(self.first()).ok())
    }

    /// The words in the picture; `place` gives the place of a value along x.
    pub(super) fn words(&self, place: impl Fn(&Scalar) -> Option<f64>) -> Vec<Annotation> {
        let y = |written: &Scalar| written.number_for(self.first()).ok();
        let words = |words: &Words| Annotation {
            text: words.text.clone(),
            x: words.x.as_ref().and_then(&place),
            y: words.y.as_ref().and_then(y),
        };
        // What has no place is not drawn.
        let found = |(written, drawn): &(&Words, Annotation)| {
            written.x.is_some() == drawn.x.is_some() && written.y.is_some() == drawn.y.is_some()
        };
        self.annotate.iter().map(|written| (written, words(written))).filter(found).map(|(_, drawn)| drawn).collect()
    }

    /// The places of the words along one axis, `x` or `y`, each with its key.
    pub(super) fn places(&self, at: &str, axis: &str) -> Vec<(String, &Scalar)> {
        let mut places = Vec::new();
        for (number, words) in self.annotate.iter().enumerate() {
            let place = if axis == "x" { &words.x } else { &words.y };
            places.extend(place.as_ref().map(|place| (format!("{at}.annotate.{number}.{axis}"), place)));
        }
        places
    }
}

/// The ends of an axis as a chart gives them.
pub(super) fn ends(range: Option<&[Scalar; 2]>, number: impl Fn(&Scalar) -> Option<f64>) -> Ends {
    range.map_or_else(Ends::default, |[low, high]| Ends { low: number(low), high: number(high) })
}

/// A length in millimetres; nothing where it is none, is not above zero, or is longer than a metre.
pub(super) fn millimetres(written: &str) -> Option<f64> {
    let units = [("mm", 1.0), ("cm", 10.0), ("in", 25.4), ("pt", 25.4 / 72.0)];
    let (unit, factor) = units.into_iter().find(|(unit, _)| written.ends_with(unit))?;
    let number: f64 = written.strip_suffix(unit)?.trim().parse().ok()?;
    let length = number * factor;
    (length > 0.0 && length <= 1000.0).then_some(length)
}

/// The keys of a chart of metrics over a swept key, or over a column of a long table.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct Over {
    /// The keys of every chart.
    #[serde(flatten)]
    pub common: Common,
    /// A long table of the run (one of `output.tables`), whose rows are drawn instead of points: `x` and `y` are
    /// columns of it, `series` is a column or a swept key, and `where` chooses the run, of which the first replica is
    /// shown. Bars show the mean of the rows of a series with the same x.
    #[serde(default)]
    pub table: Option<String>,
    /// The swept key along x, or the column of `table`.
    pub x: String,
    /// The metrics along y.
    #[serde(flatten)]
    pub metrics: Metrics,
    /// The label of x; by default the key's name.
    #[serde(default)]
    pub x_label: Option<String>,
}

impl Over {
    /// The label of a column of `table` along x.
    pub(super) fn column_label(&self) -> String {
        self.x_label.clone().unwrap_or_else(|| self.metrics.called(&self.x))
    }
}

/// The groups of what is drawn.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, JsonSchema)]
pub struct Groups {
    /// The swept key that tells lines, bars, marks or boxes apart; each of its values has a panel in a `histogram`.
    /// With several metrics in `y`, lines of one value of the key have one colour and lines of one metric have one
    /// dash; bars and boxes can't have both.
    #[serde(default)]
    pub series: Option<String>,
    /// What values of the keys along `x` and in `series` are called in the picture, instead of what they are in the
    /// scenario: `names = { heft = "HEFT", min_min = "min-min" }`.
    #[serde(default)]
    pub names: BTreeMap<String, String>,
    /// The heading of the legend; by default the key's name.
    #[serde(default)]
    pub series_label: Option<String>,
    /// Where the names of the series stand: by default at the ends of lines (`direct`, which is for the kinds `line` and
    /// `scatter` only), and `above` in other kinds and in narrow charts.
    #[serde(default)]
    pub legend: Option<LegendPlace>,
    /// The colours, by default those of `okabe_ito`; in a report a value of a key has the same one in all charts, unless
    /// they say otherwise.
    #[serde(default)]
    pub colours: Option<Colours>,
}

/// A name, or several.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum NameList {
    /// This one.
    One(String),
    /// All of these.
    Several(Vec<String>),
}

impl NameList {
    /// All of them, in the order given.
    #[must_use]
    pub fn all(&self) -> &[String] {
        match self {
            Self::One(name) => std::slice::from_ref(name),
            Self::Several(names) => names,
        }
    }
}

/// What points or rows a chart shows, and in what groups.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shown<'a> {
    pub(super) common: &'a Common,
    pub(super) series: Option<&'a str>,
    pub(super) names: &'a BTreeMap<String, String>,
    pub(super) colours: Option<&'a Colours>,
    pub(super) legend: Option<LegendPlace>,
}

impl<'a> Shown<'a> {
    pub(super) fn new(common: &'a Common, groups: &'a Groups) -> Self {
        let colours = groups.colours.as_ref();
        Self { common, series: groups.series.as_deref(), names: &groups.names, colours, legend: groups.legend }
    }
}

impl Groups {
    /// The paper of a chart with these groups: where its legend stands, what it is called, and its palette.
    pub(super) fn paper(&self, common: &Common) -> Paper {
        // Of a dotted key its last part is enough.
        let key = || self.series.as_deref().and_then(|key| key.rsplit('.').next()).map(heading).unwrap_or_default();
        Paper {
            legend: self.legend,
            legend_title: self.series_label.clone().unwrap_or_else(key),
            palette: Shown::new(common, self).palette(),
            ..common.paper()
        }
    }
}

/// The value of the chart's `series` that a mark belongs to, if it does.
pub(super) type OfSeries = Option<Scalar>;

/// What a metric is called in a chart.
pub(super) fn called(labels: &BTreeMap<String, String>, metric: &str) -> String {
    labels.get(metric).cloned().unwrap_or_else(|| heading(metric))
}

/// An axis of a metric, or of a column of a long table.
pub(super) fn metric_axis(metric: &str, label: Option<&String>, scale: Scale) -> Axis {
    let label = label.cloned().unwrap_or_else(|| heading(metric));
    Axis { label, scale, kind: kind(metric, None) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_have_units() {
        assert_eq!(millimetres("85mm"), Some(85.0));
        assert_eq!(millimetres("2in"), Some(50.8));
        assert_eq!(millimetres("18 cm"), Some(180.0));
        assert_eq!(millimetres("72pt"), Some(25.4));
        for wrong in ["85", "-1mm", "0mm", "mm", "2000mm", "NaNmm", "infin"] {
            assert_eq!(millimetres(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn what_has_no_value_is_last_in_any_order() {
        let values = [Some(2.0), None, Some(1.0)];
        assert_eq!((Sort::Ascending.order(&values), Sort::Descending.order(&values)), (vec![2, 0, 1], vec![0, 2, 1]));
    }
}
