//! The algorithms among which to choose for a collective operation, and what each takes on a platform.
//!
//! Every operation has the [algorithms](hetsim_communication::algorithm) that fit it, those that cut the message with
//! several lengths of segments, and a broadcast on several clusters the heuristics between them.

use std::fmt;

use hetsim_base::engine::Streams;
use hetsim_base::units::{Bytes, Operations, Time};
use hetsim_cluster::Platform;
use hetsim_communication::intercluster::Heuristic;
use hetsim_communication::{Algorithm, Library, Operation};

use super::broadcast::{Best, Intracluster, PreparedBroadcast, Segment, Strategy};
use super::collective::{Calls, Choice, PreparedCollective, Timing};
use super::communication::{Levels, Placement, usual_radix};
use super::{Prepared, Run, RunFailure, Workload, broadcast, collective};

/// An operation that is to be done.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Call {
    /// The operation.
    pub operation: Operation,
    /// The bytes of a vector or of a block, as the [`Operation`] says; for a barrier nothing depends on it.
    pub size: u64,
    /// On which nodes the ranks are. The root, where there is one, is rank 0.
    pub placement: Placement,
    /// What it costs to combine a byte with another.
    pub reduction: Operations,
    /// Whether the ranks do it, and take its time, as a benchmark of an MPI library does: with that library's blocking
    /// and non-blocking calls, each from its leaving a barrier.
    pub benchmark: bool,
}

/// Who sends to whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AdvisedMethod {
    /// An algorithm over all ranks.
    Plain(Algorithm),
    /// A heuristic between clusters, for a broadcast.
    Heuristic(Heuristic),
    /// The first algorithm among the leaders of clusters, or of the groups inside one, the second below them.
    Leaders(Algorithm, Algorithm),
}

impl fmt::Display for AdvisedMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Plain(algorithm) => algorithm.fmt(f),
            Self::Heuristic(heuristic) => Strategy::TwoLevel(heuristic, Intracluster::Best).fmt(f),
            Self::Leaders(top, inside) => Choice { top, inside: Some(inside) }.fmt(f),
        }
    }
}

/// A way to do it, with the length of its segments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate {
    /// Who sends to whom.
    pub method: AdvisedMethod,
    /// The bytes of a segment, where the message is cut.
    pub segment: Option<u64>,
}

/// What came of a candidate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum AdviceOutcome {
    /// The method can't do it among so many ranks.
    Impossible,
    /// It takes longer than the limit.
    Later,
    /// It takes so many seconds.
    Done(f64),
}

/// The base of the k-nomial trees among the candidates.
pub const RADIX: u32 = usual_radix();

/// A limit in seconds is that much longer in ticks: no rounding makes a time that it allows late.
const ROUNDING: f64 = 1e-9;

/// The segments from whose time that of more than these many is carried on, and how far off that may be, as a share.
/// On shared links and others, 64 to 2048 segments of pipelines and of split binary trees were within 0.2 %.
const FEW_SEGMENTS: [u64; 2] = [64, 128];
const MANY_SEGMENTS: u64 = 1024;
const UNSURE: f64 = 0.05;

/// The most segments of a candidate. Beyond, a pipeline is as good as full: 1/65536 of its time is left to gain.
const MOST_SEGMENTS: u64 = 1 << 16;

/// The lengths of segments that are tried: every power of four from 1 KiB to 256 KiB that is below the message, and
/// does not make too many of it; the least power of four that does not where these all do.
fn segments(message: u64) -> impl Iterator<Item = u64> {
    let makes = move |segment: u64| message.div_ceil(segment) <= MOST_SEGMENTS;
    let usual = [1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18];
    let longer = (10..31).map(|exponent| 1u64 << (2 * exponent)).find(move |&segment| makes(segment));
    let longer = longer.filter(move |_| !makes(usual[usual.len() - 1]));
    usual.into_iter().filter(move |&segment| makes(segment)).chain(longer).filter(move |&segment| segment < message)
}

/// The default algorithm of an operation.
#[must_use]
pub const fn usual(operation: Operation) -> AdvisedMethod {
    AdvisedMethod::Plain(operation.usual_algorithm())
}

impl Candidate {
    /// All candidates for a call, the [usual] one first, so that ties keep
    /// the default. Not every one is possible for every number of ranks.
    #[must_use]
    pub fn all(call: &Call, platform: &Platform) -> Vec<Self> {
        let whole = |method| Self { method, segment: None };
        let several_clusters = platform.clusters().len() > 1;
        // Those between clusters have no calls of a library.
        let has_heuristics = several_clusters && call.operation == Operation::Broadcast && !call.benchmark;
        let mut candidates: Vec<Self> = match call.operation {
            Operation::Broadcast => broadcasts(call, has_heuristics),
            other => {
                let real = other.algorithms().filter(|algorithm| !algorithm.is_simulators(other));
                real.flat_map(|algorithm| {
                    let method = AdvisedMethod::Plain(algorithm);
                    std::iter::once(whole(method)).chain(cut(method, algorithm, call.size))
                })
                .collect()
            }
        };
        if platform.is_nested() || (several_clusters && !has_heuristics) {
            candidates.extend(led(call.operation).map(whole));
        }
        let usual = whole(usual(call.operation));
        candidates.retain(|candidate| *candidate != usual);
        candidates.insert(0, usual);
        candidates
    }

    /// What a library runs by its own choice; nothing where it holds messages back, as no candidate does.
    #[must_use]
    pub fn of_library(library: Library, operation: Operation, ranks: u32, size: u64) -> Option<Self> {
        let chosen = library.choose(operation, ranks, size);
        let is_free = chosen.window == 0 || chosen.window >= ranks;
        let segment = Some(chosen.segment).filter(|&segment| segment > 0);
        is_free.then_some(Self { method: AdvisedMethod::Plain(chosen.algorithm), segment })
    }

    /// How much there is to simulate, roughly: a message for each rank and segment.
    #[must_use]
    pub fn effort(&self, call: &Call, ranks: u32) -> u64 {
        let segments = self.segment.map_or(1, |segment| call.size.div_ceil(segment.max(1)));
        segments.max(1).saturating_mul(ranks.into())
    }

    /// When the last rank is done, simulated, if that is by `limit` (in seconds; infinite for none). What takes longer
    /// by arithmetic is not simulated, nor what cuts the message into very many segments and takes clearly longer if
    /// its time is carried on from fewer; and a simulation ends at the limit.
    ///
    /// # Errors
    /// A sentence that says why the run failed.
    pub fn run(
        &self,
        call: &Call,
        platform: &Platform,
        streams: Streams,
        limit_s: f64,
    ) -> Result<AdviceOutcome, RunFailure> {
        let Some(ready) = self.prepare(call, platform) else { return Ok(AdviceOutcome::Impossible) };
        let limit = match platform.tick().time(limit_s * (1.0 + ROUNDING)) {
            Time::NEVER => Time::NEVER,
            ticks => ticks + Time(1),
        };
        if limit < Time::NEVER && ready.least(platform) > limit {
            return Ok(AdviceOutcome::Later);
        }
        if limit_s.is_finite() && self.carried_on(call, platform, streams)?.is_some_and(|time| time > limit_s) {
            return Ok(AdviceOutcome::Later);
        }
        let mut run = Run::new(platform, streams, &[]).until(ready.over_by(limit, platform));
        match ready.completion_s(&mut run) {
            Ok(seconds) if platform.tick().time(seconds) <= limit => Ok(AdviceOutcome::Done(seconds)),
            // A benchmark's time begins behind a barrier, which no limit knows of.
            Ok(_) => Ok(AdviceOutcome::Later),
            Err(failure) if failure.is_late() => Ok(AdviceOutcome::Later),
            Err(failure) => Err(failure),
        }
    }

    /// The time in seconds, less what is unsure of it, of very many segments, carried on from that of the first few:
    /// once the tree is full of segments, each more takes the same time. Nothing where there are not many.
    fn carried_on(&self, call: &Call, platform: &Platform, streams: Streams) -> Result<Option<f64>, RunFailure> {
        let Some(segment) = self.segment.filter(|&segment| call.size.div_ceil(segment) > MANY_SEGMENTS) else {
            return Ok(None);
        };
        let [fewer, more] = FEW_SEGMENTS;
        let of = |segments: u64| {
            let call = Call { size: segments * segment, ..*call };
            self.run(&call, platform, streams, f64::INFINITY)
        };
        let (AdviceOutcome::Done(first), AdviceOutcome::Done(second)) = (of(fewer)?, of(more)?) else {
            return Ok(None);
        };
        let each = (second - first) / (more - fewer) as f64;
        let whole = second + each * (call.size.div_ceil(segment) - more) as f64;
        Ok(Some(whole * (1.0 - UNSURE)))
    }

    /// The workload that it is; nothing where the method can't do it among so many ranks.
    fn prepare(&self, call: &Call, platform: &Platform) -> Option<Ready> {
        let broadcast = |algorithm: Strategy, segment: Segment| {
            broadcast_by(algorithm, segment, call).prepare(platform).ok().map(Ready::Broadcast)
        };
        let collective =
            |choice: Choice| self.collective(choice, call).prepare(platform).ok().map(Box::new).map(Ready::Collective);
        match self.method {
            AdvisedMethod::Plain(algorithm) if call.operation == Operation::Broadcast && !call.benchmark => {
                let segment = Segment::Bytes(Bytes::new(self.segment.unwrap_or(0)));
                broadcast(Strategy::Plain(algorithm), segment)
            }
            AdvisedMethod::Plain(algorithm) => collective(algorithm.into()),
            AdvisedMethod::Heuristic(heuristic) => {
                broadcast(Strategy::TwoLevel(heuristic, Intracluster::Best), Segment::Named(Best::Best))
            }
            AdvisedMethod::Leaders(top, inside) => collective(Choice { top, inside: Some(inside) }),
        }
    }

    /// The same as `kind = "collective"`.
    fn collective(&self, algorithm: Choice, call: &Call) -> collective::CollectiveParameters {
        collective::CollectiveParameters {
            algorithm: Some(algorithm),
            levels: if algorithm.inside.is_some() { Levels::Leaders } else { Levels::default() },
            segment: Bytes::new(self.segment.unwrap_or(0)),
            size: Some(Bytes::new(call.size)),
            placement: call.placement,
            reduction: call.reduction,
            calls: if call.benchmark { Calls::Mpi } else { Calls::Ready },
            timing: if call.benchmark { Timing::Barrier } else { Timing::Together },
            ..collective::CollectiveParameters::usual(call.operation)
        }
    }
}

/// A candidate on a platform, ready to run.
enum Ready {
    Broadcast(PreparedBroadcast),
    Collective(Box<PreparedCollective>),
}

impl Ready {
    /// The least completion time, by arithmetic.
    fn least(&self, platform: &Platform) -> Time {
        match self {
            Self::Broadcast(broadcast) => broadcast.least(platform),
            Self::Collective(collective) => collective.least(platform),
        }
    }

    /// By when a run is over whose completion time is within `limit`.
    fn over_by(&self, limit: Time, platform: &Platform) -> Time {
        match self {
            Self::Broadcast(_) => limit,
            Self::Collective(collective) => collective.over_by(limit, platform),
        }
    }

    fn completion_s(&self, run: &mut Run<'_>) -> Result<f64, RunFailure> {
        Ok(match self {
            Self::Broadcast(broadcast) => broadcast.run(run)?.0.completion_s,
            Self::Collective(collective) => collective.run(run)?.0.completion_s,
        })
    }
}

/// A broadcast as `kind = "broadcast"`.
fn broadcast_by(algorithm: Strategy, segment: Segment, call: &Call) -> broadcast::BroadcastParameters {
    broadcast::BroadcastParameters {
        size: Bytes::new(call.size),
        algorithm,
        root: 0,
        placement: call.placement,
        segment,
        levels: Levels::default(),
        candidates: Vec::new(),
        fitted: None,
    }
}

/// The algorithms among leaders, with a tree below each of them.
fn led(operation: Operation) -> impl Iterator<Item = AdvisedMethod> {
    let tops = operation.algorithms().filter(move |top| operation.is_done_on_levels() && !top.cuts());
    tops.flat_map(|top| [Algorithm::Binomial, Algorithm::Linear].map(|inside| AdvisedMethod::Leaders(top, inside)))
}

/// An algorithm with each length of segments, if it cuts a message of this size.
fn cut(method: AdvisedMethod, algorithm: Algorithm, size: u64) -> impl Iterator<Item = Candidate> {
    segments(size).filter(move |_| algorithm.cuts()).map(move |segment| Candidate { method, segment: Some(segment) })
}

fn broadcasts(call: &Call, several_clusters: bool) -> Vec<Candidate> {
    let mut candidates = Vec::new();
    for algorithm in Operation::Broadcast.algorithms() {
        let method = AdvisedMethod::Plain(algorithm);
        // In one piece pipelines are the chain and the binary tree, and the binomial tree that is cut is the other one,
        // but for calls of a library, which go to the farthest rank first.
        let is_another = match algorithm {
            Algorithm::SegmentedBinomial => call.benchmark,
            Algorithm::SplitBinary => true,
            _ => !algorithm.cuts(),
        };
        if is_another {
            candidates.push(Candidate { method, segment: None });
        }
        candidates.extend(cut(method, algorithm, call.size));
    }
    if several_clusters {
        // The exact one takes too long for many clusters, and is no rule that a library could follow.
        let heuristics = Heuristic::ALL.iter().filter(|heuristic| **heuristic != Heuristic::Exact);
        candidates.extend(
            heuristics.map(|&heuristic| Candidate { method: AdvisedMethod::Heuristic(heuristic), segment: None }),
        );
    }
    candidates
}

#[cfg(test)]
mod tests {
    use super::*;
    use hetsim_cluster::network::Model;

    fn call(operation: Operation, size: u64) -> Call {
        Call { operation, size, placement: Placement::Cluster, reduction: Operations::default(), benchmark: false }
    }

    /// 10 µs and 100 MB/s.
    fn machine(nodes: u32) -> Platform {
        let network = serde_json::json!({ "model": "hockney", "latency": "10us", "bandwidth": "100MB/s" });
        let parameters: hetsim_cluster::network::Parameters = serde_json::from_value(network).unwrap();
        Platform::uniform(nodes, Model::new(&parameters, hetsim_base::units::Tick::PICOSECOND).unwrap()).unwrap()
    }

    fn seconds(method: AdvisedMethod, call: &Call, nodes: u32) -> Option<f64> {
        let candidate = Candidate { method, segment: None };
        match candidate.run(call, &machine(nodes), Streams::new(0, 0), f64::INFINITY).unwrap() {
            AdviceOutcome::Done(seconds) => Some(seconds),
            _ => None,
        }
    }

    /// Hockney: log2 P (α + βm).
    #[test]
    fn times_are_those_of_the_run() {
        let call = call(Operation::Broadcast, 1000);
        let binomial = seconds(usual(Operation::Broadcast), &call, 8).unwrap();
        assert!((binomial - 60e-6).abs() < 1e-12, "{binomial}");
    }

    /// A long reduction is fastest in segments: P + k − 2 steps of a segment, not a doubling of halves.
    #[test]
    fn what_cuts_is_tried_with_segments() {
        let call = call(Operation::Reduce, 1 << 20);
        let times = Candidate::all(&call, &machine(8)).into_iter().filter_map(|candidate| {
            match candidate.run(&call, &machine(8), Streams::new(0, 0), f64::INFINITY).unwrap() {
                AdviceOutcome::Done(seconds) => Some((seconds, candidate)),
                _ => None,
            }
        });
        let (_, best) = times.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
        assert_eq!(best, Candidate { method: AdvisedMethod::Plain(Algorithm::Pipeline), segment: Some(1 << 14) });
    }

    const NETWORKS: [&str; 8] = [
        "model='hockney'\nlatency='10us'\nbandwidth='100MB/s'",
        "model='loggp'\nlatency='3us'\noverhead='2us'\ngap='7us'\ngap_per_byte='1ns/B'",
        "model='loggp'\nlatency='3us'\noverhead='9us'\ngap='7us'\ngap_per_byte='1ns/B'\noverhead_per_byte='2ns/B'\nreceiver_busy=true",
        "model='plogp'\nlatency='5us'\ngap={'1B'='1us','1kB'='9us'}\nsend_overhead={'1B'='2us'}\nreceive_overhead={'1B'='3us','1kB'='6us'}",
        "model='lmo'\nlatency='1us'\nprocessing='4us'\nprocessing_per_byte='2ns/B'\nbandwidth='1GB/s'",
        "model='protocol'\nlatency='1us'\nbandwidth='1GB/s'\nsend_overhead='3us'\nreceive_overhead='5us'\neager_limit='1kB'\ncopy_bandwidth='2GB/s'",
        "model='fair'\nlatency='1us'\nbandwidth='1GB/s'",
        "model='fair'\nlatency='1us'\nbandwidth='1GB/s'\n[costs]\nlatency='1us'\nbandwidth='2GB/s'\nsend_overhead='3us'\nreceive_overhead='5us'\neager_limit='1kB'",
    ];

    fn on(network: &str, nodes: u32) -> Platform {
        let parameters: hetsim_cluster::network::Parameters = toml::from_str(network).unwrap();
        Platform::uniform(nodes, Model::new(&parameters, hetsim_base::units::Tick::PICOSECOND).unwrap()).unwrap()
    }

    /// No run takes less than its bound, as a benchmark or not; nor does one that ends late take less than its limit.
    #[test]
    fn no_run_is_shorter_than_its_bound_or_later_than_its_time() {
        let streams = Streams::new(1, 0);
        let mut tight = 0;
        for (network, nodes) in NETWORKS.into_iter().flat_map(|network| [2, 5, 8].map(|nodes| (network, nodes))) {
            let platform = on(network, nodes);
            for (&operation, benchmark) in Operation::ALL.iter().flat_map(|one| [(one, false), (one, true)]) {
                let call = Call { benchmark, ..call(operation, 5000) };
                for candidate in Candidate::all(&call, &platform) {
                    let Some(ready) = candidate.prepare(&call, &platform) else { continue };
                    let AdviceOutcome::Done(seconds) = candidate.run(&call, &platform, streams, f64::INFINITY).unwrap()
                    else {
                        panic!("a time without a limit")
                    };
                    let least = platform.tick().seconds(ready.least(&platform));
                    assert!(least <= seconds, "{network}: {operation} {candidate:?} {least} {seconds}");
                    tight += usize::from(least > 0.5 * seconds);
                    let within = |limit| candidate.run(&call, &platform, streams, limit).unwrap();
                    assert_eq!(within(seconds), AdviceOutcome::Done(seconds), "{network}: {operation} {candidate:?}");
                    assert_eq!(within(0.9 * seconds), AdviceOutcome::Later, "{network}: {operation} {candidate:?}");
                }
            }
        }
        assert!(tight > 500, "{tight}");
    }

    /// Seven messages leave the root one after the other, each for 10 µs and its bytes; the last takes as long.
    #[test]
    fn the_bound_of_a_linear_broadcast() {
        let call = call(Operation::Broadcast, 1000);
        let candidate = Candidate { method: AdvisedMethod::Plain(Algorithm::Linear), segment: None };
        let platform = machine(8);
        assert_eq!(candidate.prepare(&call, &platform).unwrap().least(&platform), Time(6 * 20_000_000));
    }

    /// What is carried on from few segments is what many take.
    #[test]
    fn many_segments_take_what_few_foretell() {
        for network in NETWORKS {
            let platform = on(network, 8);
            for algorithm in [Algorithm::Pipeline, Algorithm::SplitBinary, Algorithm::SegmentedBinary] {
                let call = call(Operation::Broadcast, (MANY_SEGMENTS + 1) * 1024);
                let candidate = Candidate { method: AdvisedMethod::Plain(algorithm), segment: Some(1024) };
                let streams = Streams::new(1, 0);
                let foretold = candidate.carried_on(&call, &platform, streams).unwrap().unwrap() / (1.0 - UNSURE);
                let AdviceOutcome::Done(seconds) = candidate.run(&call, &platform, streams, f64::INFINITY).unwrap()
                else {
                    panic!("a time without a limit")
                };
                assert!((foretold / seconds - 1.0).abs() < 0.01, "{network} {algorithm} {foretold} {seconds}");
            }
        }
    }

    #[test]
    fn segments_are_never_too_many() {
        assert_eq!(segments(1 << 20).collect::<Vec<_>>(), [1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18]);
        assert_eq!(segments(5000).collect::<Vec<_>>(), [1 << 10, 1 << 12]);
        assert_eq!(segments(1 << 32).collect::<Vec<_>>(), [1 << 16, 1 << 18]);
        // 64 Ki segments of 16 MiB.
        assert_eq!(segments(1 << 40).collect::<Vec<_>>(), [1 << 24]);
        assert!(segments(u64::MAX).all(|segment| u64::MAX.div_ceil(segment) <= MOST_SEGMENTS));
    }

    #[test]
    fn what_is_not_possible_has_no_time() {
        let call = call(Operation::AllGather, 8);
        let exchange = AdvisedMethod::Plain(Algorithm::NeighbourExchange);
        assert_eq!(seconds(exchange, &call, 7), None);
        assert!(seconds(exchange, &call, 8).is_some());
    }

    #[test]
    fn the_usual_one_is_first_and_none_comes_twice() {
        for &operation in Operation::ALL {
            let candidates = Candidate::all(&call(operation, 1 << 20), &machine(4));
            assert_eq!(candidates[0], Candidate { method: usual(operation), segment: None });
            let twice = |one: &&Candidate| candidates.iter().filter(|other| other == one).count() > 1;
            assert_eq!(candidates.iter().find(twice), None);
        }
    }
}
