//! What a program says of itself and its messages: plain functions, so that the simulation's type has its messages only.

use crate::matching::Envelope;
use crate::program::{NodeId, PhaseOf, Program, Scope};
use crate::trail::Name;

/// The answers of the program that runs.
#[derive(Debug)]
pub(super) struct Hooks<M> {
    /// Whether it wants to be told when a send has left its node.
    pub(super) wants_sent: bool,
    /// The name of a message, for the observer.
    pub(super) describe: fn(&M) -> &'static str,
    /// Its phase, for the trail.
    phase: fn(&M) -> PhaseOf,
    /// What posted receives see of a message.
    pub(super) envelope: fn(NodeId, &M) -> Envelope,
}

impl<M> Hooks<M> {
    /// Those of no program.
    pub(super) fn none() -> Self {
        Self {
            wants_sent: false,
            describe: |_| "",
            phase: |_| PhaseOf::Node,
            envelope: |from, _| Envelope { from, scope: Scope::HOST, tag: 0 },
        }
    }

    pub(super) fn of<P: Program<Message = M>>(program: &P) -> Self {
        Self {
            wants_sent: program.wants_sent(),
            describe: P::describe,
            phase: P::phase,
            envelope: |from, message| Envelope { from, scope: P::scope(message), tag: P::tag(message) },
        }
    }

    /// What a message is called, and its phase.
    pub(super) fn name(&self, message: &M) -> Name {
        Name { message: (self.describe)(message), phase: (self.phase)(message) }
    }
}
