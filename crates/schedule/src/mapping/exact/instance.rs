//! A problem as plain tables, with one column for interchangeable processors.
//!
//! A schedule read backwards is one of the graph with all edges turned around, and as long. The search begins at the end
//! with fewer tasks: there it has fewer choices, and what it places first lies on more paths.

use std::cmp::Reverse;

use crate::mapping::Problem;
use hetsim_base::units::Time;

/// The time of something impossible.
pub(super) const NEVER: u64 = u64::MAX;

/// An edge seen from one end: the task at the other end and the edge number.
pub(super) type End = (usize, u32);

/// The tasks, durations and edges of a problem. All times are counted in a unit of which every duration and message takes a
/// whole number, the largest one: a schedule that is shorter is so by at least that.
pub(super) struct Instance<'a> {
    pub(super) problem: &'a Problem<'a>,
    /// The unit in ticks.
    unit: u64,
    pub(super) tasks: usize,
    pub(super) columns: usize,
    /// The processor of each column.
    pub(super) processors: Vec<u32>,
    /// The class of each column. Columns of a class are interchangeable and adjacent.
    pub(super) class: Vec<u32>,
    /// The durations, task by task, column by column.
    pub(super) duration: Vec<u64>,
    /// The least time from the end of a task in a column to the end of the schedule.
    pub(super) tail: Vec<u64>,
    /// Whether the graph is turned around: its exits come first.
    pub(super) backwards: bool,
    /// The tasks, each after its predecessors.
    pub(super) order: Vec<usize>,
    pub(super) into: Vec<Vec<End>>,
    pub(super) out: Vec<Vec<End>>,
    /// The duration of each edge's message if all links are equal.
    uniform: Option<Vec<u64>>,
    /// For each task, the identical task with the next lower number.
    pub(super) twin: Vec<Option<usize>>,
}

impl<'a> Instance<'a> {
    pub(super) fn new(problem: &'a Problem<'a>) -> Self {
        let (graph, costs) = (problem.graph(), problem.costs());
        let tasks = graph.tasks();
        let edges = graph.edge_count() as u32;
        let alone = costs.processors() == 1;
        let uniform: Option<Vec<u64>> = (0..edges)
            .map(|edge| if alone { Some(0) } else { costs.uniform_transfer(edge).map(|time| time.0) })
            .collect();
        let (processors, class) = columns(problem, uniform.is_some());
        let duration = graph
            .ids()
            .flat_map(|task| processors.iter().map(move |&processor| costs.duration(task, processor).0))
            .collect();
        let into = graph.ids().map(|task| graph.predecessors(task).map(|e| (e.from as usize, e.id)).collect());
        let out = graph.ids().map(|task| graph.successors(task).map(|e| (e.to as usize, e.id)).collect());
        let (mut into, mut out): (Vec<Vec<End>>, Vec<Vec<End>>) = (into.collect(), out.collect());
        let mut order: Vec<usize> = graph.order().iter().map(|&task| task as usize).collect();
        let ends = |side: &[Vec<End>]| side.iter().filter(|ends| ends.is_empty()).count();
        let backwards = ends(&out) < ends(&into);
        if backwards {
            std::mem::swap(&mut into, &mut out);
            order.reverse();
        }
        let mut instance = Self {
            problem,
            unit: 1,
            tasks,
            columns: processors.len(),
            backwards,
            order,
            processors,
            class,
            duration,
            tail: Vec::new(),
            into,
            out,
            uniform,
            twin: vec![None; tasks],
        };
        instance.count_in_units();
        instance.find_twins();
        instance.find_tails();
        instance
    }

    /// The unit of unequal links is a tick: their messages are not all looked at.
    fn count_in_units(&mut self) {
        let Some(transfers) = &mut self.uniform else { return };
        let all = || self.duration.iter().chain(transfers.iter()).copied();
        self.unit = all().fold(0, gcd).max(1);
        self.duration.iter_mut().chain(transfers).for_each(|time| *time /= self.unit);
    }

    /// A time in units, rounded up.
    pub(super) fn units(&self, time: Time) -> u64 {
        time.0.div_ceil(self.unit)
    }

    /// A time of so many units.
    pub(super) fn time(&self, units: u64) -> Time {
        Time(units.saturating_mul(self.unit))
    }

    #[inline]
    pub(super) fn transfer(&self, edge: u32, from: usize, to: usize) -> u64 {
        if from == to {
            return 0;
        }
        if let Some(times) = &self.uniform {
            return times[edge as usize];
        }
        let (from, to) = if self.backwards { (to, from) } else { (from, to) };
        self.problem.costs().transfer(edge, self.processors[from], self.processors[to]).0
    }

    /// The duration of an edge's message between any two columns, if all links are equal.
    #[inline]
    pub(super) fn uniform(&self, edge: u32) -> Option<u64> {
        self.uniform.as_ref().map(|times| times[edge as usize])
    }

    fn find_twins(&mut self) {
        if self.uniform.is_none() {
            return;
        }
        let ends = |ends: &[End]| -> Vec<(usize, u64)> {
            let time = |edge| self.uniform(edge).unwrap_or_default();
            ends.iter().map(|&(task, edge)| (task, time(edge))).collect()
        };
        let likeness: Vec<_> = (0..self.tasks)
            .map(|task| {
                let row = &self.duration[task * self.columns..(task + 1) * self.columns];
                (row, ends(&self.into[task]), ends(&self.out[task]))
            })
            .collect();
        let twins = (0..self.tasks).map(|task| (0..task).rev().find(|&other| likeness[other] == likeness[task]));
        self.twin = twins.collect();
    }

    /// Computes the tails backwards. For each set of a task's successors that stay in its column, the tail is the
    /// longer of running them there in sequence and the messages to all others. The best set consists of the successors
    /// that would end last elsewhere, so only such sets are compared.
    fn find_tails(&mut self) {
        let columns = self.columns;
        let mut tails = vec![0; self.tasks * columns];
        let mut items: Vec<(u64, u64, u64)> = Vec::new();
        for &task in self.order.iter().rev() {
            for column in 0..columns {
                items.clear();
                for &(next, edge) in &self.out[task] {
                    let whole = |other: usize| self.duration[next * columns + other] + tails[next * columns + other];
                    let apart = (0..columns)
                        .filter(|&other| other != column)
                        .map(|other| self.transfer(edge, column, other) + whole(other))
                        .min();
                    let place = next * columns + column;
                    items.push((apart.unwrap_or(NEVER), tails[place], self.duration[place]));
                }
                items.sort_unstable_by_key(|item| Reverse(*item));
                let mut best = items.first().map_or(0, |item| item.0);
                for together in 1..=items.len() {
                    let (mut time, mut end) = (0, 0);
                    let mut here: Vec<(u64, u64)> = items[..together].iter().map(|item| (item.1, item.2)).collect();
                    here.sort_unstable_by_key(|item| Reverse(*item));
                    for (tail, duration) in here {
                        time += duration;
                        end = end.max(time + tail);
                    }
                    best = best.min(end.max(items.get(together).map_or(0, |item| item.0)));
                    if end >= best {
                        break;
                    }
                }
                tails[task * columns + column] = best;
            }
        }
        self.tail = tails;
    }
}

const fn gcd(mut one: u64, mut other: u64) -> u64 {
    while other > 0 {
        (one, other) = (other, one % other);
    }
    one
}

/// The processors that get a column, and the class of each. No schedule uses more processors of a class than there are
/// tasks.
fn columns(problem: &Problem<'_>, uniform: bool) -> (Vec<u32>, Vec<u32>) {
    let (costs, tasks) = (problem.costs(), problem.graph().tasks().max(1));
    if !uniform {
        return (0..costs.processors()).map(|processor| (processor, processor)).unzip();
    }
    let mut taken = vec![0; costs.processors() as usize];
    let mut kept: Vec<(u32, u32)> = Vec::new();
    for (processor, &kind) in (0u32..).zip(costs.kinds()) {
        taken[kind as usize] += 1;
        if taken[kind as usize] <= tasks {
            kept.push((kind, processor));
        }
    }
    kept.sort_unstable();
    kept.into_iter().map(|(kind, processor)| (processor, kind)).unzip()
}
