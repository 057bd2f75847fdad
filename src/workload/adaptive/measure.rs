//! The least that has to be measured before anything can be adapted: single messages between two nodes, a whole cluster
//! talking at once, and sample broadcasts. Benchmarks run on the simulated machine, on the clusters alone.
//!
//! Processors' loads are left out: what is measured is the network.

use crate::adapt::{Observation, Observations};
use crate::cluster::{Cluster, Group, Level, Link, Machine, NodeId, Platform, Program, WorkId};
use crate::engine::Streams;
use crate::tree::Plan;
use crate::units::Time;
use crate::workload::broadcast::{self, Broadcast};

/// Round trips of a ping-pong, and messages of a train.
const REPETITIONS: u32 = 16;

/// The bench: it runs benchmarks and keeps account of what they cost.
#[derive(Debug)]
pub(super) struct Bench<'p> {
    platform: &'p Platform,
    streams: Streams,
    runs: u64,
    /// Simulated time of all benchmarks, one after the other, in seconds.
    pub(super) seconds: f64,
    /// Their messages.
    pub(super) messages: u64,
}

impl<'p> Bench<'p> {
    pub(super) const fn new(platform: &'p Platform, streams: Streams) -> Self {
        Self { platform, streams, runs: 0, seconds: 0.0, messages: 0 }
    }

    /// A machine of some nodes of each of these groups, with their links. Levels inside a group come with a whole one
    /// only: two nodes of a group stand for two that no level joins.
    fn part(&self, parts: &[(usize, u32)]) -> Platform {
        let groups = parts.iter().map(|&(group, nodes)| Group { nodes, ..self.platform.groups()[group].clone() });
        let links = parts.iter().flat_map(|(from, _)| parts.iter().map(move |(to, _)| (*from, *to)));
        let links: Vec<Link> = links.map(|(from, to)| self.platform.link(from, to).clone()).collect();
        let levels = parts.iter().map(|&(group, nodes)| {
            let whole = nodes > 1 && nodes == self.platform.groups()[group].nodes && parts.len() == 1;
            let levels = self.platform.levels(group).filter(|_| whole);
            levels.map(|(size, link)| Level { size, link: link.clone() }).collect()
        });
        let part = Platform::new(self.platform.tick(), groups.collect(), links).with_levels(levels.collect());
        part.with_ports(self.platform.ports())
    }

    /// Runs a benchmark, with draws of its own.
    fn run<P: Program>(&mut self, platform: &Platform, program: &mut P) -> Result<Option<Time>, String> {
        use rand::RngExt;
        self.runs += 1;
        let streams = Streams::new(self.streams.stream("benchmark", self.runs).random(), 0);
        let mut cluster = Cluster::new(platform, streams);
        cluster.run(program).map_err(|error| error.to_string())?;
        self.messages += cluster.messages();
        let completion = cluster.completion();
        self.seconds += completion.map_or(0.0, |time| platform.tick().seconds(time));
        Ok(completion)
    }

    /// One size between the first nodes of two groups, or two nodes of one.
    fn observe(&mut self, platform: &Platform, bytes: u64) -> Result<Observation, String> {
        let tick = platform.tick();
        let mut ping = PingPong { bytes, left: REPETITIONS, end: Time::ZERO };
        self.run(platform, &mut ping)?;
        let mut train = Train { bytes, first: None, last: Time::ZERO, sent: Time::ZERO };
        self.run(platform, &mut train)?;
        let between = train.last.since(train.first.unwrap_or(train.last));
        Ok(Observation {
            bytes,
            one_way: tick.seconds(ping.end) / f64::from(2 * REPETITIONS),
            gap: tick.seconds(between) / f64::from(REPETITIONS - 1),
            send: tick.seconds(train.sent),
            // As LogP has it, one overhead for both ends.
            receive: tick.seconds(train.sent),
        })
    }

    /// Single messages inside a group, which has two nodes or more.
    pub(super) fn inside(&mut self, group: usize, sizes: &[u64]) -> Result<Observations, String> {
        let pair = self.part(&[(group, 2)]);
        let at = sizes.iter().map(|&bytes| self.observe(&pair, bytes)).collect::<Result<Vec<_>, _>>()?;
        let nodes = self.platform.groups()[group].nodes;
        let longest = sizes.iter().copied().max().unwrap_or(1);
        let whole = self.part(&[(group, nodes)]);
        let together = self.run(&whole, &mut Shift { bytes: longest })?;
        let alone = self.run(&pair, &mut Shift { bytes: longest })?;
        let empty = self.run(&pair, &mut Shift { bytes: 0 })?;
        let of_bytes = |time: Option<Time>| time.unwrap_or(Time::ZERO).since(empty.unwrap_or(Time::ZERO)).as_f64();
        let contention = if of_bytes(alone) > 0.0 { (of_bytes(together) / of_bytes(alone)).max(1.0) } else { 1.0 };
        Observations::new(at, contention).map_err(|error| error.to_string())
    }

    /// Single messages from one group to another.
    pub(super) fn between(&mut self, from: usize, to: usize, bytes: u64) -> Result<Observations, String> {
        let pair = self.part(&[(from, 1), (to, 1)]);
        let sizes = if bytes > 1 { [1, bytes] } else { [bytes, bytes + 1] };
        let at = sizes.into_iter().map(|bytes| self.observe(&pair, bytes)).collect::<Result<Vec<_>, _>>()?;
        Observations::new(at, 1.0).map_err(|error| error.to_string())
    }

    /// A whole broadcast inside a group, in seconds.
    pub(super) fn sample(&mut self, group: usize, plan: Plan) -> Result<f64, String> {
        let whole = self.part(&[(group, self.platform.groups()[group].nodes)]);
        let end = self.run(&whole, &mut Broadcast::from(plan))?;
        end.map(|time| whole.tick().seconds(time)).ok_or_else(|| "a sample broadcast did not end".to_owned())
    }

    /// A broadcast over the whole platform that knows nothing of clusters, in seconds; it is no measurement that the
    /// adaptation needs, and costs nothing in its account.
    pub(super) fn plain(&self, parameters: &broadcast::Parameters) -> Result<f64, String> {
        let prepared = parameters.prepare(self.platform).map_err(|error| error.message)?;
        let record = prepared.run(self.platform, self.streams, &[])?;
        let end = record.get("completion_s").and_then(crate::record::Value::number);
        end.ok_or_else(|| "the plain broadcast did not end".to_owned())
    }
}

const ENDS: (NodeId, NodeId) = (NodeId(0), NodeId(1));

/// A message to and fro.
#[derive(Debug)]
struct PingPong {
    bytes: u64,
    left: u32,
    end: Time,
}

impl Program for PingPong {
    type Message = ();

    fn start(&mut self, machine: &mut impl Machine<()>) {
        machine.send(ENDS.0, ENDS.1, self.bytes, ());
    }

    fn on_message(&mut self, at: NodeId, from: NodeId, (): (), machine: &mut impl Machine<()>) {
        if at == ENDS.0 {
            self.left -= 1;
            self.end = machine.now();
        }
        if self.left > 0 {
            machine.send(at, from, self.bytes, ());
        } else {
            machine.complete(at);
        }
    }
}

/// Messages one after the other as fast as the sender can. Its processor is free for something else once the first is
/// handed over, which an empty computation tells.
#[derive(Debug)]
struct Train {
    bytes: u64,
    first: Option<Time>,
    last: Time,
    sent: Time,
}

impl Program for Train {
    type Message = u32;

    fn start(&mut self, machine: &mut impl Machine<u32>) {
        machine.send(ENDS.0, ENDS.1, self.bytes, 0);
        machine.compute(ENDS.0, 0.0);
        for number in 1..REPETITIONS {
            machine.send(ENDS.0, ENDS.1, self.bytes, number);
        }
    }

    fn on_computed(&mut self, _: NodeId, _: WorkId, machine: &mut impl Machine<u32>) {
        self.sent = machine.now();
    }

    fn on_message(&mut self, at: NodeId, _: NodeId, _: u32, machine: &mut impl Machine<u32>) {
        self.last = machine.now();
        self.first.get_or_insert(self.last);
        machine.complete(at);
    }
}

/// Everyone sends to the next one at once.
#[derive(Debug)]
struct Shift {
    bytes: u64,
}

impl Program for Shift {
    type Message = ();

    fn start(&mut self, machine: &mut impl Machine<()>) {
        for node in 0..machine.nodes() {
            machine.send(NodeId(node), NodeId((node + 1) % machine.nodes()), self.bytes, ());
        }
    }

    fn on_message(&mut self, at: NodeId, _: NodeId, (): (), machine: &mut impl Machine<()>) {
        machine.complete(at);
    }
}
