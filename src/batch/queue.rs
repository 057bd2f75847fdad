//! The queue of runs: those expected to take longest go first, so that no long run starts last.
//!
//! The expected times are learnt during the batch. A point that has run takes as long as before. For others the
//! logarithm of the time is a sum of effects, one per swept value, which every completed run corrects a little; without
//! any data, the number of nodes decides. A wrong expectation costs time but never changes a result.

use std::time::Duration;

use crate::scenario::Scenario;

/// Waiting replicas of a point: from the first to the last, exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ReplicaRange {
    pub(super) point: u32,
    pub(super) from: u32,
    pub(super) to: u32,
}

impl ReplicaRange {
    pub(super) const fn runs(self) -> usize {
        (self.to - self.from) as usize
    }
}

/// The waiting runs and their expected times.
#[derive(Debug)]
pub(super) struct Queue<'s> {
    scenario: &'s Scenario,
    /// The waiting runs; the next ones are at the end.
    waiting: Vec<ReplicaRange>,
    runs: usize,
    expected: Expectation,
    /// The number of completed runs at which the order is recomputed.
    next_order: usize,
    ended: usize,
    seconds: f64,
}

/// The expected duration of runs that are handed out together and stored by one call, so that short runs do not contend
/// for the queue.
pub(super) const HANDFUL: Duration = Duration::from_millis(2);

/// Runs shorter than this are not worth ordering.
const WORTH_ORDERING_S: f64 = 1e-4;

impl<'s> Queue<'s> {
    pub(super) fn new(scenario: &'s Scenario, mut waiting: Vec<ReplicaRange>) -> Self {
        waiting.reverse();
        let runs = waiting.iter().map(|stretch| stretch.runs()).sum();
        let expected = Expectation::new(scenario);
        let mut queue = Self { scenario, waiting, runs, expected, next_order: 16, ended: 0, seconds: 0.0 };
        queue.order();
        queue
    }

    /// Takes a handful of runs for one of `threads` threads: none once no run waits.
    pub(super) fn take(&mut self, threads: usize) -> Vec<ReplicaRange> {
        let each = if self.ended == 0 { f64::INFINITY } else { self.seconds / self.ended as f64 };
        // Near the end, spread the runs over all threads.
        let most = (self.runs / (4 * threads)).max(1);
        let mut wanted = ((HANDFUL.as_secs_f64() / each) as usize).clamp(1, most);
        let mut taken = Vec::new();
        while wanted > 0
            && let Some(last) = self.waiting.last_mut()
        {
            let stretch = ReplicaRange { to: last.to.min(last.from + wanted as u32), ..*last };
            last.from = stretch.to;
            if last.from == last.to {
                self.waiting.pop();
            }
            wanted -= stretch.runs();
            self.runs -= stretch.runs();
            taken.push(stretch);
        }
        taken
    }

    /// Learns the total duration of each of some stretches of runs.
    pub(super) fn learn(&mut self, stretches: &[(ReplicaRange, f64)]) {
        for &(stretch, seconds) in stretches {
            self.ended += stretch.runs();
            self.seconds += seconds;
            self.expected.learn(self.scenario, stretch.point as usize, seconds / stretch.runs() as f64);
        }
        if self.ended >= self.next_order && self.seconds / self.ended as f64 >= WORTH_ORDERING_S {
            self.next_order = 2 * self.ended;
            self.order();
        }
    }

    /// The point whose runs take longest, and the duration of one of them.
    pub(super) fn slowest(&self) -> Option<(usize, f64)> {
        self.expected.slowest
    }

    fn order(&mut self) {
        let Self { waiting, expected, scenario, .. } = self;
        // Stable: runs with equal expectations stay in the order of the scenario.
        waiting.sort_by_cached_key(|stretch| (expected.of(scenario, stretch.point as usize) * 1e6) as i64);
    }
}

/// The expected duration of runs.
#[derive(Debug)]
struct Expectation {
    /// The seconds of a run of each point; NaN if none has ended.
    known: Vec<f32>,
    /// The logarithm of the time per node.
    base: f64,
    /// The effect of each value of each axis on the logarithm.
    effects: Vec<Vec<f64>>,
    slowest: Option<(usize, f64)>,
}

impl Expectation {
    fn new(scenario: &Scenario) -> Self {
        Self {
            known: vec![f32::NAN; scenario.points.len()],
            base: 0.0,
            effects: scenario.axes.iter().map(|axis| vec![0.0; axis.values.len()]).collect(),
            slowest: None,
        }
    }

    /// The logarithm of the expected time of a run of a point.
    fn of(&self, scenario: &Scenario, point: usize) -> f64 {
        let known = self.known[point];
        if known.is_nan() { self.model(scenario, point) } else { f64::from(known).ln() }
    }

    fn model(&self, scenario: &Scenario, point: usize) -> f64 {
        let effects = self.effects.iter().zip(&scenario.points[point]).map(|(effects, &value)| effects[value as usize]);
        f64::from(scenario.nodes(point)).ln() + self.base + effects.sum::<f64>()
    }

    /// Corrects the effects with the least change (normalised least mean squares, half a step).
    fn learn(&mut self, scenario: &Scenario, point: usize, seconds: f64) {
        if self.known[point].is_nan() {
            let correction =
                0.5 * (seconds.max(1e-9).ln() - self.model(scenario, point)) / (1 + self.effects.len()) as f64;
            self.base += correction;
            for (effects, &value) in self.effects.iter_mut().zip(&scenario.points[point]) {
                effects[value as usize] += correction;
            }
        }
        self.known[point] = seconds.max(1e-9) as f32;
        if self.slowest.is_none_or(|(_, longest)| seconds > longest) {
            self.slowest = Some((point, seconds));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::{PLAIN, Source};

    fn scenario() -> Scenario {
        let text = r#"
            version = 1
            replicas = 3
            [platform.cluster.a]
            nodes = 2
            network = { model = "hockney", latency = "10us", bandwidth = "1GB/s" }
            [workload]
            kind = "broadcast"
            algorithm = "binomial"
            size = "1KiB"
            [sweep]
            "platform.cluster.a.nodes" = [2, 64, 8]
            "workload.size" = ["1KiB", "1MiB", "4KiB", "2MiB"]
        "#;
        Scenario::read_in(
            &PLAIN,
            "queue".to_owned(),
            Source { name: "queue".to_owned(), folder: std::path::PathBuf::new(), text: text.into() },
            &[],
        )
        .unwrap()
    }

    fn all(scenario: &Scenario) -> Vec<ReplicaRange> {
        (0..scenario.points.len() as u32).map(|point| ReplicaRange { point, from: 0, to: 3 }).collect()
    }

    /// Every run is handed out once.
    #[test]
    fn nothing_is_lost() {
        let scenario = scenario();
        let mut queue = Queue::new(&scenario, all(&scenario));
        let mut taken = Vec::new();
        loop {
            let handful = queue.take(2);
            if handful.is_empty() {
                break;
            }
            for stretch in handful {
                taken.extend((stretch.from..stretch.to).map(|replica| (stretch.point, replica)));
                queue.learn(&[(stretch, 1e-5 * f64::from(stretch.point + 1) * stretch.runs() as f64)]);
            }
        }
        assert_eq!(queue.slowest().map(|(point, _)| point), Some(11));
        taken.sort_unstable();
        assert_eq!(taken, (0..12).flat_map(|point| (0..3).map(move |replica| (point, replica))).collect::<Vec<_>>());
    }

    /// The order is by nodes at first; after some runs it follows the effects of nodes and size, even at points that
    /// have never run.
    #[test]
    fn the_longest_go_first() {
        let scenario = scenario();
        let seconds = |point: usize| {
            let values: Vec<f64> = scenario.values(point).map(|(_, value)| value.cell.number().unwrap()).collect();
            1e-7 * values[0] * values[1]
        };
        let mut queue = Queue::new(&scenario, all(&scenario));
        let order: Vec<u32> = queue.waiting.iter().rev().map(|stretch| stretch.point).collect();
        let nodes = |point: &u32| scenario.nodes(*point as usize);
        assert!(order.is_sorted_by_key(|point| std::cmp::Reverse(nodes(point))), "{order:?}");
        // Half of the points, repeatedly.
        for _ in 0..200 {
            for point in [0, 1, 2, 4, 7, 8, 10] {
                let stretch = ReplicaRange { point, from: 0, to: 1 };
                queue.expected.known[point as usize] = f32::NAN;
                queue.learn(&[(stretch, seconds(point as usize))]);
            }
        }
        queue.order();
        let order: Vec<f64> = queue.waiting.iter().rev().map(|stretch| seconds(stretch.point as usize)).collect();
        assert!(order.is_sorted_by(|a, b| *a >= 0.999 * b), "{order:?}");
    }
}
