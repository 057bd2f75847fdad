//! Statistics of replicas: means and quantiles with their intervals, a stopping rule for replication, and comparisons
//! of two series. Sums are in ascending order, so their bits do not depend on the order of the values.

pub mod bootstrap;
pub mod compare;
pub mod design;
mod interval;
pub mod racing;
pub mod stopping;
mod wilcoxon;
pub mod words;

pub use interval::{QuantileInterval, mean_interval, prediction_interval, proportion_interval, quantile_interval};
pub use wilcoxon::{MOST_EXACT, SignedRank, signed_rank};

/// The probability that an interval contains the estimated quantity, between 0 and 1 exclusive.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Confidence(f64);

impl Confidence {
    /// 95 %.
    pub const P95: Self = Self(0.95);

    /// A confidence; `None` unless the share lies between 0 and 1 exclusive.
    #[must_use]
    pub fn new(share: f64) -> Option<Self> {
        (share > 0.0 && share < 1.0).then_some(Self(share))
    }

    /// The share itself.
    #[must_use]
    pub const fn share(self) -> f64 {
        self.0
    }

    /// The share outside the interval on each side.
    const fn tail(self) -> f64 {
        (1.0 - self.0) / 2.0
    }

    /// The confidence in percent for display: `95`, `99.9`.
    #[must_use]
    pub fn percent(self) -> String {
        let text = format!("{:.8}", 100.0 * self.0);
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    }
}

/// The mean of `values`; `None` without values. Its bits do not depend on the order of the values.
#[must_use]
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| mean_of(&sorted(values)))
}

/// The standard deviation of a sample (with n − 1); `None` for fewer than two values.
#[must_use]
pub fn standard_deviation(values: &[f64]) -> Option<f64> {
    (values.len() > 1).then(|| moments(&sorted(values)).1)
}

/// The quantile of `values` at `share` (0 is the minimum, 0.5 the median, 1 the maximum) by linear interpolation
/// between the order statistics at `(n − 1) × share`. This is type 7 of Hyndman and Fan, "Sample quantiles in
/// statistical packages", The American Statistician 50 (1996), the default of R and `NumPy`. Returns `None` without
/// values or for a share outside 0 to 1.
#[must_use]
pub fn quantile(values: &[f64], share: f64) -> Option<f64> {
    let sorted = sorted(values);
    (!sorted.is_empty() && (0.0..=1.0).contains(&share)).then(|| quantile_of_sorted(&sorted, share))
}

/// The share of `values` of at most `limit`: the empirical distribution function, from 0 to 1. `None` without values.
#[must_use]
pub fn share_at_most(values: &[f64], limit: f64) -> Option<f64> {
    let below = values.iter().filter(|&&value| value <= limit).count();
    (!values.is_empty()).then(|| below as f64 / values.len() as f64)
}

/// The range between the lower and the upper tail of drawn values, such as bootstrap estimates; `None` without values.
#[must_use]
pub fn percentiles(values: Vec<f64>, confidence: Confidence) -> Option<(f64, f64)> {
    let mut values = values;
    values.sort_by(f64::total_cmp);
    let tail = confidence.tail();
    (!values.is_empty()).then(|| (quantile_of_sorted(&values, tail), quantile_of_sorted(&values, 1.0 - tail)))
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

/// The mean as a first guess plus a correction, so that equal values have exactly that mean.
fn mean_of(values: &[f64]) -> f64 {
    let count = values.len() as f64;
    let guess = values.iter().sum::<f64>() / count;
    guess + values.iter().map(|value| value - guess).sum::<f64>() / count
}

/// The mean and the standard deviation of at least two values.
fn moments(values: &[f64]) -> (f64, f64) {
    let mean = mean_of(values);
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, (squares / (values.len() - 1) as f64).sqrt())
}

/// The [`quantile`] of sorted values, of which there is at least one.
fn quantile_of_sorted(sorted: &[f64], share: f64) -> f64 {
    let place = (sorted.len() - 1) as f64 * share;
    let below = place.floor() as usize;
    let above = (below + 1).min(sorted.len() - 1);
    let part = place - below as f64;
    if part == 0.0 { sorted[below] } else { sorted[below] + part * (sorted[above] - sorted[below]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_confidence_is_a_share() {
        assert_eq!(Confidence::new(0.95), Some(Confidence::P95));
        for wrong in [0.0, 1.0, 95.0, -0.5, f64::NAN] {
            assert_eq!(Confidence::new(wrong), None);
        }
        let shown = [0.95, 0.999, 0.9, 0.68].map(|share| Confidence::new(share).unwrap().percent());
        assert_eq!(shown, ["95", "99.9", "90", "68"]);
    }

    #[test]
    fn shares_count_what_is_not_above() {
        assert_eq!(share_at_most(&[], 1.0), None);
        let values = [3.0, 1.0, 2.0, 2.0];
        assert_eq!(
            [0.9, 1.0, 2.0, 2.5, 3.0].map(|limit| share_at_most(&values, limit)),
            [0.0, 0.25, 0.75, 0.75, 1.0].map(Some)
        );
    }

    #[test]
    fn quantiles_are_those_of_r() {
        let values = [10.0, 20.0, 30.0, 40.0];
        assert_eq!(quantile(&values, 0.25), Some(17.5));
        assert_eq!(quantile(&values, 0.5), Some(25.0));
        assert_eq!(quantile(&values, 0.9), Some(37.0));
        assert_eq!(quantile(&values, 1.0), Some(40.0));
        assert_eq!(quantile(&values, 1.1), None);
        assert_eq!(quantile(&[], 0.5), None);
    }

    #[test]
    fn moments_of_known_values() {
        assert_eq!(mean(&[]), None);
        assert_eq!(standard_deviation(&[3.0]), None);
        // 2, 4, 4, 4, 5, 5, 7, 9: the squared differences sum to 32.
        let values = [9.0, 2.0, 4.0, 5.0, 4.0, 7.0, 4.0, 5.0];
        assert_eq!((mean(&values), standard_deviation(&values)), (Some(5.0), Some((32.0f64 / 7.0).sqrt())));
        assert_eq!(quantile(&[10.0, 20.0, 30.0, 40.0], 0.25), Some(17.5));
        assert_eq!((mean(&[0.1; 10]), standard_deviation(&[0.1; 10])), (Some(0.1), Some(0.0)));
    }
}
