//! Pairs of links, whose flows load both directions.

use super::support::*;
use hetsim_base::units::Time;
use hetsim_maxmin::{BadFlow, BadLink, Demand, LinkKind, PathLink, Solver};

/// A route with what goes back over pairs, which the solver adds by itself; the first links are pairs.
fn with_answers(route: &[PathLink], pairs: usize, back: f64) -> Vec<PathLink> {
    let paired = route.iter().filter(|path_link| (path_link.link as usize) < 2 * pairs);
    let answers = paired.map(|path_link| PathLink { link: path_link.link ^ 1, share: path_link.share * back });
    route.iter().copied().chain(answers).collect()
}

/// The same flows over pairs and over links whose routes name what goes back: the rates of the textbook, and the same
/// ends.
#[test]
fn pairs_share_as_two_links_that_each_flow_names() {
    let mut random = Random(21);
    for _ in 0..300 {
        let kind = Kind { unshared: false, ..Kind::random(&mut random, 4) };
        let (pairs, back) = (1 + random.below(6), random.pick(&[0.05, 0.3, 1.0, 2.0]));
        let mut sharing = Solver::with_pairs(back).unwrap();
        let mut plain = Pair::new(Vec::new());
        for pair in 0..pairs {
            let capacity = kind.capacity(&mut random);
            assert_eq!(sharing.add_pair(capacity), Ok(2 * pair as u32));
            (0..2).for_each(|_| plain.add_link((capacity, LinkKind::Shared)));
        }
        for _ in 0..kind.links {
            let capacity = kind.capacity(&mut random);
            sharing.add_link(capacity, LinkKind::Shared).unwrap();
            plain.add_link((capacity, LinkKind::Shared));
        }
        let mut ids = Vec::new();
        for turn in 0..60 {
            let (mut route, demand) = kind.flow_over(&mut random, plain.links.len());
            let named: Vec<u32> = route.iter().map(|path_link| path_link.link).collect();
            route.retain(|path_link| {
                (path_link.link as usize) >= 2 * pairs
                    || path_link.link % 2 == 0
                    || !named.contains(&(path_link.link - 1))
            });
            ids.push(sharing.start(&route, demand).unwrap());
            plain.start((with_answers(&route, pairs, back), demand));
            if random.below(3) == 0 {
                let place = random.below(ids.len());
                sharing.stop(ids.swap_remove(place));
                plain.stop(place);
            }
            if random.below(8) == 0 {
                let (pair, capacity) = (random.below(pairs), kind.capacity(&mut random));
                sharing.set_capacity((2 * pair + random.below(2)) as u32, capacity).unwrap();
                (0..2).for_each(|direction| plain.set_capacity(2 * pair + direction, capacity));
            }
            plain.now = Time(turn * 1000);
            sharing.solve(plain.now);
            plain.sharing.solve(plain.now);
            let rates: Vec<f64> = ids.iter().map(|&id| sharing.rate(id)).collect();
            check_fair(&plain.links, &plain.flows, &rates);
            let expected = textbook(&plain.links, &plain.flows);
            for (place, (&rate, expected)) in rates.iter().zip(expected).enumerate() {
                assert!(close(rate, expected), "{rate}, not {expected}");
                let (end, other) = (sharing.end(ids[place]).as_f64(), plain.sharing.end(plain.ids[place]).as_f64());
                assert!(close(end, other), "ends at {end}, not at {other}");
            }
            for link in 0..plain.links.len() as u32 {
                let (usage, other) = (sharing.usage(link), plain.sharing.usage(link));
                assert!((usage - other).abs() <= 1e-12 * plain.links[link as usize].0.max(other));
            }
        }
    }
}

#[test]
fn an_answer_takes_its_part_of_the_other_direction() {
    let mut sharing = Solver::with_pairs(0.05).unwrap();
    assert_eq!((sharing.add_pair(1.0), sharing.add_pair(2.0)), (Ok(0), Ok(2)));
    sharing.add_link(1.0, LinkKind::Shared).unwrap();
    let paired: Vec<Option<u32>> = (0..6).map(|link| sharing.paired_with(link)).collect();
    assert_eq!(paired, [Some(1), Some(0), Some(3), Some(2), None, None]);
    let demand = Demand { bytes: 1e6, weight: 1.0, limit: f64::INFINITY };
    let one = sharing.start(&[PathLink::whole(0)], demand).unwrap();
    sharing.solve(Time::ZERO);
    assert_eq!((sharing.rate(one), sharing.usage(0), sharing.usage(1)), (1.0, 1.0, 0.05));
    let other = sharing.start(&[PathLink::whole(1)], demand).unwrap();
    sharing.solve(Time::ZERO);
    // Each direction holds 1.05 of the rate of either flow.
    assert!(close(sharing.rate(one), 1.0 / 1.05) && close(sharing.rate(other), 1.0 / 1.05));
    assert_eq!((sharing.flows_on(0), sharing.flows_on(1), sharing.flows_on(2)), (2, 2, 0));
}

#[test]
fn what_does_not_fit_a_pair_is_told() {
    assert_eq!(Solver::with_pairs(0.0).map(|_| ()), Err(BadLink::Back(0.0)));
    assert_eq!(Solver::new().add_pair(1.0), Err(BadLink::Back(0.0)));
    let mut sharing = Solver::with_pairs(0.5).unwrap();
    assert!(matches!(sharing.add_pair(f64::NAN), Err(BadLink::Capacity(_))));
    sharing.add_pair(1.0).unwrap();
    let demand = Demand { bytes: 1.0, weight: 1.0, limit: f64::INFINITY };
    let both = [PathLink::whole(0), PathLink::whole(1)];
    assert_eq!(sharing.start(&both, demand), Err(BadFlow::BothDirections { link: 1 }));
}
