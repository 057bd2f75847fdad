//! Messages without a program behind them: how a network carries a pattern.
//!
//! All messages of a round are handed over at once, or at drawn instants, whether or not those before have arrived; a
//! message's time is from there to its end at the receiver, and its slowdown is that over what it would take alone. A
//! message takes 32 bytes until the end of the run, four more where starts are drawn, and sixteen while the metrics are
//! made.

mod pattern;
mod program;

use rand_distr::{Distribution, Exp1};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{KeyError, Prepared, Run, RunFailure, Workload};
use hetsim_base::engine::Streams;
use hetsim_base::record::{Metric, TableShape, Value};
use hetsim_base::units::defaults::count;
use hetsim_base::units::{Bytes, Quantity, Seconds, Time};
use hetsim_cluster::{NodeId, Platform};
use hetsim_graph::generate::BytesDraw;
use hetsim_statistics as statistics;

pub use pattern::{Incast, Outcast, Pattern, Plain, Random, Ring};
pub use program::{Traffic, TrafficMessage};

/// `kind = "traffic"`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TrafficParameters {
    /// Who sends to whom.
    pub pattern: Pattern,
    /// The length of every message; either this or `sizes`.
    #[serde(default)]
    pub size: Option<Bytes>,
    /// What the length of each message is drawn from.
    #[serde(default)]
    pub sizes: Option<BytesDraw>,
    /// The mean of the time between the starts of two messages, in the order of the pattern, exponentially distributed.
    /// Zero by default: all start together.
    #[serde(default)]
    pub gap: Seconds,
    /// The number of times that the pattern is sent. A round starts, with new draws, when the last message of the
    /// previous one has arrived.
    #[serde(default = "count::<1>")]
    #[schemars(range(min = 1))]
    pub rounds: u32,
}

/// The most messages of a run: a slip in a parameter should be an error, not a full memory.
const MOST: u64 = 100_000_000;

hetsim_base::metrics! {
    /// The metrics of traffic.
    pub struct TrafficMetrics {
        completion_s: f64 = "when the last message had been received, simulated" [less],
        mean_time_s: Option<f64> = "the mean of the messages' times, each from its start to its end" [less],
        median_time_s: Option<f64> = "their median" [less],
        p99_time_s: Option<f64> = "the time that one message of a hundred exceeds" [less],
        moved_bytes: u64 = "the bytes of all messages together" [less],
        throughput_bytes_per_s: f64 = "these bytes over the completion time" [more],
        slowdown_mean: Option<f64> = "the mean of the messages' times, each over its time alone on the network" [less],
        slowdown_max: Option<f64> = "the greatest of these" [less],
    }
}

/// A row a message.
const MESSAGES: TableShape = TableShape {
    name: "messages",
    about: "what became of each message",
    columns: &[
        Metric::number("from", "the number of the sender"),
        Metric::number("to", "the number of the receiver"),
        Metric::number("bytes", "its length"),
        Metric::number("start_s", "when it was handed over"),
        Metric::number("arrival_s", "when it had been received"),
        Metric::number("slowdown", "how long that took, over its time alone on the network"),
    ],
};

/// Traffic, ready to run any number of times.
#[derive(Debug)]
pub struct PreparedTraffic {
    pattern: Pattern,
    sizes: Sizes,
    gap: f64,
    rounds: u32,
}

/// How long messages are.
#[derive(Debug)]
enum Sizes {
    All(u64),
    Drawn(BytesDraw),
}

impl Workload for TrafficParameters {
    const NAME: &'static str = "traffic";
    const ABOUT: &'static str = "Messages without a program behind them: how a network carries a pattern.";
    const TABLES: &'static [TableShape] = &[MESSAGES];
    type Prepared = PreparedTraffic;

    fn prepare(&self, platform: &Platform) -> Result<Self::Prepared, KeyError> {
        let fault = |key: &str, message: String| Err(KeyError { key: key.to_owned(), message });
        self.pattern.check(platform.nodes())?;
        let sizes = match (self.size, &self.sizes) {
            (Some(size), None) => Sizes::All(size.count()),
            (None, Some(sizes)) => match sizes.check() {
                Ok(()) => Sizes::Drawn(sizes.clone()),
                Err(message) => return fault("sizes", format!("`sizes` {message}")),
            },
            (given, _) => {
                let key = if given.is_some() { "sizes" } else { "size" };
                return fault(key, "give either `size`, for all messages, or `sizes`, to draw them from".to_owned());
            }
        };
        let most = self.pattern.most(platform.nodes()).saturating_mul(u64::from(self.rounds));
        if self.rounds == 0 || most > MOST {
            return fault(
                "rounds",
                format!("{} rounds of this pattern are {most} messages, not 1 to {MOST}", self.rounds),
            );
        }
        Ok(PreparedTraffic { pattern: self.pattern.clone(), sizes, gap: self.gap.base(), rounds: self.rounds })
    }
}

impl Prepared for PreparedTraffic {
    type Metrics = TrafficMetrics;

    fn run(&self, run: &mut Run<'_>) -> Result<TrafficMetrics, RunFailure> {
        let messages = self.draw(run.platform, &run.streams);
        let round = messages.len() / self.rounds as usize;
        let mut program = Traffic::new(messages, round);
        run.simulate(&mut program)?;
        let messages = program.into_messages();
        let arrived = messages.iter().filter(|message| message.arrival < Time::NEVER).count();
        if arrived < messages.len() {
            return Err(format!("only {arrived} of {} messages arrived", messages.len()).into());
        }
        let slowdowns: Vec<f64> = messages.iter().map(|message| slowdown(message, run.platform)).collect();
        run.table(&MESSAGES, || rows(&messages, &slowdowns, run.platform));
        Ok(measured(&messages, slowdowns, run.platform))
    }

    /// One for each message.
    fn expected_events(&self, platform: &Platform) -> Option<f64> {
        Some(self.pattern.most(platform.nodes()) as f64 * f64::from(self.rounds))
    }
}

impl PreparedTraffic {
    /// The messages of all rounds, each with its start within its round. What a message is drawn by is its number, so
    /// that more of them shift nothing.
    fn draw(&self, platform: &Platform, streams: &Streams) -> Vec<TrafficMessage> {
        let mut messages = Vec::new();
        for round in 0..self.rounds {
            let mut start = 0.0;
            self.pattern.each(platform.nodes(), round, streams, |from, to| {
                let number = messages.len() as u64;
                let bytes = match &self.sizes {
                    Sizes::All(size) => *size,
                    Sizes::Drawn(sizes) => sizes.draw(&mut streams.stream("size", number)),
                };
                if self.gap > 0.0 {
                    let gap: f64 = Exp1.sample(&mut streams.stream("gap", number));
                    start += self.gap * gap;
                }
                messages.push(TrafficMessage {
                    from,
                    to,
                    bytes,
                    start: platform.tick().time(start),
                    arrival: Time::NEVER,
                });
            });
        }
        messages
    }
}

/// A message's time over its time alone; not finite where that is no time at all.
fn slowdown(message: &TrafficMessage, platform: &Platform) -> f64 {
    let alone = platform.transfer(NodeId(message.from), NodeId(message.to), message.bytes).hop();
    (message.arrival - message.start).as_f64() / alone.as_f64()
}

fn measured(messages: &[TrafficMessage], slowdowns: Vec<f64>, platform: &Platform) -> TrafficMetrics {
    let seconds = |time: Time| platform.tick().seconds(time);
    let mut times: Vec<f64> = messages.iter().map(|message| seconds(message.arrival - message.start)).collect();
    times.sort_by(f64::total_cmp);
    let completion = seconds(messages.iter().map(|message| message.arrival).max().unwrap_or_default());
    let bytes = messages.iter().fold(0u64, |bytes, message| bytes.saturating_add(message.bytes));
    let known: Vec<f64> = slowdowns.into_iter().filter(|slowdown| slowdown.is_finite()).collect();
    TrafficMetrics {
        completion_s: completion,
        mean_time_s: statistics::mean(&times),
        median_time_s: statistics::quantile(&times, 0.5),
        p99_time_s: statistics::quantile(&times, 0.99),
        moved_bytes: bytes,
        throughput_bytes_per_s: bytes as f64 / completion,
        slowdown_mean: statistics::mean(&known),
        slowdown_max: known.into_iter().reduce(f64::max),
    }
}

fn rows(messages: &[TrafficMessage], slowdowns: &[f64], platform: &Platform) -> Vec<Vec<Value>> {
    let seconds = |time: Time| Value::from(platform.tick().seconds(time));
    let row = |(message, slowdown): (&TrafficMessage, &f64)| {
        vec![
            message.from.into(),
            message.to.into(),
            message.bytes.into(),
            seconds(message.start),
            seconds(message.arrival),
            Value::from(*slowdown),
        ]
    };
    messages.iter().zip(slowdowns).map(row).collect()
}
