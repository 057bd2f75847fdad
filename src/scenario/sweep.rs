//! `[sweep]`: what varies, and the points that come of it.
//!
//! A sweep is a table of dotted keys. A key's value may be a list, a range (`{ from, to, steps, scale }`), or a table of
//! named alternatives; a key given several sweeps with `[[sweep]]` has its base value in those that leave it out. `zip`
//! lists groups of keys that go through their values together.

use std::collections::{BTreeSet, HashMap};

use serde_json::Value as Json;

use super::chart::Scale;
use super::check::{Checker, advise_path, base_value};
use super::identity::Fingerprint;
use super::node::{Node, Value};
use super::problem::{Place, Problem, suggest};
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

/// One `[[sweep]]`: groups of keys that go through their values together.
type Groups = Vec<Vec<Swept>>;

/// A key of a sweep: the number of its axis, and of each of its values there.
struct Swept {
    axis: usize,
    values: Vec<usize>,
}

/// A value before its axis has it.
struct Candidate {
    label: String,
    cell: Cell,
    node: Node,
}

/// Reads the sweeps of a scenario, and where they name files.
///
/// # Errors
/// Keys that do not exist, values that do not fit their key, ranges and zips that make no sense.
pub(super) fn read(
    scenario: &Node,
    schema: &Json,
    base: &[super::check::Leaf],
    sources: &[super::problem::Source],
) -> Result<(Sweep, Vec<Place>), Vec<Problem>> {
    let tables: Vec<&Node> = match scenario.get("sweep") {
        None => return Ok((Sweep { axes: Vec::new(), points: vec![Vec::new()] }, Vec::new())),
        Some(node) => match &node.value {
            Value::Array(tables) => tables.iter().collect(),
            _ => vec![node],
        },
    };
    let checker = Checker::new(schema, sources);
    let mut reader = Reader {
        scenario,
        checker,
        base,
        axes: Vec::new(),
        known: Vec::new(),
        places: Vec::new(),
        problems: Vec::new(),
    };
    let sweeps: Vec<Groups> = tables.iter().map(|table| reader.groups(table)).collect();
    reader.nested();
    if !reader.problems.is_empty() {
        return Err(reader.problems);
    }
    name(&mut reader.axes);
    let places: Vec<Place> = tables.iter().map(|table| table.place.clone()).collect();
    let points = expand(&sweeps, &mut reader, &places)?;
    Ok((Sweep { axes: reader.axes, points }, reader.checker.files))
}

struct Reader<'a> {
    scenario: &'a Node,
    checker: Checker<'a>,
    base: &'a [super::check::Leaf],
    axes: Vec<Axis>,
    /// For each axis, the numbers of its values by what tells them apart.
    known: Vec<HashMap<String, usize>>,
    /// Where each axis is first named.
    places: Vec<Place>,
    problems: Vec<Problem>,
}

impl Reader<'_> {
    fn groups(&mut self, table: &Node) -> Groups {
        let zipped = self.zips(table);
        let mut groups: Groups = Vec::new();
        let mut group_of_zip: Vec<Option<(usize, String)>> = vec![None; zipped.len()];
        let mut seen = BTreeSet::new();
        for (path, place, value) in leaves_of_table(table) {
            if path == "zip" {
                continue;
            }
            if !seen.insert(path.clone()) {
                self.problems.push(Problem::at(&place, format!("`{path}` stands twice in this sweep")));
                continue;
            }
            let Some(swept) = self.swept(&path, &place, &value) else { continue };
            let zip = zipped.iter().position(|keys| keys.contains(&path));
            match zip.map(|zip| &mut group_of_zip[zip]) {
                Some(Some((group, first))) => {
                    let length = groups[*group][0].values.len();
                    if swept.values.len() != length {
                        let message = format!(
                            "zipped keys need equally many values: `{path}` has {}, `{first}` has {length}",
                            swept.values.len(),
                        );
                        self.problems.push(Problem::at(&value.place, message));
                    }
                    groups[*group].push(swept);
                }
                Some(group) => {
                    *group = Some((groups.len(), path));
                    groups.push(vec![swept]);
                }
                None => groups.push(vec![swept]),
            }
        }
        groups
    }

    /// The groups of keys under `zip`.
    fn zips(&mut self, table: &Node) -> Vec<Vec<String>> {
        let Some(zip) = table.get("zip") else { return Vec::new() };
        let keys = |group: &Node| match &group.value {
            Value::Array(keys) => keys.iter().map(|key| Some((key.text()?.to_owned(), key.place.clone()))).collect(),
            _ => None,
        };
        let groups: Option<Vec<Vec<(String, Place)>>> = match &zip.value {
            Value::Array(groups) => groups.iter().map(keys).collect(),
            _ => None,
        };
        let Some(groups) = groups else {
            let problem = Problem::at(&zip.place, "`zip` must be a list of groups of keys");
            self.problems.push(problem.with_help("write it as zip = [[\"platform.a\", \"workload.b\"]]"));
            return Vec::new();
        };
        let known: Vec<String> = leaves_of_table(table).into_iter().map(|(path, ..)| path).collect();
        let known: Vec<&str> = known.iter().map(String::as_str).filter(|path| *path != "zip").collect();
        for (key, place) in groups.iter().flatten() {
            if !known.contains(&key.as_str()) {
                let message = format!("`zip` names `{key}`, which this sweep does not vary");
                self.problems.push(Problem::at(place, message).with_help(suggest(key, &known)));
            }
        }
        groups.into_iter().map(|group| group.into_iter().map(|(key, _)| key).collect()).collect()
    }

    /// A key with its values, put on its axis.
    fn swept(&mut self, path: &str, place: &Place, value: &Node) -> Option<Swept> {
        let candidates = self.values(path, place, value)?;
        if candidates.is_empty() {
            self.problems.push(Problem::at(&value.place, format!("`{path}` has no values")));
            return None;
        }
        Some(self.add(path, place, candidates))
    }

    /// The values of a key.
    fn values(&mut self, path: &str, place: &Place, value: &Node) -> Option<Vec<Candidate>> {
        let allowed = ["platform.", "workload."].iter().any(|part| path.starts_with(part));
        let schema = self.checker.schema_at(path, self.scenario).filter(|_| allowed);
        let Some(schema) = schema else {
            let message = format!("the sweep varies `{path}`, which does not exist");
            let help = if allowed {
                advise_path(&self.checker, self.scenario, path)
            } else {
                "a sweep varies keys of `platform` and `workload`".to_owned()
            };
            self.problems.push(Problem::at(place, message).with_help(help));
            return None;
        };
        let listed = |node: &Node| {
            let label = label(node);
            Candidate { cell: cell(schema, &label, node), label, node: node.clone() }
        };
        // An alternative's name is what tables and charts show, whatever its value.
        let named = |entry: &super::node::Entry| {
            let label = entry.key.clone();
            Candidate { cell: Cell::Text(label.clone()), label, node: entry.value.clone() }
        };
        match &value.value {
            Value::Array(items) => Some(items.iter().map(listed).collect()),
            Value::Table(_) if value.get("from").is_some() => match self.range(path, value) {
                Ok(nodes) => Some(nodes.iter().map(listed).collect()),
                Err(problem) => {
                    self.problems.push(problem);
                    None
                }
            },
            Value::Table(entries) => Some(entries.iter().map(named).collect()),
            _ => {
                let help = "write a list, a range { from, to, steps }, or named alternatives { name = value }";
                self.problems.push(Problem::at(&value.place, format!("`{path}` needs several values")).with_help(help));
                None
            }
        }
    }

    /// `{ from, to, steps, scale }`; quantities keep a unit, whole numbers stay whole.
    fn range(&self, path: &str, node: &Node) -> Result<Vec<Node>, Problem> {
        let schema = self.checker.schema_at(path, self.scenario).unwrap_or(&Json::Null);
        if let Some(entry) = node.entries().iter().find(|e| !["from", "to", "steps", "scale"].contains(&e.key.as_str()))
        {
            let message = format!("unknown key `{}` in a range", entry.key);
            return Err(Problem::at(&entry.place, message).with_help("known are: from, to, steps, scale"));
        }
        let end = |key: &str| -> Result<f64, Problem> {
            let end = node.get(key).ok_or_else(|| Problem::at(&node.place, format!("a range needs `{key}`")))?;
            let quantity = base_value(schema, "").is_some();
            match &end.value {
                Value::Integer(_) | Value::Float(_) if quantity => {
                    let format = schema["format"].as_str().unwrap_or_default();
                    let help =
                        schema["examples"][0].as_str().map(|example| format!("a {format} looks like \"{example}\""));
                    let problem = Problem::at(&end.place, format!("`{key}` needs a unit"));
                    Err(Problem { help, ..problem.labelled("no unit") })
                }
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
            // Twelve digits leave out what the arithmetic added to a round number.
            let value = if whole { value.round() } else { format!("{value:.11e}").parse().unwrap_or(value) };
            let value = match in_unit(schema, value) {
                Some(text) => Value::Text(text),
                None if whole => Value::Integer(value as i64),
                None => Value::Float(value),
            };
            Node { value, place: node.place.clone() }
        });
        let mut values: Vec<_> = values.collect();
        // Rounding to whole numbers may give a value twice.
        values.dedup();
        Ok(values)
    }

    /// Puts the values of a key on its axis, each checked against the key's schema.
    fn add(&mut self, key: &str, place: &Place, candidates: Vec<Candidate>) -> Swept {
        let property = self.checker.property_at(key, self.scenario).unwrap_or(&Json::Null);
        let format = self.checker.schema_at(key, self.scenario).and_then(|schema| schema["format"].as_str());
        let under = |path: &str| path == key || path.strip_prefix(key).is_some_and(|rest| rest.starts_with('.'));
        let base: Vec<_> = self.base.iter().filter(|(path, _)| under(path)).cloned().collect();
        let without = Fingerprint::of(&base);
        let number = self.axes.iter().position(|axis| axis.key == key).unwrap_or_else(|| {
            let format = format.map(str::to_owned);
            self.axes.push(Axis { key: key.to_owned(), name: key.to_owned(), format, values: Vec::new() });
            self.known.push(HashMap::new());
            self.places.push(place.clone());
            self.axes.len() - 1
        });
        let axis = &mut self.axes[number];
        let mut values = Vec::with_capacity(candidates.len());
        for Candidate { label, cell, node } in candidates {
            self.checker.leaves.clear();
            self.checker.check_property(&node, property, key);
            // A choice's own key (`kind`, `model`) is noted with its table, which is not walked here.
            if let Some(name) = node.text().filter(|_| property.get("const").is_some()) {
                self.checker.leaves.push((key.to_owned(), name.to_owned()));
            }
            let with = Fingerprint::of(&self.checker.leaves);
            let change = Change { without, with };
            let index = *self.known[number].entry(told_apart_by(&label, &cell)).or_insert_with(|| {
                axis.values.push(AxisValue { label: label.clone(), cell, node: Some(node), change });
                axis.values.len() - 1
            });
            if axis.values[index].change.with != with {
                let message = format!("two different values of `{key}` are called `{label}`");
                self.problems.push(Problem::at(place, message));
            }
            values.push(index);
        }
        self.problems.append(&mut self.checker.problems);
        Swept { axis: number, values }
    }

    /// A key inside another swept key would make the order of the two matter.
    fn nested(&mut self) {
        for (inner, place) in self.axes.iter().zip(&self.places) {
            if let Some(outer) = self.axes.iter().find(|outer| inner.key.starts_with(&format!("{}.", outer.key))) {
                let message = format!("`{}` lies within `{}`, which varies as well", inner.key, outer.key);
                self.problems.push(Problem::at(place, message));
            }
        }
    }

    /// The number of the value that a key has outside of its sweeps: one of the swept values if it is the same,
    /// otherwise a further one.
    fn base_value(&mut self, number: usize) -> usize {
        let axis = &mut self.axes[number];
        let property = self.checker.property_at(&axis.key, self.scenario).unwrap_or(&Json::Null);
        let schema = serde_json::json!({ "format": axis.format });
        // A key that is left out has its default; where that is a table or a list, it is called so.
        let default = || property.get("default").and_then(Node::scalar);
        let node = self.scenario.at(&axis.key).cloned().or_else(default);
        let label = node.as_ref().map_or_else(|| "default".to_owned(), label);
        let cell = node.map_or(Cell::Blank, |node| cell(&schema, &label, &node));
        *self.known[number].entry(told_apart_by(&label, &cell)).or_insert_with(|| {
            axis.values.push(AxisValue { label, cell, node: None, change: Change::default() });
            axis.values.len() - 1
        })
    }
}

/// What tells a value from the others of its axis: its name, or its size in whatever unit.
fn told_apart_by(label: &str, cell: &Cell) -> String {
    cell.number().map_or_else(|| label.to_owned(), |number| format!("\0{number:e}"))
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
        let reserved = ["run", "replica", "seed", "n"].contains(&name.as_str());
        let unique = names.iter().filter(|other| *other == name).count() == 1;
        axis.name = if unique && !reserved { name.clone() } else { axis.key.clone() };
    }
}

/// The points of all sweeps, one after the other, without repetition.
fn expand(sweeps: &[Groups], reader: &mut Reader<'_>, places: &[Place]) -> Result<Vec<Choices>, Vec<Problem>> {
    let mut points = Vec::new();
    // One grid whose keys have each value once has each point once, and needs no list of those that are there.
    let once = |swept: &Swept| swept.values.iter().collect::<BTreeSet<_>>().len() == swept.values.len();
    let unique = matches!(sweeps, [groups] if groups.iter().all(|group| group.iter().any(once)));
    let mut seen = BTreeSet::new();
    for (groups, place) in sweeps.iter().zip(places) {
        let size = groups.iter().try_fold(1usize, |size, group| size.checked_mul(group[0].values.len()));
        let Some(size) = size.filter(|size| size + points.len() <= MOST_POINTS) else {
            return Err(vec![Problem::at(place, format!("the sweep has more than {MOST_POINTS} points"))]);
        };
        let swept = |axis: usize| groups.iter().flatten().any(|swept| swept.axis == axis);
        let base: Choices =
            (0..reader.axes.len()).map(|axis| if swept(axis) { 0 } else { reader.base_value(axis) }).collect();
        for mut number in 0..size {
            let mut point = base.clone();
            // The last key varies fastest.
            for group in groups.iter().rev() {
                let choice = number % group[0].values.len();
                number /= group[0].values.len();
                for swept in group {
                    point[swept.axis] = swept.values[choice];
                }
            }
            if unique || seen.insert(point.clone()) {
                points.push(point);
            }
        }
    }
    Ok(points)
}
