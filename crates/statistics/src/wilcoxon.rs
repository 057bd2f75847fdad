//! The signed-rank test (Wilcoxon, "Individual comparisons by ranking methods", Biometrics Bulletin 1 (1945)): tests
//! whether differences are centred on zero, for any symmetric distribution.

use statrs::distribution::{ContinuousCDF, Normal};

/// The result of the signed-rank test of paired differences.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SignedRank {
    /// The number of non-zero differences.
    pub count: usize,
    /// The sum of the ranks of the positive differences (R's V).
    pub positive: f64,
    /// The two-sided p-value.
    pub p: f64,
    /// Whether the p-value is exact instead of a normal approximation.
    pub exact: bool,
}

/// The maximum number of differences for an exact p-value.
pub const MOST_EXACT: usize = 25;

/// Differences below this fraction of the greatest one count as rounding errors.
const ROUNDING: f64 = 1e-12;

/// The signed-rank test of `differences`. Zeros are omitted, as by Wilcoxon; equal absolute differences share their
/// mean rank. For up to [`MOST_EXACT`] differences the p-value counts all combinations of signs, given the ranks and
/// their ties; for more it is a normal approximation with corrections for ties and continuity.
///
/// Returns `None` if all differences are zero or one is not finite.
#[must_use]
pub fn signed_rank(differences: &[f64]) -> Option<SignedRank> {
    let ranked = Ranked::of(differences)?;
    let exact = ranked.count <= MOST_EXACT;
    let p = if exact { ranked.exact_p() } else { ranked.normal_p() };
    Some(SignedRank { count: ranked.count, positive: ranked.positive as f64 / 2.0, p, exact })
}

/// Ranks, doubled so that the mean of tied ranks is an integer.
struct Ranked {
    count: usize,
    doubled: Vec<usize>,
    /// The sum of the ranks of positive differences.
    positive: usize,
    /// The sum of t³ − t over the groups of t equal sizes.
    ties: f64,
}

impl Ranked {
    fn of(differences: &[f64]) -> Option<Self> {
        if differences.iter().any(|difference| !difference.is_finite()) {
            return None;
        }
        let rounding = ROUNDING * differences.iter().fold(0.0f64, |most, difference| most.max(difference.abs()));
        let mut sorted: Vec<f64> = differences.iter().copied().filter(|d| d.abs() > rounding).collect();
        sorted.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
        let mut ranked = Self { count: sorted.len(), doubled: Vec::new(), positive: 0, ties: 0.0 };
        for group in sorted.chunk_by(|a, b| b.abs() - a.abs() <= rounding) {
            // The ranks first + 1 to first + t have the mean first + (t + 1) / 2.
            let doubled = 2 * ranked.doubled.len() + group.len() + 1;
            ranked.positive += doubled * group.iter().filter(|difference| **difference > 0.0).count();
            ranked.ties += (group.len() as f64).powi(3) - group.len() as f64;
            ranked.doubled.extend(std::iter::repeat_n(doubled, group.len()));
        }
        (ranked.count > 0).then_some(ranked)
    }

    /// The share of all sign combinations whose sum of positive ranks is at least as far from the middle.
    fn exact_p(&self) -> f64 {
        let total: usize = self.doubled.iter().sum();
        // The number of sign combinations for each sum: at most 2^25, which a double holds exactly.
        let mut ways = vec![0.0f64; total + 1];
        ways[0] = 1.0;
        for &rank in &self.doubled {
            for sum in (rank..=total).rev() {
                ways[sum] += ways[sum - rank];
            }
        }
        let smaller = self.positive.min(total - self.positive);
        let tail: f64 = ways[..=smaller].iter().sum();
        (2.0 * tail / (self.count as f64).exp2()).min(1.0)
    }

    fn normal_p(&self) -> f64 {
        let n = self.count as f64;
        let variance = n * (n + 1.0) * (2.0 * n + 1.0) / 24.0 - self.ties / 48.0;
        let distance = (self.positive as f64 / 2.0 - n * (n + 1.0) / 4.0).abs();
        let z = (distance - 0.5).max(0.0) / variance.sqrt();
        2.0 * Normal::standard().cdf(-z)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Student's sleep data: the first drug minus the second.
    const SLEEP: [f64; 10] = [-1.2, -2.4, -1.3, -1.3, 0.0, -1.0, -1.8, -0.8, -4.6, -1.4];

    #[test]
    fn the_sleep_data_agree_with_r() {
        // wilcox.test(…, paired = TRUE) of R: V = 0, p-value = 0.009091 (normal, as there are ties and a zero).
        let ranked = Ranked::of(&SLEEP).unwrap();
        assert!((ranked.normal_p() - 0.009_090_698).abs() < 1e-8);
        // Exactly: of 2⁹ sign combinations, two have all ranks on one side.
        let found = signed_rank(&SLEEP).unwrap();
        assert_eq!((found.count, found.positive, found.p, found.exact), (9, 0.0, 2.0 / 512.0, true));
    }

    #[test]
    fn the_depression_scale_agrees_with_r() {
        // Hollander and Wolfe (1973), p. 29, the example of R's wilcox.test: V = 40, two-sided p-value 0.03906.
        // The differences of the two visits.
        let differences = [0.952, -0.147, 1.022, 0.43, 0.62, 0.59, 0.49, -0.08, 0.01];
        let found = signed_rank(&differences).unwrap();
        assert_eq!((found.count, found.positive, found.p), (9, 40.0, 20.0 / 512.0));
        assert!((Ranked::of(&differences).unwrap().normal_p() - 0.044_010_984).abs() < 1e-8);
    }

    #[test]
    fn roundings_are_no_differences() {
        // 0.1 + 0.2 − 0.3 is not quite zero.
        let found = signed_rank(&[0.1 + 0.2 - 0.3, 1.0, -2.0]).unwrap();
        assert_eq!((found.count, found.positive), (2, 1.0));
        assert_eq!(signed_rank(&[0.0, 0.0]), None);
        assert_eq!(signed_rank(&[]), None);
        assert_eq!(signed_rank(&[1.0, f64::NAN]), None);
    }

    #[test]
    fn the_approximation_is_close_where_the_exact_value_ends() {
        for shift in [0.0, 2.0, 5.0, 9.0] {
            let differences: Vec<f64> = (0..25).map(|i| f64::from(i * 7 % 25) - 12.25 + shift).collect();
            let ranked = Ranked::of(&differences).unwrap();
            assert!((ranked.exact_p() - ranked.normal_p()).abs() < 0.01, "{shift}");
        }
    }

    proptest! {
        #[test]
        fn counting_agrees_with_trying_all_signs(sizes in prop::collection::vec(1..6i32, 1..11), signs: u16) {
            let signed = |signs: usize| -> Vec<f64> {
                sizes.iter().enumerate().map(|(i, size)| f64::from(if signs >> i & 1 == 1 { *size } else { -size })).collect()
            };
            let sum = |signs: usize| Ranked::of(&signed(signs)).unwrap().positive;
            let total = sum(usize::MAX);
            let far = |sum: usize| (2 * sum).abs_diff(total);
            let found = sum(usize::from(signs));
            let all = 1usize << sizes.len();
            let extreme = (0..all).filter(|&signs| far(sum(signs)) >= far(found)).count();
            let p = signed_rank(&signed(usize::from(signs))).unwrap().p;
            prop_assert!((p - extreme as f64 / all as f64).abs() < 1e-12);
        }

        #[test]
        fn sides_change_nothing(differences in prop::collection::vec(-5.0..5.0f64, 1..60)) {
            let turned: Vec<f64> = differences.iter().map(|d| -d).collect();
            let (a, b) = (signed_rank(&differences).unwrap(), signed_rank(&turned).unwrap());
            prop_assert!((a.p - b.p).abs() < 1e-12 && a.p > 0.0 && a.p <= 1.0);
        }
    }
}
