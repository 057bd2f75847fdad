//! Whole tasks in proportion to weights.

use std::cmp::Reverse;

/// Remainders are equal if they are the same in so many parts of one: they differ by rounding alone.
const SAME: f64 = 1e6;

/// Splits `total` in proportion to `weights` by the largest-remainder method (Hamilton's): each entry gets its quota
/// rounded down, and those with the largest remainders get one more; of equal remainders the lowest index goes first.
///
/// The counts add up to `total`, and each lies within one of its quota. A weight that is not positive and finite gets
/// nothing; without any such weight all counts are 0.
#[must_use]
pub fn apportion(total: u32, weights: &[f64]) -> Vec<u32> {
    let claim = |weight: f64| if weight.is_finite() && weight > 0.0 { weight } else { 0.0 };
    let largest = weights.iter().copied().map(claim).fold(0.0, f64::max);
    if largest == 0.0 {
        return vec![0; weights.len()];
    }
    // Relative to the largest weight, no sum can overflow.
    let sum: f64 = weights.iter().map(|&weight| claim(weight) / largest).sum();
    let quotas: Vec<f64> = weights.iter().map(|&weight| claim(weight) / largest / sum * f64::from(total)).collect();
    let mut counts: Vec<u32> = quotas.iter().map(|quota| quota.floor() as u32).collect();
    let given: u64 = counts.iter().map(|&count| u64::from(count)).sum();

    let mut claimants: Vec<usize> = (0..weights.len()).filter(|&index| quotas[index] > 0.0).collect();
    let remainder = |index: usize| ((quotas[index] - quotas[index].floor()) * SAME).round() as u32;
    claimants.sort_unstable_by_key(|&index| (Reverse(remainder(index)), index));
    if given <= u64::from(total) {
        // Fewer are missing than there are remainders, except by rounding: then the round starts again.
        let missing = u64::from(total) - given;
        for &index in claimants.iter().cycle().take(missing as usize) {
            counts[index] += 1;
        }
    } else {
        // Quotas just below a whole number were rounded up to it: they have the smallest remainders.
        let mut surplus = given - u64::from(total);
        for &index in claimants.iter().rev() {
            if surplus > 0 && counts[index] > 0 {
                counts[index] -= 1;
                surplus -= 1;
            }
        }
    }
    counts
}

/// Deals `left` tasks in proportion to `weight` among the present workers, equally if none of them has a weight.
pub(super) fn deal(left: u32, present: &[bool], weight: impl Fn(usize) -> f64) -> Vec<u32> {
    let weights: Vec<f64> =
        present.iter().enumerate().map(|(worker, &here)| if here { weight(worker) } else { 0.0 }).collect();
    if weights.iter().any(|&weight| weight > 0.0) { apportion(left, &weights) } else { deal_equally(left, present) }
}

/// Deals `left` tasks equally among the present workers.
pub(super) fn deal_equally(left: u32, present: &[bool]) -> Vec<u32> {
    let weights: Vec<f64> = present.iter().map(|&here| f64::from(u8::from(here))).collect();
    apportion(left, &weights)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// By hand: 10 in proportion to 1, 2, 4 has the quotas 1.43, 2.86 and 5.71.
    #[test]
    fn largest_remainders_go_up() {
        assert_eq!(apportion(10, &[1.0, 2.0, 4.0]), [1, 3, 6]);
        assert_eq!(apportion(7, &[1.0; 4]), [2, 2, 2, 1]);
        assert_eq!(apportion(2, &[0.0, 1.0, 0.0]), [0, 2, 0]);
        assert_eq!(apportion(u32::MAX, &[f64::MAX, f64::MAX]), [u32::MAX / 2 + 1, u32::MAX / 2]);
        assert_eq!(apportion(5, &[f64::NAN, -1.0, f64::INFINITY]), [0, 0, 0]);
        assert_eq!(apportion(5, &[]), [0u32; 0]);
        // Quotas of 4/3, 4/3 and 1/3: equal remainders, whatever the rounding of the division.
        assert_eq!(apportion(3, &[4.0, 4.0, 1.0]), [2, 1, 0]);
        assert_eq!(apportion(33, &[1.0, 5.0, 5.0, 1.0]), [3, 14, 14, 2]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

        #[test]
        fn counts_add_up_and_are_near_the_quotas(
            total in prop_oneof![0u32..50, 0u32..100_000, any::<u32>()],
            weights in prop::collection::vec(prop_oneof![Just(0.0), Just(1.0), 1e-3..1e3f64, 1e-300..1e300f64], 1..40),
        ) {
            let sum: f64 = weights.iter().map(|weight| weight / 1e10).sum();
            prop_assume!(sum > 0.0);
            let counts = apportion(total, &weights);
            prop_assert_eq!(counts.iter().map(|&count| u64::from(count)).sum::<u64>(), u64::from(total));
            for (&count, &weight) in counts.iter().zip(&weights) {
                let quota = f64::from(total) * (weight / 1e10 / sum);
                // A quota is known to about 1e-15 of its size.
                prop_assert!((f64::from(count) - quota).abs() < 1.0 + 1e-5, "{count} of {quota}");
                prop_assert!(weight > 0.0 || count == 0);
            }
        }
    }
}
