//! What the keys of an operation become: a plan among the ranks.

use super::{Calls, Choice, CollectiveParameters, Timing, timing};
use crate::KeyError;
use crate::communication::{
    Levels, Placement, check_levels, check_memory, cost_among, levels_of, usual_fanout, usual_radix, usual_segment,
};
use hetsim_base::units::{Bytes, Operations, Seconds, Time};
use hetsim_cluster::{NodeId, Platform};
use hetsim_communication::steps::{Step, StepPlan};
use hetsim_communication::{Algorithm, Collective, Library, Operation, Plan, on_levels};

/// The size of an operation, which only a barrier can do without.
pub(crate) fn size_of(operation: Operation, size: Option<Bytes>) -> Result<u64, KeyError> {
    match size {
        Some(size) => Ok(size.count()),
        None if operation == Operation::Barrier => Ok(0),
        None => Err(KeyError { key: "size".to_owned(), message: format!("the operation {operation} needs a `size`") }),
    }
}

/// A plan as steps, which ranks do at instants of their own.
pub(super) fn in_steps(algorithm: Choice, plan: Plan) -> Result<StepPlan, KeyError> {
    algorithm.top.in_steps(plan).map_err(|error| KeyError::new("algorithm", error.to_string()))
}

/// The ranks and bytes of plans that are compared.
const EXAMPLE: (u32, u64) = (64, 1 << 20);

/// Another value of a parameter.
type Change = fn(Collective<'_>) -> Collective<'_>;

/// The parameters of algorithms.
const CHANGES: [(&str, Change); 4] = [
    ("segment", |call| Collective { segment: EXAMPLE.1 / 8, ..call }),
    ("radix", |call| Collective { radix: call.radix + 1, ..call }),
    ("fanout", |call| Collective { fanout: call.fanout + 1, ..call }),
    ("window", |call| Collective { window: call.window + 1, ..call }),
];

impl CollectiveParameters {
    /// The operation without a size, an algorithm or a library, and with the usual value of every other key.
    pub(crate) fn usual(operation: Operation) -> Self {
        Self {
            operation,
            algorithm: None,
            library: None,
            levels: Levels::default(),
            segment: usual_segment(),
            radix: usual_radix(),
            fanout: usual_fanout(),
            window: 0,
            size: None,
            root: 0,
            placement: Placement::default(),
            reduction: Operations::default(),
            skew: Seconds::default(),
            calls: Calls::default(),
            timing: Timing::default(),
            fitted: None,
        }
    }

    /// The plan as a part of a program, in steps. The ranks are on `nodes`, from the root on in a circle; their blocks
    /// have these lengths where they differ.
    pub(crate) fn steps(&self, nodes: &[NodeId], lengths: &[u64], platform: &Platform) -> Result<StepPlan, KeyError> {
        let (ranks, size) = (nodes.len() as u32, size_of(self.operation, self.size)?);
        let algorithm = self.choice(ranks, size)?;
        let cost = cost_among(nodes, size, platform);
        let call = self.parameters(Collective::new(self.operation, ranks, size));
        let call = Collective { root: self.root, cost: &cost, lengths, ..call };
        in_steps(algorithm, self.plan(algorithm, &call, nodes, platform)?)
    }

    /// The plan of an operation whose ranks are on `nodes`, from the root on in a circle.
    pub(super) fn plan(
        &self,
        algorithm: Choice,
        call: &Collective<'_>,
        nodes: &[NodeId],
        platform: &Platform,
    ) -> Result<Plan, KeyError> {
        let root_fits = self.root == 0 || self.operation.has_root();
        KeyError::unless(root_fits, "root", || format!("the operation {} has no root", self.operation))?;
        check_levels(self.levels, algorithm.inside.is_some())?;
        let plan = match algorithm.inside {
            None => algorithm.top.plan(call),
            Some(inside) => {
                let among = |ranks: &[u32], size: u64| {
                    let members: Vec<NodeId> = ranks.iter().map(|&rank| nodes[rank as usize]).collect();
                    cost_among(&members, size, platform)(size)
                };
                let levels = levels_of(self.levels, nodes, platform);
                on_levels(call, &levels, [algorithm.top, inside], &among).map(Plan::Steps)
            }
        };
        let plan = plan.map_err(|error| KeyError::new("algorithm", error.to_string()))?;
        check_memory(&plan)?;
        Ok(plan)
    }

    /// The barrier before the operation, if ranks meet in one that takes its time, and how late rank 0 comes to the
    /// first: when all others wait for it.
    pub(super) fn prelude(&self, nodes: &[NodeId], platform: &Platform) -> Result<Option<(StepPlan, Time)>, KeyError> {
        if !self.timing.is_behind_barrier() {
            return Ok(None);
        }
        let ranks = platform.nodes();
        KeyError::unless(self.calls == Calls::Mpi, "timing", || "a `barrier` needs `calls = \"mpi\"`")?;
        let Some(algorithm) = timing::algorithm_of(platform.barrier(), ranks) else { return Ok(None) };
        let plan = algorithm.steps(&Collective::new(Operation::Barrier, ranks, 0));
        let plan = plan.map_err(|error| KeyError::new("timing", error.to_string()))?;
        let message = nodes.last().map(|&last| platform.transfer(nodes[0], last, 0));
        let step = message.map_or(Time::ZERO, |message| message.overhead + message.hop() + message.receive_overhead);
        Ok(Some((plan, step * u64::from(2 * ranks.max(1).ilog2() + 2))))
    }

    /// The algorithm that is named, or that the library chooses.
    pub(super) fn choice(&self, ranks: u32, size: u64) -> Result<Choice, KeyError> {
        match (self.algorithm, self.library) {
            (Some(algorithm), None) => {
                KeyError::unless(self.radix >= 2, "radix", || "a radix must be at least 2")?;
                KeyError::unless(self.fanout >= 1, "fanout", || "there must be at least one chain")?;
                Ok(algorithm)
            }
            (None, Some(library)) => {
                self.leaves_to(library)?;
                Ok(library.choose(self.operation, ranks, size).algorithm.into())
            }
            (Some(_), Some(_)) => {
                Err(KeyError::new("library", "the `algorithm` is named, so no library can choose it"))
            }
            (None, None) => Err(KeyError::new("algorithm", "name an `algorithm`, or a `library` that chooses one")),
        }
    }

    /// Whether it takes more than `most` messages among so many ranks. What can't be planned takes none.
    #[must_use]
    pub fn has_more_messages(&self, ranks: u64, most: u64) -> bool {
        // Every rank but one receives something.
        let Some(ranks) = u32::try_from(ranks).ok().filter(|&ranks| u64::from(ranks) <= most.saturating_add(1)) else {
            return true;
        };
        let planned = || {
            let size = size_of(self.operation, self.size).ok()?;
            let algorithm = self.choice(ranks, size).ok()?;
            algorithm.top.steps(&self.parameters(Collective::new(self.operation, ranks, size))).ok()
        };
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let is_send = |step: &Step| matches!(step, Step::Send { .. });
        planned().is_some_and(|plan| plan.steps().filter(is_send).nth(most).is_some())
    }

    /// The parameters that the named algorithms do not look at: another value makes the same plan of an example.
    pub(super) fn unused_parameters(&self) -> Vec<&'static str> {
        let Some(Choice { top, inside }) = self.algorithm else { return Vec::new() };
        let parts = self.operation.up_and_down().into_iter().flatten();
        let inside = inside.into_iter().flat_map(|inside| parts.clone().map(move |part| (part, inside)));
        let planned: Vec<(Operation, Algorithm)> = inside.chain([(self.operation, top)]).collect();
        let is_unused = |change: Change| {
            let is_same = |&(operation, algorithm): &(Operation, Algorithm)| {
                let example = Collective::new(operation, EXAMPLE.0, EXAMPLE.1);
                algorithm.plan(&example) == algorithm.plan(&change(example))
            };
            planned.iter().all(is_same)
        };
        CHANGES.into_iter().filter(|(_, change)| is_unused(*change)).map(|(key, _)| key).collect()
    }

    /// Refuses parameters of an algorithm that a library chooses, with its parameters, by itself.
    fn leaves_to(&self, library: Library) -> Result<(), KeyError> {
        let given = [
            ("segment", self.segment != usual_segment()),
            ("radix", self.radix != usual_radix()),
            ("fanout", self.fanout != usual_fanout()),
            ("window", self.window != 0),
        ];
        match given.iter().find(|(_, is_given)| *is_given) {
            None => Ok(()),
            Some((key, _)) => {
                let message = format!("{} chooses it: name an `algorithm` instead of the `library`", library.name());
                Err(KeyError { key: (*key).to_owned(), message })
            }
        }
    }

    /// The operation with the parameters that are given, or that the library chooses.
    pub(super) fn parameters<'c>(&self, call: Collective<'c>) -> Collective<'c> {
        if let Some(library) = self.library {
            return library.choose(call.operation, call.ranks, call.size).of(&call);
        }
        let Self { radix, fanout, window, .. } = *self;
        Collective { segment: self.segment.count(), radix, fanout, window, ..call }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What cuts looks at `segment`; the docs of the other keys name their algorithms.
    #[test]
    fn parameters_and_their_algorithms() {
        let planned = |operation: Operation, algorithm: &Algorithm| {
            let keys = format!("operation = '{}'\nalgorithm = '{algorithm}'\nsize = '1MiB'", operation.name());
            let unused = toml::from_str::<CollectiveParameters>(&keys).unwrap().unused_parameters();
            let used: Vec<_> = CHANGES.iter().map(|(key, _)| *key).filter(|key| !unused.contains(key)).collect();
            (used, algorithm.cuts(), algorithm.name())
        };
        let all = Operation::ALL.iter();
        let all = all.flat_map(|operation| operation.algorithms().map(|algorithm| planned(*operation, &algorithm)));
        for (used, cuts, name) in all {
            // Who gathers one by one asks for a first segment, and then for the rest (`coll_base_gather.c`).
            let takes_segments = cuts || (used.contains(&"segment") && name == "linear_synchronised");
            assert_eq!(used.contains(&"segment"), takes_segments, "{name}");
            assert!(!used.contains(&"radix") || ["k_nomial", "k_bruck"].contains(&name), "{name}");
            assert!(!used.contains(&"fanout") || ["chain", "pipeline"].contains(&name), "{name}");
            assert!(!used.contains(&"window") || name == "linear_synchronised", "{name}");
        }
    }
}
