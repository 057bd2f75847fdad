//! Tests the methods against brute force, against each other and against the paper.

use proptest::prelude::*;
use rand::RngExt;

use super::*;
use crate::{Costs, Layout};
use hetsim_base::engine::Streams;
use hetsim_base::units::{Tick, Time};
use hetsim_graph::generate::random::Random;
use hetsim_graph::generate::rgpos::Rgpos;
use hetsim_graph::generate::{Family, Generator};
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
        let outcome = Method::Exact(Exact::default()).solve(&problem, None, &mut stream(0)).unwrap();
        prop_assert_eq!(outcome.value, tick().seconds(best));
        prop_assert!(outcome.is_proved() && outcome.gap() == Some(0.0));
        prop_assert_eq!(outcome.schedule.makespan(), best);
        prop_assert_eq!(outcome.schedule.check(&graph, &costs), Ok(()));

        let problem = Problem::new(&graph, &costs, tick(), Objective::Cut).unwrap().with_balance(3.0).unwrap();
        let outcome = Method::Exact(Exact::default()).solve(&problem, None, &mut stream(0)).unwrap();
        let values = all_mappings(tasks, processors).map(|mapping| plain_cut(&graph, &costs, &mapping, 3.0));
        let best = values.fold(f64::INFINITY, f64::min);
        prop_assert!((outcome.value - best).abs() <= 1e-9, "{} {best}", outcome.value);
        prop_assert!((plain_cut(&graph, &costs, &outcome.mapping, 3.0) - best).abs() <= 1e-9);
        prop_assert!(outcome.is_proved());
    }

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

#[test]
fn the_printed_upper_bound_of_the_paper_is_not_one() {
    // a (100) runs on processor 0, then b (1) and c (1) in a chain on processor 1. c has no outside predecessor, so the
    // paper says that it ends by 2. It ends at 102 plus the message of 5.
    let mut builder = Builder::new();
    for operations in [100.0, 1.0, 1.0] {
        builder.task(operations).unwrap();
    }
    builder.edge(0, 1, 5).unwrap();
    builder.edge(1, 2, 5).unwrap();
    let graph = builder.build().unwrap();
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
    let mut builder = Builder::new();
    for operations in [2.0, 10.0, 5.0] {
        builder.task(operations).unwrap();
    }
    builder.edge(0, 1, 4).unwrap();
    let graph = builder.build().unwrap();
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
    let mut builder = Builder::new();
    for _ in 0..8 {
        builder.task(1.0).unwrap();
    }
    for from in [0, 1, 2, 4, 5, 6] {
        builder.edge(from, from + 1, 1).unwrap();
    }
    let graph = builder.build().unwrap();
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
        let mut builder = Builder::new();
        for _ in 0..4 {
            builder.task(1.0).unwrap();
        }
        for edge in [(0, 1), (0, 2), (1, 3), (2, 3)] {
            builder.edge(edge.0, edge.1, if heavy.contains(&edge) { 100 } else { 1 }).unwrap();
        }
        let graph = builder.build().unwrap();
        let costs = Costs::identical(&graph, 2, |_| Time(1), Time).unwrap();
        let problem = Problem::new(&graph, &costs, tick(), Objective::Cut).unwrap();
        let weighted = Neural { weighted: true, ..Neural::default() };
        assert_eq!(Method::Neural(weighted).solve(&problem, None, &mut stream(0)).unwrap().value, 2.0);
    }
}

/// Without a rule that ends a level or the search early, exactly this many moves are tried; the start counts as one
/// more.
#[test]
fn budgets_are_spent() {
    for tasks in [5, 12] {
        let (graph, costs) = instance(tasks, 3, 1, 11);
        let problem = Problem::new(&graph, &costs, tick(), Objective::ParallelTime).unwrap();
        let annealing = Annealing { evaluations: Some(2000), accepted: 1000, stall: 200, ..Annealing::default() };
        let outcome = Method::Annealing(annealing).solve(&problem, None, &mut stream(0)).unwrap();
        assert_eq!(outcome.evaluations, 2001);
        let genetic = Genetic { population: 20, generations: 198, stall: 198, ..Genetic::default() };
        let outcome = Method::Genetic(genetic).solve(&problem, None, &mut stream(0)).unwrap();
        assert_eq!(outcome.evaluations, 2000);
    }
}

/// A placed neighbour must not outweigh a full processor: a chain of eight is shared out, up to a task.
#[test]
fn the_decoder_shares_out_a_chain() {
    let mut builder = Builder::new();
    for _ in 0..8 {
        builder.task(1.0).unwrap();
    }
    for from in 0..7 {
        builder.edge(from, from + 1, 1).unwrap();
    }
    let graph = builder.build().unwrap();
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

/// Topcuoglu et al. 2002, figure 2: HEFT's schedule takes 80, and the optimum is 73.
#[test]
fn the_optimum_of_the_heft_example_is_73() {
    let seconds = [
        [14, 16, 9],
        [13, 19, 18],
        [11, 13, 19],
        [13, 8, 17],
        [12, 13, 10],
        [13, 16, 9],
        [7, 15, 11],
        [5, 11, 14],
        [18, 12, 20],
        [21, 7, 16],
    ];
    let edges = [
        (1, 2, 18),
        (1, 3, 12),
        (1, 4, 9),
        (1, 5, 11),
        (1, 6, 14),
        (2, 8, 19),
        (2, 9, 16),
        (3, 7, 23),
        (4, 8, 27),
        (4, 9, 23),
        (5, 9, 13),
        (6, 8, 15),
        (7, 10, 17),
        (8, 10, 11),
        (9, 10, 13),
    ];
    let mut builder = Builder::new();
    for _ in seconds {
        builder.task(1.0).unwrap();
    }
    for (from, to, bytes) in edges {
        builder.edge(from - 1, to - 1, bytes).unwrap();
    }
    let graph = builder.build().unwrap();
    let duration = |task: u32, processor: u32| Time(seconds[task as usize][processor as usize]);
    let costs = Costs::new(&graph, Layout::by_kind(3, |p| p), duration, |edge, _, _| Time(edge.bytes)).unwrap();
    let problem = Problem::new(&graph, &costs, tick(), Objective::Makespan).unwrap();
    let outcome = Method::Exact(Exact::default()).solve(&problem, None, &mut stream(0)).unwrap();
    assert_eq!((outcome.value, outcome.is_proved()), (73.0, true));
    outcome.schedule.check(&graph, &costs).unwrap();
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
    let mut builder = Builder::new();
    for _ in 0..100_000 {
        builder.task(1.0).unwrap();
    }
    for from in 0..99_999 {
        builder.edge(from, from + 1, 1).unwrap();
    }
    let graph = builder.build().unwrap();
    let costs = Costs::identical(&graph, 4, |_| Time(1), Time).unwrap();
    for objective in objectives() {
        let timed = objective != Objective::Cut;
        let problem = Problem::new(&graph, &costs, tick(), objective).unwrap();
        let outcome = Method::Exact(Exact::default()).solve(&problem, None, &mut stream(0)).unwrap();
        assert!(outcome.bound.is_some() && outcome.is_proved() == timed);
    }
}
