//! The platform on which advice is asked, with as many ranks on each of its nodes as are asked.

use std::ops::Range;
use std::sync::Arc;

use super::Watcher;
use super::request::CollectiveRequest;
use crate::cluster::Platform;
use crate::engine::Streams;
use crate::failure::{Failure, bad_input};
use crate::scenario::{PlatformTree, Scenario};

/// A platform on which advice is asked.
pub(super) struct Machine {
    pub(super) seed: u64,
    /// How many ranks are on each of its nodes, if that was asked; each of them is a node of hetsim.
    pub(super) ranks_per_node: Option<u32>,
    /// Whether some of them has several ranks, asked or not.
    pub(super) has_shared_nodes: bool,
    /// The platform of each replica.
    pub(super) drawn: Vec<Platform>,
}

impl Machine {
    /// A machine for each number of ranks on a node.
    pub(super) fn all(
        scenario: &Scenario,
        request: &CollectiveRequest,
        watcher: &dyn Watcher,
    ) -> Result<Vec<Self>, Failure> {
        let swept = scenario.axes.iter().filter(|axis| axis.key.starts_with("platform."));
        for axis in swept {
            watcher.hear(&format!("{} is varied by the sweep; its first value is used", axis.key));
        }
        if scenario.is_uncertain() {
            watcher.hear("[uncertainty] is left out: advice takes the platform as it is written");
        }
        let (seed, replicas) = (scenario.file.seed, 0..request.replicas.get());
        let tree = first_tree(scenario)?;
        let plan = tree.plan()?;
        if request.ranks_per_node.is_empty() {
            let has_shared_nodes = plan.ranks_of_nodes().iter().any(|ranks| ranks.len() > 1);
            let drawn = drawn_of(&tree, seed, replicas)?;
            return Ok(vec![Self { seed, ranks_per_node: None, has_shared_nodes, drawn }]);
        }
        let nodes = plan.whole_nodes().map_err(bad_input)?;
        let mut asked = request.ranks_per_node.clone();
        asked.sort_unstable();
        asked.dedup();
        let machine = |ranks_per_node: u32| {
            let named = |why: String| bad_input(format!("{ranks_per_node} ranks on each node: {why}"));
            let resized = tree.resized(nodes, ranks_per_node).map_err(named)?;
            let drawn = drawn_of(&resized, seed, replicas.clone())?;
            Ok(Self { seed, ranks_per_node: Some(ranks_per_node), has_shared_nodes: ranks_per_node > 1, drawn })
        };
        asked.into_iter().map(|ranks| machine(ranks.get())).collect()
    }

    /// The number of nodes of hetsim.
    pub(super) fn nodes(&self) -> u32 {
        self.drawn.first().map_or(0, Platform::nodes)
    }

    /// Whether so many ranks fill some of its nodes.
    pub(super) fn takes(&self, ranks: u32) -> bool {
        (2..=self.nodes()).contains(&ranks) && ranks.is_multiple_of(self.ranks_per_node.unwrap_or(1))
    }

    /// The numbers of ranks in rising order: the given ones that the machine can have, or those of powers of two and of
    /// all nodes.
    pub(super) fn ranks(&self, given: &[u32]) -> Vec<u32> {
        let (nodes, on_each) = (self.nodes(), self.ranks_per_node.unwrap_or(1));
        let mut ranks = given.to_vec();
        if ranks.is_empty() {
            let first = if on_each > 1 { on_each } else { 2 };
            let doubled = std::iter::successors(Some(first), |ranks| ranks.checked_mul(2));
            ranks.extend(doubled.take_while(|&ranks| ranks < nodes).chain([nodes]));
        }
        ranks.retain(|&ranks| self.takes(ranks));
        ranks.sort_unstable();
        ranks.dedup();
        ranks
    }

    /// The part that so many ranks use, of each replica: whole nodes, if ranks on a node are asked; else where the
    /// platform's mapping places as many.
    pub(super) fn part(
        &self,
        scenario: &Scenario,
        request: &CollectiveRequest,
        ranks: u32,
    ) -> Result<Arc<[Platform]>, Failure> {
        let first = |platform: &Platform| match self.ranks_per_node {
            Some(_) => platform.part(&[ranks]).ok(),
            None => request.placement.first(platform, ranks),
        };
        if let Some(part) = self.drawn.iter().map(first).collect() {
            return Ok(part);
        }
        let plan = scenario.first_plan();
        if plan.is_some_and(|plan| plan.platform().clusters().len() > 1) {
            return Err(bad_input(format!(
                "{ranks} of the nodes do not form a platform: they leave a cluster empty that named links may lead \
                 through, or `map_by` deals them over a cluster; choose another placement, or all nodes"
            )));
        }
        let taken = plan.and_then(|plan| plan.taken_by(ranks)).unwrap_or_default();
        let tree = first_tree(scenario)?.with_ranks(&taken).map_err(bad_input)?;
        Ok(drawn_of(&tree, self.seed, 0..request.replicas.get())?.into())
    }
}

/// The platform's keys, with the first value of what a sweep varies.
fn first_tree(scenario: &Scenario) -> Result<PlatformTree, Failure> {
    scenario.first_platform_tree().ok_or_else(|| bad_input("there is no platform"))
}

/// The platform of each replica.
fn drawn_of(tree: &PlatformTree, seed: u64, replicas: Range<u32>) -> Result<Vec<Platform>, Failure> {
    let plan = tree.plan()?;
    let drawn = |replica: u32| {
        let drawn = plan.drawn(&Streams::new(seed, u64::from(replica))).map_err(bad_input)?;
        Ok(drawn.unwrap_or_else(|| plan.platform().clone()))
    };
    replicas.map(drawn).collect()
}
