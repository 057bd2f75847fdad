//! A task graph on a platform: what tasks and messages take, in the machine's own ticks.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use super::system::{Need, Needs, type_number};
use crate::RunFailure;
use crate::call::KernelCall;
use hetsim_base::units::{Time, round_up};
use hetsim_cluster::{Context, Kernel, NodeId, Noise, Platform};
use hetsim_graph::{CostMatrix, TaskGraph};
use hetsim_schedule::{CostError, Costs, Layout};

/// The most processors that a table of unequal links is made for: it takes 4 bytes a pair of them.
const MOST_PROCESSORS: u32 = 1 << 14;

/// A graph and the machine that runs it. Every core is a processor that computes one task at a time. The cores of a
/// node are numbered one after the other, node after node, and data pass between them at no cost.
///
/// A task takes its operations over the node's speed; or its time on the node by the graph's cost matrix; or, if its type
/// has the name of a kernel of the platform, a call of that kernel whose size `m` is the task's operations.
#[derive(Debug, Clone)]
pub struct Instance<'a> {
    /// The graph.
    pub graph: &'a TaskGraph,
    /// The machine.
    pub platform: &'a Platform,
    /// The node of each processor.
    nodes: Vec<NodeId>,
    /// By type of task: the kernel that it calls, and how. Empty where no type calls any.
    calls: Vec<Option<(&'a Kernel, Cow<'a, KernelCall>)>>,
    /// Whether data pass through a storage, and not from node to node.
    stored: bool,
    /// The coefficient of variation of a task's time where no kernel says it.
    noise: f64,
    /// The same by type of task; empty where no type has its own.
    type_noise: Vec<f64>,
    /// What tasks take of their node.
    needs: Needs,
}

impl<'a> Instance<'a> {
    /// A graph on a machine.
    ///
    /// # Errors
    /// A sentence, where the graph has no task, or a cost matrix for other nodes than there are.
    pub fn new(graph: &'a TaskGraph, platform: &'a Platform) -> Result<Self, RunFailure> {
        if graph.tasks() == 0 {
            return Err("the graph has no task".into());
        }
        let columns = graph.seconds().map_or_else(|| platform.nodes(), CostMatrix::processors);
        if columns != platform.nodes() {
            let nodes = platform.nodes();
            return Err(format!(
                "the graph's cost matrix is for {columns} processors, and the platform has {nodes} node{}",
                if nodes == 1 { "" } else { "s" }
            )
            .into());
        }
        let cores = |node: u32| std::iter::repeat_n(NodeId(node), platform.cores(NodeId(node)) as usize);
        let nodes = (0..platform.nodes()).flat_map(cores).collect();
        let call = |name: &String| Some((platform.kernel(name)?, Cow::Owned(KernelCall::of(name))));
        let mut calls: Vec<_> =
            if graph.seconds().is_some() { Vec::new() } else { graph.types().iter().map(call).collect() };
        if calls.iter().all(Option::is_none) {
            calls.clear();
        }
        Ok(Self {
            graph,
            platform,
            nodes,
            calls,
            stored: false,
            noise: 0.0,
            type_noise: Vec::new(),
            needs: Needs::default(),
        })
    }

    /// The same where data pass through a storage or not: if so, what nodes send each other carries none.
    #[must_use]
    pub fn with_storage(self, stored: bool) -> Self {
        Self { stored, ..self }
    }

    /// The same with noise in the times of tasks that call no kernel: its coefficient of variation, and that of some types.
    ///
    /// # Errors
    /// A sentence, where no task is of a type.
    pub fn with_noise(self, noise: f64, by_type: &BTreeMap<String, f64>) -> Result<Self, RunFailure> {
        let types = self.graph.types();
        let mut type_noise = vec![noise; if by_type.is_empty() { 0 } else { types.len() }];
        for (name, own) in by_type {
            type_noise[type_number(name, self.graph)?] = *own;
        }
        Ok(Self { noise, type_noise, ..self })
    }

    /// The coefficient of variation of a task's time where no kernel says it.
    #[inline]
    fn noise(&self, task: u32) -> f64 {
        if self.type_noise.is_empty() {
            return self.noise;
        }
        self.graph.type_of(task).map_or(self.noise, |number| self.type_noise[number as usize])
    }

    /// The same with what tasks take of their node.
    #[must_use]
    pub(super) fn with_needs(self, needs: Needs) -> Self {
        Self { needs, ..self }
    }

    /// What tasks take of their node.
    #[inline]
    pub(super) const fn needs(&self) -> &Needs {
        &self.needs
    }

    /// What a task takes of its node.
    #[must_use]
    #[inline]
    pub fn need(&self, task: u32) -> Need {
        self.needs.of(task, self.graph)
    }

    /// The bytes of an edge that pass from node to node.
    #[must_use]
    #[inline]
    pub const fn sent(&self, bytes: u64) -> u64 {
        if self.stored { 0 } else { bytes }
    }

    /// The same with other calls of kernels by the tasks of some types.
    ///
    /// # Errors
    /// A sentence, where no task is of a type, the graph has a cost matrix, or the platform has no such kernel.
    pub fn with_calls(self, calls: &'a BTreeMap<String, KernelCall>) -> Result<Self, RunFailure> {
        if calls.is_empty() {
            return Ok(self);
        }
        if self.graph.seconds().is_some() {
            return Err("the graph has a cost matrix, which says what its tasks take: they can't call kernels".into());
        }
        let types = self.graph.types();
        let mut own = self.calls;
        own.resize(types.len(), None);
        for (name, call) in calls {
            let number = type_number(name, self.graph)?;
            own[number] = Some((crate::call::find(&call.kernel, self.platform)?, Cow::Borrowed(call)));
        }
        Ok(Self { calls: own, ..self })
    }

    /// Whether a task may be faster on a node that is slower for another: by a cost matrix, or by kernels.
    #[must_use]
    pub fn is_unrelated(&self) -> bool {
        self.graph.seconds().is_some() || !self.calls.is_empty()
    }

    /// The kernel that a task calls, and how.
    #[inline]
    fn call(&self, task: u32) -> Option<&(&'a Kernel, Cow<'a, KernelCall>)> {
        if self.calls.is_empty() {
            return None;
        }
        self.calls[self.graph.type_of(task)? as usize].as_ref()
    }

    /// The node of each processor.
    #[must_use]
    pub fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// How many processors there are.
    #[must_use]
    pub fn processors(&self) -> u32 {
        self.nodes.len() as u32
    }

    /// The operations that a task is on a node, in the mean. With a cost matrix, or where it calls a kernel, those that
    /// take its time there.
    #[must_use]
    #[inline]
    pub fn operations(&self, task: u32, node: NodeId) -> f64 {
        match self.seconds(task, node) {
            Some(seconds) => seconds * self.platform.speed_per_second(node),
            None => self.graph.operations(task),
        }
    }

    /// The operations that a task is on a node in a run: as [`Self::operations`], with its noise, or that of the kernel
    /// that it calls, which is the same for the same task on the same node.
    #[inline]
    pub fn drawn_operations<M>(&self, task: u32, node: NodeId, context: &impl Context<M>) -> f64 {
        let Some((kernel, call)) = self.call(task) else {
            let mean = self.operations(task, node);
            let noise = self.noise(task);
            if noise == 0.0 || mean == 0.0 {
                return mean;
            }
            return Noise::LogNormal.around(mean, mean * noise, &mut context.stream("task", u64::from(task)));
        };
        let mut stream = context.stream("kernel call", u64::from(task));
        call.draw_s(kernel, node, self.graph.operations(task), &mut stream) * self.platform.speed_per_second(node)
    }

    /// The mean time of a task on a node where not its operations say that.
    #[inline]
    fn seconds(&self, task: u32, node: NodeId) -> Option<f64> {
        if let Some(matrix) = self.graph.seconds() {
            return Some(matrix.seconds(task, node.0));
        }
        let (kernel, call) = self.call(task)?;
        Some(call.mean_s(kernel, node, self.graph.operations(task)))
    }

    /// How long a task takes on a node without external load, rounded as the machine does.
    #[must_use]
    #[inline]
    pub fn duration(&self, task: u32, node: NodeId) -> Time {
        round_up(self.operations(task, node) / self.platform.speed(node))
    }

    /// How long a message takes that meets nothing else on its way; no time within a node.
    #[must_use]
    #[inline]
    pub fn transfer(&self, bytes: u64, from: NodeId, to: NodeId) -> Time {
        if from == to { Time::ZERO } else { self.platform.transfer(from, to, self.sent(bytes)).hop() }
    }

    /// The tables that a scheduler works on.
    ///
    /// # Errors
    /// Where they would be too large, or a schedule might outlast a run.
    pub fn costs(&self) -> Result<Costs, RunFailure> {
        let platform = self.platform;
        let (processors, unrelated) = (self.processors(), self.is_unrelated());
        let node = |processor: u32| self.nodes[processor as usize];
        let kind = |processor| {
            let node = node(processor);
            if unrelated { u64::from(node.0) } else { platform.speed(node).to_bits() }
        };
        let alike = platform.has_one_network() && processors == platform.nodes();
        let layout = if alike {
            Layout::by_kind(processors, kind)
        } else if processors > MOST_PROCESSORS {
            return Err(format!(
                "{processors} processors with unequal links between them are too many for a scheduler's tables; \
                 at most {MOST_PROCESSORS}"
            )
            .into());
        } else {
            Layout::new(processors, kind, |from, to| {
                let (from, to) = (node(from), node(to));
                (from != to).then(|| platform.connection_between(from, to))
            })
        };
        let duration = |task, processor| self.duration(task, node(processor));
        let costs =
            Costs::new(self.graph, layout, duration, |edge, from, to| self.transfer(edge.bytes, node(from), node(to)));
        costs.map_err(|error: CostError| RunFailure::of(error))
    }

    /// When each job of the graph arrives.
    pub fn arrivals(&self) -> impl Iterator<Item = Time> + '_ {
        let (jobs, tick) = (self.graph.jobs(), self.platform.tick());
        (0..jobs.count()).map(move |job| tick.time(jobs.arrival_s(job)))
    }

    /// By job, what no schedule of it alone falls below: the greater of the longest way through its graph, each task on the
    /// node that is fastest for it, without communication, and of all its work shared out without waiting.
    #[must_use]
    pub fn job_bounds(&self) -> Vec<Time> {
        let jobs = self.graph.jobs();
        let paths = self.critical_paths();
        (0..).zip(paths).map(|(job, path)| path.max(self.work(jobs.tasks(job)))).collect()
    }

    /// The longest way through the graph of each job, each task on the node that is fastest for it, without communication.
    #[must_use]
    pub fn critical_paths(&self) -> Vec<Time> {
        let levels = self.graph.bottom_levels(self.shortest(), |_| Time::ZERO);
        let jobs = self.graph.jobs();
        let longest = |job| jobs.tasks(job).map(|task| levels[task as usize]).max().unwrap_or_default();
        (0..jobs.count()).map(longest).collect()
    }

    /// No schedule ends earlier: each job takes its critical path after it arrived, and all work takes all nodes.
    #[must_use]
    pub fn least_makespan(&self) -> Time {
        let paths = self.arrivals().zip(self.critical_paths()).map(|(arrival, path)| arrival + path);
        let first = self.arrivals().next().unwrap_or_default();
        paths.max().unwrap_or_default().max(first + self.work(self.graph.ids()))
    }

    /// The time of each task on the node that is fastest for it.
    fn shortest(&self) -> impl Fn(u32) -> Time + '_ {
        let all = 0..self.platform.nodes();
        let speed = |node: &u32| self.platform.speed(NodeId(*node));
        let fastest = all.clone().max_by(|a, b| speed(a).total_cmp(&speed(b))).map_or(NodeId(0), NodeId);
        move |task| {
            if self.is_unrelated() {
                all.clone().map(|node| self.duration(task, NodeId(node))).min().unwrap_or_default()
            } else {
                self.duration(task, fastest)
            }
        }
    }

    /// The work of some tasks shared out without waiting. Where tasks take other times on other nodes by a matrix or by
    /// kernels, each is taken to be where it takes least.
    fn work(&self, tasks: Range<u32>) -> Time {
        if self.is_unrelated() {
            let shortest = self.shortest();
            let ticks: u128 = tasks.map(|task| u128::from(shortest(task).0)).sum();
            return Time(ticks.div_ceil(self.nodes.len() as u128) as u64);
        }
        // Sums of so many floats may be off by their count times half a unit in the last place: the bound gives way.
        let slack = (tasks.len() + self.nodes.len() + 8) as f64 * f64::EPSILON;
        let work: f64 = tasks.map(|task| self.graph.operations(task)).sum();
        let capacity: f64 = self.nodes.iter().map(|&node| self.platform.speed(node)).sum();
        Time((work / capacity * (1.0 - slack)).ceil() as u64)
    }

    /// The least time in which one core could compute everything alone, in seconds.
    #[must_use]
    pub fn serial_s(&self) -> f64 {
        let all = 0..self.platform.nodes();
        if self.is_unrelated() {
            let on = |task, node| {
                let speed = self.platform.speed_per_second(node);
                self.seconds(task, node).unwrap_or_else(|| self.graph.operations(task) / speed)
            };
            let alone = |node| self.graph.ids().map(|task| on(task, NodeId(node))).sum();
            return all.map(alone).fold(f64::INFINITY, f64::min);
        }
        let fastest = all.map(|node| self.platform.speed_per_second(NodeId(node))).fold(0.0, f64::max);
        self.graph.total_operations() / fastest
    }
}
