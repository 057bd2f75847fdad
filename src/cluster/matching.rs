//! Posted receives: which message a receive takes, and what waits for one.
//!
//! The order is that of MPI: a message takes the first posted receive that accepts its sender and tag, and a receive
//! takes the first waiting message that it accepts. An eager message for which no receive is posted waits at its
//! receiver; a rendezvous waits with its request, and its bytes leave only when a receive is posted.

use std::collections::VecDeque;

use super::program::{NodeId, Receive, SendId};

/// A message whose rendezvous is not granted yet.
#[derive(Debug)]
pub(super) struct Held<M> {
    pub(super) from: NodeId,
    pub(super) to: NodeId,
    pub(super) send: SendId,
    pub(super) bytes: u64,
    pub(super) message: M,
}

/// What waits at a node for a receive.
#[derive(Debug)]
enum Waiting<M> {
    Message { from: NodeId, tag: u64, message: M },
    Request { from: NodeId, tag: u64, number: u32 },
}

/// What a posted receive finds.
#[derive(Debug)]
pub(super) enum Found<M> {
    /// An eager message from this node.
    Message(NodeId, M),
    /// The request of the held message of this number.
    Request(u32),
}

#[derive(Debug)]
struct AtNode<M> {
    posted: VecDeque<Receive>,
    waiting: VecDeque<Waiting<M>>,
    /// The senders and tags of messages whose rendezvous is granted.
    granted: Vec<(NodeId, u64)>,
}

/// The receives and the waiting messages of all nodes.
#[derive(Debug)]
pub(super) struct Matching<M> {
    nodes: Vec<AtNode<M>>,
    held: Vec<Option<Held<M>>>,
    free: Vec<u32>,
}

impl Receive {
    fn accepts(&self, from: NodeId, tag: u64) -> bool {
        self.from.is_none_or(|node| node == from) && self.tag.is_none_or(|own| own == tag)
    }
}

impl<M> Matching<M> {
    pub(super) fn new(nodes: usize) -> Self {
        let empty = || AtNode { posted: VecDeque::new(), waiting: VecDeque::new(), granted: Vec::new() };
        Self { nodes: std::iter::repeat_with(empty).take(nodes).collect(), held: Vec::new(), free: Vec::new() }
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

    /// The request of a held message has come, which has this tag. Returns true if a receive is posted for it.
    pub(super) fn request(&mut self, number: u32, tag: impl FnOnce(&M) -> u64) -> bool {
        let Some(held) = &self.held[number as usize] else { return false };
        let (from, tag) = (held.from, tag(&held.message));
        let node = &mut self.nodes[held.to.index()];
        if node.take_posted(from, tag) {
            node.granted.push((from, tag));
            return true;
        }
        node.waiting.push_back(Waiting::Request { from, tag, number });
        false
    }

    /// A message has come. Returns it if a receive is posted for it; otherwise it waits.
    pub(super) fn arrive(&mut self, at: NodeId, from: NodeId, tag: u64, message: M) -> Option<M> {
        let node = &mut self.nodes[at.index()];
        if let Some(place) = node.granted.iter().position(|granted| *granted == (from, tag)) {
            node.granted.swap_remove(place);
            return Some(message);
        }
        if node.take_posted(from, tag) {
            return Some(message);
        }
        node.waiting.push_back(Waiting::Message { from, tag, message });
        None
    }

    /// Posts a receive. Returns what has waited for it, if anything has.
    pub(super) fn post(&mut self, at: NodeId, receive: Receive) -> Option<Found<M>> {
        let node = &mut self.nodes[at.index()];
        let accepts = |waiting: &Waiting<M>| match *waiting {
            Waiting::Message { from, tag, .. } | Waiting::Request { from, tag, .. } => receive.accepts(from, tag),
        };
        match node.waiting.iter().position(accepts).and_then(|place| node.waiting.remove(place)) {
            None => {
                node.posted.push_back(receive);
                None
            }
            Some(Waiting::Message { from, message, .. }) => Some(Found::Message(from, message)),
            Some(Waiting::Request { from, tag, number }) => {
                node.granted.push((from, tag));
                Some(Found::Request(number))
            }
        }
    }

    /// Forgets everything at a node that goes down. Returns the number of lost messages.
    pub(super) fn clear(&mut self, at: NodeId) -> u64 {
        let node = &mut self.nodes[at.index()];
        node.posted.clear();
        node.granted.clear();
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

    /// A held message, if any: nobody has posted a receive for it.
    pub(super) fn any_held(&self) -> Option<&Held<M>> {
        self.held.iter().flatten().next()
    }
}

impl<M> AtNode<M> {
    /// Takes the first posted receive that accepts a message.
    fn take_posted(&mut self, from: NodeId, tag: u64) -> bool {
        let place = self.posted.iter().position(|receive| receive.accepts(from, tag));
        place.and_then(|place| self.posted.remove(place)).is_some()
    }
}
