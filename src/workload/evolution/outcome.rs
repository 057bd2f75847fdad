//! What is known of a run when it has ended.

use super::site::Site;
use crate::cluster::Footprint;
use crate::cluster::{NodeId, Observer, Platform, Simulation};
use crate::metrics::{Measured, Performance};
use crate::record::{Metric, Record, Table, TableShape, Value};
use crate::units::Time;
use crate::workload::footprint;

/// The metrics of a run besides those that all workloads have.
pub const METRICS: &[&[Metric]] = &[&[
    Metric::number(
        "completion_s",
        "the response time: when the master had decided after the last round, benchmark included",
    )
    .less(),
    Metric::number("benchmark_s", "when the master had every slave's first benchmark; blank without one").less(),
    Metric::number("rounds", "rounds that were evolved").neither(),
    Metric::number("best_error", "the least error found; blank where nothing evolves").less(),
    Metric::name("stopped_by", "target (the error allowed was reached) or bound; blank where nothing evolves"),
    Metric::number("evaluations", "evaluations of individuals in all rounds, without benchmarks").neither(),
    Metric::number(
        "total_power",
        "P_T: the powers first measured, all together, in individuals and generations a second",
    )
    .neither(),
    Metric::number(
        "power_error",
        "mean relative error of the powers first measured, against what load leaves of the speeds",
    )
    .less(),
    Metric::number(
        "distribution_error",
        "mean over the slaves of |S_i - S_i*| / S_i*, S_i* being the share of what load leaves of the speeds",
    )
    .less(),
    Metric::number("round_spread", "mean over the rounds of (longest - shortest) / longest of the slaves' times")
        .less(),
    Metric::number("rebalances", "how often the distribution was evened out during the run").neither(),
    Metric::number("moved", "individuals that were moved between slaves").neither(),
    Metric::number("processors_left", "what load leaves of all speeds, over the greatest nominal speed").neither(),
    Metric::number("efficiency_left", "speedup over processors_left").more(),
]];

/// The long tables that a run can keep.
pub const TABLES: &[TableShape] = &[NODES, SERIES];

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
pub(super) struct Outcome<'a, O> {
    site: Site<'a>,
    completion: Time,
    measured: Option<Time>,
    rebalances: u32,
    shares: Vec<Share>,
    busy_s: Vec<f64>,
    /// What load leaves of each slave's speed.
    left: Vec<f64>,
    footprint: Footprint,
    pub observer: O,
}

impl<'a, O: Observer> Outcome<'a, O> {
    pub(super) fn new<M>(
        cluster: Simulation<'_, M, O>,
        site: Site<'a>,
        shares: Vec<Share>,
        (measured, rebalances): (Option<Time>, u32),
        platform: &Platform,
    ) -> Result<Self, String> {
        if let Some(fault) = &site.fault {
            return Err(fault.clone());
        }
        let completion = site.end.ok_or("the run came to no end: a slave's processor is never free of load")?;
        let usage = cluster.usage();
        let nodes = || (0..site.slaves).map(|slave| site.node_of(slave));
        let busy = |node: NodeId| usage.get(node.index()).map_or(Time::ZERO, |usage| usage.busy);
        Ok(Self {
            completion,
            measured,
            rebalances,
            shares,
            busy_s: nodes().map(|node| platform.tick().seconds(busy(node))).collect(),
            left: nodes().map(|node| platform.speed_under_load(node)).collect(),
            footprint: cluster.footprint(),
            site,
            observer: cluster.into_observer(),
        })
    }

    /// Writes all metrics.
    pub(super) fn write(&self, platform: &Platform, record: &mut Record, tables: &[String]) {
        let site = &self.site;
        let seconds = |time: Time| site.tick.seconds(time);
        let rounds = site.series.len() as u64;
        let generations = rounds as f64 * f64::from(site.parameters.generations);
        let best = site.series.last().and_then(|round| round.best);
        let stopped = best.map(|best| if best <= site.parameters.target { "target" } else { "bound" });
        let performance = self.performance(platform, generations);
        let fastest = site.speeds.iter().copied().fold(0.0, f64::max);
        let left = self.left.iter().sum::<f64>() / fastest;
        let spreads: f64 = site.series.iter().map(super::site::Round::spread).sum();
        record.metric("completion_s", seconds(self.completion));
        record.metric("benchmark_s", self.measured.map(seconds));
        record.metric("rounds", rounds);
        record.metric("best_error", best);
        record.metric("stopped_by", stopped);
        record.metric("evaluations", generations * f64::from(site.evaluations) * f64::from(site.parameters.population));
        record.metric("total_power", self.total_power());
        record.metric("power_error", self.power_error());
        record.metric("distribution_error", self.mean_error(|share| share.created.map(f64::from), &self.best_shares()));
        record.metric("round_spread", spreads / rounds as f64);
        record.metric("rebalances", u64::from(self.rebalances));
        record.metric("moved", site.series.iter().map(|round| u64::from(round.moved)).sum::<u64>());
        record.metric("processors_left", left);
        record.metric("efficiency_left", performance.speedup.map(|speedup| speedup / left));
        performance.write(record);
        footprint::write(&self.footprint, platform, record, tables);
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

    /// The long table of the slaves.
    pub(super) fn nodes(&self, platform: &Platform) -> Table {
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
        Table { rows: slaves.map(row).collect(), ..Table::new(&NODES) }
    }

    /// The long table of the rounds.
    pub(super) fn series(&self) -> Table {
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
        Table { rows: (1..).zip(&self.site.series).map(row).collect(), ..Table::new(&SERIES) }
    }
}
