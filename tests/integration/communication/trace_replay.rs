//! Traces of MPI programs again: against SMPI, against hand arithmetic, and against the same operations alone.

use hetsim::workload::replay::read;
use proptest::prelude::*;

use crate::support::{here, metric, near, read_in, try_read_in};

/// SMPI's network of `rendezvous.rs`: up to 65 535 bytes and the envelope a message is left to a buffer.
const SMPI: &str = "version = 1\n[platform.cluster.c]\nnodes = 8\n[platform.cluster.c.network]\n\
                    model = \"fair\"\nlatency = \"2us\"\nbandwidth = \"1GB/s\"\n\
                    costs = { latency = \"0s\", bandwidth = \"1TB/s\", send_overhead = \"0s\", receive_overhead = \"0s\", \
                    eager_limit = \"0B\", handshake = \"0s\", buffered_limit = \"65551B\" }\n";

/// A byte a nanosecond after a microsecond, and nothing else; an operation a nanosecond.
pub(super) const PLAIN: &str = "version = 1\n[platform.cluster.c]\nnodes = 4\n\
                     network = { model = \"hockney\", latency = \"1us\", bandwidth = \"1GB/s\" }\n";

/// All ranks do the same.
pub(super) fn all(action: &str) -> String {
    [0, 1, 2, 3].map(|rank| format!("{rank} {action}\n")).concat()
}

/// Each rank does its own.
pub(super) fn each(actions: &[String]) -> String {
    actions.iter().zip(0..).map(|(action, rank)| format!("{rank} {action}\n")).collect::<Vec<_>>().concat()
}

fn scenario(platform: &str, more: &str) -> String {
    format!("{platform}[workload]\nkind = \"replay\"\ntrace = \"t.txt\"\n{more}")
}

/// When a trace is done, in nanoseconds; `more` has further keys.
#[track_caller]
pub(super) fn replayed(platform: &str, trace: &str, more: &str) -> f64 {
    let record = read_in(here(&[("t.txt", trace)]), &scenario(platform, more)).run(0, 0);
    // In ticks, which are whole.
    (metric(&record.unwrap_or_else(|error| panic!("{error}\n{trace}")), "completion_s") * 1e12).round() / 1e3
}

#[track_caller]
pub(super) fn refused(trace: &str, why: &str) {
    let problems = try_read_in(here(&[("t.txt", trace)]), &scenario(PLAIN, ""), &[]);
    let problems = problems.expect_err("this should be refused").to_string();
    assert!(problems.contains(why), "`{why}` should be in {problems}");
}

#[test]
fn traces_take_what_smpi_prints() {
    let text = std::fs::read_to_string("tests/data/replay_smpi.txt").unwrap();
    let cases: Vec<&str> = text.split("= ").skip(1).collect();
    assert_eq!(cases.len(), 9);
    for case in cases {
        let (printed, trace) = case.split_once(" ns\n").unwrap();
        let keys = "algorithms = { broadcast = \"binomial\", all_reduce = \"recursive_doubling\" }";
        near(replayed(SMPI, trace, keys), printed.parse().unwrap());
    }
}

/// A platform with all keys of SMPI's semantics, as users include it.
pub(super) fn smpi(nodes: u32) -> String {
    let file = std::env::current_dir().unwrap().join("scenarios/smpi.platform.toml");
    format!("version = 1\n[platform]\ninclude = '{}'\n[platform.cluster.smpi]\nnodes = {nodes}\n", file.display())
}

/// Holds the traces of a file to what SMPI printed of each, within so many nanoseconds.
#[track_caller]
fn as_smpi_printed(text: &str, platform: &str, within: f64) {
    let cases: Vec<&str> = text.split("= ").skip(1).collect();
    let mut wrong = Vec::new();
    for case in &cases {
        let (printed, rest) = case.split_once(" ns, ").unwrap();
        let (keys, trace) = rest.split_once('\n').unwrap();
        let found = replayed(platform, trace, &keys.replace(" is ", " = "));
        if (found - printed.parse::<f64>().unwrap()).abs() > within {
            wrong.push(format!("{keys}: {found} instead of {printed}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

/// Every rooted operation from any root, and every other that an algorithm folds, where ranks come and go at different
/// times; and each operation as SMPI does it by default.
#[test]
fn collectives_take_what_smpi_prints() {
    let text = std::fs::read_to_string("tests/data/replay_smpi_collectives.txt").unwrap();
    // SMPI counts in floating-point seconds, with a precision of 1 ns here.
    as_smpi_printed(&text, &smpi(16), 2.0);
    let by_default = |operation: &str| text.contains(&format!("# {operation} by default"));
    assert!(hetsim::communication::Operation::ALL.iter().all(|operation| by_default(operation.name())));
}

/// SMPI's default network, whose factors are others from nine sizes on; and the same factors as keys.
#[test]
fn factors_by_size_are_those_of_smpi() {
    let text = std::fs::read_to_string("tests/data/replay_smpi_factors.txt").unwrap();
    as_smpi_printed(&text, &(smpi(16) + "[platform.transport]\ncalibration = \"smpi\"\n"), 0.02);
    let keys = "[platform.transport]\nlatency_factor = { \"1B\" = 2.0, \"2kB\" = 3 }\n\
                bandwidth_factor = { \"1kB\" = 0.5, \"1001B\" = 2 }\n";
    let smpi = smpi(2) + "[platform.cluster.smpi.network.costs]\nenvelope = \"1B\"\n" + keys;
    let pair = |bytes: u64| replayed(&smpi, &format!("0 send 1 0 {bytes}\n1 recv 0 0 {bytes}\n"), "");
    assert_eq!(pair(998), 4000.0 + 999.0);
    assert_eq!(pair(999), 4000.0 + 2000.0);
    assert_eq!(pair(1000), 4000.0 + 500.5);
    assert_eq!(pair(1999), 6000.0 + 1000.0);
}

/// An envelope is what one adds to the sizes: the bytes that flow, and the limits. A message without content has one.
#[test]
fn an_envelope_travels_with_each_message() {
    let smpi = |more: &str| smpi(4) + more;
    let costs = "[platform.cluster.smpi.network.costs]\n";
    let pair = |bytes: u64| format!("0 isend 1 0 {bytes}\n0 compute 10\n1 compute 5000\n1 recv 0 0 {bytes}\n");
    assert_eq!(replayed(&smpi(""), &pair(0), ""), 5000.0 + 2000.0 + 16.0);
    assert_eq!(replayed(&smpi(""), &pair(1000), ""), 5000.0 + 2000.0 + 1016.0);
    assert_eq!(replayed(&smpi(&format!("{costs}envelope = \"0B\"\n")), &pair(1016), ""), 8016.0);
    // Without one an empty message is eager: it is there before its receive.
    assert_eq!(replayed(&smpi(&format!("{costs}envelope = \"0B\"\n")), &pair(0), ""), 5000.0);
    // Up to 65 535 bytes the sender goes on at once, beyond when the receiver has all.
    let blocked = |bytes: u64| format!("0 send 1 0 {bytes}\n0 compute 100000\n1 compute 5000\n1 recv 0 0 {bytes}\n");
    assert_eq!(replayed(&smpi(""), &blocked(65_535), ""), 100_000.0);
    assert_eq!(replayed(&smpi(""), &blocked(65_536), ""), 5000.0 + 2000.0 + 65_552.0 + 100_000.0);
    // Without posted receives it is part of the message's time, too.
    let protocol = "version = 1\n[platform.cluster.c]\nnodes = 2\nnetwork = { model = \"protocol\", latency = \"1us\", \
                    bandwidth = \"1GB/s\", send_overhead = \"0s\", receive_overhead = \"0s\", eager_limit = \"1kB\", ENVELOPE }\n\
                    [workload]\nkind = \"broadcast\"\nalgorithm = \"linear\"\nsize = \"SIZE\"\n";
    let of = |envelope: &str, size: &str| {
        let text = protocol.replace("ENVELOPE", &format!("envelope = \"{envelope}\"")).replace("SIZE", size);
        metric(&read_in(".", &text).run(0, 0).unwrap(), "completion_s") * 1e9
    };
    near(of("16B", "100B"), 1116.0);
    near(of("16B", "100B"), of("0B", "116B"));
    near(of("16B", "1kB"), of("0B", "1016B"));
}

/// Rank 0 on a node twice as fast, where the file says so.
#[test]
fn ranks_lie_where_the_file_says() {
    let platform =
        PLAIN.replace("nodes = 4\n", "nodes = 4\nspeeds = [\"1Gop/s\", \"1Gop/s\", \"2Gop/s\", \"1Gop/s\"]\n");
    let run = |hosts: &str| {
        let files = here(&[("t.txt", "0 compute 1000\n1 compute 500\n"), ("h.txt", hosts)]);
        try_read_in(&files, &scenario(&platform, "hosts = \"h.txt\"\n"), &[]).map_err(|problems| problems.to_string())
    };
    let completion = |hosts| metric(&run(hosts).unwrap().run(0, 0).unwrap(), "completion_s") * 1e9;
    near(completion("2 # the fast one\n\n3\n"), 500.0);
    near(completion("0\n2\n1\n"), 1000.0);
    let refused = |hosts, why: &str| {
        let problems = run(hosts).expect_err("this should be refused");
        assert!(problems.contains(why), "{problems}");
    };
    refused("0\nnode-1\n", "line 2: `node-1` is not the number of a node");
    refused("0\n", "it has 1 lines, and the trace 2 ranks");
    refused("0\n4\n", "there is no node 4: the nodes are 0 to 3");
    refused("3\n3\n", "node 3 stands there twice");
    let files = here(&[("t.txt", "0 compute 1000\n"), ("h.txt", "0\n")]);
    let both = scenario(PLAIN, "hosts = \"h.txt\"\nplacement = \"round_robin\"\n");
    let problems = try_read_in(&files, &both, &[]).expect_err("this should be refused").to_string();
    assert!(problems.contains("`hosts` says where ranks are"), "{problems}");
}

/// The sender computes for 500, the message takes 1000 + 100, and the receiver computes for 300 more; meanwhile.
#[test]
fn by_hand() {
    let trace = |end: &str| {
        format!(
            "0 init\n1 init\n0 compute 500\n0 isend 1 7 100\n0 compute 3000\n0 wait 0 1 7\n\
             1 irecv 0 7 100\n1 compute 200\n1 test 0 1 7\n1 wait 0 1 7\n1 compute {end}\n0 finalize\n1 finalize\n"
        )
    };
    assert_eq!(replayed(PLAIN, &trace("300"), ""), 3500.0);
    assert_eq!(replayed(PLAIN, &trace("3000"), ""), 500.0 + 1100.0 + 3000.0);
    // Elements of 8 bytes, or of another datatype; a sleep; nobody as a partner.
    assert_eq!(replayed(PLAIN, "0 init 1\n1 init 1\n0 send 1 0 100\n1 recv 0 0 100\n1 recv -666 0 9\n", ""), 1800.0);
    assert_eq!(replayed(PLAIN, "0 init\n1 init\n0 send 1 0 100 1\n1 recv 0 0 100 1\n1 sleep 1e-6\n", ""), 2400.0);
    assert_eq!(replayed(PLAIN, "0 sendRecv 100 1 200 1\n1 sendRecv 200 0 100 0\n", ""), 1200.0);
}

/// A short message overtakes a long one of the same tag, whose request is there at 1000, whose answer at 2000, and whose
/// bytes at 103 000. The first wait is for the long one all the same, and the computation follows it.
#[test]
fn a_short_message_does_not_end_the_receive_of_a_long_one() {
    let network = "network = { model = \"protocol\", latency = \"1us\", bandwidth = \"1GB/s\", send_overhead = \"0s\", \
                   receive_overhead = \"0s\", eager_limit = \"1kB\", handshake = \"0s\" }";
    let platform = format!("version = 1\n[platform.cluster.c]\nnodes = 2\n{network}\n");
    let trace = "0 isend 1 7 100000\n0 isend 1 7 100\n0 waitall\n\
                 1 irecv 0 7 100000\n1 irecv 0 7 100\n1 wait 0 1 7\n1 compute 10000\n1 wait 0 1 7\n";
    assert_eq!(replayed(&platform, trace, ""), 103_000.0 + 10_000.0);
}

/// Rank 1 takes what comes first, of whom it may be; a later receive with a name takes its own.
#[test]
fn receives_of_any_sender() {
    let trace = "0 compute 5000\n0 send 1 3 100\n2 send 1 4 200\n1 recv -1 -1 200\n1 compute 10000\n1 recv 0 3 100\n";
    assert_eq!(replayed(PLAIN, trace, ""), 1200.0 + 10_000.0);
    assert_eq!(replayed(PLAIN, &trace.replace("10000", "100"), ""), 6100.0);
}

/// An operation of a trace takes as long as the same as `kind = "collective"`, from any root and with any algorithm;
/// what a rank computes in it follows.
#[test]
fn operations_are_those_of_collectives() {
    let alone = |keys: &str| {
        let text = format!("{PLAIN}[workload]\nkind = \"collective\"\ncalls = \"mpi\"\n{keys}");
        metric(&read_in(".", &text).run(0, 0).unwrap(), "completion_s") * 1e9
    };
    let cases = [
        ("bcast 3000 2", "operation = \"broadcast\"\nsize = \"3000B\"\nroot = 2\nalgorithm = ", "broadcast", "chain"),
        ("reduce 3000 50 1", "operation = \"reduce\"\nsize = \"3000B\"\nroot = 1\nalgorithm = ", "reduce", "linear"),
        ("allreduce 3000 50", "operation = \"all_reduce\"\nsize = \"3000B\"\nalgorithm = ", "all_reduce", "ring"),
        ("gather 10 10 3", "operation = \"gather\"\nsize = \"10B\"\nroot = 3\nalgorithm = ", "gather", "linear"),
        ("scatter 10 10 3", "operation = \"scatter\"\nsize = \"10B\"\nroot = 3\nalgorithm = ", "scatter", "linear"),
        ("allgather 10 10", "operation = \"all_gather\"\nsize = \"10B\"\nalgorithm = ", "all_gather", "ring"),
        ("alltoall 10 10", "operation = \"all_to_all\"\nsize = \"10B\"\nalgorithm = ", "all_to_all", "pairwise"),
        (
            "reducescatter 9 9 9 9 50",
            "operation = \"reduce_scatter\"\nsize = \"9B\"\nalgorithm = ",
            "reduce_scatter",
            "ring",
        ),
        ("scan 10 50", "operation = \"scan\"\nsize = \"10B\"\nalgorithm = ", "scan", "recursive_doubling"),
        ("barrier", "operation = \"barrier\"\nalgorithm = ", "barrier", "dissemination"),
    ];
    for (action, keys, operation, algorithm) in cases {
        let more = format!("algorithms = {{ {operation} = \"{algorithm}\" }}");
        let computed = if action.ends_with("50") || action.contains(" 50 ") { 50.0 } else { 0.0 };
        let found = replayed(PLAIN, &all(action), &more);
        near(found, alone(&format!("{keys}\"{algorithm}\"")) + computed);
    }
    let library = alone("operation = \"all_reduce\"\nsize = \"3000B\"\nlibrary = \"openmpi-4.1\"");
    near(replayed(PLAIN, &all("allreduce 3000 0"), "library = \"openmpi-4.1\""), library);
}

/// Blocks of unequal length, from root 1: it sends 100 to rank 2, 1000 to rank 3, and 10 to rank 0.
#[test]
fn blocks_of_unequal_length() {
    let linear =
        "algorithms = { scatter = \"linear\", gather = \"linear\", all_gather = \"ring\", reduce_scatter = \"ring\" }";
    let own = [10, 77, 100, 1000];
    let scatter = own.map(|own| format!("scatterv 10 77 100 1000 {own} 1"));
    assert_eq!(replayed(PLAIN, &each(&scatter), linear), 3.0 * 1000.0 + 1110.0);
    let gather = own.map(|own| format!("gatherv {own} 10 77 100 1000 1"));
    assert_eq!(replayed(PLAIN, &each(&gather), linear), 3.0 * 1000.0 + 1110.0);
    // Around a ring the longest block is under way in every step.
    assert_eq!(replayed(PLAIN, &all("allgatherv 77 10 77 100 1000"), linear), 3.0 * 2000.0);
    assert_eq!(replayed(PLAIN, &all("reducescatter 10 77 100 1000 0"), linear), 3.0 * 2000.0);
}

/// What `smpirun -trace-ti` of SimGrid 3.32 wrote of a C program among three ranks with root 2, with and without
/// MPI_IN_PLACE: only the root's line has the lengths; a gather's line is without what is received where that is
/// nothing, and has -1 for MPI_DATATYPE_NULL.
#[test]
fn the_root_says_how_long_blocks_are() {
    let of = |lines: [&str; 3]| each(&lines.map(str::to_owned));
    let linear = "algorithms = { scatter = \"linear\", gather = \"linear\" }";
    let plain = |lines: [&str; 3]| replayed(PLAIN, &of(lines), linear);
    let ints = |counts: f64| 2000.0 + 4.0 * counts;
    let gather = ["gatherv 10 0 0 0 2 1 1", "gatherv 20 0 0 0 2 1 1", "gatherv 30 10 20 30 2 1 1"];
    assert_eq!(plain(gather), ints(30.0));
    assert_eq!(plain(["gatherv 10 0 0 0 2 1 -1", gather[1], "gatherv 0 10 20 30 2 1 1"]), ints(30.0));
    let scatter = ["scatterv 0 0 0 10 2 1 1", "scatterv 0 0 0 20 2 1 1", "scatterv 10 20 30 30 2 1 1"];
    assert_eq!(plain(scatter), ints(30.0));
    assert_eq!(plain(["gather 8 2 1 -1", "gather 8 2 1 -1", "gather 0 8 2 1 1"]), ints(16.0));
    assert_eq!(plain(["scatter 0 9 2 1 1", "scatter 0 9 2 1 1", "scatter 9 9 2 1 1"]), ints(18.0));
    refused(
        &of(["gatherv 10 0 0 0 2 1 1", "gatherv 21 0 0 0 2 1 1", gather[2]]),
        "line 2: the block of rank 1 has 84 B in this gather, and 80 B on the line of its root, rank 2",
    );
    refused(&of(["gather 9 9 1", "gather 9 9 1", "gather 8 9 1"]), "line 3: the block of rank 2 has 8 B");
    refused(
        &of(["gather 8 8 0", "gather 8 8 1", "gather 8 8 0"]),
        "line 2: the collective operation 0 of rank 1 is gather",
    );
}

/// SimGrid 3.32 writes −333 for any sender and for nobody.
#[test]
fn receives_from_any_sender_and_from_nobody() {
    let any = "0 send 1 4 100\n1 irecv -333 -444 100\n1 wait -333 1 -444\n1 compute 5\n";
    assert_eq!(replayed(PLAIN, any, ""), 1105.0);
    assert_eq!(replayed(PLAIN, "0 send 1 4 100\n1 recv -333 4 100\n", ""), 1100.0);
    // What a program without a neighbour on one side wrote.
    let nobody = "0 isend -333 4 100\n0 wait 0 -333 4\n0 irecv -333 4 100\n0 irecv 1 4 100\n0 wait -333 0 4\n\
                  0 compute 700\n0 wait 1 0 4\n0 waitall\n1 send 0 4 100\n";
    assert_eq!(replayed(PLAIN, nobody, ""), 1100.0);
    assert_eq!(replayed(PLAIN, &nobody.replace("-333", "-666"), ""), 1100.0);
    refused(
        "0 send 1 4 100\n1 irecv -333 4 100\n1 irecv -333 4 100\n",
        "line 3: rank 1 receives 2 times from -333, any sender or nobody, and 1 of its messages are left for them",
    );
}

#[test]
fn what_is_wrong_is_said() {
    refused("0 init\n0 frobnicate 3\n", "line 2: the action `frobnicate` is not known");
    refused("0 send 1 0\n1 init\n", "line 1: `send` needs more than 2 arguments");
    refused("0 compute -3\n", "line 1: `-3` is not a number of zero or more");
    refused("zero init\n", "line 1: a line begins with the number of a rank, not with `zero`");
    refused("9999999 init\n", "line 1: a trace has at most 1048576 ranks, numbered from 0, and this is 9999999");
    refused("0 send 7 0 10\n", "line 1: there is no rank 7: the trace has 1, numbered from 0");
    refused("0 irecv 0 -3 10\n", "line 1: the tag -3 is not a whole number");
    refused("0 compute 1 000\n", "line 1: `000` is one argument too many for `compute`");
    refused("0 send 0 0 10 1 1\n", "line 1: `1` is one argument too many for `send`");
    refused("0 bcast@rows 10\n", "there is no communicator `rows`: there are none");
    refused("0 bcast 10 3\n", "line 1: there is no rank 3");
    refused("0 init\n1 recv 0 5 -1\n", "rank 1 receives 1 messages with tag 5 from rank 0, which sends 0");
    refused("0 send 1 5 -1\n1 recv 0 5 3\n", "the length -1 is not known");
    refused("0 send 1 0 10 99\n1 recv 0 0 10 99\n", "`99` is not the number of a datatype");
    refused(
        "0 send 1 0 10\n1 recv 0 1 10\n",
        "line 2: rank 1 receives 1 messages with tag 1 from rank 0, which sends 0",
    );
    refused("0 bcast 10\n1 bcast 11\n", "line 2: the collective operation 0 of rank 1 is broadcast of 11 B");
    refused("0 barrier\n1 init\n", "rank 1 takes part in 0 collective operations of 1");
    refused("0 alltoallv 1 1\n", "line 1: `alltoallv` needs more than 2 arguments");
    refused("ranks/of_0.txt\nranks/of_1.txt\n", "write them one after the other into one");
    refused("", "the trace has no actions");
    refused("4 init\n", "it has 5 ranks, and the platform 4 nodes");
    let stuck = here(&[("t.txt", "0 recv -1 0 10\n1 init\n")]);
    let error = read_in(&stuck, &scenario(PLAIN, "")).run(0, 0).unwrap_err().to_string();
    assert!(error.contains("ranks were done"), "{error}");
}

/// Of ranks that wait for each other, the trace's are counted, whatever nodes are idle, and the first is named.
#[test]
fn a_deadlock_says_who_waits_for_what() {
    for (trace, why) in [
        (
            "0 recv 1 0 8\n0 send 1 0 8\n1 recv 0 0 8\n1 send 0 0 8\n",
            "only 0 of 2 ranks were done; rank 0 waits for a message from rank 1 with tag 0",
        ),
        (
            "0 init\n1 irecv 2 3 8\n1 wait 2 1 3\n1 send 2 0 8\n2 irecv 1 0 8\n2 waitall\n2 send 1 3 8\n",
            "only 1 of 3 ranks were done; rank 1 waits for a message from rank 2 with tag 3",
        ),
        ("0 irecv -1 0 8\n0 waitall\n", "only 0 of 1 ranks were done; rank 0 waits for all its requests"),
        ("0 recv -1 -1 8\n", "rank 0 waits for a message from any rank with any tag"),
        (
            "0 barrier\n1 recv 0 0 8\n1 barrier\n0 send 1 0 8\n",
            "only 0 of 2 ranks were done; rank 0 waits for the others in operation 0, barrier",
        ),
    ] {
        let folder = here(&[("t.txt", trace)]);
        let error = read_in(&folder, &scenario(PLAIN, "")).run(0, 0).unwrap_err().to_string();
        assert!(error.contains(why), "{trace}: {error}");
    }
}

/// Three messages of 1000 B under LogGP's arithmetic: the last leaves two gaps of 4 µs + 999 · 8 ns after the first, however
/// its sender calls, and arrives 16 µs + 2 · 2 µs + 999 · 8 ns after that. What a rank computes for a millisecond after a send
/// begins once the overhead of 2 µs is over. So with `protocol`, whose port is held for 8 µs, and `plogp`, for 10 µs.
#[test]
fn the_gap_of_an_eager_message_passes_beside_what_its_sender_does() {
    let platform = |network: &str| format!("version = 1\n[platform.cluster.c]\nnodes = 2\nnetwork = {network}\n");
    let sends = |call: &str| -> String { [0, 1, 2].map(|tag| format!("0 {call} 1 {tag} 1000\n")).concat() };
    let receives = [0, 1, 2].map(|tag| format!("1 recv 0 {tag} 1000\n")).concat();
    for (network, overhead, end) in [
        ("{ model = 'loggp', latency = '16us', overhead = '2us', gap = '4us', gap_per_byte = '8ns/B' }", 2e3, 51_976.0),
        (
            "{ model = 'protocol', latency = '20us', bandwidth = '1Gbit/s', send_overhead = '3us', receive_overhead = '5us', \
             eager_limit = '1MiB', handshake = '1us', copy_bandwidth = '1000TB/s' }",
            3e3,
            52_000.0,
        ),
        (
            "{ model = 'plogp', latency = '50us', gap = { '1B' = '10us' }, send_overhead = { '1B' = '2us' }, \
             receive_overhead = { '1B' = '3us' } }",
            2e3,
            80_000.0,
        ),
    ] {
        let platform = platform(network);
        // To some ticks, for copies.
        let near = |found: f64, end: f64| assert!((found - end).abs() < 0.01, "{network}: {found} is not {end}");
        for (call, more) in [("send", ""), ("isend", "0 waitall\n")] {
            near(replayed(&platform, &format!("{}{more}{receives}", sends(call)), ""), end);
        }
        near(replayed(&platform, "0 send 1 0 1000\n0 compute 1e6\n1 recv 0 0 1000\n", ""), overhead + 1e6);
    }
}

proptest! {
    /// Whatever stands in a file, reading it ends with a trace or a message.
    #[test]
    fn any_text_is_read(lines in prop::collection::vec("[0-3] (init|send|recv|wait|bcast|gatherv|reducescatter|sendRecv|alltoall|alltoallv|exscan|barrier@row|test|x)( -?[0-9]{1,20}){0,9}", 0..12)) {
        let _ = read(&format!("communicator row 0-1\n{}", lines.join("\n")));
    }
}
