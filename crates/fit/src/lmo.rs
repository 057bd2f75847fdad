//! Fits the model of Lastovetsky, Mkwawa and O'Flynn, whose parameters belong to nodes and links.
//!
//! Round trips give only the sums `C_i + L_ij + C_j` and `t_i + 1/b_ij + t_j`. An experiment of one node with two
//! others separates the terms (the idea is by Lastovetsky, Rychkov and O'Flynn; the formulas here are for nodes that
//! receive while they send). The root i sends m bytes to j and then to the farther k, which answer with empty messages.
//! The last answer arrives after `3C_i + 2t_i·m + L_ik + m/b_ik + C_k + t_k·m + C_k + L_ik`. Half the sum of the round
//! trips of k with zero and with m bytes is less by `C_i + t_i·m`. Of the two lines over m, the difference of the fixed
//! parts is therefore `C_i`, and the slope of the first minus half that of the round trips is `t_i`.

use std::collections::BTreeMap;

use super::error::FitError;
use super::estimate::Estimate;
use super::line::Line;
use super::samples::{Measurements, Series};

const MODEL: &str = "LMO";

/// The message-processing parameters of a node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LmoNode {
    /// The node number.
    pub node: u32,
    /// The fixed processing delay C in seconds.
    pub processing: Estimate,
    /// The processing time t in seconds per byte.
    pub processing_per_byte: Estimate,
}

/// The parameters of the link between two nodes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LmoLink {
    /// The first node.
    pub from: u32,
    /// The second node.
    pub to: u32,
    /// The fixed delay L in seconds.
    pub latency: Estimate,
    /// The time 1/b in seconds per byte.
    pub per_byte: Estimate,
}

/// The model of Lastovetsky et al. (2006) for several nodes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Lmo {
    /// The nodes that were the root of an experiment, by number.
    pub nodes: Vec<LmoNode>,
    /// The pairs with two such nodes, in the order of measurement.
    pub links: Vec<LmoLink>,
}

impl Lmo {
    /// Fits the parameters of nodes from the experiments with them as the root (the mean of several), then those of
    /// links from the remainders of the round trips. The parameters of a link and of its nodes partly come from the
    /// same round trips. Each is computed as one sum over the measured lines, so that no line's error counts as several
    /// independent ones.
    ///
    /// # Errors
    /// Too few round trips, or no pair of nodes that were both the root of an experiment.
    pub fn fit(measurements: &Measurements) -> Result<Self, FitError> {
        let lines = Lines::fit(measurements)?;
        let mut roots: BTreeMap<u32, Vec<(Sum, Sum)>> = BTreeMap::new();
        for (number, triplet) in measurements.triplets.iter().enumerate() {
            let Some(pair) = Lines::pair(measurements, triplet.root, triplet.last) else { continue };
            let triplet_line = measurements.pairs.len() + number;
            let fixed = Sum::of(&[(1.0, triplet_line), (-1.0, pair)]);
            let per_byte = Sum::of(&[(1.0, triplet_line), (-0.5, pair)]);
            roots.entry(triplet.root).or_default().push((fixed, per_byte));
        }
        let mean = |(node, found): (u32, Vec<(Sum, Sum)>)| {
            let share = 1.0 / found.len() as f64;
            let mut all = (Sum::default(), Sum::default());
            for (fixed, per_byte) in &found {
                all.0.add(share, fixed);
                all.1.add(share, per_byte);
            }
            (node, all)
        };
        let roots: BTreeMap<u32, (Sum, Sum)> = roots.into_iter().map(mean).collect();
        let node = |(&node, (fixed, per_byte)): (&u32, &(Sum, Sum))| LmoNode {
            node,
            processing: fixed.over(&lines.fixed),
            processing_per_byte: per_byte.over(&lines.per_byte),
        };
        let mut lmo = Self { nodes: roots.iter().map(node).collect(), links: Vec::new() };
        for (number, pair) in measurements.pairs.iter().enumerate() {
            let (Some(from), Some(to)) = (roots.get(&pair.from), roots.get(&pair.to)) else { continue };
            let rest = |one: &Sum, other: &Sum| {
                let mut rest = Sum::of(&[(0.5, number)]);
                rest.add(-1.0, one);
                rest.add(-1.0, other);
                rest
            };
            let latency = rest(&from.0, &to.0).over(&lines.fixed);
            let per_byte = rest(&from.1, &to.1).over(&lines.per_byte);
            lmo.links.push(LmoLink { from: pair.from, to: pair.to, latency, per_byte });
        }
        if lmo.links.is_empty() {
            return Err(FitError::Missing { model: MODEL, what: "experiments with two receivers" });
        }
        Ok(lmo)
    }

    /// The parameters of a node.
    #[must_use]
    pub fn node(&self, node: u32) -> Option<&LmoNode> {
        self.nodes.binary_search_by_key(&node, |known| known.node).ok().map(|place| &self.nodes[place])
    }

    /// The parameters of the link between two nodes, in either direction.
    #[must_use]
    pub fn link(&self, one: u32, other: u32) -> Option<&LmoLink> {
        self.links.iter().find(|link| (link.from, link.to) == (one, other) || (link.to, link.from) == (one, other))
    }

    /// The time in seconds until the sender may continue: C + tm. `None` for an unknown node.
    #[must_use]
    pub fn gap(&self, from: u32, bytes: u64) -> Option<f64> {
        let node = self.node(from)?;
        Some(node.processing.value + node.processing_per_byte.value * bytes as f64)
    }

    /// The end-to-end time in seconds. `None` if a node or the link is unknown.
    #[must_use]
    pub fn hop(&self, from: u32, to: u32, bytes: u64) -> Option<f64> {
        let link = self.link(from, to)?;
        let wire = link.latency.value + link.per_byte.value * bytes as f64;
        Some(self.gap(from, bytes)? + wire + self.gap(to, bytes)?)
    }
}

/// The two parameters of every measured line: pairs first, then experiments with two receivers.
struct Lines {
    fixed: Vec<Estimate>,
    per_byte: Vec<Estimate>,
}

impl Lines {
    fn fit(measurements: &Measurements) -> Result<Self, FitError> {
        let pairs = measurements.pairs.iter().map(|pair| (&pair.round_trips, "round trips"));
        let triplets = measurements.triplets.iter().map(|triplet| (&triplet.times, "experiments with two receivers"));
        let line = |(series, what): (&Vec<Series>, _)| Line::fit(series, 0, MODEL, what);
        let lines = pairs.chain(triplets).map(line).collect::<Result<Vec<Line>, FitError>>()?;
        Ok(lines.into_iter().fold(Self { fixed: Vec::new(), per_byte: Vec::new() }, |mut all, line| {
            all.fixed.push(line.fixed);
            all.per_byte.push(line.per_byte);
            all
        }))
    }

    /// The index of a pair's line, in either direction.
    fn pair(measurements: &Measurements, one: u32, other: u32) -> Option<usize> {
        let joins = |(from, to)| (from, to) == (one, other) || (to, from) == (one, other);
        measurements.pairs.iter().position(|pair| joins((pair.from, pair.to)))
    }
}

/// A weighted sum over measured lines, as a factor for each line.
#[derive(Debug, Clone, Default)]
struct Sum(BTreeMap<usize, f64>);

impl Sum {
    fn of(parts: &[(f64, usize)]) -> Self {
        Self(parts.iter().map(|&(factor, line)| (line, factor)).collect())
    }

    fn add(&mut self, factor: f64, other: &Self) {
        for (line, share) in &other.0 {
            *self.0.entry(*line).or_default() += factor * share;
        }
    }

    /// The sum of the lines' values, which are independent of each other.
    fn over(&self, values: &[Estimate]) -> Estimate {
        Estimate::combined(&self.0.iter().map(|(&line, &factor)| (factor, values[line])).collect::<Vec<_>>())
    }
}
