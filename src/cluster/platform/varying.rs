//! What a link's state depends on besides its messages: factors over time, and faults.

use std::sync::Arc;

use super::{Platform, PlatformError, check};
use crate::cluster::fault::Fault;
use crate::cluster::profile::Profile;

impl Platform {
    /// The same machine with the faults of the links that join each node to the network of its cluster: the link up and
    /// the link down are down together, while any of them says so. For clusters under the model `fair`.
    ///
    /// It is a [fault](Self::fault) where there is not one list for each node.
    #[must_use]
    pub fn with_link_faults(mut self, faults: Vec<Vec<Fault>>) -> Self {
        if self.allows(check::count("lists of link faults", faults.len(), self.nodes() as usize)) {
            self.link_faults = if faults.iter().all(Vec::is_empty) { Vec::new() } else { faults };
        }
        self
    }

    /// The same machine with other factors over time on the link of that number in [`links`](Self::links); a factor that
    /// is not given stays.
    ///
    /// It is a [fault](Self::fault) where there is no such link.
    #[must_use]
    pub fn with_factors(mut self, link: usize, latency: Option<Profile>, bandwidth: Option<Profile>) -> Self {
        match self.links.get_mut(link) {
            Some(link) => {
                link.latency = latency.or_else(|| link.latency.take());
                link.bandwidth = bandwidth.or_else(|| link.bandwidth.take());
            }
            None => drop(self.allows(Err(PlatformError::NoLink { link }))),
        }
        self
    }

    /// The same machine with other factors over time on the named link of that number; a factor that is not given stays.
    ///
    /// It is a [fault](Self::fault) where there is no such link.
    #[must_use]
    pub fn with_named_link_factors(
        mut self,
        wire: usize,
        latency: Option<Profile>,
        bandwidth: Option<Profile>,
    ) -> Self {
        match &mut self.wiring {
            Some(wiring) if wire < wiring.wires().len() => {
                Arc::make_mut(wiring).set_factors(wire, latency, bandwidth);
            }
            _ => drop(self.allows(Err(PlatformError::NoLink { link: wire }))),
        }
        self
    }

    /// The faults of the links that join each node to the network of its cluster; empty where none has any.
    #[must_use]
    pub fn link_faults(&self) -> &[Vec<Fault>] {
        &self.link_faults
    }
}
