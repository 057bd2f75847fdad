//! The same loop with Rechenberg's 1/5 success rule (1973).
//!
//! On the sphere and on the corridor a (1+1) strategy makes the fastest progress when about a fifth of its mutations
//! succeed: more of them mean that the steps are too small, fewer that they are too large. Schwefel (1981) changes by 0.85.

use super::walkers::Rule;

/// Rechenberg's share and Schwefel's factor.
pub(super) const fn rule(least_step: f64) -> Rule {
    Rule { threshold: 0.2, change: 0.85, least_step }
}
