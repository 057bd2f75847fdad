//! When a server sees what its nodes have done: they tell it at their heartbeats, and it looks from time to time.

use hetsim_base::units::{Quantity, Seconds, Time};
use hetsim_cluster::{NodeId, Platform};

/// The intervals at which nodes tell what has ended and their server looks at it; no time passes where they are 0.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Rhythm {
    heartbeat: Time,
    poll: Time,
    nodes: u32,
}

impl Rhythm {
    /// The rhythm of all nodes of a platform.
    pub(crate) fn new(heartbeat: Seconds, poll: Seconds, platform: &Platform) -> Self {
        let [heartbeat, poll] = [heartbeat, poll].map(|every| platform.tick().time(every.base()));
        Self { heartbeat, poll, nodes: platform.nodes() }
    }

    /// Whether nodes wait for a heartbeat.
    #[inline]
    pub(crate) fn beats(self) -> bool {
        self.heartbeat > Time::ZERO
    }

    /// When a node tells next what has ended on it. Nodes do that in turn, evenly spread.
    pub(crate) fn told(self, at: NodeId, now: Time) -> Time {
        let turn = u128::from(self.heartbeat.0) * u128::from(at.0) / u128::from(self.nodes.max(1));
        next_of(self.heartbeat, Time(turn as u64), now)
    }

    /// When the server looks next at what it was told.
    #[inline]
    pub(crate) fn looked_at(self, now: Time) -> Time {
        next_of(self.poll, Time::ZERO, now)
    }
}

/// The first time, from `now` on, of something that happens each `interval` from `first` on; without an interval, now.
#[inline]
fn next_of(interval: Time, first: Time, now: Time) -> Time {
    if interval == Time::ZERO { now } else { first + Time(now.since(first).0.next_multiple_of(interval.0)) }
}
