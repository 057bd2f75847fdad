//! The questions that a request is made of.

use std::sync::Arc;

use super::Watcher;
use super::machine::Machine;
use super::request::CollectiveRequest;
use crate::cluster::Platform;
use crate::communication::Operation;
use crate::failure::{Failure, bad_input};
use crate::report::advise::{Choice, Uncertainty};
use crate::scenario::{CalibrationSpec, Scenario};
use crate::workload::advise::Call;

/// A question: an operation, a number of ranks and a size, with the part of the platform that these ranks use.
pub(super) struct Question<'m> {
    pub(super) machine: &'m Machine,
    pub(super) call: Call,
    pub(super) ranks: u32,
    /// The platform of these ranks, of each replica.
    pub(super) part: Arc<[Platform]>,
}

impl Question<'_> {
    /// In which respects it lies outside of what the platform was calibrated by.
    pub(super) fn beyond(&self, calibration: &CalibrationSpec) -> Vec<String> {
        let has_levels = self.part.iter().any(Platform::is_nested);
        let on_each = self.machine.ranks_per_node.or_else(|| (!has_levels).then_some(1));
        let bytes = (self.call.operation != Operation::Barrier).then_some(self.call.size);
        calibration.beyond(self.ranks, on_each, bytes)
    }

    /// The choice before any candidate is tried.
    pub(super) fn open(&self, error: &Uncertainty) -> Choice {
        let Call { operation, size, benchmark, .. } = self.call;
        Choice {
            operation,
            ranks: self.ranks,
            ranks_per_node: self.machine.ranks_per_node,
            has_shared_nodes: self.machine.has_shared_nodes,
            bytes: size,
            benchmark,
            timed: Vec::new(),
            error: error.of(operation),
            own: Vec::new(),
            scale: None,
        }
    }
}

/// All questions, by ranks on a node, operation, ranks and size.
pub(super) fn questions<'m>(
    scenario: &Scenario,
    request: &CollectiveRequest,
    machines: &'m [Machine],
    watcher: &dyn Watcher,
) -> Result<Vec<Question<'m>>, Failure> {
    check_ranks(request, machines)?;
    let mut questions = Vec::new();
    for machine in machines {
        // What is compared with measurements, has a known error, or costs of memory, is simulated as it is measured.
        let has_memory = |platform: &Platform| platform.memory().is_charged() && platform.clusters().len() == 1;
        let has_memory = machine.drawn.iter().any(has_memory);
        let benchmark = !request.measured.is_empty() || request.error.is_some() || has_memory;
        let (mut parts, mut left_out) = (Vec::new(), Vec::new());
        for ranks in machine.ranks(&request.ranks) {
            match machine.part(scenario, request, ranks) {
                Ok(part) => parts.push((ranks, part)),
                Err(Failure::Input(_)) if request.ranks.is_empty() => left_out.push(ranks.to_string()),
                Err(failure) => return Err(failure),
            }
        }
        if !left_out.is_empty() {
            let ranks = left_out.join(", ");
            watcher.hear(&format!(
                "note: left out: {ranks} ranks, which leave a cluster empty, or which `map_by` deals over one"
            ));
        }
        for &operation in &request.operations {
            let sizes = if operation == Operation::Barrier { &[0] } else { request.sizes.as_slice() };
            for (ranks, part) in &parts {
                questions.extend(sizes.iter().map(|&size| {
                    let (placement, reduction) = (request.placement, request.reduction);
                    let call = Call { operation, size, placement, reduction, benchmark };
                    Question { machine, call, ranks: *ranks, part: Arc::clone(part) }
                }));
            }
        }
    }
    Ok(questions)
}

/// Refuses numbers of ranks that no machine can have.
fn check_ranks(request: &CollectiveRequest, machines: &[Machine]) -> Result<(), Failure> {
    let most = machines.iter().map(Machine::nodes).max().unwrap_or(0);
    if most < 2 {
        return Err(bad_input("the platform has one node: there is nothing to choose"));
    }
    let Some(wrong) = request.ranks.iter().find(|&&ranks| !machines.iter().any(|machine| machine.takes(ranks))) else {
        return Ok(());
    };
    Err(bad_input(if (2..=most).contains(wrong) {
        format!("{wrong} ranks: no nodes with the asked number of ranks on each have so many")
    } else {
        let places = if request.ranks_per_node.is_empty() { "nodes" } else { "places for ranks" };
        format!("{wrong} ranks: the platform has {most} {places}, and at least 2 ranks are needed")
    }))
}
