//! A collective whose ranks are all alike, by two of them that stand for all.

use super::{Calling, Calls, Carrier, CollectiveMetrics, Communication, PreparedCollective};
use crate::communication::{Volume, is_steady};
use crate::fitted::FittedMetrics;
use crate::{Run, RunFailure};
use hetsim_base::units::Time;
use hetsim_cluster::{Completions, Context, NodeId, Platform, Program, Scope, SendId, TimerId, WorkId};
use hetsim_communication::Plan;

/// Whether all nodes are alike, now and at any time, and one network joins them in which no message meets another.
pub(super) fn is_uniform(platform: &Platform) -> bool {
    let takes_power = |node| platform.node_power(node).is_some();
    has_one_steady_network(platform) && have_one_speed(platform) && !(0..platform.nodes()).map(NodeId).any(takes_power)
}

/// Whether one network joins all nodes in which no message meets another.
pub(super) fn has_one_steady_network(platform: &Platform) -> bool {
    let streams = platform.connections().iter().any(|link| link.model.is_streamed());
    platform.has_one_network() && is_steady(platform) && !streams
}

/// Whether all nodes have the same speed and no load.
pub(super) fn have_one_speed(platform: &Platform) -> bool {
    (0..platform.nodes()).map(NodeId).all(|node| {
        platform.speed(node) == platform.speed(NodeId(0))
            && platform.speed_per_second(node) == platform.speed_under_load(node)
    })
}

impl PreparedCollective {
    /// Runs two ranks instead of all; nothing where that does not show what happens to all, or more than the metrics
    /// is wanted.
    ///
    /// All ranks do the same at the same instants, unless two things that happen to a rank in one instant happen to
    /// another in the other order.
    pub(super) fn run_pair(&self, run: &mut Run<'_>) -> Result<Option<(CollectiveMetrics, FittedMetrics)>, RunFailure> {
        let Some(pair) = self.pair.as_ref().filter(|_| run.is_plain()) else { return Ok(None) };
        let (platform, nodes, ranks) = (run.platform, &self.nodes[..2], self.nodes.len() as u64);
        let mut completions = Completions::new(platform.nodes() as usize);
        let (has_ties, volume) = match self.calls {
            Calls::Ready => {
                let carrier = Carrier::new(Plan::Steps(pair.clone()), self.reduction);
                let mut program = Watched::new(Communication::placed(carrier, nodes.to_vec()), platform);
                run.simulate_observed(&mut program, Some(&mut completions))?;
                (program.has_ties, program.program.volume())
            }
            Calls::Mpi => {
                let program = Calling::new(pair.clone(), self.reduction, nodes, platform);
                let mut program = Watched::new(program, platform);
                run.simulate_observed(&mut program, Some(&mut completions))?;
                (program.has_ties, program.program.volume())
            }
        };
        let [end, other_end] = [nodes[0], nodes[1]].map(|node| completions.at[node.index()]);
        if has_ties || end != other_end || end == Time::NEVER {
            return Ok(None);
        }
        run.count_pair_for(ranks);
        let of_all = |bytes: u64| bytes / 2 * ranks;
        let volume = Volume { moved: of_all(volume.moved), combined: of_all(volume.combined) };
        Ok(Some(self.metrics(end, volume, run)))
    }
}

/// A program of which it is noted whether two things happen to a node in one instant.
#[derive(Debug)]
struct Watched<P> {
    program: P,
    /// By node: when something last happened to it.
    last: Vec<Time>,
    has_ties: bool,
}

impl<P> Watched<P> {
    fn new(program: P, platform: &Platform) -> Self {
        Self { program, last: vec![Time::NEVER; platform.nodes() as usize], has_ties: false }
    }

    fn note(&mut self, at: NodeId, now: Time) {
        self.has_ties |= std::mem::replace(&mut self.last[at.index()], now) == now;
    }
}

impl<P: Program> Program for Watched<P> {
    type Message = P::Message;

    fn wants_sent(&self) -> bool {
        self.program.wants_sent()
    }

    fn posts_receives(&self) -> bool {
        self.program.posts_receives()
    }

    fn tag(message: &P::Message) -> u64 {
        P::tag(message)
    }

    fn scope(message: &P::Message) -> Scope {
        P::scope(message)
    }

    fn start(&mut self, context: &mut impl Context<P::Message>) {
        self.program.start(context);
    }

    fn on_message(&mut self, at: NodeId, from: NodeId, message: P::Message, context: &mut impl Context<P::Message>) {
        self.note(at, context.now());
        self.program.on_message(at, from, message, context);
    }

    fn on_computed(&mut self, at: NodeId, work: WorkId, context: &mut impl Context<P::Message>) {
        self.note(at, context.now());
        self.program.on_computed(at, work, context);
    }

    fn on_timer(&mut self, at: NodeId, timer: TimerId, context: &mut impl Context<P::Message>) {
        self.note(at, context.now());
        self.program.on_timer(at, timer, context);
    }

    fn on_sent(&mut self, at: NodeId, send: SendId, context: &mut impl Context<P::Message>) {
        self.note(at, context.now());
        self.program.on_sent(at, send, context);
    }
}
