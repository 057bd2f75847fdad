//! The speeds of machines: the logarithm of a task's time is the sum of what its type takes, of its machine's slowness, and
//! of noise.
//!
//! A first fit is by medians, and leaves out outliers; a second is by least squares, with weights for the noise of types.
//! Machines that do not differ are then one machine for a third fit.

use super::read::TaskLog;
use super::{KindFit, MachineFit, MachineUse};
use crate::estimate::Estimate;
use crate::kernels::differences::differing;
use crate::kernels::noise;
use crate::robust::{deviation, median};
use hetsim_cluster::Noise;
use rustc_hash::FxHashMap;
use statrs::distribution::{ContinuousCDF, FisherSnedecor};

/// A task is an outlier from so many robust standard deviations of its type on.
const OUTLIER: f64 = 5.0;

/// The least standard deviation of a logarithm, for clocks that are coarse.
const LEAST_DEVIATION: f64 = 1e-3;

/// The least variance of a mean: rounding.
const LEAST_VARIANCE: f64 = 1e-12;

/// The least tasks of a type for a deviation of its own.
const FEW: usize = 10;

/// The most rounds in which types and machines follow from each other, and the change that ends them.
const ROUNDS: usize = 1000;
const SETTLED: f64 = 1e-10;

/// The rounds of the fit by medians.
const MEDIAN_ROUNDS: usize = 10;

/// The probability of finding a difference where there is none.
const LEVEL: f64 = 0.05;

/// The most tasks by which a distribution is chosen.
const MOST_JUDGED: usize = 100_000;

/// The tasks of a type on a machine, or on machines that do not differ.
#[derive(Debug, Clone, Copy)]
struct Cell {
    kind: usize,
    machine: usize,
    count: f64,
    /// The mean or the median of the logarithms, and the sum of squared distances from it.
    middle: f64,
    squares: f64,
}

/// What was found.
pub(super) struct Speeds {
    pub(super) kinds: Vec<KindFit>,
    pub(super) machines: Vec<MachineFit>,
    pub(super) noise: Noise,
    pub(super) variation: f64,
    pub(super) interaction: f64,
}

/// The parts of the logarithms of times, by number.
struct Effects {
    kinds: Vec<f64>,
    machines: Vec<f64>,
}

impl Effects {
    /// Lets types and machines follow from each other, each as a middle of `(value, weight)`, from no difference on.
    fn of(cells: &[Cell], weights: &[f64], machines: usize, rounds: usize, middle: Middling) -> Self {
        let mut effects = Self { kinds: vec![0.0; weights.len()], machines: vec![0.0; machines] };
        for _ in 0..rounds {
            let mut of_kind = vec![Vec::new(); weights.len()];
            for cell in cells {
                of_kind[cell.kind].push((cell.middle - effects.machines[cell.machine], cell.count));
            }
            effects.kinds = of_kind.into_iter().map(middle).collect();
            let mut of_machine = vec![Vec::new(); machines];
            for cell in cells {
                of_machine[cell.machine]
                    .push((cell.middle - effects.kinds[cell.kind], cell.count * weights[cell.kind]));
            }
            let next: Vec<f64> = of_machine.into_iter().map(middle).collect();
            let change = next.iter().zip(&effects.machines).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            effects.machines = next;
            if change < SETTLED {
                break;
            }
        }
        effects
    }

    /// How far a cell lies from the sum of its parts.
    fn distance(&self, cell: &Cell) -> f64 {
        cell.middle - self.kinds[cell.kind] - self.machines[cell.machine]
    }
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The middle of values with weights; 0 without any.
type Middling = fn(Vec<(f64, f64)>) -> f64;

fn weighted_mean(values: Vec<(f64, f64)>) -> f64 {
    let (sum, weights) =
        values.iter().fold((0.0, 0.0), |all, (value, weight)| (all.0 + value * weight, all.1 + weight));
    if weights > 0.0 { sum / weights } else { 0.0 }
}

fn weighted_median(mut values: Vec<(f64, f64)>) -> f64 {
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    let half = values.iter().map(|(_, weight)| weight).sum::<f64>() / 2.0;
    let mut below = 0.0;
    let upper = values.iter().position(|(_, weight)| {
        below += weight;
        below >= half
    });
    match upper {
        // As a median of an even count, between two.
        Some(at) if below == half && at + 1 < values.len() => f64::midpoint(values[at].0, values[at + 1].0),
        Some(at) => values[at].0,
        None => 0.0,
    }
}

/// A task that succeeded.
struct TimedTask {
    kind: usize,
    machine: usize,
    log: f64,
    is_kept: bool,
}

/// The cells of tasks that are kept, which are in the order of types and machines.
fn cells(tasks: &[TimedTask], middle: fn(&[f64]) -> Option<f64>) -> Vec<Cell> {
    let alike = |task: &TimedTask, next: &TimedTask| (task.kind, task.machine) == (next.kind, next.machine);
    let cell = |own: &[TimedTask]| {
        let logs: Vec<f64> = own.iter().filter(|task| task.is_kept).map(|task| task.log).collect();
        let middle = middle(&logs)?;
        let squares = logs.iter().map(|log| (log - middle).powi(2)).sum();
        Some(Cell { kind: own[0].kind, machine: own[0].machine, count: logs.len() as f64, middle, squares })
    };
    tasks.chunk_by(alike).filter_map(cell).collect()
}

/// By type, the variance of a logarithm: within cells, and between them too if there are `effects`; types of few tasks have
/// that of all. `freedom` is that of all logarithms.
fn variances(cells: &[Cell], effects: Option<&Effects>, kinds: usize, freedom: f64) -> Vec<f64> {
    let mut sums = vec![(0.0, 0.0); kinds];
    for cell in cells {
        let between = effects.map_or(0.0, |effects| cell.count * effects.distance(cell).powi(2));
        sums[cell.kind] = (sums[cell.kind].0 + cell.squares + between, sums[cell.kind].1 + cell.count);
    }
    let (squares, count) = sums.iter().fold((0.0, 0.0), |all, own| (all.0 + own.0, all.1 + own.1));
    let share = (freedom / count).max(f64::MIN_POSITIVE);
    let variance = |squares: f64, count: f64| (squares / (count * share)).max(LEAST_VARIANCE);
    let of = |own: &(f64, f64)| if own.1 < FEW as f64 { variance(squares, count) } else { variance(own.0, own.1) };
    sums.iter().map(of).collect()
}

/// By machine, the number of the first one that it has a type in common with, over others if need be.
fn connected(cells: &[Cell], machines: usize) -> Vec<usize> {
    let mut first: Vec<usize> = (0..machines).collect();
    let mut has_changed = true;
    while has_changed {
        has_changed = false;
        for own in cells.chunk_by(|cell, next| cell.kind == next.kind) {
            let least = own.iter().map(|cell| first[cell.machine]).min().unwrap_or_default();
            for cell in own {
                has_changed |= first[cell.machine] != least;
                first[cell.machine] = least;
            }
        }
    }
    first
}

/// The variance of a machine's slowness, of which the sum of two is that of their difference: exact for two machines, and
/// where each has as many tasks of each type. `None` where it has no type in common with others.
fn variances_of_machines(cells: &[Cell], weights: &[f64], machines: usize) -> Vec<Option<f64>> {
    let mut of_kind = vec![0.0; weights.len()];
    let mut of_both = FxHashMap::default();
    for cell in cells {
        of_kind[cell.kind] += cell.count;
        *of_both.entry((cell.kind, cell.machine)).or_insert(0.0) += cell.count;
    }
    let mut sums = vec![(0.0, 0.0); machines];
    for cell in cells {
        let weight = weights[cell.kind] * cell.count;
        let others = weight * (1.0 - of_both[&(cell.kind, cell.machine)] / of_kind[cell.kind]);
        sums[cell.machine] = (sums[cell.machine].0 + weight, sums[cell.machine].1 + others);
    }
    let all: f64 = sums.iter().map(|sum| sum.0).sum();
    let variance = |(own, others): (f64, f64)| ((1.0 - own / all) / others).max(LEAST_VARIANCE);
    sums.into_iter().map(|sum| (sum.1 > 0.0).then(|| variance(sum))).collect()
}

/// A fit by least squares.
struct LeastFit {
    effects: Effects,
    /// By machine, the variance of its slowness; `None` if there is nothing to tell it by.
    of_machines: Vec<Option<f64>>,
    /// The degrees of freedom of both.
    freedom: f64,
    /// How far machines differ from one type to another beyond noise.
    interaction: f64,
}

impl LeastFit {
    /// Fits cells of some types and machines.
    fn of(cells: &[Cell], kinds: usize, machines: usize) -> Self {
        let count: f64 = cells.iter().map(|cell| cell.count).sum();
        let parameters = (kinds + machines - 1) as f64;
        let within = count - cells.len() as f64;
        let is_within = within >= FEW as f64;
        let freedom = if is_within { within } else { count - parameters };
        let mut effects = Effects::of(cells, &vec![1.0; kinds], machines, ROUNDS, weighted_mean);
        let known = variances(cells, (!is_within).then_some(&effects), kinds, freedom);
        let weights: Vec<f64> = known.iter().map(|variance| 1.0 / variance).collect();
        effects = Effects::of(cells, &weights, machines, ROUNDS, weighted_mean);
        let (excess, interaction) = if is_within {
            interaction(cells, &effects, &known, cells.len() as f64 - parameters, freedom)
        } else {
            (1.0, 0.0)
        };
        let of_machines = variances_of_machines(cells, &weights, machines);
        let of_machines = of_machines.into_iter().map(|own| own.filter(|_| freedom >= 1.0).map(|own| own * excess));
        Self { of_machines: of_machines.collect(), effects, freedom, interaction }
    }
}

/// How far cells lie from the sum of their parts beyond noise: the squares over what is expected, and the relative
/// deviation; 1 and 0 where an F test does not find any.
fn interaction(cells: &[Cell], effects: &Effects, variances: &[f64], own: f64, within: f64) -> (f64, f64) {
    let squares: f64 =
        cells.iter().map(|cell| cell.count * effects.distance(cell).powi(2) / variances[cell.kind]).sum();
    let expected = FisherSnedecor::new(own, within).ok();
    if expected.is_none_or(|expected| expected.sf(squares / own) >= LEVEL) {
        return (1.0, 0.0);
    }
    let raised = cells.iter().map(|cell| cell.count / variances[cell.kind]).sum::<f64>() * own / cells.len() as f64;
    (squares / own, ((squares - own) / raised).max(0.0).sqrt())
}

/// The machines in groups that do not differ, by number: those that do not differ from most, then of the others those that
/// do not differ from each other, and so on. A machine without a variance is alone.
fn groups(fit: &LeastFit) -> Vec<usize> {
    let mut groups: Vec<usize> = vec![0; fit.of_machines.len()];
    let mut left: Vec<usize> = (0..groups.len()).filter(|&machine| fit.of_machines[machine].is_some()).collect();
    let mut number = 0;
    while !left.is_empty() {
        let means: Vec<(f64, f64)> =
            left.iter().map(|&at| (fit.effects.machines[at], fit.of_machines[at].unwrap_or(LEAST_VARIANCE))).collect();
        let differ = differing(&means, &vec![fit.freedom; left.len()]);
        left.iter().zip(&differ).filter(|(_, differs)| !**differs).for_each(|(&machine, _)| groups[machine] = number);
        left = left.into_iter().zip(differ).filter(|(_, differs)| *differs).map(|(machine, _)| machine).collect();
        number += 1;
    }
    for (group, variance) in groups.iter_mut().zip(&fit.of_machines) {
        if variance.is_none() {
            (*group, number) = (number, number + 1);
        }
    }
    groups
}

/// The tasks that succeeded, in the order of types and machines, without outliers; and those of the log by that.
fn robust_tasks(log: &TaskLog) -> Vec<TimedTask> {
    let timed = log.tasks.iter().filter(|task| !task.has_failed && task.seconds > 0.0).map(|task| TimedTask {
        kind: task.kind as usize,
        machine: task.machine as usize,
        log: task.seconds.ln(),
        is_kept: true,
    });
    let mut tasks: Vec<TimedTask> = timed.collect();
    tasks.sort_unstable_by(|a, b| (a.kind, a.machine).cmp(&(b.kind, b.machine)).then(a.log.total_cmp(&b.log)));
    let (kinds, machines) = (log.kinds().len(), log.machines().len());
    let cells = cells(&tasks, median);
    let effects = Effects::of(&cells, &vec![1.0; kinds], machines, MEDIAN_ROUNDS, weighted_median);
    let residual = |task: &TimedTask| task.log - effects.kinds[task.kind] - effects.machines[task.machine];
    let all: Vec<f64> = tasks.iter().map(residual).collect();
    let of_all = deviation(&all).unwrap_or_default();
    let mut begin = 0;
    let alike: Vec<usize> = tasks.chunk_by(|task, next| task.kind == next.kind).map(<[_]>::len).collect();
    for length in alike {
        let own = begin..begin + length;
        let known = deviation(&all[own.clone()]).filter(|_| length >= FEW).unwrap_or(of_all);
        for at in own {
            tasks[at].is_kept = all[at].abs() <= OUTLIER * known.max(LEAST_DEVIATION);
        }
        begin += length;
    }
    tasks
}

impl Speeds {
    /// Fits a log; `None` if no task succeeded.
    pub(super) fn of(log: &TaskLog) -> Option<Self> {
        let tasks = robust_tasks(log);
        let kinds = log.kinds().len();
        let itself: Vec<usize> = (0..log.machines().len()).collect();
        let own = cells(&tasks, mean);
        if own.is_empty() {
            return None;
        }
        let first = connected(&own, itself.len());
        let groups = groups(&LeastFit::of(&own, kinds, itself.len()));
        let merged: Vec<Cell> = own.iter().map(|cell| Cell { machine: groups[cell.machine], ..*cell }).collect();
        let count = groups.iter().max().map_or(0, |last| last + 1);
        let fit = LeastFit::of(&merged, kinds, count);
        // Machines are compared with those of the part of the log that has most tasks.
        let mut of_part = vec![0.0; itself.len()];
        own.iter().for_each(|cell| of_part[first[cell.machine]] += cell.count);
        let part = (0..of_part.len()).max_by(|&a, &b| of_part[a].total_cmp(&of_part[b]).then(b.cmp(&a)))?;
        let ran = |machine: usize| own.iter().any(|cell| cell.machine == machine);
        let compared: Vec<bool> = itself.iter().map(|&machine| first[machine] == part && ran(machine)).collect();
        let slowness = |machine: usize| fit.effects.machines[groups[machine]];
        let mut order: Vec<usize> = itself.iter().copied().filter(|&machine| compared[machine]).collect();
        order.sort_by(|&a, &b| slowness(a).total_cmp(&slowness(b)));
        let median = order[order.len() / 2];
        let machines = itself.iter().map(|&machine| {
            let is_other = compared[machine] && groups[machine] != groups[median];
            let value = if is_other { slowness(median) - slowness(machine) } else { 0.0 };
            let variances = fit.of_machines[groups[machine]].zip(fit.of_machines[groups[median]]).filter(|_| is_other);
            let error = variances.map(|(own, other)| (own + other).sqrt());
            let interval = Estimate { value, error, freedom: fit.freedom }.interval();
            MachineFit {
                tasks: 0,
                speed: value.exp(),
                interval: interval.map(|(low, high)| (low.exp(), high.exp())),
                group: groups[machine],
                is_compared: compared[machine],
                used: MachineUse { slots: 1, wait: None, turnaround: None },
            }
        });
        let mut machines: Vec<MachineFit> = machines.collect();
        tasks.iter().for_each(|task| machines[task.machine].tasks += 1);
        let (kinds, noise, variation) = of_kinds(&tasks, &machines, kinds);
        Some(Self { kinds, machines, noise, variation, interaction: fit.interaction })
    }
}

/// What tasks of each type take on the median machine and how they vary, over all types too, and the distribution.
fn of_kinds(tasks: &[TimedTask], machines: &[MachineFit], kinds: usize) -> (Vec<KindFit>, Noise, f64) {
    let mut fits = vec![KindFit::default(); kinds];
    let mut ratios = Vec::with_capacity(tasks.len());
    let (mut squares, mut freedom) = (0.0, 0.0);
    for own in tasks.chunk_by(|task, next| task.kind == next.kind) {
        let kept = own.iter().filter(|task| task.is_kept);
        let seconds: Vec<f64> = kept.map(|task| task.log.exp() * machines[task.machine].speed).collect();
        let fit = &mut fits[own[0].kind];
        (fit.tasks, fit.outliers) = (own.len(), own.len() - seconds.len());
        let count = seconds.len() as f64;
        fit.seconds = seconds.iter().sum::<f64>() / count;
        let sum: f64 = seconds.iter().map(|own| (own / fit.seconds - 1.0).powi(2)).sum();
        if seconds.len() > 1 {
            fit.variation = (sum / (count - 1.0)).sqrt();
            let error = Some(fit.seconds * fit.variation / count.sqrt());
            fit.interval = Estimate { value: fit.seconds, error, freedom: count - 1.0 }.interval();
            (squares, freedom) = (squares + sum, freedom + count - 1.0);
            ratios.extend(seconds.iter().map(|own| (own / fit.seconds, fit.variation)));
        }
    }
    let each = ratios.len().div_ceil(MOST_JUDGED).max(1);
    let noise = noise::distribution(&ratios.iter().step_by(each).copied());
    (fits, noise, if freedom > 0.0 { (squares / freedom).sqrt() } else { 0.0 })
}
