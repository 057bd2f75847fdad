//! What the programs have in common: who is who, what things cost, and what the master decides after a round.

use super::EvolutionParameters;
use super::clock::Clock;
use super::colony::Colony;
use crate::RunFailure;
use crate::farm::Tasks;
use hetsim_base::engine::Streams;
use hetsim_base::units::{Bytes, Quantity, Tick, Time};
use hetsim_cluster::{Context, NodeId, Platform};
use hetsim_policy::apportion;
use hetsim_search::SettingsError;

/// A run, besides what its nodes are doing.
#[derive(Debug)]
pub(super) struct Site<'a> {
    pub parameters: &'a EvolutionParameters,
    pub streams: Streams,
    pub tick: Tick,
    pub master: NodeId,
    pub slaves: u32,
    /// Nominal speeds of the slaves, in operations a second.
    pub speeds: Vec<f64>,
    pub colony: Colony,
    /// What each individual costs a generation, in operations; one number where all cost the same.
    costs: Vec<f64>,
    pub clock: Clock,
    pub span: Time,
    /// Evaluations of an individual in a generation.
    pub evaluations: u32,
    /// The length of a message besides individuals, and what an individual adds.
    pub message_bytes: u64,
    pub individual_bytes: u64,
    pub series: Vec<Round>,
    pub end: Option<Time>,
    /// What went wrong, to be told at the end.
    pub fault: Option<String>,
}

/// What is known of a round that is over.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Round {
    /// When the master had decided.
    pub at: Time,
    /// The least error found so far; blank where nothing evolves.
    pub best: Option<f64>,
    /// The longest and the shortest time that a slave took for it, by the slaves' clocks.
    pub longest: Time,
    pub shortest: Time,
    /// Individuals that were moved after it.
    pub moved: u32,
}

impl Round {
    /// (longest − shortest)/longest.
    pub(super) fn spread(&self) -> f64 {
        if self.longest > Time::ZERO { (self.longest - self.shortest).as_f64() / self.longest.as_f64() } else { 0.0 }
    }
}

impl<'a> Site<'a> {
    pub(super) fn new(
        parameters: &'a EvolutionParameters,
        platform: &Platform,
        streams: Streams,
    ) -> Result<Self, RunFailure> {
        let tasks = Tasks::new(&parameters.task, streams)?;
        let (mean, deviation) = parameters.task.moments();
        let evaluations = parameters.evaluations_a_generation();
        let tick = platform.tick();
        let individuals = 0..parameters.population;
        let costs = if deviation == 0.0 {
            vec![mean * f64::from(evaluations)]
        } else {
            individuals.map(|number| tasks.operations(number) * f64::from(evaluations)).collect()
        };
        let slaves = platform.nodes() - u32::from(!parameters.master_computes);
        let mut site = Self {
            parameters,
            streams,
            tick,
            master: NodeId(parameters.master),
            slaves,
            speeds: Vec::new(),
            colony: Colony::Nothing,
            costs,
            clock: Clock { resolution: tick.time(parameters.benchmark.clock.base()) },
            span: tick.time(parameters.benchmark.span.base()),
            evaluations,
            message_bytes: parameters.message_size.count(),
            individual_bytes: parameters.individual_size.map_or(0, Bytes::count),
            series: Vec::new(),
            end: None,
            fault: None,
        };
        site.speeds = (0..slaves).map(|slave| platform.speed_per_second(site.node_of(slave))).collect();
        Ok(site)
    }

    pub(super) const fn node_of(&self, slave: u32) -> NodeId {
        let behind = !self.parameters.master_computes && slave >= self.master.0;
        NodeId(slave + behind as u32)
    }

    pub(super) const fn slave_at(&self, node: NodeId) -> u32 {
        let behind = !self.parameters.master_computes && node.0 > self.master.0;
        node.0 - behind as u32
    }

    /// What a generation of one individual costs, in operations.
    pub(super) fn cost(&self, individual: u32) -> f64 {
        if let [all] = self.costs[..] { all } else { self.costs[individual as usize] }
    }

    /// What a generation of these individuals costs, in operations.
    pub(super) fn load(&self, individuals: &[u32]) -> f64 {
        match self.costs[..] {
            [all] => all * individuals.len() as f64,
            _ => individuals.iter().map(|&individual| self.costs[individual as usize]).sum(),
        }
    }

    /// What a generation of the whole population costs, in operations.
    pub(super) fn whole_load(&self) -> f64 {
        match self.costs[..] {
            [all] => all * f64::from(self.parameters.population),
            _ => self.costs.iter().sum(),
        }
    }

    /// The mean cost of one evaluation, in operations.
    pub(super) fn evaluation(&self) -> f64 {
        self.parameters.task.moments().0
    }

    /// The working set of so many individuals, in bytes; nothing where memory does not count.
    pub(super) fn working_set(&self, individuals: u32) -> Option<u64> {
        let each = self.parameters.individual_memory.count();
        (each > 0).then(|| each.saturating_mul(u64::from(individuals)))
    }

    /// S_i = S·P_i/P_T (Eq. 1) in whole individuals; equally many for all where no slave has shown any power.
    pub(super) fn shares(&self, powers: &[f64]) -> Vec<u32> {
        let population = self.parameters.population;
        let claims = powers.iter().any(|&power| power.is_finite() && power > 0.0);
        if claims { apportion(population, powers) } else { apportion(population, &vec![1.0; powers.len()]) }
    }

    /// Creates what evolves, in populations of these sizes where each slave has its own.
    pub(super) fn create(&mut self, counts: &[u32]) {
        let Some(search) = &self.parameters.search else { return };
        let shared = search.strategy.walks_alone() || self.parameters.distribution.is_central();
        let created = if shared {
            Colony::together(search, self.parameters.population, &self.streams)
        } else {
            Colony::apart(search, counts, &self.streams)
        };
        match created {
            Ok(colony) => self.colony = colony,
            Err(error) => self.note(&error),
        }
    }

    pub(super) fn note(&mut self, error: &SettingsError) {
        self.fault.get_or_insert_with(|| error.to_string());
    }

    /// All nodes are in the round after those that are over, from 1.
    pub(super) fn enter_round<M>(&self, context: &mut impl Context<M>) {
        let round = self.series.len() as u32 + 1;
        context.enter_phase(self.master, round);
        (0..self.slaves).for_each(|slave| context.enter_phase(self.node_of(slave), round));
    }

    /// A round as a phase of the program.
    pub(super) fn phase_name(round: u32) -> String {
        format!("round {round}")
    }

    /// A round is over: evolves it, and decides. True where the run goes on.
    pub(super) fn decide(&mut self, now: Time, longest: Time, shortest: Time) -> bool {
        let round = self.series.len() as u32;
        let best = self.colony.evolve(round, self.parameters.generations, &self.streams);
        self.series.push(Round { at: now, best, longest, shortest, moved: 0 });
        let reached = best.is_some_and(|best| best <= self.parameters.target);
        if reached || round + 1 == self.parameters.rounds || self.fault.is_some() {
            self.end = Some(now);
        }
        self.end.is_none()
    }
}
