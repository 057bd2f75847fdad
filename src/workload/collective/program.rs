//! The program: every rank goes through its steps of one plan, once.

use super::carrier::{Carrier, Part, Progress, Ranks};
use crate::cluster::{Context, NodeId, Program, TimerId, WorkId};
use crate::communication::collective::Plan;
use crate::units::Time;

/// A collective operation. Alone or [embedded](crate::cluster::Embedded) in another program, a rank is complete when it
/// has done all its steps.
#[derive(Debug)]
pub struct Collective {
    carrier: Carrier,
    ranks: Ranks,
    /// When each rank comes, after the start; empty where all come at once.
    delays: Vec<Time>,
    /// The rank that starts before the others of its instant.
    first: u32,
}

impl Collective {
    /// The plan with rank r on node r; `reduction` operations combine a byte with another.
    #[must_use]
    pub fn new(plan: Plan, reduction: f64) -> Self {
        let nodes = (0..plan.ranks()).map(NodeId).collect();
        Self::placed(plan, reduction, nodes)
    }

    /// The plan with rank r on `nodes[r]`.
    #[must_use]
    pub fn placed(plan: Plan, reduction: f64, nodes: Vec<NodeId>) -> Self {
        Self { carrier: Carrier::new(plan, reduction), ranks: Ranks::new(nodes), delays: Vec::new(), first: 0 }
    }

    /// Lets rank r come `delays[r]` after the start; a rank beyond the list comes at once.
    #[must_use]
    pub fn with_delays(mut self, delays: Vec<Time>) -> Self {
        self.delays = delays;
        self
    }

    /// Lets the ranks start in a circle from this one, the root: of messages that are somewhere at the same instant,
    /// the one that was sent first comes first, as in a broadcast from there.
    #[must_use]
    pub const fn with_first(mut self, rank: u32) -> Self {
        self.first = rank;
        self
    }

    fn advance(&mut self, rank: u32, context: &mut impl Context<Part>) {
        if self.carrier.advance(rank, context, |rank| self.ranks.node(rank), |part| part) == Progress::Done {
            context.complete(self.ranks.node(rank));
        }
    }
}

impl Program for Collective {
    type Message = Part;

    fn describe(_: &Part) -> &'static str {
        "part"
    }

    fn start(&mut self, context: &mut impl Context<Part>) {
        let count = self.ranks.count();
        for rank in (self.first..count).chain(0..self.first.min(count)) {
            match self.delays.get(rank as usize) {
                Some(&delay) if delay > Time::ZERO => {
                    context.set_timer(self.ranks.node(rank), delay);
                }
                _ => self.advance(rank, context),
            }
        }
    }

    fn on_timer(&mut self, at: NodeId, _: TimerId, context: &mut impl Context<Part>) {
        self.advance(self.ranks.rank(at), context);
    }

    fn on_message(&mut self, at: NodeId, _: NodeId, part: Part, context: &mut impl Context<Part>) {
        let rank = self.ranks.rank(at);
        if self.carrier.receive(rank, part) {
            self.advance(rank, context);
        }
    }

    fn on_computed(&mut self, at: NodeId, _: WorkId, context: &mut impl Context<Part>) {
        self.advance(self.ranks.rank(at), context);
    }
}
