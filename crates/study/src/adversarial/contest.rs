//! Two schedulers on one instance: the machine of the instance, and what each scheduler makes of it.

use hetsim_base::engine::Streams;
use hetsim_base::units::{BytesPerSecond, Quantity, Seconds, Tick, Time};
use hetsim_cluster::network::{Model, Parameters as Network, delay};
use hetsim_cluster::{Cluster, Connection, NodeId, Observer, Platform, Simulation};
use hetsim_schedule::adversary::{ProblemInstance, Weight};
use hetsim_schedule::{Options, Schedule, Scheduler};
use hetsim_workload::RunFailure;
use hetsim_workload::share::Share;
use hetsim_workload::taskgraph::{Instance, Plan, Replay, by_scheduler};

/// What a weight of a node is in operations a second, and that of a link in bytes a second: 10⁹ for weight 1.
pub(super) fn per_second(weight: Weight) -> f64 {
    f64::from(weight.millionths()) * 1e3
}

/// Two schedulers to be compared on instances.
#[derive(Debug, Clone, Copy)]
pub struct Contest {
    /// The scheduler under attack.
    pub scheduler: Scheduler,
    /// The one that it is compared with.
    pub baseline: Scheduler,
    /// Whether both may put a task into a gap; by default each as it was published.
    pub insertion: Option<bool>,
    /// What schedulers that draw draw from.
    pub streams: Streams,
    /// The clock's tick.
    pub tick: Tick,
}

/// A schedule that was carried out by the machine.
pub(super) struct Simulated {
    pub(super) schedule: Schedule,
    pub(super) shares: Vec<Share>,
    pub(super) serial_s: f64,
    pub(super) messages: u64,
    pub(super) events: u64,
}

impl Simulated {
    pub(super) fn makespan(&self) -> Time {
        self.schedule.makespan()
    }
}

impl Contest {
    /// The machine of an instance: every node a group of its own, so that every pair has a link of its own.
    ///
    /// # Errors
    /// A sentence, where a link is none.
    pub fn machine(&self, instance: &ProblemInstance) -> Result<Platform, RunFailure> {
        let nodes = instance.nodes();
        let groups = (0..nodes).map(|node| Cluster { name: format!("node{node}"), nodes: 1, cores: 1 }).collect();
        let mut links = Vec::with_capacity((nodes as usize).pow(2));
        for from in 0..nodes {
            for to in 0..nodes {
                // Nobody sends within a group of one node.
                let strength = if from == to { Weight::ONE } else { instance.link(from, to) };
                links.push(self.link(strength)?);
            }
        }
        let speeds: Vec<f64> = instance.speeds().iter().map(|&speed| per_second(speed)).collect();
        let platform =
            Platform::new(self.tick, groups, links).and_then(|platform| platform.with_cluster_speeds(&speeds));
        platform.map_err(RunFailure::of)
    }

    fn link(&self, strength: Weight) -> Result<Connection, RunFailure> {
        let bandwidth = BytesPerSecond::from_base(per_second(strength)).map_err(|error| error.to_string())?;
        let parameters = Network::Delay(delay::DelayParameters { latency: Seconds::default(), bandwidth });
        let model = Model::new(&parameters, self.tick).map_err(|error| error.to_string())?;
        Ok(Connection::from(model))
    }

    /// The makespan of `scheduler` over that of `baseline`, above 0 and finite: every task takes a tick at least.
    ///
    /// # Errors
    /// A sentence, where there can be no schedule.
    pub fn ratio(&self, instance: &ProblemInstance) -> Result<f64, RunFailure> {
        let [makespan, baseline] = self.makespans(instance)?;
        Ok(makespan.as_f64() / baseline.as_f64())
    }

    /// The makespan of `scheduler` and that of `baseline`: those that the machine would simulate.
    ///
    /// # Errors
    /// A sentence, where there can be no schedule.
    pub fn makespans(&self, instance: &ProblemInstance) -> Result<[Time; 2], RunFailure> {
        let graph = instance.graph().map_err(|error| error.to_string())?;
        let machine = self.machine(instance)?;
        let costs = Instance::new(&graph, &machine)?.costs()?;
        let options = Options { insertion: self.insertion, streams: self.streams };
        let makespan = |scheduler: Scheduler| -> Result<Time, RunFailure> {
            let schedule = scheduler.schedule(&graph, &costs, &options).map_err(|error| error.to_string())?;
            Ok(schedule.makespan())
        };
        let first = makespan(self.scheduler)?;
        let second = if self.baseline == self.scheduler { first } else { makespan(self.baseline)? };
        Ok([first, second])
    }

    /// Carries out what one of the schedulers makes of an instance, on the machine of that instance.
    ///
    /// # Errors
    /// A sentence, where there can be no schedule, or the machine takes another time for it than it was said to.
    pub(super) fn simulate(
        &self,
        instance: &ProblemInstance,
        machine: &Platform,
        scheduler: Scheduler,
        observer: Option<&mut dyn Observer>,
    ) -> Result<Simulated, RunFailure> {
        let graph = instance.graph().map_err(|error| error.to_string())?;
        let instance = Instance::new(&graph, machine)?;
        let schedule = by_scheduler(&instance, scheduler, self.insertion, self.streams)?;
        let plan = Plan::of(&schedule, &instance);
        let mut replay = Replay::new(&instance, &plan);
        let mut simulation = Simulation::with_streams(machine, self.streams);
        if let Some(observer) = observer {
            simulation = simulation.observed_by(observer);
        }
        simulation.run(&mut replay).map_err(|error| error.to_string())?;
        let completion = simulation.completion().ok_or("no node came to its end")?;
        if completion != schedule.makespan() {
            let [simulated, predicted] = [completion, schedule.makespan()].map(|time| self.tick.seconds(time));
            return Err(
                format!("the schedule of {scheduler} takes {simulated} s and not {predicted} s as predicted").into()
            );
        }
        let shares = (0..machine.nodes()).map(|node| Share::of(NodeId(node), simulation.usage(), machine)).collect();
        let (messages, events) = (simulation.messages(), simulation.events());
        let serial_s = instance.serial_s();
        Ok(Simulated { schedule, shares, serial_s, messages, events })
    }
}
