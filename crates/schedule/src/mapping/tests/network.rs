//! Tests the network and its decoder against the equations that the paper prints.

use super::*;
use hetsim_graph::generate::random::Random;
use hetsim_graph::generate::{Family, Generator};

#[test]
fn the_printed_network_has_one_fixed_point_which_tells_nothing() {
    for (tasks, processors) in [(10, 2), (20, 5), (50, 2)] {
        let shape = Family::Random(Random { tasks, successors: 2, spread: 0.0 });
        let graph = Generator::of(shape).generate(&mut stream(3)).unwrap();
        let found = Network::printed(&graph, processors).solve().unwrap();
        assert!(found.tasks.iter().all(|&q| q == 0.0));
        // n/K over n + K − 1, which is far from 1.
        let load = f64::from(tasks) / f64::from(processors) / f64::from(tasks + processors - 1);
        assert!(found.processors.iter().all(|q| (q - load).abs() < 1e-12));
        // Even if all neurons start excited, each sweep leaves at most d/(nK) of the greatest.
        let size = (tasks * processors) as usize;
        let (ones, heavy) = (vec![1.0; processors as usize], vec![true; processors as usize]);
        let mut excited = Excitations { tasks: vec![1.0; size], processors: ones, heavy };
        Network::printed(&graph, processors).solve_from(&mut excited).unwrap();
        assert!(excited.tasks.iter().all(|&q| q < 1e-12) && excited.heavy.iter().all(|&heavy| !heavy));
    }
}

/// Spells out every rate of the network as the paper prints it and checks the equations.
#[test]
fn the_network_solves_its_equations() {
    let (graph, _) = instance(8, 3, 0, 7);
    let (n, k) = (8usize, 3usize);
    let parameters = Neural { excitation: 1.0, inhibition: 1.0, ..Neural::default() };
    let mut network = Network::completed(&graph, 3, &parameters);
    for (task, processor) in [(2, 1), (5, 1), (6, 1), (0, 2)] {
        network.clamp(task, processor);
    }
    let found = network.solve().unwrap();
    assert_eq!(found.heavy, [false, true, false]);
    let near = |i: usize, j: usize| graph.edges().any(|e| (e.from as usize, e.to as usize) == (i.min(j), i.max(j)));
    let clamped = [0, 2, 5, 6];
    for i in (0..n).filter(|i| !clamped.contains(i)) {
        for u in 0..k {
            let (mut with, mut against) = (parameters.excitation, (n * k) as f64);
            let mut fired = 0.0;
            for j in 0..n {
                for v in 0..k {
                    let q = found.tasks[j * k + v];
                    if near(i, j) && u == v {
                        with += q;
                        fired += 1.0;
                    } else if (u != v && (near(i, j) || i == j)) || (i != j && !near(i, j)) {
                        against += q;
                        fired += 1.0;
                    }
                }
            }
            // The signals sent, including the one to π(u), add up to the firing rate nK.
            assert_eq!(fired + 1.0, (n * k) as f64);
            if found.heavy[u] {
                against += parameters.inhibition * (n * k) as f64 * found.processors[u];
            }
            assert!((found.tasks[i * k + u] - (with / against).min(1.0)).abs() < 1e-9);
        }
    }
    for u in 0..k {
        let assigned: f64 = (0..n).map(|j| found.tasks[j * k + u]).sum();
        let relieved: f64 = (0..k).filter(|&v| v != u && found.heavy[v]).map(|v| found.processors[v]).sum();
        let q = ((n as f64 / k as f64 + assigned + relieved) / (n + k - 1) as f64).min(1.0);
        assert!((found.processors[u] - q).abs() < 1e-9);
    }
}

#[test]
fn the_decoder_keeps_groups_together_and_shares_them_out() {
    // Two chains of four tasks: one chain on each of two processors cuts nothing.
    let graph = graph(&[1.0; 8], &[0, 1, 2, 4, 5, 6].map(|from| (from, from + 1, 1)));
    let costs = Costs::identical(&graph, 2, |_| Time(1), Time).unwrap();
    let problem = Problem::new(&graph, &costs, tick(), Objective::Cut).unwrap();
    let outcome = Method::Neural(Neural::default()).solve(&problem, None, &mut stream(0)).unwrap();
    assert_eq!(outcome.value, 0.0, "{:?}", outcome.mapping);
    let printed = Method::NeuralPrinted.solve(&problem, None, &mut stream(0)).unwrap();
    // All tasks on one processor: (1/2) · (4² + 4²).
    assert_eq!((printed.value, &printed.mapping[..]), (16.0, &[0; 8][..]));
}

/// Four tasks in a ring of ties, two heavy and two light: the weighted network cuts the light ones, whichever they are;
/// the printed weights of 1 can't tell them apart.
#[test]
fn a_weighted_network_cuts_light_messages() {
    for heavy in [[(0, 1), (2, 3)], [(0, 2), (1, 3)]] {
        let bytes = |edge| if heavy.contains(&edge) { 100 } else { 1 };
        let graph = graph(&[1.0; 4], &[(0, 1), (0, 2), (1, 3), (2, 3)].map(|edge| (edge.0, edge.1, bytes(edge))));
        let costs = Costs::identical(&graph, 2, |_| Time(1), Time).unwrap();
        let problem = Problem::new(&graph, &costs, tick(), Objective::Cut).unwrap();
        let weighted = Neural { weighted: true, ..Neural::default() };
        assert_eq!(Method::Neural(weighted).solve(&problem, None, &mut stream(0)).unwrap().value, 2.0);
    }
}

/// A placed neighbour must not outweigh a full processor: a chain of eight is shared out, up to a task.
#[test]
fn the_decoder_shares_out_a_chain() {
    let graph = chain(8, 1);
    let costs = Costs::identical(&graph, 2, |_| Time(1), Time).unwrap();
    let problem = Problem::new(&graph, &costs, tick(), Objective::Cut).unwrap();
    let outcome = Method::Neural(Neural::default()).solve(&problem, None, &mut stream(0)).unwrap();
    let first = outcome.mapping.iter().filter(|&&processor| processor == 0).count();
    assert!((3..=5).contains(&first), "{:?}", outcome.mapping);
    // With rates at which a neighbour outweighs it, all tasks follow the first one.
    let weak = Neural { excitation: 1.0, inhibition: 1.0, ..Neural::default() };
    let outcome = Method::Neural(weak).solve(&problem, None, &mut stream(0)).unwrap();
    assert_eq!(outcome.mapping, [0; 8]);
}
