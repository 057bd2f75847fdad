//! Kernels: what a call of a routine takes, by its sizes and by the node that runs it.
//!
//! A node's speed says what an operation takes, whatever it is for. A kernel says what a call of one routine takes, such as
//! a product of matrices: a formula of the call's sizes, whose coefficients may differ from node to node, and the noise of a call.

use std::ops::Range;

use rand::Rng;
use rand_distr::{Distribution, Gamma, LogNormal, StandardNormal};

use hetsim_formula::PointFormula;

use super::program::NodeId;

/// The sizes of a call: its rows, its columns and its depth, as the routines of BLAS name them. One that a routine does
/// not have is 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CallSize {
    /// The rows.
    pub m: f64,
    /// The columns.
    pub n: f64,
    /// The depth, over which a product of matrices adds.
    pub k: f64,
}

impl CallSize {
    /// The names of the sizes in formulas, in their order.
    pub const NAMES: [&'static str; 3] = ["m", "n", "k"];

    /// A call with all three sizes.
    #[must_use]
    pub const fn new(m: f64, n: f64, k: f64) -> Self {
        Self { m, n, k }
    }

    const fn point(self) -> [f64; 3] {
        [self.m, self.n, self.k]
    }
}

/// How the time of a call varies from call to call around its mean, by its standard deviation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Noise {
    /// It does not.
    #[default]
    None,
    /// A normal distribution, cut at zero.
    Normal,
    /// A half-normal distribution: no call is faster than a least time, and a few are much slower.
    HalfNormal,
    /// A log-normal distribution.
    LogNormal,
    /// A gamma distribution.
    Gamma,
}

/// What a call takes on a node, in seconds: formulas of [`CallSize::NAMES`].
#[derive(Debug, Clone, PartialEq)]
pub struct KernelTime {
    /// The mean.
    pub seconds: PointFormula,
    /// The standard deviation of a call; without it calls do not vary.
    pub deviation: Option<PointFormula>,
}

/// A routine, and what its calls take on each node.
#[derive(Debug, Clone, PartialEq)]
pub struct Kernel {
    name: String,
    times: Vec<KernelTime>,
    /// By node, the number of its time; empty if all nodes have the first.
    of_node: Vec<u32>,
    noise: Noise,
    /// By node, by how much its calls are longer in this run; empty if by nothing.
    factors: Vec<f64>,
}

impl Kernel {
    /// A kernel of some name whose calls take the time of the same number in `times` as `of_node` says; the first, on
    /// all nodes, where that is empty. `None` if there is no time of some number.
    #[must_use]
    pub fn new(name: String, times: Vec<KernelTime>, of_node: Vec<u32>, noise: Noise) -> Option<Self> {
        let is_known = |number: &u32| (*number as usize) < times.len();
        let are_known = !times.is_empty() && of_node.iter().all(is_known);
        are_known.then_some(Self { name, times, of_node, noise, factors: Vec::new() })
    }

    /// Whether its calls vary.
    #[must_use]
    pub fn is_noisy(&self) -> bool {
        self.noise != Noise::None && self.times.iter().any(|time| time.deviation.is_some())
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The same kernel whose calls are longer by a factor on each node.
    #[must_use]
    pub fn with_factors(self, factors: Vec<f64>) -> Self {
        Self { factors, ..self }
    }

    /// The same kernel whose calls take longer by a factor on the nodes of `range`, of `nodes` in all.
    pub(super) fn slowed(&self, range: Range<u32>, nodes: u32, by: f64) -> Self {
        let factor = |node| self.factor(NodeId(node)) * if range.contains(&node) { by } else { 1.0 };
        self.clone().with_factors((0..nodes).map(factor).collect())
    }

    /// Whether it is for so many nodes.
    pub(super) fn fits(&self, nodes: usize) -> bool {
        [self.of_node.len(), self.factors.len()].iter().all(|&of| of == 0 || of == nodes)
    }

    /// The same kernel on some of the nodes, renumbered.
    pub(super) fn part(&self, nodes: &[u32]) -> Self {
        let of_node = nodes.iter().filter_map(|&node| self.of_node.get(node as usize).copied()).collect();
        let factors = nodes.iter().filter_map(|&node| self.factors.get(node as usize).copied()).collect();
        Self { name: self.name.clone(), times: self.times.clone(), of_node, factors, noise: self.noise }
    }

    fn time_on(&self, node: NodeId) -> &KernelTime {
        &self.times[self.of_node.get(node.index()).map_or(0, |&number| number as usize)]
    }

    /// By how much its calls are longer on a node in this run.
    fn factor(&self, node: NodeId) -> f64 {
        self.factors.get(node.index()).copied().unwrap_or(1.0)
    }

    /// The mean time of a call on a node, in seconds; zero where the formula gives less, or nothing.
    #[must_use]
    pub fn mean_s(&self, node: NodeId, size: CallSize) -> f64 {
        self.time_on(node).seconds.value(&size.point()).unwrap_or(0.0).max(0.0) * self.factor(node)
    }

    /// The time of one call on a node, in seconds, with its noise.
    pub fn draw_s(&self, node: NodeId, size: CallSize, stream: &mut impl Rng) -> f64 {
        let mean = self.mean_s(node, size);
        let deviation = match (&self.time_on(node).deviation, self.noise) {
            (None, _) | (_, Noise::None) => return mean,
            (Some(formula), _) => formula.value(&size.point()).unwrap_or(0.0) * self.factor(node),
        };
        if deviation > 0.0 && mean > 0.0 { self.noise.around(mean, deviation, stream) } else { mean }
    }
}

impl Noise {
    /// A value of this mean and standard deviation, both above zero.
    #[must_use]
    pub fn around(self, mean: f64, deviation: f64, stream: &mut impl Rng) -> f64 {
        let variation = deviation / mean;
        let drawn = match self {
            Self::None => mean,
            Self::Normal => mean + deviation * standard(stream),
            Self::HalfNormal => {
                // |N(0, 1)| has the mean √(2/π) and the variance 1 − 2/π.
                let two_over_pi = std::f64::consts::FRAC_2_PI;
                let scale = deviation / (1.0 - two_over_pi).sqrt();
                mean + scale * (standard(stream).abs() - two_over_pi.sqrt())
            }
            Self::LogNormal => {
                LogNormal::from_mean_cv(mean, variation).map_or(mean, |distribution| distribution.sample(stream))
            }
            Self::Gamma => Gamma::new(variation.powi(-2), mean * variation * variation)
                .map_or(mean, |distribution| distribution.sample(stream)),
        };
        drawn.max(0.0)
    }
}

fn standard(stream: &mut impl Rng) -> f64 {
    StandardNormal.sample(stream)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hetsim_base::engine::Streams;
    use hetsim_formula::parse;

    /// Every distribution has the mean and the deviation that are asked for.
    #[test]
    fn noise_has_its_mean_and_deviation() {
        for noise in [Noise::Normal, Noise::HalfNormal, Noise::LogNormal, Noise::Gamma] {
            let formula = |text| PointFormula::from(parse(text, &CallSize::NAMES).expect("a formula"));
            let time = KernelTime { seconds: formula("2*m*n"), deviation: Some(formula("0.1*m*n")) };
            let kernel = Kernel::new("copy".to_owned(), vec![time], Vec::new(), noise).expect("a kernel");
            let mut stream = Streams::new(1, 0).stream("kernel", 0);
            let size = CallSize::new(3.0, 5.0, 1.0);
            let draws: Vec<f64> = (0..40_000).map(|_| kernel.draw_s(NodeId(0), size, &mut stream)).collect();
            let mean = draws.iter().sum::<f64>() / draws.len() as f64;
            let variance = draws.iter().map(|draw| (draw - mean).powi(2)).sum::<f64>() / draws.len() as f64;
            assert!((mean - 30.0).abs() < 0.03 && (variance.sqrt() - 1.5).abs() < 0.03, "{noise:?}: {mean} {variance}");
            assert!((kernel.mean_s(NodeId(0), size) - 30.0).abs() < 1e-12);
        }
    }
}
