//! Graphs and costs for tests.

use proptest::prelude::*;
use rand::RngExt;

use crate::{Costs, Layout};
use hetsim_base::engine::Streams;
use hetsim_base::units::{Bytes, Tick, Time};
use hetsim_graph::generate::layered::Layered;
use hetsim_graph::generate::random::Random;
use hetsim_graph::generate::{BytesDraw, Family, Generator, Uniform};
use hetsim_graph::{Builder, CostMatrix, TaskGraph};

/// A graph with tasks of this work and these edges.
pub(crate) fn graph(operations: &[f64], edges: &[(u32, u32, u64)]) -> TaskGraph {
    let mut builder = Builder::new();
    for &work in operations {
        builder.task(work).unwrap();
    }
    for &(from, to, bytes) in edges {
        builder.edge(from, to, bytes).unwrap();
    }
    builder.build().unwrap()
}

/// So many tasks, one after the other.
pub(crate) fn chain(tasks: u32, bytes: u64) -> TaskGraph {
    let edges: Vec<_> = (1..tasks).map(|to| (to - 1, to, bytes)).collect();
    graph(&vec![1.0; tasks as usize], &edges)
}

/// Costs by a time in seconds for each task on each processor, with a tick of a second and a second per byte.
pub(crate) fn unrelated<const P: usize>(graph: &TaskGraph, seconds: &[[f64; P]]) -> Costs {
    let matrix = CostMatrix::new(P as u32, seconds.concat()).unwrap();
    Costs::unrelated(graph, &matrix, Tick::new(1_000_000_000_000).unwrap(), Time).unwrap()
}

/// The example of Topcuoglu et al. 2002 (Fig. 2): ten tasks on three processors.
pub(crate) fn heft_example() -> (TaskGraph, Costs) {
    const SECONDS: [[f64; 3]; 10] = [
        [14.0, 16.0, 9.0],
        [13.0, 19.0, 18.0],
        [11.0, 13.0, 19.0],
        [13.0, 8.0, 17.0],
        [12.0, 13.0, 10.0],
        [13.0, 16.0, 9.0],
        [7.0, 15.0, 11.0],
        [5.0, 11.0, 14.0],
        [18.0, 12.0, 20.0],
        [21.0, 7.0, 16.0],
    ];
    const EDGES: [(u32, u32, u64); 15] = [
        (0, 1, 18),
        (0, 2, 12),
        (0, 3, 9),
        (0, 4, 11),
        (0, 5, 14),
        (1, 7, 19),
        (1, 8, 16),
        (2, 6, 23),
        (3, 7, 27),
        (3, 8, 23),
        (4, 8, 13),
        (5, 7, 15),
        (6, 9, 17),
        (7, 9, 11),
        (8, 9, 13),
    ];
    let graph = graph(&[1.0; 10], &EDGES);
    let costs = unrelated(&graph, &SECONDS);
    (graph, costs)
}

/// Graphs of several shapes, with some empty messages.
pub(crate) fn graphs() -> impl Strategy<Value = TaskGraph> {
    let random = |(tasks, successors)| Family::Random(Random { tasks, successors, spread: 0.5 });
    let layered = |(tasks, width, successors)| Family::Layered(Layered { tasks, width, successors });
    let shape = prop_oneof![(1u32..40, 1u32..5).prop_map(random), (1u32..40, 1u32..6, 1u32..4).prop_map(layered),];
    (shape, any::<u64>(), 0u64..30).prop_map(|(shape, seed, bytes)| {
        let mut generator = Generator::of(shape);
        generator.bytes = BytesDraw::Uniform(Uniform { from: Bytes::new(0), to: Bytes::new(bytes) });
        generator.generate(&mut Streams::new(seed, 0).stream("graph", 0)).unwrap()
    })
}

/// Unrelated processors, on one site or on two sites joined by slow links.
pub(crate) fn costs(graph: &TaskGraph, processors: u32, seed: u64, sites: bool) -> Costs {
    let mut stream = Streams::new(seed, 0).stream("durations", 0);
    let cells = graph.tasks() * processors as usize;
    let times: Vec<Time> = (0..cells).map(|_| Time(stream.random_range(0..20))).collect();
    let site = |processor: u32| if sites { processor % 2 } else { 0 };
    let layout = Layout::new(processors, |processor| processor, |from, to| (site(from), site(to)));
    let duration = |task, processor| times[task as usize * processors as usize + processor as usize];
    let far = |from, to| if site(from) == site(to) { 1 } else { 5 };
    Costs::new(graph, layout, duration, |edge, from, to| Time(edge.bytes * far(from, to))).unwrap()
}
