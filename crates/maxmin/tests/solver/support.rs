//! What the tests share: a textbook solver and checks of fairness.

use std::collections::BTreeMap;

use hetsim_base::units::Time;
use hetsim_maxmin::fill::{Filled, Problem};
use hetsim_maxmin::{Demand, LinkKind, PathLink, Solver};

/// A flow's route and what it asks for.
pub(crate) type Flow = (Vec<PathLink>, Demand);

/// A route over links that the flow crosses with its whole rate.
pub(crate) fn whole(links: &[u32]) -> Vec<PathLink> {
    links.iter().map(|&link| PathLink::whole(link)).collect()
}

/// A sharing of some links.
pub(crate) fn sharing(links: &[(f64, LinkKind)]) -> Solver {
    let mut sharing = Solver::new();
    for (place, &(capacity, kind)) in (0..).zip(links) {
        assert_eq!(sharing.add_link(capacity, kind), Ok(place));
    }
    sharing
}

/// A small generator (SplitMix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next()) * bound as u128) >> 64) as usize
    }

    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub(crate) fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
}

/// What random cases are drawn from.
#[derive(Clone, Copy)]
#[allow(clippy::struct_excessive_bools)]
pub(crate) struct Kind {
    pub(crate) links: usize,
    pub(crate) hops: usize,
    /// Weights, limits and capacities of few whole values, so that many ties occur.
    pub(crate) whole: bool,
    pub(crate) weighted: bool,
    pub(crate) limited: bool,
    pub(crate) unshared: bool,
    /// Whether flows take other shares of links than one.
    pub(crate) shares: bool,
}

impl Kind {
    pub(crate) fn random(random: &mut Random, most_links: usize) -> Self {
        let mut flip = || random.below(2) == 0;
        let (whole, weighted, limited, unshared, shares) = (flip(), flip(), flip(), flip(), flip());
        let (links, hops) = (1 + random.below(most_links), 1 + random.below(5));
        Self { links, hops, whole, weighted, limited, unshared, shares }
    }

    pub(crate) fn capacity(&self, random: &mut Random) -> f64 {
        if self.whole { random.pick(&[1.0, 2.0, 3.0, 10.0]) } else { 10f64.powf(random.unit() * 4.0 - 3.0) }
    }

    pub(crate) fn platform(&self, random: &mut Random) -> Vec<(f64, LinkKind)> {
        (0..self.links).map(|_| self.link(random)).collect()
    }

    pub(crate) fn link(&self, random: &mut Random) -> (f64, LinkKind) {
        let unshared = self.unshared && random.below(5) == 0;
        (self.capacity(random), if unshared { LinkKind::Unshared } else { LinkKind::Shared })
    }

    pub(crate) fn share(&self, random: &mut Random) -> f64 {
        match (self.shares, self.whole) {
            (false, _) => 1.0,
            (true, true) => random.pick(&[0.05, 0.5, 1.0, 1.0, 2.0]),
            (true, false) => 10f64.powf(random.unit() * 2.0 - 1.5),
        }
    }

    pub(crate) fn flow(&self, random: &mut Random) -> Flow {
        self.flow_over(random, self.links)
    }

    /// A flow over some of the first links.
    pub(crate) fn flow_over(&self, random: &mut Random, links: usize) -> Flow {
        let hops = 0..=random.below(self.hops);
        let path_link = |_| PathLink { link: random.below(links) as u32, share: self.share(random) };
        let route = hops.map(path_link).collect();
        let weight = match (self.weighted, self.whole) {
            (false, _) => 1.0,
            (true, true) => random.pick(&[0.5, 1.0, 2.0, 3.0]),
            (true, false) => 10f64.powf(random.unit() * 3.0 - 1.0),
        };
        let limited = self.limited && random.below(3) == 0;
        let limit = if limited { self.capacity(random) * random.pick(&[0.1, 0.5, 1.0]) } else { f64::INFINITY };
        (route, Demand { bytes: 1e6 * (1.0 + 20.0 * random.unit()), weight, limit })
    }
}

/// What a flow takes of each link on its route per byte: shares of a link named twice add up, but of an unshared one
/// the largest counts.
pub(crate) fn shares(links: &[(f64, LinkKind)], route: &[PathLink]) -> Vec<(usize, f64)> {
    let mut shares = BTreeMap::new();
    for path_link in route {
        let share: &mut f64 = shares.entry(path_link.link as usize).or_default();
        match links[path_link.link as usize].1 {
            LinkKind::Shared => *share += path_link.share,
            LinkKind::Unshared => *share = share.max(path_link.share),
        }
    }
    shares.into_iter().collect()
}

/// The highest level of a flow that its limit and the unshared links allow.
pub(crate) fn bound(links: &[(f64, LinkKind)], (route, demand): &Flow) -> f64 {
    let mut most = demand.limit;
    for (link, share) in shares(links, route) {
        if links[link].1 == LinkKind::Unshared {
            most = most.min(links[link].0 / share);
        }
    }
    most / demand.weight
}

/// The flows of a mirror of what was started, as a problem.
pub(crate) fn problem(links: &[(f64, LinkKind)], flows: &[Flow]) -> Problem {
    let capacity =
        |&(capacity, kind): &(f64, LinkKind)| if kind == LinkKind::Shared { capacity } else { f64::INFINITY };
    let mut problem = Problem { capacities: links.iter().map(capacity).collect(), ..Problem::default() };
    for flow in flows {
        let shared = shares(links, &flow.0).into_iter().filter(|&(link, _)| links[link].1 == LinkKind::Shared);
        let path_links = shared.map(|(link, share)| PathLink { link: link as u32, share });
        problem.add(path_links, flow.1.weight, bound(links, flow));
    }
    problem
}

/// Max–min fair rates as textbooks tell them (Bertsekas and Gallager, Data Networks, 2nd ed., §6.5.2): step by step,
/// all sums anew at each.
pub(crate) fn textbook(links: &[(f64, LinkKind)], flows: &[Flow]) -> Vec<f64> {
    let uses: Vec<Vec<(usize, f64)>> = flows.iter().map(|(route, _)| shares(links, route)).collect();
    let mut rates: Vec<Option<f64>> = vec![None; flows.len()];
    while rates.iter().any(Option::is_none) {
        // What is left of each link, and the weight of the flows that still share it.
        let mut left: Vec<f64> = links.iter().map(|link| link.0).collect();
        let mut weight = vec![0.0; links.len()];
        for flow in 0..flows.len() {
            for &(link, share) in &uses[flow] {
                match rates[flow] {
                    Some(rate) => left[link] -= rate * share,
                    None => weight[link] += flows[flow].1.weight * share,
                }
            }
        }
        // Up to which level each flow could grow, were all others to grow with it.
        let stop = |flow: usize| {
            let shared = uses[flow].iter().map(|use_| use_.0).filter(|&link| links[link].1 == LinkKind::Shared);
            let level = shared.map(|link| (left[link] / weight[link]).max(0.0)).fold(f64::INFINITY, f64::min);
            level.min(bound(links, &flows[flow]))
        };
        let growing: Vec<usize> = (0..flows.len()).filter(|&flow| rates[flow].is_none()).collect();
        let level = growing.iter().map(|&flow| stop(flow)).fold(f64::INFINITY, f64::min);
        let stopped: Vec<usize> = growing.into_iter().filter(|&flow| stop(flow) <= level * (1.0 + 1e-13)).collect();
        for flow in stopped {
            rates[flow] = Some(level * flows[flow].1.weight);
        }
    }
    rates.into_iter().flatten().collect()
}

pub(crate) fn close(one: f64, other: f64) -> bool {
    one == other || (one - other).abs() <= 1e-9 * one.max(other)
}

/// Checks what defines max–min fair rates: no link over its capacity, and a bottleneck or the bound for each flow.
pub(crate) fn check_fair(links: &[(f64, LinkKind)], flows: &[Flow], rates: &[f64]) {
    let mut used = vec![0.0; links.len()];
    let mut top = vec![0.0_f64; links.len()];
    for ((route, demand), &rate) in flows.iter().zip(rates) {
        for (link, share) in shares(links, route) {
            match links[link].1 {
                LinkKind::Shared => used[link] += rate * share,
                LinkKind::Unshared => used[link] = f64::max(used[link], rate * share),
            }
            top[link] = top[link].max(rate / demand.weight);
        }
    }
    for (used, (capacity, _)) in used.iter().zip(links) {
        assert!(*used <= capacity * (1.0 + 1e-9), "a link of {capacity} holds {used}");
    }
    for (flow, &rate) in flows.iter().zip(rates) {
        let level = rate / flow.1.weight;
        let is_bound = level >= bound(links, flow) * (1.0 - 1e-9);
        let holds = |&(link, _): &(usize, f64)| {
            let is_full = used[link] >= links[link].0 * (1.0 - 1e-9);
            links[link].1 == LinkKind::Shared && is_full && level >= top[link] * (1.0 - 1e-9)
        };
        assert!(is_bound || shares(links, &flow.0).iter().any(holds), "{flow:?} at {rate} has no bottleneck");
    }
}

pub(crate) fn filled_rates(problem: &Problem) -> Vec<f64> {
    let filled: Filled = problem.fill();
    (0..problem.ends.len()).map(|flow| problem.rate(&filled, flow)).collect()
}

/// A sharing beside plain lists of the flows on it.
pub(crate) struct Pair {
    pub(crate) links: Vec<(f64, LinkKind)>,
    pub(crate) sharing: Solver,
    pub(crate) flows: Vec<Flow>,
    pub(crate) ids: Vec<u32>,
    pub(crate) now: Time,
}

impl Pair {
    pub(crate) fn new(links: Vec<(f64, LinkKind)>) -> Self {
        let sharing = sharing(&links);
        Self { links, sharing, flows: Vec::new(), ids: Vec::new(), now: Time::ZERO }
    }

    pub(crate) fn add_link(&mut self, (capacity, kind): (f64, LinkKind)) {
        assert_eq!(self.sharing.add_link(capacity, kind), Ok(self.links.len() as u32));
        self.links.push((capacity, kind));
    }

    pub(crate) fn start(&mut self, (route, demand): Flow) {
        self.ids.push(self.sharing.start(&route, demand).expect("a good flow"));
        self.flows.push((route, demand));
    }

    pub(crate) fn stop(&mut self, place: usize) {
        self.sharing.stop(self.ids.swap_remove(place));
        self.flows.swap_remove(place);
    }

    pub(crate) fn set_capacity(&mut self, link: usize, capacity: f64) {
        self.links[link].0 = capacity;
        self.sharing.set_capacity(link as u32, capacity).expect("a good capacity");
    }

    pub(crate) fn rates(&self) -> Vec<f64> {
        self.ids.iter().map(|&id| self.sharing.rate(id)).collect()
    }

    /// The rates of the sharing must be those from scratch, flow by flow.
    pub(crate) fn compare(&self) {
        let problem = problem(&self.links, &self.flows);
        let expected = filled_rates(&problem);
        let mut used = vec![0.0; self.links.len()];
        for (place, (&id, expected)) in self.ids.iter().zip(expected).enumerate() {
            let rate = self.sharing.rate(id);
            for (link, share) in shares(&self.links, &self.flows[place].0) {
                used[link] += rate * share;
            }
            assert!(close(rate, expected), "flow {id} at {rate}, from scratch {expected}");
        }
        // However many changes there were, the sums that are kept haven't drifted from the rates (but the plain sum of
        // floats here, of up to 10 000 rates, is rounded itself).
        for (link, used) in (0..).zip(used) {
            let kept = self.sharing.usage(link);
            assert!(
                (kept - used).abs() <= 1e-13 * self.links[link as usize].0.max(used),
                "link {link} keeps {kept}, its flows use {used}"
            );
        }
    }
}
