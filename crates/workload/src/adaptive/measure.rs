//! What has to be measured before anything can be adapted, and what comes of it.
//!
//! Single messages are measured by the benchmarks of [`measure`](crate::measure); here is which ones, and how
//! their samples become what [`adapt`](hetsim_adapt) and the heuristics between clusters take.

use super::AdaptiveParameters;
use crate::broadcast::Clusters;
use crate::measure::{ExperimentPlan, Experiments, SizeSelection};
use hetsim_adapt::{Observation, Observations};
use hetsim_base::units::{Tick, Time};
use hetsim_cluster::Platform;
use hetsim_communication::intercluster::Matrix;
use hetsim_fit::{Measurements, PairSamples, Series};

impl AdaptiveParameters {
    /// The sizes at which single messages are measured inside clusters: all of `sizes` where a model takes tables over
    /// the size; the shortest, the longest and the one nearest to a short message where no model does.
    fn measured_sizes(&self) -> Vec<u64> {
        let mut sizes: Vec<u64> = self.sizes.iter().map(|size| size.count()).collect();
        sizes.sort_unstable();
        let tables = self.models.iter().any(|model| model.measurements(100) > model.measurements(2));
        if tables {
            return sizes;
        }
        let apart = |size: u64| ((size.max(1) as f64).ln() - (self.packet.count().max(1) as f64).ln()).abs();
        let short = sizes.iter().copied().min_by(|one, other| apart(*one).total_cmp(&apart(*other)));
        let mut kept: Vec<u64> = [sizes.first().copied(), short, sizes.last().copied()].into_iter().flatten().collect();
        kept.sort_unstable();
        kept.dedup();
        kept
    }

    /// The benchmarks of single messages inside the clusters: between the first two nodes of each that has two.
    pub(super) fn inside(&self, members: &Clusters) -> ExperimentPlan {
        let pairs = members.members.iter().filter(|nodes| nodes.len() > 1).map(|nodes| (nodes[0].0, nodes[1].0));
        let experiments = Experiments {
            round_trips: SizeSelection::All,
            gaps: SizeSelection::All,
            overheads: SizeSelection::All,
            triplets: SizeSelection::None,
        };
        ExperimentPlan { gaps: self.gaps, ..self.plan(pairs.collect(), self.measured_sizes(), experiments) }
    }

    /// Those between the clusters: messages of the size from each coordinator to each other one, gaps by trains, since
    /// a schedule between clusters asks when a coordinator may send again.
    pub(super) fn between(&self, members: &Clusters) -> ExperimentPlan {
        let first = |cluster: usize| members.members[cluster][0].0;
        let count = members.members.len();
        let pairs = (0..count).flat_map(|from| (0..count).map(move |to| (from, to))).filter(|(from, to)| from != to);
        let experiments =
            Experiments { round_trips: SizeSelection::All, gaps: SizeSelection::All, ..Experiments::default() };
        self.plan(pairs.map(|(from, to)| (first(from), first(to))).collect(), vec![self.size.count()], experiments)
    }

    fn plan(&self, pairs: Vec<(u32, u32)>, sizes: Vec<u64>, experiments: Experiments) -> ExperimentPlan {
        ExperimentPlan {
            pairs,
            sizes,
            repetitions: self.repetitions,
            train: self.train,
            experiments,
            outliers: self.outliers,
            ..ExperimentPlan::default()
        }
    }
}

/// The middle of the samples at a size.
fn middle(list: &[Series], bytes: u64) -> Option<f64> {
    list.iter().find(|series| series.bytes == bytes)?.middle().map(|estimate| estimate.value)
}

/// What was measured with a pair inside a cluster, as models take it.
///
/// # Errors
/// Where samples are missing or make no sense.
pub(super) fn observations(pair: &PairSamples, contention: f64) -> Result<Observations, String> {
    let at = pair.round_trips.iter().map(|series| {
        let bytes = series.bytes;
        let observation = Observation {
            bytes,
            one_way: series.middle()?.value / 2.0,
            gap: middle(&pair.gaps, bytes)?.max(0.0),
            send: middle(&pair.send_overheads, bytes)?,
            receive: middle(&pair.receive_overheads, bytes)?,
        };
        Some(observation)
    });
    let at: Option<Vec<_>> = at.collect();
    let at = at.ok_or_else(|| {
        format!(
            "an experiment between nodes {} and {} gave no sample: jitter or load is too strong",
            pair.from, pair.to
        )
    })?;
    Observations::new(at, contention).map_err(|error| error.to_string())
}

/// Gaps and latencies between clusters for the measured message: the gap of a saturated train, and what half a round
/// trip takes besides. pLogP's own L, from an empty message, would leave out what a handshake of long messages takes.
///
/// # Errors
/// Where samples are missing.
pub(super) fn matrices(
    measured: &Measurements,
    members: &Clusters,
    bytes: u64,
    tick: Tick,
) -> Result<(Matrix<Time>, Matrix<Time>), String> {
    let size = members.members.len();
    let zero = || Matrix::from_fn(size, |_, _| Time::ZERO);
    let (mut gaps, mut latencies) = (zero(), zero());
    let cluster_of = |node: u32| members.members.iter().position(|nodes| nodes[0].0 == node);
    for pair in &measured.pairs {
        let lengths = middle(&pair.gaps, bytes).zip(middle(&pair.round_trips, bytes));
        let (Some((gap, round_trip)), Some(from), Some(to)) = (lengths, cluster_of(pair.from), cluster_of(pair.to))
        else {
            return Err(format!("the messages between nodes {} and {} were not measured", pair.from, pair.to));
        };
        gaps[(from, to)] = tick.time(gap.max(0.0));
        latencies[(from, to)] = tick.time((round_trip / 2.0 - gap.max(0.0)).max(0.0));
    }
    Ok((gaps, latencies))
}

/// How much longer bytes take while a whole cluster talks at once than between two nodes alone: `whole` and `pair` are
/// exchanges of a long message, `empty` that of an empty one, in seconds. 1 or more.
pub(super) fn contention(whole: f64, pair: f64, empty: f64) -> f64 {
    if pair > empty { ((whole - empty) / (pair - empty)).max(1.0) } else { 1.0 }
}

/// The clusters of two nodes or more.
pub(super) fn shared(platform: &Platform) -> impl Iterator<Item = usize> {
    (0..platform.clusters().len()).filter(|group| platform.clusters()[*group].nodes > 1)
}
