//! What a benchmark measures behind a barrier, against (max, +) recurrences: where a message takes a latency and
//! nothing else takes time, a rank leaves a step of an exchange when the later of its own start and its partner's
//! start plus the latency has come.

use hetsim::record::Value;

use crate::support::{column, metric, refused, run_replica};

const LATENCY_S: f64 = 10e-6;

fn text(ranks: usize, barrier: &str, operation: &str, algorithm: &str) -> String {
    let costs = "latency = \"10us\", bandwidth = \"1TB/s\", send_overhead = \"0s\", receive_overhead = \"0s\", \
                 eager_limit = \"8KiB\"";
    format!(
        "version = 1\n[platform]\nbarrier = \"{barrier}\"\n[platform.cluster.lab]\nnodes = {ranks}\n\
         network = {{ model = \"fair\", latency = \"0s\", bandwidth = \"1TB/s\", costs = {{ {costs} }} }}\n\
         [workload]\nkind = \"collective\"\noperation = \"{operation}\"\nalgorithm = \"{algorithm}\"\nsize = \"1B\"\n\
         calls = \"mpi\"\ntiming = \"barrier\"\n"
    )
}

fn measured(ranks: usize, barrier: &str, operation: &str, algorithm: &str) -> f64 {
    metric(&run_replica(&text(ranks, barrier, operation, algorithm), 0), "completion_s")
}

/// Exchanges at distances 1, 2, 4, …: instants in units of the latency.
fn exchanges(start: &[f64]) -> Vec<f64> {
    let mut now = start.to_vec();
    let mut distance = 1;
    while distance < now.len() {
        now = (0..now.len()).map(|rank| now[rank].max(now[rank ^ distance] + 1.0)).collect();
        distance *= 2;
    }
    now
}

/// Rank r waits for rank r − 2^k in each step.
fn dissemination(start: &[f64]) -> Vec<f64> {
    let mut now = start.to_vec();
    let ranks = now.len();
    let mut distance = 1;
    while distance < ranks {
        now = (0..ranks).map(|rank| now[rank].max(now[(rank + ranks - distance) % ranks] + 1.0)).collect();
        distance *= 2;
    }
    now
}

/// Rank 0 waits for all others, which wait for nobody.
fn gather(start: &[f64]) -> Vec<f64> {
    let last = start[1..].iter().fold(0.0, |last: f64, &at| last.max(at));
    let mut end = start.to_vec();
    end[0] = end[0].max(last + 1.0);
    end
}

/// A rank waits for that without its lowest bit, which sends to all its children at once.
fn broadcast(start: &[f64]) -> Vec<f64> {
    let mut end = start.to_vec();
    for rank in 1..end.len() {
        end[rank] = end[rank].max(end[rank & (rank - 1)] + 1.0);
    }
    end
}

/// The longest own time, once it has settled, where rank 0 comes to the first barrier after all others.
fn settled(ranks: usize, barrier: fn(&[f64]) -> Vec<f64>, operation: fn(&[f64]) -> Vec<f64>) -> f64 {
    let mut come = vec![0.0; ranks];
    come[0] = f64::from(2 * ranks.ilog2() + 2);
    let mut last = f64::NAN;
    loop {
        let begun = barrier(&come);
        come = operation(&begun);
        let time = come.iter().zip(&begun).fold(0.0, |time: f64, (end, begun)| time.max(end - begun));
        if time == last {
            return time * LATENCY_S;
        }
        last = time;
    }
}

#[test]
fn what_is_measured_settles_as_the_powers_of_a_matrix() {
    type Step = fn(&[f64]) -> Vec<f64>;
    let barriers: [(&str, Step); 2] = [("recursive_doubling", exchanges), ("dissemination", dissemination)];
    let operations: [(&str, &str, Step); 3] = [
        ("gather", "linear", gather),
        ("broadcast", "binomial", broadcast),
        ("all_reduce", "recursive_doubling", exchanges),
    ];
    for (barrier, meet) in barriers {
        for (operation, algorithm, act) in operations {
            for ranks in [2, 4, 8, 32, 64] {
                let simulated = measured(ranks, barrier, operation, algorithm);
                let expected = settled(ranks, meet, act);
                assert!(
                    (simulated / expected - 1.0).abs() < 1e-4,
                    "{barrier} {operation} {ranks}: {simulated} is not {expected}"
                );
            }
        }
    }
}

/// By hand, 32 ranks: a rank that ends a binomial broadcast last leaves the barrier first, so that both count, ten
/// steps. The root of a linear gather leaves it when the last of the others has done so, two latencies before all is
/// there.
#[test]
fn a_barrier_of_exchanges_counts_or_hides() {
    let latencies = |barrier, operation, algorithm| measured(32, barrier, operation, algorithm) / LATENCY_S;
    let about = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-4, "{found} is not {expected}");
    about(latencies("recursive_doubling", "broadcast", "binomial"), 10.0);
    about(latencies("recursive_doubling", "gather", "linear"), 2.0);
    about(latencies("ideal", "broadcast", "binomial"), 5.0);
    about(latencies("ideal", "gather", "linear"), 1.0);
}

/// A root that releases all others at once has them wait for nothing but its messages: a broadcast from it hides.
#[test]
fn a_linear_barrier_hides_a_linear_broadcast() {
    assert!(measured(8, "linear", "broadcast", "linear") < 0.01 * LATENCY_S);
}

#[test]
fn one_rank_alone_and_odd_numbers_meet_too() {
    assert_eq!(measured(1, "recursive_doubling", "all_reduce", "recursive_doubling"), 0.0);
    for barrier in ["linear", "binomial", "recursive_doubling", "dissemination"] {
        for ranks in [2, 3, 5, 7, 12] {
            let time = measured(ranks, barrier, "all_reduce", "ring") / LATENCY_S;
            assert!(time > 0.9 * (2 * ranks - 2) as f64, "{barrier} {ranks}: {time}");
        }
    }
}

#[test]
fn repetitions_are_not_counted() {
    let record = run_replica(&text(8, "recursive_doubling", "broadcast", "binomial"), 0);
    assert_eq!(record.get("moved_bytes").and_then(Value::number), Some(7.0));
}

/// By rank: how long it took from leaving the barrier. The time that counts is the longest of these.
#[test]
fn ranks_are_timed_from_leaving_the_barrier() {
    let text = text(8, "recursive_doubling", "broadcast", "binomial") + "[output]\ntables = [\"ranks\"]\n";
    let record = run_replica(&text, 0);
    let times = column(&record, "ranks", "completed_s");
    assert_eq!(times.len(), 8);
    assert_eq!(times.iter().fold(0.0, |longest: f64, &time| longest.max(time)), metric(&record, "completion_s"));
    assert!(times.iter().any(|&time| time < metric(&record, "completion_s")), "{times:?}");
}

#[test]
fn an_unknown_barrier_is_refused() {
    refused(&text(8, "tree", "broadcast", "binomial"), "recursive_doubling");
}
