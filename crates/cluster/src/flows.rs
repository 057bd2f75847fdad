//! What flows over shared links during a run, messages and the bytes that computations move: paths, rates, ends.
//!
//! The [solver](hetsim_maxmin) has its own numbers of links. A channel gets a solver link when its first flow starts, so
//! that idle nodes cost nothing. Where many messages flow from one node to another at once, most of them are one flow of
//! the solver.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use rustc_hash::FxHashMap;

use super::fault::{Fault, Outages};
use super::observer::SendSeen;
use super::platform::{Channel, Path, Platform};
use super::program::{NodeId, SendId, WorkId};
use super::transport::PathCost;
use hetsim_base::engine::Streams;
use hetsim_base::units::Time;
use hetsim_maxmin::{Bundles, Demand, LinkKind, PathLink};

mod numbering;

use numbering::{NONE, Numbering, Pages};

/// A message that flows over shared links.
#[derive(Debug)]
pub(super) struct InFlight<M> {
    pub(super) seen: SendSeen,
    pub(super) send: SendId,
    pub(super) message: M,
    /// The number of the connection between its nodes.
    pub(super) link: u32,
    /// The number of its sending port.
    pub(super) port: u32,
    /// Whether its rendezvous is over.
    pub(super) granted: bool,
}

/// A computation whose bytes flow through a memory that others share.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moving {
    pub(super) at: NodeId,
    pub(super) work: WorkId,
    pub(super) start: Time,
    pub(super) operations: f64,
    pub(super) channel: Channel,
    pub(super) bytes: f64,
}

/// Something that flows.
#[derive(Debug)]
pub(super) enum Flow<M> {
    Message(InFlight<M>),
    /// A computation, and how long it takes alone, in ticks.
    Work(Moving, f64),
}

/// All flows, and the links under them.
#[derive(Debug)]
pub(super) struct Flows<M> {
    bundles: Bundles,
    numbering: Numbering,
    /// The solver's link of each channel, by the channel's number.
    links: Pages,
    /// The channel of each link, and the bytes offered to it.
    carried: Vec<(Channel, f64)>,
    /// By link: its index among the varying links, or [`NONE`].
    varying_at: Vec<u32>,
    varying: Vec<Varying>,
    /// The next bandwidth change of a link in use, and its index among the varying links.
    changes: BinaryHeap<Reverse<(Time, u32)>>,
    in_flight: Vec<Option<Flow<M>>>,
    free: Vec<u32>,
    /// By port; empty if all messages are sent at once.
    turns: Vec<Turns>,
    /// Whether the path of a message must be known before its first byte flows.
    paths_tell_latency: bool,
    path: Path,
    back: Path,
    route: Vec<PathLink>,
    ended: Vec<u32>,
    /// Whether rates must be solved before the clock moves on.
    is_stale: bool,
    /// The faults of links that belong to nodes, by the channel's number.
    faults: FxHashMap<u32, Vec<Fault>>,
    streams: Streams,
}

/// The messages of a port of which only some are under way at once.
#[derive(Debug, Default)]
struct Turns {
    under_way: u32,
    waiting: VecDeque<u32>,
}

/// A link whose bandwidth changes with time.
#[derive(Debug)]
struct Varying {
    link: u32,
    channel: Channel,
    /// Its outages; `None` if it never fails.
    outages: Option<Outages>,
    /// Whether its next change is in the calendar.
    is_awaited: bool,
}

impl<M> Flows<M> {
    /// The shared links of a platform, without flows.
    pub(super) fn new(platform: &Platform, streams: Streams) -> Self {
        let numbering = Numbering::new(platform);
        let faults = numbering.own_faults(platform);
        Self {
            bundles: Bundles::new(platform.transport().reverse_share).unwrap_or_default(),
            links: Pages::new(numbering.channels),
            numbering,
            carried: Vec::new(),
            varying_at: Vec::new(),
            varying: Vec::new(),
            changes: BinaryHeap::new(),
            in_flight: Vec::new(),
            free: Vec::new(),
            turns: Vec::new(),
            paths_tell_latency: platform.paths_tell_latency(),
            path: Path::default(),
            back: Path::default(),
            route: Vec::new(),
            ended: Vec::new(),
            is_stale: false,
            faults,
            streams,
        }
    }

    /// Stores what is to flow and returns its number.
    pub(super) fn keep(&mut self, flow: Flow<M>) -> u32 {
        let number = self.free.pop().unwrap_or_else(|| {
            self.in_flight.push(None);
            self.in_flight.len() as u32 - 1
        });
        self.in_flight[number as usize] = Some(flow);
        number
    }

    /// The send of a stored message.
    pub(super) fn send(&self, number: u32) -> Option<SendId> {
        match self.in_flight[number as usize].as_ref()? {
            Flow::Message(in_flight) => Some(in_flight.send),
            Flow::Work(..) => None,
        }
    }

    /// Queues a stored message at its port, one of `ports` in all, of whose messages at most `most` are under way.
    /// Returns true if its turn is now.
    pub(super) fn queue(&mut self, number: u32, port: u32, ports: usize, most: u32) -> bool {
        self.turns.resize_with(ports.max(self.turns.len()), Turns::default);
        let turns = &mut self.turns[port as usize];
        let is_free = turns.under_way < most;
        if is_free {
            turns.under_way += 1;
        } else {
            turns.waiting.push_back(number);
        }
        is_free
    }

    /// Ends the turn of a port's message. Returns the next one.
    pub(super) fn next_turn(&mut self, port: u32) -> Option<u32> {
        let turns = self.turns.get_mut(port as usize)?;
        let next = turns.waiting.pop_front();
        turns.under_way -= u32::from(next.is_none());
        next
    }

    /// Lets a stored message leave its node at `now`, or later when it is ready. Returns its description, and the
    /// additional latency of the links on its path until its first byte flows; `None` in place of the latency if there
    /// is no path.
    pub(super) fn leave(
        &mut self,
        number: u32,
        now: Time,
        platform: &Platform,
    ) -> Option<(&InFlight<M>, Option<Time>)> {
        let Flow::Message(in_flight) = self.in_flight[number as usize].as_mut()? else { return None };
        let seen = &mut in_flight.seen;
        (seen.start, seen.free) = (seen.start.max(now), seen.free.max(now));
        if !self.paths_tell_latency {
            return Some((in_flight, Some(Time::ZERO)));
        }
        let is_found = platform.find_path(seen.from, seen.to, &mut self.path);
        let latency = platform.latency_of(&self.path.channels, Some(seen.start));
        Some((in_flight, is_found.then(|| platform.tick().time(latency))))
    }

    /// Starts the flow of stored bytes.
    pub(super) fn start(&mut self, number: u32, now: Time, platform: &Platform) {
        // Links may have changed while no flow needed them.
        self.change(now, platform);
        match self.in_flight[number as usize] {
            Some(Flow::Message(InFlight { seen: SendSeen { from, to, bytes, .. }, link, .. })) => {
                self.start_message(number, (from, to, bytes), link, now, platform);
            }
            Some(Flow::Work(Moving { channel, bytes, .. }, alone)) => {
                let link = self.link(channel, now, platform);
                self.carried[link as usize].1 += bytes;
                let limit = if alone > 0.0 { bytes / alone } else { f64::INFINITY };
                // No message has a number as high: nodes are fewer.
                let way = u64::MAX - u64::from(link);
                self.begin(number, now, way, &[PathLink::whole(link)], Demand { bytes, weight: 1.0, limit });
            }
            None => {}
        }
    }

    #[inline]
    fn start_message(
        &mut self,
        number: u32,
        (from, to, size): (NodeId, NodeId, u64),
        link: u32,
        now: Time,
        platform: &Platform,
    ) {
        // A path exists, since it was found when the message was sent.
        platform.find_path(from, to, &mut self.path);
        let transport = platform.transport();
        if platform.shares_memory() {
            platform.add_memory(from, to, size, &mut self.path);
        }
        let mut route = std::mem::take(&mut self.route);
        route.clear();
        for place in 0..self.path.channels.len() {
            let link = self.link(self.path.channels[place], now, platform);
            self.carried[link as usize].1 += size as f64;
            route.push(PathLink::whole(link));
        }
        if transport.reverse_share > 0.0 && platform.find_path(to, from, &mut self.back) {
            for place in 0..self.back.channels.len() {
                let link = self.link(self.back.channels[place], now, platform);
                match self.bundles.solver().paired_with(link) {
                    // The solver knows what goes back over a pair.
                    Some(forth) => debug_assert!(route.contains(&PathLink::whole(forth))),
                    None => route.push(PathLink { link, share: transport.reverse_share }),
                }
            }
        }
        let character = if transport.depends_on_paths() {
            platform.character(&self.path.channels, platform.governing_latency(from, to))
        } else {
            PathCost::default()
        };
        let bytes = transport.bytes(size);
        let own = platform.numbered_connection(link as usize).model.flow_costs(size).transmission;
        // An empty message has nothing to send at a rate.
        let own = if own > Time::ZERO && bytes > 0.0 { bytes / own.as_f64() } else { f64::INFINITY };
        let limit = transport.limit(character, platform.tick()).min(own);
        let way = u64::from(from.0) << 32 | u64::from(to.0);
        self.begin(number, now, way, &route, Demand { bytes, weight: transport.weight(character), limit });
        self.route = route;
    }

    /// Lets stored bytes flow.
    #[inline]
    fn begin(&mut self, number: u32, now: Time, way: u64, route: &[PathLink], demand: Demand) {
        // Links, weights and limits come from a checked platform.
        self.bundles.start(now, number, way, route, demand).unwrap_or_else(|error| unreachable!("{error}"));
        self.is_stale = true;
    }

    /// The solver's link of a channel, with its current bandwidth.
    fn link(&mut self, channel: Channel, now: Time, platform: &Platform) -> u32 {
        let number = self.numbering.number(channel, platform);
        let link = match *self.links.slot(number) {
            NONE => self.add_link(channel, number, platform),
            link => link,
        };
        let at = self.varying_at[link as usize];
        if at != NONE && !self.varying[at as usize].is_awaited {
            self.vary(at, now, platform);
        }
        link
    }

    /// Adds a solver link for a channel.
    #[cold]
    fn add_link(&mut self, channel: Channel, number: u32, platform: &Platform) -> u32 {
        let nature = platform.nature(channel);
        let kind = if nature.is_shared { LinkKind::Shared } else { LinkKind::Unshared };
        let capacity = nature.bandwidth / platform.tick().per_second();
        if let Some(back) = self.pair_of(channel, platform) {
            let link = self.bundles.add_pair(capacity).unwrap_or_else(|error| unreachable!("{error}"));
            *self.links.slot(number) = link;
            *self.links.slot(self.numbering.number(back, platform)) = link + 1;
            self.carried.extend([(channel, 0.0), (back, 0.0)]);
            self.varying_at.extend([NONE; 2]);
            return link;
        }
        // The bandwidths of a checked platform are above zero.
        let link = self.bundles.add_link(capacity, kind).unwrap_or_else(|error| unreachable!("{error}"));
        *self.links.slot(number) = link;
        self.carried.push((channel, 0.0));
        let own = self.faults.get(&number).map_or(&[][..], Vec::as_slice);
        let faults: Vec<Fault> = own.iter().chain(platform.channel_faults(channel)).cloned().collect();
        if nature.factor.is_none() && faults.is_empty() {
            self.varying_at.push(NONE);
            return link;
        }
        let stream = || self.streams.stream("link fault", u64::from(number));
        let outages = (!faults.is_empty()).then(|| Outages::new(&faults, stream()));
        self.varying_at.push(self.varying.len() as u32);
        self.varying.push(Varying { link, channel, outages, is_awaited: false });
        link
    }

    /// The channel over which all messages on this one are answered, if both are shared alike and never change.
    fn pair_of(&self, channel: Channel, platform: &Platform) -> Option<Channel> {
        if platform.transport().reverse_share == 0.0 {
            return None;
        }
        let back = platform.answered_over(channel)?;
        let is_steady = |channel: Channel| {
            let own = self.faults.contains_key(&self.numbering.number(channel, platform));
            let nature = platform.nature(channel);
            nature.is_shared && nature.factor.is_none() && !own && platform.channel_faults(channel).is_empty()
        };
        let is_alike = platform.nature(channel).bandwidth == platform.nature(back).bandwidth;
        (is_alike && is_steady(channel) && is_steady(back)).then_some(back)
    }

    /// Sets the current bandwidth of a varying link, and schedules its next change.
    fn vary(&mut self, at: u32, now: Time, platform: &Platform) {
        let Varying { link, channel, outages, is_awaited } = &mut self.varying[at as usize];
        let nature = platform.nature(*channel);
        let (factor, next) =
            nature.factor.map_or((1.0, None), |profile| (profile.value(now), profile.next_change(now)));
        let is_down = outages.as_mut().is_some_and(|outages| outages.is_down(now));
        let turn = outages.as_mut().and_then(|outages| outages.next_change(now));
        let factor = if is_down { 0.0 } else { factor };
        let capacity = nature.bandwidth / platform.tick().per_second() * factor;
        // The factor is not negative, and the link exists.
        self.bundles.set_capacity(*link, capacity).unwrap_or_else(|error| unreachable!("{error}"));
        let next = next.into_iter().chain(turn).min();
        *is_awaited = next.is_some();
        if let Some(next) = next {
            self.changes.push(Reverse((next, at)));
        }
        self.is_stale = true;
    }

    /// Applies the bandwidth changes that are due at `now`.
    pub(super) fn change(&mut self, now: Time, platform: &Platform) {
        while let Some(&Reverse((_, at))) = self.changes.peek().filter(|Reverse((due, _))| *due <= now) {
            self.changes.pop();
            self.varying[at as usize].is_awaited = false;
            if self.bundles.solver().flows_on(self.varying[at as usize].link) > 0 {
                self.vary(at, now, platform);
            }
        }
    }

    /// The next instant at which the bandwidth of a link with waiting flows may change.
    pub(super) fn next_change(&self) -> Option<Time> {
        let Reverse((next, _)) = self.changes.peek()?;
        (self.bundles.solver().active() > 0).then_some(*next)
    }

    /// Takes what has flowed by `now`, in the order in which it started to flow.
    pub(super) fn take_ended(&mut self, now: Time, arrived: &mut Vec<Flow<M>>) {
        let mut ended = std::mem::take(&mut self.ended);
        self.bundles.take_ended(now, &mut ended);
        for &number in &ended {
            self.free.push(number);
            let Some(mut flow) = self.in_flight[number as usize].take() else { continue };
            if let Flow::Message(in_flight) = &mut flow {
                (in_flight.seen.free, in_flight.seen.arrival) = (now, now);
            }
            arrived.push(flow);
        }
        self.is_stale |= !ended.is_empty();
        self.ended = ended;
    }

    /// Whether flows have started or ended, or links have changed, since rates were solved.
    #[inline]
    pub(super) const fn is_stale(&self) -> bool {
        self.is_stale
    }

    /// Solves all rates. Returns the end of the next flow, if any.
    pub(super) fn solve(&mut self, now: Time) -> Option<Time> {
        self.is_stale = false;
        self.bundles.solve(now);
        self.bundles.solver().next_end().filter(|end| *end < Time::NEVER)
    }

    /// A message whose bytes wait for a link, if there is one.
    pub(super) fn any(&self) -> Option<&SendSeen> {
        if self.bundles.solver().active() == 0 {
            return None;
        }
        self.in_flight.iter().flatten().find_map(|flow| match flow {
            Flow::Message(in_flight) => Some(&in_flight.seen),
            Flow::Work(..) => None,
        })
    }

    /// Whether any bytes flow.
    pub(super) fn any_flows(&self) -> bool {
        self.rates().any(|rate| rate > 0.0)
    }

    /// Every channel that messages have used, with the bytes offered to it.
    pub(super) fn carried(&self) -> &[(Channel, f64)] {
        &self.carried
    }

    /// The current rate on each of those channels, in bytes per tick.
    pub(super) fn rates(&self) -> impl Iterator<Item = f64> {
        (0..self.carried.len() as u32).map(|link| self.bundles.solver().usage(link))
    }
}
