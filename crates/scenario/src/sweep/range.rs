//! Ranges of a sweep, `{ from, to, steps, scale }`: as a list of values, or as what a design takes its values from.

use serde_json::Value as Json;

use crate::canonical::{base_value, in_unit};
use crate::meant_unit::unit_help;
use hetsim_text::{Node, Place, Problem, Value};

/// How a range is gone through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scale {
    /// Equal steps.
    Linear,
    /// Equal factors.
    Log,
}

/// A range of a key that is a quantity or a number; quantities keep a unit, whole numbers stay whole.
#[derive(Debug)]
pub(crate) struct Range<'a> {
    schema: &'a Json,
    place: Place,
    from: f64,
    to: f64,
    scale: Scale,
    /// Whether the values are whole numbers, such as nodes or bytes.
    whole: bool,
}

impl<'a> Range<'a> {
    /// Reads a range of the key at `path`, but for its `steps`.
    ///
    /// # Errors
    /// What is missing, unknown, or does not fit the key.
    pub(super) fn read(schema: &'a Json, path: &str, node: &Node) -> Result<Self, Problem> {
        Self::of(schema, path, node, (["from", "to"], &["steps", "scale"]))
    }

    /// Reads a range of the key at `path` between the values of two keys, without steps.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub(crate) fn read_between(schema: &'a Json, path: &str, node: &Node, ends: [&str; 2]) -> Result<Self, Problem> {
        Self::of(schema, path, node, (ends, &["scale"]))
    }

    fn of(schema: &'a Json, path: &str, node: &Node, (ends, others): ([&str; 2], &[&str])) -> Result<Self, Problem> {
        let is_known = |key: &str| ends.contains(&key) || others.contains(&key);
        if let Some(entry) = node.entries().iter().find(|entry| !is_known(&entry.key)) {
            let message = format!("unknown key `{}` in a range", entry.key);
            let known = [&ends, others].concat().join(", ");
            return Err(Problem::at(&entry.place, message).with_help(format!("expected one of: {known}")));
        }
        let end = |key: &str| end(schema, path, node, key);
        let (from, to) = (end(ends[0])?, end(ends[1])?);
        let scale = match node.get("scale").map(|scale| (scale.text(), &scale.place)) {
            None | Some((Some("linear"), _)) => Scale::Linear,
            Some((Some("log"), _)) => Scale::Log,
            Some((_, place)) => return Err(Problem::at(place, "`scale` is \"linear\" or \"log\"")),
        };
        if scale == Scale::Log && !(from > 0.0 && to > 0.0) {
            return Err(Problem::at(&node.place, "a logarithmic range starts and ends above zero"));
        }
        let whole = schema.get("type").is_some_and(|kind| kind == "integer") || schema["format"] == "size";
        if whole && (from.fract() != 0.0 || to.fract() != 0.0) {
            return Err(Problem::at(&node.place, "a range of whole numbers starts and ends at one"));
        }
        Ok(Self { schema, place: node.place.clone(), from, to, scale, whole })
    }

    /// The values of a range with `steps`, each once.
    ///
    /// # Errors
    /// `steps` is missing or invalid.
    pub(super) fn steps(&self, node: &Node) -> Result<Vec<Node>, Problem> {
        let steps = match node.get("steps").map(|steps| (&steps.value, &steps.place)) {
            Some((Value::Integer(steps), _)) if (2..=1_000_000).contains(steps) => *steps as usize,
            Some((_, place)) => return Err(Problem::at(place, "`steps` must be a whole number from 2 to 1000000")),
            None => {
                let problem = Problem::at(&node.place, "a range needs `steps`, how many values it has");
                return Err(problem.with_help("or give the sweep a `design`, which chooses values from the range"));
            }
        };
        let values = (0..steps).map(|step| match step {
            // The ends are exactly what was written.
            0 => self.node(self.from),
            _ if step == steps - 1 => self.node(self.to),
            _ => self.node(self.between(step as f64 / (steps - 1) as f64, self.from, self.to)),
        });
        let mut values: Vec<_> = values.collect();
        // Rounding to whole numbers may give a value twice.
        values.dedup();
        Ok(values)
    }

    /// Whether values can be drawn from the range, whose ends have these keys; `what` is what draws them.
    ///
    /// # Errors
    /// A range of a single value, or from the greatest value to the least.
    pub(crate) fn is_drawable(&self, what: &str, ends: [&str; 2]) -> Result<(), Problem> {
        if self.from == self.to {
            return Err(Problem::at(&self.place, format!("a range that {what} from has more than one value")));
        }
        if self.from > self.to {
            let [low, high] = ends;
            return Err(Problem::at(&self.place, format!("the range has `{low}` above `{high}`")));
        }
        Ok(())
    }

    /// The value that a design's coordinate from 0 to 1 stands for. Each of several whole numbers, those at the ends
    /// included, has an equal share of the coordinates (of their logarithms' length on a logarithmic scale).
    pub(crate) fn at(&self, coordinate: f64) -> Node {
        self.node(self.number_at(coordinate))
    }

    fn number_at(&self, coordinate: f64) -> f64 {
        if !self.whole {
            return self.between(coordinate, self.from, self.to);
        }
        // Rounding to the nearest would leave half a share to either end.
        let (low, high) = (self.from.min(self.to), self.from.max(self.to));
        let upwards = if self.from <= self.to { coordinate } else { 1.0 - coordinate };
        self.between(upwards, low, high + 1.0).floor().clamp(low, high)
    }

    /// How far along the range the value of a coordinate lies, from 0 to 1: where it is a whole number, not at the
    /// coordinate itself.
    pub(super) fn part(&self, coordinate: f64) -> f64 {
        let value = self.number_at(coordinate);
        match self.scale {
            _ if !self.whole => coordinate,
            Scale::Linear => (value - self.from) / (self.to - self.from),
            Scale::Log => (value / self.from).ln() / (self.to / self.from).ln(),
        }
    }

    /// The value at a part of the way from one end to the other, which may lie beyond them.
    pub(crate) fn beyond(&self, part: f64) -> Node {
        self.node(self.between(part, self.from, self.to))
    }

    /// What tells it from other ranges of the same key.
    pub(crate) fn identity(&self) -> String {
        format!("{:e} {:e} {:?}", self.from, self.to, self.scale)
    }

    fn between(&self, part: f64, from: f64, to: f64) -> f64 {
        match self.scale {
            Scale::Linear => from + (to - from) * part,
            Scale::Log => from * (to / from).powf(part),
        }
    }

    /// A value as the scenario would write it.
    fn node(&self, value: f64) -> Node {
        // Twelve digits leave out what the arithmetic added to a round number.
        let value = if self.whole { value.round() } else { format!("{value:.11e}").parse().unwrap_or(value) };
        let value = match in_unit(self.schema, value) {
            Some(text) => Value::Text(text),
            None if self.whole => Value::Integer(value as i64),
            None => Value::Float(value),
        };
        Node { value, place: self.place.clone() }
    }
}

/// `from` or `to` in the key's base unit.
fn end(schema: &Json, path: &str, node: &Node, key: &str) -> Result<f64, Problem> {
    let end = node.get(key).ok_or_else(|| Problem::at(&node.place, format!("a range needs `{key}`")))?;
    let quantity = base_value(schema, "").is_some();
    match &end.value {
        Value::Integer(_) | Value::Float(_) if quantity => {
            let format = schema["format"].as_str().unwrap_or_default();
            let help = schema["examples"][0].as_str().map(|example| format!("a {format} looks like \"{example}\""));
            let problem = Problem::at(&end.place, format!("`{key}` needs a unit"));
            Err(Problem { help, ..problem.labelled("no unit") })
        }
        Value::Integer(number) => Ok(*number as f64),
        Value::Float(number) if number.is_finite() => Ok(*number),
        Value::Text(text) => match base_value(schema, text) {
            Some(base) => base.map_err(|error| {
                let help = unit_help(text, &error);
                Problem { help, ..Problem::at(&end.place, error.to_string()) }
            }),
            None => Err(Problem::at(&end.place, format!("`{path}` takes no ranges"))),
        },
        _ => Err(Problem::at(&end.place, format!("`{key}` must be a number or a quantity"))),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn range(schema: &Json, from: f64, to: f64, scale: Scale) -> Range<'_> {
        let whole = schema["type"] == "integer";
        Range { schema, place: Place::default(), from, to, scale, whole }
    }

    fn counts(range: &Range<'_>, coordinates: u32) -> Vec<(i64, u32)> {
        let mut counts = std::collections::BTreeMap::new();
        for number in 0..coordinates {
            let Value::Integer(value) = range.at((f64::from(number) + 0.5) / f64::from(coordinates)).value else {
                panic!("a whole number");
            };
            *counts.entry(value).or_insert(0) += 1;
        }
        counts.into_iter().collect()
    }

    #[test]
    fn whole_numbers_have_equal_shares_at_both_ends() {
        let integer = json!({ "type": "integer" });
        let upwards = range(&integer, 2.0, 5.0, Scale::Linear);
        assert_eq!(counts(&upwards, 4000), [(2, 1000), (3, 1000), (4, 1000), (5, 1000)]);
        assert_eq!(upwards.at(0.0).value, Value::Integer(2));
        assert_eq!(upwards.at(1.0).value, Value::Integer(5));
        let downwards = range(&integer, 5.0, 2.0, Scale::Linear);
        assert_eq!(counts(&downwards, 4000), counts(&upwards, 4000));
        assert_eq!((downwards.at(0.0).value, downwards.at(1.0).value), (Value::Integer(5), Value::Integer(2)));
        assert!(upwards.is_drawable("a design chooses", ["from", "to"]).is_ok());
        assert!(downwards.is_drawable("a design chooses", ["from", "to"]).is_err());
        assert_eq!(counts(&range(&integer, -1.0, 1.0, Scale::Linear), 3000), [(-1, 1000), (0, 1000), (1, 1000)]);
    }

    #[test]
    fn on_a_logarithmic_scale_a_whole_number_has_the_length_of_its_logarithm() {
        let integer = json!({ "type": "integer" });
        let log = range(&integer, 1.0, 7.0, Scale::Log);
        // 1, 2–3 and 4–7 are a third of the range each.
        let counts = counts(&log, 3000);
        let share = |from: i64, to: i64| -> u32 {
            counts.iter().filter(|(value, _)| (from..=to).contains(value)).map(|(_, count)| count).sum()
        };
        assert_eq!([share(1, 1), share(2, 3), share(4, 7)], [1000, 1000, 1000]);
        assert_eq!((log.at(0.0).value, log.at(1.0).value), (Value::Integer(1), Value::Integer(7)));
    }

    #[test]
    fn quantities_keep_a_unit() {
        let duration = json!({ "type": "string", "format": "duration" });
        let linear = range(&duration, 1e-6, 1e-3, Scale::Linear);
        assert_eq!(linear.at(0.5).value, Value::Text("500.5us".to_owned()));
        let log = range(&duration, 1e-6, 1e-2, Scale::Log);
        assert_eq!(
            [0.0, 0.25, 0.5, 1.0].map(|at| log.at(at).value),
            ["1us", "10us", "100us", "10ms"].map(|text| { Value::Text(text.to_owned()) })
        );
        let number = json!({ "type": "number" });
        assert_eq!(range(&number, 0.0, 3.0, Scale::Linear).at(0.1).value, Value::Float(0.3));
    }
}
