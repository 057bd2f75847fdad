//! Results that wait: at their workers for the next heartbeat, at the server until it looks.

use super::assignments::Chunk;
use hetsim_base::units::Time;
use hetsim_cluster::{Context, NodeId, TimerId};

/// The results of slots in the order in which they came, and the timer at which they go on.
#[derive(Debug, Clone, Default)]
pub(super) struct Reports {
    waiting: Vec<(u32, Chunk)>,
    timer: Option<TimerId>,
}

impl Reports {
    /// Adds results that go on at `due`.
    pub(super) fn add<M>(&mut self, slot: u32, chunk: Chunk, (at, due): (NodeId, Time), context: &mut impl Context<M>) {
        self.waiting.push((slot, chunk));
        if self.timer.is_none() {
            self.timer = Some(context.set_timer(at, due.since(context.now())));
        }
    }

    /// Whether results of a slot wait.
    pub(super) fn has(&self, slot: u32) -> bool {
        self.waiting.iter().any(|(waiting, _)| *waiting == slot)
    }

    /// Drops the results of some slots.
    pub(super) fn drop_if(&mut self, is_lost: impl Fn(u32) -> bool) {
        self.waiting.retain(|(slot, _)| !is_lost(*slot));
    }

    /// What goes on at a timer.
    pub(super) fn due(&mut self, timer: TimerId) -> Vec<(u32, Chunk)> {
        let is_due = self.timer.take_if(|own| *own == timer).is_some();
        if is_due { std::mem::take(&mut self.waiting) } else { Vec::new() }
    }
}
