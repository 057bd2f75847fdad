//! `[sweep]`: what varies, and the points that come of it.
//!
//! A sweep is a table of dotted keys. A key's value may be a list, a range (`{ from, to, steps, scale }`), or a table of
//! named alternatives; a key given several sweeps with `[[sweep]]` has its base value in those that leave it out. `zip`
//! lists groups of keys that go through their values together.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use super::check::{Checker, advise_path, base_value};
use super::file::Scale;
use super::identity::Fingerprint;
use super::node::{Node, Value};
use super::problem::{Place, Problem};
use crate::record::Value as Cell;

/// A swept key.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// The dotted key.
    pub key: String,
    /// Its column: the last part of the key, or all of it where that is ambiguous.
    pub name: String,
    /// The format of its values (`size`, `duration`, …) where they are quantities.
    pub format: Option<String>,
    /// Its values in the order of the scenario, the base value last where some sweep leaves the key out.
    pub values: Vec<AxisValue>,
}

/// A value of a swept key.
#[derive(Debug, Clone, PartialEq)]
pub struct AxisValue {
    /// As the scenario writes it: a name, a number, `"8KiB"`.
    pub label: String,
    /// As a CSV holds it: quantities in their base unit.
    pub cell: Cell,
    /// What it puts into the scenario; nothing for the base value.
    pub node: Option<Node>,
    /// The change of the run's identity.
    pub change: Change,
}

/// What a value does to the fingerprint of the base.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Change {
    without: Fingerprint,
    with: Fingerprint,
}

impl Change {
    /// The fingerprint after the change.
    #[must_use]
    pub const fn apply(self, base: Fingerprint) -> Fingerprint {
        base.without(self.without).with(self.with)
    }
}

/// A point: for each axis, the number of its value.
pub type Choices = Vec<usize>;

/// All axes, and the points in their order.
#[derive(Debug, Clone, Default)]
pub struct Sweep {
    /// The swept keys, in the order of the scenario.
    pub axes: Vec<Axis>,
    /// The points, without repetition.
    pub points: Vec<Choices>,
}

/// More points than anyone means.
const MOST_POINTS: usize = 10_000_000;

/// One `[[sweep]]`: groups of keys that go together, each key with its values.
type Groups = Vec<Vec<(String, Place, Vec<(String, Node)>)>>;

/// Reads the sweeps of a scenario.
///
/// # Errors
/// Keys that do not exist, values that do not fit their key, ranges and zips that make no sense.
pub fn read(
    scenario: &Node,
    schema: &Json,
    base: &[super::check::Leaf],
    sources: &[super::problem::Source],
) -> Result<Sweep, Vec<Problem>> {
    let tables: Vec<&Node> = match scenario.get("sweep") {
        None => return Ok(Sweep { axes: Vec::new(), points: vec![Vec::new()] }),
        Some(node) => match &node.value {
            Value::Array(tables) => tables.iter().collect(),
            _ => vec![node],
        },
    };
    let mut problems = Vec::new();
    let mut reader = Reader { scenario, schema, base, sources, axes: Vec::new(), problems: &mut problems };
    let sweeps: Vec<Groups> = tables.iter().map(|table| reader.groups(table)).collect();
    for groups in &sweeps {
        for (key, place, values) in groups.iter().flatten() {
            reader.add(key, place, values);
        }
    }
    let mut axes = reader.axes;
    name(&mut axes);
    nested(&axes, &tables, &mut problems);
    if !problems.is_empty() {
        return Err(problems);
    }
    let places: Vec<Place> = tables.iter().map(|table| table.place.clone()).collect();
    let points = expand(&sweeps, &mut axes, scenario, &places)?;
    Ok(Sweep { axes, points })
}

struct Reader<'a> {
    scenario: &'a Node,
    schema: &'a Json,
    base: &'a [super::check::Leaf],
    sources: &'a [super::problem::Source],
    axes: Vec<Axis>,
    problems: &'a mut Vec<Problem>,
}

impl Reader<'_> {
    fn groups(&mut self, table: &Node) -> Groups {
        let mut zipped: Vec<Vec<String>> = Vec::new();
        if let Some(Node { value: Value::Array(groups), .. }) = table.get("zip") {
            for group in groups {
                let Value::Array(keys) = &group.value else { continue };
                zipped.push(keys.iter().filter_map(|key| key.text().map(str::to_owned)).collect());
                for key in keys {
                    if table.entries().iter().all(|entry| Some(entry.key.as_str()) != key.text()) {
                        self.problems.push(Problem::at(&key.place, "`zip` names keys that stand in the same sweep"));
                    }
                }
            }
        } else if let Some(zip) = table.get("zip") {
            self.problems.push(
                Problem::at(&zip.place, "`zip` must be a list of groups of keys")
                    .with_help("write it as zip = [[\"platform.a\", \"workload.b\"]]"),
            );
        }
        let mut groups: Groups = Vec::new();
        let mut place_of_group: Vec<Option<usize>> = vec![None; zipped.len()];
        for (path, place, value) in leaves_of_table(table) {
            if path == "zip" {
                continue;
            }
            let values = self.values(&path, &place, &value);
            let zip = zipped.iter().position(|keys| keys.contains(&path));
            match zip.map(|zip| (zip, place_of_group[zip])) {
                Some((_, Some(group))) => {
                    let length = groups[group][0].2.len();
                    if values.len() != length {
                        let message = format!(
                            "zipped keys need equally many values: `{path}` has {}, `{}` has {length}",
                            values.len(),
                            groups[group][0].0
                        );
                        self.problems.push(Problem::at(&value.place, message));
                    }
                    groups[group].push((path, place, values));
                }
                Some((zip, None)) => {
                    place_of_group[zip] = Some(groups.len());
                    groups.push(vec![(path, place, values)]);
                }
                None => groups.push(vec![(path, place, values)]),
            }
        }
        groups
    }

    /// The values of a key, each with its label.
    fn values(&mut self, path: &str, place: &Place, value: &Node) -> Vec<(String, Node)> {
        let checker = Checker::new(self.schema, self.sources);
        let allowed = ["platform.", "workload."].iter().any(|part| path.starts_with(part));
        if !allowed || checker.schema_at(path, self.scenario).is_none() {
            let message = format!("the sweep varies `{path}`, which does not exist");
            let help = if allowed {
                advise_path(&checker, self.scenario, path)
            } else {
                "a sweep varies keys of `platform` and `workload`".to_owned()
            };
            self.problems.push(Problem::at(place, message).with_help(help));
            return Vec::new();
        }
        let values = match &value.value {
            Value::Array(items) => items.iter().map(|item| (label(item), item.clone())).collect(),
            Value::Table(_) if value.get("from").is_some() => match self.range(path, value) {
                Ok(values) => values,
                Err(problem) => {
                    self.problems.push(problem);
                    Vec::new()
                }
            },
            Value::Table(entries) => entries.iter().map(|e| (e.key.clone(), e.value.clone())).collect(),
            _ => {
                let help = "write a list, a range { from, to, steps }, or named alternatives { name = value }";
                self.problems.push(Problem::at(&value.place, format!("`{path}` needs several values")).with_help(help));
                return Vec::new();
            }
        };
        if values.is_empty() && !matches!(&value.value, Value::Table(_)) {
            self.problems.push(Problem::at(&value.place, format!("`{path}` has no values")));
        }
        values
    }

    /// `{ from, to, steps, scale }`; quantities keep a unit, whole numbers stay whole.
    fn range(&self, path: &str, node: &Node) -> Result<Vec<(String, Node)>, Problem> {
        let checker = Checker::new(self.schema, self.sources);
        let schema = checker.schema_at(path, self.scenario).unwrap_or(&Json::Null);
        if let Some(entry) = node.entries().iter().find(|e| !["from", "to", "steps", "scale"].contains(&e.key.as_str()))
        {
            let message = format!("unknown key `{}` in a range", entry.key);
            return Err(Problem::at(&entry.place, message).with_help("known are: from, to, steps, scale"));
        }
        let end = |key: &str| -> Result<f64, Problem> {
            let end = node.get(key).ok_or_else(|| Problem::at(&node.place, format!("a range needs `{key}`")))?;
            match &end.value {
                Value::Integer(number) => Ok(*number as f64),
                Value::Float(number) if number.is_finite() => Ok(*number),
                Value::Text(text) => match base_value(schema, text) {
                    Some(base) => base.map_err(|error| Problem::at(&end.place, error.to_string())),
                    None => Err(Problem::at(&end.place, format!("`{path}` takes no ranges"))),
                },
                _ => Err(Problem::at(&end.place, format!("`{key}` must be a number or a quantity"))),
            }
        };
        let (from, to) = (end("from")?, end("to")?);
        let steps = match node.get("steps").map(|steps| (&steps.value, &steps.place)) {
            Some((Value::Integer(steps), _)) if (2..=1_000_000).contains(steps) => *steps as usize,
            Some((_, place)) => return Err(Problem::at(place, "`steps` must be a whole number from 2 to 1000000")),
            None => return Err(Problem::at(&node.place, "a range needs `steps`, how many values it has")),
        };
        let scale = match node.get("scale").map(|scale| (scale.text(), &scale.place)) {
            None | Some((Some("linear"), _)) => Scale::Linear,
            Some((Some("log"), _)) => Scale::Log,
            Some((_, place)) => return Err(Problem::at(place, "`scale` is \"linear\" or \"log\"")),
        };
        if scale == Scale::Log && !(from > 0.0 && to > 0.0) {
            return Err(Problem::at(&node.place, "a logarithmic range starts and ends above zero"));
        }
        let whole = schema.get("type").is_some_and(|kind| kind == "integer") || schema["format"] == "size";
        let values = (0..steps).map(|step| {
            let part = step as f64 / (steps - 1) as f64;
            let value = match scale {
                // The ends are exactly what was written.
                _ if step == 0 => from,
                _ if step == steps - 1 => to,
                Scale::Linear => from + (to - from) * part,
                Scale::Log => from * (to / from).powf(part),
            };
            let value = if whole { value.round() } else { value };
            let value = match in_unit(schema, value) {
                Some(text) => Value::Text(text),
                None if whole => Value::Integer(value as i64),
                None => Value::Float(value),
            };
            let node = Node { value, place: node.place.clone() };
            (label(&node), node)
        });
        let mut values: Vec<_> = values.collect();
        // Rounding to whole numbers may give a value twice.
        values.dedup_by(|a, b| a.0 == b.0);
        Ok(values)
    }

    /// Adds the values of a key to its axis, each checked against the key's schema.
    fn add(&mut self, key: &str, place: &Place, values: &[(String, Node)]) {
        let mut checker = Checker::new(self.schema, self.sources);
        let Some(schema) = checker.schema_at(key, self.scenario) else { return };
        let under = |path: &str| path == key || path.strip_prefix(key).is_some_and(|rest| rest.starts_with('.'));
        let base: Vec<_> = self.base.iter().filter(|(path, _)| under(path)).cloned().collect();
        let without = Fingerprint::of(&base);
        let index = self.axes.iter().position(|axis| axis.key == key).unwrap_or_else(|| {
            let format = schema.get("format").and_then(Json::as_str).map(str::to_owned);
            let axis = Axis { key: key.to_owned(), name: key.to_owned(), format, values: Vec::new() };
            self.axes.push(axis);
            self.axes.len() - 1
        });
        for (label, node) in values {
            checker.leaves.clear();
            checker.check(node, schema, key);
            let with = Fingerprint::of(&checker.leaves);
            let cell = cell(schema, label, node);
            let axis = &mut self.axes[index];
            if axis.values.iter().any(|value| value.label == *label && value.node.as_ref() != Some(node)) {
                let twice = axis.values.iter().any(|value| value.label == *label && value.change.with != with);
                if twice {
                    let message = format!("two different values of `{key}` are called `{label}`");
                    self.problems.push(Problem::at(place, message));
                }
            }
            if !axis.values.iter().any(|value| value.label == *label) {
                let change = Change { without, with };
                axis.values.push(AxisValue { label: label.clone(), cell, node: Some(node.clone()), change });
            }
        }
        self.problems.append(&mut checker.problems);
    }
}

/// The entries of a sweep's table as dotted keys: `[sweep] "workload.size" = …` and `[sweep.workload] size = …` alike.
fn leaves_of_table(table: &Node) -> Vec<(String, Place, Node)> {
    let mut leaves = Vec::new();
    for entry in table.entries() {
        // A table is walked into only from a plain `platform` or `workload`; under a dotted key it is the value.
        if ["platform", "workload"].contains(&entry.key.as_str()) {
            descend(&entry.key, &entry.value, &mut leaves);
        } else {
            leaves.push((entry.key.clone(), entry.place.clone(), entry.value.clone()));
        }
    }
    leaves
}

fn descend(path: &str, node: &Node, leaves: &mut Vec<(String, Place, Node)>) {
    for entry in node.entries() {
        let path = format!("{path}.{}", entry.key);
        let is_value = !matches!(entry.value.value, Value::Table(_)) || entry.value.get("from").is_some();
        if is_value {
            leaves.push((path, entry.place.clone(), entry.value.clone()));
        } else {
            descend(&path, &entry.value, leaves);
        }
    }
}

/// A value in the shortest notation with a unit; nothing where the key is no quantity.
fn in_unit(schema: &Json, value: f64) -> Option<String> {
    use crate::units::{Bytes, BytesPerSecond, Operations, OperationsPerSecond, Quantity, Seconds, SecondsPerByte};
    fn show<Q: Quantity>(value: f64) -> Option<String> {
        Q::from_base(value).ok().map(|quantity| quantity.to_string())
    }
    match schema.get("format")?.as_str()? {
        Seconds::KIND => show::<Seconds>(value),
        Bytes::KIND => show::<Bytes>(value),
        BytesPerSecond::KIND => show::<BytesPerSecond>(value),
        SecondsPerByte::KIND => show::<SecondsPerByte>(value),
        OperationsPerSecond::KIND => show::<OperationsPerSecond>(value),
        Operations::KIND => show::<Operations>(value),
        _ => None,
    }
}

fn label(node: &Node) -> String {
    match &node.value {
        Value::Text(text) => text.clone(),
        Value::Float(number) => Cell::from(*number).to_string(),
        other => Node { value: other.clone(), place: Place::default() }.to_json().to_string(),
    }
}

fn cell(schema: &Json, label: &str, node: &Node) -> Cell {
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

/// Columns are called by the last part of their key, unless two would be called alike.
fn name(axes: &mut [Axis]) {
    let last = |key: &str| key.rsplit('.').next().unwrap_or(key).to_owned();
    let names: Vec<String> = axes.iter().map(|axis| last(&axis.key)).collect();
    for (axis, name) in axes.iter_mut().zip(&names) {
        let reserved = ["run", "replica", "seed"].contains(&name.as_str());
        let unique = names.iter().filter(|other| *other == name).count() == 1;
        axis.name = if unique && !reserved { name.clone() } else { axis.key.clone() };
    }
}

/// A key inside another swept key would make the order of the two matter.
fn nested(axes: &[Axis], tables: &[&Node], problems: &mut Vec<Problem>) {
    for inner in axes {
        if let Some(outer) = axes.iter().find(|outer| inner.key.starts_with(&format!("{}.", outer.key))) {
            let message = format!("`{}` lies within `{}`, which varies as well", inner.key, outer.key);
            problems.push(Problem::at(&tables[0].place, message).labelled("in this sweep"));
        }
    }
}

/// The points of all sweeps, one after the other, without repetition.
fn expand(
    sweeps: &[Groups],
    axes: &mut [Axis],
    scenario: &Node,
    places: &[Place],
) -> Result<Vec<Choices>, Vec<Problem>> {
    let mut points = Vec::new();
    let mut seen = BTreeSet::new();
    for (groups, place) in sweeps.iter().zip(places) {
        let size = groups.iter().try_fold(1usize, |size, group| size.checked_mul(group[0].2.len()));
        if size.is_none_or(|size| size + points.len() > MOST_POINTS) {
            return Err(vec![Problem::at(place, format!("the sweep has more than {MOST_POINTS} points"))]);
        }
        let mut base: Choices = Vec::with_capacity(axes.len());
        for axis in axes.iter_mut() {
            let swept = groups.iter().flatten().any(|(key, ..)| *key == axis.key);
            base.push(if swept { 0 } else { base_value_of(axis, scenario) });
        }
        for mut number in 0..size.unwrap_or(0) {
            let mut point = base.clone();
            // The last key varies fastest.
            for group in groups.iter().rev() {
                let choice = number % group[0].2.len();
                number /= group[0].2.len();
                for (key, _, values) in group {
                    let Some(index) = axes.iter().position(|axis| axis.key == *key) else { continue };
                    let label = &values[choice].0;
                    point[index] = axes[index].values.iter().position(|value| value.label == *label).unwrap_or(0);
                }
            }
            if seen.insert(point.clone()) {
                points.push(point);
            }
        }
    }
    Ok(points)
}

/// The number of the value that a key has outside of its sweeps: one of the swept values if it is the same, otherwise
/// a further one.
fn base_value_of(axis: &mut Axis, scenario: &Node) -> usize {
    let node = scenario.at(&axis.key);
    let label = node.map_or_else(|| "default".to_owned(), label);
    if let Some(index) = axis.values.iter().position(|value| value.label == label || value.node.is_none()) {
        return index;
    }
    let schema = serde_json::json!({ "format": axis.format });
    let cell = node.map_or(Cell::Blank, |node| cell(&schema, &label, node));
    axis.values.push(AxisValue { label, cell, node: None, change: Change::default() });
    axis.values.len() - 1
}
