//! Messages of other programs, while a program runs.

use rand_distr::{Distribution, Exp};

use super::plan::Traffic;
use crate::cluster::{Context, NodeId, TimerId};
use crate::engine::Stream;

/// Background messages as a part of a program: it starts them, hands them its timers, and stops them at its end.
#[derive(Debug, Default)]
pub struct Loads {
    traffic: Traffic,
    interval: Option<Exp<f64>>,
    /// By pair.
    waiting: Vec<(Option<TimerId>, Stream)>,
}

impl Loads {
    /// These messages; none before the start.
    #[must_use]
    pub fn new(traffic: Traffic) -> Self {
        let interval = Exp::new(1.0 / traffic.interval_s).ok();
        Self { traffic, interval, waiting: Vec::new() }
    }

    /// From now on they are sent.
    pub fn start<M>(&mut self, context: &mut impl Context<M>) {
        for pair in 0..self.traffic.pairs.len() {
            self.waiting.push((None, context.stream("background", pair as u64)));
            self.wait(pair, context);
        }
    }

    /// Whether the timer is one of theirs; then `message` is sent.
    pub fn on_timer<M>(&mut self, at: NodeId, timer: TimerId, message: M, context: &mut impl Context<M>) -> bool {
        let Some(pair) = self.waiting.iter().position(|(of, _)| *of == Some(timer)) else { return false };
        context.send(at, self.traffic.pairs[pair].1, self.traffic.bytes, message);
        self.wait(pair, context);
        true
    }

    /// No more of them.
    pub fn stop<M>(&mut self, context: &mut impl Context<M>) {
        for (timer, _) in self.waiting.drain(..) {
            if let Some(timer) = timer {
                context.cancel_timer(timer);
            }
        }
    }

    /// Starts the time before a pair's next message.
    fn wait<M>(&mut self, pair: usize, context: &mut impl Context<M>) {
        let Some(interval) = self.interval else { return };
        let delay = context.tick().time(interval.sample(&mut self.waiting[pair].1));
        let timer = context.set_timer(self.traffic.pairs[pair].0, delay);
        self.waiting[pair].0 = Some(timer);
    }
}
