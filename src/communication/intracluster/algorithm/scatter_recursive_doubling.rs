//! Scatter, then allgather by recursive doubling.

use super::{Broadcast, Method};
use crate::communication::Plan;
use crate::communication::collective::Algorithm;

#[derive(Debug)]
pub(super) struct ScatterRecursiveDoubling;

impl Method for ScatterRecursiveDoubling {
    fn plan(&self, broadcast: &Broadcast<'_>) -> Plan {
        Plan::Steps(Algorithm::ScatterRecursiveDoubling.steps(&broadcast.by_steps()))
    }
}
