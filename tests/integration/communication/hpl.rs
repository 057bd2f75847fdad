//! High-Performance Linpack: closed forms of its messages and its work, all its settings, and what is refused.

use hetsim::workload::ranks::{are_complete, write_calls};

use crate::support::{column, here, metric, near, read_in, refused, run_replica};

/// Routines that cost nothing, so that only messages take time.
const FREE: &str = "[platform.kernel]\ndgemm.seconds = \"0\"\ndtrsm.seconds = \"0\"\ndgemv.seconds = \"0\"\n\
                    dger.seconds = \"0\"\ndscal.seconds = \"0\"\ndtrsv.seconds = \"0\"\n";

fn text(ranks: u32, network: &str, kernels: &str, workload: &str) -> String {
    format!(
        "version = 1\n[platform.cluster.lab]\nnodes = {ranks}\nspeed = \"1Gop/s\"\nnetwork = {{ {network} }}\n{kernels}\
         [workload]\nkind = \"hpl\"\n{workload}\n"
    )
}

fn time(text: &str) -> f64 {
    metric(&run_replica(text, 0), "completion_s")
}

/// Two processes in a column, and messages that take 1 ms whatever their length: each pivot is one exchange, each panel's
/// rows are one, and each block of the solution is one message.
#[test]
fn a_column_of_two_exchanges_once_a_pivot_a_panel_and_a_block() {
    let network = "model = \"logp\", latency = \"1ms\", overhead = \"0s\", gap = \"0s\"";
    for (n, nb) in [(64, 8), (60, 8), (16, 16)] {
        let workload = format!("n = {n}\nnb = {nb}\np = 2\nq = 1\nswap = \"binary_exchange\"");
        let panels = f64::from(n).div_euclid(f64::from(nb)) + f64::from(u8::from(n % nb > 0));
        near(time(&text(2, network, FREE, &workload)), 1e-3 * (f64::from(n) + 2.0 * panels));
    }
}

/// Two processes in a row without look-ahead: a message a panel, of its rows below the diagonal, that block, its pivots
/// and a flag; then a message a block of the solution but the last.
#[test]
fn a_row_of_two_sends_each_panel_once() {
    let network = "model = \"hockney\", latency = \"1ms\", bandwidth = \"1MB/s\"";
    let (n, nb) = (64_u64, 8_u64);
    let panels = (0..n / nb).map(|panel| 8 * ((n - panel * nb) * nb + nb + 1));
    // Up to (Q − 1)·NB/P rows, or a block, go ahead of the others.
    let blocks = (1..n / nb).map(|block| 8 * nb.min(block * nb));
    let by_hand: f64 = panels.chain(blocks).map(|bytes| 1e-3 + bytes as f64 / 1e6).sum();
    near(time(&text(2, network, FREE, "n = 64\nnb = 8\np = 1\nq = 2\ndepth = 0\nbcast = \"1ring\"")), by_hand);
}

/// The work of updates does not depend on the grid: with nothing but matrix products, all ranks together compute
/// 2·NB·(rows below)·(columns after) operations a panel, whatever way panels and rows go. Panels that are not cut have none.
#[test]
fn every_grid_and_setting_does_the_same_work() {
    let only_products = FREE.replace("dgemm.seconds = \"0\"", "dgemm.seconds = \"1e-9*m*n*k\"");
    let (n, nb) = (90_u32, 8_u32);
    let ends = (1..=n.div_ceil(nb)).map(|panel| (panel * nb).min(n));
    let by_hand: f64 = ends
        .scan(0, |start, end| {
            let width = end - *start;
            *start = end;
            Some(1e-9 * f64::from(width) * f64::from(n - end) * f64::from(n + 1 - end))
        })
        .sum();
    let network = "model = \"fair\", latency = \"1us\", bandwidth = \"1GB/s\", \
                   costs = { latency = \"1us\", bandwidth = \"1GB/s\", eager_limit = \"1KiB\", \
                   send_overhead = \"0.1us\", receive_overhead = \"0.1us\" }";
    let grids = [(1, 1), (1, 5), (5, 1), (2, 3), (3, 4), (7, 2), (4, 4)];
    for (p, q) in grids {
        for bcast in ["1ring", "1ring_modified", "2ring", "2ring_modified", "long", "long_modified"] {
            for (swap, depth, pmap) in
                [("binary_exchange", 1, "row_major"), ("long", 0, "column_major"), ("mix", 1, "column_major")]
            {
                let workload = format!(
                    "n = {n}\nnb = {nb}\nnbmin = {nb}\np = {p}\nq = {q}\nbcast = \"{bcast}\"\nswap = \"{swap}\"\n\
                     depth = {depth}\npmap = \"{pmap}\"\n[output]\ntables = [\"nodes\"]"
                );
                let record = run_replica(&text(p * q, network, &only_products, &workload), 0);
                let computed: f64 = column(&record, "nodes", "busy_s").iter().sum();
                assert!(
                    (computed / by_hand - 1.0).abs() < 1e-6,
                    "{p} × {q}, {bcast}, {swap}: {computed} for {by_hand}"
                );
            }
        }
    }
}

/// What each exchange of rows calls, after the sources of HPL 2.2: a binary exchange packs rows on all processes (01T on the
/// root, 02N on the others) and merges what comes (03T, 04T; 05T beyond the greatest power of two), a spread packs on the
/// root alone (01T), and puts rows in their places (06T, 10N). A routine that is called takes time here.
#[test]
fn each_exchange_of_rows_calls_its_own_routines() {
    let network = "model = \"hockney\", latency = \"1us\", bandwidth = \"1GB/s\"";
    for (p, swap, called) in [
        (4, "binary_exchange", &["01T", "02N", "03T", "04T"][..]),
        (5, "binary_exchange", &["01T", "02N", "03T", "04T", "05T"]),
        (4, "long", &["01T", "06T", "10N"]),
        (5, "long", &["01T", "06T", "10N"]),
    ] {
        let run = |kernels: &str| {
            time(&text(p, network, kernels, &format!("n = 64\nnb = 8\np = {p}\nq = 1\nswap = \"{swap}\"")))
        };
        let free = run(FREE);
        for routine in ["01T", "02N", "03T", "04T", "05T", "06T", "10N"] {
            let takes = run(&format!("{FREE}dlaswp{routine}.seconds = \"1e-3\"\n"));
            assert_eq!(takes > 1.001 * free, called.contains(&routine), "{routine} in {swap} of {p}: {takes}, {free}");
        }
    }
}

/// Look-ahead hides the factorisation behind the update; a slow rank slows all down.
#[test]
fn look_ahead_helps_and_a_slow_node_hurts() {
    let network = "model = \"hockney\", latency = \"2us\", bandwidth = \"1GB/s\"";
    let run = |rest: &str, speeds: &str| {
        let text = text(16, network, "", &format!("n = 2000\nnb = 50\np = 4\nq = 4\n{rest}"));
        time(&text.replace("speed = \"1Gop/s\"", speeds))
    };
    let [ahead, without] = ["depth = 1", "depth = 0"].map(|depth| run(depth, "speed = \"1Gop/s\""));
    assert!(ahead < without, "{ahead} {without}");
    let slow = run("depth = 1", &format!("speeds = [\"0.5Gop/s\"{}]", ", \"1Gop/s\"".repeat(15)));
    assert!(slow > 1.5 * ahead && slow < 2.0 * without, "{slow} {ahead}");
}

#[test]
fn what_does_not_fit_is_refused() {
    let network = "model = \"hockney\", latency = \"1us\", bandwidth = \"1GB/s\"";
    refused(&text(6, network, "", "n = 64\np = 2\nq = 4"), "a grid of 2 × 4 has 8 processes, and there are 6 ranks");
    refused(&text(8, network, "", "n = 64\nnb = 65\np = 2\nq = 4"), "a block of 65 is longer than the matrix");
    let kernel =
        |keys: &str| text(8, network, &format!("[platform.kernel.dgemm]\n{keys}\n"), "n = 64\nnb = 8\np = 2\nq = 4");
    refused(&kernel("seconds = \"a*m\""), "the formula may name m, n, k");
    refused(&kernel("seconds = \"m\"\nrows = { season = \"x\" }"), "`rows` needs `file` beside it");
    refused(&kernel("seconds = \"m\"\nfile = \"missing.csv\""), "missing.csv");
}

/// The factorisation as one step and message by message: the same times on every number of rows, where a message takes
/// the same time whatever else goes on, and every node computes as long. With overheads a process receives a message when it comes, even before it waits for
/// it; one step lets it wait first, and is off by up to two per cent.
#[test]
fn one_step_of_a_column_is_what_its_messages_are() {
    let networks = [
        ("model = \"delay\", latency = \"3us\", bandwidth = \"1GB/s\"", 1e-9),
        ("model = \"logp\", latency = \"3us\", overhead = \"1us\", gap = \"0s\"", 0.02),
    ];
    for (network, tolerance) in networks {
        for (p, q) in [(2, 1), (3, 1), (4, 1), (6, 1), (7, 1), (4, 2)] {
            let workload = |way: &str| {
                format!("n = 90\nnb = 8\np = {p}\nq = {q}\nfactorisation = \"{way}\"\n[output]\ntables = [\"nodes\"]")
            };
            let [one, each] =
                ["one_step", "messages"].map(|way| run_replica(&text(p * q, network, "", &workload(way)), 0));
            let [took, by_each] = [&one, &each].map(|record| metric(record, "completion_s"));
            assert!((took / by_each - 1.0).abs() < tolerance, "{p} × {q}, {network}: {took} and {by_each}");
            for (took, by_each) in column(&one, "nodes", "busy_s").iter().zip(column(&each, "nodes", "busy_s")) {
                assert!((took / by_each - 1.0).abs() < 1e-6, "{p} × {q}, {network}: busy {took} and {by_each}");
            }
            near(metric(&one, "n_eff"), metric(&each, "n_eff"));
        }
    }
}

/// The calls of a run as a trace, replayed: the same time to the last tick, for each way of panels and rows.
#[test]
fn a_run_replayed_from_its_calls_takes_the_same_time() {
    let network = "model = \"hockney\", latency = \"3us\", bandwidth = \"1GB/s\"";
    for bcast in ["1ring", "2ring_modified", "long"] {
        for swap in ["binary_exchange", "long"] {
            let workload = format!("n = 100\nnb = 8\np = 3\nq = 4\nbcast = \"{bcast}\"\nswap = \"{swap}\"");
            let hpl = text(12, network, "", &workload);
            let traced = read_in(here(&[]), &hpl).trace(0, 0).expect("a trace");
            let calls = traced.calls.expect("calls of ranks");
            assert!(are_complete(&calls));
            let mut trace = Vec::new();
            write_calls(&calls, &mut trace).expect("memory");
            let trace = String::from_utf8(trace).expect("a text");
            let start = hpl.find("[workload]").expect("a workload");
            let replay = format!("{}[workload]\nkind = \"replay\"\ntrace = \"t.txt\"\n", &hpl[..start]);
            let record = read_in(here(&[("t.txt", &trace)]), &replay).run(0, 0).expect("a run");
            near(metric(&record, "completion_s"), time(&hpl));
        }
    }
}

/// SimGrid's SMPI, given the same calls, ends to the last microsecond that it prints.
#[test]
fn runs_take_what_smpi_prints() {
    let text = std::fs::read_to_string("tests/data/hpl_smpi.txt").unwrap();
    let cases: Vec<Vec<&str>> =
        text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split(' ').collect()).collect();
    assert_eq!(cases.len(), 9);
    for case in cases {
        let [n, nb, p, q, depth, bcast, swap, printed] = case[..] else { panic!("{case:?}") };
        let ranks = p.parse::<u32>().unwrap() * q.parse::<u32>().unwrap();
        let scenario = format!(
            "version = 1\n[platform]\ninclude = \"../../scenarios/smpi.platform.toml\"\ncluster.smpi.nodes = {ranks}\n\
             [workload]\nkind = \"hpl\"\nn = {n}\nnb = {nb}\np = {p}\nq = {q}\ndepth = {depth}\nbcast = \"{bcast}\"\n\
             swap = \"{swap}\"\nfactorisation = \"messages\"\n"
        );
        let (ours, printed) = (time(&scenario), printed.parse::<f64>().unwrap());
        assert!((ours - printed).abs() <= 0.5e-6 + 1e-9, "{case:?}: {ours}");
    }
}

/// A factorisation as one step knows one latency, so where latencies vary each message is an event.
#[test]
fn a_factorisation_feels_latencies_that_vary() {
    let takes = |latency: &str, factor: u32| {
        let network = format!("model = \"delay\", latency = \"{latency}\", bandwidth = \"100MB/s\"");
        let varies = format!("latency_factor = {{ steps = [{{ from = \"0s\", value = {factor} }}] }}\n");
        time(&text(4, &network, &varies, "n = 200\nnb = 40\np = 2\nq = 2"))
    };
    near(takes("50us", 10), takes("500us", 1));
}

/// Nor does it know external load: with a foreign task on each node, all takes as long as at half the speed.
#[test]
fn a_factorisation_feels_external_load() {
    let takes = |node: &str, way: &str| {
        let network = "model = \"delay\", latency = \"1us\", bandwidth = \"1GB/s\"";
        let text = text(4, network, node, &format!("n = 200\nnb = 40\np = 2\nq = 2\n{way}"));
        time(&if node.is_empty() { text.replace("1Gop/s", "0.5Gop/s") } else { text })
    };
    let load = "load = [{ profile = { kind = \"constant\", tasks = 1 } }]\n";
    let (loaded, slow) = (takes(load, ""), takes("", "factorisation = \"messages\""));
    assert!((loaded / slow - 1.0).abs() < 1e-6, "{loaded} and {slow}");
}
