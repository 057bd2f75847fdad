//! The program of phases: every rank goes through the same phases in its own time.

use rand_distr::Distribution;

use super::schedule::{Phase, PhaseWork, Schedule};
use crate::communication::{CallCosts, Part, Progress, Steps};
use hetsim_base::units::Time;
use hetsim_cluster::{Context, Kernel, NodeId, PhaseOf, Platform, Program, SendId, TimerId, WorkId};

/// A message of a phase.
#[derive(Debug, Clone, Copy)]
pub struct PhaseMessage {
    phase: u32,
    part: Part,
}

/// The program. Ranks wait for each other only where messages make them; a message for a phase that its receiver has
/// not reached waits there.
#[derive(Debug)]
pub struct Phases<'s> {
    schedule: &'s Schedule,
    platform: &'s Platform,
    ranks: Ranks,
    /// By phase: the kernel that it calls.
    kernels: Vec<Option<&'s Kernel>>,
    /// By phase: the steps of each group; none where no messages are sent.
    exchanges: Vec<Option<Vec<Steps>>>,
    /// Whether messages are sent by the calls of a message-passing library, not to receivers that are always ready.
    by_calls: bool,
    /// By phase: the ranks that have come to one whose time is given, and wait there for the others.
    come: Vec<u32>,
    places: Vec<Place>,
    /// By phase and rank: the time spent in it.
    spent: Vec<Time>,
}

/// On which nodes the ranks are.
#[derive(Debug, Clone)]
struct Ranks {
    nodes: Vec<NodeId>,
    rank_of: Vec<u32>,
}

impl Ranks {
    /// Rank r is on `nodes[r]`; each node has one.
    fn new(nodes: Vec<NodeId>) -> Self {
        let mut rank_of = vec![0; nodes.len()];
        for (node, rank) in nodes.iter().zip(0..) {
            rank_of[node.index()] = rank;
        }
        Self { nodes, rank_of }
    }

    fn node(&self, rank: u32) -> NodeId {
        self.nodes[rank as usize]
    }

    fn rank(&self, node: NodeId) -> u32 {
        self.rank_of[node.index()]
    }

    const fn count(&self) -> u32 {
        self.nodes.len() as u32
    }
}

/// Where a rank is.
#[derive(Debug, Clone, Copy)]
struct Place {
    /// How many phases it has behind it.
    passed: u32,
    /// Since when it is in the one it is in.
    since: Time,
}

impl<'s> Phases<'s> {
    /// The program with rank r on `nodes[r]`; `reduction` operations combine a byte with another.
    #[must_use]
    pub fn new(schedule: &'s Schedule, platform: &'s Platform, nodes: Vec<NodeId>, reduction: f64) -> Self {
        let exchange = |phase: &Phase| match phase {
            Phase::Compute { .. } | Phase::Timed { .. } => None,
            Phase::Exchange { plans, .. } => {
                Some(plans.iter().map(|plan| Steps::new(plan.clone(), reduction)).collect())
            }
        };
        let kernel = |phase: &Phase| match phase {
            Phase::Compute { work: PhaseWork::Call(call), .. } => platform.kernel(&call.kernel),
            Phase::Compute { .. } | Phase::Timed { .. } | Phase::Exchange { .. } => None,
        };
        Self {
            schedule,
            platform,
            kernels: schedule.phases().iter().map(kernel).collect(),
            exchanges: schedule.phases().iter().map(exchange).collect(),
            by_calls: false,
            come: vec![0; schedule.phases().len()],
            places: vec![Place { passed: 0, since: Time::ZERO }; nodes.len()],
            spent: vec![Time::ZERO; nodes.len() * schedule.phases().len()],
            ranks: Ranks::new(nodes),
        }
    }

    /// The same by the calls of a message-passing library: a message has the number of its phase and that of its step
    /// as its tag.
    #[must_use]
    pub fn by_calls(self) -> Self {
        let costs = CallCosts::of(self.platform);
        let exchanges = (0..).zip(self.exchanges).map(|(series, exchange): (u32, Option<Vec<Steps>>)| {
            Some(exchange?.into_iter().map(|steps| steps.by_calls(series, &costs)).collect())
        });
        Self { exchanges: exchanges.collect(), by_calls: true, ..self }
    }

    /// How long each rank was in a phase, over all times.
    #[must_use]
    pub fn spent(&self, phase: usize) -> &[Time] {
        let ranks = self.places.len();
        &self.spent[phase * ranks..(phase + 1) * ranks]
    }

    /// Lets a rank go on: into its next phases, as far as it comes.
    fn go_on(&mut self, rank: u32, context: &mut impl Context<PhaseMessage>) {
        while let Some(phase) = self.schedule.at(self.places[rank as usize].passed) {
            context.enter_phase(self.ranks.node(rank), phase);
            let through = match (&mut self.exchanges[phase as usize], &self.schedule.phases()[phase as usize]) {
                (Some(steps), Phase::Exchange { groups, .. }) => groups.seat(rank).is_none_or(|(group, own)| {
                    let ranks = &self.ranks;
                    let pack = |part| PhaseMessage { phase, part };
                    let node = |place| ranks.node(groups.rank(group, place));
                    steps[group].advance(own, context, node, pack) == Progress::Done
                }),
                (_, Phase::Timed { length, .. }) => {
                    self.come_to(phase, *length, context);
                    false
                }
                (_, Phase::Compute { .. } | Phase::Exchange { .. }) => !self.compute(phase, rank, context),
            };
            if !through {
                return;
            }
            self.leave(rank, phase, context.now());
        }
        context.complete(self.ranks.node(rank));
    }

    /// The steps of a rank's group in an exchange, and its place there.
    fn steps_of(&mut self, phase: u32, rank: u32) -> Option<(&mut Steps, u32)> {
        let Phase::Exchange { groups, .. } = &self.schedule.phases()[phase as usize] else { return None };
        let (group, own) = groups.seat(rank)?;
        Some((self.exchanges[phase as usize].as_mut()?.get_mut(group)?, own))
    }

    /// A rank has come to a phase of a given length, which begins when it is the last one.
    fn come_to(&mut self, phase: u32, length: Time, context: &mut impl Context<PhaseMessage>) {
        let come = &mut self.come[phase as usize];
        *come += 1;
        if *come == self.ranks.count() {
            // None can come again before all have left.
            *come = 0;
            for rank in 0..self.ranks.count() {
                context.set_timer(self.ranks.node(rank), length);
            }
        }
    }

    /// Starts a computation; false where there is nothing to compute.
    fn compute(&self, phase: u32, rank: u32, context: &mut impl Context<PhaseMessage>) -> bool {
        let Phase::Compute { work, spread, .. } = &self.schedule.phases()[phase as usize] else { return false };
        let node = self.ranks.node(rank);
        // An execution of a phase on a rank names the draw.
        let execution = u64::from(self.places[rank as usize].passed) * u64::from(self.ranks.count()) + u64::from(rank);
        let mut operations = match (work, self.kernels[phase as usize]) {
            (PhaseWork::Operations(operations), _) => *operations,
            (PhaseWork::Call(call), Some(kernel)) => {
                let seconds = call.draw_s(kernel, node, 1.0, &mut context.stream("kernel call", execution));
                seconds * self.platform.speed_per_second(node)
            }
            // The scenario was checked: a run has the kernels of its platform.
            (PhaseWork::Call(_), None) => 0.0,
        };
        if let Some(spread) = spread {
            operations *= spread.sample(&mut context.stream("imbalance", execution));
        }
        if operations > 0.0 {
            context.compute(node, operations);
        }
        operations > 0.0
    }

    fn leave(&mut self, rank: u32, phase: u32, now: Time) {
        let ranks = self.places.len();
        let place = &mut self.places[rank as usize];
        self.spent[phase as usize * ranks + rank as usize] += now.since(place.since);
        place.since = now;
        place.passed += 1;
    }
}

impl Program for Phases<'_> {
    type Message = PhaseMessage;

    fn wants_sent(&self) -> bool {
        self.by_calls
    }

    fn posts_receives(&self) -> bool {
        self.by_calls
    }

    fn tag(message: &PhaseMessage) -> u64 {
        message.part.tag(message.phase)
    }

    fn describe(_: &PhaseMessage) -> &'static str {
        "part"
    }

    fn phase(message: &PhaseMessage) -> PhaseOf {
        PhaseOf::Number(message.phase)
    }

    fn phase_name(&self, phase: u32) -> String {
        self.schedule.phases()[phase as usize].name().to_owned()
    }

    fn start(&mut self, context: &mut impl Context<PhaseMessage>) {
        for rank in 0..self.ranks.count() {
            self.go_on(rank, context);
        }
    }

    fn on_message(&mut self, at: NodeId, _: NodeId, parcel: PhaseMessage, context: &mut impl Context<PhaseMessage>) {
        let rank = self.ranks.rank(at);
        // Messages belong to exchanges; a rank waits in the phase where it is.
        if self.steps_of(parcel.phase, rank).is_some_and(|(steps, own)| steps.receive(own, parcel.part)) {
            self.go_on(rank, context);
        }
    }

    fn on_sent(&mut self, at: NodeId, _: SendId, context: &mut impl Context<PhaseMessage>) {
        let rank = self.ranks.rank(at);
        // A rank leaves no phase before all its messages have left.
        if let Some(phase) = self.schedule.at(self.places[rank as usize].passed)
            && self.steps_of(phase, rank).is_some_and(|(steps, own)| steps.sent(own))
        {
            self.go_on(rank, context);
        }
    }

    fn on_timer(&mut self, at: NodeId, _: TimerId, context: &mut impl Context<PhaseMessage>) {
        let rank = self.ranks.rank(at);
        if let Some(phase) = self.schedule.at(self.places[rank as usize].passed) {
            self.leave(rank, phase, context.now());
        }
        self.go_on(rank, context);
    }

    fn on_computed(&mut self, at: NodeId, _: WorkId, context: &mut impl Context<PhaseMessage>) {
        let rank = self.ranks.rank(at);
        if let Some(phase) = self.schedule.at(self.places[rank as usize].passed)
            && self.exchanges[phase as usize].is_none()
        {
            self.leave(rank, phase, context.now());
        }
        self.go_on(rank, context);
    }
}
