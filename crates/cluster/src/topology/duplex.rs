//! Cables and their channels.

use super::check::numbered;
use super::{Ends, Point, TopologyError};

hetsim_base::registry::names! {
    /// Whether the two directions of a cable share its bandwidth.
    "duplex": Duplex {
        #[default]
        Full "full" = "each direction has the whole bandwidth",
        Half "half" = "both directions share it",
    }
}

impl Duplex {
    /// The number of channels of `cables` cables, if they can be numbered; `key` is the key at fault otherwise.
    pub(super) fn channels(self, key: &'static str, cables: u64) -> Result<u32, TopologyError> {
        numbered(key, cables.saturating_mul(u64::from(self.channels_per_cable())))
    }

    const fn channels_per_cable(self) -> u32 {
        match self {
            Self::Full => 2,
            Self::Half => 1,
        }
    }

    /// The channel of a cable from its first point to its second.
    pub(super) const fn forth(self, cable: u32) -> u32 {
        cable * self.channels_per_cable()
    }

    /// The channel of a cable from its second point to its first.
    pub(super) const fn back(self, cable: u32) -> u32 {
        self.forth(cable) + self.channels_per_cable() - 1
    }

    /// The channel of a cable, to its second point if `forth`.
    pub(super) const fn either(self, cable: u32, forth: bool) -> u32 {
        if forth { self.forth(cable) } else { self.back(cable) }
    }

    /// Appends all channels of a cable.
    pub(super) fn both(self, cable: u32, out: &mut Vec<u32>) {
        out.extend(self.forth(cable)..=self.back(cable));
    }

    /// The cable that a channel belongs to.
    pub(super) const fn cable(self, channel: u32) -> u32 {
        channel / self.channels_per_cable()
    }

    /// The ends of a channel whose cable connects two points.
    pub(super) fn ends(self, channel: u32, (first, second): (Point, Point)) -> Ends {
        let forth = channel == self.forth(self.cable(channel));
        let (from, to) = if forth { (first, second) } else { (second, first) };
        Ends { from, to, both_ways: self == Self::Half }
    }
}
