//! Posted receives: which message a receive takes, and what waits for one.
//!
//! The order is that of MPI: a message takes the first posted receive that accepts its sender and tag, and a receive
//! takes the first waiting message that it accepts. An eager message for which no receive is posted waits at its
//! receiver; a rendezvous waits with its request, and its bytes leave only when a receive is posted. Of a message that
//! streams into its receiver only the sender waits, to be released by the receive.

use std::collections::VecDeque;

use super::header::Header;
use super::program::{NodeId, Receive, Scope, SendId};

/// What tells a message from others for the receives at its node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Envelope {
    pub(super) from: NodeId,
    /// The program that it belongs to: only receives of the same program take it.
    pub(super) scope: Scope,
    pub(super) tag: u64,
}

/// A message whose rendezvous is not granted yet.
#[derive(Debug)]
pub(super) struct Held<M> {
    pub(super) header: Header,
    pub(super) message: M,
}

/// What waits at a node for a receive.
#[derive(Debug)]
enum Waiting<M> {
    Message { envelope: Envelope, message: M, releases: bool },
    Request { envelope: Envelope, number: u32 },
}

/// What a posted receive finds.
#[derive(Debug)]
pub(super) enum Found<M> {
    /// A message that has come, the length of the receive, and whether the message's sender waits to be
    /// [released](Matching::release_sender).
    Message { envelope: Envelope, bytes: u64, message: M, releases: bool },
    /// The request of the held message of this number.
    Request(u32),
}

/// A posted receive.
#[derive(Debug, Clone, Copy)]
struct Posted {
    /// How many were posted before it.
    number: u64,
    scope: Scope,
    receive: Receive,
}

#[derive(Debug)]
struct AtNode<M> {
    /// In the order in which they were posted.
    posted: VecDeque<Posted>,
    waiting: VecDeque<Waiting<M>>,
    /// The messages whose rendezvous is granted, and the receives that they take.
    granted: Vec<(Envelope, Posted)>,
    /// The messages whose sender this node is, and waits to be released.
    unreleased: Vec<Unreleased>,
}

/// A message that streams into its receiver, and whose sender waits for its receive.
#[derive(Debug, Clone, Copy)]
struct Unreleased {
    header: Header,
    envelope: Envelope,
}

/// The receives and the waiting messages of all nodes.
#[derive(Debug)]
pub(super) struct Matching<M> {
    nodes: Vec<AtNode<M>>,
    held: Vec<Option<Held<M>>>,
    free: Vec<u32>,
    /// How many receives have been posted.
    posts: u64,
}

impl Posted {
    fn accepts(&self, Envelope { from, scope, tag }: Envelope) -> bool {
        let Receive { from: sender, tag: own, .. } = self.receive;
        scope == self.scope && sender.is_none_or(|node| node == from) && own.is_none_or(|own| own == tag)
    }
}

impl<M> Matching<M> {
    pub(super) fn new(nodes: usize) -> Self {
        let empty = || AtNode {
            posted: VecDeque::new(),
            waiting: VecDeque::new(),
            granted: Vec::new(),
            unreleased: Vec::new(),
        };
        Self {
            nodes: std::iter::repeat_with(empty).take(nodes).collect(),
            held: Vec::new(),
            free: Vec::new(),
            posts: 0,
        }
    }

    /// Holds a message until its rendezvous is granted. Returns its number.
    pub(super) fn hold(&mut self, held: Held<M>) -> u32 {
        let number = self.free.pop().unwrap_or_else(|| {
            self.held.push(None);
            self.held.len() as u32 - 1
        });
        self.held[number as usize] = Some(held);
        number
    }

    /// A held message.
    pub(super) fn held(&self, number: u32) -> Option<&Held<M>> {
        self.held[number as usize].as_ref()
    }

    /// Takes a held message.
    pub(super) fn release(&mut self, number: u32) -> Option<Held<M>> {
        self.free.push(number);
        self.held[number as usize].take()
    }

    /// The request of a held message has come. Returns true if a receive is posted for it.
    pub(super) fn request(&mut self, number: u32, envelope: impl FnOnce(&Held<M>) -> Envelope) -> bool {
        let Some(held) = &self.held[number as usize] else { return false };
        let envelope = envelope(held);
        let node = &mut self.nodes[held.header.to.index()];
        if let Some(posted) = node.take_posted(envelope) {
            node.granted.push((envelope, posted));
            return true;
        }
        node.waiting.push_back(Waiting::Request { envelope, number });
        false
    }

    /// An eager message has come. Returns it if a receive is posted for it; otherwise it waits.
    pub(super) fn arrive(&mut self, at: NodeId, envelope: Envelope, message: M) -> Option<M> {
        let node = &mut self.nodes[at.index()];
        if node.take_posted(envelope).is_some() {
            return Some(message);
        }
        node.waiting.push_back(Waiting::Message { envelope, message, releases: false });
        None
    }

    /// The head of a message is received. Returns true if a receive is posted for it; otherwise the message is to
    /// [wait](Self::wait) when all of it is there.
    pub(super) fn meet(&mut self, at: NodeId, envelope: Envelope) -> bool {
        self.nodes[at.index()].take_posted(envelope).is_some()
    }

    /// Lets a message wait whose head found no receive.
    pub(super) fn wait(&mut self, at: NodeId, envelope: Envelope, message: M, releases: bool) {
        self.nodes[at.index()].waiting.push_back(Waiting::Message { envelope, message, releases });
    }

    /// Lets the sender of a message wait until it is released.
    pub(super) fn keep_sender(&mut self, header: Header, envelope: Envelope) {
        self.nodes[header.from.index()].unreleased.push(Unreleased { header, envelope });
    }

    /// Releases the sender of a message that has found its receive, if the sender still waits.
    pub(super) fn release_sender(&mut self, to: NodeId, envelope: Envelope) -> Option<SendId> {
        let waiting = &mut self.nodes[envelope.from.index()].unreleased;
        let place = waiting.iter().position(|one| one.header.to == to && one.envelope == envelope)?;
        Some(waiting.remove(place).header.send)
    }

    /// A message has come whose rendezvous was granted. Returns false if its receiver has been down since.
    pub(super) fn fetched(&mut self, at: NodeId, envelope: Envelope) -> bool {
        self.nodes[at.index()].take_granted(envelope).is_some()
    }

    /// A message will not come whose rendezvous was granted: its receive is posted as before. Returns what it finds.
    pub(super) fn withdraw(&mut self, at: NodeId, envelope: Envelope) -> Option<Found<M>> {
        let posted = self.nodes[at.index()].take_granted(envelope)?;
        self.nodes[at.index()].serve(posted)
    }

    /// Posts a receive. Returns what has waited for it, if anything has.
    pub(super) fn post(&mut self, at: NodeId, scope: Scope, receive: Receive) -> Option<Found<M>> {
        let number = self.posts;
        self.posts += 1;
        self.nodes[at.index()].serve(Posted { number, scope, receive })
    }

    /// Forgets everything at a node that goes down. Returns the number of lost messages.
    pub(super) fn clear(&mut self, at: NodeId) -> u64 {
        for node in &mut self.nodes {
            node.unreleased.retain(|one| one.header.to != at);
        }
        let node = &mut self.nodes[at.index()];
        node.posted.clear();
        node.granted.clear();
        node.unreleased.clear();
        let mut lost = 0;
        let waiting = std::mem::take(&mut node.waiting);
        for one in waiting {
            lost += 1;
            if let Waiting::Request { number, .. } = one {
                self.release(number);
            }
        }
        lost
    }

    /// The held messages: at the end of a run nobody has posted a receive for them.
    pub(super) fn all_held(&self) -> impl Iterator<Item = &Held<M>> {
        self.held.iter().flatten()
    }

    /// A message that waits for a receive while its sender waits for it.
    pub(super) fn any_unreleased(&self) -> Option<Header> {
        let asks = |waiting: &Waiting<M>| match *waiting {
            Waiting::Message { envelope, releases: true, .. } => {
                let mut senders = self.nodes[envelope.from.index()].unreleased.iter();
                senders.find(|one| one.envelope == envelope).map(|one| one.header)
            }
            _ => None,
        };
        self.nodes.iter().flat_map(|node| &node.waiting).find_map(asks)
    }

    /// The number of messages that have come and wait for a receive.
    pub(super) fn unexpected(&self) -> u64 {
        let waiting = self.nodes.iter().flat_map(|node| &node.waiting);
        waiting.filter(|one| matches!(one, Waiting::Message { .. })).count() as u64
    }
}

impl<M> AtNode<M> {
    /// Takes the first posted receive that accepts a message.
    fn take_posted(&mut self, envelope: Envelope) -> Option<Posted> {
        let place = self.posted.iter().position(|posted| posted.accepts(envelope))?;
        self.posted.remove(place)
    }

    /// Takes the receive of a granted message.
    fn take_granted(&mut self, envelope: Envelope) -> Option<Posted> {
        let place = self.granted.iter().position(|(granted, _)| *granted == envelope)?;
        Some(self.granted.swap_remove(place).1)
    }

    /// Gives a receive what has waited for it, or lets it wait at its place among the others.
    fn serve(&mut self, posted: Posted) -> Option<Found<M>> {
        let accepts = |waiting: &Waiting<M>| match *waiting {
            Waiting::Message { envelope, .. } | Waiting::Request { envelope, .. } => posted.accepts(envelope),
        };
        match self.waiting.iter().position(accepts).and_then(|place| self.waiting.remove(place)) {
            None => {
                let place = self.posted.partition_point(|other| other.number < posted.number);
                self.posted.insert(place, posted);
                None
            }
            Some(Waiting::Message { envelope, message, releases }) => {
                Some(Found::Message { envelope, bytes: posted.receive.bytes, message, releases })
            }
            Some(Waiting::Request { envelope, number }) => {
                self.granted.push((envelope, posted));
                Some(Found::Request(number))
            }
        }
    }
}
