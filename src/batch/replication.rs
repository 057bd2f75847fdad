//! How many replicas of each point count, as far as a store tells.
//!
//! Where a scenario gives their number, all of them do. Where points stop by themselves, a point goes through fixed prefixes of
//! its replicas (the first 30, 60, 120, … up to the most), and is settled at the first one at which the rule is content
//! ([`stopping`](crate::statistics::stopping)). A prefix is looked at only when the store holds all of it, and nothing beyond it is
//! looked at. So the number of replicas is a function of the scenario, whatever computed them, in which order, how often it was
//! killed, and whatever else the store holds.
//!
//! A run that fails is a function of the scenario too: its point stays at the prefix in which it failed, with the other runs of that
//! prefix.

use std::collections::HashMap;

use rayon::prelude::*;

use super::run::Run;
use super::store::{Store, StoreError};
use crate::scenario::{RunId, Scenario};
use crate::statistics::stopping::{Decision, Until, enough};

/// The replicas that count of each point of a scenario.
#[derive(Debug)]
pub struct Replication<'s> {
    scenario: &'s Scenario,
    /// Of each point the first one that is the same under another name: mostly itself.
    first: Vec<u32>,
    stands: Vec<Stand>,
}

/// How far a point is.
#[derive(Debug, Clone)]
struct Stand {
    /// How many of its replicas count as far as is known: a prefix that is content, or the next one to be looked at.
    prefix: u32,
    /// Whether that is final.
    settled: bool,
    /// Whether one of its runs failed.
    failed: bool,
    /// The metric's values in the prefixes that were looked at, while it is not settled.
    values: Vec<Option<f64>>,
}

/// How many runs a core reads at a time.
const SHARE: usize = 1 << 11;

/// How many runs are in memory as they are written, at most.
const WAVE: usize = SHARE << 5;

impl<'s> Replication<'s> {
    /// What is known before a store is looked at.
    #[must_use]
    pub fn new(scenario: &'s Scenario) -> Self {
        let mut seen = HashMap::with_capacity(scenario.points.len());
        let first = (0..scenario.points.len())
            .map(|point| *seen.entry(scenario.fingerprint(point)).or_insert(point as u32))
            .collect();
        let replicas = &scenario.file.replicas;
        let settled = !replicas.stop_by_themselves();
        let stand = Stand { prefix: replicas.fewest(), settled, failed: false, values: Vec::new() };
        Self { scenario, first, stands: vec![stand; scenario.points.len()] }
    }

    /// What a store says.
    ///
    /// # Errors
    /// Where the store can't be read.
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

    /// How many replicas of a point count: all that it is to have as far as is known.
    #[must_use]
    pub fn replicas(&self, point: usize) -> u32 {
        self.stands[self.first[point] as usize].prefix
    }

    /// All runs that count, in the order of the scenario's results.
    pub fn runs(&self) -> impl Iterator<Item = Run> {
        (0..self.first.len()).flat_map(|point| (0..self.replicas(point)).map(move |replica| (point, replica)))
    }

    /// The same without those that are there under an earlier name.
    pub fn own_runs(&self) -> impl Iterator<Item = Run> {
        self.runs().filter(|&(point, _)| self.first[point] as usize == point)
    }

    /// Whether more runs may be asked for once those that were asked for have ended.
    #[must_use]
    pub const fn may_grow(&self) -> bool {
        self.scenario.file.replicas.stop_by_themselves()
    }

    /// The runs that a store lacks now, of the points that take part: of each point what it lacks of the prefix that is to be looked
    /// at next. Points that are the same run under two names are computed once, those in which a run failed not again.
    ///
    /// # Errors
    /// Where the store can't be read.
    pub fn missing(
        &mut self,
        store: &Store<RunId>,
        takes_part: impl Fn(usize) -> bool,
    ) -> Result<Vec<Run>, StoreError> {
        self.look(store, &takes_part)?;
        let goes_on = |&(point, _): &Run| !self.stands[point].failed;
        let lacks = |&(point, replica): &Run| !store.contains(self.scenario.run_id(point, replica));
        Ok(self.own_runs().filter(|run| goes_on(run) && takes_part(run.0) && lacks(run)).collect())
    }

    /// Runs that failed: their points ask for nothing any more.
    pub fn give_up<'a>(&mut self, failed: impl IntoIterator<Item = &'a Run>) {
        for &(point, _) in failed {
            self.stands[point].failed = true;
        }
    }

    /// Goes on with every point as far as the store holds whole prefixes.
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
                    && new().all(|replica| store.contains(scenario.run_id(*point, replica)))
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

impl Stand {
    /// Asks the rule, with all of a prefix known.
    fn decide(&mut self, rule: &Until) {
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
    let keys: Vec<RunId> = runs.iter().map(|&(point, replica)| scenario.run_id(point, replica)).collect();
    let lines = store.lines(&keys)?;
    let value = |number: usize| -> Result<Option<f64>, StoreError> {
        let Some(line) = lines.line(number)? else { return Ok(None) };
        let metrics = line.borrowed()?.metrics;
        Ok(metrics.iter().find(|(name, _)| name.0 == metric).and_then(|(_, value)| value.number()))
    };
    (0..runs.len()).map(value).collect()
}
