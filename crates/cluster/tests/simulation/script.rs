//! A small platform, and a program that does what a list says and notes what it is told.

use hetsim_base::units::{Tick, Time};
use hetsim_cluster::network::{Model, Parameters};
use hetsim_cluster::{Cluster, Context, NodeId, Platform, Program, SendId, Simulation, TimerId, WorkId};

/// A network model from the TOML of its parameters; one tick is a nanosecond in these tests.
pub(crate) fn model(toml: &str) -> Model {
    let parameters: Parameters = toml::from_str(toml).expect("valid parameters");
    Model::new(&parameters, NANOSECOND).expect("a valid model")
}

pub(crate) const NANOSECOND: Tick = match Tick::new(1000) {
    Some(tick) => tick,
    None => unreachable!(),
};

pub(crate) fn platform(nodes: u32, cores: u32, network: &str) -> Platform {
    let group = Cluster { name: "test".to_owned(), nodes, cores };
    Platform::new(NANOSECOND, vec![group], vec![model(network).into()]).unwrap()
}

/// What a script does, at time zero, when a message comes, when a computation ends, or when a timer runs out.
#[derive(Clone, Copy)]
pub(crate) enum Act {
    Send { from: u32, to: u32, bytes: u64 },
    Compute { at: u32, operations: f64 },
    Timer { at: u32, delay: u64 },
}

/// Does its acts in order and notes everything that it is told.
#[derive(Default)]
pub(crate) struct Script {
    pub(crate) start: Vec<Act>,
    pub(crate) on_message: Vec<Act>,
    pub(crate) on_timer: Vec<Act>,
    pub(crate) log: Vec<(u64, &'static str, u32)>,
}

impl Script {
    fn perform(acts: &[Act], context: &mut impl Context<()>) {
        for act in acts {
            match *act {
                Act::Send { from, to, bytes } => drop(context.send(NodeId(from), NodeId(to), bytes, ())),
                Act::Compute { at, operations } => drop(context.compute(NodeId(at), operations)),
                Act::Timer { at, delay } => drop(context.set_timer(NodeId(at), Time(delay))),
            }
        }
    }

    pub(crate) fn run(self, platform: &Platform) -> Vec<(u64, &'static str, u32)> {
        self.run_to_end(platform).expect("the run ends")
    }

    pub(crate) fn run_to_end(
        mut self,
        platform: &Platform,
    ) -> Result<Vec<(u64, &'static str, u32)>, hetsim_cluster::RunError> {
        Simulation::new(platform, 1).run(&mut self)?;
        Ok(self.log)
    }
}

impl Program for Script {
    type Message = ();
    fn wants_sent(&self) -> bool {
        true
    }

    fn start(&mut self, context: &mut impl Context<()>) {
        Self::perform(&self.start, context);
    }

    fn on_message(&mut self, at: NodeId, _: NodeId, (): (), context: &mut impl Context<()>) {
        self.log.push((context.now().0, "message", at.0));
        Self::perform(&std::mem::take(&mut self.on_message), context);
    }

    fn on_computed(&mut self, at: NodeId, _: WorkId, context: &mut impl Context<()>) {
        self.log.push((context.now().0, "computed", at.0));
    }

    fn on_timer(&mut self, at: NodeId, _: TimerId, context: &mut impl Context<()>) {
        self.log.push((context.now().0, "timer", at.0));
        Self::perform(&std::mem::take(&mut self.on_timer), context);
    }

    fn on_sent(&mut self, at: NodeId, _: SendId, context: &mut impl Context<()>) {
        self.log.push((context.now().0, "sent", at.0));
    }
}

pub(crate) fn send(from: u32, to: u32, bytes: u64) -> Act {
    Act::Send { from, to, bytes }
}

pub(crate) fn only(log: &[(u64, &'static str, u32)], what: &str) -> Vec<(u64, u32)> {
    log.iter().filter(|entry| entry.1 == what).map(|entry| (entry.0, entry.2)).collect()
}
