//! What can't be part of a machine, and why.
//!
//! A platform is made by a chain of calls, each of which gives a platform. What is wrong with any of them is kept as
//! the platform's [fault](Platform::fault), the first one only; what was given wrong is left out. A run on such a
//! platform ends at once with [`RunError::Platform`](crate::cluster::RunError::Platform).

use thiserror::Error;

use super::{Cache, Cluster, Connection, LinkPower, Loopback, NodePower, Platform, RoutingTables};
use crate::cluster::profile::Availability;
use crate::cluster::transport::Transport;
use crate::units::Tick;

/// Why a machine can't be simulated.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
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
    #[error("there are more than {} nodes", u32::MAX - 1)]
    TooManyNodes,
    /// The levels inside a cluster are too many, don't divide one another, or were given before.
    #[error("the levels of cluster {cluster} {why}")]
    Levels {
        /// The number of the cluster.
        cluster: usize,
        /// What is wrong with them.
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
    cores("the number of cores of cluster", clusters.iter().map(|cluster| cluster.cores))
}

pub(super) fn cores(what: &'static str, cores: impl IntoIterator<Item = u32>) -> Result<(), PlatformError> {
    in_range(what, POSITIVE, cores.into_iter().map(f64::from).enumerate())
}

/// Links that are numbered from `first` on.
pub(super) fn links<'l>(
    links: impl IntoIterator<Item = &'l Connection>,
    first: usize,
    tick: Tick,
) -> Result<(), PlatformError> {
    for (number, link) in (first..).zip(links) {
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

pub(super) fn wires(wiring: &RoutingTables) -> Result<(), PlatformError> {
    if let Some(link) = wiring.unknown() {
        return Err(PlatformError::NoLink { link });
    }
    for (number, wire) in wiring.wires().iter().enumerate() {
        in_range("the bandwidth of wire", UNBOUNDED, [(number, wire.bandwidth)])?;
        in_range("the latency of wire", NATURAL, [(number, wire.latency)])?;
        link_power(number, wire.power)?;
    }
    Ok(())
}

impl Platform {
    /// The first thing that was wrong with what the machine was made of, if anything was.
    #[must_use]
    pub const fn fault(&self) -> Option<PlatformError> {
        self.fault
    }

    /// Keeps what is wrong unless something was before. Gives whether all is well with what was checked.
    pub(super) fn allows(&mut self, checked: Result<(), PlatformError>) -> bool {
        let is_well = checked.is_ok();
        self.fault = self.fault.or(checked.err());
        is_well
    }
}
