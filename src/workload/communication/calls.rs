//! A plan of steps carried out by the calls of a message-passing library: sends and receives that block, do not block,
//! or go in pairs.
//!
//! A plan says where a rank [waits](StepPlan::ends) for all that it has begun. At the start of such a group of steps its
//! receives are posted; then its sends are handed over, and its messages awaited, in their order. What a rank does to its
//! own memory, and the combination of what it receives, costs what the platform's [memory](Memory) says.

use rustc_hash::FxHashSet;

use super::rounds::Rounds;
use super::{Part, Volume};
use crate::cluster::{Context, Memory, NodeId, Platform, Program, Receive, SendId, TimerId, WorkId};
use crate::communication::steps::{LocalWork, Step, StepPlan};
use crate::units::Time;

/// The program.
#[derive(Debug)]
pub struct Calls {
    plan: StepPlan,
    memory: Memory,
    /// The working set of a rank: the data that it holds, in bytes.
    set: u64,
    /// What combining a byte costs besides, in operations.
    reduction: f64,
    /// By rank: its node, and the node's speed in operations per second.
    places: Vec<(NodeId, f64)>,
    /// By node: its rank.
    rank_of: Vec<u32>,
    ranks: Vec<Progress>,
    /// Messages that are there before their step, by rank and step.
    early: FxHashSet<(u32, u32)>,
    volume: Volume,
    /// The barrier before each repetition of what is measured; none if that is done once and begins at once.
    rounds: Option<Rounds>,
    /// By rank: how long it waits before it begins what is measured; empty if none does.
    delays: Vec<Time>,
    /// By rank: when it began the plan that is measured, and when it was done.
    spans: Vec<(Time, Time)>,
}

/// How far a rank has come.
#[derive(Debug, Clone, Copy, Default)]
struct Progress {
    /// Its next step.
    step: u32,
    /// Where its group of steps ends.
    end: u32,
    /// Its messages that have not left.
    unsent: u32,
    /// Whether the message of its next step is there.
    served: bool,
    /// Whether it has waited before what is measured.
    delayed: bool,
    waits: Waits,
    /// How many times it has done all steps.
    round: u32,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Waits {
    #[default]
    Not,
    ForMessage,
    ForSends,
    ForProcessor,
}

impl Calls {
    /// The program of a plan with rank r on `nodes[r]`; `reduction` operations combine a byte with another.
    #[must_use]
    pub fn new(plan: StepPlan, reduction: f64, nodes: &[NodeId], platform: &Platform) -> Self {
        let mut rank_of = vec![0; platform.nodes() as usize];
        for (node, rank) in nodes.iter().zip(0..) {
            rank_of[node.index()] = rank;
        }
        let places = nodes.iter().map(|&node| (node, platform.speed_per_second(node))).collect();
        let count = nodes.len();
        Self {
            set: plan.working_set(),
            plan,
            memory: *platform.memory(),
            reduction,
            places,
            rank_of,
            ranks: vec![Progress::default(); count],
            early: FxHashSet::default(),
            volume: Volume::default(),
            rounds: None,
            delays: Vec::new(),
            spans: vec![(Time::ZERO, Time::ZERO); count],
        }
    }

    /// Repeats the plan, each time behind a `barrier`, until the time that the slowest rank takes from leaving the barrier
    /// has settled; only the last repetition counts. Rank 0 comes to the first barrier so much `late`.
    #[must_use]
    pub fn repeated(mut self, barrier: StepPlan, late: Time) -> Self {
        self.plan = self.plan.after(barrier.clone());
        self.rounds = Some(Rounds::new(barrier, &self.plan, late));
        self
    }

    /// Lets rank r wait for `delays[r]` before it begins what is measured, such as the time for which it stays in a
    /// barrier that is over.
    #[must_use]
    pub fn with_delays(self, delays: Vec<Time>) -> Self {
        Self { delays, ..self }
    }

    /// What has been sent and combined.
    #[must_use]
    pub const fn volume(&self) -> Volume {
        self.volume
    }

    /// When each rank began what is measured, and when it was done, once all are.
    #[must_use]
    pub fn spans(&self) -> &[(Time, Time)] {
        &self.spans
    }

    fn begins_at(&self, rank: u32) -> u32 {
        self.rounds.as_ref().map_or(0, |rounds| rounds.barrier.steps_of(rank))
    }

    /// The number of a rank's step over all repetitions.
    fn tag(&self, rank: u32, round: u32, step: u32) -> u32 {
        self.rounds.as_ref().map_or(step, |rounds| rounds.tag(rank, round, step))
    }

    /// Ends a rank's part; whether it goes on with the next repetition.
    fn end(&mut self, rank: u32, context: &mut impl Context<Part>) -> bool {
        self.spans[rank as usize].1 = context.now();
        let Some(rounds) = &mut self.rounds else {
            context.complete(self.places[rank as usize].0);
            return false;
        };
        if rounds.all_done() {
            if rounds.settle(&self.spans) {
                for &(node, _) in &self.places {
                    context.complete(node);
                }
                return false;
            }
            self.volume = Volume::default();
        }
        let round = self.ranks[rank as usize].round + 1;
        self.ranks[rank as usize] = Progress { round, ..Progress::default() };
        true
    }

    /// Begins the next group of a rank: posts its receives.
    fn begin_group(&mut self, rank: u32, context: &mut impl Context<Part>) {
        let Progress { step: start, round, .. } = self.ranks[rank as usize];
        if start == self.begins_at(rank) {
            self.spans[rank as usize].0 = context.now();
        }
        let mut step = start;
        while let Some(next) = self.plan.step(rank, step) {
            if let Step::Receive { from, bytes, .. } = next {
                let from = Some(self.places[from as usize].0);
                let receive = Receive { from, tag: Some(self.tag(rank, round, step).into()), bytes };
                context.post(self.places[rank as usize].0, receive);
            }
            step += 1;
            if self.plan.ends(rank, step - 1) {
                break;
            }
        }
        self.ranks[rank as usize].end = step;
    }

    /// Lets a rank go on as far as it can.
    fn advance(&mut self, rank: u32, context: &mut impl Context<Part>) {
        let place = rank as usize;
        let node = self.places[place].0;
        if self.rounds.as_ref().is_some_and(|rounds| rounds.over) {
            return;
        }
        self.ranks[place].waits = Waits::Not;
        loop {
            let Progress { step, end, unsent, delayed, round, .. } = self.ranks[place];
            if step == end {
                if unsent > 0 {
                    self.ranks[place].waits = Waits::ForSends;
                    return;
                }
                if !delayed
                    && let Some(&delay) = self.delays.get(place)
                    && delay > Time::ZERO
                    && step == self.begins_at(rank)
                {
                    self.ranks[place].delayed = true;
                    context.set_timer(node, delay);
                    return;
                }
                self.begin_group(rank, context);
            }
            let Some(next) = self.plan.step(rank, step) else {
                if self.end(rank, context) {
                    continue;
                }
                return;
            };
            let seconds = match next {
                Step::Send { to, bytes, receive, .. } => {
                    self.volume.moved = self.volume.moved.saturating_add(bytes);
                    self.ranks[place].unsent += 1;
                    context.send(node, self.places[to as usize].0, bytes, Part(self.tag(to, round, receive)));
                    0.0
                }
                Step::Receive { combine, .. } => {
                    if !std::mem::take(&mut self.ranks[place].served)
                        && !self.early.remove(&(rank, self.tag(rank, round, step)))
                    {
                        self.ranks[place].waits = Waits::ForMessage;
                        return;
                    }
                    let bytes = combine.unwrap_or(0);
                    self.volume.combined = self.volume.combined.saturating_add(bytes);
                    self.memory.combine_s(bytes, self.set) + self.reduction * bytes as f64 / self.places[place].1
                }
                Step::Local { work: LocalWork::Copy, bytes } => self.memory.copy_s(bytes, self.set),
                Step::Local { work: LocalWork::Allocate, bytes } => self.allocation(rank, bytes),
            };
            self.ranks[place].step += 1;
            if seconds > 0.0 {
                self.ranks[place].waits = Waits::ForProcessor;
                context.compute(node, seconds * self.places[place].1);
                return;
            }
        }
    }

    /// The time of one of the buffers that a rank obtains in its call.
    fn allocation(&self, rank: u32, bytes: u64) -> f64 {
        if !self.memory.charges_buffers() {
            return 0.0;
        }
        let first = self.begins_at(rank);
        let local = (first..).map_while(|step| match self.plan.step(rank, step) {
            Some(Step::Local { work, bytes }) => Some((work, bytes)),
            _ => None,
        });
        let buffers = local.filter_map(|(work, bytes)| (work == LocalWork::Allocate).then_some(bytes));
        let (all, largest) =
            buffers.fold((0u64, 0), |(all, largest), bytes| (all.saturating_add(bytes), bytes.max(largest)));
        self.memory.allocate_s(bytes, all, largest)
    }

    fn go_on(&mut self, at: NodeId, after: Waits, context: &mut impl Context<Part>) {
        let rank = self.rank_of[at.index()];
        if self.ranks[rank as usize].waits == after {
            self.advance(rank, context);
        }
    }
}

impl Program for Calls {
    type Message = Part;

    fn wants_sent(&self) -> bool {
        true
    }

    fn posts_receives(&self) -> bool {
        true
    }

    fn tag(part: &Part) -> u64 {
        part.0.into()
    }

    fn describe(_: &Part) -> &'static str {
        "part"
    }

    fn start(&mut self, context: &mut impl Context<Part>) {
        for rank in 0..self.ranks.len() as u32 {
            match &self.rounds {
                Some(rounds) if rank == 0 => _ = context.set_timer(self.places[0].0, rounds.late),
                _ => self.advance(rank, context),
            }
        }
    }

    fn on_message(&mut self, at: NodeId, _: NodeId, part: Part, context: &mut impl Context<Part>) {
        let rank = self.rank_of[at.index()];
        let Progress { step, round, waits, .. } = self.ranks[rank as usize];
        if waits == Waits::ForMessage && self.tag(rank, round, step) == part.0 {
            self.ranks[rank as usize].served = true;
            self.advance(rank, context);
        } else {
            self.early.insert((rank, part.0));
        }
    }

    fn on_sent(&mut self, at: NodeId, _: SendId, context: &mut impl Context<Part>) {
        let rank = self.rank_of[at.index()] as usize;
        self.ranks[rank].unsent -= 1;
        if self.ranks[rank].unsent == 0 {
            self.go_on(at, Waits::ForSends, context);
        }
    }

    fn on_timer(&mut self, at: NodeId, _: TimerId, context: &mut impl Context<Part>) {
        self.go_on(at, Waits::Not, context);
    }

    fn on_computed(&mut self, at: NodeId, _: WorkId, context: &mut impl Context<Part>) {
        self.go_on(at, Waits::ForProcessor, context);
    }
}
