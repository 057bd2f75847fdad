//! Task graphs: tasks of a program that wait for each other's data, on unequal nodes.
//!
//! A graph is drawn, or read from a file. A [scheduler](TaskScheduler) or a given mapping says which task runs where; a
//! scheduler is a rule, or a search for the mapping with the least value of an [objective](Objective). The simulated
//! machine then runs the tasks, with messages, external load and contention in its network. Each core computes one task
//! at a time, in the order of the schedule, as soon as the task's data are there. An edge between two nodes is a
//! message; an edge within a node takes no time. Where computations share the processor (`sharing = "processor"`), a
//! task starts on its node as soon as its data are there, and the schedule's order has no effect.
//!
//! Schedules are made with the machine's own ticks. Without load, jitter and contention (networks such as `ideal` and
//! `delay`, cores that take one task at a time) the simulated makespan therefore equals the predicted one to the last
//! tick. Networks contend whose ports take one message at a time or whose links are shared: the prediction then takes
//! each message as if it were alone.

mod arrivals;
mod book;
mod by_type;
mod carry;
mod decide;
mod dynamic;
mod instance;
mod method;
mod metrics;
mod plan;
mod program;
mod replay;
mod shared;
mod system;

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use schemars::JsonSchema;
use serde::Deserialize;

use super::call::KernelCall;
use super::share;
use super::{Demand, Files, KeyError, Prepared, Run, RunFailure, TracedTasks, Workload};
use hetsim_base::engine::Streams;
use hetsim_base::record::{Metric, TableShape};
use hetsim_base::units::defaults::fraction;
use hetsim_base::units::{Bytes, Seconds, Time};
use hetsim_cluster::{Kernel, NodeId, Platform, Sharing};
use hetsim_graph::TaskGraph;
use hetsim_graph::generate::{GenerateError, Generator};
use hetsim_schedule::Schedule;
use hetsim_schedule::mapping::{Annealing, Exact, Genetic, Neural, Objective};

pub use arrivals::Arrivals;
pub use book::{Book, Booked};
pub use dynamic::{
    Central, Dynamic, FirstComeProgram, JobOrder, OnlineProgram, ReadyRule, RecordedProgram, Setup, StealingMessage,
    StealingProgram,
};
pub use instance::Instance;
pub use method::TaskScheduler;
pub use metrics::TaskgraphMetrics;
pub use plan::{Plan, by_mapping, by_scheduler};
pub use program::{Dispatcher, TaskProgram};
pub use replay::{Planned, Replay};
pub use shared::{Shared, SharedProgram};
pub use system::{Need, Room, System, SystemParameters};

use arrivals::{JOBS, Served};
use carry::{TASKS, rows};
use decide::{Decider, Judgement};
use dynamic::recorded_nodes;

/// `kind = "taskgraph"`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TaskgraphParameters {
    /// A graph that is drawn anew for each replica.
    pub generate: Option<Generator>,
    /// Instead of a drawn graph: a file in any format that `hetsim convert` reads (`hetsim list`, docs/graphs.md). A
    /// cost matrix in it has one column per node.
    #[schemars(extend("format" = "file"))]
    pub file: Option<String>,
    /// Which graph of a file with several, by its name.
    pub instance: Option<String>,
    /// What the work of every task is multiplied by; for files that tell times, the speed on which they hold. A cost
    /// matrix stays as it is.
    #[serde(default = "fraction::<1, 1>")]
    #[schemars(range(min = 0.0))]
    pub operations_factor: f64,
    /// By type of task: the calls of a kernel of the platform that its tasks are. Tasks whose type has the name of a kernel
    /// call it without more; others take their operations.
    #[serde(default)]
    pub r#type: BTreeMap<String, KernelCall>,
    /// The coefficient of variation of a task's time, log-normal around its mean, the same on all nodes. Schedulers know the
    /// mean. Tasks that call a kernel have that kernel's noise instead.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub noise: f64,
    /// The noise of the tasks of some types, instead of `noise`.
    #[serde(default)]
    pub type_noise: BTreeMap<String, f64>,
    /// What the bytes on every edge are multiplied by.
    #[serde(default = "fraction::<1, 1>")]
    #[schemars(range(min = 0.0))]
    pub bytes_factor: f64,
    /// Who decides which task runs where; instead there may be a `mapping`.
    pub scheduler: Option<TaskScheduler>,
    /// Whether the scheduler may put a task into a gap between others; by default as it was published.
    pub insertion: Option<bool>,
    /// Instead of a scheduler: the processor of each task. Where nodes have one core, that is the node; the cores of a
    /// node are numbered one after the other, node after node. On each processor the task with the longest path to the
    /// end goes first.
    pub mapping: Option<Vec<u32>>,
    /// What a search for a mapping (`annealing`, `genetic`, `exact`) minimises, in seconds; by default
    /// `parallel_time`. A given objective also judges the mappings of other schedulers (`value_s`): it takes the mapping only,
    /// and orders the tasks itself, so the makespan of a list scheduler may be shorter than its value.
    pub objective: Option<Objective>,
    /// What imbalance weighs against communication in the objective `cut` (Aguilar's b), in seconds; 1 by default.
    #[schemars(range(min = 0.0))]
    pub balance: Option<f64>,
    /// The keys of `scheduler = "annealing"`.
    pub annealing: Option<Annealing>,
    /// The keys of `scheduler = "genetic"`.
    pub genetic: Option<Genetic>,
    /// The keys of `scheduler = "neural"`.
    pub neural: Option<Neural>,
    /// The keys of `scheduler = "exact"`.
    pub exact: Option<Exact>,
    /// The task system that runs the graph, and what it costs; none by default.
    pub system: Option<SystemParameters>,
    /// A stream of such graphs: jobs that arrive in the course of the run. A log of a batch system (`swf`) is one by itself.
    pub arrivals: Option<Arrivals>,
    /// Which job goes first where tasks of several are ready.
    #[serde(default)]
    pub job_order: JobOrder,
    /// The length of messages without data between nodes (`work_stealing`).
    #[serde(default)]
    pub signal_size: Bytes,
    /// The graph of the file; set by `read_files`.
    #[serde(skip)]
    pub graph: Option<Arc<TaskGraph>>,
}

/// The mean time of a file's tasks below which their unit is doubted: no runtime system handles shorter ones, and times
/// in seconds that are read as operations of a processor of today are far below.
const SHORT_TASK_S: f64 = 1e-5;

/// The most tasks of all jobs together, as of a drawn graph.
const MOST_TASKS: f64 = 1e8;

/// A row a step of a search.
const SEARCH: TableShape = TableShape {
    name: "search",
    about: "how a search for a mapping went on; no rows for other schedulers",
    columns: &[
        Metric::number(
            "step",
            "the temperature level, the generation, or which find of the exact search; 0 is the start",
        ),
        Metric::number("evaluations", "evaluations by then, of the exact search nodes"),
        Metric::number("temperature", "the temperature of the level; blank where there is none"),
        Metric::number("current_s", "the current mapping's value; of a genetic algorithm the population's mean"),
        Metric::number("best_s", "the least value so far"),
    ],
};

/// A graph and its scheduler, ready to run any number of times.
#[derive(Debug)]
pub struct PreparedTaskgraph {
    parameters: Box<TaskgraphParameters>,
    decider: Decider,
    /// The graph where it is the same for all replicas.
    graph: Option<Arc<TaskGraph>>,
    /// The plan of the first run, for the speeds and the kernels that it was made for.
    planned: OnceLock<(Vec<f64>, Vec<Kernel>, Arc<Decided>)>,
}

/// A plan, and how its mapping is judged.
#[derive(Debug)]
struct Decided {
    plan: Plan,
    judgement: Judgement,
}

/// What a schedule predicts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Predicted {
    /// Tasks of the graph.
    pub tasks: usize,
    /// The predicted makespan in seconds.
    pub predicted_s: f64,
}

impl Workload for TaskgraphParameters {
    const NAME: &'static str = "taskgraph";
    const ABOUT: &'static str = "A task graph: tasks that wait for each other's data, by any scheduler.";
    const TABLES: &'static [TableShape] = &[share::NODES, TASKS, JOBS, SEARCH];
    const SHOWS_TASKS: bool = true;
    type Prepared = PreparedTaskgraph;

    fn read_files(&mut self, files: &mut dyn Files) -> Result<(), KeyError> {
        if self.file.is_some() {
            self.graph = Some(files.graph("file", "instance", "operations_factor")?);
        }
        Ok(())
    }

    fn unused(&self) -> Vec<&'static str> {
        self.of_others()
    }

    fn prepare(&self, platform: &Platform) -> Result<Self::Prepared, KeyError> {
        KeyError::unless(
            platform.faults().is_empty(),
            "kind",
            || "nodes of a task graph can't fail: a lost task would never start again",
        )?;
        KeyError::unless(
            self.generate.is_some() || self.file.is_some(),
            "kind",
            || "say where the graph is from: `generate` or `file`",
        )?;
        KeyError::unless(
            self.generate.is_none() || self.file.is_none(),
            "generate",
            || "the graph is from `file`: give either of them",
        )?;
        KeyError::unless(
            self.instance.is_none() || self.file.is_some(),
            "instance",
            || "`instance` names a graph of a `file`",
        )?;
        if let Some(generate) = &self.generate {
            let at = |error: &GenerateError| error.key().map_or("generate".to_owned(), |key| format!("generate.{key}"));
            generate.check().map_err(|error| KeyError::new(at(&error), error.to_string()))?;
        }
        for (key, factor) in [("operations_factor", self.operations_factor), ("bytes_factor", self.bytes_factor)] {
            let sound = factor.is_finite() && factor >= 0.0;
            KeyError::unless(sound, key, || "a factor must be 0 or more, and finite")?;
        }
        let by_type = self.type_noise.iter().map(|(name, noise)| (format!("type_noise.{name}"), *noise));
        for (key, noise) in by_type.chain([("noise".to_owned(), self.noise)]) {
            let sound = noise.is_finite() && noise >= 0.0;
            KeyError::unless(sound, &key, || "a coefficient of variation must be 0 or more, and finite")?;
        }
        for (name, call) in &self.r#type {
            call.check(platform).map_err(|error| error.under(name).under("type"))?;
        }
        if let Some(arrivals) = &self.arrivals {
            self.check_arrivals(arrivals)?;
        }
        let decider = self.decider()?;
        if self.arrivals.is_some() {
            self.check_stream(&decider)?;
        }
        if let (Sharing::Processor, Decider::Dynamic(scheduler)) = (platform.sharing(), &decider) {
            let message = format!(
                "{scheduler} gives a core one task at a time, so tasks can't share it: take \
                 `sharing = \"one_at_a_time\"`, or a scheduler that decides before the run"
            );
            return Err(KeyError::new("scheduler", message));
        }
        if let Some(system) = &self.system {
            system.check(platform, &decider)?;
        }
        let graph = match &self.graph {
            Some(graph) => Some(self.fixed(graph, &decider, platform)?),
            None if self.file.is_some() => return Err(KeyError::new("file", "the file has not been read")),
            None if decider == Decider::Dynamic(Dynamic::Recorded) => {
                let message =
                    "a graph that is drawn has run nowhere: `recorded` needs a `file` that says where tasks ran";
                return Err(KeyError::new("scheduler", message));
            }
            None => self.check_drawn_types(platform).map(|()| None)?,
        };
        let parameters = Box::new(Self { graph: None, ..self.clone() });
        Ok(PreparedTaskgraph { parameters, decider, graph, planned: OnceLock::new() })
    }
}

impl TaskgraphParameters {
    fn check_arrivals(&self, arrivals: &Arrivals) -> Result<(), KeyError> {
        arrivals.check()?;
        let of_file = self.graph.as_ref();
        let alone = of_file.is_none_or(|graph| !graph.jobs().is_stream());
        KeyError::unless(alone, "arrivals", || "the file itself says when its jobs arrive: leave `arrivals` out")?;
        let tasks = of_file.map(|graph| graph.tasks() as f64).or_else(|| Some(self.generate.as_ref()?.size().0));
        let tasks = tasks.unwrap_or_default() * arrivals.count() as f64;
        KeyError::unless(tasks <= MOST_TASKS, "arrivals", || {
            format!("all jobs together have {tasks:e} tasks; at most 1e8")
        })
    }

    /// Says why jobs can't arrive: who decides before the run doesn't know of them.
    fn check_stream(&self, decider: &Decider) -> Result<(), KeyError> {
        let takes = matches!(decider, Decider::Dynamic(dynamic) if dynamic.takes_jobs());
        let key = if self.mapping.is_some() { "mapping" } else { "scheduler" };
        KeyError::unless(
            takes,
            key,
            || "jobs that arrive in the course of the run need a scheduler that decides then: `online` or `first_come`",
        )
    }

    /// The graph of a file, scaled and checked against the platform.
    fn fixed(
        &self,
        graph: &Arc<TaskGraph>,
        decider: &Decider,
        platform: &Platform,
    ) -> Result<Arc<TaskGraph>, KeyError> {
        let graph = if self.is_scaled() {
            Arc::new(self.scale(TaskGraph::clone(graph)).map_err(|message| KeyError::new("file", message))?)
        } else {
            Arc::clone(graph)
        };
        if graph.jobs().is_stream() {
            self.check_stream(decider)?;
        }
        let instance = self.with_types(&graph, platform)?;
        if *decider == Decider::Dynamic(Dynamic::Recorded) {
            recorded_nodes(&graph, platform).map_err(|message| KeyError::new("scheduler", message))?;
        }
        if let Decider::Mapping(mapping) = decider {
            plan::check_mapping(mapping, graph.tasks(), instance.processors())
                .map_err(|message| KeyError::new("mapping", message))?;
        }
        Ok(graph)
    }

    /// The graph on a platform, as its tasks and their data pass it.
    pub(crate) fn on<'a>(&'a self, graph: &'a TaskGraph, platform: &'a Platform) -> Result<Instance<'a>, RunFailure> {
        let stored = self.system.as_ref().is_some_and(|system| system.storage.is_some());
        Ok(self.with_types(graph, platform)?.with_storage(stored))
    }

    fn is_scaled(&self) -> bool {
        self.operations_factor != 1.0 || self.bytes_factor != 1.0
    }

    fn scale(&self, graph: TaskGraph) -> Result<TaskGraph, RunFailure> {
        graph.scaled(self.operations_factor, self.bytes_factor).map_err(RunFailure::of)
    }
}

impl PreparedTaskgraph {
    /// The graph of a run.
    ///
    /// # Errors
    /// A sentence, where what was drawn makes no graph.
    pub fn graph(&self, streams: Streams) -> Result<Arc<TaskGraph>, RunFailure> {
        let Some(arrivals) = &self.parameters.arrivals else { return self.job(0, streams) };
        let times_s = arrivals.times_s(streams);
        let jobs: Vec<_> =
            (0..times_s.len() as u64).map(|number| self.job(number, streams)).collect::<Result<_, _>>()?;
        let graphs = jobs.iter().map(|graph| &**graph);
        Ok(Arc::new(TaskGraph::stream(times_s.into_iter().zip(graphs)).map_err(RunFailure::of)?))
    }

    /// The graph of a job: that of the file, or the next that is drawn.
    fn job(&self, number: u64, streams: Streams) -> Result<Arc<TaskGraph>, RunFailure> {
        if let Some(graph) = &self.graph {
            return Ok(Arc::clone(graph));
        }
        let generator = self.parameters.generate.as_ref().ok_or("there is no graph")?;
        let graph = generator.generate(&mut streams.stream("graph", number)).map_err(|error| error.to_string())?;
        Ok(Arc::new(if self.parameters.is_scaled() { self.parameters.scale(graph)? } else { graph }))
    }

    /// The schedule of a run, with its times; nothing where it comes of the run itself.
    ///
    /// # Errors
    /// A sentence, where there can be none.
    pub fn schedule(&self, instance: &Instance<'_>, streams: Streams) -> Result<Option<Schedule>, RunFailure> {
        let decision = self.decider.decide(&self.parameters, instance, streams)?;
        Ok(decision.map(|decision| decision.schedule))
    }

    /// The plan of a run, and the time on the clock that it took to make. A plan that would be the same in every run is
    /// made once, and then takes no time.
    fn plan(
        &self,
        instance: &Instance<'_>,
        streams: Streams,
    ) -> Result<(Option<Arc<Decided>>, Option<f64>), RunFailure> {
        let speeds = || (0..instance.platform.nodes()).map(|node| instance.platform.speed(NodeId(node)));
        let kernels = instance.platform.kernels();
        if let Some((of, with, planned)) = self.planned.get()
            && of.iter().copied().eq(speeds())
            && with == kernels
        {
            return Ok((Some(Arc::clone(planned)), None));
        }
        let Some(decision) = self.decider.decide(&self.parameters, instance, streams)? else { return Ok((None, None)) };
        let plan = Plan::of(&decision.schedule, instance);
        let planned = Arc::new(Decided { plan, judgement: decision.judgement });
        if self.graph.is_some() && self.decider.is_steady() {
            // Where another thread was first, its plan is as good.
            let _ = self.planned.set((speeds().collect(), kernels.to_vec(), Arc::clone(&planned)));
        }
        Ok((Some(planned), Some(decision.made_s)))
    }
}

impl Prepared for PreparedTaskgraph {
    type Metrics = TaskgraphMetrics;

    fn run(&self, run: &mut Run<'_>) -> Result<TaskgraphMetrics, RunFailure> {
        let platform = run.platform;
        let graph = self.graph(run.streams)?;
        let instance = self.parameters.on(&graph, platform)?;
        let (planned, scheduling_s) = self.plan(&instance, run.streams)?;
        let plan = planned.as_ref().map(|planned| &planned.plan);
        let ended = self.carry_out(&instance, plan, run)?;
        let seconds = |time: Time| platform.tick().seconds(time);
        let completion_s = seconds(ended.completion);
        let path = instance.critical_paths().into_iter().next().unwrap_or_default();
        let predicted = plan.map(Plan::predicted);
        // The difference of ticks, since that of seconds would be rounded twice.
        let late = |predicted: Time| seconds(ended.completion - predicted) - seconds(predicted - ended.completion);
        let undecided = Judgement::default();
        let judgement = planned.as_ref().map_or(&undecided, |planned| &planned.judgement);
        run.set_shares(&ended.shares, instance.serial_s(), ended.completion);
        run.table(&share::NODES, || share::rows(&ended.shares, platform));
        run.table(&TASKS, || rows(&graph, &ended.times, platform));
        let served = ended.jobs.as_ref().map(|jobs| Served::of(jobs, &instance));
        let slowdowns = served.as_ref().and_then(Served::slowdowns);
        run.table(&JOBS, || served.as_ref().map_or_else(Vec::new, |served| served.rows(&graph, &ended.times)));
        run.table(&SEARCH, || judgement.rows());
        let metrics = TaskgraphMetrics {
            completion_s,
            predicted_s: predicted.map(seconds),
            late_s: predicted.map(late),
            slr: (served.is_none() && path > Time::ZERO).then(|| completion_s / seconds(path)),
            lower_bound_s: seconds(instance.least_makespan()),
            mean_response_s: served.as_ref().map(Served::mean_response_s),
            mean_slowdown: slowdowns.map(|slowdowns| slowdowns.mean),
            max_slowdown: slowdowns.map(|slowdowns| slowdowns.greatest),
            fairness: slowdowns.map(|slowdowns| slowdowns.fairness),
            jobs: served.as_ref().map(|_| graph.jobs().count()),
            value_s: judgement.value,
            bound_s: judgement.bound,
            proved: judgement.proved.map(u64::from),
            gap: judgement.gap,
            evaluations: judgement.evaluations,
            graph_tasks: graph.tasks(),
            graph_edges: graph.edge_count(),
            moved_bytes: u64::try_from(ended.moved).unwrap_or(u64::MAX),
            failed_runs: ended.failed,
            scheduling_s,
        };
        if run.is_traced() {
            run.show_tasks(TracedTasks { graph, times: ended.times });
        }
        Ok(metrics)
    }

    fn predicted(&self, platform: &Platform, streams: Streams) -> Result<Option<Predicted>, RunFailure> {
        let graph = self.graph(streams)?;
        let instance = self.parameters.on(&graph, platform)?;
        let Some(schedule) = self.schedule(&instance, streams)? else { return Ok(None) };
        schedule.check(&graph, &instance.costs()?).map_err(|error| error.to_string())?;
        Ok(Some(Predicted { tasks: graph.tasks(), predicted_s: platform.tick().seconds(schedule.makespan()) }))
    }

    /// One for each task, and one for each edge, which may lead to another node.
    fn expected_events(&self, _: &Platform) -> Option<f64> {
        let of_file = self.graph.as_ref().map(|graph| (graph.tasks() as f64, graph.edge_count() as f64));
        let (tasks, edges) = of_file.or_else(|| Some(self.parameters.generate.as_ref()?.size()))?;
        let jobs = self.parameters.arrivals.as_ref().map_or(1, Arrivals::count) as f64;
        Some(jobs * (tasks + edges))
    }

    fn demand(&self, platform: &Platform, streams: Streams) -> Result<Option<Demand>, RunFailure> {
        let graph = self.graph(streams)?;
        if self.parameters.on(&graph, platform)?.is_unrelated() {
            return Ok(None);
        }
        let speed = |node| f64::from(platform.cores(node)) * platform.speed_per_second(node);
        let speed = (0..platform.nodes()).map(|node| speed(NodeId(node))).sum();
        Ok(Some(Demand { operations: graph.total_operations(), speed }))
    }

    fn warning(&self, platform: &Platform) -> Option<String> {
        let (file, graph) = (self.parameters.file.as_ref()?, self.graph.as_ref()?);
        let fastest = (0..platform.nodes()).map(|node| platform.speed_per_second(NodeId(node))).fold(0.0, f64::max);
        let mean_s = graph.total_operations() / graph.tasks() as f64 / fastest;
        let instance = Instance::new(graph, platform).and_then(|instance| instance.with_calls(&self.parameters.r#type));
        let by_operations = instance.is_ok_and(|instance| !instance.is_unrelated());
        let is_short = by_operations && mean_s > 0.0 && mean_s < SHORT_TASK_S;
        is_short.then(|| {
            format!(
                "a task of {file} takes {} on average on the fastest node; if the file gives times, \
                 `workload.operations_factor` must be the speed on which they hold, such as 1e9 for 1 Gop/s",
                Seconds::shown(mean_s)
            )
        })
    }
}
