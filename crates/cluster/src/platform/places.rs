//! Where the nodes of a cluster stand: at places that its levels and its topology divide, of which some may be empty.

use std::ops::Range;

use super::{NodeId, Platform, PlatformError, check};
use crate::topology::Topology;

impl Platform {
    /// The same platform with its nodes at these places: for each cluster a rising list with the place of each node,
    /// counted from 0, or none if there is a node at each of its first places. The groups of levels, what they share and
    /// the ends of a topology are of consecutive places.
    ///
    /// # Errors
    /// If there is not one list for each cluster, one has not a place for each node, does not rise, or has a place
    /// beyond those of the cluster's topology.
    pub fn with_places(mut self, places: Vec<Vec<u32>>) -> Result<Self, PlatformError> {
        check::count("lists of places", places.len(), self.clusters.len())?;
        if places.iter().all(Vec::is_empty) {
            self.places = Vec::new();
            return Ok(self);
        }
        let mut all = Vec::with_capacity(self.nodes() as usize);
        for (cluster, places) in places.into_iter().enumerate() {
            let nodes = self.clusters[cluster].nodes;
            let ends = self.own_model(cluster as u32).topology().map_or(u32::MAX, Topology::nodes);
            if places.is_empty() {
                all.extend(0..nodes);
                continue;
            }
            let rises = places.is_sorted_by(|one, next| one < next);
            if places.len() != nodes as usize || !rises || places.last().is_some_and(|last| *last >= ends) {
                return Err(PlatformError::Places { cluster });
            }
            all.extend(places);
        }
        self.places = all;
        Ok(self)
    }

    /// The place of a node in its cluster, by its number there.
    #[inline]
    pub(super) fn place(&self, cluster: usize, local: u32) -> u32 {
        if self.places.is_empty() { local } else { self.places[(self.starts[cluster] + local) as usize] }
    }

    /// The nodes of a cluster in the order of their places [along its topology](Topology::along).
    #[must_use]
    pub fn along_topology(&self, cluster: usize) -> Vec<NodeId> {
        let mut nodes: Vec<u32> = self.members(cluster).collect();
        if let Some(topology) = self.own_model(cluster as u32).topology() {
            let start = self.starts[cluster];
            nodes.sort_by_key(|node| topology.along(self.place(cluster, node - start)));
        }
        nodes.into_iter().map(NodeId).collect()
    }

    /// How many places a cluster has up to that of its last node.
    pub(super) fn count_places(&self, cluster: usize) -> u32 {
        let nodes = self.clusters[cluster].nodes;
        nodes.checked_sub(1).map_or(0, |last| self.place(cluster, last) + 1)
    }

    /// The groups of a level, counted from the outermost, that some consecutive nodes of its cluster form; none where
    /// there is no such level.
    pub fn groups_among(&self, cluster: usize, level: usize, nodes: Range<u32>) -> impl Iterator<Item = Range<u32>> {
        let start = self.starts[cluster];
        let size = self.level_connections(cluster).get(level).map(|level| level.size);
        let end_of = move |first: u32| {
            let end = (self.place(cluster, first - start) / size? + 1).saturating_mul(size?);
            let beyond = match self.places.get(first as usize..nodes.end as usize) {
                Some(places) => first + places.partition_point(|place| *place < end) as u32,
                None => start.saturating_add(end),
            };
            Some(beyond.min(nodes.end))
        };
        let mut next = nodes.start;
        std::iter::from_fn(move || {
            let first = next;
            next = if first < nodes.end { end_of(first)? } else { return None };
            Some(first..next)
        })
    }

    /// The first places of some clusters, as many of each as its number of nodes will be; behind the last come others.
    pub(super) fn first_places(&self, clusters: &[usize], counts: &[u32]) -> Vec<Vec<u32>> {
        if self.places.is_empty() {
            return vec![Vec::new(); clusters.len()];
        }
        let of = |&cluster: &usize| {
            let known = (0..self.clusters[cluster].nodes).map(|local| self.place(cluster, local));
            known.chain(self.count_places(cluster)..).take(counts[cluster] as usize).collect()
        };
        clusters.iter().map(of).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Cluster, Connection, Level, Path, SharedMemory};
    use super::*;
    use crate::network::Model;
    use crate::program::{Moved, NodeId};
    use crate::topology::Channel;
    use hetsim_base::units::Tick;

    /// A cluster `a` of five nodes in pairs of pairs, and a cluster `b` of two.
    fn seven() -> Platform {
        let model = Model::new(&toml::from_str("model = 'ideal'").unwrap(), Tick::PICOSECOND).unwrap();
        let cluster = |name: &str, nodes| Cluster { name: name.to_owned(), nodes, cores: 1 };
        let clusters = vec![cluster("a", 5), cluster("b", 2)];
        let platform = Platform::new(Tick::PICOSECOND, clusters, vec![model.clone().into(); 4]).unwrap();
        let levels = [4, 2].map(|size| Level::new(size, model.clone().into()));
        platform.with_levels(vec![levels.to_vec(), Vec::new()]).unwrap()
    }

    fn groups(platform: &Platform, level: usize) -> Vec<Range<u32>> {
        platform.groups_among(0, level, platform.members(0)).collect()
    }

    #[test]
    fn groups_are_of_consecutive_places() {
        let full = seven();
        assert_eq!((groups(&full, 0), groups(&full, 1)), (vec![0..4, 4..5], vec![0..2, 2..4, 4..5]));
        assert_eq!(full.count_places(0), 5);
        // One of the first four places is empty, and so are those of a pair.
        let gaps = full.with_places(vec![vec![0, 1, 3, 6, 7], Vec::new()]).unwrap();
        assert_eq!((groups(&gaps, 0), groups(&gaps, 1)), (vec![0..3, 3..5], vec![0..2, 2..3, 3..5]));
        assert_eq!((groups(&gaps, 2), gaps.count_places(0), gaps.count_places(1)), (Vec::new(), 8, 2));
        assert_eq!(gaps.groups_among(0, 0, 2..4).collect::<Vec<_>>(), [2..3, 3..4]);
        let level = |one, other| gaps.connection_between(NodeId(one), NodeId(other));
        assert_eq!([level(0, 1), level(1, 2), level(2, 3), level(3, 4)], [5, 4, 0, 5]);
    }

    #[test]
    fn a_part_has_the_first_places() {
        let gaps = seven().with_places(vec![vec![0, 1, 3, 6, 7], Vec::new()]).unwrap();
        assert_eq!(groups(&gaps.part(&[4, 0]).unwrap(), 0), [0..3, 3..4]);
        // A twin stands behind the last.
        let twin = gaps.of_nodes(vec![0, 1, 2, 3, 4, 4]).unwrap();
        assert_eq!(groups(&twin, 0), [0..3, 3..5, 5..6]);
    }

    /// Two clusters over shared links: `a` of two groups on a torus, inside them pairs with memory of their own, and nodes
    /// at these of eight places; and `b` of two nodes.
    fn shared(places: &[u32]) -> Platform {
        let tick = Tick::PICOSECOND;
        let fair = "model = 'fair'\nlatency = '1us'\nbandwidth = '1GB/s'";
        let Model::Fair(fair) = Model::new(&toml::from_str(fair).unwrap(), tick).unwrap() else { panic!("it is fair") };
        let own = Channel { bandwidth: 1e9, latency: 1e-6, shared: true };
        let torus =
            Topology::of_groups(&toml::from_str("kind = 'torus'\ndimensions = [2]").unwrap(), 8, 4, own).unwrap();
        let plain = || Connection::from(Model::Fair(fair.clone()));
        let joined = Connection::from(Model::Fair(fair.clone().with_topology(torus)));
        let cluster = |name: &str, nodes| Cluster { name: name.to_owned(), nodes, cores: 1 };
        let clusters = vec![cluster("a", places.len() as u32), cluster("b", 2)];
        let platform = Platform::new(tick, clusters, vec![joined, plain(), plain(), plain()]).unwrap();
        let memory = SharedMemory { bandwidth: Some(1e9), allocate: Some(1e9) };
        let levels = vec![Level::new(4, plain()), Level { memory, ..Level::new(2, plain()) }];
        platform.with_levels(vec![levels, Vec::new()]).unwrap().with_places(vec![places.to_vec(), Vec::new()]).unwrap()
    }

    /// Links and memories are those of the platform whose places all have nodes; only the nodes' own are numbered anew.
    #[test]
    fn a_platform_with_empty_places_is_part_of_the_full_one() {
        let taken = [0, 1, 3, 6, 7];
        let (gaps, full) = (shared(&taken), shared(&[0, 1, 2, 3, 4, 5, 6, 7]));
        let names = |platform: &Platform, from: u32, to: u32| -> Vec<String> {
            let mut path = Path::default();
            assert!(platform.find_path(NodeId(from), NodeId(to), &mut path));
            let [moved, new] = [Moved::Bytes(1.0), Moved::Pages(1.0)].map(|moved| platform.passes(NodeId(from), moved));
            let memory = [moved, new].into_iter().flatten().map(|(channel, _)| channel);
            let channels = path.channels.into_iter().chain(memory);
            let shared = channels.filter(|channel| !matches!(channel, super::super::Channel::Own { .. }));
            shared.map(|channel| platform.channel_name(channel)).collect()
        };
        let of_full = |node: u32| taken.get(node as usize).map_or(node + 3, |place| *place);
        let mut seen = 0;
        for (from, to) in (0..7).flat_map(|from| (0..7).map(move |to| (from, to))) {
            let found = names(&gaps, from, to);
            assert_eq!(found, names(&full, of_full(from), of_full(to)), "{from} to {to}");
            seen += found.len();
        }
        assert!(seen > 100, "{seen}");
    }

    #[test]
    fn places_rise_and_are_as_many_as_nodes() {
        for wrong in [vec![vec![0, 1, 3, 3, 7], vec![]], vec![vec![0, 1, 3], vec![]]] {
            assert_eq!(seven().with_places(wrong).unwrap_err(), PlatformError::Places { cluster: 0 });
        }
        assert!(seven().with_places(vec![vec![]]).is_err());
    }
}
