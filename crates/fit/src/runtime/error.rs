//! The percentage error of a formula (004, section 3.2).

use hetsim_formula::{Evaluator, Expression};

use super::data::Points;

/// The bounds in percent of the paper's table of deviations.
pub const BOUNDS: [f64; 7] = [0.01, 0.1, 1.0, 10.0, 25.0, 50.0, 100.0];

/// The deviations of a formula over points, as in Table 1 of the paper.
#[derive(Debug, Clone, PartialEq)]
pub struct Deviations {
    /// |m − f| / m in percent at each point; infinite if the formula has no value.
    pub each: Vec<f64>,
    /// The weighted mean in percent.
    pub mean: f64,
}

impl Deviations {
    /// Computes the deviations of a formula. `None` without points.
    #[must_use]
    pub fn of(expression: &Expression, points: &Points) -> Option<Self> {
        if points.is_empty() {
            return None;
        }
        let mut values = vec![0.0; points.len()];
        Evaluator::default().evaluate(expression, &points.columns, &mut values);
        Self::of_values(values, points)
    }

    /// Computes the deviations of a value at each point. `None` without points.
    #[must_use]
    pub fn of_values(mut values: Vec<f64>, points: &Points) -> Option<Self> {
        if points.is_empty() {
            return None;
        }
        let mean = mean(&values, points);
        for (value, time) in values.iter_mut().zip(&points.target) {
            let error = ((*value - time) / time).abs() * 100.0;
            *value = if error.is_nan() { f64::INFINITY } else { error };
        }
        Some(Self { each: values, mean })
    }

    /// The percentage of points with a deviation below `bound` percent.
    #[must_use]
    pub fn share_below(&self, bound: f64) -> f64 {
        let below = self.each.iter().filter(|error| **error < bound).count();
        below as f64 * 100.0 / self.each.len() as f64
    }
}

/// The weighted mean of |m − f| / m in percent; infinite if a value is not finite.
pub(super) fn mean(values: &[f64], points: &Points) -> f64 {
    let (mut sum, mut weight) = (0.0, 0.0);
    for ((value, time), own) in values.iter().zip(&points.target).zip(&points.weights) {
        sum += own * ((value - time) / time).abs();
        weight += own;
    }
    let mean = 100.0 * sum / weight;
    if mean.is_finite() { mean } else { f64::INFINITY }
}
