//! Watching a run: traces and pictures are made by an [`Observer`], never stored with results.

use std::collections::HashMap;
use std::fmt;

use hetsim_base::units::Time;

use super::critical::CriticalPath;
use super::platform::Channel;
use super::program::NodeId;

/// Told of everything that takes time in a run.
pub trait Observer: fmt::Debug {
    /// Whether it wants the names of messages (see [`Program::describe`](super::Program::describe)). Names are empty
    /// otherwise.
    fn wants_names(&self) -> bool {
        true
    }

    /// Whether it wants the rates on shared links.
    fn wants_links(&self) -> bool {
        false
    }

    /// A shared link has got a rate, possibly the same as before.
    fn on_link(&mut self, link: &LinkSeen) {
        let _ = link;
    }
    /// The times of a message are known; under a model that shares bandwidth, when it has arrived.
    fn on_send(&mut self, send: &SendSeen) {
        let _ = send;
    }
    /// A message's handler runs, right after its overhead.
    fn on_receive(&mut self, reception: &ReceiveSeen) {
        let _ = reception;
    }
    /// A computation has run at `at`, to its end or until the node went down.
    fn on_compute(&mut self, at: NodeId, start: Time, end: Time) {
        let _ = (at, start, end);
    }
    /// `at` was down until `end`, or still is at the end of the run.
    fn on_outage(&mut self, at: NodeId, start: Time, end: Time) {
        let _ = (at, start, end);
    }
    /// `at` has completed.
    fn on_complete(&mut self, at: NodeId, now: Time) {
        let _ = (at, now);
    }
}

/// A shared link at a change of rates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinkSeen {
    /// The link, and its direction if each has a bandwidth of its own.
    pub channel: Channel,
    /// The total rate from now on, in bytes per tick.
    pub rate: f64,
    /// The instant of the change.
    pub now: Time,
}

/// A message when it starts to leave its node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SendSeen {
    /// The sender.
    pub from: NodeId,
    /// The receiver.
    pub to: NodeId,
    /// The length in bytes.
    pub bytes: u64,
    /// When the sender's port starts to send it.
    pub start: Time,
    /// When the sender's port is free again.
    pub free: Time,
    /// When it is at the receiver, ready for its handler, unless the receiver is busy.
    pub arrival: Time,
    /// The program's name of the message.
    pub message: &'static str,
}

/// A message when its handler runs. Messages may overtake each other, so the n-th reception need not be that of the
/// n-th message sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReceiveSeen {
    /// The receiver.
    pub at: NodeId,
    /// The sender.
    pub from: NodeId,
    /// The program's name of the message.
    pub message: &'static str,
    /// The busy time of the receiver's processor, just before.
    pub overhead: Time,
    /// When its handler runs.
    pub now: Time,
}

/// Two observers of one run.
#[derive(Debug)]
pub struct Both<'a>(pub &'a mut dyn Observer, pub &'a mut dyn Observer);

impl Observer for Both<'_> {
    fn wants_names(&self) -> bool {
        self.0.wants_names() || self.1.wants_names()
    }

    fn wants_links(&self) -> bool {
        self.0.wants_links() || self.1.wants_links()
    }

    fn on_link(&mut self, link: &LinkSeen) {
        self.0.on_link(link);
        self.1.on_link(link);
    }

    fn on_send(&mut self, send: &SendSeen) {
        self.0.on_send(send);
        self.1.on_send(send);
    }

    fn on_receive(&mut self, reception: &ReceiveSeen) {
        self.0.on_receive(reception);
        self.1.on_receive(reception);
    }

    fn on_compute(&mut self, at: NodeId, start: Time, end: Time) {
        self.0.on_compute(at, start, end);
        self.1.on_compute(at, start, end);
    }

    fn on_outage(&mut self, at: NodeId, start: Time, end: Time) {
        self.0.on_outage(at, start, end);
        self.1.on_outage(at, start, end);
    }

    fn on_complete(&mut self, at: NodeId, now: Time) {
        self.0.on_complete(at, now);
        self.1.on_complete(at, now);
    }
}

/// When each node completed.
#[derive(Debug, Clone, Default)]
pub struct Completions {
    /// By node; [`Time::NEVER`] for a node that has not completed.
    pub at: Vec<Time>,
}

impl Completions {
    /// For `nodes` nodes, none of which has completed.
    #[must_use]
    pub fn new(nodes: usize) -> Self {
        Self { at: vec![Time::NEVER; nodes] }
    }
}

impl Observer for Completions {
    fn wants_names(&self) -> bool {
        false
    }

    fn on_complete(&mut self, at: NodeId, now: Time) {
        self.at[at.index()] = now;
    }
}

/// A span on a node's line of a Gantt chart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The node.
    pub at: NodeId,
    /// The activity of the node.
    pub activity: Activity,
    /// The start.
    pub start: Time,
    /// The end.
    pub end: Time,
}

/// An activity of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activity {
    /// Its port sends.
    Send,
    /// Its processor receives.
    Receive,
    /// It computes.
    Compute,
    /// It is down.
    Down,
}

/// The rates on one link during a run.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkCourse {
    /// The link, and its direction if each has a bandwidth of its own.
    pub channel: Channel,
    /// The rates in bytes per tick, each from an instant until the next one; zero before the first.
    pub rates: Vec<(Time, f64)>,
}

/// The whole course of a run: every span, every message, and the rates on shared links.
#[derive(Debug, Clone, Default)]
pub struct Timeline {
    /// The activities of the nodes, in the order in which they were reported.
    pub spans: Vec<Span>,
    /// The messages, in the order of sending.
    pub messages: Vec<SendSeen>,
    /// The messages in the order in which their handlers ran.
    pub receptions: Vec<ReceiveSeen>,
    /// The completions of nodes, in order of time.
    pub completions: Vec<(NodeId, Time)>,
    /// The shared links, in the order of their first use.
    pub links: Vec<LinkCourse>,
    /// What determined the completion, if that was followed and is known.
    pub path: Option<CriticalPath>,
    /// The index of each link in `links`.
    places: HashMap<Channel, usize>,
}

impl Timeline {
    /// The time of the last observed event.
    #[must_use]
    pub fn end(&self) -> Time {
        let spans = self.spans.iter().map(|span| span.end);
        let arrivals = self.messages.iter().map(|message| message.arrival);
        let completions = self.completions.iter().map(|&(_, at)| at);
        let rates = self.links.iter().filter_map(|link| link.rates.last()).map(|&(at, _)| at);
        spans.chain(arrivals).chain(completions).chain(rates).max().unwrap_or_default()
    }
}

impl Observer for Timeline {
    fn wants_links(&self) -> bool {
        true
    }

    fn on_link(&mut self, link: &LinkSeen) {
        let LinkSeen { channel, rate, now } = *link;
        let place = *self.places.entry(channel).or_insert(self.links.len());
        if place == self.links.len() {
            self.links.push(LinkCourse { channel, rates: Vec::new() });
        }
        let rates = &mut self.links[place].rates;
        // Of several rates at one instant the last one counts.
        rates.pop_if(|&mut (since, _)| since == now);
        if rates.last().map_or(0.0, |&(_, before)| before) != rate {
            rates.push((now, rate));
        }
    }

    fn on_send(&mut self, send: &SendSeen) {
        self.spans.push(Span { at: send.from, activity: Activity::Send, start: send.start, end: send.free });
        self.messages.push(*send);
    }

    fn on_receive(&mut self, reception: &ReceiveSeen) {
        let ReceiveSeen { at, overhead, now, .. } = *reception;
        self.spans.push(Span { at, activity: Activity::Receive, start: now - overhead, end: now });
        self.receptions.push(*reception);
    }

    fn on_compute(&mut self, at: NodeId, start: Time, end: Time) {
        self.spans.push(Span { at, activity: Activity::Compute, start, end });
    }

    fn on_outage(&mut self, at: NodeId, start: Time, end: Time) {
        self.spans.push(Span { at, activity: Activity::Down, start, end });
    }

    fn on_complete(&mut self, at: NodeId, now: Time) {
        self.completions.push((at, now));
    }
}
