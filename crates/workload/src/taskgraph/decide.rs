//! Schedulers and mappings, and the plans that they make before the run.

use web_time::Instant;

use super::dynamic::Dynamic;
use super::instance::Instance;
use super::method::TaskScheduler;
use super::plan::{by_mapping, by_scheduler};
use super::{KeyError, TaskgraphParameters};
use crate::RunFailure;
use hetsim_base::engine::Streams;
use hetsim_base::record::Value;
use hetsim_schedule::mapping::{self, MappingError, Objective, Problem, Search, Step};
use hetsim_schedule::{Schedule, Scheduler};

/// Who decides.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Decider {
    /// The scenario itself.
    Mapping(Vec<u32>),
    /// A rule.
    Scheduler(Scheduler),
    /// A search for a mapping.
    Search(mapping::Method),
    /// The run.
    Dynamic(Dynamic),
}

/// A schedule, and what is known of it.
#[derive(Debug)]
pub(super) struct Decision {
    /// The schedule.
    pub schedule: Schedule,
    /// How its mapping is judged.
    pub judgement: Judgement,
    /// How long it took to make, on the clock.
    pub made_s: f64,
}

/// How a mapping is judged by an objective; without one, nothing is known.
#[derive(Debug, Default)]
pub(super) struct Judgement {
    pub(super) value: Option<f64>,
    pub(super) bound: Option<f64>,
    pub(super) gap: Option<f64>,
    pub(super) proved: Option<bool>,
    pub(super) evaluations: Option<u64>,
    history: Vec<Step>,
}

impl TaskgraphParameters {
    /// Who decides, by the keys.
    pub(super) fn decider(&self) -> Result<Decider, KeyError> {
        let problem = |key: &str, message: &str| Err(KeyError::new(key, message));
        let decider = match (self.scheduler, &self.mapping) {
            (None, None) => return problem("kind", "say who decides where tasks run: `scheduler` or `mapping`"),
            (Some(_), Some(_)) => return problem("mapping", "a mapping leaves no choice to a `scheduler`"),
            (None, Some(mapping)) => Decider::Mapping(mapping.clone()),
            (Some(TaskScheduler::Static(scheduler)), None) => Decider::Scheduler(scheduler),
            (Some(TaskScheduler::Search(search)), None) => Decider::Search(self.search(search)),
            (Some(TaskScheduler::Dynamic(dynamic)), None) => Decider::Dynamic(dynamic),
        };
        if self.insertion.is_some() && !matches!(decider, Decider::Scheduler(_)) {
            return problem("insertion", "only a list scheduler has gaps to fill");
        }
        if let Some(balance) = self.balance {
            if self.objective.is_none() {
                return problem("balance", "`balance` is a weight in `objective = \"cut\"`");
            }
            if !(balance.is_finite() && balance >= 0.0) {
                return problem("balance", "`balance` must be 0 or more, and finite");
            }
        }
        // Every table is checked, whichever scheduler this point has: another point has another.
        for search in self.searches() {
            if let Decider::Mapping(_) = decider {
                return problem(search.name(), "a `mapping` leaves nothing to search for");
            }
            if let Err(MappingError::Parameter { key, message }) = search.check() {
                return problem(&format!("{}.{key}", search.name()), &format!("`{key}` {message}"));
            }
        }
        Ok(decider)
    }

    /// A search with its table's parameters.
    fn search(&self, search: Search) -> mapping::Method {
        match search {
            Search::Annealing => mapping::Method::Annealing(self.annealing.clone().unwrap_or_default()),
            Search::Genetic => mapping::Method::Genetic(self.genetic.clone().unwrap_or_default()),
            Search::Neural => mapping::Method::Neural(self.neural.clone().unwrap_or_default()),
            Search::NeuralPrinted => mapping::Method::NeuralPrinted,
            Search::Exact => mapping::Method::Exact(self.exact.clone().unwrap_or_default()),
        }
    }

    /// The searches whose tables are given.
    fn searches(&self) -> impl Iterator<Item = mapping::Method> {
        let annealing = self.annealing.clone().map(mapping::Method::Annealing);
        let genetic = self.genetic.clone().map(mapping::Method::Genetic);
        let neural = self.neural.clone().map(mapping::Method::Neural);
        let exact = self.exact.clone().map(mapping::Method::Exact);
        [annealing, genetic, neural, exact].into_iter().flatten()
    }

    /// The keys of what this graph and its scheduler are not.
    pub(super) fn of_others(&self) -> Vec<&'static str> {
        let is_by = |scheduler| self.scheduler == Some(scheduler);
        let searches = [
            ("annealing", Search::Annealing),
            ("genetic", Search::Genetic),
            ("neural", Search::Neural),
            ("exact", Search::Exact),
        ];
        let searches = searches.map(|(key, search)| (key, is_by(TaskScheduler::Search(search))));
        let are_several = self.arrivals.is_some() || self.graph.as_ref().is_some_and(|graph| graph.jobs().count() > 1);
        let signals = is_by(TaskScheduler::Dynamic(Dynamic::WorkStealing));
        let others = [("job_order", are_several), ("signal_size", signals)];
        searches.into_iter().chain(others).filter(|(_, plays)| !plays).map(|(key, _)| key).collect()
    }
}

impl Decider {
    /// Whether all replicas of one graph and platform get the same schedule.
    pub(super) fn is_steady(&self) -> bool {
        match self {
            Self::Mapping(_) => true,
            Self::Scheduler(scheduler) => !scheduler.draws(),
            Self::Search(search) => !search.draws(),
            Self::Dynamic(_) => false,
        }
    }

    /// The schedule of a run; nothing where it comes of the run itself.
    pub(super) fn decide(
        &self,
        parameters: &TaskgraphParameters,
        instance: &Instance<'_>,
        streams: Streams,
    ) -> Result<Option<Decision>, RunFailure> {
        let started = Instant::now();
        let schedule = match self {
            Self::Mapping(mapping) => by_mapping(instance, mapping)?,
            Self::Scheduler(scheduler) => by_scheduler(instance, *scheduler, parameters.insertion, streams)?,
            Self::Search(search) => return look(search, parameters, instance, streams).map(Some),
            Self::Dynamic(_) => return Ok(None),
        };
        let made_s = started.elapsed().as_secs_f64();
        // The value is no part of making the schedule.
        let judgement = match parameters.objective {
            Some(objective) => {
                let costs = instance.costs()?;
                let value = parameters.problem(instance, &costs, objective)?.value(schedule.mapping());
                Judgement { value: Some(value), ..Judgement::default() }
            }
            None => Judgement::default(),
        };
        Ok(Some(Decision { schedule, judgement, made_s }))
    }
}

impl TaskgraphParameters {
    fn problem<'a>(
        &self,
        instance: &Instance<'a>,
        costs: &'a hetsim_schedule::Costs,
        objective: Objective,
    ) -> Result<Problem<'a>, RunFailure> {
        let problem = Problem::new(instance.graph, costs, instance.platform.tick(), objective);
        let problem = problem.map_err(|error| error.to_string())?;
        match self.balance {
            Some(balance) => problem.with_balance(balance).map_err(RunFailure::of),
            None => Ok(problem),
        }
    }
}

/// Searches for a mapping.
fn look(
    search: &mapping::Method,
    parameters: &TaskgraphParameters,
    instance: &Instance<'_>,
    streams: Streams,
) -> Result<Decision, RunFailure> {
    let started = Instant::now();
    let costs = instance.costs()?;
    let problem = parameters.problem(instance, &costs, parameters.objective.unwrap_or_default())?;
    let given = match search.scheduler() {
        Some(scheduler) => Some(by_scheduler(instance, scheduler, None, streams)?),
        None => None,
    };
    let given = given.as_ref().map(Schedule::mapping);
    let outcome =
        search.solve(&problem, given, &mut streams.stream("mapping", 0)).map_err(|error| error.to_string())?;
    let judgement = Judgement {
        value: Some(outcome.value),
        bound: outcome.bound,
        gap: outcome.gap(),
        proved: outcome.bound.map(|_| outcome.is_proved()),
        evaluations: Some(outcome.evaluations),
        history: outcome.history,
    };
    Ok(Decision { schedule: outcome.schedule, judgement, made_s: started.elapsed().as_secs_f64() })
}

impl Judgement {
    /// The rows of `search`.
    pub(super) fn rows(&self) -> Vec<Vec<Value>> {
        let row = |step: &Step| -> Vec<Value> {
            let temperature = step.temperature.into();
            vec![step.number.into(), step.evaluations.into(), temperature, step.current.into(), step.best.into()]
        };
        self.history.iter().map(row).collect()
    }
}
