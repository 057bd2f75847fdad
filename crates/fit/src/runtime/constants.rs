//! Fits the numbers in a formula by the Levenberg–Marquardt method for relative differences.
//!
//! The objective is the mean percentage error itself. Squares weighted by 1/|r| equal |r|, so each step solves a
//! weighted least-squares problem and is accepted if the mean percentage error falls. The normal equations have one row
//! per number, a dozen or two.

use hetsim_formula::{Evaluator, Expression, Gradient};

use super::data::Points;
use super::error::mean;

/// The least relative difference used in weights.
const LEAST_RESIDUAL: f64 = 3e-3;

/// The maximum count of fitted numbers; formulas with more are left unchanged.
const MOST_NUMBERS: usize = 96;

/// The maximum number of step reductions before the fit ends.
const TRIALS: usize = 6;

/// Buffers for fitting numbers, one set per thread.
#[derive(Debug, Default)]
pub struct Fitter {
    evaluator: Evaluator,
    gradient: Gradient,
    values: Vec<f64>,
    slopes: Vec<Vec<f64>>,
    scaled: Vec<f64>,
    matrix: Vec<f64>,
    damped: Vec<f64>,
    right: Vec<f64>,
    step: Vec<f64>,
}

impl Fitter {
    /// The mean percentage error of an expression; infinite if it has no value at a point.
    pub fn error(&mut self, expression: &Expression, points: &Points) -> f64 {
        self.values.resize(points.len(), 0.0);
        self.evaluator.evaluate(expression, &points.columns, &mut self.values);
        mean(&self.values, points)
    }

    /// The values of an expression at all points.
    pub(super) fn values(&mut self, expression: &Expression, points: &Points) -> &[f64] {
        self.values.resize(points.len(), 0.0);
        self.evaluator.evaluate(expression, &points.columns, &mut self.values);
        &self.values
    }

    /// Improves the numbers in an expression by at most `rounds` steps. Returns the mean percentage error, which never
    /// rises.
    pub fn fit(&mut self, expression: &mut Expression, points: &Points, rounds: usize) -> f64 {
        let mut numbers: Vec<f64> = expression.constants().collect();
        let count = numbers.len();
        let mut error = self.error(expression, points);
        if count == 0 || count > MOST_NUMBERS || !error.is_finite() {
            return error;
        }
        let mut damping = 1e-2;
        let mut trial = expression.clone();
        for _ in 0..rounds {
            if !self.equations(expression, points, count) {
                break;
            }
            let before = error;
            let mut taken = false;
            for _ in 0..TRIALS {
                if self.solve(count, damping) {
                    let moved: Vec<f64> = numbers.iter().zip(&self.step).map(|(number, step)| number + step).collect();
                    trial.set_constants(&moved);
                    let reached = self.error(&trial, points);
                    if reached < error {
                        error = reached;
                        numbers = moved;
                        expression.set_constants(&numbers);
                        damping = (damping * 0.2).max(1e-9);
                        taken = true;
                        break;
                    }
                }
                damping *= 10.0;
            }
            if !taken || before - error < 1e-4 * before {
                break;
            }
        }
        error
    }

    /// Sets up the normal equations at the present numbers. Returns false if a derivative is not finite.
    fn equations(&mut self, expression: &Expression, points: &Points, count: usize) -> bool {
        let length = points.len();
        if self.slopes.len() < count {
            self.slopes.resize(count, Vec::new());
        }
        self.slopes[..count].iter_mut().for_each(|slopes| slopes.resize(length, 0.0));
        self.values.resize(length, 0.0);
        self.gradient.evaluate(expression, &points.columns, &mut self.values, &mut self.slopes[..count]);
        self.scaled.clear();
        let residuals = self.values.iter().zip(&points.target).zip(&points.weights);
        for (slot, ((value, time), weight)) in residuals.enumerate() {
            let relative = (value - time) / time;
            let root = (weight / relative.abs().max(LEAST_RESIDUAL)).sqrt();
            self.scaled.push(root * relative);
            for slopes in &mut self.slopes[..count] {
                slopes[slot] *= root / time;
            }
        }
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        self.matrix.resize(count * count, 0.0);
        self.right.resize(count, 0.0);
        for row in 0..count {
            self.right[row] = -dot(&self.slopes[row], &self.scaled);
            for column in 0..=row {
                self.matrix[row * count + column] = dot(&self.slopes[row], &self.slopes[column]);
            }
        }
        self.matrix[..count * count].iter().chain(&self.right[..count]).all(|value| value.is_finite())
    }

    /// Solves the damped equations by Cholesky factorisation. Returns false if they have no solution.
    fn solve(&mut self, count: usize, damping: f64) -> bool {
        self.damped.clear();
        self.damped.extend_from_slice(&self.matrix[..count * count]);
        for at in 0..count {
            let diagonal = self.matrix[at * count + at];
            // A number without influence does not move.
            self.damped[at * count + at] = if diagonal > 0.0 { diagonal * (1.0 + damping) } else { 1.0 };
        }
        let lower = &mut self.damped;
        for row in 0..count {
            for column in 0..=row {
                let mut rest = lower[row * count + column];
                for at in 0..column {
                    rest -= lower[row * count + at] * lower[column * count + at];
                }
                if row == column {
                    if rest <= 0.0 || !rest.is_finite() {
                        return false;
                    }
                    lower[row * count + row] = rest.sqrt();
                } else {
                    lower[row * count + column] = rest / lower[column * count + column];
                }
            }
        }
        self.step.clear();
        self.step.extend_from_slice(&self.right[..count]);
        for row in 0..count {
            for at in 0..row {
                self.step[row] -= lower[row * count + at] * self.step[at];
            }
            self.step[row] /= lower[row * count + row];
        }
        for row in (0..count).rev() {
            for at in row + 1..count {
                self.step[row] -= lower[at * count + row] * self.step[at];
            }
            self.step[row] /= lower[row * count + row];
        }
        self.step.iter().all(|value| value.is_finite())
    }
}
