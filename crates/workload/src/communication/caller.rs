//! A plan under way by the calls of a message-passing library: sends and receives that block, do not block, or go in
//! pairs.
//!
//! A plan says where a rank [waits](StepPlan::ends) for all that it has begun. At the start of such a group of steps
//! its receives are posted, and the next one if the plan [posts it ahead](StepPlan::posts_ahead); then its sends are
//! handed over, and its messages awaited, in their order. What a rank does
//! to its own memory, and the combination of what it receives, costs what the platform's [memory](Memory) says.

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;

use super::{Part, Progress, Volume};
use hetsim_cluster::{Context, Memory, NodeId, Receive};
use hetsim_communication::steps::{LocalWork, Step, StepPlan};

/// The ranks of a plan, and how far each has come. A rank may go through the plan again and again.
#[derive(Debug)]
pub struct Caller {
    plan: StepPlan,
    memory: Memory,
    /// The working set of a rank: the data that it holds, in bytes.
    set: u64,
    /// What combining a byte costs besides, in operations.
    reduction: f64,
    /// What the tags of its messages begin with.
    series: u32,
    ranks: Vec<Place>,
    /// How many messages are there before their step, by rank and step: more than one if a rank is a round behind.
    early: FxHashMap<(u32, u32), u32>,
    volume: Volume,
}

/// Where a rank is.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    /// Its next step.
    step: u32,
    /// Where its group of steps ends.
    end: u32,
    /// The first step whose receive is not posted.
    unposted: u32,
    /// Its messages that have not left.
    unsent: u32,
    waits: Waits,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Waits {
    #[default]
    Not,
    ForMessage,
    /// It waited, and the message has come.
    Served,
    ForSends,
}

impl Caller {
    /// The plan before any rank has begun; `reduction` operations combine a byte with another.
    #[must_use]
    pub fn new(plan: StepPlan, reduction: f64, memory: Memory) -> Self {
        let ranks = vec![Place::default(); plan.ranks() as usize];
        let (set, early) = (plan.working_set(), FxHashMap::default());
        Self { plan, memory, set, reduction, series: 0, ranks, early, volume: Volume::default() }
    }

    /// The same plan of a program with several: its messages have [tags](Self::tag) of this series.
    #[must_use]
    pub fn in_series(self, series: u32) -> Self {
        Self { series, ..self }
    }

    /// The tag of a message.
    #[must_use]
    pub fn tag(series: u32, Part(step): Part) -> u64 {
        (u64::from(series) << 32) | u64::from(step)
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
        let is_awaited = place.waits == Waits::ForMessage && place.step == part.0;
        if is_awaited {
            place.waits = Waits::Served;
        } else {
            *self.early.entry((rank, part.0)).or_default() += 1;
        }
        is_awaited
    }

    /// Takes a message that has come before its step, if there is one.
    fn take_early(&mut self, rank: u32, step: u32) -> bool {
        let Entry::Occupied(mut early) = self.early.entry((rank, step)) else { return false };
        *early.get_mut() -= 1;
        if *early.get() == 0 {
            early.remove();
        }
        true
    }

    /// A message of a rank has left. Whether the rank waits for that, and is to be [advanced](Self::advance).
    pub fn sent(&mut self, rank: u32) -> bool {
        let place = &mut self.ranks[rank as usize];
        place.unsent -= 1;
        place.unsent == 0 && place.waits == Waits::ForSends
    }

    /// Lets a rank go as far as it comes: from its beginning, from a message or a send that it waited for, or from the
    /// end of a computation. `place_of` is a rank's node and that node's speed, in operations per second; `pack` makes
    /// the program's message of one of the plan's.
    pub fn advance<M>(
        &mut self,
        rank: u32,
        context: &mut impl Context<M>,
        place_of: impl Fn(u32) -> (NodeId, f64),
        pack: impl Fn(Part) -> M,
    ) -> Progress {
        let at = rank as usize;
        let (node, speed) = place_of(rank);
        loop {
            let Place { step, end, unsent, waits, .. } = self.ranks[at];
            self.ranks[at].waits = Waits::Not;
            if step == end {
                if unsent > 0 {
                    self.ranks[at].waits = Waits::ForSends;
                    return Progress::Waits;
                }
                self.begin_group(rank, context, &place_of);
            }
            let Some(next) = self.plan.step(rank, step) else {
                self.ranks[at] = Place::default();
                return Progress::Done;
            };
            let seconds = match next {
                Step::Send { to, bytes, receive, .. } => {
                    self.volume.moved = self.volume.moved.saturating_add(bytes);
                    self.ranks[at].unsent += 1;
                    context.send(node, place_of(to).0, bytes, pack(Part(receive)));
                    0.0
                }
                Step::Receive { combine, .. } => {
                    if waits != Waits::Served && !self.take_early(rank, step) {
                        self.ranks[at].waits = Waits::ForMessage;
                        return Progress::Waits;
                    }
                    let bytes = combine.unwrap_or(0);
                    self.volume.combined = self.volume.combined.saturating_add(bytes);
                    self.memory.combine_s(bytes, self.set) + self.reduction * bytes as f64 / speed
                }
                Step::Local { work: LocalWork::Copy, bytes } => self.memory.copy_s(bytes, self.set),
                Step::Local { work: LocalWork::Allocate, bytes } => self.allocation(rank, bytes),
            };
            self.ranks[at].step += 1;
            if seconds > 0.0 {
                context.compute(node, seconds * speed);
                return Progress::Computes;
            }
        }
    }

    /// Begins the next group of a rank: posts its receives.
    fn begin_group<M>(&mut self, rank: u32, context: &mut impl Context<M>, place_of: impl Fn(u32) -> (NodeId, f64)) {
        let Place { step: first, unposted, .. } = self.ranks[rank as usize];
        let mut post = |step: u32| {
            let next = self.plan.step(rank, step);
            if let Some(Step::Receive { from, bytes, .. }) = next.filter(|_| step >= unposted) {
                let tag = Self::tag(self.series, Part(step));
                let receive = Receive { from: Some(place_of(from).0), tag: Some(tag), bytes };
                context.post(place_of(rank).0, receive);
            }
            next.is_some()
        };
        let mut end = first;
        while post(end) {
            end += 1;
            if self.plan.ends(rank, end - 1) {
                break;
            }
        }
        let is_ahead = end > first && self.plan.posts_ahead(rank, end - 1) && post(end);
        let place = &mut self.ranks[rank as usize];
        (place.end, place.unposted) = (end, end + u32::from(is_ahead));
    }

    /// The time of one of the buffers that a rank obtains in its call.
    fn allocation(&self, rank: u32, bytes: u64) -> f64 {
        if !self.memory.charges_buffers() {
            return 0.0;
        }
        let local = (0..).map_while(|step| match self.plan.step(rank, step) {
            Some(Step::Local { work, bytes }) => Some((work, bytes)),
            _ => None,
        });
        let buffers = local.filter_map(|(work, bytes)| (work == LocalWork::Allocate).then_some(bytes));
        let (all, largest) =
            buffers.fold((0u64, 0), |(all, largest), bytes| (all.saturating_add(bytes), bytes.max(largest)));
        self.memory.allocate_s(bytes, all, largest)
    }
}
