//! A plan carried out: what every rank has done of it, and which messages have come.

use std::collections::hash_map::Entry;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::cluster::{Context, NodeId};
use crate::communication::collective::{Plan, Step};

/// A message: the number of the step that receives it, over all ranks of the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part(pub u32);

/// How far a rank has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// It waits for a message.
    Waits,
    /// It combines what it has received.
    Computes,
    /// It is through, and could begin again.
    Done,
}

/// On which nodes the ranks are.
#[derive(Debug, Clone)]
pub struct Ranks {
    nodes: Vec<NodeId>,
    rank_of: Vec<u32>,
}

impl Ranks {
    /// Rank r is on `nodes[r]`; each node has one.
    #[must_use]
    pub fn new(nodes: Vec<NodeId>) -> Self {
        let most = nodes.iter().map(|node| node.index() + 1).max().unwrap_or_default();
        let mut rank_of = vec![0; most];
        for (node, rank) in nodes.iter().zip(0..) {
            rank_of[node.index()] = rank;
        }
        Self { nodes, rank_of }
    }

    /// The node of a rank.
    #[must_use]
    pub fn node(&self, rank: u32) -> NodeId {
        self.nodes[rank as usize]
    }

    /// The rank on a node.
    #[must_use]
    pub fn rank(&self, node: NodeId) -> u32 {
        self.rank_of[node.index()]
    }

    /// How many there are.
    #[must_use]
    pub const fn count(&self) -> u32 {
        self.nodes.len() as u32
    }
}

/// A plan under way. A rank may be in it again and again, and ranks may be in it for different times at once: messages that
/// come early are counted, and wait.
#[derive(Debug)]
pub struct Carrier {
    plan: Arc<Plan>,
    /// What combining a byte costs, in operations.
    reduction: f64,
    ranks: Vec<Place>,
    arrived: Arrived,
}

/// By step: messages that have come for it and are not used up.
#[derive(Debug)]
enum Arrived {
    /// A number for every step of a short plan.
    Each(Vec<u32>),
    /// In a long plan, those above zero.
    Some(FxHashMap<u32, u32>),
}

/// The most steps of a plan that has a number for each.
const SHORT: u32 = 1 << 20;

impl Arrived {
    fn new(steps: u32) -> Self {
        if steps <= SHORT { Self::Each(vec![0; steps as usize]) } else { Self::Some(FxHashMap::default()) }
    }

    fn add(&mut self, step: u32) {
        match self {
            Self::Each(numbers) => numbers[step as usize] += 1,
            Self::Some(numbers) => *numbers.entry(step).or_default() += 1,
        }
    }

    /// Uses a message up, if one is there.
    fn take(&mut self, step: u32) -> bool {
        match self {
            Self::Each(numbers) => {
                let number = &mut numbers[step as usize];
                let there = *number > 0;
                *number -= u32::from(there);
                there
            }
            Self::Some(numbers) => {
                let Entry::Occupied(mut number) = numbers.entry(step) else { return false };
                *number.get_mut() -= 1;
                if *number.get() == 0 {
                    number.remove();
                }
                true
            }
        }
    }
}

/// Where a rank is.
#[derive(Debug, Clone, Copy)]
struct Place {
    /// Its next step.
    step: u32,
    /// Whether it waits there for a message.
    waits: bool,
}

impl Carrier {
    /// The plan before any rank has begun; `reduction` operations combine a byte with another.
    #[must_use]
    pub fn new(plan: Arc<Plan>, reduction: f64) -> Self {
        let ranks = (0..plan.ranks()).map(|rank| Place { step: plan.of(rank).start, waits: false }).collect();
        let arrived = Arrived::new(plan.count());
        Self { plan, reduction, ranks, arrived }
    }

    /// A message is there. Whether its receiver waits for it, and is to be [advanced](Self::advance).
    pub fn receive(&mut self, rank: u32, part: Part) -> bool {
        self.arrived.add(part.0);
        let place = self.ranks[rank as usize];
        place.waits && place.step == part.0
    }

    /// Lets a rank go as far as it comes: from its beginning, from a message that it waited for, or from the end of a
    /// computation. `pack` makes the program's message of one of the plan's.
    pub fn advance<M>(
        &mut self,
        rank: u32,
        on: &Ranks,
        context: &mut impl Context<M>,
        pack: impl Fn(Part) -> M,
    ) -> Progress {
        let place = &mut self.ranks[rank as usize];
        let steps = self.plan.of(rank);
        place.waits = false;
        while place.step < steps.end {
            match self.plan.step(place.step) {
                Step::Send { to, blocks, receive } => {
                    context.send(on.node(rank), on.node(to), self.plan.bytes(blocks), pack(Part(receive)));
                }
                Step::Receive { blocks, combine, .. } => {
                    if !self.arrived.take(place.step) {
                        place.waits = true;
                        return Progress::Waits;
                    }
                    let operations = if combine { self.reduction * self.plan.bytes(blocks) as f64 } else { 0.0 };
                    if operations > 0.0 {
                        place.step += 1;
                        context.compute(on.node(rank), operations);
                        return Progress::Computes;
                    }
                }
            }
            place.step += 1;
        }
        place.step = steps.start;
        Progress::Done
    }
}
