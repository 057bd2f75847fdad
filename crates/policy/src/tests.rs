//! What every policy keeps to, and worked sequences of chunks.

use proptest::prelude::*;

use super::*;

fn setup(speeds: &[f64]) -> Setup<'_> {
    Setup { speeds, shares: &[], chunk: 1, variation: 0.0 }
}

/// The chunks of a round in which the workers ask in turn.
fn chunks(policy: Policy, setup: &Setup<'_>, tasks: u32) -> Vec<u32> {
    let mut policy = policy.chunk_policy(setup);
    policy.begin(tasks);
    in_turn(&mut policy, setup.speeds.len() as u32, tasks)
}

fn in_turn(policy: &mut ChunkPolicy, workers: u32, tasks: u32) -> Vec<u32> {
    let mut left = tasks;
    let mut chunks = Vec::new();
    while left > 0 {
        let chunk = policy.chunk(chunks.len() as u32 % workers, left);
        chunks.push(chunk);
        left -= chunk;
    }
    chunks
}

fn report(tasks: u32, seconds: f64) -> ChunkReport {
    ChunkReport { tasks, seconds, squares: seconds * seconds / f64::from(tasks) }
}

#[test]
fn names_are_the_same_everywhere() {
    for &policy in Policy::ALL {
        assert_eq!(serde_json::to_value(policy).unwrap(), policy.name());
        assert_eq!(policy.name().parse(), Ok(policy));
    }
    let error = "gided".parse::<Policy>().unwrap_err();
    assert!(error.to_string().starts_with("\"gided\" is not a policy; expected one of static_equal,"));
    let dealt = Policy::ALL.iter().filter(|policy| policy.kind() == Kind::Static).count();
    assert_eq!((dealt, Policy::Stealing.kind(), Policy::Adaptive.kind()), (4, Kind::Stealing, Kind::SelfScheduling));
}

/// 1000 iterations on 4 processors, the example by which A. T. Chronopoulos, R. Andonie, M. Benche, D. Grosu compare
/// the rules (*A class of loop self-scheduling for heterogeneous clusters*, CLUSTER 2001).
#[test]
fn a_thousand_tasks_on_four_workers() {
    let setup = setup(&[1.0; 4]);
    assert_eq!(
        chunks(Policy::Guided, &setup, 1000),
        [250, 188, 141, 106, 79, 59, 45, 33, 25, 19, 14, 11, 8, 6, 4, 3, 3, 2, 1, 1, 1, 1]
    );
    assert_eq!(chunks(Policy::Trapezoid, &setup, 1000), [125, 117, 109, 101, 93, 85, 77, 69, 61, 53, 45, 37, 28]);
    // Rounded up in each batch, as Flynn Hummel, Schonberg and Flynn do: ⌈1000/8⌉, ⌈500/8⌉, ⌈248/8⌉, …
    let halves: Vec<u32> = [125, 63, 31, 16, 8, 4, 2, 1].iter().flat_map(|&size| [size; 4]).collect();
    assert_eq!(chunks(Policy::Factoring2, &setup, 1000), halves);
    assert_eq!(chunks(Policy::Fixed, &Setup { chunk: 300, ..setup }, 1000), [300, 300, 300, 100]);
    assert_eq!(chunks(Policy::Adaptive, &setup, 1000), [1; 1000]);
}

#[test]
fn the_least_chunk_is_kept() {
    let setup = Setup { chunk: 50, ..setup(&[1.0; 4]) };
    assert_eq!(chunks(Policy::Guided, &setup, 1000), [250, 188, 141, 106, 79, 59, 50, 50, 50, 27]);
    // f = 125, l = 50, C = ⌈2000/175⌉ = 12, δ = ⌊75/11⌋ = 6.
    assert_eq!(chunks(Policy::Trapezoid, &setup, 1000), [125, 119, 113, 107, 101, 95, 89, 83, 77, 71, 20]);
    assert_eq!(chunks(Policy::Factoring2, &setup, 1000), [125, 125, 125, 125, 63, 63, 63, 63, 50, 50, 50, 50, 48]);
}

/// Factoring with a known deviation, by hand. For σ = µ: b_0 = 4/(2√1000) = 0.0632, x_0 = 1.0935, ⌈1000/(4·1.0935)⌉ =
/// 229; of the 84 left b_1 = 0.218, x_1 = 2.487, ⌈84/9.947⌉ = 9; of 48, x_2 = 8/3 and ⌈4.5⌉ = 5; and so on.
#[test]
fn factoring_by_hand() {
    let equal = setup(&[1.0; 4]);
    assert_eq!(chunks(Policy::Factoring, &equal, 1000), [250; 4]);
    assert_eq!(chunks(Policy::Factoring, &equal, 1001), [251, 251, 251, 248]);
    let expected: Vec<u32> = [229, 9, 5, 3, 2, 1, 1].iter().flat_map(|&size| [size; 4]).collect();
    assert_eq!(chunks(Policy::Factoring, &Setup { variation: 1.0, ..equal }, 1000), expected);
}

/// 100 tasks, weights ½, ½, 1, 2. The first batch is 4·⌈100/8⌉ = 52: 6.5 and 6.5 rounded up, 13, and what remains of
/// 26.
#[test]
fn weighted_factoring_by_hand() {
    let expected = [7, 7, 13, 25, 3, 3, 6, 12, 2, 2, 3, 5, 1, 1, 2, 4, 1, 1, 1, 1];
    assert_eq!(chunks(Policy::WeightedFactoring, &setup(&[1.0, 1.0, 2.0, 4.0]), 100), expected);
}

/// Powers 1, 1 and 2: the third gets two chunks of the trapezoid of four workers, 125, 117, 109, 101, 93, … at once, and
/// 1 − (3/4)² of the remaining tasks by the guided rule.
#[test]
fn distributed_schemes_by_hand() {
    let setup = setup(&[3.0, 3.0, 6.0]);
    assert_eq!(chunks(Policy::DistributedTrapezoid, &setup, 1000), [125, 117, 210, 93, 85, 146, 61, 53, 82, 28]);
    assert_eq!(
        chunks(Policy::DistributedGuided, &setup, 1000),
        [250, 188, 246, 79, 60, 78, 25, 19, 25, 8, 6, 7, 3, 2, 2, 1, 1]
    );
}

#[test]
fn static_policies_by_hand() {
    let here = [true; 3];
    let speeds = [1.0, 2.0, 4.0];
    let setup = Setup { shares: &[0.5, 0.5, 0.0], ..setup(&speeds) };
    assert_eq!(Policy::StaticEqual.chunk_policy(&setup).deal(10, &here), [4, 3, 3]);
    assert_eq!(Policy::StaticShares.chunk_policy(&setup).deal(10, &here), [5, 5, 0]);
    assert_eq!(Policy::StaticNominal.chunk_policy(&setup).deal(10, &here), [1, 3, 6]);
    assert_eq!(Policy::Stealing.chunk_policy(&setup).deal(10, &[true, false, true]), [5, 0, 5]);
    // Who is left has no share of its own.
    assert_eq!(Policy::StaticShares.chunk_policy(&setup).deal(10, &[false, false, true]), [0, 0, 10]);
}

#[test]
fn static_measured_probes_once_and_learns() {
    let mut policy = Policy::StaticMeasured.chunk_policy(&setup(&[1.0; 3]));
    policy.begin(10);
    assert_eq!(policy.deal(10, &[true, true, false]), [1, 1, 0]);
    policy.observe(0, &report(1, 1.0));
    policy.observe(1, &report(1, 3.0));
    assert_eq!(policy.deal(8, &[true, true, false]), [6, 2, 0]);
    policy.observe(0, &report(6, 6.0));
    policy.observe(1, &report(2, 2.0));
    // 7 tasks in 7 s, 3 in 5 s: rates 1 and 0.6; the third, never measured, counts as 0.8.
    policy.begin(24);
    assert_eq!(policy.deal(24, &[true; 3]), [10, 6, 8]);
    let mut few = Policy::StaticMeasured.chunk_policy(&setup(&[1.0; 3]));
    assert_eq!(few.deal(2, &[true; 3]), [1, 1, 0]);
}

#[test]
fn awf_learns_from_earlier_rounds_only() {
    let mut policy = Policy::AdaptiveWeightedFactoring.chunk_policy(&setup(&[1.0; 2]));
    policy.begin(40);
    assert_eq!((policy.chunk(0, 40), policy.chunk(1, 30)), (10, 10));
    policy.observe(0, &report(10, 10.0));
    policy.observe(1, &report(10, 30.0));
    assert_eq!((policy.chunk(0, 20), policy.chunk(1, 15)), (5, 5));
    // Rates 1 and 1/3: weights 1.5 and 0.5.
    policy.begin(40);
    assert_eq!((policy.chunk(0, 40), policy.chunk(1, 25)), (15, 5));
    // The second round counts twice: π_0 = (10 + 2·50)/(10 + 2·10) = 11/3, π_1 = (30 + 2·10)/(10 + 2·10) = 5/3, so the
    // weights are 2·3/(3 + 6.6) = 0.625 and 1.375.
    policy.observe(0, &report(10, 50.0));
    policy.observe(1, &report(10, 10.0));
    policy.begin(400);
    assert_eq!((policy.chunk(0, 400), policy.chunk(1, 337)), (63, 137));
}

#[test]
fn awf_b_learns_at_batches_and_awf_c_at_chunks() {
    let fast_and_slow = |policy: &mut ChunkPolicy| {
        policy.observe(0, &report(10, 10.0));
        policy.observe(1, &report(10, 30.0));
    };
    let mut batches = Policy::AdaptiveWeightedFactoringBatch.chunk_policy(&setup(&[1.0; 2]));
    batches.begin(100);
    assert_eq!(batches.chunk(0, 100), 25);
    fast_and_slow(&mut batches);
    assert_eq!(batches.chunk(1, 75), 25, "still the first batch");
    assert_eq!((batches.chunk(0, 50), batches.chunk(1, 30)), (20, 6));

    let mut chunks = Policy::AdaptiveWeightedFactoringChunk.chunk_policy(&setup(&[1.0; 2]));
    chunks.begin(100);
    assert_eq!(chunks.chunk(0, 100), 25);
    fast_and_slow(&mut chunks);
    // ½·⌈75/4⌉ = 9.5 and 1.5·⌈65/4⌉ = 25.5, rounded up.
    assert_eq!((chunks.chunk(1, 75), chunks.chunk(0, 65)), (10, 26));
}

/// µ = 1, σ² = 2 and µ = 2, σ² = 4: D = 4, T = 2/3. Of 300 tasks TR = 200, √(16 + 3200) = 56.71, so that the numerator
/// is 347.29: 173.6 tasks for the first, 86.8 for the second.
#[test]
fn adaptive_factoring_by_hand() {
    let mut policy = Policy::AdaptiveFactoring.chunk_policy(&setup(&[1.0; 2]));
    policy.begin(1000);
    assert_eq!((policy.chunk(0, 1000), policy.chunk(1, 990)), (10, 10), "nothing is known yet");
    policy.observe(0, &ChunkReport { tasks: 3, seconds: 3.0, squares: 7.0 });
    policy.observe(1, &ChunkReport { tasks: 2, seconds: 4.0, squares: 12.0 });
    assert_eq!((policy.chunk(0, 300), policy.chunk(1, 300)), (174, 87));
    assert_eq!(policy.chunk(0, 1000), 250, "no more than N/(2P)");
    // Without any deviation, the worker's whole part.
    let mut steady = Policy::AdaptiveFactoring.chunk_policy(&setup(&[1.0; 2]));
    steady.begin(1000);
    steady.observe(0, &report(10, 10.0));
    steady.observe(1, &report(10, 20.0));
    assert_eq!((steady.chunk(0, 300), steady.chunk(1, 100)), (200, 34));
}

/// A worker may fail at any time: its tasks come back. Whatever happens, every task is handed out once.
#[derive(Debug, Clone)]
struct Case {
    speeds: Vec<f64>,
    shares: Vec<f64>,
    chunk: u32,
    variation: f64,
    rounds: Vec<u32>,
    /// What happens next, over and over.
    script: Vec<(u32, u32)>,
}

fn cases() -> impl Strategy<Value = Case> {
    let workers = prop::collection::vec((0.01..100.0f64, 0..3u32), 1..12);
    let rounds = prop::collection::vec(prop_oneof![0..5u32, 0..3000u32], 1..4);
    let script = prop::collection::vec((any::<u32>(), any::<u32>()), 8..40);
    (workers, prop_oneof![Just(1u32), 1..20u32], prop_oneof![Just(0.0), 0.0..5.0f64], rounds, script).prop_map(
        |(workers, chunk, variation, rounds, script)| {
            let total: u32 = workers.iter().map(|(_, share)| share).sum();
            Case {
                speeds: workers.iter().map(|(speed, _)| *speed).collect(),
                shares: workers.iter().map(|(_, share)| f64::from(*share) / f64::from(total.max(1))).collect(),
                chunk,
                variation,
                rounds,
                script,
            }
        },
    )
}

/// A round under random requests, reports and failures; how many tasks were done.
fn play(policy: &mut ChunkPolicy, kind: Kind, case: &Case, tasks: u32) -> Result<u32, TestCaseError> {
    policy.begin(tasks);
    let workers = case.speeds.len();
    let mut script = case.script.iter().copied().cycle();
    let (mut left, mut done) = (tasks, 0);
    let mut out: Vec<(usize, u32)> = Vec::new();
    let mut failures = 50;
    while left > 0 || !out.is_empty() {
        let (choice, other) = script.next().unwrap();
        let may_hand_out = left > 0 && (kind == Kind::SelfScheduling || out.is_empty());
        if may_hand_out && (out.is_empty() || choice % 2 == 0) {
            let asked = other as usize % workers;
            let dealt: Vec<u32> = if kind == Kind::SelfScheduling && choice % 8 != 0 {
                let mut dealt = vec![0; workers];
                dealt[asked] = policy.chunk(asked as u32, left);
                prop_assert!((1..=left).contains(&dealt[asked]), "{} of {left}", dealt[asked]);
                dealt
            } else {
                // One worker at least is there.
                let present: Vec<bool> = (0..workers).map(|w| w == asked || (choice >> (w % 16)) & 1 == 1).collect();
                let dealt = policy.deal(left, &present);
                prop_assert_eq!(dealt.len(), workers);
                prop_assert!((0..workers).all(|worker| present[worker] || dealt[worker] == 0));
                dealt
            };
            let sum: u32 = dealt.iter().sum();
            prop_assert!((1..=left).contains(&sum), "{sum} of {left}");
            left -= sum;
            out.extend(dealt.into_iter().enumerate().filter(|(_, chunk)| *chunk > 0));
        } else {
            let (worker, chunk) = out.swap_remove(other as usize % out.len());
            if choice % 16 == 1 && failures > 0 {
                failures -= 1;
                left += chunk;
            } else {
                done += chunk;
                // Some tasks take no time at all.
                let task = if choice % 11 == 0 { 0.0 } else { f64::from(1 + other % 7) / case.speeds[worker] };
                let seconds = task * f64::from(chunk);
                let squares = task * seconds * (1.0 + f64::from(choice % 3));
                policy.observe(worker as u32, &ChunkReport { tasks: chunk, seconds, squares });
            }
        }
    }
    Ok(done)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn every_task_is_handed_out_once(case in cases()) {
        let setup =
            Setup { speeds: &case.speeds, shares: &case.shares, chunk: case.chunk, variation: case.variation };
        for &policy in Policy::ALL {
            let mut state = policy.chunk_policy(&setup);
            for &tasks in &case.rounds {
                prop_assert_eq!(play(&mut state, policy.kind(), &case, tasks)?, tasks, "{}", policy);
            }
        }
    }

    /// On equal workers the weighted rules are those without weights, until they measure something.
    #[test]
    fn equal_workers_need_no_weights(workers in 1..40usize, tasks in 1..20_000u32, chunk in 1..20u32) {
        let speeds = vec![3.3; workers];
        let setup = Setup { chunk, ..setup(&speeds) };
        let halves = chunks(Policy::Factoring2, &setup, tasks);
        prop_assert_eq!(chunks(Policy::WeightedFactoring, &setup, tasks), halves.clone());
        prop_assert_eq!(chunks(Policy::AdaptiveWeightedFactoring, &setup, tasks), halves.clone());
        prop_assert_eq!(chunks(Policy::AdaptiveWeightedFactoringBatch, &setup, tasks), halves);
        let guided = chunks(Policy::Guided, &setup, tasks);
        prop_assert_eq!(chunks(Policy::DistributedGuided, &setup, tasks), guided);
        let trapezoid = chunks(Policy::Trapezoid, &setup, tasks);
        prop_assert_eq!(chunks(Policy::DistributedTrapezoid, &setup, tasks), trapezoid);
    }

    /// Measured rates in any proportion are weights, whose mean is 1.
    #[test]
    fn weights_add_up_to_the_workers(reports in prop::collection::vec((0..10u32, 1..50u32, prop_oneof![1e-3..1e3f64, Just(1e-12)]), 0..60)) {
        let mut rates = rates::Rates::new(10);
        for (number, &(worker, tasks, seconds)) in reports.iter().enumerate() {
            rates.add(worker, &ChunkReport { tasks, seconds, squares: 0.0 }, (number + 1) as f64);
        }
        // Whatever rates were lost in the sum, it is made anew after as many reports as there are workers.
        for _ in 0..10 {
            rates.add(0, &ChunkReport { tasks: 1, seconds: 1.0, squares: 0.0 }, 1.0);
        }
        let sum: f64 = (0..10).map(|worker| rates.weight(worker)).sum();
        prop_assert!((sum - 10.0).abs() < 1e-9, "{sum}");
    }
}
