//! The speeds of machines: the logarithm of a task's time is the sum of what its type takes, of its machine's slowness, and
//! of noise.
//!
//! A first fit is by medians, and leaves out outliers; a second is by least squares, with weights for the noise of types.
//! Machines that do not differ are then one machine for a third fit.
//!
//! A machine whose speed changed is here a machine for each part of the log (`changes`): none of its tasks is an outlier for
//! the change, and none of its speeds a mean of several. At the end the parts are put together.

use super::changes::SteadyParts;
use super::read::TaskLog;
use super::{FEW, KindFit, LEAST_DEVIATION, MachineFit, MachinePart, MachineUse, TaskFit};
use crate::estimate::Estimate;
use crate::kernels::differences::differing;
use crate::kernels::noise;
use crate::robust::{deviation, median};
use hetsim_cluster::Noise;
use rustc_hash::FxHashMap;

/// A task is an outlier from so many robust standard deviations of its type on.
const OUTLIER: f64 = 5.0;

/// The least variance of a mean: rounding.
const LEAST_VARIANCE: f64 = 1e-12;

/// The standard deviations, in steps of the clock, of a task's time between two instants that are cut off (√(2/12), of two uniform
/// errors), and of a mean time (√(1/12)). The error of a mean does not vanish: where starts follow a cycle, the same part
/// of a step is cut off from all of them.
const CUT_OFF: f64 = 0.408_248_290_463_863;
const CUT_OFF_ALIKE: f64 = 0.288_675_134_594_813;

/// The most rounds in which types and machines follow from each other, and the change that ends them.
const ROUNDS: usize = 1000;
const SETTLED: f64 = 1e-10;

/// The rounds of the fit by medians.
const MEDIAN_ROUNDS: usize = 10;

/// The most tasks by which a distribution is chosen.
const MOST_JUDGED: usize = 100_000;

/// The tasks of a type on a machine, or on machines that do not differ.
#[derive(Debug, Clone, Copy)]
struct TypeOnMachine {
    kind: usize,
    machine: usize,
    count: f64,
    /// The mean or the median of the logarithms, and the sum of squared distances from it.
    middle: f64,
    squares: f64,
}

/// The parts of the logarithms of times, by number.
struct Effects {
    kinds: Vec<f64>,
    machines: Vec<f64>,
}

impl Effects {
    /// Lets types and machines follow from each other, each as a middle of `(value, weight)`, from no difference on.
    fn of(cells: &[TypeOnMachine], weights: &[f64], machines: usize, rounds: usize, middle: Middling) -> Self {
        let mut effects = Self { kinds: vec![0.0; weights.len()], machines: vec![0.0; machines] };
        for _ in 0..rounds {
            let mut of_kind = vec![Vec::new(); weights.len()];
            for cell in cells {
                of_kind[cell.kind].push((cell.middle - effects.machines[cell.machine], cell.count));
            }
            effects.kinds = of_kind.iter_mut().map(|own| middle(own)).collect();
            let mut of_machine = vec![Vec::new(); machines];
            for cell in cells {
                of_machine[cell.machine]
                    .push((cell.middle - effects.kinds[cell.kind], cell.count * weights[cell.kind]));
            }
            let next: Vec<f64> = of_machine.iter_mut().map(|own| middle(own)).collect();
            let change = next.iter().zip(&effects.machines).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            effects.machines = next;
            if change < SETTLED {
                break;
            }
        }
        effects
    }
}

/// The middle of values with weights; 0 without any.
type Middling = fn(&mut [(f64, f64)]) -> f64;

fn weighted_mean(values: &mut [(f64, f64)]) -> f64 {
    let (sum, weights) =
        values.iter().fold((0.0, 0.0), |all, (value, weight)| (all.0 + value * weight, all.1 + weight));
    if weights > 0.0 { sum / weights } else { 0.0 }
}

fn weighted_median(values: &mut [(f64, f64)]) -> f64 {
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
    /// The number of its machine, or of a part of one.
    machine: usize,
    /// The logarithm of its time without what its type has in common over time, and that.
    log: f64,
    trend: f64,
    is_kept: bool,
}

/// The cells of tasks that are kept, which are in the order of types and machines.
fn cells(tasks: &[TimedTask], middle: fn(&[f64]) -> Option<f64>) -> Vec<TypeOnMachine> {
    let alike = |task: &TimedTask, next: &TimedTask| (task.kind, task.machine) == (next.kind, next.machine);
    let cell = |own: &[TimedTask]| {
        let logs: Vec<f64> = own.iter().filter(|task| task.is_kept).map(|task| task.log).collect();
        let middle = middle(&logs)?;
        let squares = logs.iter().map(|log| (log - middle).powi(2)).sum();
        Some(TypeOnMachine { kind: own[0].kind, machine: own[0].machine, count: logs.len() as f64, middle, squares })
    };
    tasks.chunk_by(alike).filter_map(cell).collect()
}

/// By type, the variance of a logarithm; types of few tasks have that of all. `freedom` is that of all logarithms.
fn variances(cells: &[TypeOnMachine], effects: &Effects, freedom: f64) -> Vec<f64> {
    let mut sums = vec![(0.0, 0.0); effects.kinds.len()];
    for cell in cells {
        let distance = cell.middle - effects.kinds[cell.kind] - effects.machines[cell.machine];
        let sum = &mut sums[cell.kind];
        *sum = (sum.0 + cell.squares + cell.count * distance.powi(2), sum.1 + cell.count);
    }
    let (squares, count) = sums.iter().fold((0.0, 0.0), |all, own| (all.0 + own.0, all.1 + own.1));
    let share = (freedom / count).max(f64::MIN_POSITIVE);
    let variance = |(squares, count): (f64, f64)| (squares / (count * share)).max(LEAST_VARIANCE);
    sums.iter().map(|&own| variance(if own.1 < FEW as f64 { (squares, count) } else { own })).collect()
}

/// By machine, the number of the first one that it has a type in common with, over others if need be.
fn connected(cells: &[TypeOnMachine], machines: usize) -> Vec<usize> {
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
fn variances_of_machines(cells: &[TypeOnMachine], weights: &[f64], machines: usize) -> Vec<Option<f64>> {
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

/// By machine, the variance of its slowness since its times are cut off.
fn cut_off(cells: &[TypeOnMachine], machines: usize, clock: f64) -> Vec<f64> {
    let mut sums = vec![(0.0, 0.0); machines];
    for cell in cells {
        let sum = &mut sums[cell.machine];
        *sum = (sum.0 + cell.count * cell.middle, sum.1 + cell.count);
    }
    // A machine without tasks has no variance to add to.
    sums.into_iter().map(|(logs, count): (f64, f64)| (CUT_OFF_ALIKE * clock / (logs / count).exp()).powi(2)).collect()
}

/// A fit by least squares.
struct LeastFit {
    effects: Effects,
    /// By machine, the variance of its slowness; `None` if there is nothing to tell it by.
    of_machines: Vec<Option<f64>>,
    /// The degrees of freedom of that.
    freedom: f64,
}

impl LeastFit {
    /// Fits cells of some types and machines, by a clock of this step.
    fn of(cells: &[TypeOnMachine], kinds: usize, machines: usize, clock: f64) -> Self {
        let count: f64 = cells.iter().map(|cell| cell.count).sum();
        let freedom = count - (kinds + machines - 1) as f64;
        let even = Effects::of(cells, &vec![1.0; kinds], machines, ROUNDS, weighted_mean);
        let weights: Vec<f64> = variances(cells, &even, freedom).iter().map(|variance| 1.0 / variance).collect();
        let effects = Effects::of(cells, &weights, machines, ROUNDS, weighted_mean);
        let mut of_machines = variances_of_machines(cells, &weights, machines);
        for (variance, cut_off) in of_machines.iter_mut().zip(cut_off(cells, machines, clock)) {
            *variance = variance.map(|variance| variance + cut_off);
        }
        if freedom < 1.0 {
            of_machines.fill(None);
        }
        Self { effects, of_machines, freedom }
    }
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

/// The tasks that succeeded, in the order of types and machines; outliers, and those that may have run across a change,
/// are not kept.
fn robust_tasks(log: &TaskLog, steady: &SteadyParts) -> Vec<TimedTask> {
    let timed = log.tasks.iter().enumerate().filter(|(_, task)| task.tells_speed());
    let timed = timed.map(|(number, task)| {
        let (kind, machine) = (task.kind as usize, steady.of_tasks[number]);
        let trend = steady.trend.get(number).copied().unwrap_or(0.0);
        TimedTask { kind, machine, log: task.seconds.ln() - trend, trend, is_kept: !steady.is_across[number] }
    });
    let mut tasks: Vec<TimedTask> = timed.collect();
    tasks.sort_unstable_by(|a, b| (a.kind, a.machine).cmp(&(b.kind, b.machine)).then(a.log.total_cmp(&b.log)));
    // A type has no others to tell of it.
    for own in tasks.chunk_by_mut(|task, next| task.kind == next.kind) {
        if own.iter().all(|task| !task.is_kept) {
            for task in own {
                task.is_kept = true;
            }
        }
    }
    let (kinds, machines) = (log.kinds().len(), steady.parts.len());
    let cells = cells(&tasks, median);
    let effects = Effects::of(&cells, &vec![1.0; kinds], machines, MEDIAN_ROUNDS, weighted_median);
    let residual = |task: &TimedTask| task.log - effects.kinds[task.kind] - effects.machines[task.machine];
    let all: Vec<f64> = tasks.iter().map(residual).collect();
    let of_all = deviation(&all).unwrap_or_default();
    let clock = log.clock();
    let mut begin = 0;
    let alike: Vec<usize> = tasks.chunk_by(|task, next| task.kind == next.kind).map(<[_]>::len).collect();
    for length in alike {
        let own = begin..begin + length;
        let known = deviation(&all[own.clone()]).filter(|_| length >= FEW).unwrap_or(of_all);
        for at in own {
            let cut_off = CUT_OFF * clock / (tasks[at].log - all[at]).exp();
            tasks[at].is_kept &= all[at].abs() <= OUTLIER * known.max(LEAST_DEVIATION).max(cut_off);
        }
        begin += length;
    }
    tasks
}

/// Fits a log but for its slots and changes of speed, which are known; `None` if no task succeeded and took time.
pub(super) fn of(log: &TaskLog, steady: &SteadyParts) -> Option<TaskFit> {
    let tasks = robust_tasks(log, steady);
    if tasks.is_empty() {
        return None;
    }
    let (kinds, count) = (log.kinds().len(), steady.parts.len());
    let own = cells(&tasks, |logs| (!logs.is_empty()).then(|| logs.iter().sum::<f64>() / logs.len() as f64));
    let first = connected(&own, count);
    let groups = groups(&LeastFit::of(&own, kinds, count, log.clock()));
    let merged: Vec<TypeOnMachine> =
        own.iter().map(|cell| TypeOnMachine { machine: groups[cell.machine], ..*cell }).collect();
    let fit = LeastFit::of(&merged, kinds, groups.iter().max()? + 1, log.clock());
    let speeds = Speeds::of(fit, groups, &first, &tasks, steady)?;
    let machines: Vec<MachineFit> = (0..log.machines().len()).map(|machine| speeds.machine(machine)).collect();
    let of_parts: Vec<f64> =
        steady.parts.iter().zip(0..).map(|(own, part)| speeds.of_part(own.machine, part).value.exp()).collect();
    let (kinds, noise, variation) = of_kinds(&tasks, &of_parts, kinds);
    let (alone, mean_turnaround, between_starts, transfers) = (None, None, None, None);
    Some(TaskFit { kinds, machines, noise, variation, alone, mean_turnaround, between_starts, transfers })
}

/// The speeds of machines and of their parts.
struct Speeds {
    fit: LeastFit,
    /// By part, its number in that fit.
    groups: Vec<usize>,
    /// By part, its tasks.
    tasks: Vec<usize>,
    /// By part, whether it is compared with most of the log.
    is_compared: Vec<bool>,
    /// By part, the seconds from the first start on at which it begins.
    from: Vec<f64>,
    /// By machine, its parts over time.
    parts: Vec<Vec<usize>>,
    /// By machine, the part that is the fastest.
    fastest: Vec<usize>,
    /// The fastest part of the median machine.
    median: usize,
}

impl Speeds {
    /// `first` is as [`connected`] has it.
    fn of(fit: LeastFit, groups: Vec<usize>, first: &[usize], all: &[TimedTask], steady: &SteadyParts) -> Option<Self> {
        let count = groups.len();
        // Machines are compared with those of the part of the log that has most tasks.
        let mut of_most = vec![0; count];
        let mut tasks = vec![0; count];
        for task in all {
            of_most[first[task.machine]] += 1;
            tasks[task.machine] += 1;
        }
        let most = (0..count).max_by_key(|&part| of_most[part])?;
        let is_compared: Vec<bool> = (0..count).map(|part| first[part] == most && tasks[part] > 0).collect();
        let mut parts = vec![Vec::new(); steady.parts.iter().map(|part| part.machine + 1).max()?];
        for (part, own) in steady.parts.iter().enumerate() {
            parts[own.machine].push(part);
        }
        let slowness = |part: usize| fit.effects.machines[groups[part]];
        let known = |part: usize| if is_compared[part] { slowness(part) } else { f64::INFINITY };
        let faster = |a: usize, b: usize| known(a).total_cmp(&known(b)).then(slowness(a).total_cmp(&slowness(b)));
        let fastest = |own: &Vec<usize>| own.iter().copied().min_by(|&a, &b| faster(a, b)).unwrap_or_default();
        let fastest: Vec<usize> = parts.iter().map(fastest).collect();
        let mut order: Vec<usize> = fastest.iter().copied().filter(|&part| is_compared[part]).collect();
        order.sort_by(|&a, &b| slowness(a).total_cmp(&slowness(b)));
        let median = *order.get(order.len() / 2)?;
        let from = steady.parts.iter().map(|part| part.from).collect();
        Some(Self { fit, groups, tasks, is_compared, from, parts, fastest, median })
    }

    /// The logarithm of a part's speed over that of the median machine, or of the machine's fastest part if that is not
    /// compared.
    fn of_part(&self, machine: usize, part: usize) -> Estimate {
        let fastest = self.fastest[machine];
        let reference = if self.is_compared[fastest] { self.median } else { fastest };
        let [own, other] = [self.groups[part], self.groups[reference]];
        let is_other = own != other && (self.is_compared[part] || !self.is_compared[fastest]);
        let slowness = &self.fit.effects.machines;
        let value = if is_other { slowness[other] - slowness[own] } else { 0.0 };
        let variances = self.fit.of_machines[own].zip(self.fit.of_machines[other]).filter(|_| is_other);
        Estimate { value, error: variances.map(|(own, other)| (own + other).sqrt()), freedom: self.fit.freedom }
    }

    fn machine(&self, machine: usize) -> MachineFit {
        let own = &self.parts[machine];
        let fastest = self.fastest[machine];
        let speed = self.of_part(machine, fastest);
        let interval = |speed: Estimate| speed.interval().map(|(low, high)| (low.exp(), high.exp()));
        // A part that is not compared, or does not differ from the one before, tells of no change.
        let mut parts: Vec<MachinePart> = Vec::new();
        let mut last = None;
        for &part in own.iter().filter(|&&part| self.is_compared[part] == self.is_compared[fastest]) {
            let value = self.of_part(machine, part);
            match parts.last_mut() {
                Some(before) if last == Some(self.groups[part]) => before.tasks += self.tasks[part],
                before => {
                    let (from, tasks) = (before.map_or(0.0, |_| self.from[part]), self.tasks[part]);
                    parts.push(MachinePart { from, tasks, speed: value.value.exp(), interval: interval(value) });
                }
            }
            last = Some(self.groups[part]);
        }
        if parts.len() < 2 {
            parts.clear();
        }
        MachineFit {
            tasks: own.iter().map(|&part| self.tasks[part]).sum(),
            speed: speed.value.exp(),
            interval: interval(speed),
            group: self.groups[fastest],
            is_compared: self.is_compared[fastest],
            used: MachineUse::default(),
            parts,
        }
    }
}

/// What tasks of each type take on the median machine and how they vary, over all types too, and the distribution. Speeds
/// are by part.
fn of_kinds(tasks: &[TimedTask], speeds: &[f64], kinds: usize) -> (Vec<KindFit>, Noise, f64) {
    let mut fits = vec![KindFit::default(); kinds];
    let mut ratios = Vec::with_capacity(tasks.len());
    let (mut squares, mut freedom) = (0.0, 0.0);
    for own in tasks.chunk_by(|task, next| task.kind == next.kind) {
        let kept = own.iter().filter(|task| task.is_kept);
        let seconds: Vec<f64> = kept.map(|task| (task.log + task.trend).exp() * speeds[task.machine]).collect();
        let fit = &mut fits[own[0].kind];
        (fit.tasks, fit.outliers) = (own.len(), own.len() - seconds.len());
        let count = seconds.len() as f64;
        fit.seconds = seconds.iter().sum::<f64>() / count;
        let sum: f64 = seconds.iter().map(|own| (own / fit.seconds - 1.0).powi(2)).sum();
        if seconds.len() > 1 {
            fit.variation = (sum / (count - 1.0)).sqrt();
            let error = Some(fit.seconds * fit.variation / count.sqrt());
            let interval = Estimate { value: fit.seconds, error, freedom: count - 1.0 }.interval();
            fit.interval = interval.filter(|(low, _)| *low > 0.0);
            (squares, freedom) = (squares + sum, freedom + count - 1.0);
            ratios.extend(seconds.iter().map(|own| (own / fit.seconds, fit.variation)));
        }
    }
    let each = ratios.len().div_ceil(MOST_JUDGED).max(1);
    let noise = noise::distribution(&ratios.iter().step_by(each).copied());
    (fits, noise, if freedom > 0.0 { (squares / freedom).sqrt() } else { 0.0 })
}
