//! The ways to run a task graph among which to choose: the schedulers; and what each takes.

use std::fmt;
use std::ops::Range;

use hetsim_base::engine::Streams;
use hetsim_cluster::{Kernel, NodeId, Platform};
use hetsim_schedule::Scheduler;

use super::machines::Machines;
use super::task_setting::{TaskSetting, measured_on};
use super::taskgraph::{Dynamic, TaskScheduler, TaskgraphParameters};
use super::{RunFailure, Workload};

/// A way to run a task graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GraphSetting {
    /// Who decides where tasks run; nothing where the scenario's `mapping` does.
    pub scheduler: Option<TaskScheduler>,
    /// Whether tasks may go into gaps; by default as the scheduler was published.
    pub insertion: Option<bool>,
}

/// As it stands behind "schedule by".
impl fmt::Display for GraphSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.scheduler {
            Some(TaskScheduler::Dynamic(Dynamic::Recorded)) => "the recorded machines",
            Some(scheduler) => scheduler.name(),
            None => "the given mapping",
        })?;
        match self.insertion {
            Some(true) => f.write_str(" with insertion"),
            Some(false) => f.write_str(" without insertion"),
            None => Ok(()),
        }
    }
}

impl GraphSetting {
    /// The settings to choose from: the graph's own first, then the schedulers in their order, as far as they can take
    /// the graph. `random`, the one that repeats a record, and searches are no candidates.
    ///
    /// # Errors
    /// If jobs arrive in the course of the run: when the last of them ends tells more of the arrivals than of a scheduler.
    pub fn all(graph: &TaskgraphParameters, platform: &Platform) -> Result<Vec<Self>, RunFailure> {
        if graph.arrivals.is_some() || graph.graph.as_ref().is_some_and(|graph| graph.jobs().is_stream()) {
            let message = "jobs arrive in the course of the run, so its end says little of a scheduler: compare \
                `mean_response_s` in a sweep of `workload.scheduler`";
            return Err(message.into());
        }
        let is_candidate = |scheduler: &TaskScheduler| match scheduler {
            TaskScheduler::Static(scheduler) => *scheduler != Scheduler::Random,
            TaskScheduler::Dynamic(dynamic) => *dynamic != Dynamic::Recorded,
            TaskScheduler::Search(_) => false,
        };
        let own = Self { scheduler: graph.scheduler, insertion: graph.insertion };
        let others = TaskScheduler::all().filter(is_candidate);
        let others = others.map(|scheduler| Self { scheduler: Some(scheduler), insertion: None });
        let others = others.filter(|other| *other != own && other.put_into(graph).prepare(platform).is_ok());
        Ok(std::iter::once(own).chain(others).collect())
    }

    /// A graph that is run this way.
    fn put_into(self, graph: &TaskgraphParameters) -> TaskgraphParameters {
        let mapping = graph.mapping.clone().filter(|_| self.scheduler.is_none());
        TaskgraphParameters { scheduler: self.scheduler, insertion: self.insertion, mapping, ..graph.clone() }
    }
}

impl TaskSetting for GraphSetting {
    type Keys = TaskgraphParameters;

    fn completion_s(
        self,
        graph: &TaskgraphParameters,
        platform: &Platform,
        nodes: Option<&[u32]>,
        streams: Streams,
    ) -> Result<f64, RunFailure> {
        Ok(measured_on(&self.put_into(graph), platform, nodes, streams)?.completion_s)
    }

    fn names_nodes(self) -> bool {
        matches!(self.scheduler, None | Some(TaskScheduler::Dynamic(Dynamic::Recorded)))
    }
}

/// The time in seconds below which no schedule of a graph can be, with the means of times that are drawn.
///
/// # Errors
/// Why the graph cannot run.
pub fn lower_bound_s(graph: &TaskgraphParameters, platform: &Platform, streams: Streams) -> Result<f64, RunFailure> {
    let drawn = graph.prepare(platform)?.graph(streams)?;
    Ok(platform.tick().seconds(graph.on(&drawn, platform)?.least_makespan()))
}

/// Whether the times of tasks are drawn, so that those of a run may be below [`lower_bound_s`].
#[must_use]
pub fn is_noisy(graph: &TaskgraphParameters, platform: &Platform) -> bool {
    let own = graph.type_noise.values().chain([&graph.noise]).any(|noise| *noise > 0.0);
    own || platform.kernels().iter().any(Kernel::is_noisy)
}

/// Whether the graph tells the times of its tasks on each node, so that it cannot run on others.
#[must_use]
pub fn is_for_these_nodes(graph: &TaskgraphParameters) -> bool {
    graph.graph.as_ref().is_some_and(|graph| graph.seconds().is_some())
}

/// The most tasks that tell how fast nodes are for a graph.
const MOST_TASKS: u32 = 10_000;

/// The nodes of a platform as machines, by what all their cores do of the graph's tasks; some may be `named`.
///
/// # Errors
/// Why the graph cannot run.
pub fn machines(
    graph: &TaskgraphParameters,
    platform: &Platform,
    named: &[(String, Range<u32>)],
) -> Result<Machines, RunFailure> {
    let drawn = graph.prepare(platform)?.graph(Streams::new(0, 0))?;
    let instance = graph.on(&drawn, platform)?;
    let step = drawn.tasks().div_ceil(MOST_TASKS as usize).max(1);
    let seconds = |node: NodeId| -> f64 {
        drawn.ids().step_by(step).map(|task| platform.tick().seconds(instance.duration(task, node))).sum()
    };
    // By kernels and matrices tasks take other times on other nodes, whatever the nodes' speeds: as on the first node.
    let operations =
        platform.speed_per_second(NodeId(0)) * if instance.is_unrelated() { seconds(NodeId(0)) } else { 0.0 };
    let speed = |node: NodeId| {
        let of_core = if operations > 0.0 { operations / seconds(node) } else { platform.speed_per_second(node) };
        of_core * f64::from(platform.cores(node))
    };
    Ok(Machines::of((0..platform.nodes()).map(|node| (node, speed(NodeId(node)))).collect(), platform, named))
}

#[cfg(test)]
mod tests {
    use hetsim_cluster::network::Model;
    use hetsim_cluster::{CallSize, KernelTime, Noise};
    use hetsim_graph::Builder;

    use super::*;
    use crate::machines::MachineChange;

    /// Nodes of these speeds, in operations a second, on a network that costs nothing.
    fn platform(speeds: &[f64]) -> Platform {
        let tick = hetsim_base::units::Tick::PICOSECOND;
        let model = Model::new(&toml::from_str("model = 'ideal'").unwrap(), tick).unwrap();
        Platform::uniform(speeds.len() as u32, model).unwrap().with_speeds(speeds).unwrap()
    }

    /// Two chains of two tasks, of 4 and 4 and of 2 and 2 operations.
    fn chains(keys: &str) -> TaskgraphParameters {
        let mut builder = Builder::with_capacity(4, 2);
        for (number, operations) in [4.0, 4.0, 2.0, 2.0].into_iter().enumerate() {
            builder.named_task(&format!("t{number}"), operations).unwrap();
        }
        builder.edge(0, 1, 0).unwrap();
        builder.edge(2, 3, 0).unwrap();
        let graph: TaskgraphParameters = toml::from_str(&format!("file = 'chains.toml'\n{keys}")).unwrap();
        TaskgraphParameters { graph: Some(builder.build().unwrap().into()), ..graph }
    }

    fn completion(setting: GraphSetting, graph: &TaskgraphParameters, on: &Platform, nodes: Option<&[u32]>) -> f64 {
        setting.completion_s(graph, on, nodes, Streams::new(1, 0)).unwrap()
    }

    /// The long chain takes 4 s on the node of two operations a second, and the short one 4 s on the other: no schedule is
    /// shorter. The mapping that swaps them takes 8 s, and the fast node alone 6 s.
    #[test]
    fn settings_of_two_chains() {
        let (on, graph) = (platform(&[1.0, 2.0]), chains("mapping = [0, 0, 1, 1]"));
        let settings = GraphSetting::all(&graph, &on).unwrap();
        assert_eq!(settings[0], GraphSetting { scheduler: None, insertion: None });
        assert_eq!(completion(settings[0], &graph, &on, None), 8.0);
        let heft = GraphSetting { scheduler: Some("heft".parse().unwrap()), insertion: None };
        assert_eq!(settings[1], heft, "the first of the list");
        assert_eq!(completion(heft, &graph, &on, None), 4.0);
        assert_eq!(lower_bound_s(&graph, &on, Streams::new(1, 0)).unwrap(), 4.0);
        let found = machines(&graph, &on, &[]).unwrap();
        assert_eq!(found.fastest, [1, 0]);
        let with = |change: MachineChange| completion(heft, &graph, &on, Some(&change.nodes(&found)));
        assert_eq!([MachineChange::Fastest(1), MachineChange::WithoutOne(1)].map(with), [6.0, 12.0]);
        assert_eq!(with(MachineChange::OneMore(1)), 4.0);
        let wider = on.with_node_cores(vec![3, 1]).unwrap();
        let named = [("a".to_owned(), 0..1), ("b".to_owned(), 1..2)];
        assert_eq!(machines(&heft.put_into(&graph), &wider, &named).unwrap().fastest, [0, 1]);
    }

    /// A core of 4 operations a second is another kind than four of one, and so are nodes on which a kernel takes other times.
    #[test]
    fn nodes_of_one_speed_may_differ() {
        let kinds = |graph: &TaskgraphParameters, on: &Platform| {
            let found = machines(graph, on, &[]).unwrap();
            let names = found.kinds.iter().map(|kind| format!("{} {:?}", kind.name, kind.machines));
            (names.collect::<Vec<_>>(), found.fastest)
        };
        let graph = chains("scheduler = 'heft'");
        let on = platform(&[1.0, 4.0, 1.0, 4.0, 1.0, 1.0]).with_node_cores(vec![4, 1, 4, 1, 1, 1]).unwrap();
        let expected = [
            "nodes at 1op/s with 1 core [[4], [5]]",
            "nodes at 1op/s with 4 cores [[0], [2]]",
            "nodes at 4op/s [[1], [3]]",
        ];
        assert_eq!(kinds(&graph, &on), (expected.map(str::to_owned).to_vec(), vec![0, 1, 2, 3, 4, 5]));
        let time = |seconds: &str| KernelTime {
            seconds: hetsim_formula::parse(seconds, &CallSize::NAMES).unwrap().into(),
            deviation: None,
        };
        let kernel = Kernel::new("work".to_owned(), vec![time("1"), time("9")], vec![0, 1, 0], Noise::None).unwrap();
        let on = platform(&[1.0; 3]).with_kernels(vec![kernel]).unwrap();
        let mut builder = Builder::with_capacity(2, 0);
        for name in ["a", "b"] {
            let task = builder.named_task(name, 1.0).unwrap();
            builder.task_type(task, "work").unwrap();
        }
        let graph = TaskgraphParameters { graph: Some(builder.build().unwrap().into()), ..graph };
        let (names, fastest) = kinds(&graph, &on);
        assert_eq!(fastest, [0, 2, 1]);
        assert_eq!((names.len(), names[0].contains("[[1]]")), (2, true), "{names:?}");
        assert!(!is_noisy(&graph, &on));
    }

    /// What draws, what repeats a record and what searches is no candidate, nor what the machine cannot have.
    #[test]
    fn candidates_decide_by_a_rule() {
        let names = |graph: &TaskgraphParameters, on: &Platform| {
            let settings = GraphSetting::all(graph, on).unwrap();
            settings.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        let on = platform(&[1.0, 2.0]);
        let all = names(&chains("scheduler = 'heft'\ninsertion = false"), &on);
        assert_eq!(all[..3], ["heft without insertion", "heft", "cpop"]);
        assert!(all.iter().any(|name| name == "online"), "{all:?}");
        for other in ["random", "recorded", "annealing", "exact"] {
            assert!(all.iter().all(|name| !name.contains(other)), "{other}: {all:?}");
        }
        assert_eq!(names(&chains("scheduler = 'random'"), &on)[..2], ["random", "heft"]);
        let shared = on.clone().with_sharing(hetsim_cluster::Sharing::Processor);
        assert!(names(&chains("scheduler = 'heft'"), &shared).iter().all(|name| name != "online"));
        let stream = chains("scheduler = 'online'\narrivals = { at = ['0s', '1s'] }");
        let error = GraphSetting::all(&stream, &on).unwrap_err();
        assert!(error.to_string().contains("mean_response_s"), "{error}");
    }
}
