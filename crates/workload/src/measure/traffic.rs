//! Messages of other programs, while a program runs.

use rand::RngExt;
use rand_distr::{Distribution, Exp};

use hetsim_base::engine::{Stream, Streams};
use hetsim_cluster::{Context, NodeId, TimerId};

/// Messages that other programs send meanwhile.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Traffic {
    /// Who sends to whom.
    pub pairs: Vec<(NodeId, NodeId)>,
    /// The length of each message.
    pub bytes: u64,
    /// The mean of the exponential times between two messages of a pair, in seconds.
    pub interval_s: f64,
}

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

/// Pairs that exchange other messages: `count`, drawn evenly, not necessarily different ones.
#[must_use]
pub fn traffic_pairs(nodes: u32, count: u32, streams: &Streams) -> Vec<(NodeId, NodeId)> {
    let pair = |index: u32| {
        let mut stream = streams.stream("background pairs", u64::from(index));
        let from = stream.random_range(0..nodes);
        let to = (from + stream.random_range(1..nodes)) % nodes;
        (NodeId(from), NodeId(to))
    };
    if nodes < 2 { Vec::new() } else { (0..count).map(pair).collect() }
}
