//! Posted receives: which message a receive takes, and what waits for one.
//!
//! The order is that of MPI: a message takes the first posted receive that accepts its sender and tag, and a receive
//! takes the first waiting message that it accepts. An eager message for which no receive is posted waits at its
//! receiver; a rendezvous waits with its request, and its bytes leave only when a receive is posted. Of a message that
//! streams into its receiver only the sender waits, to be released by the receive.

mod line;

use line::WaitLine;

use super::header::Header;
use super::program::{NodeId, Receive, Scope, SendId};

/// What tells a message from others for the receives at its node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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
    Message { message: M, releases: bool },
    Request(u32),
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

/// What a receive accepts, in two words, since many receives may be posted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Wanted {
    /// The sender or any, whether the tag is any, and the program.
    from: u64,
    tag: u64,
}

impl Wanted {
    const ANY_SENDER: u64 = 1 << 32;
    const ANY_TAG: u64 = 1 << 33;
    const SCOPE_SHIFT: u32 = 34;

    fn new(scope: Scope, from: Option<NodeId>, tag: Option<u64>) -> Self {
        let any_tag = if tag.is_none() { Self::ANY_TAG } else { 0 };
        let sender = from.map_or(Self::ANY_SENDER, |node| u64::from(node.0));
        Self { from: sender | any_tag | u64::from(scope.0) << Self::SCOPE_SHIFT, tag: tag.unwrap_or(0) }
    }

    /// The program, the sender and the tag.
    fn parts(self) -> (Scope, Option<NodeId>, Option<u64>) {
        let sender = (self.from & Self::ANY_SENDER == 0).then_some(NodeId(self.from as u32));
        let tag = (self.from & Self::ANY_TAG == 0).then_some(self.tag);
        (Scope((self.from >> Self::SCOPE_SHIFT) as u8), sender, tag)
    }
}

#[derive(Debug)]
struct AtNode<M> {
    /// The lengths of receives, in the order in which they were posted.
    posted: WaitLine<Wanted, u64>,
    /// Whether it has ever posted one for any sender or tag.
    posts_for_any: bool,
    /// In the order in which they came.
    waiting: WaitLine<Envelope, Waiting<M>>,
    /// The messages whose rendezvous is granted, and the receives that they take.
    granted: Vec<(Envelope, Posted)>,
    /// Messages that stream into their receivers, which are named, while this node, their sender, waits to be released.
    unreleased: WaitLine<(NodeId, Envelope), Header>,
}

/// The receives and the waiting messages of all nodes.
#[derive(Debug)]
pub(super) struct Matching<M> {
    nodes: Vec<AtNode<M>>,
    held: Vec<Option<Held<M>>>,
    free: Vec<u32>,
    /// How many receives have been posted.
    posts: u64,
    /// How many messages and senders have waited.
    waits: u64,
}

impl Posted {
    fn wanted(&self) -> Wanted {
        Wanted::new(self.scope, self.receive.from, self.receive.tag)
    }
}

impl Envelope {
    /// All that accept it: first that of its own sender and tag, then those of any.
    fn wanted(self) -> [Wanted; 4] {
        let Self { from, scope, tag } = self;
        let either = [(Some(from), Some(tag)), (Some(from), None), (None, Some(tag)), (None, None)];
        either.map(|(from, tag)| Wanted::new(scope, from, tag))
    }

    /// Whether a receive of a program takes it.
    pub(super) fn is_for(self, scope: Scope, receive: Receive) -> bool {
        self.is_accepted_by(Wanted::new(scope, receive.from, receive.tag))
    }

    fn is_accepted_by(self, wanted: Wanted) -> bool {
        let (scope, from, tag) = wanted.parts();
        scope == self.scope && from.is_none_or(|node| node == self.from) && tag.is_none_or(|own| own == self.tag)
    }
}

impl<M> Matching<M> {
    pub(super) fn new(nodes: usize) -> Self {
        let empty = || AtNode {
            posted: WaitLine::new(),
            posts_for_any: false,
            waiting: WaitLine::new(),
            granted: Vec::new(),
            unreleased: WaitLine::new(),
        };
        Self {
            nodes: std::iter::repeat_with(empty).take(nodes).collect(),
            held: Vec::new(),
            free: Vec::new(),
            posts: 0,
            waits: 0,
        }
    }

    /// Lets something wait for a receive.
    fn queue(&mut self, at: NodeId, envelope: Envelope, waiting: Waiting<M>) {
        self.waits += 1;
        self.nodes[at.index()].waiting.insert(self.waits, envelope, waiting);
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
        let to = held.header.to;
        let node = &mut self.nodes[to.index()];
        if let Some(posted) = node.take_posted(envelope) {
            node.granted.push((envelope, posted));
            return true;
        }
        self.queue(to, envelope, Waiting::Request(number));
        false
    }

    /// An eager message has come. Returns it if a receive is posted for it; otherwise it waits.
    pub(super) fn arrive(&mut self, at: NodeId, envelope: Envelope, message: M) -> Option<M> {
        if self.nodes[at.index()].take_posted(envelope).is_some() {
            return Some(message);
        }
        self.queue(at, envelope, Waiting::Message { message, releases: false });
        None
    }

    /// The head of a message is received. Returns true if a receive is posted for it; otherwise the message is to
    /// [wait](Self::wait) when all of it is there.
    pub(super) fn meet(&mut self, at: NodeId, envelope: Envelope) -> bool {
        self.nodes[at.index()].take_posted(envelope).is_some()
    }

    /// Lets a message wait whose head found no receive.
    pub(super) fn wait(&mut self, at: NodeId, envelope: Envelope, message: M, releases: bool) {
        self.queue(at, envelope, Waiting::Message { message, releases });
    }

    /// Lets the sender of a message wait until it is released.
    pub(super) fn keep_sender(&mut self, header: Header, envelope: Envelope) {
        self.waits += 1;
        self.nodes[header.from.index()].unreleased.insert(self.waits, (header.to, envelope), header);
    }

    /// Releases the sender of a message that has found its receive, if the sender still waits.
    pub(super) fn release_sender(&mut self, to: NodeId, envelope: Envelope) -> Option<SendId> {
        let key = (to, envelope);
        let (_, _, header) = self.nodes[envelope.from.index()].unreleased.take(Some(&[key]), |other| *other == key)?;
        Some(header.send)
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

    /// Whether a message waits at a node that a receive would take.
    pub(super) fn finds(&self, at: NodeId, scope: Scope, receive: Receive) -> bool {
        self.nodes[at.index()].waiting.iter().any(|(envelope, _)| envelope.is_for(scope, receive))
    }

    /// Forgets everything at a node that goes down. Returns the number of lost messages.
    pub(super) fn clear(&mut self, at: NodeId) -> u64 {
        for node in &mut self.nodes {
            node.unreleased.retain(|&(to, _), _| to != at);
        }
        let node = &mut self.nodes[at.index()];
        node.posted = WaitLine::new();
        node.granted.clear();
        node.unreleased = WaitLine::new();
        let waiting = std::mem::replace(&mut node.waiting, WaitLine::new());
        for (_, one) in waiting.iter() {
            if let Waiting::Request(number) = *one {
                self.release(number);
            }
        }
        waiting.iter().count() as u64
    }

    /// The held messages: at the end of a run nobody has posted a receive for them.
    pub(super) fn all_held(&self) -> impl Iterator<Item = &Held<M>> {
        self.held.iter().flatten()
    }

    /// A message that waits for a receive while its sender waits for it.
    pub(super) fn any_unreleased(&self) -> Option<Header> {
        let asks = |(envelope, waiting): (&Envelope, &Waiting<M>)| match *waiting {
            Waiting::Message { releases: true, .. } => {
                let mut senders = self.nodes[envelope.from.index()].unreleased.iter();
                senders.find(|((_, other), _)| other == envelope).map(|(_, header)| *header)
            }
            _ => None,
        };
        self.nodes.iter().flat_map(|node| node.waiting.iter()).find_map(asks)
    }

    /// The number of messages that have come and wait for a receive.
    pub(super) fn unexpected(&self) -> u64 {
        let waiting = self.nodes.iter().flat_map(|node| node.waiting.iter());
        waiting.filter(|(_, one)| matches!(one, Waiting::Message { .. })).count() as u64
    }
}

impl<M> AtNode<M> {
    /// Takes the first posted receive that accepts a message.
    fn take_posted(&mut self, envelope: Envelope) -> Option<Posted> {
        let wanted = envelope.wanted();
        let wanted = if self.posts_for_any { &wanted[..] } else { &wanted[..1] };
        let (number, wanted, bytes) = self.posted.take(Some(wanted), |&wanted| envelope.is_accepted_by(wanted))?;
        let (scope, from, tag) = wanted.parts();
        Some(Posted { number, scope, receive: Receive { from, tag, bytes } })
    }

    /// Takes the receive of a granted message.
    fn take_granted(&mut self, envelope: Envelope) -> Option<Posted> {
        let place = self.granted.iter().position(|(granted, _)| *granted == envelope)?;
        Some(self.granted.swap_remove(place).1)
    }

    /// Gives a receive what has waited for it, or lets it wait at its place among the others.
    fn serve(&mut self, posted: Posted) -> Option<Found<M>> {
        let Posted { scope, receive: Receive { from, tag, .. }, .. } = posted;
        let (wanted, exact) = (posted.wanted(), from.zip(tag).map(|(from, tag)| [Envelope { from, scope, tag }]));
        self.posts_for_any |= exact.is_none();
        match self.waiting.take(exact.as_ref().map(<[_; 1]>::as_slice), |envelope| envelope.is_accepted_by(wanted)) {
            None => {
                self.posted.insert(posted.number, wanted, posted.receive.bytes);
                None
            }
            Some((_, envelope, Waiting::Message { message, releases })) => {
                Some(Found::Message { envelope, bytes: posted.receive.bytes, message, releases })
            }
            Some((_, envelope, Waiting::Request(number))) => {
                self.granted.push((envelope, posted));
                Some(Found::Request(number))
            }
        }
    }
}
