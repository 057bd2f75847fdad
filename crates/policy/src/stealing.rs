//! Work stealing: equal shares first; an idle worker takes half of the remaining tasks of another.
//!
//! R. D. Blumofe, C. E. Leiserson, *Scheduling multithreaded computations by work stealing*, JACM 46(5), 1999. This
//! file gives the first shares; the workload's protocol decides who steals from whom, and when.

use super::apportion::deal_equally;
use super::{Kind, Rule, Setup};

#[derive(Debug, Clone)]
pub(super) struct Stealing;

impl Rule for Stealing {
    fn kind() -> Kind {
        Kind::Stealing
    }

    fn new(_: &Setup<'_>) -> Self {
        Self
    }

    fn deal(&mut self, left: u32, present: &[bool]) -> Vec<u32> {
        deal_equally(left, present)
    }
}
