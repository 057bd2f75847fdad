//! What comes before a choice: benchmarks of single messages, exchanges and sample broadcasts.

use super::super::decide::plan;
use super::{Exchange, Packet, Running, Session, Task};
use crate::adaptive::measure;
use crate::communication::{Carrier, Part};
use crate::measure::{BenchmarkMessage, Benchmarks, ExperimentPlan, Processor};
use hetsim_adapt::{Cache, Candidate, Model, Selection};
use hetsim_base::units::Time;
use hetsim_cluster::{Context, Embedded, NodeId, Scope};
use hetsim_fit::PairSamples;

/// What is measured of a cluster.
#[derive(Debug, Default)]
pub(super) struct Bench {
    pub(super) pair: PairSamples,
    /// The times of exchanges among all, between two, and of empty messages, in seconds.
    pub(super) exchanges: [Vec<f64>; 3],
    /// Sample broadcasts, each with its times in seconds.
    pub(super) samples: Vec<(Candidate, u64, Vec<f64>)>,
    pub(super) cache: Option<Cache>,
}

impl Session<'_> {
    /// Everything that has to be measured before a choice.
    pub(super) fn plan_measuring(&mut self) {
        self.decision = None;
        self.since_measuring = None;
        if self.parameters.selection == Selection::Analytical {
            self.plan_inside();
        }
        if self.platform.clusters().len() > 1 {
            self.tasks.push_back(Task::Between);
        }
    }

    fn plan_inside(&mut self) {
        let parameters = self.parameters;
        let shared: Vec<usize> = measure::shared(self.platform).collect();
        if !shared.is_empty() {
            self.tasks.push_back(Task::Inside);
        }
        let of_contention = [Model::Logpc, Model::Steffenel];
        let exchanges = parameters.models.iter().any(|model| of_contention.contains(model));
        for group in shared {
            self.benches[group].exchanges.iter_mut().for_each(Vec::clear);
            self.benches[group].samples.clear();
            if exchanges {
                for exchange in [Exchange::Whole, Exchange::Pair, Exchange::Empty] {
                    let task = Task::Exchange(group, exchange);
                    self.tasks.extend(std::iter::repeat_n(task, parameters.repetitions as usize));
                }
            }
            for candidate in parameters.candidates() {
                for bytes in parameters.sample_sizes() {
                    let task = Task::Sample(group, candidate, bytes);
                    self.tasks.extend(std::iter::repeat_n(task, parameters.repetitions as usize));
                }
            }
        }
    }

    /// Begins benchmarks of single messages.
    pub(super) fn begin_messages(&mut self, plan: ExperimentPlan, context: &mut impl Context<Packet>) {
        let plan = ExperimentPlan { turn: self.turns, ..plan };
        self.turns += 1;
        let everyone = (0..self.platform.nodes()).map(NodeId).collect();
        let benchmarks = Benchmarks::new(plan, Processor::of(self.platform));
        let mut inside = Embedded::new(benchmarks, Scope(1), everyone, Packet::Bench as fn(BenchmarkMessage) -> Packet);
        inside.start(context);
        self.running = Running::Messages(Box::new(inside));
    }

    /// All send at the same instant, as if their clocks agreed.
    pub(super) fn begin_exchange(&mut self, group: usize, exchange: Exchange, context: &mut impl Context<Packet>) {
        let longest = || self.parameters.sizes.iter().map(|size| size.count()).max().unwrap_or(1);
        let all = &self.members.members[group];
        let (members, bytes) = match exchange {
            Exchange::Whole => (&all[..], longest()),
            Exchange::Pair => (&all[..2], longest()),
            Exchange::Empty => (&all[..2], 0),
        };
        for (from, to) in members.iter().zip(members.iter().cycle().skip(1)) {
            context.send(*from, *to, bytes, Packet::Exchange);
        }
        self.running = Running::Exchange(members.len() as u32);
    }

    /// Begins a whole broadcast inside a cluster.
    pub(super) fn begin_sample(
        &mut self,
        group: usize,
        candidate: Candidate,
        bytes: u64,
        context: &mut impl Context<Packet>,
    ) -> Result<(), String> {
        let members = self.members.members[group].clone();
        let ranks = members.len() as u32;
        // The greedy tree needs to know costs: those of the poly-model's most detailed one.
        let observations = measure::observations(&self.benches[group].pair, 1.0)?;
        let cost_curve = Model::Plogp.fit(&observations, self.parameters.packet.count());
        let plan = plan(candidate, ranks, bytes, Some(&cost_curve), self.platform.tick());
        let mut inside = Embedded::new(Carrier::from(plan), Scope(1), members, Packet::Sample as fn(Part) -> Packet);
        inside.start(context);
        let mut left = ranks;
        while inside.next_completed().is_some() {
            left -= 1;
        }
        self.running = Running::Sample(Box::new(inside), left);
        Ok(())
    }

    /// Single messages may all have been measured.
    pub(super) fn end_messages(&mut self, at: NodeId, context: &mut impl Context<Packet>) {
        if !matches!(&self.running, Running::Messages(inside) if inside.inner().is_done()) {
            return;
        }
        let Running::Messages(inside) = std::mem::replace(&mut self.running, Running::Nothing) else { return };
        let measured = inside.into_inner().into_measurements();
        // Pairs between clusters join coordinators; those inside do not leave their cluster.
        let cluster_of = |node: u32| self.platform.cluster_of(NodeId(node));
        if measured.pairs.iter().any(|pair| cluster_of(pair.from) != cluster_of(pair.to)) {
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
                let group = cluster_of(pair.from);
                self.benches[group].pair = pair;
            }
        }
        self.hand_over(at, context);
    }

    /// A message of an exchange has come in.
    pub(super) fn exchanged(&mut self, at: NodeId, context: &mut impl Context<Packet>) {
        let Running::Exchange(left) = &mut self.running else { return };
        *left -= 1;
        if *left == 0 {
            let (took, longer) = self.timed(context);
            if let Some(Task::Exchange(group, exchange)) = self.task {
                self.benches[group].exchanges[exchange as usize].push(self.platform.tick().seconds(took));
            }
            self.hand_over_after(longer, at, context);
        }
    }

    /// A piece of a sample broadcast has come in.
    pub(super) fn sampled(&mut self, at: NodeId, from: NodeId, part: Part, context: &mut impl Context<Packet>) {
        let group = self.platform.cluster_of(at);
        let members = &self.members.members[group];
        // Coordinators come first; the others follow them in a circle.
        let rank = |node: NodeId| {
            let (first, count) = (members[0].0, members.len() as u32);
            NodeId((node.0 + count - first) % count)
        };
        let Running::Sample(inside, left) = &mut self.running else { return };
        inside.on_message(rank(at), rank(from), part, context);
        while inside.next_completed().is_some() {
            *left -= 1;
        }
        if *left == 0 {
            let (took, longer) = self.timed(context);
            self.note_sample(self.platform.tick().seconds(took));
            self.hand_over_after(longer, at, context);
        }
    }

    /// What an exchange or a sample broadcast took that ends now, and by how much that is too long, as an outlier is.
    fn timed(&mut self, context: &impl Context<Packet>) -> (Time, Time) {
        let took = context.now() - self.begun;
        let longer = self.parameters.outliers.map_or(Time::ZERO, |outliers| {
            let stream = context.stream("outlying samples", self.timed);
            outliers.longer(took, context.tick(), stream)
        });
        self.timed += 1;
        (took + longer, longer)
    }

    /// Hands over when nothing holds the node up any more.
    fn hand_over_after(&mut self, longer: Time, at: NodeId, context: &mut impl Context<Packet>) {
        if longer > Time::ZERO {
            self.running = Running::Nothing;
            self.held_up = Some((context.set_timer(at, longer), at));
        } else {
            self.hand_over(at, context);
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
