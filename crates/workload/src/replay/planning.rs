//! The plans of the collective operations of a trace: by the algorithm that is named, by the library's, or by the usual one.

use super::{Operated, ReplayParameters};
use crate::KeyError;
use crate::collective::{CollectiveParameters, check_messages};
use crate::communication::Levels;
use hetsim_base::units::Bytes;
use hetsim_cluster::{NodeId, Platform};
use hetsim_communication::Operation;
use hetsim_communication::steps::StepPlan;

impl ReplayParameters {
    /// The plan of an operation whose ranks are on these nodes, with ranks counted from the root.
    pub(super) fn plan(
        &self,
        operated: &Operated,
        mut nodes: Vec<NodeId>,
        platform: &Platform,
    ) -> Result<StepPlan, KeyError> {
        let root = operated.root as usize;
        nodes.rotate_left(root);
        let (key, parameters) = self.chosen(operated, nodes.len() as u32);
        let plan = if operated.has_pairs() {
            let plan = parameters.steps(&nodes, &[], platform);
            plan.and_then(|plan| plan.with_lengths_of_pairs(&operated.lengths).ok_or_else(straight))
        } else {
            let mut lengths = operated.lengths.clone();
            if !lengths.is_empty() {
                lengths.rotate_left(root);
            }
            parameters.steps(&nodes, &lengths, platform)
        };
        let plan = plan.and_then(|plan| check_messages(&plan, &nodes, platform).map(|()| plan));
        plan.map_err(|error| match key {
            Some(key) => KeyError::new(key, error.message).under("algorithms"),
            None => KeyError::new("trace", error.message),
        })
    }

    /// The parameters of an operation among so many ranks, and the key that names its algorithm, if one does.
    fn chosen(&self, operated: &Operated, ranks: u32) -> (Option<&'static str>, CollectiveParameters) {
        let &Operated { operation, root, size, .. } = operated;
        let (named, key) = if operated.has_pairs() {
            (self.algorithms.all_to_all_v, "all_to_all_v")
        } else {
            self.algorithms.of(operation)
        };
        let usual =
            CollectiveParameters { size: Some(Bytes::new(size)), root, ..CollectiveParameters::usual(operation) };
        let parameters = match (named, self.library) {
            (Some(choice), _) => {
                let levels = if choice.inside.is_some() { Levels::Leaders } else { Levels::default() };
                CollectiveParameters { algorithm: named, levels, ..usual }
            }
            (None, Some(library)) if operated.has_pairs() => {
                let chosen = library.choose_unequal_all_to_all(ranks);
                CollectiveParameters { algorithm: Some(chosen.algorithm.into()), window: chosen.window, ..usual }
            }
            (None, Some(_)) => CollectiveParameters { library: self.library, ..usual },
            (None, None) => CollectiveParameters { algorithm: Some(operation.usual_algorithm().into()), ..usual },
        };
        (named.map(|_| key), parameters)
    }
}

impl Operated {
    /// Whether each rank has a block of its own length for each other.
    fn has_pairs(&self) -> bool {
        self.operation == Operation::AllToAll && !self.lengths.is_empty()
    }
}

fn straight() -> KeyError {
    let message = "an all-to-all whose blocks differ needs an algorithm whose messages go straight to their receivers: linear, \
                   linear_synchronised or pairwise";
    KeyError::new("algorithm", message)
}
