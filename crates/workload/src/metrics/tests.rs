//! The paper's propositions with their true cases of equality, its worked numbers, and what the metrics add up to.

use proptest::prelude::*;
use rand::RngExt;

use super::*;
use hetsim_base::engine::Streams;
use hetsim_base::record::{Metrics, Record, Value};
use hetsim_cluster::speeds::{Family, with_diversity};

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * (1.0 + a.abs().max(b.abs()))
}

/// Speeds, some of them equal, and shares, some of them 0; shares that differ do so by far more than rounding.
fn systems() -> impl Strategy<Value = (Vec<f64>, Vec<f64>)> {
    let node = (prop_oneof![(1..4u32).prop_map(f64::from), 0.1..10.0f64], 0..6u32);
    prop::collection::vec(node, 1..13).prop_filter_map("no work", |nodes| {
        let total: u32 = nodes.iter().map(|(_, part)| part).sum();
        let speeds = nodes.iter().map(|(speed, _)| *speed).collect();
        let shares = nodes.iter().map(|(_, part)| f64::from(*part) / f64::from(total)).collect();
        (total > 0).then_some((speeds, shares))
    })
}

/// The shares v_i / Σ v_k.
fn best(speeds: &[f64]) -> Vec<f64> {
    let total: f64 = speeds.iter().sum();
    speeds.iter().map(|speed| speed / total).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    /// Proposition 1: shares in proportion to speed take K/Σv, all others longer.
    #[test]
    fn shares_in_proportion_to_speed_are_the_best((speeds, shares) in systems(), operations in 1.0..1e12f64) {
        let least = operations / speeds.iter().sum::<f64>();
        prop_assert!(near(parallel_time(&busy_times(operations, &best(&speeds), &speeds)), least));
        let time = parallel_time(&busy_times(operations, &shares, &speeds));
        let differ = share_error(&shares, &speeds).unwrap() > 1e-9;
        let holds = if differ { time > least * (1.0 + 1e-10) } else { near(time, least) };
        prop_assert!(holds);
    }

    /// Proposition 2: T ≥ T_n ≥ T/n; the first with equality if just one node works, the second if shares are best.
    #[test]
    fn total_time_bounds_the_parallel_time((speeds, shares) in systems()) {
        let busy = busy_times(1.0, &shares, &speeds);
        let (total, longest, n) = (total_time(&busy), parallel_time(&busy), speeds.len() as f64);
        let alone = shares.iter().filter(|&&share| share > 0.0).count() == 1;
        let holds = if alone { total == longest } else { total > longest * (1.0 + 1e-9) };
        prop_assert!(holds);
        let differ = share_error(&shares, &speeds).unwrap() > 1e-9;
        let holds = if differ { longest > total / n * (1.0 + 1e-10) } else { near(longest, total / n) };
        prop_assert!(holds);
        let busy = busy_times(1.0, &best(&speeds), &speeds);
        prop_assert!(near(parallel_time(&busy), total_time(&busy) / n));
    }

    /// Proposition 3: v_min/v_max ≤ s ≤ s_max; the first with equality if a slowest node does everything, the second if
    /// shares are best.
    #[test]
    fn speedup_has_bounds((speeds, shares) in systems()) {
        let s = speedup_of_shares(&shares, &speeds).unwrap();
        let slowest = (0..speeds.len()).min_by(|&a, &b| speeds[a].total_cmp(&speeds[b])).unwrap();
        let (low, high) = (static_bound(&speeds).unwrap() / speeds.len() as f64, largest_speedup(&speeds).unwrap());
        let all_on_slowest = (0..speeds.len()).any(|node| shares[node] == 1.0 && speeds[node] == speeds[slowest]);
        let holds = if all_on_slowest { near(s, low) } else { s > low * (1.0 + 1e-10) };
        prop_assert!(holds);
        let differ = share_error(&shares, &speeds).unwrap() > 1e-9;
        let holds = if differ { s < high * (1.0 - 1e-10) } else { near(s, high) };
        prop_assert!(holds);
        prop_assert!(near(speedup_of_shares(&best(&speeds), &speeds).unwrap(), high));
        let mut alone = vec![0.0; speeds.len()];
        alone[slowest] = 1.0;
        prop_assert!(near(speedup_of_shares(&alone, &speeds).unwrap(), low));
    }

    /// Proposition 4: s ≤ n_eff. The equality is not only that of equal speeds, as the paper says: it holds if and only
    /// if every node that is slower than the fastest has nothing to do.
    #[test]
    fn speedup_is_at_most_the_effective_processors((speeds, shares) in systems()) {
        let s = speedup_of_shares(&shares, &speeds).unwrap();
        let n_eff = effective_processors_of_shares(&shares, &speeds).unwrap();
        let fastest = speeds.iter().copied().fold(0.0, f64::max);
        let slower_work = speeds.iter().zip(&shares).any(|(&speed, &share)| speed < fastest && share > 0.0);
        if slower_work {
            // What is missing: Σ (1 − v_i/v_max)·T_i / T_n.
            let busy = busy_times(1.0, &shares, &speeds);
            let lost: f64 = busy.iter().zip(&speeds).map(|(time, speed)| (1.0 - speed / fastest) * time).sum();
            prop_assert!(lost > 0.0 && near(n_eff - s, lost / parallel_time(&busy)));
        } else {
            prop_assert!(near(n_eff, s));
        }
        prop_assert!((1.0..=speeds.len() as f64 * (1.0 + 1e-12)).contains(&n_eff));
        let full = effective_processors_of_shares(&best(&speeds), &speeds).unwrap();
        prop_assert!(near(full, speeds.len() as f64));
        // All the work on the nodes that are as fast as the fastest.
        let quick: Vec<f64> = speeds.iter().zip(&shares).map(|(&v, &p)| if v == fastest { p + 0.5 } else { 0.0 }).collect();
        let quick: Vec<f64> = quick.iter().map(|share| share / quick.iter().sum::<f64>()).collect();
        let equal = effective_processors_of_shares(&quick, &speeds).unwrap();
        prop_assert!(near(speedup_of_shares(&quick, &speeds).unwrap(), equal));
    }

    /// The ways in which the paper writes the same: Eqs. 4 and 5, 6 and 9, 7, 15.
    #[test]
    fn equations_agree((speeds, shares) in systems(), operations in 1.0..1e12f64, wait in 0.0..3.0f64) {
        let fastest = speeds.iter().copied().fold(0.0, f64::max);
        let time = parallel_time(&busy_times(operations, &shares, &speeds));
        let s = speedup(operations / fastest, time).unwrap();
        prop_assert!(near(s, speedup_of_shares(&shares, &speeds).unwrap()));
        let largest = largest_speedup(&speeds).unwrap();
        prop_assert!(near(largest, speeds.len() as f64 / (1.0 + diversity(&speeds))));
        prop_assert!(near(efficiency(s, largest).unwrap(), operations / speeds.iter().sum::<f64>() / time));
        let completion = time * (1.0 + wait);
        let idle = idle_time(completion, time);
        prop_assert!(near(idle_diversity(idle, time).unwrap(), wait));
        prop_assert!(near(speedup_with_idle(s, idle, time).unwrap(), speedup(operations / fastest, completion).unwrap()));
        let equal = vec![1.0 / speeds.len() as f64; speeds.len()];
        prop_assert!(near(static_bound(&speeds).unwrap(), speedup_of_shares(&equal, &speeds).unwrap()));
    }

    /// Eqs. 11–13: two processors, the second h times as fast, the share p on the first.
    #[test]
    fn two_processors(h in 1.0..20.0f64, p in 0.0..=1.0f64, v in 0.1..10.0f64) {
        let (speeds, shares) = ([v, h * v], [p, 1.0 - p]);
        prop_assert!(near(diversity(&speeds), (h - 1.0) / (h + 1.0)));
        let slow_decides = p >= 1.0 / (1.0 + h);
        let s = if slow_decides { 1.0 / (h * p) } else { 1.0 / (1.0 - p) };
        let n_eff = if slow_decides { 1.0 + (1.0 - p) / (h * p) } else { 1.0 + h * p / (1.0 - p) };
        prop_assert!(near(speedup_of_shares(&shares, &speeds).unwrap(), s));
        prop_assert!(near(effective_processors_of_shares(&shares, &speeds).unwrap(), n_eff));
    }

    /// Diversities multiply to n/s_tot, and losses add up to n − s_tot, whatever was measured.
    #[test]
    fn losses_are_complete(
        nodes in prop::collection::vec((0.1..10.0f64, 0.0..100.0f64, 0.1..1e3f64), 1..40),
        serial_s in prop::option::of(1.0..1e4f64), completion in 0.1..1e4f64,
    ) {
        let speeds: Vec<f64> = nodes.iter().map(|node| node.0).collect();
        let busy_s: Vec<f64> = nodes.iter().map(|node| node.1 + 0.01).collect();
        let operations: Vec<f64> = nodes.iter().map(|node| node.2).collect();
        let measured =
            Measured { speeds: &speeds, busy_s: &busy_s, operations: &operations, serial_s, completion_s: Some(completion) };
        let of = Performance::of(&measured);
        let (total, n) = (of.speedup.unwrap(), nodes.len() as f64);
        let product = (1.0 + of.d_conf.unwrap()) * (1.0 + of.d_dist.unwrap()) * (1.0 + of.d_id.unwrap());
        prop_assert!((product / (n / total) - 1.0).abs() < 1e-9, "{product} {total}");
        let lost = of.lost_to_heterogeneity.unwrap() + of.lost_to_distribution.unwrap() + of.lost_to_idle.unwrap();
        let scale = n + total + of.speedup_no_idle.unwrap();
        prop_assert!((total + lost - n).abs() < 1e-12 * scale, "{total} {lost}");
        prop_assert_eq!(of.scaling.is_some(), total > of.s_max.unwrap() * (1.0 + 1e-9));
    }

    /// Where nodes compute at their nominal speeds, what is measured is what shares and speeds say.
    #[test]
    fn measured_is_closed_at_nominal_speeds((speeds, shares) in systems(), operations in 1.0..1e12f64) {
        let busy_s = busy_times(operations, &shares, &speeds);
        let done: Vec<f64> = shares.iter().map(|share| share * operations).collect();
        let measured =
            Measured { speeds: &speeds, busy_s: &busy_s, operations: &done, serial_s: None, completion_s: None };
        let of = Performance::of(&measured);
        prop_assert!(near(of.speedup_no_idle.unwrap(), of.speedup_closed.unwrap()));
        prop_assert!(near(of.n_eff.unwrap(), of.n_eff_closed.unwrap()));
        prop_assert!(near(of.busy_max_s.unwrap(), parallel_time(&busy_s)));
        prop_assert!(of.lost_to_distribution.unwrap() > -1e-9);
        // Without a completion, nothing is known of idling.
        prop_assert_eq!((of.idle_s, of.speedup, of.efficiency, of.d_id, of.lost_to_idle), (None, None, None, None, None));
    }
}

/// The example of §3.4, with h = 2; and a case of equality in Proposition 4 with unequal speeds.
#[test]
fn two_processors_by_hand() {
    let speeds = [1.0, 2.0];
    let s = |p: f64| speedup_of_shares(&[p, 1.0 - p], &speeds).unwrap();
    let n_eff = |p: f64| effective_processors_of_shares(&[p, 1.0 - p], &speeds).unwrap();
    assert!(near(diversity(&speeds), 1.0 / 3.0));
    assert!(near(s(1.0 / 3.0), 1.5) && near(n_eff(1.0 / 3.0), 2.0));
    assert!(near(s(0.5), 1.0) && near(n_eff(0.5), 1.5));
    assert_eq!((s(0.0), n_eff(0.0)), (1.0, 1.0));
}

/// Fig. 4 and the text beside it: 32 clients of diversity 0.96; the static bound of 8.5 means v_min/v_max = 0.266.
#[test]
fn the_cluster_of_figure_4() {
    let draws: Vec<f64> = (0..32).map(|node| Streams::new(1, 0).stream("speed", node).random()).collect();
    let speeds = with_diversity(Family::LogNormal, 0.96, &draws).unwrap();
    assert_eq!(format!("{:.1}", largest_speedup(&speeds).unwrap()), "16.3");
    let mut speeds = [1.0; 32];
    speeds[7] = 0.266;
    assert_eq!(format!("{:.1}", static_bound(&speeds).unwrap()), "8.5");
    // The printed run, each metric to the digits given: s = 15.3, T_n = 361 s, T_id = 37.8 s, s_tot = 13.9.
    assert!((speedup_with_idle(15.3, 37.8, 361.0).unwrap() - 13.9).abs() < 0.1);
}

#[test]
fn nothing_computed_leaves_only_what_speeds_say() {
    let measured = Measured {
        speeds: &[1.0, 4.0],
        busy_s: &[0.0; 2],
        operations: &[0.0; 2],
        serial_s: None,
        completion_s: Some(2.0),
    };
    let of = Performance::of(&measured);
    let speeds_say = Performance {
        s_max: Some(1.25),
        static_bound: Some(0.5),
        d_conf: Some(0.6),
        lost_to_heterogeneity: Some(0.75),
        ..Performance::default()
    };
    assert!(near(of.d_conf.unwrap(), 0.6));
    assert_eq!(Performance { d_conf: Some(0.6), ..of }, speeds_say);
    assert_eq!(Performance::of(&Measured { busy_s: &[], operations: &[], ..measured }), of);
    let none = Measured { speeds: &[], busy_s: &[], operations: &[], serial_s: None, completion_s: Some(2.0) };
    assert_eq!(Performance::of(&none), Performance::default());
    assert_eq!(share_error(&[], &[]), None);
    assert_eq!(static_bound(&[]), None);
}

#[test]
fn a_memory_hierarchy_may_be_super_linear() {
    // Two equal nodes; alone, one would take 30 s for what the two do in 10 s.
    let measured = Measured {
        speeds: &[1.0, 1.0],
        busy_s: &[10.0, 10.0],
        operations: &[10.0, 10.0],
        serial_s: Some(30.0),
        completion_s: Some(10.0),
    };
    let of = Performance::of(&measured);
    assert_eq!((of.speedup, of.scaling), (Some(3.0), Some("super-linear")));
    assert_eq!((of.lost_to_distribution, of.n_eff), (Some(-1.0), Some(2.0)));
    assert_eq!(Performance::of(&Measured { serial_s: None, ..measured }).scaling, None);
}

#[test]
fn metrics_are_what_is_written() {
    let measured = Measured {
        speeds: &[1.0, 3.0],
        busy_s: &[2.0, 1.0],
        operations: &[2.0, 3.0],
        serial_s: None,
        completion_s: Some(2.5),
    };
    let mut record = Record::default();
    Performance::of(&measured).write(&mut record);
    let names: Vec<&str> = record.metrics.iter().map(|(name, _)| &**name).collect();
    assert_eq!(names, Performance::METRICS.iter().map(|metric| metric.name).collect::<Vec<_>>());
    // T_1,min = 5/3.
    for (name, value) in [
        ("busy_max_s", 2.0),
        ("idle_s", 0.5),
        ("speedup", 2.0 / 3.0),
        ("speedup_no_idle", 5.0 / 6.0),
        ("speedup_closed", 5.0 / 6.0),
        ("s_max", 4.0 / 3.0),
        ("static_bound", 2.0 / 3.0),
        ("efficiency", 0.5),
        ("n_eff", 1.5),
        ("n_eff_closed", 1.5),
        ("d_conf", 0.5),
        ("d_dist", 0.6),
        ("d_id", 0.25),
        ("lost_to_heterogeneity", 2.0 / 3.0),
        ("lost_to_distribution", 0.5),
        ("lost_to_idle", 1.0 / 6.0),
        ("share_error", 0.15),
    ] {
        let written = record.get(name).and_then(Value::number).unwrap();
        assert!(near(written, value), "{name}: {written}");
    }
    assert_eq!(record.get("scaling"), Some(&Value::Blank));
}
