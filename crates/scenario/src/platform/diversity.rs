//! Speeds with a given diversity: the keys `diversity…` of `[platform]`, and the speeds that they produce.

use rand::RngExt;

use super::spec::{ClusterSpec, KeepsSpec, PerNode, PlatformSpec};
use hetsim_base::engine::Streams;
use hetsim_base::units::Quantity;
use hetsim_cluster::speeds::{DiversityError, Family, with_diversity, with_slowest};
use hetsim_cluster::{NodeId, Platform};
use hetsim_text::{Node, Problem, suggest};

/// The values of the keys.
#[derive(Debug, Clone)]
pub(super) struct Diversity {
    wanted: f64,
    family: Family,
    slowest: Option<f64>,
    keeps: KeepsSpec,
    /// The indices of the affected clusters.
    over: Vec<usize>,
}

impl Diversity {
    /// Reads the keys of a platform whose clusters are `names`; `None` without a diversity.
    ///
    /// # Errors
    /// Unknown clusters, further keys without `diversity`, and unequal speeds for which the fastest one is ambiguous.
    pub(super) fn read(
        table: &Node,
        spec: &PlatformSpec,
        names: &[&str],
        clusters: &[ClusterSpec],
    ) -> Result<Option<Self>, Vec<Problem>> {
        let problem = |key: &str, message: String| {
            vec![Problem::at(table.get(key).map_or(&table.place, |node| &node.place), message)]
        };
        let Some(wanted) = spec.diversity else {
            let idle = [
                ("diversity_over", spec.diversity_over.is_some()),
                ("diversity_keeps", spec.diversity_keeps.is_some()),
                ("diversity_slowest", spec.diversity_slowest.is_some()),
            ];
            return match idle.iter().find(|(_, given)| *given) {
                Some((key, _)) => Err(problem(key, format!("`{key}` requires `diversity`"))),
                None => Ok(None),
            };
        };
        let mut over = Vec::new();
        for (index, name) in spec.diversity_over.iter().flatten().enumerate() {
            let Some(cluster) = names.iter().position(|known| known == name) else {
                let place = table.at(&format!("diversity_over.{index}")).map_or(&table.place, |node| &node.place);
                let message = format!("there is no cluster `{name}`");
                return Err(vec![Problem::at(place, message).with_help(suggest(name, names))]);
            };
            over.push(cluster);
        }
        if spec.diversity_over.is_none() {
            over = (0..clusters.len()).collect();
        }
        over.sort_unstable();
        over.dedup();
        if over.iter().any(|&cluster| clusters[cluster].most_on_a_node() > 1) {
            return Err(problem("diversity", "`diversity` is not possible with several ranks on a node".to_owned()));
        }
        let keeps = spec.diversity_keeps.unwrap_or_default();
        if matches!(keeps, KeepsSpec::Fastest) && !alike(over.iter().map(|&cluster| &clusters[cluster])) {
            let message = "`diversity` requires nodes of equal speed".to_owned();
            let help = "name clusters of one speed in `diversity_over`, or keep the total speed with \
                        `diversity_keeps = \"total\"`";
            return Err(problem("diversity", message).into_iter().map(|problem| problem.with_help(help)).collect());
        }
        let (family, slowest) = (spec.diversity_family, spec.diversity_slowest);
        Ok(Some(Self { wanted, family, slowest, keeps, over }))
    }

    /// Whether the diversity affects a node.
    pub(super) fn concerns(&self, node: NodeId, platform: &Platform) -> bool {
        self.over.contains(&platform.cluster_of(node))
    }

    /// Replaces the speeds of the affected nodes.
    ///
    /// # Errors
    /// The draws do not allow the diversity.
    pub(super) fn apply(
        &self,
        platform: &Platform,
        streams: &Streams,
        speeds: &mut [f64],
    ) -> Result<(), DiversityError> {
        let nodes: Vec<u32> = self.over.iter().flat_map(|&cluster| platform.members(cluster)).collect();
        let draws: Vec<f64> = nodes.iter().map(|&node| streams.stream("diversity", u64::from(node)).random()).collect();
        let relative = match self.slowest {
            Some(slowest) => with_slowest(self.family, self.wanted, slowest, &draws),
            None => with_diversity(self.family, self.wanted, &draws),
        }?;
        let total: f64 = nodes.iter().map(|&node| speeds[node as usize]).sum();
        let whole = match self.keeps {
            // All speeds are equal.
            KeepsSpec::Fastest => speeds[nodes[0] as usize],
            KeepsSpec::Total => total / relative.iter().sum::<f64>(),
        };
        for (&node, factor) in nodes.iter().zip(relative) {
            speeds[node as usize] = whole * factor;
        }
        Ok(())
    }
}

/// Whether all nodes of these clusters have the same speed.
fn alike<'a>(mut clusters: impl Iterator<Item = &'a ClusterSpec>) -> bool {
    let mut first = None;
    clusters.all(|cluster| {
        let one = cluster.speeds.is_none().then_some(cluster.speed);
        let mut speeds = cluster.speeds.iter().flat_map(PerNode::distinct).chain(one);
        cluster.speed_factor.is_none() && speeds.all(|speed| *first.get_or_insert(speed.base()) == speed.base())
    })
}
