//! The program that replays a trace: each rank performs its actions in order, in its own time.

use super::trace::{ANY, Action, MessageKey, Operated, Trace};
use crate::communication::{CallCosts, Part, Progress, RankGroups, Steps, after_root, rank_after};
use hetsim_base::units::Time;
use hetsim_cluster::{Context, NodeId, Platform, Program, Receive, Scope, SendId, TimerId, WorkId};
use hetsim_communication::steps::StepPlan;

/// A message of a replay.
#[derive(Debug, Clone, Copy)]
pub enum ReplayMessage {
    /// One that a rank sent to another.
    Direct {
        /// Its tag.
        tag: u32,
        /// How many of the same sender, receiver and tag came before it.
        number: u32,
        /// Whether its receiver's rank takes messages of any sender or tag.
        to_any: bool,
    },
    /// A part of a collective operation.
    Collective {
        /// The number of the operation.
        operation: u32,
        /// Which part.
        part: Part,
    },
}

/// Messages from rank to rank, and their receives, are apart from those of collective operations.
const DIRECT: Scope = Scope(1);

/// What a rank spends its time with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spent {
    /// It computes.
    Computing,
    /// It sleeps.
    Sleeping,
    /// It waits for messages of its own, or for those to leave.
    Messages,
    /// It is in a collective operation.
    Collectives,
}

impl Spent {
    /// All of them, with their names.
    pub const ALL: [(Self, &str); 4] = [
        (Self::Computing, "computing"),
        (Self::Sleeping, "sleeping"),
        (Self::Messages, "messages"),
        (Self::Collectives, "collectives"),
    ];
}

/// The program.
#[derive(Debug)]
pub struct Replay<'t> {
    trace: &'t Trace,
    platform: &'t Platform,
    /// By rank.
    nodes: Vec<NodeId>,
    /// By node: its rank; nothing where it has none.
    rank_of: Vec<Option<u32>>,
    /// By operation.
    operations: Vec<Ongoing<'t>>,
    ranks: Vec<RankState>,
}

/// A collective operation as its ranks go through it.
#[derive(Debug)]
struct Ongoing<'t> {
    /// The ranks of its communicator, and which group of these is its own.
    among: (&'t RankGroups, usize),
    /// The number of its root in the group.
    root: u32,
    steps: Steps,
}

impl Ongoing<'_> {
    /// The number of a rank in the plan, counted from the root. Only ranks of the group take part.
    fn place(&self, rank: u32) -> u32 {
        let (ranks, group) = self.among;
        let own = ranks.seat(rank).map_or(0, |(_, own)| own);
        after_root(self.root, own, ranks.size(group))
    }

    /// Goes on with a rank's steps, where `nodes` has the node of each rank.
    fn advance(
        &mut self,
        rank: u32,
        number: u32,
        nodes: &[NodeId],
        context: &mut impl Context<ReplayMessage>,
    ) -> Progress {
        let (own, (ranks, group), root) = (self.place(rank), self.among, self.root);
        let node = |place: u32| nodes[ranks.rank(group, rank_after(root, place, ranks.size(group))) as usize];
        let pack = |part| ReplayMessage::Collective { operation: number, part };
        self.steps.advance(own, context, node, pack)
    }
}

/// How far a rank has come.
#[derive(Debug, Clone, Default)]
struct RankState {
    /// The number of its action.
    action: usize,
    /// When that began.
    since: Time,
    waits: Waits,
    /// What it has begun and not waited for.
    requests: Vec<PendingRequest>,
    /// By [`Spent`]: for how long, and how often.
    spent: [(Time, u64); Spent::ALL.len()],
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
enum Waits {
    /// Its action has not begun.
    #[default]
    No,
    /// A computation or a sleep is to end.
    ForTime,
    /// The request at this place is to end.
    For(usize),
    ForAll,
    InCollective,
}

#[derive(Debug, Clone, Copy)]
struct PendingRequest {
    key: MessageKey,
    what: What,
    is_done: bool,
}

#[derive(Debug, Clone, Copy)]
enum What {
    Send(SendId),
    Receive { number: u32 },
}

impl<'t> Replay<'t> {
    /// A trace with rank r on `nodes[r]`; `plans` are those of its collective operations, with ranks counted from the
    /// root.
    #[must_use]
    pub fn new(trace: &'t Trace, plans: &[StepPlan], nodes: &[NodeId], platform: &'t Platform) -> Self {
        let mut rank_of = vec![None; platform.nodes() as usize];
        for (node, rank) in nodes.iter().zip(0..) {
            rank_of[node.index()] = Some(rank);
        }
        let costs = CallCosts::of(platform);
        let operation = |(series, (plan, operated)): (u32, (&StepPlan, &Operated))| Ongoing {
            among: (&trace.communicators[operated.communicator], operated.group),
            root: operated.root,
            steps: Steps::new(plan.clone(), 0.0).by_calls(series, &costs),
        };
        Self {
            trace,
            platform,
            nodes: nodes.to_vec(),
            rank_of,
            operations: (0..).zip(plans.iter().zip(&trace.operations)).map(operation).collect(),
            ranks: vec![RankState::default(); nodes.len()],
        }
    }

    /// How long each rank has spent with something, and how often.
    pub fn spent(&self, what: Spent) -> impl Iterator<Item = (Time, u64)> {
        self.ranks.iter().map(move |state| state.spent[what as usize])
    }

    /// How many ranks are done where the others wait for ever, and what the first of these waits for.
    pub(super) fn unfinished(&self) -> String {
        let states = (0..).zip(self.ranks.iter().zip(&self.trace.ranks));
        let waiting: Vec<(u32, &Action)> =
            states.filter_map(|(rank, (state, actions))| Some((rank, actions.get(state.action)?))).collect();
        let (ranks, done) = (self.ranks.len(), self.ranks.len() - waiting.len());
        let first = waiting
            .first()
            .map(|(rank, action)| format!("; rank {rank} waits for {}", action.awaited(*rank, &self.trace.operations)));
        format!("only {done} of {ranks} ranks were done{}", first.unwrap_or_default())
    }

    /// Lets a rank go on as far as it comes.
    fn go_on(&mut self, rank: u32, context: &mut impl Context<ReplayMessage>) {
        loop {
            let state = &self.ranks[rank as usize];
            let Some(&action) = self.trace.ranks[rank as usize].get(state.action) else {
                context.complete(self.nodes[rank as usize]);
                return;
            };
            let goes_on = match state.waits {
                Waits::No => self.begin(rank, action, context),
                Waits::ForTime => false,
                Waits::For(place) => self.take(rank, place),
                Waits::ForAll => self.take_all(rank),
                Waits::InCollective => self.advance(rank, action, context),
            };
            if !goes_on {
                return;
            }
            self.leave(rank, action, context.now());
        }
    }

    /// Begins an action. Whether it has ended at once.
    fn begin(&mut self, rank: u32, action: Action, context: &mut impl Context<ReplayMessage>) -> bool {
        let node = self.nodes[rank as usize];
        match action {
            Action::Compute(work) => self.compute(rank, work, context),
            Action::Call(number) => {
                let work = self.call(number, node, context);
                self.compute(rank, work, context)
            }
            Action::Sleep(seconds) => {
                let delay = context.tick().time(seconds);
                if delay > Time::ZERO {
                    context.set_timer(node, delay);
                    self.ranks[rank as usize].waits = Waits::ForTime;
                }
                delay == Time::ZERO
            }
            Action::Send { to, tag, bytes, number, blocks } => {
                let to_any = self.trace.takes_any[to as usize];
                let message = ReplayMessage::Direct { tag, number, to_any };
                let send = context.send_for(DIRECT, node, self.nodes[to as usize], bytes, message);
                self.request(rank, (rank, to, tag), What::Send(send), blocks)
            }
            Action::Receive { from, tag, bytes, number, blocks } => {
                let exact = !self.trace.takes_any[rank as usize];
                let receive = Receive {
                    from: (from != ANY).then(|| self.nodes[from as usize]),
                    tag: if exact { Some(exact_tag(tag, number)) } else { (tag != ANY).then_some(tag.into()) },
                    bytes,
                };
                context.post_for(DIRECT, node, receive);
                self.request(rank, (from, rank, tag), What::Receive { number }, blocks)
            }
            Action::Wait(key) => {
                let requests = &self.ranks[rank as usize].requests;
                requests.iter().position(|request| request.key == key).is_none_or(|place| self.await_one(rank, place))
            }
            Action::WaitAll => {
                self.ranks[rank as usize].waits = Waits::ForAll;
                self.take_all(rank)
            }
            Action::Collective { .. } => {
                self.ranks[rank as usize].waits = Waits::InCollective;
                self.advance(rank, action, context)
            }
        }
    }

    /// The operations that the call of a kernel is on a node, with its noise.
    fn call(&self, number: u32, node: NodeId, context: &impl Context<ReplayMessage>) -> f64 {
        let call = &self.trace.calls[number as usize];
        // The trace was checked: the platform has its kernels.
        let Some(kernel) = self.platform.kernel(&call.kernel) else { return 0.0 };
        let seconds = call.draw_s(kernel, node, 1.0, &mut context.stream("kernel call", u64::from(number)));
        seconds * self.platform.speed_per_second(node)
    }

    /// Starts a computation. Whether there is none.
    fn compute(&mut self, rank: u32, work: f64, context: &mut impl Context<ReplayMessage>) -> bool {
        if work > 0.0 {
            context.compute(self.nodes[rank as usize], work);
            self.ranks[rank as usize].waits = Waits::ForTime;
        }
        work <= 0.0
    }

    /// Notes what a rank has begun. Whether it need not wait for that.
    fn request(&mut self, rank: u32, key: MessageKey, what: What, blocks: bool) -> bool {
        let requests = &mut self.ranks[rank as usize].requests;
        requests.push(PendingRequest { key, what, is_done: false });
        let place = requests.len() - 1;
        !blocks || self.await_one(rank, place)
    }

    /// Lets a rank wait for a request. Whether it has ended.
    fn await_one(&mut self, rank: u32, place: usize) -> bool {
        self.ranks[rank as usize].waits = Waits::For(place);
        self.take(rank, place)
    }

    /// Takes a request that has ended.
    fn take(&mut self, rank: u32, place: usize) -> bool {
        let requests = &mut self.ranks[rank as usize].requests;
        let is_done = requests[place].is_done;
        if is_done {
            requests.remove(place);
        }
        is_done
    }

    /// Takes all requests, if all have ended.
    fn take_all(&mut self, rank: u32) -> bool {
        let requests = &mut self.ranks[rank as usize].requests;
        let are_done = requests.iter().all(|request| request.is_done);
        if are_done {
            requests.clear();
        }
        are_done
    }

    /// Lets a rank go on in its collective operation. Whether it is through, and need not compute.
    fn advance(&mut self, rank: u32, action: Action, context: &mut impl Context<ReplayMessage>) -> bool {
        let Action::Collective { number, work } = action else { return true };
        let progress = self.operations[number as usize].advance(rank, number, &self.nodes, context);
        progress == Progress::Done && self.compute(rank, work, context)
    }

    /// Ends a rank's action.
    fn leave(&mut self, rank: u32, action: Action, now: Time) {
        let state = &mut self.ranks[rank as usize];
        let spent = match action {
            Action::Compute(_) | Action::Call(_) => Spent::Computing,
            Action::Sleep(_) => Spent::Sleeping,
            Action::Send { .. } | Action::Receive { .. } | Action::Wait(_) | Action::WaitAll => Spent::Messages,
            Action::Collective { .. } => Spent::Collectives,
        };
        let (time, times) = &mut state.spent[spent as usize];
        *time += now.since(state.since);
        *times += 1;
        (state.action, state.since, state.waits) = (state.action + 1, now, Waits::No);
    }

    /// A computation or a sleep has ended, or a part of a collective operation that is computed.
    fn passes(&mut self, at: NodeId, context: &mut impl Context<ReplayMessage>) {
        let Some(rank) = self.rank_of[at.index()] else { return };
        let state = &self.ranks[rank as usize];
        if state.waits == Waits::ForTime {
            let action = self.trace.ranks[rank as usize][state.action];
            self.leave(rank, action, context.now());
        }
        self.go_on(rank, context);
    }

    /// A request has ended: the first of which `is_it` holds, and that has not.
    fn ends(&mut self, rank: u32, is_it: impl Fn(&PendingRequest) -> bool, context: &mut impl Context<ReplayMessage>) {
        let state = &mut self.ranks[rank as usize];
        let Some(request) = state.requests.iter_mut().find(|request| !request.is_done && is_it(request)) else {
            return;
        };
        request.is_done = true;
        if matches!(state.waits, Waits::For(_) | Waits::ForAll) {
            self.go_on(rank, context);
        }
    }
}

/// The tag of a message to a rank all of whose receives name their sender and tag. So each takes the message of its
/// own number, whichever is there first.
fn exact_tag(tag: u32, number: u32) -> u64 {
    (u64::from(tag) << 32) | u64::from(number)
}

impl Program for Replay<'_> {
    type Message = ReplayMessage;

    fn wants_sent(&self) -> bool {
        true
    }

    fn posts_receives(&self) -> bool {
        true
    }

    fn tag(message: &ReplayMessage) -> u64 {
        match *message {
            ReplayMessage::Direct { tag, to_any: true, .. } => tag.into(),
            ReplayMessage::Direct { tag, number, .. } => exact_tag(tag, number),
            ReplayMessage::Collective { operation, part } => part.tag(operation),
        }
    }

    fn scope(message: &ReplayMessage) -> Scope {
        match message {
            ReplayMessage::Direct { .. } => DIRECT,
            ReplayMessage::Collective { .. } => Scope::HOST,
        }
    }

    fn describe(message: &ReplayMessage) -> &'static str {
        match message {
            ReplayMessage::Direct { .. } => "message",
            ReplayMessage::Collective { .. } => "collective",
        }
    }

    fn start(&mut self, context: &mut impl Context<ReplayMessage>) {
        for (node, rank) in (0..).zip(&self.rank_of) {
            if rank.is_none() {
                context.complete(NodeId(node));
            }
        }
        for rank in 0..self.nodes.len() as u32 {
            self.go_on(rank, context);
        }
    }

    fn on_message(
        &mut self,
        at: NodeId,
        sender: NodeId,
        message: ReplayMessage,
        context: &mut impl Context<ReplayMessage>,
    ) {
        let (Some(rank), Some(sender)) = (self.rank_of[at.index()], self.rank_of[sender.index()]) else { return };
        match message {
            ReplayMessage::Collective { operation, part } => {
                let ongoing = &mut self.operations[operation as usize];
                if ongoing.steps.receive(ongoing.place(rank), part) {
                    self.go_on(rank, context);
                }
            }
            ReplayMessage::Direct { tag, number, to_any: false } => {
                let is_it = |request: &PendingRequest| match request.what {
                    What::Receive { number: own } => request.key == (sender, rank, tag) && own == number,
                    What::Send(_) => false,
                };
                self.ends(rank, is_it, context);
            }
            ReplayMessage::Direct { tag, to_any: true, .. } => {
                let takes = |one: u32, other: u32| one == ANY || one == other;
                let accepts = |request: &PendingRequest| {
                    let (from, _, own) = request.key;
                    matches!(request.what, What::Receive { .. }) && takes(from, sender) && takes(own, tag)
                };
                // A short message may be there before a long one that has taken the receive of any sender before it.
                let is_left = |request: &PendingRequest| matches!(request.what, What::Receive { .. });
                let requests = &self.ranks[rank as usize].requests;
                let is_accepted = requests.iter().any(|request| !request.is_done && accepts(request));
                self.ends(rank, |request| if is_accepted { accepts(request) } else { is_left(request) }, context);
            }
        }
    }

    fn on_sent(&mut self, at: NodeId, send: SendId, context: &mut impl Context<ReplayMessage>) {
        let Some(rank) = self.rank_of[at.index()] else { return };
        if send.scope() == DIRECT {
            let is_it = |request: &PendingRequest| matches!(request.what, What::Send(own) if own == send);
            return self.ends(rank, is_it, context);
        }
        // A rank leaves no operation before all its messages have left.
        let action = self.trace.ranks[rank as usize].get(self.ranks[rank as usize].action);
        if let Some(Action::Collective { number, .. }) = action {
            let ongoing = &mut self.operations[*number as usize];
            if ongoing.steps.sent(ongoing.place(rank)) {
                self.go_on(rank, context);
            }
        }
    }

    fn on_timer(&mut self, at: NodeId, _: TimerId, context: &mut impl Context<ReplayMessage>) {
        self.passes(at, context);
    }

    fn on_computed(&mut self, at: NodeId, _: WorkId, context: &mut impl Context<ReplayMessage>) {
        self.passes(at, context);
    }
}
