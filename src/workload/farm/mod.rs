//! A task farm: a server hands out independent tasks to workers that are unequal.
//!
//! It is what a master–worker genetic algorithm does with a generation, and what a loop of independent iterations is on
//! a cluster. What is to be done is a [`TaskSource`]; who gets how much is a [`Policy`]; server and workers talk either plainly
//! ([`Farm`]) or with the signals of Bazterra et al. ([`Adaptive`]).

mod cost;
mod ledger;
mod outcome;
mod program;
mod server;
mod signals;
mod worker;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{KeyError, Run, RunFailure};
use crate::cluster::{Context, NodeId, Platform, Program};
use crate::policy::{Kind, Policy, Setup};
use crate::units::{Bytes, Operations, Quantity, Seconds};

pub use cost::{Cost, Tasks};
pub use ledger::Chunk;
pub use outcome::{FarmMetrics, Outcome};
pub use program::{Farm, Message};
pub use server::{After, Rules, Server, TaskSource};
pub use signals::{Adaptive, Signal};
pub use worker::Worker;

/// `[workload.farm]`: how tasks are handed out.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FarmParameters {
    /// Who gets how many tasks, and when.
    #[serde(default = "adaptive")]
    pub policy: Policy,
    /// The policy `fixed`: tasks a chunk. The other policies that deal chunks: the least size of one.
    #[serde(default = "one")]
    #[schemars(range(min = 1))]
    pub chunk: u32,
    /// The policy `static_shares`: each worker's share of the tasks, together 1. With one share less than there are
    /// workers, the last one takes the rest.
    #[serde(default)]
    pub shares: Vec<f64>,
    /// The policy `static_shares`: the share of the first worker, instead of a list; the others take the rest equally.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub first_share: Option<f64>,
    /// What server and workers say to each other.
    #[serde(default)]
    pub protocol: Protocol,
    /// The node on which the server runs; it computes no tasks. All others are workers.
    #[serde(default)]
    pub server: u32,
    /// What the server computes before it answers a request.
    #[serde(default)]
    pub service: Operations,
    /// The length of a message besides tasks and results.
    #[serde(default)]
    pub signal_size: Bytes,
    /// What a task adds to a message; nothing where no workload says more.
    #[serde(default)]
    pub task_size: Option<Bytes>,
    /// What a result adds to a message; nothing where no workload says more.
    #[serde(default)]
    pub result_size: Option<Bytes>,
    /// What a task takes of a worker's memory; all tasks of a chunk are there together. It counts on nodes with a `cache`.
    #[serde(default)]
    pub task_memory: Bytes,
    /// At the end of a round, idle workers compute late tasks a second time: how many copies of a task are dealt at most.
    #[serde(default)]
    pub copies: u32,
    /// After how long without its results a worker's tasks are given to others. Needed where nodes fail.
    #[serde(default)]
    pub timeout: Option<Seconds>,
}

impl Default for FarmParameters {
    fn default() -> Self {
        Self {
            policy: adaptive(),
            chunk: one(),
            shares: Vec::new(),
            first_share: None,
            protocol: Protocol::default(),
            server: 0,
            service: Operations::default(),
            signal_size: Bytes::default(),
            task_size: None,
            result_size: None,
            task_memory: Bytes::default(),
            copies: 0,
            timeout: None,
        }
    }
}

const fn adaptive() -> Policy {
    Policy::Adaptive
}

const fn one() -> u32 {
    1
}

/// Checks that all tasks of a run can be numbered; `key` is the one that says how many a round has.
///
/// # Errors
/// Where there are too many.
pub fn check_tasks(key: &'static str, tasks: u32, rounds: u32) -> Result<(), KeyError> {
    if tasks.checked_mul(rounds).is_some() {
        return Ok(());
    }
    let message = format!("{tasks} tasks in each of {rounds} rounds are too many; at most {} together", u32::MAX);
    Err(KeyError { key: key.to_owned(), message })
}

/// Checks that the individuals of a population can be held, of which so much is known even where nothing evolves;
/// `key` is the one that says how many there are.
///
/// # Errors
/// Where there are too many.
pub fn check_population(key: &'static str, population: u32) -> Result<(), KeyError> {
    KeyError::bounded(key, &format!("{population} individuals"), u128::from(population) * 32)
}

/// What server and workers say to each other.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Protocol {
    /// A worker's results are also its request for more: two messages a chunk.
    #[default]
    Plain,
    /// The signals of Bazterra et al. (2005): a request, YesWork, the task, and its result: four messages a chunk.
    Signals,
}

/// How long messages are, and what tasks take of the memory.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sizes {
    /// A message besides tasks and results, in bytes.
    pub signal: u64,
    /// What a task adds, in bytes.
    pub task: u64,
    /// What a result adds, in bytes.
    pub result: u64,
    /// What a task takes of a worker's memory, in bytes.
    pub memory: u64,
}

impl Sizes {
    #[inline]
    fn set_working_set<M>(&self, at: NodeId, tasks: u32, context: &mut impl Context<M>) {
        if self.memory > 0 {
            context.set_working_set(at, self.memory.saturating_mul(u64::from(tasks)));
        }
    }
}

impl FarmParameters {
    /// Checks the keys against each other and the platform.
    ///
    /// # Errors
    /// A server that is no node, no workers, shares that are none, a policy that the protocol can't carry out.
    pub fn check(&self, platform: &Platform) -> Result<(), KeyError> {
        let problem = |key: &'static str, message: String| Err(KeyError { key: key.to_owned(), message });
        let nodes = platform.nodes();
        if self.server >= nodes {
            return problem(
                "farm.server",
                format!("there is no node {}: the nodes are 0 to {}", self.server, nodes - 1),
            );
        }
        if nodes < 2 {
            return problem("farm.server", "there are no workers: the platform's only node is the server".to_owned());
        }
        if platform.faults().get(self.server as usize).is_some_and(|faults| !faults.is_empty()) {
            let message = "the server's node has faults, from which a farm does not recover".to_owned();
            return problem("farm.server", message);
        }
        if self.protocol == Protocol::Signals && self.policy.kind() != Kind::SelfScheduling {
            let message =
                format!("by signals, clients ask for their tasks, but `{}` deals without being asked", self.policy);
            return problem("farm.protocol", message);
        }
        if self.chunk == 0 {
            return problem("farm.chunk", "a chunk has at least one task".to_owned());
        }
        if self.timeout.is_some_and(|timeout| timeout.base() <= 0.0) {
            return problem("farm.timeout", "`timeout` must be above zero".to_owned());
        }
        self.check_shares(nodes - 1)
    }

    fn check_shares(&self, workers: u32) -> Result<(), KeyError> {
        let problem = |key: &'static str, message: String| Err(KeyError { key: key.to_owned(), message });
        if self.policy != Policy::StaticShares {
            return match (&self.first_share, self.shares.is_empty()) {
                (None, true) => Ok(()),
                (Some(_), _) => problem("farm.first_share", format!("`{}` takes no shares", self.policy)),
                _ => problem("farm.shares", format!("`{}` takes no shares", self.policy)),
            };
        }
        if self.first_share.is_some() {
            return if self.shares.is_empty() {
                Ok(())
            } else {
                problem("farm.first_share", "give either `shares` or `first_share`".to_owned())
            };
        }
        let (given, workers) = (self.shares.len(), workers as usize);
        if given != workers && given + 1 != workers {
            let message = format!("{given} shares for {workers} workers; one share may be left out, for what remains");
            return problem("farm.shares", message);
        }
        if let Some(wrong) = self.shares.iter().find(|share| !(0.0..=1.0).contains(*share)) {
            return problem("farm.shares", format!("a share lies between 0 and 1, but {wrong} does not"));
        }
        let total: f64 = self.shares.iter().sum();
        let adds_up = if given == workers { (total - 1.0).abs() < 1e-9 } else { total < 1.0 + 1e-9 };
        if adds_up {
            Ok(())
        } else {
            problem("farm.shares", format!("the shares add up to {}, not to 1", (total * 1e9).round() / 1e9))
        }
    }

    /// Each worker's share, for `static_shares`.
    fn all_shares(&self, workers: usize) -> Vec<f64> {
        if let Some(first) = self.first_share {
            let other = (1.0 - first) / (workers - 1).max(1) as f64;
            return (0..workers).map(|worker| if worker == 0 { first } else { other }).collect();
        }
        let mut shares = self.shares.clone();
        if self.policy == Policy::StaticShares && shares.len() < workers {
            shares.push((1.0 - shares.iter().sum::<f64>()).max(0.0));
        }
        shares
    }

    /// Sets the lengths of tasks and results, in bytes, that the scenario leaves open.
    pub fn assume_sizes(&mut self, task: u64, result: u64) {
        self.task_size.get_or_insert(Bytes::new(task));
        self.result_size.get_or_insert(Bytes::new(result));
    }

    fn sizes(&self) -> Sizes {
        Sizes {
            signal: self.signal_size.count(),
            task: self.task_size.map_or(0, Bytes::count),
            result: self.result_size.map_or(0, Bytes::count),
            memory: self.task_memory.count(),
        }
    }

    /// Runs a farm over `bag` and tells what came of it.
    ///
    /// # Errors
    /// A sentence that says why the run failed.
    pub fn run<B: TaskSource>(&self, bag: B, variation: f64, run: &mut Run<'_>) -> Result<(Outcome, B), RunFailure> {
        let platform = run.platform;
        let node = NodeId(self.server);
        let workers = platform.nodes() - 1;
        let speeds: Vec<f64> =
            (0..platform.nodes()).map(NodeId).filter(|n| *n != node).map(|n| platform.speed_per_second(n)).collect();
        let shares = self.all_shares(speeds.len());
        let setup = Setup { speeds: &speeds, shares: &shares, chunk: self.chunk, variation };
        let rules = Rules {
            copies: self.copies,
            timeout: self.timeout.map(|timeout| platform.tick().time(timeout.base())),
            unreliable: self.timeout.is_some() || !platform.faults().is_empty(),
        };
        let dealing = (self.policy.dealer(&setup), self.policy.kind());
        let server = Server::new(bag, node, workers, dealing, rules);
        let service = self.service.base();
        match self.protocol {
            Protocol::Plain => {
                let farm = Farm::new(server, self.sizes(), service);
                self.execute(farm, Farm::into_server, run)
            }
            Protocol::Signals => {
                let farm = Adaptive::new(server, self.sizes(), service);
                self.execute(farm, Adaptive::into_server, run)
            }
        }
    }

    fn execute<P: Program, B: TaskSource>(
        &self,
        mut program: P,
        into_server: impl FnOnce(P) -> Server<B>,
        run: &mut Run<'_>,
    ) -> Result<(Outcome, B), RunFailure> {
        let end = run.simulate(&mut program)?;
        let server = into_server(program);
        let outcome = Outcome::new(&end, &server, run.platform, self.task_memory.count())?;
        Ok((outcome, server.bag))
    }
}
