//! In proportion to nominal speed: the shares p_i = v_i / Σ v_k, which are best for known speeds and equal tasks
//! (Bazterra et al. 2005, Proposition 1), as far as whole tasks allow.

use super::apportion::deal;
use super::{Kind, Rule, Setup};

#[derive(Debug, Clone)]
pub(super) struct StaticNominal {
    speeds: Vec<f64>,
}

impl Rule for StaticNominal {
    fn kind() -> Kind {
        Kind::Static
    }

    fn new(setup: &Setup<'_>) -> Self {
        Self { speeds: setup.speeds.to_vec() }
    }

    fn deal(&mut self, left: u32, present: &[bool]) -> Vec<u32> {
        deal(left, present, |worker| self.speeds[worker])
    }
}
