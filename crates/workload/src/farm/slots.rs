//! The slots of workers: the chunk that a worker computes and those that it has ahead.

use super::{FarmParameters, Protocol};
use crate::KeyError;
use hetsim_base::units::Quantity;
use hetsim_cluster::{Platform, Sharing};
use hetsim_policy::Kind;

/// The largest number of chunks ahead.
const MOST_AHEAD: u16 = 1000;

/// What the server and a worker know of a chunk, with its places in their queues, in bytes.
const SLOT_BYTES: u128 = 128;

/// Numbers the slots of all workers: the first of each worker, then the second of each, and so on. A worker without
/// chunks ahead has a single slot, with the worker's own number.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slots {
    workers: u32,
    ahead: u16,
}

impl Slots {
    /// The slots of so many workers, each with so many chunks ahead.
    pub(super) const fn new(workers: u32, ahead: u16) -> Self {
        Self { workers, ahead }
    }

    /// The number of workers.
    pub(super) const fn workers(self) -> u32 {
        self.workers
    }

    /// The number of slots of all workers.
    pub(super) const fn count(self) -> u32 {
        self.workers * (self.ahead as u32 + 1)
    }

    /// Whether workers have chunks ahead.
    pub(super) const fn ahead(self) -> bool {
        self.ahead > 0
    }

    /// The slot of a worker with this place among its own.
    #[inline]
    pub(super) fn slot(self, worker: u32, place: u16) -> u32 {
        worker + u32::from(place) * self.workers
    }

    /// The worker of a slot.
    #[inline]
    pub(super) const fn worker_of(self, slot: u32) -> u32 {
        if self.ahead() { slot % self.workers } else { slot }
    }

    /// The place of a slot among those of its worker: at most `ahead`.
    #[inline]
    pub(super) const fn place_of(self, slot: u32) -> u16 {
        if self.ahead() { (slot / self.workers) as u16 } else { 0 }
    }

    /// The slots of a worker.
    pub(super) fn of(self, worker: u32) -> impl Iterator<Item = u32> {
        (0..=self.ahead).map(move |place| self.slot(worker, place))
    }
}

impl FarmParameters {
    /// Checks the chunks ahead, and that those that wait can be taken back.
    ///
    /// # Errors
    /// The policy or the protocol has no use for them, there are too many, or workers cannot answer while they compute.
    pub(super) fn check_ahead(&self, platform: &Platform) -> Result<(), KeyError> {
        KeyError::unless(
            self.steal_interval.is_some() || self.steal_threshold.base() == 0.0,
            "farm.steal_threshold",
            || "nothing is taken back: give `steal_interval`",
        )?;
        if self.ahead == 0 {
            return KeyError::unless(
                self.steal_interval.is_none(),
                "farm.steal_interval",
                || "without chunks `ahead`, nothing waits at workers",
            );
        }
        let problem = |message: String| Err(KeyError::new("farm.ahead", message));
        if self.ahead > MOST_AHEAD {
            return problem(format!("at most {MOST_AHEAD} chunks ahead are allowed"));
        }
        if self.policy.kind() != Kind::SelfScheduling {
            return problem(format!("`{}` deals whole shares: nothing is left to give ahead", self.policy));
        }
        if self.protocol != Protocol::Plain {
            return problem("with signals, a client asks for more only when it has computed its chunk".to_owned());
        }
        if self.copies > 0 {
            return problem("with chunks ahead, idle slots belong to busy workers; leave out `copies`".to_owned());
        }
        let slots = u64::from(platform.nodes() - 1) * (u64::from(self.ahead) + 1);
        let what = format!("{slots} chunks at workers");
        KeyError::unless(u32::try_from(slots).is_ok(), "farm.ahead", || format!("{what} are too many"))?;
        KeyError::bounded("farm.ahead", &what, u128::from(slots) * SLOT_BYTES)?;
        let silent = (platform.sharing() == Sharing::OneAtATime && self.steal_interval.is_some())
            .then(|| self.workers(platform).find(|node| platform.cores(*node) == 1))
            .flatten();
        silent.map_or(Ok(()), |node| {
            let message =
                format!("node {node} has one core, so it gives nothing back while it computes; give it `cores = 2`");
            Err(KeyError::new("farm.steal_interval", message))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_belongs_to_one_worker_and_has_one_place() {
        for slots in [Slots::new(3, 0), Slots::new(3, 2), Slots::new(1, 4)] {
            let mut all: Vec<u32> = (0..slots.workers()).flat_map(|worker| slots.of(worker)).collect();
            all.sort_unstable();
            assert_eq!(all, (0..slots.count()).collect::<Vec<u32>>());
            for slot in all {
                assert_eq!(slots.slot(slots.worker_of(slot), slots.place_of(slot)), slot);
            }
        }
    }
}
