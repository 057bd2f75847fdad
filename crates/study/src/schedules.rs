//! How good the heuristics for a broadcast between clusters are, over many drawn grids.
//!
//! Steffenel and Mounié (PMEO 2006), on whose heuristics Nasri et al. (IJGUC 2008, §4.3.2) build, compare them on
//! random grids. A draw is a [`Grid`]; every heuristic makes its schedule of it, and the schedules' ends are exact, so
//! no event is simulated. All heuristics meet the same draws.

use rand::RngExt;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Case, Study};
use hetsim_base::engine::Stream;
use hetsim_base::record::{Metric, TableShape, Value};
use hetsim_base::units::defaults::count;
use hetsim_base::units::{Quantity, Seconds, Tick, Time};
use hetsim_cluster::Platform;
use hetsim_communication::intercluster::{Grid, Heuristic, IntraclusterStart, Matrix, exact};
use hetsim_workload::{KeyError, RunFailure};

/// `kind = "schedules"`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SchedulesParameters {
    /// The number of clusters in a grid; the first one has the message.
    #[schemars(range(min = 1, max = 1000))]
    pub clusters: u32,
    /// The number of grids that one run draws.
    #[serde(default = "count::<100>")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub draws: u32,
    /// The latency L between two clusters.
    pub latency: Range,
    /// The gap g between two clusters.
    pub gap: Range,
    /// The time T of the broadcast inside a cluster.
    pub inside: Range,
    /// Whether a pair's latency and gap are the same in both directions.
    #[serde(default = "yes")]
    pub symmetric: bool,
    /// When clusters broadcast inside: after their last send to another cluster, or at once when they are informed.
    #[serde(default)]
    pub convention: IntraclusterStart,
    /// Up to how many clusters the optimum is searched for, too: branch and bound.
    #[serde(default = "count::<7>")]
    #[schemars(range(max = 12))]
    pub exact_up_to: u32,
}

/// Lengths of time that are drawn uniformly.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Range {
    /// The least.
    pub from: Seconds,
    /// The greatest.
    pub to: Seconds,
}

const fn yes() -> bool {
    true
}

/// Makes the list of heuristics and the names of their metrics, which have to be known before a run.
macro_rules! compared {
    ($($Heuristic:ident $name:literal,)+) => {
        /// The heuristics that are compared.
        const COMPARED: &[Heuristic] = &[$(Heuristic::$Heuristic),+];

        hetsim_base::metrics! {
            /// The metrics of each heuristic, one heuristic after the other.
            pub struct HeuristicMetrics [
                $(
                    [less] concat!("mean_end_", $name, "_s")
                        => concat!("mean completion of the schedules of ", $name),
                    [more, share_of("draws")] concat!("hit_rate_", $name)
                        => concat!("share of draws in which no heuristic ends before ", $name),
                    [less] concat!("over_best_", $name)
                        => concat!("mean completion of ", $name, " over that of the draw's best heuristic"),
                    [more, share_of("draws")] concat!("optimal_rate_", $name) => concat!(
                        "share of draws in which ", $name,
                        " is optimal; blank where the optimum was not searched for"
                    ),
                )+
            ]
        }
    };
}

compared! {
    Flat "flat",
    Fef "fef",
    FefLatency "fef_latency",
    Ecef "ecef",
    EcefLa "ecef_la",
    EcefLaMean "ecef_la_mean",
    EcefLatMin "ecef_lat_min",
    EcefLatMax "ecef_lat_max",
    BottomUp "bottom_up",
    FastestNodeFirst "fastest_node_first",
    Mst "mst",
}

hetsim_base::metrics! {
    /// The metrics of a comparison.
    pub struct ScheduleMetrics {
        draws: u32 = "grids that were drawn" [neither],
        mean_best_s: f64 = "mean over the draws of the least completion of all heuristics" [less],
        mean_optimum_s: Option<f64> = "mean of the optimal completions; blank where they were not searched for" [less],
        proved: Option<u64> = "draws whose optimum was proved; blank where it was not searched for" [more],
    }
}

/// A row a heuristic.
const HEURISTICS: TableShape = TableShape {
    name: "heuristics",
    about: "each heuristic over all draws of a run",
    columns: &[
        Metric::name("heuristic", "its name"),
        Metric::number("mean_end_s", "the mean completion of its schedules"),
        Metric::number("hit_rate", "share of draws in which no other heuristic ends earlier"),
        Metric::number("over_best", "its mean completion over that of the draw's best heuristic"),
        Metric::number("optimal_rate", "share of draws in which it is optimal; blank where the optimum is not known"),
    ],
};

/// The steps of the search for one draw's optimum.
const STEPS: u64 = 10_000_000;

impl SchedulesParameters {
    /// The grid of one draw.
    fn grid(&self, stream: &mut Stream, tick: Tick) -> Result<Grid, String> {
        let size = self.clusters as usize;
        let mut draw = |range: Range| {
            let (from, to) = (range.from.base(), range.to.base());
            tick.time(from + (to - from) * stream.random::<f64>())
        };
        let mut matrix = |range: Range| {
            let mut matrix = Matrix::from_fn(size, |from, to| if from == to { Time::ZERO } else { draw(range) });
            if self.symmetric {
                for (from, to) in (0..size).flat_map(|from| (0..from).map(move |to| (from, to))) {
                    matrix[(from, to)] = matrix[(to, from)];
                }
            }
            matrix
        };
        let (latency, gap) = (matrix(self.latency), matrix(self.gap));
        let inside = (0..size).map(|_| draw(self.inside)).collect();
        Grid::new(gap, latency, inside, 0).map_err(|error| error.to_string())
    }
}

/// Sums over the draws, for one heuristic.
#[derive(Debug, Clone, Copy, Default)]
struct HeuristicSums {
    end: f64,
    over_best: f64,
    hits: u32,
    optimal: u32,
}

impl Study for SchedulesParameters {
    const NAME: &'static str = "schedules";
    const ABOUT: &'static str = "Heuristics for a broadcast between clusters, compared on drawn grids.";
    const TABLES: &'static [TableShape] = &[HEURISTICS];
    type Metrics = (ScheduleMetrics, HeuristicMetrics);

    fn check(&self, _: Option<&Platform>) -> Result<(), KeyError> {
        for (key, range) in [("latency", self.latency), ("gap", self.gap), ("inside", self.inside)] {
            KeyError::unless(range.from.base() <= range.to.base(), key, || {
                format!("`{key}` goes from {} to {}, which is less", range.from, range.to)
            })?;
        }
        KeyError::at_least_one(&[("clusters", self.clusters), ("draws", self.draws)])
    }

    /// Draws the grids and compares the heuristics on each.
    fn measure(&self, case: &mut Case<'_>) -> Result<Self::Metrics, RunFailure> {
        let tick = Tick::PICOSECOND;
        let searched = self.clusters <= self.exact_up_to;
        let mut sums = vec![HeuristicSums::default(); COMPARED.len()];
        let (mut best_sum, mut optimum_sum, mut proved) = (0.0, 0.0, 0u64);
        for draw in 0..self.draws {
            let grid = self.grid(&mut case.streams.stream("grid", u64::from(draw)), tick)?;
            let ends = COMPARED
                .iter()
                .map(|heuristic| heuristic.schedule(&grid, self.convention).completion(&grid, self.convention));
            let ends: Vec<Time> = ends.collect();
            let best = ends.iter().copied().min().unwrap_or(Time::ZERO);
            let optimum = searched.then(|| exact(&grid, self.convention, STEPS));
            for (&end, sums) in ends.iter().zip(&mut sums) {
                sums.end += tick.seconds(end);
                sums.over_best += if end == best { 1.0 } else { end.as_f64() / best.as_f64() };
                sums.hits += u32::from(end == best);
                sums.optimal += u32::from(optimum.as_ref().is_some_and(|optimum| end == optimum.completion));
            }
            best_sum += tick.seconds(best);
            if let Some(optimum) = &optimum {
                optimum_sum += tick.seconds(optimum.completion);
                proved += u64::from(optimum.proved);
            }
        }
        let draws = f64::from(self.draws);
        let of_heuristics = sums.iter().map(|sums| {
            let optimal = searched.then(|| f64::from(sums.optimal) / draws);
            [
                (sums.end / draws).into(),
                (f64::from(sums.hits) / draws).into(),
                (sums.over_best / draws).into(),
                optimal.into(),
            ]
        });
        let of_heuristics: Vec<[Value; 4]> = of_heuristics.collect();
        case.tables.keep(&HEURISTICS, || {
            let rows = COMPARED.iter().zip(&of_heuristics);
            rows.map(|(heuristic, values)| std::iter::once(heuristic.name().into()).chain(values.clone()).collect())
                .collect::<Vec<_>>()
        });
        let metrics = ScheduleMetrics {
            draws: self.draws,
            mean_best_s: best_sum / draws,
            mean_optimum_s: searched.then_some(optimum_sum / draws),
            proved: searched.then_some(proved),
        };
        Ok((metrics, HeuristicMetrics(of_heuristics.concat())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hetsim_base::engine::Streams;

    #[test]
    fn every_heuristic_but_the_exact_one_is_compared() {
        assert!(
            Heuristic::ALL.iter().all(|heuristic| COMPARED.contains(heuristic) != (*heuristic == Heuristic::Exact))
        );
        for (heuristic, metrics) in COMPARED.iter().zip(HeuristicMetrics::METRICS.chunks(4)) {
            assert_eq!(metrics[1].name, format!("hit_rate_{heuristic}"));
        }
    }

    /// Between two clusters there is one schedule: all heuristics are optimal, and end at g + max(T₀, L + T₁).
    #[test]
    fn two_clusters_leave_no_choice() {
        let text = "clusters = 2\ndraws = 20\nlatency = { from = '1ms', to = '1ms' }\ngap = { from = '2ms', to = '2ms' }\n\
                    inside = { from = '3ms', to = '3ms' }";
        let parameters: SchedulesParameters = toml::from_str(text).unwrap();
        let record = parameters.record(Case::new(Streams::new(1, 0), &[])).unwrap();
        for metrics in HeuristicMetrics::METRICS.chunks(4) {
            let [mean, hits, over, optimal] =
                [0, 1, 2, 3].map(|number: usize| record.get(metrics[number].name).and_then(Value::number).unwrap());
            assert!((mean - 0.006).abs() < 1e-12);
            assert_eq!([hits, over, optimal], [1.0; 3]);
        }
    }
}
