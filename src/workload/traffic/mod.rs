//! Messages without a program behind them: how a network carries a pattern.
//!
//! All messages of a round are handed over at once, or at drawn instants, whether or not those before have arrived; a
//! message's time is from there to its end at the receiver, and its slowdown is that over what it would take alone. A
//! message takes 32 bytes until the end of the run, four more where starts are drawn, and sixteen while the metrics are made.

mod pattern;
mod program;

use rand_distr::{Distribution, Exp1};
use schemars::JsonSchema;
use serde::Deserialize;

use super::KeyError;
use super::footprint;
use crate::cluster::{Footprint, NodeId, Observer, Platform, Simulation, Timeline};
use crate::engine::Streams;
use crate::graph::generate::BytesDraw;
use crate::metrics::Performance;
use crate::record::{Metric, Record, Table, TableShape, Value};
use crate::statistics;
use crate::units::{Bytes, Quantity, Seconds, Time};

pub use pattern::{Incast, Outcast, Pattern, Plain, Random, Ring};
pub use program::{Message, Traffic};

/// `kind = "traffic"`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Parameters {
    /// Who sends to whom.
    pub pattern: Pattern,
    /// The length of every message; either this or `sizes`.
    #[serde(default)]
    pub size: Option<Bytes>,
    /// What the length of each message is drawn from.
    #[serde(default)]
    pub sizes: Option<BytesDraw>,
    /// The mean of the time between the starts of two messages, in the order of the pattern, exponentially distributed. Zero,
    /// if not given: all start together.
    #[serde(default)]
    pub gap: Seconds,
    /// How often the pattern is sent; a round starts when the last message of the one before has arrived, with new draws.
    #[serde(default = "one")]
    #[schemars(range(min = 1))]
    pub rounds: u32,
}

const fn one() -> u32 {
    1
}

/// The most messages of a run: a slip in a parameter should be an error, not a full memory.
const MOST: u64 = 100_000_000;

/// The metrics of traffic, with what they mean.
pub const METRICS: &[&[Metric]] = &[&[
    Metric::number("completion_s", "when the last message had been received, simulated").less(),
    Metric::number("mean_time_s", "the mean of the messages' times, each from its start to its end").less(),
    Metric::number("median_time_s", "their median").less(),
    Metric::number("p99_time_s", "the time that one message of a hundred exceeds").less(),
    Metric::number("slowdown_mean", "the mean of the messages' times, each over its time alone on the network").less(),
    Metric::number("slowdown_max", "the greatest of these").less(),
    Metric::number("moved_bytes", "the bytes of all messages together").less(),
    Metric::number("throughput_bytes_per_s", "these bytes over the completion time").more(),
]];

/// The long tables that traffic can keep.
pub const TABLES: &[TableShape] = &[MESSAGES];

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
pub struct Prepared {
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

impl Parameters {
    /// Checks the keys against each other and the platform.
    ///
    /// # Errors
    /// The key that is wrong, and why.
    pub fn prepare(&self, platform: &Platform) -> Result<Prepared, KeyError> {
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
        Ok(Prepared { pattern: self.pattern.clone(), sizes, gap: self.gap.base(), rounds: self.rounds })
    }
}

/// What is known at the end of a run.
struct Outcome<O> {
    messages: Vec<Message>,
    footprint: Footprint,
    observer: O,
}

impl Prepared {
    /// Sends all messages.
    ///
    /// # Errors
    /// A sentence that says why the run failed.
    pub fn run(&self, platform: &Platform, streams: Streams, tables: &[String]) -> Result<Record, String> {
        let outcome = self.execute(platform, streams, ())?;
        let slowdowns: Vec<f64> = outcome.messages.iter().map(|message| slowdown(message, platform)).collect();
        let mut record = Record::default();
        write_times(&outcome.messages, platform, &mut record);
        let known: Vec<f64> = slowdowns.iter().copied().filter(|slowdown| slowdown.is_finite()).collect();
        record.metric("slowdown_mean", statistics::mean(&known));
        record.metric("slowdown_max", known.into_iter().reduce(f64::max));
        let speeds = (0..platform.nodes()).map(|node| platform.speed_per_second(NodeId(node)));
        Performance::unmeasured(speeds).write(&mut record);
        footprint::write(&outcome.footprint, platform, &mut record, tables);
        if tables.iter().any(|table| table == MESSAGES.name) {
            record.tables.push(messages_table(&outcome.messages, &slowdowns, platform));
        }
        Ok(record)
    }

    /// Sends all messages and notes everything that happens.
    ///
    /// # Errors
    /// A sentence that says why the run failed.
    pub fn trace(&self, platform: &Platform, streams: Streams) -> Result<Timeline, String> {
        self.execute(platform, streams, Timeline::default()).map(|outcome| outcome.observer)
    }

    /// The messages of all rounds, each with its start within its round. What a message is drawn by is its number, so that
    /// more of them shift nothing.
    fn draw(&self, platform: &Platform, streams: &Streams) -> Vec<Message> {
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
                messages.push(Message { from, to, bytes, start: platform.tick().time(start), arrival: Time::NEVER });
            });
        }
        messages
    }

    fn execute<O: Observer>(&self, platform: &Platform, streams: Streams, observer: O) -> Result<Outcome<O>, String> {
        let messages = self.draw(platform, &streams);
        let round = messages.len() / self.rounds as usize;
        let mut program = Traffic::new(messages, round);
        let mut simulation = Simulation::observed(platform, streams, observer);
        simulation.run(&mut program).map_err(|error| error.to_string())?;
        let messages = program.into_messages();
        let arrived = messages.iter().filter(|message| message.arrival < Time::NEVER).count();
        if arrived < messages.len() {
            return Err(format!("only {arrived} of {} messages arrived", messages.len()));
        }
        Ok(Outcome { messages, footprint: simulation.footprint(), observer: simulation.into_observer() })
    }
}

/// A message's time over its time alone; not finite where that is no time at all.
fn slowdown(message: &Message, platform: &Platform) -> f64 {
    let alone = platform.transfer(NodeId(message.from), NodeId(message.to), message.bytes).hop();
    (message.arrival - message.start).as_f64() / alone.as_f64()
}

/// Writes what the messages took, but for their slowdowns.
fn write_times(messages: &[Message], platform: &Platform, record: &mut Record) {
    let seconds = |time: Time| platform.tick().seconds(time);
    let mut times: Vec<f64> = messages.iter().map(|message| seconds(message.arrival - message.start)).collect();
    times.sort_by(f64::total_cmp);
    let completion = seconds(messages.iter().map(|message| message.arrival).max().unwrap_or_default());
    let bytes: u64 = messages.iter().map(|message| message.bytes).sum();
    record.metric("completion_s", completion);
    record.metric("mean_time_s", statistics::mean(&times));
    record.metric("median_time_s", statistics::quantile(&times, 0.5));
    record.metric("p99_time_s", statistics::quantile(&times, 0.99));
    record.metric("moved_bytes", bytes);
    record.metric("throughput_bytes_per_s", bytes as f64 / completion);
}

fn messages_table(messages: &[Message], slowdowns: &[f64], platform: &Platform) -> Table {
    let seconds = |time: Time| Value::from(platform.tick().seconds(time));
    let row = |(message, slowdown): (&Message, &f64)| {
        vec![
            Value::Count(u64::from(message.from)),
            Value::Count(u64::from(message.to)),
            Value::Count(message.bytes),
            seconds(message.start),
            seconds(message.arrival),
            Value::from(*slowdown),
        ]
    };
    Table { rows: messages.iter().zip(slowdowns).map(row).collect(), ..Table::new(&MESSAGES) }
}
