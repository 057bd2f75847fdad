//! The links on each flow's route, in one flat arena with reused cells.

use super::added::AddedLink;
use super::demand::{LinkKind, PathLink};
use super::link::Lane;

/// A link on a flow's route.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hop {
    /// The link, an index of the contended ones, or the number under which a lone one was added; and the direction.
    pub(crate) lane: Lane,
    /// The flow's index in the link's list of flows.
    pub(crate) place: u32,
    /// The load on the link per byte of the flow.
    pub(crate) share: f64,
}

/// The routes of all flows.
#[derive(Debug, Default)]
pub(crate) struct Routes {
    /// The hops of all routes, consecutive for each route.
    pub(crate) hops: Vec<Hop>,
    /// At the places of the hops, the lanes of flows that are [long](super::link::Other::long).
    pub(crate) lanes: Vec<Lane>,
    /// The starts of free cells, by their length.
    free: Vec<Vec<u32>>,
}

impl Routes {
    /// Stores a route. Returns the number of its first hop and its length. A link named twice is one hop, whose share
    /// is the sum of the two, or the larger if the link is unshared.
    pub(crate) fn add(&mut self, route: &[PathLink], links: &[AddedLink]) -> (u32, u32) {
        let is_first = |&place: &usize| route[..place].iter().all(|before| before.link != route[place].link);
        let length = (0..route.len()).filter(is_first).count();
        let start = self.free.get_mut(length).and_then(Vec::pop).unwrap_or_else(|| {
            let start = self.hops.len();
            self.hops.resize(start + length, Hop { lane: Lane(0), place: 0, share: 0.0 });
            self.lanes.resize(self.hops.len(), Lane(0));
            start as u32
        });
        let firsts = (0..route.len()).filter(is_first);
        for (hop, place) in self.hops[start as usize..].iter_mut().zip(firsts) {
            let link = route[place].link;
            let shares =
                route[place..].iter().filter(|path_link| path_link.link == link).map(|path_link| path_link.share);
            let AddedLink { kind, direction, .. } = links[link as usize];
            let share = match kind {
                LinkKind::Shared => shares.sum(),
                LinkKind::Unshared => shares.fold(0.0, f64::max),
            };
            *hop = Hop { lane: Lane::new(link - u32::from(direction), direction), place: 0, share };
        }
        (start, length as u32)
    }

    /// Frees the cells of a route.
    pub(crate) fn remove(&mut self, start: u32, length: u32) {
        if self.free.len() <= length as usize {
            self.free.resize(length as usize + 1, Vec::new());
        }
        self.free[length as usize].push(start);
    }
}
