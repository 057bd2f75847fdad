//! The run: benchmarks, sample broadcasts and then the operations, one after the other on the simulated machine.
//!
//! The node at which one thing ends hands the turn to the node that starts the next with an empty message. Deciding
//! itself takes no simulated time.

mod measuring;
mod operating;

use std::collections::VecDeque;

use super::decide::Decision;
use super::{AdaptiveParameters, measure};
use crate::broadcast::Clusters;
use crate::communication::{Carrier, Communication, Part};
use crate::measure::{BenchmarkMessage, Benchmarks, Loads};
use hetsim_adapt::{Cache, Candidate, Cluster, Selection};
use hetsim_base::engine::Streams;
use hetsim_base::units::Time;
use hetsim_cluster::{Context, Embedded, NodeId, Platform, Program, TimerId, WorkId};
use hetsim_communication::intercluster::Matrix;
use measuring::Bench;

/// What the run's messages carry.
#[derive(Debug, Clone, Copy)]
pub(super) enum Packet {
    /// You start what comes next.
    Go,
    /// A benchmark's.
    Bench(BenchmarkMessage),
    /// One of those that all nodes of a cluster send at once.
    Exchange,
    /// A piece of a sample broadcast.
    Sample(Part),
    /// A message of an operation.
    Operation(Part),
    /// Somebody else's.
    Load,
}

/// Which nodes send to each other at once, and what.
#[derive(Debug, Clone, Copy)]
enum Exchange {
    /// All, a long message.
    Whole,
    /// Two, the same.
    Pair,
    /// Two, an empty message.
    Empty,
}

/// A task of the session.
#[derive(Debug, Clone, Copy)]
enum Task {
    /// Single messages inside clusters.
    Inside,
    /// Nodes of a cluster send to each other at once.
    Exchange(usize, Exchange),
    /// A whole broadcast inside a cluster.
    Sample(usize, Candidate, u64),
    /// Single messages between clusters.
    Between,
    /// A broadcast over all clusters.
    Operation,
}

type Wrapped<P, M> = Embedded<P, fn(M) -> Packet>;

/// The task that is running.
#[derive(Debug)]
enum Running {
    Nothing,
    Messages(Box<Wrapped<Benchmarks, BenchmarkMessage>>),
    /// Messages that are still to come in.
    Exchange(u32),
    /// With the nodes that have not completed.
    Sample(Box<Wrapped<Carrier, Part>>, u32),
    Operation(Box<Wrapped<Communication, Part>>, u32),
}

/// An operation that has ended.
#[derive(Debug, Clone)]
pub(super) struct Operated {
    pub(super) started: Time,
    pub(super) took: Time,
    pub(super) decision: Decision,
    /// Why it was done in this way.
    pub(super) because: &'static str,
    /// What was measured just before it, in time.
    pub(super) measuring: Time,
}

/// The program.
#[derive(Debug)]
pub(super) struct Session<'a> {
    parameters: &'a AdaptiveParameters,
    platform: &'a Platform,
    pub(super) members: Clusters,
    tasks: VecDeque<Task>,
    task: Option<Task>,
    running: Running,
    begun: Time,
    benches: Vec<Bench>,
    between: (Matrix<Time>, Matrix<Time>),
    /// By cluster, where it was measured for models.
    pub(super) clusters: Vec<Option<Cluster>>,
    decision: Option<Decision>,
    because: &'static str,
    /// When each cluster of the operation was informed, and had the message everywhere.
    spans: Vec<(Time, Time)>,
    /// What the first operation of this kind took since the last choice.
    reference: Option<(Decision, Time)>,
    since_measuring: Option<Time>,
    loads: Loads,
    /// How often benchmarks of single messages were run.
    turns: u64,
    /// How many exchanges and sample broadcasts were timed.
    timed: u64,
    /// Where something holds a node up, and until which timer.
    held_up: Option<(TimerId, NodeId)>,
    pub(super) log: Vec<Operated>,
    pub(super) measuring: Time,
    pub(super) measuring_messages: u64,
    pub(super) reselections: u64,
    pub(super) failure: Option<String>,
}

impl<'a> Session<'a> {
    pub(super) fn new(parameters: &'a AdaptiveParameters, platform: &'a Platform, streams: &Streams) -> Self {
        let groups = platform.clusters().len();
        let candidates = || parameters.candidates();
        let cached = parameters.selection == Selection::Experimental;
        let bench = |_| Bench { cache: cached.then(|| Cache::new(candidates())), ..Bench::default() };
        let zero = || Matrix::from_fn(groups, |_, _| Time::ZERO);
        let traffic = parameters.background.map(|background| background.traffic(platform.nodes(), streams));
        let mut session = Self {
            parameters,
            platform,
            members: Clusters::new(platform, NodeId(parameters.root)),
            tasks: VecDeque::new(),
            task: None,
            running: Running::Nothing,
            begun: Time::ZERO,
            benches: (0..groups).map(bench).collect(),
            between: (zero(), zero()),
            clusters: vec![None; groups],
            decision: None,
            because: "measured",
            spans: vec![(Time::ZERO, Time::ZERO); groups],
            reference: None,
            since_measuring: None,
            loads: Loads::new(traffic.unwrap_or_default()),
            turns: 0,
            timed: 0,
            held_up: None,
            log: Vec::new(),
            measuring: Time::ZERO,
            measuring_messages: 0,
            reselections: 0,
            failure: None,
        };
        session.plan_measuring();
        session.tasks.push_back(Task::Operation);
        session
    }

    /// The node that starts a task.
    fn initiator(&self, task: Task) -> NodeId {
        match task {
            Task::Inside => {
                let first = measure::shared(self.platform).next().unwrap_or(0);
                self.members.members[first][0]
            }
            Task::Exchange(group, ..) | Task::Sample(group, ..) => self.members.members[group][0],
            Task::Between => self.members.members[0][0],
            Task::Operation => self.members.members[self.members.root][0],
        }
    }

    /// Begins the next task at its initiator, where a handler runs.
    fn begin(&mut self, context: &mut impl Context<Packet>) {
        let Some(task) = self.tasks.pop_front() else { return };
        self.task = Some(task);
        self.begun = context.now();
        if !matches!(task, Task::Operation) {
            self.since_measuring.get_or_insert(self.begun);
        }
        let begun = match task {
            Task::Inside => {
                self.begin_messages(self.parameters.inside(&self.members), context);
                Ok(())
            }
            Task::Between => {
                self.begin_messages(self.parameters.between(&self.members), context);
                Ok(())
            }
            Task::Exchange(group, exchange) => {
                self.begin_exchange(group, exchange, context);
                Ok(())
            }
            Task::Sample(group, candidate, bytes) => self.begin_sample(group, candidate, bytes, context),
            Task::Operation => self.begin_operation(context),
        };
        if let Err(message) = begun {
            self.failure = Some(message);
            self.tasks.clear();
        }
    }

    /// A task has ended at a node: the next one.
    fn hand_over(&mut self, at: NodeId, context: &mut impl Context<Packet>) {
        self.running = Running::Nothing;
        match self.tasks.front() {
            Some(&task) if self.initiator(task) == at => self.begin(context),
            Some(&task) => {
                if !matches!(task, Task::Operation) {
                    self.since_measuring.get_or_insert(context.now());
                }
                context.send(at, self.initiator(task), 0, Packet::Go);
            }
            None => {
                self.loads.stop(context);
                context.complete(at);
                context.conclude();
            }
        }
    }
}

impl Program for Session<'_> {
    type Message = Packet;

    fn describe(packet: &Packet) -> &'static str {
        match packet {
            Packet::Go => "go",
            Packet::Bench(message) => Benchmarks::describe(message),
            Packet::Exchange => "exchange",
            Packet::Sample(part) | Packet::Operation(part) => Carrier::describe(part),
            Packet::Load => "load",
        }
    }

    fn start(&mut self, context: &mut impl Context<Packet>) {
        self.loads.start(context);
        self.begin(context);
    }

    fn on_message(&mut self, at: NodeId, from: NodeId, packet: Packet, context: &mut impl Context<Packet>) {
        if self.failure.is_some() {
            return;
        }
        self.measuring_messages +=
            u64::from(self.since_measuring.is_some() && !matches!(packet, Packet::Operation(_) | Packet::Load));
        match packet {
            Packet::Go => self.begin(context),
            Packet::Bench(message) => {
                if let Running::Messages(inside) = &mut self.running {
                    inside.on_message(at, from, message, context);
                }
                self.end_messages(at, context);
            }
            Packet::Exchange => self.exchanged(at, context),
            Packet::Sample(part) => self.sampled(at, from, part, context),
            Packet::Operation(part) => {
                let cluster = self.platform.cluster_of(at);
                if self.platform.cluster_of(from) != cluster {
                    let now = context.now();
                    self.spans[cluster] = (now, now);
                }
                if let Running::Operation(inside, _) = &mut self.running {
                    inside.on_message(at, from, part, context);
                }
                self.count_operation(at, context);
            }
            Packet::Load => {}
        }
    }

    fn on_computed(&mut self, at: NodeId, work: WorkId, context: &mut impl Context<Packet>) {
        if let Running::Messages(inside) = &mut self.running {
            inside.on_computed(at, work, context);
        }
        self.end_messages(at, context);
    }

    fn on_timer(&mut self, at: NodeId, timer: TimerId, context: &mut impl Context<Packet>) {
        if self.failure.is_some() || self.loads.on_timer(at, timer, Packet::Load, context) {
            return;
        }
        if let Some((_, at)) = self.held_up.take_if(|(until, _)| *until == timer) {
            self.hand_over(at, context);
            return;
        }
        if let Running::Messages(inside) = &mut self.running {
            inside.on_timer(at, timer, context);
        }
        self.end_messages(at, context);
    }
}
