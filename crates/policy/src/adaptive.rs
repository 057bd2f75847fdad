//! One task at a time to each idle worker, so that workers get tasks at the rate at which they finish them.
//!
//! The adaptive model of Bazterra, Cuma, Ferraro, Facelli (JPDC 2005, §5); known in loop scheduling as pure
//! self-scheduling (P. Tang, P.-C. Yew, ICPP 1986).

use super::{Rule, Setup};

#[derive(Debug, Clone)]
pub(super) struct Adaptive;

impl Rule for Adaptive {
    fn new(_: &Setup<'_>) -> Self {
        Self
    }

    fn chunk(&mut self, _: u32, _: u32) -> u32 {
        1
    }
}
