//! Formats a comparison as a sentence.

use std::fmt::Write as _;

use super::compare::{Comparison, Estimate, Pairing};

/// The words of a sentence.
#[derive(Clone, Copy)]
pub struct Wording<'a> {
    /// The name of the first series.
    pub a: &'a str,
    /// The name of the second series.
    pub b: &'a str,
    /// The word for a smaller metric: `faster` for times, `lower` for a metric without a direction.
    pub less: &'a str,
    /// The word for a larger metric.
    pub more: &'a str,
    /// Formats a value of the metric.
    pub show: &'a dyn Fn(f64) -> String,
}

/// Formats a comparison: which series is smaller and by how much, with the interval, the p-value of the t test, the
/// number of pairs in which it is smaller, and the effect size. If the interval contains zero, the sentence starts with
/// that.
#[must_use]
pub fn sentence(comparison: &Comparison, words: &Wording<'_>) -> String {
    let difference = comparison.difference.value;
    let Wording { a, b, less, more, show } = words;
    let (below, total) = (comparison.order.below, comparison.order.total());
    let cases = if comparison.pairing == Pairing::Paired { "pairs" } else { "combinations" };
    if comparison.order.equal == total {
        return format!("{a} and {b} are equal in all {total} {cases}");
    }
    if difference == 0.0 {
        return format!("{a} and {b} have the same mean; {a} is {less} in {below} of {total} {cases}");
    }
    let (word, wins) = if difference < 0.0 { (less, below) } else { (more, comparison.order.above) };
    let (size, interval) = match comparison.relative {
        Some(relative) => percent(relative, difference < 0.0),
        None => plain(comparison.difference, difference < 0.0, show),
    };
    let mut text = match comparison.difference.interval {
        Some((low, high)) if low <= 0.0 && 0.0 <= high => {
            format!("no significant difference between {a} and {b}: {a} is {word} by {size}")
        }
        _ => format!("{a} is {word} than {b} by {size}"),
    };
    // Without spread an interval has no length, and there is no test.
    if let (Some(interval), Some(test)) = (interval, comparison.test) {
        let percent = comparison.confidence.percent();
        let _ = write!(text, " ({percent} % interval {interval}), {}", p_value(test.p));
    }
    let _ = write!(text, ", in {wins} of {total} {cases}");
    if let Some(effect) = comparison.effect {
        let _ = write!(text, "; effect {}", size_of_effect(effect));
    }
    text
}

/// Formats a p-value as in papers.
#[must_use]
pub fn p_value(p: f64) -> String {
    match p {
        p if p < 0.001 => "p < 0.001".to_owned(),
        p if p < 0.01 => format!("p = {p:.4}"),
        p if p < 0.1 => format!("p = {p:.3}"),
        p => format!("p = {p:.2}"),
    }
}

/// Cohen's word for an effect size in standard deviations ("Statistical Power Analysis for the Behavioral Sciences",
/// 2nd edition, 1988, section 2.2).
#[must_use]
pub fn size_of_effect(effect: f64) -> &'static str {
    match effect.abs() {
        size if size < 0.2 => "negligible",
        size if size < 0.5 => "small",
        size if size < 0.8 => "medium",
        _ => "large",
    }
}

/// Formats a relative difference in percent with its interval, with the sign chosen to make the estimate positive.
fn percent(share: Estimate, turned: bool) -> (String, Option<String>) {
    let (value, interval) = upright(share, turned);
    let (value, interval) = (100.0 * value, interval.map(|(low, high)| (100.0 * low, 100.0 * high)));
    let half = interval.map_or(0.0, |(low, high)| (high - low) / 2.0);
    let mut digits = decimals(value, half);
    // An end that was rounded to zero would hide on which side of it the interval ends.
    let most = digits + 2;
    let vanishes = |number: f64, digits| number != 0.0 && minus(&format!("{number:.digits$}")).parse() == Ok(0.0);
    while digits < most && interval.is_some_and(|(low, high)| vanishes(low, digits) || vanishes(high, digits)) {
        digits += 1;
    }
    let show = |number: f64| minus(&format!("{number:.digits$}"));
    (format!("{} %", show(value)), interval.map(|(low, high)| format!("{} to {} %", show(low), show(high))))
}

/// Formats a difference in the metric's unit with its interval, with the sign chosen to make the estimate positive.
fn plain(difference: Estimate, turned: bool, show: &dyn Fn(f64) -> String) -> (String, Option<String>) {
    let (value, interval) = upright(difference, turned);
    let signed = |number: f64| if number < 0.0 { format!("−{}", show(-number)) } else { show(number) };
    (show(value), interval.map(|(low, high)| format!("{} to {}", signed(low), signed(high))))
}

fn upright(estimate: Estimate, turned: bool) -> (f64, Option<(f64, f64)>) {
    let Estimate { value, interval } = estimate;
    if turned { (-value, interval.map(|(low, high)| (-high, -low))) } else { (value, interval) }
}

/// The number of decimals that separates the ends of an interval from its middle: one digit of its half width or,
/// without one, three digits of the value.
fn decimals(value: f64, half: f64) -> usize {
    let (from, digits) = if half > 0.0 { (half, 1.0) } else { (value.abs(), 3.0) };
    let places = digits - 1.0 - from.log10().floor();
    // A value of zero has no digits to show.
    if places.is_finite() { places.clamp(0.0, 9.0) as usize } else { 0 }
}

/// Replaces the hyphen by a minus sign, and drops the sign of a number rounded to zero.
fn minus(number: &str) -> String {
    match number.strip_prefix('-') {
        Some(size) if size.chars().all(|c| c == '0' || c == '.') => size.to_owned(),
        Some(size) => format!("−{size}"),
        None => number.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Confidence;
    use super::super::compare::{independent, paired};
    use super::*;

    fn words<'a>() -> Wording<'a> {
        Wording { a: "HEFT", b: "CPOP", less: "faster", more: "slower", show: &|value| format!("{value:.2} s") }
    }

    /// 100 pairs around 9.68 and 10 with differences around −0.32, three of them positive.
    fn pairs() -> Vec<(f64, f64)> {
        let pair = |i: u32| {
            let b = 9.5 + f64::from(i % 11) / 10.0;
            let difference = if i < 3 { 0.1 } else { -0.333 + 0.15 * (f64::from(i % 7) - 3.0) / 3.0 };
            (b + difference, b)
        };
        (0..100).map(pair).collect()
    }

    #[test]
    fn a_clear_difference() {
        let comparison = paired(&pairs(), Confidence::P95).unwrap();
        let text = sentence(&comparison, &words());
        assert_eq!(
            text,
            "HEFT is faster than CPOP by 3.2 % (95 % interval 3.0 to 3.4 %), p < 0.001, in 97 of 100 pairs; effect large"
        );
        let turned: Vec<(f64, f64)> = pairs().into_iter().map(|(a, b)| (b, a)).collect();
        let text = sentence(&paired(&turned, Confidence::P95).unwrap(), &words());
        assert!(text.starts_with("HEFT is slower than CPOP by 3.3 % (95 % interval 3.0 to 3.6 %)"), "{text}");
    }

    #[test]
    fn no_difference_to_speak_of() {
        let pairs: Vec<(f64, f64)> =
            (0..40).map(|i| (10.0 + f64::from(i * 7 % 13) / 10.0, 10.01 + f64::from(i * 5 % 13) / 10.0)).collect();
        let text = sentence(&paired(&pairs, Confidence::P95).unwrap(), &words());
        assert!(text.starts_with("no significant difference between HEFT and CPOP: HEFT is "), "{text}");
        assert!(text.contains("interval −") && text.ends_with("effect negligible"), "{text}");
    }

    #[test]
    fn degenerate_cases() {
        let of = |pairs: &[(f64, f64)]| sentence(&paired(pairs, Confidence::P95).unwrap(), &words());
        assert_eq!(of(&[(1.0, 1.0); 4]), "HEFT and CPOP are equal in all 4 pairs");
        assert_eq!(of(&[(9.0, 10.0); 4]), "HEFT is faster than CPOP by 10.0 %, in 4 of 4 pairs");
        assert_eq!(of(&[(9.0, 10.0)]), "HEFT is faster than CPOP by 10.0 %, in 1 of 1 pairs");
        assert_eq!(of(&[(1.0, 2.0), (2.0, 1.0)]), "HEFT and CPOP have the same mean; HEFT is faster in 1 of 2 pairs");
        // Near zero the difference is in the metric's unit.
        let text = of(&[(-1.0, 1.0), (-2.0, -1.5), (0.5, 1.5)]);
        assert!(
            text.starts_with(
                "no significant difference between HEFT and CPOP: HEFT is faster by 1.17 s (95 % interval −"
            )
        );
        let text = sentence(&independent(&[1.0, 2.0], &[5.0, 6.0], Confidence::P95).unwrap(), &words());
        assert!(text.contains("in 4 of 4 combinations"), "{text}");
    }

    #[test]
    fn ends_of_intervals_keep_their_side_of_zero() {
        let share = Estimate { value: 0.0007, interval: Some((-0.000_42, 0.001_88)) };
        assert_eq!(percent(share, false), ("0.07 %".to_owned(), Some("−0.04 to 0.19 %".to_owned())));
    }

    #[test]
    fn numbers_as_papers_print_them() {
        let shown = [0.000_2, 0.002_833, 0.079_39, 0.62].map(p_value);
        assert_eq!(shown, ["p < 0.001", "p = 0.0028", "p = 0.079", "p = 0.62"]);
        assert_eq!([0.1, -0.3, 0.6, -4.0].map(size_of_effect), ["negligible", "small", "medium", "large"]);
        assert_eq!([decimals(3.2, 0.3), decimals(3.2, 0.04), decimals(40.0, 12.0), decimals(0.0, 0.0)], [1, 2, 0, 0]);
        assert_eq!([minus("-0.0"), minus("-0.1"), minus("2")], ["0.0", "−0.1", "2"]);
    }
}
