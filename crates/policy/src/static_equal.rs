//! The same number of tasks for every worker: the classic master-slave genetic algorithm.
//!
//! E. Cantú-Paz, *Efficient and Accurate Parallel Genetic Algorithms*, Kluwer 2000. The slowest worker limits the
//! speedup to n·v_min/v_max (Bazterra et al. 2005, Eq. 17).

use super::apportion::deal_equally;
use super::{Kind, Rule, Setup};

#[derive(Debug, Clone)]
pub(super) struct StaticEqual;

impl Rule for StaticEqual {
    fn kind() -> Kind {
        Kind::Static
    }

    fn new(_: &Setup<'_>) -> Self {
        Self
    }

    fn deal(&mut self, left: u32, present: &[bool]) -> Vec<u32> {
        deal_equally(left, present)
    }
}
