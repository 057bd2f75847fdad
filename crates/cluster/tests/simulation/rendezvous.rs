//! Rendezvous by blocking calls: the semantics of LogGOPSim (Hoefler, Schneider, Lumsdaine, HPDC 2010) and of SMPI.

use hetsim_cluster::network::{Model, Parameters};
use hetsim_cluster::{Context, NodeId, Program, Receive, RunError, SendId, Simulation, WorkId};

use crate::script::{NANOSECOND, platform};

/// What a rank does next, when the one before is over.
#[derive(Debug, Clone, Copy)]
enum Call {
    Send { to: u32, bytes: u64, tag: u64 },
    Receive { from: Option<u32>, bytes: u64, tag: u64 },
    Compute(u32),
}

/// Ranks that make one blocking call after the other.
struct Blocking {
    calls: Vec<Vec<Call>>,
    next: Vec<usize>,
    ends: Vec<u64>,
}

impl Blocking {
    fn new(calls: Vec<Vec<Call>>) -> Self {
        Self { next: vec![0; calls.len()], ends: vec![0; calls.len()], calls }
    }

    fn go_on(&mut self, at: NodeId, context: &mut impl Context<u64>) {
        let rank = at.index();
        let call = self.calls[rank].get(self.next[rank]).copied();
        self.next[rank] += 1;
        match call {
            Some(Call::Send { to, bytes, tag }) => drop(context.send(at, NodeId(to), bytes, tag)),
            Some(Call::Receive { from, bytes, tag }) => {
                context.post(at, Receive { from: from.map(NodeId), tag: Some(tag), bytes });
            }
            Some(Call::Compute(operations)) => drop(context.compute(at, operations.into())),
            None => {
                self.ends[rank] = context.now().0;
                context.complete(at);
            }
        }
    }
}

impl Program for Blocking {
    type Message = u64;

    fn wants_sent(&self) -> bool {
        true
    }

    fn posts_receives(&self) -> bool {
        true
    }

    fn tag(message: &u64) -> u64 {
        *message
    }

    fn start(&mut self, context: &mut impl Context<u64>) {
        for rank in 0..self.calls.len() as u32 {
            self.go_on(NodeId(rank), context);
        }
    }

    fn on_message(&mut self, at: NodeId, _: NodeId, _: u64, context: &mut impl Context<u64>) {
        self.go_on(at, context);
    }

    fn on_sent(&mut self, at: NodeId, _: SendId, context: &mut impl Context<u64>) {
        self.go_on(at, context);
    }

    fn on_computed(&mut self, at: NodeId, _: WorkId, context: &mut impl Context<u64>) {
        self.go_on(at, context);
    }
}

/// When each rank has made its last call.
fn ends(network: &str, calls: &[Vec<Call>]) -> Result<Vec<u64>, RunError> {
    let platform = platform(calls.len() as u32, 1, network);
    let mut program = Blocking::new(calls.to_vec());
    Simulation::new(&platform, 0).run(&mut program).map(|()| program.ends)
}

/// L, o, g, G and O in nanoseconds, and S.
fn loggops([latency, overhead, gap, per_byte, copying]: [u32; 5], threshold: u32) -> String {
    format!(
        "model='loggp'\nlatency='{latency}ns'\noverhead='{overhead}ns'\ngap='{gap}ns'\ngap_per_byte='{per_byte}ns/B'\n\
         overhead_per_byte='{copying}ns/B'\nreceiver_busy=true\neager_limit='{threshold}B'"
    )
}

/// Every worker computes and hands its result to the master, which takes the results in the workers' order and answers
/// each with a task, in rounds.
fn master_and_workers(workers: u32, rounds: u64, result: u64, task: u64) -> Vec<Vec<Call>> {
    let master = (0..rounds).flat_map(|tag| {
        (1..=workers).flat_map(move |worker| {
            [Call::Receive { from: Some(worker), bytes: result, tag }, Call::Send { to: worker, bytes: task, tag }]
        })
    });
    let worker = |worker: u32| {
        let round = move |tag| {
            let compute = Call::Compute(3000 * worker + 700 * tag as u32);
            [compute, Call::Send { to: 0, bytes: result, tag }, Call::Receive { from: Some(0), bytes: task, tag }]
        };
        (0..rounds).flat_map(round).collect()
    };
    std::iter::once(master.collect()).chain((1..=workers).map(worker)).collect()
}

/// Every rank hands its block to rank 0, which takes the blocks in the ranks' order.
fn linear_gather(ranks: u32, block: u64) -> Vec<Vec<Call>> {
    let root = (1..ranks).map(|from| Call::Receive { from: Some(from), bytes: block, tag: 0 });
    let leaves = (1..ranks).map(|_| vec![Call::Send { to: 0, bytes: block, tag: 0 }]);
    std::iter::once(root.collect()).chain(leaves).collect()
}

/// When the last rank is done: what LogGOPSim prints (github.com/spcl/LogGOPSim, commit 76451de, `-S 5000`) for the
/// same calls as its schedule, each requiring the one before, with four sets of L, o, g, G and O.
#[test]
fn blocking_calls_take_what_loggopsim_prints() {
    let sets = [[2500, 1500, 1000, 6, 0], [700, 1500, 1000, 6, 9], [2500, 1500, 4000, 6, 0], [9000, 300, 300, 1, 0]];
    let printed = [
        (master_and_workers(1, 1, 20_000, 100), [134_588, 191_282, 134_588, 42_298]),
        (master_and_workers(3, 2, 20_000, 100), [749_652, 1_110_692, 754_558, 167_290]),
        (master_and_workers(7, 3, 20_000, 20_000), [3_438_038, 7_630_022, 2_733_868, 654_276]),
        (master_and_workers(5, 4, 100, 20_000), [2_433_474, 3_685_040, 2_490_474, 427_979]),
        (linear_gather(2, 20_000), [125_494, 183_691, 125_494, 29_599]),
        (linear_gather(5, 20_000), [489_976, 728_164, 497_476, 90_496]),
        (linear_gather(8, 20_000), [854_458, 1_272_637, 869_458, 151_393]),
        (linear_gather(13, 6_000), [453_928, 668_092, 481_428, 84_888]),
        (linear_gather(8, 1_000), [56_458, 75_637, 71_458, 18_393]),
    ];
    for (calls, printed) in printed {
        for (parameters, printed) in sets.into_iter().zip(printed) {
            let ends = ends(&loggops(parameters, 5000), &calls).unwrap();
            assert_eq!(ends.into_iter().max(), Some(printed), "{} ranks, {parameters:?}", calls.len());
        }
    }
}

/// The head of 6000 B is at rank 1 at 1500 + 2500 and has streamed in at 4000 + 1500 + 5999 · 6. By S, its sender goes
/// on after 1500, when the head is received, or when the receive is posted at 50 000.
#[test]
fn the_sender_of_a_long_message_waits_for_its_receive() {
    let network = |threshold| loggops([2500, 1500, 1000, 6, 0], threshold);
    let calls = |wait| {
        let send = Call::Send { to: 1, bytes: 6000, tag: 3 };
        vec![vec![send], vec![Call::Compute(wait), Call::Receive { from: None, bytes: 6000, tag: 3 }]]
    };
    let streamed = 4000 + 1500 + 5999 * 6;
    assert_eq!(ends(&network(6000), &calls(0)), Ok(vec![1500, streamed]));
    assert_eq!(ends(&network(5999), &calls(0)), Ok(vec![4000, streamed]));
    // Rank 1 computes until then, and streams it in when it has posted.
    assert_eq!(ends(&network(5999), &calls(50_000)), Ok(vec![50_000, 50_000 + streamed - 4000]));
    let silent = vec![calls(0)[0].clone(), vec![Call::Compute(10)]];
    let waits = RunError::NotReceived { from: NodeId(0), to: NodeId(1), bytes: 6000 };
    assert_eq!(ends(&network(5999), &silent), Err(waits));
    assert_eq!(ends(&network(6000), &silent), Ok(vec![1500, 10]));
}

#[test]
fn a_threshold_needs_a_busy_receiver() {
    let text = loggops([1, 1, 1, 1, 0], 9).replace("receiver_busy=true", "receiver_busy=false");
    let error = Model::new(&toml::from_str::<Parameters>(&text).unwrap(), NANOSECOND).unwrap_err().to_string();
    assert_eq!(error, "`eager_limit` needs `receiver_busy` beside it");
}

/// Every message of SMPI carries 16 bytes of envelope.
const ENVELOPE: u64 = 16;

/// When each rank is done: what SMPI prints (SimGrid 3.32; a cluster of 1 GBps and 1 us, CM02 without factors, window,
/// cross-traffic and overheads) for the same calls in C. Up to 65 536 bytes a message is left to a buffer; all flow
/// when they are received.
#[test]
fn blocking_calls_take_what_smpi_prints() {
    let network = format!(
        "model = 'fair'\nlatency = '2us'\nbandwidth = '1GB/s'\ncosts = {{ latency = '0s', bandwidth = '1TB/s', \
         send_overhead = '0s', receive_overhead = '0s', eager_limit = '0B', handshake = '0s', buffered_limit = '{}B' }}",
        65_535 + ENVELOPE
    );
    let (small, large) = (1000 + ENVELOPE, 200_000 + ENVELOPE);
    let printed: [(Vec<Vec<Call>>, &[u64]); 8] = [
        (linear_gather(3, small), &[6032, 0, 0]),
        (linear_gather(8, small), &[21_112, 0, 0, 0, 0, 0, 0, 0]),
        (linear_gather(3, large), &[404_032, 202_016, 404_032]),
        (linear_gather(5, large), &[808_064, 202_016, 404_032, 606_048, 808_064]),
        (master_and_workers(1, 1, large, small), &[205_016, 208_032]),
        (master_and_workers(3, 2, large, small), &[1_215_096, 814_080, 1_016_096, 1_218_112]),
        (master_and_workers(3, 3, large, large), &[3_639_288, 2_831_224, 3_235_256, 3_639_288]),
        (master_and_workers(5, 3, small, large), &[3_078_480, 2_258_352, 2_463_384, 2_668_416, 2_873_448, 3_078_480]),
    ];
    for (calls, printed) in printed {
        assert_eq!(ends(&network, &calls).as_deref(), Ok(printed));
    }
}
