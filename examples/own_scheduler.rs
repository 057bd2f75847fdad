//! A scheduler of task graphs from outside: its schedule is checked, then carried out by the simulator.

use std::error::Error;

use hetsim::cluster::{Platform, Simulation};
use hetsim::engine::Streams;
use hetsim::graph::generate::Generator;
use hetsim::scenario::FromToml as _;
use hetsim::schedule::{Options, Partial, Rule, Schedule, Setup, rank, schedule_by};
use hetsim::units::Time;
use hetsim::workload::taskgraph::{Instance, Plan, Replay};

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

const PLATFORM: &str = r#"
[platform.cluster.lab]
nodes = 4
speeds = ["1Gop/s", "2Gop/s", "2Gop/s", "4Gop/s"]
network = { model = "delay", latency = "50us", bandwidth = "1GB/s" }"#;
const GRAPH: &str = r#"
shape = { family = "cholesky", tiles = 5 }
operations = { distribution = "constant", value = "200Mop" }
bytes = { distribution = "constant", value = "8MB" }"#;

/// The predicted makespan and the simulated one.
fn run() -> Result<(Time, Time), Box<dyn Error>> {
    let platform = Platform::from_toml(PLATFORM)?;
    let graph = toml::from_str::<Generator>(GRAPH)?.generate(&mut Streams::new(1, 0).stream("graph", 0))?;
    let instance = Instance::new(&graph, &platform)?;
    let costs = instance.costs()?;
    let schedule = schedule_by(&Earliest, &graph, &costs, &Options::default())?;
    schedule.check(&graph, &costs)?;
    let plan = Plan::of(&schedule, &instance);
    let mut simulation = Simulation::new(&platform, 1);
    simulation.run(&mut Replay::new(&instance, &plan))?;
    Ok((schedule.makespan(), simulation.completion().ok_or("no task ended")?))
}

fn main() -> Result<(), Box<dyn Error>> {
    run().map(|(predicted, simulated)| println!("predicted {} ps, simulated {} ps", predicted.0, simulated.0))
}

#[test]
fn the_prediction_holds() {
    assert!(run().is_ok_and(|(predicted, simulated)| predicted == simulated && simulated > Time::ZERO));
}
