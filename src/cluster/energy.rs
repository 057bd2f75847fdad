//! The energy of a run: what its nodes and links have drawn until its results were there.

use std::ops::AddAssign;

use super::platform::{Channel, NodePower, Platform};
use super::program::NodeId;
use crate::units::Time;

/// The energy of a run, up to the instant at which its results were there: when the program
/// [concluded](super::Context::conclude), else at the last [completion](super::Context::complete), else at its end.
#[derive(Debug, Clone, PartialEq)]
pub struct Energy {
    /// That instant, in seconds.
    pub seconds: f64,
    /// What each node took of which it is said what it draws, in their order.
    pub nodes: Vec<NodeEnergy>,
    /// What all links took, in joules, whether messages came to them or not.
    pub links: f64,
    /// What nodes and links would have taken with nothing to do, in joules: all of them idle, but off where they were down.
    pub idle: f64,
    /// What each link took that messages came to, in joules, in the order of [`Simulation::carried`](super::Simulation::carried);
    /// nothing where it is not said what it draws.
    channels: Vec<Option<f64>>,
}

/// What a node took.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NodeEnergy {
    /// The node.
    pub node: NodeId,
    /// How long its cores computed, in core seconds: what they gave to computations, not what external load or the
    /// overheads of messages took.
    pub core_seconds: f64,
    /// How long it had at least one computation under way, in seconds.
    pub active_seconds: f64,
    /// How long it was down, in seconds.
    pub down_seconds: f64,
    /// What it took, in joules.
    pub joules: f64,
}

/// What a node has done, in ticks.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Spent {
    /// What its cores have given to computations.
    pub(super) cores: f64,
    /// How long it had computations.
    pub(super) active: Time,
    /// How long it was down.
    pub(super) down: Time,
}

impl AddAssign for Spent {
    fn add_assign(&mut self, other: Self) {
        self.cores += other.cores;
        self.active += other.active;
        self.down += other.down;
    }
}

impl NodePower {
    /// What a node takes that draws this in a run of `seconds`, with what it would have taken with nothing to do.
    fn account(&self, node: NodeId, seconds: f64, spent: Spent, platform: &Platform) -> (NodeEnergy, f64) {
        let tick = platform.tick();
        let core_seconds = spent.cores / tick.per_second();
        let (active_seconds, down_seconds) = (tick.seconds(spent.active), tick.seconds(spent.down));
        let idle = self.idle * (seconds - down_seconds) + self.off * down_seconds;
        let joules = idle + (self.active - self.idle) * active_seconds + self.per_core * core_seconds;
        (NodeEnergy { node, core_seconds, active_seconds, down_seconds, joules }, idle)
    }
}

impl Energy {
    /// The energy up to `end`, of what each node has done and the bytes that each link was given to carry until then.
    pub(super) fn new(
        platform: &Platform,
        end: Time,
        spent: impl Iterator<Item = Spent>,
        carried: &[(Channel, f64)],
    ) -> Self {
        let seconds = platform.tick().seconds(end);
        let accounts = (0..).map(NodeId).zip(spent).filter_map(|(node, spent)| {
            let power = platform.node_power(node)?;
            Some(power.account(node, seconds, spent, platform))
        });
        let (nodes, idle): (Vec<NodeEnergy>, Vec<f64>) = accounts.unzip();
        // Beyond what it takes unused, a byte costs a link the same whenever it comes.
        let added = carried.iter().map(|&(channel, bytes)| {
            let power = platform.link_power(channel)?;
            Some((power, power.joules(0.0, bytes, platform.nature(channel).bandwidth)))
        });
        let added: Vec<_> = added.collect();
        let idle_links = platform.idle_power_of_links() * seconds;
        Self {
            seconds,
            nodes,
            links: idle_links + added.iter().flatten().map(|(_, joules)| joules).sum::<f64>(),
            idle: idle.iter().sum::<f64>() + idle_links,
            channels: added.iter().map(|added| added.map(|(power, joules)| power.idle * seconds + joules)).collect(),
        }
    }

    /// What the link took that stands in this place among those that messages came to.
    pub(super) fn of_link(&self, place: usize, channel: Channel, platform: &Platform) -> Option<f64> {
        // One that messages only came to afterwards was idle until then.
        let unused = || platform.link_power(channel).map(|power| power.idle * self.seconds);
        self.channels.get(place).copied().unwrap_or_else(unused)
    }

    /// What the nodes took, in joules.
    #[must_use]
    pub fn of_nodes(&self) -> f64 {
        self.nodes.iter().map(|node| node.joules).sum()
    }

    /// What nodes and links took, in joules.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.of_nodes() + self.links
    }
}

#[cfg(test)]
mod tests;
