//! A stopping rule for replication that looks at a metric only at a few fixed numbers of replicas.
//!
//! The checkpoints make the decision a function of the rule and the values, whatever number of replicas was computed
//! ahead on however many cores. There are few of them because each look may stop at an interval that happens to be
//! short: looking after every replica would lower the coverage of the mean (Law and Kelton, "Simulation Modeling and
//! Analysis", section 9.4).

use super::{Confidence, mean_interval, proportion_interval};

/// The default first checkpoint; an interval of fewer replicas is too unreliable.
pub const FIRST: usize = 30;

/// The rule: replicate until the interval of a metric's mean is short enough.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StoppingRule {
    /// The required half width.
    pub target: Target,
    /// The confidence of the interval, which is Student's, or Wilson's for outcomes.
    pub confidence: Confidence,
    /// Whether the values are outcomes: 1 for success, 0 otherwise.
    pub outcomes: bool,
    /// The first checkpoint; each further one doubles it.
    pub first: usize,
    /// The last checkpoint, which is the maximum number of replicas.
    pub most: usize,
}

/// The greatest half width of a sufficiently short interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Target {
    /// Relative to the absolute mean: 0.01 for ±1 %.
    Relative(f64),
    /// In the unit of the metric.
    Absolute(f64),
}

/// The decision on the values so far.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Decision {
    /// Values are missing up to the next checkpoint.
    More {
        /// The number of replicas needed for the next decision.
        needed: usize,
    },
    /// The interval was short enough at a checkpoint.
    Enough(Estimate),
    /// The interval was still too long at the last checkpoint.
    Exhausted(Estimate),
}

/// The state at which the rule stopped.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The checkpoint; only the replicas before it count.
    pub replicas: usize,
    /// The mean of the metric over these replicas.
    pub mean: Option<f64>,
    /// The half width of its interval; undefined for fewer than two values.
    pub half_width: Option<f64>,
}

impl StoppingRule {
    /// A rule that stops at ± `target` with 95 % confidence, after 30 to 10 000 replicas.
    #[must_use]
    pub const fn new(target: Target) -> Self {
        Self { target, confidence: Confidence::P95, outcomes: false, first: FIRST, most: 10_000 }
    }

    /// The checkpoints: the first, its doublings, and the last.
    pub fn checkpoints(&self) -> impl Iterator<Item = usize> {
        let most = self.most.max(1);
        let next = move |at: &usize| (*at < most).then(|| at.saturating_mul(2).min(most));
        std::iter::successors(Some(self.first.clamp(1, most)), next)
    }

    /// Whether a half width is short enough for a mean.
    fn is_met(&self, mean: f64, half_width: f64) -> bool {
        let most = match self.target {
            Target::Relative(share) => share * mean.abs(),
            Target::Absolute(width) => width,
        };
        half_width <= most
    }

    fn at(&self, values: &[Option<f64>]) -> Estimate {
        let present: Vec<f64> = values.iter().copied().flatten().collect();
        let mean = super::mean(&present);
        let interval = if self.outcomes {
            mean.and_then(|share| proportion_interval(share, present.len() as f64, self.confidence))
        } else {
            mean_interval(&present, self.confidence)
        };
        let half_width = interval.map(|(low, high)| (high - low) / 2.0);
        Estimate { replicas: values.len(), mean, half_width }
    }
}

/// Decides whether the replicas so far are enough. `values` holds the metric of one replica after the other; a `None`
/// counts as a replica but not for the mean. Values beyond the checkpoint at which the rule stops have no effect.
#[must_use]
pub fn enough(values: &[Option<f64>], rule: &StoppingRule) -> Decision {
    for checkpoint in rule.checkpoints() {
        let Some(seen) = values.get(..checkpoint) else { return Decision::More { needed: checkpoint } };
        let reached = rule.at(seen);
        let met = reached.mean.zip(reached.half_width).is_some_and(|(mean, half)| rule.is_met(mean, half));
        if met {
            return Decision::Enough(reached);
        }
        if checkpoint >= rule.most {
            return Decision::Exhausted(reached);
        }
    }
    Decision::More { needed: rule.most }
}

/// Requests replicas until there are enough: `more` returns the values of a range of replicas in order. Returns the
/// values up to the checkpoint at which the rule stopped.
pub fn run_until(
    rule: &StoppingRule,
    mut more: impl FnMut(std::ops::Range<usize>) -> Vec<Option<f64>>,
) -> (Vec<Option<f64>>, Decision) {
    let mut values = Vec::new();
    loop {
        match enough(&values, rule) {
            Decision::More { needed } => {
                let new = more(values.len()..needed);
                // A caller without further values ends the loop.
                if new.is_empty() {
                    return (values, Decision::More { needed });
                }
                values.extend(new);
            }
            decision @ (Decision::Enough(reached) | Decision::Exhausted(reached)) => {
                values.truncate(reached.replicas);
                return (values, decision);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rule(target: Target, first: usize, most: usize) -> StoppingRule {
        StoppingRule { first, most, ..StoppingRule::new(target) }
    }

    /// Alternating zeros and twos: mean 1, half width t × √(n/(n − 1)) / √n for even n.
    fn alternating(count: usize) -> Vec<Option<f64>> {
        (0..count).map(|i| Some(if i % 2 == 0 { 0.0 } else { 2.0 })).collect()
    }

    #[test]
    fn outcomes_that_are_all_alike_are_not_known_without_error() {
        let values = vec![Some(1.0); 1000];
        let of_numbers = StoppingRule::new(Target::Absolute(0.01));
        assert!(matches!(enough(&values, &of_numbers), Decision::Enough(Estimate { replicas: 30, .. })));
        // Wilson's half width for n of n is z² / (2 (n + z²)), below 0.01 from n = 189 on.
        let rule = StoppingRule { outcomes: true, ..of_numbers };
        assert!(matches!(enough(&values, &rule), Decision::Enough(Estimate { replicas: 240, .. })));
    }

    #[test]
    fn checkpoints_double_up_to_the_last() {
        let of = |first, most| rule(Target::Relative(0.1), first, most).checkpoints().collect::<Vec<_>>();
        assert_eq!(of(30, 500), [30, 60, 120, 240, 480, 500]);
        assert_eq!(of(30, 480), [30, 60, 120, 240, 480]);
        assert_eq!(of(30, 10), [10]);
        assert_eq!(of(0, 0), [1]);
    }

    #[test]
    fn it_stops_at_the_first_checkpoint_that_is_short_enough() {
        // At n = 30: 2.04523 / √29 = 0.37979; at 60: 2.00100 / √59 = 0.26051; at 120: 1.98010 / √119 = 0.18152.
        let values = alternating(1000);
        for (target, stop) in [(0.38, 30), (0.37, 60), (0.261, 60), (0.26, 120), (0.1816, 120)] {
            for target in [Target::Relative(target), Target::Absolute(target)] {
                let Decision::Enough(reached) = enough(&values, &rule(target, 30, 1000)) else { panic!("{target:?}") };
                assert_eq!((reached.replicas, reached.mean), (stop, Some(1.0)), "{target:?}");
            }
        }
        assert_eq!(enough(&values[..59], &rule(Target::Absolute(0.3), 30, 1000)), Decision::More { needed: 60 });
        assert_eq!(enough(&[], &rule(Target::Absolute(0.3), 30, 1000)), Decision::More { needed: 30 });
    }

    #[test]
    fn it_ends_with_the_last_checkpoint() {
        let Decision::Exhausted(reached) = enough(&alternating(100), &rule(Target::Relative(0.01), 30, 100)) else {
            panic!("the interval can't be that short");
        };
        assert_eq!(reached.replicas, 100);
        assert!((reached.half_width.unwrap() - 1.984_217 / 99f64.sqrt()).abs() < 1e-6);
    }

    #[test]
    fn without_spread_the_first_checkpoint_is_enough() {
        let decision = enough(&[Some(0.1); 30], &rule(Target::Relative(0.0), 30, 100));
        let reached = Estimate { replicas: 30, mean: Some(0.1), half_width: Some(0.0) };
        assert_eq!(decision, Decision::Enough(reached));
        // With a mean near zero no relative width is short enough.
        let about_zero: Vec<_> = (0..100).map(|i| Some(if i % 2 == 0 { -1.0 } else { 1.0 })).collect();
        assert!(matches!(enough(&about_zero, &rule(Target::Relative(0.5), 30, 100)), Decision::Exhausted(_)));
    }

    #[test]
    fn blanks_count_as_replicas_and_say_nothing() {
        let blank = enough(&[None; 50], &rule(Target::Relative(0.5), 30, 50));
        assert_eq!(blank, Decision::Exhausted(Estimate { replicas: 50, mean: None, half_width: None }));
        let one = enough(&[Some(1.0), None], &rule(Target::Relative(0.5), 2, 2));
        assert_eq!(one, Decision::Exhausted(Estimate { replicas: 2, mean: Some(1.0), half_width: None }));
    }

    #[test]
    fn asking_goes_from_checkpoint_to_checkpoint() {
        let all = alternating(2000);
        let mut asked = Vec::new();
        let (values, decision) = run_until(&rule(Target::Relative(0.2), 30, 1000), |range| {
            asked.push(range.clone());
            all[range].to_vec()
        });
        assert_eq!(asked, [0..30, 30..60, 60..120]);
        assert!(matches!(decision, Decision::Enough(Estimate { replicas: 120, .. })));
        assert_eq!(values.len(), 120);
        let (values, decision) = run_until(&rule(Target::Relative(0.2), 30, 1000), |_| Vec::new());
        assert_eq!((values.len(), decision), (0, Decision::More { needed: 30 }));
    }

    proptest! {
        #[test]
        fn what_was_computed_ahead_changes_nothing(
            values in prop::collection::vec(prop::option::weighted(0.9, 0.0..10.0f64), 0..300),
            target in 0.01..1.0f64, first in 1..40usize, most in 1..300usize,
        ) {
            let rule = rule(Target::Relative(target), first, most);
            let decision = enough(&values, &rule);
            match decision {
                Decision::More { needed } => prop_assert!(needed > values.len() && needed <= most),
                Decision::Enough(reached) | Decision::Exhausted(reached) => {
                    prop_assert!(rule.checkpoints().any(|checkpoint| checkpoint == reached.replicas));
                    prop_assert_eq!(decision, enough(&values[..reached.replicas], &rule));
                }
            }
        }
    }
}
