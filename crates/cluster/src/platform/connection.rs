//! The network between the nodes of a cluster, or from one cluster to another.

use super::check::{NATURAL, PlatformError, in_range};
use super::power::{LinkPower, check_link};
use crate::fault::Fault;
use crate::network::Model;
use crate::profile::Profile;
use hetsim_base::units::Tick;

/// The network between the nodes of a cluster, or from one cluster to another.
#[derive(Debug, Clone, PartialEq)]
pub struct Connection {
    /// The cost of a message.
    pub model: Model,
    /// A factor on the latency, over time.
    pub latency: Option<Profile>,
    /// A factor on the bandwidth, over time.
    pub bandwidth: Option<Profile>,
    /// The standard deviation σ of a log-normal factor with mean 1 on each message's flight; 0 for none.
    pub jitter: f64,
    /// Its faults, for connections between clusters under the model `fair`.
    pub faults: Vec<Fault>,
    /// The power of each of its one-way channels; only if messages share them.
    pub power: Option<LinkPower>,
}

impl From<Model> for Connection {
    fn from(model: Model) -> Self {
        Self { model, latency: None, bandwidth: None, jitter: 0.0, faults: Vec::new(), power: None }
    }
}

impl Connection {
    /// Whether its costs change from message to message.
    #[must_use]
    pub const fn varies(&self) -> bool {
        self.latency.is_some() || self.bandwidth.is_some() || self.jitter > 0.0
    }
}

/// Checks connections that are numbered from `first` on.
pub(super) fn check<'l>(
    links: impl IntoIterator<Item = &'l Connection>,
    first: usize,
    tick: Tick,
) -> Result<(), PlatformError> {
    for (number, link) in (first..).zip(links) {
        if let Some(model) = link.model.tick().filter(|model| *model != tick) {
            return Err(PlatformError::OtherTick { link: number, model, platform: tick });
        }
        if !link.model.is_consistent() {
            return Err(PlatformError::Class { link: number });
        }
        in_range("the jitter of connection", NATURAL, [(number, link.jitter)])?;
        check_link("a power of connection", number, link.power)?;
    }
    Ok(())
}
