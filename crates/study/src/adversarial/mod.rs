//! Adversarial comparison of two schedulers: a search for a task graph and a machine on which one is worst beside the
//! other.
//!
//! The search is in [`schedule::adversary`](hetsim_schedule::adversary). Here each instance becomes a graph and a
//! platform in the platform's ticks, so that the compared makespans are those that a simulation would give; the worst
//! instance is then simulated under both schedulers. A task of weight 1 is 1 Mop, data of weight 1 are 1 MB, a node of
//! weight 1 computes 1 Gop/s and a link of weight 1 carries 1 GB/s: weight 1 over weight 1 is a millisecond. Weights
//! are whole millionths, so the shortest time is a nanosecond, a thousand ticks of a picosecond.
//!
//! Each instance has a platform of its own: the search sets speeds and links, without latency, load or contention. A
//! tick is a picosecond.

mod contest;
mod files;
mod tables;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Case, Study};
use hetsim_base::engine::Streams;
use hetsim_base::record::TableShape;
use hetsim_base::units::Tick;
use hetsim_base::units::defaults::{count, fraction};
use hetsim_cluster::{Platform, Timeline};
use hetsim_schedule::Scheduler;
use hetsim_schedule::adversary::{Acceptance, Annealing, AnnealingStep, ProblemInstance, SearchResult, Space, Weight};
use hetsim_workload::footprint::Counts;
use hetsim_workload::metrics::Performance;
use hetsim_workload::{KeyError, RunFailure, share};

pub use contest::Contest;

/// `kind = "adversarial"`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AdversarialParameters {
    /// The scheduler under attack.
    pub scheduler: Scheduler,
    /// The scheduler that it is compared with.
    pub baseline: Scheduler,
    /// Whether both may put a task into a gap between others; by default each as it was published.
    #[serde(default)]
    pub insertion: Option<bool>,
    /// The fewest tasks of an instance. Their number is drawn for each search and then stays.
    #[serde(default = "count::<3>")]
    #[schemars(range(min = 1, max = 100))]
    pub least_tasks: u32,
    /// The maximum number of tasks.
    #[serde(default = "count::<5>")]
    #[schemars(range(min = 1, max = 100))]
    pub most_tasks: u32,
    /// The fewest nodes of an instance; by default as many as the most.
    #[serde(default)]
    #[schemars(range(min = 1, max = 64))]
    pub least_nodes: Option<u32>,
    /// The maximum number of nodes. Each pair has a link of its own.
    #[schemars(range(min = 1, max = 64))]
    pub most_nodes: u32,
    /// The least weight of tasks, data, nodes and links; the greatest is 1. Kept in millionths.
    #[serde(default = "fraction::<1, 1_000_000>")]
    #[schemars(range(min = 1e-6, max = 1.0))]
    pub least_weight: f64,
    /// How far a mutation moves a weight at most. Kept in millionths.
    #[serde(default = "fraction::<1, 10>")]
    #[schemars(range(min = 1e-6, max = 1.0))]
    pub weight_step: f64,
    /// Whether all nodes have the same speed, and the search leaves it.
    #[serde(default)]
    pub equal_speeds: bool,
    /// Whether all links have the same strength, and the search leaves it.
    #[serde(default)]
    pub equal_links: bool,
    /// The number of searches, each from an instance of its own; the worst instance of all counts.
    #[serde(default = "count::<5>")]
    #[schemars(range(min = 1))]
    pub searches: u32,
    /// The temperature of a search's first step; above `last_temperature`.
    #[serde(default = "fraction::<10, 1>")]
    pub first_temperature: f64,
    /// A search ends when its temperature is no longer above this one.
    #[serde(default = "fraction::<1, 10>")]
    pub last_temperature: f64,
    /// The factor applied to the temperature after each step.
    #[serde(default = "fraction::<99, 100>")]
    pub cooling: f64,
    /// The maximum number of steps of a search.
    #[serde(default = "count::<1000>")]
    pub most_steps: u32,
    /// The probability of accepting a step to a lower ratio.
    #[serde(default)]
    pub acceptance: Acceptance,
}

hetsim_base::metrics! {
    /// The metrics of an adversarial search.
    pub struct AdversarialMetrics {
        ratio: f64 = "the worst ratio of makespans that was found" [neither, formula("scheduler/baseline"), source("Coleman, Krishnamachari 2024 (PISA)")],
        makespan_s: f64 = "the makespan of `scheduler` on the worst instance, simulated" [less],
        baseline_s: f64 = "that of `baseline`" [less],
        start_ratio: f64 = "the ratio of the instance from which the search started that found the worst" [neither],
        evaluations: u64 = "instances that were evaluated, in all searches together" [neither],
        tasks: usize = "tasks of the worst instance" [neither],
        edges: usize = "its edges" [neither],
        instance_nodes: u32 = "its nodes" [neither],
    }
}

/// The worst of all searches.
struct Worst {
    found: SearchResult,
    evaluations: u64,
    /// For each search its steps, where they are wanted.
    history: Vec<Vec<AnnealingStep>>,
}

impl Study for AdversarialParameters {
    const NAME: &'static str = "adversarial";
    const ABOUT: &'static str =
        "A search for the instance on which one scheduler of task graphs does worst compared with another.";
    const TABLES: &'static [TableShape] = tables::TABLES;
    type Metrics = (AdversarialMetrics, (Performance, Counts));

    fn check(&self, _: Option<&Platform>) -> Result<(), KeyError> {
        for (key, what, least, most) in [
            ("least_nodes", "nodes", self.least_nodes.unwrap_or(self.most_nodes), self.most_nodes),
            ("least_tasks", "tasks", self.least_tasks, self.most_tasks),
        ] {
            KeyError::unless(least <= most, key, || format!("at least {least} {what} and at most {most} can't be"))?;
        }
        for (key, temperature) in
            [("first_temperature", self.first_temperature), ("last_temperature", self.last_temperature)]
        {
            let positive = temperature.is_finite() && temperature > 0.0;
            KeyError::unless(positive, key, || "a temperature must be above 0, and finite")?;
        }
        KeyError::unless(self.first_temperature > self.last_temperature, "first_temperature", || {
            let (first, last) = (self.first_temperature, self.last_temperature);
            format!("no search makes a step from {first} to `last_temperature`, {last}: it must be above that")
        })?;
        KeyError::unless(self.cooling > 0.0 && self.cooling < 1.0, "cooling", || "must be above 0 and below 1")
    }

    /// Searches, and simulates the worst instance under both schedulers.
    fn measure(&self, case: &mut Case<'_>) -> Result<Self::Metrics, RunFailure> {
        let contest = self.contest(case.streams);
        let worst = self.search(&contest, case.tables.wants(&tables::HISTORY))?;
        let instance = &worst.found.instance;
        let platform = contest.machine(instance)?;
        let seconds = |time| platform.tick().seconds(time);
        let simulated = contest.simulate(instance, &platform, contest.scheduler, None)?;
        let beside = contest.simulate(instance, &platform, contest.baseline, None)?;
        let makespan_s = seconds(simulated.makespan());
        let schedules = [&simulated.schedule, &beside.schedule];
        tables::AdversarialTables { instance, history: &worst.history, contest: &contest, schedules }
            .keep(&mut case.tables)?;
        let metrics = AdversarialMetrics {
            ratio: worst.found.ratio,
            makespan_s,
            baseline_s: seconds(beside.makespan()),
            start_ratio: worst.found.start_ratio,
            evaluations: worst.evaluations,
            tasks: instance.tasks().len(),
            edges: instance.dependencies().len(),
            instance_nodes: instance.nodes(),
        };
        let performance = share::performance(&simulated.shares, simulated.serial_s, makespan_s);
        Ok((metrics, (performance, Counts { messages: simulated.messages, events: simulated.events })))
    }

    /// Simulates the worst instance under `scheduler`.
    fn timeline(&self, streams: Streams) -> Result<(Platform, Timeline), RunFailure> {
        let contest = self.contest(streams);
        let worst = self.search(&contest, false)?;
        let platform = contest.machine(&worst.found.instance)?;
        let mut timeline = Timeline::default();
        contest.simulate(&worst.found.instance, &platform, contest.scheduler, Some(&mut timeline))?;
        Ok((platform, timeline))
    }
}

impl AdversarialParameters {
    fn contest(&self, streams: Streams) -> Contest {
        let Self { scheduler, baseline, insertion, .. } = *self;
        Contest { scheduler, baseline, insertion, streams, tick: Tick::PICOSECOND }
    }

    fn space(&self) -> Space {
        Space {
            tasks: self.least_tasks..=self.most_tasks,
            nodes: self.least_nodes.unwrap_or(self.most_nodes)..=self.most_nodes,
            least: Weight::nearest(self.least_weight),
            step: Weight::nearest(self.weight_step),
            equal_speeds: self.equal_speeds,
            equal_links: self.equal_links,
        }
    }

    const fn annealing(&self) -> Annealing {
        Annealing {
            first_temperature: self.first_temperature,
            last_temperature: self.last_temperature,
            cooling: self.cooling,
            most_steps: self.most_steps,
            acceptance: self.acceptance,
        }
    }

    /// Makes all searches. Each draws from a stream of its own, whose name is the same for all schedulers: compared
    /// pairs start from the same instances.
    fn search(&self, contest: &Contest, wants_history: bool) -> Result<Worst, RunFailure> {
        let (space, annealing) = (self.space(), self.annealing());
        let mut worst: Option<Worst> = None;
        let (mut evaluations, mut history) = (0, Vec::new());
        for number in 0..u64::from(self.searches) {
            let mut stream = contest.streams.stream("adversarial search", number);
            let start = space.draw(&mut stream);
            let mut steps = Vec::new();
            let watch = |step| {
                if wants_history {
                    steps.push(step);
                }
            };
            let ratio = |instance: &ProblemInstance| contest.ratio(instance);
            let found = annealing.search(start, &space, &mut stream, ratio, watch)?;
            if wants_history {
                let temperature = self.first_temperature;
                let ratio = found.start_ratio;
                steps.insert(0, AnnealingStep { number: 0, temperature, ratio, best: ratio });
                history.push(steps);
            }
            evaluations += found.evaluations;
            if worst.as_ref().is_none_or(|worst| found.ratio > worst.found.ratio) {
                worst = Some(Worst { found, evaluations: 0, history: Vec::new() });
            }
        }
        worst.map(|worst| Worst { evaluations, history, ..worst }).ok_or_else(|| "no search was made".into())
    }
}
