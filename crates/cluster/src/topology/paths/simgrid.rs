//! The paths that SimGrid 4 takes: of those with the fewest links, the one that its search finds first.
//!
//! For each pair of points, both searches give the last edge of the path and the point at which it starts. They differ
//! only where several paths have equally few links.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{Edge, PathStep};

/// The steps of the routing Floyd, which shortens paths over one point after the other, in the order of their numbers.
pub(super) fn floyd(points: u32, edges: &[Edge]) -> Box<[Option<PathStep>]> {
    let size = points as usize;
    let mut costs = vec![f64::INFINITY; size * size];
    let mut steps = vec![None; size * size];
    for (number, edge) in (0..).zip(edges) {
        let place = edge.from as usize * size + edge.to as usize;
        (costs[place], steps[place]) = (edge.cost, Some(PathStep { edge: number, to: edge.from as u16 }));
    }
    for over in 0..size {
        let row = over * size..(over + 1) * size;
        let (onward, last) = (costs[row.clone()].to_vec(), steps[row].to_vec());
        for from in 0..size {
            let first = costs[from * size + over];
            if from == over || first == f64::INFINITY {
                continue;
            }
            for to in 0..size {
                let place = from * size + to;
                if first + onward[to] < costs[place] {
                    (costs[place], steps[place]) = (first + onward[to], last[to]);
                }
            }
        }
    }
    steps.into()
}

/// The steps of the routing Dijkstra: the nearest points first, and among equally near ones the point that the edges
/// name first.
pub(super) fn dijkstra(points: u32, edges: &[Edge]) -> Box<[Option<PathStep>]> {
    let size = points as usize;
    let mut ranks = vec![u32::MAX; size];
    let ends = edges.iter().flat_map(|edge| [edge.from, edge.to]);
    let mut next = 0;
    for end in ends {
        if ranks[end as usize] == u32::MAX {
            ranks[end as usize] = next;
            next += 1;
        }
    }
    let mut out = vec![Vec::new(); size];
    for (number, edge) in (0u32..).zip(edges) {
        out[edge.from as usize].push((number, *edge));
    }
    let mut steps = vec![None; size * size];
    for (from, row) in (0..points).zip(steps.chunks_mut(size.max(1))) {
        from_start(from, &ranks, &out, row);
    }
    steps.into()
}

/// The steps from one point; `out` holds the edges that start at each point.
fn from_start(start: u32, ranks: &[u32], out: &[Vec<(u32, Edge)>], row: &mut [Option<PathStep>]) {
    let mut costs = vec![f64::INFINITY; row.len()];
    costs[start as usize] = 0.0;
    // Costs are not negative, so their bits have the same order.
    let mut heap = BinaryHeap::from([Reverse((0f64.to_bits(), ranks[start as usize], start))]);
    while let Some(Reverse((_, _, point))) = heap.pop() {
        for &(number, edge) in &out[point as usize] {
            let cost = costs[point as usize] + edge.cost;
            if cost < costs[edge.to as usize] {
                costs[edge.to as usize] = cost;
                row[edge.to as usize] = Some(PathStep { edge: number, to: point as u16 });
                heap.push(Reverse((cost.to_bits(), ranks[edge.to as usize], edge.to)));
            }
        }
    }
}
