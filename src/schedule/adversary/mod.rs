//! Adversarial comparison of schedulers (PISA): annealing over instances, to find one on which a scheduler does as badly as
//! can be beside another.
//!
//! Means over random graphs hide where a scheduler fails. Here the instance itself is what is searched: tasks, their data,
//! the nodes' speeds and the links' strengths ([`ProblemInstance`]). A search starts from a random small instance
//! ([`Space::draw`]), changes one thing of it at a time ([`Mutation`]), and drives the ratio of two makespans up
//! ([`Annealing::search`]). The makespans are asked from outside, so nothing here knows a scheduler or a machine; all draws
//! come from the stream that is handed in, and a search ends after a number of steps that is known before.
//!
//! Coleman, Krishnamachari: Comparing task graph scheduling algorithms: an adversarial approach. arXiv:2403.07120. Where the
//! paper leaves a detail open, it is as in the authors' library SAGA.

mod annealing;
mod instance;
mod mutation;

pub use annealing::{Acceptance, Annealing, Found, Step};
pub use instance::{Dependency, ProblemInstance, Space, Weight};
pub use mutation::Mutation;

#[cfg(test)]
mod tests;
