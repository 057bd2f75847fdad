//! The evolution strategy as printed by Garamendi and Bosque (§3.4, Table 1).
//!
//! Each of μ solutions is mutated k times by a normal deviate with its own σ_j and replaced by a better mutant. Then
//! σ_j is multiplied by c if the share Ps_j of successful mutations is below the threshold, and divided by c if it is
//! above. Table 1 has c = 0.2 and a threshold of 0.9.
//!
//! The rule is odd: a mutation with a small step succeeds at most every other time, however smooth the function is,
//! since half of all directions go up. A share above 0.9 of k mutations is a matter of luck, so nearly every change
//! makes the step five times smaller. After five changes it is 1/3125 of its initial value. The solutions then stand
//! still, and many solutions are no more than many first guesses with little refinement. Rechenberg's rule, from which
//! this one seems to descend, has a threshold of 1/5 and a factor of 0.85 ([`StepRule::one_fifth`]).
//!
//! The number of runs, of 120 each in ten dimensions with μ = 100 and first steps of a tenth of the domain, that
//! reached an error of 5·10⁻⁵:
//!
//! | k | Ackley | Rastrigin (median error) | sphere |
//! |---|---|---|---|
//! | 10 | 0 | 0 (53) | 0 |
//! | 50 | 0 | 0 (16) | 39 |
//! | 100 | 116 | 0 (13) | 120 |
//! | 200 | 120 | 0 (11) | 120 |
//! | 2000 | | 0 (6) | |
//!
//! Everything depends on k, which is not printed: the rule is a fixed cooling by 0.2 every k mutations, which works if
//! it is slow. The default is k = 100 because it reaches Ackley's optimum, for which the paper reports response times.
//! Rastrigin's optimum is out of reach even with k = 2000 or μ = 1000 (0 of 120, median 8), so the number of rounds
//! needs a bound.
//!
//! The text leaves open μ, k, the first steps, the domain of first solutions, and a least step. Each is a key of
//! [`Settings`](super::Settings) or an argument, except for the domain, which is the objective's own; solutions may
//! leave it later. The text does not say what happens at the threshold itself; here the step does not change. The
//! master checks the stop condition of step 2 only between rounds (§3.2).

/// The change of a step after some mutations of its individual.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct StepRule {
    /// The step shrinks below this share of successes and grows above it.
    pub(super) threshold: f64,
    /// The factor by which a step shrinks and the divisor by which it grows; below 1.
    pub(super) change: f64,
    /// The least step.
    pub(super) least_step: f64,
}

impl StepRule {
    /// The values of Table 1.
    pub(super) const fn printed(least_step: f64) -> Self {
        Self { threshold: 0.9, change: 0.2, least_step }
    }

    /// The printed loop with Rechenberg's 1/5 success rule (1973).
    ///
    /// On the sphere and the corridor, a (1+1) strategy progresses fastest when about a fifth of its mutations succeed:
    /// a higher share means that the steps are too small, a lower share that they are too large. Schwefel (1981)
    /// changes the step by 0.85.
    pub(super) const fn one_fifth(least_step: f64) -> Self {
        Self { threshold: 0.2, change: 0.85, least_step }
    }

    /// The new step (§3.4, step 6). At the threshold itself the step does not change.
    #[inline]
    pub(super) fn step(&self, step: f64, success_rate: f64) -> f64 {
        let factor = if success_rate < self.threshold {
            self.change
        } else if success_rate > self.threshold {
            1.0 / self.change
        } else {
            1.0
        };
        (step * factor).max(self.least_step)
    }
}
