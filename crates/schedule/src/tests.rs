//! Schedules of worked examples and of random graphs.

use proptest::prelude::*;

use super::samples::{chain, costs, graph, graphs, heft_example, unrelated};
use super::*;
use hetsim_base::units::Tick;
use hetsim_graph::generate::Placement;
use hetsim_graph::generate::rgpos::Rgpos;

#[test]
fn tasks_without_duration_run_in_an_order_that_can_be() {
    // 2 → 0 → 1 all at instant 5 on one processor, after 3.
    let graph = graph(&[0.0, 0.0, 0.0, 5.0], &[(2, 0, 0), (0, 1, 0), (3, 2, 0)]);
    let times = |times: [u64; 4]| times.map(Time).to_vec();
    let schedule = Schedule::new(vec![1; 4], times([5, 5, 5, 0]), times([5; 4])).unwrap();
    let order = schedule.order(&graph, 2);
    assert_eq!((order.processors(), order.tasks(0), order.tasks(1)), (2, &[][..], &[3, 2, 0, 1][..]));
    assert_eq!(schedule.makespan(), Time(5));
    assert_eq!(Schedule::new(vec![0], vec![], vec![]), None);
}

fn makespan(scheduler: Scheduler, graph: &TaskGraph, costs: &Costs) -> u64 {
    let schedule = scheduler.schedule(graph, costs, &Options::default()).unwrap();
    schedule.check(graph, costs).unwrap();
    schedule.makespan().0
}

/// The published results of HEFT, CPOP, DLS (Topcuoglu et al.), PEFT (Arabnejad and Barbosa) and lookahead (Bittencourt
/// et al.); the others come from an independent implementation.
#[test]
fn the_heft_papers_example_comes_out() {
    let (graph, costs) = heft_example();
    for (scheduler, expected) in [
        (Scheduler::Heft, 80),
        (Scheduler::Cpop, 86),
        (Scheduler::Dls, 91),
        (Scheduler::Peft, 85),
        (Scheduler::LookaheadHeft, 76),
        (Scheduler::MinMin, 76),
        (Scheduler::MaxMin, 97),
        (Scheduler::Duplex, 76),
        (Scheduler::Etf, 93),
        (Scheduler::Mct, 88),
        (Scheduler::Met, 82),
        (Scheduler::FastestNode, 127),
    ] {
        assert_eq!(makespan(scheduler, &graph, &costs), expected, "{scheduler}");
    }
    // The optimum is 73, as a solver proved.
    for &scheduler in Scheduler::ALL {
        assert!(makespan(scheduler, &graph, &costs) >= 73, "{scheduler}");
    }
    assert!(bounds::lower_bound(&graph, &costs) <= Time(73));
    // The longest path of shortest times: 0, 1, 8 and 9 take 9 + 13 + 12 + 7.
    assert_eq!(bounds::critical_path(&graph, &costs), Time(41));
}

#[test]
fn ranks_are_those_of_the_paper() {
    let (graph, costs) = heft_example();
    let close = |ranks: Vec<f64>, expected: [f64; 10]| {
        for (task, (rank, expected)) in ranks.iter().zip(expected).enumerate() {
            assert!((rank - expected).abs() < 5e-4, "task {task}: {rank} for {expected}");
        }
    };
    let up = rank::upward(&graph, &costs);
    assert_eq!(rank::falling(&graph, &up), [0, 2, 3, 1, 4, 5, 8, 6, 7, 9]);
    close(up, [108.0, 77.0, 80.0, 80.0, 69.0, 63.333, 42.667, 35.667, 44.333, 14.667]);
    close(rank::downward(&graph, &costs), [0.0, 31.0, 25.0, 22.0, 24.0, 27.0, 62.333, 66.667, 63.667, 93.333]);
    let table = peft::optimistic_costs(&graph, &costs);
    assert_eq!(table[..6], [48.0, 38.0, 53.0, 35.0, 19.0, 35.0]);
}

#[test]
fn heft_puts_every_task_where_the_paper_does() {
    let (graph, costs) = heft_example();
    let schedule = Scheduler::Heft.schedule(&graph, &costs, &Options::default()).unwrap();
    let order = schedule.order(&graph, 3);
    assert_eq!(
        [0, 1, 2].map(|processor| order.tasks(processor).to_vec()),
        [vec![1, 7], vec![3, 5, 8, 9], vec![0, 2, 4, 6]]
    );
    let starts: Vec<u64> = graph.ids().map(|task| schedule.start(task).0).collect();
    assert_eq!(starts, [0, 27, 9, 18, 28, 26, 38, 57, 56, 73]);
}

/// Independent tasks with a time for each on each processor.
fn independent<const P: usize>(times: &[[f64; P]]) -> (TaskGraph, Costs) {
    let graph = graph(&vec![1.0; times.len()], &[]);
    let costs = unrelated(&graph, times);
    (graph, costs)
}

#[test]
fn sufferage_gives_the_processor_to_who_needs_it() {
    // Min-min gives processor 0 to task 1, which ends there at 3; task 0 loses 6 elsewhere and waits: 7.
    let (graph, costs) = independent(&[[4.0, 10.0], [3.0, 4.0]]);
    assert_eq!(makespan(Scheduler::MinMin, &graph, &costs), 7);
    assert_eq!(makespan(Scheduler::Sufferage, &graph, &costs), 4);
}

#[test]
fn hbmct_balances_a_group() {
    // All six are equally fast on processor 0, where they start: 6 · 2; balanced, they take 2 · 2 each.
    let (graph, costs) = independent(&[[2.0, 2.0, 2.0]; 6]);
    assert_eq!(makespan(Scheduler::Hbmct, &graph, &costs), 4);
    assert_eq!(makespan(Scheduler::Met, &graph, &costs), 12);
    assert_eq!(bounds::total_work(&graph, &costs), Time(4));
}

#[test]
fn total_work_on_related_speeds_is_work_over_capacity() {
    let (graph, _) = independent(&[[1.0, 1.0]; 12]);
    let costs = Costs::related(&graph, &[1.0, 2.0, 5.0], Tick::default(), Time).unwrap();
    // 12 operations at 8 operations per second.
    let bound = bounds::total_work(&graph, &costs).as_f64() / 1e12;
    assert!((bound - 1.5).abs() < 1e-12 && bound <= 1.5, "{bound}");
}

#[test]
fn a_gap_is_used_only_with_insertion() {
    // 0 → 1 with a long message to processor 1, the only one that is fast for task 1; task 2 then fits before it.
    let graph = graph(&[1.0; 3], &[(0, 1, 10)]);
    let costs = unrelated(&graph, &[[5.0, 500.0], [500.0, 20.0], [500.0, 10.0]]);
    let start = |insertion| {
        let options = Options { insertion: Some(insertion), ..Options::default() };
        Scheduler::Heft.schedule(&graph, &costs, &options).unwrap().start(2)
    };
    assert_eq!((start(true), start(false)), (Time(0), Time(35)));
}

#[test]
fn other_graphs_costs_are_refused() {
    let (graph, costs) = heft_example();
    let (other, _) = independent(&[[1.0]]);
    let error = Scheduler::Heft.schedule(&other, &costs, &Options::default()).unwrap_err();
    assert_eq!(error.to_string(), "the costs are for 10 tasks and 15 edges; the graph has 1 and 0");
    assert!(Scheduler::Heft.schedule(&graph, &costs, &Options::default()).unwrap().check(&other, &costs).is_err());
    assert_eq!("heft".parse::<Scheduler>().unwrap(), Scheduler::Heft);
}

#[test]
fn a_graph_without_tasks_has_a_schedule() {
    let graph = graph(&[], &[]);
    let costs = Costs::identical(&graph, 3, |_| Time(1), Time).unwrap();
    for &scheduler in Scheduler::ALL {
        assert_eq!(makespan(scheduler, &graph, &costs), 0, "{scheduler}");
    }
    assert_eq!(bounds::lower_bound(&graph, &costs), Time::ZERO);
}

/// A run on an otherwise idle platform: every processor runs its tasks in order, each as soon as it can.
fn replay(schedule: &Schedule, graph: &TaskGraph, costs: &Costs) -> Vec<Time> {
    let order = schedule.order(graph, costs.processors());
    let mut next = vec![0; costs.processors() as usize];
    let mut idle = vec![Time::ZERO; next.len()];
    let mut starts: Vec<Option<Time>> = vec![None; graph.tasks()];
    let end = |task: u32, start: Time| start + costs.duration(task, schedule.processor(task));
    loop {
        let mut moved = false;
        for processor in 0..costs.processors() {
            let at = processor as usize;
            while let Some(&task) = order.tasks(processor).get(next[at]) {
                let arrivals = graph.predecessors(task).map(|edge| {
                    let start = starts[edge.from as usize]?;
                    Some(end(edge.from, start) + costs.transfer(edge.id, schedule.processor(edge.from), processor))
                });
                let Some(arrival) = arrivals.into_iter().try_fold(Time::ZERO, |last, next| Some(last.max(next?)))
                else {
                    break;
                };
                let start = arrival.max(idle[at]);
                (starts[task as usize], idle[at], next[at], moved) =
                    (Some(start), end(task, start), next[at] + 1, true);
            }
        }
        if !moved {
            return starts.into_iter().map(|start| start.expect("no task waits for ever")).collect();
        }
    }
}

/// HEFT straight from its equations: ranks by sums over all processors and pairs, every processor tried for each task,
/// and the simplest timelines. Returns the processor and start of each task.
fn plain_heft(graph: &TaskGraph, costs: &Costs, insertion: bool) -> Vec<(u32, u64)> {
    let all = || 0..costs.processors();
    let pairs: Vec<_> =
        all().flat_map(|from| all().map(move |to| (from, to))).filter(|(from, to)| from != to).collect();
    let (count, joined) = (u128::from(costs.processors()), (pairs.len() as u128).max(1));
    let mut ranks = vec![0u128; graph.tasks()];
    for &task in graph.order().iter().rev() {
        let work: u128 = all().map(|processor| u128::from(costs.duration(task, processor).0)).sum();
        let message = |id| pairs.iter().map(|&(from, to)| u128::from(costs.transfer(id, from, to).0)).sum::<u128>();
        let below = graph.successors(task).map(|edge| message(edge.id) * count + ranks[edge.to as usize]).max();
        ranks[task as usize] = work * joined + below.unwrap_or(0);
    }
    let mut order = graph.order().to_vec();
    order.sort_by_key(|&task| std::cmp::Reverse(ranks[task as usize]));
    let mut lines: Vec<timeline::tests::Naive> = all().map(|_| timeline::tests::Naive::default()).collect();
    let mut places = vec![None; graph.tasks()];
    for task in order {
        let slots = all().map(|processor| {
            let arrivals = graph.predecessors(task).map(|edge| {
                let (from, start): (u32, u64) = places[edge.from as usize].expect("predecessors come first");
                start + costs.duration(edge.from, from).0 + costs.transfer(edge.id, from, processor).0
            });
            let (ready, duration) = (arrivals.max().unwrap_or(0), costs.duration(task, processor).0);
            let line = &lines[processor as usize];
            let start = if insertion { line.earliest(ready, duration) } else { ready.max(line.end()) };
            (start + duration, processor, start)
        });
        let (finish, processor, start) = slots.min().expect("there is a processor");
        lines[processor as usize].0.push((start, finish));
        places[task as usize] = Some((processor, start));
    }
    places.into_iter().flatten().collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]
    #[test]
    fn heft_does_what_its_equations_say(
        graph in graphs(), processors in 1u32..6, seed in any::<u64>(), sites in any::<bool>(), insertion in any::<bool>(),
    ) {
        let costs = costs(&graph, processors, seed, sites);
        let options = Options { insertion: Some(insertion), ..Options::default() };
        let schedule = Scheduler::Heft.schedule(&graph, &costs, &options).unwrap();
        let places: Vec<_> = graph.ids().map(|task| (schedule.processor(task), schedule.start(task).0)).collect();
        prop_assert_eq!(places, plain_heft(&graph, &costs, insertion));
    }

    #[test]
    fn falling_levels_are_sorted(graph in graphs(), levels in proptest::collection::vec(0.0f64..1e300, 100), same in 0usize..40) {
        let mut levels = levels;
        levels[same..].fill(7.0);
        let place = |task: u32| graph.order().iter().position(|&other| other == task);
        let mut sorted: Vec<u32> = graph.ids().collect();
        sorted.sort_by(|&a, &b| {
            levels[b as usize].total_cmp(&levels[a as usize]).then_with(|| place(a).cmp(&place(b)))
        });
        prop_assert_eq!(rank::falling(&graph, &levels[..graph.tasks()]), sorted);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]
    #[test]
    fn every_scheduler_makes_schedules_that_can_be_and_run_as_predicted(
        graph in graphs(), processors in 1u32..6, seed in any::<u64>(), sites in any::<bool>(),
    ) {
        let costs = costs(&graph, processors, seed, sites);
        let bound = bounds::lower_bound(&graph, &costs);
        for &scheduler in Scheduler::ALL {
            for insertion in [true, false] {
                let options = Options { insertion: Some(insertion), streams: Streams::new(seed, 1) };
                let schedule = scheduler.schedule(&graph, &costs, &options).unwrap();
                prop_assert_eq!(schedule.check(&graph, &costs), Ok(()), "{}", scheduler);
                prop_assert!(schedule.makespan() >= bound, "{} beats {:?}", scheduler, bound);
                let starts: Vec<Time> = graph.ids().map(|task| schedule.start(task)).collect();
                prop_assert_eq!(replay(&schedule, &graph, &costs), starts, "{}", scheduler);
                let others = Options { streams: Streams::new(!seed, 2), ..options };
                let again = if scheduler.draws() { &options } else { &others };
                prop_assert_eq!(scheduler.schedule(&graph, &costs, again).unwrap(), schedule, "{}", scheduler);
            }
        }
    }

    /// Oh and Ha prove that on a chain the imaginary level of the first task is the actual makespan.
    #[test]
    fn bil_is_optimal_on_chains(tasks in 1u32..12, processors in 1u32..5, seed in any::<u64>(), bytes in 0u64..30) {
        let graph = chain(tasks, bytes);
        let costs = costs(&graph, processors, seed, false);
        let mut ends: Vec<u64> = (0..processors).map(|processor| costs.duration(0, processor).0).collect();
        for task in 1..tasks {
            let least = ends.iter().min().unwrap() + bytes;
            ends = (0..).zip(&ends).map(|(to, &here)| here.min(least) + costs.duration(task, to).0).collect();
        }
        prop_assert_eq!(makespan(Scheduler::Bil, &graph, &costs), *ends.iter().min().unwrap());
    }

    #[test]
    fn no_scheduler_beats_a_known_optimum(seed in any::<u64>(), processors in 1u32..5, tasks in 5u32..30) {
        let family = Rgpos { processors, tasks, makespan: 100, predecessors: 3 };
        let known = family.instance(&mut Streams::new(seed, 0).stream("rgpos", 0)).unwrap();
        let graph = known.graph;
        let costs = Costs::identical(&graph, processors, |task| Time(graph.operations(task) as u64), Time).unwrap();
        let column = |get: fn(&Placement) -> u64| known.schedule.iter().map(get);
        let optimal = Schedule::new(
            column(|place| u64::from(place.processor)).map(|processor| processor as u32).collect(),
            column(|place| place.start).map(Time).collect(),
            column(|place| place.finish).map(Time).collect(),
        );
        let optimal = optimal.unwrap();
        prop_assert_eq!(optimal.check(&graph, &costs), Ok(()));
        prop_assert_eq!((optimal.makespan(), bounds::total_work(&graph, &costs)), (Time(100), Time(100)));
        for &scheduler in Scheduler::ALL {
            prop_assert!(makespan(scheduler, &graph, &costs) >= 100);
        }
    }
}
