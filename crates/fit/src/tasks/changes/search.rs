//! Where a machine's tasks differ, from one on, by more than chance explains.

use std::ops::Range;

use rayon::prelude::*;
use rustc_hash::FxHashMap;
use statrs::distribution::{ContinuousCDF, Normal};

use super::over_time::{MachineOverTime, StartedTask};
use crate::robust::deviation;
use crate::tasks::{FEW, LEAST_DEVIATION};

/// The probability that a log without changes shows any.
const LEVEL: f64 = 0.05;

/// Speeds that differ by less are one: the logarithm of their ratio.
const LEAST_CHANGE: f64 = 0.05;

/// A task as it is compared with others.
#[derive(Clone, Copy)]
struct ScoredTask {
    kind: usize,
    started: f64,
    rest: f64,
    score: f64,
}

/// The tasks of one type before and after an instant: their number, and the sum of what is compared.
#[derive(Clone, Copy, Default)]
struct BothSides {
    counts: [f64; 2],
    sums: [f64; 2],
}

impl BothSides {
    /// The inverse of the variance of the difference of two means; 0 where a side is empty.
    fn information(&self) -> f64 {
        let [before, after] = self.counts;
        if before * after > 0.0 { before * after / (before + after) } else { 0.0 }
    }

    /// The difference of the means times that.
    fn difference(&self) -> f64 {
        let ([before, after], [sum, sum_after]) = (self.counts, self.sums);
        if before * after > 0.0 { (before * sum_after - after * sum) / (before + after) } else { 0.0 }
    }
}

/// What is needed to tell a change from chance.
pub(super) struct ChangeSearch {
    /// By type, the rests of tasks in order, each over its share: the noise.
    noises: Vec<Vec<f64>>,
    /// By type, the normal scores of ranks.
    scores: Vec<Vec<f64>>,
    /// By type, the inverse of the deviation of a logarithm.
    weights: Vec<f64>,
    /// By machine, the variance of a score: 1, or more where a machine varies more than the others.
    variances: Vec<f64>,
    /// The standard deviations from which on a difference is a change.
    threshold: f64,
}

/// The normal score of a rank of so many, after Blom (1958).
fn blom(rank: f64, all: usize) -> f64 {
    Normal::standard().inverse_cdf((rank - 0.375) / (all as f64 + 0.25))
}

impl ChangeSearch {
    /// Finds the noise by the parts that are known; `None` if no machine has enough tasks.
    pub(super) fn of(machines: &[MachineOverTime], kinds: usize) -> Option<Self> {
        let sought = |machine: &MachineOverTime| -> usize {
            let windows = machine.parts().into_iter().flat_map(|part| machine.windows(&machine.within(part)));
            windows.map(|window| window.len() + 1 - 2 * machine.least()).sum()
        };
        let sought = machines.iter().map(sought).sum::<usize>();
        if sought == 0 && machines.iter().all(|machine| machine.changes.is_empty()) {
            return None;
        }
        let mut noises = vec![Vec::new(); kinds];
        for machine in machines {
            let rests = machine.parts().into_iter().flat_map(|part| machine.rests(machine.within(part)));
            rests.filter(|own| own.share > 0.0).for_each(|own| noises[own.kind].push(own.rest / own.share));
        }
        for own in &mut noises {
            own.sort_unstable_by(f64::total_cmp);
        }
        // Bonferroni's correction. Windows overlap, so that the level is less.
        let threshold = -Normal::standard().inverse_cdf(LEVEL / (2.0 * sought.max(1) as f64));
        let scores = noises.iter().map(|own| (1..=own.len()).map(|rank| blom(rank as f64, own.len())).collect());
        let scores = scores.collect();
        let mut search = Self { noises, scores, weights: vec![0.0; kinds], variances: Vec::new(), threshold };
        search.weigh(machines);
        Some(search)
    }

    /// Finds weights and variances by pairs of tasks of a type that follow each other on a machine: nearly every pair lies
    /// on one side of a change that is not known yet.
    fn weigh(&mut self, machines: &[MachineOverTime]) {
        let mut differences = vec![Vec::new(); self.noises.len()];
        for machine in machines {
            let (mut squares, mut pairs) = (0.0, 0);
            for part in machine.parts() {
                let mut last: FxHashMap<usize, ScoredTask> = FxHashMap::default();
                for task in self.scored(machine, machine.within(part)) {
                    if let Some(before) = last.insert(task.kind, task) {
                        differences[task.kind].push(task.rest - before.rest);
                        (squares, pairs) = (squares + (task.score - before.score).powi(2), pairs + 1);
                    }
                }
            }
            self.variances.push(f64::max(squares / (2.0 * f64::from(pairs.max(1))), 1.0));
        }
        let of_all = deviation(&differences.concat()).unwrap_or_default();
        let weight = |own: &Vec<f64>| {
            let known = deviation(own).filter(|_| own.len() >= FEW).unwrap_or(of_all);
            1.0 / (known / 2.0_f64.sqrt()).max(LEAST_DEVIATION)
        };
        self.weights = differences.iter().map(weight).collect();
    }

    /// The tasks of a part with their normal scores, in the order of starts.
    fn scored(&self, machine: &MachineOverTime, part: Range<usize>) -> Vec<ScoredTask> {
        let started = |task: &StartedTask| ScoredTask { kind: task.kind, started: task.started, rest: 0.0, score: 0.0 };
        let mut scored: Vec<ScoredTask> = machine.tasks[part.clone()].iter().map(started).collect();
        for own in machine.rests(part.clone()) {
            let task = &mut scored[own.at - part.start];
            let noise = &self.noises[own.kind];
            task.rest = own.rest;
            if own.share > 0.0 && !noise.is_empty() {
                let below = noise.partition_point(|other| *other < own.rest / own.share);
                let alike = noise[below..].iter().take_while(|other| **other <= own.rest / own.share).take(2).count();
                // Of those that are alike, the middle one's.
                let score = if alike == 1 {
                    self.scores[own.kind][below]
                } else {
                    let alike = noise[below..].partition_point(|other| *other <= own.rest / own.share);
                    blom(below as f64 + (alike + 1) as f64 / 2.0, noise.len())
                };
                task.score = own.share * score;
            }
        }
        scored
    }

    /// By machine, the first task after each change; of a machine that is not open, those that are known.
    pub(super) fn changes(&self, machines: &[MachineOverTime], is_open: &[bool]) -> Vec<Vec<usize>> {
        let sides = || vec![BothSides::default(); self.weights.len()];
        let changes = |sides: &mut Vec<BothSides>, machine: usize| {
            let (machine, variance, is_open) = (&machines[machine], self.variances[machine], is_open[machine]);
            if is_open { self.changes_of(machine, variance, sides) } else { machine.changes.clone() }
        };
        (0..machines.len()).into_par_iter().map_init(sides, changes).collect()
    }

    fn changes_of(&self, machine: &MachineOverTime, variance: f64, sides: &mut [BothSides]) -> Vec<usize> {
        let mut left = machine.parts();
        let mut found = machine.changes.clone();
        while let Some(part) = left.pop() {
            let within = machine.within(part.clone());
            let scored = self.scored(machine, within.clone());
            let split = |window: Range<usize>| {
                let own = &scored[window.start - within.start..window.end - within.start];
                let (z, at) = self.split(own, machine.least(), variance, sides)?;
                Some((z, window.start + at))
            };
            let splits = machine.windows(&within).into_iter().filter_map(split);
            if let Some((_, at)) = splits.max_by(|(z, _), (other, _)| z.total_cmp(other)) {
                found.push(at);
                left.extend([part.start..at, at..part.end]);
            }
        }
        found.sort_unstable();
        // Each is where it is clearest between the one before and the one after, if it is one now that these are known.
        let mut changes: Vec<usize> = Vec::new();
        for number in 0..found.len() {
            let begin = changes.last().copied().unwrap_or(0);
            let end = found.get(number + 1).copied().unwrap_or(machine.tasks.len());
            let within = machine.within(begin..end);
            let split = self.split(&self.scored(machine, within.clone()), machine.least(), variance, sides);
            changes.extend(split.map(|(_, at)| within.start + at));
        }
        changes
    }

    /// Where the two sides of a window differ most, and by how many standard deviations, if that is a change. `sides` are
    /// empty before and after.
    fn split(
        &self,
        tasks: &[ScoredTask],
        least: usize,
        variance: f64,
        sides: &mut [BothSides],
    ) -> Option<(f64, usize)> {
        for task in tasks {
            let own = &mut sides[task.kind];
            (own.counts[1], own.sums[1]) = (own.counts[1] + 1.0, own.sums[1] + task.score);
        }
        let (mut difference, mut information) = (0.0, 0.0);
        let mut best = (0.0, 0);
        for (at, pair) in (1..).zip(tasks.windows(2)) {
            let [task, next] = [&pair[0], &pair[1]];
            let (weight, own) = (self.weights[task.kind], &mut sides[task.kind]);
            let before = *own;
            own.counts = [own.counts[0] + 1.0, own.counts[1] - 1.0];
            own.sums = [own.sums[0] + task.score, own.sums[1] - task.score];
            difference += weight * (own.difference() - before.difference());
            information += weight * weight * (own.information() - before.information());
            let may_change = at >= least && tasks.len() - at >= least && task.started < next.started;
            // A type that is on both sides has at least half a pair: less is rounding.
            if may_change && information > 0.25 * weight * weight {
                let z = f64::abs(difference) / (information * variance).sqrt();
                if z > best.0 {
                    best = (z, at);
                }
            }
        }
        for task in tasks {
            sides[task.kind] = BothSides::default();
        }
        (best.0 > self.threshold && self.ratio(tasks, best.1).abs() >= LEAST_CHANGE).then_some(best)
    }

    /// By how much logarithms differ from a task on.
    fn ratio(&self, tasks: &[ScoredTask], at: usize) -> f64 {
        let mut sides: FxHashMap<usize, BothSides> = FxHashMap::default();
        for (number, task) in tasks.iter().enumerate() {
            let (own, side) = (sides.entry(task.kind).or_default(), usize::from(number >= at));
            (own.counts[side], own.sums[side]) = (own.counts[side] + 1.0, own.sums[side] + task.rest);
        }
        let sum = |value: fn(&BothSides) -> f64| -> f64 {
            sides.iter().map(|(&kind, own)| self.weights[kind].powi(2) * value(own)).sum()
        };
        sum(BothSides::difference) / sum(BothSides::information)
    }
}
