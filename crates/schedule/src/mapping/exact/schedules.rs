//! The least makespan over all mappings and orders.
//!
//! Each branch appends a task whose predecessors are scheduled to a processor, in the order of their starts, so the
//! search reaches every semi-active schedule once. A branch is cut if its lower bound reaches the best schedule, if the
//! task could have started before the one placed last, if an explored state with the same tasks was nowhere later, or if
//! it differs from another only by equal processors or equal tasks.

use super::allocation::AllocationSearch;
use super::estimate::{EarliestStarts, PartialSchedule};
use super::instance::{Instance, NEVER};
use super::memory::Memory;
use super::{MOST_COLUMNS, MOST_TASKS, Placed, step};
use crate::Schedule;
use crate::mapping::{Outcome, Problem, Step};
use hetsim_base::units::Time;

/// A branch: the lower bound of its end, and its first placement.
type Branch = (u64, u64, usize, usize);

struct ScheduleSearch<'a> {
    instance: Instance<'a>,
    estimate: EarliestStarts,
    memory: Memory,
    /// A state for each number of scheduled tasks.
    states: Vec<PartialSchedule>,
    branches: Vec<Vec<Branch>>,
    path: Vec<Placed>,
    best: u64,
    found: Option<Vec<Placed>>,
    nodes: u64,
    budget: u64,
    /// The least bound of the unexplored branches.
    open: u64,
    history: Vec<Step>,
}

/// Finds the best schedule from a start within a budget of nodes, of which `by_constraints` at most are searched by
/// constraints.
pub(super) fn solve(problem: &Problem<'_>, start: Schedule, by_constraints: u64, budget: u64) -> Outcome {
    let (graph, makespan) = (problem.graph(), start.makespan());
    let mut outcome = Outcome {
        mapping: Vec::new(),
        value: 0.0,
        schedule: start,
        evaluations: 0,
        bound: None,
        history: vec![step(0, 0, problem.seconds(makespan))],
    };
    let mut bound = makespan.min(simple_bound(problem));
    if bound < makespan && graph.tasks() <= MOST_TASKS {
        let instance = Instance::new(problem);
        let best = instance.units(makespan);
        bound = instance.time(instance.units(bound));
        if bound < makespan && instance.columns <= MOST_COLUMNS {
            let mut search = ScheduleSearch::new(instance, best, budget);
            search.history.append(&mut outcome.history);
            if !search.allocate(by_constraints) {
                search.explore(0, 0);
            }
            bound = bound.max(search.instance.time(search.best.min(search.open)));
            outcome.evaluations = search.nodes;
            if let Some(found) = search.found.take() {
                outcome.schedule = search.schedule(&found);
            }
            outcome.history = search.history;
        }
    }
    outcome.mapping = outcome.schedule.mapping().to_vec();
    outcome.value = problem.seconds(outcome.schedule.makespan());
    outcome.bound = Some(problem.seconds(bound));
    outcome
}

/// The greater of the longest path without messages and the total work shared out, each task with its shortest
/// duration.
fn simple_bound(problem: &Problem<'_>) -> Time {
    let (graph, costs) = (problem.graph(), problem.costs());
    let path = graph.critical_path(|task| costs.shortest(task), |_| Time::ZERO).length;
    let work: Time = graph.ids().map(|task| costs.shortest(task)).sum();
    path.max(Time(work.0.div_ceil(u64::from(costs.processors()))))
}

impl<'a> ScheduleSearch<'a> {
    fn new(instance: Instance<'a>, best: u64, budget: u64) -> Self {
        let (tasks, columns) = (instance.tasks, instance.columns);
        let empty = PartialSchedule { done: 0, front: 0, idle: vec![0; columns], arrival: vec![0; tasks * columns] };
        Self {
            estimate: EarliestStarts::new(&instance),
            memory: Memory::default(),
            states: vec![empty; tasks + 1],
            branches: vec![Vec::new(); tasks + 1],
            path: Vec::with_capacity(tasks),
            instance,
            best,
            found: None,
            nodes: 0,
            budget,
            open: NEVER,
            history: Vec::new(),
        }
    }

    /// Searches by constraints first. Returns whether that proves the best.
    fn allocate(&mut self, budget: u64) -> bool {
        if !AllocationSearch::takes(&self.instance) {
            return false;
        }
        let mut search = AllocationSearch::new(&self.instance, self.best, budget);
        let is_proved = search.run();
        let AllocationSearch { best, found, history, nodes, .. } = search;
        (self.best, self.found, self.nodes) = (best, found, nodes);
        for (nodes, end) in history {
            let value = self.instance.problem.seconds(self.instance.time(end));
            self.history.push(step(self.history.len(), nodes, value));
        }
        is_proved
    }

    /// Explores the state of a depth, at most 64 deep; `least` is a known bound of it.
    fn explore(&mut self, depth: usize, least: u64) {
        if self.nodes >= self.budget {
            self.open = self.open.min(least);
            return;
        }
        self.nodes += 1;
        if depth == self.instance.tasks {
            self.record();
            return;
        }
        let Some(bound) = self.estimate.bound(&self.instance, &self.states[depth], self.best) else { return };
        let columns = self.memory.order(&self.instance, &self.states[depth], &self.estimate);
        let mut branches = std::mem::take(&mut self.branches[depth]);
        branches.clear();
        collect(&self.instance, &self.states[depth], &self.estimate, columns, &mut branches);
        if self.memory.knows(&self.instance, &self.states[depth], &self.estimate, bound) {
            self.branches[depth] = branches;
            return;
        }
        branches.sort_unstable();
        for &(least, start, task, column) in &branches {
            if least >= self.best {
                break;
            }
            self.put(depth, task, column, start);
            self.explore(depth + 1, least.max(bound));
            self.path.pop();
        }
        self.branches[depth] = branches;
    }

    /// Makes the state of the next depth, with one more task.
    fn put(&mut self, depth: usize, task: usize, column: usize, start: u64) {
        let columns = self.instance.columns;
        let finish = start + self.instance.duration[task * columns + column];
        let (before, after) = self.states.split_at_mut(depth + 1);
        let (from, to) = (&before[depth], &mut after[0]);
        to.done = from.done | 1 << task;
        to.front = start;
        to.idle.copy_from_slice(&from.idle);
        to.arrival.copy_from_slice(&from.arrival);
        to.idle[column] = finish;
        for &(next, edge) in &self.instance.out[task] {
            for other in 0..columns {
                let arrival = finish + self.instance.transfer(edge, column, other);
                let known = &mut to.arrival[next * columns + other];
                *known = arrival.max(*known);
            }
        }
        self.path.push(Placed { task, column, finish });
    }

    fn record(&mut self) {
        let end = self.path.iter().map(|placed| placed.finish).max().unwrap_or(0);
        if end < self.best {
            self.best = end;
            self.found = Some(self.path.clone());
            let value = self.instance.problem.seconds(self.instance.time(end));
            self.history.push(step(self.history.len(), self.nodes, value));
        }
    }

    /// The schedule of what was placed, each task as early as the order of its column and its data allow. If that was
    /// placed backwards, it is as long: the same tasks and messages follow each other without a pause.
    fn schedule(&self, found: &[Placed]) -> Schedule {
        let (instance, tasks) = (&self.instance, self.instance.tasks);
        let (graph, costs) = (instance.problem.graph(), instance.problem.costs());
        let mut schedule = Schedule {
            processor: vec![0; tasks],
            start: vec![Time::ZERO; tasks],
            finish: vec![Time::ZERO; tasks],
            sequence: Vec::new(),
        };
        let mut idle = vec![Time::ZERO; instance.columns];
        for index in 0..tasks {
            let Placed { task, column, .. } = found[if instance.backwards { tasks - 1 - index } else { index }];
            let own = instance.processors[column];
            let arrivals = graph.predecessors(task as u32).map(|edge| {
                let from = edge.from as usize;
                schedule.finish[from] + costs.transfer(edge.id, schedule.processor[from], own)
            });
            let start = arrivals.fold(idle[column], Time::max);
            idle[column] = start + costs.duration(task as u32, own);
            (schedule.processor[task], schedule.start[task], schedule.finish[task]) = (own, start, idle[column]);
        }
        schedule
    }
}

/// The branches of a state. Of the columns in which every task could start at the same time, one is enough.
fn collect(
    instance: &Instance<'_>,
    state: &PartialSchedule,
    estimate: &EarliestStarts,
    columns: &[usize],
    branches: &mut Vec<Branch>,
) {
    let count = instance.columns;
    let left = |task: &usize| state.done & 1 << *task == 0;
    let mut before: Option<usize> = None;
    for &column in columns {
        let same = |other: usize| {
            instance.class[other] == instance.class[column]
                && (0..instance.tasks)
                    .filter(left)
                    .all(|task| estimate.start[task * count + other] == estimate.start[task * count + column])
        };
        if before.replace(column).is_some_and(same) {
            continue;
        }
        for task in (0..instance.tasks).filter(left) {
            let start = estimate.start[task * count + column];
            let ready = instance.into[task].iter().all(|&(from, _)| !left(&from));
            let first = instance.twin[task].is_none_or(|twin| !left(&twin));
            // It would start later than it could: another branch has placed it before the task placed last.
            let late = state.earliest(task * count + column, column) < state.front;
            if ready && first && !late && start != NEVER {
                let end = start + instance.duration[task * count + column] + instance.tail[task * count + column];
                branches.push((end, start, task, column));
            }
        }
    }
}
