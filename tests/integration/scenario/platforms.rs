//! What a scenario says of its platform: links, loads, factors, speeds and faults.

use std::fs;

use hetsim::cluster::NodeId;
use hetsim::record::Value;
use hetsim::scenario::Scenario;
use hetsim::units::Time;
use tempfile::TempDir;

use super::{BROADCAST, LAB, TWO, microseconds, read_in};
use crate::support::{near, read};

#[test]
fn links_between_clusters() {
    let folder = TempDir::new().expect("a folder");
    let three = format!(
        "{TWO}[platform.cluster.c]\nnodes = 2\nnetwork = {{ model = \"hockney\", latency = \"50us\", bandwidth = \"1Gbit/s\" }}\n"
    );
    let read = |between: &str| read_in(folder.path(), &format!("version = 1\n{three}{between}{BROADCAST}"), &[]);
    let all = |scenario: &Scenario| {
        let pairs = [(0, 2), (2, 0), (0, 4), (4, 0), (2, 4), (4, 2)];
        pairs.map(|(from, to)| microseconds(scenario, from, to).round() as u32)
    };
    let plain = "[platform.between]\nnetwork = { model = \"hockney\", latency = \"1ms\", bandwidth = \"1Gbit/s\" }\n";
    assert_eq!(all(&read(plain)), [1000; 6]);
    let link =
        |keys: &str, latency: &str| format!("[[platform.link]]\n{keys}\nnetwork = {{ latency = \"{latency}\" }}\n");
    let ab = link("between = [\"a\", \"b\"]", "2ms");
    assert_eq!(all(&read(&format!("{plain}{ab}"))), [2000, 2000, 1000, 1000, 1000, 1000]);
    let one_way = link("between = [\"b\", \"a\"]\none_way = true", "3ms");
    assert_eq!(all(&read(&format!("{plain}{ab}{one_way}"))), [2000, 3000, 1000, 1000, 1000, 1000]);
    let rows = "[[\"0s\", \"1ms\", \"2ms\"], [\"3ms\", \"0s\", \"4ms\"], [\"5ms\", \"6ms\", \"0s\"]]";
    let network = "network = { model = \"hockney\", bandwidth = \"1Gbit/s\" }\n";
    let matrix = read(&format!("[platform.between]\nlatency = {rows}\n{network}"));
    assert_eq!(all(&matrix), [1000, 3000, 2000, 5000, 4000, 6000]);
    let overridden =
        read(&format!("[platform.between]\nlatency = {rows}\n{network}{}", link("between = [\"c\", \"a\"]", "9ms")));
    assert_eq!(all(&overridden), [1000, 3000, 9000, 9000, 4000, 6000]);
    // In a file the clusters may stand in another order, and the diagonal may be left out.
    fs::write(folder.path().join("m.csv"), "# measured\n,c,a,b\na,2ms,,1ms\nb,4ms,3ms\nc,0s,5ms,6ms\n")
        .expect("a file");
    let file = read(&format!("[platform.between]\nlatency = \"m.csv\"\n{network}").replace("b,4ms,3ms\n", ""));
    assert_eq!(all(&file), [1000, 3000, 2000, 5000, 4000, 6000]);
    // Links alone do where they reach all pairs, each with a model of its own.
    let whole = |pair: &str, model: &str| format!("[[platform.link]]\nbetween = {pair}\nnetwork = {model}\n");
    let alone = format!(
        "{}{}{}",
        whole("[\"a\", \"b\"]", "{ model = \"ideal\" }"),
        whole("[\"a\", \"c\"]", "{ model = \"delay\", latency = \"2ms\", bandwidth = \"1GB/s\" }"),
        whole(
            "[\"b\", \"c\"]",
            "{ model = \"loggp\", latency = \"1ms\", overhead = \"1ms\", gap = \"0s\", gap_per_byte = \"0s/B\" }"
        ),
    );
    assert_eq!(all(&read(&alone)), [0, 0, 2000, 2000, 3000, 3000]);
}

#[test]
fn loads_and_factors_over_time() {
    let folder = TempDir::new().expect("a folder");
    fs::write(folder.path().join("slow.csv"), "time_s,value\n# from the start\n0,2\n").expect("a file");
    let text = |keys: &str| format!("version = 1\n{LAB}{keys}\n{BROADCAST}").replace("8KiB", "0B");
    let completion = |keys: &str| {
        let record = read_in(folder.path(), &text(keys), &[]).run(0, 0).expect("a run");
        record.get("completion_s").and_then(Value::number).expect("a number")
    };
    // A binomial tree of 4 nodes takes two rounds.
    near(completion(""), 100e-6);
    near(completion("latency_factor = { file = \"slow.csv\" }"), 200e-6);
    near(
        completion("latency_factor = { steps = [{ from = \"0s\", value = 2 }, { from = \"60us\", value = 1 }] }"),
        150e-6,
    );
    for profile in [
        "{ kind = \"constant\", tasks = 1 }",
        "{ kind = \"periodic\", tasks = 1, period = \"1s\", busy = \"0.5s\" }",
        "{ kind = \"random\", tasks = 2, mean_idle = \"1s\", mean_busy = \"1s\" }",
        "{ kind = \"trace\", file = \"slow.csv\" }",
    ] {
        near(completion(&format!("load = [{{ nodes = [0, 3], profile = {profile} }}]")), 100e-6);
    }
}

#[test]
fn speeds() {
    let speeds = |keys: &str| {
        let scenario = read(&format!("version = 1\n{keys}\n{BROADCAST}"));
        (0..4).map(|node| scenario.first_platform().unwrap().speed_per_second(NodeId(node))).collect::<Vec<f64>>()
    };
    let close = |found: &[f64], wanted: [f64; 4]| found.iter().zip(wanted).for_each(|(&a, b)| near(a, b));
    close(&speeds(LAB), [1e9; 4]);
    close(&speeds(&format!("{LAB}speed = \"2.5GHz\"")), [2.5e9; 4]);
    close(&speeds(&format!("{LAB}speeds = [\"1Gop/s\", \"2Gop/s\", \"3Gop/s\", \"4Gop/s\"]")), [1e9, 2e9, 3e9, 4e9]);
    for distribution in [
        "uniform\", from = 0.5, to = 1.5",
        "normal\", mean = 1, deviation = 0.2",
        "log_normal\", mean = 0, deviation = 0.2",
        "gamma\", shape = 4, scale = 0.25",
    ] {
        let drawn = speeds(&format!("{LAB}speed_factor = {{ distribution = \"{distribution} }}"));
        assert!(drawn.iter().all(|&speed| speed > 1e8 && speed < 1e10), "{distribution}: {drawn:?}");
        assert!(drawn.windows(2).any(|pair| pair[0] != pair[1]), "{distribution}: {drawn:?}");
    }
    let both = format!(
        "{LAB}[platform.cluster.other]\nnodes = 20\nspeed = \"4Gop/s\"\n\
         network = {{ model = \"hockney\", latency = \"50us\", bandwidth = \"1Gbit/s\" }}\n\
         [platform.between]\nnetwork = {{ model = \"hockney\", latency = \"5ms\", bandwidth = \"1Gbit/s\" }}\n"
    );
    let all = |keys: &str| {
        let scenario = read(&format!("version = 1\n{keys}\n{both}{BROADCAST}"));
        let platform = scenario.first_platform().unwrap();
        (0..24).map(|node| platform.speed_per_second(NodeId(node))).collect::<Vec<f64>>()
    };
    for family in ["two_class", "uniform", "log_normal", "power_law", "clock_rates"] {
        // One cluster keeps its speeds; the other has its total, a diversity and a slowest node.
        let keys = format!(
            "platform.diversity = 0.96\nplatform.diversity_family = \"{family}\"\nplatform.diversity_slowest = 0.266\n\
             platform.diversity_over = [\"other\"]\nplatform.diversity_keeps = "
        );
        for (keeps, kept) in [("total", 80e9), ("fastest", 80e9 / 1.96)] {
            let drawn = all(&format!("{keys}\"{keeps}\""));
            assert_eq!(drawn[..4], [1e9; 4]);
            let total: f64 = drawn[4..].iter().sum();
            assert!((total / kept - 1.0).abs() < 1e-12, "{family} {keeps}: {total}");
            let fastest = drawn[4..].iter().copied().fold(0.0, f64::max);
            let slowest = drawn[4..].iter().copied().fold(f64::INFINITY, f64::min);
            assert!((20.0 * fastest / total - 1.96).abs() < 1e-9 && (slowest / fastest - 0.266).abs() < 1e-15);
        }
    }
    for family in ["two_class", "uniform", "log_normal", "power_law"] {
        let drawn = speeds(&format!("platform.diversity = 0.25\nplatform.diversity_family = \"{family}\"\n{LAB}"));
        // Bazterra et al. 2005, Eq. 10: n v_max / Σ v - 1.
        let fastest = drawn.iter().copied().fold(0.0, f64::max);
        near(4.0 * fastest / drawn.iter().sum::<f64>() - 1.0, 0.25);
        near(fastest, 1e9);
    }
}

#[test]
fn faults() {
    use hetsim::cluster::{Fault, Outage};
    let faults = |keys: &str| {
        read(&format!("version = 1\n{LAB}{keys}\n{BROADCAST}")).first_platform().unwrap().faults().to_vec()
    };
    assert!(faults("").is_empty());
    let second = Time(1_000_000_000_000);
    let outage =
        |from: u64, until: Option<u64>| Outage { from: second * from, until: until.map(|until| second * until) };
    let found = faults(
        "fault = [{ nodes = [1], profile = { kind = \"at\", from = \"5s\", until = \"7s\" } },\n\
         { nodes = [1, 2], profile = { kind = \"at\", from = \"6s\" } },\n\
         { nodes = [3, 1], profile = { kind = \"exponential\", mean_up = \"3s\", mean_down = \"2s\" } },\n\
         { nodes = [3], profile = { kind = \"weibull\", shape = 2, scale = \"3s\" } }]",
    );
    let drawn = Fault::exponential(second * 3, Some(second * 2)).expect("valid");
    let weibull = Fault::weibull(2.0, second * 3, None).expect("valid");
    let known = |from| Fault::at(vec![outage(from, None)]).expect("valid");
    assert_eq!(found, [vec![], vec![drawn.clone(), known(5)], vec![known(6)], vec![drawn, weibull]]);
}
