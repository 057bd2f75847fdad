//! Searches for a mapping as a scenario names them: what they cost, what they promise, and what is refused.

use hetsim::record::{Record, Table, Value};

use crate::support::{run_replica, try_read};

/// One of Aguilar's graphs of 9 tasks on three unequal nodes, under a network and with these keys of the workload.
fn text(network: &str, keys: &str, more: &str) -> String {
    format!(
        "version = 1\nreplicas = 3\n[platform.cluster.lab]\nnodes = 3\nspeeds = [\"1op/s\", \"2op/s\", \"1.5op/s\"]\n\
         network = {{ {network} }}\n[output]\ntables = [\"search\"]\n[workload]\nkind = \"taskgraph\"\n{keys}\n\
         [workload.generate]\nshape = {{ family = \"random\", tasks = 9, successors = 2 }}\n\
         operations = {{ distribution = \"uniform\", from = \"1op\", to = \"10op\" }}\n\
         bytes = {{ distribution = \"uniform\", from = \"1B\", to = \"10B\" }}\n{more}"
    )
}

const DELAY: &str = "model = \"delay\", latency = \"0s\", bandwidth = \"1B/s\"";
const SHORT: &str =
    "[workload.annealing]\nlevels = 40\ntries = 5\n[workload.genetic]\ngenerations = 30\npopulation = 20\n";

fn metric(record: &Record, name: &str) -> Option<f64> {
    record.get(name).and_then(Value::number)
}

fn search(record: &Record) -> &Table {
    record.tables.iter().find(|table| table.name == "search").expect("the table")
}

/// No scheduler's mapping costs less than the proved one, by any objective, and where nothing contends every prediction
/// is met to the last tick.
#[test]
fn exact_is_no_worse_than_any_scheduler() {
    let others = ["annealing", "genetic", "neural", "neural_printed", "heft", "min_min", "round_robin"];
    for network in [DELAY, "model = \"ideal\""] {
        for objective in ["parallel_time", "makespan", "cut"] {
            let of = |scheduler: &str, replica| {
                let keys = format!("scheduler = \"{scheduler}\"\nobjective = \"{objective}\"");
                run_replica(&text(network, &keys, SHORT), replica)
            };
            for replica in 0..3 {
                let exact = of("exact", replica);
                let least = metric(&exact, "value_s").unwrap();
                assert_eq!((metric(&exact, "proved"), metric(&exact, "gap")), (Some(1.0), Some(0.0)));
                assert_eq!(metric(&exact, "bound_s"), Some(least));
                assert_eq!(metric(&exact, "late_s"), Some(0.0));
                for scheduler in others {
                    let other = of(scheduler, replica);
                    let value = metric(&other, "value_s").unwrap();
                    assert!(value >= least, "{scheduler} {objective}: {value} < {least}");
                    assert_eq!(metric(&other, "late_s"), Some(0.0), "{scheduler} {objective}");
                    assert_eq!((metric(&other, "bound_s"), metric(&other, "proved")), (None, None));
                    // What a search for the least time finds is the time that is simulated.
                    if objective != "cut" && !["heft", "min_min", "round_robin"].contains(&scheduler) {
                        assert_eq!(metric(&other, "completion_s"), Some(value), "{scheduler} {objective}");
                    }
                }
            }
        }
    }
}

/// The same seed gives the same run, and another replica another graph and search.
#[test]
fn searches_repeat_themselves() {
    for scheduler in ["annealing", "genetic", "neural", "neural_printed", "exact"] {
        let text = text(DELAY, &format!("scheduler = \"{scheduler}\""), SHORT);
        let (first, second) = (run_replica(&text, 1), run_replica(&text, 1));
        assert_eq!((&first.metrics, &first.tables), (&second.metrics, &second.tables));
        assert_ne!(run_replica(&text, 2).metrics, first.metrics);
        // What it took on the clock stands apart.
        assert_eq!(first.timings.len(), 1);
        assert_eq!(first.get("scheduling_s"), None);
    }
}

/// The history ends at the value, and a start is never made worse.
#[test]
fn a_start_is_a_name() {
    let value = |scheduler: &str, more: &str| {
        let record =
            run_replica(&text(DELAY, &format!("scheduler = \"{scheduler}\"\nobjective = \"makespan\""), more), 0);
        (metric(&record, "value_s").unwrap(), record)
    };
    for (start, scheduler) in [("heft", "heft"), ("cpop", "cpop"), ("neural", "neural")] {
        let (least, _) = value(scheduler, "");
        for search_name in ["annealing", "genetic"] {
            let (found, record) = value(search_name, &format!("[workload.{search_name}]\nstart = \"{start}\""));
            assert!(found <= least, "{search_name} from {start}: {found} > {least}");
            let rows = &search(&record).rows;
            assert_eq!(rows.last().unwrap()[4].number(), Some(found));
            assert_eq!(rows.last().unwrap()[1].number(), metric(&record, "evaluations"));
            assert!(rows[0][4].number().unwrap() <= least);
            assert_eq!(rows[0][2] == Value::Blank, search_name == "genetic");
        }
    }
    let (_, heft) = value("heft", "");
    assert!(search(&heft).rows.is_empty() && metric(&heft, "evaluations").is_none());
    // Without an objective nothing judges a scheduler's mapping; a search has the paper's.
    assert_eq!(metric(&run_replica(&text(DELAY, "scheduler = \"heft\"", ""), 0), "value_s"), None);
    assert!(metric(&run_replica(&text(DELAY, "scheduler = \"neural\"", ""), 0), "value_s").is_some());
    // And before a run in whose course all is decided, there is no mapping.
    let online = run_replica(&text(DELAY, "scheduler = \"online\"\nobjective = \"cut\"", ""), 0);
    assert_eq!(metric(&online, "value_s"), None);
}

/// b weighs imbalance: with none, one processor cuts nothing.
#[test]
fn the_balance_weighs() {
    let value = |balance: &str| {
        let keys = format!("scheduler = \"exact\"\nobjective = \"cut\"\nbalance = {balance}");
        metric(&run_replica(&text(DELAY, &keys, ""), 0), "value_s").unwrap()
    };
    assert_eq!(value("0.0"), 0.0);
    assert!(value("1.0") > 0.0 && value("1.0") < value("100.0"));
}

#[test]
fn bad_input_is_named() {
    let searches = "scheduler = [\"heft\", \"annealing\"]";
    for (keys, more, part) in [
        ("scheduler = \"anneal\"", "", "`anneal` is not a value of `scheduler`"),
        ("scheduler = \"exact\"\nobjective = \"time\"", "", "`time` is not a value of `objective`"),
        ("scheduler = \"exact\"\nbalance = 1.0", "", "is a weight in"),
        ("scheduler = \"exact\"\nobjective = \"cut\"\nbalance = -1.0", "", "balance"),
        (
            "scheduler = \"annealing\"",
            "[workload.annealing]\ncooling = 1.5",
            "`cooling` must be above 0, and at most 1",
        ),
        ("scheduler = \"heft\"", "[workload.genetic]\npopulation = 1", "`population` must be at least 2"),
        ("scheduler = \"genetic\"", "[workload.genetic]\nstart = \"hefty\"", "`hefty` is not a value of `start`"),
        ("scheduler = \"genetic\"", "[workload.genetic]\nmutations = 0.5", "mutations"),
        ("scheduler = \"exact\"", "[workload.exact]\nnodes = -1", "nodes"),
        ("mapping = [0, 1, 2]", "[workload.neural]\nexcitation = 2.0", "leaves nothing to search for"),
        ("scheduler = \"neural\"\ninsertion = true", "", "has gaps to fill"),
        (searches, "", "scheduler"),
    ] {
        let text = text(DELAY, keys, more);
        let shown = try_read(&text).expect_err(&text);
        assert!(shown.contains(part), "`{part}` should be in {shown}");
    }
    // In a sweep over schedulers the tables are for those that read them.
    let sweep = "[sweep]\n\"workload.scheduler\" = [\"heft\", \"annealing\", \"exact\", \"online\"]\n";
    let swept = try_read(&text(DELAY, "scheduler = \"heft\"", &format!("{SHORT}{sweep}"))).expect("a sweep");
    assert_eq!(swept.points.len(), 4);
}
