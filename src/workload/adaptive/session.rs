//! The run: benchmarks, sample broadcasts and then the operations, one after the other on the simulated machine.
//!
//! The node at which one thing ends hands the turn to the node that starts the next with an empty message. Deciding itself
//! takes no simulated time.

use std::collections::VecDeque;

use super::decide::{Chosen, Decision, plan};
use super::{Choosing, Parameters, Reselect, When, measure};
use crate::adapt::{Cache, Candidate, Cluster, Model, Needs, Observations, Sample, Shapes};
use crate::cluster::network::Model as Network;
use crate::cluster::{Embedded, Link, Machine, NodeId, Platform, Program, Scope, TimerId, WorkId};
use crate::fit::{PairSamples, robust};
use crate::tree::between::Matrix;
use crate::units::Time;
use crate::workload::broadcast::{Broadcast, Clusters, Packed, Piece, TwoLevel};
use crate::workload::measure::{Benchmarks, Message, Plan, Processor};

/// What the run's messages carry.
#[derive(Debug, Clone, Copy)]
pub(super) enum Packet {
    /// You start what comes next.
    Go,
    /// A benchmark's.
    Bench(Message),
    /// One of those that all nodes of a cluster send at once.
    Exchange,
    /// A piece of a sample broadcast.
    Sample(Piece),
    /// A message of an operation.
    Operation(Packed),
}

/// What is to be done.
#[derive(Debug, Clone, Copy)]
enum Task {
    /// Single messages inside clusters.
    Inside,
    /// Some nodes of a cluster send to each other at once: this many nodes and bytes.
    Exchange(usize, u32, u64),
    /// A whole broadcast inside a cluster.
    Sample(usize, Candidate, u64),
    /// Single messages between clusters.
    Between,
    /// A broadcast over all clusters.
    Operation,
}

type Wrapped<P, M> = Embedded<P, fn(M) -> Packet>;

/// What is under way.
#[derive(Debug)]
enum Running {
    Nothing,
    Messages(Box<Wrapped<Benchmarks, Message>>),
    /// Messages that are still to come in.
    Exchange(u32),
    /// With the nodes that have not completed.
    Sample(Box<Wrapped<Broadcast, Piece>>, u32),
    Operation(Box<Wrapped<TwoLevel, Packed>>, u32),
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

/// What is measured of a cluster.
#[derive(Debug, Default)]
struct Bench {
    pair: PairSamples,
    /// Exchanges among all, between two, and of empty messages.
    exchanges: Vec<Time>,
    samples: Vec<(Candidate, u64, Vec<f64>)>,
    cache: Option<Cache>,
}

/// The program.
#[derive(Debug)]
pub(super) struct Session<'a> {
    parameters: &'a Parameters,
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
    pub(super) log: Vec<Operated>,
    pub(super) measuring: Time,
    pub(super) measuring_messages: u64,
    pub(super) reselections: u64,
    pub(super) failure: Option<String>,
}

impl<'a> Session<'a> {
    pub(super) fn new(parameters: &'a Parameters, platform: &'a Platform) -> Self {
        let groups = platform.groups().len();
        let candidates = || parameters.candidates();
        let cached = parameters.selection == Choosing::Experimental;
        let bench = |_| Bench { cache: cached.then(|| Cache::new(candidates())), ..Bench::default() };
        let zero = || Matrix::from_fn(groups, |_, _| Time::ZERO);
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

    /// Everything that has to be measured before a choice.
    fn plan_measuring(&mut self) {
        self.decision = None;
        self.since_measuring = None;
        if self.parameters.selection == Choosing::Analytical {
            self.plan_inside();
        }
        if self.platform.groups().len() > 1 {
            self.tasks.push_back(Task::Between);
        }
    }

    fn plan_inside(&mut self) {
        let parameters = self.parameters;
        let shared: Vec<usize> = measure::shared(self.platform).collect();
        if !shared.is_empty() {
            self.tasks.push_back(Task::Inside);
        }
        let longest = parameters.sizes.iter().map(|size| size.count()).max().unwrap_or(1);
        let of_contention = [Model::Logpc, Model::Steffenel];
        let exchanges = parameters.models.iter().any(|model| of_contention.contains(model));
        for group in shared {
            self.benches[group].exchanges.clear();
            self.benches[group].samples.clear();
            if exchanges {
                let nodes = self.platform.groups()[group].nodes;
                let all = [(nodes, longest), (2, longest), (2, 0)];
                self.tasks.extend(all.map(|(nodes, bytes)| Task::Exchange(group, nodes, bytes)));
            }
            for candidate in parameters.candidates() {
                for bytes in parameters.sample_sizes() {
                    let task = Task::Sample(group, candidate, bytes);
                    self.tasks.extend(std::iter::repeat_n(task, parameters.repetitions as usize));
                }
            }
        }
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
    fn begin(&mut self, machine: &mut impl Machine<Packet>) {
        let Some(task) = self.tasks.pop_front() else { return };
        self.task = Some(task);
        self.begun = machine.now();
        if !matches!(task, Task::Operation) {
            self.since_measuring.get_or_insert(self.begun);
        }
        let begun = match task {
            Task::Inside => {
                self.begin_messages(self.parameters.inside(&self.members), machine);
                Ok(())
            }
            Task::Between => {
                self.begin_messages(self.parameters.between(&self.members), machine);
                Ok(())
            }
            Task::Exchange(group, nodes, bytes) => {
                self.begin_exchange(group, nodes, bytes, machine);
                Ok(())
            }
            Task::Sample(group, candidate, bytes) => self.begin_sample(group, candidate, bytes, machine),
            Task::Operation => self.begin_operation(machine),
        };
        if let Err(message) = begun {
            self.failure = Some(message);
            self.tasks.clear();
        }
    }

    fn begin_messages(&mut self, plan: Plan, machine: &mut impl Machine<Packet>) {
        let everyone = (0..self.platform.nodes()).map(NodeId).collect();
        let benchmarks = Benchmarks::new(plan, Processor::of(self.platform));
        let mut inside = Embedded::new(benchmarks, Scope(1), everyone, Packet::Bench as fn(Message) -> Packet);
        inside.start(machine);
        self.running = Running::Messages(Box::new(inside));
    }

    /// All send at the same instant, as if their clocks agreed.
    fn begin_exchange(&mut self, group: usize, nodes: u32, bytes: u64, machine: &mut impl Machine<Packet>) {
        let members = &self.members.members[group][..nodes as usize];
        for (from, to) in members.iter().zip(members.iter().cycle().skip(1)) {
            machine.send(*from, *to, bytes, Packet::Exchange);
        }
        self.running = Running::Exchange(nodes);
    }

    fn begin_sample(
        &mut self,
        group: usize,
        candidate: Candidate,
        bytes: u64,
        machine: &mut impl Machine<Packet>,
    ) -> Result<(), String> {
        let members = self.members.members[group].clone();
        let ranks = members.len() as u32;
        // The greedy tree needs to know costs: those of the poly-model's most detailed one.
        let observations = measure::observations(&self.benches[group].pair, 1.0)?;
        let law = Model::Plogp.fit(&observations, self.parameters.packet.count());
        let plan = plan(candidate, ranks, bytes, Some(&law), self.platform.tick());
        let mut inside = Embedded::new(Broadcast::from(plan), Scope(1), members, Packet::Sample as fn(Piece) -> Packet);
        inside.start(machine);
        let mut left = ranks;
        while inside.next_completed().is_some() {
            left -= 1;
        }
        self.running = Running::Sample(Box::new(inside), left);
        Ok(())
    }

    fn begin_operation(&mut self, machine: &mut impl Machine<Packet>) -> Result<(), String> {
        let now = machine.now();
        if let Some(since) = self.since_measuring {
            self.measuring += now - since;
        }
        let decision = self.decide()?;
        let everyone: Vec<NodeId> = (0..self.platform.nodes()).map(NodeId).collect();
        let program = decision.program(self.parameters.size.count(), &self.members);
        self.decision = Some(decision);
        let left = everyone.len() as u32;
        let mut inside = Embedded::new(program, Scope(1), everyone, Packet::Operation as fn(Packed) -> Packet);
        self.spans.fill((now, now));
        inside.start(machine);
        self.running = Running::Operation(Box::new(inside), left);
        let root = self.members.members[self.members.root][0];
        self.count_operation(root, machine);
        Ok(())
    }

    /// The choice for the next operation: the one that stands, or a new one.
    fn decide(&mut self) -> Result<Decision, String> {
        if self.parameters.selection == Choosing::Analytical
            && let Some(decision) = &self.decision
        {
            self.because = "kept";
            return Ok(decision.clone());
        }
        let tick = self.platform.tick();
        let mut inside: Vec<Option<Chosen>> = vec![None; self.clusters.len()];
        for group in measure::shared(self.platform) {
            let (name, ranks) = (&self.platform.groups()[group].name, self.platform.groups()[group].nodes);
            inside[group] = if let Some(cache) = &self.benches[group].cache {
                self.parameters.by_cache(cache, ranks, tick)
            } else {
                let cluster = self.modelled(group)?;
                let chosen = self.parameters.by_model(&cluster, ranks, name, tick)?;
                self.clusters[group] = Some(cluster);
                Some(chosen)
            };
        }
        let tried = inside.iter().flatten().any(|chosen| chosen.seconds.is_none());
        self.because = match self.parameters.selection {
            Choosing::Analytical => "measured",
            Choosing::Experimental if tried => "tried",
            Choosing::Experimental => "cached",
        };
        self.parameters.composed(self.platform, self.members.root, inside, &self.between)
    }

    /// A cluster as poly-adapt-1 takes it.
    fn modelled(&self, group: usize) -> Result<Cluster, String> {
        let (bench, parameters) = (&self.benches[group], self.parameters);
        let contention = match bench.exchanges[..] {
            [whole, pair, empty] => measure::contention(whole, pair, empty),
            _ => 1.0,
        };
        let observations: Observations = measure::observations(&bench.pair, contention)?;
        let sample = |((algorithm, segment), bytes, seconds): &(Candidate, u64, Vec<f64>)| {
            let seconds = robust::median(seconds)?;
            Some(Sample { algorithm: *algorithm, segment: *segment, bytes: *bytes, seconds })
        };
        let samples = bench.samples.iter().filter_map(sample).collect();
        let shapes = Shapes::new(self.platform.groups()[group].nodes, &parameters.algorithms);
        // Nodes of a cluster are alike; a shared link lets messages contend, and levels inside make a hierarchy.
        let shared = |link: &Link| matches!(link.model, Network::Fair(_));
        let inside = self.platform.levels(group).any(|(_, link)| shared(link));
        let contention = shared(self.platform.link(group, group)) || inside;
        let needs = Needs { hierarchical: self.platform.levels(group).len() > 0, contention, ..Needs::default() };
        Ok(Cluster::new(shapes, &parameters.models, needs, &observations, parameters.packet.count(), samples))
    }

    /// Counts who has completed in the operation, where `at` has had something to do.
    fn count_operation(&mut self, at: NodeId, machine: &mut impl Machine<Packet>) {
        let Running::Operation(inside, left) = &mut self.running else { return };
        while let Some(node) = inside.next_completed() {
            *left -= 1;
            self.spans[self.platform.group_of(node)].1 = machine.now();
        }
        if *left == 0 {
            self.end_operation(at, machine);
        }
    }

    fn end_operation(&mut self, at: NodeId, machine: &mut impl Machine<Packet>) {
        let took = machine.now() - self.begun;
        let Some(decision) = self.decision.clone() else { return };
        for (group, bench) in self.benches.iter_mut().enumerate() {
            if let (Some(cache), Some(chosen)) = (&mut bench.cache, &decision.inside[group]) {
                let (informed, ended) = self.spans[group];
                let inside = (ended - informed).since(decision.sends_first(group));
                cache.note(chosen.candidate, self.platform.tick().seconds(inside));
            }
        }
        let same = self.reference.as_ref().filter(|(other, _)| decision.does_the_same(other));
        let change = same.map(|(_, before)| (took.as_f64() / before.as_f64() - 1.0).abs());
        if same.is_none() {
            self.reference = Some((decision.clone(), took));
        }
        let measuring = self.since_measuring.take().map_or(Time::ZERO, |since| self.begun - since);
        let because = self.because;
        self.log.push(Operated { started: self.begun, took, decision, because, measuring });
        if (self.log.len() as u64) < u64::from(self.parameters.operations) {
            self.reselect(change);
            self.tasks.push_back(Task::Operation);
        }
        self.hand_over(at, machine);
    }

    /// Plans to measure again where the key says so; `change` is how far the operation lies off an earlier one of its kind.
    fn reselect(&mut self, change: Option<f64>) {
        let again = match self.parameters.reselect {
            Reselect::Named(When::Never) => false,
            Reselect::Named(When::Every) => true,
            Reselect::Above(threshold) => change.is_some_and(|change| change > threshold),
        };
        if !again {
            return;
        }
        self.reselections += 1;
        self.plan_measuring();
        if matches!(self.parameters.reselect, Reselect::Above(_)) {
            // The network is another one now, of which past operations say nothing.
            self.reference = None;
            self.benches.iter_mut().filter_map(|bench| bench.cache.as_mut()).for_each(Cache::forget);
        }
    }

    /// A task has ended at a node: the next one.
    fn hand_over(&mut self, at: NodeId, machine: &mut impl Machine<Packet>) {
        self.running = Running::Nothing;
        match self.tasks.front() {
            Some(&task) if self.initiator(task) == at => self.begin(machine),
            Some(&task) => {
                if !matches!(task, Task::Operation) {
                    self.since_measuring.get_or_insert(machine.now());
                }
                machine.send(at, self.initiator(task), 0, Packet::Go);
            }
            None => {
                machine.complete(at);
                machine.conclude();
            }
        }
    }

    /// Single messages may all have been measured.
    fn end_messages(&mut self, at: NodeId, machine: &mut impl Machine<Packet>) {
        if !matches!(&self.running, Running::Messages(inside) if inside.inner().is_done()) {
            return;
        }
        let Running::Messages(inside) = std::mem::replace(&mut self.running, Running::Nothing) else { return };
        let measured = inside.into_inner().into_measurements();
        // Pairs between clusters join coordinators; those inside do not leave their cluster.
        let group_of = |node: u32| self.platform.group_of(NodeId(node));
        if measured.pairs.iter().any(|pair| group_of(pair.from) != group_of(pair.to)) {
            let bytes = self.parameters.size.count();
            match measure::matrices(&measured, &self.members, bytes, self.platform.tick()) {
                Ok(matrices) => self.between = matrices,
                Err(message) => {
                    self.failure = Some(message);
                    return;
                }
            }
        } else {
            for pair in measured.pairs {
                let group = group_of(pair.from);
                self.benches[group].pair = pair;
            }
        }
        self.hand_over(at, machine);
    }

    fn exchanged(&mut self, at: NodeId, machine: &mut impl Machine<Packet>) {
        let Running::Exchange(left) = &mut self.running else { return };
        *left -= 1;
        if *left == 0 {
            let took = machine.now() - self.begun;
            self.benches[self.platform.group_of(at)].exchanges.push(took);
            self.hand_over(at, machine);
        }
    }

    fn sampled(&mut self, at: NodeId, from: NodeId, piece: Piece, machine: &mut impl Machine<Packet>) {
        let group = self.platform.group_of(at);
        let members = &self.members.members[group];
        // Coordinators come first; the others follow them in a circle.
        let rank = |node: NodeId| {
            let (first, count) = (members[0].0, members.len() as u32);
            NodeId((node.0 + count - first) % count)
        };
        let Running::Sample(inside, left) = &mut self.running else { return };
        inside.on_message(rank(at), rank(from), piece, machine);
        while inside.next_completed().is_some() {
            *left -= 1;
        }
        if *left == 0 {
            self.note_sample(self.platform.tick().seconds(machine.now() - self.begun));
            self.hand_over(at, machine);
        }
    }

    fn note_sample(&mut self, seconds: f64) {
        let Some(Task::Sample(group, candidate, bytes)) = self.task else { return };
        let samples = &mut self.benches[group].samples;
        match samples.iter_mut().find(|(known, size, _)| (*known, *size) == (candidate, bytes)) {
            Some((.., repeated)) => repeated.push(seconds),
            None => samples.push((candidate, bytes, vec![seconds])),
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
            Packet::Sample(piece) => Broadcast::describe(piece),
            Packet::Operation(part) => TwoLevel::describe(part),
        }
    }

    fn start(&mut self, machine: &mut impl Machine<Packet>) {
        self.begin(machine);
    }

    fn on_message(&mut self, at: NodeId, from: NodeId, packet: Packet, machine: &mut impl Machine<Packet>) {
        if self.failure.is_some() {
            return;
        }
        self.measuring_messages += u64::from(self.since_measuring.is_some() && !matches!(packet, Packet::Operation(_)));
        match packet {
            Packet::Go => self.begin(machine),
            Packet::Bench(message) => {
                if let Running::Messages(inside) = &mut self.running {
                    inside.on_message(at, from, message, machine);
                }
                self.end_messages(at, machine);
            }
            Packet::Exchange => self.exchanged(at, machine),
            Packet::Sample(piece) => self.sampled(at, from, piece, machine),
            Packet::Operation(part) => {
                if matches!(part, Packed::Between) {
                    let now = machine.now();
                    self.spans[self.platform.group_of(at)] = (now, now);
                }
                if let Running::Operation(inside, _) = &mut self.running {
                    inside.on_message(at, from, part, machine);
                }
                self.count_operation(at, machine);
            }
        }
    }

    fn on_computed(&mut self, at: NodeId, work: WorkId, machine: &mut impl Machine<Packet>) {
        if let Running::Messages(inside) = &mut self.running {
            inside.on_computed(at, work, machine);
        }
        self.end_messages(at, machine);
    }

    fn on_timer(&mut self, at: NodeId, timer: TimerId, machine: &mut impl Machine<Packet>) {
        if let Running::Messages(inside) = &mut self.running {
            inside.on_timer(at, timer, machine);
        }
        self.end_messages(at, machine);
    }
}
