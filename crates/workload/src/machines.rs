//! The machines on which tasks may run, and other machines instead: fewer, the fastest, one more.

use std::collections::HashMap;
use std::ops::Range;

use hetsim_base::units::{OperationsPerSecond, Quantity};
use hetsim_cluster::{Availability, NodeId, Platform};

/// The most kinds of machines without which, and with one more of which, tasks are tried.
const MOST_KINDS: usize = 12;

/// A kind is clearly faster than the next slower one if it has so many times its speed.
const CLEARLY_FASTER: f64 = 1.1;

/// The most numbers of kinds that are left out because those that stay are clearly faster.
const MOST_STEPS: usize = 8;

/// Machines that are alike.
#[derive(Debug, Clone, PartialEq)]
pub struct MachineKind {
    /// What they are called.
    pub name: String,
    /// The nodes of each of them.
    pub machines: Vec<Vec<u32>>,
    /// The speed of a node, beside its load, in operations a second.
    pub speed: f64,
}

/// The nodes that run tasks, by the machines that they are on.
#[derive(Debug, Clone, PartialEq)]
pub struct Machines {
    /// The kinds of machines, the slowest first.
    pub kinds: Vec<MachineKind>,
    /// The nodes, the fastest first.
    pub fastest: Vec<u32>,
}

impl Machines {
    /// The machines of some nodes with their speeds: each node is one, unless those with several are `named`. Nodes of a
    /// cluster are alike if these speeds, those that the platform gives, their cores and their mean loads are the same.
    #[must_use]
    pub fn of(mut speeds: Vec<(u32, f64)>, platform: &Platform, named: &[(String, Range<u32>)]) -> Self {
        for (node, speed) in &mut speeds {
            *speed *= platform.availability(NodeId(*node)).map_or(1.0, Availability::mean_share);
        }
        let mut kinds: Vec<MachineKind> = Vec::new();
        for (name, nodes) in named {
            let of = || speeds.iter().filter(|(node, _)| nodes.contains(node));
            let machines = vec![of().map(|(node, _)| *node).collect()];
            kinds.extend(of().next().map(|&(_, speed)| MachineKind { name: name.clone(), machines, speed }));
        }
        if named.is_empty() {
            let mut numbers = HashMap::new();
            for &(node, speed) in &speeds {
                let (cluster, given) = (platform.cluster_of(NodeId(node)), platform.speed_per_second(NodeId(node)));
                let alike = (cluster, speed.to_bits(), given.to_bits(), platform.cores(NodeId(node)));
                let number = *numbers.entry(alike).or_insert(kinds.len());
                if number == kinds.len() {
                    let name = platform.clusters()[cluster].name.clone();
                    kinds.push(MachineKind { name, machines: Vec::new(), speed });
                }
                kinds[number].machines.push(vec![node]);
            }
            tell_apart(&mut kinds, platform);
        }
        kinds.sort_by(|a, b| a.speed.total_cmp(&b.speed));
        speeds.sort_by(|a, b| b.1.total_cmp(&a.1));
        Self { kinds, fastest: speeds.into_iter().map(|(node, _)| node).collect() }
    }

    /// The number of machines that have any of these nodes.
    #[must_use]
    pub fn with(&self, nodes: &[u32]) -> usize {
        let mut sorted = nodes.to_vec();
        sorted.sort_unstable();
        let has_any = |machine: &&Vec<u32>| machine.iter().any(|node| sorted.binary_search(node).is_ok());
        self.kinds.iter().flat_map(|kind| &kind.machines).filter(has_any).count()
    }

    /// How many of the slowest kinds there are below each clear step of speed, for the greatest steps; fewest first.
    #[must_use]
    pub fn slower_kinds(&self) -> Vec<usize> {
        let step = |count: usize| self.kinds[count].speed / self.kinds[count - 1].speed;
        let mut counts: Vec<usize> = (1..self.kinds.len()).filter(|&count| step(count) >= CLEARLY_FASTER).collect();
        counts.sort_by(|&a, &b| step(b).total_cmp(&step(a)));
        counts.truncate(MOST_STEPS);
        counts.sort_unstable();
        counts
    }

    /// The number of nodes without those of so many of the slowest kinds.
    #[must_use]
    pub fn nodes_without(&self, slowest: usize) -> usize {
        self.kinds[slowest..].iter().flat_map(|kind| &kind.machines).map(Vec::len).sum()
    }

    /// The share of all nodes' speed that so many machines of a kind have.
    #[must_use]
    pub fn share_of(&self, kind: &MachineKind, machines: usize) -> f64 {
        let of = |kind: &MachineKind, machines: usize| {
            kind.speed * kind.machines.iter().take(machines).map(Vec::len).sum::<usize>() as f64
        };
        of(kind, machines) / self.kinds.iter().map(|kind| of(kind, kind.machines.len())).sum::<f64>()
    }
}

/// Gives each kind a name of its own: a single machine by its number, others of a cluster with several kinds by the speed
/// that the platform gives; where that is the same by their cores, and else by the speed beside loads and at these tasks.
fn tell_apart(kinds: &mut [MachineKind], platform: &Platform) {
    let shown = |speed: f64| OperationsPerSecond::from_base(speed).map_or_else(|_| String::new(), |s| s.to_string());
    let given = |kind: &MachineKind| {
        let node = NodeId(kind.machines[0][0]);
        (kind.name.clone(), shown(platform.speed_per_second(node)), platform.cores(node))
    };
    let all: Vec<(String, String, u32)> = kinds.iter().map(given).collect();
    for (kind, (cluster, speed, cores)) in kinds.iter_mut().zip(&all) {
        if let [machine] = kind.machines.as_slice() {
            let node = machine[0];
            let first = platform.members(platform.cluster_of(NodeId(node))).start;
            kind.name = format!("node {node} ({cluster}.{})", node - first);
        } else if all.iter().filter(|other| other.0 == *cluster).count() > 1 {
            let alike = all.iter().filter(|other| (&other.0, &other.1) == (cluster, speed));
            let (count, as_many) =
                alike.fold((0, 0), |(all, same), other| (all + 1, same + u32::from(other.2 == *cores)));
            let plural = if *cores == 1 { "" } else { "s" };
            let with = if as_many < count { format!(" with {cores} core{plural}") } else { String::new() };
            let effective = if as_many > 1 { format!(" ({} in effect)", shown(kind.speed)) } else { String::new() };
            kind.name = format!("{cluster} at {speed}{with}{effective}");
        }
    }
}

/// Other machines, by the number of their kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MachineChange {
    /// One machine of a kind less.
    WithoutOne(usize),
    /// No machine of a kind of several.
    WithoutAll(usize),
    /// So many nodes only, the fastest.
    Fastest(usize),
    /// One machine of a kind more.
    OneMore(usize),
}

impl MachineChange {
    /// The changes to try: without the slowest kinds, with fewer nodes, fewest first, of which some are all that are clearly
    /// faster than the others, and with more of the fastest kinds.
    #[must_use]
    pub fn all(machines: &Machines) -> Vec<Self> {
        let (kinds, count) = (&machines.kinds, machines.fastest.len());
        let slowest = (0..kinds.len()).take(MOST_KINDS);
        let less = slowest.flat_map(|kind| {
            let all = (kinds[kind].machines.len() > 1).then_some(Self::WithoutAll(kind));
            [Self::WithoutOne(kind)].into_iter().chain(all)
        });
        let less = less.filter(|change| (1..count).contains(&change.nodes(machines).len()));
        let halves = std::iter::successors(Some(1), |fewer| Some(2 * fewer)).take_while(|&fewer| fewer < count);
        let clearly_faster = machines.slower_kinds().into_iter().map(|slowest| machines.nodes_without(slowest));
        let parts = [3 * count / 4, (7 * count).div_ceil(8)];
        let mut fewer: Vec<usize> = halves.chain(parts).chain(clearly_faster).collect();
        fewer.retain(|&fewer| fewer > 0 && fewer < count);
        fewer.sort_unstable();
        fewer.dedup();
        let more = (kinds.len().saturating_sub(MOST_KINDS)..kinds.len()).rev().map(Self::OneMore);
        less.chain(fewer.into_iter().map(Self::Fastest)).chain(more).collect()
    }

    /// The nodes that there are then.
    #[must_use]
    pub fn nodes(self, of: &Machines) -> Vec<u32> {
        let all = of.fastest.iter().copied();
        let without = |machines: &[Vec<u32>]| {
            let mut gone = machines.concat();
            gone.sort_unstable();
            all.clone().filter(|node| gone.binary_search(node).is_err()).collect()
        };
        match self {
            Self::WithoutOne(kind) => without(&of.kinds[kind].machines[..1]),
            Self::WithoutAll(kind) => without(&of.kinds[kind].machines),
            Self::Fastest(count) => all.take(count).collect(),
            Self::OneMore(kind) => all.chain(of.kinds[kind].machines[0].iter().copied()).collect(),
        }
    }
}
