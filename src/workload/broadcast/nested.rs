//! A broadcast on all levels of a platform: between sites, between the clusters of each, and so on down to single nodes.
//!
//! Each unit of the platform has a *stage*: a broadcast among the coordinators of its parts. A node has the message
//! when its first stage completes there; then it begins the stages whose root it is, the outermost first. With one port a node
//! they follow each other; with a port per level the sends of all go on at once.

use super::program::{Broadcast, Piece};
use crate::cluster::{Context, Embedded, NodeId, Program, Scope};
use crate::communication::intracluster::Plan;

/// A broadcast among some nodes, the root first: rank r of the plan is on the r-th.
#[derive(Debug, Clone)]
pub struct Stage {
    /// The nodes of the ranks.
    pub members: Vec<NodeId>,
    /// Who sends what to whom.
    pub plan: Plan,
}

/// The program.
#[derive(Debug)]
pub struct Nested {
    root: NodeId,
    stages: Vec<Running>,
    /// By node: the stage that brings it the message and its rank there.
    home: Vec<(u32, u32)>,
    /// The stages by root, outermost first.
    rooted: Vec<u32>,
    /// By node: which of `rooted` it begins next, and where its own end.
    next: Vec<(u32, u32)>,
}

/// A stage in the course of a run.
#[derive(Debug)]
struct Running {
    root: NodeId,
    inside: Embedded<Broadcast, fn(Piece) -> Piece>,
}

/// The home of the node that has the message from the start.
const NONE: u32 = u32::MAX;

impl Nested {
    /// The broadcast over `nodes` nodes from `root`. A stage comes after that which brings the message to its root, and
    /// each node but the root is in exactly one stage of which it is not the root.
    #[must_use]
    pub fn new(nodes: u32, root: NodeId, stages: Vec<Stage>) -> Self {
        let mut home = vec![(NONE, 0); nodes as usize];
        let mut counts = vec![0u32; nodes as usize];
        for (stage, number) in stages.iter().zip(0..) {
            counts[stage.members[0].index()] += 1;
            for (member, rank) in stage.members.iter().zip(0..).skip(1) {
                home[member.index()] = (number, rank);
            }
        }
        let mut end = 0;
        let next = counts.iter().map(|count| {
            end += count;
            (end - count, end)
        });
        let next: Vec<(u32, u32)> = next.collect();
        let mut free: Vec<u32> = next.iter().map(|range| range.0).collect();
        let mut rooted = vec![0; stages.len()];
        for (stage, number) in stages.iter().zip(0..) {
            let place = &mut free[stage.members[0].index()];
            rooted[*place as usize] = number;
            *place += 1;
        }
        let running = stages.into_iter().map(|stage| Running {
            root: stage.members[0],
            inside: Embedded::new(stage.plan.into(), Scope(1), stage.members, std::convert::identity as fn(_) -> _),
        });
        Self { root, stages: running.collect(), home, rooted, next }
    }

    /// A node is done with a stage, or has the message from the start: it begins its next one.
    fn go_on(&mut self, at: NodeId, context: &mut impl Context<Piece>) {
        let (next, end) = &mut self.next[at.index()];
        if *next == *end {
            return context.complete(at);
        }
        let stage = self.rooted[*next as usize] as usize;
        *next += 1;
        self.stages[stage].inside.start(context);
        self.pass_completions(stage, context);
    }

    fn pass_completions(&mut self, stage: usize, context: &mut impl Context<Piece>) {
        while let Some(node) = self.stages[stage].inside.next_completed() {
            self.go_on(node, context);
        }
    }

    /// The rank of a node in a stage.
    fn rank(&self, node: NodeId, stage: usize) -> NodeId {
        NodeId(if self.stages[stage].root == node { 0 } else { self.home[node.index()].1 })
    }
}

impl Program for Nested {
    type Message = Piece;

    fn describe(piece: &Piece) -> &'static str {
        Broadcast::describe(piece)
    }

    fn start(&mut self, context: &mut impl Context<Piece>) {
        self.go_on(self.root, context);
    }

    fn on_message(&mut self, at: NodeId, from: NodeId, piece: Piece, context: &mut impl Context<Piece>) {
        // Two nodes meet in one stage only. It is the sender's home where the receiver is its root; otherwise the
        // receiver's.
        let senders = self.home[from.index()].0;
        let root_hears = self.stages.get(senders as usize).is_some_and(|stage| stage.root == at);
        let stage = if root_hears { senders } else { self.home[at.index()].0 } as usize;
        let (rank, sender) = (self.rank(at, stage), self.rank(from, stage));
        self.stages[stage].inside.on_message(rank, sender, piece, context);
        self.pass_completions(stage, context);
    }
}
