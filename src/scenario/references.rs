//! Checks that charts, tables and expectations speak of keys, values and metrics that exist.

mod chart;
mod metrics;
mod sensitivity;
mod statistics;

use std::collections::BTreeSet;

use serde_json::json;

use super::check::base_value;
use super::file::{Choice, Derivation, Scalar, ScenarioFile, Where};
use super::node::{Node, Value};
use super::problem::{Place, Problem, suggest};
use super::run::Resolved;
use super::sweep::{Axis, AxisValue, Choices, Design, Sweep};
use crate::record::{MetricKind, TableShape, Value as Cell};

/// Checks all of them.
pub(super) fn check(
    tree: &Node,
    file: &ScenarioFile,
    sweep: &Sweep,
    workload: Option<&Resolved>,
) -> Result<(), Vec<Problem>> {
    let Sweep { axes, points, design } = sweep;
    let metrics = workload.map(|resolved| resolved.kind().metrics()).unwrap_or_default();
    let names = metrics.iter().filter(|metric| metric.is_name()).map(|metric| metric.name);
    let mut names: Vec<&str> = names.collect();
    names.extend(file.derive.iter().filter(|spec| spec.how == Derivation::BestOf).map(|spec| spec.name.as_str()));
    let clocked = metrics.iter().filter(|metric| metric.kind == MetricKind::Timing).map(|metric| metric.name).collect();
    let metrics = metrics.iter().map(|metric| metric.name).collect();
    let of_tasks = workload.is_some_and(|resolved| resolved.kind().shows_tasks);
    let shapes = workload.map(|resolved| resolved.kind().tables()).unwrap_or_default();
    let tables: Vec<&str> = shapes.iter().map(|table| table.name).collect();
    let (design, problems) = (design.as_ref(), Vec::new());
    let mut checker =
        References { tree, axes, points, design, metrics, names, clocked, shapes: &shapes, of_tasks, problems };
    for (number, name) in file.output.tables.iter().enumerate() {
        if !tables.contains(&name.as_str()) {
            let message = format!("this workload makes no table `{name}`");
            checker.wrong(&format!("output.tables.{number}"), message, Some(suggest(name, &tables)));
        }
    }
    let derived: Vec<&str> = file.derive.iter().map(|spec| spec.name.as_str()).collect();
    checker.replicas(&file.replicas, &derived);
    checker.quantiles(&file.output);
    for (number, derive) in file.derive.iter().enumerate() {
        // A derived metric may be made from an earlier one.
        checker.derivation(number, file);
        checker.metrics.push(&derive.name);
        if checker.clocked.contains(&derive.metric.as_str()) {
            checker.clocked.push(&derive.name);
        }
    }
    for (number, spec) in file.sensitivity.iter().enumerate() {
        checker.sensitivity(&format!("sensitivity.{number}"), spec, &file.sensitivity[..number]);
    }
    for (number, table) in file.table.iter().enumerate() {
        let at = format!("table.{number}");
        checker.axis(&format!("{at}.rows"), &table.rows);
        checker.axis_if_given(&format!("{at}.columns"), table.columns.as_deref());
        checker.axis_if_given(&format!("{at}.best"), table.best.as_deref());
        checker.metric(&format!("{at}.metric"), &table.metric);
        for (place, metric) in table.also.iter().enumerate() {
            checker.metric(&format!("{at}.also.{place}"), metric);
        }
        checker.some_points(&format!("{at}.where"), &table.filter);
        let shown = [Some(&table.rows), table.columns.as_ref(), table.best.as_ref()];
        checker.nothing_else_varies(&at, &table.filter, &shown, "`columns` or `best`");
        if table.columns.is_some() && table.best.is_some() {
            checker.wrong(&at, "a table has either `columns` or `best`".to_owned(), None);
        }
        checker.best_of_table(&at, table, file);
    }
    for number in 0..file.chart.len() {
        checker.chart(number, file);
    }
    for (number, compare) in file.compare.iter().enumerate() {
        checker.comparison(&format!("compare.{number}"), compare);
    }
    for (number, expect) in file.expect.iter().enumerate() {
        let at = format!("expect.{number}");
        checker.expectation(&at, expect, file);
    }
    if checker.problems.is_empty() { Ok(()) } else { Err(checker.problems) }
}

struct References<'a> {
    tree: &'a Node,
    axes: &'a [Axis],
    points: &'a [Choices],
    design: Option<&'a Design>,
    metrics: Vec<&'a str>,
    /// Those of them that are names, not numbers.
    names: Vec<&'a str>,
    /// Those that a clock measures, and what is made from them.
    clocked: Vec<&'a str>,
    /// The long tables that the workload can keep.
    shapes: &'a [TableShape],
    /// Whether the workload is a task graph.
    of_tasks: bool,
    problems: Vec<Problem>,
}

impl References<'_> {
    /// A name that no metric has yet.
    fn new_metric(&mut self, path: &str, name: &str) {
        if self.metrics.contains(&name) || self.axes.iter().any(|axis| axis.name == name) {
            self.wrong(path, format!("there is already a column `{name}` in the results"), None);
        }
    }

    /// A metric that is a number.
    fn number(&mut self, path: &str, name: &str) {
        self.metric(path, name);
        if self.names.contains(&name) {
            self.wrong(path, format!("`{name}` is a name, and a number is needed here"), None);
        }
    }

    fn metric(&mut self, path: &str, name: &str) {
        if !self.metrics.contains(&name) {
            let help = suggest(name, &self.metrics);
            self.wrong(path, format!("there is no metric `{name}`"), Some(help));
        }
    }

    fn axis_if_given(&mut self, path: &str, name: Option<&str>) {
        if let Some(name) = name {
            self.axis(path, name);
        }
    }

    fn axis(&mut self, path: &str, name: &str) {
        if find_axis(self.axes, name).is_none() {
            let help = self.suggest_axis(name);
            self.wrong(path, format!("`{name}` is not a swept key"), Some(help));
        }
    }

    fn suggest_axis(&self, name: &str) -> String {
        if self.axes.is_empty() {
            return "the scenario has no sweep".to_owned();
        }
        suggest(name, &self.axes.iter().map(|axis| axis.name.as_str()).collect::<Vec<_>>())
    }

    /// A filter that lets at least one point through.
    fn some_points(&mut self, path: &str, filter: &Where) {
        let problems = self.problems.len();
        self.points(path, filter);
        if self.problems.len() > problems {
            return;
        }
        if self.through(filter).next().is_none() {
            self.wrong(path, "no point of the sweep has all of these values".to_owned(), None);
        }
    }

    /// The points that a filter lets through; keys that don't exist are not looked at.
    fn through<'b>(&'b self, filter: &'b Where) -> impl Iterator<Item = &'b Choices> {
        let conditions: Vec<(usize, &Choice)> =
            filter.iter().filter_map(|(key, choice)| Some((axis_number(self.axes, key)?, choice))).collect();
        self.points.iter().filter(move |point| {
            conditions.iter().all(|&(axis, choice)| self.axes[axis].is_chosen(point[axis], choice))
        })
    }

    /// Each cell, bar or point of a line shows one point of the sweep: whatever varies among those that the filter lets
    /// through must be among the keys that are shown.
    fn nothing_else_varies(&mut self, path: &str, filter: &Where, shown: &[Option<&String>], keys: &str) {
        let shown: Option<Vec<usize>> = shown.iter().flatten().map(|name| axis_number(self.axes, name)).collect();
        let known = filter.keys().all(|key| axis_number(self.axes, key).is_some());
        // Names that don't exist have been complained of.
        let (Some(shown), true) = (shown, known) else { return };
        let mut through = self.through(filter);
        let Some(first) = through.next() else { return };
        let mut varies = vec![false; self.axes.len()];
        for point in through {
            for (axis, varies) in varies.iter_mut().enumerate() {
                *varies |= point[axis] != first[axis];
            }
        }
        let moved = |axis: usize| self.design.is_some_and(|design| design.moves(axis));
        // A key of the design stands for its whole point, if it tells the points apart.
        let point = || self.design.map(|design| design.point).filter(|&point| varies[point]);
        let hidden = (0..self.axes.len())
            .find(|&axis| varies[axis] && !shown.contains(&axis) && !moved(axis))
            .or_else(|| point().filter(|_| !self.tells_apart(filter, &shown)));
        if let Some(axis) = hidden {
            let name = &self.axes[axis].name;
            let given = if keys.is_empty() { String::new() } else { format!("name it in {keys}, or ") };
            let help = format!("{given}choose one value: where = {{ {name} = … }}");
            self.wrong(path, format!("`{name}` varies as well among the points that are shown here"), Some(help));
        }
    }

    /// Whether no two of the points that a filter lets through have the same values of these axes.
    fn tells_apart(&self, filter: &Where, axes: &[usize]) -> bool {
        let mut seen = BTreeSet::new();
        self.through(filter).all(|point| seen.insert(axes.iter().map(|&axis| point[axis]).collect::<Vec<_>>()))
    }

    /// A point that differs in these keys only: not in one of a design, whose keys all change from point to point.
    fn not_of_design(&mut self, path: &str, key: &str) {
        let Some(design) = self.design else { return };
        if axis_number(self.axes, key).is_some_and(|axis| design.moves(axis)) {
            let message = format!("`{key}` is chosen by the design: no two of its points differ in it alone");
            self.wrong(path, message, Some("take a key that is crossed with the design".to_owned()));
        }
    }

    fn points(&mut self, path: &str, filter: &Where) {
        for (key, choice) in filter {
            let path = format!("{path}.{key}");
            if find_axis(self.axes, key).is_none() {
                let help = self.suggest_axis(key);
                self.wrong(&path, format!("`{key}` is not a swept key"), Some(help));
                continue;
            }
            match choice {
                Choice::One(scalar) => self.scalar(&path, key, scalar),
                Choice::Any(scalars) => {
                    for (place, scalar) in scalars.iter().enumerate() {
                        self.scalar(&format!("{path}.{place}"), key, scalar);
                    }
                }
            }
        }
    }

    fn scalar(&mut self, path: &str, key: &str, scalar: &Scalar) {
        let Some(axis) = find_axis(self.axes, key) else { return };
        if !axis.values.iter().any(|value| axis.is(value, scalar)) {
            let labels: Vec<&str> = axis.values.iter().map(|value| value.label.as_str()).collect();
            let text = scalar.to_string();
            let help = suggest(&text, &labels);
            self.wrong(path, format!("`{key}` is never {text} in the sweep"), Some(help));
        }
    }

    fn wrong(&mut self, path: &str, message: String, help: Option<String>) {
        let place = self.place(path);
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

/// The number of the axis that a name means: a column's name, or the whole dotted key.
pub(crate) fn axis_number(axes: &[Axis], name: &str) -> Option<usize> {
    axes.iter().position(|axis| axis.name == name || axis.key == name)
}

fn find_axis<'a>(axes: &'a [Axis], name: &str) -> Option<&'a Axis> {
    axis_number(axes, name).map(|number| &axes[number])
}

impl Axis {
    /// Whether a value of this axis, by its number, is one that a filter lets through.
    #[must_use]
    pub fn is_chosen(&self, value: usize, choice: &Choice) -> bool {
        let value = &self.values[value];
        match choice {
            Choice::One(scalar) => self.is(value, scalar),
            Choice::Any(scalars) => scalars.iter().any(|scalar| self.is(value, scalar)),
        }
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
                let base = base_value(&json!({ "format": self.format }), text).and_then(Result::ok);
                let named = || self.values.iter().find(|value| self.is(value, written));
                base.or_else(|| named().and_then(|value| value.cell.number()))
            }
        }
    }

    /// Whether a value of this axis is the one that a scenario writes so: `"8KiB"` and `8192` mean the same size.
    #[must_use]
    pub fn is(&self, value: &AxisValue, written: &Scalar) -> bool {
        let base = |text: &str| base_value(&json!({ "format": self.format }), text).and_then(Result::ok);
        match (written, &value.cell) {
            (Scalar::Number(number), cell) => cell.number() == Some(*number),
            (Scalar::Boolean(truth), cell) => *cell == Cell::Text(truth.to_string()),
            (Scalar::Text(text), Cell::Text(name)) => text == name,
            (Scalar::Text(text), cell) => *text == value.label || (base(text).is_some() && base(text) == cell.number()),
        }
    }
}

impl std::fmt::Display for Scalar {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Boolean(truth) => truth.fmt(f),
            Self::Text(text) => text.fmt(f),
        }
    }
}
