//! An evolution strategy by a master and slaves: closed forms, the paper's claims as properties, and what the keys
//! refuse.
//!
//! That S_i add up to S and lie within one individual of proportional is tested where they are made, in
//! `policy::apportion`; what the strategies find in `search::strategy`.

use hetsim::record::{Record, Value};
use hetsim::scenario::Scenario;

use crate::support::{column, metric, try_read_in};

/// Four slaves and a master, an ideal network, and only time: an iteration of the benchmark takes 1 ms.
const QUIET: &str = r#"
version = 1
[platform.cluster.master]
nodes = 1
network = { model = "ideal" }
[platform.cluster.slaves]
nodes = 4
network = { model = "ideal" }
[platform.between]
network = { model = "ideal" }
[workload]
kind = "evolution"
population = 40
generations = 2
rounds = 3
task = { distribution = "constant", operations = "1kop" }
evaluations = 100
distribution = "equal"
[output]
tables = ["nodes", "series"]
"#;

fn read(overrides: &[&str]) -> Result<Scenario, String> {
    try_read_in(".", QUIET, overrides).map_err(|problems| problems.to_string())
}

fn run(overrides: &[&str]) -> Record {
    read(overrides).unwrap_or_else(|problems| panic!("{problems}")).run(0, 0).unwrap()
}

const LOADED: &str = "platform.cluster.slaves.load=[{nodes=[0],profile={kind='constant',tasks=1}},\
                      {nodes=[1],profile={kind='constant',tasks=2}}]";

/// Without load and overhead: the benchmark's span, and a round after the other, each with the master's evaluations.
#[test]
fn a_quiet_cluster_takes_the_closed_form() {
    // 10 individuals, 2 generations of 100 evaluations of 1 us; then the master evaluates 4 individuals.
    let rounds = 3.0 * (10.0 * 2.0 * 100.0 * 1e-6 + 4.0 * 1e-6);
    assert!((metric(&run(&[]), "completion_s") - rounds).abs() < 1e-15);
    let measured = run(&["workload.distribution='benchmark'"]);
    assert!((metric(&measured, "completion_s") - (0.1 + rounds)).abs() < 1e-15);
    assert!((metric(&measured, "benchmark_s") - 0.1).abs() < 1e-15);
    // 100 iterations of 10 individuals in 0.1 s.
    assert_eq!(column(&measured, "nodes", "power"), [1e4; 4]);
    // Only what the master does keeps the speedup from 4.
    assert!((metric(&run(&[]), "speedup") - 4.0 * 2e-3 / 2.004e-3).abs() < 1e-12);
    // With the master on one of four nodes, everything is the same but for its place.
    let together = run(&["workload.master_computes=true", "platform.cluster.slaves.nodes=3"]);
    assert!((metric(&together, "completion_s") - rounds).abs() < 1e-15);
}

/// S_i = S·P_i/P_T with P_i of unequal nodes under load.
#[test]
fn individuals_go_by_power() {
    let measured = run(&[LOADED, "workload.distribution='benchmark'", "workload.population=1700"]);
    // 1/2, 1/3, 1 and 1 of 17/6; 33 whole iterations are counted of 33.3.
    let power: Vec<f64> = column(&measured, "nodes", "power");
    assert_eq!(power, [5000.0, 3300.0, 10_000.0, 10_000.0]);
    assert_eq!(column(&measured, "nodes", "individuals"), [300.0, 198.0, 601.0, 601.0]);
    let best = column(&measured, "nodes", "best_share");
    assert!((best[0] - 300.0).abs() < 1e-9 && (best[1] - 200.0).abs() < 1e-9 && (best[2] - 600.0).abs() < 1e-9);
    let error = (2.0 / 200.0 + 2.0 / 600.0) / 4.0;
    assert!((metric(&measured, "distribution_error") - error).abs() < 1e-9);
}

#[test]
fn balancing_beats_none_under_load() {
    let time = |distribution: &str, more: &[&str]| {
        let distribution = format!("workload.distribution='{distribution}'");
        let overrides = [&[LOADED, "workload.population=4000", &distribution], more].concat();
        metric(&run(&overrides), "completion_s")
    };
    let [none, nominal, dealt, balanced] = ["equal", "nominal", "round_robin", "benchmark"].map(|d| time(d, &[]));
    assert_eq!(none, nominal);
    assert_eq!(none, dealt);
    // The slowest decides: 1/3 against 17/6 over 4.
    assert!((none / (balanced - 0.1) - (17.0 / 6.0) / (4.0 / 3.0)).abs() < 0.02, "{none} {balanced}");
    // Whoever is free takes the next: the load is followed too.
    assert!((balanced - 0.1 - time("largest_first", &[])).abs() < 0.02 * balanced);
    // A small population does not pay for its benchmark.
    assert!(time("benchmark", &["workload.population=40"]) > time("equal", &["workload.population=40"]));
}

/// The quantum of a round robin is simulated exactly, and its effect goes to the share 1/(k + 1) as it gets short.
#[test]
fn round_robin_converges_to_its_share() {
    let time = |quantum: &str| {
        let load = format!("platform.cluster.slaves.load=[{{profile={{kind='constant',tasks=2{quantum}}}}}]");
        metric(&run(&[&load, "workload.population=4000"]), "completion_s")
    };
    let share = time("");
    let mut last = f64::INFINITY;
    for (quantum, seconds) in [("100ms", 0.1), ("10ms", 0.01), ("1ms", 0.001), ("100us", 0.0001)] {
        let error = (time(&format!(",quantum='{quantum}'")) - share).abs();
        // Each of three rounds ends within the turns of the two others.
        assert!(error <= 3.0 * 2.0 * seconds, "{quantum}: {error}");
        assert!(error < last || error < 1e-9, "{quantum}: {error}");
        last = error;
    }
}

/// A longer span counts more iterations, so its error falls; a coarse clock counts wrong.
#[test]
fn the_span_decides_the_accuracy() {
    let error = |span: &str| {
        let span = format!("workload.benchmark.span='{span}'");
        metric(&run(&[LOADED, "workload.distribution='benchmark'", "workload.population=100000", &span]), "power_error")
    };
    let errors = ["1.5ms", "10ms", "100ms", "1s"].map(error);
    assert!(errors.windows(2).all(|pair| pair[0] > pair[1]), "{errors:?}");
    assert!(errors[0] > 0.1 && errors[3] < 0.001, "{errors:?}");
    // A clock that shows multiples of 30 ms shows 90 ms until 120: iterations are counted that end by then.
    let coarse = ["workload.distribution='benchmark'", "workload.benchmark.clock='30ms'"];
    assert_eq!(column(&run(&coarse), "nodes", "power"), [11_900.0; 4]);
}

/// As the paper explains it (section 4.2): together the nodes have more cache than one.
#[test]
fn caches_make_super_linear_speedup() {
    let cached = ["platform.cluster.slaves.cache='512KiB'", "platform.cluster.slaves.speed_beyond_cache=0.8"];
    let plain = run(&cached);
    assert_eq!(plain.get("scaling"), Some(&Value::Blank));
    let memory = run(&[cached[0], cached[1], "workload.individual_memory='32KiB'"]);
    // 40 individuals need 1.25 MiB, 10 of them 320 KiB.
    assert_eq!(memory.get("scaling").unwrap().to_string(), "super-linear");
    assert!((metric(&memory, "speedup") - 4.0 / 0.8 * 2e-3 / 2.004e-3).abs() < 1e-9);
}

const MOVING: &str = "platform.cluster.slaves.load=[{nodes=[0],profile={kind='trace',steps=[{from='0s',value=0.25},{from='10s',value=1.0}]}},\
                      {nodes=[3],profile={kind='trace',steps=[{from='10s',value=0.25}]}}]";

/// A load that goes from one node to another is followed by the master and by diffusion, and not without rebalancing.
#[test]
fn rebalancing_follows_a_load_that_moves() {
    let rebalanced = |rebalance: &str| {
        let mut overrides =
            vec![MOVING, "workload.distribution='benchmark'", "workload.population=4000", "workload.rounds=60"];
        let rebalance = format!("workload.rebalance={rebalance}");
        if rebalance.len() > "workload.rebalance=".len() {
            overrides.push(&rebalance);
        }
        run(&overrides)
    };
    let fixed = rebalanced("");
    assert_eq!((metric(&fixed, "rebalances"), metric(&fixed, "moved")), (0.0, 0.0));
    for rebalance in [
        "{every=5}",
        "{every=5,measure='rounds'}",
        "{spread=0.2}",
        "{spread=0.2,measure='rounds'}",
        "{every=1,measure='rounds',by='diffusion'}",
        "{spread=0.2,by='diffusion'}",
    ] {
        let record = rebalanced(rebalance);
        assert!(metric(&record, "moved") > 0.0, "{rebalance}");
        assert!(metric(&record, "completion_s") < 0.85 * metric(&fixed, "completion_s"), "{rebalance}");
        assert_eq!(column(&record, "nodes", "individuals_at_end").iter().sum::<f64>(), 4000.0, "{rebalance}");
        let at_end = column(&record, "nodes", "individuals_at_end");
        assert!(at_end[3] < 0.5 * at_end[0], "{rebalance}: {at_end:?}");
    }
    // Twice in a row without anything new: nothing moves.
    let still = run(&["workload.population=4000", "workload.rebalance={every=1}"]);
    assert_eq!((metric(&still, "rebalances"), metric(&still, "moved")), (2.0, 0.0));
}

/// What is found depends on the individuals and on nothing else: not on who has them, nor on what it costs.
#[test]
fn the_evolution_is_the_same_whatever_the_distribution() {
    let evolving = ["workload.search={objective='ackley',dimension=4}", "workload.rounds=20", "workload.population=60"];
    let errors = |more: &[&str]| {
        let mut overrides = evolving.to_vec();
        overrides.extend(more);
        let text = QUIET.replace("evaluations = 100\n", "");
        let scenario = try_read_in(".", &text, &overrides).unwrap_or_else(|problems| panic!("{problems}"));
        let record = scenario.run(0, 0).unwrap();
        (column(&record, "series", "best_error"), record.get("stopped_by").unwrap().to_string())
    };
    let (plain, stopped_by) = errors(&[]);
    assert_eq!(stopped_by, "target", "{plain:?}");
    assert!(plain.len() < 20 && plain[plain.len() - 1] <= 5e-5);
    assert!(plain.windows(2).all(|pair| pair[1] <= pair[0]));
    for more in [
        &["workload.distribution='benchmark'", LOADED][..],
        &["workload.distribution='ship'"],
        &["workload.distribution='largest_first'"],
        &["workload.distribution='benchmark'", MOVING, "workload.rebalance={every=1,by='diffusion'}"],
    ] {
        assert_eq!(errors(more).0, plain, "{more:?}");
    }
    assert_ne!(errors(&["seed=1"]).0, plain);
    // Strategies whose individuals compete have islands: there the distribution matters, and nobody gets lost.
    for strategy in ["plus", "comma", "cma_es"] {
        let search = format!("workload.search={{objective='sphere',dimension=4,strategy='{strategy}'}}");
        let moving = ["workload.distribution='benchmark'", MOVING, "workload.rebalance={every=1,measure='rounds'}"];
        let (found, _) = errors(&[&[search.as_str(), "workload.rounds=100"], &moving[..]].concat());
        assert!(found[found.len() - 1] <= 5e-5, "{strategy}: {found:?}");
    }
}

/// A slave that gets no individual takes no time for a round: it is left out of the spread.
#[test]
fn slaves_without_individuals_spread_no_times() {
    for distribution in ["equal", "round_robin", "ship", "largest_first"] {
        let distribution = format!("workload.distribution='{distribution}'");
        let spread = metric(&run(&[&distribution, "workload.population=2"]), "round_spread");
        assert_eq!(spread, 0.0, "{distribution}");
    }
}

/// Individuals whose costs differ: dealing the costliest first evens them out; dealing them by number does not.
#[test]
fn largest_first_evens_out_unequal_individuals() {
    let time = |distribution: &str| {
        let distribution = format!("workload.distribution='{distribution}'");
        let task = "workload.task={distribution='gamma',mean='1kop',deviation='1kop'}";
        metric(&run(&[task, &distribution]), "completion_s")
    };
    assert!(time("largest_first") < time("equal"));
    assert!(time("largest_first") < time("round_robin"));
}

/// The same bytes on any number of threads, in any order.
#[test]
fn runs_do_not_know_of_each_other() {
    let scenario = read(&[
        "workload.distribution='benchmark'",
        "platform.cluster.slaves.load=[{profile={kind='constant',tasks=1,quantum='3ms'}},\
         {nodes=[2],profile={kind='random',tasks=2,mean_idle='20ms',mean_busy='20ms',quantum='1ms'}}]",
        "workload.rebalance={spread=0.1}",
        "replicas=8",
    ])
    .unwrap_or_else(|problems| panic!("{problems}"));
    let alone: Vec<Record> = (0..8).map(|replica| scenario.run(0, replica).unwrap()).collect();
    let scenario = &scenario;
    let together: Vec<Record> = std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..8).rev().map(|replica| scope.spawn(move || scenario.run(0, replica).unwrap())).collect();
        threads.into_iter().rev().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(alone, together);
    assert!(alone.windows(2).any(|pair| pair[0] != pair[1]), "the draws differ");
}

/// What can't be says why.
#[test]
fn impossible_evolutions_are_refused() {
    for (wrong, expected) in [
        ("workload.population=0", "`population` must be at least 1"),
        ("workload.population=4000000000", "are too many"),
        ("workload.generations=0", "`generations` must be at least 1"),
        ("workload.rounds=0", "`rounds` must be at least 1"),
        ("workload.target=-1.0", "`target` must be at least 0"),
        ("workload.search={objective='ackley'}", "the strategy of `search` says"),
        ("workload.search={objective='ackly'}", "`ackly` is not a value of `objective`"),
        ("workload.evaluations=0", "`evaluations` must be at least 1"),
        ("workload.task={distribution='constant',operations='0op'}", "must be above zero"),
        ("workload.distribution='fair'", "`fair` is not a value"),
        ("workload.benchmark={span='0s'}", "`span` must be above zero"),
        ("workload.benchmark={individuals=0}", "`individuals` must be at least 1"),
        ("workload.benchmark={span='2000s',individuals=1}", "an iteration is so short"),
        ("workload.benchmark={span='700s',individuals=1,clock='699s'}", "that 13980000 fit the span"),
        ("workload.benchmark={span='1ms',individuals=1,clock='50ms'}", "`clock` is coarser than `span`"),
        ("workload.rebalance={}", "needs `every` or `spread`"),
        ("workload.rebalance={every=0}", "`every` must be at least 1"),
        ("workload.rebalance={spread=1.5}", "`spread` must be at most 1"),
        ("workload.master=9", "there is no node 9"),
        ("platform.diversity=0.5", "the diversity counts node 0, the server"),
        (
            "platform.cluster.slaves.load=[{profile={kind='constant',tasks=1,quantum='0s'}}]",
            "`quantum` must be above zero",
        ),
        (
            "platform.cluster.slaves.load=[{profile={kind='periodic',tasks=1,period='20s',busy='10s',quantum='1ns'}}]",
            "`quantum` is too short",
        ),
        (
            "platform.cluster.slaves.load=[{profile={kind='random',tasks=1,mean_idle='1s',mean_busy='1h',quantum='10us'}}]",
            "turns fit `mean_busy`",
        ),
        ("platform.cluster.slaves.fault=[{profile={kind='at',from='1s'}}]", "no node may fail"),
    ] {
        let Err(message) = read(&["workload.distribution='benchmark'", wrong]) else { panic!("{wrong} was taken") };
        assert!(message.contains(expected), "{wrong}: {message}");
    }
    // A master that computes is one of the nodes whose speeds differ, and one in a cluster of its own is none.
    for right in ["workload.master_computes=true", "platform.diversity_over=['slaves']"] {
        let d_conf = metric(&run(&["platform.diversity=0.5", right]), "d_conf");
        assert!((d_conf - 0.5).abs() < 1e-12, "{right}: {d_conf}");
    }
    // Without the benchmark the clock only measures rounds.
    read(&["workload.benchmark.clock='1s'", "workload.rebalance={every=1,measure='rounds'}"]).unwrap();
    let message = read(&["workload.distribution='ship'", "workload.rebalance={every=1}"]).unwrap_err();
    assert!(message.contains("nothing can be moved"), "{message}");
}
