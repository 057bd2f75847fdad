//! Tasks that call a kernel: what a task takes, the kernel says for the node that computes it.

use super::{Cost, FarmParameters};
use crate::KeyError;
use crate::call::{KernelCall, find};
use hetsim_base::engine::Streams;
use hetsim_cluster::{Kernel, NodeId, Platform};

/// The calls of a run's tasks.
#[derive(Debug)]
pub(super) struct TaskCalls {
    call: KernelCall,
    kernel: Kernel,
    /// By node, in operations a second.
    nominal_speeds: Vec<f64>,
    streams: Streams,
}

impl TaskCalls {
    /// The operations that take a node as long as the calls of a task of so many `operations`, with their noise: the same
    /// for the same task on the same node.
    pub(super) fn operations(&self, task: u32, operations: f64, node: NodeId) -> f64 {
        let mut stream = self.streams.stream("kernel call", u64::from(task));
        self.call.draw_s(&self.kernel, node, operations, &mut stream) * self.nominal_speeds[node.index()]
    }
}

impl FarmParameters {
    /// Checks the kernel that tasks of this cost call, if they call one.
    ///
    /// # Errors
    /// The platform does not have it, or a task takes no time on some worker.
    pub(super) fn check_call(&self, task: &Cost, platform: &Platform) -> Result<(), KeyError> {
        let Some(call) = &self.call else { return Ok(()) };
        call.check(platform).map_err(|error| error.under("farm.call"))?;
        let takes_none = |node: &NodeId| !self.speed_at(*node, task, 0, platform).is_finite();
        self.workers(platform).find(takes_none).map_or(Ok(()), |node| {
            let message = format!("a task of mean cost takes no time on node {node} by the kernel `{}`", call.kernel);
            Err(KeyError::new("farm.call", message))
        })
    }

    /// The calls of a run's tasks, if they call a kernel.
    ///
    /// # Errors
    /// A sentence, where the platform does not have the kernel.
    pub(super) fn calls(&self, platform: &Platform, streams: Streams) -> Result<Option<TaskCalls>, String> {
        let Some(call) = self.call.clone() else { return Ok(None) };
        let kernel = find(&call.kernel, platform)?.clone();
        let nominal_speeds = (0..platform.nodes()).map(|node| platform.speed_per_second(NodeId(node))).collect();
        Ok(Some(TaskCalls { call, kernel, nominal_speeds, streams }))
    }

    /// The speed of a node at tasks of this cost, in operations a second: its own with a working set of `memory` bytes,
    /// or that at which it does a task of mean cost by its kernel.
    pub(crate) fn speed_at(&self, node: NodeId, task: &Cost, memory: u64, platform: &Platform) -> f64 {
        let (mean, _) = task.moments();
        let called = self.call.as_ref().and_then(|call| Some((call, platform.kernel(&call.kernel)?)));
        called
            .map_or_else(|| platform.speed_with(node, memory), |(call, kernel)| mean / call.mean_s(kernel, node, mean))
    }

    /// The speed of each worker at tasks of this cost, in operations a second.
    pub(super) fn speeds(&self, task: &Cost, platform: &Platform) -> Vec<f64> {
        self.workers(platform).map(|node| self.speed_at(node, task, 0, platform)).collect()
    }
}
