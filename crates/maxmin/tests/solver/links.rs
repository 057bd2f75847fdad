//! Links: shares worked out by hand, links that come late, what is asked of them, and what is refused.

use std::collections::BTreeSet;

use hetsim_base::units::Time;
use hetsim_maxmin::{BadFlow, BadLink, Demand, LinkKind, PathLink, Solver};

use super::support::{close, sharing, whole};

const FREE: Demand = Demand { bytes: 1e6, weight: 1.0, limit: f64::INFINITY };

/// The rates of flows that start together over links of given capacities.
fn rates(links: &[(f64, LinkKind)], flows: &[(&[(u32, f64)], Demand)]) -> Vec<f64> {
    let mut sharing = sharing(links);
    let path_links =
        |route: &[(u32, f64)]| route.iter().map(|&(link, share)| PathLink { link, share }).collect::<Vec<_>>();
    let ids: Vec<u32> =
        flows.iter().map(|&(route, demand)| sharing.start(&path_links(route), demand).expect("a good flow")).collect();
    sharing.solve(Time::ZERO);
    ids.iter().map(|&id| sharing.rate(id)).collect()
}

fn assert_close(rates: &[f64], expected: &[f64]) {
    assert_eq!(rates.len(), expected.len());
    assert!(rates.iter().zip(expected).all(|(&one, &other)| close(one, other)), "{rates:?}, not {expected:?}");
}

use LinkKind::{Shared, Unshared};

#[test]
fn acknowledgements_on_the_way_back_leave_less_to_the_other_way() {
    // Each of two flows x against each other takes x and 0.05 x of both links: x = 1/1.05.
    let there: &[_] = &[(0, 1.0), (1, 0.05)];
    let back: &[_] = &[(1, 1.0), (0, 0.05)];
    assert_close(&rates(&[(1.0, Shared), (1.0, Shared)], &[(there, FREE), (back, FREE)]), &[1.0 / 1.05; 2]);
    // Alone, a flow is held back by the link that it crosses.
    assert_close(&rates(&[(1.0, Shared), (1.0, Shared)], &[(there, FREE)]), &[1.0]);
    // A way back of a hundredth of the capacity: two flows x there take 0.1 x of it, less than the 2 x of the way
    // there.
    assert_close(&rates(&[(1.0, Shared), (0.01, Shared)], &[(there, FREE), (there, FREE)]), &[0.1; 2]);
}

#[test]
fn a_level_counts_rate_over_weight_whatever_the_share() {
    // Levels are equal at the full link: 10 = 2·1·level + 1·3·level.
    let heavy = Demand { weight: 3.0, ..FREE };
    assert_close(&rates(&[(10.0, Shared)], &[(&[(0, 2.0)], FREE), (&[(0, 1.0)], heavy)]), &[2.0, 6.0]);
    // The first is held back elsewhere, at 1, and leaves 8.
    let links = [(10.0, Shared), (1.0, Shared)];
    assert_close(&rates(&links, &[(&[(0, 2.0), (1, 1.0)], FREE), (&[(0, 1.0)], heavy)]), &[1.0, 8.0]);
    // So it is by a limit.
    let limited = Demand { limit: 0.5, ..FREE };
    assert_close(&rates(&links, &[(&[(0, 2.0)], limited), (&[(0, 4.0)], heavy)]), &[0.5, 2.25]);
}

#[test]
fn shares_of_a_link_named_twice_add_up_but_not_of_an_unshared_one() {
    assert_close(&rates(&[(3.0, Shared)], &[(&[(0, 1.0), (0, 1.0)], FREE)]), &[1.5]);
    assert_close(&rates(&[(3.0, Shared), (9.0, Shared)], &[(&[(0, 1.0), (1, 1.0), (0, 0.5)], FREE)]), &[2.0]);
    assert_close(
        &rates(&[(3.0, Unshared)], &[(&[(0, 0.5), (0, 0.25)], FREE), (&[(0, 0.25), (0, 1.5)], FREE)]),
        &[6.0, 2.0],
    );
}

#[test]
fn flows_share_one_link_in_proportion_to_their_weights() {
    // Weights 1 to n of a capacity n (n + 1) / 2 have as much as their weight.
    let n = 100_u32;
    let flows: Vec<(&[_], _)> =
        (1..=n).map(|weight| (&[(0, 1.0)][..], Demand { weight: f64::from(weight), ..FREE })).collect();
    let expected: Vec<f64> = (1..=n).map(f64::from).collect();
    assert_close(&rates(&[(f64::from(n * (n + 1) / 2), Shared)], &flows), &expected);
}

#[test]
fn five_sessions_share_three_links_as_in_the_textbook() {
    // Bertsekas and Gallager, Data Networks, 2nd ed., §6.5.2: links (2,3), (3,5) and (4,5) of capacity one; sessions 2,
    // 3 and 5 cross the first, 1 and 3 the second, 4 the third.
    let flows: [&[(u32, f64)]; 5] = [&[(1, 1.0)], &[(0, 1.0)], &[(0, 1.0), (1, 1.0)], &[(2, 1.0)], &[(0, 1.0)]];
    let third = 1.0 / 3.0;
    assert_close(
        &rates(&[(1.0, Shared); 3], &flows.map(|route| (route, FREE))),
        &[2.0 * third, third, third, 1.0, third],
    );
}

#[test]
fn a_row_of_links_is_halved_by_the_flow_over_all() {
    let row: Vec<(u32, f64)> = (0..50).map(|link| (link, 1.0)).collect();
    let mut flows: Vec<(&[_], _)> = row.chunks(1).map(|link| (link, FREE)).collect();
    flows.push((&row, FREE));
    assert_close(&rates(&[(1.0, Shared); 50], &flows), &[0.5; 51]);
}

#[test]
fn without_links_only_the_limit_holds_a_flow_back() {
    let mut sharing = Solver::new();
    let limited = sharing.start(&[], Demand { limit: 10.0, weight: 4.0, ..FREE }).unwrap();
    let free = sharing.start(&[], FREE).unwrap();
    let stuck = sharing.start(&[], Demand { limit: 0.0, ..FREE }).unwrap();
    sharing.solve(Time(3));
    assert_eq!([limited, free, stuck].map(|flow| sharing.rate(flow)), [10.0, f64::INFINITY, 0.0]);
    assert_eq!([limited, free, stuck].map(|flow| sharing.end(flow)), [Time(100_003), Time(3), Time::NEVER]);
    let mut ended = Vec::new();
    sharing.take_ended(Time(3), &mut ended);
    assert_eq!(ended, [free]);
    sharing.solve(Time(3));
    assert_eq!(sharing.next_end(), Some(Time(100_003)));
    sharing.take_ended(Time(100_003), &mut ended);
    assert_eq!((ended, sharing.active()), (vec![limited], 1));
}

#[test]
fn links_come_while_flows_at_bounds_and_on_links_are_under_way() {
    let mut sharing = sharing(&[(1.0, Shared)]);
    let bound = sharing.start(&[], Demand { limit: 10.0, ..FREE }).unwrap();
    let first = sharing.start(&whole(&[0]), FREE).unwrap();
    sharing.solve(Time::ZERO);
    let late = sharing.add_link(0.25, Shared).unwrap();
    let both = sharing.start(&whole(&[0, late]), FREE).unwrap();
    sharing.solve(Time(100));
    assert_eq!([bound, first, both].map(|flow| sharing.rate(flow)), [10.0, 0.75, 0.25]);
    assert_eq!(sharing.next_end(), Some(Time(100_000)));
    let mut ended = Vec::new();
    sharing.take_ended(Time(100_000), &mut ended);
    assert_eq!(ended, [bound]);
    // The links need nothing to be solved: what is under way stays.
    sharing.add_link(1.0, Unshared).unwrap();
    sharing.solve(Time(100_000));
    assert_eq!(sharing.next_end(), Some(Time(100 + (1_000_000 - 100) / 3 * 4)));
}

#[test]
fn a_capacity_that_becomes_infinite_holds_nobody_back() {
    let mut sharing = sharing(&[(1.0, Shared), (3.0, Shared)]);
    let free = sharing.start(&whole(&[0]), FREE).unwrap();
    let bound = sharing.start(&whole(&[0]), Demand { limit: 7.0, ..FREE }).unwrap();
    let other = sharing.start(&whole(&[0, 1]), FREE).unwrap();
    sharing.solve(Time::ZERO);
    sharing.set_capacity(0, f64::INFINITY).unwrap();
    sharing.solve(Time(3));
    assert_eq!([free, bound, other].map(|flow| sharing.rate(flow)), [f64::INFINITY, 7.0, 3.0]);
    assert_eq!(sharing.next_end(), Some(Time(3)));
    sharing.set_capacity(0, 3.0).unwrap();
    sharing.solve(Time(3));
    assert_eq!([free, bound, other].map(|flow| sharing.rate(flow)), [1.0; 3]);
}

#[test]
fn a_new_flow_is_told_as_changed_even_if_it_stands_still() {
    let mut sharing = sharing(&[(0.0, Shared)]);
    let flow = sharing.start(&whole(&[0]), FREE).unwrap();
    sharing.solve(Time::ZERO);
    assert_eq!((sharing.rate(flow), sharing.changed().collect::<Vec<_>>()), (0.0, vec![flow]));
    sharing.add_link(1.0, Shared).unwrap();
    sharing.solve(Time(1));
    assert_eq!(sharing.changed().count(), 0);
}

#[test]
fn links_tell_their_flows_and_what_they_use() {
    let mut sharing = sharing(&[(4.0, Shared), (1.0, Unshared), (f64::INFINITY, Shared), (1.0, Shared)]);
    let route = [(2, 3.0), (0, 1.0), (1, 0.25), (0, 1.0)].map(|(link, share)| PathLink { link, share });
    let flow = sharing.start(&route, FREE).unwrap();
    sharing.start(&whole(&[1, 2]), FREE).unwrap();
    assert_eq!([0, 1, 2, 3].map(|link| sharing.flows_on(link)), [1, 2, 2, 0]);
    assert_eq!([0, 1, 2, 3].map(|link| sharing.usage(link)), [0.0; 4]);
    assert_eq!(sharing.links_of(flow).collect::<BTreeSet<_>>(), BTreeSet::from([0, 1, 2]));
    assert_eq!(sharing.links_of(flow).count(), 3);
    sharing.solve(Time::ZERO);
    assert_eq!(sharing.rate(flow), 2.0);
    assert_eq!([0, 1, 2, 3].map(|link| sharing.usage(link)), [4.0, 1.5, 7.0, 0.0]);
    sharing.stop(flow);
    sharing.solve(Time(1));
    assert_eq!([0, 1, 2, 3].map(|link| sharing.flows_on(link)), [0, 1, 1, 0]);
    assert_eq!([0, 1, 2, 3].map(|link| sharing.usage(link)), [0.0, 1.0, 1.0, 0.0]);
}

#[test]
fn bad_flows_are_refused_and_change_nothing() {
    let mut sharing = sharing(&[(1.0, Shared)]);
    let mut told = |route: &[PathLink], demand| {
        let error: BadFlow = sharing.start(route, demand).unwrap_err();
        assert_eq!((sharing.active(), sharing.flows_on(0)), (0, 0));
        error.to_string()
    };
    let crossing = whole(&[0]);
    assert_eq!(told(&whole(&[0, 1]), FREE), "the route of a flow names link 1, but there are 1 in all");
    let bytes = |bytes| Demand { bytes, ..FREE };
    assert_eq!(told(&crossing, bytes(-1.0)), "the bytes of a flow must be finite and not negative, but are -1");
    assert_eq!(
        told(&crossing, bytes(f64::INFINITY)),
        "the bytes of a flow must be finite and not negative, but are inf"
    );
    for weight in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let expected = format!("the weight of a flow must be finite and above zero, but is {weight}");
        assert_eq!(told(&crossing, Demand { weight, ..FREE }), expected);
    }
    for limit in [-1.0, f64::NAN] {
        let expected = format!("the limit of a flow must not be negative, but is {limit}");
        assert_eq!(told(&crossing, Demand { limit, ..FREE }), expected);
    }
    let huge = PathLink { link: 0, share: 1e308 };
    let bad = |share| [PathLink { link: 0, share }];
    for (route, weight) in [
        (&bad(0.0)[..], 1.0),
        (&bad(-0.5), 1.0),
        (&bad(f64::NAN), 1.0),
        (&bad(f64::INFINITY), 1.0),
        (&bad(1e-200), 1e-200),
        (&[huge], 100.0),
        (&[huge, huge], 1.0),
    ] {
        let error = sharing.start(route, Demand { weight, ..FREE });
        assert!(matches!(error, Err(BadFlow::Share { link: 0, .. })), "{error:?}");
    }
    assert_eq!((sharing.active(), sharing.flows_on(0)), (0, 0));
    sharing.stop(3);
}

#[test]
fn bad_capacities_are_refused_and_change_nothing() {
    let mut sharing = Solver::default();
    for capacity in [-1.0, f64::NAN, f64::NEG_INFINITY] {
        let expected = format!("the capacity of a link must not be negative, but is {capacity}");
        assert_eq!(sharing.add_link(capacity, Shared).unwrap_err().to_string(), expected);
    }
    assert_eq!(sharing.add_link(2.0, Shared), Ok(0));
    let flow = sharing.start(&whole(&[0]), FREE).unwrap();
    assert!(matches!(sharing.set_capacity(0, f64::NAN), Err(BadLink::Capacity(_))));
    assert_eq!(sharing.set_capacity(0, -1.0), Err(BadLink::Capacity(-1.0)));
    let error = sharing.set_capacity(7, 1.0).unwrap_err();
    assert_eq!(error.to_string(), "there is no link 7, there are 1 in all");
    sharing.solve(Time::ZERO);
    assert_eq!(sharing.rate(flow), 2.0);
}
