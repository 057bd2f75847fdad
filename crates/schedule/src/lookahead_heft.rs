//! HEFT with one step of lookahead: a task goes where the last of its children would end first.
//!
//! For each processor, the task is placed there as HEFT would place it, then its children, by falling rank, each where
//! it ends first; unplaced predecessors of a child are ignored. The task goes to the processor with the least maximum
//! of the children's ends. A task without children goes where it ends first itself, which also breaks ties.
//!
//! Bittencourt, Sakellariou, Madeira: DAG scheduling using a lookahead variant of the heterogeneous earliest finish
//! time algorithm. PDP 2010, doi:10.1109/PDP.2010.56 (the variant that keeps the priorities).
//!
//! Each of the e edges takes P² slot searches, each over the child's predecessors and the children tried before it:
//! O(e·P²) if both are few, O(e·P²·d·c) with d predecessors and c children.

use super::list::in_order;
use super::partial::{Partial, TaskSlot};
use super::{Rule, Schedule, Setup, rank};
use hetsim_base::units::Time;

#[derive(Debug)]
pub(super) struct LookaheadHeft;

impl Rule for LookaheadHeft {
    fn inserts(&self) -> bool {
        true
    }

    fn schedule(&self, setup: &Setup<'_>) -> Schedule {
        let ranks = rank::upward(setup.graph, setup.costs);
        let order = rank::falling(setup.graph, &ranks);
        let mut place = vec![0u32; order.len()];
        for (number, &task) in (0u32..).zip(&order) {
            place[task as usize] = number;
        }
        let (mut children, mut trial) = (Vec::new(), Vec::new());
        in_order(setup, &order, |partial, task| {
            children.clear();
            children.extend(setup.graph.successors(task).map(|edge| edge.to));
            children.sort_unstable_by_key(|&child| place[child as usize]);
            let slots = (0..setup.costs.processors()).map(|processor| partial.slot(task, processor));
            let mut best: Option<(Time, TaskSlot)> = None;
            for slot in slots {
                trial.clear();
                trial.push((task, slot));
                let end = last_child(partial, &mut trial, &children);
                if best.is_none_or(|best| (end, slot.finish) < (best.0, best.1.finish)) {
                    best = Some((end, slot));
                }
            }
            best.map_or_else(|| partial.first_finish(task), |best| best.1)
        })
    }
}

/// The end of the last child if the tasks in `trial` and then the children are placed.
fn last_child(partial: &Partial<'_>, trial: &mut Vec<(u32, TaskSlot)>, children: &[u32]) -> Time {
    let mut last = Time::ZERO;
    for &child in children {
        let slots = (0..partial.costs.processors()).map(|processor| slot_beside(partial, trial, child, processor));
        if let Some(slot) = slots.min_by_key(|slot| slot.finish) {
            last = last.max(slot.finish);
            trial.push((child, slot));
        }
    }
    if children.is_empty() { trial[0].1.finish } else { last }
}

/// The earliest slot of a task on a processor beside the placed and the tried tasks.
fn slot_beside(partial: &Partial<'_>, trial: &[(u32, TaskSlot)], task: u32, processor: u32) -> TaskSlot {
    let mut ready = partial.arrival(task, processor);
    for edge in partial.graph.predecessors(task) {
        if let Some((_, slot)) = trial.iter().find(|tried| tried.0 == edge.from) {
            ready = ready.max(slot.finish + partial.costs.transfer(edge.id, slot.processor, processor));
        }
    }
    let duration = partial.costs.duration(task, processor);
    loop {
        let start = partial.earliest(processor, ready, duration);
        let finish = start + duration;
        let meets = |slot: &TaskSlot| slot.processor == processor && slot.start < finish && start < slot.finish;
        match trial.iter().map(|tried| tried.1).find(meets) {
            Some(slot) => ready = slot.finish,
            None => return TaskSlot { processor, start, finish },
        }
    }
}
