//! Links and flows as they are asked for, and why they are refused.

use super::routes::PathLink;

/// Whether the flows on a link add up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkKind {
    /// All flows share the capacity. A full-duplex link is two such links, one for each direction.
    Shared,
    /// Each flow alone is bound by the capacity, whatever the others do (a backbone that never fills).
    Unshared,
}

/// What a flow asks for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Demand {
    /// The bytes to send, finite and not negative.
    pub bytes: f64,
    /// Its part in a full link beside the others', positive; the inverse of a penalty.
    pub weight: f64,
    /// The highest rate in bytes a tick, not negative; infinite where only links bound it.
    pub limit: f64,
}

/// Why a flow can't start.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BadFlow {
    /// The bytes are negative or not finite.
    #[error("the bytes of a flow must be finite and not negative, but are {0}")]
    Bytes(f64),
    /// The weight isn't positive and finite.
    #[error("the weight of a flow must be finite and above zero, but is {0}")]
    Weight(f64),
    /// The limit is negative or not a number.
    #[error("the limit of a flow must not be negative, but is {0}")]
    Limit(f64),
    /// The flow's share of a link isn't positive and finite, or isn't so times the weight.
    #[error("the share of a flow, also times its weight, must be finite and above zero, but is {share} at link {link}")]
    Share {
        /// The link.
        link: u32,
        /// The share that was asked for.
        share: f64,
    },
    /// The route names a link that isn't there.
    #[error("the route of a flow names link {link}, but there are {links} in all")]
    Link {
        /// The link that was named.
        link: u32,
        /// How many links there are; they are numbered from zero.
        links: usize,
    },
}

/// Why a link can't be added or changed.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BadLink {
    /// The capacity is negative or not a number.
    #[error("the capacity of a link must not be negative, but is {0}")]
    Capacity(f64),
    /// There is no such link.
    #[error("there is no link {link}, there are {links} in all")]
    Link {
        /// The link that was named.
        link: u32,
        /// How many links there are; they are numbered from zero.
        links: usize,
    },
}

/// Whether a link may have some capacity, in bytes a tick.
pub(crate) fn check_capacity(capacity: f64) -> Result<(), BadLink> {
    if capacity >= 0.0 { Ok(()) } else { Err(BadLink::Capacity(capacity)) }
}

/// Whether a flow over `route` makes sense, where there are some links.
pub(crate) fn check(route: &[PathLink], demand: Demand, links: usize) -> Result<(), BadFlow> {
    let is_positive = |number: f64| number > 0.0 && number.is_finite();
    if !(demand.bytes >= 0.0 && demand.bytes.is_finite()) {
        return Err(BadFlow::Bytes(demand.bytes));
    }
    if !is_positive(demand.weight) {
        return Err(BadFlow::Weight(demand.weight));
    }
    if demand.limit.is_nan() || demand.limit < 0.0 {
        return Err(BadFlow::Limit(demand.limit));
    }
    // Shares of one link add up, so that their sum must be a number, too.
    let mut sum = 0.0;
    for &PathLink { link, share } in route {
        sum += share;
        if link as usize >= links {
            return Err(BadFlow::Link { link, links });
        }
        if !(is_positive(share) && is_positive(share * demand.weight) && is_positive(sum * demand.weight)) {
            return Err(BadFlow::Share { link, share });
        }
    }
    Ok(())
}
