//! The calls of a message-passing library by which ranks carry a plan out: sends and receives that block, do not block,
//! or go in pairs.
//!
//! A plan says where a rank [waits](StepPlan::after) for all that it has begun. At the start of such a group of steps
//! its receives are posted, and the next one if the plan posts it ahead; then its sends are handed over, and its
//! messages awaited, in their order. What a rank does to its own memory, and the combination of what it receives, costs
//! what the platform's [memory](Memory) says.

use std::sync::Arc;

use super::Part;
use hetsim_cluster::{Context, Memory, Moved, NodeId, Platform, Receive};
use hetsim_communication::steps::{After, LocalWork, Step, StepPlan};

/// What calls cost on a platform; all plans of a program share it.
#[derive(Debug, Clone)]
pub struct CallCosts {
    memory: Memory,
    /// By node, in operations per second.
    speeds: Arc<[f64]>,
}

impl CallCosts {
    /// Those of a platform.
    #[must_use]
    pub fn of(platform: &Platform) -> Self {
        let speeds = (0..platform.nodes()).map(|node| platform.speed_per_second(NodeId(node)));
        Self { memory: *platform.memory(), speeds: speeds.collect() }
    }
}

/// How far the ranks of a plan have come with their calls.
#[derive(Debug)]
pub(super) struct Caller {
    costs: CallCosts,
    /// The working set of a rank: the data that it holds, in bytes.
    set: u64,
    /// What the tags of its messages begin with.
    series: u32,
    ranks: Vec<CallGroup>,
}

/// A group of steps that a rank has begun together.
#[derive(Debug, Clone, Copy, Default)]
struct CallGroup {
    /// Where it ends.
    end: u32,
    /// The first step whose receive is not posted.
    unposted: u32,
    /// The rank's messages that have not left.
    unsent: u32,
}

impl Caller {
    /// Before any rank has begun; the messages of the plan have tags of this series.
    pub(super) fn new(plan: &StepPlan, series: u32, costs: CallCosts) -> Self {
        let ranks = vec![CallGroup::default(); plan.ranks() as usize];
        Self { costs, set: plan.working_set(), series, ranks }
    }

    /// A rank hands a message over.
    pub(super) fn send(&mut self, rank: u32) {
        self.ranks[rank as usize].unsent += 1;
    }

    /// A message of a rank has left. Whether it is the last of those that it has handed over.
    pub(super) fn sent(&mut self, rank: u32) -> bool {
        let unsent = &mut self.ranks[rank as usize].unsent;
        *unsent -= 1;
        *unsent == 0
    }

    /// A rank is through, and could begin again.
    pub(super) fn end(&mut self, rank: u32) {
        self.ranks[rank as usize] = CallGroup::default();
    }

    /// Begins the next group where a rank is at the end of one. Whether it need not wait for its sends first.
    pub(super) fn goes_on<M>(
        &mut self,
        plan: &StepPlan,
        (rank, step): (u32, u32),
        context: &mut impl Context<M>,
        node: impl Fn(u32) -> NodeId,
    ) -> bool {
        let CallGroup { end, unposted, unsent } = self.ranks[rank as usize];
        if step < end {
            return true;
        }
        if unsent > 0 {
            return false;
        }
        let mut post = |step: u32| {
            let next = plan.step(rank, step);
            if let Some(Step::Receive { from, bytes, .. }) = next.filter(|_| step >= unposted) {
                let receive = Receive { from: Some(node(from)), tag: Some(Part(step).tag(self.series)), bytes };
                context.post(node(rank), receive);
            }
            next.is_some()
        };
        let (mut end, mut is_ahead) = (step, false);
        while post(end) {
            end += 1;
            match plan.after(rank, end - 1) {
                After::GoesOn => continue,
                After::Waits => {}
                After::PostsAndWaits => is_ahead = post(end),
            }
            break;
        }
        self.ranks[rank as usize] = CallGroup { end, unposted: end + u32::from(is_ahead), unsent };
        true
    }

    /// What it takes to combine so many bytes on a node: operations, of which `reduction` combine a byte with another,
    /// and what they move. Two bytes are read for each that is written.
    pub(super) fn combine(&self, node: NodeId, bytes: u64, reduction: f64) -> (f64, Moved) {
        let (memory, speed) = (&self.costs.memory, self.speed(node));
        let operations = (memory.combine_s(bytes, self.set) + reduction * bytes as f64 / speed) * speed;
        (operations, self.moved(3.0 * bytes as f64))
    }

    /// What it takes a rank on a node to handle its own memory: operations, and what they move.
    pub(super) fn handle(
        &self,
        plan: &StepPlan,
        (rank, node): (u32, NodeId),
        work: LocalWork,
        bytes: u64,
    ) -> (f64, Moved) {
        let (seconds, moved) = match work {
            LocalWork::Copy => (self.costs.memory.copy_s(bytes, self.set), self.moved(2.0 * bytes as f64)),
            LocalWork::Allocate => (self.allocation_s(plan, rank, bytes), Moved::Pages(bytes as f64)),
        };
        (seconds * self.speed(node), moved)
    }

    /// Bytes of the working set that are read or written.
    fn moved(&self, bytes: f64) -> Moved {
        if self.set > self.costs.memory.cache { Moved::Bytes(bytes) } else { Moved::Nothing }
    }

    fn speed(&self, node: NodeId) -> f64 {
        self.costs.speeds[node.index()]
    }

    /// The time of one of the buffers that a rank obtains in its call.
    fn allocation_s(&self, plan: &StepPlan, rank: u32, bytes: u64) -> f64 {
        let memory = &self.costs.memory;
        if !memory.charges_buffers() {
            return 0.0;
        }
        let local = (0..).map_while(|step| match plan.step(rank, step) {
            Some(Step::Local { work, bytes }) => Some((work, bytes)),
            Some(Step::Send { .. } | Step::Receive { .. }) | None => None,
        });
        let buffers = local.filter_map(|(work, bytes)| (work == LocalWork::Allocate).then_some(bytes));
        let (all, largest) =
            buffers.fold((0u64, 0), |(all, largest), bytes| (all.saturating_add(bytes), bytes.max(largest)));
        memory.allocate_s(bytes, all, largest)
    }
}
