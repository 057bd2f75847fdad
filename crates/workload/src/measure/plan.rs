//! What is measured: pairs, triplets, sizes, and which experiments.

use std::collections::BTreeSet;

use rand::RngExt;

use super::conditions::{Gaps, Outliers};
use super::traffic::Traffic;
use hetsim_base::engine::Streams;
use hetsim_cluster::{NodeId, Platform};
use hetsim_fit::Model;

/// At which sizes an experiment is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum SizeSelection {
    /// At none: it is not made.
    #[default]
    None,
    /// At the smallest.
    Smallest,
    /// At all.
    All,
}

impl SizeSelection {
    /// How many of `count` sizes these are, from the smallest on.
    pub(super) fn of(self, count: usize) -> usize {
        match self {
            Self::None => 0,
            Self::Smallest => count.min(1),
            Self::All => count,
        }
    }
}

/// Which experiments are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Experiments {
    /// Ping-pongs.
    pub round_trips: SizeSelection,
    /// Saturated trains, or round trips for gaps.
    pub gaps: SizeSelection,
    /// Delayed ping-pongs.
    pub overheads: SizeSelection,
    /// One node with two others.
    pub triplets: SizeSelection,
}

impl Experiments {
    /// The experiments that these models need. Ping-pongs of the smallest size are always among them, and of each size
    /// at which overheads are measured, since they say how long a delayed ping-pong has to wait.
    #[must_use]
    pub fn for_models(models: &[Model]) -> Self {
        let mut all = Self { round_trips: SizeSelection::Smallest, ..Self::default() };
        for model in models {
            let (round_trips, gaps, overheads, triplets) = match model {
                Model::Hockney => (SizeSelection::All, SizeSelection::None, SizeSelection::None, SizeSelection::None),
                Model::Logp => {
                    (SizeSelection::Smallest, SizeSelection::Smallest, SizeSelection::Smallest, SizeSelection::None)
                }
                Model::Loggp => {
                    (SizeSelection::Smallest, SizeSelection::All, SizeSelection::Smallest, SizeSelection::None)
                }
                Model::Plogp => (SizeSelection::All, SizeSelection::All, SizeSelection::All, SizeSelection::None),
                Model::Lmo => (SizeSelection::All, SizeSelection::None, SizeSelection::None, SizeSelection::All),
            };
            all.round_trips = all.round_trips.max(round_trips);
            all.gaps = all.gaps.max(gaps);
            all.overheads = all.overheads.max(overheads);
            all.triplets = all.triplets.max(triplets);
        }
        all
    }
}

/// A node's processor, as far as a delayed ping-pong has to know it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Processor {
    /// Operations a second of a core.
    pub speed: f64,
    /// Cores.
    pub cores: u32,
}

impl Processor {
    /// The processors of all nodes of a platform.
    #[must_use]
    pub fn of(platform: &Platform) -> Vec<Self> {
        let processor = |node| Self { speed: platform.speed_per_second(node), cores: platform.cores(node) };
        (0..platform.nodes()).map(|node| processor(NodeId(node))).collect()
    }
}

/// Everything that is to be measured.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ExperimentPlan {
    /// The pairs; the first of each starts its experiments.
    pub pairs: Vec<(u32, u32)>,
    /// The root and its two receivers, both of whose pairs with the root are among the pairs.
    pub triplets: Vec<(u32, u32, u32)>,
    /// The sizes of messages in ascending order.
    pub sizes: Vec<u64>,
    /// How often each experiment is repeated.
    pub repetitions: u32,
    /// How many messages a train has; a second one has twice as many.
    pub train: u32,
    /// Which experiments are made.
    pub experiments: Experiments,
    /// How gaps are measured.
    pub gaps: Gaps,
    /// Outliers: measured times that are too long.
    pub outliers: Option<Outliers>,
    /// Which one of several runs of benchmarks it is, where outliers are to be others in each.
    pub turn: u64,
    /// What else is under way.
    pub traffic: Traffic,
}

/// All pairs of `nodes` nodes, the lower number first.
#[must_use]
pub fn all_pairs(nodes: u32) -> Vec<(u32, u32)> {
    (0..nodes).flat_map(|from| (from + 1..nodes).map(move |to| (from, to))).collect()
}

/// `count` different pairs of `nodes` nodes, drawn evenly; all of them where there are no more.
#[must_use]
pub fn sampled_pairs(nodes: u32, count: u32, streams: &Streams) -> Vec<(u32, u32)> {
    let possible = u64::from(nodes) * u64::from(nodes.saturating_sub(1)) / 2;
    // Beyond half of them it is quicker to draw those that are left out; so many are all drawn from a list.
    if u64::from(count) * 2 >= possible {
        let mut all = all_pairs(nodes);
        let mut stream = streams.stream("measured pairs", 0);
        let count = all.len().min(count as usize);
        for place in 0..count {
            let other = stream.random_range(place..all.len());
            all.swap(place, other);
        }
        all.truncate(count);
        all.sort_unstable();
        return all;
    }
    let mut stream = streams.stream("measured pairs", 0);
    let mut drawn = BTreeSet::new();
    while drawn.len() < count as usize {
        let (one, other) = (stream.random_range(0..nodes), stream.random_range(0..nodes));
        if one != other {
            drawn.insert((one.min(other), one.max(other)));
        }
    }
    drawn.into_iter().collect()
}

/// For each node that has two pairs or more, an experiment with the first two of its partners.
#[must_use]
pub fn triplets(pairs: &[(u32, u32)], nodes: u32) -> Vec<(u32, u32, u32)> {
    let mut partners: Vec<Vec<u32>> = vec![Vec::new(); nodes as usize];
    for &(from, to) in pairs {
        for (node, partner) in [(from, to), (to, from)] {
            if let Some(partners) = partners.get_mut(node as usize).filter(|partners| partners.len() < 2) {
                partners.push(partner);
            }
        }
    }
    let of = |(root, partners): (u32, &Vec<u32>)| Some((root, *partners.first()?, *partners.get(1)?));
    (0..).zip(&partners).filter_map(of).collect()
}
