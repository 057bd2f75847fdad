use std::convert::Infallible;

use proptest::prelude::*;

use super::*;
use crate::{Costs, Layout, Options, Scheduler};
use hetsim_base::engine::{Stream, Streams};
use hetsim_base::units::Time;

fn stream(seed: u64) -> Stream {
    Streams::new(seed, 0).stream("test", 0)
}

/// The instances of the paper: chains of 3 to 5 tasks, 3 to 5 nodes.
fn published() -> Space {
    Space {
        tasks: 3..=5,
        nodes: 3..=5,
        least: Weight::LEAST,
        step: Weight::nearest(0.1),
        equal_speeds: false,
        equal_links: false,
    }
}

const COOLING: Annealing = Annealing {
    first_temperature: 10.0,
    last_temperature: 0.1,
    cooling: 0.99,
    most_steps: 1000,
    acceptance: Acceptance::Published,
};

fn makespan(instance: &ProblemInstance, scheduler: Scheduler) -> Time {
    let graph = instance.graph().unwrap();
    let time = |amount: u64, rate: Weight| Time((amount * 1_000_000).div_ceil(u64::from(rate.millionths())));
    let layout = Layout::new(instance.nodes(), |node| node, |from, to| (from, to));
    let work = |task: u32| u64::from(instance.tasks()[task as usize].millionths());
    let costs = Costs::new(
        &graph,
        layout,
        |task, node| time(work(task), instance.speeds()[node as usize]),
        |edge, from, to| time(edge.bytes, instance.link(from, to)),
    )
    .unwrap();
    let schedule = scheduler.schedule(&graph, &costs, &Options::default()).unwrap();
    schedule.check(&graph, &costs).unwrap();
    schedule.makespan()
}

fn ratio(instance: &ProblemInstance, scheduler: Scheduler, baseline: Scheduler) -> f64 {
    makespan(instance, scheduler).as_f64() / makespan(instance, baseline).as_f64()
}

#[test]
fn weights_are_whole_millionths_between_their_ends() {
    for (value, millionths) in [(0.25, 250_000), (0.0, 1), (-3.0, 1), (7.0, 1_000_000), (f64::NAN, 1), (0.1, 100_000)] {
        assert_eq!(Weight::nearest(value).millionths(), millionths, "{value}");
    }
}

/// ln(10 / 0.1) / −ln 0.99 = 458.2: the 459th temperature is still above 0.1, the 460th is not.
#[test]
fn the_published_cooling_has_459_steps() {
    let temperatures: Vec<f64> = COOLING.temperatures().collect();
    assert_eq!(temperatures.len(), 459);
    assert_eq!(temperatures[..2], [10.0, 10.0 * 0.99]);
    assert_eq!(Annealing { most_steps: 7, ..COOLING }.temperatures().count(), 7);
    assert_eq!(Annealing { last_temperature: 20.0, ..COOLING }.temperatures().count(), 0);
}

#[test]
fn better_is_always_taken_and_worse_sometimes() {
    for acceptance in Acceptance::ALL {
        assert_eq!(acceptance.probability(1.0, 1.1, 0.1), 1.0);
    }
    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} is not {b}");
    close(Acceptance::Published.probability(2.0, 1.0, 0.5), (-1f64).exp());
    close(Acceptance::Published.probability(2.0, 2.0, 0.5), (-2f64).exp());
    close(Acceptance::Metropolis.probability(2.0, 1.0, 0.5), (-2f64).exp());
    close(Acceptance::Metropolis.probability(2.0, 2.0, 0.5), 1.0);
}

/// A link is the same from both ends.
#[test]
fn links_are_found_by_their_ends() {
    let space = Space { nodes: 5..=5, ..published() };
    let instance = space.draw(&mut stream(3));
    assert_eq!(instance.links().count(), 10);
    for (a, b, strength) in instance.links() {
        assert_eq!((instance.link(a, b), instance.link(b, a)), (strength, strength));
    }
}

#[test]
fn what_is_equal_stays_equal() {
    let space = Space { equal_speeds: true, equal_links: true, ..published() };
    assert_eq!(
        Mutation::of(&space),
        [Mutation::Work, Mutation::Data, Mutation::AddDependency, Mutation::RemoveDependency]
    );
    let (heft, mct) = (Scheduler::Heft, Scheduler::Mct);
    let rate = |instance: &ProblemInstance| Ok::<_, Infallible>(ratio(instance, heft, mct));
    let mut draws = stream(5);
    let start = space.draw(&mut draws);
    let Ok(found) = COOLING.search(start, &space, &mut draws, rate, |_| {});
    assert!(space.contains(&found.instance));
}

/// One task and one node: no link, no edge, and no candidate for one.
#[test]
fn where_there_is_nothing_to_change_nothing_is() {
    let space = Space { tasks: 1..=1, nodes: 1..=1, ..published() };
    let mut draws = stream(1);
    let mut instance = space.draw(&mut draws);
    let before = instance.clone();
    for mutation in [Mutation::Strength, Mutation::Data, Mutation::AddDependency, Mutation::RemoveDependency] {
        assert!(!mutation.apply(&mut instance, &space, &mut draws));
    }
    assert_eq!(instance, before);
    assert!(Mutation::Work.apply(&mut instance, &space, &mut draws));
    assert_ne!(instance.tasks(), before.tasks());
}

/// Edges can be added until every pair of tasks is connected, and no further.
#[test]
fn a_full_graph_takes_no_edge() {
    let space = Space { tasks: 6..=6, ..published() };
    let mut draws = stream(9);
    let mut instance = space.draw(&mut draws);
    let mut added = 0;
    while Mutation::AddDependency.apply(&mut instance, &space, &mut draws) {
        added += 1;
    }
    assert_eq!((added, instance.dependencies().len()), (15 - 5, 15));
    instance.graph().unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// No sequence of mutations makes a cycle or a duplicate edge, and all weights stay within their bounds.
    #[test]
    fn mutations_stay_in_the_space(
        seed: u64,
        tasks in 1u32..9,
        nodes in 1u32..6,
        least in 1e-6..1.0f64,
        equal_speeds: bool,
        equal_links: bool,
        steps in prop::collection::vec(0usize..6, 0..150),
    ) {
        let (least, step) = (Weight::nearest(least), Weight::nearest(0.1));
        let space = Space { tasks: 1..=tasks, nodes: 1..=nodes, least, step, equal_speeds, equal_links };
        let mut draws = stream(seed);
        let mut instance = space.draw(&mut draws);
        prop_assert!(space.contains(&instance));
        let allowed = Mutation::of(&space);
        for step in steps {
            let before = instance.clone();
            let changed = allowed[step % allowed.len()].apply(&mut instance, &space, &mut draws);
            prop_assert!(changed || before == instance);
            prop_assert!(space.contains(&instance));
            let graph = instance.graph();
            prop_assert!(graph.is_ok(), "{:?}", graph);
        }
    }

    /// A search never ends below its start, its instance has the reported ratio, and the same stream gives the same
    /// result.
    #[test]
    fn searches_climb_and_repeat(
        seed: u64,
        scheduler in prop::sample::select(Scheduler::ALL.to_vec()),
        baseline in prop::sample::select(Scheduler::ALL.to_vec()),
        acceptance in prop::sample::select(Acceptance::ALL.to_vec()),
    ) {
        let (space, cooling) = (published(), Annealing { most_steps: 60, acceptance, ..COOLING });
        let search = || {
            let mut draws = stream(seed);
            let start = space.draw(&mut draws);
            let mut steps = Vec::new();
            let rate = |instance: &ProblemInstance| Ok::<_, Infallible>(ratio(instance, scheduler, baseline));
            let Ok(found) = cooling.search(start, &space, &mut draws, rate, |step| steps.push(step));
            (found, steps)
        };
        let (found, steps) = search();
        prop_assert_eq!(steps.len(), 60);
        prop_assert!(found.ratio >= found.start_ratio);
        prop_assert_eq!(found.ratio, ratio(&found.instance, scheduler, baseline));
        prop_assert!(steps.windows(2).all(|pair| pair[1].best >= pair[0].best && pair[1].ratio <= pair[1].best));
        prop_assert_eq!(steps[59].best, found.ratio);
        prop_assert!(found.evaluations <= 61);
        prop_assert_eq!((found, steps), search());
    }
}
