//! The exact optimum by branch and bound.
//!
//! For the cut, the search covers mappings. For the parallel time and the makespan, it covers mappings together with
//! the orders of the tasks on their processors. The value is the least end of any schedule without duplication and
//! preemption, which neither rule of order beats with any mapping.
//!
//! For the makespan and the parallel time there are two searches. The first one, for up to 36 tasks, is by constraints
//! (`allocation.rs`). If a small part of the nodes does not prove its best schedule, the second one goes on from there, in
//! the order of starts (`schedules.rs`).
//!
//! Up to 12 tasks the search runs until the optimum is proved. Above that it may end after a number of nodes and
//! reports the proven bound: the least bound of the unexplored nodes. Beyond 64 tasks, or 256 different processors, it
//! only compares bounds of the whole problem with the best start. Every search starts from the best of a list schedule
//! by upward rank, a short annealing and the given mapping if there is one, improved by single moves.

mod allocation;
mod cut;
mod estimate;
mod instance;
mod memory;
mod schedules;
mod windows;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Annealing, Evaluator, Objective, Outcome, Problem, Step};
use crate::Schedule;
use hetsim_base::engine::Streams;
use hetsim_base::units::Time;

/// The optimum is always proved for at most this many tasks.
const ALWAYS: usize = 12;
/// A set of tasks is one machine word.
const MOST_TASKS: usize = 64;
/// How many nodes in the order of starts take about as long as one by constraints, for 30 tasks. The search by constraints gets
/// that part of all nodes. For 50 tasks it would be 150, hence the limit in `allocation.rs`.
const COST: u64 = 20;
/// The maximum number of table columns for different processors.
const MOST_COLUMNS: usize = 256;

/// `[workload.exact]`: the optimum where it is proved, else the best that was found and a bound.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Exact {
    /// The maximum number of explored nodes for more than 12 tasks.
    pub nodes: u64,
}

impl Default for Exact {
    fn default() -> Self {
        Self { nodes: 1_000_000 }
    }
}

impl Exact {
    /// The maximum number of explored nodes for this many tasks.
    fn budget(&self, tasks: usize) -> u64 {
        if tasks <= ALWAYS { u64::MAX } else { self.nodes }
    }

    pub(super) fn solve(&self, problem: &Problem<'_>, given: Option<&[u32]>) -> Outcome {
        let mut starts = vec![greedy(problem).mapping().to_vec()];
        starts.extend(given.map(<[u32]>::to_vec));
        starts.extend(annealed(problem));
        if problem.objective() == Objective::Cut {
            starts.push(vec![0; problem.graph().tasks()]);
            let processors = problem.costs().processors();
            starts.push(even(problem.graph().order(), processors));
            return cut::solve(problem, &improved(problem, &starts), self.budget(problem.graph().tasks()));
        }
        let mapping = improved(problem, &starts);
        // Try the list schedule itself and the rule, since neither is always better.
        let candidates = [greedy(problem), problem.schedule(&mapping)];
        let best = candidates.into_iter().min_by_key(Schedule::makespan);
        // There are two candidates.
        let best = best.unwrap_or_else(|| problem.schedule(&mapping));
        schedules::solve(problem, best, self.nodes / COST, self.budget(problem.graph().tasks()))
    }
}

/// The mapping of a short annealing. Its draws are always the same, so the search remains a function of the problem.
fn annealed(problem: &Problem<'_>) -> Option<Vec<u32>> {
    if problem.graph().tasks() > MOST_TASKS {
        return None;
    }
    let short = Annealing { temperature: 10.0, relative: true, tries: 2, ..Annealing::default() };
    let found = short.solve(problem, None, &mut Streams::new(0, 0).stream("exact", 0));
    found.ok().map(|found| found.mapping)
}

/// Equal shares of tasks, in an order that keeps neighbours close.
fn even(order: &[u32], processors: u32) -> Vec<u32> {
    let mut mapping = vec![0; order.len()];
    let part = order.len().div_ceil(processors as usize).max(1);
    for (processor, tasks) in (0u32..).zip(order.chunks(part)) {
        for &task in tasks {
            mapping[task as usize] = processor;
        }
    }
    mapping
}

/// A list schedule: takes tasks by upward rank and appends each where it ends first.
fn greedy(problem: &Problem<'_>) -> Schedule {
    let (graph, costs) = (problem.graph(), problem.costs());
    let mut idle = vec![Time::ZERO; costs.processors() as usize];
    let (mut processor, mut start, mut finish) =
        (vec![0; graph.tasks()], vec![Time::ZERO; graph.tasks()], vec![Time::ZERO; graph.tasks()]);
    for &task in problem.priority() {
        let mut best = None;
        for own in 0..costs.processors() {
            let arrivals = graph.predecessors(task).map(|edge| {
                let from = edge.from as usize;
                finish[from] + costs.transfer(edge.id, processor[from], own)
            });
            let begin = arrivals.fold(idle[own as usize], Time::max);
            let end = begin + costs.duration(task, own);
            if best.is_none_or(|(least, _, _)| end < least) {
                best = Some((end, begin, own));
            }
        }
        // There is at least one processor.
        let Some((end, begin, own)) = best else { continue };
        let index = task as usize;
        (processor[index], start[index], finish[index]) = (own, begin, end);
        idle[own as usize] = end;
    }
    Schedule { processor, start, finish, sequence: Vec::new() }
}

/// The best mapping after improving each start by single moves. It stops after a round of n(K − 1) moves without an
/// improvement, and after at most a hundred rounds.
fn improved(problem: &Problem<'_>, starts: &[Vec<u32>]) -> Vec<u32> {
    let mut evaluator = Evaluator::new(problem);
    let mut best: Option<(f64, &Vec<u32>)> = None;
    for start in starts {
        let value = evaluator.set(start);
        if best.is_none_or(|(least, _)| value < least) {
            best = Some((value, start));
        }
    }
    let Some((_, start)) = best else { return Vec::new() };
    let mut value = evaluator.set(start);
    // Large problems are for the other methods; here the start must not take longer than the search.
    let rounds = if problem.graph().tasks() <= 10 * MOST_TASKS { 100 } else { 0 };
    for _ in 0..rounds {
        let before = value;
        for task in problem.graph().ids() {
            for to in 0..problem.costs().processors() {
                if to != evaluator.mapping()[task as usize] {
                    let next = evaluator.try_move(task, to);
                    if next < value {
                        evaluator.accept();
                        value = next;
                    }
                }
            }
        }
        if value >= before {
            break;
        }
    }
    evaluator.mapping().to_vec()
}

/// A task placed in a column.
#[derive(Debug, Clone, Copy)]
struct Placed {
    task: usize,
    column: usize,
    finish: u64,
}

/// The members of a set in rising order.
fn bits(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let first = (set != 0).then(|| set.trailing_zeros() as usize);
        set &= set.wrapping_sub(1);
        first
    })
}

/// A step of the history: a better value, found at a node.
fn step(number: usize, nodes: u64, value: f64) -> Step {
    Step { number: number as u64, evaluations: nodes, temperature: None, current: value, best: value }
}
