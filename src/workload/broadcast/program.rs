//! A broadcast [`Plan`] as a program: rank 0 has the message, every rank completes when it has all of it.

use crate::cluster::{Context, NodeId, Program};
use crate::communication::Segments;
use crate::communication::intracluster::{Half, Plan, ScatterAllgather, SplitBinary, Tree};

/// A part of the message. What the number means, the plan says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece(u32);

/// The program of any plan.
#[derive(Debug)]
pub enum Broadcast {
    /// See [`Forward`].
    Forward(Forward),
    /// See [`Split`].
    Split(Split),
    /// See [`Gather`].
    Gather(Gather),
}

impl From<Plan> for Broadcast {
    fn from(plan: Plan) -> Self {
        match plan {
            Plan::Forward { tree, segments } => Self::Forward(Forward::new(tree, segments)),
            Plan::SplitBinary(plan) => Self::Split(Split::new(plan)),
            Plan::ScatterAllgather(plan) => Self::Gather(Gather::new(plan)),
        }
    }
}

impl Program for Broadcast {
    type Message = Piece;

    fn describe(_: &Piece) -> &'static str {
        "piece"
    }

    fn start(&mut self, context: &mut impl Context<Piece>) {
        match self {
            Self::Forward(program) => program.start(context),
            Self::Split(program) => program.start(context),
            Self::Gather(program) => program.start(context),
        }
    }

    #[inline]
    fn on_message(&mut self, at: NodeId, from: NodeId, piece: Piece, context: &mut impl Context<Piece>) {
        match self {
            Self::Forward(program) => program.on_message(at, from, piece, context),
            Self::Split(program) => program.on_message(at, from, piece, context),
            Self::Gather(program) => program.on_message(at, from, piece, context),
        }
    }
}

/// Every rank passes each segment on to its children as soon as it has it. A piece is a segment's number.
#[derive(Debug)]
pub struct Forward {
    tree: Tree,
    segments: Segments,
    /// How many segments each rank has; empty where there is only one.
    received: Vec<u32>,
}

impl Forward {
    /// The program of a tree.
    #[must_use]
    pub fn new(tree: Tree, segments: Segments) -> Self {
        let counted = if segments.count() > 1 { tree.len() as usize } else { 0 };
        Self { tree, segments, received: vec![0; counted] }
    }

    #[inline]
    fn pass_on(&self, at: NodeId, segment: u32, context: &mut impl Context<Piece>) {
        let bytes = self.segments.bytes(u64::from(segment));
        for child in self.tree.children(at.0) {
            context.send(at, NodeId(child), bytes, Piece(segment));
        }
    }
}

impl Program for Forward {
    type Message = Piece;

    fn start(&mut self, context: &mut impl Context<Piece>) {
        let root = NodeId(0);
        for segment in 0..self.segments.count() as u32 {
            self.pass_on(root, segment, context);
        }
        context.complete(root);
    }

    #[inline]
    fn on_message(&mut self, at: NodeId, _: NodeId, Piece(segment): Piece, context: &mut impl Context<Piece>) {
        self.pass_on(at, segment, context);
        if let Some(received) = self.received.get_mut(at.index()) {
            *received += 1;
            if u64::from(*received) < self.segments.count() {
                return;
            }
        }
        context.complete(at);
    }
}

/// Each half of the message goes down one side of a tree, then the sides swap. A piece is the number of a half's
/// segment, or `OTHER_HALF`.
#[derive(Debug)]
pub struct Split {
    plan: SplitBinary,
    tree: Tree,
    /// How many pieces each rank still lacks.
    lacking: Vec<u32>,
    /// How many segments of its own half each rank still lacks.
    lacking_own: Vec<u32>,
}

impl Split {
    const OTHER_HALF: Piece = Piece(u32::MAX);

    /// The program of a plan.
    #[must_use]
    pub fn new(plan: SplitBinary) -> Self {
        let own = |rank| SplitBinary::half(rank).map_or(0, |half| plan.segments(half).count() as u32);
        let lacking_own: Vec<u32> = (0..plan.ranks()).map(own).collect();
        let lacking = lacking_own.iter().map(|own| own + 1).collect();
        Self { plan, tree: plan.tree(), lacking, lacking_own }
    }

    /// Sends a rank's half to its partner, if it has one.
    fn swap(&self, at: NodeId, context: &mut impl Context<Piece>) {
        if let Some(partner) = self.plan.swaps_to(at.0) {
            let half = SplitBinary::half(at.0).unwrap_or(Half::Right);
            context.send(at, NodeId(partner), self.plan.segments(half).message(), Self::OTHER_HALF);
        }
    }
}

impl Program for Split {
    type Message = Piece;

    fn start(&mut self, context: &mut impl Context<Piece>) {
        let root = NodeId(0);
        for (half, segment) in self.plan.root_sends() {
            let child = NodeId(half as u32 + 1);
            context.send(root, child, self.plan.segments(half).bytes(segment), Piece(segment as u32));
        }
        self.swap(root, context);
        context.complete(root);
    }

    fn on_message(&mut self, at: NodeId, _: NodeId, piece: Piece, context: &mut impl Context<Piece>) {
        let rank = at.index();
        if let (true, Some(half)) = (piece != Self::OTHER_HALF, SplitBinary::half(at.0)) {
            let bytes = self.plan.segments(half).bytes(u64::from(piece.0));
            for child in self.tree.children(at.0) {
                context.send(at, NodeId(child), bytes, piece);
            }
            self.lacking_own[rank] -= 1;
            if self.lacking_own[rank] == 0 {
                self.swap(at, context);
            }
        }
        self.lacking[rank] -= 1;
        if self.lacking[rank] == 0 {
            context.complete(at);
        }
    }
}

/// Blocks are scattered down a tree, then exchanged until everyone has all. A piece is the number of a step of the
/// exchange, `BLOCKS` in the scatter, or `WHOLE` for a rank that stood aside.
#[derive(Debug)]
pub struct Gather {
    plan: ScatterAllgather,
    ranks: Vec<Gatherer>,
    /// Steps whose message overtook that of an earlier one (which jitter can bring about): (rank, step).
    early: std::collections::BTreeSet<(u32, u32)>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Gatherer {
    /// Whether it has its own block, so that its exchange may begin.
    ready: bool,
    /// Steps of the exchange whose message it has sent.
    sent: u32,
    /// Steps whose message it has received, all up to here.
    received: u32,
}

impl Gather {
    const BLOCKS: Piece = Piece(u32::MAX);
    const WHOLE: Piece = Piece(u32::MAX - 1);

    /// The program of a plan.
    #[must_use]
    pub fn new(plan: ScatterAllgather) -> Self {
        let ranks =
            (0..plan.members()).map(|rank| Gatherer { ready: plan.scatterer(rank).is_none(), ..Gatherer::default() });
        Self { plan, ranks: ranks.collect(), early: std::collections::BTreeSet::new() }
    }

    fn scatter(&self, at: NodeId, context: &mut impl Context<Piece>) {
        for transfer in self.plan.scatter(at.0) {
            context.send(at, NodeId(transfer.to), self.plan.blocks().bytes(&transfer.blocks), Self::BLOCKS);
        }
    }

    /// Sends what the exchange allows: a step's message once those of all earlier steps are there.
    fn exchange(&mut self, at: NodeId, context: &mut impl Context<Piece>) {
        let rank = &mut self.ranks[at.index()];
        let steps = self.plan.steps();
        if !rank.ready {
            return;
        }
        while rank.sent < steps && rank.sent <= rank.received {
            let send = self.plan.exchange(at.0, rank.sent).send;
            context.send(at, NodeId(send.to), self.plan.blocks().bytes(&send.blocks), Piece(rank.sent));
            rank.sent += 1;
        }
        if rank.sent == steps && rank.received == steps {
            if let Some(aside) = self.plan.aside(at.0) {
                let whole = self.plan.blocks().bytes(&(0..self.plan.members()));
                context.send(at, NodeId(aside), whole, Self::WHOLE);
            }
            context.complete(at);
        }
    }
}

impl Program for Gather {
    type Message = Piece;

    fn start(&mut self, context: &mut impl Context<Piece>) {
        self.scatter(NodeId(0), context);
        for rank in 0..self.plan.members() {
            self.exchange(NodeId(rank), context);
        }
    }

    fn on_message(&mut self, at: NodeId, _: NodeId, piece: Piece, context: &mut impl Context<Piece>) {
        if piece == Self::WHOLE {
            return context.complete(at);
        }
        if piece == Self::BLOCKS {
            self.scatter(at, context);
            self.ranks[at.index()].ready = true;
        } else {
            self.early.insert((at.0, piece.0));
            let rank = &mut self.ranks[at.index()];
            while self.early.remove(&(at.0, rank.received)) {
                rank.received += 1;
            }
        }
        self.exchange(at, context);
    }
}
