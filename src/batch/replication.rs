//! The replicas of each point that count, according to a store.
//!
//! If a scenario gives the number of replicas, all of them count. With a stopping rule, a point goes through fixed
//! prefixes of its replicas (the first 30, 60, 120, … up to the maximum) and is settled at the first prefix that
//! satisfies the rule ([`stopping`](crate::statistics::stopping)). The rule sees a prefix only when the store holds all
//! of it, and nothing beyond it. The number of replicas is therefore a function of the scenario, whatever process
//! computed them, in which order, after how many kills, and whatever else the store holds.
//!
//! Failed runs are a function of the scenario too: a point with a failed run stays at its prefix, with the other runs
//! of that prefix.

use std::collections::{HashMap, HashSet};

use rayon::prelude::*;

use super::store::{Store, StoreError};
use crate::batch::identity::RunId;
use crate::scenario::Scenario;
use crate::statistics::stopping::{Decision, StoppingRule, enough};

/// A run: the number of its point and its replica.
pub type Run = (usize, u32);

/// The replicas that count for each point of a scenario.
#[derive(Debug)]
pub struct Replication<'s> {
    scenario: &'s Scenario,
    /// For each point, the first point with the same runs: usually itself.
    first: Vec<u32>,
    /// The progress of each point that stops by itself; none where the scenario gives the number of replicas.
    stands: Vec<PointState>,
    /// The points with a failed run.
    failed: HashSet<usize>,
}

/// The progress of a point.
#[derive(Debug, Clone)]
struct PointState {
    /// The number of replicas that count so far: the prefix that satisfied the rule, or the next one to check.
    prefix: u32,
    /// Whether the prefix is final.
    settled: bool,
    /// The metric's values in the checked prefixes, until the point is settled.
    values: Vec<Option<f64>>,
}

/// The number of runs that a core reads at a time.
const SHARE: usize = 1 << 11;

/// The maximum number of raw records in memory.
const WAVE: usize = SHARE << 5;

impl<'s> Replication<'s> {
    /// The state without a store.
    #[must_use]
    pub fn new(scenario: &'s Scenario) -> Self {
        let replicas = &scenario.file.replicas;
        let stand = PointState { prefix: replicas.fewest(), settled: false, values: Vec::new() };
        let stands = if replicas.stop_by_themselves() { vec![stand; scenario.points.len()] } else { Vec::new() };
        Self { scenario, first: first_alike(scenario), stands, failed: HashSet::new() }
    }

    /// The state according to a store.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn of(scenario: &'s Scenario, store: &Store<RunId>) -> Result<Self, StoreError> {
        let mut replication = Self::new(scenario);
        replication.look(store, |_| true)?;
        Ok(replication)
    }

    /// The scenario.
    #[must_use]
    pub const fn scenario(&self) -> &'s Scenario {
        self.scenario
    }

    /// The number of replicas of a point that count: all that it needs as far as is known.
    #[must_use]
    pub fn replicas(&self, point: usize) -> u32 {
        let stand = self.stands.get(self.first[point] as usize);
        stand.map_or_else(|| self.scenario.file.replicas.fewest(), |stand| stand.prefix)
    }

    /// All runs that count, in the order of the scenario's results.
    pub fn runs(&self) -> impl Iterator<Item = Run> {
        (0..self.first.len()).flat_map(|point| (0..self.replicas(point)).map(move |replica| (point, replica)))
    }

    /// The runs that count, without those of points that repeat an earlier one.
    pub fn own_runs(&self) -> impl Iterator<Item = Run> {
        self.runs().filter(|&(point, _)| self.first[point] as usize == point)
    }

    /// Whether more runs may be needed once the requested ones have ended.
    #[must_use]
    pub const fn may_grow(&self) -> bool {
        self.scenario.file.replicas.stop_by_themselves()
    }

    /// The missing runs of the points that take part: those of the next prefix to check. Equal points are computed
    /// once; points with a failed run are not repeated.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn missing(
        &mut self,
        store: &Store<RunId>,
        takes_part: impl Fn(usize) -> bool,
    ) -> Result<Vec<Run>, StoreError> {
        self.look(store, &takes_part)?;
        let goes_on = |(point, _): &Run| !self.failed.contains(point);
        let lacks = |&(point, replica): &Run| !store.contains(RunId::of(self.scenario, point, replica));
        Ok(self.own_runs().filter(|run| goes_on(run) && takes_part(run.0) && lacks(run)).collect())
    }

    /// Records failed runs: their points request no further runs.
    pub fn give_up<'a>(&mut self, failed: impl IntoIterator<Item = &'a Run>) {
        self.failed.extend(failed.into_iter().map(|(point, _)| point));
    }

    /// Advances every point as far as the store holds whole prefixes.
    fn look(&mut self, store: &Store<RunId>, takes_part: impl Fn(usize) -> bool) -> Result<(), StoreError> {
        let scenario = self.scenario;
        let Some((metric, rule)) = scenario.file.stopping() else { return Ok(()) };
        loop {
            let waits = |point: &usize| {
                let stand = &self.stands[*point];
                let new = || stand.values.len() as u32..stand.prefix;
                let own = self.first[*point] as usize == *point;
                own && !stand.settled
                    && takes_part(*point)
                    && new().all(|replica| store.contains(RunId::of(scenario, *point, replica)))
            };
            let whole: Vec<usize> = (0..self.stands.len()).filter(waits).collect();
            if whole.is_empty() {
                return Ok(());
            }
            let new = |&point: &usize| {
                let stand = &self.stands[point];
                (stand.values.len() as u32..stand.prefix).map(move |replica| (point, replica))
            };
            let runs: Vec<Run> = whole.iter().flat_map(new).collect();
            for wave in runs.chunks(WAVE) {
                let read: Vec<Vec<Option<f64>>> = wave
                    .par_chunks(SHARE)
                    .map(|share| values(scenario, store, share, metric))
                    .collect::<Result<_, _>>()?;
                for (&(point, _), value) in wave.iter().zip(read.into_iter().flatten()) {
                    self.stands[point].values.push(value);
                }
            }
            for point in whole {
                self.stands[point].decide(&rule);
            }
        }
    }
}

/// For each point, the first point with the same runs.
fn first_alike(scenario: &Scenario) -> Vec<u32> {
    let all = 0..scenario.points.len();
    if scenario.unlike_values_make_unlike_runs() {
        return all.map(|point| point as u32).collect();
    }
    let mut seen = HashMap::with_capacity(all.len());
    all.map(|point| *seen.entry(scenario.fingerprint(point)).or_insert(point as u32)).collect()
}

impl PointState {
    /// Applies the rule to a complete prefix.
    fn decide(&mut self, rule: &StoppingRule) {
        match enough(&self.values, rule) {
            Decision::More { needed } => self.prefix = needed as u32,
            Decision::Enough(reached) | Decision::Exhausted(reached) => {
                self.prefix = reached.replicas as u32;
                self.settled = true;
                self.values = Vec::new();
            }
        }
    }
}

/// A metric of these runs, all of which are in the store.
fn values(
    scenario: &Scenario,
    store: &Store<RunId>,
    runs: &[Run],
    metric: &str,
) -> Result<Vec<Option<f64>>, StoreError> {
    let keys: Vec<RunId> = runs.iter().map(|&(point, replica)| RunId::of(scenario, point, replica)).collect();
    let lines = store.lines(&keys)?;
    let value = |number: usize| -> Result<Option<f64>, StoreError> {
        let Some(line) = lines.line(number)? else { return Ok(None) };
        let metrics = line.borrowed()?.metrics;
        Ok(metrics.iter().find(|(name, _)| name.0 == metric).and_then(|(_, value)| value.number()))
    };
    (0..runs.len()).map(value).collect()
}
