//! How much of what is simulated can be relied on: the digits of times, and what files of rules say first.

use std::fmt::Write as _;

use super::{Choice, Timed, size};
use crate::report::text::humane;

/// What is known of several ranks on a node.
pub const SEVERAL_RANKS: &str = "times of several ranks on a node depend on values of its memory that are often guesses; \
    beside measurements of four machines their median error was 14 to 47 %";

/// Whether some choices are about several ranks on a node.
#[must_use]
pub fn several_ranks(choices: &[Choice]) -> bool {
    choices.iter().any(|choice| choice.has_shared_nodes)
}

/// A larger message that takes less than this share of the time of a smaller one is no matter of rounding.
const FALLS: f64 = 0.9;

/// A sentence about an algorithm whose simulated time falls as the message grows, where there is one: its ranks keep step
/// for some sizes only. `choices` go by operation, ranks and rising size.
#[must_use]
pub fn falling(choices: &[Choice]) -> Option<String> {
    let falls = |(small, large): (&Choice, &Choice)| {
        let (before, after) = small.lasting().into_iter().find_map(|before| {
            let after = large.lasting().into_iter().find(|after| after.candidate == before.candidate)?;
            (after.seconds < FALLS * before.seconds).then_some((before.clone(), after.clone()))
        })?;
        Some(format!(
            "{} by {} takes {} for {} and {} for {} among {} ranks: equal ranks may keep step for some sizes only; see \
             what is left of it with `jitter = 0.001` on each network of the platform and --replicas 5",
            small.operation,
            before.candidate.method,
            small.time(&before),
            size(small.bytes),
            large.time(&after),
            size(large.bytes),
            small.ranks
        ))
    };
    choices.iter().zip(choices.iter().skip(1)).filter(|(small, large)| small.is_before(large)).find_map(falls)
}

/// Lines of comment for the head of a file of rules: how far off its times are, and what warns of them.
pub(super) fn head(choices: &[Choice]) -> String {
    let mut head = String::new();
    let mut line = |text: &str| {
        let _ = writeln!(head, "# {text}");
    };
    if several_ranks(choices) {
        SEVERAL_RANKS.split("; ").zip(["Warning: ", "  "]).for_each(|(part, before)| line(&format!("{before}{part}")));
    }
    let errors = choices.iter().filter_map(|choice| choice.error);
    if let Some(most) = errors.reduce(f64::max) {
        let ties = choices.iter().filter(|choice| !choice.rivals().is_empty()).count();
        let (all, percent) = (choices.len(), most * 100.0);
        line(&format!(
            "Simulated times are taken to be up to {percent:.1} % off; {ties} of {all} choices have no clear winner."
        ));
    }
    head
}

/// Decimal digits that a value with such an error bears: a second one up to 100 %, a third below 10 %.
fn digits(error: f64) -> usize {
    // A comparison with the powers of ten, which a logarithm may miss by a rounding.
    1 + [1.0, 0.1].iter().filter(|&&power| error < power).count()
}

/// A value with so many digits.
pub(super) fn rounded(value: f64, digits: usize) -> f64 {
    format!("{value:.*e}", digits - 1).parse().unwrap_or(value)
}

impl Choice {
    /// Whether another one differs in its size alone, and that is larger.
    fn is_before(&self, other: &Self) -> bool {
        let asked = |choice: &Self| (choice.operation, choice.ranks, choice.ranks_per_node);
        asked(self) == asked(other) && self.bytes < other.bytes
    }

    /// The simulated times that are there however candidates were tried.
    fn lasting(&self) -> Vec<&Timed> {
        let named = [self.usual(), self.fastest(), self.second()].into_iter().flatten();
        named.chain(self.rivals()).filter(|timed| !timed.measured).collect()
    }

    /// The digits of simulated times, if their error is known.
    fn digits(&self) -> Option<usize> {
        self.error.map(digits)
    }

    /// The words for a time: a simulated one with the digits that its error bears.
    pub(super) fn time(&self, timed: &Timed) -> String {
        let digits = self.digits().filter(|_| !timed.measured);
        humane("completion_s", digits.map_or(timed.seconds, |digits| rounded(timed.seconds, digits)))
    }

    /// The words for what is gained over the usual algorithm.
    pub(super) fn gain_text(&self) -> String {
        let Some(gain) = self.gain() else { return String::new() };
        let sure = [self.usual(), self.fastest()].into_iter().flatten().all(|timed| timed.measured);
        let Some(digits) = self.digits().filter(|_| !sure) else { return format!("{gain:.2}×") };
        let gain = rounded(gain, digits);
        // A gain is at least one.
        let whole = gain.max(1.0).log10() as usize + 1;
        format!("{gain:.*}×", digits.saturating_sub(whole))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::communication::{Algorithm, Operation};
    use crate::report::advise::tests::choice;

    /// Of times that others than the fastest or the usual algorithm have, some may be missing.
    #[test]
    fn times_that_fall_as_messages_grow_are_told() {
        use Algorithm::{Bruck, Linear, Pairwise};
        let of = |ranks, bytes, pairwise| {
            let times = [(Pairwise, pairwise), (Linear, 1.0), (Bruck, 2.0)];
            choice(Operation::AllToAll, ranks, bytes, &times)
        };
        assert_eq!(falling(&[of(8, 1024, 3.0), of(8, 2048, 2.8), of(16, 1024, 2.0)]), None);
        let told = falling(&[of(8, 1024, 0.5), of(8, 2048, 3.0), of(8, 4096, 2.5)]).unwrap();
        assert!(
            told.starts_with("all_to_all by pairwise takes 3\u{a0}s for 2\u{a0}KiB and 2.5\u{a0}s for 4\u{a0}KiB"),
            "{told}"
        );
        let bruck =
            |bytes, seconds| choice(Operation::AllToAll, 8, bytes, &[(Pairwise, 2.0), (Linear, 1.0), (Bruck, seconds)]);
        assert_eq!(falling(&[bruck(8, 9.0), bruck(16, 5.0)]), None);
    }

    #[test]
    fn an_error_bears_so_many_digits() {
        assert_eq!([0.0, 0.02, 0.0999, 0.1, 0.15, 0.43, 1.0, 3.0].map(digits), [3, 3, 3, 2, 2, 2, 1, 1]);
        assert_eq!([rounded(0.001_234, 2), rounded(9.96, 2), rounded(0.0, 2)], [0.0012, 10.0, 0.0]);
    }
}
