//! The clusters of a platform, and what their keys say of nodes.

use super::deserialise;
use super::spec::{ClusterSpec, EqualNodes};
use hetsim_base::units::Quantity;
use hetsim_cluster::network::Parameters;
use hetsim_cluster::{Cluster, MOST_CLUSTERS};
use hetsim_text::{Node, Problem};

/// The most nodes of a platform: as many events may wait at once, and each node's takes some memory.
const MOST_NODES: u64 = 1 << 26;

/// The clusters of a platform: their keys, and the ranks that they are of.
pub(super) fn read_clusters(table: &Node) -> Result<(Vec<ClusterSpec>, Vec<Cluster>), Vec<Problem>> {
    if table.entries().is_empty() {
        return Err(vec![Problem::at(&table.place, "a platform needs at least one cluster")]);
    }
    let count = table.entries().len();
    if count > MOST_CLUSTERS {
        let message = format!("{count} clusters are too many; at most {MOST_CLUSTERS}");
        return Err(vec![Problem::at(&table.place, message)]);
    }
    let mut clusters = Vec::new();
    for entry in table.entries() {
        let mut cluster: ClusterSpec = deserialise(&entry.value)?;
        cluster.runs = read_ranks(&entry.value, &cluster)?;
        cluster.allocated = read_allocation(&entry.value, &cluster)?;
        check_speeds(&entry.value, &cluster)?;
        check_cores(&entry.value, &cluster)?;
        clusters.push(cluster);
    }
    let runs = clusters.iter().flat_map(|cluster| &cluster.runs);
    let ranks = runs.map(|run| u64::from(run.nodes).saturating_mul(run.ranks.into()));
    check_number(table, ranks.fold(0, u64::saturating_add))?;
    let mut groups = Vec::new();
    for (entry, cluster) in table.entries().iter().zip(&mut clusters) {
        cluster.settle(&entry.value)?;
        groups.push(Cluster { name: entry.key.clone(), nodes: cluster.ranks(), cores: cluster.cores });
    }
    check_number(table, clusters.iter().map(|cluster| u64::from(cluster.all_places())).sum())?;
    Ok((clusters, groups))
}

/// Checks that so many nodes of hetsim, or places for them, are not too many.
pub(super) fn check_number(table: &Node, nodes: u64) -> Result<(), Vec<Problem>> {
    if nodes <= MOST_NODES {
        return Ok(());
    }
    Err(vec![Problem::at(&table.place, format!("{nodes} nodes are too many; at most {MOST_NODES}"))])
}

/// What is wrong with a key that has a value for each node.
fn miscounted(key: &str, values: u64, cluster: &ClusterSpec) -> String {
    let plural = |count: u64| if count == 1 { "" } else { "s" };
    let nodes = cluster.nodes;
    format!("`{key}` has {values} value{} for {nodes} node{}", plural(values), plural(u64::from(nodes)))
}

/// The nodes of a cluster by their numbers of ranks.
fn read_ranks(table: &Node, cluster: &ClusterSpec) -> Result<Vec<EqualNodes>, Vec<Problem>> {
    let Some(ranks) = &cluster.ranks_per_node else { return Ok(vec![EqualNodes { nodes: cluster.nodes, ranks: 1 }]) };
    let problem = |path: &str, message: String| {
        vec![Problem::at(table.at(path).map_or(&table.place, |node| &node.place), message)]
    };
    let runs = ranks.runs(cluster.nodes);
    let runs = runs.map_err(|(index, message)| problem(&format!("ranks_per_node.{index}"), message))?;
    let given: u64 = runs.iter().map(|run| u64::from(run.nodes)).sum();
    if given != u64::from(cluster.nodes) {
        return Err(problem("ranks_per_node", miscounted("ranks_per_node", given, cluster)));
    }
    Ok(runs)
}

/// The places of a cluster's nodes in the machine that they are of.
fn read_allocation(table: &Node, cluster: &ClusterSpec) -> Result<Vec<u32>, Vec<Problem>> {
    let Some(allocation) = &cluster.allocation else { return Ok(Vec::new()) };
    let problem = |key: &str, message: String| {
        let node = table.at(&format!("allocation{key}"));
        vec![Problem::at(node.map_or(&table.place, |node| &node.place), message)]
    };
    if cluster.level.is_empty() && !matches!(&cluster.network, Parameters::Fair(fair) if fair.topology.is_some()) {
        let message = "`allocation` has no effect without a `topology` or a `level`";
        return Err(problem("", message.to_owned()));
    }
    if u64::from(allocation.of) > MOST_NODES {
        return Err(problem(".of", format!("{} nodes are too many; at most {MOST_NODES}", allocation.of)));
    }
    allocation.places(cluster.nodes).map_err(|(key, message)| problem(&format!(".{key}"), message))
}

fn check_speeds(table: &Node, cluster: &ClusterSpec) -> Result<(), Vec<Problem>> {
    let problem = |key: &str, message: String| {
        let place = table.get(key).map_or(&table.place, |node| &node.place);
        Err(vec![Problem::at(place, message)])
    };
    if let Some(speeds) = &cluster.speeds {
        if speeds.len() != u64::from(cluster.nodes) {
            return problem("speeds", miscounted("speeds", speeds.len(), cluster));
        }
        if speeds.distinct().any(|speed| speed.base() <= 0.0) {
            return problem("speeds", "every speed must be above zero".to_owned());
        }
    }
    if cluster.speed.base() <= 0.0 {
        return problem("speed", "`speed` must be above zero".to_owned());
    }
    Ok(())
}

fn check_cores(table: &Node, cluster: &ClusterSpec) -> Result<(), Vec<Problem>> {
    let Some(cores) = &cluster.node_cores else { return Ok(()) };
    let problem = |key: &str, message: String| {
        let place = table.get(key).map_or(&table.place, |node| &node.place);
        Err(vec![Problem::at(place, message)])
    };
    if table.get("cores").is_some() {
        return problem("cores", "`cores` says nothing beside `node_cores`".to_owned());
    }
    if cores.len() != cluster.nodes as usize {
        return problem("node_cores", miscounted("node_cores", cores.len() as u64, cluster));
    }
    Ok(())
}
