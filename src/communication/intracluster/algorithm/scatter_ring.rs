//! Scatter, then allgather by a ring.

use super::{Broadcast, Method};
use crate::communication::Plan;
use crate::communication::collective::Algorithm;

#[derive(Debug)]
pub(super) struct ScatterRing;

impl Method for ScatterRing {
    fn plan(&self, broadcast: &Broadcast<'_>) -> Plan {
        Plan::Steps(Algorithm::ScatterRing.steps(&broadcast.by_steps()))
    }
}
