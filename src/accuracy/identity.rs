//! Numbers that differ where predictions may.

use xxhash_rust::xxh3::Xxh3;

use super::predict::Machine;
use crate::fit::read::collectives::Modelled;
use crate::model;

/// The number of one prediction or of several, made of all that they depend on.
#[derive(Clone)]
pub(super) struct Identity(Xxh3);

impl Identity {
    /// That of predictions on a machine whose random parts are drawn for `seed`.
    pub(super) fn new(machine: &Machine, seed: u64) -> Self {
        let mut identity = Self(Xxh3::new());
        identity.add(model::CODE);
        identity.0.update(&machine.tree.fingerprint().to_bytes());
        identity.add(&seed.to_string());
        identity
    }

    /// Adds what else the predictions depend on.
    pub(super) fn add(&mut self, text: &str) {
        self.0.update(text.as_bytes());
        self.0.update(&[0]);
    }

    /// Adds a collective on so many nodes and ranks on each.
    pub(super) fn add_point(&mut self, (nodes, ranks_per_node): (u32, u32), model: &Modelled) {
        self.add(&format!("{nodes} {ranks_per_node} {} {}", model.size, model.keys));
    }

    pub(super) fn number(&self) -> u64 {
        self.0.digest()
    }
}
