//! A storage that all share equally who bring something from it or to it.
//!
//! What each of them has got since the storage first had work is the same for all at any time, so each is done once that
//! has grown by what it wants: they leave in the order of those marks.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::Stage;
use hetsim_base::units::{Time, round_up};
use hetsim_cluster::{Context, NodeId, TimerId};

/// The storage.
#[derive(Debug)]
pub(super) struct Storage {
    /// In bytes a tick.
    bandwidth: f64,
    /// What one who was there all the time would have got, in bytes, and until when that is counted.
    got: f64,
    until: Time,
    users: BinaryHeap<User>,
    arrivals: u32,
    timer: Option<TimerId>,
    /// When the first of the users is done.
    due: Time,
}

/// Who brings something.
#[derive(Debug, Clone, Copy)]
struct User {
    /// What `got` is when it is done.
    mark: f64,
    /// Of those that are done at once, the first that came leaves first.
    arrival: u32,
    stage: Stage,
    at: NodeId,
}

impl Storage {
    /// A storage of a bandwidth in bytes a tick.
    pub(super) fn new(bandwidth: f64) -> Self {
        Self {
            bandwidth,
            got: 0.0,
            until: Time::ZERO,
            users: BinaryHeap::new(),
            arrivals: 0,
            timer: None,
            due: Time::NEVER,
        }
    }

    /// One more begins to bring so many bytes.
    pub(super) fn join<M>(&mut self, stage: Stage, at: NodeId, bytes: f64, context: &mut impl Context<M>) {
        self.advance(context.now());
        if self.users.is_empty() {
            self.got = 0.0;
        }
        self.users.push(User { mark: self.got + bytes, arrival: self.arrivals, stage, at });
        self.arrivals += 1;
        self.set_timer(context);
    }

    /// One that is done by now, and its node.
    pub(super) fn leave<M>(&mut self, context: &mut impl Context<M>) -> Option<(Stage, NodeId)> {
        if self.due > context.now() {
            return None;
        }
        self.advance(context.now());
        let user = self.users.pop()?;
        self.set_timer(context);
        Some((user.stage, user.at))
    }

    /// Counts what the users got until now.
    fn advance(&mut self, now: Time) {
        let ticks = now.since(self.until).as_f64();
        self.until = now;
        if !self.users.is_empty() {
            self.got += ticks * self.bandwidth / self.users.len() as f64;
        }
    }

    /// Has the program called when the first is done.
    fn set_timer<M>(&mut self, context: &mut impl Context<M>) {
        if let Some(timer) = self.timer.take() {
            context.cancel_timer(timer);
        }
        self.due = Time::NEVER;
        if let Some(first) = self.users.peek() {
            let left = (first.mark - self.got).max(0.0) * self.users.len() as f64 / self.bandwidth;
            let delay = round_up(left);
            self.due = context.now() + delay;
            // The node's core is kept for it, so the timer finds it free.
            self.timer = Some(context.set_timer(first.at, delay));
        }
    }
}

impl Ord for User {
    /// The one that leaves first is the greatest.
    fn cmp(&self, other: &Self) -> Ordering {
        other.mark.total_cmp(&self.mark).then(other.arrival.cmp(&self.arrival))
    }
}

impl PartialOrd for User {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for User {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for User {}
