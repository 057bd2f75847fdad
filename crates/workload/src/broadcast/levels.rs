//! What a broadcast on all levels does: a stage for each unit of the platform.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::{
    BroadcastParameters, Chosen, Intracluster, KeyError, PreparedBroadcast, Stage, convention, grid, is_exact, lengths,
};
use crate::communication::Unit;
use hetsim_base::units::Time;
use hetsim_cluster::{NodeId, Platform};
use hetsim_communication::Plan;
use hetsim_communication::Segments;
use hetsim_communication::intercluster::Heuristic;
use hetsim_communication::tree::Tree;

/// Decides a broadcast on all levels.
struct Planner<'a> {
    parameters: &'a BroadcastParameters,
    platform: &'a Platform,
    heuristic: Heuristic,
    inside: Intracluster,
    root: NodeId,
    /// Groups of a level are alike: by cluster, depth, and number of parts.
    chosen: BTreeMap<(usize, usize, usize), Chosen>,
    /// Whether a unit's time is that of its stage and then that of its slowest part.
    adds_up: bool,
}

impl BroadcastParameters {
    /// A broadcast whose heuristic works between sites and between the clusters of each, and whose algorithm on every
    /// level inside a cluster.
    pub(super) fn prepare_levels(
        &self,
        (heuristic, inside): (Heuristic, Intracluster),
        root: NodeId,
        platform: &Platform,
    ) -> Result<PreparedBroadcast, KeyError> {
        let (chosen, adds_up) = (BTreeMap::new(), true);
        let mut planner = Planner { parameters: self, platform, heuristic, inside, root, chosen, adds_up };
        let mut stages = Vec::new();
        let completion = planner.plan(&Unit::whole(platform), &mut stages)?;
        let chosen = planner.chosen.values().filter(|chosen| chosen.plan.ranks() > 1);
        let exact = planner.adds_up && is_exact(chosen.clone().map(|chosen| &chosen.plan), platform, self.size);
        Ok(PreparedBroadcast {
            predicted: exact.then_some(completion),
            inside: chosen.map(|chosen| (chosen.algorithm, chosen.segment)).collect(),
            stages,
            fitted_s: None,
        })
    }
}

impl Planner<'_> {
    /// Adds the stages of a unit, outermost first, and gives how long the message takes from its coordinator to all of
    /// it.
    fn plan(&mut self, unit: &Unit, stages: &mut Vec<Stage>) -> Result<Time, KeyError> {
        let mut parts = unit.parts(self.platform);
        let own = unit.coordinator(self.root, self.platform);
        let mut members: Vec<NodeId> = match unit {
            Unit::Nodes { nodes, .. } if parts.is_empty() => nodes.clone().map(NodeId).collect(),
            Unit::Clusters { .. } | Unit::Nodes { .. } => {
                parts.iter().map(|part| part.coordinator(self.root, self.platform)).collect()
            }
        };
        let first = members.iter().position(|&member| member == own).unwrap_or(0);
        members.rotate_left(first);
        if !parts.is_empty() {
            parts.rotate_left(first);
        }
        // A stage stands before those inside, whose times its schedule needs.
        let mut inner = Vec::new();
        let times = parts.iter().map(|part| self.plan(part, &mut inner)).collect::<Result<Vec<Time>, _>>()?;
        let longest = times.iter().copied().max().unwrap_or(Time::ZERO);
        let completion = if members.len() == 1 {
            longest
        } else {
            let (plan, completion) = match unit {
                Unit::Clusters { .. } => self.schedule(&members, times)?,
                Unit::Nodes { group, depth, .. } => {
                    let (plan, own) = self.choose((*group, *depth), &members, longest > Time::ZERO)?;
                    (plan, own + longest)
                }
            };
            stages.push(Stage { members, plan });
            completion
        };
        stages.append(&mut inner);
        Ok(completion)
    }

    /// A schedule between sites or clusters.
    fn schedule(&self, members: &[NodeId], times: Vec<Time>) -> Result<(Plan, Time), KeyError> {
        let size = self.parameters.size;
        let gap_and_latency = |from: usize, to: usize| lengths(self.platform, members[from], members[to], size);
        let grid = grid(members.len(), gap_and_latency, times, 0)?;
        let convention = convention(self.platform);
        let schedule = self.heuristic.schedule(&grid, convention);
        let tree = Tree::Explicit(schedule.tree().clone());
        let plan = Plan::Forward { tree, segments: Segments::whole(size.count()) };
        Ok((plan, schedule.completion(&grid, convention)))
    }

    /// The algorithm among the parts of a group, and when it ends.
    fn choose(
        &mut self,
        (group, depth): (usize, usize),
        members: &[NodeId],
        goes_on: bool,
    ) -> Result<(Plan, Time), KeyError> {
        let key = (group, depth, members.len());
        let (parameters, platform, inside) = (self.parameters, self.platform, self.inside);
        let chosen = match self.chosen.entry(key) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(free) => free.insert(parameters.choose(inside, 0, members, platform)?),
        };
        if goes_on {
            // What a rank has still to send when it has the message must be over before the last rank has it.
            let over = |bytes: u64| {
                let transfer = platform.transfer(members[0], members[1], bytes);
                transfer.gap() <= transfer.hop()
            };
            self.adds_up &= match &chosen.plan {
                Plan::Forward { segments, .. } => over(segments.full()) && over(segments.last()),
                Plan::SplitBinary(_) | Plan::Steps(_) => false,
            };
        }
        Ok((chosen.plan.clone(), chosen.completion))
    }
}
