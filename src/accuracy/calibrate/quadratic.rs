//! The loss near a point as a quadratic function, after Gauss and Newton: from the derivatives of all deviations.

use super::loss::Measured;
use crate::search::strategy::diagonalise;

/// What keeps the matrix invertible where the data say nothing of a key, as a share of the greatest element.
const LEAST: f64 = 1e-9;

/// A local model of the loss.
#[derive(Debug, Clone)]
pub(super) struct Quadratic {
    n: usize,
    /// JᵀΩJ, row by row: the second derivatives.
    matrix: Vec<f64>,
    /// JᵀΩd: the first derivatives.
    gradient: Vec<f64>,
}

impl Quadratic {
    /// From a point and, for each coordinate, a neighbour on either side; with the deviations there.
    pub(super) fn new(points: &[Vec<f64>], deviations: &[Vec<f64>], measured: &Measured) -> Self {
        let n = points[0].len();
        let centre = &deviations[0];
        let weights = measured.slopes(centre);
        // ∂d/∂x of each point of the data, coordinate by coordinate.
        let derivative = |coordinate: usize| -> Vec<f64> {
            let (up, down) = (1 + 2 * coordinate, 2 + 2 * coordinate);
            let run = points[up][coordinate] - points[down][coordinate];
            let slope = |(up, down): (&f64, &f64)| {
                let slope = (up - down) / run;
                if slope.is_finite() { slope } else { 0.0 }
            };
            deviations[up].iter().zip(&deviations[down]).map(slope).collect()
        };
        let jacobian: Vec<Vec<f64>> = (0..n).map(derivative).collect();
        let product = |a: &[f64], b: &[f64]| -> f64 {
            let terms = a.iter().zip(b).zip(&weights).map(|((a, b), weight)| a * b * weight);
            terms.filter(|term| term.is_finite()).sum()
        };
        let rows = jacobian.iter().flat_map(|a| jacobian.iter().map(|b| product(a, b)));
        Self { n, matrix: rows.collect(), gradient: jacobian.iter().map(|a| product(a, centre)).collect() }
    }

    fn get(&self, i: usize, j: usize) -> f64 {
        self.matrix[i * self.n + j]
    }

    /// What is added to the diagonal.
    fn least(&self) -> f64 {
        (0..self.n).map(|i| self.get(i, i)).fold(0.0, f64::max) * LEAST + f64::MIN_POSITIVE
    }

    /// The damped step of Levenberg (1944) and Marquardt (1963) towards the least loss, within the bounds.
    pub(super) fn step(&self, at: &[f64], damping: f64) -> Vec<f64> {
        // A key that is at a bound and would go beyond it stays there.
        let blocked =
            |i: &usize| (at[*i] <= 0.0 && self.gradient[*i] > 0.0) || (at[*i] >= 1.0 && self.gradient[*i] < 0.0);
        let free: Vec<usize> = (0..self.n).filter(|i| !blocked(i)).collect();
        let downhill: Vec<f64> = free.iter().map(|&i| -self.gradient[i]).collect();
        let step = self.solve(&free, downhill, damping);
        let mut next = at.to_vec();
        free.iter().zip(step).for_each(|(&i, step)| next[i] += step);
        clamped(&next)
    }

    /// How far all coordinates move for each unit that one of them does, so that the loss rises least.
    pub(super) fn along(&self, coordinate: usize) -> Vec<f64> {
        let others: Vec<usize> = (0..self.n).filter(|&i| i != coordinate).collect();
        let pull: Vec<f64> = others.iter().map(|&i| -self.get(i, coordinate)).collect();
        let moves = self.solve(&others, pull, LEAST);
        let mut along = vec![0.0; self.n];
        along[coordinate] = 1.0;
        others.iter().zip(moves).for_each(|(&i, step)| along[i] = step);
        along
    }

    /// The second derivative along a direction.
    pub(super) fn curvature(&self, along: &[f64]) -> f64 {
        let row = |i: usize| -> f64 { (0..self.n).map(|j| self.get(i, j) * along[j]).sum() };
        (0..self.n).map(|i| along[i] * row(i)).sum()
    }

    /// How much the deviations change with a coordinate, as the root of their weighted mean square.
    pub(super) fn sensitivity(&self, coordinate: usize) -> f64 {
        self.get(coordinate, coordinate).sqrt()
    }

    /// The coordinates that can move together, with the direction of each, while the deviations hardly change: the
    /// eigenvectors with an eigenvalue below `least` of the matrix whose columns have length one. Of two coordinates
    /// the eigenvalues are 1 ± the correlation; of more, each pair's may be weak (Brun, Reichert and Künsch, "Practical
    /// identifiability analysis of large environmental simulation models", Water Resources Research 37, 2001).
    pub(super) fn trade_offs(&self, among: &[usize], least: f64) -> Vec<Vec<(usize, f64)>> {
        let n = among.len();
        let scale = |i: usize| self.sensitivity(i);
        let mut matrix: Vec<f64> =
            among.iter().flat_map(|&i| among.iter().map(move |&j| self.get(i, j) / (scale(i) * scale(j)))).collect();
        let mut vectors = vec![0.0; n * n];
        diagonalise(&mut matrix, &mut vectors, n);
        let mut flat: Vec<usize> = (0..n).filter(|&i| matrix[i * n + i] < least).collect();
        flat.sort_by(|&a, &b| matrix[a * n + a].total_cmp(&matrix[b * n + b]));
        let direction = |column: usize| -> Vec<(usize, f64)> {
            let parts = (0..n).map(|row| (among[row], vectors[row * n + column]));
            parts.filter(|(_, part)| part.abs() >= PART).collect()
        };
        flat.into_iter().map(direction).filter(|parts| parts.len() > 1).collect()
    }

    /// Solves the equations of some coordinates by Cholesky's method, with a share of the diagonal added to it.
    fn solve(&self, among: &[usize], right: Vec<f64>, damping: f64) -> Vec<f64> {
        let n = among.len();
        let mut lower = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..=i {
                let sum: f64 = (0..j).map(|k| lower[i * n + k] * lower[j * n + k]).sum();
                let element = self.get(among[i], among[j]);
                lower[i * n + j] = if i == j {
                    (element * (1.0 + damping) + self.least() - sum).max(self.least()).sqrt()
                } else {
                    (element - sum) / lower[j * n + j]
                };
            }
        }
        let mut solved = right;
        for i in 0..n {
            let sum: f64 = (0..i).map(|k| lower[i * n + k] * solved[k]).sum();
            solved[i] = (solved[i] - sum) / lower[i * n + i];
        }
        for i in (0..n).rev() {
            let sum: f64 = (i + 1..n).map(|k| lower[k * n + i] * solved[k]).sum();
            solved[i] = (solved[i] - sum) / lower[i * n + i];
        }
        solved
    }
}

/// The nearest point within the bounds.
pub(super) fn clamped(point: &[f64]) -> Vec<f64> {
    point.iter().map(|share| share.clamp(0.0, 1.0)).collect()
}

/// The least part of a key in a direction to be named in it.
const PART: f64 = 0.25;

#[cfg(test)]
mod tests {
    use super::*;

    /// Deviations that are linear in the coordinates: 0.04 x − 0.01 and 0.03 x + 0.04 y − 0.005; none changes with z.
    fn linear() -> (Vec<Vec<f64>>, Quadratic) {
        let deviations = |p: &Vec<f64>| vec![0.04 * p[0] - 0.01, 0.03 * p[0] + 0.04 * p[1] - 0.005];
        let at = vec![0.5, 0.5, 0.5];
        let mut points = vec![at.clone()];
        for i in 0..3 {
            for sign in [0.01, -0.01] {
                let mut point = at.clone();
                point[i] += sign;
                points.push(point);
            }
        }
        let found: Vec<Vec<f64>> = points.iter().map(deviations).collect();
        let quadratic = Quadratic::new(&points, &found, &Measured::new([(1.0, "a"), (1.0, "b")]));
        (points, quadratic)
    }

    /// Gauss and Newton's step ends where both deviations are zero, whatever the weights: x = 1/4, y = −1/16, which
    /// lies outside.
    #[test]
    fn an_undamped_step_solves_a_linear_problem() {
        let (points, quadratic) = linear();
        let step = quadratic.step(&points[0], 0.0);
        assert!((step[0] - 0.25).abs() < 1e-6 && step[1] == 0.0 && step[2] == 0.5, "{step:?}");
    }

    /// While y moves by 1, x moves by −b·a/(a·a): a = (0.04, 0.03), b = (0, 0.04), with the weights of the loss.
    #[test]
    fn others_follow_so_that_the_loss_rises_least() {
        let (_, quadratic) = linear();
        let along = quadratic.along(1);
        let held = quadratic.curvature(&[0.0, 1.0, 0.0]);
        assert!(along[0] < 0.0 && along[1] == 1.0 && along[2] == 0.0, "{along:?}");
        for other in [-0.01, 0.01] {
            let beside = quadratic.curvature(&[along[0] + other, 1.0, 0.0]);
            assert!(quadratic.curvature(&along) < beside && quadratic.curvature(&along) < held);
        }
        assert_eq!(quadratic.sensitivity(2), 0.0);
    }

    /// Three columns a, b and a + b: no pair of them is parallel, and together they are of rank two.
    #[test]
    fn what_trades_off_by_threes_is_seen() {
        let columns = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let dot = |a: &[f64; 3], b: &[f64; 3]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let matrix = columns.iter().flat_map(|a| columns.iter().map(move |b| dot(a, b))).collect();
        let quadratic = Quadratic { n: 4, matrix, gradient: vec![0.0; 4] };
        let found = quadratic.trade_offs(&[0, 1, 2, 3], 0.05);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].iter().map(|(i, _)| *i).collect::<Vec<_>>(), [0, 1, 2]);
        assert!(found[0][0].1 * found[0][1].1 > 0.0 && found[0][0].1 * found[0][2].1 < 0.0, "{found:?}");
        assert!(quadratic.trade_offs(&[0, 1, 3], 0.05).is_empty());
    }
}
