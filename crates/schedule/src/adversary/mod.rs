//! Adversarial comparison of schedulers (PISA): simulated annealing over instances finds one on which a scheduler does
//! as badly as possible compared with another.
//!
//! Means over random graphs hide where a scheduler fails. Here the search varies the instance itself: the tasks, their
//! data, the speeds of the nodes and the bandwidths of the links ([`ProblemInstance`]). It starts from a random small
//! instance ([`Space::draw`]), changes one thing at a time ([`Mutation`]) and raises the ratio of two makespans
//! ([`Annealing::search`]). A callback computes the makespans, so this module knows neither schedulers nor platforms.
//! All draws come from the given stream, and the number of steps is known in advance.
//!
//! Coleman, Krishnamachari: Comparing task graph scheduling algorithms: an adversarial approach. arXiv:2403.07120.
//! Details that the paper leaves open follow SAGA, the authors' library.

mod annealing;
mod instance;
mod mutation;

pub use annealing::{Acceptance, Annealing, AnnealingStep, SearchResult};
pub use instance::{Dependency, ProblemInstance, Space, Weight};
pub use mutation::Mutation;

#[cfg(test)]
mod tests;
