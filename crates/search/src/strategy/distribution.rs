//! The normal distribution of (μ/μ_w, λ)-CMA-ES, which adapts to the errors of the points drawn from it.
//!
//! Hansen, "The CMA Evolution Strategy: A Tutorial" (arXiv 1604.00772), with its default parameters and without
//! negative weights. The better half of λ points, weighted by rank, moves the mean; two evolution paths of the mean
//! adapt the overall step and the covariance matrix.
//!
//! Whoever has the points evaluates them as it likes, for example all at once on many cores.

use std::collections::VecDeque;

use rand::{Rng, RngExt};
use rand_distr::StandardNormal;

use super::eigen::diagonalise;

/// The constants that depend on the dimension and λ (Table 1 of the tutorial).
#[derive(Debug, Clone, Default)]
struct Constants {
    /// The weights of the better half, best first; their sum is 1.
    weights: Vec<f64>,
    /// μ_eff: the equivalent number of equal weights.
    effective: f64,
    /// c_σ and d_σ: the rate at which the step's path forgets, and the damping of the step.
    step_path: f64,
    damping: f64,
    /// c_c: the rate at which the covariance's path forgets.
    covariance_path: f64,
    /// c_1 and c_μ: the weights of the path and of the generation in the covariance update.
    rank_one: f64,
    rank_mu: f64,
    /// E‖N(0, I)‖.
    length: f64,
}

impl Constants {
    fn new(dimension: usize, count: usize) -> Self {
        let n = dimension as f64;
        let parents = (count / 2).max(1);
        let middle = (count as f64).midpoint(1.0).ln();
        let mut weights: Vec<f64> = (1..=parents).map(|rank| middle - (rank as f64).ln()).collect();
        if count == 1 {
            weights[0] = 1.0;
        }
        let sum: f64 = weights.iter().sum();
        for weight in &mut weights {
            *weight /= sum;
        }
        let effective = 1.0 / weights.iter().map(|weight| weight * weight).sum::<f64>();
        let step_path = (effective + 2.0) / (n + effective + 5.0);
        let rank_one = 2.0 / ((n + 1.3).powi(2) + effective);
        let rank_mu = 2.0 * (effective - 2.0 + 1.0 / effective) / ((n + 2.0).powi(2) + effective);
        Self {
            weights,
            effective,
            step_path,
            damping: 1.0 + 2.0 * (((effective - 1.0) / (n + 1.0)).sqrt() - 1.0).max(0.0) + step_path,
            covariance_path: (4.0 + effective / n) / (n + 4.0 + 2.0 * effective / n),
            rank_one,
            rank_mu: rank_mu.min(1.0 - rank_one),
            length: n.sqrt() * (1.0 - 1.0 / (4.0 * n) + 1.0 / (21.0 * n * n)),
        }
    }
}

/// A normal distribution over points of a search space, which learns from the errors of points drawn from it.
///
/// Each generation is a [`draw`](Self::draw) of λ points and a [`learn`](Self::learn) from their errors.
///
/// ```
/// use hetsim_base::engine::Streams;
/// use hetsim_search::strategy::Distribution;
///
/// let mut distribution = Distribution::new(&[3.0, -2.0], 0.5, 6);
/// let mut stream = Streams::new(1, 0).stream("search", 0);
/// for _ in 0..100 {
///     let errors: Vec<f64> = distribution.draw(&mut stream).map(|x| x[0].powi(2) + x[1].powi(2)).collect();
///     distribution.learn(&errors);
/// }
/// assert!(distribution.mean().iter().all(|x| x.abs() < 1e-6));
/// ```
#[derive(Debug, Clone)]
pub struct Distribution {
    dimension: usize,
    first_step: f64,
    count: usize,
    constants: Constants,
    mean: Vec<f64>,
    step: f64,
    /// The covariance matrix for a step of 1, row by row.
    covariance: Vec<f64>,
    /// The eigenvectors as columns, and the square roots of the eigenvalues.
    axes: Vec<f64>,
    lengths: Vec<f64>,
    step_path: Vec<f64>,
    covariance_path: Vec<f64>,
    /// The generations since the start, and since the axes were computed.
    generation: u32,
    since_axes: u32,
    /// The best errors of the last generations.
    recent: VecDeque<f64>,
    scratch: Scratch,
}

/// Buffers for one generation.
#[derive(Debug, Clone, Default)]
struct Scratch {
    /// The points, and their offsets from the mean in steps, one after the other.
    points: Vec<f64>,
    offsets: Vec<f64>,
    order: Vec<u32>,
    deviates: Vec<f64>,
    mean_offset: Vec<f64>,
    matrix: Vec<f64>,
}

impl Distribution {
    /// Around a point, with an equal step along all coordinates; λ is the number of points a generation, of which
    /// Hansen's default is 4 + ⌊3 ln n⌋ in n dimensions.
    #[must_use]
    pub fn new(mean: &[f64], step: f64, count: usize) -> Self {
        let dimension = mean.len();
        let mut distribution = Self {
            dimension,
            first_step: step,
            count: 0,
            constants: Constants::default(),
            mean: mean.to_vec(),
            step,
            covariance: vec![0.0; dimension * dimension],
            axes: vec![0.0; dimension * dimension],
            lengths: vec![1.0; dimension],
            step_path: vec![0.0; dimension],
            covariance_path: vec![0.0; dimension],
            generation: 0,
            since_axes: 0,
            recent: VecDeque::new(),
            scratch: Scratch::default(),
        };
        distribution.resize(count);
        distribution.restart(|mean| mean);
        distribution
    }

    /// Changes λ.
    pub(super) fn resize(&mut self, count: usize) {
        self.count = count;
        self.constants = Constants::new(self.dimension, count.max(1));
        self.scratch.points.resize(count * self.dimension, 0.0);
        self.scratch.offsets.resize(count * self.dimension, 0.0);
        self.scratch.deviates.resize(self.dimension, 0.0);
        self.scratch.mean_offset.resize(self.dimension, 0.0);
    }

    /// Forgets all that was learnt and goes on from another mean, each coordinate of which is made of the old one.
    pub(super) fn restart(&mut self, mut coordinate: impl FnMut(f64) -> f64) {
        self.mean.iter_mut().for_each(|mean| *mean = coordinate(*mean));
        self.step = self.first_step;
        for (matrix, diagonal) in [(&mut self.covariance, 1.0), (&mut self.axes, 1.0)] {
            matrix.fill(0.0);
            matrix.iter_mut().step_by(self.dimension + 1).for_each(|element| *element = diagonal);
        }
        self.lengths.fill(1.0);
        self.step_path.fill(0.0);
        self.covariance_path.fill(0.0);
        self.recent.clear();
        (self.generation, self.since_axes) = (0, 0);
    }

    /// Draws λ points (Eqs. 38–40).
    pub fn draw(&mut self, rng: &mut impl Rng) -> impl ExactSizeIterator<Item = &[f64]> {
        let n = self.dimension.max(1);
        let Scratch { points, offsets, deviates, .. } = &mut self.scratch;
        for (point, offset) in points.chunks_exact_mut(n).zip(offsets.chunks_exact_mut(n)) {
            for (deviate, length) in deviates.iter_mut().zip(&self.lengths) {
                *deviate = length * rng.sample::<f64, _>(StandardNormal);
            }
            for ((row, offset), (point, mean)) in
                self.axes.chunks_exact(n).zip(offset).zip(point.iter_mut().zip(&self.mean))
            {
                *offset = row.iter().zip(&*deviates).map(|(axis, deviate)| axis * deviate).sum();
                *point = mean + self.step * *offset;
            }
        }
        self.scratch.points.chunks_exact(n)
    }

    /// Adapts to the errors of the points that were drawn last, in their order; as many as were drawn.
    pub fn learn(&mut self, errors: &[f64]) {
        debug_assert_eq!(errors.len(), self.count, "an error for each point");
        if errors.is_empty() {
            return;
        }
        let order = &mut self.scratch.order;
        order.clear();
        order.extend(0..errors.len() as u32);
        order.sort_unstable_by(|&a, &b| errors[a as usize].total_cmp(&errors[b as usize]).then(a.cmp(&b)));
        let memory = self.memory();
        self.recent.truncate(memory - 1);
        self.recent.push_front(errors[self.scratch.order[0] as usize]);
        self.move_mean();
        self.adapt_step();
        self.adapt_covariance();
    }

    /// The number of generations whose best errors tell whether anything improves (§B.3).
    fn memory(&self) -> usize {
        10 + (30 * self.dimension).div_ceil(self.count.max(1))
    }

    /// Moves the mean to the weighted mean of the better half (Eqs. 41–42).
    fn move_mean(&mut self) {
        let n = self.dimension;
        let Scratch { offsets, order, mean_offset, .. } = &mut self.scratch;
        mean_offset.fill(0.0);
        for (&weight, &chosen) in self.constants.weights.iter().zip(&*order) {
            for (sum, offset) in mean_offset.iter_mut().zip(&offsets[chosen as usize * n..]) {
                *sum += weight * offset;
            }
        }
        for (mean, offset) in self.mean.iter_mut().zip(&*mean_offset) {
            *mean += self.step * offset;
        }
    }

    /// Increases the step if the path of the mean is longer than a random one, otherwise decreases it (Eqs. 43–44).
    fn adapt_step(&mut self) {
        let (n, constants) = (self.dimension, &self.constants);
        let Scratch { deviates, mean_offset, .. } = &mut self.scratch;
        let gain = (constants.step_path * (2.0 - constants.step_path) * constants.effective).sqrt();
        // C^−½ times the move: into the axes, divided by their lengths, and back.
        for (axis, whitened) in deviates.iter_mut().enumerate() {
            let along: f64 = mean_offset.iter().enumerate().map(|(i, offset)| self.axes[i * n + axis] * offset).sum();
            *whitened = along / self.lengths[axis];
        }
        for (row, path) in self.axes.chunks_exact(n).zip(&mut self.step_path) {
            let back: f64 = row.iter().zip(&*deviates).map(|(axis, whitened)| axis * whitened).sum();
            *path = (1.0 - constants.step_path) * *path + gain * back;
        }
        let length = norm(&self.step_path);
        self.step *= ((constants.step_path / constants.damping) * (length / constants.length - 1.0)).min(1.0).exp();
        self.generation += 1;
    }

    /// Updates the covariance from the path and from the better half (Eqs. 45–47).
    fn adapt_covariance(&mut self) {
        let (n, constants) = (self.dimension, &self.constants);
        let Scratch { offsets, order, mean_offset, .. } = &self.scratch;
        // While the step grows fast, the path stalls (h_σ) to keep the covariance from growing too.
        let settled = (1.0 - (1.0 - constants.step_path).powf(2.0 * f64::from(self.generation))).sqrt();
        let slow = norm(&self.step_path) / settled < (1.4 + 2.0 / (n as f64 + 1.0)) * constants.length;
        let forget = constants.covariance_path;
        let gain = if slow { (forget * (2.0 - forget) * constants.effective).sqrt() } else { 0.0 };
        for (path, offset) in self.covariance_path.iter_mut().zip(mean_offset) {
            *path = (1.0 - forget) * *path + gain * offset;
        }
        let lost = if slow { 0.0 } else { forget * (2.0 - forget) };
        let keep = 1.0 - constants.rank_one * (1.0 - lost) - constants.rank_mu;
        for i in 0..n {
            for j in 0..=i {
                let mut learnt = constants.rank_one * self.covariance_path[i] * self.covariance_path[j];
                for (&weight, &chosen) in constants.weights.iter().zip(order) {
                    let offset = &offsets[chosen as usize * n..];
                    learnt += constants.rank_mu * weight * offset[i] * offset[j];
                }
                let element = keep * self.covariance[i * n + j] + learnt;
                self.covariance[i * n + j] = element;
                self.covariance[j * n + i] = element;
            }
        }
        self.since_axes += 1;
        // As often as the matrix changes noticeably (§B.2 of the tutorial).
        if f64::from(self.since_axes) * 10.0 * n as f64 * (constants.rank_one + constants.rank_mu) >= 1.0 {
            self.compute_axes();
        }
    }

    fn compute_axes(&mut self) {
        let n = self.dimension;
        self.since_axes = 0;
        self.scratch.matrix.clone_from(&self.covariance);
        diagonalise(&mut self.scratch.matrix, &mut self.axes, n);
        for (i, length) in self.lengths.iter_mut().enumerate() {
            *length = self.scratch.matrix[i * n + i].max(0.0).sqrt();
        }
    }

    /// Whether no further generation is likely to improve anything: the tutorial's TolX, condition and TolFun (§B.3). A step that became NaN through NaN errors
    /// also counts.
    #[must_use]
    pub fn is_exhausted(&self) -> bool {
        let longest = self.lengths.iter().copied().fold(0.0, f64::max);
        let shortest = self.lengths.iter().copied().fold(f64::INFINITY, f64::min);
        let width = self.spread();
        let narrow = !width.is_finite() || width < 1e-12 * self.first_step;
        let elongated = longest > 1e7 * shortest;
        let (least, greatest) =
            self.recent.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), &e| (e.min(a), e.max(b)));
        narrow || elongated || (self.recent.len() == self.memory() && greatest - least < 1e-12)
    }

    /// The mean.
    #[must_use]
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// σ: the overall step.
    #[must_use]
    pub const fn step(&self) -> f64 {
        self.step
    }

    /// The greatest standard deviation along an axis of the distribution.
    #[must_use]
    pub fn spread(&self) -> f64 {
        self.step * self.lengths.iter().copied().fold(0.0, f64::max)
    }

    pub(super) const fn len(&self) -> usize {
        self.count
    }
}

fn norm(vector: &[f64]) -> f64 {
    vector.iter().map(|x| x * x).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The constants for n = 10 and λ = 10, computed from the formulas: μ = 5, w' = ln 5.5 − ln i.
    #[test]
    fn constants_are_the_tutorials() {
        let constants = Constants::new(10, 10);
        let expected = [0.456_27, 0.270_75, 0.162_23, 0.085_24, 0.025_51];
        for (weight, expected) in constants.weights.iter().zip(expected) {
            assert!((weight - expected).abs() < 1e-5, "{:?}", constants.weights);
        }
        assert!((constants.effective - 3.1673).abs() < 1e-4, "{}", constants.effective);
        assert!((constants.step_path - 5.1673 / 18.1673).abs() < 1e-5);
        assert!((constants.rank_one - 2.0 / (127.69 + 3.1673)).abs() < 1e-6);
        let rank_mu = 2.0 * (3.1673 - 2.0 + 1.0 / 3.1673) / (144.0 + 3.1673);
        assert!((constants.rank_mu - rank_mu).abs() < 1e-6);
        assert!((constants.weights.iter().sum::<f64>() - 1.0).abs() < 1e-15);
        assert_eq!(Constants::new(3, 1).weights, [1.0]);
        // E‖N(0, I)‖ in one dimension is √(2/π); the series is off by 2 ‰ there.
        assert!((Constants::new(1, 4).length / (2.0 / std::f64::consts::PI).sqrt() - 1.0).abs() < 0.01);
    }
}
