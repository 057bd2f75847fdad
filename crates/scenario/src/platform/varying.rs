//! The factors of links that are drawn for each run, and the faults of the links of nodes.

use super::DrawError;
use super::link_faults::refusal;
use super::links::{LinkPlan, LinkPlans};
use super::routing::NamedLinkPlan;
use super::spec::ClusterSpec;
use super::{Context, read_faults};
use crate::steps::Drawn;
use hetsim_base::engine::Streams;
use hetsim_base::units::Tick;
use hetsim_cluster::{Fault, Platform};
use hetsim_text::{Entry, Problem};
use xxhash_rust::xxh3::xxh3_64;

/// The factors of links that are drawn for each run.
#[derive(Debug, Clone)]
pub(super) struct DrawnFactors(Vec<DrawnFactor>);

#[derive(Debug, Clone)]
struct DrawnFactor {
    of: Factored,
    /// The index of its streams, which identifies the link independently of later clusters.
    index: u64,
    latency: Option<Drawn>,
    bandwidth: Option<Drawn>,
}

/// The subject of a factor: the platform's link with this number, or the named link.
#[derive(Debug, Clone, Copy)]
enum Factored {
    Connection(usize),
    Link(usize),
}

impl DrawnFactors {
    /// Collects the drawn factors of the links between clusters, of the levels inside clusters, and of named links.
    pub(super) fn new(links: &LinkPlans, levels: &[Vec<LinkPlan>], named: &[NamedLinkPlan]) -> Self {
        let clusters = levels.len();
        let index = |from: usize, to: u32| (from as u64) << 32 | u64::from(to);
        let pairs =
            (0..links.kinds.len()).map(|link| (index(link / clusters, (link % clusters) as u32), links.get(link)));
        // A level uses a number beyond those of clusters.
        let levels = levels.iter().enumerate().flat_map(|(cluster, levels)| {
            (0..).zip(levels).map(move |(level, plan)| (index(cluster, u32::MAX - level), plan))
        });
        let drawn = pairs.chain(levels).enumerate().filter(|(_, (_, plan))| plan.is_drawn());
        let factor = |(link, (index, plan)): (usize, (u64, &LinkPlan))| DrawnFactor {
            of: Factored::Connection(link),
            index,
            latency: plan.latency.clone(),
            bandwidth: plan.bandwidth.clone(),
        };
        let of_named = named.iter().enumerate().filter(|(_, plan)| plan.latency.is_some() || plan.bandwidth.is_some());
        let of_named = of_named.map(|(link, plan)| DrawnFactor {
            of: Factored::Link(link),
            index: xxh3_64(plan.link.name.as_bytes()),
            latency: plan.latency.clone(),
            bandwidth: plan.bandwidth.clone(),
        });
        Self(drawn.map(factor).chain(of_named).collect())
    }

    /// Whether no factor is drawn.
    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The expected number of drawn values.
    pub(super) fn values(&self) -> f64 {
        let factors = self.0.iter().flat_map(|factor| [&factor.latency, &factor.bandwidth]);
        factors.flatten().map(Drawn::values).sum()
    }

    /// The platform with the factors of a run.
    ///
    /// # Errors
    /// A drawn factor is out of range.
    pub(super) fn draw(&self, platform: Platform, streams: &Streams) -> Result<Platform, DrawError> {
        self.0.iter().try_fold(platform, |platform, factor| {
            let draw = |drawn: &Option<Drawn>, what| {
                let profile = drawn.as_ref().map(|drawn| drawn.draw(streams.stream(what, factor.index)));
                profile.transpose().map_err(|why| DrawError::OutOfRange { what, why })
            };
            let (latency, bandwidth) =
                (draw(&factor.latency, "latency factor")?, draw(&factor.bandwidth, "bandwidth factor")?);
            Ok(match factor.of {
                Factored::Connection(link) => platform.with_factors(link, latency, bandwidth)?,
                Factored::Link(link) => platform.with_named_link_factors(link, latency, bandwidth)?,
            })
        })
    }
}

/// Reads the faults of the links between each node and its cluster's network; `None` if no cluster has any.
pub(super) fn read_node_links(
    tables: &[Entry],
    clusters: &[ClusterSpec],
    (links, levels): (&LinkPlans, &[Vec<LinkPlan>]),
    tick: Tick,
    context: &Context<'_>,
) -> Result<Vec<Vec<Fault>>, Vec<Problem>> {
    if clusters.iter().all(|cluster| cluster.link_fault.is_empty()) {
        return Ok(Vec::new());
    }
    let mut faults = Vec::new();
    for (number, (entry, cluster)) in tables.iter().zip(clusters).enumerate() {
        if let Some(place) =
            entry.value.get("link_fault").map(|node| &node.place).filter(|_| !cluster.link_fault.is_empty())
        {
            // Everything that a node sends or receives has to wait, within its cluster and beyond.
            let count = clusters.len();
            let pairs = (0..count).flat_map(|other| [number * count + other, other * count + number]);
            let mut all = levels[number].iter().chain(pairs.map(|link| links.get(link)));
            if let Some(plan) = all.find(|plan| !plan.link.model.is_flow()) {
                return Err(vec![refusal(plan.name, place)]);
            }
            let mut own = Vec::new();
            if let Some(topology) = links.get(number * clusters.len() + number).link.model.topology() {
                topology.own_channels(0, &mut own);
                if own.is_empty() {
                    let message = "the nodes of this cluster have no links of their own that could fail";
                    return Err(vec![Problem::at(place, message)]);
                }
            }
        }
        faults.extend(read_faults((&entry.value, "link_fault"), &cluster.link_fault, cluster, tick, context.sources)?);
    }
    Ok(faults)
}
