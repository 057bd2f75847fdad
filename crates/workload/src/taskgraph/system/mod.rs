//! The task system that runs a graph, such as Pegasus over HTCondor, and what it costs.
//!
//! A task that its dispatcher starts passes, one after the other: the server, which submits one task at a time; its node,
//! which sets up one task at a time; the storage, from which all that the task reads is brought; a core, which computes
//! it; and the storage again, to which all that it writes is brought. Its core is taken from the start to the end.

mod storage;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::decide::Decider;
use super::dynamic::Dynamic;
use super::instance::Instance;
use crate::KeyError;
use hetsim_base::units::{BytesPerSecond, Quantity, Seconds, Tick, Time};
use hetsim_cluster::{Context, NodeId, Platform, Sharing};
use storage::Storage;

/// `[workload.system]`: what the task system costs that runs the graph. Schedulers don't know of it.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SystemParameters {
    /// What passes before the first task is submitted.
    pub startup: Seconds,
    /// What the server takes to submit a task, one at a time.
    pub submission: Seconds,
    /// What a node takes to set up a task before it starts, one at a time; its cores compute meanwhile.
    pub setup: Seconds,
    /// The bandwidth of a storage, from which tasks bring what they read and to which they bring what they write before
    /// they end; all that are at it share it equally. No data then pass from node to node. What a task reads and writes
    /// is by the files of WfFormat, those that no task writes too, else by the edges.
    pub storage: Option<BytesPerSecond>,
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

/// The system at work.
#[derive(Debug)]
pub struct System {
    /// When the server has submitted all that it was given.
    server_free: Time,
    /// When each node has set up all that it was given.
    node_free: Vec<Time>,
    submission: Time,
    setup: Time,
    /// The tasks that have not been set up, by when they will be.
    coming: BinaryHeap<Reverse<(Time, u32)>>,
    storage: Option<Storage>,
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
    /// The system before a run on a platform.
    #[must_use]
    pub fn new(parameters: &SystemParameters, platform: &Platform) -> Self {
        let tick: Tick = platform.tick();
        let time = |seconds: Seconds| tick.time(seconds.base());
        let startup = time(parameters.startup);
        Self {
            server_free: startup,
            node_free: vec![Time::ZERO; platform.nodes() as usize],
            submission: time(parameters.submission),
            setup: time(parameters.setup),
            coming: BinaryHeap::new(),
            storage: parameters.storage.map(|bandwidth| Storage::new(bandwidth.base() * tick.seconds(Time(1)))),
            moved: 0,
        }
    }

    /// What has been brought from the storage or to it, in bytes.
    pub(super) const fn moved(&self) -> u128 {
        self.moved
    }

    /// Takes a task that is started on a node.
    pub(super) fn submit<M>(&mut self, task: u32, at: NodeId, context: &mut impl Context<M>) {
        let now = context.now();
        self.server_free = self.server_free.max(now) + self.submission;
        let node = &mut self.node_free[at.index()];
        *node = self.server_free.max(*node) + self.setup;
        self.coming.push(Reverse((*node, task)));
        context.set_timer(at, node.since(now));
    }

    /// A task that is set up by now.
    pub(super) fn set_up(&mut self, now: Time) -> Option<u32> {
        let &Reverse((due, task)) = self.coming.peek()?;
        (due <= now).then(|| {
            self.coming.pop();
            task
        })
    }

    /// Begins to bring what a task reads or has written. Returns false if there is nothing to bring.
    pub(super) fn bring<M>(
        &mut self,
        stage: Stage,
        at: NodeId,
        instance: &Instance<'_>,
        context: &mut impl Context<M>,
    ) -> bool {
        let Some(storage) = &mut self.storage else { return false };
        let bytes = match stage {
            Stage::In(task) => instance.graph.read_bytes(task),
            Stage::Out(task) => instance.graph.written_bytes(task),
        };
        if bytes == 0 {
            return false;
        }
        self.moved += u128::from(bytes);
        storage.join(stage, at, bytes as f64, context);
        true
    }

    /// What has been brought by now.
    pub(super) fn brought<M>(&mut self, context: &mut impl Context<M>) -> Option<Stage> {
        self.storage.as_mut()?.leave(context)
    }
}
