//! Compares two series of values: which is lower, by how much, and with what confidence. Series with the same draws are
//! compared in pairs, so that their common variation cancels.

use super::interval::{student_factor, student_p};
use super::wilcoxon::{SignedRank, signed_rank};
use super::{Confidence, mean_interval, moments, sorted};

/// The relation between two series.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pairing {
    /// Values at the same position come from the same draws.
    Paired,
    /// The series are independent.
    Independent,
}

/// The comparison of the values of `a` with those of `b`. Differences are `a − b`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Comparison {
    /// The relation between the series.
    pub pairing: Pairing,
    /// The confidence of the intervals.
    pub confidence: Confidence,
    /// The number of values of each series.
    pub counts: (usize, usize),
    /// The mean of each series.
    pub means: (f64, f64),
    /// The difference of the means with its interval by Student's t distribution. For independent series the degrees of
    /// freedom are those of Welch, "The generalization of 'Student's' problem when several different population
    /// variances are involved", Biometrika 34 (1947).
    pub difference: Estimate,
    /// The difference relative to the absolute mean of `b`, with the interval of a ratio of means by Fieller, "Some problems
    /// in interval estimation", Journal of the Royal Statistical Society B 16 (1954): it has no zero in it exactly if that of
    /// the difference has none. Undefined if the interval of the mean of `b` contains zero.
    pub relative: Option<Estimate>,
    /// The test whether the difference is zero; undefined without spread.
    pub test: Option<TTest>,
    /// The signed-rank test, for pairs only.
    pub signed_rank: Option<SignedRank>,
    /// The difference in standard deviations: those of the differences for pairs (Cohen's d_z), the pooled ones for
    /// independent series (Cohen's d); undefined without spread.
    pub effect: Option<f64>,
    /// The numbers of values of `a` below, equal to, and above those of `b`: over the pairs, or over all combinations
    /// of independent series.
    pub order: Order,
}

/// An estimate with its interval, undefined for fewer than two values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The estimate.
    pub value: f64,
    /// The interval.
    pub interval: Option<(f64, f64)>,
}

/// The result of a t test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TTest {
    /// The difference divided by its standard error.
    pub t: f64,
    /// The degrees of freedom.
    pub degrees: f64,
    /// The two-sided p-value.
    pub p: f64,
}

/// The numbers of comparisons by their outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Order {
    /// The number of lower values.
    pub below: usize,
    /// The number of equal values.
    pub equal: usize,
    /// The number of higher values.
    pub above: usize,
}

impl Order {
    fn count(differences: impl Iterator<Item = f64>) -> Self {
        let mut order = Self { below: 0, equal: 0, above: 0 };
        for difference in differences {
            if difference < 0.0 {
                order.below += 1;
            } else if difference > 0.0 {
                order.above += 1;
            } else {
                order.equal += 1;
            }
        }
        order
    }

    /// The number of comparisons.
    #[must_use]
    pub const fn total(self) -> usize {
        self.below + self.equal + self.above
    }

    /// The probability of superiority for a metric to be minimised: the share of lower values plus half the share of
    /// equal ones.
    #[must_use]
    pub fn superiority(self) -> f64 {
        (self.below as f64 + 0.5 * self.equal as f64) / self.total() as f64
    }
}

/// Values that lie closer together than this share of their size are equal, and those that spread by less than this share of
/// their mean are constant: they differ by rounding.
const ROUNDING: f64 = 1e-9;

/// `a − b`, but for a rounding.
fn difference(a: f64, b: f64) -> f64 {
    if (a - b).abs() <= ROUNDING * a.abs().max(b.abs()) { 0.0 } else { a - b }
}

/// Compares pairs `(a, b)` from the same draws. Returns `None` without pairs or if a value is not finite.
#[must_use]
pub fn paired(pairs: &[(f64, f64)], confidence: Confidence) -> Option<Comparison> {
    if pairs.is_empty() || pairs.iter().any(|(a, b)| !(a.is_finite() && b.is_finite())) {
        return None;
    }
    let a: Vec<f64> = pairs.iter().map(|(a, _)| *a).collect();
    let b: Vec<f64> = pairs.iter().map(|(_, b)| *b).collect();
    let differences: Vec<f64> = pairs.iter().map(|&(a, b)| difference(a, b)).collect();
    let count = pairs.len() as f64;
    let (mean, deviation) = moments_of(&differences)?;
    let means = (super::mean(&a)?, super::mean(&b)?);
    let error = deviation.map(|deviation| deviation / count.sqrt());
    // Each difference minus b's share varies about zero.
    let relative = |base: f64| {
        let ratio = mean / base;
        let rest = |(a, b): &(f64, f64)| (a - b) - ratio * b;
        let sum = |of: &dyn Fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / (count * (count - 1.0));
        let about = RatioErrors {
            rest: sum(&|pair| rest(pair).powi(2)),
            base: sum(&|(_, b)| (b - base).powi(2)),
            both: sum(&|pair| rest(pair) * (pair.1 - base)),
        };
        let factor = deviation.and_then(|_| student_factor(count - 1.0, confidence));
        relative_to(base, ratio, &about, factor)
    };
    Some(Comparison {
        pairing: Pairing::Paired,
        confidence,
        counts: (pairs.len(), pairs.len()),
        means,
        difference: estimate(mean, error, count - 1.0, confidence),
        relative: clear_of_zero(&b, confidence).map(relative),
        test: error.and_then(|error| t_test(mean, error, count - 1.0)),
        signed_rank: signed_rank(&differences),
        effect: deviation.filter(|deviation| *deviation > 0.0).map(|deviation| mean / deviation),
        order: Order::count(differences.iter().copied()),
    })
}

/// Compares independent series. Returns `None` if one is empty or a value is not finite.
#[must_use]
pub fn independent(a: &[f64], b: &[f64], confidence: Confidence) -> Option<Comparison> {
    if a.iter().chain(b).any(|value| !value.is_finite()) {
        return None;
    }
    let ((mean_a, deviation_a), (mean_b, deviation_b)) = (moments_of(a)?, moments_of(b)?);
    let (n, m) = (a.len() as f64, b.len() as f64);
    let squares = deviation_a.zip(deviation_b).map(|(a, b)| (a * a / n, b * b / m));
    // The error of a difference of two means, and Welch's degrees of freedom.
    let welch = |(x, y): (f64, f64)| {
        let degrees = (x + y).powi(2) / (x * x / (n - 1.0) + y * y / (m - 1.0));
        ((x + y).sqrt(), if degrees.is_finite() { degrees } else { n + m - 2.0 })
    };
    let of_difference = squares.map(welch);
    let estimate = |value: f64, error: Option<(f64, f64)>| {
        let (error, degrees) = error.map_or((None, 0.0), |(error, degrees)| (Some(error), degrees));
        estimate(value, error, degrees, confidence)
    };
    let difference = difference(mean_a, mean_b);
    let relative = |base: f64| {
        let ratio = mean_a / base;
        let (of_a, of_b) = squares.unwrap_or_default();
        let about = RatioErrors { rest: of_a + ratio * ratio * of_b, base: of_b, both: -ratio * of_b };
        let factor = of_difference.and_then(|(_, degrees)| student_factor(degrees, confidence));
        relative_to(base, difference / base, &about, factor)
    };
    let pooled = deviation_a.zip(deviation_b).map(|(a, b)| {
        let squares = (n - 1.0) * a * a + (m - 1.0) * b * b;
        (squares / (n + m - 2.0)).sqrt()
    });
    Some(Comparison {
        pairing: Pairing::Independent,
        confidence,
        counts: (a.len(), b.len()),
        means: (mean_a, mean_b),
        difference: estimate(difference, of_difference),
        relative: clear_of_zero(b, confidence).map(relative),
        test: of_difference.and_then(|(error, degrees)| t_test(difference, error, degrees)),
        signed_rank: None,
        effect: pooled.filter(|deviation| *deviation > 0.0).map(|deviation| difference / deviation),
        order: combinations(a, b),
    })
}

/// Holm's correction of the p-values of several tests, which bounds the probability of any false positive by the level
/// of one test ("A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6
/// (1979)).
#[must_use]
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let mut corrected = vec![0.0; p_values.len()];
    let mut least = 0.0f64;
    for (rank, &number) in order.iter().enumerate() {
        least = least.max(((p_values.len() - rank) as f64 * p_values[number]).min(1.0));
        corrected[number] = least;
    }
    corrected
}

/// The mean, and the standard deviation for two or more values, 0 of constant ones; `None` for no values.
fn moments_of(values: &[f64]) -> Option<(f64, Option<f64>)> {
    let sorted = sorted(values);
    match sorted.as_slice() {
        [] => None,
        [value] => Some((*value, None)),
        values => {
            let (mean, deviation) = moments(values);
            Some((mean, Some(if deviation <= ROUNDING * mean.abs() { 0.0 } else { deviation })))
        }
    }
}

fn estimate(value: f64, error: Option<f64>, degrees: f64, confidence: Confidence) -> Estimate {
    let half = error.and_then(|error| Some(student_factor(degrees, confidence)? * error));
    Estimate { value, interval: half.map(|half| (value - half, value + half)) }
}

/// The squared errors about a ratio: of what is left without it, of the base, and of both together.
struct RatioErrors {
    rest: f64,
    base: f64,
    both: f64,
}

/// A ratio to the absolute base, with the shares of the base that do not differ by more than so many errors from what the
/// ratio is of. Without an interval if that has no ends.
fn relative_to(base: f64, ratio: f64, about: &RatioErrors, factor: Option<f64>) -> Estimate {
    let ends = |factor: f64| {
        let square = factor * factor;
        let clear = base * base - square * about.base;
        let middle = -square * about.both;
        let half = (middle * middle + clear * square * about.rest).sqrt();
        (clear > 0.0 && half.is_finite()).then(|| [middle - half, middle + half].map(|off| ratio + off / clear))
    };
    let sign = base.signum();
    let interval = factor.and_then(ends).map(|ends| ends.map(|end| sign * end));
    Estimate { value: sign * ratio, interval: interval.map(|[a, b]| (a.min(b), a.max(b))) }
}

fn t_test(difference: f64, error: f64, degrees: f64) -> Option<TTest> {
    // Infinite or NaN if the error is zero.
    let t = difference / error;
    let p = student_p(t, degrees)?;
    Some(TTest { t, degrees, p })
}

/// The mean if its interval excludes zero; for a single value, the value if it is not zero.
fn clear_of_zero(values: &[f64], confidence: Confidence) -> Option<f64> {
    let mean = super::mean(values)?;
    let (low, high) = mean_interval(values, confidence).unwrap_or((mean, mean));
    (low > 0.0 || high < 0.0).then_some(mean)
}

/// The order of the values of `a` relative to those of `b`, over all combinations.
fn combinations(a: &[f64], b: &[f64]) -> Order {
    let b = sorted(b);
    let mut order = Order { below: 0, equal: 0, above: 0 };
    for value in a {
        let above = b.partition_point(|other| other < value);
        let not_below = b.partition_point(|other| other <= value);
        order.above += above;
        order.equal += not_below - above;
        order.below += b.len() - not_below;
    }
    order
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand_distr::{Distribution, Exp1, StandardNormal};

    use super::*;
    use hetsim_base::engine::Streams;

    /// Student's sleep data: hours gained with each of two drugs.
    const FIRST: [f64; 10] = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0];
    const SECOND: [f64; 10] = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];

    fn sleep() -> Vec<(f64, f64)> {
        FIRST.into_iter().zip(SECOND).collect()
    }

    #[test]
    fn paired_sleep_data_agree_with_r() {
        // t.test(…, paired = TRUE): t = −4.0621, df = 9, p-value = 0.002833, −2.4598858 to −0.7001142, mean −1.58.
        let found = paired(&sleep(), Confidence::P95).unwrap();
        let test = found.test.unwrap();
        assert!((test.t + 4.062_128).abs() < 1e-6 && (test.p - 0.002_832_890).abs() < 1e-9, "{test:?}");
        assert_eq!(test.degrees, 9.0);
        let (low, high) = found.difference.interval.unwrap();
        assert!((low + 2.459_885_8).abs() < 1e-7 && (high + 0.700_114_2).abs() < 1e-7);
        assert!((found.difference.value + 1.58).abs() < 1e-12);
        // d_z = t / √n.
        assert!((found.effect.unwrap() + 4.062_128 / 10f64.sqrt()).abs() < 1e-6);
        assert_eq!(found.order, Order { below: 9, equal: 1, above: 0 });
        assert_eq!(found.order.superiority(), 0.95);
        assert_eq!(found.signed_rank.unwrap().p, 2.0 / 512.0);
    }

    #[test]
    fn independent_sleep_data_agree_with_r() {
        // t.test(extra ~ group, data = sleep): t = −1.8608, df = 17.776, p-value = 0.07939, −3.3654832 to 0.2054832.
        let found = independent(&FIRST, &SECOND, Confidence::P95).unwrap();
        let test = found.test.unwrap();
        assert!((test.t + 1.860_813_5).abs() < 1e-7 && (test.degrees - 17.776_473_5).abs() < 1e-7);
        assert!((test.p - 0.079_394_14).abs() < 1e-8);
        let (low, high) = found.difference.interval.unwrap();
        assert!((low + 3.365_483_2).abs() < 1e-7 && (high - 0.205_483_2).abs() < 1e-7);
        // wilcox.test(extra ~ group): W = 25.5, the number of combinations in which the first is larger.
        let order = found.order;
        assert_eq!(order.above as f64 + 0.5 * order.equal as f64, 25.5);
        assert_eq!(order.superiority(), 0.745);
        assert!((found.effect.unwrap() + 0.832_181).abs() < 1e-6, "{:?}", found.effect);
    }

    #[test]
    fn a_known_ratio() {
        // a is 10 % above b in each pair, so the ratio has no spread, whatever the spread of b is.
        let pairs: Vec<(f64, f64)> = (1..=20).map(|i| (1.1 * f64::from(i), f64::from(i))).collect();
        let relative = paired(&pairs, Confidence::P95).unwrap().relative.unwrap();
        let (low, high) = relative.interval.unwrap();
        assert!((relative.value - 0.1).abs() < 1e-12 && (low - 0.1).abs() < 1e-9 && (high - 0.1).abs() < 1e-9);
    }

    #[test]
    fn relative_intervals_cover_the_ratio_of_means() {
        // b is 1 plus an exponential value, with mean 2; a is 0.9 b plus noise about 0.1, with mean 1.9.
        let (mut of_pairs, mut of_independent) = (0, 0);
        for case in 0..2000 {
            let mut stream = Streams::new(8, case).stream("ratio", 0);
            let pairs: Vec<(f64, f64)> = (0..50)
                .map(|_| {
                    let (b, z): (f64, f64) = (Exp1.sample(&mut stream), StandardNormal.sample(&mut stream));
                    (0.9 * (1.0 + b) + 0.1 + 0.2 * z, 1.0 + b)
                })
                .collect();
            let holds = |comparison: Comparison| {
                comparison.relative.unwrap().interval.is_some_and(|(low, high)| low <= -0.05 && -0.05 <= high)
            };
            of_pairs += usize::from(holds(paired(&pairs, Confidence::P95).unwrap()));
            let other: Vec<f64> = (0..50)
                .map(|_| {
                    let x: f64 = Exp1.sample(&mut stream);
                    1.0 + x
                })
                .collect();
            let a: Vec<f64> = pairs.iter().map(|(a, _)| *a).collect();
            of_independent += usize::from(holds(independent(&a, &other, Confidence::P95).unwrap()));
        }
        for covered in [of_pairs, of_independent] {
            let share = f64::from(u16::try_from(covered).unwrap()) / 2000.0;
            assert!((share - 0.95).abs() < 0.02, "{share}");
        }
    }

    #[test]
    fn tests_of_equal_series_are_false_as_often_as_they_say() {
        let (mut t, mut ranks, mut welch) = (0, 0, 0);
        for case in 0..4000 {
            let mut stream = Streams::new(9, case).stream("null", 0);
            let mut draw = || {
                let z: f64 = StandardNormal.sample(&mut stream);
                z
            };
            let pairs: Vec<(f64, f64)> = (0..20).map(|_| (draw(), draw())).collect();
            let found = paired(&pairs, Confidence::P95).unwrap();
            t += usize::from(found.test.unwrap().p <= 0.05);
            ranks += usize::from(found.signed_rank.unwrap().p <= 0.05);
            let a: Vec<f64> = (0..12).map(|_| 3.0 * draw()).collect();
            let b: Vec<f64> = (0..30).map(|_| draw()).collect();
            welch += usize::from(independent(&a, &b, Confidence::P95).unwrap().test.unwrap().p <= 0.05);
        }
        // Four standard errors of 4000 trials: 0.0138. The p-values of ranks are discrete, so slightly lower.
        for found in [t, ranks, welch] {
            assert!((found as f64 / 4000.0 - 0.05).abs() < 0.0138, "{t} {ranks} {welch}");
        }
    }

    #[test]
    fn without_spread_there_is_no_test() {
        let found = paired(&[(1.0, 2.0); 5], Confidence::P95).unwrap();
        assert_eq!((found.test, found.effect, found.difference.interval), (None, None, Some((-1.0, -1.0))));
        assert_eq!(found.relative.unwrap().value, -0.5);
        assert_eq!(found.signed_rank.unwrap().p, 2.0 / 32.0);
        let found = independent(&[1.0; 3], &[2.0; 4], Confidence::P95).unwrap();
        assert_eq!((found.test, found.effect, found.difference.interval), (None, None, Some((-1.0, -1.0))));
        let single = paired(&[(1.0, 2.0)], Confidence::P95).unwrap();
        assert_eq!((single.test, single.difference.interval, single.effect), (None, None, None));
        assert_eq!(paired(&[], Confidence::P95), None);
        assert_eq!(paired(&[(1.0, f64::NAN)], Confidence::P95), None);
        assert_eq!(independent(&[], &[1.0], Confidence::P95), None);
        // A mean near zero is no basis for a relative difference.
        assert_eq!(paired(&[(1.0, -1.0), (2.0, 1.0)], Confidence::P95).unwrap().relative, None);
    }

    #[test]
    fn holm_corrects_from_the_smallest() {
        // p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm") of R: 0.03 0.06 0.06 0.02.
        let found = holm(&[0.01, 0.04, 0.03, 0.005]);
        for (found, expected) in found.iter().zip([0.03, 0.06, 0.06, 0.02]) {
            assert!((found - expected).abs() < 1e-12);
        }
        assert_eq!(holm(&[]), Vec::<f64>::new());
        assert_eq!(holm(&[0.7, 0.9]), [1.0, 1.0]);
    }

    proptest! {
        /// Fieller's definition: at an end of the interval, `a` less so many times `b` is as far from zero as its own
        /// interval is wide. So what is said relative to `b` never contradicts the test.
        #[test]
        fn relative_intervals_agree_with_tests(pairs in prop::collection::vec((1.0..9.0f64, 1.0..9.0f64), 3..30)) {
            let found = paired(&pairs, Confidence::P95).unwrap();
            if let Some((low, high)) = found.relative.and_then(|relative| relative.interval) {
                let (from, to) = found.difference.interval.unwrap();
                let near_zero = [low, high, from, to].iter().any(|end| end.abs() < 1e-9);
                prop_assert!(near_zero || (low > 0.0, high < 0.0) == (from > 0.0, to < 0.0));
                for end in [low, high] {
                    let left: Vec<f64> = pairs.iter().map(|(a, b)| a - (1.0 + end) * b).collect();
                    let (from, to) = mean_interval(&left, Confidence::P95).unwrap();
                    prop_assert!(from.abs().min(to.abs()) < 1e-9 * (to - from).max(1.0), "{} {}", from, to);
                }
            }
            let (a, b): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
            let found = independent(&a, &b[1..], Confidence::P95).unwrap();
            if let Some((low, high)) = found.relative.and_then(|relative| relative.interval) {
                let (from, to) = found.difference.interval.unwrap();
                let near_zero = [low, high, from, to].iter().any(|end| end.abs() < 1e-9);
                prop_assert!(near_zero || (low > 0.0, high < 0.0) == (from > 0.0, to < 0.0));
            }
        }

        #[test]
        fn sides_are_mirrored(pairs in prop::collection::vec((1.0..9.0f64, 1.0..9.0f64), 2..40)) {
            let turned: Vec<(f64, f64)> = pairs.iter().map(|(a, b)| (*b, *a)).collect();
            let (a, b) = (paired(&pairs, Confidence::P95).unwrap(), paired(&turned, Confidence::P95).unwrap());
            prop_assert!((a.difference.value + b.difference.value).abs() < 1e-12);
            prop_assert!((a.order.superiority() + b.order.superiority() - 1.0).abs() < 1e-12);
            prop_assert!((a.test.unwrap().p - b.test.unwrap().p).abs() < 1e-9);
        }

        #[test]
        fn combinations_are_counted(a in prop::collection::vec(0..6i32, 1..20), b in prop::collection::vec(0..6i32, 1..20)) {
            let (a, b): (Vec<f64>, Vec<f64>) = (a.into_iter().map(f64::from).collect(), b.into_iter().map(f64::from).collect());
            let all = a.iter().flat_map(|a| b.iter().map(move |b| a - b));
            prop_assert_eq!(combinations(&a, &b), Order::count(all));
        }
    }
}
