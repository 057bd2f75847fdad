//! Links shared fairly: which flows cross which links, and the rate of each.
//!
//! Rates are max–min fair: all flows grow together until a link is full, whose flows then stay, and so on (water
//! filling, e.g. Bertsekas and Gallager, Data Networks, §6.5.2). This first solver starts anew at each change.

use crate::engine::EventId;
use crate::units::{Time, round_up};

use super::network::Model;
use super::observer::SendSeen;
use super::platform::{MOST_LEVELS, Platform};
use super::profile::Profile;

/// All shared links of a platform and the flows on them.
#[derive(Debug)]
pub struct SharedLinks {
    nodes: usize,
    groups: usize,
    /// Bytes a tick, of each node's link up, of each node's link down, then between each two groups, then of the groups
    /// of each level: up and down to the network around them.
    capacities: Vec<f64>,
    /// The link of the platform that says so, by shared link.
    sources: Vec<u32>,
    /// Where the links up of each level's groups start, by the level's place after those between groups of the platform;
    /// as many links down follow.
    levels: Vec<Units>,
    flows: Vec<Option<Flow>>,
    free: Vec<usize>,
    /// The flows under way, in the order of their start.
    active: Vec<usize>,
    /// Per link, for the solver: how much is left and how many flows want it.
    left: Vec<f64>,
    wanting: Vec<u32>,
}

/// The groups of a level: where their links start, and how many there are.
#[derive(Debug, Clone, Copy)]
struct Units {
    start: u32,
    count: u32,
}

/// The most shared links that a message crosses: those of its two nodes, of the groups around each, and one between clusters.
const MOST_LINKS: usize = 2 * (1 + MOST_LEVELS) + 1;

#[derive(Debug)]
struct Flow {
    route: [u32; MOST_LINKS],
    links: usize,
    remaining: f64,
    rate: f64,
    since: Time,
    /// When it ends at its present rate.
    end: Time,
    event: Option<EventId>,
    seen: SendSeen,
}

/// The rate of a flow that has none yet, so that its first one is news.
const UNSOLVED: f64 = -1.0;

/// A flow whose end has moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moved {
    /// The flow.
    pub flow: usize,
    /// When it now ends.
    pub end: Time,
    /// The event that stands for its end, if it has one.
    pub event: Option<EventId>,
}

impl SharedLinks {
    /// The shared links of a platform; none where no model shares.
    #[must_use]
    pub fn new(platform: &Platform) -> Self {
        let (nodes, groups) = (platform.nodes() as usize, platform.groups().len());
        let (mut sources, mut levels) = (Vec::new(), Vec::new());
        if platform.links().iter().any(|link| matches!(link.model, Model::Fair(_))) {
            for _ in 0..2 {
                for group in 0..groups {
                    // A node is joined to the innermost network around it.
                    let (inner, own) = (platform.level_links(group).last(), group * groups + group);
                    let network = inner.map_or(own as u32, |&(_, link)| link);
                    sources.extend(std::iter::repeat_n(network, platform.groups()[group].nodes as usize));
                }
            }
            sources.extend(0..(groups * groups) as u32);
            for group in 0..groups {
                let mut around = (group * groups + group) as u32;
                for &(size, link) in platform.level_links(group) {
                    let count = platform.groups()[group].nodes.div_ceil(size);
                    levels.push(Units { start: sources.len() as u32, count });
                    sources.extend(std::iter::repeat_n(around, 2 * count as usize));
                    around = link;
                }
            }
        }
        let capacity = |&link: &u32| match &platform.numbered_link(link as usize).model {
            Model::Fair(fair) => fair.capacity(),
            _ => f64::INFINITY,
        };
        let links = sources.len();
        Self {
            nodes,
            groups,
            capacities: sources.iter().map(capacity).collect(),
            sources,
            levels,
            flows: Vec::new(),
            free: Vec::new(),
            active: Vec::new(),
            left: vec![0.0; links],
            wanting: vec![0; links],
        }
    }

    /// Adds a message on its way, whose bytes don't flow yet; `link` is the number of the platform's link.
    pub fn add(&mut self, seen: SendSeen, link: usize, platform: &Platform) -> u32 {
        let mut route = [0; MOST_LINKS];
        (route[0], route[1]) = (seen.from.0, self.nodes as u32 + seen.to.0);
        let mut links = 2;
        let mut cross = |link: u32| {
            route[links] = link;
            links += 1;
        };
        let pairs = self.groups * self.groups;
        if link < pairs && link / self.groups != link % self.groups {
            cross((2 * self.nodes + link) as u32);
        }
        if platform.is_nested() {
            // It leaves the groups of the levels below that of its link.
            for (node, down) in [(seen.from, 0), (seen.to, 1)] {
                let group = platform.group_of(node);
                let place = node.0 - platform.members(group).start;
                let below = platform.level_links(group).iter().filter(|&&(_, own)| link < pairs || own as usize > link);
                for &(size, own) in below {
                    let Units { start, count } = self.levels[own as usize - pairs];
                    cross(start + down * count + place / size);
                }
            }
        }
        let (remaining, never) = (seen.bytes as f64, Time::NEVER);
        let flow = Flow { route, links, remaining, rate: UNSOLVED, since: Time::ZERO, end: never, event: None, seen };
        let id = self.free.pop().unwrap_or_else(|| {
            self.flows.push(None);
            self.flows.len() - 1
        });
        self.flows[id] = Some(flow);
        id as u32
    }

    /// The bytes of a message start to flow; `event` stands for their end.
    pub fn start(&mut self, id: u32, now: Time, event: EventId) {
        if let Some(flow) = &mut self.flows[id as usize] {
            flow.since = now;
            flow.event = Some(event);
            self.active.push(id as usize);
        }
    }

    /// Takes a flow out that has ended, and gives what is known of its message.
    pub fn end(&mut self, id: u32, now: Time) -> Option<SendSeen> {
        let id = id as usize;
        self.active.retain(|&flow| flow != id);
        self.free.push(id);
        self.flows[id].take().map(|flow| SendSeen { free: now, arrival: now, ..flow.seen })
    }

    /// Solves all rates at `now` and gives the flows whose end moves. A flow whose rate stays is left alone.
    pub fn solve(&mut self, now: Time, platform: &Platform) -> Vec<Moved> {
        let rates = self.rates(now, platform);
        // Where nothing flows, the end waits for the bandwidth to come back, if it ever does.
        let parked = if self.next_change(now, platform).is_some() { Time(u64::MAX - 1) } else { Time::NEVER };
        let mut moved = Vec::new();
        for (&id, rate) in self.active.iter().zip(rates) {
            let Some(flow) = &mut self.flows[id] else { continue };
            // What is due now ends now, whatever the others' ends would change.
            if rate == flow.rate || flow.end == now {
                continue;
            }
            flow.remaining = (flow.remaining - (now - flow.since).as_f64() * flow.rate.max(0.0)).max(0.0);
            flow.since = now;
            flow.rate = rate;
            let end = match flow.remaining / rate {
                _ if flow.remaining == 0.0 => now,
                ticks if ticks.is_finite() => now + round_up(ticks),
                _ => parked,
            };
            flow.end = end;
            moved.push(Moved { flow: id, end, event: flow.event });
        }
        moved
    }

    /// When a rate may next change by itself, because the bandwidth of a link in use does.
    #[must_use]
    pub fn next_change(&self, now: Time, platform: &Platform) -> Option<Time> {
        let flows = self.active.iter().filter_map(|&id| self.flows[id].as_ref());
        let links = flows.flat_map(|flow| &flow.route[..flow.links]);
        links.filter_map(|&link| self.profile(link as usize, platform)?.next_change(now)).min()
    }

    /// How the bandwidth of a shared link changes with time, if it does.
    fn profile<'a>(&self, link: usize, platform: &'a Platform) -> Option<&'a Profile> {
        platform.numbered_link(self.sources[link] as usize).bandwidth.as_ref()
    }

    /// The max–min fair rates of the active flows, in bytes a tick, in their order.
    fn rates(&mut self, now: Time, platform: &Platform) -> Vec<f64> {
        for place in 0..self.active.len() {
            for link in self.route(place) {
                let factor = self.profile(link, platform).map_or(1.0, |profile| profile.value(now));
                self.left[link] = self.capacities[link] * factor;
                self.wanting[link] = 0;
            }
        }
        for place in 0..self.active.len() {
            for link in self.route(place) {
                self.wanting[link] += 1;
            }
        }
        let mut rates = vec![f64::NAN; self.active.len()];
        let mut open: Vec<usize> = (0..self.active.len()).collect();
        while !open.is_empty() {
            let level = open.iter().map(|&place| self.share(place)).fold(f64::INFINITY, f64::min);
            // Which flows are held back is settled before any of them takes its share away.
            let (held, rest) = open.into_iter().partition::<Vec<_>, _>(|&place| self.share(place) <= level);
            open = rest;
            for place in held {
                rates[place] = level;
                for link in self.route(place) {
                    self.left[link] = (self.left[link] - level).max(0.0);
                    self.wanting[link] -= 1;
                }
            }
        }
        rates
    }

    /// The links that the active flow at `place` crosses.
    fn route(&self, place: usize) -> impl Iterator<Item = usize> + use<> {
        let (route, links) =
            self.flows[self.active[place]].as_ref().map_or(([0; MOST_LINKS], 0), |flow| (flow.route, flow.links));
        route.into_iter().take(links).map(|link| link as usize)
    }

    /// What the active flow at `place` could get on the fullest link of its route.
    fn share(&self, place: usize) -> f64 {
        let shares = self.route(place).map(|link| self.left[link] / f64::from(self.wanting[link]));
        shares.fold(f64::INFINITY, f64::min)
    }
}
