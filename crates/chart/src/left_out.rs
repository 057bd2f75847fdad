//! What a picture leaves out, and what it says of that.

use super::axis::{Axis, Scale};
use super::paper::Ends;
use crate::kind::{LARGEST, usable};

/// How many values a picture leaves out, by the reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LeftOut {
    /// Those of 0 or below, on a logarithmic axis.
    below: usize,
    /// Those that are too large for any axis.
    large: usize,
    /// Those that have a place on the axis, but beyond its ends.
    outside: usize,
}

impl LeftOut {
    /// Of values along an axis with these ends.
    pub fn of(axis: &Axis, ends: Ends, values: impl Iterator<Item = f64>) -> Self {
        let mut all = Self::default();
        for value in values {
            if axis.shows(value) {
                all.outside += usize::from(!ends.hold(value));
            } else {
                all.add(axis, value);
            }
        }
        all
    }

    /// Of points at two axes with these ends; a point beyond an end counts once.
    pub(crate) fn of_points(
        points: impl Iterator<Item = (f64, f64)>,
        axes: (&Axis, &Axis),
        ends: (Ends, Ends),
    ) -> Self {
        let mut all = Self::default();
        for (x, y) in points {
            if axes.0.shows(x) && axes.1.shows(y) {
                all.outside += usize::from(!(ends.0.hold(x) && ends.1.hold(y)));
            } else if ends.0.hold(x) {
                all.add(axes.0, x);
                all.add(axes.1, y);
            }
        }
        all
    }

    /// A value without a place on an axis counts, unless it is no number.
    fn add(&mut self, axis: &Axis, value: f64) {
        self.below += usize::from(axis.scale == Scale::Log && usable(value) && !axis.shows(value));
        self.large += usize::from(value.abs() >= LARGEST);
    }

    /// What the picture says of them.
    #[must_use]
    pub fn notes(self) -> Vec<String> {
        let (one, several) = ("has no place on", "have no place on");
        let below = counted(self.below, " of 0 or below", (one, several), "a logarithmic axis");
        let large = counted(self.large, " of a size of 1e100 or more", (one, several), "an axis");
        let outside = counted(self.outside, "", ("lies", "lie"), "outside of the picture");
        [below, large, outside].into_iter().flatten().collect()
    }

    /// What stands in a picture that shows none of its values.
    pub(crate) const fn reason(self) -> &'static str {
        if self.outside > 0 { "all values lie outside of the picture" } else { "no data" }
    }
}

fn counted(count: usize, which: &str, (one, several): (&str, &str), place: &str) -> Option<String> {
    match count {
        0 => None,
        1 => Some(format!("1 value{which} {one} {place}")),
        _ => Some(format!("{count} values{which} {several} {place}")),
    }
}
