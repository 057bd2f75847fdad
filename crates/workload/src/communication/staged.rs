//! Plans on some nodes, one after the other: a placement of the ranks, or the levels of a platform.
//!
//! Each plan is a *stage*. On one level there is one, whose ranks lie elsewhere than on the nodes in their order. On
//! two there is one among the coordinators of the clusters and one inside each; on all levels each unit of the platform
//! has a stage, a broadcast among the coordinators of its parts. A node has the message when its first stage completes
//! there; then it begins the stages whose root it is, the outermost first. With one port a node they follow each other;
//! with a port per level the sends of all go on at once.

use super::{Carrier, Part, Volume};
use hetsim_cluster::{Context, Embedded, NodeId, Program, Scope, TimerId, WorkId};

/// The program.
#[derive(Debug)]
pub struct Staged {
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
    inside: Embedded<Carrier, fn(Part) -> Part>,
}

/// The home of the node that has the message from the start.
const NONE: u32 = u32::MAX;

impl Staged {
    /// Stages, each with the nodes of its ranks. The first is begun by its first member, its root; any other comes
    /// after that which brings the message to its root, and each node but the first of all is in exactly one stage of
    /// which it is not the root.
    #[must_use]
    pub fn new(stages: impl IntoIterator<Item = (Vec<NodeId>, Carrier)>) -> Self {
        let stages: Vec<(Vec<NodeId>, Carrier)> = stages.into_iter().collect();
        let members = || stages.iter().map(|(members, _)| members);
        let nodes = members().flatten().map(|node| node.index() + 1).max().unwrap_or(0);
        let root = stages.first().map_or(NodeId(0), |(members, _)| members[0]);
        let mut home = vec![(NONE, 0); nodes];
        let mut counts = vec![0u32; nodes];
        for (members, number) in members().zip(0..) {
            counts[members[0].index()] += 1;
            for (member, rank) in members.iter().zip(0..).skip(1) {
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
        for (members, number) in members().zip(0..) {
            let place = &mut free[members[0].index()];
            rooted[*place as usize] = number;
            *place += 1;
        }
        let running = stages.into_iter().map(|(members, carrier)| Running {
            root: members[0],
            inside: Embedded::new(carrier, Scope(1), members, std::convert::identity as fn(_) -> _),
        });
        Self { root, stages: running.collect(), home, rooted, next }
    }

    /// What all stages have moved, once all nodes are done.
    #[must_use]
    pub fn volume(&self) -> Volume {
        let stages = self.stages.iter().map(|stage| stage.inside.inner().volume());
        stages.fold(Volume::default(), |sum, one| Volume {
            moved: sum.moved.saturating_add(one.moved),
            combined: sum.combined.saturating_add(one.combined),
        })
    }

    /// A node is done with a stage, or has the message from the start: it begins its next one.
    fn go_on(&mut self, at: NodeId, context: &mut impl Context<Part>) {
        // A single node has no stage at all.
        let Some((next, _)) = self.next.get_mut(at.index()).filter(|(next, end)| next < end) else {
            return context.complete(at);
        };
        let stage = self.rooted[*next as usize] as usize;
        *next += 1;
        self.stages[stage].inside.start(context);
        self.pass_completions(stage, context);
    }

    fn pass_completions(&mut self, stage: usize, context: &mut impl Context<Part>) {
        while let Some(node) = self.stages[stage].inside.next_completed() {
            self.go_on(node, context);
        }
    }

    /// Where a node has set a timer or computes: only a plan of a single stage does so.
    fn place(&self, node: NodeId) -> (usize, NodeId) {
        let stage = self.home[node.index()].0;
        let stage = if stage == NONE { 0 } else { stage as usize };
        (stage, self.rank(node, stage))
    }

    /// The rank of a node in a stage.
    fn rank(&self, node: NodeId, stage: usize) -> NodeId {
        NodeId(if self.stages[stage].root == node { 0 } else { self.home[node.index()].1 })
    }
}

impl Program for Staged {
    type Message = Part;

    fn describe(part: &Part) -> &'static str {
        Carrier::describe(part)
    }

    fn start(&mut self, context: &mut impl Context<Part>) {
        self.go_on(self.root, context);
    }

    fn on_message(&mut self, at: NodeId, from: NodeId, part: Part, context: &mut impl Context<Part>) {
        // Two nodes meet in one stage only. It is the sender's home where the receiver is its root; otherwise the
        // receiver's.
        let senders = self.home[from.index()].0;
        let root_hears = self.stages.get(senders as usize).is_some_and(|stage| stage.root == at);
        let stage = if root_hears { senders } else { self.home[at.index()].0 } as usize;
        let (rank, sender) = (self.rank(at, stage), self.rank(from, stage));
        self.stages[stage].inside.on_message(rank, sender, part, context);
        self.pass_completions(stage, context);
    }

    fn on_timer(&mut self, at: NodeId, timer: TimerId, context: &mut impl Context<Part>) {
        let (stage, rank) = self.place(at);
        self.stages[stage].inside.on_timer(rank, timer, context);
        self.pass_completions(stage, context);
    }

    fn on_computed(&mut self, at: NodeId, work: WorkId, context: &mut impl Context<Part>) {
        let (stage, rank) = self.place(at);
        self.stages[stage].inside.on_computed(rank, work, context);
        self.pass_completions(stage, context);
    }
}
