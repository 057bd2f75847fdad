//! The use of the platform by a run, for any program.

use super::energy::Energy;
use super::platform::Channel;
use super::simulation::Simulation;

/// The use of the platform by a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Footprint {
    /// Messages delivered.
    pub messages: u64,
    /// Events handled.
    pub events: u64,
    /// Messages that came and for which no receive was posted; zero if the program posts none.
    pub unreceived: u64,
    /// The use of the shared links, each direction separately, in the order of their first message.
    pub links: Vec<LinkUse>,
    /// The consumed energy, if the platform has any power model.
    pub energy: Option<Energy>,
}

/// The use of one direction of a shared link.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinkUse {
    /// The link and direction.
    pub channel: Channel,
    /// The bytes of the messages offered to it.
    pub bytes: f64,
    /// The share of its capacity over the whole run at full bandwidth, in [0, 1]; `None` if the link is not shared or
    /// the run took no time.
    pub utilization: Option<f64>,
    /// The consumed energy in joules; `None` without a power model.
    pub joules: Option<f64>,
}

impl<M> Simulation<'_, M> {
    /// The use of the platform by the run so far.
    #[must_use]
    pub fn footprint(&self) -> Footprint {
        let platform = self.platform();
        let seconds = platform.tick().seconds(self.clock());
        let link = |(place, &(channel, bytes)): (usize, &(Channel, f64))| {
            let nature = platform.nature(channel);
            let most = nature.bandwidth * seconds;
            let utilization = (nature.is_shared && most > 0.0).then(|| bytes / most);
            let joules = self.energy().and_then(|energy| energy.of_link(place, channel, platform));
            LinkUse { channel, bytes, utilization, joules }
        };
        Footprint {
            messages: self.messages(),
            events: self.events(),
            unreceived: self.unexpected(),
            links: self.carried().iter().enumerate().map(link).collect(),
            energy: self.energy().cloned(),
        }
    }
}

/// The link with the highest utilization.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MostUsed {
    /// The link; among equals the first one that was used.
    pub channel: Channel,
    /// The used share of its bandwidth.
    pub share: f64,
    /// The number of links with the same utilization, including this one.
    pub links: u64,
}

/// Utilizations closer than this, relative to the highest, are equal.
const ROUNDING: f64 = 1e-9;

impl Footprint {
    /// The link with the highest utilization, the first among equals, and their number.
    #[must_use]
    pub fn most_used(&self) -> Option<MostUsed> {
        let used = || self.links.iter().filter_map(|link| Some((link.channel, link.utilization?)));
        let greatest = used().map(|(_, share)| share).reduce(f64::max)?;
        let equal = || used().filter(|(_, share)| *share >= greatest * (1.0 - ROUNDING));
        let (channel, share) = equal().next()?;
        Some(MostUsed { channel, share, links: equal().count() as u64 })
    }
}
