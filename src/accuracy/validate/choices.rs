//! Choices between measured algorithms: whether the one predicted fastest is the fastest, and what a wrong one costs.

use std::collections::{BTreeMap, BTreeSet};

use super::Judged;
use super::summary::spearman;
use crate::fit::robust::median;

/// Several algorithms measured for the same operation and size in the same run.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredChoice {
    /// The system.
    pub system: String,
    /// The run of the benchmark.
    pub run: String,
    /// The number of nodes.
    pub nodes: u32,
    /// The number of ranks on each node.
    pub ranks_per_node: u32,
    /// The operation.
    pub operation: String,
    /// The bytes of the buffer.
    pub bytes: u64,
    /// How many algorithms were predicted, at least two.
    pub candidates: usize,
    /// The algorithm measured fastest, of those.
    pub best: String,
    /// Its measured time, in seconds.
    pub best_time: f64,
    /// What is predicted to be fastest.
    pub advice: Advice,
    /// The measured time of the library's own choice, in seconds, if measured.
    pub default_time: Option<f64>,
    /// Spearman's rank correlation of predicted and measured times, of three candidates or more.
    pub correlation: Option<f64>,
}

/// The algorithms predicted fastest: several if hetsim carries them out alike.
#[derive(Debug, Clone, PartialEq)]
pub struct Advice {
    /// The names, in the order of the file, with `=` between them.
    pub names: String,
    /// The measured time, in seconds; of several names the mean.
    pub time: f64,
    /// Whether the fastest is among them.
    pub is_best: bool,
}

impl MeasuredChoice {
    /// How much longer the advice takes than the best, as a share of the best.
    #[must_use]
    pub fn regret(&self) -> f64 {
        self.advice.time / self.best_time - 1.0
    }

    /// The same of the library's own choice; below 0 where that is better than all that were predicted.
    #[must_use]
    pub fn default_regret(&self) -> Option<f64> {
        self.default_time.map(|time| time / self.best_time - 1.0)
    }

    /// The share of the library's time that the advice saves; below 0 where it takes longer.
    #[must_use]
    pub fn saved(&self) -> Option<f64> {
        self.default_time.map(|time| 1.0 - self.advice.time / time)
    }
}

/// Predictions this near to each other, as a share, are equal: of algorithms that hetsim carries out alike.
const ALIKE: f64 = 1e-9;

type ChoiceKey<'j> = (&'j str, &'j str, &'j str, u32, u32, &'j str, u64);

/// The choices that points offer: those of one system, run, library, number of nodes and ranks, operation and size of
/// which at least two algorithms were predicted.
pub(super) fn choices(points: &[Judged]) -> Vec<MeasuredChoice> {
    let mut groups: BTreeMap<ChoiceKey<'_>, Vec<&Judged>> = BTreeMap::new();
    for point in points {
        let of = &point.measured;
        let key = (&*of.system, &*of.run, &*of.library, of.nodes, of.ranks_per_node, &*of.operation, of.bytes);
        groups.entry(key).or_default().push(point);
    }
    groups.into_values().filter_map(|points| choice(&points)).collect()
}

fn choice(points: &[&Judged]) -> Option<MeasuredChoice> {
    let candidates: Vec<(&Judged, f64)> = points
        .iter()
        .filter(|point| !point.measured.is_default)
        .filter_map(|point| Some((*point, point.model()?.1)))
        .collect();
    let names: BTreeSet<&str> = candidates.iter().map(|(point, _)| point.measured.algorithm.as_str()).collect();
    if names.len() < 2 {
        return None;
    }
    let measured = |(point, _): &(&Judged, f64)| point.measured.median;
    let (best, _) = candidates.iter().min_by(|a, b| measured(a).total_cmp(&measured(b)))?;
    let least = candidates.iter().map(|(_, predicted)| *predicted).min_by(f64::total_cmp)?;
    let advised: Vec<&(&Judged, f64)> =
        candidates.iter().filter(|(_, predicted)| *predicted <= least * (1.0 + ALIKE)).collect();
    let names: Vec<&str> = advised.iter().map(|(point, _)| point.measured.algorithm.as_str()).collect();
    let pairs: Vec<(f64, f64)> = candidates.iter().map(|one| (measured(one), one.1)).collect();
    let of = &best.measured;
    Some(MeasuredChoice {
        system: of.system.clone(),
        run: of.run.clone(),
        nodes: of.nodes,
        ranks_per_node: of.ranks_per_node,
        operation: of.operation.clone(),
        bytes: of.bytes,
        candidates: candidates.len(),
        best: of.algorithm.clone(),
        best_time: of.median,
        advice: Advice {
            is_best: advised.iter().any(|one| measured(one) <= of.median),
            time: advised.iter().map(|one| measured(one)).sum::<f64>() / advised.len() as f64,
            names: names.join(" = "),
        },
        default_time: points.iter().find(|point| point.measured.is_default).map(|point| point.measured.median),
        correlation: if pairs.len() > 2 { spearman(&pairs) } else { None },
    })
}

/// Some choices in a few numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct ChoiceSummary {
    /// What the choices have in common.
    pub group: String,
    /// The number of choices.
    pub count: usize,
    /// In how many of them the best was advised.
    pub right: usize,
    /// The mean regret of the advice.
    pub regret: Option<f64>,
    /// The median regret.
    pub median_regret: Option<f64>,
    /// The greatest regret.
    pub worst_regret: Option<f64>,
    /// The mean regret of the library's own choice, where it was measured.
    pub default_regret: Option<f64>,
    /// The mean share of the library's time that the advice saves.
    pub saved: Option<f64>,
    /// The mean rank correlation within the choices.
    pub correlation: Option<f64>,
}

impl ChoiceSummary {
    pub(super) fn of(group: &str, choices: &[&MeasuredChoice]) -> Self {
        let regrets: Vec<f64> = choices.iter().map(|choice| choice.regret()).collect();
        let mean = |values: Vec<f64>| (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64);
        Self {
            group: group.to_owned(),
            count: choices.len(),
            right: choices.iter().filter(|choice| choice.advice.is_best).count(),
            median_regret: median(&regrets),
            worst_regret: regrets.iter().copied().max_by(f64::total_cmp),
            regret: mean(regrets),
            default_regret: mean(choices.iter().filter_map(|choice| choice.default_regret()).collect()),
            saved: mean(choices.iter().filter_map(|choice| choice.saved()).collect()),
            correlation: mean(choices.iter().filter_map(|choice| choice.correlation).collect()),
        }
    }
}
