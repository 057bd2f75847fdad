//! The least cut plus imbalance over all mappings.
//!
//! Tasks are assigned to processors one by one, those with the most communication to earlier tasks first. The bound is
//! the cut so far, plus the least cost of each remaining task for its placed neighbours, plus the squares if the
//! remaining tasks fill up the least loaded processors. If all links are equal, only the first of the empty processors
//! is tried.

use super::{MOST_TASKS, step};
use crate::mapping::{Evaluator, Outcome, Problem, Step};
use hetsim_base::units::Time;

struct Search<'a> {
    problem: &'a Problem<'a>,
    order: Vec<u32>,
    symmetric: bool,
    mapping: Vec<Option<u32>>,
    counts: Vec<u64>,
    /// The cost of a task's edges to placed tasks, for each processor.
    attached: Vec<u64>,
    fill: Vec<u64>,
    best: f64,
    found: Option<Vec<u32>>,
    nodes: u64,
    budget: u64,
    open: f64,
    history: Vec<Step>,
}

/// The best mapping from a start within a budget of nodes.
pub(super) fn solve(problem: &Problem<'_>, start: &[u32], budget: u64) -> Outcome {
    let (tasks, processors) = (problem.graph().tasks(), problem.costs().processors() as usize);
    let value = Evaluator::new(problem).set(start);
    let mut search = Search {
        problem,
        order: order(problem),
        symmetric: (0..problem.graph().edge_count() as u32)
            .all(|edge| problem.costs().uniform_transfer(edge).is_some() || processors == 1),
        mapping: vec![None; tasks],
        counts: vec![0; processors],
        attached: vec![0; if tasks <= MOST_TASKS { tasks * processors } else { 0 }],
        fill: Vec::with_capacity(processors),
        best: value,
        found: None,
        nodes: 0,
        budget: if tasks <= MOST_TASKS { budget } else { 0 },
        open: f64::INFINITY,
        history: vec![step(0, 0, value)],
    };
    let root = problem.cut_value(Time::ZERO, search.least_squares(tasks as u64));
    search.explore(0, 0, root);
    let mapping = search.found.unwrap_or_else(|| start.to_vec());
    let mut outcome = problem.outcome(mapping, search.best, search.nodes, search.history);
    outcome.bound = Some(search.best.min(search.open));
    outcome
}

/// Each next task is the one with the most communication to those before it; ties go to the lowest number.
fn order(problem: &Problem<'_>) -> Vec<u32> {
    let graph = problem.graph();
    if graph.tasks() > MOST_TASKS {
        return Vec::new();
    }
    let mut weight = vec![0.0; graph.tasks()];
    let mut left: Vec<u32> = graph.ids().collect();
    let mut order = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let most = |best: usize, next: usize| {
            if weight[left[next] as usize] > weight[left[best] as usize] { next } else { best }
        };
        let task = left.remove((0..left.len()).fold(0, most));
        for edge in graph.successors(task) {
            weight[edge.to as usize] += problem.costs().mean_transfer(edge.id);
        }
        for edge in graph.predecessors(task) {
            weight[edge.from as usize] += problem.costs().mean_transfer(edge.id);
        }
        order.push(task);
    }
    order
}

impl Search<'_> {
    fn processors(&self) -> usize {
        self.counts.len()
    }

    /// The least sum of squares after assigning this many more tasks.
    fn least_squares(&mut self, tasks: u64) -> u64 {
        self.fill.clear();
        self.fill.extend_from_slice(&self.counts);
        self.fill.sort_unstable();
        let mut left = tasks;
        let mut width = 1;
        // Raise the lowest `width` processors to the next level while tasks remain.
        while width < self.fill.len() {
            let need = (self.fill[width] - self.fill[0]) * width as u64;
            if need > left {
                break;
            }
            left -= need;
            let level = self.fill[width];
            self.fill[..width].fill(level);
            width += 1;
        }
        let (each, more) = (left / width as u64, left % width as u64);
        for (index, count) in (0u64..).zip(&mut self.fill[..width]) {
            *count += each + u64::from(index < more);
        }
        self.fill.iter().map(|count| count * count).sum()
    }

    /// Assigns the task of a depth, at most 64 deep; `least` is a known bound.
    fn explore(&mut self, depth: usize, cut: u64, least: f64) {
        if least >= self.best {
            return;
        }
        if self.nodes >= self.budget {
            self.open = self.open.min(least);
            return;
        }
        self.nodes += 1;
        let Some(&task) = self.order.get(depth) else {
            self.best = least;
            self.found = Some(self.mapping.iter().map(|own| own.unwrap_or_default()).collect());
            self.history.push(step(self.history.len(), self.nodes, least));
            return;
        };
        let mut branches = self.branches(depth, task, cut);
        branches.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (bound, cut, processor) in branches {
            self.place(task, processor, true);
            self.explore(depth + 1, cut, bound.max(least));
            self.place(task, processor, false);
        }
    }

    /// The possible processors of a task, with the resulting bounds and cuts.
    fn branches(&mut self, depth: usize, task: u32, cut: u64) -> Vec<(f64, u64, u32)> {
        let mut branches = Vec::with_capacity(self.processors());
        let left = self.order.len() - depth - 1;
        for processor in 0..self.processors() {
            let here = cut + self.attached[task as usize * self.processors() + processor];
            self.place(task, processor as u32, true);
            let rest: u64 = self.order[depth + 1..].iter().map(|&next| self.least_attached(next)).sum();
            let squares = self.least_squares(left as u64);
            self.place(task, processor as u32, false);
            let bound = self.problem.cut_value(Time(here + rest), squares);
            if bound < self.best {
                branches.push((bound, here, processor as u32));
            }
            if self.symmetric && self.counts[processor] == 0 {
                break;
            }
        }
        branches
    }

    fn least_attached(&self, task: u32) -> u64 {
        let first = task as usize * self.processors();
        self.attached[first..first + self.processors()].iter().copied().min().unwrap_or(0)
    }

    /// Puts a task on a processor, or removes it again.
    fn place(&mut self, task: u32, processor: u32, put: bool) {
        let (graph, costs, processors) = (self.problem.graph(), self.problem.costs(), self.processors());
        self.mapping[task as usize] = put.then_some(processor);
        let count = &mut self.counts[processor as usize];
        *count = if put { *count + 1 } else { *count - 1 };
        let change = |sum: &mut u64, time: Time| *sum = if put { *sum + time.0 } else { *sum - time.0 };
        for edge in graph.successors(task) {
            for other in 0..processors {
                let time = costs.transfer(edge.id, processor, other as u32);
                change(&mut self.attached[edge.to as usize * processors + other], time);
            }
        }
        for edge in graph.predecessors(task) {
            for other in 0..processors {
                let time = costs.transfer(edge.id, other as u32, processor);
                change(&mut self.attached[edge.from as usize * processors + other], time);
            }
        }
    }
}
