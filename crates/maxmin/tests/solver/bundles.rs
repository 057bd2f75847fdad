//! Flows of one way as one flow of the solver, beside each as its own.

use super::support::{Kind, Random, whole};
use hetsim_base::units::Time;
use hetsim_maxmin::{Bundles, Demand, LinkKind, PathLink};

/// What happens to some links at an instant.
struct Step {
    at: Time,
    starts: Vec<(u32, u64, Vec<PathLink>, Demand)>,
    capacity: Option<(u32, f64)>,
}

/// The end of each flow, by its name, and how many flows the solver had at most. Without `ways` each flow has one of its
/// own, so that there are no bundles.
fn ends(links: &[(f64, LinkKind)], steps: &[Step], ways: bool) -> (Vec<(u32, Time)>, usize) {
    let mut bundles = Bundles::new(0.25).expect("a good load");
    for &(capacity, kind) in links {
        bundles.add_link(capacity, kind).expect("a good link");
    }
    let (mut most, mut ended, mut ends, mut now) = (0, Vec::new(), Vec::new(), Time::ZERO);
    let mut steps = steps.iter().peekable();
    loop {
        bundles.solve(now);
        most = most.max(bundles.solver().active());
        let next = [steps.peek().map(|step| step.at), bundles.solver().next_end()].into_iter().flatten().min();
        let Some(next) = next.filter(|&next| next < Time::NEVER) else { return (ends, most) };
        now = next;
        bundles.take_ended(now, &mut ended);
        ends.extend(ended.iter().map(|&name| (name, now)));
        let Some(step) = steps.next_if(|step| step.at == now) else { continue };
        for (name, way, route, demand) in &step.starts {
            let way = if ways { *way } else { 1000 + u64::from(*name) };
            bundles.start(now, *name, way, route, *demand).expect("a good flow");
        }
        if let Some((link, capacity)) = step.capacity {
            bundles.set_capacity(link, capacity).expect("a good capacity");
        }
    }
}

/// Random flows over few ways. One in twenty has another route, weight and limit than the others of its way.
fn random_steps(random: &mut Random, kind: Kind) -> Vec<Step> {
    let ways: Vec<_> = (0..=random.below(5)).map(|_| kind.flow(random)).collect();
    let (mut at, mut name) = (0, 0);
    let mut step = |random: &mut Random| {
        at += random.below(3) as u64 * random.below(2_000_000) as u64;
        let mut start = |random: &mut Random| {
            let way = random.below(ways.len());
            let (route, demand) = if random.below(20) == 0 { kind.flow(random) } else { ways[way].clone() };
            let drawn = 1e6 * random.unit();
            let bytes = random.pick(&[0.0, 1e6, 1e6, 1e6, 3e6, drawn]);
            name += 1;
            (name - 1, way as u64, route, Demand { bytes, ..demand })
        };
        let starts = (0..random.below(12)).map(|_| start(random)).collect();
        let capacity = random.below(8) == 0;
        let capacity = capacity.then(|| (random.below(kind.links) as u32, kind.capacity(random)));
        Step { at: Time(at), starts, capacity }
    };
    let mut steps: Vec<Step> = (0..40).map(|_| step(random)).collect();
    steps.dedup_by_key(|step| step.at);
    steps
}

#[test]
fn flows_end_in_bundles_when_they_end_alone() {
    let mut random = Random(11);
    let mut saved = 0;
    for _ in 0..2000 {
        let kind = Kind::random(&mut random, 6);
        let links = kind.platform(&mut random);
        let steps = random_steps(&mut random, kind);
        let started: usize = steps.iter().map(|step| step.starts.len()).sum();
        let ((mut alone, _), (mut bundled, most)) = (ends(&links, &steps, false), ends(&links, &steps, true));
        assert_eq!((alone.len(), bundled.len()), (started, started));
        assert!(bundled.is_sorted_by_key(|&(name, end)| (end, name)), "flows that end at one instant in another order");
        alone.sort_unstable();
        bundled.sort_unstable();
        for ((name, one), (_, other)) in alone.iter().zip(&bundled) {
            // Each end is rounded up to a tick, which can move the ends after it.
            let apart = one.0.abs_diff(other.0);
            assert!(apart as f64 <= 2.0 + 1e-9 * one.as_f64(), "flow {name} ends at {} or {}", one.0, other.0);
        }
        saved += usize::from(most * 2 < started);
    }
    assert!(saved > 1000, "{saved} of 2000 cases had bundles of some size");
}

/// Ten flows of 1000 bytes share 10 bytes a tick; four more start when each has sent 500, at tick 500. Then 14 flows
/// share: the first ones need 700 ticks more, and in the end four flows have 500 bytes left, at 2.5 bytes a tick.
#[test]
fn a_bundle_that_grows_and_shrinks_by_hand() {
    let start = |name| (name, 7, whole(&[0]), Demand { bytes: 1000.0, weight: 1.0, limit: f64::INFINITY });
    let steps = [(0, 0..10), (500, 10..14)].map(|(at, names)| Step {
        at: Time(at),
        starts: names.map(start).collect(),
        capacity: None,
    });
    let (ends, most) = ends(&[(10.0, LinkKind::Shared)], &steps, true);
    let (first, last): (Vec<_>, Vec<_>) = ends.iter().partition(|(name, _)| *name < 10);
    assert!(first.iter().all(|&(_, end)| end == Time(1200)), "{first:?}");
    assert!(last.iter().all(|&(_, end)| end == Time(1400)), "{last:?}");
    let order: Vec<u32> = ends.iter().map(|end| end.0).collect();
    assert_eq!(order, (0..14).collect::<Vec<_>>());
    assert_eq!(most, 4);
}

/// A thousand flows with a limit of 0.25 bytes a tick each have sent half of their 100 bytes at tick 200. Then their link
/// gets so narrow that each has half of its limit.
#[test]
fn a_limit_is_that_of_each_flow() {
    let start = |name| (name, 3, whole(&[0, 1]), Demand { bytes: 100.0, weight: 0.5, limit: 0.25 });
    let begin = Step { at: Time::ZERO, starts: (0..1000).map(start).collect(), capacity: None };
    let narrow = Step { at: Time(200), starts: Vec::new(), capacity: Some((0, 125.0)) };
    let links = [(1000.0, LinkKind::Shared), (500.0, LinkKind::Shared)];
    let (ends, most) = ends(&links, &[begin, narrow], true);
    assert!(ends.len() == 1000 && ends.iter().all(|&(_, end)| end == Time(600)) && most == 4, "{ends:?}");
}
