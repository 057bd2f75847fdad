//! How to run tasks: independent ones, or those of a graph; and how to run HPL.

use std::num::NonZeroU32;
use std::ops::Range;
use std::sync::Arc;

use rand::seq::SliceRandom;

use super::Watcher;
use super::trials::{Candidates, DrawnTasks, Trials};
use crate::batch::threads::Threads;
use crate::failure::{Failure, bad_input};
use crate::report::advise::tasks::{Asked, TaskAdvice, dealing, race};
use crate::scenario::Scenario;
use crate::statistics::mean;
use crate::statistics::racing::Race;
use crate::workload::farm::Cost;
use crate::workload::farm_advice::{FarmSetting, workers};
use crate::workload::graph_advice::{GraphSetting, is_for_these_nodes, is_noisy, lower_bound_s, machines};
use crate::workload::hpl::HplParameters;
use crate::workload::hpl_advice::{self, HplSetting, without_slowest};
use crate::workload::independent::IndependentParameters;
use crate::workload::machines::MachineChange;
use crate::workload::taskgraph::TaskgraphParameters;

/// The most replicas unless others are asked: of tasks, and of HPL.
const REPLICAS: u32 = 24;
const HPL_REPLICAS: u32 = 8;

/// Why nothing is said of single machines.
const MATRIX: &str = "the graph's cost matrix is for these nodes";

/// What is asked about tasks.
#[derive(Debug, Clone)]
pub struct TaskRequest {
    /// Where the tasks are from.
    pub asked: Asked,
    /// The machines that a log names, with their nodes; without any, each node is one.
    pub machines: Vec<(String, Range<u32>)>,
    /// The most runs of a setting, each with independent draws; by default 24, and 8 of HPL.
    pub replicas: Option<NonZeroU32>,
    /// On how many threads.
    pub threads: Threads,
}

impl Default for TaskRequest {
    /// About a scenario, on all cores.
    fn default() -> Self {
        Self { asked: Asked::Scenario, machines: Vec::new(), replicas: None, threads: Threads::new(None) }
    }
}

/// How to hand out the independent tasks of a scenario, and on which machines.
///
/// # Errors
/// The scenario has no independent tasks, its present setting cannot run, or the watcher stops.
pub fn advise_farm(
    scenario: &Scenario,
    request: &TaskRequest,
    watcher: &dyn Watcher,
) -> Result<TaskAdvice<FarmSetting>, Failure> {
    let replicas = request.replicas.map_or(REPLICAS, NonZeroU32::get);
    let mut farms: DrawnTasks<IndependentParameters> = DrawnTasks::of(scenario, replicas)?;
    if matches!(request.asked, Asked::Log(..)) {
        draw_orders(&mut farms);
    }
    let settings = FarmSetting::all(&farms.keys[0], &farms.platforms[0], dealing(request.asked));
    let machines = workers(&farms.keys[0], &farms.platforms[0], &request.machines);
    let changes = farms.changes(watcher, MachineChange::all(&machines), None);
    let candidates = Candidates { settings, rounds: &[], machines, changes };
    Trials { drawn: &farms, race: race(replicas), threads: request.threads, watcher }.advice(candidates)
}

/// How to schedule the task graph of a scenario, and on which machines.
///
/// # Errors
/// The scenario has no task graph, its present setting cannot run, or the watcher stops.
pub fn advise_graph(
    scenario: &Scenario,
    request: &TaskRequest,
    watcher: &dyn Watcher,
) -> Result<TaskAdvice<GraphSetting>, Failure> {
    let replicas = request.replicas.map_or(REPLICAS, NonZeroU32::get);
    let graphs: DrawnTasks<TaskgraphParameters> = DrawnTasks::of(scenario, replicas)?;
    let (keys, platform) = (&graphs.keys[0], &graphs.platforms[0]);
    let settings = GraphSetting::all(keys, platform).map_err(bad_input)?;
    let machines = machines(keys, platform, &request.machines).map_err(|why| Failure::Run(why.into()))?;
    let changes = MachineChange::all(&machines);
    let changes = graphs.changes(watcher, changes, is_for_these_nodes(keys).then_some(MATRIX));
    let candidates = Candidates { settings, rounds: &[], machines, changes };
    let trials = Trials { drawn: &graphs, race: race(replicas), threads: request.threads, watcher };
    let mut advice = trials.advice(candidates)?;
    if !is_noisy(keys, platform) {
        advice.lower_bound_s = Some(mean_lower_bound_s(&graphs, &advice)?);
    }
    Ok(advice)
}

/// How to run the HPL of a scenario: the lines of `HPL.dat`, and on which nodes.
///
/// # Errors
/// The scenario has no HPL, its present setting cannot run, or the watcher stops.
pub fn advise_hpl(
    scenario: &Scenario,
    request: &TaskRequest,
    watcher: &dyn Watcher,
) -> Result<TaskAdvice<HplSetting>, Failure> {
    let replicas = request.replicas.map_or(HPL_REPLICAS, NonZeroU32::get);
    let drawn: DrawnTasks<HplParameters> = DrawnTasks::of(scenario, replicas)?;
    let tree = scenario.first_platform_tree().ok_or_else(|| bad_input("there is no platform"))?;
    let machines = hpl_advice::machines(&drawn.keys[0], &drawn.platforms[0], &tree.plan()?.ranks_of_nodes());
    let changes = drawn.changes(watcher, without_slowest(&machines), None);
    let settings = vec![HplSetting::of(&drawn.keys[0])];
    let candidates = Candidates { settings, rounds: &HplSetting::ROUNDS, machines, changes };
    // A run may take a minute.
    let race = Race { first: 2, ..race(replicas) };
    let advice = Trials { drawn: &drawn, race, threads: request.threads, watcher }.advice(candidates)?;
    let (nb, own) = (advice.used().what.nb, advice.settings[0].what.nb);
    if nb != own && drawn.platforms[0].kernel("dgemm").is_some() {
        watcher.hear(&format!(
            "note: NB {nb} is as good as the formula of the kernel `dgemm` at that width: measure it first"
        ));
    }
    Ok(advice)
}

/// Draws the order of tasks anew in each replica but the first. Which of a log's tasks come last is chance, and the end of
/// a farm depends on it. Since the list may be sorted on purpose, tasks change places within a tenth of it only.
fn draw_orders(farms: &mut DrawnTasks<IndependentParameters>) {
    for replica in 1..farms.keys.len() {
        let mut stream = farms.streams(replica).stream("order of tasks", 0);
        if let Cost::Trace(trace) = &mut Arc::make_mut(&mut farms.keys[replica]).task {
            let tenth = trace.operations.len().div_ceil(10).max(1);
            trace.operations.chunks_mut(tenth).for_each(|part| part.shuffle(&mut stream));
        }
    }
}

/// The mean of what no schedule is below, of the replicas that the advised setting ran in.
fn mean_lower_bound_s(
    graphs: &DrawnTasks<TaskgraphParameters>,
    advice: &TaskAdvice<GraphSetting>,
) -> Result<f64, Failure> {
    let best = &advice.settings[advice.advised];
    let bound =
        |replica: usize| lower_bound_s(&graphs.keys[replica], &graphs.platforms[replica], graphs.streams(replica));
    let bounds: Result<Vec<f64>, _> = (0..best.seconds.len()).map(bound).collect();
    Ok(mean(&bounds.map_err(|why| Failure::Run(why.into()))?).unwrap_or_default())
}
