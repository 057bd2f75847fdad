//! `kind = "tolerance"`: how much worse each part of the machine may become before a run is longer: bars, what is
//! tolerated least first.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::keys::{Common, Shown};
use super::looks::ChartContext;
use super::rows::{Rows, TableRows};
use super::{ChartKind, Drawn, SensitivitySpec, checks, common_at};
use crate::report::results::Results;
use crate::scenario::References;
use crate::statistics::compare::Estimate;
use hetsim_chart::axis::{Axis, Scale};
use hetsim_chart::bars::{Arrangement, BarChart, BarSeries};
use hetsim_chart::paper::{LegendPlace, Paper};

/// The table that it draws.
const TABLE: &str = "tolerance";

/// The most parts of a machine that it shows.
const MOST_PARTS: usize = 20;

/// The keys of a chart of what a run tolerates.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
pub struct ToleranceKeys {
    /// The keys of every chart.
    #[serde(flatten)]
    pub common: Common,
    /// The names in the picture of `"node 0"`, `"kernel dgemm"`, or a key by its whole path; by default a key has the end
    /// of its path. A node that is named here has bars of its own.
    #[serde(default)]
    pub names: BTreeMap<String, String>,
    /// Where the legend stands; `above` by default, and never `direct`, which is for lines.
    #[serde(default)]
    pub legend: Option<LegendPlace>,
}

/// A part of the machine, or nodes that are tolerated alike.
#[derive(Debug, Clone, PartialEq)]
struct Tolerated {
    part: WorsePart,
    /// How many times worse it may become, for each share by which the run is longer; nothing beyond a hundredfold.
    factors: Vec<Option<f64>>,
}

/// What becomes worse.
#[derive(Debug, Clone, PartialEq, Eq)]
enum WorsePart {
    /// Nodes by their numbers, which rise.
    Nodes(Vec<u64>),
    /// A kernel, as pictures call it.
    Kernel(String),
    /// The path of a key.
    Key(String),
}

impl ChartKind for ToleranceKeys {
    common_at!(common);

    fn shown(&self) -> Shown<'_> {
        Shown { common: &self.common, series: None, names: &self.names, colours: None, legend: self.legend }
    }

    fn is_of_one_run(&self) -> bool {
        true
    }

    fn check(&self, at: &str, references: &mut References<'_>, _: &[SensitivitySpec]) {
        checks::kept(references, at, TABLE);
        checks::no_ends(references, at, self.legend);
        checks::one_run(references, at, &self.common);
        for name in self.names.keys() {
            if !["node ", "kernel ", "platform."].iter().any(|beginning| name.starts_with(beginning)) {
                let message = format!("`{name}` is no part of a machine");
                let help = "\"node 0\", \"kernel dgemm\", or a key such as \"platform.cluster.lab.network.latency\"";
                references.wrong(&format!("{at}.names.{name}"), message, Some(help.to_owned()));
            }
        }
    }

    fn draw(&self, results: &Results<'_>, _: &ChartContext<'_>) -> Result<Drawn, String> {
        let rows = TableRows::new(results, TABLE, self.shown())?;
        let (shares, parts) = rows.groups.first().map_or_else(Default::default, |(_, rows)| tolerated(rows));
        let (shown, others) = least(parts, &self.names);
        if shown.is_empty() {
            return Err("any part of the machine may become a hundred times worse".to_owned());
        }
        let note = match others {
            0 => None,
            1 => Some("One other part may become worse than these.".to_owned()),
            _ => Some(format!("{others} other parts may become worse than these.")),
        };
        let bar = |factor: Option<f64>| Some(Estimate { value: 100.0 * (factor? - 1.0), interval: None });
        let series = shares.iter().enumerate().map(|(number, share)| BarSeries {
            name: format!("{} % longer", 100.0 * share),
            bars: shown.iter().map(|part| bar(part.factors[number])).collect(),
        });
        let chart = BarChart {
            title: self.common.heading(),
            subtitle: self.common.subtitle.clone(),
            label: String::new(),
            series: series.collect(),
            categories: called(&shown, &self.names),
            y: Axis { scale: Scale::Log, ..Axis::number("worse by, %") },
            arrangement: Arrangement::Grouped,
        };
        let paper = Paper { horizontal: true, legend: self.legend, ..self.common.paper() };
        Ok(Drawn::new(chart, Paper { notes: note.into_iter().collect(), ..paper }))
    }
}

/// The shares by which the run is longer, and each part of the machine.
fn tolerated(rows: &Rows<'_>) -> (Vec<f64>, Vec<Tolerated>) {
    let (mut shares, mut parts): (Vec<f64>, Vec<Tolerated>) = (Vec::new(), Vec::new());
    let kinds = rows.cells("part").zip(rows.cells("name"));
    for ((kind, name), (longer, factor)) in kinds.zip(rows.cells("longer").zip(rows.cells("factor"))) {
        let (kind, name) = (kind.to_string(), name.to_string());
        let part = match (kind.as_str(), name.parse()) {
            ("node", Ok(node)) => WorsePart::Nodes(vec![node]),
            ("key", _) => WorsePart::Key(name),
            _ => WorsePart::Kernel(format!("{kind} {name}")),
        };
        shares.extend(longer.number().filter(|share| !shares.contains(share)));
        if parts.last().is_none_or(|last| last.part != part) {
            parts.push(Tolerated { part, factors: Vec::new() });
        }
        if let Some(last) = parts.last_mut() {
            last.factors.push(factor.number());
        }
    }
    (shares, parts)
}

/// The parts that are tolerated least, nodes without a name that are tolerated alike as one; and how many others there
/// are.
fn least(mut parts: Vec<Tolerated>, names: &BTreeMap<String, String>) -> (Vec<Tolerated>, usize) {
    let all = parts.len();
    parts.retain(|part| part.factors.first().is_some_and(Option::is_some));
    parts.sort_by(|a, b| a.factors[0].unwrap_or_default().total_cmp(&b.factors[0].unwrap_or_default()));
    let (mut shown, mut count): (Vec<Tolerated>, usize) = (Vec::new(), 0);
    let is_named = |part: &Tolerated| name_of(part, names).is_some();
    for part in parts {
        let alike = shown.iter().position(|other| other.is_like(&part) && !is_named(other) && !is_named(&part));
        let has_room = shown.len() < MOST_PARTS;
        match (alike.map(|place| &mut shown[place].part), &part.part) {
            (Some(WorsePart::Nodes(known)), WorsePart::Nodes(more)) => {
                known.extend(more);
                known.sort_unstable();
            }
            _ if has_room => shown.push(part),
            _ => continue,
        }
        count += 1;
    }
    (shown, all - count)
}

impl Tolerated {
    /// Whether these are nodes, too, and no factor differs by more than the search for it leaves open: 1 % of what exceeds 1.
    fn is_like(&self, other: &Self) -> bool {
        let differs = |(a, b): (&Option<f64>, &Option<f64>)| match (a, b) {
            (Some(a), Some(b)) => (a - b).abs() > 0.01 * (b - 1.0),
            _ => a != b,
        };
        let both = [self, other].iter().all(|one| matches!(one.part, WorsePart::Nodes(_)));
        both && !self.factors.iter().zip(&other.factors).any(differs)
    }
}

/// The name that the chart gives a part.
fn name_of<'n>(part: &Tolerated, names: &'n BTreeMap<String, String>) -> Option<&'n String> {
    match &part.part {
        WorsePart::Nodes(nodes) => names.get(&format!("node {}", nodes[0])).filter(|_| nodes.len() == 1),
        WorsePart::Kernel(name) | WorsePart::Key(name) => names.get(name),
    }
}

/// What parts are called: keys by the ends of their paths that no other one has.
fn called(parts: &[Tolerated], names: &BTreeMap<String, String>) -> Vec<String> {
    let key = |part: &Tolerated| if let WorsePart::Key(path) = &part.part { Some(path.clone()) } else { None };
    let keys: Vec<String> = parts.iter().filter_map(key).collect();
    let own_end = |path: &str| {
        let ends = path.rmatch_indices('.').map(|(place, _)| &path[place + 1..]);
        let has_end =
            |key: &str, end: &str| key.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
        let mut own = ends.filter(|end| keys.iter().filter(|key| has_end(key, end)).count() == 1);
        own.next().unwrap_or(path).to_owned()
    };
    let call = |part: &Tolerated| match (name_of(part, names), &part.part) {
        (Some(name), _) | (None, WorsePart::Kernel(name)) => name.clone(),
        (None, WorsePart::Nodes(nodes)) => in_words(nodes),
        (None, WorsePart::Key(path)) => own_end(path),
    };
    parts.iter().map(call).collect()
}

/// The numbers of nodes, those in a row by the first and the last.
fn in_words(nodes: &[u64]) -> String {
    let rows = nodes.chunk_by(|node, next| node + 1 == *next).map(|row| match row {
        [first, _, .., last] => format!("{first} to {last}"),
        row => row.iter().map(u64::to_string).collect::<Vec<_>>().join(", "),
    });
    format!("node{} {}", if nodes.len() == 1 { "" } else { "s" }, rows.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(number: u64, factor: Option<f64>) -> Tolerated {
        Tolerated { part: WorsePart::Nodes(vec![number]), factors: vec![factor] }
    }

    #[test]
    fn what_is_tolerated_least_is_first() {
        let kernel = Tolerated { part: WorsePart::Kernel("kernel dgemm".to_owned()), factors: vec![Some(1.02)] };
        let parts = vec![node(0, None), node(1, Some(1.3)), kernel.clone()];
        assert_eq!(least(parts, &BTreeMap::new()), (vec![kernel, node(1, Some(1.3))], 1));
        let many = (0..23).map(|number| node(number, Some(90.0 / (number + 1) as f64)));
        let (shown, others) = least(many.collect(), &BTreeMap::new());
        assert_eq!((shown.len(), shown[0].part.clone(), others), (20, WorsePart::Nodes(vec![22]), 3));
    }

    /// What exceeds 1 is known to half a percent of itself.
    #[test]
    fn nodes_that_are_tolerated_alike_are_one() {
        let factors = [1.2009, 1.2, 1.203, 1.2008, 1.2005];
        let parts = || (0..).zip(factors).map(|(number, factor)| node(number, Some(factor))).collect();
        let (shown, others) = least(parts(), &BTreeMap::new());
        assert_eq!((called(&shown, &BTreeMap::new()), others), (vec!["nodes 0, 1, 3, 4".into(), "node 2".into()], 0));
        assert_eq!(in_words(&[0, 1, 2, 5, 7, 8]), "nodes 0 to 2, 5, 7, 8");
        let names = BTreeMap::from([("node 3".to_owned(), "the old one".to_owned())]);
        let (shown, _) = least(parts(), &names);
        assert_eq!(called(&shown, &names), ["nodes 0, 1, 4", "the old one", "node 2"]);
    }

    /// The latency of one cluster is not that of the other, and only one has a gap.
    #[test]
    fn keys_have_the_shortest_names_that_tell_them_apart() {
        let key = |path: &str| Tolerated { part: WorsePart::Key(path.to_owned()), factors: vec![Some(1.0)] };
        let parts = ["a.network.latency", "b.network.latency", "a.network.gap"].map(key);
        let names = BTreeMap::from([("b.network.latency".to_owned(), "slow link".to_owned())]);
        assert_eq!(called(&parts, &names), ["a.network.latency", "slow link", "gap"]);
    }
}
