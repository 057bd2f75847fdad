//! The parameters of links, routes and flows, and the errors of invalid ones.

/// Whether the rates of the flows on a link add up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkKind {
    /// All flows share the capacity. A full-duplex link is two such links, one for each direction.
    Shared,
    /// The capacity bounds each flow on its own (a backbone that never fills).
    Unshared,
}

/// A link on the requested route of a flow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PathLink {
    /// The link.
    pub link: u32,
    /// The load on the link per byte of the flow, positive and finite: one for a flow that crosses it, less on the
    /// reverse path, which carries only acknowledgements.
    pub share: f64,
}

impl PathLink {
    /// A link that carries the whole rate of the flow.
    #[must_use]
    pub const fn whole(link: u32) -> Self {
        Self { link, share: 1.0 }
    }
}

/// The demand of a flow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Demand {
    /// The bytes to send, finite and not negative.
    pub bytes: f64,
    /// Its weight relative to the other flows on a full link, positive; the inverse of a penalty.
    pub weight: f64,
    /// The highest rate in bytes per tick, not negative; infinite if only links bound it.
    pub limit: f64,
}

/// A flow's new weight, with the next solution.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reweighed {
    pub(crate) flow: u32,
    pub(crate) weight: f64,
    pub(crate) limit: f64,
    /// What it has left to send then, in bytes per weight.
    pub(crate) remaining: f64,
}

/// Why a flow cannot start.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BadFlow {
    /// The bytes are negative or not finite.
    #[error("the bytes of a flow must be finite and not negative, but are {0}")]
    Bytes(f64),
    /// The weight is not positive and finite.
    #[error("the weight of a flow must be finite and above zero, but is {0}")]
    Weight(f64),
    /// The limit is negative or not a number.
    #[error("the limit of a flow must not be negative, but is {0}")]
    Limit(f64),
    /// The flow's share of a link, or that share times the weight, is not positive and finite.
    #[error("the share of a flow, also times its weight, must be finite and above zero, but is {share} at link {link}")]
    Share {
        /// The link.
        link: u32,
        /// The requested share.
        share: f64,
    },
    /// The route names a link that does not exist.
    #[error("the route of a flow names link {link}, but there are {links} in all")]
    Link {
        /// The named link.
        link: u32,
        /// The number of links, numbered from zero.
        links: usize,
    },
    /// The route names both directions of a pair.
    #[error("the route of a flow names both directions of a pair, {link} and the link before")]
    BothDirections {
        /// The second direction.
        link: u32,
    },
}

/// Why a link cannot be added or changed.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BadLink {
    /// The capacity is negative or not a number.
    #[error("the capacity of a link must not be negative, but is {0}")]
    Capacity(f64),
    /// The load on the other direction of a pair is not positive and finite, or the solver has no pairs.
    #[error("the load on the other direction of a pair must be finite and above zero, but is {0}")]
    Back(f64),
    /// The link does not exist.
    #[error("there is no link {link}, there are {links} in all")]
    Link {
        /// The named link.
        link: u32,
        /// The number of links, numbered from zero.
        links: usize,
    },
}

/// Checks the capacity of a link, in bytes per tick.
pub(crate) fn check_capacity(capacity: f64) -> Result<(), BadLink> {
    if capacity >= 0.0 { Ok(()) } else { Err(BadLink::Capacity(capacity)) }
}

/// Checks the route and the demand of a flow, given the number of links.
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
    // The shares of one link add up, so their sum must be finite, too.
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
