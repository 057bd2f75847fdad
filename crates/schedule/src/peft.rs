//! Predict earliest finish time: looks ahead by a table of optimistic costs.
//!
//! OCT(i, p) = max over successors j of min over processors q of (OCT(j, q) + w_jq + (c̄_ij if q ≠ p)), zero for exits.
//! Ready tasks are taken by falling mean of their row; each goes to the processor with the least EFT(i, p) + OCT(i, p).
//!
//! Arabnejad, Barbosa: List scheduling algorithm for heterogeneous systems by an optimistic cost table. IEEE TPDS
//! 25(3), 2014, doi:10.1109/TPDS.2013.57.
//!
//! O((n + e)·P + n·log n), plus O(log n) for each search of a slot among gaps.

use super::list::by_priority;
use super::{Costs, Rule, Schedule, Setup};
use hetsim_graph::TaskGraph;

#[derive(Debug)]
pub(super) struct Peft;

impl Rule for Peft {
    fn inserts(&self) -> bool {
        true
    }

    fn schedule(&self, setup: &Setup<'_>) -> Schedule {
        let Setup { graph, costs, .. } = *setup;
        let width = costs.processors() as usize;
        let table = optimistic_costs(graph, costs);
        let mean = |row: &[f64]| row.iter().sum::<f64>() / width as f64;
        let priorities: Vec<f64> = table.chunks_exact(width).map(mean).collect();
        by_priority(setup, &priorities, |partial, task| {
            let row = &table[task as usize * width..][..width];
            let values = partial.slots(task).zip(row).map(|(slot, further)| (slot.finish.as_f64() + further, slot));
            let least = values.reduce(|best, next| if next.0 < best.0 { next } else { best });
            least.map_or_else(|| partial.slot(task, 0), |least| least.1)
        })
    }
}

/// The table, row by row: the optimistic time after a task on a processor, in ticks.
pub(super) fn optimistic_costs(graph: &TaskGraph, costs: &Costs) -> Vec<f64> {
    let width = costs.processors() as usize;
    let mut table = vec![0.0; graph.tasks() * width];
    let mut here = vec![0.0f64; width];
    let mut row = vec![0.0f64; width];
    for &task in graph.order().iter().rev() {
        row.fill(0.0);
        for edge in graph.successors(task) {
            let below = &table[edge.to as usize * width..][..width];
            for ((processor, value), further) in (0u32..).zip(&mut here).zip(below) {
                *value = further + costs.duration(edge.to, processor).as_f64();
            }
            // The minimum over all processors may replace that over the others: its own entry is at most that plus the
            // message.
            let away = here.iter().copied().fold(f64::INFINITY, f64::min) + costs.mean_transfer(edge.id);
            for (value, here) in row.iter_mut().zip(&here) {
                *value = value.max(here.min(away));
            }
        }
        table[task as usize * width..][..width].copy_from_slice(&row);
    }
    table
}
