//! Checks of a platform's parts, and their errors.

use thiserror::Error;

use super::{Cluster, MOST_CLUSTERS};
use crate::transport::Transport;
use hetsim_base::units::Tick;

/// Why a platform cannot be simulated.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[non_exhaustive]
pub enum PlatformError {
    /// A network model has another tick than the platform.
    #[error(
        "the network model of connection {link} has a tick of {} ps, but its platform one of {} ps",
        model.picoseconds(hetsim_base::units::Time(1)), platform.picoseconds(hetsim_base::units::Time(1))
    )]
    OtherTick {
        /// The number of the connection.
        link: usize,
        /// The tick of the model.
        model: Tick,
        /// The tick of the platform.
        platform: Tick,
    },
    /// A network model [delivers](crate::network::NetworkModel::delivery) messages of another class than it
    /// says.
    #[error("the network model of connection {link} delivers messages of another class than it says")]
    Class {
        /// The number of the connection.
        link: usize,
    },
    /// There is not one value for each cluster, node, or pair of clusters.
    #[error("there are {given} {what}, and {wanted} are needed")]
    Count {
        /// The kind of value.
        what: &'static str,
        /// The number of values.
        given: usize,
        /// The required number.
        wanted: usize,
    },
    /// A value is out of range.
    #[error("{what} {number} is {value}; it must be {range}")]
    OutOfRange {
        /// The kind of value.
        what: &'static str,
        /// Its index among the values given together, from 0.
        number: usize,
        /// The value.
        value: f64,
        /// The allowed values.
        range: &'static str,
    },
    /// A link does not exist.
    #[error("there is no link {link}")]
    NoLink {
        /// The number of the link.
        link: usize,
    },
    /// There are more nodes than can be numbered.
    #[error("there are more than {} nodes", u32::MAX - 1)]
    TooManyNodes,
    /// There are more clusters than [`MOST_CLUSTERS`].
    #[error("there are {clusters} clusters, more than {MOST_CLUSTERS}")]
    TooManyClusters {
        /// How many there are.
        clusters: usize,
    },
    /// The levels inside a cluster are too many, don't divide one another, or were given before.
    #[error("the levels of cluster {cluster} {why}")]
    Levels {
        /// The number of the cluster.
        cluster: usize,
        /// What is wrong with the levels.
        why: &'static str,
    },
    /// Ranks are on a node twice, or on one of another cluster.
    #[error("the ranks of cluster {cluster} are not on each of its nodes once")]
    Ranks {
        /// The number of the cluster.
        cluster: usize,
    },
    /// Nodes stand at places that do not rise, or that the topology does not have.
    #[error("the nodes of cluster {cluster} do not have a place each, in rising order, inside its topology")]
    Places {
        /// The number of the cluster.
        cluster: usize,
    },
    /// A kernel is not for these nodes, or there are two of its name.
    #[error("kernel {kernel} is not for each node once, or has the name of another")]
    Kernel {
        /// Its number.
        kernel: usize,
    },
    /// A topology was made for fewer nodes than its cluster has.
    #[error("the topology of cluster {cluster} is one of {given} nodes, and the cluster has {nodes}")]
    Topology {
        /// The number of the cluster.
        cluster: usize,
        /// The number of nodes of the topology.
        given: u32,
        /// The number of nodes of the cluster.
        nodes: u32,
    },
    /// A cluster has fewer nodes than requested.
    #[error("cluster {cluster} has {nodes} nodes, not {wanted}")]
    NoNodes {
        /// The number of the cluster.
        cluster: usize,
        /// The requested number of nodes.
        wanted: u32,
        /// The number of its nodes.
        nodes: u32,
    },
    /// A cluster would be removed through which routes may lead.
    #[error("no node of cluster {cluster} would be left, and routes may lead through it")]
    RoutedThrough {
        /// The number of the cluster.
        cluster: usize,
    },
    /// The routes of a cluster, or of a zone of routers numbered after the clusters, do not fit it.
    #[error("the routes of cluster {cluster} {why}")]
    Routes {
        /// The number of the cluster.
        cluster: usize,
        /// What is wrong with them.
        why: &'static str,
    },
    /// A zone has invalid members, or routes that do not connect them.
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

/// A range of allowed values.
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
pub(super) const SHARE: Range = Range { holds: |value| value > 0.0 && value <= 1.0, words: PART };
/// Above zero, possibly infinite.
pub(super) const UNBOUNDED: Range = Range { holds: |value| value > 0.0, words: "above zero" };

/// Checks numbered values of one kind against their range.
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

/// Checks the number of given values.
pub(super) const fn count(what: &'static str, given: usize, wanted: usize) -> Result<(), PlatformError> {
    if given == wanted { Ok(()) } else { Err(PlatformError::Count { what, given, wanted }) }
}

/// Checks the total number of nodes, and that each has a core.
pub(super) fn clusters(clusters: &[Cluster]) -> Result<(), PlatformError> {
    if clusters.len() > MOST_CLUSTERS {
        return Err(PlatformError::TooManyClusters { clusters: clusters.len() });
    }
    let nodes: u64 = clusters.iter().map(|cluster| u64::from(cluster.nodes)).sum();
    // The last number stands for no node.
    if nodes >= u64::from(u32::MAX) {
        return Err(PlatformError::TooManyNodes);
    }
    cores("the number of cores of cluster", clusters.iter().map(|cluster| cluster.cores))
}

pub(super) fn cores(what: &'static str, cores: impl IntoIterator<Item = u32>) -> Result<(), PlatformError> {
    in_range(what, POSITIVE, cores.into_iter().map(f64::from).enumerate())
}

pub(super) fn transport(transport: &Transport) -> Result<(), PlatformError> {
    in_range("the latency factor of transport", POSITIVE, transport.latency_factor.all().enumerate())?;
    in_range("the bandwidth factor of transport", POSITIVE, transport.bandwidth_factor.all().enumerate())?;
    in_range("the window of transport", UNBOUNDED, transport.window.map(|window| (0, window)))?;
    in_range("the round-trip payload of transport", NATURAL, transport.round_trip_payload.map(|bytes| (0, bytes)))?;
    in_range("the reverse share of transport", NATURAL, [(0, transport.reverse_share)])
}
