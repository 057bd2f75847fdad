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
//! this one seems to descend, has a threshold of 1/5 and a factor of 0.85 ([`one_fifth`](super::one_fifth)).
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

use super::walkers::Rule;

/// The values of Table 1.
pub(super) const fn rule(least_step: f64) -> Rule {
    Rule { threshold: 0.9, change: 0.2, least_step }
}
