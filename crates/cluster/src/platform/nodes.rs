//! The nodes of a platform: their cores and speeds, caches, loads and faults, and their messages to themselves.

use super::Platform;
use super::check::{self, NATURAL, POSITIVE, PlatformError, SHARE, UNBOUNDED, count, in_range};
use crate::fault::Fault;
use crate::network::Transfer;
use crate::profile::Availability;
use crate::program::NodeId;
use crate::transport::PathCost;

/// The cost of messages from a node to itself, any number at once.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Loopback {
    /// The latency, in seconds.
    pub latency: f64,
    /// The bandwidth of each message, in bytes per second.
    pub bandwidth: f64,
}

/// The fast memory of a node: a working set that does not fit into it slows computations down.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cache {
    /// The largest working set that fits, in bytes.
    pub bytes: u64,
    /// A factor on the node's speed while the working set does not fit, in (0, 1].
    pub speed_beyond: f64,
}

impl Platform {
    /// The same platform with speeds in operations per second of one core, by cluster.
    ///
    /// # Errors
    /// If there is not one for each cluster, or one is not above zero and finite.
    pub fn with_cluster_speeds(mut self, speeds: &[f64]) -> Result<Self, PlatformError> {
        count("speeds of clusters", speeds.len(), self.clusters.len())?;
        in_range("the speed of cluster", POSITIVE, speeds.iter().copied().enumerate())?;
        self.cluster_speeds = speeds.iter().map(|speed| speed / self.tick.per_second()).collect();
        Ok(self)
    }

    /// The same platform with speeds in operations per second of one core, by node.
    ///
    /// # Errors
    /// If there is not one for each node, or one is not above zero and finite.
    pub fn with_speeds(mut self, speeds: &[f64]) -> Result<Self, PlatformError> {
        count("speeds of nodes", speeds.len(), self.nodes() as usize)?;
        in_range("the speed of node", POSITIVE, speeds.iter().copied().enumerate())?;
        self.speeds = speeds.iter().map(|speed| speed / self.tick.per_second()).collect();
        Ok(self)
    }

    /// The same platform with the cores of each node.
    ///
    /// # Errors
    /// If there is not one number for each node, or one is zero.
    pub fn with_node_cores(mut self, cores: Vec<u32>) -> Result<Self, PlatformError> {
        count("numbers of cores", cores.len(), self.nodes() as usize)?;
        check::cores("the number of cores of node", cores.iter().copied())?;
        self.cores = cores;
        Ok(self)
    }

    /// The same platform with the costs of messages from nodes to themselves, by cluster; `None` is free.
    ///
    /// # Errors
    /// If there is not one entry for each cluster, or a latency or a bandwidth is out of range.
    pub fn with_loopbacks(mut self, loopbacks: Vec<Option<Loopback>>) -> Result<Self, PlatformError> {
        count("loopbacks", loopbacks.len(), self.clusters.len())?;
        check_loopbacks(&loopbacks)?;
        self.loopbacks = if loopbacks.iter().all(Option::is_none) { Vec::new() } else { loopbacks };
        Ok(self)
    }

    /// The same platform with the caches of its nodes, by cluster.
    ///
    /// # Errors
    /// If there is not one entry for each cluster, or a factor on the speed is not in (0, 1].
    pub fn with_caches(mut self, caches: &[Option<Cache>]) -> Result<Self, PlatformError> {
        count("caches", caches.len(), self.clusters.len())?;
        check_caches(caches)?;
        self.caches = if caches.iter().all(Option::is_none) { Vec::new() } else { caches.to_vec() };
        Ok(self)
    }

    /// The same platform with the share of each node beside its external load.
    ///
    /// # Errors
    /// If there is not one load for each node, or a share is negative or a cycle has no length.
    pub fn with_loads(mut self, loads: Vec<Availability>) -> Result<Self, PlatformError> {
        count("loads", loads.len(), self.nodes() as usize)?;
        check_loads(&loads)?;
        self.loads = loads;
        Ok(self)
    }

    /// The same platform with the faults of each node, which is down while any of them is in effect.
    ///
    /// # Errors
    /// If there is not one list for each node.
    pub fn with_faults(mut self, faults: Vec<Vec<Fault>>) -> Result<Self, PlatformError> {
        count("lists of faults", faults.len(), self.nodes() as usize)?;
        self.faults = if faults.iter().all(Vec::is_empty) { Vec::new() } else { faults };
        Ok(self)
    }

    /// The cost of a message from a node to itself without links.
    pub(crate) fn loopback(&self, node: NodeId, bytes: u64) -> Transfer {
        let Some(Some(loopback)) = self.loopbacks.get(self.cluster_of(node)) else { return Transfer::default() };
        let way = PathCost { latency: loopback.latency, per_byte: 1.0 / loopback.bandwidth };
        self.transport.alone(way, loopback.bandwidth, bytes, self.tick)
    }

    /// The speed of one core of a node, in operations per tick.
    #[must_use]
    pub fn speed(&self, node: NodeId) -> f64 {
        self.speeds.get(node.index()).copied().unwrap_or_else(|| self.cluster_speeds[self.cluster_of(node)])
    }

    /// The speed of one core of a node, in operations per second.
    #[must_use]
    pub fn speed_per_second(&self, node: NodeId) -> f64 {
        self.speed(node) * self.tick.per_second()
    }

    /// The speed of one core of a node with a working set of `working_set` bytes, in operations per second: that of
    /// [`speed_per_second`](Self::speed_per_second), reduced if the node has a cache that the set does not fit.
    #[must_use]
    pub fn speed_with(&self, node: NodeId, working_set: u64) -> f64 {
        self.speed_on(node, working_set) * self.tick.per_second()
    }

    /// [`speed_with`](Self::speed_with) in operations per tick.
    pub(crate) fn speed_on(&self, node: NodeId, working_set: u64) -> f64 {
        match self.cache(node) {
            Some(cache) if working_set > cache.bytes => self.speed(node) * cache.speed_beyond,
            _ => self.speed(node),
        }
    }

    /// The mean speed of a core of a node under its external load, in operations per second.
    #[must_use]
    pub fn speed_under_load(&self, node: NodeId) -> f64 {
        self.speed_per_second(node) * self.loads.get(node.index()).map_or(1.0, Availability::mean_share)
    }

    /// The cache of a node, if it has one.
    #[must_use]
    pub fn cache(&self, node: NodeId) -> Option<Cache> {
        if self.caches.is_empty() { None } else { self.caches[self.cluster_of(node)] }
    }

    /// The availability of a node beside external load; `None` if no node has a load.
    #[must_use]
    pub fn availability(&self, node: NodeId) -> Option<&Availability> {
        self.loads.get(node.index())
    }

    /// The availability of each node beside external load; empty without loads.
    #[must_use]
    pub fn loads(&self) -> &[Availability] {
        &self.loads
    }

    /// The faults of each node; empty if no node has any.
    #[must_use]
    pub fn faults(&self) -> &[Vec<Fault>] {
        &self.faults
    }

    /// The number of cores of a node.
    #[must_use]
    pub fn cores(&self, node: NodeId) -> u32 {
        self.cores.get(node.index()).copied().unwrap_or_else(|| self.clusters[self.cluster_of(node)].cores)
    }
}

fn check_loopbacks(loopbacks: &[Option<Loopback>]) -> Result<(), PlatformError> {
    let given = || loopbacks.iter().enumerate().filter_map(|(number, loopback)| loopback.map(|given| (number, given)));
    in_range("the latency of loopback", NATURAL, given().map(|(number, loopback)| (number, loopback.latency)))?;
    in_range("the bandwidth of loopback", UNBOUNDED, given().map(|(number, loopback)| (number, loopback.bandwidth)))
}

fn check_caches(caches: &[Option<Cache>]) -> Result<(), PlatformError> {
    let beyond =
        caches.iter().enumerate().filter_map(|(number, cache)| cache.map(|cache| (number, cache.speed_beyond)));
    in_range("the speed beyond cache", SHARE, beyond)
}

fn check_loads(loads: &[Availability]) -> Result<(), PlatformError> {
    in_range("the share beside the load of node", NATURAL, loads.iter().map(Availability::known_share).enumerate())?;
    in_range("the mean cycle of the load of node", POSITIVE, loads.iter().map(Availability::known_turn).enumerate())
}
