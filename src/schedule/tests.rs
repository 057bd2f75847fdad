//! Schedules of worked examples and of random graphs.

use super::*;
use crate::graph::Builder;

#[test]
fn tasks_without_duration_run_in_an_order_that_can_be() {
    // 2 → 0 → 1 all at instant 5 on one processor, behind 3.
    let mut builder = Builder::new();
    for operations in [0.0, 0.0, 0.0, 5.0] {
        builder.task(operations).unwrap();
    }
    for (from, to) in [(2, 0), (0, 1), (3, 2)] {
        builder.edge(from, to, 0).unwrap();
    }
    let graph = builder.build().unwrap();
    let times = |times: [u64; 4]| times.map(Time).to_vec();
    let schedule = Schedule::new(vec![1; 4], times([5, 5, 5, 0]), times([5; 4])).unwrap();
    let order = schedule.order(&graph, 2);
    assert_eq!((order.processors(), order.tasks(0), order.tasks(1)), (2, &[][..], &[3, 2, 0, 1][..]));
    assert_eq!(schedule.makespan(), Time(5));
    assert_eq!(Schedule::new(vec![0], vec![], vec![]), None);
}
