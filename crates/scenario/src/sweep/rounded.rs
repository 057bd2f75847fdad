//! Values of a sweep as people read them: those that were computed have as many digits as tell them apart, and no more.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use super::axis::{AxisValue, label};
use crate::canonical::{base_value, kind};
use hetsim_text::{Node, Value};

/// The fewest significant digits of a value that was rounded, and the most.
const DIGITS: std::ops::RangeInclusive<usize> = 4..=12;

/// Of more values than these, nobody tells one from the next by its digits.
const MOST_TOLD_APART: usize = 100;

/// What each value of a key is called where people read it, where it is known which of them were computed.
pub(super) fn all(schema: &Json, values: &[AxisValue], computed: &[bool]) -> Vec<String> {
    let with = |digits: usize| -> Vec<String> {
        let shown = |(value, &computed): (&AxisValue, &bool)| {
            let node = value.node.as_ref().filter(|_| computed);
            node.and_then(|node| rounded(schema, node, &value.label, digits)).unwrap_or_else(|| value.label.clone())
        };
        values.iter().zip(computed).map(shown).collect()
    };
    let least = with(*DIGITS.start());
    let computed = computed.iter().filter(|computed| **computed).count();
    if computed == 0 || computed > MOST_TOLD_APART {
        return least;
    }
    let different = |texts: &[String]| texts.iter().collect::<BTreeSet<_>>().len();
    let labels: BTreeSet<&str> = values.iter().map(|value| value.label.as_str()).collect();
    let enough = DIGITS.map(with).find(|texts| different(texts) == labels.len());
    enough.unwrap_or_else(|| with(*DIGITS.end()))
}

/// A value in so many digits with its unit; `None` if it has no more digits.
fn rounded(schema: &Json, node: &Node, written: &str, digits: usize) -> Option<String> {
    let number = |value: f64| format!("{value:.*e}", digits - 1).parse::<f64>().ok();
    match &node.value {
        _ if significant_digits(written) <= digits => None,
        Value::Text(text) => in_few_digits(schema, number(base_value(schema, text)?.ok()?)?),
        Value::Float(value) => Some(label(&Node { value: Value::Float(number(*value)?), place: node.place.clone() })),
        _ => None,
    }
}

/// Prefixes of units, largest first.
const PREFIXES: [(f64, &str); 9] =
    [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "u"), (1e-9, "n"), (1e-12, "p")];

/// A quantity that was rounded, with the prefix that leaves one to three digits before the point.
fn in_few_digits(schema: &Json, value: f64) -> Option<String> {
    let kind = kind(schema)?;
    // Sizes have binary units as well.
    if kind.is_whole {
        return kind.write(value).ok();
    }
    let unit = kind.unit;
    let largest = if unit.starts_with('s') { 1.0 } else { f64::INFINITY };
    let fits = |&&(factor, _): &&(f64, &str)| factor <= largest && value >= factor * (1.0 - 1e-9);
    let (factor, prefix) = PREFIXES.iter().find(fits)?;
    // Twelve digits leave out what the division added.
    let number: f64 = format!("{:.11e}", value / factor).parse().ok()?;
    Some(format!("{number}{prefix}{unit}"))
}

/// How many digits a number has, but for zeros before the first other one, and its exponent.
fn significant_digits(text: &str) -> usize {
    let number = text.split(|c: char| !(c.is_ascii_digit() || ".-+".contains(c))).next().unwrap_or_default();
    number.trim_start_matches(|c: char| "0.-+".contains(c)).chars().filter(char::is_ascii_digit).count()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::axis::Change;
    use super::*;
    use hetsim_base::record::Value as Cell;

    fn shown(schema: &Json, values: &[Value]) -> Vec<String> {
        let value = |value: &Value| {
            let node = Node { value: value.clone(), place: crate::Place::default() };
            let (label, shown, change) = (label(&node), String::new(), Change::default());
            AxisValue { label, shown, cell: Cell::Blank, node: Some(node), absent: false, change, zipped: Vec::new() }
        };
        all(schema, &values.iter().map(value).collect::<Vec<_>>(), &vec![true; values.len()])
    }

    #[test]
    fn computed_values_are_rounded_and_keep_their_unit() {
        let text = |text: &str| Value::Text(text.to_owned());
        let duration = json!({ "format": "duration" });
        assert_eq!(shown(&duration, &[text("10.0361817467us"), text("9930262.13168ns")]), ["10.04us", "9.93ms"]);
        let bandwidth = json!({ "format": "bandwidth" });
        assert_eq!(shown(&bandwidth, &[text("12583556.532B/s"), text("1242744061.91B/s")]), ["12.58MB/s", "1.243GB/s"]);
        let size = json!({ "format": "size" });
        assert_eq!(shown(&size, &[text("512KiB"), text("1234567B")]), ["512KiB", "1235kB"]);
        let number = json!({ "type": "number" });
        assert_eq!(shown(&number, &[Value::Float(0.000_144_048_826_769)]), ["0.000144"]);
        assert_eq!(shown(&number, &[Value::Float(0.25), Value::Integer(123_456)]), ["0.25", "123456"]);
    }

    /// Two values are never called alike where they are few.
    #[test]
    fn as_many_digits_as_tell_values_apart() {
        let number = json!({ "type": "number" });
        let values = [Value::Float(1.000_010_05), Value::Float(1.000_020_05)];
        assert_eq!(shown(&number, &values), ["1.00001", "1.00002"]);
        let many: Vec<Value> = (0..200).map(|index| Value::Float(1.0 + f64::from(index) * 1.000_001e-7)).collect();
        assert!(shown(&number, &many).iter().all(|shown| shown == "1"));
    }
}
