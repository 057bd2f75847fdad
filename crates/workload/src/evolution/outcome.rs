//! What is known of a run when it has ended.

use super::site::Site;
use crate::metrics::{Measured, Performance};
use crate::{End, Run, RunFailure};
use hetsim_base::record::{Metric, TableShape, Value};
use hetsim_base::units::Time;
use hetsim_cluster::{NodeId, Platform};

hetsim_base::metrics! {
    /// The metrics of an evolution strategy.
    pub struct EvolutionMetrics {
        completion_s: f64 = "the response time: when the master had decided after the last round, benchmark included" [less],
        benchmark_s: Option<f64> = "when the master had every slave's first benchmark; blank without one" [less],
        rounds: u64 = "rounds that were evolved" [neither],
        best_error: Option<f64> = "the least error found; blank where nothing evolves" [less],
        stopped_by: Option<&'static str> = "target (the error allowed was reached) or bound; blank where nothing evolves" [text],
        evaluations: f64 = "evaluations of individuals in all rounds, without benchmarks" [neither],
        total_power: Option<f64> = "P_T: the powers first measured, all together, in individuals and generations a second" [neither],
        power_error: Option<f64> = "mean relative error of the powers first measured, against what load leaves of the speeds" [less],
        distribution_error: Option<f64> = "mean over the slaves of |S_i - S_i*| / S_i* as first distributed, S_i* being the share of what load leaves of the speeds" [less],
        round_spread: f64 = "mean over the rounds of (longest - shortest) / longest of the slaves' times" [less],
        rebalances: u32 = "how often the distribution was evened out during the run" [neither],
        moved: u64 = "individuals that were moved between slaves" [neither],
        processors_left: f64 = "what load leaves of all speeds in the long run, over the greatest nominal speed" [neither],
        efficiency_left: Option<f64> = "speedup over processors_left" [more],
    }
}

/// The long tables that a run can keep.
pub(super) const TABLES: &[TableShape] = &[NODES, SERIES];

/// A row a slave.
const NODES: TableShape = TableShape {
    name: "nodes",
    about: "what each slave measured, was given and computed",
    columns: &[
        Metric::number("node", "the node's number"),
        Metric::name("cluster", "its cluster"),
        Metric::number("speed_per_s", "its nominal speed, in operations a second"),
        Metric::number("power", "the power that it measured first: individuals and generations a second"),
        Metric::number("power_index", "that power over the greatest one"),
        Metric::number("individuals", "the individuals that it had first"),
        Metric::number("best_share", "its share of what load leaves of all speeds, in individuals"),
        Metric::number("individuals_at_end", "the individuals that it had last"),
        Metric::number("busy_s", "how long it computed, benchmarks included"),
        Metric::number("share", "its part of all operations, benchmarks left out"),
    ],
};

/// A row a round.
const SERIES: TableShape = TableShape {
    name: "series",
    about: "the best error and the slaves' times, round by round",
    columns: &[
        Metric::number("round", "the round's number, from 1"),
        Metric::number("time_s", "when the master had decided after it"),
        Metric::number("best_error", "the least error found so far"),
        Metric::number("longest_s", "the longest time that a slave took for it"),
        Metric::number("spread", "(longest - shortest) / longest of these times"),
        Metric::number("moved", "individuals that were moved after it"),
    ],
};

/// What a slave did.
#[derive(Debug, Clone, Copy)]
pub(super) struct Share {
    pub power: Option<f64>,
    /// Nothing where individuals are no slave's.
    pub created: Option<u32>,
    pub at_end: Option<u32>,
    /// Without benchmarks.
    pub operations: f64,
}

/// A run that is over.
#[derive(Debug)]
pub(super) struct EvolutionOutcome<'a> {
    site: Site<'a>,
    completion: Time,
    /// When the master had every slave's first benchmark.
    pub measured: Option<Time>,
    pub rebalances: u32,
    shares: Vec<Share>,
    busy_s: Vec<f64>,
    /// What load leaves of each slave's speed.
    left: Vec<f64>,
}

impl<'a> EvolutionOutcome<'a> {
    pub(super) fn new(end: &End, site: Site<'a>, shares: Vec<Share>, platform: &Platform) -> Result<Self, RunFailure> {
        if let Some(fault) = &site.fault {
            return Err(fault.clone().into());
        }
        let completion = site.end.ok_or("the run came to no end: a slave's processor is never free of load")?;
        let nodes = || (0..site.slaves).map(|slave| site.node_of(slave));
        let busy = |node: NodeId| end.usage.get(node.index()).map_or(Time::ZERO, |usage| usage.busy);
        Ok(Self {
            completion,
            measured: None,
            rebalances: 0,
            shares,
            busy_s: nodes().map(|node| platform.tick().seconds(busy(node))).collect(),
            left: nodes().map(|node| platform.speed_under_load(node)).collect(),
            site,
        })
    }

    /// All metrics; how the run used the slaves, and the long tables, are told to the run.
    pub(super) fn metrics(&self, run: &mut Run<'_>) -> EvolutionMetrics {
        let site = &self.site;
        let rounds = site.series.len() as u64;
        let generations = rounds as f64 * f64::from(site.parameters.generations);
        let best_error = site.series.last().and_then(|round| round.best);
        let performance = self.performance(run.platform, generations);
        let fastest = site.speeds.iter().copied().fold(0.0, f64::max);
        let left = self.left.iter().sum::<f64>() / fastest;
        let spreads: f64 = site.series.iter().map(super::site::Round::spread).sum();
        let platform = run.platform;
        run.table(&NODES, || self.nodes(platform));
        run.table(&SERIES, || self.series());
        let metrics = EvolutionMetrics {
            completion_s: site.tick.seconds(self.completion),
            benchmark_s: self.measured.map(|time| site.tick.seconds(time)),
            rounds,
            best_error,
            stopped_by: best_error.map(|best| if best <= site.parameters.target { "target" } else { "bound" }),
            evaluations: generations * f64::from(site.evaluations) * f64::from(site.parameters.population),
            total_power: self.total_power(),
            power_error: self.power_error(),
            distribution_error: self.mean_error(|share| share.created.map(f64::from), &self.best_shares()),
            round_spread: spreads / rounds as f64,
            rebalances: self.rebalances,
            moved: site.series.iter().map(|round| u64::from(round.moved)).sum(),
            processors_left: left,
            efficiency_left: performance.speedup.map(|speedup| speedup / left),
        };
        run.set_performance(performance);
        metrics
    }

    fn performance(&self, platform: &Platform, generations: f64) -> Performance {
        let site = &self.site;
        let operations: Vec<f64> = self.shares.iter().map(|share| share.operations).collect();
        let memory = site.working_set(site.parameters.population).unwrap_or(0);
        let alone = (0..site.slaves).map(|slave| platform.speed_with(site.node_of(slave), memory));
        Performance::of(&Measured {
            speeds: &site.speeds,
            busy_s: &self.busy_s,
            operations: &operations,
            serial_s: Some(site.whole_load() * generations / alone.fold(0.0, f64::max)),
            completion_s: Some(site.tick.seconds(self.completion)),
        })
    }

    /// S_i*: the population in proportion to what load leaves of the speeds, not in whole individuals.
    fn best_shares(&self) -> Vec<f64> {
        let total: f64 = self.left.iter().sum();
        let population = f64::from(self.site.parameters.population);
        self.left.iter().map(|left| population * left / total).collect()
    }

    fn total_power(&self) -> Option<f64> {
        self.shares.iter().map(|share| share.power).sum()
    }

    /// The measured index P_i/P_T against that of what load leaves.
    fn power_error(&self) -> Option<f64> {
        let total = self.total_power()?;
        let all: f64 = self.left.iter().sum();
        let right: Vec<f64> = self.left.iter().map(|left| left / all).collect();
        self.mean_error(|share| share.power.map(|power| power / total), &right)
    }

    /// The mean of |value − right| / right over the slaves.
    fn mean_error(&self, value: impl Fn(&Share) -> Option<f64>, right: &[f64]) -> Option<f64> {
        let errors = self.shares.iter().zip(right).map(|(share, right)| Some((value(share)? - right).abs() / right));
        Some(errors.sum::<Option<f64>>()? / right.len() as f64)
    }

    /// The rows of the slaves.
    fn nodes(&self, platform: &Platform) -> Vec<Vec<Value>> {
        let greatest = self.shares.iter().filter_map(|share| share.power).fold(0.0, f64::max);
        let operations: f64 = self.shares.iter().map(|share| share.operations).sum();
        let slaves = (0..self.site.slaves).zip(&self.shares).zip(self.best_shares()).zip(&self.busy_s);
        let row = |(((slave, share), best), &busy): (((u32, &Share), f64), &f64)| {
            let node = self.site.node_of(slave);
            vec![
                Value::Count(u64::from(node.0)),
                platform.clusters()[platform.cluster_of(node)].name.as_str().into(),
                self.site.speeds[slave as usize].into(),
                share.power.into(),
                share.power.map(|power| power / greatest).into(),
                share.created.map(u64::from).into(),
                best.into(),
                share.at_end.map(u64::from).into(),
                busy.into(),
                (share.operations / operations).into(),
            ]
        };
        slaves.map(row).collect()
    }

    /// The rows of the rounds.
    fn series(&self) -> Vec<Vec<Value>> {
        let row = |(number, round): (u64, &super::site::Round)| {
            vec![
                number.into(),
                self.site.tick.seconds(round.at).into(),
                round.best.into(),
                self.site.tick.seconds(round.longest).into(),
                round.spread().into(),
                u64::from(round.moved).into(),
            ]
        };
        (1..).zip(&self.site.series).map(row).collect()
    }
}
