//! Replicas that stop by themselves: the same ones on any number of threads and after any interruption; and what is
//! said of them: intervals, quantiles, comparisons.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use hetsim::batch::identity::RunId;
use hetsim::batch::replication::Replication;
use hetsim::batch::run::{Workers, complete};
use hetsim::batch::store::Store;
use hetsim::batch::threads::Threads;
use hetsim::report::Reported as _;
use hetsim::report::output::results_csv;
use hetsim::report::{Results, compare};
use hetsim::scenario::{Scenario, Source};

use crate::support;

/// Two jitters, so that points stop at different prefixes.
const SCENARIO: &str = r#"
version = 1
replicas = REPLICAS
seed = 3

[platform.cluster.a]
nodes = 9
network = { model = "loggp", latency = "20us", overhead = "3us", gap = "5us", gap_per_byte = "8ns/B" }
jitter = 0.3

[workload]
kind = "broadcast"
size = "4KiB"
algorithm = "binomial"

[sweep]
"platform.cluster.a.jitter" = [0.02, 0.3, 1.0]
"workload.algorithm" = ["linear", "binomial"]

[[compare]]
metric = "completion_s"
a = { algorithm = "binomial" }
b = { algorithm = "linear" }
"#;

const UNTIL: &str = r#"{ until = { metric = "completion_s", half_width = "4%" }, max = 200 }"#;

fn scenario(replicas: &str) -> Scenario {
    let text = SCENARIO.replace("REPLICAS", replicas);
    let source = Source { name: "until".to_owned(), folder: PathBuf::new(), text: text.into() };
    Scenario::read("until".to_owned(), source, &[]).unwrap_or_else(|problems| panic!("{problems}"))
}

fn open(folder: &Path) -> Store<RunId> {
    Store::open(folder).unwrap().0
}

/// Goes on with a store until it is stopped after so many runs; says whether it got to the end.
fn go_on(scenario: &Scenario, folder: &Path, jobs: usize, stop_after: usize) -> bool {
    let store = open(folder);
    let (stop, ended) = (AtomicBool::new(false), AtomicUsize::new(0));
    let mut replication = Replication::new(scenario);
    let runs = replication.missing(&store, |_| true).unwrap();
    let workers = Workers { threads: Threads::new(NonZeroUsize::new(jobs)), stop: &stop };
    let done = |progress: hetsim::batch::run::Progress| {
        if ended.fetch_add(progress.ended, Ordering::Relaxed) + progress.ended >= stop_after {
            stop.store(true, Ordering::Relaxed);
        }
    };
    let outcome = complete(&mut replication, &store, runs, workers, |_| true, |_| (), done).unwrap();
    assert!(outcome.failed.is_empty());
    !outcome.interrupted
}

/// What the store of a scenario that is done comes to: `results.csv`, and the replicas of each point.
fn outcome(scenario: &Scenario, folder: &Path) -> (String, Vec<u32>) {
    let store = open(folder);
    let mut replication = Replication::of(scenario, &store).unwrap();
    assert!(replication.missing(&store, |_| true).unwrap().is_empty());
    let results = Results::load(scenario, &store, replication.runs()).unwrap();
    let mut csv = Vec::new();
    results_csv(&results, &mut csv).unwrap();
    let counts = (0..scenario.points.len()).map(|point| replication.replicas(point)).collect();
    (String::from_utf8(csv).unwrap(), counts)
}

#[test]
fn threads_kills_and_what_else_is_stored_change_nothing() {
    let scenario = scenario(UNTIL);
    let folder = |name: &str| (name.to_owned(), tempfile::tempdir().unwrap());
    let one = folder("one thread");
    assert!(go_on(&scenario, one.1.path(), 1, usize::MAX));
    let expected = outcome(&scenario, one.1.path());
    // Only fixed prefixes occur, and not the same everywhere.
    assert!(expected.1.iter().all(|count| [30, 60, 120, 200].contains(count)), "{:?}", expected.1);
    assert!(expected.1.iter().any(|count| *count != expected.1[0]), "{:?}", expected.1);

    let four = folder("four threads");
    assert!(go_on(&scenario, four.1.path(), 4, usize::MAX));
    assert!(expected == outcome(&scenario, four.1.path()), "{}", four.0);

    let mut random = 0x2545_F491_4F6C_DD1D_u64;
    for jobs in [1, 3] {
        let killed = folder("stopped at random");
        let mut sessions = 1;
        loop {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            if go_on(&scenario, killed.1.path(), jobs, 1 + (random % 90) as usize) {
                break;
            }
            sessions += 1;
            assert!(sessions < 1000, "it never ends");
        }
        assert!(sessions > 2, "it was stopped only {sessions} times");
        assert!(expected == outcome(&scenario, killed.1.path()), "{} on {jobs} threads", killed.0);
    }

    // A store that has all of them already.
    let full = folder("surplus");
    let fixed = self::scenario("200");
    assert!(go_on(&fixed, full.1.path(), 2, usize::MAX));
    assert!(expected == outcome(&scenario, full.1.path()), "{}", full.0);

    // And each point's rows are the first ones of the fixed run.
    let (all, _) = outcome(&fixed, full.1.path());
    let mut lines = all.lines();
    let mut prefix = vec![lines.next().unwrap()];
    let rows: Vec<&str> = lines.collect();
    for (rows, count) in rows.chunks(200).zip(&expected.1) {
        prefix.extend(&rows[..*count as usize]);
    }
    assert_eq!(prefix, expected.0.lines().collect::<Vec<_>>());

    // Without a store the same runs count.
    let runs = (0..scenario.points.len()).flat_map(|point| (0..200).map(move |replica| (point, replica)));
    let records = runs.map(|(point, replica)| (point, replica, scenario.run(point, replica).unwrap()));
    let mut csv = Vec::new();
    results_csv(&Results::new(&scenario, records), &mut csv).unwrap();
    assert_eq!(String::from_utf8(csv).unwrap(), expected.0);
}

/// A run that fails does so each time: its point must not be asked for over and over.
#[test]
fn a_point_with_a_failed_run_stops() {
    let scenario = scenario(UNTIL);
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    let mut replication = Replication::new(&scenario);
    assert_eq!(replication.missing(&store, |_| true).unwrap().len(), 6 * 30);
    // Others take part than those of another shard.
    assert_eq!(replication.missing(&store, |point| point == 2).unwrap().len(), 30);
    replication.give_up(&[(0, 3)]);
    let missing = replication.missing(&store, |_| true).unwrap();
    assert!(missing.len() == 5 * 30 && missing.iter().all(|(point, _)| *point != 0));
    // What ended of its prefix is shown.
    assert_eq!((replication.replicas(0), replication.runs().count()), (30, 180));
}

#[test]
fn comparisons_are_paired_by_replica() {
    let scenario = scenario("40");
    let runs = (0..scenario.points.len()).flat_map(|point| (0..40).map(move |replica| (point, replica)));
    let records = runs.map(|(point, replica)| (point, replica, scenario.run(point, replica).unwrap()));
    let results = Results::new(&scenario, records);
    let compared = compare::all(&results, &scenario.report().compare);
    assert_eq!(compared.len(), 3, "one for each jitter");
    for one in &compared {
        let test = one.comparison.test.unwrap();
        assert_eq!((one.comparison.counts, test.degrees), ((40, 40), 39.0));
        let corrected = one.corrected.unwrap();
        assert!(corrected.tests == 3 && corrected.t.unwrap() >= test.p);
        let words = one.words();
        let start = format!("completion ({}): binomial is faster than linear by ", one.place);
        assert!(
            words.starts_with(&start) && words.contains("95 % interval") && words.contains("Wilcoxon p"),
            "{words}"
        );
        assert!(words.contains("as one of 3 comparisons p") && words.ends_with("(Holm)."), "{words}");
    }
    // What is significant alone and not among all of them.
    let mut doubtful = compared[0].clone();
    doubtful.comparison.test.as_mut().unwrap().p = 0.03;
    doubtful.corrected.as_mut().unwrap().t = Some(0.09);
    assert!(
        doubtful.words().ends_with("p = 0.090 (Holm), which chance among so many explains too."),
        "{}",
        doubtful.words()
    );
    assert_eq!(compared[0].place, "jitter = 0.02");
    // The difference is that of the means.
    let mean = |point| results.mean(point, "completion_s").unwrap();
    let difference = compared[0].comparison.difference.value;
    assert!((difference - (mean(1) - mean(0))).abs() < 1e-12);
}

fn hetsim(folder: &Path, arguments: &[&str]) -> (String, String) {
    let output = support::hetsim(folder).args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let (said, messages) = (text(output.stdout), text(output.stderr));
    assert!(output.status.success(), "{messages}");
    (said.split_whitespace().collect::<Vec<_>>().join(" "), messages)
}

#[test]
fn the_command_says_how_many_and_compares() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let text = SCENARIO.replace("REPLICAS", UNTIL)
        + "[output]\nquantiles = [0.5, 0.99]\ninterval = { method = \"bootstrap\", confidence = 0.9 }\n";
    std::fs::write(folder.join("until.toml"), &text).unwrap();
    let (said, _) = hetsim(folder, &["check", "until.toml"]);
    let wanted = "6 points × 30 to 200 replicas = 180 to 1200 runs, until the mean of completion_s is known to ±4%";
    assert!(said.contains(wanted), "{said}");
    let (said, messages) = hetsim(folder, &["until.toml", "--jobs", "2"]);
    assert!(messages.contains("until: 180 runs or more, up to 1200"), "{messages}");
    let wanted = "replicas a point: until the 95 % interval of the mean of completion_s is within ±4%";
    assert!(said.contains(wanted) && said.contains("Comparisons completion (jitter = 0.02): binomial is"), "{said}");
    let (_, again) = hetsim(folder, &["until.toml"]);
    assert!(again.contains(" already done"), "{again}");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let summary = read("output/until/summary.csv");
    let columns = "completion_s_mean,completion_s_low90,completion_s_high90,completion_s_min,completion_s_max,\
        completion_s_q50,completion_s_q50_low90,completion_s_q50_high90,completion_s_q99,";
    let header = summary.lines().next().unwrap();
    // Too few replicas at any point for an interval of the last quantile: its columns would be blank in every row.
    assert!(header.contains(columns) && !header.contains("q99_"), "{summary}");
    assert_eq!(read("output/until/compare.csv").lines().count(), 4);
    assert!(read("output/until/report.html").contains("binomial is faster than linear"));
    // Two folders: of one seed, and of two.
    std::fs::write(folder.join("slow.toml"), text.replace("20us", "40us")).unwrap();
    hetsim(folder, &["slow.toml", "--quiet", "--out", "slow"]);
    hetsim(folder, &["slow.toml", "--quiet", "--out", "other", "--seed", "4"]);
    let (said, _) = hetsim(folder, &["compare", "output/until", "slow/slow"]);
    assert!(said.contains("the second is slower than the first by") && said.contains(" pairs; effect large"), "{said}");
    let (said, _) = hetsim(folder, &["compare", "output/until", "other/slow"]);
    assert!(
        said.contains("the second is slower than the first by") && said.contains(" combinations; effect"),
        "{said}"
    );
    let (said, _) = hetsim(folder, &["compare", "output/until", "output/until"]);
    assert!(!said.contains("Over their replicas"), "{said}");
}
