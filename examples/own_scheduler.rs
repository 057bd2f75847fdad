//! A scheduler from outside of hetsim: `cargo run --release --example own_scheduler -- examples/own_scheduler.toml`.
//!
//! Stored runs do not know this code: after a change in it run with `--fresh`. A crate of your own starts from the manifest
//! in `CONTRIBUTING.md`.

use hetsim::cluster::Platform;
use hetsim::graph::generate::Generator;
use hetsim::schedule::{Options, Partial, Rule, Schedule, Setup, rank, schedule_by};
use hetsim::workload::taskgraph::{Instance, Plan, Replay};
use hetsim::workload::{KeyError, Prepared, Run, RunFailure, Workload};

/// By falling upward rank, each task where it starts first; of several such processors, where it ends first.
struct Earliest;
impl Rule for Earliest {
    fn schedule(&self, setup: &Setup<'_>) -> Schedule {
        let mut partial = Partial::new(setup.graph, setup.costs, setup.insertion);
        for task in rank::falling(setup.graph, &rank::upward(setup.graph, setup.costs)) {
            if let Some(slot) = partial.slots(task).min_by_key(|slot| (slot.start, slot.finish)) {
                partial.place(task, slot);
            }
        }
        partial.into_schedule()
    }
}

/// `kind = "earliest"`: a drawn task graph, scheduled by the rule above.
#[derive(Debug, Clone, serde::Deserialize, schemars::JsonSchema)]
struct DrawnGraph {
    /// The task graph.
    generate: Generator,
}
hetsim::metrics! {
    struct Makespans {
        completion_s: f64 = "the makespan, simulated" [less],
        predicted_s: f64 = "the makespan of the schedule" [less],
    }
}

impl Workload for DrawnGraph {
    const NAME: &'static str = "earliest";
    const ABOUT: &'static str = "A drawn task graph, each task where it starts first.";
    type Prepared = Self;
    fn prepare(&self, _: &Platform) -> Result<Self, KeyError> {
        self.generate.check().map(|()| self.clone()).map_err(|error| KeyError::new("generate", error.to_string()))
    }
}
impl Prepared for DrawnGraph {
    type Metrics = Makespans;
    fn run(&self, run: &mut Run<'_>) -> Result<Makespans, RunFailure> {
        let graph = self.generate.generate(&mut run.streams.stream("graph", 0)).map_err(RunFailure::of)?;
        let instance = Instance::new(&graph, run.platform)?;
        let schedule =
            schedule_by(&Earliest, &graph, &instance.costs()?, &Options::default()).map_err(RunFailure::of)?;
        let end = run.simulate(&mut Replay::new(&instance, &Plan::of(&schedule, &instance)))?;
        let completion_s = run.seconds(end.completion.ok_or("no task ended")?);
        Ok(Makespans { completion_s, predicted_s: run.seconds(schedule.makespan()) })
    }
}

pub(crate) fn main() -> std::process::ExitCode {
    hetsim::scenario::register::<DrawnGraph>().expect("no other workload has this name");
    hetsim::main()
}
