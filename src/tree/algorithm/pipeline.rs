//! The segmented chain.

use super::{Broadcast, Method};
use crate::tree::{Plan, Segments, Tree};

#[derive(Debug)]
pub(super) struct Pipeline;

impl Method for Pipeline {
    fn plan(&self, broadcast: &Broadcast<'_>) -> Plan {
        Plan::Forward {
            tree: Tree::Chain(broadcast.ranks),
            segments: Segments::new(broadcast.message, broadcast.segment),
        }
    }
}
