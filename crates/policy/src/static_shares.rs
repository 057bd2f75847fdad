//! Shares that the scenario gives: the p_i of Bazterra et al. (JPDC 2005), with any values.
//!
//! If workers are absent, the others get the tasks in proportion to their own shares, or equally if these are all zero.

use super::apportion::deal;
use super::{Kind, Rule, Setup};

#[derive(Debug, Clone)]
pub(super) struct StaticShares {
    shares: Vec<f64>,
}

impl Rule for StaticShares {
    fn kind() -> Kind {
        Kind::Static
    }

    fn new(setup: &Setup<'_>) -> Self {
        Self { shares: setup.shares.to_vec() }
    }

    fn deal(&mut self, left: u32, present: &[bool]) -> Vec<u32> {
        deal(left, present, |worker| self.shares.get(worker).copied().unwrap_or(0.0))
    }
}
