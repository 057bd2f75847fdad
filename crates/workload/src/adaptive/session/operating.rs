//! Operations: the choice, the broadcast, and whether to measure again.

use super::super::decide::{Chosen, Decision};
use super::{Operated, Packet, Running, Session, Task};
use crate::adaptive::{Reselect, When, measure};
use crate::communication::Part;
use hetsim_adapt::{Cache, Candidate, Cluster, Needs, Observations, Sample, Selection, Shapes};
use hetsim_base::units::Time;
use hetsim_cluster::network::Model as Network;
use hetsim_cluster::{Connection, Context, Embedded, NodeId, Scope};
use hetsim_fit::robust;

impl Session<'_> {
    /// Begins a broadcast over all clusters, by the choice that stands.
    pub(super) fn begin_operation(&mut self, context: &mut impl Context<Packet>) -> Result<(), String> {
        let now = context.now();
        if let Some(since) = self.since_measuring {
            self.measuring += now - since;
        }
        let decision = self.decide()?;
        let everyone: Vec<NodeId> = (0..self.platform.nodes()).map(NodeId).collect();
        let program = decision.program(self.parameters.size.count(), &self.members);
        self.decision = Some(decision);
        let left = everyone.len() as u32;
        let mut inside = Embedded::new(program, Scope(1), everyone, Packet::Operation as fn(Part) -> Packet);
        self.spans.fill((now, now));
        inside.start(context);
        self.running = Running::Operation(Box::new(inside), left);
        let root = self.members.members[self.members.root][0];
        self.count_operation(root, context);
        Ok(())
    }

    /// The choice for the next operation: the one that stands, or a new one.
    fn decide(&mut self) -> Result<Decision, String> {
        if self.parameters.selection == Selection::Analytical
            && let Some(decision) = &self.decision
        {
            self.because = "kept";
            return Ok(decision.clone());
        }
        let tick = self.platform.tick();
        let mut inside: Vec<Option<Chosen>> = vec![None; self.clusters.len()];
        for group in measure::shared(self.platform) {
            let (name, ranks) = (&self.platform.clusters()[group].name, self.platform.clusters()[group].nodes);
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
            Selection::Analytical => "measured",
            Selection::Experimental if tried => "tried",
            Selection::Experimental => "cached",
        };
        self.parameters.composed(self.platform, self.members.root, inside, &self.between)
    }

    /// A cluster as poly-adapt-1 takes it.
    fn modelled(&self, group: usize) -> Result<Cluster, String> {
        let (bench, parameters) = (&self.benches[group], self.parameters);
        let [whole, pair, empty] = bench.exchanges.each_ref().map(|times| robust::median(times));
        let exchanges = whole.zip(pair).zip(empty);
        let contention = exchanges.map_or(1.0, |((whole, pair), empty)| measure::contention(whole, pair, empty));
        let observations: Observations = measure::observations(&bench.pair, contention)?;
        let sample = |(candidate, bytes, seconds): &(Candidate, u64, Vec<f64>)| {
            let seconds = robust::median(seconds)?;
            let Candidate { algorithm, segment } = *candidate;
            Some(Sample { algorithm, segment, bytes: *bytes, seconds })
        };
        let samples = bench.samples.iter().filter_map(sample).collect();
        let shapes = Shapes::new(self.platform.clusters()[group].nodes, &parameters.algorithms);
        // Nodes of a cluster are alike; a shared link lets messages contend, and levels inside make a hierarchy.
        let shared = |link: &Connection| matches!(link.model, Network::Fair(_));
        let inside = self.platform.levels(group).any(|(_, link)| shared(link));
        let contention = shared(self.platform.connection(group, group)) || inside;
        let needs = Needs { hierarchical: self.platform.levels(group).len() > 0, contention, ..Needs::default() };
        Ok(Cluster::new(shapes, &parameters.models, needs, &observations, parameters.packet.count(), samples))
    }

    /// Counts who has completed in the operation, where `at` has had something to do.
    pub(super) fn count_operation(&mut self, at: NodeId, context: &mut impl Context<Packet>) {
        let Running::Operation(inside, left) = &mut self.running else { return };
        while let Some(node) = inside.next_completed() {
            *left -= 1;
            self.spans[self.platform.cluster_of(node)].1 = context.now();
        }
        if *left == 0 {
            self.end_operation(at, context);
        }
    }

    fn end_operation(&mut self, at: NodeId, context: &mut impl Context<Packet>) {
        let took = context.now() - self.begun;
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
        self.hand_over(at, context);
    }

    /// Plans to measure again where the key says so; `change` is the relative difference from the first one like it.
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
}
