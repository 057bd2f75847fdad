//! The state of a link apart from its messages: factors over time, and faults.

use std::sync::Arc;

use super::{Platform, PlatformError, check};
use crate::fault::Fault;
use crate::profile::Profile;

impl Platform {
    /// The same platform with the faults of the links that join each node to the network of its cluster. The uplink and
    /// the downlink are down together, while any fault is in effect. For clusters under the model `fair`.
    ///
    /// # Errors
    /// If there is not one list for each node.
    pub fn with_link_faults(mut self, faults: Vec<Vec<Fault>>) -> Result<Self, PlatformError> {
        check::count("lists of link faults", faults.len(), self.nodes() as usize)?;
        self.link_faults = if faults.iter().all(Vec::is_empty) { Vec::new() } else { faults };
        Ok(self)
    }

    /// The same platform with the given factors over time on the connection of that number in
    /// [`connections`](Self::connections); a factor that is not given stays.
    ///
    /// # Errors
    /// If the link does not exist.
    pub fn with_factors(
        mut self,
        link: usize,
        latency: Option<Profile>,
        bandwidth: Option<Profile>,
    ) -> Result<Self, PlatformError> {
        let link = self.links.own(link).ok_or(PlatformError::NoLink { link })?;
        link.latency = latency.or_else(|| link.latency.take());
        link.bandwidth = bandwidth.or_else(|| link.bandwidth.take());
        Ok(self)
    }

    /// The same platform with the given factors over time on the named link of that number; a factor that is not given
    /// stays.
    ///
    /// # Errors
    /// If the link does not exist.
    pub fn with_named_link_factors(
        mut self,
        link: usize,
        latency: Option<Profile>,
        bandwidth: Option<Profile>,
    ) -> Result<Self, PlatformError> {
        let tables = self.routing.as_mut().filter(|tables| link < tables.links().len());
        let tables = tables.ok_or(PlatformError::NoLink { link })?;
        Arc::make_mut(tables).set_factors(link, latency, bandwidth);
        Ok(self)
    }

    /// The faults of the links that join each node to the network of its cluster; empty if there are none.
    #[must_use]
    pub fn link_faults(&self) -> &[Vec<Fault>] {
        &self.link_faults
    }

    /// About how many outages all nodes and links have together in a second.
    #[must_use]
    pub fn outage_rate(&self) -> f64 {
        let connections = (0..self.links.len()).map(|number| &self.links[number].faults);
        let named = self.routing.iter().flat_map(|tables| tables.links()).map(|link| &link.faults);
        let faults = self.faults.iter().chain(&self.link_faults).chain(connections).chain(named).flatten();
        faults.filter_map(Fault::mean_period).map(|period| self.tick.per_second() / period).sum()
    }
}
