//! The printed loop with Rechenberg's 1/5 success rule (1973).
//!
//! On the sphere and the corridor, a (1+1) strategy progresses fastest when about a fifth of its mutations succeed: a
//! higher share means that the steps are too small, a lower share that they are too large. Schwefel (1981) changes the
//! step by 0.85.

use super::walkers::Rule;

/// Rechenberg's threshold and Schwefel's factor.
pub(super) const fn rule(least_step: f64) -> Rule {
    Rule { threshold: 0.2, change: 0.85, least_step }
}
