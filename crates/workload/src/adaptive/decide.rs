//! From measurements to a broadcast: both levels of adaptation.

use super::AdaptiveParameters;
use crate::broadcast::{self, Clusters};
use crate::communication::Communication;
use hetsim_adapt::{Cache, Candidate, Cluster, Composed, CostCurve, Model, compose};
use hetsim_base::units::{Tick, Time};
use hetsim_cluster::{Platform, Ports};
use hetsim_communication::intercluster::{Grid, IntraclusterStart, Matrix, Optimum, exact};
use hetsim_communication::{Algorithm, Collective, Cost, Plan};

/// Up to so many clusters the optimum is searched for.
const EXACT_UP_TO: u32 = 8;
/// The steps of that search.
const STEPS: u64 = 10_000_000;

/// What is done inside a cluster.
#[derive(Debug, Clone)]
pub(super) struct Chosen {
    pub(super) candidate: Candidate,
    /// The model that it was chosen by; none where past operations decide.
    pub(super) model: Option<Model>,
    /// How long it takes by that model, or took when it was last used; nothing where it was never.
    pub(super) seconds: Option<f64>,
    plan: Plan,
}

/// What was decided.
#[derive(Debug, Clone)]
pub(super) struct Decision {
    /// By cluster, where it has more than one node.
    pub(super) inside: Vec<Option<Chosen>>,
    pub(super) composed: Composed,
    grid: Grid,
    convention: IntraclusterStart,
}

/// The plan of an algorithm, with costs by a cost_curve where the tree depends on them.
pub(super) fn plan(
    Candidate { algorithm, segment }: Candidate,
    ranks: u32,
    bytes: u64,
    cost_curve: Option<&CostCurve>,
    tick: Tick,
) -> Plan {
    let cost = |bytes: u64| {
        let at = |cost_curve: &CostCurve| Cost {
            gap: tick.time(cost_curve.gap.at(bytes as f64)),
            hop: tick.time(cost_curve.hop.at(bytes as f64)),
        };
        cost_curve.map_or_else(Cost::default, at)
    };
    algorithm.unchecked(&Collective::broadcast(ranks, bytes, segment, &cost))
}

impl AdaptiveParameters {
    /// Poly-adapt-2 in a measured cluster: the fastest algorithm under the models that poly-adapt-1 retains.
    ///
    /// # Errors
    /// Where no model can be used.
    pub(super) fn by_model(&self, cluster: &Cluster, ranks: u32, name: &str, tick: Tick) -> Result<Chosen, String> {
        let bytes = self.size.count();
        let choice = cluster.fastest(bytes, self.weight, self.selection).ok_or_else(|| {
            let reasons: Vec<String> = cluster.refusals().iter().map(ToString::to_string).collect();
            format!("no model can be used in cluster {name}: {}", reasons.join("; "))
        })?;
        let candidate = Candidate { algorithm: choice.algorithm, segment: choice.segment };
        let cost_curve =
            cluster.cost_curves().find(|(model, _)| *model == choice.model).map(|(_, cost_curve)| cost_curve);
        let plan = plan(candidate, ranks, bytes, cost_curve, tick);
        Ok(Chosen { candidate, model: Some(choice.model), seconds: Some(choice.predicted), plan })
    }

    /// What past operations say of a cluster; nothing where there are no candidates.
    pub(super) fn by_cache(&self, cache: &Cache, ranks: u32, tick: Tick) -> Option<Chosen> {
        let candidate = cache.pick()?;
        let plan = plan(candidate, ranks, self.size.count(), None, tick);
        Some(Chosen { candidate, model: None, seconds: cache.seconds(candidate), plan })
    }

    /// The second hierarchical level: the heuristic between the clusters that ends earliest. A time inside that is not
    /// known counts as none.
    ///
    /// # Errors
    /// Where there is nothing to choose.
    pub(super) fn composed(
        &self,
        platform: &Platform,
        root: usize,
        inside: Vec<Option<Chosen>>,
        (gaps, latencies): &(Matrix<Time>, Matrix<Time>),
    ) -> Result<Decision, String> {
        let seconds = |chosen: &Option<Chosen>| chosen.as_ref().and_then(|chosen| chosen.seconds);
        let times = inside.iter().map(|chosen| seconds(chosen).map_or(Time::ZERO, |s| platform.tick().time(s)));
        let grid = Grid::new(gaps.clone(), latencies.clone(), times.collect(), root as u32);
        let grid = grid.map_err(|error| error.to_string())?;
        let convention = match platform.ports() {
            Ports::Single => IntraclusterStart::AfterSends,
            Ports::PerLevel => IntraclusterStart::Overlapped,
        };
        let composed = compose(&grid, convention, &self.heuristics);
        let composed = composed.ok_or_else(|| "there is no heuristic to choose".to_owned())?;
        Ok(Decision { inside, composed, grid, convention })
    }
}

impl Decision {
    /// When the broadcast is predicted to end; nothing where a time inside is not known.
    pub(super) fn predicted(&self) -> Option<Time> {
        let known = self.inside.iter().flatten().all(|chosen| chosen.seconds.is_some());
        known.then_some(self.composed.end)
    }

    /// The end of the best possible schedule, by the same predictions; `None` where it is not searched for or not
    /// proved.
    pub(super) fn optimum(&self) -> Option<Time> {
        self.predicted()?;
        let found = (self.grid.size() <= EXACT_UP_TO).then(|| exact(&self.grid, self.convention, STEPS));
        found.and_then(|Optimum { completion, proved, .. }| proved.then_some(completion))
    }

    /// How long a cluster's coordinator sends to other clusters before it begins inside.
    pub(super) fn sends_first(&self, cluster: usize) -> Time {
        match self.convention {
            IntraclusterStart::AfterSends => {
                let children = self.composed.schedule.tree().children(cluster as u32);
                children.fold(Time::ZERO, |sum, child| sum + self.grid.gap(cluster as u32, child))
            }
            IntraclusterStart::Overlapped => Time::ZERO,
        }
    }

    /// Whether another decision is to do the same.
    pub(super) fn does_the_same(&self, other: &Self) -> bool {
        let inside = |decision: &Self| -> Vec<Option<Candidate>> {
            decision.inside.iter().map(|chosen| chosen.as_ref().map(|chosen| chosen.candidate)).collect()
        };
        self.composed.schedule.tree() == other.composed.schedule.tree() && inside(self) == inside(other)
    }

    /// The broadcast on two levels.
    pub(super) fn program(&self, bytes: u64, members: &Clusters) -> Communication {
        let plans = self.inside.iter().map(|chosen| {
            let one = Candidate { algorithm: Algorithm::Linear, segment: 0 };
            let alone = || plan(one, 1, bytes, None, Tick::PICOSECOND);
            chosen.as_ref().map_or_else(alone, |chosen| chosen.plan.clone())
        });
        broadcast::program(&members.stages(&self.composed.schedule, bytes, plans.collect()))
    }
}
