//! The parameters of Lastovetsky, Mkwawa and O'Flynn's model, which belong to nodes and to links.
//!
//! Round trips give the sums `C_i + L_ij + C_j` and `t_i + 1/b_ij + t_j` only. What tells them apart is an experiment of one node
//! with two others (Lastovetsky, Rychkov, O'Flynn: the idea; the formulas are ours, for a machine that receives while it sends).
//! The root i sends m bytes to j and then to the farther k, which answer with empty messages; the last answer is there after
//! `3C_i + 2t_i·m + L_ik + m/b_ik + C_k + t_k·m + C_k + L_ik`. Half the sum of the round trips of k with no and with m bytes is
//! `C_i + t_i·m` less. So of the two lines over m the difference of the fixed parts is `C_i`, and the slope of the first less half
//! that of the round trips is `t_i`.

use std::collections::BTreeMap;

use super::error::FitError;
use super::estimate::Estimate;
use super::line::Line;
use super::samples::{Measurements, Series};

const MODEL: &str = "LMO";

/// What a node's processor does with a message.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LmoNode {
    /// The node.
    pub node: u32,
    /// Fixed processing delay C, in seconds.
    pub processing: Estimate,
    /// Processing t, in seconds a byte.
    pub processing_per_byte: Estimate,
}

/// What the wire between two nodes does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LmoLink {
    /// One node.
    pub from: u32,
    /// The other.
    pub to: u32,
    /// Fixed delay L, in seconds.
    pub latency: Estimate,
    /// 1/b, in seconds a byte.
    pub per_byte: Estimate,
}

/// The model of Lastovetsky et al. (2006) for several nodes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Lmo {
    /// The nodes that were root of an experiment, by number.
    pub nodes: Vec<LmoNode>,
    /// The pairs both of whose nodes are known, in the order in which they were measured.
    pub links: Vec<LmoLink>,
}

impl Lmo {
    /// The nodes' parameters from the experiments of which they are the root (the mean of several), and what they leave of the
    /// round trips for the links. A link's parameters and those of its nodes come from the same round trips in part: each is
    /// taken as one sum over the lines that were measured, so that no line's error counts as several independent ones.
    ///
    /// # Errors
    /// Where there are too few round trips, or no pair both of whose nodes were root of an experiment.
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

    /// The parameters of the link between two nodes, whichever way.
    #[must_use]
    pub fn link(&self, one: u32, other: u32) -> Option<&LmoLink> {
        self.links.iter().find(|link| (link.from, link.to) == (one, other) || (link.to, link.from) == (one, other))
    }

    /// What a message costs the sender before it may go on: C + tm, in seconds. Nothing for an unknown node.
    #[must_use]
    pub fn gap(&self, from: u32, bytes: u64) -> Option<f64> {
        let node = self.node(from)?;
        Some(node.processing.value + node.processing_per_byte.value * bytes as f64)
    }

    /// From end to end, in seconds. Nothing where a node or the link is not known.
    #[must_use]
    pub fn hop(&self, from: u32, to: u32, bytes: u64) -> Option<f64> {
        let link = self.link(from, to)?;
        let wire = link.latency.value + link.per_byte.value * bytes as f64;
        Some(self.gap(from, bytes)? + wire + self.gap(to, bytes)?)
    }
}

/// The two parts of every line that was measured: pairs first, then experiments with two receivers.
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

    /// The number of a pair's line, whichever of the two started.
    fn pair(measurements: &Measurements, one: u32, other: u32) -> Option<usize> {
        let joins = |(from, to)| (from, to) == (one, other) || (to, from) == (one, other);
        measurements.pairs.iter().position(|pair| joins((pair.from, pair.to)))
    }
}

/// A sum over measured lines: a factor for each of those in it.
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
