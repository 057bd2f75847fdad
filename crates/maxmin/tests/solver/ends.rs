//! Remaining bytes, ends and ties.

use std::collections::HashMap;

use super::support::{Kind, Random, close, sharing, whole};
use hetsim_base::units::Time;
use hetsim_maxmin::{Demand, LinkKind, PathLink};

const FREE: Demand = Demand { bytes: 1e6, weight: 1.0, limit: f64::INFINITY };

/// Flows come and go by themselves; bytes are counted beside with the rates that the sharing tells.
#[test]
fn each_flow_ends_when_its_bytes_are_sent() {
    let mut random = Random(5);
    for _ in 0..300 {
        let kind = Kind::random(&mut random, 20);
        let mut sharing = sharing(&kind.platform(&mut random));
        let (mut now, mut ended, mut left) = (Time::ZERO, Vec::new(), HashMap::<u32, f64>::new());
        for step in 0..300 {
            for _ in 0..random.below(4) {
                let (route, demand) = kind.flow(&mut random);
                left.insert(sharing.start(&route, demand).unwrap(), demand.bytes);
            }
            sharing.solve(now);
            let Some(next) = sharing.next_end() else { continue };
            // Now and then something happens between two ends.
            let then = if step % 3 == 0 { Time(now.0 + (next.0 - now.0) / 2) } else { next };
            for (&id, left) in &mut left {
                *left -= sharing.rate(id) * then.since(now).as_f64();
                assert!((sharing.remaining(id, then) - left.max(0.0)).abs() < 1e-3);
            }
            now = then;
            let rates: HashMap<u32, f64> = left.keys().map(|&id| (id, sharing.rate(id))).collect();
            sharing.take_ended(now, &mut ended);
            assert_eq!(ended.is_empty(), then < next);
            for id in &ended {
                let over = left.remove(id).unwrap();
                assert!(over.abs() <= rates[id] * 1.01 + 1e-3, "{over} bytes left at its end");
            }
        }
    }
}

#[test]
fn a_rate_that_stays_leaves_the_end_alone_and_changes_are_told() {
    let mut random = Random(6);
    for _ in 0..300 {
        let kind = Kind::random(&mut random, 30);
        let mut sharing = sharing(&kind.platform(&mut random));
        let (mut now, mut ids) = (Time::ZERO, Vec::new());
        for _ in 0..200 {
            let before: HashMap<u32, (f64, Time)> =
                ids.iter().map(|&id| (id, (sharing.rate(id), sharing.end(id)))).collect();
            now = Time(now.0 + random.below(100_000) as u64);
            let mut started = None;
            if random.below(30) >= ids.len() {
                let (route, demand) = kind.flow(&mut random);
                started = Some(sharing.start(&route, Demand { bytes: 1e12, ..demand }).unwrap());
            } else {
                sharing.stop(ids.swap_remove(random.below(ids.len())));
            }
            sharing.solve(now);
            ids.extend(started);
            let mut changed: Vec<u32> = sharing.changed().collect();
            changed.sort_unstable();
            for &id in &ids {
                let is_told = changed.binary_search(&id).is_ok();
                if started == Some(id) {
                    assert!(is_told);
                    continue;
                }
                let (rate, end) = before[&id];
                assert_eq!(is_told, sharing.rate(id) != rate);
                let moved = sharing.end(id).0.abs_diff(end.0);
                // A flow whose bottleneck changed at the same rate is told anew: rounding may move its end by a hair.
                assert!(is_told || moved as f64 <= end.0 as f64 * 1e-14, "{moved} of {}", end.0);
            }
            let told = changed.len();
            changed.dedup();
            assert_eq!(told, changed.len());
        }
    }
}

#[test]
fn flows_that_are_alike_have_equal_rates_and_end_together() {
    // Every host sends to its next three neighbours, over links up and down and a shared one.
    for hosts in [3_u32, 7, 10, 50, 333] {
        let mut links = vec![(125e-6, LinkKind::Shared); 2 * hosts as usize];
        links.push((125e-6 * f64::from(hosts) / 1.7, LinkKind::Shared));
        let mut sharing = sharing(&links);
        for host in 0..hosts {
            for next in 1..=3 {
                sharing.start(&whole(&[host, hosts + (host + next) % hosts, 2 * hosts]), FREE).unwrap();
            }
        }
        sharing.solve(Time::ZERO);
        let rate = sharing.rate(0);
        assert!((0..3 * hosts).all(|flow| sharing.rate(flow) == rate));
        let mut ended = Vec::new();
        sharing.take_ended(sharing.next_end().unwrap(), &mut ended);
        assert_eq!(ended, (0..3 * hosts).collect::<Vec<_>>());
        assert_eq!(sharing.next_end(), None);
    }
}

#[test]
fn a_solution_from_scratch_leaves_rates_alone_that_stay() {
    let mut random = Random(10);
    for _ in 0..100 {
        let kind = Kind { links: 10, unshared: false, weighted: false, shares: false, ..Kind::random(&mut random, 1) };
        let half = kind.platform(&mut random);
        let mut sharing = sharing(&[half.clone(), half].concat());
        let (mut ids, mut now) = (Vec::new(), Time::ZERO);
        for _ in 0..60 {
            let (route, demand) = kind.flow(&mut random);
            ids.push(sharing.start(&route, Demand { bytes: 1e12, ..demand }).unwrap());
            if random.below(3) == 0 {
                sharing.stop(ids.swap_remove(random.below(ids.len())));
            }
            now = Time(now.0 + 100);
            sharing.solve(now);
        }
        let told: Vec<(f64, Time)> = ids.iter().map(|&id| (sharing.rate(id), sharing.end(id))).collect();
        let rebuilt = sharing.statistics().rebuilt;
        let many = (0..50).map(|_| kind.flow(&mut random)).map(|(route, demand)| {
            let route = route.iter().map(|path_link| PathLink { link: path_link.link + 10, ..*path_link });
            sharing.start(&route.collect::<Vec<_>>(), demand).unwrap()
        });
        let mut many: Vec<u32> = many.collect();
        sharing.solve(Time(now.0 + 50));
        assert_eq!(sharing.statistics().rebuilt, rebuilt + 1);
        for (&id, &(rate, end)) in ids.iter().zip(&told) {
            assert_eq!(sharing.rate(id), rate);
            // The flow may be held back by another link at the same rate, and is told anew then.
            assert!(sharing.end(id).0.abs_diff(end.0) as f64 <= end.0 as f64 * 1e-14);
        }
        let mut changed: Vec<u32> = sharing.changed().collect();
        changed.sort_unstable();
        many.sort_unstable();
        assert_eq!(changed, many);
    }
}

#[test]
fn pairs_that_are_alike_stay_alike_as_others_come_and_go() {
    // Two separate copies of the same links see the same random flows, in another order at each instant.
    let mut random = Random(8);
    for _ in 0..200 {
        let kind = Kind { unshared: false, ..Kind::random(&mut random, 10) };
        let half = kind.platform(&mut random);
        let both = [half.clone(), half].concat();
        let mut sharing = sharing(&both);
        let (mut pairs, mut ended, mut now) = (Vec::new(), Vec::new(), Time::ZERO);
        for _ in 0..100 {
            let (route, demand) = kind.flow(&mut random);
            let other =
                route.iter().map(|path_link| PathLink { link: path_link.link + kind.links as u32, ..*path_link });
            let other: Vec<PathLink> = other.collect();
            let one = sharing.start(&route, demand).unwrap();
            pairs.push((one, sharing.start(&other, demand).unwrap()));
            sharing.solve(now);
            for &(one, other) in &pairs {
                assert!(close(sharing.rate(one), sharing.rate(other)));
                if !kind.weighted && !kind.shares {
                    assert_eq!(sharing.rate(one), sharing.rate(other));
                    assert_eq!(sharing.end(one), sharing.end(other));
                }
            }
            if let (Some(next), 0) = (sharing.next_end(), random.below(2)) {
                now = next;
                sharing.take_ended(now, &mut ended);
                pairs.retain(|pair| !ended.contains(&pair.0) && !ended.contains(&pair.1));
                sharing.solve(now);
            }
        }
    }
}

#[test]
fn flows_that_nothing_holds_back_end_at_once() {
    // Few are placed one by one, many are solved from scratch.
    for others in [0, 50] {
        let mut sharing = sharing(&[(1.0, LinkKind::Shared), (f64::INFINITY, LinkKind::Shared)]);
        let mut free = vec![sharing.start(&whole(&[]), FREE).unwrap(), sharing.start(&whole(&[1]), FREE).unwrap()];
        free.push(sharing.start(&whole(&[0, 1]), Demand { bytes: 0.0, ..FREE }).unwrap());
        for _ in 0..others {
            sharing.start(&whole(&[1, 0]), FREE).unwrap();
        }
        sharing.solve(Time(7));
        let mut ended = Vec::new();
        assert_eq!(sharing.next_end(), Some(Time(7)));
        sharing.take_ended(Time(7), &mut ended);
        assert_eq!(ended, free);
        sharing.solve(Time(7));
        assert_eq!(sharing.next_end(), (others > 0).then_some(Time(7 + 50_000_000)));
    }
}
