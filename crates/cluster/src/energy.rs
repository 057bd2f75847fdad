//! The energy of a run: what its nodes and links consumed until its results were complete.

use std::ops::AddAssign;

use super::platform::{Channel, NodePower, Platform};
use super::program::NodeId;
use hetsim_base::units::Time;

/// The energy of a run until its results were complete: when the program [concluded](super::Context::conclude), else at
/// the last [completion](super::Context::complete), else at its end.
#[derive(Debug, Clone, PartialEq)]
pub struct Energy {
    /// The instant of completion, in seconds.
    pub seconds: f64,
    /// The energy of each node with a power model, in order of nodes.
    pub nodes: Vec<NodeEnergy>,
    /// The energy of all links in joules, whether they carried messages or not.
    pub links: f64,
    /// The energy that idle nodes and links would have consumed in the same time, in joules; nodes that were down count
    /// as off.
    pub idle: f64,
    /// The energy of each link that carried messages, in joules, in the order of
    /// [`Simulation::carried`](super::Simulation::carried); `None` for a link without a power model.
    channels: Vec<Option<f64>>,
}

/// The energy of a node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NodeEnergy {
    /// The node.
    pub node: NodeId,
    /// The time that its cores gave to computations, in core seconds, without external load and message overheads.
    pub core_seconds: f64,
    /// The time with at least one computation in progress, in seconds.
    pub active_seconds: f64,
    /// How long it was down, in seconds.
    pub down_seconds: f64,
    /// The consumed energy, in joules.
    pub joules: f64,
}

/// The activity of a node, in ticks.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Spent {
    /// The time that its cores gave to computations.
    pub(super) cores: f64,
    /// The time with computations.
    pub(super) active: Time,
    /// The time that it was down.
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
    /// The energy of a node in a run of `seconds`, and the joules that it would have consumed idle.
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
    /// The energy up to `end`, from the activity of each node and the bytes offered to each link until then.
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
        // Beyond its idle power, a byte costs a link the same at any time.
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

    /// The energy of the link at index `place` among those that carried messages.
    pub(super) fn of_link(&self, place: usize, channel: Channel, platform: &Platform) -> Option<f64> {
        // A link that was used only afterwards was idle until then.
        let unused = || platform.link_power(channel).map(|power| power.idle * self.seconds);
        self.channels.get(place).copied().unwrap_or_else(unused)
    }

    /// The energy of the nodes, in joules.
    #[must_use]
    pub fn of_nodes(&self) -> f64 {
        self.nodes.iter().map(|node| node.joules).sum()
    }

    /// The energy of nodes and links, in joules.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.of_nodes() + self.links
    }
}

#[cfg(test)]
mod tests;
