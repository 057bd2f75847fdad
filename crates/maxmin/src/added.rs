//! Links by the numbers that callers know.

use super::demand::{LinkKind, PathLink};

/// A link as it was added.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AddedLink {
    /// The capacity, in bytes per tick.
    pub(crate) capacity: f64,
    /// The flow of a lone link, or the index of a contended one among the solver's links.
    pub(crate) number: u32,
    pub(crate) occupancy: Occupancy,
    pub(crate) kind: LinkKind,
    /// Whether it is a direction of a [pair](super::Solver::add_pair). All else about a pair stands at the first one.
    pub(crate) is_pair: bool,
    /// Of a pair, 1 for the second.
    pub(crate) direction: u8,
}

/// How many flows a link has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Occupancy {
    /// None.
    Idle,
    /// One, of which the capacity is a bound.
    Lone,
    /// Two or more at some time since it was idle. An unshared link counts as contended from its first flow on.
    Contended,
}

impl AddedLink {
    pub(crate) const fn new(capacity: f64, kind: LinkKind) -> Self {
        Self { capacity, number: 0, occupancy: Occupancy::Idle, kind, is_pair: false, direction: 0 }
    }

    /// One direction of a pair.
    pub(crate) const fn of_pair(capacity: f64, direction: u8) -> Self {
        Self { is_pair: true, direction, ..Self::new(capacity, LinkKind::Shared) }
    }
}

/// The second direction of a pair of which a route names both.
pub(crate) fn both_directions(route: &[PathLink], added: &[AddedLink]) -> Option<u32> {
    let mut seconds = route.iter().map(|path_link| path_link.link).filter(|&link| added[link as usize].direction == 1);
    seconds.find(|link| route.iter().any(|path_link| path_link.link == link - 1))
}
