//! Max–min fair rates from scratch, by water filling.
//!
//! All flows grow together, each at its weight, until a link is full or a flow is at its bound; what is held back stays
//! and the rest grows on (Bertsekas and Gallager, Data Networks, 2nd ed., §6.5.2). The rate per weight at which a link
//! stops its flows is the link's *level*.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::link::SAME_LEVEL;
use super::routes::PathLink;

/// Stands for a flow's own bound where a link is asked for.
pub const BOUND: u32 = u32::MAX;

/// Flows over links whose rates are asked for.
#[derive(Debug, Clone, Default)]
pub struct Problem {
    /// The capacity of each link, in bytes a tick; infinite for one that holds nothing back.
    pub capacities: Vec<f64>,
    /// The weight of each flow, positive.
    pub weights: Vec<f64>,
    /// The highest rate per weight of each flow, infinite where it is free.
    pub bounds: Vec<f64>,
    /// Where each flow's links end in `passages`; they start where those of the flow before end.
    pub ends: Vec<usize>,
    /// The links of all flows with the flows' shares, none twice for a flow.
    pub passages: Vec<PathLink>,
}

/// What holds each flow back.
#[derive(Debug, Clone, Default)]
pub struct Filled {
    /// The level of each link; infinite where it holds no flow back.
    pub levels: Vec<f64>,
    /// The link that holds each flow back, or [`BOUND`].
    pub bottlenecks: Vec<u32>,
}

impl Problem {
    /// Adds a flow and gives its number.
    pub fn add(&mut self, route: impl IntoIterator<Item = PathLink>, weight: f64, bound: f64) -> usize {
        self.passages.extend(route);
        self.ends.push(self.passages.len());
        self.weights.push(weight);
        self.bounds.push(bound);
        self.ends.len() - 1
    }

    /// The links of a flow.
    #[must_use]
    pub fn route(&self, flow: usize) -> &[PathLink] {
        let start = if flow == 0 { 0 } else { self.ends[flow - 1] };
        &self.passages[start..self.ends[flow]]
    }

    /// The rate of a flow, in bytes a tick.
    #[must_use]
    pub fn rate(&self, filled: &Filled, flow: usize) -> f64 {
        self.weights[flow] * self.level(filled, flow)
    }

    /// The rate per weight of a flow.
    #[must_use]
    pub fn level(&self, filled: &Filled, flow: usize) -> f64 {
        match filled.bottlenecks[flow] {
            BOUND => self.bounds[flow],
            link => filled.levels[link as usize],
        }
    }

    /// The max–min fair rates.
    #[must_use]
    pub fn fill(&self) -> Filled {
        Filling::new(self).run()
    }

    /// The flows of each link, and where each link's end.
    fn flows_by_link(&self) -> (Vec<u32>, Vec<usize>) {
        let mut starts = vec![0; self.capacities.len() + 1];
        for passage in &self.passages {
            starts[passage.link as usize + 1] += 1;
        }
        for link in 0..self.capacities.len() {
            starts[link + 1] += starts[link];
        }
        let (mut next, mut flows) = (starts.clone(), vec![0; self.passages.len()]);
        for flow in 0..self.ends.len() {
            for passage in self.route(flow) {
                flows[next[passage.link as usize]] = flow as u32;
                next[passage.link as usize] += 1;
            }
        }
        (flows, starts)
    }
}

/// A level as a whole number in the same order; levels aren't negative.
fn key(level: f64) -> u64 {
    level.to_bits()
}

/// Marks a flow that still grows.
const GROWING: u32 = u32::MAX - 1;

/// A filling under way.
struct Filling<'a> {
    problem: &'a Problem,
    /// Per link: what is left for the flows that still grow, their summed weight (times their shares) and their number.
    left: Vec<f64>,
    weight: Vec<f64>,
    growing: Vec<u32>,
    /// Lower bounds of when each link stops its flows, and each flow's own bound; flows are numbered after links.
    stops: BinaryHeap<Reverse<(u64, u32)>>,
    level: f64,
    filled: Filled,
}

impl<'a> Filling<'a> {
    fn new(problem: &'a Problem) -> Self {
        let (links, flows) = (problem.capacities.len(), problem.ends.len());
        let (mut weight, mut growing) = (vec![0.0; links], vec![0; links]);
        for flow in 0..flows {
            for passage in problem.route(flow) {
                weight[passage.link as usize] += problem.weights[flow] * passage.share;
                growing[passage.link as usize] += 1;
            }
        }
        let full = (0..links).filter(|&link| growing[link] > 0 && problem.capacities[link] < f64::INFINITY);
        let full = full.map(|link| Reverse((key(problem.capacities[link] / weight[link]), link as u32)));
        let bounded = (0..flows).map(|flow| Reverse((key(problem.bounds[flow]), (links + flow) as u32)));
        let stops = full.chain(bounded).collect::<Vec<_>>().into();
        let filled = Filled { levels: vec![f64::INFINITY; links], bottlenecks: vec![GROWING; flows] };
        Self { problem, left: problem.capacities.clone(), weight, growing, stops, level: 0.0, filled }
    }

    fn run(mut self) -> Filled {
        let (flows, starts) = self.problem.flows_by_link();
        while let Some(Reverse((stop, who))) = self.stops.pop() {
            let link = who as usize;
            if link >= self.left.len() {
                let flow = link - self.left.len();
                if self.filled.bottlenecks[flow] == GROWING {
                    self.level = f64::from_bits(stop);
                    self.hold(flow, BOUND);
                }
                continue;
            }
            if self.growing[link] == 0 {
                continue;
            }
            let full = (self.left[link] / self.weight[link]).max(0.0);
            if key(full) > stop {
                // Flows held back elsewhere left more to its own.
                self.stops.push(Reverse((key(full), who)));
                continue;
            }
            // Levels that differ by rounding only are one, so that flows that are alike have equal rates.
            if full > self.level * (1.0 + SAME_LEVEL) {
                self.level = full;
            }
            self.filled.levels[link] = self.level;
            for &flow in &flows[starts[link]..starts[link + 1]] {
                if self.filled.bottlenecks[flow as usize] == GROWING {
                    self.hold(flow as usize, who);
                }
            }
        }
        self.filled
    }

    /// Holds a flow back at the present level.
    fn hold(&mut self, flow: usize, bottleneck: u32) {
        self.filled.bottlenecks[flow] = bottleneck;
        for passage in self.problem.route(flow) {
            let (link, weight) = (passage.link as usize, self.problem.weights[flow] * passage.share);
            self.left[link] -= weight * self.level;
            self.weight[link] -= weight;
            self.growing[link] -= 1;
        }
    }
}
