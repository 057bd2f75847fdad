//! How to run tasks, independent ones or those of a graph: from the times of settings, and of other machines, to what is
//! advised.

mod lines;
mod setting;
mod words;
mod written;

#[cfg(test)]
mod tests;

use crate::statistics::compare::{Estimate, paired};
use crate::statistics::racing::Race;
use crate::statistics::{Confidence, mean, mean_interval};
use crate::workload::machines::{MachineChange, MachineKind, Machines};

pub use lines::{Asked, dealing};
pub use setting::{KeyOf, Setting};

/// A difference below this share of a time is none.
const NEGLIGIBLE: f64 = 0.005;

/// A machine that saves less than this part of its share of all nodes' speed is not worth using.
const WORTH: f64 = 0.1;

/// So much longer, as a share, fewer nodes may seem to take and be enough, if they do not surely take more.
const ENOUGH: f64 = 0.01;

/// How settings are compared over so many replicas.
#[must_use]
pub const fn race(replicas: u32) -> Race {
    Race { first: 4, most: replicas, confidence: Confidence::P95, negligible: NEGLIGIBLE }
}

/// A setting or a change of the machines that was tried, with the time of each replica, in seconds.
#[derive(Debug, Clone, PartialEq)]
pub struct Tried<T> {
    /// What was tried.
    pub what: T,
    /// The times; none if it cannot run.
    pub seconds: Vec<f64>,
}

impl<T> Tried<T> {
    fn mean(&self) -> f64 {
        mean(&self.seconds).unwrap_or(f64::INFINITY)
    }

    /// The interval of the mean; none where all replicas are alike.
    fn interval(&self) -> Option<(f64, f64)> {
        mean_interval(&self.seconds, Confidence::P95).filter(|(low, high)| high > low)
    }

    /// How much longer than another time it is, as a share of that.
    fn longer_than<U>(&self, other: &Tried<U>) -> Option<Estimate> {
        let pairs: Vec<(f64, f64)> = self.seconds.iter().copied().zip(other.seconds.iter().copied()).collect();
        paired(&pairs, Confidence::P95)?.relative
    }
}

/// The number of the advised setting: the present one, the first, if it does not surely take more than the fastest; else
/// the simplest of those of which this holds and that surely take less than the present one. Nothing if none ran.
#[must_use]
pub fn advised<S>(settings: &[Tried<S>], race: &Race) -> Option<usize> {
    let ties = ties(settings, race);
    let is_better = |number: usize| number == 0 || race.takes_more(&settings[0].seconds, &settings[number].seconds);
    (0..settings.len()).find(|&number| ties[number] && is_better(number))
}

/// The number of the fastest of those that ran in all replicas. Nothing if none ran.
#[must_use]
pub fn fastest<S>(settings: &[Tried<S>]) -> Option<usize> {
    let ran = whole(settings).filter(|&number| !settings[number].seconds.is_empty());
    ran.min_by(|&a, &b| settings[a].mean().total_cmp(&settings[b].mean()))
}

/// The numbers of the settings that ran in as many replicas as any.
fn whole<S>(settings: &[Tried<S>]) -> impl Iterator<Item = usize> {
    let replicas = settings.iter().map(|tried| tried.seconds.len()).max().unwrap_or_default();
    (0..settings.len()).filter(move |&number| settings[number].seconds.len() == replicas)
}

/// Whether each setting does not surely take more than the fastest.
fn ties<S>(settings: &[Tried<S>], race: &Race) -> Vec<bool> {
    let mut ties = vec![false; settings.len()];
    if let Some(best) = fastest(settings) {
        for number in whole(settings) {
            ties[number] = !race.takes_more(&settings[number].seconds, &settings[best].seconds);
        }
    }
    ties
}

/// What is known of ways to run tasks.
#[derive(Debug, Clone)]
pub struct TaskAdvice<S> {
    /// The settings, the present one first, then the simpler before others.
    pub settings: Vec<Tried<S>>,
    /// The number of the advised one.
    pub advised: usize,
    /// The time that no setting can be below, in seconds, on average, if that is known.
    pub lower_bound_s: Option<f64>,
    /// The machines that there are.
    pub machines: Machines,
    /// Other machines, with the advised setting.
    pub changes: Vec<Tried<MachineChange>>,
    /// The setting to use with as many of the fastest nodes as are enough, if these take surely less time with it than
    /// all do with the advised one.
    pub with_fewer: Option<Tried<S>>,
    /// How times are compared.
    pub race: Race,
}

/// A kind of machine that is not worth using.
struct Useless<'a> {
    kind: &'a MachineKind,
    /// How many of its machines: one or all.
    machines: usize,
    /// How much longer the run is without, as a share.
    longer: Estimate,
}

impl<S: Setting> TaskAdvice<S> {
    /// The nodes that are enough, the fastest, if these are not all.
    #[must_use]
    pub fn fewer_nodes(&self) -> Option<&[u32]> {
        let (count, tried) = self.enough();
        tried.map(|_| &self.machines.fastest[..count])
    }

    /// Takes the settings as they were tried with these nodes alone.
    pub fn try_fewer(&mut self, settings: Vec<Tried<S>>) {
        let best = advised(&settings, &self.race).and_then(|number| settings.into_iter().nth(number));
        self.with_fewer = best.filter(|fewer| self.race.takes_more(&self.best().seconds, &fewer.seconds));
    }

    /// The setting to use.
    #[must_use]
    pub fn used(&self) -> &Tried<S> {
        self.with_fewer.as_ref().unwrap_or_else(|| self.best())
    }

    /// How many of those that take part have the fastest so many nodes.
    fn counted(&self, fastest: usize) -> usize {
        if S::ARE_MACHINES { self.machines.with(&self.machines.fastest[..fastest]) } else { fastest }
    }

    fn best(&self) -> &Tried<S> {
        &self.settings[self.advised]
    }

    /// The kinds of machines that are not worth using, each by itself, the slowest first.
    fn useless(&self) -> Vec<Useless<'_>> {
        let mut found: Vec<Useless<'_>> = Vec::new();
        for tried in &self.changes {
            let (number, is_all) = match tried.what {
                MachineChange::WithoutOne(kind) => (kind, false),
                MachineChange::WithoutAll(kind) => (kind, true),
                _ => continue,
            };
            let kind = &self.machines.kinds[number];
            let machines = if is_all { kind.machines.len() } else { 1 };
            let most = WORTH * self.machines.share_of(kind, machines);
            let surely = |longer: &Estimate| longer.interval.map_or(longer.value, |(_, high)| high) <= most;
            let Some(longer) = tried.longer_than(self.best()).filter(surely) else { continue };
            found.retain(|other| other.kind != kind);
            found.push(Useless { kind, machines, longer });
        }
        found
    }

    /// The number of nodes to use, the fastest: the fewest that do not surely take more than the best number; with
    /// the time that they take, unless these are all.
    fn enough(&self) -> (usize, Option<&Tried<MachineChange>>) {
        let fewer = || self.changes.iter().filter(|tried| matches!(tried.what, MachineChange::Fastest(_)));
        let best = fewer().min_by(|a, b| a.mean().total_cmp(&b.mean())).filter(|best| best.mean() < self.best().mean());
        let best = best.map_or(&self.best().seconds, |best| &best.seconds);
        let is_enough = |tried: &&Tried<MachineChange>| {
            let longer = mean(&tried.seconds).zip(mean(best)).map(|(fewer, best)| fewer - best * (1.0 + ENOUGH));
            longer.is_some_and(|longer| longer <= 0.0) && !self.race.takes_more(&tried.seconds, best)
        };
        let enough = fewer().find(is_enough);
        match enough.map(|tried| (tried.what, tried)) {
            Some((MachineChange::Fastest(count), tried)) => (count, Some(tried)),
            _ => (self.machines.fastest.len(), None),
        }
    }
}
