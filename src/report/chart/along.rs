//! Swept keys along the axes of charts.

use std::collections::{BTreeMap, HashMap};

use super::keys::Shown;
use crate::report::results::Results;
use crate::report::text::{Kind, axis_texts, heading, kind};
use crate::scenario::{Axis, AxisValue, Scalar};
use hetsim_chart::axis::{Axis as ChartAxis, Scale};

/// A swept key along an axis of a chart, with those of its values that the chart shows.
pub(super) struct Along {
    pub(super) axis: usize,
    /// The numbers of the values.
    pub(super) values: Vec<usize>,
    /// What they are called.
    pub(super) names: Vec<String>,
    /// Whether they are numbers, or names in a row.
    pub(super) numeric: bool,
    /// Where each value stands in the row.
    places: HashMap<usize, usize>,
}

/// The scale of the axis of a swept key, where the chart gives none.
pub(super) const fn own_scale(swept: &Axis) -> Scale {
    if swept.logarithmic { Scale::Log } else { Scale::Linear }
}

impl Along {
    pub(super) fn new(results: &Results<'_>, shown: Shown<'_>, name: &str) -> Self {
        let axis = results.axis(name).unwrap_or_default();
        let values = results.used(&results.matching(&shown.common.filter), axis);
        let swept = &results.scenario().axes[axis];
        let numeric = values.iter().all(|&value| swept.values[value].cell.number().is_some());
        let all = named(shown.names, swept);
        let names = values.iter().map(|&value| all[value].clone()).collect();
        let places = values.iter().enumerate().map(|(place, &value)| (value, place)).collect();
        Self { axis, values, names, numeric, places }
    }

    pub(super) fn label(&self, results: &Results<'_>, given: Option<&String>) -> String {
        given.cloned().unwrap_or_else(|| heading(&results.scenario().axes[self.axis].name))
    }

    pub(super) fn chart_axis(&self, results: &Results<'_>, label: Option<&String>, scale: Option<Scale>) -> ChartAxis {
        let swept = &results.scenario().axes[self.axis];
        let own = if self.numeric { own_scale(swept) } else { Scale::Linear };
        let scale = scale.unwrap_or(own);
        let numbers = || kind("", swept.format.as_deref());
        let kind = if self.numeric { numbers() } else { Kind::Category(self.names.clone()) };
        ChartAxis { label: self.label(results, label), scale, kind }
    }

    /// The place of a point: its number, or where its name stands in the row.
    pub(super) fn place(&self, results: &Results<'_>, point: usize) -> f64 {
        if self.numeric {
            return results.value(point, self.axis).cell.number().unwrap_or(f64::NAN);
        }
        self.index(results, point).map_or(f64::NAN, |place| place as f64)
    }

    /// Where the value of a point stands in the row.
    pub(super) fn index(&self, results: &Results<'_>, point: usize) -> Option<usize> {
        self.places.get(&(results.scenario().points.choice(point, self.axis))).copied()
    }

    /// Those of some points that have each value of the row.
    pub(super) fn members(&self, results: &Results<'_>, points: &[usize]) -> Vec<Vec<usize>> {
        let mut members = vec![Vec::new(); self.values.len()];
        for &point in points {
            if let Some(place) = self.index(results, point) {
                members[place].push(point);
            }
        }
        members
    }

    /// Where a value that a scenario writes stands in the row.
    pub(super) fn row_of(&self, results: &Results<'_>, written: &Scalar) -> Option<f64> {
        let swept = &results.scenario().axes[self.axis];
        self.values.iter().position(|&value| swept.is(&swept.values[value], written)).map(|place| place as f64)
    }

    /// The place of a value that a scenario writes.
    pub(super) fn place_of(&self, results: &Results<'_>, written: &Scalar) -> Option<f64> {
        let swept = &results.scenario().axes[self.axis];
        if self.numeric {
            return swept.number_of(written);
        }
        self.row_of(results, written)
    }
}

/// What the values of a swept key are called in a chart.
pub(super) fn named(names: &BTreeMap<String, String>, axis: &Axis) -> Vec<String> {
    let name =
        |(value, text)| given(names, axis, value).and_then(|written| names.get(written)).cloned().unwrap_or(text);
    axis.values.iter().zip(axis_texts(axis)).map(name).collect()
}

/// The entry of a chart's `names` that is of this value.
pub(super) fn given<'a>(names: &'a BTreeMap<String, String>, axis: &Axis, value: &AxisValue) -> Option<&'a String> {
    names.keys().find(|written| axis.is(value, &Scalar::Text((*written).clone())))
}
