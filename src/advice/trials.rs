//! Runs of the ways to run a program, in a race: each with the same draws in a replica, and the slower ones in fewer of them.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use super::Watcher;
use crate::batch::threads::Threads;
use crate::cluster::{NodeId, Platform};
use crate::engine::Streams;
use crate::failure::{Failure, bad_input};
use crate::report::advise::tasks::{Setting, TaskAdvice, Tried, advised, fastest};
use crate::scenario::Scenario;
use crate::statistics::racing::Race;
use crate::workload::machines::{MachineChange, Machines};

/// The most failures that are told.
const MOST_FAILURES: usize = 3;

/// Why nothing is said of single machines.
const DRAWN_SPEEDS: &str = "the speeds of machines are drawn in each replica";

/// What may be tried.
pub(super) struct Candidates<'a, S> {
    /// The settings, the present one first.
    pub(super) settings: Vec<S>,
    /// Others beside the best one, one list after the other.
    pub(super) rounds: &'a [fn(S) -> Vec<S>],
    pub(super) machines: Machines,
    pub(super) changes: Vec<MachineChange>,
}

/// The keys of a program with what is drawn for each replica.
pub(super) struct DrawnTasks<K> {
    seed: u64,
    pub(super) keys: Vec<Arc<K>>,
    pub(super) platforms: Vec<Platform>,
}

impl<K: Clone + 'static> DrawnTasks<K> {
    /// That of a scenario's first point.
    pub(super) fn of(scenario: &Scenario, replicas: u32) -> Result<Self, Failure> {
        let keys = scenario.workload_keys(0, replicas).map_err(bad_input)?;
        let keys = keys.ok_or_else(|| bad_input("there is no workload"))?;
        // Two tell whether speeds are drawn.
        let platforms = (0..replicas.max(2)).map(|replica| scenario.drawn_platform(0, replica).map_err(bad_input));
        Ok(Self { seed: scenario.file.seed, keys, platforms: platforms.collect::<Result<_, _>>()? })
    }

    /// The changes of the machines to try: all of these, or none where speeds are drawn in each replica, or where there is
    /// another reason.
    pub(super) fn changes(
        &self,
        watcher: &dyn Watcher,
        all: Vec<MachineChange>,
        reason: Option<&str>,
    ) -> Vec<MachineChange> {
        let speeds = |platform: &Platform| -> Vec<u64> {
            (0..platform.nodes()).map(|node| platform.speed_per_second(NodeId(node)).to_bits()).collect()
        };
        let first = speeds(&self.platforms[0]);
        let are_drawn = self.platforms[1..].iter().any(|platform| speeds(platform) != first);
        let Some(reason) = are_drawn.then_some(DRAWN_SPEEDS).or(reason) else { return all };
        watcher.hear(&format!("note: {reason}: nothing is said of single machines"));
        Vec::new()
    }

    /// What a replica draws from.
    pub(super) fn streams(&self, replica: usize) -> Streams {
        Streams::new(self.seed, replica as u64)
    }
}

/// Runs on all threads, each setting and each change of the machines with the same draws in a replica.
pub(super) struct Trials<'a, S: Setting> {
    pub(super) drawn: &'a DrawnTasks<S::Keys>,
    pub(super) race: Race,
    pub(super) threads: Threads,
    pub(super) watcher: &'a dyn Watcher,
}

/// A way to run the program: a setting, and on which nodes if not all.
type Way<'a, S> = (S, Option<Cow<'a, [u32]>>);

impl<S: Setting> Trials<'_, S> {
    /// Tries the settings, and the changes of the machines with the best of them.
    pub(super) fn advice(&self, candidates: Candidates<'_, S>) -> Result<TaskAdvice<S>, Failure> {
        self.watcher.expect((self.drawn.keys.len() * (candidates.settings.len() + candidates.changes.len())) as u64);
        let Candidates { settings, rounds, machines, changes } = candidates;
        let race = self.race;
        let mut failures: Vec<String> = Vec::new();
        let mut settings = self.race(settings, None, &[], &mut failures)?;
        if !rounds.is_empty() {
            settings = self.race_in_rounds(settings, rounds, &mut failures)?;
        }
        let advised = advised(&settings, &race).ok_or_else(|| Failure::Run("no setting can run".to_owned()))?;
        let best = &settings[advised];
        let changes = if best.what.names_nodes() {
            self.watcher
                .hear("note: the present setting names the node of each task: nothing is said of single machines");
            Vec::new()
        } else {
            changes
        };
        let way = |change: &MachineChange| {
            let nodes = change.nodes(&machines);
            (best.what.on(nodes.len()), Some(nodes.into()))
        };
        let ways: Vec<Way<'_, S>> = changes.iter().map(way).collect();
        let times = self.times(&ways, 0..best.seconds.len() as u32, &[])?;
        let mut advice = TaskAdvice {
            settings,
            advised,
            lower_bound_s: None,
            machines,
            changes: Vec::new(),
            with_fewer: None,
            race,
        };
        for (what, times) in changes.into_iter().zip(times) {
            let seconds = noted(times, &advice.change(what), &mut failures).unwrap_or_default();
            advice.changes.push(Tried { what, seconds });
        }
        if let Some(fewer) = advice.fewer_nodes() {
            let mut ran: Vec<S> = Vec::new();
            for tried in advice.settings.iter().filter(|tried| !tried.seconds.is_empty()) {
                let there = tried.what.on(fewer.len());
                if !ran.contains(&there) {
                    ran.push(there);
                }
            }
            let tried = self.race(ran, Some(fewer), &[], &mut failures)?;
            advice.try_fewer(tried);
        }
        for failure in failures.iter().take(MOST_FAILURES) {
            self.watcher.hear(&format!("note: {failure}"));
        }
        if failures.len() > MOST_FAILURES {
            self.watcher.hear(&format!("note: {} more cannot run", failures.len() - MOST_FAILURES));
        }
        Ok(advice)
    }

    /// Races what each round says beside the best setting of the one before, and then all of them.
    fn race_in_rounds(
        &self,
        mut settings: Vec<Tried<S>>,
        rounds: &[fn(S) -> Vec<S>],
        failures: &mut Vec<String>,
    ) -> Result<Vec<Tried<S>>, Failure> {
        let own = settings[0].what;
        let mut best = own;
        for round in rounds {
            let mut raced = if best == own { vec![own] } else { vec![own, best] };
            let known = raced.len();
            raced.extend(round(best).into_iter().filter(|new| settings.iter().all(|tried| tried.what != *new)));
            self.watcher.expect(((raced.len() - known) * self.drawn.keys.len()) as u64);
            let tried = self.race(raced, None, &settings, failures)?;
            best = fastest(&tried).map_or(own, |number| tried[number].what);
            for tried in tried {
                match settings.iter_mut().find(|known| known.what == tried.what) {
                    Some(known) if known.seconds.len() < tried.seconds.len() => known.seconds = tried.seconds,
                    Some(_) => {}
                    None => settings.push(tried),
                }
            }
        }
        // Where nothing is drawn, a round ends early.
        let ran = settings.iter().filter(|tried| !tried.seconds.is_empty()).map(|tried| tried.what).collect();
        self.race(ran, None, &settings, failures)
    }

    /// The settings with their times as far as they came in a race, on all nodes or on these; some are known.
    fn race(
        &self,
        settings: Vec<S>,
        nodes: Option<&[u32]>,
        known: &[Tried<S>],
        failures: &mut Vec<String>,
    ) -> Result<Vec<Tried<S>>, Failure> {
        let times = self.race.run(settings.len(), |racing, replicas| {
            let ways: Vec<Way<'_, S>> =
                racing.iter().map(|&number| (settings[number], nodes.map(Cow::Borrowed))).collect();
            let times = self.times(&ways, replicas, known)?;
            // The present setting is always the first, and must run.
            if let (Some(Err(why)), None) = (times.first(), nodes) {
                return Err(Failure::Run(why.clone()));
            }
            let on = nodes.map_or_else(String::new, |nodes| format!(" on the fastest {}", S::nodes(nodes.len())));
            Ok(ways.iter().zip(times).map(|(way, times)| noted(times, &format!("{}{on}", way.0), failures)).collect())
        })?;
        Ok(settings.into_iter().zip(times).map(|(what, seconds)| Tried { what, seconds }).collect())
    }

    /// The times of each way in these replicas, in seconds, or why it cannot run. Those of settings on all nodes may be known.
    fn times(
        &self,
        ways: &[Way<'_, S>],
        replicas: Range<u32>,
        known: &[Tried<S>],
    ) -> Result<Vec<Result<Vec<f64>, String>>, Failure> {
        let each = replicas.len();
        let DrawnTasks { keys, platforms, .. } = self.drawn;
        let one = |number: usize| {
            if self.watcher.stops() {
                return Err(Failure::interrupted());
            }
            let ((setting, nodes), replica) = (&ways[number / each], replicas.start as usize + number % each);
            let known = known.iter().find(|known| nodes.is_none() && known.what == *setting);
            if let Some(&seconds) = known.and_then(|known| known.seconds.get(replica)) {
                return Ok(Ok(seconds));
            }
            let streams = self.drawn.streams(replica);
            let time = setting.completion_s(&keys[replica], &platforms[replica], nodes.as_deref(), streams);
            self.watcher.advance(1);
            Ok(time.map_err(String::from))
        };
        let runs = ways.len() * each;
        let all = self.threads.share(runs, || (0..runs).into_par_iter().map(one).collect::<Result<Vec<_>, _>>())?;
        Ok(all.chunks(each.max(1)).map(|times| times.iter().cloned().collect()).collect())
    }
}

/// Notes why something cannot run.
fn noted(times: Result<Vec<f64>, String>, what: &str, failures: &mut Vec<String>) -> Option<Vec<f64>> {
    times.map_err(|why| failures.push(format!("{what} cannot run: {why}"))).ok()
}
