//! Defaults and checks that all communication shares.

use crate::cluster::Platform;
use crate::communication::Plan;
use crate::units::{Bytes, memory};
use crate::workload::KeyError;

/// The usual length of a segment.
pub(in crate::workload) const fn usual_segment() -> Bytes {
    Bytes::new(16 * 1024)
}

/// Refuses a plan with more segments than can be numbered, or that takes too much memory, before anything is made of
/// it.
pub(in crate::workload) fn check_memory(plan: &Plan) -> Result<(), KeyError> {
    let count = plan.segments();
    let refused = |why: String| {
        let message = format!("the message is cut into {count} segments, {why}; take a longer `segment`");
        KeyError { key: "segment".to_owned(), message }
    };
    if count >= u64::from(u32::MAX) {
        return Err(refused("more than can be numbered".to_owned()));
    }
    // In one piece it takes what the platform takes anyway.
    if count == 1 {
        Ok(())
    } else {
        memory::check(plan.memory()).map_err(|error| refused(format!("which take {error}")))
    }
}

/// Whether a message costs the same at all times, whatever else is under way: nothing varies, is drawn or is shared, no
/// place under a capacity has to be waited for, and no node goes down.
pub(in crate::workload) fn is_steady(platform: &Platform) -> bool {
    platform.faults().is_empty() && platform.connections().iter().all(|link| link.model.is_closed() && !link.varies())
}
