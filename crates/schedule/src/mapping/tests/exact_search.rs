//! Tests the exact search against brute force and against known optima.

use super::*;
use crate::samples::heft_example;
use hetsim_graph::generate::rgpos::Rgpos;

/// The least makespan of all sequences that append tasks to processors.
fn brute(graph: &TaskGraph, costs: &Costs, done: &mut Vec<Option<(u32, Time)>>, idle: &mut [Time], best: &mut Time) {
    let end = idle.iter().copied().max().unwrap();
    if done.iter().all(Option::is_some) {
        *best = end.min(*best);
        return;
    }
    for task in graph.ids() {
        if done[task as usize].is_some() || graph.predecessors(task).any(|edge| done[edge.from as usize].is_none()) {
            continue;
        }
        for own in 0..costs.processors() {
            let before = idle[own as usize];
            let arrivals = graph.predecessors(task).map(|edge| {
                let (from, finish) = done[edge.from as usize].unwrap();
                finish + costs.transfer(edge.id, from, own)
            });
            let finish = arrivals.fold(before, Time::max) + costs.duration(task, own);
            done[task as usize] = Some((own, finish));
            idle[own as usize] = finish;
            brute(graph, costs, done, idle, best);
            done[task as usize] = None;
            idle[own as usize] = before;
        }
    }
}

fn all_mappings(tasks: u32, processors: u32) -> impl Iterator<Item = Vec<u32>> {
    (0..processors.pow(tasks))
        .map(move |number| (0..tasks).map(|task| number / processors.pow(task) % processors).collect())
}

/// The definition, without increments.
fn plain_cut(graph: &TaskGraph, costs: &Costs, mapping: &[u32], balance: f64) -> f64 {
    let cut: Time = graph.edges().map(|e| costs.transfer(e.id, mapping[e.from as usize], mapping[e.to as usize])).sum();
    let (n, k) = (mapping.len() as f64, f64::from(costs.processors()));
    let squares: f64 = (0..costs.processors())
        .map(|own| (mapping.iter().filter(|&&other| other == own).count() as f64 - n / k).powi(2))
        .sum();
    tick().seconds(cut) + balance / k * squares
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn exact_is_brute_force(tasks in 1u32..=6, processors in 1u32..=3, kind in 0u32..3, index in any::<u64>()) {
        let (graph, costs) = instance(tasks, processors, kind, index);
        let mut best = Time::NEVER;
        let mut idle = vec![Time::ZERO; processors as usize];
        brute(&graph, &costs, &mut vec![None; tasks as usize], &mut idle, &mut best);
        let problem = Problem::new(&graph, &costs, tick(), Objective::Makespan).unwrap();
        // Without nodes there is no search by constraints, and the one in the order of starts runs to its end.
        for exact in [Exact::default(), Exact { nodes: 0 }] {
            let outcome = Method::Exact(exact).solve(&problem, None, &mut stream(0)).unwrap();
            prop_assert_eq!(outcome.value, tick().seconds(best));
            prop_assert!(outcome.is_proved() && outcome.gap() == Some(0.0));
            prop_assert_eq!(outcome.schedule.makespan(), best);
            prop_assert_eq!(outcome.schedule.check(&graph, &costs), Ok(()));
        }

        let problem = Problem::new(&graph, &costs, tick(), Objective::Cut).unwrap().with_balance(3.0).unwrap();
        let outcome = Method::Exact(Exact::default()).solve(&problem, None, &mut stream(0)).unwrap();
        let values = all_mappings(tasks, processors).map(|mapping| plain_cut(&graph, &costs, &mapping, 3.0));
        let best = values.fold(f64::INFINITY, f64::min);
        prop_assert!((outcome.value - best).abs() <= 1e-9, "{} {best}", outcome.value);
        prop_assert!((plain_cut(&graph, &costs, &outcome.mapping, 3.0) - best).abs() <= 1e-9);
        prop_assert!(outcome.is_proved());
    }

    /// With a budget too small for a proof, the bound is below any value found, and the value is that of a valid
    /// schedule of its mapping. Thirteen tasks may take more nodes than either budget, so a proof is not certain.
    #[test]
    fn what_is_not_proved_is_bounded(nodes in 0u64..200, kind in 0u32..2, index in any::<u64>()) {
        let (graph, costs) = instance(13, 3, kind, index);
        for objective in objectives() {
            let problem = Problem::new(&graph, &costs, tick(), objective).unwrap();
            let short = Method::Exact(Exact { nodes }).solve(&problem, None, &mut stream(0)).unwrap();
            let long = Method::Exact(Exact { nodes: 50_000 }).solve(&problem, None, &mut stream(0)).unwrap();
            prop_assert!(short.evaluations <= nodes && long.evaluations <= 50_000);
            for exact in [&short, &long] {
                let (bound, by_rule) = (exact.bound.unwrap(), Evaluator::new(&problem).set(&exact.mapping));
                prop_assert_eq!(exact.schedule.check(&graph, &costs), Ok(()));
                prop_assert_eq!(exact.schedule.mapping(), &exact.mapping[..]);
                if problem.objective() == Objective::Cut {
                    prop_assert_eq!(exact.value, by_rule);
                } else {
                    prop_assert_eq!(exact.value, tick().seconds(exact.schedule.makespan()));
                    prop_assert!(!exact.is_proved() || exact.value <= by_rule);
                }
                // Each bound is below the optimum, and so below each value.
                prop_assert!(bound <= short.value && bound <= long.value);
                let gap = exact.gap().unwrap();
                prop_assert!((0.0..=1.0).contains(&gap) && (gap == 0.0) == exact.is_proved());
                for method in heuristics() {
                    prop_assert!(bound <= method.solve(&problem, None, &mut stream(index)).unwrap().value);
                }
            }
            // The longer search continues where the shorter one stopped.
            prop_assert!(long.value <= short.value);
            if short.is_proved() {
                prop_assert_eq!(short.value, long.value);
            }
        }
    }

    /// Up to 12 tasks, the optimum is proved without a budget, in well under 2 million nodes.
    #[test]
    fn twelve_tasks_are_always_proved(processors in 2u32..=5, kind in 0u32..3, index in any::<u64>()) {
        let (graph, costs) = instance(12, processors, kind, index);
        for objective in objectives() {
            let problem = Problem::new(&graph, &costs, tick(), objective).unwrap();
            let outcome = Method::Exact(Exact { nodes: 0 }).solve(&problem, None, &mut stream(0)).unwrap();
            prop_assert!(outcome.is_proved() && outcome.evaluations < 2_000_000, "{}", outcome.evaluations);
        }
    }

    /// Times in finer ticks are the same problem: it takes as many nodes, whether it is proved or not.
    #[test]
    fn finer_ticks_change_nothing(nodes in 0u64..5_000, index in any::<u64>()) {
        let (graph, _) = instance(14, 3, 0, index);
        let outcome = |ticks: u64| {
            let duration = |task| Time(graph.operations(task) as u64 * ticks);
            let costs = Costs::identical(&graph, 3, duration, |bytes| Time(bytes * ticks)).unwrap();
            let problem = Problem::new(&graph, &costs, tick(), Objective::Makespan).unwrap();
            Method::Exact(Exact { nodes }).solve(&problem, None, &mut stream(0)).unwrap()
        };
        let (coarse, fine) = (outcome(1), outcome(1 << 20));
        prop_assert_eq!(coarse.evaluations, fine.evaluations);
        prop_assert_eq!(coarse.mapping, fine.mapping);
        prop_assert_eq!(coarse.value * f64::from(1 << 20), fine.value);
    }

    #[test]
    fn known_optima_are_reached(tasks in 1u32..=12, processors in 1u32..=4, index in any::<u64>()) {
        prop_assume!(tasks >= processors);
        let known = Rgpos { processors, tasks, makespan: 60, predecessors: 3 }.instance(&mut stream(index)).unwrap();
        let graph = known.graph;
        let costs = Costs::identical(&graph, processors, |task| Time(graph.operations(task) as u64), Time).unwrap();
        let problem = Problem::new(&graph, &costs, tick(), Objective::Makespan).unwrap();
        let outcome = Method::Exact(Exact::default()).solve(&problem, None, &mut stream(0)).unwrap();
        prop_assert_eq!((outcome.value, outcome.is_proved()), (60.0, true));
    }
}

/// HEFT's schedule of the example takes 80, and the optimum is 73.
#[test]
fn the_optimum_of_the_heft_example_is_73() {
    let (graph, costs) = heft_example();
    let problem = Problem::new(&graph, &costs, tick(), Objective::Makespan).unwrap();
    let outcome = Method::Exact(Exact::default()).solve(&problem, None, &mut stream(0)).unwrap();
    assert_eq!((outcome.value, outcome.is_proved()), (73.0, true));
    outcome.schedule.check(&graph, &costs).unwrap();
}
