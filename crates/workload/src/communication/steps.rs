//! A plan of steps carried out: what every rank has done of it, and which messages have come.

use super::Part;
use super::caller::{CallCosts, Caller};
use super::early::Early;
use hetsim_base::units::Time;
use hetsim_cluster::{Context, Moved, NodeId, Program, TimerId, WorkId};
use hetsim_communication::steps::{Step, StepPlan};

/// How far a rank has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// It waits for a message, or for its own to leave.
    Waits,
    /// It combines what it has received, or handles its own memory.
    Computes,
    /// It is through, and could begin again.
    Done,
}

/// How much a plan has moved in the course of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Volume {
    /// The bytes of all messages together.
    pub moved: u64,
    /// The bytes that are combined with what their receiver has.
    pub combined: u64,
}

/// A plan under way. A rank may be in it again and again, and ranks may be in it for different times at once: messages
/// that come early are counted, and wait. A message's number is that of its receiver's step.
///
/// As a program it has rank r on node r, goes through the plan once, and has receivers that are always ready.
#[derive(Debug)]
pub struct Steps {
    plan: StepPlan,
    /// What combining a byte costs, in operations.
    reduction: f64,
    ranks: Vec<RankPlace>,
    /// The calls by which ranks send and receive; none where a rank hands each message over and goes on, and its
    /// receivers are always ready. Boxed, since most plans have none.
    caller: Option<Box<Caller>>,
    volume: Volume,
    early: Early,
    /// When each rank comes, after the start; empty where all come at once.
    delays: Vec<Time>,
}

/// Where a rank is.
#[derive(Debug, Clone, Copy)]
struct RankPlace {
    /// Its next step.
    step: u32,
    /// How many messages have come for it early.
    early: u32,
    wait: Wait,
}

/// For what a rank waits at its next step. Of a message it combines so many bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wait {
    No,
    ForMessage(u64),
    /// It waited, and the message has come.
    Served(u64),
    ForSends,
}

impl Steps {
    /// The plan before any rank has begun; `reduction` operations combine a byte with another.
    #[must_use]
    pub fn new(plan: StepPlan, reduction: f64) -> Self {
        let ranks = vec![RankPlace { step: 0, early: 0, wait: Wait::No }; plan.ranks() as usize];
        let (volume, early, delays) = (Volume::default(), Early::default(), Vec::new());
        Self { plan, reduction, ranks, caller: None, volume, early, delays }
    }

    /// The same by the calls of a message-passing library, inside a program that wants to know of sends and posts
    /// receives. Its messages have [tags](Part::tag) of this series.
    #[must_use]
    pub fn by_calls(self, series: u32, costs: &CallCosts) -> Self {
        let caller = Some(Box::new(Caller::new(&self.plan, series, costs.clone())));
        Self { caller, ..self }
    }

    /// Lets rank r come `delays[r]` after the start; a rank beyond the list comes at once.
    #[must_use]
    pub fn with_delays(self, delays: Vec<Time>) -> Self {
        Self { delays, ..self }
    }

    /// What has been sent and combined.
    #[must_use]
    pub const fn volume(&self) -> Volume {
        self.volume
    }

    /// Begins to count anew what is sent and combined.
    pub fn forget_volume(&mut self) {
        self.volume = Volume::default();
    }

    /// A message is there. Whether its receiver waits for it, and is to be [advanced](Self::advance).
    pub fn receive(&mut self, rank: u32, part: Part) -> bool {
        let place = &mut self.ranks[rank as usize];
        if let (Wait::ForMessage(combined), true) = (place.wait, place.step == part.0) {
            place.wait = Wait::Served(combined);
            return true;
        }
        place.early += 1;
        self.early.add(rank, part.0);
        false
    }

    /// A message of a rank has left. Whether the rank waits for that, and is to be [advanced](Self::advance).
    pub fn sent(&mut self, rank: u32) -> bool {
        let have_left = self.caller.as_mut().is_some_and(|caller| caller.sent(rank));
        have_left && self.ranks[rank as usize].wait == Wait::ForSends
    }

    /// Lets a rank go as far as it comes: from its beginning, from a message or a send that it waited for, or from the
    /// end of a computation. `node` is where a rank is; `pack` makes the program's message of one of the plan's.
    pub fn advance<M>(
        &mut self,
        rank: u32,
        context: &mut impl Context<M>,
        node: impl Fn(u32) -> NodeId,
        pack: impl Fn(Part) -> M,
    ) -> Progress {
        let place = &mut self.ranks[rank as usize];
        let mut received = match std::mem::replace(&mut place.wait, Wait::No) {
            Wait::Served(combined) => Some(combined),
            Wait::No | Wait::ForMessage(_) | Wait::ForSends => None,
        };
        loop {
            if let Some(combined) = received.take() {
                place.step += 1;
                let (operations, moved) = match &self.caller {
                    None => (self.reduction * combined as f64, Moved::Nothing),
                    Some(caller) => caller.combine(node(rank), combined, self.reduction),
                };
                if operations > 0.0 {
                    context.compute_moving(node(rank), operations, moved);
                    return Progress::Computes;
                }
            }
            if let Some(caller) = &mut self.caller
                && !caller.goes_on(&self.plan, (rank, place.step), context, &node)
            {
                place.wait = Wait::ForSends;
                return Progress::Waits;
            }
            match self.plan.step(rank, place.step) {
                Some(Step::Send { to, bytes, receive, .. }) => {
                    self.volume.moved = self.volume.moved.saturating_add(bytes);
                    place.step += 1;
                    if let Some(caller) = &mut self.caller {
                        caller.send(rank);
                    }
                    context.send(node(rank), node(to), bytes, pack(Part(receive)));
                }
                Some(Step::Receive { combine, .. }) => {
                    let combined = combine.unwrap_or(0);
                    self.volume.combined = self.volume.combined.saturating_add(combined);
                    if !take(place, &mut self.early, rank) {
                        place.wait = Wait::ForMessage(combined);
                        return Progress::Waits;
                    }
                    received = Some(combined);
                }
                Some(Step::Local { work, bytes }) => {
                    place.step += 1;
                    let Some(caller) = &self.caller else { continue };
                    let (operations, moved) = caller.handle(&self.plan, (rank, node(rank)), work, bytes);
                    if operations > 0.0 {
                        context.compute_moving(node(rank), operations, moved);
                        return Progress::Computes;
                    }
                }
                None => break,
            }
        }
        place.step = 0;
        if let Some(caller) = &mut self.caller {
            caller.end(rank);
        }
        Progress::Done
    }
}

/// Uses up a message that came early for the step where a rank is, if one did.
fn take(place: &mut RankPlace, early: &mut Early, rank: u32) -> bool {
    let comes = place.early > 0 && early.take(rank, place.step);
    place.early -= u32::from(comes);
    comes
}

impl Steps {
    fn go_on(&mut self, at: NodeId, context: &mut impl Context<Part>) {
        if self.advance(at.0, context, NodeId, |part| part) == Progress::Done {
            context.complete(at);
        }
    }
}

impl Program for Steps {
    type Message = Part;

    fn start(&mut self, context: &mut impl Context<Part>) {
        for rank in 0..self.plan.ranks() {
            match self.delays.get(rank as usize) {
                Some(&delay) if delay > Time::ZERO => {
                    context.set_timer(NodeId(rank), delay);
                }
                _ => self.go_on(NodeId(rank), context),
            }
        }
    }

    fn on_timer(&mut self, at: NodeId, _: TimerId, context: &mut impl Context<Part>) {
        self.go_on(at, context);
    }

    fn on_message(&mut self, at: NodeId, _: NodeId, part: Part, context: &mut impl Context<Part>) {
        if self.receive(at.0, part) {
            self.go_on(at, context);
        }
    }

    fn on_computed(&mut self, at: NodeId, _: WorkId, context: &mut impl Context<Part>) {
        self.go_on(at, context);
    }
}
