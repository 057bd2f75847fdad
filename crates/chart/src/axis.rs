//! Axes: what they measure, and how values become places on them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::paper::Ends;
use super::ticks::{self, Base, Tick};
use crate::kind::{Kind, LARGEST, usable};

/// The scale of an axis: how values are spaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Scale {
    /// Equal differences are equally long.
    #[default]
    Linear,
    /// Equal ratios are equally long; values of zero and below are left out, and a note says how many.
    Log,
}

/// One axis of a chart.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Axis {
    /// What is measured, in words; the unit is on the ticks.
    pub label: String,
    /// How values are spaced. Categories are always linear.
    pub scale: Scale,
    /// What the values are.
    pub kind: Kind,
}

impl Scale {
    /// A value as it is spaced.
    pub(crate) fn place(self, value: f64) -> f64 {
        if self == Self::Log { value.ln() } else { value }
    }

    /// The value that is spaced so.
    pub(crate) fn value(self, place: f64) -> f64 {
        if self == Self::Log { place.exp() } else { place }
    }

    /// The value at a share of the way from one to another.
    pub(crate) fn between(self, (from, to): (f64, f64), share: f64) -> f64 {
        let [start, stop] = [from, to].map(|end| self.place(end));
        self.value(start + share * (stop - start))
    }
}

impl Axis {
    /// A linear axis of plain numbers.
    #[must_use]
    pub fn number(label: impl Into<String>) -> Self {
        Self { label: label.into(), scale: Scale::Linear, kind: Kind::Number }
    }

    /// A linear axis of sizes.
    #[must_use]
    pub fn bytes(label: impl Into<String>) -> Self {
        Self { kind: Kind::Bytes, ..Self::number(label) }
    }

    /// A linear axis of durations.
    #[must_use]
    pub fn seconds(label: impl Into<String>) -> Self {
        Self { kind: Kind::Seconds, ..Self::number(label) }
    }

    /// An axis of names.
    #[must_use]
    pub fn category(label: impl Into<String>, names: Vec<String>) -> Self {
        Self { kind: Kind::Category(names), ..Self::number(label) }
    }

    /// The same axis on a logarithmic scale.
    #[must_use]
    pub fn logarithmic(self) -> Self {
        Self { scale: Scale::Log, ..self }
    }

    /// An interval on this axis; nothing where none of it has a place.
    pub(crate) fn extent(&self, low: f64, high: f64) -> Option<Extent> {
        if matches!(self.kind, Kind::Category(_)) || low.is_nan() || high.is_nan() || low > high {
            return None;
        }
        let end = |value: f64| self.shows(value).then_some(value);
        let is_beyond =
            low >= LARGEST || high <= -LARGEST || (self.scale == Scale::Log && end(high).is_none() && high < 1.0);
        (!is_beyond).then(|| Extent { low: end(low), high: end(high) })
    }

    /// Whether `value` has a place on this axis.
    #[must_use]
    pub fn shows(&self, value: f64) -> bool {
        match (&self.kind, self.scale) {
            (Kind::Category(names), _) => (-0.5..=names.len() as f64 - 0.5).contains(&value),
            (_, Scale::Linear) => usable(value),
            (_, Scale::Log) => usable(value) && value > 1e-100,
        }
    }
}

/// An interval as an axis shows it: an end that is not there lies beyond the axis, such as zero on a logarithmic one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Extent {
    pub(crate) low: Option<f64>,
    pub(crate) high: Option<f64>,
}

impl Extent {
    /// What a ruler has to reach for an interval around `value`: its ends, and some room for an arrow to one beyond.
    pub(crate) fn reach(self, value: f64) -> [f64; 2] {
        [self.low.unwrap_or(value / 2.0), self.high.unwrap_or(value)]
    }
}

/// How far an axis reaches beyond its data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// To the data's ends and a little more, so that no mark lies on the frame; on a logarithmic scale to the next tick.
    Data,
    /// To the data's ends and no further: an area is filled.
    Exact,
    /// To the next tick, and to zero where the data come near it.
    Ticks,
    /// To the next tick, and to zero in any case: lengths of bars are compared.
    Zero,
}

/// The span of an axis that has data, and its ticks.
#[derive(Debug, Clone)]
pub struct Ruler {
    scale: Scale,
    low: f64,
    high: f64,
    pub(crate) ticks: Vec<Tick>,
}

impl Ruler {
    /// The ruler for `values`, with about `room` ticks; nothing where no value has a place.
    pub fn new(axis: &Axis, values: impl Iterator<Item = f64>, reach: Reach, room: usize) -> Option<Self> {
        Self::within(axis, values, Ends::default(), reach, room)
    }

    /// The same, but with ends where they are given.
    pub fn within(
        axis: &Axis,
        values: impl Iterator<Item = f64>,
        ends: Ends,
        reach: Reach,
        room: usize,
    ) -> Option<Self> {
        if let Kind::Category(names) = &axis.kind {
            let ticks = names
                .iter()
                .enumerate()
                .map(|(index, name)| Tick { at: index as f64, label: Some(name.clone()) })
                .collect();
            let high = names.len() as f64 - 0.5;
            return (!names.is_empty()).then_some(Self { scale: Scale::Linear, low: -0.5, high, ticks });
        }
        let shown = |end: Option<f64>| end.filter(|&end| axis.shows(end));
        let ends = Ends { low: shown(ends.low), high: shown(ends.high) };
        let values: Vec<f64> = values.filter(|&value| axis.shows(value) && ends.hold(value)).collect();
        let span = |values: &[f64]| {
            let least = values.iter().copied().fold(f64::INFINITY, f64::min);
            (least, values.iter().copied().fold(f64::NEG_INFINITY, f64::max))
        };
        let (low, high) = span(&values);
        let (low, high) = (ends.low.unwrap_or(low), ends.high.unwrap_or(high));
        if low > high || !usable(low) || !usable(high) {
            return None;
        }
        let base = Base::of(&axis.kind, &values);
        let mut ruler = match axis.scale {
            Scale::Linear => Self::linear(low, high, reach, room, &axis.kind),
            Scale::Log => Self::logarithmic(low, high, reach, room, (&axis.kind, base)),
        };
        if ends != Ends::default() && low < high {
            ruler.low = ends.low.unwrap_or(ruler.low);
            ruler.high = ends.high.unwrap_or(ruler.high);
            let span = (ruler.low, ruler.high);
            ruler.ticks = match axis.scale {
                Scale::Linear => {
                    let step = ticks::linear_step(span.0, span.1, room, &axis.kind);
                    ticks::linear(span.0, span.1, step, &axis.kind)
                }
                Scale::Log => ticks::logarithmic(span, room, &axis.kind, base),
            };
        }
        Some(ruler)
    }

    /// The ruler of ratios from half to double, with ticks that are named by `label`.
    pub(crate) fn ratios(label: impl Fn(f64) -> String) -> Self {
        let tick = |at: f64| Tick { at, label: Some(label(at)) };
        let ticks = [0.5, 0.625, 0.8, 1.0, 1.25, 1.6, 2.0].map(tick).to_vec();
        Self { scale: Scale::Log, low: 0.5, high: 2.0, ticks }
    }

    fn linear(mut low: f64, mut high: f64, reach: Reach, room: usize, kind: &Kind) -> Self {
        if reach == Reach::Zero || (reach == Reach::Ticks && low != high) {
            let near = |near: f64, far: f64| reach == Reach::Zero || near <= 0.5 * far;
            if low > 0.0 && near(low, high) {
                low = 0.0;
            } else if high < 0.0 && near(-high, -low) {
                high = 0.0;
            }
        }
        // A span that floats can barely resolve is as good as none.
        if high - low <= 1e-12 * low.abs().max(high.abs()) {
            let half = if low == 0.0 { 0.5 } else { 0.5 * low.abs() };
            (low, high) = (low - half, high + half);
        }
        let step = ticks::linear_step(low, high, room, kind);
        if reach == Reach::Data {
            let rim = 0.025 * (high - low);
            (low, high) = (low - rim, high + rim);
        } else if reach != Reach::Exact {
            low = (low / step + 1e-9).floor() * step;
            high = (high / step - 1e-9).ceil() * step;
        }
        Self { scale: Scale::Linear, low, high, ticks: ticks::linear(low, high, step, kind) }
    }

    fn logarithmic(mut low: f64, mut high: f64, reach: Reach, room: usize, (kind, base): (&Kind, Base)) -> Self {
        if high / low <= 1.0 + 1e-9 {
            (low, high) = (low / 2.0, high * 2.0);
        }
        if reach == Reach::Exact {
            return Self { scale: Scale::Log, low, high, ticks: ticks::logarithmic((low, high), room, kind, base) };
        }
        let rim = (high / low).powf(0.025);
        if reach == Reach::Zero {
            // A bar needs some length, also the shortest: the axis starts well below it.
            low /= rim.powi(4);
        }
        let ticks = ticks::around((low, high), room, kind, base);
        if reach == Reach::Data {
            (low, high) = (low / rim, high * rim);
        }
        // The axis ends at labels, or with the data where these reach further.
        low = ticks.first().map_or(low, |tick| tick.at.min(low));
        high = ticks.last().map_or(high, |tick| tick.at.max(high));
        Self { scale: Scale::Log, low, high, ticks }
    }

    /// Its ends.
    pub(crate) const fn ends(&self) -> (f64, f64) {
        (self.low, self.high)
    }

    /// Where `value` lies: 0 at the low end, 1 at the high end. Values without a place are at the low end.
    #[must_use]
    pub fn fraction(&self, value: f64) -> f64 {
        let fraction = match self.scale {
            Scale::Linear => (value - self.low) / (self.high - self.low),
            Scale::Log if value > 0.0 => (value / self.low).ln() / (self.high / self.low).ln(),
            Scale::Log => 0.0,
        };
        if fraction.is_nan() { 0.0 } else { fraction }
    }

    /// Where bars stand: at zero, or at the low end where zero has no place.
    pub(crate) fn base(&self) -> f64 {
        match self.scale {
            Scale::Linear => self.fraction(0.0).clamp(0.0, 1.0),
            Scale::Log => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ruler(axis: &Axis, values: &[f64], reach: Reach) -> Ruler {
        Ruler::new(axis, values.iter().copied(), reach, 6).expect("there are values")
    }

    #[test]
    fn axes_reach_zero_when_the_data_are_near_it() {
        let near = ruler(&Axis::number(""), &[2.0, 9.0], Reach::Ticks);
        assert_eq!((near.low, near.high), (0.0, 10.0));
        let far = ruler(&Axis::number(""), &[91.0, 99.0], Reach::Ticks);
        assert_eq!((far.low, far.high), (90.0, 100.0));
        let bars = ruler(&Axis::number(""), &[91.0, 99.0], Reach::Zero);
        assert_eq!((bars.low, bars.high), (0.0, 100.0));
        let below = ruler(&Axis::number(""), &[-3.0, -9.0], Reach::Ticks);
        assert_eq!((below.low, below.high), (-10.0, 0.0));
    }

    #[test]
    fn one_value_has_space_around_it() {
        let one = ruler(&Axis::number(""), &[4.0], Reach::Ticks);
        assert_eq!((one.low, one.high, one.fraction(4.0)), (2.0, 6.0, 0.5));
        let log = ruler(&Axis::number("").logarithmic(), &[4.0, -1.0, f64::NAN], Reach::Ticks);
        assert_eq!((log.low, log.high), (2.0, 8.0));
        assert!(Ruler::new(&Axis::number("").logarithmic(), [-1.0].into_iter(), Reach::Ticks, 6).is_none());
    }

    #[test]
    fn intervals_are_cut_where_the_axis_ends() {
        let (linear, log) = (Axis::number(""), Axis::number("").logarithmic());
        assert_eq!(linear.extent(-1.0, 2.0), Some(Extent { low: Some(-1.0), high: Some(2.0) }));
        assert_eq!(log.extent(1.0, 2.0), Some(Extent { low: Some(1.0), high: Some(2.0) }));
        for low in [0.0, -1.0, f64::NEG_INFINITY] {
            assert_eq!(log.extent(low, 2.0), Some(Extent { low: None, high: Some(2.0) }));
        }
        assert_eq!(linear.extent(0.0, f64::INFINITY), Some(Extent { low: Some(0.0), high: None }));
        for (low, high) in [(-2.0, -1.0), (-1.0, 0.0), (f64::NAN, 1.0), (2.0, 1.0)] {
            assert_eq!(log.extent(low, high), None);
        }
    }

    #[test]
    fn ends_that_are_given_are_the_ends() {
        let ends = Ends { low: Some(2.0), high: None };
        let found = Ruler::within(&Axis::number(""), [1.0, 3.0, 9.0].into_iter(), ends, Reach::Ticks, 6).unwrap();
        assert_eq!((found.low, found.high, found.fraction(2.0)), (2.0, 10.0, 0.0));
        let ends = Ends { low: Some(1.0), high: Some(100.0) };
        let found = Ruler::within(&Axis::number("").logarithmic(), [3.0].into_iter(), ends, Reach::Data, 6).unwrap();
        assert_eq!((found.low, found.high), (1.0, 100.0));
    }

    #[test]
    fn places_on_a_logarithmic_axis() {
        let log = ruler(&Axis::seconds("").logarithmic(), &[1e-4, 1.0], Reach::Ticks);
        assert_eq!((log.low, log.high), (1e-4, 1.0));
        let odd = ruler(&Axis::seconds("").logarithmic(), &[3e-4, 0.7], Reach::Ticks);
        assert_eq!((odd.low, odd.high), (1e-4, 1.0));
        // Marks are off the frame: the axis ends at a label, unless data lie right there.
        let marked = ruler(&Axis::seconds("").logarithmic(), &[3e-4, 1.0], Reach::Data);
        assert_eq!(marked.low, 1e-4);
        assert!(marked.high > 1.0 && marked.high < 1.3, "{}", marked.high);
        assert_eq!(marked.ticks.last().unwrap().at, 1.0);
        assert!((log.fraction(1e-2) - 0.5).abs() < 1e-12);
        assert_eq!(log.fraction(0.0), 0.0);
    }
}
