//! Bootstrap intervals of the mean (Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, chapters 13 and
//! 14). They assume no shape of the distribution, but the sample must represent it.

use rand::RngExt;
use statrs::distribution::{ContinuousCDF, Normal};

use super::{Confidence, mean_of, percentiles, quantile_of_sorted, sorted};
use hetsim_base::engine::Stream;

/// Means that differ by less than this fraction of the largest absolute value count as equal.
const ROUNDING: f64 = 1e-12;

/// The percentile interval of the mean: the range between the tails of the means of `resamples` samples drawn with
/// replacement. Returns `None` for fewer than two values, for a value that is not finite, or without resamples.
pub fn percentile(values: &[f64], confidence: Confidence, resamples: usize, stream: &mut Stream) -> Option<(f64, f64)> {
    percentiles(resampled_means(values, resamples, stream)?, confidence)
}

/// The bias-corrected and accelerated interval of the mean (BCa; Efron, "Better bootstrap confidence intervals",
/// Journal of the American Statistical Association 82 (1987)): as [`percentile`], with tails adjusted for the skewness
/// of the values.
pub fn bca(values: &[f64], confidence: Confidence, resamples: usize, stream: &mut Stream) -> Option<(f64, f64)> {
    let mut means = resampled_means(values, resamples, stream)?;
    means.sort_by(f64::total_cmp);
    let sorted = sorted(values);
    let mean = mean_of(&sorted);
    if means[0] == means[means.len() - 1] {
        return Some((mean, mean));
    }
    let normal = Normal::standard();
    // For few values, many resamples have exactly the mean of the values, except for rounding.
    let rounding = ROUNDING * sorted.iter().fold(0.0f64, |most, value| most.max(value.abs()));
    let below = means.partition_point(|resampled| *resampled < mean - rounding);
    let equal = means.partition_point(|resampled| *resampled <= mean + rounding) - below;
    let share = (below as f64 + 0.5 * equal as f64) / means.len() as f64;
    let bias = normal.inverse_cdf(share);
    let acceleration = acceleration(&sorted, mean);
    let at = |tail: f64| {
        let z = bias + normal.inverse_cdf(tail);
        let share = normal.cdf(bias + z / (1.0 - acceleration * z));
        quantile_of_sorted(&means, share.clamp(0.0, 1.0))
    };
    let tail = confidence.tail();
    // All resampled means lie on one side of the mean: the bias is unbounded, and there is no such interval.
    (bias.is_finite()).then(|| (at(tail), at(1.0 - tail)))
}

/// The acceleration of the mean from the leave-one-out means: a sixth of the skewness over √n.
fn acceleration(values: &[f64], mean: f64) -> f64 {
    // Leaving out x changes the mean by (mean − x) / (n − 1), so the common factor cancels.
    let power = |exponent| values.iter().map(|value| (value - mean).powi(exponent)).sum::<f64>();
    let squares = power(2);
    if squares > 0.0 { power(3) / (6.0 * squares.powf(1.5)) } else { 0.0 }
}

/// The means of samples drawn with replacement. The values are sorted first, so their order does not matter.
fn resampled_means(values: &[f64], resamples: usize, stream: &mut Stream) -> Option<Vec<f64>> {
    if values.len() < 2 || resamples == 0 || values.iter().any(|value| !value.is_finite()) {
        return None;
    }
    let sorted = sorted(values);
    let count = sorted.len();
    // Sums relative to the smallest value: they are exactly zero for equal values.
    let origin = sorted[0];
    let mut mean = || {
        let sum: f64 = (0..count).map(|_| sorted[stream.random_range(0..count)] - origin).sum();
        origin + sum / count as f64
    };
    Some((0..resamples).map(|_| mean()).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use hetsim_base::engine::Streams;

    fn stream(number: u64) -> Stream {
        Streams::new(number, 0).stream("bootstrap", 0)
    }

    #[test]
    fn intervals_agree_with_scipy() {
        // Skewed values. scipy.stats.bootstrap with 200 000 resamples gives 0.6875 to 2.55. For BCa, NumPy in integers
        // with two million resamples gives 0.8083 to 2.8833 (SciPy gives 2.8917, since it counts means that differ only
        // by rounding as above). Means lie 1/120 apart, so one or two steps are allowed.
        let values = [0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9, 1.3, 1.8, 2.4, 3.5, 6.0];
        let (low, high) = percentile(&values, Confidence::P95, 200_000, &mut stream(1)).unwrap();
        assert!((low - 0.6875).abs() < 0.01 && (high - 2.55).abs() < 0.01, "{low} {high}");
        let (low, high) = bca(&values, Confidence::P95, 200_000, &mut stream(2)).unwrap();
        assert!((low - 0.8083).abs() < 0.009 && (high - 2.8833).abs() < 0.017, "{low} {high}");
    }

    #[test]
    fn for_many_normal_like_values_all_intervals_agree() {
        let values: Vec<f64> = (0..400).map(|i| f64::from(i * 7919 % 400)).collect();
        let (low, high) = crate::mean_interval(&values, Confidence::P95).unwrap();
        for interval in [percentile, bca] {
            let (l, h) = interval(&values, Confidence::P95, 20_000, &mut stream(3)).unwrap();
            assert!((l - low).abs() < 0.6 && (h - high).abs() < 0.6, "{l} {h} for {low} {high}");
        }
    }

    #[test]
    fn equal_values_have_no_spread() {
        for interval in [percentile, bca] {
            assert_eq!(interval(&[0.1; 9], Confidence::P95, 100, &mut stream(1)), Some((0.1, 0.1)));
            assert_eq!(interval(&[0.1], Confidence::P95, 100, &mut stream(1)), None);
            assert_eq!(interval(&[0.1, 0.2], Confidence::P95, 0, &mut stream(1)), None);
            assert_eq!(interval(&[0.1, f64::NAN], Confidence::P95, 100, &mut stream(1)), None);
        }
    }

    proptest! {
        #[test]
        fn the_same_seed_gives_the_same_interval_in_any_order(
            mut values in prop::collection::vec(-1e6..1e6f64, 2..40), seed: u64,
        ) {
            let before = bca(&values, Confidence::P95, 200, &mut stream(seed));
            values.reverse();
            prop_assert_eq!(before, bca(&values, Confidence::P95, 200, &mut stream(seed)));
            if let Some((low, high)) = before {
                let least = values.iter().copied().fold(f64::INFINITY, f64::min);
                let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                prop_assert!(least - 1e-6 <= low && low <= high && high <= most + 1e-6);
            }
        }
    }
}
