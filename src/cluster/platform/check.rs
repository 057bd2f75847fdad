//! What can't be part of a machine, and why.

use thiserror::Error;

use super::{Cache, Cluster, Connection, Link, LinkPower, Loopback, NodePower};
use crate::cluster::profile::Availability;
use crate::cluster::topology::Topology;
use crate::cluster::transport::Transport;
use crate::units::Tick;

/// Why a machine can't be simulated.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[non_exhaustive]
pub enum PlatformError {
    /// A network model counts in other ticks than the platform.
    #[error(
        "the network model of link {link} counts in ticks of {} ps, its platform in ticks of {} ps",
        model.picoseconds(crate::units::Time(1)), platform.picoseconds(crate::units::Time(1))
    )]
    OtherTick {
        /// The number of the link.
        link: usize,
        /// The tick that the model was made for.
        model: Tick,
        /// The platform's.
        platform: Tick,
    },
    /// Something is not given once for each cluster, node, or pair of clusters.
    #[error("there are {given} {what}, and {wanted} are needed")]
    Count {
        /// What was given.
        what: &'static str,
        /// How many were.
        given: usize,
        /// How many there have to be.
        wanted: usize,
    },
    /// A number is out of range.
    #[error("{what} {number} is {value}; it must be {range}")]
    OutOfRange {
        /// What it is.
        what: &'static str,
        /// Its number among those given together, from 0.
        number: usize,
        /// Its value.
        value: f64,
        /// What it may be.
        range: &'static str,
    },
    /// There is no link of a number.
    #[error("there is no link {link}")]
    NoLink {
        /// The number.
        link: usize,
    },
    /// There are more nodes than can be numbered.
    #[error("there are more than {} nodes", u32::MAX)]
    TooManyNodes,
    /// The levels inside a cluster are too many, don't divide one another, or were given before.
    #[error("the levels of cluster {cluster} {why}")]
    Levels {
        /// The number of the cluster.
        cluster: usize,
        /// What is wrong with them.
        why: &'static str,
    },
    /// A topology was made for fewer nodes than its cluster has.
    #[error("the topology of cluster {cluster} is one of {given} nodes, and the cluster has {nodes}")]
    Topology {
        /// The number of the cluster.
        cluster: usize,
        /// How many nodes the topology was made for.
        given: u32,
        /// How many the cluster has.
        nodes: u32,
    },
    /// A cluster has fewer nodes than are wanted of it.
    #[error("{wanted} nodes of cluster {cluster} are wanted, which has {nodes}")]
    NoNodes {
        /// The number of the cluster.
        cluster: usize,
        /// How many nodes are wanted.
        wanted: u32,
        /// How many it has.
        nodes: u32,
    },
    /// A cluster would fall away through which routes may lead.
    #[error("no node of cluster {cluster} would be left, and routes may lead through it")]
    RoutedThrough {
        /// The number of the cluster.
        cluster: usize,
    },
    /// The routes of a cluster, or of a zone of routers numbered behind the clusters, don't fit it.
    #[error("the routes of cluster {cluster} {why}")]
    Routes {
        /// The number of the cluster.
        cluster: usize,
        /// What is wrong with them.
        why: &'static str,
    },
    /// A zone has members that it can't have, or routes that don't join them.
    #[error("zone {zone} {why}")]
    Zone {
        /// The number of the zone.
        zone: usize,
        /// What is wrong with it.
        why: &'static str,
    },
}

const ABOVE_ZERO: &str = "above zero, and finite";
const ZERO_OR_MORE: &str = "zero or more, and finite";
const PART: &str = "above zero, and 1 at most";

/// What numbers may be.
#[derive(Clone, Copy)]
pub(super) struct Range {
    holds: fn(f64) -> bool,
    words: &'static str,
}

/// Above zero, and finite.
pub(super) const POSITIVE: Range = Range { holds: |value| value > 0.0 && value.is_finite(), words: ABOVE_ZERO };
/// Zero or more, and finite.
pub(super) const NATURAL: Range = Range { holds: |value| value >= 0.0 && value.is_finite(), words: ZERO_OR_MORE };
/// In (0, 1].
const SHARE: Range = Range { holds: |value| value > 0.0 && value <= 1.0, words: PART };
/// Above zero, perhaps without bound.
const UNBOUNDED: Range = Range { holds: |value| value > 0.0, words: "above zero" };

/// Holds numbered values of one kind to their range.
pub(super) fn in_range(
    what: &'static str,
    range: Range,
    values: impl IntoIterator<Item = (usize, f64)>,
) -> Result<(), PlatformError> {
    match values.into_iter().find(|&(_, value)| !(range.holds)(value)) {
        Some((number, value)) => Err(PlatformError::OutOfRange { what, number, value, range: range.words }),
        None => Ok(()),
    }
}

/// Holds what is given to be as many as there have to be.
pub(super) const fn count(what: &'static str, given: usize, wanted: usize) -> Result<(), PlatformError> {
    if given == wanted { Ok(()) } else { Err(PlatformError::Count { what, given, wanted }) }
}

/// The number of nodes of all clusters together, each of which needs a core.
pub(super) fn clusters(clusters: &[Cluster]) -> Result<(), PlatformError> {
    let nodes: u64 = clusters.iter().map(|cluster| u64::from(cluster.nodes)).sum();
    // The last number stands for no node.
    if nodes >= u64::from(u32::MAX) {
        return Err(PlatformError::TooManyNodes);
    }
    cores(clusters.iter().map(|cluster| cluster.cores))
}

pub(super) fn cores(cores: impl IntoIterator<Item = u32>) -> Result<(), PlatformError> {
    in_range("the number of cores", POSITIVE, cores.into_iter().map(f64::from).enumerate())
}

pub(super) fn links<'l>(links: impl IntoIterator<Item = &'l Connection>, tick: Tick) -> Result<(), PlatformError> {
    for (number, link) in links.into_iter().enumerate() {
        if let Some(model) = link.model.tick().filter(|model| *model != tick) {
            return Err(PlatformError::OtherTick { link: number, model, platform: tick });
        }
        in_range("the jitter of link", NATURAL, [(number, link.jitter)])?;
        link_power(number, link.power)?;
    }
    Ok(())
}

fn link_power(number: usize, power: Option<LinkPower>) -> Result<(), PlatformError> {
    let watts = power.into_iter().flat_map(|power| [power.idle, power.full]);
    in_range("a power of link", NATURAL, watts.map(|watts| (number, watts)))
}

pub(super) fn powers(powers: &[Option<NodePower>]) -> Result<(), PlatformError> {
    let watts = |power: NodePower| [power.idle, power.active, power.per_core, power.off];
    let numbered = powers.iter().enumerate().filter_map(|(number, power)| power.map(|power| (number, power)));
    in_range("power", NATURAL, numbered.flat_map(|(number, power)| watts(power).map(|watts| (number, watts))))
}

pub(super) fn loopbacks(loopbacks: &[Option<Loopback>]) -> Result<(), PlatformError> {
    let given = || loopbacks.iter().enumerate().filter_map(|(number, loopback)| loopback.map(|given| (number, given)));
    in_range("the latency of loopback", NATURAL, given().map(|(number, loopback)| (number, loopback.latency)))?;
    in_range("the bandwidth of loopback", UNBOUNDED, given().map(|(number, loopback)| (number, loopback.bandwidth)))
}

pub(super) fn caches(caches: &[Option<Cache>]) -> Result<(), PlatformError> {
    let beyond =
        caches.iter().enumerate().filter_map(|(number, cache)| cache.map(|cache| (number, cache.speed_beyond)));
    in_range("the speed beyond cache", SHARE, beyond)
}

pub(super) fn loads(loads: &[Availability]) -> Result<(), PlatformError> {
    in_range("what a load leaves of node", NATURAL, loads.iter().map(Availability::known_share).enumerate())?;
    in_range("the mean turn of the load of node", POSITIVE, loads.iter().map(Availability::known_turn).enumerate())
}

pub(super) fn transport(transport: &Transport) -> Result<(), PlatformError> {
    in_range("the latency factor of transport", POSITIVE, [(0, transport.latency_factor)])?;
    in_range("the bandwidth factor of transport", SHARE, [(0, transport.bandwidth_factor)])?;
    in_range("the window of transport", UNBOUNDED, transport.window.map(|window| (0, window)))?;
    in_range("the round-trip payload of transport", NATURAL, transport.round_trip_payload.map(|bytes| (0, bytes)))?;
    in_range("the reverse share of transport", NATURAL, [(0, transport.reverse_share)])
}

pub(super) fn named_links(links: &[Link]) -> Result<(), PlatformError> {
    for (number, link) in links.iter().enumerate() {
        in_range("the bandwidth of wire", UNBOUNDED, [(number, link.bandwidth)])?;
        in_range("the latency of wire", NATURAL, [(number, link.latency)])?;
        link_power(number, link.power)?;
    }
    Ok(())
}

/// Each cluster's own network, where it has a topology, is one of as many nodes at least.
pub(super) fn topologies(clusters: &[Cluster], links: &[Connection]) -> Result<(), PlatformError> {
    for (cluster, &Cluster { nodes, .. }) in clusters.iter().enumerate() {
        let given = links[cluster * clusters.len() + cluster].model.topology().map_or(nodes, Topology::nodes);
        if given < nodes {
            return Err(PlatformError::Topology { cluster, given, nodes });
        }
    }
    Ok(())
}
