//! Named links.

use super::check::{NATURAL, PlatformError, UNBOUNDED, in_range};
use super::power::{LinkPower, check_link};
use crate::fault::Fault;
use crate::profile::Profile;

/// A named link.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    /// Its name in the scenario.
    pub name: String,
    /// Its bandwidth, in bytes per second; of each direction if it has two.
    pub bandwidth: f64,
    /// Its latency, in seconds.
    pub latency: f64,
    /// Which messages share its bandwidth.
    pub sharing: LinkSharing,
    /// A factor on the latency, over time.
    pub latency_factor: Option<Profile>,
    /// A factor on the bandwidth, over time.
    pub bandwidth_factor: Option<Profile>,
    /// Its faults.
    pub faults: Vec<Fault>,
    /// The power of each of its directions, or of the whole link if they share one bandwidth.
    pub power: Option<LinkPower>,
}

/// Which messages share the bandwidth of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum LinkSharing {
    /// The messages of each direction among themselves.
    #[default]
    Duplex,
    /// All messages on it, in any direction.
    Shared,
    /// None: the bandwidth bounds each message on its own.
    Unshared,
}

/// A link on a route, in the direction of the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DirectedLink {
    /// The number of the link.
    pub link: u32,
    /// Whether the direction is the reverse one.
    pub back: bool,
}

/// Checks the parameters of links.
pub(super) fn check(links: &[Link]) -> Result<(), PlatformError> {
    for (number, link) in links.iter().enumerate() {
        in_range("the bandwidth of link", UNBOUNDED, [(number, link.bandwidth)])?;
        in_range("the latency of link", NATURAL, [(number, link.latency)])?;
        check_link("a power of link", number, link.power)?;
    }
    Ok(())
}
