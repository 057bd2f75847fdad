//! The one program that carries out any plan of [`communication`](hetsim_communication): on any nodes, on one, two or
//! all levels, alone or inside another program.

mod caller;
mod calls;
mod carrier;
mod checks;
mod early;
mod groups;
mod placement;
mod rounds;
mod staged;
mod steps;
mod unit;

use hetsim_cluster::{Context, NodeId, Program, TimerId, Traffic, WorkId};
use hetsim_communication::Plan;

pub use caller::CallCosts;
pub use calls::Calls;
pub use carrier::{Carrier, Forward, Split};
pub(crate) use checks::{
    check_levels, check_memory, cost_among, cost_of_choice, is_steady, usual_fanout, usual_radix, usual_segment,
};
pub use groups::RankGroups;
pub use placement::Placement;
pub(crate) use placement::{after_root, check_root, rank_after};
pub use staged::Staged;
pub use steps::{Progress, Steps, Volume};
pub use unit::Levels;
pub(crate) use unit::{Unit, levels_of};

/// All messages of a plan with rank r on `members[r]`, or on node r where no members are given.
pub(crate) fn traffic(plan: &Plan, members: &[NodeId]) -> Vec<Traffic> {
    let node = |rank: u32| members.get(rank as usize).copied().unwrap_or(NodeId(rank));
    let mut traffic = Vec::new();
    plan.each_message(|from, to, bytes, count| {
        traffic.push(Traffic { from: node(from), to: node(to), bytes, count });
    });
    traffic
}

/// A message. What the number means, the plan says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part(u32);

impl Part {
    /// Its tag in a program with a series of plans.
    #[must_use]
    pub fn tag(self, series: u32) -> u64 {
        (u64::from(series) << 32) | u64::from(self.0)
    }
}

/// The program. A node completes when it has done all its part.
#[derive(Debug)]
pub enum Communication {
    /// One plan, rank r on node r: nothing is kept for each node but what the plan asks for.
    Direct(Carrier),
    /// Plans elsewhere, or one after the other.
    Staged(Staged),
}

impl Communication {
    /// A plan with rank r on `members[r]`, or on node r where no members are given.
    #[must_use]
    pub fn placed(carrier: Carrier, members: Vec<NodeId>) -> Self {
        if members.iter().zip(0..).all(|(node, rank)| node.0 == rank) {
            Self::Direct(carrier)
        } else {
            Self::staged([(members, carrier)])
        }
    }

    /// Plans, each among some nodes, the outermost first: see [`Staged`].
    #[must_use]
    pub fn staged(stages: impl IntoIterator<Item = (Vec<NodeId>, Carrier)>) -> Self {
        Self::Staged(Staged::new(stages))
    }

    /// What has been moved, once all nodes are done.
    #[must_use]
    pub fn volume(&self) -> Volume {
        match self {
            Self::Direct(carrier) => carrier.volume(),
            Self::Staged(staged) => staged.volume(),
        }
    }
}

impl Program for Communication {
    type Message = Part;

    fn describe(part: &Part) -> &'static str {
        Carrier::describe(part)
    }

    fn start(&mut self, context: &mut impl Context<Part>) {
        match self {
            Self::Direct(carrier) => carrier.start(context),
            Self::Staged(staged) => staged.start(context),
        }
    }

    #[inline]
    fn on_message(&mut self, at: NodeId, from: NodeId, part: Part, context: &mut impl Context<Part>) {
        match self {
            Self::Direct(carrier) => carrier.on_message(at, from, part, context),
            Self::Staged(staged) => staged.on_message(at, from, part, context),
        }
    }

    fn on_timer(&mut self, at: NodeId, timer: TimerId, context: &mut impl Context<Part>) {
        match self {
            Self::Direct(carrier) => carrier.on_timer(at, timer, context),
            Self::Staged(staged) => staged.on_timer(at, timer, context),
        }
    }

    fn on_computed(&mut self, at: NodeId, work: WorkId, context: &mut impl Context<Part>) {
        match self {
            Self::Direct(carrier) => carrier.on_computed(at, work, context),
            Self::Staged(staged) => staged.on_computed(at, work, context),
        }
    }
}
