//! A platform of some nodes of another one.

use super::{Cluster, Platform, PlatformError, check};
use crate::program::NodeId;
use crate::topology::Topology;

impl Platform {
    /// The platform of the first nodes of each cluster, as many as `counts` says, renumbered; clusters without nodes
    /// are removed.
    ///
    /// # Errors
    /// If there is not one count for each cluster, a count exceeds the cluster's nodes, or a cluster of a platform with
    /// [named links](Self::with_routing) is removed, since its routes may lead through it.
    pub fn part(&self, counts: &[u32]) -> Result<Self, PlatformError> {
        check::count("numbers of nodes", counts.len(), self.clusters.len())?;
        for (cluster, (&wanted, &Cluster { nodes, .. })) in counts.iter().zip(&self.clusters).enumerate() {
            if wanted > nodes {
                return Err(PlatformError::NoNodes { cluster, wanted, nodes });
            }
        }
        let first = (0..counts.len()).flat_map(|cluster| self.members(cluster).take(counts[cluster] as usize));
        self.of_nodes(first.collect())
    }

    /// The platform of these nodes, renumbered in rising order; a node that is named twice gets a twin with the same
    /// speed, load and faults. The nodes of a cluster take the first places of its network. Clusters without nodes are
    /// removed.
    ///
    /// # Errors
    /// If there is no such node, a cluster gets more nodes than its topology or its routes have places for, or a
    /// cluster of a platform with [named links](Self::with_routing) is removed, since its routes may lead through it.
    pub fn of_nodes(&self, mut nodes: Vec<u32>) -> Result<Self, PlatformError> {
        nodes.sort_unstable();
        if let Some(last) = nodes.last().filter(|&&last| last >= self.nodes()) {
            let (cluster, nodes) = (self.clusters.len() - 1, self.nodes());
            return Err(PlatformError::NoNodes { cluster, wanted: last.saturating_add(1), nodes });
        }
        let mut counts = vec![0; self.clusters.len()];
        for &node in &nodes {
            counts[self.cluster_of(NodeId(node))] += 1;
        }
        for (cluster, &count) in counts.iter().enumerate() {
            if count == 0 && self.routing.is_some() {
                return Err(PlatformError::RoutedThrough { cluster });
            }
            let topology = self.own_model(cluster as u32).topology();
            if let Some(given) = topology.map(Topology::nodes).filter(|&given| given < count) {
                return Err(PlatformError::Topology { cluster, given, nodes: count });
            }
        }
        let kept: Vec<usize> = (0..counts.len()).filter(|&cluster| counts[cluster] > 0).collect();
        let clusters = kept.iter().map(|&cluster| Cluster { nodes: counts[cluster], ..self.clusters[cluster].clone() });
        let of = self.clusters.len();
        let links = self.links.part(kept.iter().flat_map(|&from| kept.iter().map(move |&to| from * of + to)));
        let levels = kept.iter().map(|&cluster| self.levels_as_given(cluster)).collect();
        let sites = kept.iter().map(|&cluster| self.site_of(cluster)).collect();
        let part = Self {
            ranks: self.ranks_of_part(&nodes),
            cluster_speeds: taken(&self.cluster_speeds, kept.iter().copied()),
            loopbacks: taken(&self.loopbacks, kept.iter().copied()),
            caches: taken(&self.caches, kept.iter().copied()),
            powers: taken(&self.powers, kept.iter().copied()),
            speeds: taken(&self.speeds, places(&nodes)),
            cores: taken(&self.cores, places(&nodes)),
            loads: taken(&self.loads, places(&nodes)),
            faults: taken(&self.faults, places(&nodes)),
            link_faults: taken(&self.link_faults, places(&nodes)),
            node_powers: taken(&self.node_powers, places(&nodes)),
            ports: self.ports,
            sharing: self.sharing,
            routing: self.routing.clone(),
            transport: self.transport.clone(),
            memory: self.memory,
            barrier: self.barrier,
            barrier_skew: self.barrier_skew,
            kernels: self.kernels.iter().map(|kernel| kernel.part(&nodes)).collect(),
            ..Self::of(self.tick, clusters.collect(), links)
        };
        if let Some(routing) = &part.routing {
            routing.fit(&part.clusters)?;
        }
        part.with_levels(levels)?.with_sites(sites)?.with_places(self.first_places(&kept, &counts))
    }
}

/// The places of nodes in lists by node.
fn places(nodes: &[u32]) -> impl Iterator<Item = usize> {
    nodes.iter().map(|&node| node as usize)
}

/// The values at these places; none of a list that is empty since all have the default.
fn taken<T: Clone>(values: &[T], places: impl Iterator<Item = usize>) -> Vec<T> {
    places.filter_map(|place| values.get(place).cloned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::Model;
    use hetsim_base::units::Tick;

    /// Two clusters of three nodes, with speeds 1 to 6 and their ranks in falling order.
    fn six() -> Platform {
        let model = Model::new(&toml::from_str("model = 'ideal'").unwrap(), Tick::PICOSECOND).unwrap();
        let cluster = |name: &str| Cluster { name: name.to_owned(), nodes: 3, cores: 1 };
        let platform = Platform::new(Tick::PICOSECOND, vec![cluster("a"), cluster("b")], vec![model.into(); 4]);
        let platform = platform.unwrap().with_speeds(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
        platform.with_ranks([2, 1, 0, 5, 4, 3].map(NodeId).to_vec()).unwrap()
    }

    fn speeds(platform: &Platform) -> Vec<f64> {
        (0..platform.nodes()).map(|node| platform.speed_per_second(NodeId(node)).round()).collect()
    }

    #[test]
    fn nodes_are_left_out_and_get_twins() {
        let part = six().of_nodes(vec![4, 0, 2, 4]).unwrap();
        assert_eq!(speeds(&part), [1.0, 3.0, 5.0, 5.0]);
        assert_eq!(part.clusters().iter().map(|cluster| cluster.nodes).collect::<Vec<_>>(), [2, 2]);
        let ranks: Vec<u32> = (0..2).flat_map(|cluster| part.ranks(cluster).map(|node| node.0)).collect();
        assert_eq!(ranks, [1, 0, 2, 3]);
        let part = six().of_nodes(vec![5, 4]).unwrap();
        assert_eq!((part.clusters().len(), speeds(&part)), (1, vec![5.0, 6.0]));
        assert_eq!(speeds(&six().part(&[2, 1]).unwrap()), [1.0, 2.0, 4.0]);
        assert!(six().of_nodes(vec![6]).is_err() && six().part(&[4, 1]).is_err());
    }
}
