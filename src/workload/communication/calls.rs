//! A plan carried out by the [calls](Caller) of a message-passing library: alone, or after another plan.

use super::{Caller, Part, Progress, Volume};
use crate::cluster::{Context, NodeId, Platform, Program, SendId, TimerId, WorkId};
use crate::communication::steps::StepPlan;
use crate::units::Time;

/// The program.
#[derive(Debug)]
pub struct Calls {
    caller: Caller,
    /// A plan before the one that is measured; none if that begins at once.
    prelude: Option<Caller>,
    /// By rank: its node, and the node's speed in operations per second.
    places: Vec<(NodeId, f64)>,
    /// By node: its rank.
    rank_of: Vec<u32>,
    /// By rank: how long it waits before it begins the plan that is measured; empty if none does.
    delays: Vec<Time>,
    /// By rank: whether the prelude is behind it.
    is_past: Vec<bool>,
    /// By rank: when it began the plan that is measured, and when it was done.
    spans: Vec<(Time, Time)>,
}

/// The bit of a message's number that says that it belongs to the prelude.
const OF_PRELUDE: u32 = 1 << 31;

impl Calls {
    /// The program of a plan with rank r on `nodes[r]`; `reduction` operations combine a byte with another.
    #[must_use]
    pub fn new(plan: StepPlan, reduction: f64, nodes: &[NodeId], platform: &Platform) -> Self {
        let mut rank_of = vec![0; platform.nodes() as usize];
        for (node, rank) in nodes.iter().zip(0..) {
            rank_of[node.index()] = rank;
        }
        Self {
            caller: Caller::new(plan, reduction, *platform.memory()),
            prelude: None,
            places: nodes.iter().map(|&node| (node, platform.speed_per_second(node))).collect(),
            rank_of,
            delays: Vec::new(),
            is_past: vec![true; nodes.len()],
            spans: vec![(Time::ZERO, Time::ZERO); nodes.len()],
        }
    }

    /// Lets all ranks carry out another plan first, of which nothing is measured.
    #[must_use]
    pub fn after(self, prelude: StepPlan, platform: &Platform) -> Self {
        let prelude = Some(Caller::new(prelude, 0.0, *platform.memory()).in_series(1));
        Self { prelude, is_past: vec![false; self.places.len()], ..self }
    }

    /// Lets rank r wait for `delays[r]` before it begins what is measured, such as the time for which it stays in a
    /// barrier that is over.
    #[must_use]
    pub fn with_delays(self, delays: Vec<Time>) -> Self {
        Self { delays, ..self }
    }

    /// What has been sent and combined, but for the prelude.
    #[must_use]
    pub const fn volume(&self) -> Volume {
        self.caller.volume()
    }

    /// When each rank began what is measured, and when it was done, once all are.
    #[must_use]
    pub fn spans(&self) -> &[(Time, Time)] {
        &self.spans
    }

    /// Lets a rank go on as far as it can.
    fn go_on(&mut self, rank: u32, context: &mut impl Context<Part>) {
        let place_of = |rank: u32| self.places[rank as usize];
        if let Some(prelude) = &mut self.prelude
            && !self.is_past[rank as usize]
        {
            let pack = |Part(step)| Part(step | OF_PRELUDE);
            if prelude.advance(rank, context, place_of, pack) == Progress::Done {
                self.is_past[rank as usize] = true;
                self.begin(rank, context);
            }
        } else if self.caller.advance(rank, context, place_of, |part| part) == Progress::Done {
            self.spans[rank as usize].1 = context.now();
            context.complete(self.places[rank as usize].0);
        }
    }

    /// Lets a rank begin what is measured, when its time has come.
    fn begin(&mut self, rank: u32, context: &mut impl Context<Part>) {
        match self.delays.get(rank as usize) {
            Some(&delay) if delay > Time::ZERO => drop(context.set_timer(self.places[rank as usize].0, delay)),
            _ => {
                self.spans[rank as usize].0 = context.now();
                self.go_on(rank, context);
            }
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

    fn tag(&Part(number): &Part) -> u64 {
        Caller::tag(u32::from(number & OF_PRELUDE > 0), Part(number & !OF_PRELUDE))
    }

    fn describe(_: &Part) -> &'static str {
        "part"
    }

    fn start(&mut self, context: &mut impl Context<Part>) {
        for rank in 0..self.places.len() as u32 {
            if self.prelude.is_some() { self.go_on(rank, context) } else { self.begin(rank, context) }
        }
    }

    fn on_message(&mut self, at: NodeId, _: NodeId, Part(number): Part, context: &mut impl Context<Part>) {
        let rank = self.rank_of[at.index()];
        let part = Part(number & !OF_PRELUDE);
        let is_awaited = match &mut self.prelude {
            Some(prelude) if number & OF_PRELUDE > 0 => prelude.receive(rank, part),
            _ => self.caller.receive(rank, part),
        };
        if is_awaited {
            self.go_on(rank, context);
        }
    }

    fn on_sent(&mut self, at: NodeId, _: SendId, context: &mut impl Context<Part>) {
        let rank = self.rank_of[at.index()];
        let is_awaited = match &mut self.prelude {
            Some(prelude) if !self.is_past[rank as usize] => prelude.sent(rank),
            _ => self.caller.sent(rank),
        };
        if is_awaited {
            self.go_on(rank, context);
        }
    }

    fn on_timer(&mut self, at: NodeId, _: TimerId, context: &mut impl Context<Part>) {
        let rank = self.rank_of[at.index()];
        self.spans[rank as usize].0 = context.now();
        self.go_on(rank, context);
    }

    fn on_computed(&mut self, at: NodeId, _: WorkId, context: &mut impl Context<Part>) {
        self.go_on(self.rank_of[at.index()], context);
    }
}
