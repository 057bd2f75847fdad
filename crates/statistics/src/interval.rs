//! Intervals of means and quantiles.

use statrs::distribution::{Binomial, ContinuousCDF, DiscreteCDF, Normal, StudentsT};

use super::{Confidence, moments, quantile_of_sorted, sorted};

/// The interval of the mean by Student's t distribution with n − 1 degrees of freedom, which is exact for normal
/// values. Returns `None` for fewer than two values or if one is not finite.
#[must_use]
pub fn mean_interval(values: &[f64], confidence: Confidence) -> Option<(f64, f64)> {
    student_interval(values, confidence, |count| 1.0 / count)
}

/// The interval of one further value by Student's t distribution with n − 1 degrees of freedom, which is exact for normal
/// values. Returns `None` as [`mean_interval`].
#[must_use]
pub fn prediction_interval(values: &[f64], confidence: Confidence) -> Option<(f64, f64)> {
    student_interval(values, confidence, |count| 1.0 + 1.0 / count)
}

/// An interval around the mean of what has so many times the variance of a value, by the number of values.
fn student_interval(values: &[f64], confidence: Confidence, variances: fn(f64) -> f64) -> Option<(f64, f64)> {
    if values.len() < 2 || values.iter().any(|value| !value.is_finite()) {
        return None;
    }
    let (mean, deviation) = moments(&sorted(values));
    let count = values.len() as f64;
    let half = student_factor(count - 1.0, confidence)? * deviation * variances(count).sqrt();
    Some((mean - half, mean + half))
}

/// Wilson's score interval of a proportion observed as `share` in this many trials ("Probable inference, the law of
/// succession, and statistical inference", Journal of the American Statistical Association 22 (1927)). It stays within
/// 0 to 1 and has positive length even if all trials have the same outcome. Returns `None` without trials or for a
/// share outside 0 to 1.
#[must_use]
pub fn proportion_interval(share: f64, trials: f64, confidence: Confidence) -> Option<(f64, f64)> {
    if !(0.0..=1.0).contains(&share) || !trials.is_finite() || trials < 1.0 {
        return None;
    }
    let z = Normal::standard().inverse_cdf(1.0 - confidence.tail());
    let squared = z * z / trials;
    let middle = (share + squared / 2.0) / (1.0 + squared);
    let half = z / (1.0 + squared) * (share * (1.0 - share) / trials + squared / (4.0 * trials)).sqrt();
    // Rounding must not exclude the share itself, 0 or 1.
    Some(((middle - half).clamp(0.0, share), (middle + half).clamp(share, 1.0)))
}

/// The factor of a two-sided interval by Student's t distribution; `None` for fewer than one degree of freedom.
pub(super) fn student_factor(degrees: f64, confidence: Confidence) -> Option<f64> {
    StudentsT::new(0.0, 1.0, degrees).ok().map(|t| t.inverse_cdf(1.0 - confidence.tail()))
}

/// The two-sided p-value of a t statistic; `None` for fewer than one degree of freedom or a non-finite statistic.
pub(super) fn student_p(t: f64, degrees: f64) -> Option<f64> {
    let distribution = StudentsT::new(0.0, 1.0, degrees).ok().filter(|_| t.is_finite())?;
    // Use the tail directly: one minus the rest would lose precision.
    Some((2.0 * distribution.cdf(-t.abs())).min(1.0))
}

/// A quantile with a distribution-free interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct QuantileInterval {
    /// The sample quantile (see [`super::quantile`]).
    pub estimate: f64,
    /// The interval between two of the values; `None` if there are too few values for the confidence.
    pub interval: Option<(f64, f64)>,
    /// The actual confidence of the interval, at least the requested one.
    pub coverage: Option<f64>,
}

/// The quantile of `values` at `share` (0.5 is the median) with its interval between order statistics (David and
/// Nagaraja, "Order Statistics", 3rd edition, section 7.1). Each tail has at most half of the error probability. Few
/// values give no interval: at 95 % the median needs six, the 0.99 quantile 368.
///
/// Returns `None` without values, for a value that is not finite, and for a share outside 0 to 1.
#[must_use]
pub fn quantile_interval(values: &[f64], share: f64, confidence: Confidence) -> Option<QuantileInterval> {
    let is_share = share > 0.0 && share < 1.0;
    if values.is_empty() || !is_share || values.iter().any(|value| !value.is_finite()) {
        return None;
    }
    let sorted = sorted(values);
    let estimate = quantile_of_sorted(&sorted, share);
    let found = order_statistics(sorted.len(), share, confidence);
    let interval = found.map(|(low, high, _)| (sorted[low - 1], sorted[high - 1]));
    Some(QuantileInterval { estimate, interval, coverage: found.map(|(_, _, coverage)| coverage) })
}

/// The positions, from 1, of the order statistics that bound a quantile, and their coverage. The number of values below
/// the quantile is binomial: the l-th value lies above it if fewer than l values lie below.
fn order_statistics(count: usize, share: f64, confidence: Confidence) -> Option<(usize, usize, f64)> {
    let below = Binomial::new(share, count as u64).ok()?;
    let at_most = |number: usize| below.cdf(number as u64);
    // Sums of a few terms of the distribution have rounding errors, so a tail may exceed its limit by 1e-12.
    let tail = confidence.tail() + 1e-12;
    // The largest `low` with P(fewer than low below) ≤ tail, and the smallest `high` with P(at least high below) ≤
    // tail.
    let low = partition(count, |low| at_most(low - 1) <= tail).checked_sub(1).filter(|low| *low > 0)?;
    let high = partition(count, |high| 1.0 - at_most(high - 1) > tail);
    (high <= count).then(|| (low, high, at_most(high - 1) - at_most(low - 1)))
}

/// The first number from 1 to `count` for which `holds` is false; `count + 1` if it is always true.
fn partition(count: usize, holds: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (1, count + 1);
    while low < high {
        let middle = usize::midpoint(low, high);
        if holds(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand_distr::{Distribution, Exp1, StandardNormal};

    use super::*;
    use hetsim_base::engine::Streams;

    #[test]
    fn student_t_agrees_with_tables() {
        for (degrees, quantile) in [
            (1.0, 12.706_205),
            (2.0, 4.302_653),
            (4.0, 2.776_445),
            (9.0, 2.262_157),
            (29.0, 2.045_230),
            (99.0, 1.984_217),
            (999.0, 1.962_341),
        ] {
            let t = student_factor(degrees, Confidence::P95).unwrap();
            assert!((t - quantile).abs() < 1e-6, "{degrees}: {t}");
        }
        assert_eq!(student_factor(0.0, Confidence::P95), None);
    }

    #[test]
    fn student_intervals_agree_with_r() {
        // t.test(c(5, 1, 3, 2, 4)) of R: 95 % 1.036757 to 4.963243; conf.level = 0.99 −0.255587 to 6.255587.
        let values = [5.0, 1.0, 3.0, 2.0, 4.0];
        let (low, high) = mean_interval(&values, Confidence::P95).unwrap();
        assert!((low - 1.036_757).abs() < 1e-6 && (high - 4.963_243).abs() < 1e-6);
        let (low, high) = mean_interval(&values, Confidence::new(0.99).unwrap()).unwrap();
        assert!((low + 0.255_587).abs() < 1e-6 && (high - 6.255_587).abs() < 1e-6, "{low} {high}");
        assert_eq!(mean_interval(&[1.0], Confidence::P95), None);
        assert_eq!(mean_interval(&[1.0, f64::INFINITY], Confidence::P95), None);
    }

    #[test]
    fn a_prediction_interval_by_hand() {
        // 3 ± 2.776445 · √2.5 · √(1 + 1/5).
        let (low, high) = prediction_interval(&[5.0, 1.0, 3.0, 2.0, 4.0], Confidence::P95).unwrap();
        assert!((low + 1.808_944).abs() < 1e-5 && (high - 7.808_944).abs() < 1e-5, "{low} {high}");
    }

    #[test]
    fn prediction_intervals_hold_a_further_value() {
        let holds = |case: &u64| {
            let mut stream = Streams::new(21, *case).stream("coverage", 0);
            let values: Vec<f64> = (0..8).map(|_| StandardNormal.sample(&mut stream)).collect();
            let (low, high) = prediction_interval(&values[..7], Confidence::P95).unwrap();
            low <= values[7] && values[7] <= high
        };
        // A standard error of 0.35 %.
        let share = (0..4000).filter(holds).count() as f64 / 4000.0;
        assert!((share - 0.95).abs() < 0.014, "{share}");
    }

    #[test]
    fn intervals_of_proportions_agree_with_r() {
        // prop.test(x, n, correct = FALSE) of R: 200 of 200, 190 of 200, 0 of 10, 7 of 20.
        for (seen, trials, low, high) in [
            (200.0, 200.0, 0.981_154_67, 1.0),
            (190.0, 200.0, 0.910_421_85, 0.972_617_35),
            (0.0, 10.0, 0.0, 0.277_532_80),
            (7.0, 20.0, 0.181_191_82, 0.567_145_72),
        ] {
            let (l, h) = proportion_interval(seen / trials, trials, Confidence::P95).unwrap();
            assert!((l - low).abs() < 1e-6 && (h - high).abs() < 1e-6, "{seen} of {trials}: {l} {h}");
        }
        assert_eq!(proportion_interval(1.1, 10.0, Confidence::P95), None);
        assert_eq!(proportion_interval(0.5, 0.0, Confidence::P95), None);
    }

    /// The share of 2000 Student intervals that contain the mean.
    fn covered(mean: f64, mut draw: impl FnMut(&mut hetsim_base::engine::Stream) -> f64) -> f64 {
        let covers = |case: u64| {
            let mut stream = Streams::new(20, case).stream("coverage", 0);
            let values: Vec<f64> = (0..30).map(|_| draw(&mut stream)).collect();
            let (low, high) = mean_interval(&values, Confidence::P95).unwrap();
            low <= mean && mean <= high
        };
        (0..2000).map(covers).filter(|covers| *covers).count() as f64 / 2000.0
    }

    #[test]
    fn student_intervals_cover_the_mean_of_normal_values() {
        let share = covered(10.0, |stream| {
            let z: f64 = StandardNormal.sample(stream);
            10.0 + z
        });
        assert!((share - 0.95).abs() < 0.015, "{share}");
    }

    #[test]
    fn of_skewed_values_they_cover_a_little_less() {
        // About 92.6 % for thirty values from an exponential distribution.
        let share = covered(1.0, |stream| Exp1.sample(stream));
        assert!((0.905..0.945).contains(&share), "{share}");
    }

    #[test]
    fn order_statistics_of_the_median_are_those_of_tables() {
        // The positions of the sign test at 95 %: n = 5 has none, n = 6 (1, 6), n = 10 (2, 9), n = 20 (6, 15), n = 25
        // (8, 18).
        assert_eq!(order_statistics(5, 0.5, Confidence::P95), None);
        for (count, low, high, coverage) in
            [(6, 1, 6, 0.96875), (10, 2, 9, 0.978_516), (20, 6, 15, 0.958_61), (25, 8, 18, 0.956_71)]
        {
            let (l, h, c) = order_statistics(count, 0.5, Confidence::P95).unwrap();
            assert_eq!((l, h), (low, high), "{count}");
            assert!((c - coverage).abs() < 1e-5, "{count}: {c}");
        }
        // 1 − 0.99^n ≥ 0.975 from n = 368 on.
        assert_eq!(order_statistics(367, 0.99, Confidence::P95), None);
        assert_eq!(order_statistics(368, 0.99, Confidence::P95).map(|(_, high, _)| high), Some(368));
    }

    #[test]
    fn quantiles_of_few_values_have_no_interval() {
        let found = quantile_interval(&[1.0, 2.0, 3.0], 0.5, Confidence::P95).unwrap();
        assert_eq!((found.estimate, found.interval, found.coverage), (2.0, None, None));
        assert_eq!(quantile_interval(&[], 0.5, Confidence::P95), None);
        assert_eq!(quantile_interval(&[1.0], 1.0, Confidence::P95), None);
    }

    #[test]
    fn order_statistics_cover_a_quantile_as_often_as_they_say() {
        // The 0.9 quantile of an exponential distribution is ln 10.
        let (n, cases) = (80, 4000);
        let (_, _, coverage) = order_statistics(n, 0.9, Confidence::P95).unwrap();
        let covers = |case: &u64| {
            let mut stream = Streams::new(4, *case).stream("quantile", 0);
            let values: Vec<f64> = (0..n).map(|_| Exp1.sample(&mut stream)).collect();
            let (low, high) = quantile_interval(&values, 0.9, Confidence::P95).unwrap().interval.unwrap();
            low <= 10f64.ln() && 10f64.ln() <= high
        };
        let share = (0..cases).filter(covers).count() as f64 / cases as f64;
        // Four standard errors.
        assert!((share - coverage).abs() < 4.0 * (0.05 * 0.95 / cases as f64).sqrt(), "{share} {coverage}");
    }

    proptest! {
        #[test]
        fn each_tail_is_small_and_as_large_as_it_may_be(count in 1..400usize, share in 0.01..0.99f64, level in 0.5..0.999f64) {
            let confidence = Confidence::new(level).unwrap();
            let below = Binomial::new(share, count as u64).unwrap();
            if let Some((low, high, coverage)) = order_statistics(count, share, confidence) {
                prop_assert!(coverage >= level - 1e-9 && low < high && high <= count);
                prop_assert!(below.cdf(low as u64) > confidence.tail());
                prop_assert!(high < 2 || 1.0 - below.cdf(high as u64 - 2) > confidence.tail());
            } else {
                let tail = confidence.tail();
                prop_assert!(below.cdf(0) > tail || 1.0 - below.cdf(count as u64 - 1) > tail);
            }
        }
    }
}
