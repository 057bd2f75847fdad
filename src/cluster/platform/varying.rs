//! What a link's state depends on besides its messages: factors over time, and faults.

use std::sync::Arc;

use super::{Platform, PlatformError, check};
use crate::cluster::fault::Fault;
use crate::cluster::profile::Profile;

impl Platform {
    /// The same machine with the faults of the links that join each node to the network of its cluster: the link up and
    /// the link down are down together, while any of them says so. For clusters under the model `fair`.
    ///
    /// # Errors
    /// Where there is not one list for each node.
    pub fn with_link_faults(mut self, faults: Vec<Vec<Fault>>) -> Result<Self, PlatformError> {
        check::count("lists of link faults", faults.len(), self.nodes() as usize)?;
        self.link_faults = if faults.iter().all(Vec::is_empty) { Vec::new() } else { faults };
        Ok(self)
    }

    /// The same machine with other factors over time on the link of that number in [`links`](Self::links); a factor that
    /// is not given stays.
    ///
    /// # Errors
    /// Where there is no such link.
    pub fn with_factors(
        mut self,
        link: usize,
        latency: Option<Profile>,
        bandwidth: Option<Profile>,
    ) -> Result<Self, PlatformError> {
        let link = self.links.get_mut(link).ok_or(PlatformError::NoLink { link })?;
        link.latency = latency.or_else(|| link.latency.take());
        link.bandwidth = bandwidth.or_else(|| link.bandwidth.take());
        Ok(self)
    }

    /// The same machine with other factors over time on the named link of that number; a factor that is not given stays.
    ///
    /// # Errors
    /// Where there is no such link.
    pub fn with_named_link_factors(
        mut self,
        wire: usize,
        latency: Option<Profile>,
        bandwidth: Option<Profile>,
    ) -> Result<Self, PlatformError> {
        let tables = self.wiring.as_mut().filter(|tables| wire < tables.wires().len());
        let tables = tables.ok_or(PlatformError::NoLink { link: wire })?;
        Arc::make_mut(tables).set_factors(wire, latency, bandwidth);
        Ok(self)
    }

    /// The faults of the links that join each node to the network of its cluster; empty where none has any.
    #[must_use]
    pub fn link_faults(&self) -> &[Vec<Fault>] {
        &self.link_faults
    }
}
