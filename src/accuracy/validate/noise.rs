//! How much measurements vary: the floor under any error of a prediction.

use std::collections::BTreeMap;

use super::Judged;
use crate::fit::robust::median;
use crate::statistics::quantile;

/// How much measurements of the same vary.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Noise {
    /// The median, over points, of the 90th over the 10th percentile of a point's iterations.
    pub spread: Option<f64>,
    /// How many tests were taken in several runs.
    pub repeated: usize,
    /// The median, over these tests, of the longest over the shortest of the runs' times.
    pub between_runs: Option<f64>,
    /// A tenth of these tests vary by more than this factor.
    pub between_runs_p90: Option<f64>,
}

impl Noise {
    pub(super) fn of(points: &[Judged]) -> Self {
        let spreads = points.iter().filter_map(|point| Some(point.measured.p90? / point.measured.p10?));
        let mut tests: BTreeMap<_, Vec<f64>> = BTreeMap::new();
        for point in points {
            let of = &point.measured;
            let test = (&of.system, of.nodes, of.ranks_per_node, &of.library, &of.operation, &of.algorithm, of.bytes);
            tests.entry(test).or_default().push(of.median);
        }
        let least = |times: &[f64]| times.iter().copied().fold(f64::INFINITY, f64::min);
        let most = |times: &[f64]| times.iter().copied().fold(0.0, f64::max);
        let factors: Vec<f64> =
            tests.values().filter(|times| times.len() > 1).map(|times| most(times) / least(times)).collect();
        Self {
            spread: median(&spreads.collect::<Vec<f64>>()),
            repeated: factors.len(),
            between_runs: median(&factors),
            between_runs_p90: quantile(&factors, 0.9),
        }
    }
}
