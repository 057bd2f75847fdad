//! Tests of whole calibrations, of models whose values are known.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::*;

/// Latency, bandwidth, a part of the latency, and a key that nothing depends on.
const TEXT: &str = "# of a laboratory\n[platform.cluster.lab]\nnodes = 2\n[platform.cluster.lab.network] # the switch\n\
    model = \"loggp\"\nlatency = \"10us\"  # a guess\nbandwidth = \"1GB/s\"\noverhead = \"2us\"\nhandshake = \"1us\"\n";

fn keys(names: &[&str]) -> Vec<Key> {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    Key::find_all(&names, TEXT).unwrap()
}

/// The points: sizes from 1 B to 16 MiB.
fn sizes() -> Vec<f64> {
    (0..25).map(|exponent| f64::from(1 << exponent)).collect()
}

fn measured(model: impl Fn(f64) -> f64) -> Measured {
    Measured::new(sizes().into_iter().map(|size| (model(size), "a")))
}

fn calibrated(names: &[&str], measured: &Measured, model: impl Fn(&[f64], f64) -> f64 + Sync) -> Calibration {
    let predict = |values: &[f64]| -> Vec<f64> { sizes().into_iter().map(|size| model(values, size)).collect() };
    let stop = AtomicBool::new(false);
    let mut evaluations = Evaluations::new(&predict, &stop);
    calibrate(&keys(names), measured, &mut evaluations, Some(1), &mut |_, _, _| {}).unwrap()
}

fn is_near(value: f64, expected: f64, share: f64) -> bool {
    (value / expected - 1.0).abs() <= share
}

#[test]
fn known_values_are_found_again() {
    let truth = measured(|size| 3.2e-6 + size / 12.5e9);
    let found = calibrated(&["latency", "network.bandwidth"], &truth, |v, size| v[0] + size / v[1]);
    assert!(is_near(found.values[0], 3.2e-6, 1e-3) && is_near(found.values[1], 12.5e9, 1e-3), "{found:?}");
    assert!(found.error < 1e-3 && found.first_error > 1.0, "{found:?}");
    assert!(found.trade_offs.is_empty(), "{found:?}");
    for (range, value) in found.ranges.iter().zip(&found.values) {
        let (low, high) = (range.low.unwrap(), range.high.unwrap());
        assert!(low < *value && *value < high && low > 0.9 * value && high < 1.1 * value, "{found:?}");
    }
}

/// Near values are found without the strategy, by fewer evaluations.
#[test]
fn a_search_can_stay_near_its_start() {
    let sizes = sizes();
    let predict = |values: &[f64]| -> Vec<f64> { sizes.iter().map(|size| values[0] + size / values[1]).collect() };
    let truth = Measured::new(predict(&[1.1e-6, 9e9]).into_iter().map(|time| (time, "a")));
    let stop = AtomicBool::new(false);
    let found = [None, Some(1)].map(|seed| {
        let mut evaluations = Evaluations::new(&predict, &stop);
        calibrate(&keys(&["latency", "bandwidth"]), &truth, &mut evaluations, seed, &mut |_, _, _| {}).unwrap()
    });
    for found in &found {
        assert!(is_near(found.values[0], 1.1e-6, 1e-2) && is_near(found.values[1], 9e9, 1e-2), "{found:?}");
    }
    assert!(found[0].evaluations < found[1].evaluations, "{found:?}");
}

/// A third of the points are three times too slow: the others still decide.
#[test]
fn outliers_do_not_rule() {
    let truth = measured(|size| {
        let outlier = (size.log2() as u32).is_multiple_of(3);
        (3.2e-6 + size / 12.5e9) * if outlier { 3.0 } else { 1.0 }
    });
    let found = calibrated(&["latency", "bandwidth"], &truth, |v, size| v[0] + size / v[1]);
    assert!(is_near(found.values[0], 3.2e-6, 0.1) && is_near(found.values[1], 12.5e9, 0.1), "{found:?}");
}

/// What the data say nothing about keeps the file's value, and is reported.
#[test]
fn a_key_without_effect_is_not_determined() {
    let truth = measured(|size| 3.2e-6 + size / 12.5e9);
    let found = calibrated(&["latency", "bandwidth", "handshake"], &truth, |v, size| v[0] + size / v[1]);
    assert_eq!(found.ranges[2], KeyCertainty { low: None, high: None });
    assert_eq!(found.values[2], 1e-6);
    assert!(found.ranges[..2].iter().all(|range| range.low.is_some() && range.high.is_some()));
    assert!(found.trade_offs.is_empty(), "{found:?}");
}

/// Only the product of two keys has an effect: neither is determined, and both are named.
#[test]
fn keys_that_trade_off_are_named() {
    let truth = measured(|size| 3.2e-6 + size / 12.5e9);
    let model = |v: &[f64], size: f64| (v[0] * v[2]).sqrt() + size / v[1];
    let found = calibrated(&["latency", "bandwidth", "overhead"], &truth, model);
    assert_eq!(found.trade_offs.len(), 1, "{found:?}");
    let keys: Vec<usize> = found.trade_offs[0].keys.iter().map(|(key, _)| *key).collect();
    assert_eq!(keys, [0, 2]);
    let TradeOff { keys: parts, along } = &found.trade_offs[0];
    assert!(parts[0].1 * parts[1].1 < 0.0, "one up, the other down: {found:?}");
    assert!((along[0] + along[2]).abs() < 1e-3 && along[1].abs() < 1e-3, "their product stays: {found:?}");
    assert!(is_near(found.values[0] * found.values[2], 3.2e-6f64.powi(2), 1e-2), "{found:?}");
    let ratio = |range: &KeyCertainty| range.high.zip(range.low).map_or(f64::INFINITY, |(high, low)| high / low);
    assert!(ratio(&found.ranges[0]) > 10.0 && ratio(&found.ranges[1]) < 1.1, "{found:?}");
}

/// The points are somewhat better explained by no overhead at all, since they fall with the size: the file's is as good,
/// and the latency is fitted beside it.
#[test]
fn a_key_that_runs_to_its_bound_keeps_the_file_s_value() {
    let truth = measured(|size| 12e-6 * (1.0 - 1e-3 * size.log2()));
    let model = |v: &[f64], size: f64| v[0] + v[1] * (1.0 + 4e-3 * size.log2());
    let found = calibrated(&["latency", "overhead"], &truth, model);
    let overhead = keys(&["overhead"]).remove(0);
    assert_eq!(found.fixed, [FixedKey { key: 1, bound: overhead.low, value: 2e-6 }], "{found:?}");
    assert!(found.values[1] == 2e-6 && is_near(found.values[0], 9.8e-6, 0.01), "{found:?}");
    assert_eq!(found.ranges[1], KeyCertainty { low: None, high: None });
    assert!(found.ranges[0].low.is_some() && found.ranges[0].high.is_some(), "{found:?}");
    // Their sum is all that the points tell.
    assert_eq!(found.trade_offs.len(), 1, "{found:?}");
}

/// With the file's value the points would be explained worse.
#[test]
fn a_key_that_the_points_drive_to_its_bound_stays_there() {
    let truth = measured(|size| 1e-6 + size / 12.5e9);
    let model = |v: &[f64], size: f64| v[0] + size / v[v.len() - 1];
    let found = calibrated(&["latency=4us..20us", "bandwidth"], &truth, model);
    assert_eq!(found.fixed, [FixedKey { key: 0, bound: 4e-6, value: 4e-6 }], "{found:?}");
    assert!(found.values[0] == 4e-6 && found.ranges[1].low.is_some(), "{found:?}");
    // No key is left to be searched.
    let found = calibrated(&["latency=4us..20us"], &truth, |v, size| v[0] + size / 12.5e9);
    assert_eq!((found.fixed.len(), found.values[0]), (1, 4e-6), "{found:?}");
}

/// A minimum far from the file's values, behind a worse one.
#[test]
fn a_better_region_far_away_is_found() {
    let truth = measured(|_| 1.0);
    let model = |v: &[f64], _: f64| {
        let (x, y) = ((v[0] / 1e-4).ln(), (v[1] / 2e8).ln());
        let (near, far) = ((v[0] / 1e-5).ln().hypot((v[1] / 1e9).ln()), x.hypot(y));
        (0.5 + near.powi(2)).min(far.powi(2)).exp()
    };
    let found = calibrated(&["latency", "bandwidth"], &truth, model);
    assert!(is_near(found.values[0], 1e-4, 0.01) && is_near(found.values[1], 2e8, 0.01), "{found:?}");
}

/// Interrupted at any evaluation and begun anew, on one thread or two, the same comes out.
#[test]
fn the_same_comes_out_after_an_interruption_and_on_other_threads() {
    let truth = measured(|size| 3.2e-6 + size / 12.5e9);
    let keys = keys(&["latency", "bandwidth", "overhead"]);
    let run = |threads: usize, saved: &Mutex<String>, last: usize| {
        let (calls, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
        let predict = |values: &[f64]| -> Vec<f64> {
            if calls.fetch_add(1, Ordering::Relaxed) + 1 == last {
                stop.store(true, Ordering::Relaxed);
            }
            sizes().into_iter().map(|size| values[0] + values[2] + size / values[1]).collect()
        };
        let save = |lines: &str| {
            lines.clone_into(&mut saved.lock().unwrap());
            Ok(())
        };
        let before = saved.lock().unwrap().clone();
        let mut evaluations = Evaluations::new(&predict, &stop).kept(&before, 1, &save);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let found = pool.install(|| calibrate(&keys, &truth, &mut evaluations, Some(5), &mut |_, _, _| {}));
        (found, calls.load(Ordering::Relaxed))
    };
    let (whole, all) = run(1, &Mutex::default(), usize::MAX);
    assert_eq!(run(2, &Mutex::default(), usize::MAX).0, whole);
    for last in [1, 100, all - 3] {
        let saved = Mutex::default();
        assert_eq!(run(1, &saved, last).0, Err(Halt::Interrupted), "{last}");
        let (resumed, calls) = run(2, &saved, usize::MAX);
        assert_eq!(resumed, whole);
        // The last one may have been unfinished, and is done again.
        assert!(calls <= all - last + 1, "{calls} of {all} again after {last}");
    }
}

#[test]
fn values_are_replaced_in_place() {
    let keys = keys(&["bandwidth", "latency"]);
    let text = replaced(TEXT, &keys, &[2.283e10, 4.2e-6]);
    let expected = TEXT.replace("\"1GB/s\"", "\"22.83GB/s\"").replace("\"10us\"", "\"4.2us\"");
    assert_eq!(text, expected);
}

#[test]
fn values_have_few_digits() {
    let keys = keys(&["bandwidth", "latency"]);
    assert_eq!(keys[0].text(keys[0].rounded(22_831_234_567.0)), "22.83GB/s");
    assert_eq!(keys[1].text(keys[1].rounded(4.201_96e-6)), "4.202us");
    assert_eq!(keys[1].text(keys[1].rounded(9.999_96e-6)), "10us");
    assert_eq!(keys[1].text(keys[1].rounded(4.201_96e-9)), "4202ps");
    assert_eq!(keys[1].rounded(4.201_96e-6), 4.202e-6);
}

#[test]
fn wrong_keys_are_explained() {
    let fault = |asked: &str| {
        let problems = Key::find_all(&[asked.to_owned()], TEXT).unwrap_err();
        format!("{} ({})", problems[0].message, problems[0].help.clone().unwrap_or_default())
    };
    for (asked, word) in [
        ("latnecy", "did you mean `latency`?"),
        ("network.bandwith", "did you mean `network.bandwidth`?"),
        ("nodes", "not a quantity"),
        ("model", "not a quantity"),
        ("latency=1us", "no bounds"),
        ("latency=20us..30us", "10us, lies outside"),
        ("latency=1us..2", "not a value of this key"),
        ("latency=0us..20us", "above zero"),
    ] {
        assert!(fault(asked).contains(word), "{asked}: {}", fault(asked));
    }
    let two = ["latency".to_owned(), "network.latency".to_owned()];
    assert!(Key::find_all(&two, TEXT).unwrap_err()[0].message.contains("twice"));
    let several = TEXT.to_owned() + "[platform.cluster.other.network]\nlatency = \"0s\"\n";
    let fault = Key::find_all(&["latency".to_owned()], &several).unwrap_err().remove(0).message;
    assert!(fault.contains("cluster.lab.network.latency, cluster.other.network.latency"), "{fault}");
    let fault = Key::find_all(&["other.network.latency".to_owned()], &several).unwrap_err().remove(0).message;
    assert!(fault.contains("from zero"), "{fault}");
}

#[test]
fn keys_of_levels_are_set_together() {
    let level = |domain: &str, latency: &str, bandwidth: &str| {
        format!(
            "[[cluster.lab.level]]\ndomain = \"{domain}\"\nnetwork = {{ latency = \"{latency}\", bandwidth = \"{bandwidth}\" }}\n"
        )
    };
    let text = level("node", "400ns", "5GB/s") + &level("socket", "0.1us", "10GB/s");
    let keys = |asked: &[&str]| {
        let asked: Vec<String> = asked.iter().map(|&name| name.to_owned()).collect();
        Key::find_all(&asked, &text)
    };
    let socket = keys(&["socket.network.latency"]).unwrap().remove(0);
    assert_eq!((socket.path.as_str(), socket.start), ("cluster.lab.level.1.network.latency", 0.1e-6));
    let both = keys(&["level.*.network.latency", "level.*.network.bandwidth"]).unwrap();
    assert_eq!((both[0].path.as_str(), both[0].start), ("level.*.network.latency", 0.4e-6));
    let set: Vec<(&str, f64)> = both[0].set(0.123_45e-6).collect();
    assert_eq!(set[1], ("cluster.lab.level.1.network.latency", 30.86e-9));
    let written = replaced(&text, &both, &[200e-9, 4e9]);
    assert_eq!(written, level("node", "200ns", "4GB/s") + &level("socket", "0.05us", "8GB/s"));
    let rack = "[[cluster.lab.level]]\nsize = 8\nnetwork = { latency = \"2us\" }\n";
    let only = Key::find_all(&["level.network.latency".to_owned()], rack).unwrap().remove(0);
    assert_eq!(only.path, "cluster.lab.level.0.network.latency");
    // A key that is named by itself is not one of several.
    let own = keys(&["level.*.network.latency", "node.network.latency"]).unwrap();
    assert_eq!((own[0].path.as_str(), own[0].start), ("cluster.lab.level.1.network.latency", 0.1e-6));
    for (asked, word) in [
        (&["*.network.latency", "level.*.network.latency"][..], "named twice"),
        (&["level.1.network.*"], "another quantity"),
        (&["numa.network.latency"], "no such key"),
    ] {
        let fault = keys(asked).unwrap_err().remove(0).message;
        assert!(fault.contains(word), "{asked:?}: {fault}");
    }
}
