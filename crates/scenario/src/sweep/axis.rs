//! Swept keys and their values.

use serde_json::Value as Json;

use crate::canonical::base_value;
use crate::fingerprint::Fingerprint;
use hetsim_base::record::Value as Cell;
use hetsim_text::{Node, Place, Value};

/// The key and the column of the numbers of a design's points.
pub(super) const POINT: &str = "point";

/// A swept key.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// The dotted key.
    pub key: String,
    /// The name of its column: the last part of the key, or the whole key if that part is ambiguous.
    pub name: String,
    /// The format of its values (`size`, `duration`, …) if they are quantities.
    pub format: Option<String>,
    /// Its values in the order of the scenario; the base value is last if some sweep leaves the key out.
    pub values: Vec<AxisValue>,
    /// Whether some sweep goes through it as a range with `scale = "log"`.
    pub logarithmic: bool,
}

impl Axis {
    /// The numbers of the axes that a sweep zips with this one; some maybe several times.
    pub fn partners(&self) -> impl Iterator<Item = usize> {
        self.values.iter().flat_map(|value| value.zipped.iter().flatten().map(|(axis, _)| *axis))
    }
}

/// A value of a swept key.
#[derive(Debug, Clone, PartialEq)]
pub struct AxisValue {
    /// Its text in the scenario: a name, a number, `"8KiB"`.
    pub label: String,
    /// Its text for people: the same, but rounded if the value was computed.
    pub shown: String,
    /// Its cell in a CSV: quantities are in their base unit.
    pub cell: Cell,
    /// The node that it puts into the scenario; `None` for the base value and for the number of a design's point.
    pub node: Option<Node>,
    /// Whether it takes the key out of the scenario: `"none"` for an optional key.
    pub absent: bool,
    /// The change of the run's identity.
    pub change: Change,
    /// The values of other keys that a sweep zips with it: the numbers of an axis and of a value there, once for each
    /// place where it stands in a zip.
    pub zipped: Vec<Vec<(usize, usize)>>,
}

impl AxisValue {
    /// Puts the value under a dotted path of a table, or removes the value there.
    ///
    /// # Errors
    /// A sentence about the part of the path that does not exist.
    pub(crate) fn put(&self, table: &mut Node, path: &str) -> Result<(), String> {
        match &self.node {
            Some(_) if self.absent => table.remove(path),
            Some(node) => table.set(path, node.clone())?,
            None => {}
        }
        Ok(())
    }
}

/// The change of the base's fingerprint by a value.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Change {
    pub(super) without: Fingerprint,
    pub(super) with: Fingerprint,
}

impl Change {
    /// The fingerprint after the change.
    #[must_use]
    pub const fn apply(self, base: Fingerprint) -> Fingerprint {
        base.without(self.without).with(self.with)
    }
}

/// Names each column by the last part of its key, unless two columns would have that name.
pub(super) fn name(axes: &mut [Axis]) {
    let last = |key: &str| key.rsplit('.').next().unwrap_or(key).to_owned();
    let names: Vec<String> = axes.iter().map(|axis| last(&axis.key)).collect();
    for (axis, name) in axes.iter_mut().zip(&names) {
        let reserved = ["run", "replica", "seed", "n", POINT].contains(&name.as_str());
        let unique = names.iter().filter(|other| *other == name).count() == 1;
        axis.name = if unique && !reserved { name.clone() } else { axis.key.clone() };
    }
}

/// The text of a value in a scenario.
pub(super) fn label(node: &Node) -> String {
    match &node.value {
        Value::Text(text) => text.clone(),
        Value::Float(number) => Cell::from(*number).to_string(),
        other => Node { value: other.clone(), place: Place::default() }.to_json().to_string(),
    }
}

/// The cell of a value in a CSV.
pub(super) fn cell(schema: &Json, label: &str, node: &Node) -> Cell {
    match &node.value {
        Value::Integer(number) if *number >= 0 => Cell::Count(*number as u64),
        Value::Integer(number) => Cell::Number(*number as f64),
        Value::Float(number) => Cell::Number(*number),
        Value::Text(text) => match base_value(schema, text) {
            Some(Ok(base)) if base.fract() == 0.0 && base < 9e15 => Cell::Count(base as u64),
            Some(Ok(base)) => Cell::Number(base),
            _ => Cell::Text(label.to_owned()),
        },
        _ => Cell::Text(label.to_owned()),
    }
}

/// The text that tells a value from the others of its axis: its name, or a quantity in its base unit.
pub(super) fn told_apart_by(label: &str, cell: &Cell) -> String {
    cell.number().map_or_else(|| label.to_owned(), |number| format!("\0{number:e}"))
}
