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
use super::samples::Measurements;

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
    /// round trips for the links. Errors count the parts as independent.
    ///
    /// # Errors
    /// Where there are too few round trips, or no pair both of whose nodes were root of an experiment.
    pub fn fit(measurements: &Measurements) -> Result<Self, FitError> {
        let mut found: BTreeMap<u32, Vec<(Estimate, Estimate)>> = BTreeMap::new();
        for triplet in &measurements.triplets {
            let Some(pair) = measurements.between(triplet.root, triplet.last) else { continue };
            let line = Line::fit(&triplet.times, 0, MODEL, "experiments with two receivers")?;
            let round_trips = Line::fit(&pair.round_trips, 0, MODEL, "round trips")?;
            let fixed = Estimate::combined(&[(1.0, line.fixed), (-1.0, round_trips.fixed)]);
            let per_byte = Estimate::combined(&[(1.0, line.per_byte), (-0.5, round_trips.per_byte)]);
            found.entry(triplet.root).or_default().push((fixed, per_byte));
        }
        let mean = |of: Vec<Estimate>| {
            let share = 1.0 / of.len() as f64;
            Estimate::combined(&of.into_iter().map(|estimate| (share, estimate)).collect::<Vec<_>>())
        };
        let node = |(node, found): (u32, Vec<(Estimate, Estimate)>)| {
            let (fixed, per_byte) = found.into_iter().unzip();
            LmoNode { node, processing: mean(fixed), processing_per_byte: mean(per_byte) }
        };
        let mut lmo = Self { nodes: found.into_iter().map(node).collect(), links: Vec::new() };
        for pair in &measurements.pairs {
            let (Some(from), Some(to)) = (lmo.node(pair.from), lmo.node(pair.to)) else { continue };
            let line = Line::fit(&pair.round_trips, 0, MODEL, "round trips")?;
            let rest = |whole: Estimate, one: Estimate, other: Estimate| {
                Estimate::combined(&[(0.5, whole), (-1.0, one), (-1.0, other)])
            };
            let latency = rest(line.fixed, from.processing, to.processing);
            let per_byte = rest(line.per_byte, from.processing_per_byte, to.processing_per_byte);
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
