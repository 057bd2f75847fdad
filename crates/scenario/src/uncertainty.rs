//! `[uncertainty]`: values that are known only within an interval, drawn anew for each replica.
//!
//! All points of a sweep have the same draws in a replica, so differences between points are those of the swept keys.
//! Each key has a stream of its own: another uncertain key leaves its draws as they are.

use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};

use super::Scenario;
use super::canonical::Leaf;
use super::check::Checker;
use super::replicas::Replicas;
use super::schema::{Schema, is_measure};
use super::sweep::{Axis, Range, is_under, leaves_of_table};
use hetsim_base::engine::Streams;
use hetsim_text::{Node, Place, Problem, Source};

/// Where a standard normal variable leaves 2.5 % on either side.
const NORMAL_95: f64 = 1.959_963_984_540_054;

/// The keys that are uncertain.
#[derive(Debug, Default)]
pub(super) struct Uncertainty {
    keys: Vec<UncertainKey>,
}

/// An uncertain key.
#[derive(Debug)]
struct UncertainKey {
    key: String,
    spread: KeySpread,
    range: Range<'static>,
}

/// How the values of an uncertain key lie around its range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KeySpread {
    /// Evenly within `from` and `to`.
    Even,
    /// Normally, 95 % of them within `low` and `high`.
    Normal,
}

impl KeySpread {
    /// The keys of the ends of the range.
    const fn ends(self) -> [&'static str; 2] {
        match self {
            Self::Even => ["from", "to"],
            Self::Normal => ["low", "high"],
        }
    }
}

impl Uncertainty {
    /// Reads `[uncertainty]`, if the scenario has it; `axes` are the swept keys.
    ///
    /// # Errors
    /// Keys that do not exist, have no numbers, stand in tables that are not there, are swept or given twice, ranges
    /// that do not fit their keys, and a single replica.
    pub(super) fn read(
        scenario: &Node,
        schema: &'static Schema,
        (axes, replicas): (&[Axis], &Replicas),
        sources: &[Source],
    ) -> Result<Self, Vec<Problem>> {
        let Some(entry) = scenario.entry("uncertainty") else { return Ok(Self::default()) };
        if replicas.most() < 2 {
            let problem = Problem::at(&entry.place, "each replica draws the uncertain values anew, and there is one");
            return Err(vec![problem.with_help("write `replicas = 30`, or so")]);
        }
        let mut read = UncertaintyReader { scenario, schema, axes, sources, problems: Vec::new() };
        let mut keys: Vec<UncertainKey> = Vec::new();
        for (path, place, value) in leaves_of_table(&entry.value) {
            if keys.iter().any(|known| known.key == path) {
                read.problems.push(Problem::at(&place, format!("`{path}` is given twice")));
            }
            keys.extend(read.key(&path, &place, &value));
        }
        if read.problems.is_empty() { Ok(Self { keys }) } else { Err(read.problems) }
    }

    /// The keys, in the order of the table.
    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        self.keys.iter().map(|key| key.key.as_str())
    }

    /// What identifies runs with these draws.
    pub(super) fn leaves(&self) -> impl Iterator<Item = Leaf> + '_ {
        self.keys.iter().map(|key| {
            let range = key.range.identity();
            (format!("uncertainty.{}", key.key), format!("{:?} {range}", key.spread))
        })
    }

    /// The values of a seed and a replica, by their keys.
    pub(super) fn draw(&self, seed: u64, replica: u32) -> Vec<(&str, Node)> {
        let streams = Streams::new(seed, u64::from(replica));
        self.keys.iter().map(|key| (key.key.as_str(), key.draw(&streams))).collect()
    }
}

impl UncertainKey {
    fn draw(&self, streams: &Streams) -> Node {
        let mut stream = streams.stream(&format!("uncertainty {}", self.key), 0);
        match self.spread {
            KeySpread::Even => self.range.at(stream.random()),
            KeySpread::Normal => {
                let z: f64 = StandardNormal.sample(&mut stream);
                self.range.beyond(0.5 + z / (2.0 * NORMAL_95))
            }
        }
    }
}

/// The reading of the table.
struct UncertaintyReader<'a> {
    scenario: &'a Node,
    schema: &'static Schema,
    axes: &'a [Axis],
    sources: &'a [Source],
    problems: Vec<Problem>,
}

impl UncertaintyReader<'_> {
    fn key(&mut self, path: &str, place: &Place, value: &Node) -> Option<UncertainKey> {
        let key = self.checked(path, place, value);
        key.map_err(|problem| self.problems.push(problem)).ok()
    }

    fn checked(&mut self, path: &str, place: &Place, value: &Node) -> Result<UncertainKey, Problem> {
        let is_varied = ["platform.", "workload."].iter().any(|table| path.starts_with(table));
        let schema =
            self.schema.measure_at(path, self.scenario).filter(|_| is_varied && !self.scenario.lacks_item(path));
        let schema = schema.ok_or_else(|| {
            let help = if is_varied {
                self.schema.advise(self.scenario, path)
            } else {
                "keys of `platform` and `workload` can be uncertain".to_owned()
            };
            Problem::at(place, format!("`{path}` is uncertain, and does not exist")).with_help(help)
        })?;
        if !is_measure(schema) {
            return Err(Problem::at(place, format!("`{path}` is uncertain, and is neither a number nor a quantity")));
        }
        // A table that is swept as a whole takes its keys with it.
        if let Some(axis) = self.axes.iter().find(|axis| is_under(path, &axis.key).is_some()) {
            return Err(Problem::at(place, format!("`{path}` is uncertain, and `{}` is swept", axis.key)));
        }
        // A drawn key would make the table anew, without the others that it needs.
        if let Some((table, _)) = path.rsplit_once('.').filter(|(table, _)| self.scenario.at(table).is_none()) {
            return Err(Problem::at(place, format!("`{path}` is uncertain, and the scenario has no `{table}`")));
        }
        let spread = if value.get("from").is_some() { KeySpread::Even } else { KeySpread::Normal };
        let range = Range::read_between(schema, path, value, spread.ends()).map_err(|problem| {
            problem.with_help("{ low, high } hold the value with 95 %, { from, to } hold it evenly; and `scale`")
        })?;
        range.is_drawable("an uncertain value is drawn", spread.ends())?;
        let mut checker = Checker::new(self.schema, self.sources);
        if let Some(property) = self.schema.property_at(path, self.scenario) {
            for end in [range.at(0.0), range.at(1.0)] {
                checker.check_property(&end, property, path);
            }
        }
        match checker.problems.pop() {
            Some(problem) => Err(problem),
            None => Ok(UncertainKey { key: path.to_owned(), spread, range }),
        }
    }
}

impl Scenario {
    /// Whether each replica draws some values anew.
    #[must_use]
    pub fn is_uncertain(&self) -> bool {
        self.uncertainty.keys().next().is_some()
    }
}
