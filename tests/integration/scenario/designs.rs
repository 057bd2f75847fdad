//! Designs beyond the grid, and what they say of a workload whose completion has a closed form.

use std::collections::BTreeSet;

use hetsim::record::{Record, Value};
use hetsim::report::Reported as _;
use hetsim::report::chart::Picture;
use hetsim::report::output::results_csv;
use hetsim::report::sensitivity::{KeySensitivity, sensitivities, sensitivity_csv};
use hetsim::report::{Results, tables};
use hetsim::scenario::Scenario;

use crate::support::{self, ids};

/// Two nodes under Hockney's model: a message takes its latency and its size over the bandwidth, 125 bytes a
/// microsecond.
const PAIR: &str = r#"version = 1
[platform.cluster.pair]
nodes = 2
network = { model = "hockney", latency = "50us", bandwidth = "1Gbit/s" }
[workload]
kind = "broadcast"
size = "8KiB"
algorithm = "linear"
"#;

/// Latencies over 100 µs, and sizes over 200 µs.
const KEYS: &str = r#"
"platform.cluster.pair.network.latency" = { from = "10us", to = "110us" }
"workload.size" = { from = "0B", to = "25000B" }
"#;

#[track_caller]
fn read(more: &str) -> Scenario {
    support::read(&format!("{PAIR}{more}"))
}

fn run(scenario: &Scenario) -> Results<'_> {
    let replicas = scenario.file.replicas.most();
    let runs = (0..scenario.points.len()).flat_map(|point| (0..replicas).map(move |replica| (point, replica)));
    Results::new(scenario, runs.map(|(point, replica)| (point, replica, scenario.run(point, replica).unwrap())))
}

/// The values of a swept key at all points, as the results hold them.
fn column(scenario: &Scenario, name: &str) -> Vec<f64> {
    let axis = scenario.axes.iter().position(|axis| axis.name == name).unwrap();
    let value = |point: usize| scenario.axes[axis].values[scenario.points.choice(point, axis)].cell.number().unwrap();
    (0..scenario.points.len()).map(value).collect()
}

#[track_caller]
fn near(found: f64, expected: f64, share: f64) {
    assert!((found - expected).abs() <= share * expected.abs(), "{found} is not {expected}");
}

#[test]
fn a_latin_hypercube_has_each_stratum_of_each_key_once() {
    for placement in ["random", "centred", "maximin"] {
        let scenario = read(&format!(
            "[sweep]\ndesign = {{ kind = \"latin_hypercube\", points = 20, placement = \"{placement}\", seed = 3 }}\n\
            \"platform.cluster.pair.network.latency\" = {{ from = \"1us\", to = \"1ms\", scale = \"log\" }}\n\
            \"platform.cluster.pair.jitter\" = {{ from = 0.5, to = 1.5 }}\n\
            \"workload.size\" = {{ from = \"1B\", to = \"40B\" }}\n\
            \"workload.algorithm\" = {{ among = [\"linear\", \"chain\", \"binomial\", \"pipeline\"] }}\n"
        ));
        assert_eq!(scenario.points.len(), 20);
        let strata = |shares: Vec<f64>| {
            let mut strata: Vec<usize> = shares.iter().map(|share| (share * 20.0) as usize).collect();
            strata.sort_unstable();
            assert_eq!(strata, (0..20).collect::<Vec<_>>(), "{placement}");
        };
        strata(column(&scenario, "latency").iter().map(|latency| (latency / 1e-6).ln() / 1000f64.ln()).collect());
        strata(column(&scenario, "jitter").iter().map(|jitter| jitter - 0.5).collect());
        // Forty whole numbers: two in each stratum, the ends included.
        strata(column(&scenario, "size").iter().map(|size| (size - 1.0) / 40.0).collect());
        let axis = scenario.axes.iter().position(|axis| axis.name == "algorithm").unwrap();
        let counts = (0..4).map(|value| scenario.points.iter().filter(|point| point[axis] == value).count());
        assert_eq!(counts.collect::<Vec<_>>(), [5; 4], "equal shares");
    }
}

#[test]
fn a_larger_design_computes_only_what_is_new() {
    for (kind, amount) in [("random", "points"), ("sobol", "points"), ("morris", "trajectories"), ("saltelli", "rows")]
    {
        let of = |count: usize| read(&format!("[sweep]\ndesign = {{ kind = \"{kind}\", {amount} = {count} }}\n{KEYS}"));
        let (small, large) = (ids(&of(5)), ids(&of(9)));
        assert_eq!(small[..], large[..small.len()], "{kind}");
        assert!(large.len() > small.len());
    }
}

#[test]
fn repeated_points_of_a_design_are_points_of_their_own_and_one_run() {
    let scenario = read(
        "[sweep]\ndesign = { kind = \"morris\", trajectories = 10, levels = 2 }\n\
        \"workload.algorithm\" = { among = [\"linear\", \"chain\"] }\n\"workload.root\" = { from = 0, to = 1 }\n",
    );
    assert_eq!(scenario.points.len(), 30);
    assert_eq!(ids(&scenario).into_iter().collect::<BTreeSet<_>>().len(), 4, "two keys of two values");
    assert_eq!(column(&scenario, "point"), (0..30).map(f64::from).collect::<Vec<_>>());
}

#[test]
fn a_design_is_crossed_with_the_other_keys() {
    let scenario = read(&format!(
        "[[sweep]]\n\"workload.algorithm\" = [\"linear\", \"chain\"]\ndesign = {{ kind = \"sobol\", points = 4 }}{KEYS}\
        [[sweep]]\n\"workload.algorithm\" = [\"binomial\"]\n"
    ));
    assert_eq!(scenario.points.len(), 9);
    let latencies = column(&scenario, "latency");
    assert_eq!(latencies[..4], latencies[4..8], "both algorithms meet the same points");
    let last: Vec<&str> = scenario.values(8).map(|(_, value)| value.label.as_str()).collect();
    assert_eq!(last, ["binomial", "default", "50us", "8KiB"], "outside of the design");
    // The resolved scenario is the same one.
    let text = scenario.resolved().unwrap();
    let again = support::read(&text);
    assert_eq!(ids(&again), ids(&scenario));
}

#[test]
fn results_hold_the_number_and_the_values_of_each_point() {
    let scenario =
        read(&format!("[sweep]\ndesign = {{ kind = \"sobol\", points = 2, scramble = \"unscrambled\" }}{KEYS}"));
    let mut csv = Vec::new();
    results_csv(&run(&scenario), &mut csv).unwrap();
    let text = String::from_utf8(csv).unwrap();
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows[0][..6], ["run", "point", "latency", "size", "replica", "seed"]);
    // The sequence begins with 0 and 1/2.
    let numbers = |row: usize| rows[row][1..4].iter().map(|cell| cell.parse().unwrap()).collect::<Vec<f64>>();
    assert_eq!(numbers(1), [0.0, 10e-6, 0.0]);
    assert_eq!(numbers(2), [1.0, 60e-6, 12500.0]);
}

#[test]
fn effects_of_an_additive_completion_are_its_ranges() {
    let scenario = read(&format!(
        "[sweep]\ndesign = {{ kind = \"morris\", trajectories = 12 }}{KEYS}\"workload.root\" = {{ from = 0, to = 1 }}\n\
        [[sensitivity]]\nmetric = \"completion_s\"\n"
    ));
    assert_eq!(scenario.runs(), 12 * 4);
    let results = run(&scenario);
    let all = sensitivities(&results, &scenario.report().sensitivity);
    assert_eq!(all.len(), 1);
    // T = α + m/B: 100 µs and 200 µs from one end to the other; who sends makes no difference.
    for ((axis, found), expected) in all[0].keys.iter().zip([100e-6, 200e-6, 0.0]) {
        let KeySensitivity::Effects(Some(screening)) = found else { panic!("{found:?}") };
        assert_eq!(screening.effects, 12);
        assert!((screening.mean_size - expected).abs() < 2e-8, "{}: {screening:?}", scenario.axes[*axis].name);
        assert!((screening.mean - expected).abs() < 2e-8);
        // Whole bytes and ticks alone keep it from being zero.
        assert!(screening.deviation.unwrap() < 1e-8, "{screening:?}");
    }
    let table = &tables::tables(&results, &scenario.report().table, &scenario.report().sensitivity)[0];
    let order: Vec<&str> = table.rows.iter().map(|row| row[0].as_str()).collect();
    assert_eq!(order, ["size", "latency", "root"]);
}

#[test]
fn indices_of_an_additive_completion_are_the_squares_of_its_ranges() {
    let scenario = read(&format!(
        "[sweep]\n\"workload.algorithm\" = [\"linear\", \"chain\"]\ndesign = {{ kind = \"saltelli\", rows = 512 }}{KEYS}\
        [[sensitivity]]\nmetric = \"completion_s\"\nresamples = 100\nconfidence = 0.9\n"
    ));
    assert_eq!(scenario.points.len(), 2 * 512 * 4);
    let results = run(&scenario);
    let all = sensitivities(&results, &scenario.report().sensitivity);
    assert_eq!(all.len(), 2, "one for each algorithm");
    for sensitivity in &all {
        // Variances of uniform variables are as the squares of their ranges: 1 to 4.
        for ((_, found), share) in sensitivity.keys.iter().zip([0.2, 0.8]) {
            let KeySensitivity::Indices(Some((rows, index))) = found else { panic!("{found:?}") };
            assert_eq!(*rows, 512);
            near(index.first, share, 0.03);
            near(index.total, share, 0.03);
            let (low, high) = index.total_interval.unwrap();
            assert!(low < index.total && index.total < high);
        }
    }
    let mut csv = Vec::new();
    sensitivity_csv(&results, &all, &mut csv).unwrap();
    let text = String::from_utf8(csv).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let columns = "metric,algorithm,parameter,confidence,rows,first,first_low,first_high,total,total_low,total_high";
    assert_eq!(lines[0], columns);
    assert!(lines[1].starts_with("completion_s,linear,latency,0.9,512,0."), "{}", lines[1]);
    assert!(lines[4].starts_with("completion_s,chain,size,0.9,512,0."), "{}", lines[4]);
    assert_eq!(lines.len(), 5);
}

/// Indices stand on the scale that is asked for, as effects do.
#[test]
fn indices_have_the_scale_of_y() {
    let chart = |name: &str, more: &str| {
        format!("[[chart]]\nname = \"{name}\"\ntitle = \"it\"\nkind = \"sensitivity\"\ny = \"completion_s\"\n{more}")
    };
    let scenario = read(&format!(
        "[sweep]\ndesign = {{ kind = \"saltelli\", rows = 16 }}{KEYS}[[sensitivity]]\nmetric = \"completion_s\"\n{}{}",
        chart("a", ""),
        chart("b", "y_scale = \"log\"\n")
    ));
    let (results, spec) = (run(&scenario), scenario.report());
    let drawn = hetsim::report::chart::draw(&results, &spec.chart, &spec.sensitivity).unwrap();
    assert_ne!(drawn[0].svg, drawn[1].svg);
}

#[test]
fn what_does_not_vary_has_no_indices() {
    let scenario = read(
        "[sweep]\ndesign = { kind = \"saltelli\", rows = 4 }\n\"workload.root\" = { from = 0, to = 1 }\n\
        [[sensitivity]]\nmetric = \"completion_s\"\n[[chart]]\nname = \"what\"\nkind = \"sensitivity\"\ny = \"completion_s\"\n",
    );
    let results = run(&scenario);
    let all = sensitivities(&results, &scenario.report().sensitivity);
    assert_eq!(all[0].keys[0].1, KeySensitivity::Indices(None));
    let mut csv = Vec::new();
    sensitivity_csv(&results, &all, &mut csv).unwrap();
    assert!(String::from_utf8(csv).unwrap().ends_with("completion_s,root,0.95,,,,,,,\n"));
    let (picture, notes) = said(&scenario, &results);
    assert!(picture.svg.contains("no data"), "{}", picture.svg);
    assert_eq!(picture.notes, ["no index is known: completion does not vary"]);
    assert_eq!(notes, ["No index is known: completion does not vary."]);
}

/// The chart of a scenario, and the notes of its first table.
fn said(scenario: &Scenario, results: &Results<'_>) -> (Picture, Vec<String>) {
    let spec = scenario.report();
    let picture = hetsim::report::chart::draw(results, &spec.chart, &spec.sensitivity).unwrap().remove(0);
    (picture, tables::tables(results, &spec.table, &spec.sensitivity).remove(0).notes)
}

/// What is left out where the metric is blank is said, and a key of which nothing is known is named.
#[test]
fn blanks_of_a_design_are_said() {
    const CHART: &str = "[[sensitivity]]\nmetric = \"completion_s\"\n\
        [[chart]]\nname = \"what\"\nkind = \"sensitivity\"\ny = \"completion_s\"\n";
    let of = |design: &str, is_blank: fn(usize) -> bool| {
        let scenario = read(&format!("[sweep]\ndesign = {design}{KEYS}{CHART}"));
        let record = |point: usize| {
            let mut record = Record::default();
            let value = if is_blank(point) { Value::Blank } else { Value::Number((point * point % 7) as f64) };
            record.metric("completion_s", value);
            (point, 0, record)
        };
        let results = Results::new(&scenario, (0..scenario.points.len()).map(record));
        let (picture, notes) = said(&scenario, &results);
        assert_eq!(picture.notes.len(), notes.len(), "{notes:?}");
        (picture.notes, picture.svg)
    };
    // Rows of 4 points, and trajectories of 3.
    let (notes, _) = of("{ kind = \"saltelli\", rows = 8 }", |point| point < 5);
    assert_eq!(notes, ["6 of 8 rows have a value of completion at all points"]);
    let (notes, svg) = of("{ kind = \"saltelli\", rows = 8 }", |_| true);
    assert_eq!(notes, ["0 of 8 rows have a value of completion at all points", "no index is known"]);
    assert!(svg.contains("no data"), "{svg}");
    let (notes, svg) = of("{ kind = \"morris\", trajectories = 1 }", |point| point == 2);
    assert_eq!(notes[0], "0 of 1 trajectories have a value of completion at all points");
    let (known, unknown) =
        if notes[1] == "no effect of size is known" { ("latency", "size") } else { ("size", "latency") };
    assert_eq!(notes[1], format!("no effect of {unknown} is known"));
    assert!(svg.contains(&format!("{known}\n")) && !svg.contains(&format!(">\n{unknown}\n")), "{svg}");
}
