//! Work stealing: equal shares first; a worker that has run out takes half of what is left of another's.
//!
//! R. D. Blumofe, C. E. Leiserson, *Scheduling multithreaded computations by work stealing*, JACM 46(5), 1999. Here are
//! only the first shares; who steals from whom, and when, is the workload's protocol.

use super::apportion::deal_equally;
use super::{Kind, Rule, Setup};

#[derive(Debug, Clone)]
pub(super) struct Stealing;

impl Rule for Stealing {
    const KIND: Kind = Kind::Stealing;

    fn new(_: &Setup<'_>) -> Self {
        Self
    }

    fn deal(&mut self, left: u32, present: &[bool]) -> Vec<u32> {
        deal_equally(left, present)
    }
}
