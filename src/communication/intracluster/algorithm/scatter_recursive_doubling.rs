//! Scatter, then allgather by recursive doubling.

use super::{Broadcast, Method};
use crate::communication::intracluster::{Allgather, Plan, ScatterAllgather};

#[derive(Debug)]
pub(super) struct ScatterRecursiveDoubling;

impl Method for ScatterRecursiveDoubling {
    fn plan(&self, broadcast: &Broadcast<'_>) -> Plan {
        Plan::ScatterAllgather(ScatterAllgather::new(broadcast.ranks, broadcast.message, Allgather::RecursiveDoubling))
    }
}
