//! Evaluates the costs of mappings without allocating.

use super::dispatch::Dispatch;
use super::{Objective, Outcome, Problem, Step};
use crate::Schedule;
use hetsim_base::units::Time;

/// Evaluates mappings of one problem: whole mappings, or single moves from a current one.
///
/// For the cut, a move costs O(degree). For the makespan, the tasks before the moved one keep their times and the rest
/// is recomputed. The parallel time, whose order depends on everything, is recomputed in full.
#[derive(Debug)]
pub struct Evaluator<'a> {
    problem: &'a Problem<'a>,
    /// The current mapping.
    mapping: Vec<u32>,
    state: State,
    /// The last tried move: a task, its new processor, and the effect.
    tried: Option<(u32, u32, Tried)>,
    evaluations: u64,
}

/// The effect of a move.
#[derive(Debug, Clone, Copy)]
enum Tried {
    Cut(Time, u64),
    Time,
}

#[derive(Debug)]
enum State {
    Cut { cut: Time, squares: u64, counts: Vec<u64> },
    Makespan(Box<SemiActive>),
    ParallelTime { dispatch: Box<Dispatch>, finish: Vec<Time> },
}

/// The semi-active schedule by priority.
#[derive(Debug)]
struct SemiActive {
    /// The position of each task in the priority order.
    place: Vec<u32>,
    finish: Vec<Time>,
    /// The ends with the tried move; entries up to the moved task's position are not used.
    next: Vec<Time>,
    idle: Vec<Time>,
}

impl SemiActive {
    /// Computes the ends from a position in the priority order on into `next`, taking the first `from` from `finish`,
    /// and returns the last end of all.
    fn run(&mut self, problem: &Problem<'_>, mapping: &[u32], from: usize) -> Time {
        let (graph, costs) = (problem.graph(), problem.costs());
        let (before, after) = problem.priority().split_at(from);
        self.idle.fill(Time::ZERO);
        let mut last = Time::ZERO;
        for &task in before {
            let finish = self.finish[task as usize];
            self.next[task as usize] = finish;
            self.idle[mapping[task as usize] as usize] = finish;
            last = last.max(finish);
        }
        for &task in after {
            let own = mapping[task as usize];
            let mut start = self.idle[own as usize];
            for edge in graph.predecessors(task) {
                let from = mapping[edge.from as usize];
                start = start.max(self.next[edge.from as usize] + costs.transfer(edge.id, from, own));
            }
            let finish = start + costs.duration(task, own);
            self.next[task as usize] = finish;
            self.idle[own as usize] = finish;
            last = last.max(finish);
        }
        last
    }
}

impl<'a> Evaluator<'a> {
    /// An evaluator whose current mapping has all tasks on processor 0.
    #[must_use]
    pub fn new(problem: &'a Problem<'a>) -> Self {
        let (tasks, processors) = (problem.graph().tasks(), problem.costs().processors() as usize);
        let state = match problem.objective() {
            Objective::Cut => State::Cut { cut: Time::ZERO, squares: 0, counts: vec![0; processors] },
            Objective::Makespan => State::Makespan(Box::new(SemiActive::new(problem))),
            Objective::ParallelTime => {
                State::ParallelTime { dispatch: Box::new(Dispatch::new(problem)), finish: vec![Time::ZERO; tasks] }
            }
        };
        let mut evaluator = Self { problem, mapping: vec![0; tasks], state, tried: None, evaluations: 0 };
        evaluator.set(&vec![0; tasks]);
        evaluator.evaluations = 0;
        evaluator
    }

    /// The current mapping.
    #[must_use]
    pub fn mapping(&self) -> &[u32] {
        &self.mapping
    }

    /// The number of processors.
    pub(super) fn processors(&self) -> u32 {
        self.problem.costs().processors()
    }

    /// The number of evaluated mappings.
    #[must_use]
    pub fn evaluations(&self) -> u64 {
        self.evaluations
    }

    /// Sets the current mapping and returns its cost in seconds. It must have one of the problem's processors for each
    /// task.
    pub fn set(&mut self, mapping: &[u32]) -> f64 {
        self.mapping.copy_from_slice(mapping);
        self.tried = None;
        self.evaluations += 1;
        let problem = self.problem;
        match &mut self.state {
            State::Cut { cut, squares, counts } => {
                counts.fill(0);
                for &processor in mapping {
                    counts[processor as usize] += 1;
                }
                *squares = counts.iter().map(|count| count * count).sum();
                let cuts = problem.graph().edges().map(|edge| {
                    problem.costs().transfer(edge.id, mapping[edge.from as usize], mapping[edge.to as usize])
                });
                *cut = cuts.sum();
                problem.cut_value(*cut, *squares)
            }
            State::Makespan(semi) => {
                let last = semi.run(problem, mapping, 0);
                std::mem::swap(&mut semi.finish, &mut semi.next);
                problem.seconds(last)
            }
            State::ParallelTime { dispatch, finish } => problem.seconds(dispatch.run(problem, mapping, finish)),
        }
    }

    /// The cost in seconds of the current mapping with one task moved to another processor. [`Self::accept`] makes the
    /// move.
    pub fn try_move(&mut self, task: u32, to: u32) -> f64 {
        self.evaluations += 1;
        let problem = self.problem;
        let from = self.mapping[task as usize];
        let (value, tried) = match &mut self.state {
            State::Cut { cut, squares, counts } => {
                let change = |processor| touching(problem, &self.mapping, task, processor);
                let next = *cut - change(from) + change(to);
                let squares = if from == to {
                    *squares
                } else {
                    // (a − 1)² + (b + 1)² = a² + b² + 2 (b − a + 1), where the sum of squares holds a² itself.
                    *squares + 2 * (counts[to as usize] + 1) - 2 * counts[from as usize]
                };
                (problem.cut_value(next, squares), Tried::Cut(next, squares))
            }
            State::Makespan(semi) => {
                self.mapping[task as usize] = to;
                let place = semi.place[task as usize] as usize;
                let last = semi.run(problem, &self.mapping, place);
                (problem.seconds(last), Tried::Time)
            }
            State::ParallelTime { dispatch, finish } => {
                self.mapping[task as usize] = to;
                (problem.seconds(dispatch.run(problem, &self.mapping, finish)), Tried::Time)
            }
        };
        self.mapping[task as usize] = from;
        self.tried = Some((task, to, tried));
        value
    }

    /// Makes the last tried move, if one was tried since the current mapping was set.
    pub fn accept(&mut self) {
        let Some((task, to, tried)) = self.tried.take() else { return };
        let from = std::mem::replace(&mut self.mapping[task as usize], to);
        match (&mut self.state, tried) {
            (State::Cut { cut, squares, counts }, Tried::Cut(next_cut, next_squares)) => {
                (*cut, *squares) = (next_cut, next_squares);
                counts[from as usize] -= 1;
                counts[to as usize] += 1;
            }
            (State::Makespan(semi), _) => std::mem::swap(&mut semi.finish, &mut semi.next),
            _ => {}
        }
    }

    /// The schedule of a mapping, as in [`Problem::schedule`]. The mapping becomes the current one.
    pub(super) fn schedule(&mut self, mapping: &[u32]) -> Schedule {
        self.set(mapping);
        let problem = self.problem;
        let finish = match &self.state {
            State::Makespan(semi) => semi.finish.clone(),
            State::ParallelTime { finish, .. } => finish.clone(),
            State::Cut { .. } => {
                let mut semi = SemiActive::new(problem);
                semi.run(problem, mapping, 0);
                semi.next
            }
        };
        let duration = |task: u32| problem.costs().duration(task, mapping[task as usize]);
        let start = problem.graph().ids().map(|task| finish[task as usize] - duration(task)).collect();
        // The three lists have one entry per task.
        Schedule { processor: mapping.to_vec(), start, finish, sequence: Vec::new() }
    }
}

impl SemiActive {
    fn new(problem: &Problem<'_>) -> Self {
        let tasks = problem.graph().tasks();
        let mut place = vec![0; tasks];
        for (index, &task) in (0u32..).zip(problem.priority()) {
            place[task as usize] = index;
        }
        let idle = vec![Time::ZERO; problem.costs().processors() as usize];
        Self { place, finish: vec![Time::ZERO; tasks], next: vec![Time::ZERO; tasks], idle }
    }
}

impl Problem<'_> {
    /// The cost of a mapping in seconds. It must have a processor for each task.
    #[must_use]
    pub fn value(&self, mapping: &[u32]) -> f64 {
        Evaluator::new(self).set(mapping)
    }

    /// The schedule of a mapping: by the paper's rule if the parallel time is minimised, otherwise each processor's
    /// tasks by priority. The mapping must have a processor for each task.
    #[must_use]
    pub fn schedule(&self, mapping: &[u32]) -> Schedule {
        Evaluator::new(self).schedule(mapping)
    }

    /// An outcome without a proof.
    pub(super) fn outcome(&self, mapping: Vec<u32>, value: f64, evaluations: u64, history: Vec<Step>) -> Outcome {
        let schedule = self.schedule(&mapping);
        Outcome { mapping, value, schedule, evaluations, bound: None, history }
    }
}

/// The communication of a task with its neighbours if it were on a processor.
fn touching(problem: &Problem<'_>, mapping: &[u32], task: u32, processor: u32) -> Time {
    let (graph, costs) = (problem.graph(), problem.costs());
    let into = graph.predecessors(task).map(|edge| costs.transfer(edge.id, mapping[edge.from as usize], processor));
    let out = graph.successors(task).map(|edge| costs.transfer(edge.id, processor, mapping[edge.to as usize]));
    into.chain(out).sum()
}
