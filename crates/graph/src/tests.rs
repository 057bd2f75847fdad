use proptest::prelude::*;

use super::*;

/// A graph with tasks of this work and these edges.
fn graph(operations: &[f64], edges: &[(u32, u32, u64)]) -> Result<TaskGraph, GraphError> {
    let mut builder = Builder::new();
    for &work in operations {
        builder.task(work)?;
    }
    for &(from, to, bytes) in edges {
        builder.edge(from, to, bytes)?;
    }
    builder.build()
}

/// The ten tasks of Topcuoglu, Hariri and Wu (2002), Figs. 2 and 4.
fn topcuoglu() -> TaskGraph {
    let seconds: [[f64; 3]; 10] = [
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
    let edges = [
        (8, 9, 13),
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
    ];
    let mut builder = Builder::new();
    for row in seconds {
        builder.task(row.iter().sum::<f64>() / 3.0).unwrap();
    }
    for (from, to, bytes) in edges {
        builder.edge(from, to, bytes).unwrap();
    }
    builder.seconds(CostMatrix::new(3, seconds.concat()).unwrap());
    builder.build().unwrap()
}

/// The upward and downward ranks printed with the example.
#[test]
fn levels_are_the_ranks_of_the_paper() {
    let graph = topcuoglu();
    let matrix = graph.seconds().unwrap();
    let mean = |task| matrix.mean(task);
    let bytes = |edge: Edge| edge.bytes as f64;
    let up = [108.0, 77.0, 80.0, 80.0, 69.0, 63.333, 42.667, 35.667, 44.333, 14.667];
    let down = [0.0, 31.0, 25.0, 22.0, 24.0, 27.0, 62.333, 66.667, 63.667, 93.333];
    for (ours, printed) in [(graph.bottom_levels(mean, bytes), up), (graph.top_levels(mean, bytes), down)] {
        for (ours, printed) in ours.iter().zip(printed) {
            assert!((ours - printed).abs() < 5e-4, "{ours} {printed}");
        }
    }
    let path = graph.critical_path(mean, bytes);
    assert_eq!(path.tasks, [0, 1, 8, 9], "the paper's critical path, tasks 1, 2, 9 and 10 there");
    assert!((path.length - 108.0).abs() < 1e-9);
    assert_eq!((graph.height(), graph.width()), (4, 5));
    assert_eq!(matrix.row(3), [13.0, 8.0, 17.0]);
}

#[test]
fn both_directions_tell_the_same() {
    let graph = topcuoglu();
    assert_eq!((graph.tasks(), graph.edge_count(), graph.total_bytes()), (10, 15, 241));
    let forwards: Vec<Edge> = graph.edges().collect();
    assert!(forwards.iter().zip(0..).all(|(edge, id)| edge.id == id));
    assert!(forwards.windows(2).all(|pair| (pair[0].from, pair[0].to) < (pair[1].from, pair[1].to)));
    let mut backwards: Vec<Edge> = graph.ids().flat_map(|task| graph.predecessors(task)).collect();
    backwards.sort_by_key(|edge| edge.id);
    assert_eq!(forwards, backwards);
    assert_eq!(
        graph.predecessors(8).map(|edge| (edge.from, edge.bytes)).collect::<Vec<_>>(),
        [(1, 16), (3, 23), (4, 13)]
    );
    assert_eq!(
        graph.outgoing(3).map(|edge| (graph.head(edge), graph.bytes(edge))).collect::<Vec<_>>(),
        [(7, 27), (8, 23)]
    );
    assert_eq!((graph.entries().collect::<Vec<_>>(), graph.exits().collect::<Vec<_>>()), (vec![0], vec![9]));
}

#[test]
fn what_is_no_graph_is_refused_by_name() {
    let said = |operations: &[f64], edges: &[(u32, u32, u64)]| graph(operations, edges).unwrap_err().to_string();
    assert_eq!(said(&[1.0; 4], &[(0, 1, 0), (1, 2, 0), (2, 3, 0), (3, 1, 0)]), "a cycle: 1 → 2 → 3 → 1");
    assert_eq!(said(&[1.0; 2], &[(0, 1, 5), (0, 1, 6)]), "the edge 0 → 1 is given twice");
    assert_eq!(said(&[1.0; 2], &[(1, 1, 5)]), "task 1 waits for itself");
    assert_eq!(said(&[1.0; 2], &[(0, 2, 5)]), "there is no task 2; there are 2, numbered from 0");
    for bad in [f64::NAN, f64::INFINITY, -1.0] {
        assert!(said(&[bad], &[]).contains("0 or more"), "{bad}");
    }
    let mut builder = Builder::new();
    builder.named_task("a", 1.0).unwrap();
    builder.named_task("a", 1.0).unwrap();
    assert_eq!(builder.build().unwrap_err().to_string(), "two tasks are named \"a\"");
    let mut builder = Builder::new();
    builder.task(1.0).unwrap();
    builder.seconds(CostMatrix::new(2, vec![1.0; 4]).unwrap());
    assert_eq!(builder.build().unwrap_err(), GraphError::MatrixRows { rows: 2, tasks: 1 });
    assert!(CostMatrix::new(2, vec![1.0; 3]).is_err());
    assert!(CostMatrix::new(0, vec![]).is_err());
    assert!(
        CostMatrix::new(1, vec![1.0, f64::NAN])
            .unwrap_err()
            .to_string()
            .starts_with("task 1 takes NaN s on processor 0")
    );
}

#[test]
fn a_long_cycle_is_shortened() {
    let edges: Vec<_> = (0..100).map(|task| (task, (task + 1) % 100, 0)).collect();
    let text = graph(&[0.0; 100], &edges).unwrap_err().to_string();
    assert!(text.contains("(88 more)"), "{text}");
    assert_eq!(text.matches('→').count(), 13, "{text}");
}

#[test]
fn a_chain_of_a_million_tasks_does_not_recurse() {
    let tasks = 1_000_000;
    let mut builder = Builder::with_capacity(tasks as usize, tasks as usize);
    for _ in 0..tasks {
        builder.task(1.0).unwrap();
    }
    for task in 1..tasks {
        builder.edge(task - 1, task, 1).unwrap();
    }
    let mut ring = builder.clone();
    let graph = builder.build().unwrap();
    assert_eq!(graph.height(), tasks);
    assert_eq!(graph.critical_path(|_| 1.0, |_| 1.0).length, f64::from(2 * tasks - 1));
    ring.edge(tasks - 1, 0, 1).unwrap();
    assert!(matches!(ring.build(), Err(GraphError::Cycle { tasks, .. }) if tasks.len() == 1_000_000));
}

#[test]
fn names_are_kept_where_there_are_any() {
    let mut builder = Builder::new();
    builder.task(1.0).unwrap();
    builder.named_task("köln", 2.0).unwrap();
    builder.task(3.0).unwrap();
    builder.edge(1, 2, 3).unwrap();
    builder.edge(2, 0, 3).unwrap();
    let mut ring = builder.clone();
    let graph = builder.build().unwrap();
    assert_eq!([0, 1, 2].map(|task| graph.label(task)), ["0", "köln", "2"]);
    assert_eq!(graph.name(0), None);
    ring.edge(0, 1, 0).unwrap();
    assert_eq!(ring.build().unwrap_err().to_string(), "a cycle: 0 → köln → 2 → 0");
}

#[test]
fn measures_can_be_scaled() {
    let graph = topcuoglu().scaled(2.0, 0.5).unwrap();
    assert_eq!(graph.operations(0), 26.0);
    assert_eq!(graph.bytes(0), 9);
    assert!(topcuoglu().scaled(f64::NAN, 1.0).is_err());
    assert!(topcuoglu().scaled(1.0, 1e30).is_err());
    assert_eq!(whole_bytes(1e-12), Some(0));
    assert_eq!([-1.0, f64::NAN, 2e19].map(whole_bytes), [None; 3]);
}

proptest! {
    /// Any set of rising edges is a graph, whatever the input order; its order and levels respect them.
    #[test]
    fn order_and_levels_obey_every_edge(
        works in prop::collection::vec(0u32..100, 1..30),
        pairs in prop::collection::btree_map((0u32..30, 0u32..30), 0u64..50, 0..100),
        shuffle in any::<u64>(),
    ) {
        let tasks = works.len() as u32;
        let mut edges: Vec<_> = pairs
            .into_iter()
            .filter(|((from, to), _)| from < to && *to < tasks)
            .map(|((from, to), bytes)| (from, to, bytes))
            .collect();
        let works: Vec<f64> = works.into_iter().map(f64::from).collect();
        let sorted = graph(&works, &edges).unwrap();
        edges.sort_by_key(|&(from, to, _)| (u64::from(from * 31 + to)).wrapping_mul(shuffle | 1));
        let built = graph(&works, &edges).unwrap();
        prop_assert_eq!(&sorted, &built);
        let mut rank = vec![0; works.len()];
        for (place, &task) in built.order().iter().enumerate() {
            rank[task as usize] = place;
        }
        let cost = |task| built.operations(task);
        let carry = |edge: Edge| edge.bytes as f64;
        let (top, bottom) = (built.top_levels(cost, carry), built.bottom_levels(cost, carry));
        let depths = built.depths();
        let path = built.critical_path(cost, carry);
        for edge in built.edges() {
            let (from, to) = (edge.from as usize, edge.to as usize);
            prop_assert!(rank[from] < rank[to] && depths[from] < depths[to]);
            prop_assert!(top[to] >= top[from] + works[from] + carry(edge));
            prop_assert!(bottom[from] >= works[from] + carry(edge) + bottom[to]);
        }
        for task in 0..works.len() {
            prop_assert!(top[task] + bottom[task] <= path.length);
        }
        // The path exists and is as long as stated. The lengths are integers, so sums are exact.
        let mut length = 0.0;
        for (index, &task) in path.tasks.iter().enumerate() {
            length += cost(task);
            if let Some(&next) = path.tasks.get(index + 1) {
                length += carry(built.successors(task).find(|edge| edge.to == next).unwrap());
            }
        }
        prop_assert_eq!(length, path.length);
    }
}
