//! Adversarial comparison of two schedulers: a search for a task graph and a machine on which one does worst beside the other.
//!
//! [`schedule::adversary`](crate::schedule::adversary) has the search. Here each instance becomes a graph and a machine of its own, in the
//! machine's ticks, so that the makespans that are compared are those that would be simulated; and the worst instance is
//! simulated under both schedulers. A task of weight 1 is 1 Mop, data of weight 1 are 1 MB, a node of weight 1 computes
//! 1 Gop/s and a link of weight 1 carries 1 GB/s: weight 1 over weight 1 is a millisecond. Weights are whole millionths, so
//! the shortest time is a nanosecond, a thousand ticks of a picosecond.
//!
//! Of the scenario's platform only the number of nodes and the tick count: speeds and links are what is searched, without
//! latency, load or contention.

mod contest;
mod files;
mod tables;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{KeyError, Prepared, Run, RunFailure, Workload, share};
use crate::cluster::{NodeId, Platform};
use crate::engine::Streams;
use crate::record::TableShape;
use crate::schedule::Scheduler;
use crate::schedule::adversary::{Acceptance, Annealing, Found, ProblemInstance, Space, Step, Weight};

pub use contest::Contest;

/// `kind = "adversarial"`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AdversarialParameters {
    /// The scheduler that is to do badly.
    pub scheduler: Scheduler,
    /// The scheduler that it is compared with.
    pub baseline: Scheduler,
    /// Whether both may put a task into a gap between others; each as it was published if not given.
    #[serde(default)]
    pub insertion: Option<bool>,
    /// The fewest tasks of an instance. Their number is drawn for each search and then stays.
    #[serde(default = "three")]
    #[schemars(range(min = 1, max = 100))]
    pub least_tasks: u32,
    /// The most tasks.
    #[serde(default = "five")]
    #[schemars(range(min = 1, max = 100))]
    pub most_tasks: u32,
    /// The fewest nodes of an instance; the platform has the most. As many as the platform if not given.
    #[serde(default)]
    #[schemars(range(min = 1, max = 64))]
    pub least_nodes: Option<u32>,
    /// The least weight of tasks, data, nodes and links; the greatest is 1. Kept in millionths.
    #[serde(default = "millionth")]
    #[schemars(range(min = 1e-6, max = 1.0))]
    pub least_weight: f64,
    /// How far a mutation moves a weight at most. Kept in millionths.
    #[serde(default = "tenth")]
    #[schemars(range(min = 1e-6, max = 1.0))]
    pub weight_step: f64,
    /// Whether all nodes have the same speed, and the search leaves it.
    #[serde(default)]
    pub equal_speeds: bool,
    /// Whether all links have the same strength, and the search leaves it.
    #[serde(default)]
    pub equal_links: bool,
    /// How many searches are made, each from an instance of its own; the worst instance of all counts.
    #[serde(default = "five")]
    #[schemars(range(min = 1))]
    pub searches: u32,
    /// The temperature of a search's first step.
    #[serde(default = "ten")]
    pub first_temperature: f64,
    /// A search ends when its temperature is no longer above this one.
    #[serde(default = "tenth")]
    pub last_temperature: f64,
    /// What the temperature is multiplied by after each step.
    #[serde(default = "ninety_nine_percent")]
    pub cooling: f64,
    /// The most steps of a search.
    #[serde(default = "thousand")]
    pub most_steps: u32,
    /// With which probability a step to a lower ratio is taken.
    #[serde(default)]
    pub acceptance: Acceptance,
}

const fn three() -> u32 {
    3
}

const fn five() -> u32 {
    5
}

const fn thousand() -> u32 {
    1000
}

const fn ten() -> f64 {
    10.0
}

const fn tenth() -> f64 {
    0.1
}

const fn millionth() -> f64 {
    1e-6
}

const fn ninety_nine_percent() -> f64 {
    0.99
}

/// The most nodes of an instance: each pair has a link of its own.
const MOST_NODES: u32 = 64;

crate::metrics! {
    /// The metrics of an adversarial search.
    pub struct AdversarialMetrics {
        ratio: f64 = "the worst ratio that was found: the makespan of `scheduler` over that of `baseline`" [neither],
        makespan_s: f64 = "the makespan of `scheduler` on the worst instance, simulated" [less],
        baseline_s: f64 = "that of `baseline`" [less],
        start_ratio: f64 = "the ratio of the instance from which the search started that found the worst" [neither],
        evaluations: u64 = "instances that were evaluated, in all searches together" [neither],
        tasks: usize = "tasks of the worst instance" [neither],
        edges: usize = "its edges" [neither],
        instance_nodes: u32 = "its nodes" [neither],
    }
}

/// Two schedulers and a space of instances, ready to run any number of times.
#[derive(Debug)]
pub struct PreparedAdversarial {
    parameters: AdversarialParameters,
    space: Space,
    annealing: Annealing,
}

/// The worst of all searches.
struct Worst {
    found: Found,
    evaluations: u64,
    /// For each search its steps, where they are wanted.
    history: Vec<Vec<Step>>,
}

impl Workload for AdversarialParameters {
    const NAME: &'static str = "adversarial";
    const ABOUT: &'static str = "Two schedulers of task graphs: a search for where one does worst beside the other.";
    const TABLES: &'static [TableShape] = tables::TABLES;
    type Prepared = PreparedAdversarial;

    fn prepare(&self, platform: &Platform) -> Result<Self::Prepared, KeyError> {
        let problem = |key: &str, message: String| Err(KeyError { key: key.to_owned(), message });
        let nodes = platform.nodes();
        if !platform.faults().is_empty() {
            return problem("kind", "nodes can't fail here: the search makes its own machines".to_owned());
        }
        if (0..nodes).any(|node| platform.cores(NodeId(node)) > 1) {
            return problem("kind", "nodes have one core here: the search makes its own machines".to_owned());
        }
        if platform.tick().per_second() < 1e9 {
            return problem("kind", "a tick above 1 ns is too coarse: the shortest times last 1 ns".to_owned());
        }
        if nodes > MOST_NODES {
            return problem("kind", format!("an instance has at most {MOST_NODES} nodes, and the platform {nodes}"));
        }
        let least_nodes = self.least_nodes.unwrap_or(nodes);
        if least_nodes > nodes {
            return problem("least_nodes", format!("at least {least_nodes} nodes, and the platform has {nodes}"));
        }
        if self.least_tasks > self.most_tasks {
            let (least, most) = (self.least_tasks, self.most_tasks);
            return problem("least_tasks", format!("at least {least} tasks and at most {most} can't be"));
        }
        for (key, temperature) in
            [("first_temperature", self.first_temperature), ("last_temperature", self.last_temperature)]
        {
            if !(temperature.is_finite() && temperature > 0.0) {
                return problem(key, "a temperature must be above 0, and finite".to_owned());
            }
        }
        if !(self.cooling > 0.0 && self.cooling < 1.0) {
            return problem("cooling", "must be above 0 and below 1".to_owned());
        }
        let space = Space {
            tasks: self.least_tasks..=self.most_tasks,
            nodes: least_nodes..=nodes,
            least: Weight::nearest(self.least_weight),
            step: Weight::nearest(self.weight_step),
            equal_speeds: self.equal_speeds,
            equal_links: self.equal_links,
        };
        let annealing = Annealing {
            first_temperature: self.first_temperature,
            last_temperature: self.last_temperature,
            cooling: self.cooling,
            most_steps: self.most_steps,
            acceptance: self.acceptance,
        };
        Ok(PreparedAdversarial { parameters: self.clone(), space, annealing })
    }
}

impl PreparedAdversarial {
    fn contest(&self, platform: &Platform, streams: Streams) -> Contest {
        let AdversarialParameters { scheduler, baseline, insertion, .. } = self.parameters;
        Contest { scheduler, baseline, insertion, streams, tick: platform.tick() }
    }

    /// The worst instance of a run.
    ///
    /// # Errors
    /// A sentence, where an instance could not be evaluated.
    pub fn worst(&self, platform: &Platform, streams: Streams) -> Result<ProblemInstance, String> {
        Ok(self.search(&self.contest(platform, streams), false)?.found.instance)
    }

    /// Makes all searches. Each draws from a stream of its own, that has the same name for all schedulers: so pairs that are
    /// compared start from the same instances.
    fn search(&self, contest: &Contest, wants_history: bool) -> Result<Worst, String> {
        let mut worst: Option<Worst> = None;
        let (mut evaluations, mut history) = (0, Vec::new());
        for number in 0..u64::from(self.parameters.searches) {
            let mut stream = contest.streams.stream("adversarial search", number);
            let start = self.space.draw(&mut stream);
            let mut steps = Vec::new();
            let watch = |step| {
                if wants_history {
                    steps.push(step);
                }
            };
            let ratio = |instance: &ProblemInstance| contest.ratio(instance);
            let found = self.annealing.search(start, &self.space, &mut stream, ratio, watch)?;
            if wants_history {
                let temperature = self.annealing.first_temperature;
                let ratio = found.start_ratio;
                steps.insert(0, Step { number: 0, temperature, ratio, best: ratio });
                history.push(steps);
            }
            evaluations += found.evaluations;
            if worst.as_ref().is_none_or(|worst| found.ratio > worst.found.ratio) {
                worst = Some(Worst { found, evaluations: 0, history: Vec::new() });
            }
        }
        worst.map(|worst| Worst { evaluations, history, ..worst }).ok_or_else(|| "no search was made".to_owned())
    }
}

impl Prepared for PreparedAdversarial {
    type Metrics = AdversarialMetrics;

    /// Searches, and simulates the worst instance under both schedulers.
    fn run(&self, run: &mut Run<'_>) -> Result<AdversarialMetrics, RunFailure> {
        let contest = self.contest(run.platform, run.streams);
        let worst = self.search(&contest, run.wants(&tables::HISTORY))?;
        let instance = &worst.found.instance;
        let platform = contest.machine(instance)?;
        let seconds = |time| platform.tick().seconds(time);
        let simulated = contest.simulate(instance, &platform, contest.scheduler, None)?;
        let beside = contest.simulate(instance, &platform, contest.baseline, None)?;
        let makespan_s = seconds(simulated.makespan());
        run.set_performance(share::performance(&simulated.shares, simulated.serial_s, makespan_s));
        run.set_counts(simulated.messages, simulated.events);
        let schedules = [&simulated.schedule, &beside.schedule];
        tables::Shown { instance, history: &worst.history, contest: &contest, schedules }.keep(run)?;
        Ok(AdversarialMetrics {
            ratio: worst.found.ratio,
            makespan_s,
            baseline_s: seconds(beside.makespan()),
            start_ratio: worst.found.start_ratio,
            evaluations: worst.evaluations,
            tasks: instance.tasks().len(),
            edges: instance.dependencies().len(),
            instance_nodes: instance.nodes(),
        })
    }

    /// Shows the worst instance under `scheduler`.
    fn trace(&self, run: &mut Run<'_>) -> Result<(), RunFailure> {
        let contest = self.contest(run.platform, run.streams);
        let worst = self.search(&contest, false)?;
        let platform = contest.machine(&worst.found.instance)?;
        contest.simulate(&worst.found.instance, &platform, contest.scheduler, run.observer())?;
        Ok(())
    }
}
