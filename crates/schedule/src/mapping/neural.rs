//! The random neural network of Gelenbe as set up in section 3.1 of the paper, and its completion to a working method.
//!
//! A neuron m(i, u) for each task and processor says whether task i should be on processor u; a neuron π(u) for each
//! processor says whether it is heavily loaded. Their excitation probabilities are the fixed point of q = min(1, (Λ + Σ
//! q w⁺) / (r + λ + Σ q w⁻)), with sums over the neurons that send to it. (The paper's Eq. (1) omits r, which its
//! worked form has.) The rates of all signals are 1 for the connections that the paper prints:
//!
//! - m(i, u) excites m(j, u) of a neighbour j in the graph, inhibits m(j, v) of a neighbour or of itself on v ≠ u, and
//!   inhibits m(j, v) of all other tasks j for all v; r(m) = nK is the sum of these rates and the next one;
//! - m(i, u) excites π(u); if q(π(u)) ≈ 1, π(u) inhibits m(i, u) and excites the other π(v); r(π) = n + K − 1 is again
//!   the sum of the rates, so the printed sum over all v excludes u; Λ(π) = n/K, and all other external rates are 0.
//!
//! **As printed, the network decides nothing.** The m-neurons are excited only by each other, a task of degree d by at
//! most d/(nK) of the greatest q; since d < nK, the only fixed point has q(m) = 0 everywhere.
//!
//! **The completion here**: n times, the network is solved and the most excited (task, processor) is taken; its neuron
//! is clamped to 1 and the other neurons of its task to 0. The m-neurons get some external excitation (Λ(m) > 0), so
//! that there is a choice at the start and for tasks without neighbours. "q(π(u)) ≈ 1" is read as: at least its value
//! with an equal share of n/K tasks, 2n/K/(n + K − 1), which is n/(n + 1) for the paper's K = 2. A heavy processor
//! inhibits with a rate comparable to r(m), since the printed 1 vanishes beside nK. A neuron π(u) that counts as heavy
//! stays so until the next clamping.
//!
//! Both rates matter. With Λ(m) = 1 and an inhibition of nK, one placed neighbour outweighs a heavy processor, and a
//! whole connected graph ends up on one processor. With Λ(m) = 10 it takes ten neighbours, and the mapping hardly
//! depends on the inhibition from 1 to 100 nK (`scenarios/aguilar-parameters.toml`); hence the defaults.
//!
//! **Weights.** The printed network knows who communicates, but not how much, nor how long a task takes. Weighted, m(j,
//! v) acts on a neighbour's m(i, u) with c_ij over its mean, and on π(v) with Ω_j over its mean, so that the sums of
//! all rates stay.

use schemars::JsonSchema;
use serde::Deserialize;
use thiserror::Error;

use super::{MappingError, Outcome, Problem, Step, fault};
use crate::Costs;
use hetsim_graph::TaskGraph;

/// The largest change in the last sweep.
const SETTLED: f64 = 1e-14;
/// The maximum number of sweeps, more than any contraction with the printed rates needs.
const SWEEPS: u32 = 10_000;

/// A network that still changes after the maximum number of sweeps.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[error("the neural network did not converge: after {SWEEPS} sweeps, the last one still changed it by {change}")]
pub struct NotConverged {
    /// The greatest change of an excitation probability in the last sweep.
    pub change: f64,
}

/// `[workload.neural]`: the completed random neural network.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Neural {
    /// The external excitation of each (task, processor) neuron (Λ(m)); the paper's network has none.
    pub excitation: f64,
    /// The inhibition of its tasks by a heavily loaded processor, as a fraction of their firing rate nK.
    pub inhibition: f64,
    /// Whether signals weigh what tasks and messages take, each over its mean; all weigh 1 in the paper's network.
    pub weighted: bool,
}

impl Default for Neural {
    fn default() -> Self {
        Self { excitation: 10.0, inhibition: 2.0, weighted: false }
    }
}

/// The excitation probabilities that solve a network.
#[derive(Debug, Clone, PartialEq)]
pub struct Excitations {
    /// The probabilities of m(i, u), task by task.
    pub tasks: Vec<f64>,
    /// The probabilities of π(u).
    pub processors: Vec<f64>,
    /// Whether q(π(u)) counts as 1.
    pub heavy: Vec<bool>,
}

/// The network of a graph.
#[derive(Debug, Clone)]
pub struct Network<'a> {
    graph: &'a TaskGraph,
    processors: u32,
    /// Λ(m).
    excitation: f64,
    /// The rate at which a heavy π(u) inhibits.
    inhibition: f64,
    /// The threshold above which q(π(u)) counts as 1.
    heavy: f64,
    /// The weight of each task in the load of its processor; the paper's network has 1.
    loads: Vec<f64>,
    /// The weight of each edge between the neurons of its tasks; the paper's network has 1.
    ties: Vec<f64>,
    /// The processor of each clamped task.
    clamped: Vec<Option<u32>>,
}

impl<'a> Network<'a> {
    /// The network as printed. "q ≈ 1" is q ≥ 0.95.
    #[must_use]
    pub fn printed(graph: &'a TaskGraph, processors: u32) -> Self {
        let (tasks, edges) = (graph.tasks(), graph.edge_count());
        Self {
            graph,
            processors,
            excitation: 0.0,
            inhibition: 1.0,
            heavy: 0.95,
            loads: vec![1.0; tasks],
            ties: vec![1.0; edges],
            clamped: vec![None; tasks],
        }
    }

    /// The network with the rates of the completion.
    #[must_use]
    pub fn completed(graph: &'a TaskGraph, processors: u32, parameters: &Neural) -> Self {
        let (tasks, count) = (graph.tasks() as f64, f64::from(processors));
        Self {
            excitation: parameters.excitation,
            inhibition: parameters.inhibition * tasks * count,
            heavy: 2.0 * tasks / count / (tasks + count - 1.0),
            ..Self::printed(graph, processors)
        }
    }

    /// Weighs the signals: a task loads its processor by its duration, and an edge ties its tasks by its message's
    /// duration, both over their means.
    #[must_use]
    pub fn weighted(self, costs: &Costs) -> Self {
        let loads = over_mean(self.graph.ids().map(|task| costs.mean_duration(task)).collect());
        let ties = over_mean((0..self.graph.edge_count() as u32).map(|edge| costs.mean_transfer(edge)).collect());
        Self { loads, ties, ..self }
    }

    /// Clamps a task to a processor: its neuron there is always excited, its other neurons never.
    pub fn clamp(&mut self, task: u32, processor: u32) {
        self.clamped[task as usize] = Some(processor);
    }

    /// Solves the equations by sweeps, starting with only the clamped neurons excited. Repeats while a processor turns
    /// out to be heavy that was not before.
    ///
    /// # Errors
    /// [`NotConverged`].
    pub fn solve(&self) -> Result<Excitations, NotConverged> {
        let columns = self.processors as usize;
        let mut found = Excitations {
            tasks: vec![0.0; self.graph.tasks() * columns],
            processors: vec![0.0; columns],
            heavy: vec![false; columns],
        };
        self.solve_from(&mut found)?;
        Ok(found)
    }

    /// As [`Self::solve`], starting from given probabilities, which become the solution. They must belong to a network
    /// with as many tasks and processors.
    ///
    /// # Errors
    /// [`NotConverged`].
    pub fn solve_from(&self, found: &mut Excitations) -> Result<(), NotConverged> {
        let columns = self.processors as usize;
        for (row, clamped) in found.tasks.chunks_mut(columns).zip(&self.clamped) {
            if let Some(own) = clamped {
                row.fill(0.0);
                row[*own as usize] = 1.0;
            }
        }
        found.heavy.fill(false);
        loop {
            self.sweep_until_converged(found)?;
            let mut more = false;
            for (heavy, &q) in found.heavy.iter_mut().zip(&found.processors) {
                // Rounding errors must not distinguish processors of the same load.
                if !*heavy && q >= self.heavy * (1.0 - 1e-9) {
                    (*heavy, more) = (true, true);
                }
            }
            if !more {
                return Ok(());
            }
        }
    }

    fn sweep_until_converged(&self, found: &mut Excitations) -> Result<(), NotConverged> {
        let mut change = 0.0;
        for _ in 0..SWEEPS {
            change = self.sweep(found);
            if change <= SETTLED {
                return Ok(());
            }
        }
        Err(NotConverged { change })
    }

    /// Updates every neuron once from the others and returns the greatest change.
    fn sweep(&self, found: &mut Excitations) -> f64 {
        let columns = self.processors as usize;
        let (tasks, count) = (self.graph.tasks() as f64, f64::from(self.processors));
        let mut change = 0.0_f64;
        let mut all: f64 = found.tasks.iter().sum();
        for task in self.graph.ids().filter(|&task| self.clamped[task as usize].is_none()) {
            let own = task as usize * columns..(task as usize + 1) * columns;
            let row: f64 = found.tasks[own.clone()].iter().sum();
            let sum = |other| self.row(found, other).iter().sum::<f64>();
            let near: f64 = self.neighbours(task).map(|(other, tie)| tie * sum(other)).sum();
            let neighbours: f64 = self.neighbours(task).map(|(other, _)| sum(other)).sum();
            let far = (all - neighbours - row).max(0.0);
            let mut rest = row;
            for column in 0..columns {
                let place = own.start + column;
                let with: f64 = self.neighbours(task).map(|(other, tie)| tie * self.row(found, other)[column]).sum();
                let rivals = (rest - found.tasks[place]).max(0.0);
                let load = if found.heavy[column] { self.inhibition * found.processors[column] } else { 0.0 };
                let against = tasks * count + (near - with).max(0.0) + rivals + far + load;
                let q = ((self.excitation + with) / against).min(1.0);
                change = change.max((q - found.tasks[place]).abs());
                rest += q - found.tasks[place];
                found.tasks[place] = q;
            }
            all += rest - row;
        }
        for column in 0..columns {
            let assigned = found.tasks.iter().skip(column).step_by(columns).zip(&self.loads);
            let assigned: f64 = assigned.map(|(q, load)| q * load).sum();
            let relieved: f64 = (0..columns)
                .filter(|&other| other != column && found.heavy[other])
                .map(|other| found.processors[other])
                .sum();
            let q = ((tasks / count + assigned + relieved) / (tasks + count - 1.0)).min(1.0);
            change = change.max((q - found.processors[column]).abs());
            found.processors[column] = q;
        }
        change
    }

    fn row<'b>(&self, found: &'b Excitations, task: u32) -> &'b [f64] {
        let columns = self.processors as usize;
        &found.tasks[task as usize * columns..(task as usize + 1) * columns]
    }

    /// The neighbours of a task, and how strongly each is tied to it.
    fn neighbours(&self, task: u32) -> impl Iterator<Item = (u32, f64)> + '_ {
        let into = self.graph.predecessors(task).map(|edge| (edge.from, edge.id));
        let ends = into.chain(self.graph.successors(task).map(|edge| (edge.to, edge.id)));
        ends.map(|(other, edge)| (other, self.ties[edge as usize]))
    }

    /// The most excited neuron of an unclamped task. Ties go to the lowest task, then to the least loaded processor,
    /// then to the lowest processor. `None` if all tasks are clamped.
    fn most_excited(&self, found: &Excitations) -> Option<(u32, u32)> {
        let mut best: Option<(f64, f64, (u32, u32))> = None;
        for task in self.graph.ids().filter(|&task| self.clamped[task as usize].is_none()) {
            for (processor, (&q, &load)) in (0u32..).zip(self.row(found, task).iter().zip(&found.processors)) {
                // Values that differ only by rounding count as equal.
                let wins = best.is_none_or(|(most, least, (holder, _))| {
                    let equal = (q - most).abs() <= 1e-11;
                    if equal { holder == task && load < least - 1e-11 } else { q > most }
                });
                if wins {
                    best = Some((q, load, (task, processor)));
                }
            }
        }
        best.map(|(_, _, place)| place)
    }
}

/// The mapping of the printed network: each task goes where its neuron is most excited, ties to the lowest processor.
/// Since all are 0, all tasks end up on processor 0.
pub(super) fn solve_printed(problem: &Problem<'_>) -> Result<Outcome, MappingError> {
    let processors = problem.costs().processors();
    let found = Network::printed(problem.graph(), processors).solve()?;
    let most = |row: &[f64]| (1..row.len()).fold(0, |best, next| if row[next] > row[best] { next } else { best });
    let mapping = found.tasks.chunks(processors as usize).map(|row| most(row) as u32).collect();
    Ok(evaluated(problem, mapping))
}

impl Neural {
    pub(super) fn check(&self) -> Result<(), MappingError> {
        for (key, rate) in [("excitation", self.excitation), ("inhibition", self.inhibition)] {
            if !(rate.is_finite() && rate >= 0.0) {
                return fault(key, "must be 0 or more, and finite");
            }
        }
        Ok(())
    }

    /// The mapping that the completed network decodes to. It depends on the costs only if the network is weighted.
    pub(super) fn decode(&self, problem: &Problem<'_>) -> Result<Vec<u32>, NotConverged> {
        let mut network = Network::completed(problem.graph(), problem.costs().processors(), self);
        if self.weighted {
            network = network.weighted(problem.costs());
        }
        let mut found = network.solve()?;
        let mut mapping = vec![0; problem.graph().tasks()];
        while let Some((task, processor)) = network.most_excited(&found) {
            mapping[task as usize] = processor;
            network.clamp(task, processor);
            network.solve_from(&mut found)?;
        }
        Ok(mapping)
    }

    pub(super) fn solve(&self, problem: &Problem<'_>) -> Result<Outcome, MappingError> {
        Ok(evaluated(problem, self.decode(problem)?))
    }
}

/// Numbers over their mean; ones if that is 0.
fn over_mean(mut numbers: Vec<f64>) -> Vec<f64> {
    let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
    for number in &mut numbers {
        *number = if mean > 0.0 { *number / mean } else { 1.0 };
    }
    numbers
}

fn evaluated(problem: &Problem<'_>, mapping: Vec<u32>) -> Outcome {
    let value = problem.value(&mapping);
    let step = Step { number: 0, evaluations: 1, temperature: None, current: value, best: value };
    problem.outcome(mapping, value, 1, vec![step])
}
