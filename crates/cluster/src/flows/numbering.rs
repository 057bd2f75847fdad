//! The numbers of channels, and what is known by them.

use rustc_hash::FxHashMap;

use crate::fault::Fault;
use crate::platform::{Channel, DirectedLink, LinkSharing, Platform};
use crate::program::NodeId;
use crate::topology::Topology;

/// The numbers of all channels of a platform, in one range.
#[derive(Debug)]
pub(super) struct Numbering {
    /// By cluster: the first number of the nodes' own links.
    own: Vec<u32>,
    /// By cluster: the first number of its topology.
    topologies: Vec<u32>,
    between: u32,
    /// The first number of each level's links, and of its memory.
    levels: Vec<u32>,
    memories: Vec<u32>,
    links: u32,
    pub(super) channels: usize,
}

impl Numbering {
    pub(super) fn new(platform: &Platform) -> Self {
        let mut next = 0u32;
        let mut take = |count: u32| {
            next += count;
            next - count
        };
        let clusters = platform.clusters().len();
        let (mut own, mut topologies) = (Vec::new(), Vec::new());
        for cluster in 0..clusters {
            let topology = platform.connection(cluster, cluster).model.topology();
            topologies.push(take(topology.map_or(0, Topology::channels)));
            let has_links = topology.is_none_or(|topology| topology.group() > 1);
            own.push(take(if has_links { 2 * platform.clusters()[cluster].nodes } else { 0 }));
        }
        let between = take((clusters * clusters) as u32);
        let (mut levels, mut memories) = (Vec::new(), Vec::new());
        for level in (0..clusters).flat_map(|cluster| platform.level_connections(cluster)) {
            levels.push(take(2 * platform.group_links(level)));
            memories.push(take(if platform.shares_memory() { 2 * platform.groups(level) } else { 0 }));
        }
        let links = take(2 * platform.routing().map_or(0, |routing| routing.links().len() as u32));
        Self { own, topologies, between, levels, memories, links, channels: take(0) as usize }
    }

    /// The faults of the links that connect nodes to their networks, by the channel's number.
    pub(super) fn own_faults(&self, platform: &Platform) -> FxHashMap<u32, Vec<Fault>> {
        let mut faults: FxHashMap<u32, Vec<Fault>> = FxHashMap::default();
        let mut channels = Vec::new();
        for (node, own) in (0..).map(NodeId).zip(platform.link_faults()).filter(|(_, own)| !own.is_empty()) {
            channels.clear();
            platform.own_channels(node, &mut channels);
            for channel in &channels {
                faults.entry(self.number(*channel, platform)).or_default().extend(own.iter().cloned());
            }
        }
        faults
    }

    pub(super) fn number(&self, channel: Channel, platform: &Platform) -> u32 {
        match channel {
            Channel::Own { cluster, number } => self.own[cluster as usize] + number,
            Channel::Topology { cluster, number } => self.topologies[cluster as usize] + number,
            Channel::Between(link) => self.between + link,
            Channel::Level { link, number } => self.levels[platform.level_number(link)] + number,
            Channel::Memory { link, number } => self.memories[platform.level_number(link)] + number,
            Channel::Link(DirectedLink { link, back }) => {
                let sharing = platform.routing().map(|routing| routing.links()[link as usize].sharing);
                self.links + 2 * link + u32::from(back && sharing == Some(LinkSharing::Duplex))
            }
        }
    }
}

/// A sparse table of numbers: pages are allocated on first use.
#[derive(Debug)]
pub(super) struct Pages {
    places: usize,
    pages: Vec<Vec<u32>>,
}

/// The absent number.
pub(super) const NONE: u32 = u32::MAX;

const PAGE: usize = 1024;

impl Pages {
    pub(super) fn new(places: usize) -> Self {
        Self { places, pages: vec![Vec::new(); places.div_ceil(PAGE)] }
    }

    /// The number at an index, [`NONE`] at first.
    pub(super) fn slot(&mut self, place: u32) -> &mut u32 {
        let page = &mut self.pages[place as usize / PAGE];
        if page.is_empty() {
            // The last page is short: a small platform fills no whole one.
            page.resize(PAGE.min(self.places - place as usize / PAGE * PAGE), NONE);
        }
        &mut page[place as usize % PAGE]
    }
}
