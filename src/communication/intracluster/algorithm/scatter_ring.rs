//! Scatter, then allgather by a ring.

use super::{Broadcast, Method};
use crate::communication::intracluster::{Allgather, Plan, ScatterAllgather};

#[derive(Debug)]
pub(super) struct ScatterRing;

impl Method for ScatterRing {
    fn plan(&self, broadcast: &Broadcast<'_>) -> Plan {
        Plan::ScatterAllgather(ScatterAllgather::new(broadcast.ranks, broadcast.message, Allgather::Ring))
    }
}
