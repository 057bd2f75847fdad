//! The messages on their way: a program that computes nothing.

use hetsim_base::units::Time;
use hetsim_cluster::{Context, NodeId, Program, TimerId};

/// A message of the pattern.
#[derive(Debug, Clone, Copy)]
pub struct TrafficMessage {
    /// The sender.
    pub from: u32,
    /// The receiver.
    pub to: u32,
    /// Its length.
    pub bytes: u64,
    /// When it is handed over; before that, how long after the start of its round it is to be.
    pub start: Time,
    /// When it has been received; [`Time::NEVER`] before that.
    pub arrival: Time,
}

/// The messages of all rounds, each of which starts when the last message of the one before has been received.
#[derive(Debug)]
pub struct Traffic {
    messages: Vec<TrafficMessage>,
    /// How many messages a round has.
    round: usize,
    /// The first message of the round after this one.
    next: usize,
    /// How many of this round have not been received.
    left: usize,
    /// By node, the message of this round that it hands over next, and by message the one after it; empty where all of
    /// a round start at once.
    waiting: Vec<u32>,
    following: Vec<u32>,
}

/// Stands for no message.
const NONE: u32 = u32::MAX;

impl Traffic {
    /// Messages in rounds of `round`, whose multiple they are; none makes no round. Those of a node start in their
    /// order.
    pub(super) fn new(messages: Vec<TrafficMessage>, round: usize) -> Self {
        Self { messages, round, next: 0, left: 0, waiting: Vec::new(), following: Vec::new() }
    }

    /// The messages, with what became of them.
    pub(super) fn into_messages(self) -> Vec<TrafficMessage> {
        self.messages
    }

    fn begin_round(&mut self, context: &mut impl Context<u32>) {
        let first = self.next;
        self.next += self.round;
        self.left = self.round;
        if self.messages[first..self.next].iter().all(|message| message.start == Time::ZERO) {
            (first..self.next).for_each(|number| self.send(number as u32, context));
            return;
        }
        self.waiting.resize(context.nodes() as usize, NONE);
        self.following.resize(self.round, NONE);
        for number in (first..self.next).rev() {
            let message = &mut self.messages[number];
            message.start += context.now();
            self.following[number - first] = self.waiting[message.from as usize];
            self.waiting[message.from as usize] = number as u32;
        }
        (0..context.nodes()).for_each(|node| self.wait(NodeId(node), context));
    }

    /// Sets a node's timer for its next message, if it has one.
    fn wait(&self, at: NodeId, context: &mut impl Context<u32>) {
        if let Some(message) = self.messages.get(self.waiting[at.index()] as usize) {
            context.set_timer(at, message.start - context.now());
        }
    }

    fn send(&mut self, number: u32, context: &mut impl Context<u32>) {
        let message = &mut self.messages[number as usize];
        message.start = context.now();
        context.send(NodeId(message.from), NodeId(message.to), message.bytes, number);
    }
}

impl Program for Traffic {
    type Message = u32;

    fn start(&mut self, context: &mut impl Context<u32>) {
        if !self.messages.is_empty() {
            self.begin_round(context);
        }
    }

    fn on_message(&mut self, _: NodeId, _: NodeId, number: u32, context: &mut impl Context<u32>) {
        self.messages[number as usize].arrival = context.now();
        self.left -= 1;
        if self.left == 0 && self.next < self.messages.len() {
            self.begin_round(context);
        }
    }

    fn on_timer(&mut self, at: NodeId, _: TimerId, context: &mut impl Context<u32>) {
        let number = self.waiting[at.index()];
        let first = self.next - self.round;
        self.waiting[at.index()] = self.following[number as usize - first];
        self.send(number, context);
        self.wait(at, context);
    }
}
