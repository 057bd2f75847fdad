//! What a run has asked of the machine, whatever the program was.

use super::energy::Energy;
use super::platform::Channel;
use super::simulation::Simulation;

/// What a run has asked of the machine.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Footprint {
    /// Messages delivered.
    pub messages: u64,
    /// Events handled.
    pub events: u64,
    /// The links that messages shared, one direction after the other, in the order in which the first message came to
    /// each.
    pub links: Vec<LinkUse>,
    /// What it has taken, where the platform says what something draws.
    pub energy: Option<Energy>,
}

/// What went over one direction of a link that messages share.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinkUse {
    /// The link.
    pub channel: Channel,
    /// The bytes of the messages that it was given to carry.
    pub bytes: f64,
    /// The part of what it could have carried in the whole run at its full bandwidth, in [0, 1]; nothing where it is not
    /// shared, or the run took no time.
    pub utilization: Option<f64>,
    /// What it has taken, in joules; nothing where it is not said what it draws.
    pub joules: Option<f64>,
}

impl<M> Simulation<'_, M> {
    /// What the run has asked of the machine so far.
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
            links: self.carried().iter().enumerate().map(link).collect(),
            energy: self.energy().cloned(),
        }
    }
}

/// The link of which the greatest part was used.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MostUsed {
    /// The link: of equals the first to which a message came.
    pub channel: Channel,
    /// The part of its bandwidth that was used.
    pub share: f64,
    /// How many links were used as much, itself included.
    pub links: u64,
}

/// Shares of bandwidths that lie closer together, relative to the greatest, are equal.
const ROUNDING: f64 = 1e-9;

impl Footprint {
    /// The link of which the greatest part was used; the first of equals, with their number.
    #[must_use]
    pub fn most_used(&self) -> Option<MostUsed> {
        let used = || self.links.iter().filter_map(|link| Some((link.channel, link.utilization?)));
        let greatest = used().map(|(_, share)| share).reduce(f64::max)?;
        let equal = || used().filter(|(_, share)| *share >= greatest * (1.0 - ROUNDING));
        let (channel, share) = equal().next()?;
        Some(MostUsed { channel, share, links: equal().count() as u64 })
    }
}
