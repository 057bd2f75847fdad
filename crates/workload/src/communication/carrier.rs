//! A [`Plan`] as a program, rank r on node r: every rank completes when it has done its part.

use super::{Part, Steps, Volume};
use hetsim_cluster::{Context, NodeId, Program, TimerId, WorkId};
use hetsim_communication::tree::{Half, SplitBinary, Tree};
use hetsim_communication::{Plan, Segments};

/// The program of any plan.
#[derive(Debug)]
pub enum Carrier {
    /// See [`Forward`].
    Forward(Forward),
    /// See [`Split`].
    Split(Split),
    /// See [`Steps`].
    Steps(Steps),
}

impl Carrier {
    /// The program of a plan; `reduction` operations combine a byte with another.
    #[must_use]
    pub fn new(plan: Plan, reduction: f64) -> Self {
        match plan {
            Plan::Forward { tree, segments } => Self::Forward(Forward::new(tree, segments)),
            Plan::SplitBinary(plan) => Self::Split(Split::new(plan)),
            Plan::Steps(plan) => Self::Steps(Steps::new(plan, reduction)),
        }
    }

    /// What the whole plan has moved, once all ranks are done.
    #[must_use]
    pub fn volume(&self) -> Volume {
        let (ranks, message) = match self {
            Self::Steps(program) => return program.volume(),
            Self::Forward(program) => (program.tree.len(), program.segments.message()),
            Self::Split(program) => (program.plan.ranks(), program.plan.message()),
        };
        Volume { moved: message.saturating_mul(ranks.saturating_sub(1).into()), combined: 0 }
    }
}

impl From<Plan> for Carrier {
    fn from(plan: Plan) -> Self {
        Self::new(plan, 0.0)
    }
}

impl Program for Carrier {
    type Message = Part;

    fn describe(_: &Part) -> &'static str {
        "part"
    }

    fn start(&mut self, context: &mut impl Context<Part>) {
        match self {
            Self::Forward(program) => program.start(context),
            Self::Split(program) => program.start(context),
            Self::Steps(program) => program.start(context),
        }
    }

    #[inline]
    fn on_message(&mut self, at: NodeId, from: NodeId, part: Part, context: &mut impl Context<Part>) {
        match self {
            Self::Forward(program) => program.on_message(at, from, part, context),
            Self::Split(program) => program.on_message(at, from, part, context),
            Self::Steps(program) => program.on_message(at, from, part, context),
        }
    }

    // Whoever forwards sets no timers and computes nothing.
    fn on_timer(&mut self, at: NodeId, timer: TimerId, context: &mut impl Context<Part>) {
        if let Self::Steps(program) = self {
            program.on_timer(at, timer, context);
        }
    }

    fn on_computed(&mut self, at: NodeId, work: WorkId, context: &mut impl Context<Part>) {
        if let Self::Steps(program) = self {
            program.on_computed(at, work, context);
        }
    }
}

/// Every rank passes each segment on to its children as soon as it has it. A part is a segment's number.
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
    fn pass_on(&self, at: NodeId, segment: u32, context: &mut impl Context<Part>) {
        let bytes = self.segments.bytes(u64::from(segment));
        for child in self.tree.children(at.0) {
            context.send(at, NodeId(child), bytes, Part(segment));
        }
    }
}

impl Program for Forward {
    type Message = Part;

    fn start(&mut self, context: &mut impl Context<Part>) {
        let root = NodeId(0);
        for segment in 0..self.segments.count() as u32 {
            self.pass_on(root, segment, context);
        }
        context.complete(root);
    }

    #[inline]
    fn on_message(&mut self, at: NodeId, _: NodeId, Part(segment): Part, context: &mut impl Context<Part>) {
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

/// Each half of the message goes down one side of a tree, then the sides swap. A part is the number of a half's
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
    const OTHER_HALF: Part = Part(u32::MAX);

    /// The program of a plan.
    #[must_use]
    pub fn new(plan: SplitBinary) -> Self {
        let own = |rank| SplitBinary::half(rank).map_or(0, |half| plan.segments(half).count() as u32);
        let lacking_own: Vec<u32> = (0..plan.ranks()).map(own).collect();
        let lacking = lacking_own.iter().map(|own| own + 1).collect();
        Self { plan, tree: plan.tree(), lacking, lacking_own }
    }

    /// Sends a rank's half to its partner, if it has one.
    fn swap(&self, at: NodeId, context: &mut impl Context<Part>) {
        if let Some(partner) = self.plan.swaps_to(at.0) {
            let half = SplitBinary::half(at.0).unwrap_or(Half::Right);
            context.send(at, NodeId(partner), self.plan.segments(half).message(), Self::OTHER_HALF);
        }
    }
}

impl Program for Split {
    type Message = Part;

    fn start(&mut self, context: &mut impl Context<Part>) {
        let root = NodeId(0);
        for (half, segment) in self.plan.root_sends() {
            let child = NodeId(half as u32 + 1);
            context.send(root, child, self.plan.segments(half).bytes(segment), Part(segment as u32));
        }
        self.swap(root, context);
        context.complete(root);
    }

    fn on_message(&mut self, at: NodeId, _: NodeId, part: Part, context: &mut impl Context<Part>) {
        let rank = at.index();
        if let (true, Some(half)) = (part != Self::OTHER_HALF, SplitBinary::half(at.0)) {
            let bytes = self.plan.segments(half).bytes(u64::from(part.0));
            for child in self.tree.children(at.0) {
                context.send(at, NodeId(child), bytes, part);
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
