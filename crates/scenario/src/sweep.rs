//! `[sweep]`: the keys that vary, and the resulting points.
//!
//! A sweep is a table of dotted keys. A key's value may be a list, a range (`{ from, to, steps, scale }`), or a table
//! of named alternatives; a key given several sweeps with `[[sweep]]` has its base value in those that leave it out.
//! `zip` lists groups of keys that go through their values together. A `design` chooses values from ranges without
//! steps; its points are one more such group, crossed with the rest.

mod axis;
mod design;
mod entries;
mod points;
mod range;
mod rounded;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use serde_json::Value as Json;

use super::canonical::Leaf;
use super::check::Checker;
use super::fingerprint::Fingerprint;
use super::meant_key::whole_path_help;
use super::schema::Schema;
use hetsim_base::record::Value as Cell;
use hetsim_text::{Node, Place, Problem, Source, Value, suggest};

pub use axis::{Axis, AxisValue};
use axis::{Change, cell, label, name, told_apart_by};
use design::is_designed;
pub use design::{Analysis, Design, DesignSpec};
pub(crate) use entries::{VARIED, is_under, leaves_of_table, narrow};
pub use points::{Choices, Points};
pub(crate) use range::Range;

/// All axes, and the points in their order.
#[derive(Debug, Clone, Default)]
pub struct Sweep {
    /// The swept keys, in the order of the scenario.
    pub axes: Arc<[Axis]>,
    /// The points, without repetition.
    pub points: Arc<Points>,
    /// The design, if one of the sweeps has one.
    pub design: Option<Design>,
}

/// The help on keys of a design.
const DESIGNED: &str =
    "a design chooses from ranges without `steps`, { from = 1, to = 8 }, and from { among = [\"a\", \"b\"] }";

/// The most points of a sweep.
const MOST_POINTS: usize = 10_000_000;

/// The groups of one `[[sweep]]`; the keys of a group go through their values together.
type Groups = Vec<Vec<Swept>>;

/// A key of a sweep: the number of its axis, and of each of its values there.
struct Swept {
    axis: usize,
    values: Vec<usize>,
}

/// A value that is not yet on its axis.
struct Candidate {
    label: String,
    cell: Cell,
    node: Node,
    /// Whether it was computed, so that it may have many digits.
    computed: bool,
}

/// The value of a key that a sweep leaves out.
const NONE: &str = "none";

/// Reads the sweeps of a scenario, and the places where they name files.
///
/// # Errors
/// Keys that do not exist, values that do not fit their key, invalid ranges and zips.
pub(super) fn read(
    scenario: &Node,
    schema: &Schema,
    base: &[Leaf],
    sources: &[Source],
) -> Result<(Sweep, Vec<Place>), Vec<Problem>> {
    let tables: Vec<&Node> = match scenario.get("sweep") {
        None => return Ok((Sweep::default(), Vec::new())),
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
        computed: Vec::new(),
        places: Vec::new(),
        design: None,
        problems: Vec::new(),
    };
    let sweeps: Vec<Groups> = tables.iter().map(|table| reader.groups(table)).collect();
    reader.nested();
    if !reader.problems.is_empty() {
        return Err(reader.problems);
    }
    name(&mut reader.axes);
    reader.show();
    let places: Vec<Place> = tables.iter().map(|table| table.place.clone()).collect();
    let points = Arc::new(expand(&sweeps, &mut reader, &places)?);
    if !reader.problems.is_empty() {
        return Err(reader.problems);
    }
    Ok((Sweep { axes: reader.axes.into(), points, design: reader.design }, reader.checker.files))
}

struct Reader<'a> {
    scenario: &'a Node,
    checker: Checker<'a>,
    base: &'a [Leaf],
    axes: Vec<Axis>,
    /// The numbers of the values of each axis, by the texts that tell them apart.
    known: Vec<HashMap<String, usize>>,
    /// Of the values of each axis in their order, whether each was computed.
    computed: Vec<Vec<bool>>,
    /// Where each axis is first named.
    places: Vec<Place>,
    design: Option<Design>,
    problems: Vec<Problem>,
}

impl<'s> Reader<'s> {
    fn groups(&mut self, table: &Node) -> Groups {
        let zipped = self.zips(table);
        let mut groups: Groups = Vec::new();
        let mut group_of_zip: Vec<Option<(usize, String)>> = vec![None; zipped.len()];
        let mut seen = BTreeSet::new();
        let mut design = self.design_of(table);
        let leaves = leaves_of_table(table);
        let is_designed = |value: &Node| table.get("design").is_some() && is_designed(value);
        let keys: Vec<_> = leaves.iter().filter(|(.., value)| is_designed(value)).cloned().collect();
        if let Some((_, place)) = design.as_ref().filter(|_| keys.is_empty()) {
            let problem = Problem::at(place, "the design has no keys to choose values of");
            self.problems.push(problem.with_help(DESIGNED));
        }
        for (path, place, value) in leaves {
            if ["zip", "design"].contains(&path.as_str()) {
                continue;
            }
            if !seen.insert(path.clone()) {
                self.problems.push(Problem::at(&place, format!("`{path}` is given twice in this sweep")));
                continue;
            }
            let zip = zipped.iter().position(|keys| keys.contains(&path));
            if is_designed(&value) {
                if zip.is_some() {
                    let message = format!("`{path}` is chosen by the design, so it can't be zipped as well");
                    self.problems.push(Problem::at(&place, message));
                }
                // All of them make one group, where the first of them stands.
                groups.extend(design.take().and_then(|design| self.designed(&design, &keys)));
                continue;
            }
            let Some(swept) = self.swept(&path, &place, &value) else { continue };
            match zip.map(|zip| &mut group_of_zip[zip]) {
                Some(Some((group, first))) => {
                    let length = groups[*group][0].values.len();
                    if swept.values.len() != length {
                        let message = format!(
                            "zipped keys need equally many values: `{path}` has {}, `{first}` has {length}",
                            swept.values.len(),
                        );
                        let problem = Problem::at(&value.place, message);
                        let is_set = swept.values.len() == 1 || length == 1;
                        let help = || "`--set` leaves a key one value: set all keys of the zip".to_owned();
                        self.problems.push(Problem { help: is_set.then(help), ..problem });
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
        for (group, _) in group_of_zip.into_iter().flatten() {
            self.note_zip(&groups[group]);
        }
        groups
    }

    /// Notes with each value of keys that are zipped which values of the others go with it.
    fn note_zip(&mut self, group: &[Swept]) {
        for (own, Swept { axis, values }) in group.iter().enumerate() {
            for (place, &value) in values.iter().enumerate() {
                let others = group.iter().enumerate().filter(|(other, _)| *other != own);
                let with = others.filter_map(|(_, other)| Some((other.axis, *other.values.get(place)?))).collect();
                let zipped = &mut self.axes[*axis].values[value].zipped;
                if !zipped.contains(&with) {
                    zipped.push(with);
                }
            }
        }
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
        let known: Vec<&str> =
            known.iter().map(String::as_str).filter(|path| !["zip", "design"].contains(path)).collect();
        let mut zipped = HashSet::new();
        for (key, place) in groups.iter().flatten() {
            if !zipped.insert(key) {
                self.problems.push(Problem::at(place, format!("`zip` names `{key}` twice")));
            }
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
        let swept = self.add(path, place, candidates);
        let is_log = value.get("from").is_some() && value.get("scale").and_then(Node::text) == Some("log");
        self.axes[swept.axis].logarithmic |= is_log;
        Some(swept)
    }

    /// The schema of a key that a sweep may vary.
    fn key_schema(&mut self, path: &str, place: &Place) -> Option<&'s Json> {
        if path == "platform.include" {
            let message = "a sweep can't vary the file that `platform` includes, which is read before anything else";
            let help = "run the scenario once for each file: --set platform.include=FILE --out DIR";
            self.problems.push(Problem::at(place, message).with_help(help));
            return None;
        }
        let table = path.split('.').next().unwrap_or_default();
        let allowed = VARIED.contains(&table) && self.scenario.get(table).is_some();
        let schema = self.checker.schema.measure_at(path, self.scenario).filter(|_| allowed);
        if schema.is_none() {
            let message = format!("the sweep varies `{path}`, which does not exist");
            let help = if allowed {
                self.checker.schema.advise(self.scenario, path)
            } else if VARIED.contains(&table) {
                format!("the scenario has no [{table}]")
            } else {
                whole_path_help(self.checker.schema, self.scenario, path)
            };
            self.problems.push(Problem::at(place, message).with_help(help));
        }
        schema
    }

    /// The values of a key.
    fn values(&mut self, path: &str, place: &Place, value: &Node) -> Option<Vec<Candidate>> {
        let schema = self.key_schema(path, place)?;
        let candidate = |node: &Node, computed: bool| {
            let label = label(node);
            Candidate { cell: cell(schema, &label, node), label, node: node.clone(), computed }
        };
        let listed = |node: &Node| candidate(node, false);
        // An alternative's name is what tables and charts show, whatever its value.
        let named = |entry: &hetsim_text::Entry| {
            let label = entry.key.clone();
            Candidate { cell: Cell::Text(label.clone()), label, node: entry.value.clone(), computed: false }
        };
        match &value.value {
            Value::Array(items) => Some(items.iter().map(listed).collect()),
            Value::Table(_) if value.get("among").is_some() => {
                let problem = Problem::at(&value.place, "`among` is for a sweep with a `design`");
                self.problems.push(problem.with_help("every value of a plain list is run"));
                None
            }
            Value::Table(_) if value.get("from").is_some() => {
                match Range::read(schema, path, value).and_then(|range| range.steps(value)) {
                    Ok(nodes) => Some(nodes.iter().map(|node| candidate(node, true)).collect()),
                    Err(problem) => {
                        self.problems.push(problem);
                        None
                    }
                }
            }
            Value::Table(entries) => Some(entries.iter().map(named).collect()),
            _ => {
                let help = "write a list, a range { from, to, steps }, or named alternatives { name = value }";
                self.problems.push(Problem::at(&value.place, format!("`{path}` needs several values")).with_help(help));
                None
            }
        }
    }

    /// Puts the values of a key on its axis, each checked against the key's schema.
    fn add(&mut self, key: &str, place: &Place, candidates: Vec<Candidate>) -> Swept {
        let property = self.checker.schema.property_at(key, self.scenario).unwrap_or(&Json::Null);
        let may_be_absent = self.may_be_absent(key);
        let format = self.checker.schema.measure_at(key, self.scenario).and_then(|schema| schema["format"].as_str());
        let base: Vec<_> = self.base.iter().filter(|(path, _)| is_under(path, key).is_some()).cloned().collect();
        let without = Fingerprint::of(&base);
        let number = self.axes.iter().position(|axis| axis.key == key).unwrap_or_else(|| {
            let format = format.map(str::to_owned);
            self.axes.push(Axis {
                key: key.to_owned(),
                name: key.to_owned(),
                format,
                values: Vec::new(),
                logarithmic: false,
            });
            self.known.push(HashMap::new());
            self.computed.push(Vec::new());
            self.places.push(place.clone());
            self.axes.len() - 1
        });
        let axis = &mut self.axes[number];
        let mut values = Vec::with_capacity(candidates.len());
        for candidate in candidates {
            let Candidate { label, cell, node, computed } = candidate;
            self.checker.leaves.clear();
            let absent = may_be_absent && node.text() == Some(NONE);
            if !absent {
                self.checker.check_property(&node, property, key);
            }
            // A choice's own key (`kind`, `model`) is noted with its table, which is not walked here.
            if let Some(name) = node.text().filter(|_| property.get("const").is_some()) {
                self.checker.leaves.push((key.to_owned(), name.to_owned()));
            }
            let with = Fingerprint::of(&self.checker.leaves);
            let change = Change { without, with };
            let index = *self.known[number].entry(told_apart_by(&label, &cell)).or_insert(axis.values.len());
            if index == axis.values.len() {
                let (shown, node) = (label.clone(), Some(node));
                axis.values.push(AxisValue { label, shown, cell, node, absent, change, zipped: Vec::new() });
                self.computed[number].push(computed);
            } else if axis.values[index].change.with != with {
                let message = format!("two different values of `{key}` are called `{label}`");
                self.problems.push(Problem::at(place, message));
            }
            values.push(index);
        }
        self.problems.append(&mut self.checker.problems);
        Swept { axis: number, values }
    }

    /// Writes the text for people of each value, once all values of its axis are known.
    fn show(&mut self) {
        for (axis, computed) in self.axes.iter_mut().zip(&self.computed) {
            let schema = self.checker.schema.measure_at(&axis.key, self.scenario).unwrap_or(&Json::Null);
            let shown = rounded::all(schema, &axis.values, computed);
            for (value, shown) in axis.values.iter_mut().zip(shown) {
                value.shown = shown;
            }
        }
    }

    /// Whether `"none"` leaves a key out: the key is optional and has no value of that name.
    fn may_be_absent(&self, key: &str) -> bool {
        self.checker.schema.is_optional(key, self.scenario)
            && self
                .checker
                .schema
                .property_at(key, self.scenario)
                .is_some_and(|property| !self.checker.schema.has_name(property, NONE))
    }

    /// Refuses a key inside another swept key: the order of the two would matter.
    fn nested(&mut self) {
        for (inner, place) in self.axes.iter().zip(&self.places) {
            if let Some(outer) = self.axes.iter().find(|outer| inner.key.starts_with(&format!("{}.", outer.key))) {
                let message = format!("`{}` lies within `{}`, which varies as well", inner.key, outer.key);
                let key = &inner.key[outer.key.len() + 1..];
                let help = format!(
                    "give `{key}` in each alternative of `{}`, or sweep `{}` and the other keys within it that differ",
                    outer.key, inner.key
                );
                self.problems.push(Problem::at(place, message).with_help(help));
            }
        }
    }

    /// The number of the value that a key has outside of its sweeps; the value is added unless it is a swept one.
    fn base_value(&mut self, number: usize) -> usize {
        let axis = &mut self.axes[number];
        let property = self.checker.schema.property_at(&axis.key, self.scenario).unwrap_or(&Json::Null);
        let schema = serde_json::json!({ "format": axis.format });
        // A missing key has its default; a table or a list, whether it is given or not, is called `default`.
        let default = || property.get("default").and_then(Node::scalar);
        let node = self.scenario.at(&axis.key).cloned().or_else(default);
        let node = node.filter(|node| !matches!(node.value, Value::Table(_) | Value::Array(_)));
        let is_unnamed = node.is_none();
        let label = node.as_ref().map_or_else(|| "default".to_owned(), label);
        let cell = node.map_or(Cell::Blank, |node| cell(&schema, &label, &node));
        let index = *self.known[number].entry(told_apart_by(&label, &cell)).or_insert(axis.values.len());
        match axis.values.get(index) {
            None => {
                let shown = label.clone();
                let (change, zipped) = (Change::default(), Vec::new());
                axis.values.push(AxisValue { label, shown, cell, node: None, absent: false, change, zipped });
            }
            Some(AxisValue { node: Some(_), change, .. }) if is_unnamed && change.with != change.without => {
                let message = format!("the value that `{}` has in other sweeps is called `{label}`, too", axis.key);
                let problem = Problem::at(&self.places[number], message);
                self.problems.push(problem.with_help(format!("give the alternative `{label}` another name")));
            }
            Some(_) => {}
        }
        index
    }
}

/// The points of all sweeps, one after the other, without repetition.
fn expand(sweeps: &[Groups], reader: &mut Reader<'_>, places: &[Place]) -> Result<Points, Vec<Problem>> {
    let mut points = Points::over(reader.axes.len());
    // One grid whose keys have each value once has each point once, and needs no set of points.
    let once = |swept: &Swept| swept.values.iter().collect::<BTreeSet<_>>().len() == swept.values.len();
    let unique = matches!(sweeps, [groups] if groups.iter().all(|group| group.iter().any(once)));
    let mut seen = HashSet::new();
    for (groups, place) in sweeps.iter().zip(places) {
        let size = groups.iter().try_fold(1usize, |size, group| size.checked_mul(group[0].values.len()));
        let Some(size) = size.filter(|size| size + points.len() <= MOST_POINTS) else {
            return Err(vec![Problem::at(place, format!("the sweep has more than {MOST_POINTS} points"))]);
        };
        let swept = |axis: usize| groups.iter().flatten().any(|swept| swept.axis == axis);
        let mut point: Vec<u32> =
            (0..reader.axes.len()).map(|axis| if swept(axis) { 0 } else { reader.base_value(axis) as u32 }).collect();
        points.reserve(if unique { size } else { 0 });
        for mut number in 0..size {
            // The last key varies fastest.
            for group in groups.iter().rev() {
                let choice = number % group[0].values.len();
                number /= group[0].values.len();
                for swept in group {
                    point[swept.axis] = swept.values[choice] as u32;
                }
            }
            if unique || seen.insert(point.clone()) {
                points.push(&point);
            }
        }
    }
    Ok(points)
}
