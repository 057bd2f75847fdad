//! Tests the methods against each other and against the paper.

mod exact_search;
mod network;

use proptest::prelude::*;
use rand::RngExt;

use super::*;
use crate::samples::{chain, graph};
use crate::{Costs, Layout};
use hetsim_base::engine::Streams;
use hetsim_base::units::{Tick, Time};
use hetsim_graph::{Builder, TaskGraph};

fn tick() -> Tick {
    // A second.
    Tick::new(1_000_000_000_000).unwrap()
}

fn stream(index: u64) -> Stream {
    Streams::new(1, 0).stream("mapping", index)
}

fn objectives() -> [Objective; 3] {
    [Objective::ParallelTime, Objective::Cut, Objective::Makespan]
}

/// Heuristics with short searches.
fn heuristics() -> Vec<Method> {
    vec![
        Method::Annealing(Annealing { levels: 30, tries: 5, ..Annealing::default() }),
        Method::Annealing(Annealing { levels: 30, start: Start::Neural, relative: true, ..Annealing::default() }),
        Method::Genetic(Genetic { generations: 20, population: 20, ..Genetic::default() }),
        Method::Genetic(Genetic { generations: 20, population: 20, start: Start::Neural, ..Genetic::default() }),
        Method::Genetic(Genetic { generations: 20, population: 20, rename: true, ..Genetic::default() }),
        Method::NeuralPrinted,
        Method::Neural(Neural::default()),
        Method::Neural(Neural { weighted: true, ..Neural::default() }),
    ]
}

/// A graph with random edges, and its costs: on equal processors, on unrelated ones, or on unrelated ones with
/// different links.
fn instance(tasks: u32, processors: u32, kind: u32, index: u64) -> (TaskGraph, Costs) {
    let mut rng = stream(index);
    let mut builder = Builder::new();
    for _ in 0..tasks {
        builder.task(f64::from(rng.random_range(0..20))).unwrap();
    }
    let density = rng.random_range(0.0..0.7);
    let most = rng.random_range(0..30);
    for from in 0..tasks {
        for to in from + 1..tasks {
            if rng.random_bool(density) {
                builder.edge(from, to, rng.random_range(0..=most)).unwrap();
            }
        }
    }
    let graph = builder.build().unwrap();
    let table: Vec<u64> = (0..tasks * processors).map(|_| rng.random_range(0..20)).collect();
    let costs = match kind {
        0 => Costs::identical(&graph, processors, |task| Time(graph.operations(task) as u64), Time),
        1 => {
            let duration = |task: u32, processor: u32| Time(table[(task * processors + processor) as usize]);
            Costs::new(&graph, Layout::by_kind(processors, |p| p), duration, |edge, _, _| Time(edge.bytes))
        }
        _ => {
            let duration = |task: u32, processor: u32| Time(table[(task * processors + processor) as usize]);
            let layout = Layout::new(processors, |p| p, |from, to| (from, to));
            Costs::new(&graph, layout, duration, |edge, from, to| Time(edge.bytes * u64::from(1 + from + 2 * to)))
        }
    };
    (graph, costs.unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Exact is no worse than any heuristic, schedules are valid and end at the value, and the same stream gives the
    /// same outcome.
    #[test]
    fn no_heuristic_beats_exact(tasks in 1u32..=9, processors in 1u32..=4, kind in 0u32..3, index in any::<u64>()) {
        let (graph, costs) = instance(tasks, processors, kind, index);
        for objective in objectives() {
            let timed = objective != Objective::Cut;
            let problem = Problem::new(&graph, &costs, tick(), objective).unwrap();
            let exact = Method::Exact(Exact::default()).solve(&problem, None, &mut stream(0)).unwrap();
            prop_assert!(exact.is_proved());
            for method in heuristics() {
                let outcome = method.solve(&problem, None, &mut stream(index)).unwrap();
                prop_assert!(outcome.value >= exact.value, "{} {outcome:?}", method.name());
                prop_assert_eq!(outcome.schedule.check(&graph, &costs), Ok(()));
                prop_assert_eq!(outcome.value, Evaluator::new(&problem).set(&outcome.mapping));
                if timed {
                    prop_assert_eq!(outcome.value, tick().seconds(outcome.schedule.makespan()));
                }
                let last = outcome.history.last().unwrap();
                prop_assert_eq!((last.best, last.evaluations), (outcome.value, outcome.evaluations));
                prop_assert!(outcome.history.windows(2).all(|steps| steps[1].best <= steps[0].best));
                prop_assert_eq!(method.solve(&problem, None, &mut stream(index)).unwrap(), outcome);
            }
        }
    }

    /// A move costs as much as the resulting mapping, whatever was tried and accepted before.
    #[test]
    fn moves_cost_what_whole_mappings_do(kind in 0u32..3, index in any::<u64>()) {
        let (graph, costs) = instance(8, 3, kind, index);
        for objective in objectives() {
            let problem = Problem::new(&graph, &costs, tick(), objective).unwrap();
            let (mut evaluator, mut whole) = (Evaluator::new(&problem), Evaluator::new(&problem));
            let mut rng = stream(index);
            for _ in 0..100 {
                let (task, to) = (rng.random_range(0..8), rng.random_range(0..3));
                let value = evaluator.try_move(task, to);
                let mut mapping = evaluator.mapping().to_vec();
                mapping[task as usize] = to;
                prop_assert_eq!(value, whole.set(&mapping));
                if rng.random_bool(0.5) {
                    evaluator.accept();
                    prop_assert_eq!(evaluator.mapping(), &mapping[..]);
                }
            }
        }
    }

    /// The paper's inequalities, with the upper one for all predecessors instead of only the direct ones.
    #[test]
    fn the_parallel_time_is_within_its_bounds(kind in 0u32..3, index in any::<u64>()) {
        let (graph, costs) = instance(9, 3, kind, index);
        let problem = Problem::new(&graph, &costs, tick(), Objective::ParallelTime).unwrap();
        let mapping = problem.draw(&mut stream(index));
        let schedule = problem.schedule(&mapping);
        prop_assert_eq!(schedule.check(&graph, &costs), Ok(()));
        let bounds = problem.bounds(&mapping);
        prop_assert!(bounds.optimistic <= schedule.makespan() && schedule.makespan() <= bounds.pessimistic);
    }
}

#[test]
fn the_printed_upper_bound_of_the_paper_is_not_one() {
    // a (100) runs on processor 0, then b (1) and c (1) in a chain on processor 1. c has no outside predecessor, so the
    // paper says that it ends by 2. It ends at 102 plus the message of 5.
    let graph = graph(&[100.0, 1.0, 1.0], &[(0, 1, 5), (1, 2, 5)]);
    let costs = Costs::identical(&graph, 2, |task| Time(graph.operations(task) as u64), Time).unwrap();
    let problem = Problem::new(&graph, &costs, tick(), Objective::ParallelTime).unwrap();
    assert_eq!(problem.schedule(&[0, 1, 1]).makespan(), Time(107));
    // By the printed lower bound c could end at 1 and b at 106.
    assert_eq!(problem.bounds(&[0, 1, 1]), Bounds { optimistic: Time(106), pessimistic: Time(107) });
    // With all tasks on one processor the bound is lowest, although nothing runs in parallel.
    assert_eq!(problem.bounds(&[0, 0, 0]), Bounds { optimistic: Time(100), pessimistic: Time(102) });
}

#[test]
fn the_two_orders_differ_where_data_are_late() {
    // By rank, b, which waits for a's message, precedes c on processor 1; the paper's rule lets the idle processor take
    // c.
    let graph = graph(&[2.0, 10.0, 5.0], &[(0, 1, 4)]);
    let costs = Costs::identical(&graph, 2, |task| Time(graph.operations(task) as u64), Time).unwrap();
    let end = |objective| Problem::new(&graph, &costs, tick(), objective).unwrap().schedule(&[0, 1, 1]).makespan();
    assert_eq!(end(Objective::Makespan), Time(2 + 4 + 10 + 5));
    assert_eq!(end(Objective::ParallelTime), Time(2 + 4 + 10));
}

#[test]
fn acceptance_and_cooling_by_hand() {
    let annealing = Annealing::default();
    // 0.9 · exp(−45/90) and 0.9 · (1 − 45/90).
    assert!((annealing.probability(45.0, 90.0) - 0.545_877_593_741_370_6).abs() < 1e-15);
    let linear = Annealing { acceptance: Acceptance::Linear, ..annealing.clone() };
    assert_eq!((linear.probability(45.0, 90.0), linear.probability(91.0, 90.0)), (0.45, 0.0));
    assert_eq!((annealing.probability(0.0, 90.0), annealing.probability(-1.0, 90.0)), (1.0, 1.0));
    // The factor is 0.93 from level to level until the temperature is below 9, then 0.965: 90 · 0.93³¹ = 9.489 and 90 ·
    // 0.93³² = 8.825 are the last two of the first kind.
    let mut temperature = 90.0;
    for _ in 0..33 {
        temperature = annealing.cooled(temperature, 90.0);
    }
    assert!((temperature - 90.0 * 0.93_f64.powi(32) * 0.965).abs() < 1e-12);
}

/// Without a rule that ends a level or the search early, exactly this many moves are tried; the start counts as one
/// more.
#[test]
fn budgets_are_spent() {
    for tasks in [5, 12] {
        let (graph, costs) = instance(tasks, 3, 1, 11);
        let problem = Problem::new(&graph, &costs, tick(), Objective::ParallelTime).unwrap();
        for budget in [200, 201, 399, 2000] {
            let annealing = Annealing { evaluations: Some(budget), accepted: 1000, stall: 200, ..Annealing::default() };
            let outcome = Method::Annealing(annealing).solve(&problem, None, &mut stream(0)).unwrap();
            assert_eq!(outcome.evaluations, budget + 1);
        }
        let genetic = Genetic { population: 20, generations: 198, stall: 198, ..Genetic::default() };
        let outcome = Method::Genetic(genetic).solve(&problem, None, &mut stream(0)).unwrap();
        assert_eq!(outcome.evaluations, 2000);
    }
}

#[test]
fn a_given_start_is_never_made_worse() {
    let (graph, costs) = instance(12, 3, 1, 11);
    let problem = Problem::new(&graph, &costs, tick(), Objective::Makespan).unwrap();
    let given = problem.draw(&mut stream(5));
    let value = Evaluator::new(&problem).set(&given);
    for method in [
        Method::Annealing(Annealing { start: Start::Schedule(Scheduler::Heft), ..Annealing::default() }),
        Method::Genetic(Genetic { start: Start::Schedule(Scheduler::Heft), ..Genetic::default() }),
        Method::Exact(Exact::default()),
    ] {
        let outcome = method.solve(&problem, Some(&given), &mut stream(1)).unwrap();
        assert!(outcome.value <= value);
        if !matches!(method, Method::Exact(_)) {
            assert!(outcome.history[0].best <= value);
            assert_eq!(method.solve(&problem, None, &mut stream(1)), Err(MappingError::NoStart));
        }
        let wrong = method.solve(&problem, Some(&[0; 11]), &mut stream(1)).unwrap_err();
        assert_eq!(wrong.to_string(), "a mapping to start from needs one of 3 processors for each of 12 tasks");
    }
}

#[test]
fn impossible_parameters_are_named() {
    let (graph, costs) = instance(3, 2, 0, 1);
    let error = Problem::new(&graph, &costs, tick(), Objective::Cut).unwrap().with_balance(-1.0).unwrap_err();
    assert_eq!(error.to_string(), "`balance` must be 0 or more, and finite, not -1");
    for (method, words) in [
        (
            Method::Annealing(Annealing { temperature: 0.0, ..Annealing::default() }),
            "`temperature` must be above 0, and finite",
        ),
        (
            Method::Annealing(Annealing { evaluations: Some(199), ..Annealing::default() }),
            "`evaluations` must be at least as many as `levels`",
        ),
        (Method::Genetic(Genetic { population: 1, ..Genetic::default() }), "`population` must be at least 2"),
        (
            Method::Neural(Neural { excitation: f64::NAN, ..Neural::default() }),
            "`excitation` must be 0 or more, and finite",
        ),
    ] {
        assert_eq!(method.check().unwrap_err().to_string(), words);
    }
}

#[test]
fn small_and_large_cases_end() {
    for processors in [1, 3] {
        let none = Builder::new().build().unwrap();
        let costs = Costs::identical(&none, processors, |_| Time(1), Time).unwrap();
        for objective in objectives() {
            let problem = Problem::new(&none, &costs, tick(), objective).unwrap();
            for method in heuristics().into_iter().chain([Method::Exact(Exact::default())]) {
                let outcome = method.solve(&problem, None, &mut stream(0)).unwrap();
                assert!(outcome.mapping.is_empty());
            }
        }
    }
    // A chain: nothing recurses along it, and the bound of the whole problem is the optimum.
    let graph = chain(100_000, 1);
    let costs = Costs::identical(&graph, 4, |_| Time(1), Time).unwrap();
    for objective in objectives() {
        let timed = objective != Objective::Cut;
        let problem = Problem::new(&graph, &costs, tick(), objective).unwrap();
        let outcome = Method::Exact(Exact::default()).solve(&problem, None, &mut stream(0)).unwrap();
        assert!(outcome.bound.is_some() && outcome.is_proved() == timed);
    }
}
