//! The task system that runs a graph, such as Pegasus over HTCondor, and what it costs.
//!
//! A task that its dispatcher starts passes, one after the other: a slot of the server, which submits one task at a time;
//! the way to its node, on which tasks pass each other; its node, which sets up one task at a time; the storage, from
//! which all that the task reads is brought, unless its node has kept it; a core, which computes it; the server again, if
//! it fails; the storage again, to which all that it writes is brought; and the server's next look at what has ended. Its
//! core is taken from the start to the end.

mod caches;
mod needs;
mod storage;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};

use rand::RngExt;
use schemars::JsonSchema;
use serde::Deserialize;

use super::decide::Decider;
use super::dynamic::Dynamic;
use super::instance::Instance;
use crate::KeyError;
use crate::rhythm::Rhythm;
use caches::Caches;
use hetsim_base::units::{Bytes, BytesPerSecond, Quantity, Seconds, Time};
use hetsim_cluster::{Context, NodeId, Platform, Sharing};
use hetsim_graph::TaskGraph;
use storage::Storage;

pub use needs::{Need, Room};
pub(super) use needs::{Needs, type_number};

/// `[workload.system]`: what the task system costs that runs the graph. Schedulers don't know of it, but for the room that
/// tasks need: those that decide in the course of the run look for it.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SystemParameters {
    /// What passes before the first task is submitted.
    pub startup: Seconds,
    /// What the server takes to submit a task, one at a time.
    pub submission: Seconds,
    /// What passes from then to a task's arrival at its node, for any number at once, such as the queue of a cluster. Its cores
    /// are kept from others meanwhile.
    pub dispatch: Seconds,
    /// `dispatch` by type of task, instead of it.
    pub type_dispatch: BTreeMap<String, Seconds>,
    /// What a node takes to set up a task before it starts, one at a time; its cores compute meanwhile.
    pub setup: Seconds,
    /// The bandwidth of a storage, from which tasks bring what they read and to which they bring what they write before
    /// they end; all that are at it share it equally. No data then pass from node to node. What a task reads and writes
    /// comes from the files of WfFormat and DAX, including those from outside the workflow; elsewhere from the edges.
    pub storage: Option<BytesPerSecond>,
    /// What each node keeps of the files that its tasks have read and written; those used longest ago make room. What it has
    /// is not brought from the storage, and a file on its way comes once for all of its tasks that want it. By default,
    /// nothing is kept, and each task brings its own.
    pub cache: Option<Bytes>,
    /// How many tasks may be submitted and not have ended; any number by default. Others wait for their turn.
    #[schemars(range(min = 1))]
    pub slots: Option<u32>,
    /// The memory of each node for tasks, of which `needs` says what they take; any amount by default.
    pub memory: Option<Bytes>,
    /// By type of task: what its tasks take of their node from their submission to their end; one core by default. A task that
    /// fits on no node waits, and so do those after it: none goes ahead of it.
    pub needs: BTreeMap<String, Need>,
    /// How often a node tells the server which of its tasks have ended. Nodes do that in turn, evenly spread.
    pub heartbeat: Seconds,
    /// How often the server looks at which tasks have ended: those that wait for them are submitted no earlier.
    pub poll: Seconds,
    /// The probability that a task fails when it has been computed. It is then submitted again, as often as it takes.
    #[schemars(range(min = 0.0, max = 0.99))]
    pub failure: f64,
}

impl SystemParameters {
    /// Says why the tasks can't pass the system.
    ///
    /// # Errors
    /// A storage without bandwidth, tasks that share a core, or a scheduler without a server.
    pub(super) fn check(&self, platform: &Platform, decider: &Decider) -> Result<(), KeyError> {
        let sound = self.storage.is_none_or(|bandwidth| bandwidth.base() > 0.0);
        KeyError::unless(sound, "system.storage", || "the bandwidth of a storage must be above 0")?;
        KeyError::unless(
            self.cache.is_none() || self.storage.is_some(),
            "system.cache",
            || "a cache keeps what comes from a storage: give its bandwidth as `storage`",
        )?;
        KeyError::unless(self.slots != Some(0), "system.slots", || "a server without a slot submits no task")?;
        let cores = (0..platform.nodes()).map(|node| platform.cores(NodeId(node)));
        // A plan or a record may put a task on any node.
        let chosen = matches!(decider, Decider::Dynamic(dynamic) if dynamic.looks_for_room());
        let cores = if chosen { cores.max() } else { cores.min() };
        let memory = self.memory.unwrap_or(Bytes::new(u64::MAX));
        needs::check(&self.needs, Need { cores: cores.unwrap_or_default(), memory })?;
        let takes = self.needs.values().any(|need| need.memory.count() > 0);
        KeyError::unless(
            self.memory.is_none() || takes,
            "system.memory",
            || "no type of task takes memory: say in `needs` how much",
        )?;
        let sound = (0.0..=MOST_FAILURES).contains(&self.failure);
        KeyError::unless(sound, "system.failure", || "a probability of failure must be 0 or more, and at most 0.99")?;
        KeyError::unless(
            platform.sharing() != Sharing::Processor,
            "system",
            || "a task system gives a core one task at a time: take `sharing = \"one_at_a_time\"`",
        )?;
        KeyError::unless(
            *decider != Decider::Dynamic(Dynamic::WorkStealing),
            "system",
            || "nodes that steal have no server that submits tasks: take another scheduler",
        )
    }
}

/// The greatest probability of failure: each task runs a hundred times with it.
const MOST_FAILURES: f64 = 0.99;

/// The system at work.
#[derive(Debug)]
pub struct System {
    /// When the server has submitted all that it was given.
    server_free: Time,
    /// When each node has set up all that it was given.
    node_free: Vec<Time>,
    submission: Time,
    dispatch: Time,
    /// The same of each task, if types differ.
    task_dispatch: Vec<Time>,
    /// The tasks on their way to their nodes, by when they arrive, if any take time for that.
    under_way: BinaryHeap<Reverse<(Time, u32, NodeId)>>,
    setup: Time,
    /// The tasks that have not been set up, by when they will be.
    coming: BinaryHeap<Reverse<(Time, u32)>>,
    storage: Option<Storage>,
    caches: Option<Caches>,
    /// The slots that are free, and the tasks that wait for one.
    free: u32,
    waiting: VecDeque<(u32, NodeId)>,
    rhythm: Rhythm,
    /// The tasks that have ended and that the server has not looked at, by when it will.
    unseen: BinaryHeap<Reverse<(Time, u32)>>,
    failure: f64,
    /// How often each task has been computed; empty where none can fail.
    runs: Vec<u32>,
    /// The runs of tasks that have failed.
    failed: u64,
    /// What has been brought from the storage or to it.
    moved: u128,
}

/// What is at the storage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// What a task reads.
    In(u32),
    /// What a task has written.
    Out(u32),
}

impl System {
    /// The system before a run.
    #[must_use]
    pub fn new(parameters: &SystemParameters, instance: &Instance<'_>) -> Self {
        let platform = instance.platform;
        let tick = platform.tick();
        let time = |seconds: Seconds| tick.time(seconds.base());
        let startup = time(parameters.startup);
        let of_task = |task| {
            let of_type = instance.graph.type_name(task).and_then(|name| parameters.type_dispatch.get(name));
            time(*of_type.unwrap_or(&parameters.dispatch))
        };
        let differ = !parameters.type_dispatch.is_empty();
        Self {
            server_free: startup,
            node_free: vec![Time::ZERO; platform.nodes() as usize],
            submission: time(parameters.submission),
            dispatch: time(parameters.dispatch),
            task_dispatch: if differ { instance.graph.ids().map(of_task).collect() } else { Vec::new() },
            under_way: BinaryHeap::new(),
            setup: time(parameters.setup),
            coming: BinaryHeap::new(),
            storage: parameters.storage.map(|bandwidth| Storage::new(bandwidth.base() * tick.seconds(Time(1)))),
            caches: parameters.cache.map(|cache| Caches::new(cache.count(), instance)),
            free: parameters.slots.unwrap_or(u32::MAX),
            waiting: VecDeque::new(),
            rhythm: Rhythm::new(parameters.heartbeat, parameters.poll, platform),
            unseen: BinaryHeap::new(),
            failure: parameters.failure,
            runs: if parameters.failure > 0.0 { vec![0; instance.graph.tasks()] } else { Vec::new() },
            failed: 0,
            moved: 0,
        }
    }

    /// The runs of tasks that have failed, if any could.
    pub(super) fn failed(&self) -> Option<u64> {
        (self.failure > 0.0).then_some(self.failed)
    }

    /// What has been brought from the storage or to it, in bytes.
    pub(super) const fn moved(&self) -> u128 {
        self.moved
    }

    /// Takes a task that is started on a node.
    pub(super) fn take<M>(&mut self, task: u32, at: NodeId, context: &mut impl Context<M>) {
        if self.free == 0 {
            self.waiting.push_back((task, at));
        } else {
            self.free -= 1;
            self.submit(task, at, context);
        }
    }

    /// Submits a task that has a slot.
    fn submit<M>(&mut self, task: u32, at: NodeId, context: &mut impl Context<M>) {
        let now = context.now();
        self.server_free = self.server_free.max(now) + self.submission;
        let dispatch = self.task_dispatch.get(task as usize).copied().unwrap_or(self.dispatch);
        if self.task_dispatch.is_empty() && dispatch == Time::ZERO {
            self.arrive(task, at, self.server_free, context);
        } else {
            // Tasks pass each other.
            let arrival = self.server_free + dispatch;
            self.under_way.push(Reverse((arrival, task, at)));
            context.set_timer(at, arrival.since(now));
        }
    }

    /// A task arrives at its node at some time, and is set up there after those before it.
    fn arrive<M>(&mut self, task: u32, at: NodeId, arrival: Time, context: &mut impl Context<M>) {
        let node = &mut self.node_free[at.index()];
        *node = arrival.max(*node) + self.setup;
        self.coming.push(Reverse((*node, task)));
        context.set_timer(at, node.since(context.now()));
    }

    /// A task that is set up by now.
    pub(super) fn set_up<M>(&mut self, context: &mut impl Context<M>) -> Option<u32> {
        let now = context.now();
        while let Some(&Reverse((arrival, task, at))) = self.under_way.peek()
            && arrival <= now
        {
            self.under_way.pop();
            self.arrive(task, at, arrival, context);
        }
        due(&mut self.coming, now)
    }

    /// Begins to bring what a task reads or has written. Returns false if there is nothing to wait for.
    pub(super) fn bring<M>(
        &mut self,
        stage: Stage,
        at: NodeId,
        instance: &Instance<'_>,
        context: &mut impl Context<M>,
    ) -> bool {
        let Some(storage) = &mut self.storage else { return false };
        let (bytes, waits) = match (stage, &mut self.caches) {
            (Stage::In(task), Some(caches)) => caches.want(task, at, instance.graph),
            (Stage::In(task), None) => (instance.graph.read_bytes(task), false),
            (Stage::Out(task), _) => (instance.graph.written_bytes(task), false),
        };
        if bytes > 0 {
            self.moved += u128::from(bytes);
            storage.join(stage, at, bytes as f64, context);
        }
        bytes > 0 || waits
    }

    /// Whether a task that has been computed has failed. If so, it is submitted again.
    pub(super) fn fails<M>(&mut self, task: u32, at: NodeId, context: &mut impl Context<M>) -> bool {
        if self.failure == 0.0 {
            return false;
        }
        // One draw a run: the first of a task is the same whatever happens to others.
        let runs = &mut self.runs[task as usize];
        let number = u64::from(task) | u64::from(*runs) << u32::BITS;
        *runs += 1;
        let fails = context.stream("task failure", number).random::<f64>() < self.failure;
        if fails {
            self.failed += 1;
            self.submit(task, at, context);
        }
        fails
    }

    /// Whether the server sees at once that a task has ended.
    pub(super) fn sees<M>(&mut self, task: u32, at: NodeId, context: &mut impl Context<M>) -> bool {
        let now = context.now();
        let next = self.rhythm.looked_at(self.rhythm.told(at, now));
        if next == now {
            return true;
        }
        self.unseen.push(Reverse((next, task)));
        context.set_timer(at, next.since(now));
        false
    }

    /// A task that has ended and that the server sees by now.
    pub(super) fn seen(&mut self, now: Time) -> Option<u32> {
        due(&mut self.unseen, now)
    }

    /// A task has ended: the next that waits gets its slot.
    pub(super) fn end<M>(&mut self, context: &mut impl Context<M>) {
        match self.waiting.pop_front() {
            Some((task, at)) => self.submit(task, at, context),
            None => self.free = self.free.saturating_add(1),
        }
    }

    /// What has been brought by now.
    pub(super) fn brought<M>(&mut self, graph: &TaskGraph, context: &mut impl Context<M>) -> Option<Stage> {
        let storage = self.storage.as_mut()?;
        let Some(caches) = &mut self.caches else { return Some(storage.leave(context)?.0) };
        loop {
            if let Some(task) = caches.supplied() {
                return Some(Stage::In(task));
            }
            match storage.leave(context)? {
                (Stage::In(task), at) => caches.arrived(task, at, graph),
                (Stage::Out(task), at) => {
                    caches.keep(at, graph.files_written(task));
                    return Some(Stage::Out(task));
                }
            }
        }
    }
}

/// Takes the first task whose time has come.
fn due(tasks: &mut BinaryHeap<Reverse<(Time, u32)>>, now: Time) -> Option<u32> {
    let &Reverse((due, task)) = tasks.peek()?;
    (due <= now).then(|| {
        tasks.pop();
        task
    })
}
