//! What the phases of a scenario become: each phase once, and the order in which all ranks go through them.

use rand_distr::LogNormal;

use super::groups::named_groups;
use super::{CollectivePhase, PhaseKeys, PhasesParameters};
use crate::KeyError;
use crate::call::KernelCall;
use crate::collective::{CollectiveParameters, size_of};
use crate::communication::RankGroups;
use crate::fitted;
use hetsim_base::units::{Quantity, Time};
use hetsim_cluster::{NodeId, Platform};
use hetsim_communication::steps::{Grid, StepPlan};

/// What a rank computes in a phase.
#[derive(Debug, Clone, PartialEq)]
pub enum PhaseWork {
    /// So many operations.
    Operations(f64),
    /// Calls of a kernel of the platform.
    Call(KernelCall),
}

/// A phase.
#[derive(Debug, Clone)]
pub enum Phase {
    /// Every rank computes.
    Compute {
        /// What it is called in tables.
        name: String,
        /// What each computes, in the mean.
        work: PhaseWork,
        /// The factor by which it differs from rank to rank and from time to time; none where it doesn't.
        spread: Option<LogNormal<f64>>,
    },
    /// All ranks wait for the last of them, and go on together after a while.
    Timed {
        /// What it is called in tables.
        name: String,
        /// How long it takes from when the last rank has come.
        length: Time,
    },
    /// Ranks exchange messages.
    Exchange {
        /// What it is called in tables.
        name: String,
        /// By group: who sends what to whom, ranks being counted from the group's root.
        plans: Vec<StepPlan>,
        /// Who takes part with whom.
        groups: RankGroups,
    },
}

impl Phase {
    /// What it is called in tables.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Compute { name, .. } | Self::Timed { name, .. } | Self::Exchange { name, .. } => name,
        }
    }
}

/// All phases, and their order.
#[derive(Debug, Clone, Default)]
pub struct Schedule {
    phases: Vec<Phase>,
    order: Vec<u32>,
    /// By phase: how often it is gone through.
    times: Vec<usize>,
}

/// As often phases are gone through at most, repetitions counted.
const LONGEST: usize = 4_000_000;

impl Schedule {
    /// Reads the phases.
    ///
    /// # Errors
    /// The key that is wrong, and why.
    pub fn new(parameters: &PhasesParameters, platform: &Platform) -> Result<Self, KeyError> {
        let mut schedule = Self::default();
        schedule.order =
            schedule.read(&parameters.phase, parameters, platform).map_err(|error| error.under("phase"))?;
        if schedule.order.is_empty() {
            return Err(problem("phase", "there is nothing to do: give at least one phase"));
        }
        schedule.times = vec![0; schedule.phases.len()];
        for &phase in &schedule.order {
            schedule.times[phase as usize] += 1;
        }
        Ok(schedule)
    }

    /// What the rank on a node computes in all phases together, in the mean, in operations of its speed.
    #[must_use]
    pub fn operations_on(&self, node: NodeId, platform: &Platform) -> f64 {
        let of = |phase: &Phase| match phase {
            Phase::Compute { work: PhaseWork::Operations(operations), .. } => *operations,
            Phase::Compute { work: PhaseWork::Call(call), .. } => {
                let mean_s = platform.kernel(&call.kernel).map_or(0.0, |kernel| call.mean_s(kernel, node, 1.0));
                mean_s * platform.speed_per_second(node)
            }
            Phase::Timed { .. } | Phase::Exchange { .. } => 0.0,
        };
        self.phases.iter().zip(&self.times).map(|(phase, &times)| of(phase) * times as f64).sum()
    }

    /// The phases, each once, in the order in which they stand in the scenario.
    #[must_use]
    pub fn phases(&self) -> &[Phase] {
        &self.phases
    }

    /// The number of the phase after so many others; none at the end.
    #[must_use]
    pub fn at(&self, passed: u32) -> Option<u32> {
        self.order.get(passed as usize).copied()
    }

    /// How often a phase is gone through.
    #[must_use]
    pub fn times(&self, phase: usize) -> usize {
        self.times[phase]
    }

    fn read(&mut self, list: &[PhaseKeys], all: &PhasesParameters, platform: &Platform) -> Result<Vec<u32>, KeyError> {
        let mut order = Vec::new();
        for (place, keys) in list.iter().enumerate() {
            let here = self.read_one(keys, all, platform).map_err(|error| error.under(&place.to_string()))?;
            if order.len() + here.len() > LONGEST {
                return Err(too_long().under(&place.to_string()));
            }
            order.extend(here);
        }
        Ok(order)
    }

    /// A phase with exactly one of the keys that say what it does.
    fn read_one(
        &mut self,
        keys: &PhaseKeys,
        all: &PhasesParameters,
        platform: &Platform,
    ) -> Result<Vec<u32>, KeyError> {
        let given = [
            ("compute", keys.compute.is_some()),
            ("call", keys.call.is_some()),
            ("halo", keys.halo.is_some()),
            ("collective", keys.collective.is_some()),
            ("repeat", keys.repeat.is_some()),
        ];
        let mut given = given.iter().filter(|(_, given)| *given).map(|(key, _)| *key);
        let what = given.next().ok_or_else(|| problem("name", WHAT))?;
        if let Some(other) = given.next() {
            return Err(problem(other, &format!("this phase has a `{what}` already: {WHAT}")));
        }
        let phases_without_repeat = !keys.phase.is_empty() && keys.repeat.is_none();
        if phases_without_repeat {
            return Err(problem("phase", "only a `repeat` has phases of its own"));
        }
        if keys.imbalance.is_some() && keys.compute.is_none() && keys.call.is_none() {
            return Err(problem("imbalance", "only a `compute` or a `call` has an imbalance"));
        }
        if keys.name.is_some() && keys.repeat.is_some() {
            return Err(problem("name", "a `repeat` stands in no table: name the phases within it"));
        }
        if let Some(times) = keys.repeat {
            KeyError::at_least_one(&[("repeat", times)])?;
            let inner = self.read(&keys.phase, all, platform).map_err(|error| error.under("phase"))?;
            if inner.is_empty() {
                return Err(problem(
                    "repeat",
                    "there is nothing to repeat: give the phases as [[workload.phase.phase]]",
                ));
            }
            if inner.len().saturating_mul(times as usize) > LONGEST {
                return Err(too_long());
            }
            return Ok(inner.repeat(times as usize));
        }
        let named = |usual: String| keys.name.clone().unwrap_or(usual);
        let work = match (&keys.compute, &keys.call) {
            (Some(operations), _) => Some((PhaseWork::Operations(operations.base()), "compute")),
            (None, Some(call)) => {
                call.check(platform).map_err(|error| error.under("call"))?;
                Some((PhaseWork::Call(call.clone()), call.kernel.as_str()))
            }
            (None, None) => None,
        };
        let phase = match (work, &keys.halo, &keys.collective) {
            (Some((work, usual)), _, _) => compute(named(usual.to_owned()), work, keys.imbalance)?,
            (_, Some(_), _) if all.grid.is_empty() => return Err(problem("halo", "`halo` needs the key `grid`")),
            (_, Some(face), _) => {
                let grid = Grid::new(&all.grid, all.periodic, platform.nodes());
                let grid = grid.map_err(|error| problem("halo", &format!("{error} (the key `grid`)")))?;
                Phase::Exchange {
                    name: named("halo".to_owned()),
                    plans: vec![StepPlan::exchange(grid, face.count())],
                    groups: RankGroups::All { ranks: platform.nodes(), root: 0 },
                }
            }
            (_, _, Some(collective @ CollectivePhase { fitted: Some(_), .. })) => {
                let length = timed(collective, platform).map_err(|error| error.under("collective"))?;
                Phase::Timed { name: named(collective.operation.to_string()), length }
            }
            (_, _, Some(collective)) => {
                let (plans, groups) = plans(collective, all, platform).map_err(|error| error.under("collective"))?;
                Phase::Exchange { name: named(collective.operation.to_string()), plans, groups }
            }
            _ => return Err(problem("name", WHAT)),
        };
        self.phases.push(phase);
        Ok(vec![self.phases.len() as u32 - 1])
    }
}

const WHAT: &str = "a phase has one of the keys `compute`, `call`, `halo`, `collective` and `repeat`";

fn problem(key: &str, message: &str) -> KeyError {
    KeyError { key: key.to_owned(), message: message.to_owned() }
}

fn too_long() -> KeyError {
    problem("repeat", &format!("phases are gone through more than {LONGEST} times"))
}

/// A log-normal factor of mean 1 whose standard deviation is the imbalance.
fn compute(name: String, work: PhaseWork, imbalance: Option<f64>) -> Result<Phase, KeyError> {
    let imbalance = imbalance.unwrap_or(0.0);
    let refused = || problem("imbalance", "an imbalance is a number of zero or more, and finite");
    if !(imbalance >= 0.0 && imbalance.is_finite()) {
        return Err(refused());
    }
    let variance = (imbalance * imbalance).ln_1p();
    let spread = LogNormal::new(-variance / 2.0, variance.sqrt()).map_err(|_| refused())?;
    Ok(Phase::Compute { name, work, spread: (imbalance > 0.0).then_some(spread) })
}

/// The time of a collective by a formula.
fn timed(phase: &CollectivePhase, platform: &Platform) -> Result<Time, KeyError> {
    let chosen = [("algorithm", phase.algorithm.is_some()), ("library", phase.library.is_some())];
    if let Some((key, _)) = chosen.iter().find(|(_, is_given)| *is_given) {
        return Err(problem(key, "the time is the formula's (`fitted`), so no algorithm is carried out"));
    }
    if phase.among.is_some() {
        return Err(problem("among", "the time is the formula's (`fitted`), which is for all ranks"));
    }
    if phase.root != 0 {
        return Err(problem("root", "the time is the formula's (`fitted`), whatever the root"));
    }
    let size = size_of(phase.operation, phase.size)?;
    let seconds = fitted::seconds_of(phase.fitted.as_ref(), platform.nodes(), size)?.unwrap_or_default();
    Ok(platform.tick().time(seconds))
}

/// A collective operation by messages: the plan of each group.
fn plans(
    phase: &CollectivePhase,
    all: &PhasesParameters,
    platform: &Platform,
) -> Result<(Vec<StepPlan>, RankGroups), KeyError> {
    let CollectivePhase { operation, algorithm, library, levels, segment, radix, fanout, window, size, root, .. } =
        *phase;
    let placement = all.placement;
    let usual = || if library.is_none() { Some(operation.usual_algorithm().into()) } else { None };
    let alone = CollectiveParameters {
        algorithm: algorithm.or_else(usual),
        library,
        levels,
        segment,
        radix,
        fanout,
        window,
        size,
        root,
        placement,
        ..CollectiveParameters::usual(operation)
    };
    let Some(name) = &phase.among else {
        let plan = alone.steps(&placement.ranks(root, platform)?, &[], platform)?;
        return Ok((vec![plan], RankGroups::All { ranks: platform.nodes(), root }));
    };
    let lists = named_groups(name, &all.grid, &all.groups, platform.nodes())?;
    let groups =
        RankGroups::apart(&lists, root, platform.nodes()).map_err(|message| KeyError::new("among", message))?;
    let nodes = placement.nodes(platform);
    let plan = |group| {
        let members: Vec<NodeId> = groups.members(group).map(|rank| nodes[rank as usize]).collect();
        alone.steps(&members, &[], platform)
    };
    let plans = (0..groups.count()).map(plan).collect::<Result<_, _>>()?;
    Ok((plans, groups))
}
