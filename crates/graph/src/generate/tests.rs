use proptest::prelude::*;

use super::*;
use hetsim_base::engine::Streams;

fn stream(seed: u64) -> Stream {
    Streams::new(seed, 0).stream("graph", 0)
}

/// A generator as a scenario would write it.
fn generator(toml: &str) -> Generator {
    let table: toml::Table = toml.parse().unwrap();
    serde_json::from_value(serde_json::to_value(table).unwrap()).unwrap()
}

fn family(toml: &str) -> TaskGraph {
    generator(&format!("shape = {{ {toml} }}")).generate(&mut stream(1)).unwrap()
}

/// The numbers of tasks, edges, entries and exits, and of tasks on the longest path.
fn counts(graph: &TaskGraph) -> (usize, usize, usize, usize, u32) {
    (graph.tasks(), graph.edge_count(), graph.entries().count(), graph.exits().count(), graph.height())
}

/// The expected counts follow from the definitions, not from the closed forms under test.
#[test]
fn classic_families_have_their_sizes() {
    // Topcuoglu's count for 4 points: 7 calls and 8 butterflies.
    assert_eq!(counts(&family("family = 'fft', points = 4")), (15, 22, 1, 4, 5));
    // Topcuoglu's count for a matrix of 5: 14 tasks.
    assert_eq!(counts(&family("family = 'gaussian_elimination', size = 5")), (14, 19, 1, 1, 8));
    assert_eq!(counts(&family("family = 'gaussian_elimination', size = 2")), (2, 1, 1, 1, 2));
    // 3 POTRF, 3 TRSM, 3 SYRK, 1 GEMM; the longest path is P T S P T S P.
    assert_eq!(counts(&family("family = 'cholesky', tiles = 3")), (10, 12, 1, 1, 7));
    // With 5 tiles per side: 5 + 10 + 10 + 10.
    assert_eq!(counts(&family("family = 'cholesky', tiles = 5")), (35, 60, 1, 1, 13));
    // 2 GETRF, 2 TRSM, 1 GEMM.
    assert_eq!(counts(&family("family = 'lu', tiles = 2")), (5, 5, 1, 1, 4));
    // 3 + 6 + 5 tasks, and 4 + 2 + 12 + 3 edges: the steps s = 2, 1 have 2 s + 2 s² + s² edges each.
    assert_eq!(counts(&family("family = 'lu', tiles = 3")), (14, 21, 1, 1, 7));
    assert_eq!(counts(&family("family = 'laplace', size = 4")), (16, 24, 1, 1, 7));
    assert_eq!(counts(&family("family = 'out_tree', children = 3, levels = 3")), (13, 12, 1, 9, 3));
    assert_eq!(counts(&family("family = 'in_tree', children = 2, levels = 4")), (15, 14, 8, 1, 4));
    assert_eq!(counts(&family("family = 'in_tree', children = 1, levels = 4")), (4, 3, 1, 1, 4));
    assert_eq!(counts(&family("family = 'fork_join', branches = 5, stages = 2")), (13, 20, 1, 1, 5));
    assert_eq!(counts(&family("family = 'chain', tasks = 9")), (9, 8, 1, 1, 9));
    assert_eq!(counts(&family("family = 'stencil', cells = 6, steps = 3")), (18, 32, 6, 6, 3));
    assert_eq!(counts(&family("family = 'stencil', cells = 1, steps = 3")), (3, 2, 1, 1, 3));
    assert_eq!(counts(&family("family = 'stencil', cells = 4, steps = 2, radius = 3")), (8, 16, 4, 4, 2));
    let layered = family("family = 'layered', tasks = 103, width = 10, successors = 4");
    assert_eq!((layered.tasks(), layered.edge_count(), layered.height()), (103, 90 * 4 + 10 * 3, 11));
}

/// The work of a factorisation of n = t b columns is that of the whole matrix to the leading order: n³/3 for Cholesky,
/// 2n³/3 for LU. For tiles it is exactly the sum below.
#[test]
fn shares_add_up_to_the_algorithm() {
    for tiles in [1, 2, 5, 40] {
        let cube = f64::from(tiles).powi(3);
        let cholesky = family(&format!("family = 'cholesky', tiles = {tiles}")).total_operations();
        assert!((cholesky - cube / 3.0).abs() < 1e-9 * cube, "{tiles}: {cholesky}");
        let lu = family(&format!("family = 'lu', tiles = {tiles}")).total_operations();
        assert!((lu - 2.0 * cube / 3.0).abs() < 1e-9 * cube, "{tiles}: {lu}");
    }
    // Σ (m − k) + 2 (m − k)² over k = 1 … m − 1, with m = 5.
    let gauss = family("family = 'gaussian_elimination', size = 5");
    assert_eq!(gauss.total_operations(), 10.0 + 2.0 * 30.0);
}

/// Every butterfly's output depends on every leaf.
#[test]
fn fft_mixes_all_points() {
    let graph = family("family = 'fft', points = 16");
    let mut reached = vec![0u32; graph.tasks()];
    for &task in graph.order() {
        let place = task.wrapping_sub(15);
        let own = if place < 16 { 1 << place } else { 0 };
        reached[task as usize] = graph.predecessors(task).fold(own, |all, edge| all | reached[edge.from as usize]);
    }
    assert_eq!(graph.exits().count(), 16);
    assert!(graph.exits().all(|exit| reached[exit as usize] == 0xffff));
}

#[test]
fn sizes_tell_what_comes() {
    for text in [
        "family = 'fft', points = 64",
        "family = 'gaussian_elimination', size = 17",
        "family = 'lu', tiles = 9",
        "family = 'cholesky', tiles = 9",
        "family = 'laplace', size = 9",
        "family = 'in_tree', children = 3, levels = 5",
        "family = 'out_tree', children = 4, levels = 4",
        "family = 'fork_join', branches = 3, stages = 4",
        "family = 'chain', tasks = 1",
        "family = 'stencil', cells = 10, steps = 4, radius = 4",
        "family = 'layered', tasks = 101, width = 7, successors = 9",
        "family = 'layered', tasks = 5, width = 7, successors = 2",
    ] {
        let generator = generator(&format!("shape = {{ {text} }}"));
        let graph = generator.generate(&mut stream(2)).unwrap();
        assert_eq!(generator.shape.entry().size(), (graph.tasks() as f64, graph.edge_count() as f64), "{text}");
    }
}

/// Aguilar's graphs have n tasks on average and 1 to d successors with equal frequency, except near the end.
#[test]
fn random_graphs_are_those_of_the_paper() {
    let generator = generator("shape = { family = 'random', tasks = 50, successors = 2 }");
    let mut stream = stream(5);
    let (mut sizes, mut degrees) = (Vec::new(), [0u32; 3]);
    for _ in 0..500 {
        let graph = generator.generate(&mut stream).unwrap();
        sizes.push(graph.tasks() as f64);
        assert!((40..=60).contains(&graph.tasks()));
        assert!(graph.edges().all(|edge| edge.from < edge.to));
        let last = graph.tasks() as u32 - 1;
        assert_eq!((graph.out_degree(last), graph.out_degree(last - 1)), (0, 1));
        (0..last - 1).for_each(|task| degrees[graph.out_degree(task) as usize] += 1);
    }
    // A uniform draw from 21 values has a standard deviation of 6.1; the mean of 500 draws has one of 0.27.
    let mean = sizes.iter().sum::<f64>() / 500.0;
    assert!((mean - 50.0).abs() < 4.0 * 0.27, "{mean}");
    assert!(sizes.contains(&40.0) && sizes.contains(&60.0));
    let all = f64::from(degrees[1] + degrees[2]);
    assert_eq!(degrees[0], 0);
    assert!((f64::from(degrees[1]) / all - 0.5).abs() < 4.0 * 0.5 / all.sqrt(), "{degrees:?}");
}

/// A series-parallel graph reduces to one edge by removing tasks in series and merging parallel edges.
#[test]
fn series_parallel_graphs_reduce_to_an_edge() {
    for (seed, parallel) in [(1, 0.5), (2, 0.9), (3, 0.0), (4, 1.0)] {
        let text = format!("shape = {{ family = 'series_parallel', tasks = 60, parallel = {parallel} }}");
        let graph = generator(&text).generate(&mut stream(seed)).unwrap();
        assert_eq!((graph.entries().count(), graph.exits().count()), (1, 1));
        let mut edges: std::collections::BTreeSet<_> = graph.edges().map(|edge| (edge.from, edge.to)).collect();
        loop {
            let between = |task: u32| {
                let into: Vec<_> = edges.iter().copied().filter(|edge| edge.1 == task).collect();
                let out: Vec<_> = edges.iter().copied().filter(|edge| edge.0 == task).collect();
                (into.len() == 1 && out.len() == 1).then(|| (into[0], out[0]))
            };
            let Some((into, out)) = graph.ids().find_map(between) else { break };
            edges.remove(&into);
            edges.remove(&out);
            edges.insert((into.0, out.1));
        }
        assert_eq!(edges.len(), 1, "{parallel}");
    }
}

#[test]
fn costs_are_drawn_and_scaled() {
    let text = "shape = { family = 'layered', tasks = 2000, width = 50, successors = 2 }
        operations = { distribution = 'uniform', from = '1Mop', to = '3Mop' }
        bytes = { distribution = 'exponential', mean = '10kB' }
        communication_to_computation = 0.5";
    let graph = generator(text).generate(&mut stream(1)).unwrap();
    let mean = graph.total_operations() / graph.tasks() as f64;
    assert!((mean / 2e6 - 1.0).abs() < 0.03, "{mean}");
    let ratio = graph.total_bytes() as f64 / graph.edge_count() as f64 / mean;
    assert!((ratio - 0.5).abs() < 1e-6, "{ratio}");
    assert!(graph.edges().any(|edge| edge.bytes > 2_000_000), "an exponential draw has a tail");
    assert_eq!(graph, generator(text).generate(&mut stream(1)).unwrap());
    assert_ne!(graph, generator(text).generate(&mut stream(2)).unwrap());
}

#[test]
fn nonsense_is_refused_by_its_key() {
    for (text, word) in [
        ("shape = { family = 'fft', points = 6 }", "`points`"),
        ("shape = { family = 'random', tasks = 0, successors = 2 }", "`tasks`"),
        ("shape = { family = 'random', tasks = 5, successors = 2, spread = 1.0 }", "`spread`"),
        ("shape = { family = 'stencil', cells = 4, steps = 1, radius = 4 }", "`radius`"),
        ("shape = { family = 'chain', tasks = 4000000000 }", "4000000000 tasks"),
        ("shape = { family = 'lu', tiles = 4000000000 }", "the most"),
        ("shape = { family = 'out_tree', children = 9, levels = 4000000000 }", "the most"),
        ("shape = { family = 'rgpos', processors = 3, tasks = 2, makespan = 9, predecessors = 1 }", "`tasks`"),
        ("shape = { family = 'rgpos', processors = 3, tasks = 9, makespan = 2, predecessors = 1 }", "`makespan`"),
        (
            "shape = { family = 'rgpos', processors = 3, tasks = 9, makespan = 9, predecessors = 1 }
             communication_to_computation = 1.0",
            "known optimum",
        ),
        ("shape = { family = 'chain', tasks = 4 }\ncommunication_to_computation = -1.0", "computation`"),
        (
            "shape = { family = 'chain', tasks = 4 }
             bytes = { distribution = 'constant', value = '0B' }
             communication_to_computation = 1.0",
            "no data",
        ),
        ("shape = { family = 'fft', points = 8 }\ncommunication_to_computation = 0.4", "would carry 0.400 bytes"),
        (
            "shape = { family = 'chain', tasks = 4 }
             operations = { distribution = 'uniform', from = '2op', to = '1op' }",
            "`operations`",
        ),
    ] {
        let said = generator(text).generate(&mut stream(1)).unwrap_err().to_string();
        assert!(said.contains(word), "{text}: {said}");
    }
}

proptest! {
    /// The schedule is valid (no gap, no overlap, every message in time) and optimal: all processors work all the time,
    /// and no path is longer.
    #[test]
    fn the_optimum_of_rgpos_is_one(
        processors in 1u32..6, more in 0u32..40, slack in 0u64..500, predecessors in 0u32..6, seed in any::<u64>(),
    ) {
        let tasks = processors + more;
        let makespan = u64::from(tasks.div_ceil(processors)) + slack;
        let rgpos = rgpos::Rgpos { processors, tasks, makespan, predecessors };
        let known = rgpos.instance(&mut stream(seed)).unwrap();
        let graph = &known.graph;
        prop_assert_eq!(graph, &Generator::of(Family::Rgpos(rgpos)).generate(&mut stream(seed)).unwrap());
        prop_assert_eq!(graph.tasks(), tasks as usize);
        let mut ends = vec![0; processors as usize];
        for (task, placement) in (0..).zip(&known.schedule) {
            prop_assert_eq!(graph.operations(task), (placement.finish - placement.start) as f64);
            prop_assert_eq!(ends[placement.processor as usize], placement.start);
            ends[placement.processor as usize] = placement.finish;
        }
        prop_assert!(ends.iter().all(|&end| end == makespan));
        for edge in graph.edges() {
            let (from, to) = (&known.schedule[edge.from as usize], &known.schedule[edge.to as usize]);
            prop_assert!(from.finish + edge.bytes <= to.start);
        }
        prop_assert_eq!(graph.total_operations(), (makespan * u64::from(processors)) as f64);
        let path = graph.critical_path(|task| graph.operations(task), |edge| edge.bytes as f64);
        prop_assert!(path.length <= makespan as f64);
    }
}
