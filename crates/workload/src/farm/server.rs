//! The server's side of a task farm, for any messages: rounds, assignments, late tasks.

mod late;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use super::Sizes;
use super::assignments::{Assignments, Chunk};
use super::calls::TaskCalls;
use super::failures::Failures;
use super::slots::Slots;
use crate::rhythm::Rhythm;
use hetsim_base::units::Time;
use hetsim_cluster::{Context, NodeId, TimerId, WorkId};
use hetsim_policy::{ChunkPolicy, ChunkReport, Kind};

/// A source of tasks: rounds of independent tasks, one after the other, numbered over all rounds.
pub trait TaskSource {
    /// The number of tasks in each round.
    fn tasks(&self) -> u32;

    /// The work of a task, in operations.
    fn operations(&self, task: u32) -> f64;

    /// The work of the first `tasks` tasks together, in operations.
    fn total(&self, tasks: u32) -> f64;

    /// Takes the first result of a task; another one where that was lost with its worker.
    fn result(&mut self, task: u32);

    /// Ends a round when all its results have arrived. Returns true if another round follows, which the server makes by
    /// computing [`between`](Self::between) operations.
    fn end_round(&mut self, now: Time) -> bool;

    /// The work of the server between two rounds, in operations.
    fn between(&self) -> f64;
}

/// How long the server waits for the results of a chunk before it gives its tasks to others.
#[derive(Debug, Clone, Copy, Default)]
pub struct Patience {
    /// The wait for any chunk.
    pub chunk: Time,
    /// The additional wait for each of its tasks.
    pub task: Time,
}

impl Patience {
    /// The wait for a chunk of so many tasks.
    #[must_use]
    pub fn with(self, tasks: u32) -> Time {
        self.chunk + self.task * u64::from(tasks)
    }
}

/// The server's rules for dealing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Rules {
    /// The lengths of messages, and the memory of tasks.
    pub sizes: Sizes,
    /// The work of the server before the first round, in operations.
    pub startup: f64,
    /// The work of the server for each task of a round before it deals any, in operations.
    pub submission: f64,
    /// The work of the server before each answer, in operations.
    pub service: f64,
    /// How many chunks a worker has besides the one that it computes.
    pub ahead: u16,
    /// How often the server takes back what waits at one worker for another that has nothing; without it, never.
    pub steal_interval: Option<Time>,
    /// The seconds that the chunks of a worker must take, by their mean, for one to be taken back.
    pub steal_threshold_s: f64,
    /// The time that a worker takes to set up a chunk.
    pub setup: Time,
    /// When workers tell what they have computed, and when the server looks at it.
    pub(super) rhythm: Rhythm,
    /// How often a late task is given to an idle worker besides the worker that has it.
    pub copies: u32,
    /// The time without a result after which a worker's tasks are given to others; without it, never.
    pub timeout: Option<Patience>,
    /// How long after the failure of a node the server knows of it; without it, never.
    pub detection: Option<Time>,
    /// Whether workers keep the results of a round, and those of a failed one are lost.
    pub keep_results: bool,
    /// Whether tasks may be lost, so that the server must track each of them.
    pub unreliable: bool,
}

/// The server's knowledge of a slot. A worker without chunks ahead has a single one.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Client {
    /// The tasks without a returned result.
    pub(super) out: Chunk,
    /// The number of the last chunk that it was given, from 1.
    pub(super) deal: u64,
    /// Whether it waits for work.
    pub(super) idle: bool,
    /// Whether its node is down, and whether it has been since the last chunk. The server cannot know, except by `detection`;
    /// metrics count by it.
    pub(super) down: bool,
    pub(super) failed: bool,
}

/// The deadline of a chunk; void if its slot has been given another chunk since. Ordered by time, then by deal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Deadline {
    at: Time,
    deal: u64,
    slot: u32,
}

/// The state of the round after the results of a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RoundStatus {
    /// The round goes on.
    Running,
    /// The round is over, and the next one is to be made.
    NextRound,
    /// All rounds are over.
    AllDone,
}

/// A computation of the server's processor.
#[derive(Debug, Clone, Copy)]
pub(super) enum Job {
    /// The work before the answer to a slot.
    Answer(u32),
    /// The work between two rounds.
    MakeRound,
}

/// The server of a farm.
#[derive(Debug)]
pub struct Server<S> {
    /// The tasks.
    pub source: S,
    pub(super) node: NodeId,
    pub(super) slots: Slots,
    policy: ChunkPolicy,
    pub(super) kind: Kind,
    pub(super) rules: Rules,
    pub(super) assignments: Assignments,
    pub(super) failures: Failures,
    /// By slot.
    pub(super) clients: Vec<Client>,
    /// Whether a worker is believed to be present.
    pub(super) present: Vec<bool>,
    /// The number of slots that have tasks, as far as the server knows.
    pub(super) busy: u32,
    /// Waiting slots in order of arrival; some may have work by now.
    pub(super) waiting: VecDeque<u32>,
    /// The computations under way.
    jobs: VecDeque<(WorkId, Job)>,
    /// The number of chunks dealt so far, and the tasks of the round's longest.
    pub(super) deals: u64,
    longest: u32,
    /// The first on top.
    deadlines: BinaryHeap<Reverse<Deadline>>,
    /// The timer of the first deadline, with its time.
    timer: Option<(TimerId, Time)>,
    /// The timer of the next attempt to move what waits.
    pub(super) steal_timer: Option<TimerId>,
    /// The running mean of the seconds that chunks took, half of which is the last one; `None` before the first.
    pub(super) chunk_s: Option<f64>,
    /// The time of the last result.
    progress: Time,
    /// Whether a round is in progress. Between rounds the server makes the next one.
    pub(super) open: bool,
    /// The number of finished rounds.
    pub(super) rounds: u32,
    /// The number of copies of late tasks that were dealt.
    pub(super) copied: u64,
    /// The number of tasks that a timeout took from workers that had not failed.
    pub(super) false_timeouts: u64,
    /// Whether workers drop chunks that come while they compute another; if not, they compute them later.
    pub(super) drops_early: bool,
    /// The end of the last round.
    pub end: Option<Time>,
    /// What the tasks call, if they call a kernel.
    calls: Option<TaskCalls>,
}

impl<S: TaskSource> Server<S> {
    /// A server at `node` for `workers` workers.
    #[must_use]
    pub fn new(source: S, node: NodeId, workers: u32, policy: ChunkPolicy, rules: Rules) -> Self {
        let slots = Slots::new(workers, rules.ahead);
        Self {
            source,
            node,
            slots,
            kind: policy.kind(),
            policy,
            rules,
            assignments: Assignments::new(rules.copies > 0 || rules.unreliable),
            failures: Failures::new(if rules.keep_results { workers } else { 0 }),
            clients: vec![Client::default(); slots.count() as usize],
            present: vec![true; workers as usize],
            busy: 0,
            waiting: VecDeque::new(),
            jobs: VecDeque::new(),
            deals: 0,
            longest: 0,
            deadlines: BinaryHeap::new(),
            timer: None,
            steal_timer: None,
            chunk_s: None,
            progress: Time::ZERO,
            open: false,
            rounds: 0,
            copied: 0,
            false_timeouts: 0,
            drops_early: false,
            end: None,
            calls: None,
        }
    }

    /// The same server whose tasks call a kernel, if there are calls.
    pub(super) fn calling(self, calls: Option<TaskCalls>) -> Self {
        Self { calls, ..self }
    }

    /// The work of a task on the node that computes it, in operations.
    #[inline]
    pub(super) fn operations(&self, task: u32, node: NodeId) -> f64 {
        let operations = self.source.operations(task);
        self.calls.as_ref().map_or(operations, |calls| calls.operations(task, operations, node))
    }

    /// The node of a worker. The workers are all nodes except the server's, in order.
    #[inline]
    pub(super) const fn node_of(&self, worker: u32) -> NodeId {
        NodeId(if worker < self.node.0 { worker } else { worker + 1 })
    }

    /// The worker on a node other than the server's.
    #[inline]
    pub(super) const fn worker_at(&self, node: NodeId) -> u32 {
        if node.0 < self.node.0 { node.0 } else { node.0 - 1 }
    }

    /// The number of tasks of the current round without a result.
    pub(super) const fn unfinished(&self) -> u32 {
        self.assignments.unfinished()
    }

    /// Starts the work that comes before a job. Returns false if there is none: the job is due at once.
    #[inline]
    pub(super) fn works_for<M>(&mut self, job: Job, context: &mut impl Context<M>) -> bool {
        let operations = match job {
            Job::Answer(_) => self.rules.service,
            Job::MakeRound => self.source.between() + self.submission(),
        };
        if operations > 0.0 {
            self.jobs.push_back((context.compute(self.node, operations), job));
        }
        operations > 0.0
    }

    /// Starts the work that comes before the first round. Returns false if there is none.
    pub(super) fn starts_up<M>(&mut self, context: &mut impl Context<M>) -> bool {
        let operations = self.rules.startup + self.submission();
        if operations > 0.0 {
            self.jobs.push_back((context.compute(self.node, operations), Job::MakeRound));
        }
        operations > 0.0
    }

    /// The work for the tasks of a round before any is dealt, in operations.
    fn submission(&self) -> f64 {
        self.rules.submission * f64::from(self.source.tasks())
    }

    /// The job whose work has ended.
    #[inline]
    pub(super) fn worked_for(&mut self, work: WorkId) -> Option<Job> {
        let place = self.jobs.iter().position(|(job, _)| *job == work)?;
        self.jobs.remove(place).map(|(_, job)| job)
    }

    /// Whether the server waits for tasks of a slot.
    pub(super) fn has_work(&self, slot: u32) -> bool {
        self.clients[slot as usize].out.count > 0
    }

    /// Opens a round.
    pub(super) fn open_round<M>(&mut self, context: &mut impl Context<M>) {
        let tasks = self.source.tasks();
        self.assignments.open(tasks, self.rules.copies);
        self.policy.begin(tasks);
        self.failures.open_round();
        self.open = true;
        self.longest = 0;
        self.progress = context.now();
        let round = self.rounds + 1;
        context.enter_phase(self.node, round);
        (0..self.slots.workers()).for_each(|worker| context.enter_phase(self.node_of(worker), round));
    }

    /// Deals to all workers at once, if the policy does so and it is time: at the start of a round, and again whenever
    /// all dealt tasks have returned and some are left.
    pub(super) fn deal_all<M>(&mut self, context: &mut impl Context<M>) -> Vec<(u32, Chunk)> {
        let due = self.open && self.kind != Kind::SelfScheduling && self.busy == 0 && self.assignments.undealt() > 0;
        if !due || !self.present.contains(&true) {
            return Vec::new();
        }
        let counts = self.policy.deal(self.assignments.undealt(), &self.present);
        let mut dealt = Vec::new();
        for (worker, count) in (0..).zip(counts).filter(|(_, count)| *count > 0) {
            // Tasks that were given up may not be consecutive; the rest of a share is dealt when all others have
            // returned.
            let Some(chunk) = self.assignments.take(count) else { break };
            self.note_deal(worker, chunk, context);
            dealt.push((worker, chunk));
        }
        dealt
    }

    /// The next tasks for a slot without any, or a copy of a late task; `None` if there is nothing for it.
    #[inline]
    pub(super) fn next_for<M>(&mut self, slot: u32, context: &mut impl Context<M>) -> Option<Chunk> {
        if !self.open {
            return None;
        }
        let left = self.assignments.undealt();
        let chunk = if left == 0 {
            if self.rules.copies == 0 {
                return None;
            }
            let copy = self.assignments.copy()?;
            self.copied += 1;
            copy
        } else if self.kind == Kind::SelfScheduling {
            let count = self.policy.chunk(self.slots.worker_of(slot), left);
            self.assignments.take(count)?
        } else if self.kind == Kind::Stealing {
            // Tasks that a worker lost are dealt one by one.
            self.assignments.take(1)?
        } else {
            return None;
        };
        self.note_deal(slot, chunk, context);
        Some(chunk)
    }

    #[inline]
    pub(super) fn note_deal<M>(&mut self, slot: u32, chunk: Chunk, context: &mut impl Context<M>) {
        let client = &mut self.clients[slot as usize];
        self.deals += 1;
        client.idle = false;
        client.deal = self.deals;
        client.failed = client.down;
        if self.kind != Kind::Stealing {
            self.busy += u32::from(client.out.count == 0);
            client.out = chunk;
        }
        if let Some(patience) = self.rules.timeout {
            self.longest = self.longest.max(chunk.count);
            let at = context.now() + patience.with(chunk.count);
            self.deadlines.push(Reverse(Deadline { at, deal: self.deals, slot }));
            self.keep_timer(context);
        }
        if self.clients[slot as usize].down {
            self.await_detection(self.slots.worker_of(slot), Vec::new(), context);
        }
    }

    /// Takes the results of a slot, which then has no tasks.
    #[inline]
    pub(super) fn receive_results<M>(
        &mut self,
        slot: u32,
        returned: Chunk,
        report: &ChunkReport,
        context: &mut impl Context<M>,
    ) -> RoundStatus {
        let worker = self.slots.worker_of(slot);
        if !std::mem::replace(&mut self.present[worker as usize], true) {
            self.stand_again(worker);
        }
        // What a worker keeps is lost with its node, though it has said that it is done.
        let is_lost = self.rules.keep_results && self.clients[slot as usize].down;
        let returned = if is_lost { Chunk::EMPTY } else { returned };
        if returned.count > 0 {
            self.progress = context.now();
        }
        let client = &mut self.clients[slot as usize];
        // A chunk that was given up comes back all the same if it was under way while its worker was down: the worker
        // still has the one that it was given since.
        let has_later = returned.count > 0 && returned != client.out && !self.drops_early;
        let out = if has_later { Chunk::EMPTY } else { std::mem::take(&mut client.out) };
        self.busy -= u32::from(out.count > 0);
        if report.tasks > 0 {
            self.policy.observe(worker, report);
            self.chunk_s = Some(self.chunk_s.map_or(report.seconds, |mean| f64::midpoint(mean, report.seconds)));
        }
        let source = &mut self.source;
        self.assignments.finish(returned, |task| source.result(task));
        self.failures.keep(worker, returned);
        if out.count > 0 && out != returned {
            // The worker has been down since, and has lost them.
            self.assignments.give_up(out);
        }
        if !self.open || self.assignments.unfinished() > 0 {
            return RoundStatus::Running;
        }
        self.open = false;
        self.rounds += 1;
        if self.source.end_round(context.now()) {
            return RoundStatus::NextRound;
        }
        self.end = Some(context.now());
        if let Some((timer, _)) = self.timer.take() {
            context.cancel_timer(timer);
        }
        RoundStatus::AllDone
    }

    /// Adds an idle slot to the waiting line. Under static policies, which deal to all at once, there is no line.
    pub(super) fn enqueue(&mut self, slot: u32) {
        let client = &mut self.clients[slot as usize];
        if !client.idle && self.kind != Kind::Static {
            client.idle = true;
            self.waiting.push_back(slot);
        }
    }

    /// Removes and returns the slot that has waited longest. Those of absent workers leave the line, and stay idle.
    pub(super) fn next_waiting(&mut self) -> Option<u32> {
        while let Some(slot) = self.waiting.pop_front() {
            let is_present = self.present[self.slots.worker_of(slot) as usize];
            if is_present && std::mem::take(&mut self.clients[slot as usize].idle) {
                return Some(slot);
            }
        }
        None
    }

    /// Lets the idle slots of a worker that was absent stand in the waiting line again.
    fn stand_again(&mut self, worker: u32) {
        let (slots, clients) = (self.slots, &self.clients);
        self.waiting.extend(slots.of(worker).filter(|&slot| clients[slot as usize].idle));
    }

    /// Whether there are tasks for a worker that asks.
    pub(super) fn has_tasks(&self) -> bool {
        self.open && self.assignments.undealt() > 0
    }
}
