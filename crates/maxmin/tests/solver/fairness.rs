//! Max–min fair rates against a textbook, against their definition, and the incremental path against from-scratch.

use super::support::{Kind, Pair, Random, check_fair, close, filled_rates, problem, sharing, textbook, whole};
use hetsim_base::units::Time;
use hetsim_maxmin::{Demand, LinkKind, Solver};

#[test]
fn random_cases_agree_with_the_textbook_and_the_definition() {
    let mut random = Random(1);
    for _ in 0..100_000 {
        let kind = Kind::random(&mut random, 8);
        let links = kind.platform(&mut random);
        let mut pair = Pair::new(links);
        for _ in 0..=random.below(12) {
            pair.start(kind.flow(&mut random));
            // Some flows are there before the others come.
            if random.below(3) == 0 {
                pair.sharing.solve(Time::ZERO);
            }
        }
        pair.sharing.solve(Time::ZERO);
        let filled = filled_rates(&problem(&pair.links, &pair.flows));
        let (expected, rates) = (textbook(&pair.links, &pair.flows), pair.rates());
        for flow in 0..expected.len() {
            assert!(close(rates[flow], expected[flow]), "{} but {}", rates[flow], expected[flow]);
            assert!(close(filled[flow], expected[flow]), "{} but {}", filled[flow], expected[flow]);
        }
        check_fair(&pair.links, &pair.flows, &rates);
        check_fair(&pair.links, &pair.flows, &filled);
    }
}

/// Random starts, stops, new capacities and new links, a few at each instant; the rates must be those from scratch
/// then.
fn sequence(random: &mut Random, kind: Kind, target: usize, changes: usize, compare_each: usize) {
    let later = kind.links / 2;
    let mut pair = Pair::new(Kind { links: kind.links - later, ..kind }.platform(random));
    let (mut done, mut instants) = (0, 0);
    while done < changes {
        for _ in 0..=random.below(3) {
            let grows = random.below(2 * target.max(1)) >= pair.flows.len();
            if grows || pair.flows.is_empty() {
                pair.start(kind.flow_over(random, pair.links.len()));
            } else {
                pair.stop(random.below(pair.flows.len()));
            }
            done += 1;
        }
        if pair.links.len() < kind.links && random.below(changes / (4 * later)) == 0 {
            pair.add_link(kind.link(random));
        }
        if random.below(40) == 0 {
            let (link, zero) = (random.below(pair.links.len()), random.below(10) == 0);
            let capacity = if zero { 0.0 } else { kind.capacity(random) };
            pair.set_capacity(link, capacity);
        }
        pair.now = Time(pair.now.0 + random.below(1000) as u64);
        pair.sharing.solve(pair.now);
        instants += 1;
        if instants % compare_each == 0 {
            pair.compare();
        }
    }
    check_fair(&pair.links, &pair.flows, &pair.rates());
    // It is the way from link to link that is checked here, not the one from scratch.
    let work = pair.sharing.statistics();
    assert!(work.rebuilt * 10 <= work.solutions, "{work:?}");
}

#[test]
fn a_million_random_changes_keep_the_rates_of_a_solution_from_scratch() {
    let mut random = Random(2);
    for _ in 0..1500 {
        let kind = Kind::random(&mut random, 12);
        let target = 1 + random.below(20);
        sequence(&mut random, kind, target, 400, 1);
    }
    for _ in 0..40 {
        let kind = Kind::random(&mut random, 100);
        let target = 20 + random.below(200);
        sequence(&mut random, kind, target, 10_000, 7);
    }
}

#[test]
fn large_random_changes_keep_the_rates_of_a_solution_from_scratch() {
    let mut random = Random(3);
    for _ in 0..4 {
        let kind = Kind { hops: 3, ..Kind::random(&mut random, 2) };
        sequence(&mut random, Kind { links: 2000, ..kind }, 5000, 30_000, 500);
    }
}

#[test]
fn a_link_of_many_flows_is_shared_as_exactly_as_one_of_few() {
    // Most flows are at limits around the fair share, so that small differences of large sums decide the level.
    let mut random = Random(4);
    let mut pair = Pair::new(vec![(1.0, LinkKind::Shared), (0.7, LinkKind::Shared)]);
    let flow = |random: &mut Random| {
        let limit = random.unit() * 2.2e-4;
        (whole(&[0, 1][..=random.below(2)]), Demand { limit, ..demand(1e6) })
    };
    for _ in 0..10_000 {
        pair.start(flow(&mut random));
    }
    for change in 0..3000 {
        pair.stop(random.below(10_000));
        pair.start(flow(&mut random));
        pair.sharing.solve(Time(change));
        if change % 100 == 0 {
            pair.compare();
        }
    }
}

fn plain(capacities: &[f64]) -> Solver {
    sharing(&capacities.iter().map(|&capacity| (capacity, LinkKind::Shared)).collect::<Vec<_>>())
}

fn demand(bytes: f64) -> Demand {
    Demand { bytes, weight: 1.0, limit: f64::INFINITY }
}

#[test]
fn the_textbook_line_of_links_is_shared_as_told() {
    // One flow over both links, one on each: the first link halves, the second leaves the rest to its own flow.
    let mut sharing = plain(&[1.0, 2.0]);
    let long = sharing.start(&whole(&[0, 1]), demand(1e3)).unwrap();
    let first = sharing.start(&whole(&[0]), demand(1e3)).unwrap();
    let second = sharing.start(&whole(&[1]), demand(1e3)).unwrap();
    sharing.solve(Time::ZERO);
    assert_eq!([long, first, second].map(|flow| sharing.rate(flow)), [0.5, 0.5, 1.5]);
    assert_eq!(sharing.next_end(), Some(Time(667)));
}

#[test]
fn weights_share_in_proportion_and_limits_leave_the_rest() {
    let mut sharing = plain(&[8.0]);
    let one = sharing.start(&whole(&[0]), demand(1e3)).unwrap();
    let three = sharing.start(&whole(&[0]), Demand { weight: 3.0, ..demand(1e3) }).unwrap();
    sharing.solve(Time::ZERO);
    assert_eq!([one, three].map(|flow| sharing.rate(flow)), [2.0, 6.0]);
    let limited = sharing.start(&whole(&[0]), Demand { limit: 0.8, weight: 5.0, ..demand(1e3) }).unwrap();
    sharing.solve(Time(10));
    assert!(close(sharing.rate(one), 1.8) && close(sharing.rate(three), 5.4));
    assert_eq!(sharing.rate(limited), 0.8);
    sharing.stop(three);
    sharing.solve(Time(20));
    assert!(close(sharing.rate(one), 7.2));
    assert!(close(sharing.remaining(one, Time(20)), 1e3 - 20.0 - 18.0));
}

#[test]
fn an_unshared_link_bounds_each_flow_alone() {
    let mut sharing = sharing(&[(3.0, LinkKind::Shared), (1.0, LinkKind::Unshared)]);
    let flows = [(); 2].map(|()| sharing.start(&whole(&[0, 1]), demand(1e3)).unwrap());
    sharing.solve(Time::ZERO);
    assert_eq!(flows.map(|flow| sharing.rate(flow)), [1.0, 1.0]);
    sharing.set_capacity(1, 2.0).unwrap();
    sharing.solve(Time(1));
    assert_eq!(flows.map(|flow| sharing.rate(flow)), [1.5, 1.5]);
    sharing.set_capacity(1, 0.5).unwrap();
    sharing.solve(Time(2));
    assert_eq!(flows.map(|flow| sharing.rate(flow)), [0.5, 0.5]);
}

#[test]
fn visitors_are_not_looked_at_when_none_can_be_above_the_level() {
    // A fast flow is there first, then slow ones by their limit, then one that makes the fast one a member.
    let mut sharing = plain(&[10.0]);
    sharing.start(&whole(&[0]), Demand { limit: 9.0, ..demand(1e3) }).unwrap();
    for _ in 0..500 {
        sharing.start(&whole(&[0]), Demand { limit: 1e-3, ..demand(1e3) }).unwrap();
        sharing.solve(Time::ZERO);
    }
    sharing.start(&whole(&[0]), demand(1e3)).unwrap();
    sharing.solve(Time::ZERO);
    assert!(close(sharing.rate(0), 4.75) && close(sharing.rate(501), 4.75));
    let before = sharing.statistics().examined;
    for _ in 0..100 {
        let other = sharing.start(&whole(&[0]), demand(1e3)).unwrap();
        sharing.solve(Time::ZERO);
        sharing.stop(other);
        sharing.solve(Time::ZERO);
    }
    // Two or three members are, at each of 200 solutions, and each link settled counts as one.
    let examined = sharing.statistics().examined - before;
    assert!(examined < 200 * 10, "{examined}");
}

#[test]
fn without_bandwidth_nothing_ends_until_it_is_back() {
    let mut sharing = plain(&[2.0]);
    let flow = sharing.start(&whole(&[0]), demand(100.0)).unwrap();
    sharing.solve(Time::ZERO);
    sharing.set_capacity(0, 0.0).unwrap();
    sharing.solve(Time(10));
    assert_eq!((sharing.next_end(), sharing.end(flow)), (None, Time::NEVER));
    sharing.set_capacity(0, 4.0).unwrap();
    sharing.solve(Time(1000));
    assert_eq!(sharing.next_end(), Some(Time(1020)));
}

#[test]
fn what_is_due_stays_due_when_something_else_happens_first() {
    // A third of the link for 1000 bytes: the end is a whole tick but for rounding.
    let mut sharing = plain(&[0.3]);
    let flows = [(); 3].map(|()| sharing.start(&whole(&[0]), demand(1e3)).unwrap());
    sharing.solve(Time::ZERO);
    assert_eq!(sharing.next_end(), Some(Time(10_000)));
    sharing.start(&whole(&[0]), demand(1e3)).unwrap();
    sharing.solve(Time(10_000));
    let mut ended = Vec::new();
    assert_eq!(sharing.next_end(), Some(Time(10_000)));
    sharing.take_ended(Time(10_000), &mut ended);
    assert_eq!(ended, flows);
}
