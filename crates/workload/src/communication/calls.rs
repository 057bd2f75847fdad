//! A plan carried out by the calls of a message-passing library: once, or again and again behind a barrier.

use super::rounds::Rounds;
use super::{CallCosts, Part, Progress, Steps, Volume};
use hetsim_base::units::Time;
use hetsim_cluster::{Context, NodeId, Platform, Program, SendId, TimerId, WorkId};
use hetsim_communication::steps::StepPlan;

/// The program.
#[derive(Debug)]
pub struct Calls {
    steps: Steps,
    /// The barrier before each repetition of what is measured; none if that is done once and begins at once.
    barrier: Option<(Steps, Rounds)>,
    /// By rank.
    nodes: Vec<NodeId>,
    /// By node: its rank.
    rank_of: Vec<u32>,
    /// By rank: how long it waits before it begins the plan that is measured; empty if none does.
    delays: Vec<Time>,
    /// By rank: whether the barrier is behind it.
    is_past: Vec<bool>,
    /// By rank: when it began the plan that is measured, and when it was done.
    spans: Vec<(Time, Time)>,
}

/// The bit of a message's number that says that it belongs to the barrier.
const OF_BARRIER: u32 = 1 << 31;

impl Calls {
    /// The program of a plan with rank r on `nodes[r]`; `reduction` operations combine a byte with another.
    #[must_use]
    pub fn new(plan: StepPlan, reduction: f64, nodes: &[NodeId], platform: &Platform) -> Self {
        let mut rank_of = vec![0; platform.nodes() as usize];
        for (node, rank) in nodes.iter().zip(0..) {
            rank_of[node.index()] = rank;
        }
        Self {
            steps: Steps::new(plan, reduction).by_calls(0, &CallCosts::of(platform)),
            barrier: None,
            nodes: nodes.to_vec(),
            rank_of,
            delays: Vec::new(),
            is_past: vec![true; nodes.len()],
            spans: vec![(Time::ZERO, Time::ZERO); nodes.len()],
        }
    }

    /// Repeats the plan, each time behind a `barrier`, until the time that the slowest rank takes from leaving the
    /// barrier has settled; only the last repetition counts. Rank 0 comes to the first barrier so much `late`.
    #[must_use]
    pub fn repeated(self, barrier: StepPlan, late: Time, platform: &Platform) -> Self {
        let barrier = Steps::new(barrier, 0.0).by_calls(1, &CallCosts::of(platform));
        Self { barrier: Some((barrier, Rounds::new(late))), is_past: vec![false; self.nodes.len()], ..self }
    }

    /// Lets rank r wait for `delays[r]` before it begins what is measured, such as the time for which it stays in a
    /// barrier that is over.
    #[must_use]
    pub fn with_delays(self, delays: Vec<Time>) -> Self {
        Self { delays, ..self }
    }

    /// What has been sent and combined in the last repetition, but for the barrier.
    #[must_use]
    pub const fn volume(&self) -> Volume {
        self.steps.volume()
    }

    /// When each rank began what is measured, and when it was done, once all are.
    #[must_use]
    pub fn spans(&self) -> &[(Time, Time)] {
        &self.spans
    }

    /// Lets a rank go on as far as it can.
    fn go_on(&mut self, rank: u32, context: &mut impl Context<Part>) {
        let node = |rank: u32| self.nodes[rank as usize];
        match &mut self.barrier {
            Some((_, rounds)) if rounds.is_over() => {}
            Some((barrier, _)) if !self.is_past[rank as usize] => {
                let pack = |Part(step)| Part(step | OF_BARRIER);
                if barrier.advance(rank, context, node, pack) == Progress::Done {
                    self.is_past[rank as usize] = true;
                    self.begin(rank, context);
                }
            }
            _ => {
                if self.steps.advance(rank, context, node, |part| part) == Progress::Done {
                    self.spans[rank as usize].1 = context.now();
                    self.end(rank, context);
                }
            }
        }
    }

    /// Ends a rank's part, or begins the next repetition.
    fn end(&mut self, rank: u32, context: &mut impl Context<Part>) {
        let Some((_, rounds)) = &mut self.barrier else {
            context.complete(self.nodes[rank as usize]);
            return;
        };
        if rounds.is_last_of(self.nodes.len()) {
            if rounds.settle(&self.spans) {
                for &node in &self.nodes {
                    context.complete(node);
                }
                return;
            }
            self.steps.forget_volume();
        }
        self.is_past[rank as usize] = false;
        self.go_on(rank, context);
    }

    /// Lets a rank begin what is measured, when its time has come.
    fn begin(&mut self, rank: u32, context: &mut impl Context<Part>) {
        match self.delays.get(rank as usize) {
            Some(&delay) if delay > Time::ZERO => drop(context.set_timer(self.nodes[rank as usize], delay)),
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
        Part(number & !OF_BARRIER).tag(u32::from(number & OF_BARRIER > 0))
    }

    fn describe(_: &Part) -> &'static str {
        "part"
    }

    fn start(&mut self, context: &mut impl Context<Part>) {
        for rank in 0..self.nodes.len() as u32 {
            match &self.barrier {
                None => self.begin(rank, context),
                Some((_, rounds)) if rank == 0 => _ = context.set_timer(self.nodes[0], rounds.late()),
                Some(_) => self.go_on(rank, context),
            }
        }
    }

    fn on_message(&mut self, at: NodeId, _: NodeId, Part(number): Part, context: &mut impl Context<Part>) {
        let rank = self.rank_of[at.index()];
        let part = Part(number & !OF_BARRIER);
        let is_awaited = match &mut self.barrier {
            Some((barrier, _)) if number & OF_BARRIER > 0 => barrier.receive(rank, part),
            _ => self.steps.receive(rank, part),
        };
        if is_awaited {
            self.go_on(rank, context);
        }
    }

    fn on_sent(&mut self, at: NodeId, _: SendId, context: &mut impl Context<Part>) {
        let rank = self.rank_of[at.index()];
        let is_awaited = match &mut self.barrier {
            Some((barrier, _)) if !self.is_past[rank as usize] => barrier.sent(rank),
            _ => self.steps.sent(rank),
        };
        if is_awaited {
            self.go_on(rank, context);
        }
    }

    fn on_timer(&mut self, at: NodeId, _: TimerId, context: &mut impl Context<Part>) {
        let rank = self.rank_of[at.index()];
        // Rank 0 comes late to the first barrier; what is measured may begin late behind any.
        if self.is_past[rank as usize] {
            self.spans[rank as usize].0 = context.now();
        }
        self.go_on(rank, context);
    }

    fn on_computed(&mut self, at: NodeId, _: WorkId, context: &mut impl Context<Part>) {
        self.go_on(self.rank_of[at.index()], context);
    }
}
