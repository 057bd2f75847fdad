//! The points that a table of a scenario is about: axes and their values as it writes them.

use super::scalar::{Choice, Scalar, Where};
use super::sweep::{Axis, AxisValue, Choices};
use hetsim_base::record::Value as Cell;
use hetsim_base::units::QuantityKind;

/// Which values of some axes are let through: what is written is compared with each value once, not at each point.
#[derive(Debug, Clone)]
pub struct Filter(Vec<(usize, Vec<bool>)>);

impl Filter {
    /// As written for these axes; keys that don't exist are not looked at.
    #[must_use]
    pub fn new(axes: &[Axis], written: &Where) -> Self {
        let conditions = written.iter().filter_map(|(key, choice)| {
            let number = axis_number(axes, key)?;
            let is_chosen = |value| axes[number].is_chosen(value, choice);
            Some((number, (0..axes[number].values.len()).map(is_chosen).collect()))
        });
        Self(conditions.collect())
    }

    /// Whether a point is one of them.
    #[must_use]
    pub fn lets_through(&self, point: &Choices) -> bool {
        self.0.iter().all(|(axis, chosen)| chosen[point[*axis] as usize])
    }
}

/// The number of the axis that a name means: a column's name, the whole dotted key, or several of its last parts.
#[must_use]
pub fn axis_number(axes: &[Axis], name: &str) -> Option<usize> {
    let number = axes.iter().position(|axis| axis.name == name || axis.key == name);
    // A last part alone is a column's name already, unless that is another column's.
    number.or_else(|| match ending_in(axes, name)[..] {
        [number] if name.contains('.') => Some(number),
        _ => None,
    })
}

/// The numbers of the axes whose keys end in these parts.
pub(super) fn ending_in(axes: &[Axis], name: &str) -> Vec<usize> {
    let ends = |axis: &Axis| axis.key.strip_suffix(name).is_some_and(|rest| rest.ends_with('.'));
    (0..axes.len()).filter(|&number| ends(&axes[number])).collect()
}

/// The axis that a name means.
#[must_use]
pub fn find_axis<'a>(axes: &'a [Axis], name: &str) -> Option<&'a Axis> {
    axis_number(axes, name).map(|number| &axes[number])
}

impl Axis {
    /// Whether a value of this axis, by its number, is one that a filter lets through.
    #[must_use]
    pub fn is_chosen(&self, value: usize, choice: &Choice) -> bool {
        let value = &self.values[value];
        match choice {
            Choice::One(scalar) => self.is(value, scalar),
            Choice::Any(scalars) => is_list(value, scalars) || scalars.iter().any(|scalar| self.is(value, scalar)),
        }
    }

    /// The one value that a choice written as a list means, where the values of this axis are lists.
    #[must_use]
    pub fn list(&self, choice: &Choice) -> Option<&AxisValue> {
        let Choice::Any(scalars) = choice else { return None };
        self.values.iter().find(|value| is_list(value, scalars))
    }

    /// Whether all values of this axis are numbers.
    #[must_use]
    pub fn is_numeric(&self) -> bool {
        self.values.iter().all(|value| value.cell.number().is_some())
    }

    /// The number that a scenario means by this along an axis of numbers, whether it is one of the axis' values or not.
    #[must_use]
    pub fn number_of(&self, written: &Scalar) -> Option<f64> {
        match written {
            Scalar::Number(number) => Some(*number),
            Scalar::Boolean(_) => None,
            Scalar::Text(text) => {
                let base = self.base(text);
                let named = || self.values.iter().find(|value| self.is(value, written));
                base.or_else(|| named().and_then(|value| value.cell.number()))
            }
        }
    }

    /// Whether a value of this axis is the one that a scenario writes so: `"8KiB"` and `8192` mean the same size.
    #[must_use]
    pub fn is(&self, value: &AxisValue, written: &Scalar) -> bool {
        match (written, &value.cell) {
            (Scalar::Number(number), cell) => cell.number() == Some(*number),
            (Scalar::Boolean(truth), cell) => *cell == Cell::Text(truth.to_string()),
            (Scalar::Text(text), Cell::Text(name)) => text == name,
            (Scalar::Text(text), cell) => {
                *text == value.label || (self.base(text).is_some() && self.base(text) == cell.number())
            }
        }
    }

    /// The value of a quantity of this axis in its base unit.
    fn base(&self, text: &str) -> Option<f64> {
        QuantityKind::named(self.format.as_deref()?)?.read(text).ok()
    }
}

/// Whether a value is the list of these.
fn is_list(value: &AxisValue, items: &[Scalar]) -> bool {
    value.label.starts_with('[') && serde_json::from_str::<Vec<Scalar>>(&value.label).is_ok_and(|list| list == items)
}
