//! Warnings: what a scenario may say but hardly means.

use super::Scenario;
use super::resolve::PointSetup;

/// The events that a core handles in a second where messages share no links, about; with shared links, several times
/// fewer. An objective of ten variables is evaluated about as often.
const EVENTS_A_SECOND: f64 = 1e7;

/// A run that takes longer, in seconds, may not be meant.
const LONG_S: f64 = 60.0;

/// The most points whose workloads are looked at.
const MOST_POINTS: usize = 64;

impl PointSetup {
    /// About how many events a run handles; `None` where nobody knows.
    fn expected_events(&self) -> Option<f64> {
        self.resolved.ready.expected_events(self.platform.as_ref().map(|platform| platform.platform()))
    }
}

impl Scenario {
    /// What is allowed but hardly meant, a sentence each: a tick so coarse that results change with it, the first doubt
    /// about a workload, keys that play no part, points outside of what the platform was calibrated by, and runs that take long.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let (mut of_workload, mut coarse, mut events, mut evaluations) = (None, None, 0.0f64, 0.0f64);
        for machine in (0..self.points.len().min(MOST_POINTS)).filter_map(|point| self.resolver.machine(point).ok()) {
            let platform = machine.platform.as_ref().map(|platform| platform.platform());
            of_workload = of_workload.or_else(|| machine.resolved.ready.warning(platform));
            coarse = coarse.or_else(|| machine.coarse_computing());
            events = events.max(machine.expected_events().unwrap_or(0.0));
            evaluations = evaluations.max(machine.resolved.ready.expected_evaluations());
        }
        let long = |count: f64| Some(count / EVENTS_A_SECOND).filter(|seconds| *seconds > LONG_S).map(humane);
        let handling = long(events)
            .map(|time| format!("a run has about {events:.1e} events, which take {time} or more (an estimate)"));
        let searching = long(evaluations).map(|time| {
            format!(
                "a run evaluates the objective up to {evaluations:.1e} times, which takes about {time} (an estimate)"
            )
        });
        self.coarse_tick()
            .into_iter()
            .chain(coarse)
            .chain(of_workload)
            .chain(self.unused_keys())
            .chain(self.beyond_calibration())
            .chain(handling)
            .chain(searching)
            .collect()
    }

    /// The keys of the workload that are given and play no part at any point.
    fn unused_keys(&self) -> Option<String> {
        if self.points.len() > MOST_POINTS {
            return None;
        }
        let of_points = (0..self.points.len()).map(|point| Some(self.resolver.machine(point).ok()?.subject.unused()));
        let of_points = of_points.collect::<Option<Vec<_>>>()?;
        let (first, others) = of_points.split_first()?;
        let is_unused = |key: &&&str| others.iter().all(|unused| unused.contains(key)) && self.resolver.is_given(key);
        let keys: Vec<String> = first.iter().filter(is_unused).map(|key| format!("`workload.{key}`")).collect();
        let (last, before) = keys.split_last()?;
        let keys = if before.is_empty() { last.clone() } else { format!("{} and {last}", before.join(", ")) };
        let plays = if before.is_empty() { "plays" } else { "play" };
        Some(format!("{keys} {plays} no part in any run: what the rest of `[workload]` says does not use it"))
    }

    /// About how many events a run of a point handles, faults left out; `None` where its keys do not tell.
    #[must_use]
    pub fn expected_events(&self, point: usize) -> Option<f64> {
        self.resolver.machine(point).ok()?.expected_events()
    }

    /// An estimate of how long a run of the first point takes, in words; `None` where it is short or nobody knows.
    #[must_use]
    pub fn outlook(&self) -> Option<String> {
        let seconds =
            (self.first.expected_events()? + self.first.resolved.ready.expected_evaluations()) / EVENTS_A_SECOND;
        (seconds > 1.0).then(|| format!("about {} a run (an estimate)", humane(seconds)))
    }
}

/// A length of time in words.
fn humane(seconds: f64) -> String {
    let (length, unit) = match seconds {
        ..120.0 => (seconds, "s"),
        ..7200.0 => (seconds / 60.0, "min"),
        ..172_800.0 => (seconds / 3600.0, "h"),
        _ => (seconds / 86_400.0, "days"),
    };
    format!("{length:.0} {unit}")
}
