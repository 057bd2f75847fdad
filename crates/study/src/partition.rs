//! Logical clusters of a platform from measured latencies, before anybody models its communication.
//!
//! The first phase of Nasri, Steffenel and Trystram (IJGUC 2008, §3.3): the latency of every pair of machines is
//! measured, with errors, and a [method](hetsim_fit::partition::Method) says which machines are alike. What comes out stands
//! beside the clusters that the platform was described with.
//!
//! Nothing is simulated by events: a pair's latency is what its link says, times an error for each repetition.

use std::collections::BTreeMap;

use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Case, Study};
use hetsim_base::engine::{Stream, Streams};
use hetsim_base::record::{Metric, TableShape, Value};
use hetsim_base::units::defaults::{count, fraction};
use hetsim_base::units::{Bytes, Quantity, Seconds};
use hetsim_cluster::{NodeId, Platform};
use hetsim_fit::partition::{Method, Pairs, Partition, Quality, Rule};
use hetsim_workload::footprint::Counts;
use hetsim_workload::metrics::Performance;
use hetsim_workload::{KeyError, RunFailure};

/// `kind = "partition"`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PartitionParameters {
    /// The way in which clusters are formed.
    #[serde(default)]
    pub method: Method,
    /// By how much a latency inside a cluster may exceed the least one (ρ of `lowekamp`): 1.2 is 20 %. For every method
    /// also the bound beyond which a machine counts as an outlier of its cluster.
    #[serde(default = "fraction::<6, 5>")]
    #[schemars(range(min = 1.0))]
    pub bound: f64,
    /// The greatest latency inside a cluster (`single_linkage`, `complete_linkage`, which need it).
    #[serde(default)]
    pub threshold: Option<Seconds>,
    /// What is measured: the time of a message of this many bytes from one machine to the other. Where it is not given,
    /// the links' latencies alone.
    #[serde(default)]
    pub probe: Option<Bytes>,
    /// The relative error of one measurement: the half-width of a `uniform` one, the standard deviation of a `gaussian`
    /// one.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub error: f64,
    /// How the errors of measurements are distributed.
    #[serde(default)]
    pub distribution: ErrorKind,
    /// The number of measurements of each pair.
    #[serde(default = "count::<1>")]
    #[schemars(range(min = 1, max = 10_000))]
    pub repetitions: u32,
    /// The statistic of the repetitions that is used.
    #[serde(default)]
    pub statistic: Statistic,
    /// Clusters of the platform that their users see as one site, by the site's name. The machines of a site are listed
    /// in any order (drawn), as in a file of hosts; a cluster that is not named is a site of its own.
    #[serde(default)]
    pub sites: BTreeMap<String, Vec<String>>,
}

/// How errors of measurements are distributed. Each pair's error is drawn for itself, the same in both directions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// A factor from 1 − error to 1 + error.
    #[default]
    Uniform,
    /// A factor of mean 1 and standard deviation `error`; one that is not above 0 is drawn again.
    Gaussian,
}

/// What is made of several measurements of one pair.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Statistic {
    /// The middle one.
    #[default]
    Median,
    /// Their mean.
    Mean,
    /// The least of them.
    Min,
}

hetsim_base::metrics! {
    /// The metrics of a partition.
    pub struct PartitionMetrics {
        clusters: usize = "logical clusters found" [neither],
        sizes: String = "their sizes, by their first machines; machines in the platform's order" [text],
        matches: u64 = "1 where the logical clusters are exactly those of the platform, 0 where they are not" [more, outcome],
        pairs_apart: u64 = "pairs of machines that are together in one of the two and apart in the other" [less],
        spread_max: Option<f64> = "greatest over least latency inside a cluster, in the worst one; blank where all are single" [less],
        outliers: usize = "machines whose mean latency inside lies above the bound times their cluster's median" [less],
        singletons: usize = "clusters of one machine" [less],
        measurements: u64 = "latencies measured, repetitions included" [less],
    }
}

/// A row a machine.
const NODES: TableShape = TableShape {
    name: "nodes",
    about: "the logical cluster of each machine",
    columns: &[
        Metric::number("node", "the node's number"),
        Metric::name("group", "its cluster in the platform"),
        Metric::name("site", "its site"),
        Metric::number("cluster", "the number of its logical cluster"),
        Metric::number("listed", "its place in the list of machines, site by site"),
        Metric::number("ordered", "its place when machines are ordered by logical cluster"),
    ],
};

/// A row a pair, both ways.
const LATENCIES: TableShape = TableShape {
    name: "latencies",
    about: "what was measured between machines, with both ways to order them",
    columns: &[
        Metric::number("from_listed", "the one machine's place in the list, site by site"),
        Metric::number("to_listed", "the other one's"),
        Metric::number("from_ordered", "the one machine's place in the order of logical clusters"),
        Metric::number("to_ordered", "the other one's"),
        Metric::number("latency_s", "the latency between them, as measured"),
    ],
};

/// The sites of a platform.
#[derive(Debug)]
struct Sites {
    names: Vec<String>,
    /// The number of each node's site.
    of_node: Vec<usize>,
}

impl Study for PartitionParameters {
    const NAME: &'static str = "partition";
    const ABOUT: &'static str = "Logical clusters of a platform from the latencies between its machines.";
    const TABLES: &'static [TableShape] = &[NODES, LATENCIES];
    const EXAMINES_PLATFORM: bool = true;
    type Metrics = (PartitionMetrics, (Performance, Counts));

    fn check(&self, platform: Option<&Platform>) -> Result<(), KeyError> {
        KeyError::unless(self.bound >= 1.0 && self.bound.is_finite(), "bound", || {
            format!("`bound` is {}: it must be 1 or more", self.bound)
        })?;
        KeyError::unless(self.error >= 0.0 && self.error.is_finite(), "error", || {
            format!("`error` is {}: it must be 0 or more", self.error)
        })?;
        KeyError::unless(
            self.distribution != ErrorKind::Uniform || self.error <= 1.0,
            "error",
            || "a uniform error above 1 would make latencies negative",
        )?;
        KeyError::at_least_one(&[("repetitions", self.repetitions)])?;
        self.rule()?;
        let none = || KeyError::new("kind", "there is no platform whose latencies could be measured");
        let platform = platform.ok_or_else(none)?;
        let nodes = platform.nodes();
        KeyError::bounded(
            "kind",
            &format!("the latencies between all pairs of {nodes} nodes"),
            Partition::memory(nodes, self.method),
        )?;
        self.sites(platform).map(drop)
    }

    fn measure(&self, case: &mut Case<'_>) -> Result<Self::Metrics, RunFailure> {
        let platform = case.platform.ok_or("there is no platform")?;
        let (rule, sites) = (self.rule()?, self.sites(platform)?);
        let pairs = self.latencies(platform, case.streams)?;
        let partition = Partition::of(&pairs, rule);
        let own = Partition::from_labels((0..platform.nodes()).map(|node| platform.cluster_of(NodeId(node))));
        let quality = Quality::of(&partition, &pairs, self.bound);
        let places = self.places(&sites, &partition, case.streams);
        case.tables.keep(&NODES, || node_rows(platform, &sites, &partition, &places));
        case.tables.keep(&LATENCIES, || latency_rows(&pairs, &places));
        let metrics = PartitionMetrics {
            clusters: partition.clusters().len(),
            sizes: partition.sizes(),
            matches: u64::from(partition == own),
            pairs_apart: pairs_apart(&partition, &own),
            spread_max: quality.iter().filter_map(Quality::spread).reduce(f64::max),
            outliers: quality.iter().map(|one| one.outliers.len()).sum(),
            singletons: quality.iter().filter(|one| one.machines == 1).count(),
            measurements: pairs.all().len() as u64 * u64::from(self.repetitions),
        };
        let speeds = (0..platform.nodes()).map(|node| platform.speed_per_second(NodeId(node)));
        Ok((metrics, (Performance::unmeasured(speeds), Counts::default())))
    }
}

impl PartitionParameters {
    /// The rule by which clusters are formed.
    fn rule(&self) -> Result<Rule, KeyError> {
        let threshold = match (self.method, self.threshold) {
            (Method::Lowekamp, Some(_)) => {
                return Err(KeyError::new("threshold", "`lowekamp` has no threshold: its bound is relative"));
            }
            (Method::Lowekamp, None) => f64::INFINITY,
            (method, None) => {
                return Err(KeyError::new("method", format!("`{method}` needs a `threshold`, such as \"1ms\"")));
            }
            (_, Some(threshold)) => threshold.base(),
        };
        Ok(Rule { method: self.method, bound: self.bound, threshold })
    }

    fn sites(&self, platform: &Platform) -> Result<Sites, KeyError> {
        let wrong = |message: String| KeyError::new("sites", message);
        let mut site_of_group: Vec<Option<&str>> = vec![None; platform.clusters().len()];
        for (site, clusters) in &self.sites {
            for cluster in clusters {
                let group = platform.clusters().iter().position(|group| group.name == *cluster);
                let group = group.ok_or_else(|| wrong(format!("the platform has no cluster `{cluster}`")))?;
                if site_of_group[group].replace(site).is_some() {
                    return Err(wrong(format!("cluster `{cluster}` belongs to two sites")));
                }
            }
        }
        let (mut names, mut of_node) = (Vec::<String>::new(), Vec::new());
        for (number, group) in platform.clusters().iter().enumerate() {
            let name = site_of_group[number].unwrap_or(&group.name);
            let site = names.iter().position(|site| site == name).unwrap_or_else(|| {
                names.push(name.to_owned());
                names.len() - 1
            });
            of_node.extend(std::iter::repeat_n(site, group.nodes as usize));
        }
        Ok(Sites { names, of_node })
    }

    /// The latencies in seconds, as measured.
    fn latencies(&self, platform: &Platform, streams: Streams) -> Result<Pairs, String> {
        let tick = platform.tick();
        let mut repeated = Vec::new();
        let mut stream = streams.stream("latency", 0);
        Pairs::from_fn(platform.nodes(), |a, b| {
            if b == a + 1 {
                // A machine's errors do not depend on how many there are after it.
                stream = streams.stream("latency", u64::from(a));
            }
            let bytes = self.probe.map_or(0, Bytes::count);
            let transfer = platform.transfer(NodeId(a), NodeId(b), bytes);
            let truth = tick.seconds(if self.probe.is_some() { transfer.hop() } else { transfer.latency });
            repeated.clear();
            repeated.extend((0..self.repetitions).map(|_| truth * self.factor(&mut stream)));
            self.statistic.of(&mut repeated)
        })
        .map_err(|error| error.to_string())
    }

    /// The error of one measurement, as a factor.
    fn factor(&self, stream: &mut Stream) -> f64 {
        let error = self.error;
        if error == 0.0 {
            return 1.0;
        }
        match self.distribution {
            ErrorKind::Uniform => 1.0 + error * (2.0 * stream.random::<f64>() - 1.0),
            ErrorKind::Gaussian => loop {
                let normal: f64 = StandardNormal.sample(stream);
                let factor = 1.0 + error * normal;
                if factor > 0.0 {
                    return factor;
                }
            },
        }
    }

    /// By node: its place in the list of machines, and in the order of logical clusters.
    fn places(&self, sites: &Sites, partition: &Partition, streams: Streams) -> Vec<(u64, u64)> {
        let nodes = sites.of_node.len();
        let mut listed: Vec<(usize, u64, usize)> = (0..nodes)
            .map(|node| {
                let site = sites.of_node[node];
                let mixed = self.sites.contains_key(&sites.names[site]);
                let key = if mixed { streams.stream("list", node as u64).random() } else { node as u64 };
                (site, key, node)
            })
            .collect();
        listed.sort_unstable();
        let mut places = vec![(0, 0); nodes];
        for ((_, _, node), place) in listed.into_iter().zip(0..) {
            places[node].0 = place;
        }
        for (node, place) in partition.order().into_iter().zip(0..) {
            places[node as usize].1 = place;
        }
        places
    }
}

fn node_rows(platform: &Platform, sites: &Sites, partition: &Partition, places: &[(u64, u64)]) -> Vec<Vec<Value>> {
    let row = |node: u32| {
        let (listed, ordered) = places[node as usize];
        vec![
            node.into(),
            platform.clusters()[platform.cluster_of(NodeId(node))].name.as_str().into(),
            sites.names[sites.of_node[node as usize]].as_str().into(),
            partition.cluster_of()[node as usize].into(),
            listed.into(),
            ordered.into(),
        ]
    };
    (0..platform.nodes()).map(row).collect()
}

fn latency_rows(pairs: &Pairs, places: &[(u64, u64)]) -> Vec<Vec<Value>> {
    let mut rows = Vec::new();
    for pair in pairs.all() {
        for (from, to) in [(pair.a, pair.b), (pair.b, pair.a)] {
            let (from, to) = (places[from as usize], places[to as usize]);
            let mut row: Vec<Value> = [from.0, to.0, from.1, to.1].map(Value::Count).to_vec();
            row.push(pair.latency.into());
            rows.push(row);
        }
    }
    rows
}

impl Statistic {
    /// The statistic of one or more values, which it may put in another order.
    fn of(self, values: &mut [f64]) -> f64 {
        match self {
            Self::Mean => values.iter().sum::<f64>() / values.len() as f64,
            Self::Min => values.iter().copied().fold(f64::INFINITY, f64::min),
            Self::Median => {
                values.sort_unstable_by(f64::total_cmp);
                f64::midpoint(values[(values.len() - 1) / 2], values[values.len() / 2])
            }
        }
    }
}

/// How many pairs one partition has together and the other apart: by counting the pairs within the clusters of each and
/// within those of both.
fn pairs_apart(one: &Partition, other: &Partition) -> u64 {
    let pairs = |size: usize| (size * size.saturating_sub(1) / 2) as u64;
    let within = |partition: &Partition| partition.clusters().iter().map(|cluster| pairs(cluster.len())).sum::<u64>();
    let clusters = other.clusters().len();
    let both = one.cluster_of().iter().zip(other.cluster_of()).map(|(a, b)| *a as usize * clusters + *b as usize);
    within(one) + within(other) - 2 * within(&Partition::from_labels(both))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_that_differ_are_counted() {
        let of = |labels: &[usize]| Partition::from_labels(labels.iter().copied());
        assert_eq!(pairs_apart(&of(&[0, 0, 1]), &of(&[0, 0, 1])), 0);
        // {0,1},{2} against {0},{1,2}: pair 01 and pair 12.
        assert_eq!(pairs_apart(&of(&[0, 0, 1]), &of(&[0, 1, 1])), 2);
        assert_eq!(pairs_apart(&of(&[0, 0, 0, 0]), &of(&[0, 1, 2, 3])), 6);
    }

    #[test]
    fn statistics_of_repetitions() {
        assert_eq!(Statistic::Median.of(&mut [3.0, 1.0, 8.0, 2.0]), 2.5);
        assert_eq!(Statistic::Mean.of(&mut [3.0, 1.0, 8.0]), 4.0);
        assert_eq!(Statistic::Min.of(&mut [3.0, 1.0, 8.0]), 1.0);
    }
}
