//! How far predictions are from measurements, as one number that outliers do not rule.
//!
//! The deviation of a point is the logarithm of predicted over measured, so that half and twice the time are as far
//! off, and microseconds count as seconds do. The loss of a deviation d is the smooth form of Huber's ("Robust
//! Estimation of a Location Parameter", Annals of Mathematical Statistics 35, 1964), Charbonnier's
//! δ² (√(1 + (d/δ)²) − 1) ("Deterministic Edge-Preserving Regularization", IEEE Transactions on Image Processing 6,
//! 1997): a square within δ, and beyond it a straight line, so that a mechanism which the platform lacks does not bend
//! the values of those that it has. It has derivatives everywhere, which the local search needs.
//!
//! Points of one group, which is an algorithm of an operation, share one weight: an algorithm that was measured at
//! more sizes, on more nodes or in more runs counts as much as any other.

/// δ: deviations below this share count as squares. Benchmarks on busy machines repeat themselves no better.
const SOFT: f64 = 0.1;

/// The measured points, with their weights.
#[derive(Debug, Clone)]
pub struct Measured {
    /// The measured seconds, above zero.
    seconds: Vec<f64>,
    /// The weights, whose sum is 1.
    weights: Vec<f64>,
}

impl Measured {
    /// Points with the seconds that were measured, and their groups.
    pub fn new<G: Ord>(points: impl IntoIterator<Item = (f64, G)>) -> Self {
        let mut sizes = std::collections::BTreeMap::new();
        let points: Vec<(f64, G)> = points.into_iter().collect();
        for (_, group) in &points {
            *sizes.entry(group).or_insert(0.0) += 1.0;
        }
        let groups = sizes.len() as f64;
        Self {
            seconds: points.iter().map(|(seconds, _)| *seconds).collect(),
            weights: points.iter().map(|(_, group)| 1.0 / (sizes[group] * groups)).collect(),
        }
    }

    /// The number of points.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.seconds.len()
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.seconds.is_empty()
    }

    /// The deviation of each prediction; NaN where there is none.
    pub(super) fn deviations(&self, predicted: &[f64]) -> Vec<f64> {
        predicted.iter().zip(&self.seconds).map(|(predicted, measured)| (predicted / measured).ln()).collect()
    }

    /// The weighted mean of the losses; infinite where a point has no prediction.
    pub(super) fn loss(&self, predicted: &[f64]) -> f64 {
        let losses = self.deviations(predicted).into_iter().zip(&self.weights).map(|(d, weight)| weight * loss(d));
        let sum: f64 = losses.sum();
        if sum.is_finite() { sum } else { f64::INFINITY }
    }

    /// The weights by which squared deviations have the derivatives of the loss at these deviations.
    pub(super) fn slopes(&self, deviations: &[f64]) -> Vec<f64> {
        deviations.iter().zip(&self.weights).map(|(d, weight)| weight / (1.0 + (d / SOFT).powi(2)).sqrt()).collect()
    }
}

fn loss(deviation: f64) -> f64 {
    SOFT.powi(2) * ((1.0 + (deviation / SOFT).powi(2)).sqrt() - 1.0)
}

/// The typical deviation: that which every point would have for this loss, if all had the same.
pub(super) fn typical(loss: f64) -> f64 {
    SOFT * ((loss / SOFT.powi(2) + 1.0).powi(2) - 1.0).max(0.0).sqrt()
}

/// The loss at which all points have this deviation.
pub(super) fn loss_of(deviation: f64) -> f64 {
    loss(deviation)
}

/// A deviation as an error in per cent: by how much the greater of two times exceeds the other.
#[must_use]
pub fn percent(deviation: f64) -> f64 {
    deviation.abs().exp_m1() * 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// √(1 + 1) − 1 at δ, and a line of slope δ far beyond it.
    #[test]
    fn losses_are_the_formula() {
        assert!((loss(SOFT) - 0.01 * (2f64.sqrt() - 1.0)).abs() < 1e-15);
        assert!((loss(1e-4) / (1e-8 / 2.0) - 1.0).abs() < 1e-5);
        assert!((loss(21.0) - loss(20.0) - SOFT).abs() < 1e-5);
        for deviation in [0.001, 0.1, 2.0] {
            assert!((typical(loss(deviation)) / deviation - 1.0).abs() < 1e-9, "{deviation}");
        }
        assert!((percent(2f64.ln()) - 100.0).abs() < 1e-12 && (percent(-(2f64.ln())) - 100.0).abs() < 1e-12);
    }

    /// Two points of one group and one of another: 1/4, 1/4, 1/2.
    #[test]
    fn groups_count_alike() {
        let measured = Measured::new([(1.0, "a"), (1.0, "a"), (2.0, "b")]);
        assert_eq!(measured.weights, [0.25, 0.25, 0.5]);
        let expected = loss(2f64.ln()) / 4.0;
        assert!((measured.loss(&[1.0, 2.0, 2.0]) - expected).abs() < 1e-15);
        assert_eq!(measured.loss(&[1.0, f64::NAN, 2.0]), f64::INFINITY);
        assert_eq!(measured.loss(&[1.0, 0.0, 2.0]), f64::INFINITY);
    }
}
