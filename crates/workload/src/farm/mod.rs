//! A task farm: a server hands out independent tasks to unequal workers.
//!
//! A master–worker genetic algorithm treats a generation this way, and so does a loop of independent iterations on a
//! simulation. A [`TaskSource`] provides the tasks; a [`Policy`] decides the chunks; server and workers communicate
//! either with plain messages ([`Farm`]) or with the signals of Bazterra et al. (`signals.rs`).

mod assignments;
mod calls;
mod cost;
mod detection;
mod expected;
mod failures;
mod outcome;
mod program;
mod rebalance;
mod reports;
mod server;
mod signals;
mod slots;
mod waits;
mod worker;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::call::KernelCall;
use super::rhythm::Rhythm;
use super::{Demand, KeyError, Run, RunFailure};
use hetsim_base::units::{Bytes, Operations, Quantity, Seconds, Tick, Time};
use hetsim_cluster::{Context, NodeId, Platform};
use hetsim_policy::{ChunkPolicy, Kind, Policy, Setup};

pub use assignments::Chunk;
pub use cost::{Cost, Tasks};
pub use outcome::{FarmMetrics, Outcome};
pub use program::{Farm, Message};
pub use server::{Patience, Rules, Server, TaskSource};

use signals::Adaptive;

/// `[workload.farm]`: how tasks are handed out.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FarmParameters {
    /// The policy that decides which worker gets how many tasks, and when.
    pub policy: Policy,
    /// The policy `fixed`: tasks per chunk. The other policies that deal chunks: the smallest chunk.
    #[schemars(range(min = 1))]
    pub chunk: u32,
    /// The policy `static_shares`: each worker's share of the tasks, with a sum of 1. If one share is missing, the last
    /// worker takes the rest.
    pub shares: Vec<f64>,
    /// The policy `static_shares`: the share of the first worker, instead of a list; the others take the rest equally.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub first_share: Option<f64>,
    /// The messages between server and workers.
    pub protocol: Protocol,
    /// The node on which the server runs; it computes no tasks. All others are workers.
    pub server: u32,
    /// The work of the server before its first round.
    pub startup: Operations,
    /// The work of the server for each task of a round before it deals any, as the submission of a list of tasks takes.
    pub submission: Operations,
    /// The work of the server for each request, and for each result but the last of a round, whether or not a task is left to
    /// deal.
    pub service: Operations,
    /// How many chunks a worker has waiting besides the one that it computes, so that it need not wait for an answer.
    /// Dask's `worker-saturation` of 1.1 is one for a worker of one thread.
    #[schemars(range(max = 1000))]
    pub ahead: u16,
    /// With chunks ahead, when none is left to deal: how often the server takes back a chunk that waits at one worker for
    /// another that has nothing. Workers need a second core, on which they answer while they compute. Dask's
    /// `work-stealing-interval` is 100 ms.
    pub steal_interval: Option<Seconds>,
    /// The server takes a chunk back only from a worker whose chunks would take longer than this. It goes by a running mean of
    /// what chunks took on all workers, half of which is the last one. Dask's threshold is 0.2 s.
    pub steal_threshold: Seconds,
    /// What a worker takes to set up a chunk before it computes it, whatever its speed; its core is idle meanwhile.
    pub setup: Seconds,
    /// How often a worker tells the server what it has computed; its results wait with it. Workers do that in turn, evenly
    /// spread.
    pub heartbeat: Seconds,
    /// How often the server looks at the results that it was told: it gives their workers more no earlier.
    pub poll: Seconds,
    /// The length of a message without tasks and results.
    pub signal_size: Bytes,
    /// The bytes that a task adds to a message; 0 unless the workload knows better.
    pub task_size: Option<Bytes>,
    /// The bytes that a result adds to a message; 0 unless the workload knows better.
    pub result_size: Option<Bytes>,
    /// What a task calls in the place of its operations; they are the size `m` of the call unless it has one. Its noise is
    /// that of the kernel, the same for the same task. Policies know the mean times.
    pub call: Option<KernelCall>,
    /// The memory that a task takes on a worker, for all tasks of a chunk at once. It matters on nodes with a `cache`.
    pub task_memory: Bytes,
    /// At the end of a round, idle workers compute late tasks a second time: the largest number of copies per task.
    pub copies: u32,
    /// The time without results after which a worker's tasks are given to others, for a chunk of any size. Needed if
    /// nodes fail, unless there is a `task_timeout` or `detection`. It must exceed the longest chunk, or else sound workers
    /// lose theirs.
    pub timeout: Option<Seconds>,
    /// A time for each task of a chunk, as the deadline that BOINC has for each job: a worker may take `timeout` and so
    /// much for each task of its chunk. Several times what a task takes on the slowest worker.
    pub task_timeout: Option<Seconds>,
    /// How long after a node has failed the server knows, and gives its tasks to others. A connection that breaks tells the
    /// scheduler of Dask at once: `"0s"`.
    pub detection: Option<Seconds>,
    /// Whether workers keep their results until the end of a round, as those of Dask do. The results of a node that fails
    /// are then lost when the server detects it, and their tasks are computed again.
    pub keep_results: bool,
}

impl Default for FarmParameters {
    fn default() -> Self {
        Self {
            policy: Policy::Adaptive,
            chunk: 1,
            shares: Vec::new(),
            first_share: None,
            protocol: Protocol::default(),
            server: 0,
            startup: Operations::default(),
            submission: Operations::default(),
            service: Operations::default(),
            ahead: 0,
            steal_interval: None,
            steal_threshold: Seconds::default(),
            setup: Seconds::default(),
            heartbeat: Seconds::default(),
            poll: Seconds::default(),
            signal_size: Bytes::default(),
            task_size: None,
            result_size: None,
            call: None,
            task_memory: Bytes::default(),
            copies: 0,
            timeout: None,
            task_timeout: None,
            detection: None,
            keep_results: false,
        }
    }
}

/// Checks that all tasks of a run can be numbered; `key` names the number of tasks in a round.
///
/// # Errors
/// If there are too many.
pub fn check_tasks(key: &'static str, tasks: u32, rounds: u32) -> Result<(), KeyError> {
    KeyError::unless(tasks.checked_mul(rounds).is_some(), key, || {
        format!("{tasks} tasks in each of {rounds} rounds are too many; at most {} are allowed together", u32::MAX)
    })
}

/// Checks that the individuals of a population fit into memory, since some data exist for each even without evolution;
/// `key` names the number of individuals.
///
/// # Errors
/// If there are too many.
pub fn check_population(key: &'static str, population: u32) -> Result<(), KeyError> {
    KeyError::bounded(key, &format!("{population} individuals"), u128::from(population) * 32)
}

/// The messages between server and workers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Protocol {
    /// A worker's results are also its request for more: two messages per chunk.
    #[default]
    Plain,
    /// The signals of Bazterra et al. (2005): a request, YesWork, the task, and its result: four messages per chunk.
    Signals,
}

/// The lengths of messages, and the memory of tasks.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sizes {
    /// The length of a message without tasks and results, in bytes.
    pub signal: u64,
    /// The bytes that a task adds.
    pub task: u64,
    /// The bytes that a result adds.
    pub result: u64,
    /// The memory of a task on a worker, in bytes.
    pub memory: u64,
}

impl Sizes {
    /// The length of a message with so many tasks, in bytes.
    #[inline]
    const fn with_tasks(&self, count: u32) -> u64 {
        self.signal + count as u64 * self.task
    }

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
    /// If the server is not a node, there are no workers, the shares are invalid, the protocol does not allow the policy,
    /// or a kernel is called that the platform does not have.
    pub fn check(&self, task: &Cost, platform: &Platform) -> Result<(), KeyError> {
        let nodes = platform.nodes();
        KeyError::unless_node("farm.server", self.server, platform)?;
        KeyError::unless(nodes >= 2, "farm.server", || "there are no workers: the platform's only node is the server")?;
        let faultless = platform.faults().get(self.server as usize).is_none_or(Vec::is_empty);
        KeyError::unless(
            faultless,
            "farm.server",
            || "the server's node has faults, from which a farm cannot recover",
        )?;
        let asked = self.protocol == Protocol::Plain || self.policy.kind() == Kind::SelfScheduling;
        KeyError::unless(asked, "farm.protocol", || {
            format!("with signals, clients ask for their tasks, but `{}` deals without being asked", self.policy)
        })?;
        KeyError::unless(self.chunk > 0, "farm.chunk", || "a chunk has at least one task")?;
        let times =
            [("timeout", self.timeout), ("task_timeout", self.task_timeout), ("steal_interval", self.steal_interval)];
        for (name, time) in times {
            let positive = time.is_none_or(|time| time.base() > 0.0);
            KeyError::unless(positive, &format!("farm.{name}"), || format!("`{name}` must be above zero"))?;
        }
        let known = self.detection.is_none() || self.policy.kind() != Kind::Stealing;
        KeyError::unless(known, "farm.detection", || {
            format!("with `{}`, the server does not know who has which tasks; set a `timeout`", self.policy)
        })?;
        KeyError::unless(
            self.detection.is_some() || !self.keep_results,
            "farm.keep_results",
            || "results that workers keep are lost with them: say by `detection` when the server knows",
        )?;
        self.check_ahead(platform)?;
        self.check_waits()?;
        self.check_call(task, platform)?;
        self.check_shares(nodes - 1)
    }

    fn check_shares(&self, workers: u32) -> Result<(), KeyError> {
        let problem = |key: &str, message: String| Err(KeyError::new(key, message));
        match (self.policy, self.first_share, self.shares.is_empty()) {
            (Policy::StaticShares, None, _) => {}
            (Policy::StaticShares, _, true) | (_, None, true) => return Ok(()),
            (Policy::StaticShares, ..) => {
                return problem("farm.first_share", "give either `shares` or `first_share`".to_owned());
            }
            (policy, first, _) => {
                let key = if first.is_some() { "farm.first_share" } else { "farm.shares" };
                return problem(key, format!("`{policy}` takes no shares"));
            }
        }
        let (given, workers) = (self.shares.len(), workers as usize);
        if given == 0 {
            let message = format!("`static_shares` needs `shares`: one for each of the {workers} workers");
            return problem("farm.policy", message);
        }
        if given != workers && given + 1 != workers {
            let values = if given == 1 { "value" } else { "values" };
            let message =
                format!("`shares` has {given} {values} for {workers} workers; one may be left out and takes the rest");
            return problem("farm.shares", message);
        }
        if let Some(wrong) = self.shares.iter().find(|share| !(0.0..=1.0).contains(*share)) {
            return problem("farm.shares", format!("a share lies between 0 and 1, but {wrong} does not"));
        }
        let total: f64 = self.shares.iter().sum();
        let adds_up = if given == workers { (total - 1.0).abs() < 1e-9 } else { total < 1.0 + 1e-9 };
        KeyError::unless(adds_up, "farm.shares", || {
            format!("the shares add up to {}, not to 1", (total * 1e9).round() / 1e9)
        })
    }

    /// The share of each worker, for `static_shares`.
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

    /// Sets the lengths of tasks and results, in bytes, that the scenario does not give.
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

    /// How long the server waits for a chunk; `None` if for ever.
    fn patience(&self, tick: Tick) -> Option<Patience> {
        let ticks = |timeout: Option<Seconds>| timeout.map_or(Time::ZERO, |timeout| tick.time(timeout.base()));
        (self.timeout.is_some() || self.task_timeout.is_some())
            .then(|| Patience { chunk: ticks(self.timeout), task: ticks(self.task_timeout) })
    }

    /// The workers of a platform: all nodes except the server's, in order.
    fn workers(&self, platform: &Platform) -> impl Iterator<Item = NodeId> + use<> {
        let server = self.server;
        (0..platform.nodes()).filter(move |node| *node != server).map(NodeId)
    }

    /// The policy before the first round.
    fn dealer(&self, task: &Cost, platform: &Platform) -> ChunkPolicy {
        let (mean, deviation) = task.moments();
        let variation = deviation / mean;
        let speeds = self.speeds(task, platform);
        let shares = self.all_shares(speeds.len());
        self.policy.chunk_policy(&Setup { speeds: &speeds, shares: &shares, chunk: self.chunk, variation })
    }

    /// The work of so many tasks, by their mean cost, and the speed of the workers, each of which computes on one core.
    #[must_use]
    pub fn demand(&self, tasks: f64, task: &Cost, platform: &Platform) -> Demand {
        Demand { operations: tasks * task.moments().0, speed: self.speeds(task, platform).iter().sum() }
    }

    /// The keys that the policy does not look at.
    pub(crate) fn unused(&self) -> Vec<&'static str> {
        if self.policy.takes_chunk() { Vec::new() } else { vec!["farm.chunk"] }
    }

    /// What is to be said of a timeout that a first chunk of `tasks` equal tasks of this cost reaches by its computing
    /// alone; `None` if all look right.
    #[must_use]
    pub fn warning(&self, tasks: u32, task: &Cost, platform: &Platform) -> Option<String> {
        let (tick, (mean, _)) = (platform.tick(), task.moments());
        let patience = self.patience(tick)?;
        let mut dealer = self.dealer(task, platform);
        dealer.begin(tasks);
        let chunks = dealer.deal(tasks, &vec![true; platform.nodes() as usize - 1]);
        let memory = self.task_memory.count();
        let late = self.workers(platform).zip(chunks).filter_map(|(node, chunk)| {
            let speed = self.speed_at(node, task, memory.saturating_mul(u64::from(chunk)), platform);
            let takes_s = self.setup.base() + f64::from(chunk) * mean / speed;
            let waits = patience.with(chunk);
            // One that equals the time expires: its event is the earlier one.
            (tick.time(takes_s) >= waits).then(|| (takes_s, tick.seconds(waits), node, chunk))
        });
        let (takes_s, waits_s, node, chunk) = late.reduce(|worst, next| if next.0 > worst.0 { next } else { worst })?;
        let plural = if chunk == 1 { "" } else { "s" };
        let (gives, raise) = match (self.timeout, self.task_timeout) {
            (_, None) => {
                ("`timeout` gives", "`workload.farm.timeout`, or let it grow with the chunk by `task_timeout`")
            }
            (None, _) => ("`task_timeout` gives", "`workload.farm.task_timeout`"),
            (Some(_), Some(_)) => {
                ("`timeout` and `task_timeout` give", "`workload.farm.timeout` or `workload.farm.task_timeout`")
            }
        };
        Some(format!(
            "node {} takes {} for its first {chunk} task{plural}, but after {} {gives} them to others, though it has not \
             failed; raise {raise}",
            node.0,
            Seconds::shown(takes_s),
            Seconds::shown(waits_s)
        ))
    }

    /// Runs a farm on the tasks of `source`, which are of this cost.
    ///
    /// # Errors
    /// A sentence that says why the run failed.
    pub fn run<S: TaskSource>(&self, source: S, task: &Cost, run: &mut Run<'_>) -> Result<(Outcome, S), RunFailure> {
        let platform = run.platform;
        let timeout = self.patience(platform.tick());
        let rules = Rules {
            sizes: self.sizes(),
            startup: self.startup.base(),
            submission: self.submission.base(),
            service: self.service.base(),
            ahead: self.ahead,
            steal_interval: self.steal_interval.map(|every| run.platform.tick().time(every.base()).max(Time(1))),
            steal_threshold_s: self.steal_threshold.base(),
            setup: platform.tick().time(self.setup.base()),
            rhythm: Rhythm::new(self.heartbeat, self.poll, platform),
            copies: self.copies,
            timeout,
            detection: self.detection.map(|after| platform.tick().time(after.base())),
            keep_results: self.keep_results,
            unreliable: timeout.is_some() || !platform.faults().is_empty(),
        };
        let (node, workers) = (NodeId(self.server), platform.nodes() - 1);
        let server = Server::new(source, node, workers, self.dealer(task, platform), rules);
        let server = server.calling(self.calls(platform, run.streams)?);
        let (end, server) = match self.protocol {
            Protocol::Plain => {
                let mut farm = Farm::new(server);
                (run.simulate(&mut farm)?, farm.server)
            }
            Protocol::Signals => {
                let mut farm = Adaptive::new(server);
                (run.simulate(&mut farm)?, farm.server)
            }
        };
        let outcome =
            Outcome::new(&end, &server, run.platform, &|node, memory| self.speed_at(node, task, memory, platform))?;
        Ok((outcome, server.source))
    }
}
