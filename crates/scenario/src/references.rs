//! Checks that tables name existing keys, values and metrics, for the floors above.

mod statistics;

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::path::PathBuf;

use super::SET;
use super::file::ScenarioFile;
use super::file_name::resolve_file;
use super::filter::{Filter, axis_number, ending_in, find_axis};
use super::kinds::{Kind, studies, workloads};
use super::scalar::{Choice, Scalar, Where};
use super::sweep::{Axis, Choices, Design, Points, Sweep};
use hetsim_base::printable::toml_key;
use hetsim_base::record::{Direction, Metric, MetricKind, TableShape};
use hetsim_formula::names;
use hetsim_text::{Node, Place, Problem, Source, Value, suggest};

/// Checks all tables.
pub(super) fn check(
    tree: &Node,
    sources: &[Source],
    (file, tables): (&ScenarioFile, &dyn Tables),
    Sweep { axes, points, design }: &Sweep,
    kind: &Kind,
) -> Result<(), Vec<Problem>> {
    let named = |which: &dyn Fn(&Metric) -> bool| -> Vec<String> {
        kind.metrics.iter().filter(|metric| which(metric)).map(|metric| metric.name.to_owned()).collect()
    };
    let mut references = References {
        tree,
        sources,
        file,
        axes,
        points,
        design: design.as_ref(),
        metrics: named(&|_| true),
        names: named(&Metric::is_name),
        clocked: named(&|metric| metric.kind == MetricKind::Timing),
        derived: tables.derived(),
        directions: BTreeMap::new(),
        shapes: kind.tables(),
        kind,
        problems: Vec::new(),
    };
    for (number, name) in file.output.tables.iter().enumerate() {
        references.shape(&format!("output.tables.{number}"), name);
    }
    references.replicas(&file.replicas, &tables.derived());
    references.quantiles(&file.output);
    tables.check(&mut references);
    if references.problems.is_empty() { Ok(()) } else { Err(references.problems) }
}

/// The tables of one scenario that evaluate its runs.
pub trait Tables: Any + Debug + Send + Sync {
    /// The names of the metrics that are made of several points.
    fn derived(&self) -> Vec<&str>;

    /// Checks the names in the tables, and reads the files that they name.
    fn check(&self, references: &mut References<'_>);
}

/// The names that tables may use, and the problems found so far. Paths lead to keys: `chart.0.x`.
#[derive(Debug)]
pub struct References<'a> {
    tree: &'a Node,
    sources: &'a [Source],
    /// The scenario's own keys.
    pub file: &'a ScenarioFile,
    /// What varies.
    pub axes: &'a [Axis],
    /// The points of the sweep.
    pub points: &'a Points,
    /// The design that chose values, if the sweep has one.
    pub design: Option<&'a Design>,
    /// The metrics that are known so far.
    metrics: Vec<String>,
    /// Those of them that are names, not numbers.
    names: Vec<String>,
    /// Those that a clock measures, and what is made from them.
    clocked: Vec<String>,
    /// Those that will be known, derived from others.
    derived: Vec<&'a str>,
    /// Whether less or more is better of those that are derived.
    directions: BTreeMap<String, Direction>,
    /// The long tables that the workload can keep.
    shapes: Vec<TableShape>,
    /// The workload or study.
    pub kind: &'a Kind,
    problems: Vec<Problem>,
}

impl References<'_> {
    /// How many problems there are.
    #[must_use]
    pub const fn problems(&self) -> usize {
        self.problems.len()
    }

    /// Whether there is a metric of this name.
    #[must_use]
    pub fn has_metric(&self, name: &str) -> bool {
        self.metrics.iter().any(|metric| metric == name)
    }

    /// Whether a metric is a name, not a number.
    #[must_use]
    pub fn is_name(&self, metric: &str) -> bool {
        self.names.iter().any(|name| name == metric)
    }

    /// Whether a metric is measured by a clock, or made from one that is.
    #[must_use]
    pub fn is_clocked(&self, metric: &str) -> bool {
        self.clocked.iter().any(|clocked| clocked == metric)
    }

    /// Whether less or more of a metric is better.
    #[must_use]
    pub fn direction(&self, metric: &str) -> Direction {
        self.directions.get(metric).copied().unwrap_or_else(|| self.file.direction(metric))
    }

    /// Makes a derived metric known to what comes after it.
    pub fn add_metric(&mut self, name: &str, from: &[&str], direction: Direction, is_name: bool) {
        self.directions.insert(name.to_owned(), direction);
        if is_name {
            self.names.push(name.to_owned());
        }
        if from.iter().any(|metric| self.is_clocked(metric)) {
            self.clocked.push(name.to_owned());
        }
        self.metrics.push(name.to_owned());
    }

    /// A long table that the workload can keep.
    pub fn shape(&mut self, path: &str, name: &str) -> Option<TableShape> {
        let shape = self.shapes.iter().find(|shape| shape.name == name).copied();
        if shape.is_none() {
            let names: Vec<&str> = self.shapes.iter().map(|shape| shape.name).collect();
            let help = suggest(name, &names);
            self.wrong(path, format!("this workload makes no table `{name}`"), Some(help));
        }
        shape
    }

    /// The file that a key names.
    pub(super) fn file_at(&self, path: &str) -> Option<(PathBuf, &Node)> {
        let node = self.tree.at(path)?;
        Some((resolve_file(self.sources, node, node.text()?), node))
    }

    /// The text of the file that a key names, with its name; nothing, and a problem, where it can't be read.
    pub fn text(&mut self, path: &str) -> Option<Source> {
        let (file, _) = self.file_at(path)?;
        match Source::read(&file) {
            Ok(source) => Some(source),
            Err(error) => {
                self.wrong(path, error.to_string(), None);
                None
            }
        }
    }

    /// Whether the scenario has a platform.
    #[must_use]
    pub fn has_platform(&self) -> bool {
        self.tree.get("platform").is_some()
    }

    /// A problem with a place of its own.
    pub(super) fn push(&mut self, problem: Problem) {
        self.problems.push(problem);
    }

    /// A name that no metric has yet.
    pub fn new_metric(&mut self, path: &str, name: &str) {
        if name.is_empty() || name.trim() != name || name.contains([',', '"']) {
            self.wrong(path, "a metric's name has no comma or quote in it, nor a blank at its ends".to_owned(), None);
        }
        let is_metric = self.has_metric(name);
        if is_metric || self.axes.iter().any(|axis| axis.name == name) {
            let what = if is_metric { "a metric: use it as it is" } else { "a swept key" };
            let help = format!("`{name}` is {what}; give the new one another name, such as {name}_2");
            self.wrong(path, format!("there is already a column `{name}` in the results"), Some(help));
        }
    }

    /// A metric that is a number.
    pub fn number(&mut self, path: &str, name: &str) {
        self.metric(path, name);
        if self.is_name(name) {
            self.wrong(path, format!("`{name}` is a name, and a number is needed here"), None);
        }
    }

    /// A name in a formula, which must be a metric that is a number, or a numeric swept key; `others` are known besides.
    pub fn operand(&mut self, path: &str, name: &str, others: &[&str]) {
        if self.has_metric(name) {
            return self.number(path, name);
        }
        let keys = self.axes.iter().filter(|axis| axis.is_numeric()).map(|axis| axis.name.as_str());
        let metrics = self.metrics.iter().map(String::as_str);
        // A formula can't have every name, such as one with a hyphen.
        let known = others.iter().copied().chain(keys).chain(metrics).filter(|name| names(name) == [*name]);
        let near = suggest(name, &known.collect::<Vec<_>>());
        let message = format!("there is no metric, swept key or value `{name}`");
        let help = format!("a number of your own goes into `values = {{ {name} = … }}`; {near}");
        let (message, help) = self.known_elsewhere(name).unwrap_or((message, Some(help)));
        self.wrong(path, message, help);
    }

    /// A metric, of either sort.
    pub fn metric(&mut self, path: &str, name: &str) {
        if !self.has_metric(name) {
            let near = || suggest(name, &self.metrics.iter().map(String::as_str).collect::<Vec<_>>());
            let unknown = || (format!("there is no metric `{name}`"), Some(near()));
            let (message, help) = self.known_elsewhere(name).unwrap_or_else(unknown);
            self.wrong(path, message, help);
        }
    }

    /// What is wrong with a metric that there is, but not here, and what helps.
    fn known_elsewhere(&self, name: &str) -> Option<(String, Option<String>)> {
        if self.derived.contains(&name) {
            let help = "derivations go in order: put its `[[derive]]` before those that need it".to_owned();
            return Some((format!("there is no metric `{name}` yet"), Some(help)));
        }
        let kinds = workloads().iter().chain(studies());
        let has_metric = |kind: &&Kind| kind.own_metrics.iter().any(|metric| metric.name == name);
        // A workload and a study may have one name.
        let names: BTreeSet<&str> = kinds.filter(has_metric).map(|kind| kind.name).collect();
        let kinds: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        let message = || format!("`{name}` is a metric of {}; this is `{}`", kinds.join(", "), self.kind.name);
        (!kinds.is_empty()).then(|| (message(), None))
    }

    /// A swept key, where one is named.
    pub fn axis_if_given(&mut self, path: &str, name: Option<&str>) {
        if let Some(name) = name {
            self.axis(path, name);
        }
    }

    /// A swept key.
    pub fn axis(&mut self, path: &str, name: &str) {
        if find_axis(self.axes, name).is_none() {
            let (message, help) = self.no_axis(name);
            self.wrong(path, message, Some(help));
        }
    }

    /// A swept key that is the last part of a path.
    pub fn swept_key(&mut self, path: &str, key: &str) -> bool {
        let is_swept = find_axis(self.axes, key).is_some();
        if !is_swept {
            let (message, help) = self.no_axis(key);
            self.wrong_key(path, message, Some(help));
        }
        is_swept
    }

    /// Why a name is that of no swept key, and what helps.
    fn no_axis(&self, name: &str) -> (String, String) {
        let names: Vec<&str> = self.axes.iter().map(|axis| axis.name.as_str()).collect();
        let meant: Vec<&str> = ending_in(self.axes, name).into_iter().map(|number| names[number]).collect();
        if meant.len() > 1 {
            let message = format!("`{name}` means several keys: {}", meant.join(", "));
            return (message, "write one of them, or as many of its last parts as tell it apart".to_owned());
        }
        let help = if names.is_empty() { "the scenario has no sweep".to_owned() } else { suggest(name, &names) };
        (format!("`{name}` is not a swept key"), help)
    }

    /// A filter that lets at least one point through.
    pub fn some_points(&mut self, path: &str, filter: &Where) {
        let problems = self.problems.len();
        self.points(path, filter);
        if self.problems.len() > problems {
            return;
        }
        if self.through(filter).next().is_none() {
            self.wrong(path, "no point of the sweep has all of these values".to_owned(), None);
        }
    }

    /// One value for each key of `other`, and not those that all points have anyhow that `filter` lets through.
    pub fn other_points(&mut self, path: &str, filter: &Where, other: &Where) {
        let several = other.iter().find(|(key, choice)| {
            let is_list = || find_axis(self.axes, key).is_some_and(|axis| axis.list(choice).is_some());
            matches!(choice, Choice::Any(_)) && !is_list()
        });
        if let Some((key, _)) = several {
            self.wrong(
                &format!("{path}.{key}"),
                "one value is expected, as points are compared with one".to_owned(),
                None,
            );
            return;
        }
        let known = filter.keys().chain(other.keys()).all(|key| axis_number(self.axes, key).is_some());
        let others = Filter::new(self.axes, other);
        if known && self.through(filter).all(|point| others.lets_through(point)) {
            let help = other.keys().find_map(|key| self.narrowed(key));
            self.wrong(path, "each point would be compared with itself: `where` leaves no other".to_owned(), help);
        }
    }

    /// What the scenario writes for a key at the points that a filter lets through, where that is text.
    pub fn texts(&self, key: &str, filter: &Where) -> impl Iterator<Item = &str> {
        let (swept, written) = (self.axes.iter().position(|axis| axis.key == key), self.tree.at(key));
        let value = move |axis: usize, point: &Choices| self.axes[axis].values[point[axis] as usize].node.as_ref();
        self.through(filter).filter_map(move |point| swept.and_then(|axis| value(axis, point)).or(written)?.text())
    }

    /// The points that a filter lets through; keys that don't exist are not looked at.
    pub fn through(&self, filter: &Where) -> impl Iterator<Item = &Choices> + use<'_> {
        let filter = Filter::new(self.axes, filter);
        self.points.iter().filter(move |point| filter.lets_through(point))
    }

    /// Each cell, bar or point of a line shows one point of the sweep: whatever varies among those that the filter lets
    /// through must be among the keys that are shown, or be determined by them, as a key is that is zipped with one.
    pub fn nothing_else_varies(&mut self, path: &str, filter: &Where, shown: &[Option<&str>], keys: &str) {
        let shown: Option<Vec<usize>> = shown.iter().flatten().map(|name| axis_number(self.axes, name)).collect();
        let known = filter.keys().all(|key| axis_number(self.axes, key).is_some());
        // Unknown names have been reported.
        let (Some(shown), true) = (shown, known) else { return };
        let hidden = self.varying(filter).into_iter().filter(|axis| !shown.contains(axis)).collect::<Vec<_>>();
        if hidden.is_empty() || self.tells_apart(filter, &shown) {
            return;
        }
        // A key of a design stands for its whole point.
        let shown_as =
            |axis: usize| self.design.filter(|design| design.moves(axis)).map_or(axis, |design| design.point);
        let is_open = |axis: &&usize| !self.determines(filter, &shown, **axis);
        if let Some(&axis) = hidden.iter().find(is_open) {
            let name = &self.axes[shown_as(axis)].name;
            let given = if keys.is_empty() { String::new() } else { format!("name it in {keys}, or ") };
            let help = format!("{given}choose one value: where = {{ {} = … }}", toml_key(name));
            self.wrong(path, format!("`{name}` varies as well among the points that are shown here"), Some(help));
        }
    }

    /// The axes that have several values among the points that a filter lets through.
    fn varying(&self, filter: &Where) -> Vec<usize> {
        let mut varies = vec![false; self.axes.len()];
        let mut through = self.through(filter);
        if let Some(first) = through.next() {
            for point in through {
                for (axis, varies) in varies.iter_mut().enumerate() {
                    *varies |= point[axis] != first[axis];
                }
            }
        }
        (0..varies.len()).filter(|&axis| varies[axis]).collect()
    }

    /// Whether points that a filter lets through and that have the same values of some axes have the same value of
    /// another one.
    fn determines(&self, filter: &Where, axes: &[usize], other: usize) -> bool {
        let mut seen = BTreeMap::new();
        self.through(filter).all(|point| {
            let values: Vec<u32> = axes.iter().map(|&axis| point[axis]).collect();
            *seen.entry(values).or_insert(point[other]) == point[other]
        })
    }

    /// Whether no two of the points that a filter lets through have the same values of these axes.
    fn tells_apart(&self, filter: &Where, axes: &[usize]) -> bool {
        let mut seen = BTreeSet::new();
        self.through(filter).all(|point| seen.insert(axes.iter().map(|&axis| point[axis]).collect::<Vec<_>>()))
    }

    /// A point that differs in these keys only: not in one of a design, whose keys all change from point to point.
    pub fn not_of_design(&mut self, path: &str, key: &str) {
        let Some(design) = self.design else { return };
        if axis_number(self.axes, key).is_some_and(|axis| design.moves(axis)) {
            let message = format!("`{key}` is chosen by the design: no two of its points differ in it alone");
            self.wrong(path, message, Some("take a key that is crossed with the design".to_owned()));
        }
    }

    /// Swept keys, each with values that it has.
    pub fn points(&mut self, path: &str, filter: &Where) {
        for (key, choice) in filter {
            let path = format!("{path}.{key}");
            if !self.swept_key(&path, key) {
                continue;
            }
            match choice {
                Choice::One(scalar) => self.scalar(&path, key, scalar),
                Choice::Any(_) if find_axis(self.axes, key).and_then(|axis| axis.list(choice)).is_some() => {}
                Choice::Any(scalars) => {
                    for (place, scalar) in scalars.iter().enumerate() {
                        self.scalar(&format!("{path}.{place}"), key, scalar);
                    }
                }
            }
        }
    }

    /// A value that a swept key has.
    pub fn scalar(&mut self, path: &str, key: &str, scalar: &Scalar) {
        let Some(axis) = find_axis(self.axes, key) else { return };
        if !axis.values.iter().any(|value| axis.is(value, scalar)) {
            let labels: Vec<&str> = axis.values.iter().map(|value| value.label.as_str()).collect();
            let text = scalar.to_string();
            let listed = || match labels.iter().find(|label| label.starts_with('[')) {
                Some(list) => format!("its values are lists: `{key} = {list}`, or several, `{key} = [\"{list}\", …]`"),
                None => suggest(&text, &labels),
            };
            let help = self.narrowed(key).unwrap_or_else(listed);
            self.wrong(path, format!("`{key}` is never `{text}` in the sweep"), Some(help));
        }
    }

    /// What the command line leaves of a swept key, if it does.
    fn narrowed(&self, key: &str) -> Option<String> {
        let axis = find_axis(self.axes, key)?;
        let mut set = self.sources.iter().filter(|source| source.name == SET).map(|source| &*source.text);
        let set = set.rfind(|text| text.split('=').next() == Some(&*axis.key))?;
        let left = axis.values.first()?;
        Some(format!("`--set {set}` leaves only `{}` of the sweep", left.label))
    }

    /// Says what is wrong at a key.
    pub fn wrong(&mut self, path: &str, message: String, help: Option<String>) {
        let place = self.place(path);
        self.problems.push(Problem { help, ..Problem::at(&place, message) });
    }

    /// Says what is wrong with the name of a key.
    pub fn wrong_key(&mut self, path: &str, message: String, help: Option<String>) {
        let value = self.place(path);
        let table = path.rsplit_once('.').and_then(|(table, key)| Some((self.tree.at(table)?, key)));
        let place = table.and_then(|(table, key)| table.entry(key)).map_or(value, |entry| entry.place.clone());
        self.problems.push(Problem { help, ..Problem::at(&place, message) });
    }

    /// The place of a value, or of the nearest table around it. Keys with dots in them are looked up as they are.
    fn place(&self, path: &str) -> Place {
        let mut node = self.tree;
        let mut rest = path;
        while !rest.is_empty() {
            if let Some(value) = node.get(rest) {
                return value.place.clone();
            }
            let (first, others) = rest.split_once('.').unwrap_or((rest, ""));
            let next = match &node.value {
                Value::Array(items) => first.parse::<usize>().ok().and_then(|index| items.get(index)),
                _ => node.get(first),
            };
            match next {
                Some(next) => node = next,
                None => break,
            }
            rest = others;
        }
        node.place.clone()
    }
}
