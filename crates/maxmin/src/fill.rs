//! Max–min fair rates from scratch, by water filling.
//!
//! All flows grow together, each in proportion to its weight, until a link is full or a flow reaches its bound; the
//! limited flows keep their rates and the others grow on (Bertsekas and Gallager, Data Networks, 2nd ed., §6.5.2). The
//! rate per weight at which a link limits its flows is the link's *fair share*.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::demand::PathLink;
use super::link::{SAME_FAIR_SHARE, loses_digits};

/// Stands for a flow's own bound in place of a link.
pub const BOUND: u32 = u32::MAX;

/// A sharing problem: flows over links.
#[derive(Debug, Clone, Default)]
pub struct Problem {
    /// The capacity of each link, in bytes per tick; infinite for a link that limits nothing.
    pub capacities: Vec<f64>,
    /// The weight of each flow, positive.
    pub weights: Vec<f64>,
    /// The highest rate per weight of each flow, infinite if it is unbounded.
    pub bounds: Vec<f64>,
    /// The end of each flow's links in `path_links`; they start at the end of the previous flow's links.
    pub ends: Vec<usize>,
    /// The links of all flows with the flows' shares, each link at most once per flow.
    pub path_links: Vec<PathLink>,
}

/// The solution: the limit of each flow.
#[derive(Debug, Clone, Default)]
pub struct Filled {
    /// The fair share of each link; infinite if it limits no flow.
    pub fair_shares: Vec<f64>,
    /// The link that limits each flow, or [`BOUND`].
    pub bottlenecks: Vec<u32>,
}

impl Problem {
    /// Adds a flow and returns its number.
    pub fn add(&mut self, route: impl IntoIterator<Item = PathLink>, weight: f64, bound: f64) -> usize {
        self.path_links.extend(route);
        self.ends.push(self.path_links.len());
        self.weights.push(weight);
        self.bounds.push(bound);
        self.ends.len() - 1
    }

    /// The links of a flow.
    #[must_use]
    pub fn route(&self, flow: usize) -> &[PathLink] {
        let start = if flow == 0 { 0 } else { self.ends[flow - 1] };
        &self.path_links[start..self.ends[flow]]
    }

    /// The rate of a flow, in bytes per tick.
    #[must_use]
    pub fn rate(&self, filled: &Filled, flow: usize) -> f64 {
        self.weights[flow] * self.fair_share_of(filled, flow)
    }

    /// The rate per weight of a flow.
    #[must_use]
    pub fn fair_share_of(&self, filled: &Filled, flow: usize) -> f64 {
        match filled.bottlenecks[flow] {
            BOUND => self.bounds[flow],
            link => filled.fair_shares[link as usize],
        }
    }

    /// The max–min fair rates.
    #[must_use]
    pub fn fill(&self) -> Filled {
        Filling::new(self).run()
    }

    /// The flows of each link, and the end of each link's flows.
    fn flows_by_link(&self) -> (Vec<u32>, Vec<usize>) {
        let mut starts = vec![0; self.capacities.len() + 1];
        for path_link in &self.path_links {
            starts[path_link.link as usize + 1] += 1;
        }
        for link in 0..self.capacities.len() {
            starts[link + 1] += starts[link];
        }
        let (mut next, mut flows) = (starts.clone(), vec![0; self.path_links.len()]);
        for flow in 0..self.ends.len() {
            for path_link in self.route(flow) {
                flows[next[path_link.link as usize]] = flow as u32;
                next[path_link.link as usize] += 1;
            }
        }
        (flows, starts)
    }
}

/// A fair share as an integer of the same order; fair shares are not negative.
fn key(fair_share: f64) -> u64 {
    fair_share.to_bits()
}

/// Marks a flow that still grows.
const GROWING: u32 = u32::MAX - 1;

/// A filling in progress.
struct Filling<'a> {
    problem: &'a Problem,
    /// The flows of each link, and where each link's begin in them.
    flows: Vec<u32>,
    starts: Vec<usize>,
    /// Per link: the capacity left for growing flows, their summed weight (times their shares) and their number.
    left: Vec<f64>,
    weight: Vec<f64>,
    growing: Vec<u32>,
    /// Lower bounds of the fair shares at which each link stops its flows, and each flow's own bound; flows are
    /// numbered after links.
    stops: BinaryHeap<Reverse<(u64, u32)>>,
    fair_share: f64,
    filled: Filled,
}

impl<'a> Filling<'a> {
    fn new(problem: &'a Problem) -> Self {
        let (links, flows) = (problem.capacities.len(), problem.ends.len());
        let (mut weight, mut growing) = (vec![0.0; links], vec![0; links]);
        for flow in 0..flows {
            for path_link in problem.route(flow) {
                weight[path_link.link as usize] += problem.weights[flow] * path_link.share;
                growing[path_link.link as usize] += 1;
            }
        }
        let full = (0..links).filter(|&link| growing[link] > 0 && problem.capacities[link] < f64::INFINITY);
        let full = full.map(|link| Reverse((key(problem.capacities[link] / weight[link]), link as u32)));
        let bounded = (0..flows).map(|flow| Reverse((key(problem.bounds[flow]), (links + flow) as u32)));
        let stops = full.chain(bounded).collect::<Vec<_>>().into();
        let filled = Filled { fair_shares: vec![f64::INFINITY; links], bottlenecks: vec![GROWING; flows] };
        let (flows, starts) = problem.flows_by_link();
        Self {
            problem,
            flows,
            starts,
            left: problem.capacities.clone(),
            weight,
            growing,
            stops,
            fair_share: 0.0,
            filled,
        }
    }

    fn run(mut self) -> Filled {
        while let Some(Reverse((stop, who))) = self.stops.pop() {
            let link = who as usize;
            if link >= self.left.len() {
                let flow = link - self.left.len();
                if self.filled.bottlenecks[flow] == GROWING {
                    self.fair_share = f64::from_bits(stop);
                    self.hold(flow, BOUND);
                }
                continue;
            }
            if self.growing[link] == 0 {
                continue;
            }
            let full = (self.left[link] / self.weight[link]).max(0.0);
            if key(full) > stop {
                // Flows limited elsewhere left more capacity to the others on this link.
                self.stops.push(Reverse((key(full), who)));
                continue;
            }
            // Fair shares that differ by rounding only are equal, so that equal flows get equal rates.
            if full > self.fair_share * (1.0 + SAME_FAIR_SHARE) {
                self.fair_share = full;
            }
            self.filled.fair_shares[link] = self.fair_share;
            for place in self.starts[link]..self.starts[link + 1] {
                let flow = self.flows[place] as usize;
                if self.filled.bottlenecks[flow] == GROWING {
                    self.hold(flow, who);
                }
            }
        }
        self.filled
    }

    /// Limits a flow to the current fair share.
    fn hold(&mut self, flow: usize, bottleneck: u32) {
        self.filled.bottlenecks[flow] = bottleneck;
        for path_link in self.problem.route(flow) {
            let (link, weight) = (path_link.link as usize, self.problem.weights[flow] * path_link.share);
            self.left[link] -= weight * self.fair_share;
            self.weight[link] -= weight;
            self.growing[link] -= 1;
            if self.growing[link] > 0 && loses_digits(self.weight[link], weight) {
                self.weight[link] = self.growing_weight(link);
            }
        }
    }

    /// The summed weight (times their shares) of the growing flows on a link.
    fn growing_weight(&self, link: usize) -> f64 {
        let on_link = self.flows[self.starts[link]..self.starts[link + 1]].iter().map(|&flow| flow as usize);
        let growing = on_link.filter(|&flow| self.filled.bottlenecks[flow] == GROWING);
        let shares = growing.flat_map(|flow| self.problem.route(flow).iter().map(move |path_link| (flow, path_link)));
        let own = shares.filter(|(_, path_link)| path_link.link as usize == link);
        own.map(|(flow, path_link)| self.problem.weights[flow] * path_link.share).sum()
    }
}
