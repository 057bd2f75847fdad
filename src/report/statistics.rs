//! Summaries of repeated measurements.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// What a sample of a figure says about it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    /// How many values there are.
    pub count: usize,
    /// Their mean.
    pub mean: f64,
    /// The 95 % confidence interval of the mean, by Student's t distribution with `count − 1` degrees of freedom.
    /// A single value says nothing about its spread: its interval is undefined, not zero.
    pub interval: Option<(f64, f64)>,
    /// The standard deviation of the sample (with `count − 1`), undefined for a single value.
    pub deviation: Option<f64>,
    /// The smallest value.
    pub minimum: f64,
    /// The middle value: the quantile at one half.
    pub median: f64,
    /// The largest value.
    pub maximum: f64,
}

impl Summary {
    /// Summarises `values`; nothing for none, or where one of them is not finite.
    #[must_use]
    pub fn of(values: &[f64]) -> Option<Self> {
        if values.is_empty() || values.iter().any(|value| !value.is_finite()) {
            return None;
        }
        let mut sorted = values.to_vec();
        // Sums in ascending order do not depend on the order in which runs finished.
        sorted.sort_by(f64::total_cmp);
        let count = sorted.len();
        let mean = mean_of(&sorted);
        let deviation = (count > 1).then(|| {
            let squares: f64 = sorted.iter().map(|value| (value - mean).powi(2)).sum();
            (squares / (count - 1) as f64).sqrt()
        });
        let interval = deviation.map(|deviation| {
            let half = student_t_95(count - 1) * deviation / (count as f64).sqrt();
            (mean - half, mean + half)
        });
        Some(Self {
            count,
            mean,
            interval,
            deviation,
            minimum: sorted[0],
            median: quantile_of_sorted(&sorted, 0.5),
            maximum: sorted[count - 1],
        })
    }

    /// Half the length of the interval: the figure after "±".
    #[must_use]
    pub fn half_width(&self) -> Option<f64> {
        self.interval.map(|(_, high)| high - self.mean)
    }
}

/// The mean of `values`; nothing for none. The order of the values does not change a single bit of it.
#[must_use]
pub fn mean(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    (!sorted.is_empty()).then(|| mean_of(&sorted))
}

/// The mean as a first guess and a correction, so that equal values have exactly that mean.
fn mean_of(values: &[f64]) -> f64 {
    let count = values.len() as f64;
    let guess = values.iter().sum::<f64>() / count;
    guess + values.iter().map(|value| value - guess).sum::<f64>() / count
}

/// The quantile of `values` at `share` (0 the minimum, 0.5 the median, 1 the maximum), by linear interpolation
/// between the order statistics at `(n − 1) × share`: type 7 of Hyndman and Fan, "Sample quantiles in statistical
/// packages", The American Statistician 50 (1996), which R and `NumPy` use unless told otherwise.
///
/// Nothing for no values, or for a share outside 0 to 1.
#[must_use]
pub fn quantile(values: &[f64], share: f64) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    (!sorted.is_empty() && (0.0..=1.0).contains(&share)).then(|| quantile_of_sorted(&sorted, share))
}

/// The share of `values` that are not above `limit`: where it stands in their empirical distribution, from 0 to 1.
/// Nothing for no values.
#[must_use]
pub fn share_at_most(values: &[f64], limit: f64) -> Option<f64> {
    let below = values.iter().filter(|&&value| value <= limit).count();
    (!values.is_empty()).then(|| below as f64 / values.len() as f64)
}

/// [`quantile`] of values that are sorted, of which there is at least one.
fn quantile_of_sorted(sorted: &[f64], share: f64) -> f64 {
    let place = (sorted.len() - 1) as f64 * share;
    let below = place.floor() as usize;
    let above = (below + 1).min(sorted.len() - 1);
    let part = place - below as f64;
    if part == 0.0 { sorted[below] } else { sorted[below] + part * (sorted[above] - sorted[below]) }
}

/// The factor of a two-sided 95 % interval: the 0.975 quantile of Student's t distribution.
///
/// Undefined (NaN) without a degree of freedom.
#[must_use]
pub fn student_t_95(degrees_of_freedom: usize) -> f64 {
    StudentsT::new(0.0, 1.0, degrees_of_freedom as f64).map_or(f64::NAN, |t| t.inverse_cdf(0.975))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
    fn student_t_agrees_with_tables() {
        for (degrees, quantile) in [
            (1, 12.706_205),
            (2, 4.302_653),
            (4, 2.776_445),
            (9, 2.262_157),
            (29, 2.045_230),
            (99, 1.984_217),
            (999, 1.962_341),
        ] {
            let t = student_t_95(degrees);
            assert!((t - quantile).abs() < 1e-6, "{degrees}: {t}");
        }
        assert!(student_t_95(0).is_nan());
    }

    #[test]
    fn a_known_sample() {
        let summary = Summary::of(&[5.0, 1.0, 3.0, 2.0, 4.0]).expect("values");
        assert_eq!((summary.count, summary.mean, summary.median), (5, 3.0, 3.0));
        assert_eq!((summary.minimum, summary.maximum), (1.0, 5.0));
        // 2.776445 × √2.5 / √5.
        assert!((summary.half_width().expect("five values") - 1.963_243).abs() < 1e-6);
    }

    #[test]
    fn one_value_has_no_interval() {
        let summary = Summary::of(&[7.0]).expect("a value");
        assert_eq!((summary.mean, summary.median, summary.interval, summary.deviation), (7.0, 7.0, None, None));
        assert_eq!(Summary::of(&[]), None);
        assert_eq!(Summary::of(&[1.0, f64::NAN]), None);
    }

    #[test]
    fn equal_values_have_no_spread() {
        let summary = Summary::of(&[0.1; 10]).expect("values");
        assert_eq!((summary.mean, summary.interval), (0.1, Some((0.1, 0.1))));
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
        assert_eq!(mean(&[]), None);
    }

    proptest! {
        #[test]
        fn order_changes_nothing(mut values in prop::collection::vec(-1e9..1e9f64, 1..40)) {
            let before = Summary::of(&values);
            values.reverse();
            prop_assert_eq!(before, Summary::of(&values));
            let summary = before.expect("finite values");
            prop_assert!(summary.minimum <= summary.median && summary.median <= summary.maximum);
        }
    }
}
