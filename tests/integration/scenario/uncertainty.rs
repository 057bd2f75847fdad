//! Values that are known within an interval: how they are drawn, what they change, and what is refused.

use hetsim::report::Results;
use hetsim::scenario::Scenario;

use crate::support::{here, hetsim, ids, metric, near, printed, read, refused, try_read_in};

/// A message of no bytes from one node to another, whose latency is uncertain.
fn message(replicas: u32, more: &str) -> Scenario {
    read(&format!(
        "version = 1\nreplicas = {replicas}\n[platform.cluster.lab]\nnodes = 2\n\
         network = {{ model = \"hockney\", latency = \"50us\", bandwidth = \"1Gbit/s\" }}\n\
         [workload]\nkind = \"broadcast\"\nsize = \"0B\"\nalgorithm = \"linear\"\n{more}"
    ))
}

/// The latencies that the replicas of a point have drawn, in microseconds.
fn latencies(scenario: &Scenario, point: usize) -> Vec<f64> {
    let run = |replica| metric(&scenario.run(point, replica).unwrap(), "completion_s") * 1e6;
    (0..scenario.file.replicas.most()).map(run).collect()
}

fn mean_and_deviation(values: &[f64]) -> (f64, f64) {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (values.len() - 1) as f64;
    (mean, variance.sqrt())
}

const LATENCY: &str = "\"platform.cluster.lab.network.latency\"";

#[test]
fn values_are_drawn_as_said() {
    let drawn = |range: &str| latencies(&message(4000, &format!("[uncertainty]\n{LATENCY} = {range}\n")), 0);
    // Normal: 95 % within 40 and 60 is a deviation of 10 / 1.96 = 5.1.
    let values = drawn("{ low = \"40us\", high = \"60us\" }");
    let (mean, deviation) = mean_and_deviation(&values);
    let within = values.iter().filter(|value| (40.0..60.0).contains(*value)).count() as f64 / 4000.0;
    assert!((mean - 50.0).abs() < 0.35 && (deviation - 5.102).abs() < 0.25, "{mean} {deviation}");
    assert!((within - 0.95).abs() < 0.014, "{within}");
    // Log-normal: the logarithm is normal between those of 20 and 80.
    let logarithms: Vec<f64> =
        drawn("{ low = \"20us\", high = \"80us\", scale = \"log\" }").iter().map(|value| value.ln()).collect();
    let (mean, deviation) = mean_and_deviation(&logarithms);
    assert!((mean - 40f64.ln()).abs() < 0.025 && (deviation - 2f64.ln() / 1.96).abs() < 0.02, "{mean} {deviation}");
    // Even.
    let values = drawn("{ from = \"40us\", to = \"60us\" }");
    let (mean, deviation) = mean_and_deviation(&values);
    assert!((mean - 50.0).abs() < 0.4 && (deviation - 20.0 / 12f64.sqrt()).abs() < 0.2, "{mean} {deviation}");
    assert!(values.iter().all(|value| (40.0..=60.0).contains(value)));
}

#[test]
fn all_points_have_the_same_draws() {
    let more = format!(
        "[sweep]\n\"workload.root\" = [0, 1]\n[uncertainty]\n{LATENCY} = {{ low = \"40us\", high = \"60us\" }}\n"
    );
    let scenario = message(5, &more);
    let values = latencies(&scenario, 0);
    assert_eq!(values, latencies(&scenario, 1));
    assert!(values.windows(2).all(|pair| pair[0] != pair[1]));
    // Another uncertain key leaves them as they are; another range, or none, makes other runs.
    let with_another =
        format!("{more}\"platform.cluster.lab.network.bandwidth\" = {{ low = \"1Gbit/s\", high = \"2Gbit/s\" }}\n");
    assert_eq!(values, latencies(&message(5, &with_another), 0));
    let plain = message(5, "");
    let wider = message(5, &more.replace("60us", "70us"));
    let even = message(5, &more.replace("low", "from").replace("high", "to"));
    let all = [&scenario, &plain, &wider, &even].map(|scenario| ids(scenario)[0]);
    assert!((0..4).all(|a| (0..a).all(|b| all[a] != all[b])));
}

/// Keys are drawn independently, also where their ranges are alike.
#[test]
fn keys_have_draws_of_their_own() {
    let size = "\"workload.size\" = { from = \"0B\", to = \"2500B\" }\n";
    let latency = format!("{LATENCY} = {{ from = \"40us\", to = \"60us\" }}\n");
    let drawn = |keys: &str| {
        let values = latencies(&message(400, &format!("[uncertainty]\n{keys}")), 0);
        let (mean, deviation) = mean_and_deviation(&values);
        values.iter().map(|value| (value - mean) / deviation).collect::<Vec<f64>>()
    };
    let correlation = drawn(size).iter().zip(drawn(&latency)).map(|(a, b)| a * b).sum::<f64>() / 399.0;
    // A standard error of 5 %.
    assert!(correlation.abs() < 0.2, "{correlation}");
}

#[test]
fn keys_of_workloads_and_whole_numbers() {
    let scenario = message(200, "[uncertainty]\n\"workload.size\" = { from = \"1B\", to = \"3B\" }\n");
    // 50 µs and 8 ns a byte.
    let mut sizes: Vec<u32> =
        latencies(&scenario, 0).iter().map(|time| ((time - 50.0) / 0.008).round() as u32).collect();
    sizes.sort_unstable();
    let count = |size| sizes.iter().filter(|other| **other == size).count();
    assert_eq!(count(1) + count(2) + count(3), 200);
    assert!((1..=3).all(|size| (45..90).contains(&count(size))), "{sizes:?}");
}

/// Tables show what a further run may be, not how well the mean is known.
#[test]
fn intervals_are_those_of_a_further_run() {
    let range = format!("[uncertainty]\n{LATENCY} = {{ low = \"40us\", high = \"60us\" }}\n");
    let summary = |more: &str| {
        let scenario = message(100, more);
        let runs = (0..100).map(|replica| (0, replica, scenario.run(0, replica).unwrap()));
        let results = Results::new(&scenario, runs.collect::<Vec<_>>());
        results.summary(0, results.column("completion_s").unwrap()).unwrap()
    };
    let half = |more: &str| {
        let (low, high) = summary(more).interval.unwrap();
        (high - low) / 2.0
    };
    near(half(&range), half(&format!("{range}[output]\ninterval = {{ method = \"prediction\" }}\n")));
    // √(1 + n) times that of the mean.
    near(half(&range), half(&format!("{range}[output]\ninterval = {{ method = \"student\" }}\n")) * 101f64.sqrt());
    let text = format!(
        "version = 1\nreplicas = 9\n[platform.cluster.lab]\nnodes = 2\nnetwork = {{ model = \"hockney\", latency = \"50us\", \
         bandwidth = \"1Gbit/s\" }}\n[workload]\nkind = \"broadcast\"\nsize = \"0B\"\nalgorithm = \"linear\"\n{range}\
         [sweep]\n\"workload.root\" = [0, 1]\n[[table]]\nrows = \"root\"\nmetric = \"completion_s\"\n"
    );
    let folder = here(&[("u.toml", &text)]);
    let printed = printed(hetsim(&folder).args(["u.toml"]));
    assert!(printed.contains("Means over replicas, n = 9, ± half the 95 % interval of a further run."), "{printed}");
}

#[test]
fn what_is_refused() {
    let text = |replicas: u32, uncertain: &str| {
        format!(
            "version = 1\nreplicas = {replicas}\n[platform.cluster.lab]\nnodes = 2\n\
             network = {{ model = \"hockney\", latency = \"50us\", bandwidth = \"1Gbit/s\" }}\n[workload]\nkind = \"broadcast\"\n\
             size = \"0B\"\nalgorithm = \"linear\"\n[sweep]\n\"platform.cluster.lab.network.bandwidth\" = [\"1Gbit/s\", \"2Gbit/s\"]\n\
             [uncertainty]\n{uncertain}\n"
        )
    };
    let range = "{ low = \"40us\", high = \"60us\" }";
    refused(
        &text(1, &format!("{LATENCY} = {range}")),
        "each replica draws the uncertain values anew, and there is one",
    );
    for (uncertain, why) in [
        (format!("\"platform.cluster.lab.network.latancy\" = {range}"), "is uncertain, and does not exist"),
        (
            "\"platform.cluster.lab.load.0.profile.tasks\" = { from = 1, to = 2 }".to_owned(),
            "the list `platform.cluster.lab.load` has no entries here",
        ),
        (
            "\"platform.cluster.lab.speeds.7\" = { low = \"1Gop/s\", high = \"2Gop/s\" }".to_owned(),
            "the list `platform.cluster.lab.speeds` has no entries here",
        ),
        (
            "\"platform.cluster.lab.network.model\" = { from = 1, to = 2 }".to_owned(),
            "`platform.cluster.lab.network.model` is uncertain, and is neither a number nor a quantity",
        ),
        ("\"workload.kind\" = { from = 1, to = 2 }".to_owned(), "is neither a number nor a quantity"),
        (
            format!("\"platform.between.network.latency\" = {range}"),
            "is uncertain, and the scenario has no `platform.between.network`",
        ),
        (format!("\"output.replicas\" = {range}"), "keys of `platform` and `workload` can be uncertain"),
        (
            format!("\"platform.cluster.lab.network.bandwidth\" = {range}"),
            "`platform.cluster.lab.network.bandwidth` is swept",
        ),
        (format!("{LATENCY} = {{ low = \"40us\" }}"), "a range needs `high`"),
        (format!("{LATENCY} = {{ low = \"40us\", to = \"60us\" }}"), "unknown key `to` in a range"),
        (format!("{LATENCY} = {{ low = 40, high = 60 }}"), "needs a unit"),
        (format!("{LATENCY} = {{ low = \"0s\", high = \"60us\", scale = \"log\" }}"), "above zero"),
        ("\"platform.cluster.lab.nodes\" = { from = 0, to = 4 }".to_owned(), "`nodes` must be at least 1"),
        (format!("{LATENCY} = {{ low = \"60us\", high = \"40us\" }}"), "the range has `low` above `high`"),
        (format!("{LATENCY} = {{ from = \"60us\", to = \"40us\" }}"), "the range has `from` above `to`"),
        (
            format!("{LATENCY} = {{ low = \"40us\", high = \"40us\" }}"),
            "a range that an uncertain value is drawn from has more than one value",
        ),
    ] {
        refused(&text(3, &uncertain), why);
    }
}

/// A value on the command line that would be drawn over is refused.
#[test]
fn what_is_drawn_cannot_be_set() {
    let text = format!(
        "version = 1\nreplicas = 2\n[platform.cluster.lab]\nnodes = 2\nnetwork = {{ model = \"hockney\", latency = \"50us\", \
         bandwidth = \"1Gbit/s\" }}\n[workload]\nkind = \"broadcast\"\nsize = \"0B\"\nalgorithm = \"linear\"\n[uncertainty]\n\
         {LATENCY} = {{ low = \"40us\", high = \"60us\" }}\n"
    );
    let set = |value: &str| try_read_in(".", &text, &[value]).map(drop).map_err(|problems| problems.to_string());
    let refused = set("platform.cluster.lab.network.latency=\"70us\"").unwrap_err();
    assert!(refused.contains("is drawn, so this value would change nothing"), "{refused}");
    assert_eq!(set("platform.cluster.lab.network.bandwidth=\"2Gbit/s\""), Ok(()));
}

/// A draw that the scenario does not allow fails its run, and says why.
#[test]
fn a_draw_below_zero_fails_its_run() {
    let scenario = message(200, &format!("[uncertainty]\n{LATENCY} = {{ low = \"1us\", high = \"90us\" }}\n"));
    let failures: Vec<String> =
        (0..200).filter_map(|replica| scenario.run(0, replica).err().map(String::from)).collect();
    assert!((1..20).contains(&failures.len()), "{failures:?}");
    assert!(
        failures.iter().all(|failure| failure.starts_with("with the values that [uncertainty] draws for it: ")),
        "{failures:?}"
    );
}
