//! A broadcast on two levels: between the clusters along a schedule, inside each cluster by a plan of its own.
//!
//! A cluster's coordinator passes the message on to other coordinators first and then begins the broadcast inside. With
//! one port a node the second waits for the first (the convention that ends at max(RT_i + T_i)); with a port per level
//! both go on at once (max(arrival_i + T_i)).

use super::program::{Broadcast, Piece};
use crate::cluster::{Context, Embedded, NodeId, Program, Scope};
use crate::communication::intracluster::Plan;

/// A message of the two-level broadcast.
#[derive(Debug, Clone, Copy)]
pub enum Packed {
    /// The whole message, from one coordinator to another.
    Between,
    /// A piece of it, inside a cluster.
    Intracluster(Piece),
}

/// One cluster's part.
#[derive(Debug)]
struct Cluster {
    coordinator: NodeId,
    /// The clusters to which its coordinator sends, in order.
    children: Vec<u32>,
    inside: Embedded<Broadcast, fn(Piece) -> Packed>,
}

/// The program.
#[derive(Debug)]
pub struct TwoLevel {
    bytes: u64,
    root: usize,
    clusters: Vec<Cluster>,
    /// By node: its cluster, and its rank in the broadcast inside.
    place: Vec<(u32, u32)>,
}

/// What a cluster does, for [`TwoLevel::new`].
#[derive(Debug)]
pub struct ClusterPlan {
    /// Its nodes, the coordinator first: the ranks of the plan inside.
    pub members: Vec<NodeId>,
    /// The clusters to which its coordinator sends, in order.
    pub children: Vec<u32>,
    /// The broadcast inside.
    pub inside: Plan,
}

impl TwoLevel {
    /// The broadcast of `bytes` from the coordinator of cluster `root`. Every node belongs to one cluster.
    #[must_use]
    pub fn new(bytes: u64, root: usize, plans: Vec<ClusterPlan>) -> Self {
        let nodes = plans.iter().map(|plan| plan.members.len()).sum();
        let mut place = vec![(0, 0); nodes];
        let clusters = plans.into_iter().zip(0..).map(|(plan, cluster)| {
            for (member, rank) in plan.members.iter().zip(0..) {
                place[member.index()] = (cluster, rank);
            }
            Cluster {
                coordinator: plan.members[0],
                children: plan.children,
                inside: Embedded::new(plan.inside.into(), Scope(1), plan.members, Packed::Intracluster),
            }
        });
        let clusters = clusters.collect();
        Self { bytes, root, clusters, place }
    }

    /// The coordinator of a cluster has the message.
    fn inform(&mut self, cluster: usize, context: &mut impl Context<Packed>) {
        let from = self.clusters[cluster].coordinator;
        for child in &self.clusters[cluster].children {
            context.send(from, self.clusters[*child as usize].coordinator, self.bytes, Packed::Between);
        }
        self.clusters[cluster].inside.start(context);
        self.pass_completions(cluster, context);
    }

    fn pass_completions(&mut self, cluster: usize, context: &mut impl Context<Packed>) {
        while let Some(node) = self.clusters[cluster].inside.next_completed() {
            context.complete(node);
        }
    }
}

impl Program for TwoLevel {
    type Message = Packed;

    fn describe(message: &Packed) -> &'static str {
        match message {
            Packed::Between => "whole",
            Packed::Intracluster(piece) => Broadcast::describe(piece),
        }
    }

    fn start(&mut self, context: &mut impl Context<Packed>) {
        self.inform(self.root, context);
    }

    fn on_message(&mut self, at: NodeId, from: NodeId, message: Packed, context: &mut impl Context<Packed>) {
        let (cluster, rank) = self.place[at.index()];
        let cluster = cluster as usize;
        match message {
            Packed::Between => self.inform(cluster, context),
            Packed::Intracluster(piece) => {
                let sender = self.place[from.index()].1;
                self.clusters[cluster].inside.on_message(NodeId(rank), NodeId(sender), piece, context);
                self.pass_completions(cluster, context);
            }
        }
    }
}

/// A broadcast whose rank 0 is not node 0, or whose ranks lie elsewhere than on the nodes in their order.
#[derive(Debug)]
pub struct Placed {
    inside: Embedded<Broadcast, fn(Piece) -> Piece>,
    rank_of: Vec<u32>,
}

impl Placed {
    /// The broadcast of `plan` with rank r on `nodes[r]`.
    #[must_use]
    pub fn new(plan: Plan, nodes: Vec<NodeId>) -> Self {
        let mut rank_of = vec![0; nodes.len()];
        for (node, rank) in nodes.iter().zip(0..) {
            rank_of[node.index()] = rank;
        }
        Self { inside: Embedded::new(plan.into(), Scope::HOST, nodes, std::convert::identity), rank_of }
    }

    fn pass_completions(&mut self, context: &mut impl Context<Piece>) {
        while let Some(node) = self.inside.next_completed() {
            context.complete(node);
        }
    }
}

impl Program for Placed {
    type Message = Piece;

    fn describe(piece: &Piece) -> &'static str {
        Broadcast::describe(piece)
    }

    fn start(&mut self, context: &mut impl Context<Piece>) {
        self.inside.start(context);
        self.pass_completions(context);
    }

    fn on_message(&mut self, at: NodeId, from: NodeId, piece: Piece, context: &mut impl Context<Piece>) {
        let rank = |node: NodeId| NodeId(self.rank_of[node.index()]);
        let (at, from) = (rank(at), rank(from));
        self.inside.on_message(at, from, piece, context);
        self.pass_completions(context);
    }
}
